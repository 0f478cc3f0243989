"""The engine against an independent slow reference: legal actions, boards, scores, ranks."""

import differential
import pytest
import slow_forum
from differential import Difference, at_random, by_bot, some_options
from slow_forum import mosaic_name, name_of

from trajan_ai import records
from trajan_ai.forum_trajanum import GAME

GAMES = 4  # of each number of players
VALUES = {
    "introductory": [True, False],
    "novices": [[], [0], [0, 1]],
    "limited_tiles": [True, False],
    "prestige": ["P1", "P2", "P3"],
    "recolour_in_swap": [True, False],
    "eagle_once": [True, False],
    "task_match": ["cells", "tiles"],
    "worker_swap": ["free", "payment"],
    "reactivation": ["row", "class"],
    "phase_handover": ["once", "twice"],
    "step_one": ["hidden", "open"],
    "components": ["recon-1", "varied-1"],
    "boards": ["A", "B"],
}


def player_facts(player):
    """What lies before a player, in the words of a view."""
    corners = {cell: tile for cell, tile in player.tiles.items() if cell in slow_forum.CORNERS}
    plain = {cell: tile for cell, tile in player.tiles.items() if cell not in corners}
    return {
        "resources": {name: count for name, count in player.resources.items() if count},
        "citizens": {str(row): len(tiles) for row, tiles in player.citizens.items() if tiles},
        "inactive": [row for row, tiles in player.citizens.items()
                     if tiles and not player.active[row]],
        "cranes": {name_of(corner): f"{colour} {player.crane_state[corner]}"
                   for corner, colour in player.cranes.items()},
        "buildings": {name_of(cell): name for cell, name in player.built.items()},
        "doubles": sorted(sorted(map(name_of, tile)) for tile in player.laid if len(tile) == 2),
        "face_down": {name_of(cell): tile for cell, tile in plain.items()},
        "face_up": {name_of(cell): tile for cell, tile in corners.items()},
        "reserve": sorted(player.reserve),
        "slider": player.step,
        "ship": player.ship,
        "forum": sorted(map(mosaic_name, player.envoys)),
    }  # fmt: skip


def shown(position, game):
    """The boards whenever tiles are about to be taken or used: in between lies a tile in hand."""
    legal = [] if position.player is None else position.legal()
    if not legal or not legal[0].startswith(("take", "use own")):
        return {}
    view = GAME.rules.view(position, None)
    pairs = {"round": (view["round"], game.round + 1)}
    for number, player in enumerate(game.player):
        other = player_facts(player)
        one = {key: view["players"][number][key] for key in other}
        one["doubles"] = sorted(map(sorted, one["doubles"]))
        for key in ("reserve", "forum"):
            one[key] = sorted(one[key])
        pairs |= {f"player {number}: {key}": (one[key], other[key]) for key in other}
    return pairs


def play(players, seed, choose, reference=slow_forum.Game, **options):
    game = {"players": players, "seed": seed, "choose": choose}
    return differential.play(GAME, reference, shown, **game, **options)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(GAMES))
def test_random_games(players, seed):
    assert play(players, seed, at_random(seed), **some_options(VALUES, 100 * players + seed)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_sensible_games(players):
    for seed in range(4):
        options = some_options(VALUES, seed + 41)
        assert play(players, seed, by_bot(GAME, "expert", players, seed), **options) > 20


def eagles_for_all(self, player):
    """Every envoy scores diagonals."""
    kept, player.active[1] = player.active[1], True
    score = slow_forum.Game.eagle_score(self, player)
    player.active[1] = kept
    return score


def one_match_of_a_card(self, player, card):
    return min(1, slow_forum.Game.building_copies(self, player, card))


def play_many(reference, games):
    for seed in range(games):
        play(2, seed, by_bot(GAME, "expert", 2, seed), reference)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"),
    [("eagle_score", eagles_for_all), ("building_copies", one_match_of_a_card)],
)
def test_a_faulty_reference_is_noticed(name, fault):
    faulty = type("Faulty", (slow_forum.Game,), {name: fault})
    with pytest.raises(Difference) as caught:
        play_many(faulty, 20)
    record = records.parse(str(caught.value).splitlines()[-1])
    *_, last = records.positions(record)
    assert last.ply == len(record["actions"])
