"""The guided first game of a title: a fixed deal with prescribed moves, explained one by one.

``guides/GAME.LANGUAGE.yaml`` contains the deal, the moves and the texts. A guide has lessons. Each
lesson has one new idea, the clicks that the user makes, and then the moves of the opponent, up to
the user's next decision; what happens at the end of a quarter is explained in several moments. The
lessons are followed by pages, which explain what lessons cannot show. The deal and the moves of a
game are the same in all languages.

Texts contain placeholders instead of numbers. The placeholders are filled from the events of the
game, so that the numbers always agree with the engine. ``meanwhile`` and the texts of moments are
filled from the events of the opponent's moves, and the other texts of a lesson from the events of
its clicks. All other texts, such as those of pages, belong to no events, so they have no
placeholders. For example, ``{advance_vp}`` is the VP from all of the user's ``advance`` events,
``{advance_count}`` is the sum of their counts, and ``{other_advance_vp}`` is the VP from the
opponent's ``advance`` events.
``{vp}`` and ``{other_vp}`` are the VP of the user and of the opponent from all events, and
``{score}`` and ``{other_score}`` are their scores after these events.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from pydantic import Field

from trajan_ai.core import languages
from trajan_ai.core.description import Description
from trajan_ai.core.errors import KeyPath, Problem, TrajanError
from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.core.rules_words import name_of
from trajan_ai.core.yamlfile import Document, read_yaml, validate
from trajan_ai.games import game as game_named
from trajan_ai.page import views
from trajan_ai.page.folder import MissingEntry
from trajan_ai.page.game_tree import ROOT, GameTree
from trajan_ai.page.opponents import list_opponents
from trajan_ai.page.previews import preview_moves
from trajan_ai.page.visible_tree import VisibleTree

FOLDER = Path(__file__).parent / "guides"
PERSON = 0  # the seat of the user, who plays against one opponent
PLAYERS = 2


class Click(Description):
    """A decision of the user.

    Attributes:
        play: the action.
        text: what to click.
    """

    play: str
    text: str


class Moment(Description):
    """One moment of the end of a quarter or phase, explained after the turns of both players.

    Attributes:
        idea: the heading.
        then: the decisions of the opponent that lead to this moment.
        text: what to see on the board now.
        changed: places on the drawing to mark.
    """

    idea: str
    then: list[str] = Field(default_factory=list)
    text: str
    changed: list[str] = Field(default_factory=list)


class Lesson(Description):
    """A turn, or a part of one.

    Attributes:
        idea: the new idea, as a heading.
        goal: what the user does.
        why: why it is a good move.
        clicks: the decisions of the user.
        brought: a text about what the move brought.
        shows: places to mark on the drawing, because they show what the move brought.
        then: the decisions of the opponent until the next lesson begins.
        meanwhile: a sentence or two on these decisions; None if there is nothing to see.
        changed: places to mark on the drawing, because these decisions have changed them.
        symbols: the pieces that the lesson names for the first time and shows as pictures.
        ending: the moments to explain after these decisions, in order.
    """

    idea: str
    goal: str
    why: str
    clicks: list[Click]
    brought: str
    shows: list[str] = Field(default_factory=list)
    then: list[str] = Field(default_factory=list)
    meanwhile: str | None = None
    changed: list[str] = Field(default_factory=list)
    symbols: list[str] = Field(default_factory=list)
    ending: list[Moment] = Field(default_factory=list)


class GuidePage(Description):
    """Something to read after the lessons.

    Attributes:
        idea: the heading.
        text: the explanation.
        symbols: the pieces whose pictures are shown.
        changed: places on the drawing to mark.
    """

    idea: str
    text: str
    symbols: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)


class Guide(Description):
    """The content of a guide file.

    Attributes:
        about: three sentences on what the game is about.
        seed: the seed of the deal.
        options: the options of the deal.
        opening: the decisions of both players before the first lesson.
        welcome: what a user should know before the first lesson.
        pages: what is explained after the lessons.
        end: what to do after the guide.
    """

    about: str
    seed: int
    options: dict[str, Any] = Field(default_factory=dict)
    opening: list[str]
    welcome: str
    lessons: list[Lesson]
    pages: list[GuidePage]
    end: str

    @property
    def ideas(self) -> list[str]:
        """The headings of the lessons and pages."""
        lessons = [lesson.idea for lesson in self.lessons]
        return lessons + [page.idea for page in self.pages]


@dataclass(frozen=True)
class Step:
    """A step of a guide: a position, and a click to make or an explanation of what happened.

    Attributes:
        kind: ``welcome``, ``click``, ``after`` the clicks of a lesson, ``meanwhile`` after the
            moves of the opponent, ``page``, or ``end``.
        lesson: the number of the lesson, from 0; pages continue the count.
        texts: the texts by their names in the file, with numbers for the placeholders.
        opens: whether this is the first step of a lesson or page.
        action: the action of the click; None if there is no click.
        changed: places to mark, because moves have changed them or a page is about them.
        symbols: the pieces whose pictures are shown.
        events: what the end of a part of the game has brought since the previous step.
    """

    kind: Literal["welcome", "click", "after", "meanwhile", "page", "end"]
    lesson: int
    position: Position
    texts: Mapping[str, str]
    opens: bool = False
    action: str | None = None
    changed: Sequence[str] = ()
    symbols: Sequence[str] = ()
    events: Sequence[Event] = ()


@dataclass(frozen=True)
class PlayedGuide:
    """A guide that was played through: its language, and its steps from the first to the last."""

    language: str
    guide: Guide
    steps: Sequence[Step]


def has_guide(game: str) -> bool:
    """Return whether there is a guide for a game."""
    return (FOLDER / f"{game}.{languages.ENGLISH}.yaml").exists()


def find_guide(game: str) -> PlayedGuide:
    """Return the guide of a game in the current language, or else in English.

    Raises MissingEntry if there is none.
    """
    if not game.isidentifier() or not has_guide(game):
        raise MissingEntry(tr("There is no guide for this game."))
    language = languages.get_language()
    is_known = language in languages.list_languages()  # so that no path is built from a request
    if not is_known or not (FOLDER / f"{game}.{language}.yaml").exists():
        language = languages.ENGLISH
    return _read(game, language)


@cache
def _read(game: str, language: str) -> PlayedGuide:
    return play_guide(game, language, read_yaml(FOLDER / f"{game}.{language}.yaml"))


def play_guide(game: str, language: str, document: Document) -> PlayedGuide:
    """Play through the guide in a file, and return it with its steps.

    Raises TrajanError, with file and line, if the file is malformed, an action is not legal,
    another player decides, or a placeholder has no value.
    """
    walk = _Walk(game, document)
    return PlayedGuide(language, walk.guide, list(walk.walk()))


class _Walk:
    """A walk through a guide, which plays its moves."""

    def __init__(self, game: str, document: Document) -> None:
        self.document = document
        self.guide = guide = validate(Guide, document)
        try:
            self.position = game_named(game).start(PLAYERS, guide.seed, **guide.options)
        except TrajanError as error:
            raise TrajanError(self._problem(("options",), str(error))) from None

    def walk(self) -> Iterator[Step]:
        """Yield the steps from the first to the last."""
        guide = self.guide
        for index, action in enumerate(guide.opening):
            self._play(action, ("opening", index))
        text = self._fill(guide.welcome, {}, ("welcome",))
        yield Step("welcome", 0, self.position, {"text": text})
        for number, lesson in enumerate(guide.lessons):
            yield from self._teach(number, lesson)
            yield from self._reply(number, lesson)
        for index, page in enumerate(guide.pages):
            number, at = len(guide.lessons) + index, ("pages", index)
            texts = self._fill_all(page, ("idea", "text"), {}, at)
            yield Step(
                "page",
                number,
                self.position,
                texts,
                opens=True,
                symbols=page.symbols,
                changed=page.changed,
            )
        text = self._fill(guide.end, {}, ("end",))
        yield Step("end", len(guide.ideas) - 1, self.position, {"text": text})

    def _teach(self, number: int, lesson: Lesson) -> Iterator[Step]:
        """Yield a step for each click of a lesson, and a step about what the clicks brought."""
        at: KeyPath = ("lessons", number)
        positions: list[Position] = []
        events: list[Event] = []
        for index, click in enumerate(lesson.clicks):
            positions.append(self.position)
            events += self._play(click.play, (*at, "clicks", index, "play"), PERSON)
        values = self._values(events)
        texts = self._fill_all(lesson, ("idea", "goal", "why", "brought"), values, at)
        for index, click in enumerate(lesson.clicks):
            text = self._fill(click.text, values, (*at, "clicks", index, "text"))
            yield Step(
                "click",
                number,
                positions[index],
                {**texts, "text": text},
                opens=index == 0,
                action=click.play,
                symbols=lesson.symbols,
            )
        yield Step("after", number, self.position, texts, changed=lesson.shows)

    def _reply(self, number: int, lesson: Lesson) -> Iterator[Step]:
        """Play the opponent's moves after a lesson; yield a step for each text about them."""
        at: KeyPath = ("lessons", number)
        events = self._answer(lesson.then, at)
        if lesson.meanwhile is not None:
            texts = self._fill_all(lesson, ("idea", "meanwhile"), self._values(events), at)
            yield Step("meanwhile", number, self.position, texts, changed=lesson.changed)
        for index, moment in enumerate(lesson.ending):
            place = (*at, "ending", index)
            events = self._answer(moment.then, place)
            texts = {
                "idea": lesson.idea,
                "heading": moment.idea,
                "meanwhile": self._fill(moment.text, self._values(events), (*place, "text")),
            }
            yield Step(
                "meanwhile", number, self.position, texts, changed=moment.changed, events=events
            )

    def _answer(self, actions: Sequence[str], at: KeyPath) -> list[Event]:
        """Play decisions of the opponent; return what happened."""
        events: list[Event] = []
        for index, action in enumerate(actions):
            events += self._play(action, (*at, "then", index), 1 - PERSON)
        return events

    def _play(self, action: str, place: KeyPath, player: int | None = None) -> Sequence[Event]:
        """Play an action, which must be that of `player` if given; return what happened."""
        position = self.position
        if player not in (None, position.player):
            raise TrajanError(self._problem(place, f"player {position.player} decides here"))
        legal = position.legal()
        if action not in legal:
            text = f"{action!r:.60} is not legal; the legal actions are {', '.join(legal)}"
            raise TrajanError(self._problem(place, text))
        self.position = position.after(action)
        return position.events(action, PERSON)

    def _values(self, events: Sequence[Event]) -> dict[str, str]:
        """Return the values that some events give the placeholders."""
        numbers: defaultdict[str, int] = defaultdict(int, vp=0, other_vp=0)
        for event in events:
            prefix = "other_" if event.player == 1 - PERSON else ""
            numbers[f"{prefix}vp"] += event.vp
            numbers[f"{prefix}{event.name}_vp"] += event.vp
            numbers[f"{prefix}{event.name}_count"] += event.count
        numbers["score"], numbers["other_score"] = self.position.scores
        return {name: str(value).replace("-", "−") for name, value in numbers.items()}

    def _fill_all(
        self,
        part: Lesson | GuidePage,
        names: Sequence[str],
        values: Mapping[str, str],
        at: KeyPath,
    ) -> dict[str, str]:
        """Return the named texts of a lesson or page, with values for their placeholders."""
        return {name: self._fill(getattr(part, name), values, (*at, name)) for name in names}

    def _fill(self, text: str, values: Mapping[str, str], place: KeyPath) -> str:
        """Return a text with values for its placeholders."""
        try:
            names = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
        except ValueError as error:
            raise TrajanError(self._problem(place, str(error))) from None
        if unknown := sorted(names - values.keys()):
            allowed = ", ".join(sorted(values)) or "none"
            text = f"no value for {', '.join(unknown)}; the placeholders here are {allowed}"
            raise TrajanError(self._problem(place, text))
        return text.format(**values)

    def _problem(self, place: KeyPath, text: str) -> Problem:
        return self.document.problem(place, text)


def describe_guide(game: str) -> dict[str, Any] | None:
    """Return what the first page shows about a game's guide, or None if the game has no guide."""
    if not has_guide(game):
        return None
    played = find_guide(game)
    guide = played.guide
    return {"language": played.language, "about": guide.about, "lessons": len(guide.ideas)}


def describe_step(game: str, number: int) -> dict[str, Any]:
    """Return what the page shows at a step of a guide: its texts, and its position as a node."""
    played = find_guide(game)
    if not 0 <= number < len(played.steps):
        raise MissingEntry(tr("There is no such step of the guide."))
    step = played.steps[number]
    information = InformationSet(step.position, PERSON)
    tree = GameTree(information.canonical, {"position": {"observer": PERSON}})
    state = views.describe_node(VisibleTree(tree), ROOT, PERSON)
    rules = tree.root.game.rules
    own = [action for action in tree.root.legal() if step.action is not None]
    state["legal"] = [entry for entry in state["legal"] if entry[0] in own]
    view = {**rules.view(tree.root, PERSON), "names": state["names"]}
    legal = (step.action,) if step.action is not None else ()
    if step.action is None:
        view["is_paused"] = True  # only "Next" can be chosen, so no board says "to decide"
    state |= views.draw(tree.root, view, PERSON, legal=legal)  # outlines only the place to click
    return state | {
        "step": number,
        "ideas": played.guide.ideas,
        "starts": [n for n, one in enumerate(played.steps) if one.opens],
        "kind": step.kind,
        "opens": step.opens,
        "lesson": step.lesson,
        "language": played.language,
        "texts": step.texts,
        "action": step.action,
        "previews": preview_moves(information, state["names"]) if step.action else {},
        "changed": step.changed,
        "symbols": [(name, name_of(rules, name.removesuffix("-tile"))) for name in step.symbols],
        "happened": views.describe_events(rules, step.events),
        "options": played.guide.options,
        "level": next(iter(list_opponents(tree.root.game, PLAYERS))),
    }
