"""Draw the table of Forum Trajanum as SVG from a view; parts that the view omits are face down."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trajan_ai.core.languages import tr
from trajan_ai.core.look import HEAD, RADIUS, SMALL_RADIUS, themed
from trajan_ai.games.drawing.svg import (
    PAD,
    PANEL,
    TITLE,
    TOUCH,
    WIDE,
    Box,
    Flow,
    Look,
    Marks,
    Panel,
    View,
    add_score,
    add_scores,
    board_panel,
    coordinate,
    draw_table,
    finish_status,
    first_numeral,
    name_board,
    of_player,
    quoted,
    status_panel,
    text_width,
    wrapped,
)
from trajan_ai.games.drawing.svg import sprite as svg_sprite
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.components import (
    BUILD_TASKS,
    COLLECT_TASKS,
    DEFAULT,
    DEFAULT_PRESTIGE,
    LETTERS,
    Components,
    Prestige,
    load,
)
from trajan_ai.games.forum_trajanum.notation import (
    BOARD_CELLS,
    CLASSES,
    COLOURS,
    CORNERS,
    GREYS,
    RESOURCES,
    STRUCTURES,
    TRACKS,
)
from trajan_ai.games.forum_trajanum.symbols import (
    BUILDINGS,
    CELL,
    DRAWINGS,
    PLAQUE,
    PURSE_CELL,
    SIZE_WIDTH,
    SIZES,
    SLIDER,
)
from trajan_ai.games.forum_trajanum.views import cards_of_round, name_street
from trajan_ai.games.forum_trajanum.words import (
    describe_card,
    is_paid,
    list_things,
    phrase,
    thing,
    word_street,
)

SECRET = ("take", "skip", "keep")  # moves of step 1, which others see later and in part
TILE = 32
SLIDER_HEIGHT = 46
PRICE = 7  # radius of the mark of a place that costs a tribune
GRID = (95, 54)  # top left corner of a Colonia's cells
PURSE = GRID[0] + 6 * CELL + 9  # left edge of the resources
ROWS = tuple(name for name in CLASSES for _ in range(2))  # class of each citizen row
NUMERALS = ("I", "II", "III")
# last step of a reward track; its fourth building moves the marker to Trajan's Column
LAST_STEP = 4

# Rewards of each step of a track, as symbols.
REWARDS = {
    "library": (("anyworker", "tribune"), ("builder",), ("envoy", "m-eagle"), ("tile",)),
    "basilica": (
        ("assistant", "assistant"),
        ("tribune", "tribune"),
        ("upgrade",),
        ("building-action",),
    ),
    "market": (("coin",), ("laurel",), ("envoy",), ("tile",)),
}
# Building tasks in words, and as diagrams. G is a grey building, K a coloured one, and A any
# building; 1 to 3 are different grey buildings, and a to d structures of different colours; X is a
# crane, and T a temple.
TASKS = {pattern: words for words, pattern in BUILD_TASKS.items()}
DIAGRAMS: dict[int, tuple[str, ...]] = {
    rules.PATTERN_GKG_ACROSS: ("GKG",),
    rules.PATTERN_TEMPLE_ABOVE_BELOW: ("A", "T", "A"),
    rules.PATTERN_TWO_GREYS_DOWN: ("1", "2"),
    rules.PATTERN_CRANE_SIDES: ("XA", "A "),
    rules.PATTERN_SQUARE: ("AA", "AA"),
    rules.PATTERN_KGK_DOWN: ("K", "G", "K"),
    rules.PATTERN_FOUR_COLOURS: ("ab", "cd"),
    rules.PATTERN_GKG_DOWN: ("G", "K", "G"),
    rules.PATTERN_KGGK_DOWN: ("K", "G", "G", "K"),
    rules.PATTERN_THREE_COLOURS_DOWN: ("a", "b", "c"),
    rules.PATTERN_TEMPLE_DIAGONALS: ("K K", " T ", "K K"),
    rules.PATTERN_THREE_GREYS_DOWN: ("1", "2", "3"),
}
COLLECTED = {
    "worker": "anyworker",
    "ship_envoy": "envoy",
    "columns_in_colonia": "column",
    "used_cranes": "crane",
    "forum_marker_at_column": "column",
}
STYLE = themed(
    """
.t1{letter-spacing:.08em}
.j{fill:$tray;stroke:$line}
.st{fill:$street}
.bk{fill:#2d2620;stroke:#8f7b5b}
.wt{fill:#fff;stroke:#2d2620;stroke-width:1.6}
.y1{fill:none;stroke:#33261b;stroke-width:2.5;pointer-events:none}
.hb{fill:none;stroke:$now-edge;stroke-width:3}
"""
)
LOOK = Look("forum_trajanum", DRAWINGS, STYLE)


def draw(
    view: View,
    *,
    last: tuple[int, str] | None = None,
    suggested: Sequence[str] = (),
    legal: Sequence[str] = (),
    width: int = WIDE,
) -> str:
    """Return the table of a view as an SVG element; see `HasPicture`.

    A hidden move of another player is never marked.
    """
    components = load(view["components"])
    if last and view["observer"] not in (None, last[0]) and last[1].split(" ")[0] in SECRET:
        last = None
    decider = view["to_decide"]["player"] if view.get("to_decide") else 0
    done = traces(view, [last[1]], last[0]) if last else ()
    marks = Marks.of(done, suggested, legal, lambda action: places(view, action, decider))
    drawing = _Drawing(view, components, marks)
    players = [_player(drawing, number) for number in range(len(view["players"]))]
    head = [_status(drawing, last, suggested), _round(drawing), _cards(drawing)]
    mosaic, tracks = _mosaic(drawing), _tracks(drawing)
    buildings, key = _buildings(drawing), _key(drawing)
    columns = {
        2: [[mosaic, tracks], [players[0], buildings], [players[1], key]],
        3: [[mosaic, players[0]], [tracks, players[1]], [buildings, *players[2:], key]],
        4: [[mosaic, players[0]], [tracks, players[1], buildings, key], players[2:]],
    }[len(players)]
    when = tr("round {round} of 12", round=view["round"])
    return draw_table(
        LOOK,
        add_scores(f"Forum Trajanum ({components.name}), {when}", view),
        head,
        columns,
        marks=marks,
        printed=_boards(view, components) | {"prestige": _prestige(drawing.prestige)},
        first=first_numeral(view),
        width=width,
    )


class _Drawing:
    """The data from which every panel is drawn."""

    def __init__(self, view: View, components: Components, marks: Marks) -> None:
        self.view = view
        self.components = components
        self.marks = marks
        self.pending: View = view.get("to_decide") or {}
        number = view["round"] - 1
        self.phase = number // rules.PHASE_ROUNDS
        self.cards = cards_of_round(view)
        twice = view["options"].get("phase_handover") == "twice"
        # The number of times that the first player's figure has moved to the right. In the wages
        # stage, the figure has already moved in this round.
        passed = number + (view["stage"] == "wages") + (self.phase if twice else 0)
        self.first = -passed % len(view["players"])
        option = view["options"].get("prestige", DEFAULT_PRESTIGE)
        self.prestige = components.prestige[option]
        self.temples = {BOARD_CELLS[cell] for cell in components.temples}

    def worth_of_task(self) -> int | None:
        """Return the VP of a Trajan card's task for the observer, or None without an observer."""
        observer = self.view["observer"]
        return None if observer is None else self.bust(self.view["players"][observer])

    def bust(self, player: View) -> int:
        """Return the number above Trajan's bust on a player's prestige track."""
        return self.prestige.bust[_side_of_slider(player)][player["slider"]]

    def street(self, card: int) -> str:
        """Return in words the street of one of the two street cards."""
        return word_street(name_street(self.view, self.cards[card - 1]))

    def is_in_street(self, player: int, card: int, cell: str) -> bool:
        """Return whether a player's cell lies in the street of one of the two street cards."""
        streets = self.components.streets[self.view["boards"][player]]
        street = streets[self.components.symbols.index(self.cards[card - 1])]
        row, column = divmod(BOARD_CELLS.index(cell), 6)
        return street in (row, 6 + column)

    def is_unused(self, player: int, source: str) -> bool:
        """Return whether the ``own`` or ``received`` tile of a player still waits for use."""
        if self.view["stage"] != "turn" or not self.pending:
            return True
        decider, count = int(self.pending["player"]), len(self.view["players"])
        if player != decider:
            first = int(self.first)
            return (player - first) % count > (decider - first) % count
        tasks = " ".join(self.pending.get("then", ())).split()
        return source in self.pending.get("hand", ()) or source in tasks


# --- places


def places(view: View, action: str, player: int) -> list[str]:
    """Return the places where `player` carries out an action, first the one to click."""
    verb, *rest = action.split(" ")
    name = rest[0] if rest else ""
    if verb == "use" and name == "received":
        picked = "picked" in view["players"][player]
        return [f"{'picked' if picked else 'received'} {player}"]
    fixed = {
        "seat": [f"citizens {player} {name}"],
        "wage": [f"citizens {player} {name}"],
        "corner": [f"cell {player} {name}"],
        "take": [f"cell {player} {cell}" for cell in rest[1:2]],
        "skip": [f"street card {name}"],
        "keep": [f"taken {player} {name}"],
        "reserve": [f"reserve {player} {name}"],
        "use": [f"kept {player}" if name == "own" else f"cell {player} {name}"],
        "gain": [f"resource {player} {name}"],
        "bonus": [f"slider {player}" if name == "upgrade" else f"resource {player} {name}"],
        "envoy": [f"mosaic {name}"],
        "build": [f"cell {player} {cell}" for cell in rest[1:]],
        "reward": [f"track {' '.join(rest)}"],
    }
    if verb not in fixed or action in ("use both own", "use both received", "bonus vp"):
        return [f"choice {action}"]
    return fixed[verb]


def traces(view: View, actions: Sequence[str], player: int) -> list[str]:
    """Return the places that show the last actions of `player`; see `HasPlaces`."""
    return [place for action in actions for place in _find_traces(view, action, player)]


def _find_traces(view: View, action: str, player: int) -> list[str]:
    verb = action.partition(" ")[0]
    if verb == "keep":
        return [f"kept {player}"]
    if verb == "reserve":
        return [f"picked {player}"]
    if verb == "crane":  # cranes are placed corner by corner, in this order
        return [f"cell {player} {CORNERS[len(view['players'][player]['cranes']) - 1]}"]
    if action in ("use own", "use received"):  # the tile itself, or the new envoy
        return [*places(view, action, player), f"ship {player}"]
    return places(view, action, player)


def decision(pending: View) -> str:
    """Return the pending decision in words."""
    return thing(pending["decision"])


# --- pieces


def _face(panel: Panel, name: str, x: float, y: float) -> None:
    """Draw the face of a Colonia tile; `x` and `y` are its top left corner."""
    panel.use(name.removesuffix("-m").removesuffix("-f") + "-tile", x + TILE / 2, y + TILE / 2)


def _tile(panel: Panel, owner: int, name: str, x: float, y: float) -> None:
    """Draw a Colonia tile: its face if it is known, else its back."""
    if name == "unknown":
        panel.use(f"back{owner}", x + TILE / 2, y + TILE / 2)
    else:
        _face(panel, name, x, y)


def _street_symbol(name: str, row: bool, x: float, y: float) -> str:
    """Return a street's symbol: black for rows, white for columns."""
    chip, style = ("row", "b m w") if row else ("street", "b m dk")
    at = f'x="{coordinate(x)}" y="{coordinate(y)}"'
    label = (
        f'<text x="{coordinate(x)}" y="{coordinate(y + 5)}" class="{style}">{quoted(name)}</text>'
    )
    return f'<use href="#{chip}" {at}/>{label}'


def _boards(view: View, components: Components) -> dict[str, str]:
    """Return the printed parts of the boards as symbols, relative to the corner of the grid."""
    temples = "".join(
        f'<use href="#temple" x="{CELL * (cell % 6 + 0.5)}" y="{CELL * (cell // 6 + 0.5)}"/>'
        for cell in components.temples
    )
    boards = {}
    # On boards A, street symbols mark the rows and columns, so letters and numbers are omitted.
    is_named = {*view["boards"]} == {"A"}
    names = (
        ""
        if is_named
        else "".join(
            f'<text x="{CELL * (i + 0.5)}" y="{6 * CELL + 13}" class="m q">{letter}</text>'
            f'<text x="{6 * CELL + 5}" y="{CELL * (i + 0.5) + 5}" class="m q">{i + 1}</text>'
            for i, letter in enumerate("ABCDEF")
        )
    )
    for board in view["boards"]:
        streets = zip(components.symbols, components.streets[board], strict=True)
        symbols = "".join(
            _street_symbol(name_street(view, symbol), street < 6, *_street_middle(street))
            for symbol, street in streets
        )
        boards[f"{components.name}-{board}"] = f'<use href="#colonia"/>{temples}{symbols}{names}'
    return boards


def _prestige(track: Prestige) -> str:
    """Return the printed prestige track as a symbol: labels, steps with cypresses, and bust."""
    labels = "".join(
        f'<text y="{y}" class="q">{quoted(tr(label))}</text>'
        for y, label in ((14, "group"), (29, "VP"), (44, "Prestige"))
    )
    steps = "".join(
        f'<use href="#{"cypress-row" if step in track.cypress else "step"}" '
        f'x="{coordinate(SLIDER + _step_middle(track, step))}" y="40"/>'
        for step in range(track.steps + 1)
    )
    return f'<use href="#slider"/>{labels}{steps}<use href="#bust" x="346" y="32"/>'


def _street_middle(street: int) -> tuple[float, float]:
    """Return the position of a street's symbol, relative to the corner of the grid."""
    along = CELL * (street % 6 + 0.5)
    return (-13, along) if street < 6 else (along, -11)


# --- the whole table


def _status(drawing: _Drawing, last: tuple[int, str] | None, suggested: Sequence[str]) -> Panel:
    """Draw the player to move, the last move and suggestions."""
    panel = status_panel(
        "FORUM TRAJANUM", drawing.view, drawing.marks, tr("all tiles open"), decision
    )
    paying = drawing.pending.get("paying")
    if paying:
        panel.height += 17
        panel.text(PAD + 24, panel.height, tr("paying: {action}", action=phrase(paying)), "q")
    return finish_status(panel, drawing.view, last, suggested=suggested, words=phrase)


def _round(drawing: _Drawing) -> Panel:
    """Draw the phase, the round, the street cards, and the values of columns and cranes."""
    view = drawing.view
    title = tr("Phase {phase}", phase=NUMERALS[drawing.phase])
    panel = Panel("", drawing.marks, name="round")
    panel.text(PAD, 20, title, "h")
    when = f"{tr('round {round} of 12', round=view['round'])} · {tr(view['stage'])}"
    beside = text_width(title, 1.08 * HEAD) + 2 * PAD  # bold and spaced
    panel.text(PANEL - PAD, 20, when, "e", limit=PANEL - PAD - beside)
    for number in range(rules.ROUNDS):
        x = PAD + number * 30 + number // rules.PHASE_ROUNDS * 5
        here, passed = number == view["round"] - 1, number < view["round"] - 1
        panel.rect(
            x, TITLE + 4, 27, 18, "f" if passed else "t" if here else "j", radius=SMALL_RADIUS
        )
        style = "b m w" if passed else "b m" if here else "m q"
        panel.text(x + 13.5, TITLE + 18, number + 1, style)
    y = TITLE + 32
    panel.text(PAD, y + 25, tr("Street cards"), "b", limit=88)
    if view["stage"] not in ("setup", "novices"):
        symbols, streets = drawing.components.symbols, drawing.components.streets["A"]
        for i, symbol in enumerate(drawing.cards):
            x = 106 + 46 * i
            name, across = name_street(view, symbol), streets[symbols.index(symbol)] < 6
            with (
                panel.piece(
                    tr("street card: {street}", street=word_street(name)),
                    f"street card {i + 1}",
                    Box(x, y, 40, 40),
                ),
                panel.on_card(),
            ):
                panel.rect(x, y + 2, 40, 40, "sh", radius=RADIUS)
                panel.rect(x, y, 40, 40, "c", radius=RADIUS)
                panel.use("row" if across else "street", x + 20, y + 12)
                panel.text(x + 20, y + 17, name, "b m w" if across else "b m dk")
                panel.text(x + 20, y + 35, "↔" if across else "↕", "b m q")
    values = (
        ("column", 205, drawing.components.column_vp),
        ("crane", 296, drawing.components.crane_vp),
    )
    for name, x, by_phase in values:
        value = by_phase[drawing.phase]
        each = tr("for each structure" if name == "crane" else "and each active citizen")
        with panel.piece(f"{tr(name)}: {value} {tr('VP')} {each}", tip=name):
            panel.rect(x, y, 84, 40, "z", radius=RADIUS)
            panel.use(name, x + 20, y + 20, 0.9)
            panel.use(f"v{value}", x + 60, y + 12)
            panel.text(x + 60, y + 36, tr(name), "m q", limit=44)
    panel.height = y + 48
    return panel


def _buildings(drawing: _Drawing) -> Panel:
    """Draw the pairs of buildings of each colour, with numbers of tiles if these are limited."""
    panel = Panel("Buildings", drawing.marks)
    left = drawing.view.get("building_tiles")
    if left:
        panel.text(PANEL - PAD, 18, tr("left: single + double"), "q e")
    for i, colour in enumerate(COLOURS):
        x, y = PAD + i % 2 * 187, TITLE + 4 + i // 2 * 38
        pair = (GREYS[drawing.components.grey_of[i]], STRUCTURES[i])
        count = f"{left['singles'][colour]} + {left['doubles'][colour]}" if left else ""
        words = f"{tr(colour)}: {', '.join(map(tr, pair))}"
        if left:
            words += ", " + tr("{count} double left", count=count)
        with panel.piece(words):
            panel.rect(x, y, 183, 34, "d", radius=RADIUS)
            for j, name in enumerate(pair):
                panel.use(name, x + 18 + 88 * j, y + 17, 0.8)
                at = (x + 35 + 88 * j, y + (15 if left and j else 21))
                panel.text(*at, tr(name), "", limit=54)
            if left:
                panel.text(x + 123, y + 28, count, "b")
    panel.height = TITLE + 4 + 2 * 38 + 6
    return panel


def _key(drawing: _Drawing) -> Panel:
    """Draw the names of all symbols on tiles, tracks and boards, except buildings."""
    panel = Panel("Key", drawing.marks)
    names = (
        *(*COLOURS, "anyworker", "builder", "assistant", "tribune", "coin", "upgrade"),
        *(*CLASSES, "crane", "envoy", "m-eagle", "laurel", "tile", "building-action"),
        *("cypress-row", "bust"),
    )
    flow = Flow(PAD, TITLE + 11, PANEL, 21, 0)
    for name in names:
        words = tr("{colour} worker", colour=tr(name)) if name in COLOURS else thing(name)
        x, y = flow.next(text_width(words) + 28)
        panel.use(name, x + 10, y, 0.5 if name == "m-eagle" else 0.8)
        panel.text(x + 25, y + 4, words, "")
    panel.height = flow.bottom - 10
    return panel


def _mosaic(drawing: _Drawing) -> Panel:
    """Draw the mosaic with the envoys on it."""
    view = drawing.view
    panel = Panel("Forum", drawing.marks)
    slots = drawing.components.slots[len(view["players"])]
    envoys = {cell: p for p, one in enumerate(view["players"]) for cell in one["forum"]}
    columns = max(column for _, column in slots) + 3
    rows = max(row for row, _ in slots) + 4
    size = 36 if columns == 6 else 40
    top = TITLE + 16
    left = (PANEL - columns * size) / 2
    middles = (left + (column + 0.5) * size for column in range(columns))
    panel.texts(middles, top - 5, range(1, columns + 1), "m q")
    for row in range(rows):
        panel.text(left - 8, top + (row + 0.5) * size + 4, row + 1, "m q")
    for (row, column), (board, side, turns) in zip(slots, view["mosaic"], strict=True):
        for i, line in enumerate(drawing.components.face(board, side, turns)):
            for j, letter in enumerate(line):
                name = f"m{row + i + 1}.{column + j + 1}"
                x, y = left + (column + j) * size, top + (row + i) * size
                place = tr("row {row}, column {column}", row=row + i + 1, column=column + j + 1)
                words, envoy = f"{place}: {tr(LETTERS[letter])}", envoys.get(name)
                if envoy is not None:
                    words += ", " + tr("envoy {of}", of=of_player(view, envoy))
                box = Box(x, y, size, size)
                tip = "eagle" if LETTERS[letter] == "eagle" else ""
                with panel.piece(words, f"mosaic {name}", box, tip=tip):
                    _mosaic_cell(panel, LETTERS[letter], envoy, (x, y, size))
        panel.rect(
            left + column * size, top + row * size, 3 * size, 4 * size, "y1", radius=SMALL_RADIUS
        )
    panel.height = top + rows * size + 10
    return panel


def _mosaic_cell(
    panel: Panel, colour: str, envoy: int | None, at: tuple[float, float, float]
) -> None:
    x, y, size = at
    panel.use(f"m-{colour}", x + size / 2, y + size / 2, size / CELL)
    if envoy is not None:
        panel.use(f"k{envoy}", x + size / 2, y + size / 2, 1.5)


def _tracks(drawing: _Drawing) -> Panel:
    """Draw the three reward tracks with a marker for each player."""
    view = drawing.view
    panel = Panel("Reward tracks", drawing.marks)
    width, height = 60, 54
    for i, track in enumerate(TRACKS):
        y = TITLE + 4 + i * (height + 4)
        panel.use(track, PAD + 21, y + 19)
        panel.text(PAD + 21, y + 48, tr(track), "m q", limit=50)
        at: dict[int, list[int]] = {}
        for number, player in enumerate(view["players"]):
            step = min(LAST_STEP, list(player["buildings"].values()).count(track))
            at.setdefault(step, []).append(number)
        for step in range(LAST_STEP + 1):
            x = 64 + step * (width + 4)
            there = at.get(step, [])
            words = tr("{track} step {step}", track=tr(track), step=step)
            words += "".join(", " + tr("marker {of}", of=of_player(view, p)) for p in there)
            with panel.piece(words, f"track {track} {step}", Box(x, y, width, height)):
                panel.rect(x, y, width, height, "j" if step else "d", radius=RADIUS)
                if step:
                    rewards = REWARDS[track][step - 1]
                    for j, reward in enumerate(rewards):
                        scale = 0.5 if reward == "m-eagle" else 0.9
                        panel.use(reward, x + 14 + 19 * j, y + 13, scale)
                if step == LAST_STEP:
                    panel.use("column", x + 46, y + 12, 0.6)
                _track_markers(panel, there, x, y, in_rows=not step)
    panel.height = TITLE + 4 + 3 * (height + 4) + 6
    return panel


def _track_markers(
    panel: Panel, players: Sequence[int], x: float, y: float, *, in_rows: bool
) -> None:
    """Draw the markers on a step of a track, either below its rewards or in rows of two.

    Below the rewards, there is room for three markers side by side; of four markers, every other
    one is drawn higher.
    """
    rows = (len(players) + 1) // 2
    for i, number in enumerate(players):
        if in_rows:
            panel.use(f"k{number}", x + 18 + 24 * (i % 2), y + 40 - 25 * (rows - 1 - i // 2))
        else:
            step = min(20, 38 / (len(players) - 1 or 1))
            higher = 10 if len(players) > 3 and i % 2 == 0 else 0
            panel.use(f"k{number}", x + 11 + i * step, y + 43 - higher)


def _cards(drawing: _Drawing) -> Panel:
    """Draw the Trajan cards with their two tasks."""
    panel = Panel("Trajan cards", drawing.marks)
    width, height = 120, 144
    for i, number in enumerate(drawing.view["trajan_cards"]):
        card = drawing.components.cards[number]
        x, y = PAD + i * (width + 5), TITLE + 4
        task = tr(TASKS[card.build].replace("-", " · "))
        demands = {name: n for name, n in zip(COLLECT_TASKS, card.collect, strict=True) if n}
        now = card.phase == drawing.phase
        words = describe_card(number, card, drawing.worth_of_task())
        with panel.piece(words, f"card {number} tasks", Box(x, y, width, height)), panel.on_card():
            panel.rect(x, y + 2, width, height, "sh", radius=RADIUS)
            panel.rect(x, y, width, height, "g" if now else "c", radius=RADIUS)
            phase = tr("phase {phase}", phase=NUMERALS[card.phase])
            panel.text(x + 7, y + 15, phase, "b" if now else "q", limit=width - 14)
            _diagram(panel, DIAGRAMS[card.build], x + 8, y + 22)
            flow = Flow(x + 66, y + 24, x + width - 2, 24, 2)
            for name, count in demands.items():
                for _ in range(count):
                    _demand(panel, name, *flow.next(46 if "distinct_classes" in name else 23))
            for j, line in enumerate(wrapped(task, width - 10, 12)[:3]):
                panel.text(x + 7, y + 108 + 15 * j, line, "q", limit=width - 12)
    panel.height = TITLE + height + 12
    return panel


def _demand(panel: Panel, name: str, x: float, y: float) -> None:
    """Draw one thing of a collecting task, 23 units wide."""
    middle = (x + 11, y + 11)
    if name == "active_citizens_distinct_classes":
        panel.use("patrician", x + 8, y + 11, 0.65)
        panel.text(x + 23, y + 16, "≠", "b m")
        panel.use("merchant", x + 39, y + 11, 0.65)
    elif name == "active_citizen_each_class":
        for i, one in enumerate(CLASSES):
            panel.use(one, x + 11, y + 11 + 24 * i, 0.9)
    elif name == "workers_distinct_colours":
        panel.use("anyworker", *middle)
    else:
        symbol = COLLECTED.get(name, name)
        panel.use(symbol, *middle, 0.6 if symbol in GREYS else 0.9)


def _diagram(panel: Panel, rows: Sequence[str], x: float, y: float) -> None:
    """Draw a building task as squares, 17 units wide."""
    for i, row in enumerate(rows):
        for j, sign in enumerate(row):
            middle = (x + 9 + 18 * j, y + 9 + 18 * i)
            if sign in "Kabcd":
                panel.use("coloured", *middle)
            elif sign in "TX":
                panel.use("temple" if sign == "T" else "crane", *middle, 0.48)
            elif sign != " ":
                style = "c" if sign == "A" else "z"
                panel.rect(middle[0] - 8.5, middle[1] - 8.5, 17, 17, style, radius=SMALL_RADIUS)
            if sign in "123abcd":
                text = str("abcd".index(sign) + 1) if sign in "abcd" else sign
                panel.text(middle[0], middle[1] + 5, text, "b m ha")


# --- a player


def _player(drawing: _Drawing, number: int) -> Panel:
    view = drawing.view
    player = view["players"][number]
    panel = board_panel(view, number, drawing.marks)
    x = name_board(panel, view, number)
    if number == drawing.first:
        with panel.piece(tr("first player"), tip="first player"):
            panel.use("first", x + 4, 17, 0.8)
    add_score(panel, view, number)
    panel.use(f"{drawing.components.name}-{view['boards'][number]}", *GRID)
    _streets(panel, drawing, number)
    for row in range(6):
        _citizens(panel, player, number, row)
    for cell in BOARD_CELLS:
        _cell(panel, drawing, number, cell)
    _resources(panel, player, number)
    y = _slider(panel, drawing, number, GRID[1] + 6 * CELL + 18)
    y = _tiles(panel, drawing, number, y + 4)
    _reserve(panel, player, number, y + 2)
    panel.height = y + 72
    return panel


def _streets(panel: Panel, drawing: _Drawing, number: int) -> None:
    """Label the streets, and frame those of the current cards while tiles are being taken."""
    components = drawing.components
    streets = components.streets[drawing.view["boards"][number]]
    framed = drawing.cards if drawing.view["stage"] == "take" else ()
    for symbol, street in zip(components.symbols, streets, strict=True):
        x, y = _street_middle(street)
        box = Box(GRID[0] + x - 12, GRID[1] + y - 9, 24, 18)
        words = word_street(name_street(drawing.view, symbol))
        panel.spot(words, None, box, tip="symbol")
        if symbol in framed:
            panel.rect(*box, "hb", radius=RADIUS)


def _citizens(panel: Panel, player: View, number: int, row: int) -> None:
    count = player["citizens"].get(str(row + 1), 0)
    inactive = row + 1 in player["inactive"]
    y = GRID[1] + row * CELL
    state = f"{count} {tr('inactive' if inactive else 'active')}"
    words = f"{tr('citizen row {row}', row=row + 1)}, {tr(ROWS[row])}: {state}"
    at = (words, f"citizens {number} {row + 1}", Box(GRID[0] - 92, y + 1, 66, CELL - 2))
    if not count:
        panel.spot(*at)
        return
    with panel.piece(*at):
        for slot in range(count):
            x = GRID[0] - 92 + 33 * slot
            with panel.on_card():
                panel.rect(x, y + 2, 31, CELL - 4, "bk" if inactive else "g", radius=RADIUS)
                if inactive:
                    panel.use(f"back{number}", x + 15.5, y + CELL / 2, 0.9)
                else:
                    panel.use(ROWS[row], x + 15.5, y + CELL / 2)


def _cell(panel: Panel, drawing: _Drawing, number: int, cell: str) -> None:
    """Draw a cell of a Colonia."""
    player = drawing.view["players"][number]
    row, column = divmod(BOARD_CELLS.index(cell), 6)
    x, y = GRID[0] + column * CELL, GRID[1] + row * CELL
    down = player["face_down"]
    middle = (x + CELL / 2, y + CELL / 2)
    if cell in drawing.temples:
        panel.spot(f"{cell} {tr('temple')}", None, Box(x, y, CELL, CELL), tip="temple")
        return
    building = player["buildings"].get(cell)
    face = down.get(cell, "") if isinstance(down, Mapping) else "unknown" * (cell in down)
    words = f"{cell} {thing(building or 'free')}"
    if cell in CORNERS:
        crane = player["cranes"].get(cell)
        words = f"{cell} {tr('crane')}: {thing(crane) if crane else tr('not placed')}"
        if cell in player["face_up"]:
            words += f"; {tr('tile')}: {list_things(player['face_up'][cell])}"
    elif face:
        words = f"{cell} {tr('face down') if face == 'unknown' else list_things(face)}"
    at = (words, f"cell {number} {cell}", Box(x, y, CELL, CELL))
    if not (building or face or cell in player["cranes"] or cell in player["face_up"]):
        panel.spot(*at)
        return
    actions = panel.marks.actions.get(at[1], ())
    with panel.piece(*at, tip=building or ""):
        if cell in CORNERS:
            _corner(panel, player, cell, x, y)
        elif building:
            panel.use(building, *middle)
        else:
            _tile(panel, number, face, x + 2, y + 2)
        if actions and all(map(is_paid, actions)):
            _price(panel, x + PRICE, y + CELL - PRICE)
    if cell in player["face_up"] and cell in player["cranes"]:
        _plaque(panel, cell, player["cranes"][cell].split(" ")[0], x, y)


def _price(panel: Panel, x: float, y: float) -> None:
    """Draw the tribune that a place costs, in the corner that tiles leave free."""
    at = f'cx="{coordinate(x)}" cy="{coordinate(y)}"'
    with panel.on_card():
        panel.add(f'<circle {at} r="{PRICE}" class="c"/>')
        panel.use("tribune", x, y, 0.6)


def _plaque(panel: Panel, cell: str, colour: str, x: float, y: float) -> None:
    """Draw the colour of a covered crane outside its corner, away from the icons of the tile."""
    width, height = PLAQUE
    left = x - width - 1 if cell[0] == "A" else x + CELL + 1
    top = y - height - 1 if cell[1] == "1" else y + CELL + 1
    words = f"{cell} {tr('crane')}: {thing(f'{colour} covered')}"
    with panel.piece(words, tip=cell):
        panel.use(f"plaque-{colour}", left + width / 2, top + height / 2)


def _corner(panel: Panel, player: View, cell: str, x: float, y: float) -> None:
    """Draw a corner: the tile over a crane, an open crane with its colour, or a used one."""
    if cell in player["face_up"]:
        _face(panel, player["face_up"][cell], x + 2, y + 2)
        return
    colour, state = player["cranes"][cell].split(" ")
    if state == "used":
        panel.rect(x + 1, y + 1, CELL - 2, CELL - 2, "z", radius=SMALL_RADIUS)
        panel.text(x + CELL - 10, y + 14, "✓", "b m")
    panel.use("crane", x + 15, y + 19)
    panel.use(colour, x + CELL - 9, y + CELL - 10, 0.9)


def _resources(panel: Panel, player: View, number: int) -> None:
    """Draw the resources in two columns."""
    panel.use("purse", PURSE, GRID[1])
    for i, name in enumerate(RESOURCES):
        count = player["resources"].get(name, 0)
        x, y = PURSE + i % 2 * PURSE_CELL[0], GRID[1] + i // 2 * PURSE_CELL[1]
        words = tr("{colour} worker", colour=tr(name)) if name in COLOURS else tr(name)
        at = (f"{words}: {count}", f"resource {number} {name}", Box(x, y, TOUCH, PURSE_CELL[1]))
        if not count:
            panel.spot(*at)
            continue
        with panel.piece(*at):
            panel.rect(*at[2], "ht")  # so that the printed picture also has the tip
            panel.text(x + TOUCH / 2, y + 46, count, "x m")


def _side_of_slider(player: View) -> int:
    """Return 1 if a citizen of row 3 has flipped the player's slider, else 0."""
    return 1 if player["citizens"].get("3", 0) else 0


def _step_middle(track: Prestige, step: int) -> float:
    """Return the position of a prestige track's step, relative to the left edge of the cells."""
    return (step + 0.5) * SIZES * SIZE_WIDTH / (track.steps + 1)


def _slider(panel: Panel, drawing: _Drawing, number: int, y: float) -> float:
    """Draw the prestige track: VP by the size of the largest group, steps, and Trajan's bust."""
    player = drawing.view["players"][number]
    step, track = player["slider"], drawing.prestige
    side = _side_of_slider(player)
    bust = drawing.bust(player)
    words = "prestige step {step} of {steps}, Trajan's bust {bust}"
    words = tr(words, step=step, steps=track.steps, bust=bust)
    if side:
        words += f" ({tr('flipped')})"
    with panel.piece(words, f"slider {number}", Box(PAD, y, PANEL - 2 * PAD, SLIDER_HEIGHT)):
        panel.use("prestige", PAD, y)
        if side:
            panel.use("merchant", PAD + 42, y + 25, 0.7)
        left = PAD + SLIDER
        middles = (left + (size + 0.5) * SIZE_WIDTH for size in range(SIZES))
        values = (track.vp[column + step] for column in track.columns[side][1:])
        panel.texts(middles, y + 30, values, "b m")
        beside = 11 if step in track.cypress else 0
        panel.use("marker", left + _step_middle(track, step) - beside, y + 40)
        panel.text(356, y + 17, bust, "x m dk")
    return y + SLIDER_HEIGHT


def _tiles(panel: Panel, drawing: _Drawing, number: int, y: float) -> float:
    """Draw the ship, its first envoy, the start citizen before it is placed, and the tiles kept,
    received, picked or taken."""
    view = drawing.view
    player = view["players"][number]
    left = (number + 1) % len(view["players"])  # who passes a tile to this player
    with panel.piece(
        tr("ship: {count} envoys", count=player["ship"]), f"ship {number}", Box(PAD, y, 54, 36)
    ):
        if player["ship"]:
            panel.use(f"back{number}", PAD + 18, y + 18)
        else:
            panel.rect(PAD + 2, y + 2, TILE, TILE, "o", radius=RADIUS)
        panel.text(PAD + 40, y + 24, player["ship"], "x")
    x = 78.0
    tiles = []  # owner, face or None if the tile is gone, place, label and its longer form
    for source, owner, key, name in (
        ("own", number, "kept", "kept"),
        ("received", left, "passed", "received"),
    ):
        if key in view["players"][owner]:
            is_unused = drawing.is_unused(number, source)
            tile = view["players"][owner][key] if is_unused else None
            label = tr(name)
            words = label if is_unused else f"{label}: {tr('gone')}"
            tiles.append((owner, tile, f"{name} {number}", label, words))
    if "picked" in player and drawing.is_unused(number, "received"):
        picked = tr("picked")
        tiles.append((left, player["picked"], f"picked {number}", picked, picked))
    if drawing.pending.get("player") == number:
        for card, one in drawing.pending.get("taken", {}).items():
            label = street = drawing.street(int(card))
            words = tr("from {street}", street=street)
            if not drawing.is_in_street(number, int(card), one["cell"]):
                label = tr("{cell}, tribune", cell=one["cell"])
                words = tr("from {cell}, for a tribune", cell=one["cell"])
            tiles.append((number, one["tile"], f"taken {number} {card}", label, words))
    # Once envoys have left, it is unknown whether this tile was one of them.
    if "ship_tile" in player and not player["forum"]:
        place, words = f"first envoy {number}", tr("first envoy")
        label = tr("aboard") if player["ship"] == 1 else tr("lowest")  # later ones lie on top
        tiles.append((number, player["ship_tile"], place, label, words))
    if "start_citizen" in player and not player["citizens"]:
        citizen = tr("citizen")
        tiles.append((number, f"{player['start_citizen']}-f", f"start {number}", citizen, citizen))
    widths = [text_width(label) for *_, label, _ in tiles]
    room = PANEL - PAD - x - (TILE + 16) * len(tiles)
    share = min(1, room / max(1, sum(widths)))
    for (owner, tile, place, label, words), width in zip(tiles, widths, strict=True):
        face = tile and f": {tr('face down') if tile == 'unknown' else list_things(tile)}"
        space = width * share
        with panel.piece(
            f"{words}{face or ''}", place, Box(x - 1, y + 1, TILE + 12 + space, TOUCH)
        ):
            if tile is None:
                panel.rect(x, y + 2, TILE, TILE, "o", radius=RADIUS)
            else:
                _tile(panel, owner, tile, x, y + 2)
            panel.text(x + TILE + 6, y + 23, label, "q", limit=space)
        x += TILE + 16 + space
    return y + 36


def _reserve(panel: Panel, player: View, number: int, y: float) -> None:
    """Draw the tiles beside the Colonia; identical tiles share a place, so they are drawn once."""
    panel.text(PAD, y + 22, tr("Reserve"), "b", limit=56)
    flow = Flow(71, y, PANEL - 4, TILE + 3, 3)
    if not player["reserve"]:
        panel.text(72, y + 22, "–", "q")
    counts: Counter[str] = Counter(player["reserve"])
    for name, count in counts.items():
        at = flow.next(TILE)
        times = f" ×{count}" if count > 1 else ""
        with panel.piece(
            f"{tr('Reserve')}: {list_things(name)}{times}",
            f"reserve {number} {name}",
            Box(at[0] - 1, at[1] - 1, TOUCH, TOUCH),
        ):
            _face(panel, name, *at)
            panel.count(at[0] + TILE + 2, at[1] + TILE + 2, count)


def sprite() -> str:
    """Return an element with every symbol, for small pictures beside words."""
    boards = {
        f"{board}{side}-board": "".join(
            f'<use href="#m-{LETTERS[letter]}" x="{CELL * (j - 1)}" y="{CELL * (i - 1.5)}"/>'
            for i, line in enumerate(face)
            for j, letter in enumerate(line)
        )
        for (board, side), face in load(DEFAULT).faces.items()
    }
    # with their plots, buildings are larger than other pieces
    buildings = {
        name: f'<g transform="scale(.78)">{drawing}</g>' for name, drawing in BUILDINGS.items()
    }
    return svg_sprite(replace(LOOK, symbols=DRAWINGS | buildings | boards))


def pieces(text: str) -> list[str]:
    """Return the symbols of the pieces in an action or a name."""
    symbols = [] if not re.fullmatch("[0-9][ab]", text) else [f"{text}-board"]
    for word in text.split():
        whole = f"{word.removesuffix('-m').removesuffix('-f')}-tile"
        symbols += [whole] if whole in DRAWINGS else word.split("+")
    return [symbol for symbol in symbols if symbol in DRAWINGS or symbol.endswith("-board")]
