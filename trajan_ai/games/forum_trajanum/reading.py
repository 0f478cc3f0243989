"""Read and check position files, which have the schema of `views.view`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.components import DEFAULT, Components, load
from trajan_ai.games.forum_trajanum.fields import (
    HIDDEN,
    MOSAIC_BITS,
    TABLE,
    bit_of,
    decision_table,
    mosaic_cells,
    player_table,
    show_buildings,
    show_cranes,
)
from trajan_ai.games.forum_trajanum.notation import (
    ACTIONS,
    BOARD_CELLS,
    CITIZEN_ROWS,
    CITIZENS,
    CLASSES,
    CORNERS,
    GREYS,
    SOURCES,
    STRUCTURES,
)
from trajan_ai.games.forum_trajanum.rules import (
    can_fill_class,
    can_fill_rows,
    choose_step_one,
    deal_unseen,
    turn_order,
)
from trajan_ai.games.kit.reader import Reader, bits_of

FEMALES = tuple(i for i, name in enumerate(CITIZENS, start=1) if name.endswith("-f"))
OF_COLOUR = "tiles of that colour"


class ViewFacts:
    """Facts that the parts of a view depend on: components, stage, names."""

    def __init__(
        self, components: Components, fields: Mapping[str, Any], stage: int, observer: int
    ) -> None:
        self.components = components
        self.stage = stage
        self.own = ("players", observer)  # place of the observer's board
        opened = fields["options"] & rules.OPTION_STEP_ONE_OPEN
        self.hides_step_one = stage == rules.STAGE_TAKE and not opened
        self.steps = fields["steps"]
        self.kinds = setup.tile_kinds(components)
        self.pairs = [
            (structure, GREYS[grey])
            for structure, grey in zip(STRUCTURES, components.grey_of, strict=True)
        ]
        self.plain = components.plain_cells
        words = [fields["colour"][word::2] for word in (0, 1)]
        self.mosaic = mosaic_cells([sum(words[i]) | fields["eagles"][i] for i in (0, 1)])


def _read_grid(board: Reader, player: dict[str, Any], facts: ViewFacts) -> None:
    """Read the tiles and the double tiles; a cell has at most one thing on it."""
    buildings = show_buildings(player["built"])
    tile = player["tile"]
    for i in board.members("face_down", facts.plain):
        cell = facts.plain[i]
        tile[bit_of(cell)] = rules.UNKNOWN
        if cell in buildings:
            board.complain("face_down", f"{cell} holds a building")
    for cell, kind in zip(CORNERS, board.placed("face_up", CORNERS, facts.kinds[1:]), strict=True):
        tile[bit_of(cell)] = kind
    player["tiles"] = bits_of(bit for bit in range(rules.CELLS) if tile[bit])
    player.update(_read_doubles(board, buildings, facts))


def _read_doubles(board: Reader, buildings: Mapping[str, str], facts: ViewFacts) -> dict[str, int]:
    fields = {"across": 0, "down": 0}
    cells: list[int] = []
    part = board.rows("doubles", "pairs of cells", rules.CELLS)
    for i in part.data:
        before = len(part.problems)
        both = [BOARD_CELLS[cell] for cell in part.members(i, BOARD_CELLS)]
        if len(part.problems) > before:
            continue
        bits = sorted(map(bit_of, both))
        names = {buildings.get(cell) for cell in both}
        if len(bits) != 2 or bits[1] - bits[0] not in (1, 8):
            part.complain(i, "must be two neighbouring cells")
        elif not any(one in names and names <= {one, grey} for one, grey in facts.pairs):
            words = " and ".join(sorted(name or "no building" for name in names))
            part.complain(i, f"no double tile shows {words}")
        else:
            fields["across" if bits[1] - bits[0] == 1 else "down"] |= 1 << bits[0]
        cells += bits
    if len(set(cells)) != len(cells):
        board.complain("doubles", "a cell belongs to two double tiles")
    return fields


def _check_cranes(board: Reader, player: Mapping[str, Any], facts: ViewFacts) -> None:
    """Check the colours and states of cranes; a crane is covered while a tile lies on it."""
    cranes = show_cranes((player["crane"], player["crane_open"], player["crane_used"]))
    if facts.stage != rules.STAGE_SETUP:
        for corner, cell in enumerate(CORNERS):
            covered = bool(player["tiles"] >> bit_of(cell) & 1)
            opened = bool(player["crane_open"] >> corner & 1)
            if player["crane"][corner] and covered == opened:
                what = "a tile lies on it" if covered else "no tile lies on it"
                board.complain(("cranes", cell), f"is {cranes[cell]}, but {what}")
    entries = board.get("cranes", {})
    missing = [cell for cell in CORNERS if cell not in cranes]
    few = isinstance(entries, Mapping) and len(entries) + len(missing) <= len(CORNERS)
    if missing and facts.stage != rules.STAGE_SETUP and few:
        board.complain(
            "cranes", f"must contain {', '.join(missing)}, with values such as red open"
        )
    chosen = [colour for colour in player["crane"] if colour]
    if len(set(chosen)) != len(chosen):
        board.complain("cranes", "two cranes have the same colour")


def _read_inactive(board: Reader, player: dict[str, Any]) -> None:
    """Read which rows are inactive; all other rows with citizens are active."""
    citizens = player["citizens"]
    inactive = board.members("inactive", CITIZEN_ROWS)
    for row in inactive:
        if not citizens[row]:
            board.complain("inactive", f"row {row + 1} holds no citizen")
    rows = (row for row, count in enumerate(citizens) if count and row not in inactive)
    player["active"] = bits_of(rows)
    player["flipped"] = int(citizens[rules.ROW_MERCHANT_1] > 0)


def _check_step_1(board: Reader, player: Mapping[str, Any], facts: ViewFacts) -> None:
    """Check the tiles kept, passed and picked, and the faces that were open."""
    if board.place != facts.own and facts.hides_step_one:
        for key in ("kept", "passed", "lay_open"):
            if key in board:
                board.complain(
                    key, "must be omitted: only its owner sees the tile until all have passed"
                )
    if facts.stage not in (rules.STAGE_TAKE, rules.STAGE_RESERVE, rules.STAGE_TURN):
        for key in ("kept", "passed", "picked"):
            if key in board:
                board.complain(key, "is allowed only between step 1 and the end of a round")
    if board.get("picked") == HIDDEN:
        board.complain("picked", "must be the name of a tile, because everybody sees the reserve")
    if player["given"] and not player["kept"]:
        board.complain("passed", "must be omitted, because a player with one tile keeps it")
    tiles = [kind for kind in (player["kept"], player["given"]) if kind]
    faces = [kind for kind in player["shown"] if kind]
    visible = Counter(kind for kind in tiles if kind != rules.UNKNOWN)
    if board.has_problem("lay_open"):
        return
    if len(faces) > len(tiles):
        board.complain("lay_open", "lists more tiles than were taken")
    elif len(faces) == len(tiles) and visible - Counter(faces):
        board.complain("lay_open", "does not match the tiles kept and passed")


def _read_own_takes(board: Reader, player: dict[str, Any], facts: ViewFacts) -> None:
    """Read the cells from which the observer took tiles in a hidden step 1."""
    before = len(board.problems)
    cells = board.members("took", BOARD_CELLS)
    own = board.place == facts.own and facts.hides_step_one
    if not own and ("took" in board or "paid" in board):
        key = "took" if "took" in board else "paid"
        board.complain(key, "is allowed only for the observer in a hidden step 1")
    tiles = sum(player[key] > 0 for key in ("kept", "given"))
    if own and len(cells) != tiles and len(board.problems) == before:
        text = f"must list one cell for each tile kept or passed ({tiles}), got {len(cells)}"
        board.complain("took", text)
    for cell in cells:
        if player["tile"][bit_of(BOARD_CELLS[cell])]:
            board.complain("took", f"{BOARD_CELLS[cell]} still holds a tile")
    took = [1 + bit_of(BOARD_CELLS[cell]) for cell in cells[:2]]
    player["took"] = [*took, *[0] * (2 - len(took))]


def _read_player(board: Reader, player: dict[str, Any], facts: ViewFacts) -> None:
    """Read the fields of a player; unseen tiles are UNKNOWN."""
    table = player_table(facts.kinds, facts.plain)
    board.keys(table.optional, table.needed)
    player["ship_tile"] = rules.UNKNOWN
    if facts.stage == rules.STAGE_SETUP:
        player["start_worker"] = player["start_class"] = rules.UNKNOWN
        player["spare"] = [rules.UNKNOWN, rules.UNKNOWN]
    table.read(board, player)
    player["slider"] = board.number("slider", 0, facts.steps, 0)
    forum = board.members("forum", facts.mosaic)
    player["envoys"] = setup.words(bits_of(MOSAIC_BITS[facts.mosaic[i]] for i in forum))
    _read_grid(board, player, facts)
    _check_cranes(board, player, facts)
    _read_inactive(board, player)
    _check_step_1(board, player, facts)
    _read_own_takes(board, player, facts)
    if "start_citizen" in board:
        player["start_class"] = board.name("start_citizen", CLASSES)
    player["marker"] = [
        min(rules.TRACK_END, player["built"][grey].bit_count())
        for grey in range(rules.BUILDING_LIBRARY, rules.STRUCTURE)
    ]


def _first_decision(player: Any, fields: Mapping[str, Any], facts: ViewFacts) -> dict[str, Any]:
    """Return the pending decision at the beginning of a player's step 1 or 2."""
    if facts.stage == rules.STAGE_TAKE:
        return {"decision": "take", "open_cards": [1, 2]}
    if facts.stage != rules.STAGE_TURN:
        return {}
    if not isinstance(player, int):  # already reported as a problem
        return {"decision": "build"}
    players = fields["players"]
    own = fields["player"][player % players]
    received = own["picked"] or fields["player"][(player + 1) % players]["given"]
    hand = [name for name, tile in zip(SOURCES, (own["kept"], received), strict=False) if tile]
    return {"decision": "use", "then": ["build"], "hand": hand} if hand else {"decision": "build"}


def _read_decision(view: Reader, fields: dict[str, Any], facts: ViewFacts) -> None:
    table = decision_table(facts.kinds)
    part = view.part("to_decide", table.optional, table.needed)
    if "decision" not in part:
        part.data = {**part.data, **_first_decision(part.get("player"), fields, facts)}
    decider = part.number("player", 0, fields["players"] - 1, 0)
    fields["begun"] = 1 + turn_order(rules.state_bytes(fields)).index(decider)
    fields["decider"] = decider
    table.read(part, fields)
    if fields["decision"] >= rules.TASK_USE:
        part.complain("decision", "must be a decision, not a task that waits in `then`")
    if "paying" in part and not ACTIONS[fields["plan"]].startswith("build "):
        part.complain("paying", "must be a build action")
    elif "paying" not in part and fields["decision"] == rules.DECIDE_PAY:
        part.complain("paying", "is missing; it must be the build action that is being paid for")


# --- filling in unknown tiles ------------------------------------------------------------------


def _fill_pair(player: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Fill in kept and passed tiles that follow from open faces; return the unseen places."""
    own, passed = player["kept"], player["given"]
    low, high = player["shown"]
    if passed == 0:
        if own == rules.UNKNOWN and high:
            player["kept"] = high
        return [("kept", None)] if player["kept"] == rules.UNKNOWN else []
    if own == passed == rules.UNKNOWN and high:
        player["kept"], player["given"] = high, low or rules.UNKNOWN
    elif rules.UNKNOWN in (own, passed) and own != passed and high:
        visible, field = (own, "given") if passed == rules.UNKNOWN else (passed, "kept")
        if low:
            player[field] = low if visible == high else high
        elif visible != high:
            player[field] = high
    return [(field, None) for field in ("kept", "given") if player[field] == rules.UNKNOWN]


def _fill_player(board: Reader, fields: dict[str, Any], one: int, facts: ViewFacts) -> set[int]:
    """Put the unseen tiles of a colour into their places, in order; return their kinds."""
    player = fields["player"][one]
    slots: list[tuple[dict[str, Any], str, int | None]] = [
        (player, "tile", bit) for bit in range(rules.CELLS) if player["tile"][bit] == rules.UNKNOWN
    ]
    slots += [(player, "spare", i) for i in (0, 1) if player["spare"][i] == rules.UNKNOWN]
    if player["ship_tile"] == rules.UNKNOWN:
        slots.append((player, "ship_tile", None))
    if fields["decider"] == one:
        slots += [(fields, "taken", i) for i in (0, 1) if fields["taken"][i] == rules.UNKNOWN]
    slots += [(player, field, i) for field, i in _fill_pair(player)]
    before = len(board.problems)
    if "unseen" in board:
        counts = board.counts("unseen", facts.kinds[1:], 31)
    else:
        counts = _count_unseen(board, fields, one, facts)
    lost = sum(counts) - len(slots)
    if not 0 <= lost <= rules.LOST:
        if len(board.problems) == before:
            board.complain(
                "unseen",
                f"{sum(counts)} tiles, but there must be {len(slots)} to "
                f"{len(slots) + rules.LOST}: {len(slots)} lie where you cannot see them, and up "
                f"to {rules.LOST} more can have left the game without your seeing them",
            )
        lost = 0
    player["lost_count"] = lost
    slots += [(player, "lost", i) for i in range(lost)]
    tiles = [kind for kind, count in enumerate(counts, start=1) for _ in range(count)]
    tiles += [1] * (len(slots) - len(tiles))  # already reported as a problem
    for (owner, field, i), kind in zip(slots, tiles, strict=False):
        if i is None:
            owner[field] = kind
        else:
            owner[field][i] = kind
    return {*tiles}


# --- unseen tiles that a file omits ------------------------------------------------------------


def _count_unseen(board: Reader, fields: dict[str, Any], one: int, facts: ViewFacts) -> list[int]:
    """Count a colour's unseen tiles of each kind: all of its tiles minus the visible ones."""
    visible = (facts.kinds[kind] for kind in _count_visible(fields, one, facts).elements())
    left = Counter(board.left((), OF_COLOUR, facts.components.tiles, visible))
    return [left[name] for name in facts.kinds[1:]]


def _list_lying(fields: Mapping[str, Any], one: int) -> list[int]:
    """Return the tiles of a colour on the grid, in the right neighbour's reserve and in `taken`.

    Some may be UNKNOWN. Tiles that were kept, passed or picked are not included.
    """
    player, right = fields["player"][one], fields["player"][(one - 1) % fields["players"]]
    tiles = [*player["tile"], *player["spare"], player["ship_tile"]]
    tiles += right["reserve"][: right["reserve_count"]]
    return tiles + (fields["taken"] if fields["decider"] == one else [])


def _count_visible(fields: dict[str, Any], one: int, facts: ViewFacts) -> Counter[int]:
    """Return the tiles of a colour that are or were face up, such as female citizens."""
    receiver = (one - 1) % fields["players"]
    player, right = fields["player"][one], fields["player"][receiver]
    tiles = [*_list_lying(fields, one), player["kept"]]
    in_hand = _is_in_hand(fields, receiver, rules.SOURCE_RECEIVED, facts)
    if in_hand:
        tiles.append(player["given"])
    # A picked tile that was put back is counted as a tile of the reserve.
    if in_hand or right["picked"] not in right["reserve"]:
        tiles.append(right["picked"])
    visible = Counter(kind for kind in tiles if kind not in (0, rules.UNKNOWN))
    for kind in FEMALES:
        visible[kind] = 1
    return visible


def _is_in_hand(fields: Mapping[str, Any], player: int, source: int, facts: ViewFacts) -> bool:
    """Return whether a tile of step 1 was neither put away nor put back in this round."""
    if facts.stage != rules.STAGE_TURN:
        return True
    if player != fields["decider"]:
        done = turn_order(rules.state_bytes(dict(fields)))[: fields["begun"] - 1]
        return player not in done
    waiting = _list_waiting(fields)
    used = any(task == rules.TASK_PUT_AWAY and what & 3 == source for task, what in waiting)
    return used or fields["hand"] >> source & 1 == 1 or (rules.TASK_PUT_BACK, source) in waiting


def _may_be_seated(fields: Mapping[str, Any], player: int, source: int, facts: ViewFacts) -> bool:
    """Return whether a tile of step 1 may be in a citizen row.

    It may be there if it was used, or has just been seated.
    """
    if not _is_in_hand(fields, player, source, facts):
        return True
    if facts.stage != rules.STAGE_TURN or player != fields["decider"]:
        return False
    above = [(fields["decision"], 0), *reversed(_list_waiting(fields))]
    for place, (task, what) in enumerate(above):
        if task == rules.TASK_PUT_AWAY:
            has_used = above[place - 1][0] not in (rules.TASK_USE, rules.DECIDE_SEAT)
            if what & 3 == source:
                return has_used
    return False


def _list_waiting(fields: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the tasks on the stack with their arguments, the next one last."""
    tasks = fields["stack"][: 2 * fields["depth"]]
    return list(zip(tasks[::2], tasks[1::2], strict=True))


# --- owners of citizens in rows that a file omits ------------------------------------------------


def _read_unclear(
    boards: Sequence[Reader],
    fields: dict[str, Any],
    pools: Sequence[set[int]],
    facts: ViewFacts,
) -> None:
    """Fill in the unclear citizens in rows, and the tiles that may be among them.

    All citizens are unclear if a player's unseen tiles are omitted; otherwise, those that the file
    lists are unclear.
    """
    if any("unclear_citizens" in board for board in boards):
        for one, board in enumerate(boards):
            counts = board.counts("unclear_citizens", CLASSES, 4)
            for name, count, there in zip(
                CLASSES, counts, _class_counts(fields, one), strict=True
            ):
                if count > there:
                    place = ("unclear_citizens", name)
                    board.complain(
                        place, f"must be at most {there}, the number in the rows, got {count}"
                    )
            fields["player"][one]["unclear"] = counts
            fields["player"][one]["may_lie"] = bits_of(board.members("may_lie", CITIZENS))
    elif facts.stage != rules.STAGE_SETUP and any("unseen" not in board for board in boards):
        for one, board in enumerate(boards):
            _forget_citizens(board, fields, one, pools[one], facts)
    if not any(any(player["unclear"]) for player in fields["player"]):
        for player in fields["player"]:
            player["may_lie"] = 0


def _forget_citizens(
    board: Reader, fields: dict[str, Any], one: int, pool: set[int], facts: ViewFacts
) -> None:
    """Make all citizens in a player's rows unclear, except a start citizen that must be there."""
    player = fields["player"][one]
    counts = player["unclear"] = _class_counts(fields, one)
    player["may_lie"] = bits_of(
        kind - 1
        for kind in range(1, len(CITIZENS) + 1)
        if kind not in pool | _list_elsewhere(fields, one, facts)
    )
    females = [kind for kind in FEMALES if player["may_lie"] >> kind - 1 & 1]
    if len(females) == 1 and counts[(females[0] - 1) // 2]:
        counts[(females[0] - 1) // 2] -= 1
        player["may_lie"] -= 1 << females[0] - 1
    elif len(females) < 2:
        board.complain(
            "citizens",
            "the start citizen is missing: one of the female citizens lies in a row of its owner",
        )


def _class_counts(fields: Mapping[str, Any], one: int) -> list[int]:
    rows = fields["player"][one]["citizens"]
    return [sum(rows[2 * rank : 2 * rank + 2]) for rank in range(len(CLASSES))]


def _list_elsewhere(fields: dict[str, Any], one: int, facts: ViewFacts) -> set[int]:
    """Return the tiles of a colour that are certainly not in a citizen row."""
    player, receiver = fields["player"][one], (one - 1) % fields["players"]
    tiles = set(_list_lying(fields, one))
    if not _may_be_seated(fields, one, rules.SOURCE_OWN, facts):
        tiles.add(player["kept"])
    if not _may_be_seated(fields, receiver, rules.SOURCE_RECEIVED, facts):
        tiles |= {player["given"], fields["player"][receiver]["picked"]}
    return tiles


def _check_unclear(view: Reader, data: bytes) -> None:
    for rank, name in enumerate(CLASSES):
        if not can_fill_class(data, rank):
            view.complain(
                "players",
                f"more {name}s in the rows than possible: a row holds only citizens of "
                "its owner and of the left neighbour, each of them once",
            )
    if not view.problems and not can_fill_rows(data):
        view.complain("players", "there are more citizens in the rows than can have come there")


def _check_tiles(view: Reader, fields: dict[str, Any], facts: ViewFacts) -> None:
    players = fields["players"]
    for one in range(players):
        tiles = [*_list_lying(fields, one), fields["player"][one]["kept"]]
        if facts.stage != rules.STAGE_TURN:  # in step 2 the tile may already be in the reserve
            tiles.append(fields["player"][one]["given"])
        names = (facts.kinds[kind] for kind in tiles if kind)
        view.left(("players", one), OF_COLOUR, facts.components.tiles, names)
    envoys = [fields["player"][one]["envoys"] for one in range(players)]
    for one in range(players):
        for other in range(one):
            both = [low & high for low, high in zip(envoys[one], envoys[other], strict=True)]
            for cell in mosaic_cells(both):
                view.complain(("players", one, "forum"), f"{cell} has an envoy of player {other}")


def _find_touched_areas(fields: Mapping[str, Any]) -> list[int]:
    """Return the mosaic cells of all areas with an envoy, as a bit mask in 64-bit words."""
    envoys = 0
    for player in fields["player"]:
        envoys |= player["envoys"][0] | player["envoys"][1] << 64
    touched, stride = 0, rules.MOSAIC_STRIDE
    for i in range(0, 8, 2):
        colour = fields["colour"][i] | fields["colour"][i + 1] << 64
        grown, last = envoys & colour, 0
        while grown != last:
            last = grown
            beside = grown << 1 | grown >> 1 | grown << stride | grown >> stride
            grown |= beside & colour
        touched |= grown
    return setup.words(touched)


def _fill_street_cards(
    view: Reader, round_: int, facts: ViewFacts, *, counted: bool
) -> tuple[list[int], int]:
    """Return the street cards, with the turned ones first, and the number of forgotten ones.

    Cards of past rounds may be omitted, starting with the earliest. `counted` is false if the
    round or the stage is wrong; in this case, any number of cards is allowed.
    """
    symbols = facts.components.symbols
    expected = 0 if facts.stage < rules.STAGE_TAKE else 2 * round_ + 2
    least = min(expected, 2) if counted else 0
    most = expected if counted else rules.STREET_CARDS
    right = f"the {expected} cards turned so far"
    if 0 < least < expected:
        right += f", or at least the last {least} of them"
    turned = view.names("street_cards", symbols, right, most, least)
    names = [symbols[number] for number in turned]
    left = view.left("street_cards", "", facts.components.street_cards, names)
    others = sorted(map(symbols.index, left))
    forgotten = max(expected - len(turned), 0)
    cards_in_order = [*others[:forgotten], *turned, *others[forgotten:]]
    return cards_in_order[: rules.STREET_CARDS], forgotten


def _read_table(view: Reader, players: int) -> tuple[Components, dict[str, Any]]:
    """Return the components, and the fields of a state that the public components determine."""
    before = len(view.problems)
    try:
        components = load(str(view.get("components", DEFAULT)))
    except TrajanError as error:
        view.complain("components", "; ".join(error.messages))
        components = load(DEFAULT)
    options = view.options(setup.NAME, setup.OPTIONS, players)
    view.data = {"boards": [setup.BOARDS[0]] * players, **view.data}
    view.data = setup.with_names(components, view.data)
    if options:
        setup.check_public(view, components, players, options)
    complete = {"mosaic", "trajan_cards"} <= view.data.keys()
    if options is None or len(view.problems) > before or not complete:
        raise TrajanError(*view.problems)
    fields: dict[str, Any] = rules.blank()
    fields.update(setup.static_fields(components, players, options, view.data))
    return components, fields


def parse(data: Mapping[str, Any]) -> bytes:
    """Return a state that looks like the view to the view's observer.

    Unknown parts are completed in a fixed order. Raises TrajanError with all contradictions, each
    with its place.
    """
    view = Reader(data)
    view.keys(TABLE.optional, TABLE.needed)
    boards = view.players()
    players = len(boards)
    observer = view.number("observer", 0, players - 1, 0)
    public: dict[str, Any] = {}
    TABLE.read(view, public)
    if view.has_problem("stage"):
        public["stage"] = rules.STAGE_TURN  # the stage of most files
    components, fields = _read_table(view, players)
    fields.update(public)
    stage = fields["stage"]
    facts = ViewFacts(components, fields, stage, observer)
    counted = not view.has_problem("stage") and not view.has_problem("round")
    fields["street_cards"], fields["forgotten_cards"] = _fill_street_cards(
        view, fields["round"], facts, counted=counted
    )
    for one, board in enumerate(boards):
        _read_player(board, fields["player"][one], facts)
        name = setup.BOARDS[fields["board"][one]]
        fields["player"][one]["street"] = list(components.streets[name])
    if stage != rules.STAGE_OVER and "to_decide" in view:
        _read_decision(view, fields, facts)
    elif stage != rules.STAGE_OVER:
        view.complain("to_decide", "is missing; it must have a value such as {player: 0, ..}")
    is_ship_visible = stage != rules.STAGE_SETUP and not view.has_problem("observer")
    if is_ship_visible and fields["player"][observer]["ship_tile"] == rules.UNKNOWN:
        boards[observer].complain("ship_tile", "is missing, although you have seen this tile")
    view.stop_at_problems()
    pools = [_fill_player(board, fields, one, facts) for one, board in enumerate(boards)]
    if not view.problems:
        _read_unclear(boards, fields, pools, facts)
    _check_tiles(view, fields, facts)
    if stage == rules.STAGE_SETUP:  # start citizens and workers that nobody knows yet
        for one, player in enumerate(fields["player"][:players]):
            player["start_worker"] = one
            if player["start_class"] == rules.UNKNOWN:
                player["start_class"] = 0
    fields["touched"] = _find_touched_areas(fields)
    view.stop_at_problems()
    state = rules.state_bytes(fields)
    if any(any(player["unclear"]) for player in fields["player"]):
        state = deal_unseen(state, observer)
        _check_unclear(view, state)
        view.stop_at_problems()
    return choose_step_one(state, observer)
