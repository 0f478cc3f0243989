"""Following a game of Forum Trajanum from what one player knows: see `gamekit.following`.

docs/follow.md has the keys of reveals, P in them a player.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, product
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import Ask, Reveals
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.notation import BOARD_CELLS, CITIZENS, CLASSES, COLOURS
from trajan_ai.games.forum_trajanum.rules import (
    arrangements,
    fields,
    fits,
    look,
    restarted,
    state_bytes,
    turn_order,
)
from trajan_ai.games.forum_trajanum.views import CORNER_BITS, bit_of, cell_name, components_of
from trajan_ai.games.forum_trajanum.words import thing
from trajan_ai.games.kit.reveals import read_reveals

State = dict[str, Any]
Place = tuple[Any, Any]  # a container of a state's fields and the key of a tile in it

TRIBUNE = " tribune"
DONE = "done"
MOST_PAID = 2
DRAWS = 100  # worlds tried for a tile of who has no choice: one of some 30 fits


def _cells(mask: int) -> list[int]:
    return [bit for bit in range(rules.CELLS) if mask >> bit & 1]


def hides_step_one(s: State) -> bool:
    """Return whether a step 1 runs in which nobody sees what others do."""
    return s["stage"] == rules.STAGE_TAKE and not s["options"] & rules.OPTION_STEP_ONE_OPEN


def _order(s: State) -> list[int]:
    return turn_order(state_bytes(s))


def _begun(s: State, player: int) -> bool:
    return s["stage"] == rules.STAGE_TURN and player in _order(s)[: s["begun"]]


def _knows(s: State, key: str, player: int, observer: int) -> bool:
    """Return whether the observer has seen the tile ``kept`` or ``given`` by a player."""
    if key == "kept":
        return player == observer or _begun(s, player)
    right = (player - 1) % s["players"]
    passed = right == observer and s["stage"] > rules.STAGE_TAKE
    return player == observer or _begun(s, right) or bool(passed)


# ---- What a move shows ------------------------------------------------------------------------


def _shown_in_setup(before: State, after: State, observer: int, kinds: Sequence[str]) -> Reveals:
    shown: Reveals = {}
    decider = before["decider"]
    chose = after["decision"] != rules.DECIDE_CRANE or after["decider"] != decider
    if before["decision"] == rules.DECIDE_CRANE and chose:
        shown[f"start_citizen {decider}"] = [CLASSES[before["player"][decider]["start_class"]]]
    if after["stage"] > rules.STAGE_SETUP:
        for player in range(before["players"]):
            p = before["player"][player]
            shown[f"corners {player}"] = [kinds[tile] for tile in p["spare"]]
            shown[f"worker {player}"] = [COLOURS[p["start_worker"]]]
        shown["ship_tile"] = [kinds[before["player"][observer]["ship_tile"]]]
    return shown


def _lifted(before: State, after: State, player: int) -> int:
    """Return the cells that a player has emptied."""
    return int(before["player"][player]["tiles"] & ~after["player"][player]["tiles"])


def _seen_lifted(before: State, after: State, player: int, observer: int) -> int:
    """Return the plain cells of which the observer sees the tile that was lifted.

    Of others those of their turns, but not those of a step 1 that has begun since.
    """
    lifted = _lifted(before, after, player)
    for bit in CORNER_BITS:
        lifted &= ~(1 << bit)
    if player == observer:
        return lifted
    if before["stage"] != rules.STAGE_TURN:
        return 0
    taken = after["taken_cell"] if player == after["decider"] else ()
    for cell in (*after["player"][player]["took"], *taken):
        if cell and after["stage"] == rules.STAGE_TAKE:
            lifted &= ~(1 << (cell - 1))
    return lifted


def _shown_when_passed(before: State, after: State, action: str, observer: int) -> Reveals:
    """Return what all see of a hidden step 1 when everybody has passed."""
    shown: Reveals = {}
    for player in range(before["players"]):
        if player == observer:
            continue
        p = before["player"][player]
        own = player == before["decider"]
        taken = [*p["took"], *(before["taken_cell"] if own else ())]
        cells = {cell - 1 for cell in taken if cell} | set(_cells(_lifted(before, after, player)))
        paid = p["paid"] + (own and action.endswith(TRIBUNE))
        shown[f"took {player}"] = [cell_name(bit) for bit in sorted(cells)]
        if paid:
            shown[f"paid {player}"] = [str(paid)]
    return shown


def shown(position: Position, action: str, after: Position, observer: int) -> Reveals:
    """Return what a move showed the observer."""
    before, s = fields(position.to_bytes()), fields(after.to_bytes())
    components = components_of(before)
    kinds = setup.tile_kinds(components)
    if before["stage"] == rules.STAGE_SETUP:
        found = _shown_in_setup(before, s, observer, kinds)
    else:
        found = {}
        for player in range(before["players"]):
            for bit in _cells(_seen_lifted(before, s, player, observer)):
                tile = before["player"][player]["tile"][bit]
                found[f"tile {player} {cell_name(bit)}"] = [kinds[tile]]
    # The last turns of a round may all be forced: their tiles lay open and are put away.
    ended = before["stage"] in (rules.STAGE_RESERVE, rules.STAGE_TURN) and (
        s["stage"] > rules.STAGE_TURN or s["round"] != before["round"]
    )
    if hides_step_one(before) and s["stage"] > rules.STAGE_TAKE:
        found |= _shown_when_passed(before, s, action, observer)
    if _watches_step_one(before, observer):
        seen = position.observed(position.game.move(action), observer)
        assert seen is not None
        followed = _without_choice(before, s, action)
        keys = _asked(position, observer, position.game.actions[seen])
        found |= {key: followed[key] for key in keys}
    for player in range(before["players"]):
        for key, name in (("kept", "kept"), ("given", "passed")):
            tile = (before if ended else s)["player"][player][key]
            new = not _knows(before, key, player, observer)
            if tile and new and (ended or _knows(s, key, player, observer)):
                found[f"{name} {player}"] = [kinds[tile]]
    turned = _known_cards(s) - _known_cards(before)
    if turned > 0:
        cards = s["street_cards"][_known_cards(before) : _known_cards(s)]
        found["street_cards"] = [components.symbols[card] for card in cards]
    return found


def _without_choice(before: State, after: State, action: str) -> Reveals:
    """Return what followed an action of step 1 without a choice.

    That is a cell that the player emptied besides, and whether that was the end of their takes.
    """
    decider = before["decider"]
    lifted = {cell_name(bit) for bit in _cells(_lifted(before, after, decider))}
    cells = sorted(lifted - set(action.split()), key=BOARD_CELLS.index)
    over = after["stage"] != rules.STAGE_TAKE or after["decider"] != decider
    return {f"took {decider}": cells, "then": [DONE] if over else []}


def _known_cards(s: State) -> int:
    return 0 if s["stage"] < rules.STAGE_TAKE else 2 * (int(s["round"]) + 1)


# ---- Arranging what is hidden -----------------------------------------------------------------


class Arranger:
    """Moves tiles that the observer has not seen so that what is stated lies where it shows."""

    def __init__(self, s: State, observer: int) -> None:
        self.s = s
        self.observer = observer
        self.components = components_of(s)
        self.kinds = setup.tile_kinds(self.components)
        self._settled: list[Place] = []
        self._hidden = [self._places(player) for player in range(s["players"])]

    def _places(self, player: int) -> list[Place]:
        """Return where tiles of a player's colour lie that the observer has not seen."""
        s, p = self.s, self.s["player"][player]
        places: list[Place] = [
            (p["tile"], bit) for bit in _cells(p["tiles"]) if bit not in CORNER_BITS
        ]
        places += [(p["lost"], i) for i in range(p["lost_count"])]
        if s["stage"] == rules.STAGE_SETUP:
            places += [(p["spare"], 0), (p["spare"], 1)]
        if s["stage"] == rules.STAGE_SETUP or player != self.observer:
            places.append((p, "ship_tile"))
        if player == self.observer:
            return places
        if s["stage"] == rules.STAGE_TAKE and s["decider"] == player:
            places += [
                (s["taken"], card)
                for card in (0, 1)
                if s["taken_cell"][card] and s["taken_cell"][card] - 1 not in CORNER_BITS
            ]
        return places + self._pair_places(player)

    def _pair_places(self, player: int) -> list[Place]:
        """Return the unseen ones of the tiles kept and passed."""
        p = self.s["player"][player]
        unknown = [
            key
            for key in ("kept", "given")
            if p[key] and not _knows(self.s, key, player, self.observer)
        ]
        seen = p["shown"][1]
        if not p["given"]:
            return [] if seen else [(p, key) for key in unknown]
        if len(unknown) == 2:
            if p["shown"][0]:
                return []
            other = "given" if p["kept"] == seen else "kept"
            return [(p, other)] if seen else [(p, key) for key in unknown]
        known = "given" if unknown == ["kept"] else "kept"
        alike = not seen or (not p["shown"][0] and p[known] == seen)
        return [(p, key) for key in unknown if alike]

    def put(self, player: int, place: Place, name: str) -> None:
        """Let the tile at a place, of a player's colour, be the one called `name`."""
        kind = self.kinds.index(name)
        places = [one for one in self._hidden[player] if not self._is_settled(one)]
        here = [one for one in places if one[0] is place[0] and one[1] == place[1]]
        if place[0][place[1]] != kind:
            there = [one for one in places if one[0][one[1]] == kind]
            if not here or not there:
                raise TrajanError(f"{name} cannot be: player {player} has no unseen one")
            container, key = there[0]
            container[key], place[0][place[1]] = place[0][place[1]], kind
        self._settled += here

    def arrangement(self, player: int) -> tuple[list[int], int]:
        """Return how the unseen tiles of a colour lie now, to `restore` it."""
        return [place[0][place[1]] for place in self._hidden[player]], len(self._settled)

    def restore(self, player: int, arrangement: tuple[list[int], int]) -> None:
        """Take back what was put since."""
        kinds, settled = arrangement
        for (container, key), kind in zip(self._hidden[player], kinds, strict=True):
            container[key] = kind
        del self._settled[settled:]

    def to_bytes(self) -> bytes:
        """Return the state, tiles arranged so that rows can hold the citizens that they hold."""
        data = state_bytes(self.s)
        if fits(data):
            return data
        as_stated = [self.arrangement(player) for player in range(self.s["players"])]
        males = [
            (player, place)
            for player, places in enumerate(self._hidden)
            for place in places
            if self.kinds[place[0][place[1]]].endswith("-m") and not self._is_settled(place)
        ]
        for moved in product((False, True), repeat=len(males)):
            for player, arrangement in enumerate(as_stated):
                self.restore(player, arrangement)
            chosen = list(compress(males, moved))
            if all(self._move_over(*one) for one in chosen) and fits(data := state_bytes(self.s)):
                return data
        raise TrajanError("the tiles stated cannot be: citizens in the rows would be nobody's")

    def _move_over(self, player: int, place: Place) -> bool:
        """Swap an unseen male citizen out of the tiles that are gone, or among them."""
        lost = self.s["player"][player]["lost"]
        for other in self._hidden[player]:
            kind = other[0][other[1]]
            across = (other[0] is lost) != (place[0] is lost)
            if across and self.kinds[kind] not in CITIZENS and not self._is_settled(other):
                other[0][other[1]], place[0][place[1]] = place[0][place[1]], kind
                return True
        return False

    def _is_settled(self, place: Place) -> bool:
        return any(one[0] is place[0] and one[1] == place[1] for one in self._settled)

    def put_pair(self, player: int, kept: str | None, given: str | None) -> None:
        """Let the tiles of a step 1 be those named; where one lay face up, either is the kept."""
        p = self.s["player"][player]
        seen = p["shown"][1]
        both = (
            p["given"]
            and seen
            and not any(_knows(self.s, key, player, self.observer) for key in ("kept", "given"))
        )
        other = "given"
        if both:
            taken = kept is not None and self.kinds.index(kept) == seen
            passed = kept is None and (given is None or self.kinds.index(given) != seen)
            other = "given" if taken or passed else "kept"
            self._open_one(p, "kept" if other == "given" else "given")
        self._hidden[player] = self._places(player)
        if both and p["kept"] == p["given"] and not p["shown"][0]:  # either could be the open one
            self._hidden[player][-1] = (p, other)
        for key, name in (("kept", kept), ("given", given)):
            if name is not None:
                self.put(player, (p, key), name)

    def _open_one(self, p: State, key: str) -> None:
        """Let the tile that lay face up be the one kept, or the one given."""
        other = "given" if key == "kept" else "kept"
        if p[key] != p["shown"][1]:
            p[key], p[other] = p[other], p[key]

    def put_street_cards(self, names: Sequence[str]) -> None:
        """Let the next street cards be those named."""
        symbols, s = self.components.symbols, self.s
        known, forgotten = _known_cards(s), s["forgotten_cards"]
        left = [*s["street_cards"][known:], *s["street_cards"][:forgotten]]
        wanted = [symbols.index(name) for name in names]
        for name, card in zip(names, wanted, strict=True):
            if card not in left:
                raise TrajanError(f"street_cards: {name} cannot come any more")
            left.remove(card)
        order = [*wanted, *left]
        coming = len(order) - forgotten
        s["street_cards"][known:], s["street_cards"][:forgotten] = order[:coming], order[coming:]

    def put_all(self, stated: Reveals) -> None:
        """Arrange everything stated that lies where it will show already."""
        for key, names in stated.items():
            word, *rest = key.split()
            if word == "tile" and names:
                player, cell = int(rest[0]), rest[1]
                place = self.s["player"][player]["tile"], bit_of(cell)
                self.put(player, place, names[0])
            elif word == "street_cards":
                self.put_street_cards(names)
            elif self.s["stage"] == rules.STAGE_SETUP and names:
                self._put_setup(word, rest, names)
        for player in range(self.s["players"]):
            kept, given = _pair(stated, player)
            if self.s["player"][player]["kept"] and (kept or given):
                self.put_pair(player, kept, given)

    def _put_setup(self, word: str, rest: Sequence[str], names: Sequence[str]) -> None:
        player = int(rest[0]) if rest else self.observer
        p = self.s["player"][player]
        if word == "start_citizen":
            p["start_class"] = CLASSES.index(names[0])
        elif word == "corners":
            for i, name in enumerate(names[:2]):
                self.put(player, (p["spare"], i), name)
        elif word == "ship_tile":
            self.put(player, (p, "ship_tile"), names[0])
        elif word == "worker":
            colour = COLOURS.index(names[0])
            for other in self.s["player"][: self.s["players"]]:
                if other["start_worker"] == colour:
                    other["start_worker"] = p["start_worker"]
            p["start_worker"] = colour


def _pair(stated: Reveals, player: int) -> tuple[str | None, str | None]:
    """Return what is stated of the tiles that a player kept and passed."""
    kept, given = stated.get(f"kept {player}"), stated.get(f"passed {player}")
    return kept[0] if kept else None, given[0] if given else None


# ---- A hidden step 1 that ends ----------------------------------------------------------------


@dataclass(frozen=True)
class Takes:
    """What a player did in a step 1: cells emptied and tribunes paid.

    ``kept`` is the cell of the tile kept; None if that does not show. ``cells`` is None where
    anything will do.
    """

    cells: frozenset[int] | None
    paid: int
    kept: int | None


def _runs(position: Position, player: int, takes: Takes) -> Iterator[list[str]]:
    """Yield the ways in which a player may have made `takes`, as actions."""
    if position.player != player or fields(position.to_bytes())["stage"] != rules.STAGE_TAKE:
        yield []
        return
    for action in position.legal():
        word, *rest = action.split()
        s = fields(position.to_bytes())
        if word == "take" and takes.cells is not None and bit_of(rest[1]) not in takes.cells:
            continue
        if word == "keep" and takes.kept not in (None, s["taken_cell"][int(rest[0]) - 1] - 1):
            continue
        for more in _runs(position.after(action), player, takes):
            yield [action, *more]


def _made(start: Position, actions: Sequence[str], player: int, takes: Takes) -> bool:
    """Return whether actions made exactly `takes`."""
    if takes.cells is None:
        return True
    after = start
    for action in actions:
        after = after.after(action)
    lifted = _lifted(fields(start.to_bytes()), fields(after.to_bytes()), player)
    paid = sum(action.endswith(TRIBUNE) for action in actions)
    return set(_cells(lifted)) == takes.cells and paid == takes.paid


def _takes_of(s: State, position: Position, action: str | None, player: int) -> Takes:
    """Return what the observer has done in step 1, `action` included."""
    p = s["player"][player]
    if action is None or s["decider"] != player:
        cells = [cell - 1 for cell in p["took"] if cell]
        return Takes(frozenset(cells), p["paid"], cells[0] if cells else None)
    after = fields(position.after(action).to_bytes())
    taken = {cell - 1 for cell in s["taken_cell"] if cell}
    cells_now = frozenset(taken | set(_cells(_lifted(s, after, player))))
    kept = s["taken_cell"][int(action.split()[1]) - 1] - 1 if action.startswith("keep") else None
    return Takes(cells_now, p["paid"] + action.endswith(TRIBUNE), kept)


def _stated_takes(stated: Reveals, player: int) -> Takes:
    if f"took {player}" not in stated and f"paid {player}" not in stated:
        return Takes(None, 0, None)
    cells = frozenset(map(bit_of, stated.get(f"took {player}", [])))
    return Takes(cells, int((stated.get(f"paid {player}") or ["0"])[0]), None)


def _kept_cells(
    arranger: Arranger, player: int, takes: Takes, kept: str | None, given: str | None
) -> Iterator[Takes]:
    """Yield `takes` with the cell of the tile kept, faces arranged so that what is stated fits."""
    if takes.cells is None or (kept is None and given is None):
        yield takes
        return
    p = arranger.s["player"][player]
    cells = sorted(takes.cells)
    untried = arranger.arrangement(player)
    for keep in cells:
        arranger.restore(player, untried)
        other = [cell for cell in cells if cell != keep]
        try:
            if kept is not None:
                arranger.put(player, (p["tile"], keep), kept)
            if given is not None and other:
                arranger.put(player, (p["tile"], other[0]), given)
        except TrajanError:
            continue
        yield Takes(takes.cells, takes.paid, keep)


def _settled(
    position: Position, observer: int, action: str | None, stated: Reveals
) -> tuple[Position, Reveals]:
    """Carry out the move that ends a hidden step 1: all choices are made again, as stated."""
    s = fields(position.to_bytes())
    own = _takes_of(s, position, action, observer)
    game = position.game
    base = fields(restarted(position.to_bytes()))
    wanted: dict[int, Takes] = {}
    arranger = Arranger(base, observer)
    if stated.get("street_cards"):
        arranger.put_street_cards(stated["street_cards"])
    for player in range(s["players"]):
        if player == observer:
            wanted[player] = own
            continue
        takes = _stated_takes(stated, player)
        kept, given = _pair(stated, player)
        fitting = next(_kept_cells(arranger, player, takes, kept, given), None)
        if fitting is None:
            what = " and ".join(filter(None, (kept, given)))
            raise TrajanError(f"player {player} cannot have taken {what} from these cells")
        wanted[player] = fitting
    current = game.from_bytes(arranger.to_bytes(), position.origin, position.ply)
    last: tuple[Position, str] | None = None
    for player in _order(base):
        if current.player != player:
            continue  # their choices were all forced
        found = next(
            (
                run
                for run in _runs(current, player, wanted[player])
                if _made(current, run, player, wanted[player])
            ),
            None,
        )
        if found is None:
            cells = ", ".join(map(cell_name, sorted(wanted[player].cells or ())))
            raise TrajanError(
                f"player {player} cannot take {cells or 'nothing'} for "
                f"{wanted[player].paid} tribunes with these street cards"
            )
        for one in found:
            last = current, one
            current = current.after(one)
    assert last is not None
    return current, shown(last[0], last[1], current, observer)


# ---- Carrying a move out ----------------------------------------------------------------------


def possible(position: Position, observer: int) -> list[str]:
    """Return the actions legal in a world that looks alike to `observer`."""
    s = fields(position.to_bytes())
    if position.player is None or (position.player != observer and hides_step_one(s)):
        return []
    if not _watches_step_one(s, observer):
        return position.legal()
    return list(dict.fromkeys(seen for _, _, seen in _seen_moves(position, observer)))


def _watches_step_one(s: State, observer: int) -> bool:
    """Return whether another player chooses in an open step 1."""
    return s["stage"] == rules.STAGE_TAKE and not hides_step_one(s) and s["decider"] != observer


def _seen_moves(position: Position, observer: int) -> Iterator[tuple[Position, str, str]]:
    """Yield worlds alike, with their moves and what is seen of each, of an open step 1.

    Which street card a tile was taken for, and which tile is kept, may not show.
    """
    for data in arrangements(position.to_bytes()):
        world = position.game.from_bytes(data, position.origin, position.ply)
        for move, seen in _seen_in(world, observer):
            yield world, move, seen


def _seen_in(world: Position, observer: int) -> Iterator[tuple[str, str]]:
    """Yield the legal actions of a world and what is seen of each."""
    actions = world.game.actions
    for move in world.legal_moves():
        seen = world.observed(move, observer)
        if seen is not None:
            yield actions[move], actions[seen]


def _end(world: Position, made: str, observer: int) -> Position:
    """Return where a move leads: to the next decision for all that the observer knows."""
    watched = world.watched(world.game.move(made), observer)
    return watched[1][0] if len(watched) > 1 else world.after(made)


def _finished_run(position: Position) -> tuple[Position, Position, str]:
    """Return the position after some choices of a hidden run, and before the last of them."""
    player, current = position.player, position
    while True:
        before, action = current, current.legal()[0]
        current = current.after(action)
        if current.player != player or fields(current.to_bytes())["stage"] != rules.STAGE_TAKE:
            return before, current, action


def carried_out(
    position: Position, observer: int, action: str | None, reveals: Mapping[str, object]
) -> tuple[Position, Reveals]:
    """Return the position after a move and what it showed; see `HasFollowing`."""
    s = fields(position.to_bytes())
    stated = _read(s, reveals)
    if action is not None and _watches_step_one(s, observer):
        return _watched(position, observer, action, stated)
    arranger = Arranger(s, observer)
    hides = hides_step_one(s)
    arranger.put_all(
        {key: names for key, names in stated.items() if not hides or key.startswith("tile")}
    )
    if hides and "street_cards" in stated:
        arranger.put_street_cards(stated["street_cards"])
    world = position.game.from_bytes(arranger.to_bytes(), position.origin, position.ply)
    if action is None:
        before, after, made = _finished_run(world)
    else:
        before, after, made = world, world.after(action), action
    if hides and fields(after.to_bytes())["stage"] > rules.STAGE_TAKE:
        return _settled(world, observer, action, stated)
    return after, shown(before, made, after, observer)


def _watched(
    position: Position, observer: int, action: str, stated: Reveals
) -> tuple[Position, Reveals]:
    """Carry out another player's move of an open step 1, as it was seen.

    Raises TrajanError if it cannot have shown what is stated.
    """
    asked = [key for key in _asked(position, observer, action) if key not in stated]
    # Records of version 0.3 state what followed by force even where a choice was possible.
    forced = any(names for key, names in stated.items() if key.split()[0] in ("took", "then"))
    best: tuple[int, Position, Reveals] | None = None
    for world in _worlds_showing(position, observer, stated):
        for made, seen in _seen_in(world, observer):
            if seen != action:
                continue
            after = world.after(made) if forced else _end(world, made, observer)
            found = shown(world, made, after, observer)
            if forced:
                followed = _without_choice(
                    fields(world.to_bytes()), fields(after.to_bytes()), made
                )
                found |= {key: followed[key] for key in stated if key in followed}
            unstated = sum(len(found[key]) for key in asked)
            fits = all(found.get(key, names) == names for key, names in stated.items())
            if fits and (best is None or unstated > best[0]):
                best = unstated, after, found
        if best is not None and (best[0] or not asked):
            return best[1:]
    if best is not None:
        return best[1:]
    what = "; ".join(f"{key}: {', '.join(names)}" for key, names in stated.items())
    raise TrajanError(f"{action}: this cannot be: {what}")


def _asked(position: Position, observer: int, action: str) -> list[str]:
    """Return the keys of what follows a move that was seen without a choice, where that is open.

    It depends on the street card that the tile of the move was taken for.
    """
    before = fields(position.to_bytes())
    found = [
        _without_choice(before, fields(_end(world, made, observer).to_bytes()), made)
        for world, made, seen in _seen_moves(position, observer)
        if seen == action
    ]
    return [key for key in found[0] if any(one[key] != found[0][key] for one in found)]


def _worlds_showing(position: Position, observer: int, stated: Reveals) -> Iterator[Position]:
    """Yield worlds alike in which the tiles of step 1 lie so that a move may show `stated`.

    Drawn ones come last: for those who choose after the move and have no choice.
    """
    game = position.game
    drawn = (position.determinized(observer, seed) for seed in range(DRAWS if stated else 0))
    for world in chain([position], drawn):
        for data in arrangements(world.to_bytes()):
            for kept in (0, 1):
                s = fields(data)
                arranger = Arranger(s, observer)
                try:
                    _put_step_one(arranger, s, kept, stated)
                    arranged = arranger.to_bytes()
                except TrajanError:
                    continue
                yield game.from_bytes(arranged, position.origin, position.ply)


def _put_step_one(arranger: Arranger, s: State, kept_card: int, stated: Reveals) -> None:
    """Let the tiles stated lie where players have them, the decider keeping that of a card."""
    if "street_cards" in stated:
        arranger.put_street_cards(stated["street_cards"])
    for player in range(s["players"]):
        kept, given = _pair(stated, player)
        if player == s["decider"] and all(s["taken_cell"]):
            for name, card in ((kept, kept_card), (given, 1 - kept_card)):
                if name is not None:
                    arranger.put(player, (s["taken"], card), name)
        elif s["player"][player]["kept"] and (kept or given):
            arranger.put_pair(player, kept, given)


def _read(s: State, reveals: Mapping[str, object]) -> Reveals:
    """Return reveals with their names as they stand here."""
    components = components_of(s)
    tiles = setup.tile_kinds(components)[1:]
    known: dict[str, Sequence[str]] = {
        "street_cards": components.symbols,
        "ship_tile": tiles,
        "then": [DONE],
    }
    for player in range(s["players"]):
        known |= {f"tile {player} {cell}": tiles for cell in BOARD_CELLS}
        known |= {f"{word} {player}": tiles for word in ("kept", "passed", "corners")}
        known[f"took {player}"] = BOARD_CELLS
        known[f"paid {player}"] = [str(number) for number in range(MOST_PAID + 1)]
        known[f"start_citizen {player}"] = CLASSES
        known[f"worker {player}"] = COLOURS
    found = read_reveals(reveals, known)
    for key, names in found.items():
        if key.startswith("took"):
            names.sort(key=BOARD_CELLS.index)
    return found


# ---- In words ---------------------------------------------------------------------------------

WORDS = {
    "street_cards": "the street cards turned, card 1 first",
    "ship_tile": "the tile that you find on your ship",
    "tile": "the tile that lay on {1} of player {0}",
    "kept": "the own tile that player {0} reveals",
    "passed": "the tile that player {0} passed",
    "corners": "player {0}'s two tiles on the other corners, in the order A1, F1, A6, F6",
    "start_citizen": "the class of player {0}'s start citizen",
    "worker": "the colour of player {0}'s first worker",
    "took": "the cells that player {0} emptied",
    "then": f"{DONE}, if they go on without a choice and are through, else nothing",
    "paid": "the tribunes that player {0} paid",
}


def _unseen_cards(s: State) -> list[int]:
    """Return the street cards not turned yet, and those turned and forgotten."""
    return [*s["street_cards"][_known_cards(s) :], *s["street_cards"][: s["forgotten_cards"]]]


def _with_open_ones(tiles: list[str], s: State, player: int, kinds: Sequence[str]) -> list[str]:
    """Return `tiles` with those that lay face up and may be kept or passed."""
    p = s["player"][player]
    corners = [p["tile"][bit] for bit in CORNER_BITS if p["tiles"] >> bit & 1]
    taken = [
        tile
        for tile, cell in zip(s["taken"], s["taken_cell"], strict=True)
        if player == s["decider"] and cell - 1 in CORNER_BITS
    ]
    found = {kinds[kind] for kind in (*p["shown"], *corners, *taken) if kind}
    return [*tiles, *sorted(found - set(tiles))]


def _first_asked(found: Reveals) -> Reveals:
    """Return of what a move showed that on which the rest depends, or all where nothing does."""
    for words in (("tile",), ("took", "then")):
        first = {key: names for key, names in found.items() if key.split()[0] in words}
        if first:
            return first
    return found


def _with_tribunes(found: Reveals, hidden: bool) -> Reveals:
    """Return `found` with the tribunes of every player whose cells are asked for, if hidden."""
    result: Reveals = {}
    for key, names in found.items():
        result[key] = names
        if key.startswith("took ") and hidden:
            paid = key.replace("took", "paid")
            result[paid] = found.get(paid, [])
    return result


def asks(position: Position, after: Position, observer: int, found: Reveals) -> list[Ask]:
    """Return in words what `found` consists of."""
    s = fields(position.to_bytes())
    components = components_of(s)
    seen, unseen = look(position.to_bytes(), observer)
    kinds = setup.tile_kinds(components)
    result = []
    for key, names in _with_tribunes(_first_asked(found), hides_step_one(s)).items():
        word, *rest = key.split()
        player = int(rest[0]) if rest else observer
        tiles = [kind for kind, count in zip(kinds, unseen[player], strict=False) if count]
        if word in ("kept", "passed"):
            tiles = _with_open_ones(tiles, s, player, kinds)
        can_come: Mapping[str, Sequence[str]] = {
            "street_cards": sorted({components.symbols[card] for card in _unseen_cards(s)}),
            "start_citizen": CLASSES,
            "worker": COLOURS,
            "took": [cell_name(bit) for bit in _cells(seen["player"][player]["tiles"])],
            "paid": ["0", "1", "2"],
            "then": [DONE],
        }
        count = None if word in ("took", "paid", "then") else len(names)
        options = can_come.get(word, tiles)
        labels = [thing(option) for option in options]
        result.append(Ask(key, count, tr(WORDS[word]).format(*rest), options, labels))
    return result


def witnessed(position: Position, action: str, after: Position, observer: int) -> Reveals:
    """Return what a move of a game of which everything is known showed `observer`."""
    return shown(position, action, after, observer)
