"""SVG drawings of boards: panels of pieces and places, arranged in columns, with marks on top.

A drawing consists of `Panel` objects, each with its own coordinates. `draw_table` arranges them in
three columns, or in two or one on narrower sheets. The scale is always the same, so that text is
as large on a phone as on a large screen. A drawing is one self-contained element: it contains its
styles and definitions, whose names start with the letter of the game, and uses generic font
families. Lengths are in units of the drawing; a sheet of three columns is 1,200 units wide.

Places have names from the rules (``province alpes``). The elements of places have the attribute
``data-place``, and ``data-action`` if exactly one action belongs to them, so that a page can make
them clickable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from trajan_ai.core.languages import figure, tr
from trajan_ai.core.look import (
    COLOURS,
    FIGURE,
    HEAD,
    HEAD_FONT,
    LARGE_RADIUS,
    LINE,
    PLAYER_COLOURS,
    RADIUS,
    SMALL_RADIUS,
    TEXT,
    TEXT_FONT,
    themed,
)

WIDE = 1200  # width of a sheet of three columns
NARROW = 400  # width of a sheet of one column
TWO_COLUMNS = 800  # width in pixels from which there are two columns
THREE_COLUMNS = 1000  # width in pixels from which there are three columns
PANEL = 390  # width of a panel
GAP = 10  # between panels
PAD = 10  # inside a panel
MARGIN = 5
TOUCH = 34  # smallest side of a place to click; see `Panel.piece`
TITLE = 28  # height of a panel's heading
MAX_BADGES = 9  # maximum number of suggestions that get a badge

# Each player has a colour, a shape and a numeral.
_PLAYER_SHAPES = (
    '<circle r="10"',
    '<rect x="-9" y="-9" width="18" height="18" rx="3"',
    '<path d="M-9-9H9V1Q9 7 0 11Q-9 7-9 1z"',
    '<path d="M0-12.5L12.5 0 0 12.5-12.5 0z"',
)


def draw_tokens(first: int) -> dict[str, str]:
    """Return the symbols of the players' tokens; `first` is the numeral of player 0."""
    looks = enumerate(zip(_PLAYER_SHAPES, PLAYER_COLOURS, strict=True))
    return {
        f"k{player}": f'{shape} fill="{colour}" class="e1"/>'
        f'<text y="5" class="n">{player + first}</text>'
        for player, (shape, colour) in looks
    }


PLAYER_TOKENS = draw_tokens(0)

_STYLE = themed(
    f"""
.h{{font:bold {HEAD}px {HEAD_FONT};letter-spacing:.02em}}
.b{{font-weight:bold}}
.x{{font-size:{HEAD}px;font-weight:bold}}
.l{{font-size:{FIGURE}px;font-weight:bold}}
.m{{text-anchor:middle}}
.e{{text-anchor:end}}
.n{{text-anchor:middle;font-weight:bold;fill:#fff}}
.q{{fill:$faint}}
.w{{fill:#fff}}
.dk,.on{{fill:$dark;color:#33261b}}
.on .q{{fill:#6b5847}}
.f{{fill:$done}}
text.f{{fill:$red}}
.rd{{stroke:$red}}
.gr{{fill:$ground}}
.p{{fill:$paper;stroke:$line}}
.a{{fill:$white;stroke:$red;stroke-width:3}}
.c{{fill:$card;stroke:$card-edge}}
.g{{fill:$gold-card;stroke:#7a5a10}}
.z{{fill:$stone;stroke:$edge}}
.t{{fill:$now;stroke:$now-edge}}
.d{{fill:$tray;stroke:$line}}
.o{{fill:none;stroke:$edge;stroke-dasharray:3 3}}
.i{{fill:none;stroke:currentColor;stroke-width:{LINE};stroke-linejoin:round;stroke-linecap:round}}
.u{{fill:#f2cf63;stroke:#7a5a10}}
.e1{{stroke:#fff}}
.sh{{fill:#33261b;opacity:.35}}
.ho{{fill:$hollow}}
.hs{{fill:$shade;opacity:.6}}
.lg,.ls,.lt,.sg,.sb{{pointer-events:none}}
.lg{{fill:none;stroke:$legal;stroke-width:2}}
.lt{{fill:$legal;stroke:$paper}}
.ls{{fill:none;stroke:$ink;stroke-width:2.5;stroke-linecap:round}}
.sg{{fill:none;stroke:$green;stroke-width:2;stroke-dasharray:6 3}}
.sb{{fill:$mark;stroke:#fff}}
.tick{{stroke:$line}}
.ha{{paint-order:stroke;stroke:$card;stroke-width:3px;fill:$dark}}
.ht{{fill:transparent}}
"""
)
_STYLE += "".join(f".c{i}{{fill:{colour}}}\n" for i, colour in enumerate(PLAYER_COLOURS))

INK = COLOURS["ink"][0]

CLASSES = re.compile(r'class="([^"]+)"')
REFERENCE = re.compile(r'href="#([^"]+)"')  # reference of a symbol to another symbol

_WIDE_LETTERS = frozenset("mwMW@%")
_NARROW_LETTERS = frozenset("ijltfrI.,:;'|!()[]- ")


def text_width(text: str, size: float = TEXT) -> float:
    """Return an upper estimate of the width of `text`, in units, in a wide sans-serif font."""
    ems = 0.0
    for letter in text:
        if letter in _NARROW_LETTERS:
            ems += 0.38
        elif letter in _WIDE_LETTERS:
            ems += 0.97
        elif letter.isupper():
            ems += 0.74
        else:
            ems += 0.64
    return ems * size


def wrapped(text: str, width: float, size: float = TEXT) -> list[str]:
    """Return `text` as lines of at most `width` units, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def quoted(text: str) -> str:
    """Return `text` escaped for an attribute in double quotes."""
    return escape(text, {'"': "&quot;"})


def coordinate(value: float) -> str:
    """Return a coordinate as text, with at most one decimal."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


View = Mapping[str, Any]
Words = Callable[[str], str]  # puts an action or a thing into words


class Box(NamedTuple):
    """The rectangle of a place, in units of the drawing."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Marks:
    """The marks on a drawing: the last move, suggested moves and legal moves.

    `last` contains the places of the last move, and `suggested` those of each suggestion, the best
    suggestion first. `actions` maps each place to the legal actions that a click there can mean.
    """

    last: Sequence[str] = ()
    suggested: Sequence[Sequence[str]] = ()
    actions: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        last: Sequence[str],
        suggested: Iterable[str],
        legal: Iterable[str],
        places: Callable[[str], Sequence[str]],
    ) -> Marks:
        """Return the marks of the last move, given as places, and of suggested and legal actions.

        `places` returns the places of an action, beginning with the one to click.
        """
        actions: dict[str, list[str]] = {}
        for action in legal:
            actions.setdefault(places(action)[0], []).append(action)
        return cls(last, [places(action) for action in suggested], actions)


class Panel:
    """A part of a drawing under construction, with its own coordinates.

    The code that draws the panel sets `height`. `accent` marks the board of the player to move.
    `name` is the same in every language; by default, it is the English title.
    """

    def __init__(self, title: str, marks: Marks, *, name: str = "", label: str = "") -> None:
        self.parts: list[str] = []
        self.places: dict[str, Box] = {}
        self.height: float = 0
        self.accent = False
        self.name = name or title
        self.label = label or tr(self.name)
        self.marks = marks
        if title:
            self.text(PAD, 20, tr(title), "h")

    def add(self, element: str) -> None:
        """Add an element as it is."""
        self.parts.append(element)

    def text(
        self, x: float, y: float, text: object, style: str = "", *, limit: float = PANEL
    ) -> None:
        """Add a line of text with its baseline at `y`, condensed to at most `limit` units."""
        classes = f' class="{style}"' if style else ""
        if limit < PANEL and text_width(str(text)) > limit:
            classes += f' textLength="{coordinate(limit)}" lengthAdjust="spacingAndGlyphs"'
        self.parts.append(
            f'<text x="{coordinate(x)}" y="{coordinate(y)}"{classes}>{escape(str(text))}</text>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, style: str, *, radius: float = 0
    ) -> None:
        """Add a rectangle."""
        size = f'width="{coordinate(width)}" height="{coordinate(height)}"'
        rounded = f' rx="{coordinate(radius)}"' if radius else ""
        at = f'x="{coordinate(x)}" y="{coordinate(y)}"'
        self.parts.append(f'<rect {at} {size}{rounded} class="{style}"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        """Add a line."""
        start, end = (f"{coordinate(x)} {coordinate(y)}" for x, y in ((x1, y1), (x2, y2)))
        self.parts.append(f'<path d="M{start}L{end}" class="{style}"/>')

    def use(self, symbol: str, x: float, y: float, scale: float = 1) -> None:
        """Add a symbol with its centre at a point."""
        at = f'x="{coordinate(x)}" y="{coordinate(y)}"'
        if scale != 1:
            at = f'transform="translate({coordinate(x)} {coordinate(y)})scale({scale:g})"'
        self.parts.append(f'<use href="#{symbol}" {at}/>')

    def count(self, right: float, bottom: float, count: int) -> None:
        """Add the number of identical pieces, if there are several, at the lower right corner."""
        if count < 2:
            return
        width = text_width(f"×{count}") + 4
        with self.on_card():
            self.rect(right - width, bottom - 15, width, 15, "c", radius=SMALL_RADIUS)
            self.text(right - width / 2, bottom - 3, f"×{count}", "b m")

    def texts(self, xs: Iterable[float], y: float, texts: Iterable[object], style: str) -> None:
        """Add short texts side by side on one line."""
        spans = "".join(
            f'<tspan x="{coordinate(x)}">{escape(str(text))}</tspan>'
            for x, text in zip(xs, texts, strict=True)
        )
        self.parts.append(f'<text y="{coordinate(y)}" class="{style}">{spans}</text>')

    @contextmanager
    def on_card(self) -> Iterator[None]:
        """Draw the elements added in the context in dark colours, for cards, which are light."""
        self.add('<g class="on">')
        yield
        self.add("</g>")

    @contextmanager
    def piece(
        self, label: str, place: str | None = None, box: Box | None = None, *, tip: str = ""
    ) -> Iterator[None]:
        """Group the elements added in the context as a piece with a label for screen readers.

        `tip` is the key of the piece's tip, by default the name of its place. A place that can be
        clicked is outlined.
        """
        actions = self.marks.actions.get(place, ()) if place is not None else ()
        attributes = f' aria-label="{quoted(label)}"' + (f' data-tip="{tip}"' if tip else "")
        if place is not None and box is not None:
            attributes += self._clickable(place, box, actions)
        parts, first = self.parts, len(self.parts)
        if actions and box is not None:
            self.rect(*box, "ht")  # drawn first, so that gaps between elements can be clicked, too
        yield
        if actions and box is not None:
            x, y, width, height = box
            self.rect(x + 1, y + 1, width - 2, height - 2, "lg", radius=RADIUS)
            self.add(f'<path d="M{coordinate(x)} {coordinate(y)}h9l-9 9z" class="lt"/>')
        if len(parts) == first + 1 and parts[first].startswith(("<rect", "<use")):
            parts[first] = f"{parts[first].removesuffix('/>')}{attributes}/>"
        else:
            parts.insert(first, f"<g{attributes}>")
            parts.append("</g>")

    @contextmanager
    def part(self, place: str, box: Box) -> Iterator[None]:
        """Group the elements added in the context as a part that can be marked but not clicked."""
        self.places.setdefault(place, box)
        self.add(f'<g data-part="{place}">')
        yield
        self.add("</g>")

    def spot(self, label: str, place: str | None, box: Box, *, tip: str = "") -> None:
        """Add an empty place: it is invisible, but has a label, and can be marked and clicked."""
        with self.piece(label, place, box, tip=tip):
            if place not in self.marks.actions:
                self.rect(*box, "ht")

    def _clickable(self, place: str, box: Box, actions: Sequence[str]) -> str:
        """Store the rectangle of a place; return the attributes of its element."""
        self.places.setdefault(place, box)
        if not actions:
            return f' data-place="{place}"'
        one = f'action="{actions[0]}"' if len(actions) == 1 else f'choices="{len(actions)}"'
        return f' data-place="{place}" data-{one} role="button" tabindex="0"'

    def corners(self, box: Box) -> None:
        """Add the four corners of a rectangle, which mark the last move."""
        x, y, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
        size = min(9, box.width / 3, box.height / 3)
        path = "".join(
            f"M{coordinate(left)} {coordinate(top + down)}V{coordinate(top)}h{coordinate(across)}"
            for left, top, across, down in (
                (x, y, size, size),
                (right, y, -size, size),
                (x, bottom, size, -size),
                (right, bottom, -size, -size),
            )
        )
        self.add(f'<path d="{path}" class="ls"/>')

    def badge(self, x: float, y: float, rank: int) -> None:
        """Add the badge of a suggestion; the best has rank 1."""
        self.parts.append(f'<circle cx="{coordinate(x)}" cy="{coordinate(y)}" r="10" class="sb"/>')
        self.text(x, y + 5, rank, "n")


class Flow:
    """Positions for pieces from left to right; a piece that does not fit starts a new row."""

    def __init__(self, x: float, y: float, right: float, row: float, gap: float = 4) -> None:
        self.left, self.x, self.y, self.right = x, x, y, right
        self.row, self.gap = row, gap

    def next(self, width: float) -> tuple[float, float]:
        """Return the top left corner of the next piece."""
        if self.x > self.left and self.x + width > self.right:
            self.x, self.y = self.left, self.y + self.row
        x = self.x
        self.x += width + self.gap
        return x, self.y

    @property
    def bottom(self) -> float:
        """The lower edge of the last row."""
        return self.y + self.row


# --- parts of every game's table


def first_numeral(view: View) -> int:
    """Return the numeral of player 0: 1 if the view has ``names``, otherwise 0, as in records.

    A view with names is drawn for people, who count from 1. A drawing without names appears beside
    commands, files and programs, which count from 0.
    """
    return int("names" in view)


def player_name(view: View, player: int) -> str:
    """Return the name of a player: one of the view's ``names``, which the page adds."""
    names = view.get("names")
    return str(names[player]) if names else tr("player {player}", player=player)


def of_player(view: View, player: int) -> str:
    """Return the words that name the owner of a piece."""
    if "names" not in view:
        return tr("of player {player}", player=player)
    name = player_name(view, player)
    return tr("of you") if name == tr("You") else tr("of {name}", name=name)


def add_scores(title: str, view: View) -> str:
    """Return a title followed by the score of every player."""
    scores = (
        tr("{name}: {score} VP", name=player_name(view, i), score=figure(board["score"]))
        for i, board in enumerate(view["players"])
    )
    return f"{title}: {', '.join(scores)}"


def status_panel(
    title: str, view: View, marks: Marks, all_open: str, decision: Callable[[View], str]
) -> Panel:
    """Return the panel that names the player to move; its height is that of its text."""
    panel = Panel("", marks, name="state of the game")
    panel.text(PAD, 20, title, "h t1")
    observer, pending = view["observer"], view.get("to_decide")
    first = first_numeral(view)
    perspective = all_open
    if observer is not None:
        perspective = tr("seen by player {player}", player=observer + first)
    panel.text(PANEL - PAD, 21, perspective, "q e")
    if pending:
        panel.use(f"k{pending['player']}", PAD + 9, 44)
        who = tr("Player {player} to decide:", player=pending["player"] + first)
        panel.text(PAD + 24, 49, f"{who} {decision(pending)}", "y")
    else:
        panel.text(PAD, 49, tr("The game is over."), "y")
    panel.height = 49
    return panel


def finish_status(
    panel: Panel,
    view: View,
    last: tuple[int, str] | None,
    *,
    suggested: Sequence[str],
    words: Words,
) -> Panel:
    """Add the last move and suggestions to the status panel, and return the panel."""
    y = panel.height
    if last is not None:
        panel.corners(Box(PAD + 2, y + 8, 15, 13))
        number = last[0] + first_numeral(view)
        text = tr("Last: player {player}: {words}", player=number, words=words(last[1]))
        for line in wrapped(text, PANEL - 2 * PAD - 24):
            panel.text(PAD + 24, y + 19, line)
            y += 18
        y += 4
    for rank, action in enumerate(suggested[:MAX_BADGES], start=1):
        panel.badge(PAD + 9, y + 16, rank)
        for line in wrapped(words(action), PANEL - 2 * PAD - 24):
            panel.text(PAD + 24, y + 20, line)
            y += 18
        y += 5
    panel.height = y + 14
    return panel


def board_panel(view: View, player: int, marks: Marks) -> Panel:
    """Return the panel of a player's board with the player's token."""
    is_own = "names" in view and player_name(view, player) == tr("You")
    label = tr("your board") if is_own else tr("board {of}", of=of_player(view, player))
    panel = Panel("", marks, name=f"board of player {player}", label=label)
    decider = (view.get("to_decide") or {}).get("player")
    panel.accent = decider == player and not view.get("is_paused")
    panel.use(f"k{player}", 21, 18)
    return panel


def name_board(panel: Panel, view: View, player: int) -> float:
    """Add the player's name, and whether it is their turn; return the right end of the name."""
    name = player_name(view, player)
    name = name[0].upper() + name[1:]
    if view["observer"] == player and "names" not in view:
        name += f" ({tr('you')})"
    panel.text(36, 24, name, "h")
    end = 48 + text_width(name, 1.08 * HEAD)  # bold and spaced
    if panel.accent:
        panel.text(PANEL - PAD - 92, 24, tr("to decide"), "f b e")
    return end


def add_score(panel: Panel, view: View, player: int) -> None:
    """Add the player's score to the panel of their board."""
    words = f"{figure(view['players'][player]['score'])} {tr('VP')}"
    with panel.piece(words, f"score {player}", Box(PANEL - PAD - 80, 4, 80, 26)):
        panel.text(PANEL - PAD, 25, words, "l e")


# --- the sheet


def _arrange(columns: Sequence[Sequence[Panel]], count: int) -> list[list[Panel]]:
    """Return the panels in `count` columns.

    If `count` is not the number of the given columns, each panel goes to the column that is the
    shortest so far.
    """
    if count == len(columns):
        return [list(column) for column in columns]
    arranged: list[list[Panel]] = [[] for _ in range(count)]
    for column in columns:
        for panel in column:
            min(arranged, key=_height).append(panel)
    return arranged


def _height(column: Sequence[Panel]) -> float:
    return sum(panel.height + GAP for panel in column)


def _draw_marks(panel: Panel) -> None:
    """Frame the places of the last move and of suggestions on a panel."""
    for place in panel.marks.last:
        box = panel.places.get(place)
        if box is not None:
            panel.corners(Box(box.x - 2, box.y - 2, box.width + 4, box.height + 4))
    badges: dict[str, int] = {}
    for rank, places in enumerate(panel.marks.suggested[:MAX_BADGES], start=1):
        for i, place in enumerate(places):
            box = panel.places.get(place)
            if box is None:
                continue
            if place not in badges and place not in panel.marks.actions:
                panel.rect(
                    box.x - 1, box.y - 1, box.width + 2, box.height + 2, "sg", radius=RADIUS
                )
            if i == 0:
                shift = 20 * badges.get(place, 0)
                panel.badge(box.x + box.width - 4 - shift, box.y + box.height - 3, rank)
            badges[place] = badges.get(place, 0) + 1


def _with_parts(symbols: Mapping[str, str], names: Iterable[str]) -> set[str]:
    parts: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in parts:
            parts.add(name)
            left += REFERENCE.findall(symbols.get(name, ""))
    return parts


@cache
def _style_of(game: str, style: str) -> str:
    """Return the CSS rules of a game's drawings; names of classes begin with the game's letter."""
    own = game[0].upper()
    rules = [rule.split("{", 1) for rule in (_STYLE + style).split("\n") if rule]
    renamed = [f"{names.replace('.', f'.{own}')}{{{body}" for names, body in rules]
    return "\n".join([themed(f"svg.{game}{{fill:$ink;color:$ink}}"), *renamed])


def _with_own_classes(own: str, body: str) -> str:
    """Return SVG elements in which every class name has the prefix `own`.

    A style inside a drawing applies to the whole page, and a selector with the class of the
    drawing does not reach into copies of definitions. Therefore, the names must be unique.
    """
    renamed: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        names = match[1]
        if names not in renamed:
            renamed[names] = " ".join(own + name for name in names.split(" "))
        return f'class="{renamed[names]}"'

    return CLASSES.sub(rename, body)


@dataclass(frozen=True)
class Look:
    """The look of a game's drawings: symbols by name, and style rules for its classes."""

    game: str
    symbols: Mapping[str, str]
    style: str


def draw_table(
    look: Look,
    title: str,
    head: Sequence[Panel],
    columns: Sequence[Sequence[Panel]],
    *,
    marks: Marks,
    printed: Mapping[str, str] | None = None,
    first: int = 0,
    width: int = WIDE,
) -> str:
    """Return the drawing of a table as an SVG element, `width` pixels wide.

    `head` contains the panels that stand side by side at the top, and `columns` those below. A
    sheet narrower than 1,000 pixels has two columns, and one narrower than 800 pixels has one.
    `printed` contains symbols that depend on the setup, and `first` is the numeral of player 0. Of
    the symbols in `look`, only those in use are included. An id consists of the game's letter and
    the number of a symbol, or the name of a printed one. Drawings in one page with the same
    `first` may share ids, because an id always defines the same symbol.
    """
    count = 1 + (width >= TWO_COLUMNS) + (width >= THREE_COLUMNS)
    sheet = Panel("", marks)
    top: float = MARGIN
    row, others = head[:count], head[count:]
    if row:
        height = max(panel.height for panel in row)
        for i, panel in enumerate(row):
            _place(sheet, panel, MARGIN + i * (PANEL + GAP), top, height)
        top += height + GAP
    arranged = _arrange([others, *columns] if others else columns, count)
    bottoms = [top + _height(column) for column in arranged]
    for i, column in enumerate(arranged):
        y = top
        spare = (max(bottoms) - bottoms[i]) / len(column)
        for panel in column:
            _place(sheet, panel, MARGIN + i * (PANEL + GAP), y, panel.height + spare)
            y += panel.height + spare + GAP
    own = look.game[0].upper()
    body, symbols = "".join(sheet.parts), {**look.symbols, **draw_tokens(first), **(printed or {})}
    used = _with_parts(symbols, [*REFERENCE.findall(body), *(printed or ())])
    ids = {name: f"{own}{i:x}" for i, name in enumerate(look.symbols) if name in used}
    ids |= {name: f"{own}-{name}" for name in printed or ()}
    definitions = "".join(f'<g id="{ids[name]}">{symbols[name]}</g>' for name in ids)
    units, height = NARROW * count, max(bottoms) - GAP + MARGIN
    content = _with_own_classes(
        own,
        f"<defs>{definitions}</defs>"
        f'<rect width="{units}" height="{coordinate(height)}" class="gr"/>{body}',
    )
    content = REFERENCE.sub(lambda match: f'href="#{ids.get(match[1], match[1])}"', content)
    role = "group" if marks.actions else "img"  # an image has no parts to click
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{look.game}" role="{role}" '
        f'width="{width}" height="{coordinate(round(height * width / units))}" '
        f'viewBox="0 0 {units} {coordinate(height)}" font-family="{TEXT_FONT}" font-size="{TEXT}" '
        f'fill="{INK}" color="{INK}"><title>{escape(title)}</title>'
        f"<style>{_style_of(look.game, look.style)}</style>{content}</svg>"
    )


def sprite(look: Look) -> str:
    """Return a hidden SVG element that defines every symbol with the id ``GAME-NAME``.

    Pages use these symbols for small pictures.
    """
    game = look.game
    own, reference = game[0].upper(), rf'href="#{game}-\1"'
    symbols = "".join(
        f'<g id="{game}-{name}">{REFERENCE.sub(reference, drawing)}</g>'
        for name, drawing in look.symbols.items()
    )
    body = _with_own_classes(own, f"<defs>{symbols}</defs>")
    return f"<svg hidden><style>{_style_of(look.game, look.style)}</style>{body}</svg>"


def _place(sheet: Panel, panel: Panel, x: float, y: float, height: float) -> None:
    """Put a panel onto the sheet, with its background stretched to `height`.

    A panel is framed if something on it can be chosen. Where nothing can be clicked at all, the
    board of the player to move is framed.
    """
    actions = panel.marks.actions
    is_framed = not actions.keys().isdisjoint(panel.places) if actions else panel.accent
    _draw_marks(panel)
    at = f"translate({coordinate(x)} {coordinate(y)})"
    size, label = coordinate(height), quoted(panel.label)
    sheet.add(
        f'<g role="group" data-panel="{quoted(panel.name)}" data-height="{size}" '
        f'transform="{at}" aria-label="{label}">'
    )
    sheet.rect(0.5, 0.5, PANEL - 1, height - 1, "a" if is_framed else "p", radius=LARGE_RADIUS)
    sheet.parts += panel.parts
    sheet.add("</g>")
