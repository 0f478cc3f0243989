"""Draw the table of Trajan as SVG from a view; parts that the view omits are face down."""

from collections.abc import Mapping, Sequence

from trajan_ai.core.languages import figure, tr
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
    draw_table,
    finish_status,
    first_numeral,
    name_board,
    of_player,
    player_name,
    status_panel,
    text_width,
)
from trajan_ai.games.drawing.svg import sprite as svg_sprite
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.fields import SENATE, next_space
from trajan_ai.games.trajan.rules import STACK_TILES
from trajan_ai.games.trajan.symbols import CARD, DRAWINGS, TILE
from trajan_ai.games.trajan.words import phrase, thing

STACK_OF_EFFECT = {tile.effect: tile.stack for tile in C.tiles}
DEMANDS = 3  # maximum number of demands revealed in a quarter
INNER = PANEL - 2 * PAD
TRACK_ROWS = 3  # rows of the time track
SLOT = (58, 46)  # size of a Trajan tile
BONUS = 86  # width of a bonus tile, unless a row has too many of them
FRAME = 7  # between places, for the frame around one of them
DISC = 20  # height of a disc of the senate
SLOTS_TOP = 38  # vertical position of the slots on a player's board
FIELDS_TOP = SLOTS_TOP + SLOT[1] + 1
TRAYS_TOP = FIELDS_TOP + 22
# The arrow from tray VI back to tray I, below the trays.
CYCLE = "M379 28h1q4 0 4 4v23q0 4-4 4H9q-4 0-4-4V32q0-4 4-4M6 24.5L9.5 28 6 31.5"
FORUM_ROW = 10  # tiles in a row of the forum
TRAY_OF = dict(zip(C.actions, C.trays, strict=True))

# The map: for each province, the top left corner of the pieces in it, and its outline. The
# outlines of two neighbours have the same points along their common border.
MAP_HEIGHT = 266
NODE = (114, 60)
PROVINCES = {
    "britannia": (7, 1),
    "germania-inferior": (160, 4),
    "lugudunensis": (7, 70),
    "belgica": (135, 68),
    "germania-superior": (263, 68),
    "aquitania": (6, 135),
    "alpes": (138, 136),
    "raetia": (263, 136),
    "narbonensis": (18, 202),
    "camp": (170, 202),
    "noricum": (266, 203),
}
LAND = {
    "britannia": ("la", "4 4 70 0 118 3 128 20 124 42 126 60 60 63 8 59"),
    "germania-inferior": (
        "lc",
        "154 6 220 1 280 5 284 34 290 65 262 66 200 62 150 65 147 36",
    ),
    "lugudunensis": (
        "lb",
        "3 72 60 69 128 66 131 100 137 132 135 165 138 199 120 198 122 165 120 133 60 134 3 131",
    ),
    "belgica": (
        "la",
        "128 66 150 65 200 62 262 66 258 100 266 132 254 132 196 135 137 132 131 100",
    ),
    "germania-superior": (
        "lb",
        "262 66 290 65 340 67 385 64 386 131 330 134 266 132 258 100",
    ),
    "aquitania": ("lc", "3 131 60 134 120 133 122 165 120 198 60 201 3 197"),
    "alpes": (
        "lc",
        "137 132 196 135 254 132 251 165 254 199 210 197 172 200 158 197 138 199 135 165",
    ),
    "raetia": ("la", "254 132 266 132 330 134 386 131 385 198 320 201 266 199 254 199 251 165"),
    "narbonensis": ("la", "3 197 60 201 120 198 138 199 158 197 152 225 146 258 70 264 5 261"),
    "camp": (
        "ld",
        "172 200 210 197 254 199 266 199 264 230 262 261 220 265 168 261 174 228",
    ),
    "noricum": ("lc", "266 199 320 201 385 198 386 262 320 265 262 261 264 230"),
}
BARBARIA = "280 5 386 2 385 64 340 67 290 65 284 34"
# Roads, and routes at sea: each crosses the border between two neighbours.
ROADS = (
    "M120 104l20 4M94 124l-2 18M126 152l22 4M128 186l2 24M168 126l2 16M256 122l4 20M246 92l18 2"
    "M190 72l2-18M350 124l-2 18M278 76l4-20M240 186l22 2M148 188l-2 20M78 188l4 20M350 188l-4 20"
)
CAMP_ROADS = "M220 186v26M256 186l4 26M248 250l18 2"
SEA_ROUTES = "M80 52l-4 24M112 50l30 24M116 24h42"
# Symbols of actions without an object, and of kinds of pieces.
OF_VERB = {"recruit": "legion", "deploy": "legion", "hire": "worker", "senate": "senate"}
OF_VERB |= {"draw": "cards2", "extra": "again"}
OF_KIND = {"cards": "cards2", "workers": "worker", "worker1": "worker", "worker2": "worker"}
OF_KIND |= {"legions": "legion", "legion1": "legion", "legion2": "legion", "gold": "goldtile"}
SHORT = {"germania-inferior": "Germania inf.", "germania-superior": "Germania sup."}
STYLE = themed(
    """
.t1{letter-spacing:.15em}
.k{stroke:currentColor}
.sv{fill:#dcdcd6;stroke:#6b6b66}
.ci{fill:none;stroke:#e0d2b4}
.la{fill:$land1;stroke:$edge}
.lb{fill:$land2;stroke:$edge}
.lc{fill:$land3;stroke:$edge}
.ld{fill:$tray;stroke:$edge}
.r{fill:none;stroke:$faint;stroke-width:3;stroke-dasharray:3 1.5}
.v{fill:none;stroke:$faint;stroke-width:2;stroke-dasharray:2 4}
.se{fill:$sea}
.wv{fill:none;stroke:$wave;stroke-width:1.6;stroke-linecap:round}
.st{fill:$street}
.sl{fill:none;stroke:$edge;stroke-dasharray:5 5}
.pt{fill:$plot;stroke:$edge}
.de{fill:#e3ecd2;stroke:#4d6b1d;stroke-width:2}
.cy{fill:none;stroke:$faint;stroke-width:1.6}
.nx{fill:none;stroke:$red;stroke-width:2;stroke-dasharray:7 4;pointer-events:none}
"""
)
LOOK = Look("trajan", DRAWINGS, STYLE)


def draw(
    view: View,
    *,
    last: tuple[int, str] | None = None,
    suggested: Sequence[str] = (),
    legal: Sequence[str] = (),
    width: int = WIDE,
) -> str:
    """Return the table of a view as an SVG element; see `HasPicture`."""
    decider = view["to_decide"]["player"] if view["to_decide"] else 0
    done = traces(view, [last[1]], last[0]) if last else ()
    marks = Marks.of(done, suggested, legal, lambda action: places(view, action, decider))
    players = [_player(view, player, marks) for player in range(len(view["players"]))]
    head = [_status(view, marks, last, suggested), _time(view, marks), _scores(view, marks)]
    land, sites = _map(view, marks), _sites(view, marks)
    forum, port = _forum(view, marks), _seaport(view, marks)
    senate, stacks = _senate(view, marks), _stacks(view, marks)
    columns = {
        2: [[land, sites], [players[0], forum, senate], [players[1], port, stacks]],
        3: [[land, sites, port], [players[0], forum, senate, stacks], players[1:]],
        4: [[land, sites, forum, senate], [*players[:2], port], [*players[2:], stacks]],
    }[len(players)]
    return draw_table(
        LOOK,
        add_scores(f"Trajan, {_when(view)}", view),
        head,
        columns,
        marks=marks,
        first=first_numeral(view),
        width=width,
    )


# --- places


def places(view: View, action: str, player: int) -> list[str]:
    """Return the places where `player` carries out a legal action, first the one to click."""
    verb, _, rest = action.partition(" ")
    name = rest.split(" ")[0] if rest else ""
    board = view["players"][player]
    fixed = {
        "sow": [f"tray {player} {name}"],
        "drop": [f"marker {name}"],
        "marker": [f"marker {name}"],
        "plus2": [f"tray {player} {TRAY_OF.get(name)}", f"field {player} {name}"],
        "draw": ["deck"],
        "take": [f"pile {name}"],
        "play": [f"hand {player} {name}"],
        "pair": [f"hand {player} {name}"],
        "card": [f"hand {player} {name}"],
        "ship": [f"ship {name}"],
        "discard": [f"hand {player} {name}", f"pile {rest.split(' ')[-1]}"],
        "forum": [f"forum {name}"],
        "recruit": [f"camp {player} legionnaires"],
        "march": [f"province {name}"],
        "deploy": [f"province {board['leader']}"],
        "senate": [f"senate {next_space(board['senate'])}"],
        "tile": [f"stack {name}"],
        "start": [f"stack {name}"],
        "hire": [f"camp {player} workers"],
        "build": [f"site {name}"],
        "bonus": [f"offer {name}"],
        "goods": ["deck" if name == "deck" else f"pile {name}"],
    }
    if verb == "extra":
        wild = rest == "wild" or not view["to_decide"]
        kind = "wild-action" if wild else f"extra-{_repeatable_action(view)}"
        return [f"tile {player} {kind}"]
    return fixed.get(verb, [f"choice {action}"])


def traces(view: View, actions: Sequence[str], player: int) -> list[str]:
    """Return the places that show the last actions of `player`; see `HasPlaces`.

    For a tray that was sown, this is the place of its last marker, which decides the action.
    """
    is_sown = any(action.startswith("sow ") for action in actions)
    traced = [action for action in actions if not (is_sown and action.startswith("drop "))]
    return [place for action in traced for place in _find_traces(view, action, player)]


def _find_traces(view: View, action: str, player: int) -> list[str]:
    verb, *words = action.split()
    name, detail = words[0] if words else "", words[1] if words[1:] else ""
    board = view["players"][player]
    fixed = {
        "sow": [f"tray {player} {detail}" if detail else _last_tray(view, player)],
        # forced markers may follow; the last one decides the action
        "drop": [f"tray {player} {words[-1]}" if detail else _last_tray(view, player)],
        "marker": [f"tray {player} {detail}" if detail else f"trays {player}"],
        "plus2": [f"plus2 {player} {name}"],
        "draw": [f"hand {player}"],
        "take": [f"hand {player} {name}" if detail else f"hand {player}"],
        "goods": [f"hand {player} {name}" if detail else f"hand {player}"],
        "play": [f"display {player} {name}"],
        "pair": [f"display {player} {name}"],
        "card": [f"display {player} {name}"],
        "ship": [f"ship {name}", f"display {player} {detail}"],
        "discard": [f"pile {detail}"],
        "forum": [f"tile {player} {name}"],
        "march": [f"leader {player}"],
        "deploy": [f"legionnaire {player} {board['leader']}"],
        "senate": [f"disc {player}"],
        "tile": [f"slot {player} {detail}" if detail else _last_slot(board, name, player)],
        "start": [f"slot {player} {detail}" if detail else _last_slot(board, name, player)],
        "recruit": [f"camp {player} legionnaires"],
        "hire": [f"camp {player} workers"],
        "build": [f"worker {player} {name}"],
        "bonus": [f"bonus {player} {name}"],
    }
    return fixed.get(verb, [])


def _repeatable_action(view: View) -> str:
    """Return the action that an extra-action tile can repeat now."""
    pending = view["to_decide"]
    return str(pending.get("free_action") or pending.get("action"))


def _last_slot(board: View, stack: str, player: int) -> str:
    """Return the slot that received a tile of `stack`, or all slots if several are possible."""
    trays = [tray for tray, tile in board["slots"].items() if C.tile[tile].stack == stack]
    return f"slot {player} {trays[0]}" if len(trays) == 1 else f"slots {player}"


def _last_tray(view: View, player: int) -> str:
    """Return the tray that received the last marker, or all trays if it is unknown."""
    pending = view["to_decide"] or {}
    if pending.get("turn_of") == player:
        if "next_tray" in pending:
            return f"tray {player} {C.trays[C.trays.index(pending['next_tray']) - 1]}"
        if "action" in pending:
            return f"tray {player} {TRAY_OF[pending['action']]}"
    return f"trays {player}"


# --- pieces


def _plural(count: int, name: str) -> str:
    return f"{count} {thing(name)}" if count != 1 else thing(name)


def _token_box(x: float, y: float) -> Box:
    """Return the box of a token that is centred at a point."""
    return Box(x - 10, y - 10, 20, 20)


def _tile_face(panel: Panel, name: str, x: float, y: float) -> None:
    """Draw a forum tile; `x` and `y` are its top left corner."""
    panel.use(f"{name}-tile", x + TILE / 2, y + TILE / 2)


def _trajan_tile(panel: Panel, name: str, x: float, y: float) -> None:
    """Draw a Trajan tile with its effect, its VP and the two colours that it requires."""
    tile = C.tile[name]
    effect, count = tile.effect, ""
    if effect[:-1] in ("worker", "legion"):
        effect, count = effect[:-1], effect[-1]
    with panel.on_card():
        panel.rect(x, y + 2, *SLOT, "sh", radius=RADIUS)
        panel.rect(x, y, *SLOT, "c", radius=RADIUS)
        if count == "2":
            panel.use(effect, x + 24, y + 14, 0.85)
        panel.use(effect, x + 13, y + 14, 1 if effect in ("plus2", "cards2") else 0.85)
        panel.use(f"v{tile.vp}", x + 46, y + 12)
        for i, colour in enumerate(tile.colours):
            panel.use(colour, x + 18 + 22 * i, y + 35)


def _tile_words(name: str) -> str:
    tile = C.tile[name]
    return tr(
        "Trajan tile {effect}, {vp} VP, {colours}",
        effect=thing(tile.effect),
        vp=tile.vp,
        colours=" + ".join(map(tr, tile.colours)),
    )


def _bonus_tile(
    panel: Panel, name: str, gold: bool, x: float, y: float, *, width: float = BONUS
) -> None:
    """Draw a bonus tile with its VP and what brings them; (`x`, `y`) is the top left corner."""
    value = C.data["bonus_tiles"][name][0 if gold else 1]
    subject = name.removeprefix("bonus-")
    each = f"{value}×" if subject not in C.symbols else f"{value}"
    if subject == "workers":  # the value is for two workers
        each = "1×" if gold else "½×"
    things = [OF_KIND.get(one, one) for one in subject.split("-")]
    left = 0.36 * width  # left edge of the pieces
    room = (width - left - 2) / len(things)
    with panel.on_card():
        panel.rect(x, y + 2, width, TILE, "sh", radius=RADIUS)
        panel.rect(x, y, width, TILE, "g" if gold else "sv", radius=RADIUS)
        style, down = ("x m", 22) if text_width(each, HEAD) < left - 6 else ("b m", 21)
        panel.text(x + left / 2 + 1, y + down, each, style, limit=left - 2)
        for i, one in enumerate(things):
            panel.use(one, x + left + (i + 0.5) * room, y + 16, min(1, room / 24))


def _building(panel: Panel, name: str, x: float, y: float) -> None:
    """Draw a building tile with its VP, centred at a point."""
    panel.use(name[:-1], x - 6, y)
    panel.use(f"v{name[-1]}", x + 11, y + 5)


def _card(panel: Panel, good: str, x: float, y: float, count: int) -> None:
    """Draw goods cards of one kind."""
    panel.use(f"{good}-card", x + CARD[0] / 2, y + CARD[1] / 2)
    panel.count(x + CARD[0] + 3, y + CARD[1] + 3, count)


# --- panels for the whole table


def _when(view: View) -> str:
    when = "quarter {quarter} of 4, round {round} of 4"
    return tr(when, quarter=view["quarter"], round=view["round"])


def _status(
    view: View, marks: Marks, last: tuple[int, str] | None, suggested: Sequence[str]
) -> Panel:
    """Draw the player to move, the last move and suggestions."""
    panel = status_panel("TRAJAN", view, marks, tr("all cards open"), decision)
    return finish_status(panel, view, last, suggested=suggested, words=phrase)


def decision(pending: View) -> str:
    """Return the pending decision in words."""
    words = tr(str(pending["decision"]))
    if pending.get("free_action") and pending.get("in_free_action"):
        words += f" ({tr('free action')})"
    if pending.get("repeating"):
        words += f" ({tr('repeated')})"
    if pending.get("after"):
        after = pending["after"]
        things = [after] if isinstance(after, str) else after
        words += " " + tr("after {things}", things=", ".join(map(thing, things)))
    return words


def _markers(panel: Panel, pending: View) -> bool:
    """Draw the markers in hand, or the selectable colours; return whether there are any."""
    hand = pending.get("markers_in_hand", [])
    colours = list(C.colours) if pending["decision"] == "marker" else hand
    if not colours:
        return False
    words = tr("Markers")
    if "next_tray" in pending:
        words = tr("into {tray}:", tray=pending["next_tray"])
    panel.text(36, 24, words, "b", limit=50)
    counts = {colour: colours.count(colour) for colour in C.colours if colour in colours}
    x = 92.0
    for colour, count in counts.items():
        words = f"{tr('marker')} {_plural(count, colour)}"
        with panel.piece(words, f"marker {colour}", Box(x, 3, TOUCH, TOUCH)):
            for i in range(count):
                panel.use(colour, x + TOUCH / 2 + 14 * (i - (count - 1) / 2), 20)
        x += TOUCH + 1
    return True


def _time(view: View, marks: Marks) -> Panel:
    """Draw the time track, quarters and rounds, and the demands of the quarter."""
    panel = Panel("Time", marks)
    words = _when(view)
    with panel.piece(words, "time", Box(PANEL / 2, 4, PANEL / 2 - PAD, 20)):
        panel.text(PANEL - PAD, 20, words, "q e")
    bottom = _track(panel, view)
    with panel.piece(tr("demands"), "demands", Box(PAD, bottom + 6, 70, TILE)):
        panel.text(PAD, bottom + 27, tr("Demands"), "b", limit=76)
    flow = Flow(92, bottom + 6, PANEL, TILE, 6)
    demands = [name for name, count in view["demands"].items() for _ in range(count)]
    for i in range(DEMANDS):
        x, y = flow.next(TILE)
        if i < len(demands):
            with (
                panel.piece(f"{tr('demand')} {thing(demands[i])}", tip="demand"),
                panel.part(f"demand {demands[i]}", Box(x, y, TILE, TILE)),
            ):
                _tile_face(panel, demands[i], x, y)
        else:
            panel.rect(x, y, TILE, TILE, "o", radius=RADIUS)
    loss = C.data["demand_loss"]
    lines = (tr("unmet 1, 2, 3:"), f"−{loss[1]}, −{loss[2]}, −{loss[3]} {tr('VP')}")
    with panel.piece(" ".join(lines), tip="demands"):
        panel.text(PANEL - PAD, bottom + 19, lines[0], "q e", limit=170)
        panel.text(PANEL - PAD, bottom + 36, lines[1], "q e")
    panel.height = bottom + 6 + TILE + 8
    return panel


def _lap_length(view: View) -> int:
    default: int = C.data["players"][len(view["players"])]["lap_length"]
    length: int = view["options"].get("lap_length", default)
    return length


def _track(panel: Panel, view: View) -> float:
    """Draw the time track; return the position of its lower edge."""
    length, at = _lap_length(view), view["time_marker"]
    per_row = 21 if length <= 21 * TRACK_ROWS else 0
    if not per_row:
        panel.text(
            PAD,
            TITLE + 24,
            tr("time marker on space {space} of {length}", space=at, length=length),
            "b",
        )
        return TITLE + 32
    width = min(INNER / min(length, per_row), 33.0)
    for space in range(length):
        x = PAD + space % per_row * width
        y = TITLE + 4 + space // per_row * 30
        here = space == at
        style = "t" if here else "z" if space else "d"
        panel.rect(x, y, width - 2, 24, style, radius=SMALL_RADIUS)
        if here:
            with panel.piece(tr("time marker on space {space}", space=space), tip="Time"):
                panel.use("again", x + width / 2 - 1, y + 12, 0.7)
        elif space % 5 == 0:
            panel.text(x + width / 2 - 1, y + 16, space, "m q")
    return TITLE + 30 * ((length - 1) // per_row + 1)


def _scores(view: View, marks: Marks) -> Panel:
    """Draw a bar of VP for each player."""
    panel = Panel("Victory points", marks)
    boards = view["players"]
    most = max(100, *(board["score"] for board in boards))
    row = 24
    bottom = TITLE + 4 + row * len(boards)
    left, length = 80, 292  # of the bars
    for points in range(0, most + 1, 20 if most <= 160 else 50):
        x = left + length * points / most
        panel.line(x, TITLE + 5, x, bottom - 2, "tick")
        panel.text(x, bottom + 12, points, "q m")
    for player, board in enumerate(boards):
        y = TITLE + 4 + row * player
        score = figure(board["score"])
        words = tr("{name}: {score} VP", name=player_name(view, player), score=score)
        with panel.piece(words, f"score {player}", Box(PAD, y, INNER, row)):
            panel.use(f"k{player}", PAD + 10, y + 10)
            panel.text(left - 8, y + 15, score, "x e")
            panel.rect(left, y + 3, length, 12, "d", radius=SMALL_RADIUS)
            won = max(0, board["score"]) * length / most
            panel.rect(left, y + 3, won, 12, f"c{player}", radius=SMALL_RADIUS)
    panel.height = bottom + 20
    return panel


def _map(view: View, marks: Marks) -> Panel:
    """Draw the provinces as a map, with tiles, leaders and legionnaires."""
    panel = Panel("Provinces", marks)
    panel.rect(1, TITLE, PANEL - 2, MAP_HEIGHT, "se")
    panel.add(f'<g transform="translate(0 {TITLE})"><path d="M{BARBARIA}z" class="ld"/>')
    for x, y in ((300, 30), (326, 22), (352, 34), (318, 46)):
        panel.add(f'<path d="M{x} {y}l8-13 8 13" class="wv"/>')
    for x, y in ((122, 12), (3, 66), (88, 66)):
        panel.use("waves", x - 8, y, 0.5)
    panel.add("</g>")
    for province in C.provinces:
        _province(panel, view, province)
    x, y = PROVINCES["camp"]
    y += TITLE
    with panel.piece(tr("camp"), tip="leader"):
        panel.add(_land("camp"))
        panel.text(x + 46, y + 16, tr("camp"), "q m")
        leaders = [i for i, board in enumerate(view["players"]) if board["leader"] == "camp"]
        for i, player in enumerate(leaders):
            _leader(panel, player, x + 14 + 22 * i, y + 40)
    for path, style in ((ROADS, "r"), (CAMP_ROADS, "r"), (SEA_ROUTES, "v")):
        panel.add(f'<path d="{path}" transform="translate(0 {TITLE})" class="{style}"/>')
    panel.height = TITLE + MAP_HEIGHT + 2
    return panel


def _land(province: str) -> str:
    style, points = LAND[province]
    return f'<path d="M{points}z" transform="translate(0 {TITLE})" class="{style}"/>'


def _leader(panel: Panel, player: int, x: float, y: float) -> None:
    """Draw a leader: the player's token under a standard."""
    with panel.part(f"leader {player}", Box(x - 10, y - 17, 27, 27)):
        panel.use(f"k{player}", x, y)
        panel.use("leader", x + 9, y - 9, 0.9)


def _province(panel: Panel, view: View, province: str) -> None:
    x, y = PROVINCES[province]
    y += TITLE
    boards = view["players"]
    leaders = [i for i, board in enumerate(boards) if board["leader"] == province]
    legions = [i for i, board in enumerate(boards) if province in board["legionnaires"]]
    tile = view["provinces"].get(province)
    words = [f"{thing(province)}, {C.data['provinces'][province]} {tr('VP')}"]
    words += [thing(tile) if tile else tr("no tile")]
    words += [tr("leader {of}", of=of_player(view, i)) for i in leaders]
    words += [tr("legionnaire {of}", of=of_player(view, i)) for i in legions]
    with panel.piece(", ".join(words), f"province {province}", Box(x, y, *NODE)):
        panel.add(_land(province))
        panel.text(x + 5, y + 15, SHORT.get(province, thing(province)), limit=NODE[0] - 32)
        panel.use(f"v{C.data['provinces'][province]}", x + NODE[0] - 11, y + 12)
        if tile:
            _tile_face(panel, tile, x + 5, y + 23)
        # side by side, or leaders above legionnaires where a row has no room for all of them
        in_rows = len(legions) + len(leaders) > 3
        for i, player in enumerate(legions):
            at = (x + 50 + 19 * i, y + (50 if in_rows else 44))
            with panel.part(f"legionnaire {player} {province}", _token_box(*at)):
                panel.use(f"k{player}", *at)
        for i, player in enumerate(leaders):
            at = (i, y + 30) if in_rows else (len(legions) + i, y + 40)
            _leader(panel, player, x + 50 + 19 * at[0], at[1])


def _sites(view: View, marks: Marks) -> Panel:
    """Draw the construction sites as plots between streets, with buildings and workers."""
    panel = Panel("Construction sites", marks)
    left, top, width, height = 26, TITLE + 18, 71, 46
    panel.rect(left - 4, top - 4, 5 * width + 5, 4 * height + 5, "st", radius=RADIUS)
    for row in range(1, 4):
        panel.line(left, top + row * height - 1.5, left + 5 * width - 3, top + row * height - 1.5,
                   "sl")  # fmt: skip
    for i, column in enumerate(C.data["site_columns"]):
        panel.text(left + width * (i + 0.5) - 2, TITLE + 10, column, "b m q")
    for i, site in enumerate(C.sites):
        x, y = left + i % 5 * width, top + i // 5 * height
        if i % 5 == 0:
            panel.text(13, y + 25, site[1:], "b m q")
        workers = [p for p, board in enumerate(view["players"]) if site in board["workers"]]
        building = view["sites"].get(site)
        words = f"{tr('site')} {site}, {thing(building) if building else tr('no building')}"
        words += "".join(", " + tr("worker {of}", of=of_player(view, p)) for p in workers)
        with panel.piece(words, f"site {site}", Box(x, y, width - 5, height - 5)):
            panel.rect(x, y, width - 5, height - 5, "pt", radius=SMALL_RADIUS)
            if building:
                with panel.on_card():
                    panel.rect(x + 2, y + 4, width - 9, height - 9, "sh", radius=SMALL_RADIUS)
                    panel.rect(x + 2, y + 2, width - 9, height - 9, "c", radius=SMALL_RADIUS)
                    panel.use(building[:-1], x + 20, y + 20, 1.3)
                    panel.use(f"v{building[-1]}", x + 51, y + 20)
            else:
                panel.rect(x + 5, y + 5, width - 15, height - 15, "o", radius=SMALL_RADIUS)
            for j, player in enumerate(workers):
                shift = 16 * (j - (len(workers) - 1) / 2)
                with panel.part(f"worker {player} {site}", _token_box(x + 33 + shift, y + 20)):
                    panel.use(f"k{player}", x + 33 + shift, y + 20)
    panel.height = top + 4 * height + 6
    return panel


def _forum(view: View, marks: Marks) -> Panel:
    """Draw the tiles in the forum."""
    panel = Panel("Forum", marks)
    most = C.data["players"][len(view["players"])]["forum"] + C.data["extra_spaces"]
    slabs = Flow(PAD + 1, TITLE + 4, PANEL - PAD, TILE + 6, 5)
    corners = [slabs.next(TILE) for _ in range(most)]
    path = "".join(f"M{x:g} {y:g}h{TILE}v{TILE}h-{TILE}z" for x, y in corners)
    panel.add(f'<path d="{path}" class="z"/>')
    flow = Flow(PAD + 1, TITLE + 4, PANEL - PAD, TILE + 6, 5)
    for name, count in view["forum"].items():
        corners = [flow.next(TILE) for _ in range(count)]
        x, y = corners[0]
        right = max(corner[0] for corner in corners if corner[1] == y) + TILE
        box = Box(x - 1, y - 1, right - x + 2, TOUCH)
        with panel.piece(_plural(count, name), f"forum {name}", box):
            for corner in corners:
                _tile_face(panel, name, *corner)
    panel.height = TITLE + 6 + -(-most // FORUM_ROW) * (TILE + 6)
    return panel


def _deck_size(view: View) -> int:
    """Return the number of cards in the deck: all, minus those in hands, displays and piles."""
    out = sum(board["hand_size"] + sum(board["display"].values()) for board in view["players"])
    piles = sum(len(pile) for pile in view["discard_piles"].values())
    return len(C.goods_deck()) - int(out) - piles


def _seaport(view: View, marks: Marks) -> Panel:
    """Draw ships, discard piles and the deck."""
    panel = Panel("Seaport", marks)
    width = (INNER - 12) / 3
    panel.rect(1, TITLE, PANEL - 2, 72, "se")
    for wave in ((6, 68), (56, 67), (130, 69), (182, 67), (258, 68), (310, 69)):
        panel.use("waves", wave[0], TITLE + wave[1])
    for i, (ship, scores) in enumerate(C.data["ships"].items()):
        x, y = PAD + i * (width + 6), TITLE + 3
        coloured = ship in view["coloured_ships"]
        side = "coloured" if coloured else "grey"
        use = tr("first use") if coloured else tr("used")
        with panel.piece(f"{tr('ship')} {tr(ship)}, {use}", f"ship {ship}", Box(x, y, width, 62)):
            panel.use("hull", x + 23, y + 24)
            panel.use(f"{side}-sail", x + 23, y + 24)
            panel.text(x + 47, y + 17, tr(ship), "b", limit=width - 48)
            panel.text(x + 47, y + 34, use, "q", limit=width - 48)
            values = " · ".join(map(str, scores[side]))
            panel.text(x + width / 2, y + 57, values, "m b", limit=width - 4)
    y = TITLE + 76
    panel.rect(1, y - 6, PANEL - 2, 6, "z")
    deck = _deck_size(view)
    with panel.piece(tr("goods deck, {count} cards", count=deck), "deck", Box(PAD, y, 112, 42)):
        if deck:
            panel.use("back", PAD + 16, y + 21)
        else:
            panel.rect(PAD + 2, y + 3, *CARD, "o", radius=SMALL_RADIUS)
        panel.text(PAD + 38, y + 17, tr("deck"), "q")
        panel.text(PAD + 38, y + 34, deck, "b")
    for i, (side, pile) in enumerate(view["discard_piles"].items()):
        x = PAD + (i + 1) * (width + 6)
        top, name = tr("empty"), tr(f"{side} pile")
        if pile:
            top = tr("top {good}, {count} cards", good=tr(pile[-1]), count=len(pile))
        with panel.piece(f"{name}, {top}", f"pile {side}", Box(x, y, width, 42)):
            if pile:
                _card(panel, pile[-1], x + 2, y + 3, 1)
            else:
                panel.rect(x + 2, y + 3, *CARD, "o", radius=SMALL_RADIUS)
            panel.text(x + 38, y + 17, name, "q", limit=width - 44)
            words = f"{len(pile)} · {tr(pile[-1])}" if pile else "0"
            panel.text(x + 38, y + 34, words, "b", limit=width - 44)
    panel.height = y + 48
    return panel


def _senate(view: View, marks: Marks) -> Panel:
    """Draw the senate as steps with discs on them, and the bonus tiles on offer."""
    panel = Panel("Senate", marks)
    width, top = 31, TITLE + 2
    height = max(86, 32 + DISC * len(view["players"]))
    for i, votes in enumerate(SENATE):
        x, step = PAD + i * width, 16 + 2.2 * i
        discs = [p for p in view["senate_order"] if view["players"][p]["senate"] == votes]
        words = tr("start") if votes == 0 else tr("{count} votes", count=votes)
        if discs:
            names = (player_name(view, p) for p in discs)
            words += f", {tr('from below')} {', '.join(names)}"
        with panel.piece(words, f"senate {votes}", Box(x - 2, top, TOUCH, height)):
            panel.rect(x, top + height - step, width, step, "z")
            panel.text(x + width / 2, top + height - 4, votes or "–", "m b")
            for j, player in enumerate(discs):
                at = (x + width / 2, top + height - step - 10 - DISC * j)
                with panel.part(f"disc {player}", _token_box(*at)):
                    panel.use(f"k{player}", *at)
    panel.text(PANEL - PAD, 20, tr("on offer"), "q e")
    x = PANEL - PAD - BONUS
    for i, name in enumerate(view["bonus_offer"]):
        at = (x, top + (TOUCH + 3) * i)
        box = Box(x, at[1] - 1, BONUS, TOUCH)
        with panel.piece(f"{tr('on offer')} {thing(name)}", f"offer {name}", box):
            _bonus_tile(panel, name, True, *at)
    votes_of = [_votes(board) for board in view["players"]]
    words = tr("votes") + " " + " · ".join(map(str, votes_of))
    with panel.piece(words, tip="votes"):
        panel.text(PANEL - PAD, top + height - 2, words, "b e", limit=110)
    panel.height = top + height + 8
    return panel


def _votes(board: View) -> int:
    """Return the votes of a player, from the space of the disc and from vote tiles."""
    tiles: Mapping[str, int] = board["forum_tiles"]
    owned = sum(int(t[-1]) * n for t, n in tiles.items() if t.startswith("votes"))
    return int(board["senate"]) + owned


def _stack_sizes(view: View) -> dict[str, int]:
    """Return the size of each Trajan stack: all tiles, minus those on slots or out of the game."""
    if "trajan_stacks" in view:
        return dict(view["trajan_stacks"])
    out = [
        *view["trajan_gone"],
        *(t for board in view["players"] for t in board["slots"].values()),
    ]
    pending = view["to_decide"] or {}
    effects = [C.tile[name].effect for name in out] + [
        C.tile[pending["effect"]].effect for _ in range("effect" in pending)
    ]
    stacks = [STACK_OF_EFFECT[effect] for effect in effects]
    return {stack: STACK_TILES - stacks.count(stack) for stack in C.stacks}


def _stacks(view: View, marks: Marks) -> Panel:
    """Draw the top tiles of the Trajan stacks."""
    panel = Panel("Trajan tiles", marks)
    for i, (stack, size) in enumerate(_stack_sizes(view).items()):
        x, y = PAD + i * 62, TITLE + 4
        name = view["trajan_tops"].get(stack)
        words = _tile_words(name) if name else tr("face down" if size else "empty")
        with panel.piece(
            tr("stack {stack}, {top}, {count} tiles", stack=thing(stack), top=words, count=size),
            f"stack {stack}",
            Box(x, y, SLOT[0], SLOT[1] + 27),
        ):
            for depth in range(min(3, size // 2), 0, -1):
                panel.rect(x, y + 2 * depth, *SLOT, "c", radius=RADIUS)
            if name:
                _trajan_tile(panel, name, x, y)
            else:
                panel.rect(x, y, *SLOT, "f" if size else "o", radius=RADIUS)
                if size:
                    panel.use("arch", x + SLOT[0] / 2, y + SLOT[1] / 2)
            panel.text(x + SLOT[0] / 2, y + SLOT[1] + 20, f"×{size}", "q m")
    panel.height = TITLE + SLOT[1] + 32
    return panel


# --- a player's board


def _player(view: View, player: int, marks: Marks) -> Panel:
    board = view["players"][player]
    pending = view["to_decide"] or {}
    is_deciding = pending.get("player") == player
    panel = board_panel(view, player, marks)
    if not (is_deciding and _markers(panel, pending)):
        name_board(panel, view, player)
    add_score(panel, view, player)
    panel.add(f'<path d="{CYCLE}" transform="translate(0 {TRAYS_TOP})" class="cy"/>')
    for i in range(len(C.trays)):
        _tray(panel, board, player, i, is_next=is_deciding and pending.get("next_tray"))
    panel.places[f"slots {player}"] = Box(PAD, SLOTS_TOP, INNER, SLOT[1])
    panel.places[f"trays {player}"] = Box(PAD, TRAYS_TOP, INNER, 57)
    y = TRAYS_TOP + 62
    _hand(panel, view, player, y)
    _display(panel, board, player, y + 39)
    _figures(panel, board, player, y + 79)
    _possessions(panel, board, player, y + 117)
    panel.height = y + 194
    return panel


def _tray(panel: Panel, board: View, player: int, i: int, *, is_next: object) -> None:
    """Draw a slot, its action field and its tray; `is_next` is the tray to fill next."""
    tray, action = C.trays[i], C.actions[i]
    x = PAD + i * 62
    middle = x + SLOT[0] / 2
    tile = board["slots"].get(tray)
    if tile:
        box = Box(x, SLOTS_TOP, *SLOT)
        with panel.piece(
            f"{tr('slot')} {tray}, {_tile_words(tile)}", f"slot {player} {tray}", box
        ):
            _trajan_tile(panel, tile, x, SLOTS_TOP)
    else:
        has_arch = board["arch"] == tray
        words = f"{tr('slot')} {tray}, {tr('arch' if has_arch else 'empty')}"
        with panel.piece(words, tip="arch" if has_arch else "slots"):
            panel.rect(x, SLOTS_TOP, *SLOT, "o", radius=RADIUS)
            if has_arch:
                panel.use("arch", middle, SLOTS_TOP + 23, 1.3)
    plus2 = action in board["plus2"]
    words = f"{tr('field')} {thing(action)}" + (f", {tr('+2 marker')}" if plus2 else "")
    with panel.piece(words, f"field {player} {action}", Box(x, FIELDS_TOP, SLOT[0], 20)):
        panel.use(action, middle - 20, FIELDS_TOP + 11, 0.7)
        panel.text(middle - 2 * plus2, FIELDS_TOP + 16, tray, "b m")
        if plus2:
            at = (middle + 20, FIELDS_TOP + 10)
            with panel.part(f"plus2 {player} {action}", _token_box(*at)):
                panel.use("plus2", *at, 0.9)
    markers = board["trays"][tray]
    contents = ", ".join(map(tr, markers)) or tr("empty")
    words = f"{tr('tray')} {tray}, {thing(action)}: {contents}"
    with panel.piece(words, f"tray {player} {tray}", Box(x, TRAYS_TOP, SLOT[0], 57)):
        panel.use("hollow", x, TRAYS_TOP)
        per_row, step = (3, 17.5) if len(markers) <= 9 else (4, 13.5)
        rows = -(-len(markers) // per_row)
        for j, colour in enumerate(markers):
            in_row = min(per_row, len(markers) - j // per_row * per_row)
            dx = (j % per_row - (in_row - 1) / 2) * step
            dy = (j // per_row - (rows - 1) / 2) * 17.5
            panel.use(colour, middle + dx, TRAYS_TOP + 28.5 + dy, 1 if per_row == 3 else 0.8)
        if is_next == tray:
            box = Box(x, TRAYS_TOP, SLOT[0], 57)
            with panel.part("next", box):
                panel.rect(*box, "nx", radius=18)


def _in_a_row(x: float, right: float, step: float, count: int) -> list[float]:
    """Return the left ends of `count` pieces side by side, closer together if there are many."""
    return [x + i * min(step, (right - x) / count) for i in range(count)]


def _hand(panel: Panel, view: View, player: int, y: float) -> None:
    """Draw the cards in hand; unknown cards show their backs."""
    board = view["players"][player]
    size, public = board["hand_size"], board["known_cards"]
    words = tr("{count} cards", count=size) if size != 1 else tr("1 card")
    with panel.piece(f"{tr('hand')}, {words}", f"hand {player}", Box(PAD, y, INNER, CARD[1])):
        panel.text(PAD, y + 15, tr("Hand"), "b", limit=58)
        panel.text(PAD, y + 32, words, "q", limit=58)
    cards = board.get("hand", public)
    backs = size - sum(cards.values())
    xs = _in_a_row(72, PANEL - 4, TOUCH + 2, len(cards) + (backs > 0))
    width = min(TOUCH, xs[1] - xs[0] if len(xs) > 1 else TOUCH)
    for x, (good, count) in zip(xs, cards.items(), strict=False):
        words = _plural(count, good) + (f", {tr('known to all')}" if good in public else "")
        with panel.piece(words, f"hand {player} {good}", Box(x - 3, y, width, CARD[1])):
            _card(panel, good, x, y, count)
            if good in public and "hand" in board:
                panel.add(f'<circle cx="{x + 24:.0f}" cy="{y + 4:.0f}" r="3" class="f"/>')
    if backs:
        last = xs[-1]
        words = _plural(backs, "unknown cards" if backs > 1 else "unknown card")
        with panel.piece(words, tip="hand"):
            panel.use("back", last + CARD[0] / 2, y + CARD[1] / 2)
            if backs > 1:
                panel.text(last + CARD[0] / 2, y + 23, f"×{backs}", "b m ha")


def _display(panel: Panel, board: View, player: int, y: float) -> None:
    with panel.piece(tr("display"), f"display {player}", Box(PAD, y, INNER, CARD[1])):
        panel.text(PAD, y + 23, tr("Display"), "b", limit=58)
    xs = _in_a_row(72, PANEL - 4, CARD[0] + 3, len(board["display"]))
    for x, (good, count) in zip(xs, board["display"].items(), strict=True):
        with (
            panel.piece(f"{tr('displayed')} {_plural(count, good)}", tip="display"),
            panel.part(f"display {player} {good}", Box(x, y, *CARD)),
        ):
            _card(panel, good, x, y, count)
    if not xs:
        panel.text(72, y + 23, "–", "q")


def _figures(panel: Panel, board: View, player: int, y: float) -> None:
    """Draw the figures that are not on the board, and the bonus tiles."""
    entries = (
        ("figure", board["supply"], "supply", "supply", 55),
        ("worker", board["worker_camp"], "worker camp", "workers", 65),
        ("legion", board["military_camp"], "military camp", "legionnaires", 97),
    )
    x = PAD
    for symbol, count, words, kind, width in entries:
        place, box = f"camp {player} {kind}", Box(x, y, width, 37)
        with panel.piece(f"{tr(words)} {count}", place, box):
            if place not in panel.marks.actions:
                panel.rect(*box, "ht")  # the gap before the number has a tip, too
            panel.use(symbol, x + 12, y + 11)
            panel.text(x + 28, y + 18, count, "x")
            panel.text(x + 2, y + 34, tr(kind), "q", limit=width - 4)
        x += width + FRAME
    tiles = [(name, gold) for gold in (True, False) for name in _bonus_of(board, gold)]
    xs = _in_a_row(x, PANEL - PAD + 2, BONUS + 2, len(tiles))
    room = min(BONUS, xs[1] - xs[0] - 1) if len(xs) > 1 else BONUS
    for left, (name, gold) in zip(xs, tiles, strict=True):
        words = tr("gold bonus tile" if gold else "silver bonus tile")
        box = Box(left, y, room, TILE)
        with panel.piece(f"{words}: {thing(name)}", f"bonus {player} {name}", box):
            _bonus_tile(panel, name, gold, left, y, width=room)


def _bonus_of(board: View, gold: bool) -> Sequence[str]:
    names: Sequence[str] = board["gold_bonus" if gold else "silver_bonus"]
    return names


def _possessions(panel: Panel, board: View, player: int, y: float) -> None:
    """Draw forum and demand tiles in one row, and buildings in the next."""
    tiles, demands = board["forum_tiles"], board["demand_tiles"]
    xs = iter(_in_a_row(PAD + 1, PANEL - 4, TILE + 5, len(tiles) + len(demands)))
    for name, count in tiles.items():
        x = next(xs)
        box = Box(x - 1, y, TOUCH, TOUCH)
        with panel.piece(_plural(count, name), f"tile {player} {name}", box):
            _tile_face(panel, name, x, y + 1)
            panel.count(x + TILE + 3, y + TILE + 2, count)
    for name, count in demands.items():
        x = next(xs)
        words, box = f"{tr('Trajan demand tile')} {_plural(count, name)}", Box(x, y, TILE, TILE)
        with panel.piece(words, f"tile {player} demand-{name}", box):
            with panel.on_card():
                panel.rect(x, y + 1, TILE, TILE, "de", radius=16)
                panel.use(name, x + 16, y + 17, 0.85)
            panel.count(x + TILE + 3, y + TILE + 2, count)
    buildings = board["buildings"]
    lefts = _in_a_row(PAD, PANEL - PAD - 2, TILE + 11, len(buildings))
    for left, name in zip(lefts, buildings, strict=True):
        box = Box(left, y + 38, TILE + 8, TILE)
        with panel.piece(f"{tr('building')} {thing(name)}", f"built {player} {name}", box):
            panel.rect(left, y + 40, TILE + 8, TILE, "sh", radius=RADIUS)
            panel.rect(left, y + 38, TILE + 8, TILE, "c", radius=RADIUS)
            with panel.on_card():
                _building(panel, name, left + 20, y + 53)


def sprite() -> str:
    """Return an element with every symbol, for small pictures beside words."""
    return svg_sprite(LOOK)


def pieces(text: str) -> list[str]:
    """Return the symbols of the pieces in an action or a name."""
    verb, _, rest = text.partition(" ")
    if not rest and verb in OF_VERB:
        return [OF_VERB[verb]]
    symbols = []
    for name in (rest or verb).replace("+", " ").split():
        effect, *colours = name.split("-")
        whole = (f"{name}-card", f"{name}-tile", name, name[:-1] if name in C.buildings else "")
        parts = [OF_KIND.get(effect, effect), *colours]
        drawn_whole = [symbol for symbol in whole if symbol in DRAWINGS]
        symbols += drawn_whole[:1] or [OF_KIND.get(part, part) for part in parts]
    return [symbol for symbol in symbols if symbol in DRAWINGS]
