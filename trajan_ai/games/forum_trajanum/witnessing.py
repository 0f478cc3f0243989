"""Following a game of Forum Trajanum from the knowledge of one player; see `HasFollowing`.

docs/follow.md lists the keys of reveals; P in a key stands for a player.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, product
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.events import list_events
from trajan_ai.core.game import Position
from trajan_ai.core.languages import tr
from trajan_ai.core.rules_following import MoveOutcome, Question, Reveals
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.fields import CORNER_BITS, bit_of, cell_name
from trajan_ai.games.forum_trajanum.notation import BOARD_CELLS, CITIZENS, CLASSES, COLOURS
from trajan_ai.games.forum_trajanum.rules import (
    can_fill_rows,
    fields,
    list_arrangements,
    look,
    restart_step_one,
    state_bytes,
    turn_order,
)
from trajan_ai.games.forum_trajanum.views import components_of
from trajan_ai.games.forum_trajanum.words import thing
from trajan_ai.games.kit.reveals import read_reveals

State = dict[str, Any]
Place = tuple[Any, Any]  # a container of a state's fields and the key of a tile in it

TRIBUNE = " tribune"
SKIP = "skip"
DONE = "done"
MAX_PAID = 2
DRAWN = ("tile", "corners", "ship_tile")  # keys of tiles that were face down
DRAWS = 100  # positions tried for the tile of a player without a choice; about one in 30 fits


def _cells(mask: int) -> list[int]:
    return [bit for bit in range(rules.CELLS) if mask >> bit & 1]


def hides_step_one(s: State) -> bool:
    """Return whether a hidden step 1 is in progress."""
    return s["stage"] == rules.STAGE_TAKE and not s["options"] & rules.OPTION_STEP_ONE_OPEN


def _turn_order(s: State) -> list[int]:
    return turn_order(state_bytes(s))


def _has_started_turn(s: State, player: int) -> bool:
    return s["stage"] == rules.STAGE_TURN and player in _turn_order(s)[: s["begun"]]


def _knows(s: State, key: str, player: int, observer: int) -> bool:
    """Return whether the observer has seen the tile that a player kept or passed (``given``)."""
    if key == "kept":
        return player == observer or _has_started_turn(s, player)
    right = (player - 1) % s["players"]
    passed = right == observer and s["stage"] > rules.STAGE_TAKE
    return player == observer or _has_started_turn(s, right) or bool(passed)


# ---- Reveals of a move ------------------------------------------------------------------------


def _list_setup_reveals(
    before: State, after: State, observer: int, kinds: Sequence[str]
) -> Reveals:
    reveals: Reveals = {}
    decider = before["decider"]
    chose = after["decision"] != rules.DECIDE_CRANE or after["decider"] != decider
    if before["decision"] == rules.DECIDE_CRANE and chose:
        reveals[f"start_citizen {decider}"] = [CLASSES[before["player"][decider]["start_class"]]]
    if after["stage"] > rules.STAGE_SETUP:
        for player in range(before["players"]):
            p = before["player"][player]
            reveals[f"corners {player}"] = [kinds[tile] for tile in p["spare"]]
            reveals[f"worker {player}"] = [COLOURS[p["start_worker"]]]
        reveals["ship_tile"] = [kinds[before["player"][observer]["ship_tile"]]]
    return reveals


def _find_emptied(before: State, after: State, player: int) -> int:
    return int(before["player"][player]["tiles"] & ~after["player"][player]["tiles"])


def _find_visibly_emptied(before: State, after: State, player: int, observer: int) -> int:
    """Return the plain cells that a player emptied while the observer saw the tile.

    For players other than the observer, these are the cells that they emptied in their turns,
    without those of a later step 1.
    """
    emptied = _find_emptied(before, after, player)
    for bit in CORNER_BITS:
        emptied &= ~(1 << bit)
    if player == observer:
        return emptied
    if before["stage"] != rules.STAGE_TURN:
        return 0
    cells = after["taken_cell"] if player == after["decider"] else ()
    for cell in (*after["player"][player]["took"], *cells):
        if cell and after["stage"] == rules.STAGE_TAKE:
            emptied &= ~(1 << (cell - 1))
    return emptied


def _list_step_one_reveals(before: State, after: State, action: str, observer: int) -> Reveals:
    """Return what everybody sees of a hidden step 1 after all have passed."""
    reveals: Reveals = {}
    for player in range(before["players"]):
        if player == observer:
            continue
        p = before["player"][player]
        own = player == before["decider"]
        own_cells = [*p["took"], *(before["taken_cell"] if own else ())]
        cells = {cell - 1 for cell in own_cells if cell} | set(
            _cells(_find_emptied(before, after, player))
        )
        paid = p["paid"] + (own and action.endswith(TRIBUNE))
        reveals[f"took {player}"] = [cell_name(bit) for bit in sorted(cells)]
        if paid:
            reveals[f"paid {player}"] = [str(paid)]
    return reveals


def list_reveals(position: Position, action: str, after: Position, observer: int) -> Reveals:
    """Return the reveals of a move; see `HasFollowing`."""
    before, s = fields(position.to_bytes()), fields(after.to_bytes())
    components = components_of(before)
    kinds = setup.tile_kinds(components)
    if before["stage"] == rules.STAGE_SETUP:
        reveals = _list_setup_reveals(before, s, observer, kinds)
    else:
        reveals = {}
        for player in range(before["players"]):
            for bit in _cells(_find_visibly_emptied(before, s, player, observer)):
                tile = before["player"][player]["tile"][bit]
                reveals[f"tile {player} {cell_name(bit)}"] = [kinds[tile]]
    # If the last turns of a round are all forced, the round ends within this move, and the kept
    # and passed tiles, which lay open, have already been put away.
    ended = before["stage"] in (rules.STAGE_RESERVE, rules.STAGE_TURN) and (
        s["stage"] > rules.STAGE_TURN or s["round"] != before["round"]
    )
    if hides_step_one(before) and s["stage"] > rules.STAGE_TAKE:
        reveals |= _list_step_one_reveals(before, s, action, observer)
    if _watches_step_one(before, observer):
        visible = position.observed(position.game.move(action), observer)
        assert visible is not None
        forced = _list_forced(before, s, action)
        keys = _list_open_keys(position, observer, position.game.actions[visible])
        reveals |= {key: forced[key] for key in keys}
    for player in range(before["players"]):
        for key, name in (("kept", "kept"), ("given", "passed")):
            tile = (before if ended else s)["player"][player][key]
            new = not _knows(before, key, player, observer)
            if tile and new and (ended or _knows(s, key, player, observer)):
                reveals[f"{name} {player}"] = [kinds[tile]]
    turned = _count_turned(s) - _count_turned(before)
    if turned > 0:
        cards = s["street_cards"][_count_turned(before) : _count_turned(s)]
        reveals["street_cards"] = [components.symbols[card] for card in cards]
    return reveals


def _list_forced(before: State, after: State, action: str) -> Reveals:
    """Return the forced results of an action of step 1.

    The results state which other cell the player emptied, if any, and whether the player has
    finished taking tiles.
    """
    decider = before["decider"]
    emptied = {cell_name(bit) for bit in _cells(_find_emptied(before, after, decider))}
    cells = sorted(emptied - set(action.split()), key=BOARD_CELLS.index)
    over = after["stage"] != rules.STAGE_TAKE or after["decider"] != decider
    return {f"took {decider}": cells, "then": [DONE] if over else []}


def _count_turned(s: State) -> int:
    return 0 if s["stage"] < rules.STAGE_TAKE else 2 * (int(s["round"]) + 1)


# ---- Arranging hidden tiles -------------------------------------------------------------------


class Arranger:
    """Moves tiles that the observer has not seen, to put stated tiles into stated places."""

    def __init__(self, s: State, observer: int) -> None:
        self.s = s
        self.observer = observer
        self.components = components_of(s)
        self.kinds = setup.tile_kinds(self.components)
        self._settled: list[Place] = []
        self._hidden = [self._places(player) for player in range(s["players"])]

    def _places(self, player: int) -> list[Place]:
        """Return the places of those tiles in a player's colour that the observer has not seen."""
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
        p = self.s["player"][player]
        unknown = [
            key
            for key in ("kept", "given")
            if p[key] and not _knows(self.s, key, player, self.observer)
        ]
        high = p["shown"][1]
        if not p["given"]:
            return [] if high else [(p, key) for key in unknown]
        if len(unknown) == 2:
            if p["shown"][0]:
                return []
            other = "given" if p["kept"] == high else "kept"
            return [(p, other)] if high else [(p, key) for key in unknown]
        visible = "given" if unknown == ["kept"] else "kept"
        alike = not high or (not p["shown"][0] and p[visible] == high)
        return [(p, key) for key in unknown if alike]

    def put(self, player: int, place: Place, name: str) -> None:
        """Put a tile called `name` of a player's colour into a place."""
        kind = self.kinds.index(name)
        places = [one for one in self._hidden[player] if not self._is_settled(one)]
        here = [one for one in places if one[0] is place[0] and one[1] == place[1]]
        if place[0][place[1]] != kind:
            there = [one for one in places if one[0][one[1]] == kind]
            if not here or not there:
                raise TrajanError(f"player {player} has no unseen tile {name}")
            container, key = there[0]
            container[key], place[0][place[1]] = place[0][place[1]], kind
        self._settled += here

    def arrangement(self, player: int) -> tuple[list[int], int]:
        """Return the arrangement of the unseen tiles of a colour, for `restore`."""
        return [place[0][place[1]] for place in self._hidden[player]], len(self._settled)

    def restore(self, player: int, arrangement: tuple[list[int], int]) -> None:
        """Restore an arrangement, undoing all later changes."""
        kinds, settled = arrangement
        for (container, key), kind in zip(self._hidden[player], kinds, strict=True):
            container[key] = kind
        del self._settled[settled:]

    def to_bytes(self) -> bytes:
        """Return the state, with tiles arranged so that the citizens in rows are possible."""
        data = state_bytes(self.s)
        if can_fill_rows(data):
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
            if all(self._move_over(*one) for one in chosen) and can_fill_rows(
                data := state_bytes(self.s)
            ):
                return data
        raise TrajanError(
            "the stated tiles are impossible: some citizens in rows would have no owner"
        )

    def _move_over(self, player: int, place: Place) -> bool:
        """Swap an unseen male citizen into or out of the tiles that are gone."""
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

    def put_pair(self, player: int, own: str | None, passed: str | None) -> None:
        """Set the tiles kept and passed in a step 1; a face-up tile may be either of them."""
        p = self.s["player"][player]
        high = p["shown"][1]
        both = (
            p["given"]
            and high
            and not any(_knows(self.s, key, player, self.observer) for key in ("kept", "given"))
        )
        other = "given"
        if both:
            is_own = own is not None and self.kinds.index(own) == high
            is_open = own is None and (passed is None or self.kinds.index(passed) != high)
            other = "given" if is_own or is_open else "kept"
            self._open_one(p, "kept" if other == "given" else "given")
        self._hidden[player] = self._places(player)
        # either tile could be the face-up tile
        if both and p["kept"] == p["given"] and not p["shown"][0]:
            self._hidden[player][-1] = (p, other)
        for key, name in (("kept", own), ("given", passed)):
            if name is not None:
                self.put(player, (p, key), name)

    def _open_one(self, p: State, key: str) -> None:
        """Make the face-up tile the tile kept or the tile passed, as `key` states."""
        other = "given" if key == "kept" else "kept"
        if p[key] != p["shown"][1]:
            p[key], p[other] = p[other], p[key]

    def put_street_cards(self, names: Sequence[str]) -> None:
        """Make the named street cards the next ones to be turned."""
        symbols, s = self.components.symbols, self.s
        turned, forgotten = _count_turned(s), s["forgotten_cards"]
        left = [*s["street_cards"][turned:], *s["street_cards"][:forgotten]]
        numbers = [symbols.index(name) for name in names]
        for name, card in zip(names, numbers, strict=True):
            if card not in left:
                raise TrajanError(f"street_cards: no {name} is left")
            left.remove(card)
        order = [*numbers, *left]
        coming = len(order) - forgotten
        s["street_cards"][turned:], s["street_cards"][:forgotten] = order[:coming], order[coming:]

    def put_all(self, stated: Reveals) -> None:
        """Arrange all stated tiles and cards whose places do not depend on the move."""
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
            own, passed = _pair(stated, player)
            if self.s["player"][player]["kept"] and (own or passed):
                self.put_pair(player, own, passed)

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
    """Return the tiles that a player kept and passed on, or None for a tile that is not stated."""
    own, passed = stated.get(f"kept {player}"), stated.get(f"passed {player}")
    return own[0] if own else None, passed[0] if passed else None


# ---- The end of a hidden step 1 ---------------------------------------------------------------


@dataclass(frozen=True)
class Takes:
    """What a player did in a step 1: the cells emptied, the tribunes paid, and the cell of the
    tile kept.

    A value that is unknown is None.
    """

    cells: frozenset[int] | None
    paid: int | None
    keep: int | None = None


def _list_runs(position: Position, player: int, takes: Takes) -> Iterator[list[str]]:
    """Yield the sequences of actions by which a player may have made `takes`.

    Those in which the player takes two tiles come first, because they reveal most.
    """
    s = fields(position.to_bytes())
    if position.player != player or s["stage"] != rules.STAGE_TAKE:
        yield []
        return
    for action in sorted(position.legal(), key=lambda action: action.startswith(SKIP)):
        word, *rest = action.split()
        if word == "take" and takes.cells is not None and bit_of(rest[1]) not in takes.cells:
            continue
        if word == "keep" and takes.keep not in (None, s["taken_cell"][int(rest[0]) - 1] - 1):
            continue
        for more in _list_runs(position.after(action), player, takes):
            yield [action, *more]


def _takes_of_run(start: Position, actions: Sequence[str], player: int) -> Takes:
    """Return what a player does in a complete sequence of actions."""
    after, keep = start, None
    for action in actions:
        if action.startswith("keep"):
            keep = fields(after.to_bytes())["taken_cell"][int(action.split()[1]) - 1] - 1
        after = after.after(action)
    emptied = _cells(_find_emptied(fields(start.to_bytes()), fields(after.to_bytes()), player))
    paid = sum(action.endswith(TRIBUNE) for action in actions)
    return Takes(frozenset(emptied), paid, emptied[0] if emptied and keep is None else keep)


def _takes_of(s: State, position: Position, action: str | None, player: int) -> Takes:
    """Return what `player`, the observer, has done in step 1, including `action`."""
    p = s["player"][player]
    if action is None or s["decider"] != player:
        cells = [cell - 1 for cell in p["took"] if cell]
        return Takes(frozenset(cells), p["paid"], cells[0] if cells else None)
    after = fields(position.after(action).to_bytes())
    so_far = {cell - 1 for cell in s["taken_cell"] if cell}
    cells_now = frozenset(so_far | set(_cells(_find_emptied(s, after, player))))
    keep = s["taken_cell"][int(action.split()[1]) - 1] - 1 if action.startswith("keep") else None
    return Takes(cells_now, p["paid"] + action.endswith(TRIBUNE), keep)


def _read_takes(stated: Reveals, player: int) -> list[Takes]:
    """Return what a player may have done in step 1, in the order in which it is tried.

    Records omit the number of tribunes if no tribune was paid. Therefore, if only the cells are
    stated, smaller numbers are tried first.
    """
    took, paid = stated.get(f"took {player}"), stated.get(f"paid {player}")
    cells = None if took is None else frozenset(map(bit_of, took))
    if paid is not None:
        return [Takes(cells, int(paid[0]) if paid else 0)]
    return [Takes(cells, None)] if took is None else [Takes(cells, n) for n in range(MAX_PAID + 1)]


def _place_tiles(
    arranger: Arranger, player: int, takes: Takes, own: str | None, passed: str | None
) -> bool:
    """Put the stated tiles on the cells that a player emptied; return whether that is possible."""
    untried = arranger.arrangement(player)
    other = next(iter((takes.cells or frozenset()) - {takes.keep}), None)
    for name, cell in ((own, takes.keep), (passed, other)):
        if name is None:
            continue
        try:
            if cell is None:
                raise TrajanError(f"player {player} has taken fewer tiles")
            arranger.put(player, (arranger.s["player"][player]["tile"], cell), name)
        except TrajanError:
            arranger.restore(player, untried)
            return False
    return True


def _find_run(
    arranger: Arranger,
    position: Position,
    player: int,
    options: Sequence[Takes],
    stated: Reveals,
    *,
    last: str | None,
) -> list[str]:
    """Return the actions of a player's step 1, which fit one of `options`.

    The stated tiles are arranged so that they lie on the cells that the player empties. `last` is
    the last action, or None if it is unknown.
    """
    own, passed = _pair(stated, player)
    fits = False
    for takes in options:
        for run in _list_runs(position, player, takes):
            if last not in (None, run[-1]):
                continue
            done = _takes_of_run(position, run, player)
            if takes.cells not in (None, done.cells) or takes.paid not in (None, done.paid):
                continue
            fits = True
            if _place_tiles(arranger, player, done, own, passed):
                return run
    if fits:
        what = " and ".join(filter(None, (own, passed)))
        raise TrajanError(f"player {player} cannot have taken {what} from these cells")
    cells = ", ".join(map(cell_name, sorted(options[0].cells or ()))) or "nothing"
    parts = [] if options[0].cells is None else [f"take {cells}"]
    parts += [f"pay {options[0].paid} tribunes"] if len(options) == 1 else []
    raise TrajanError(f"player {player} cannot {' and '.join(parts)} with these street cards")


def _place_forced(
    arranger: Arranger, start: Position, end: Position, player: int, stated: Reveals
) -> None:
    """Put the stated tiles of a player without any choice in step 1 into place."""
    own, passed = _pair(stated, player)
    if not own and not passed:
        return
    if arranger.s["player"][player]["kept"]:  # taken before the first choice of any player
        arranger.put_pair(player, own, passed)
        return
    emptied = frozenset(
        _cells(_find_emptied(fields(start.to_bytes()), fields(end.to_bytes()), player))
    )
    takes = [Takes(emptied, 0, keep) for keep in sorted(emptied)]
    if not any(_place_tiles(arranger, player, one, own, passed) for one in takes):
        raise TrajanError(f"player {player} cannot have taken {own or passed} in step 1")


def _end_step_one(
    position: Position, observer: int, action: str | None, stated: Reveals
) -> MoveOutcome:
    """Carry out the move that ends a hidden step 1, by repeating all choices as stated."""
    s, game = fields(position.to_bytes()), position.game
    restarted = restart_step_one(position.to_bytes())
    base = fields(restarted)
    arranger = Arranger(base, observer)
    if stated.get("street_cards"):
        arranger.put_street_cards(stated["street_cards"])
    # What a player can take does not depend on the unseen tiles, so choices are found before the
    # tiles are arranged.
    start = game.from_bytes(restarted, position.origin, position.ply)
    current, choices = start, list[str]()
    for player in _turn_order(base):
        if current.player == player:
            own = player == observer
            options = (
                [_takes_of(s, position, action, player)] if own else _read_takes(stated, player)
            )
            last = action if own else None
            run = _find_run(arranger, current, player, options, stated, last=last)
            for one in run:
                current = current.after(one)
            choices += run
        elif player != observer:
            _place_forced(arranger, start, current, player, stated)
    current = game.from_bytes(arranger.to_bytes(), position.origin, position.ply)
    before = current
    for one in choices:
        before, current = current, current.after(one)
    return _outcome(before, choices[-1], current, observer)


# ---- Carrying a move out ----------------------------------------------------------------------


def list_possible(position: Position, observer: int) -> list[str]:
    """Return the actions that are legal in some position that looks the same to `observer`."""
    s = fields(position.to_bytes())
    if position.player is None or (position.player != observer and hides_step_one(s)):
        return []
    if not _watches_step_one(s, observer):
        return position.legal()
    return list(
        dict.fromkeys(visible for _, _, visible in _list_visible_moves(position, observer))
    )


def _watches_step_one(s: State, observer: int) -> bool:
    """Return whether another player chooses in an open step 1."""
    return s["stage"] == rules.STAGE_TAKE and not hides_step_one(s) and s["decider"] != observer


def _list_visible_moves(position: Position, observer: int) -> Iterator[tuple[Position, str, str]]:
    """Yield positions that `observer` cannot distinguish in an open step 1, each with a move and
    the action that `observer` sees.

    The street card of a tile, and the tile that is kept, may not be visible.
    """
    for data in list_arrangements(position.to_bytes()):
        world = position.game.from_bytes(data, position.origin, position.ply)
        for move, visible in _list_visible_actions(world, observer):
            yield world, move, visible


def _list_visible_actions(world: Position, observer: int) -> Iterator[tuple[str, str]]:
    """Yield the legal actions of a position, each with the action that the observer sees."""
    actions = world.game.actions
    for move in world.legal_moves():
        visible = world.observed(move, observer)
        if visible is not None:
            yield actions[move], actions[visible]


def _play(world: Position, action: str, observer: int) -> Position:
    """Return the position after a move: the next decision, as far as the observer knows."""
    watched = world.watched(world.game.move(action), observer)
    return watched[1][0] if len(watched) > 1 else world.after(action)


def _outcome(before: Position, action: str, after: Position, observer: int) -> MoveOutcome:
    """Return the outcome of an action that leads from one position to another."""
    reveals = list_reveals(before, action, after, observer)
    return MoveOutcome(after, reveals, before.events(action, observer))


def _finish_run(position: Position) -> tuple[Position, Position, str]:
    """Return the positions before and after the last choice of a hidden run, and the choice."""
    player, current = position.player, position
    while True:
        before, action = current, current.legal()[0]
        current = current.after(action)
        if current.player != player or fields(current.to_bytes())["stage"] != rules.STAGE_TAKE:
            return before, current, action


def carry_out(
    position: Position, observer: int, action: str | None, reveals: Mapping[str, object]
) -> MoveOutcome:
    """Return the outcome of a move; see `HasFollowing`."""
    s = fields(position.to_bytes())
    stated = _read(s, reveals)
    if action is not None and _watches_step_one(s, observer):
        return _carry_out_open(position, observer, action, stated)
    arranger = Arranger(s, observer)
    hides = hides_step_one(s)
    arranger.put_all(
        {key: names for key, names in stated.items() if not hides or key.startswith("tile")}
    )
    if hides and "street_cards" in stated:
        arranger.put_street_cards(stated["street_cards"])
    world = position.game.from_bytes(arranger.to_bytes(), position.origin, position.ply)
    if action is None:
        before, after, last = _finish_run(world)
    else:
        before, after, last = world, world.after(action), action
    if hides and fields(after.to_bytes())["stage"] > rules.STAGE_TAKE:
        return _end_step_one(world, observer, action, stated)
    return _outcome(before, last, after, observer)


def _carry_out_open(
    position: Position, observer: int, action: str, stated: Reveals
) -> MoveOutcome:
    """Carry out another player's visible action of an open step 1.

    Raises TrajanError if the action cannot have the stated reveals.
    """
    keys = [key for key in _list_open_keys(position, observer, action) if key not in stated]
    # Records of version 0.3 state forced results even where a choice was possible.
    is_forced = any(names for key, names in stated.items() if key.split()[0] in ("took", "then"))
    best: tuple[int, MoveOutcome] | None = None
    for world in _arrange(position, observer, stated):
        for true_action, visible in _list_visible_actions(world, observer):
            if visible != action:
                continue
            after = world.after(true_action) if is_forced else _play(world, true_action, observer)
            reveals = list_reveals(world, true_action, after, observer)
            if is_forced:
                forced = _list_forced(
                    fields(world.to_bytes()), fields(after.to_bytes()), true_action
                )
                reveals |= {key: forced[key] for key in stated if key in forced}
            unstated = sum(len(reveals[key]) for key in keys)
            fits = all(reveals.get(key, names) == names for key, names in stated.items())
            if fits and (best is None or unstated > best[0]):
                events = list_events(world, true_action, after, observer)
                best = unstated, MoveOutcome(after, reveals, events)
        if best is not None and (best[0] or not keys):
            return best[1]
    if best is not None:
        return best[1]
    what = "; ".join(f"{key}: {', '.join(names)}" for key, names in stated.items())
    raise TrajanError(f"{action}: these reveals are impossible: {what}")


def _list_open_keys(position: Position, observer: int, action: str) -> list[str]:
    """Return the keys of a visible action's forced results that are uncertain.

    Such results depend on the street card for which the tile was taken.
    """
    before = fields(position.to_bytes())
    results = [
        _list_forced(before, fields(_play(world, true_action, observer).to_bytes()), true_action)
        for world, true_action, visible in _list_visible_moves(position, observer)
        if visible == action
    ]
    return [key for key in results[0] if any(one[key] != results[0][key] for one in results)]


def _arrange(position: Position, observer: int, stated: Reveals) -> Iterator[Position]:
    """Yield positions that look alike to `observer`, where a step-1 move may reveal `stated`.

    The arrangements of `position` itself come first. Those of randomly drawn positions follow,
    because some reveals also depend on the hidden tiles of later players who have no choice.
    """
    game = position.game
    drawn = (position.determinized(observer, seed) for seed in range(DRAWS if stated else 0))
    for world in chain([position], drawn):
        for data in list_arrangements(world.to_bytes()):
            for own_card in (0, 1):
                s = fields(data)
                arranger = Arranger(s, observer)
                try:
                    _put_step_one(arranger, s, own_card, stated)
                    arranged = arranger.to_bytes()
                except TrajanError:
                    continue
                yield game.from_bytes(arranged, position.origin, position.ply)


def _put_step_one(arranger: Arranger, s: State, own_card: int, stated: Reveals) -> None:
    """Put the stated tiles in place; the player to move keeps the tile of `own_card`."""
    if "street_cards" in stated:
        arranger.put_street_cards(stated["street_cards"])
    for player in range(s["players"]):
        own, passed = _pair(stated, player)
        if player == s["decider"] and all(s["taken_cell"]):
            for name, card in ((own, own_card), (passed, 1 - own_card)):
                if name is not None:
                    arranger.put(player, (s["taken"], card), name)
        elif s["player"][player]["kept"] and (own or passed):
            arranger.put_pair(player, own, passed)


def _read(s: State, reveals: Mapping[str, object]) -> Reveals:
    """Return reveals with canonical keys and names."""
    components = components_of(s)
    tiles = setup.tile_kinds(components)[1:]
    allowed: dict[str, Sequence[str]] = {
        "street_cards": components.symbols,
        "ship_tile": tiles,
        "then": [DONE],
    }
    for player in range(s["players"]):
        allowed |= {f"tile {player} {cell}": tiles for cell in BOARD_CELLS}
        allowed |= {f"{word} {player}": tiles for word in ("kept", "passed", "corners")}
        allowed[f"took {player}"] = BOARD_CELLS
        allowed[f"paid {player}"] = [str(number) for number in range(MAX_PAID + 1)]
        allowed[f"start_citizen {player}"] = CLASSES
        allowed[f"worker {player}"] = COLOURS
    result = read_reveals(reveals, allowed)
    for key, names in result.items():
        if key.startswith("took"):
            names.sort(key=BOARD_CELLS.index)
    return result


# ---- In words ---------------------------------------------------------------------------------

WORDS = {
    "street_cards": "the street cards turned, card 1 first",
    "ship_tile": "the tile that you find on your ship",
    "tile": "the tile that lay on player {0}'s cell {1}",
    "kept": "player {0}'s own tile, now revealed",
    "passed": "the tile that player {0} passed",
    "corners": "player {0}'s two tiles on the other corners, in the order A1, F1, A6, F6",
    "start_citizen": "the class of player {0}'s start citizen",
    "worker": "the colour of player {0}'s first worker",
    "took": "the cells that player {0} emptied",
    "then": f"{DONE} if forced actions ended the player's step 1, otherwise nothing",
    "paid": "the tribunes that player {0} paid",
}


def _unseen_cards(s: State) -> list[int]:
    """Return the street cards that are not turned yet, and the forgotten ones."""
    return [*s["street_cards"][_count_turned(s) :], *s["street_cards"][: s["forgotten_cards"]]]


def _add_open_tiles(tiles: list[str], s: State, player: int, kinds: Sequence[str]) -> list[str]:
    """Return `tiles` with the face-up tiles that may be kept or passed."""
    p = s["player"][player]
    corners = [p["tile"][bit] for bit in CORNER_BITS if p["tiles"] >> bit & 1]
    from_corners = [
        tile
        for tile, cell in zip(s["taken"], s["taken_cell"], strict=True)
        if player == s["decider"] and cell - 1 in CORNER_BITS
    ]
    open_tiles = {kinds[kind] for kind in (*p["shown"], *corners, *from_corners) if kind}
    return [*tiles, *sorted(open_tiles - set(tiles))]


def _select_first(reveals: Reveals) -> Reveals:
    """Return the reveals on which the other reveals depend or, if there are none, all reveals."""
    for words in (("tile",), ("took", "then")):
        first = {key: names for key, names in reveals.items() if key.split()[0] in words}
        if first:
            return first
    return reveals


def _add_tribunes(reveals: Reveals, hidden: bool) -> Reveals:
    """Return `reveals`; if `hidden`, add the tribunes of every player whose cells they include."""
    result: Reveals = {}
    for key, names in reveals.items():
        result[key] = names
        if key.startswith("took ") and hidden:
            paid = key.replace("took", "paid")
            result[paid] = reveals.get(paid, [])
    return result


def list_questions(
    position: Position, after: Position, observer: int, reveals: Reveals
) -> list[Question]:
    """Return a question for each reveal that must be stated first; see `HasFollowing`."""
    s = fields(position.to_bytes())
    components = components_of(s)
    visible, unseen = look(position.to_bytes(), observer)
    kinds = setup.tile_kinds(components)
    result = []
    for key, names in _add_tribunes(_select_first(reveals), hides_step_one(s)).items():
        word, *rest = key.split()
        player = int(rest[0]) if rest else observer
        tiles = [kind for kind, count in zip(kinds, unseen[player], strict=False) if count]
        if word in ("kept", "passed"):
            tiles = _add_open_tiles(tiles, s, player, kinds)
        choices: Mapping[str, Sequence[str]] = {
            "street_cards": sorted({components.symbols[card] for card in _unseen_cards(s)}),
            "start_citizen": CLASSES,
            "worker": COLOURS,
            "took": [cell_name(bit) for bit in _cells(visible["player"][player]["tiles"])],
            "paid": ["0", "1", "2"],
            "then": [DONE],
        }
        count = None if word in ("took", "paid", "then") else len(names)
        names_allowed = choices.get(word, tiles)
        question = Question(
            key=key,
            count=count,
            text=tr(WORDS[word]).format(*rest),
            names=names_allowed,
            labels=[thing(name) for name in names_allowed],
            left=[unseen[player][kinds.index(name)] for name in tiles] if word in DRAWN else (),
            supply=f"tiles {player}",
        )
        result.append(question)
    return result
