"""How the engine of Forum Trajanum is compared with its slow reference."""

import plain_forum
import slow_forum
from random_games import values
from slow_forum import mosaic_name, name_of
from slow_game import player_pairs

from trajan_ai.games.forum_trajanum import GAME

REFERENCE, TWIN = slow_forum.Game, plain_forum
VALUES = values(GAME) | {
    "components": ["recon-1", "varied-1"],
    "boards": ["A", "B"],
    "mosaic": ["upright", "turned"],
}


def player_facts(player):
    corners = {cell: tile for cell, tile in player.tiles.items() if cell in slow_forum.CORNERS}
    plain = {cell: tile for cell, tile in player.tiles.items() if cell not in corners}
    seated = {row: tiles for row, tiles in player.citizens.items() if tiles}
    return {
        "resources": player.resources,
        "citizens": {str(row): len(tiles) for row, tiles in seated.items()},
        "inactive": [row for row in seated if not player.active[row]],
        "cranes": {name_of(corner): f"{colour} {player.crane_state[corner]}"
                   for corner, colour in player.cranes.items()},
        "buildings": {name_of(cell): name for cell, name in player.built.items()},
        "doubles": [list(map(name_of, tile)) for tile in player.laid if len(tile) == 2],
        "face_down": {name_of(cell): tile for cell, tile in plain.items()},
        "face_up": {name_of(cell): tile for cell, tile in corners.items()},
        "reserve": player.reserve,
        "slider": player.step,
        "ship": player.ship,
        "forum": list(map(mosaic_name, player.envoys)),
    }  # fmt: skip


def compare(position, game):
    """Return pairs of facts about the boards, or no pairs while a player holds a tile."""
    legal = [] if position.player is None else position.legal()
    if not legal or not legal[0].startswith(("take", "use own")):
        return {}
    view = GAME.rules.view(position, None)
    pairs = player_pairs(view, map(player_facts, game.player))
    return pairs | {"round": (view["round"], game.round + 1)}


def eagles_for_all(self, player):
    before, player.active[1] = player.active[1], True
    score = slow_forum.Game.eagle_score(self, player)
    player.active[1] = before
    return score


def one_match_of_a_card(self, player, card):
    return min(1, slow_forum.Game.building_copies(self, player, card))


def keep_public(self, name, *facts, to=None, **more):
    slow_forum.Game.report(self, name, *facts, to=None if name == "keep" else to, **more)


FAULTS = {
    "eagle_score": eagles_for_all,
    "building_copies": one_match_of_a_card,
    "report": keep_public,
}
