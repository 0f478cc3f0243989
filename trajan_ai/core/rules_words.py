"""Optional entries of the rules of a game: actions, things and notes in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol, runtime_checkable

from trajan_ai.core.events import Event
from trajan_ai.core.languages import figure, tr
from trajan_ai.core.rules import HasEvents, Rules, offered


@runtime_checkable
class HasWords(Protocol):
    """Actions in words."""

    def words(self, actions: Sequence[str]) -> str:
        """Return one or more actions of a player's turn in words."""


@runtime_checkable
class HasSentences(Protocol):
    """Actions as sentences, and names of cards, tiles and places; see `core.languages`."""

    def sentence(self, action: str) -> str:
        """Return an action as the rest of a sentence about its player: ``takes a card``."""

    def thing(self, name: str) -> str:
        """Return the everyday name of the tile, card or place with this name in files."""


@runtime_checkable
class HasEventWords(Protocol):
    """Events as sentences; see `trajan_ai.core.languages`."""

    def happening(self, event: Event) -> str:
        """Return an event as the rest of a sentence about its player, such as ``draws fruit``.

        An event without a player is a whole sentence, such as ``quarter 1 ends``. The result does
        not contain the VP of the event.
        """


@runtime_checkable
class HasForeseenWords(Protocol):
    """Sentences about events that a move would cause, addressed to the player who may make it."""

    def foresee(self, events: Sequence[Event]) -> list[str]:
        """Return sentences such as ``You get a coin.``, with the VP of each event."""


@runtime_checkable
class HasInstructions(Protocol):
    """Instructions for a decision, and details that its actions do not name."""

    def instruct(self, view: Mapping[str, Any]) -> str:
        """Return what the player to move must do, as the continuation of ``Your turn:``."""

    def detail(self, action: str, look: Callable[[], Mapping[str, Any]]) -> str:
        """Return an action with everything that `HasSentences.sentence` should name.

        `look` returns the view of the decision.
        """


def detail_action(rules: Rules, action: str, look: Callable[[], Mapping[str, Any]]) -> str:
    """Return an action with the details that it does not name; see `HasInstructions.detail`."""
    detailing = offered(rules, HasInstructions)
    return action if detailing is None else detailing.detail(action, look)


@runtime_checkable
class HasDeclining(Protocol):
    """The actions with which a player declines something."""

    declining: Mapping[str, bool]
    """For each action, or for its first words: whether the player gives something up."""


def find_declining(rules: Rules, actions: Iterable[str]) -> dict[str, bool]:
    """Return the actions with which a player declines something; see `HasDeclining`."""
    knowing = offered(rules, HasDeclining)
    declining = {} if knowing is None else knowing.declining
    return {
        action: gives_away
        for action in actions
        for start, gives_away in declining.items()
        if f"{action} ".startswith(f"{start} ")
    }


@runtime_checkable
class HasPrompts(Protocol):
    """Prompts for a choice among several moves, keyed by the first word of these moves."""

    groups: Mapping[str, str]
    """By first word, the name of a group of moves that can be many, such as ``ship goods``."""

    questions: Mapping[str, str]
    """By first word, the question to ask if several moves at a place all begin with this word."""


def find_groups(rules: Rules, actions: Sequence[str]) -> dict[str, list[str]]:
    """Return the actions of each group, by the name of the group; see `HasPrompts`."""
    prompting = offered(rules, HasPrompts)
    groups = {} if prompting is None else prompting.groups
    members = {
        tr(name): [action for action in actions if action.split()[0] == start]
        for start, name in groups.items()
    }
    return {name: some for name, some in members.items() if some}


def find_question(rules: Rules, actions: Sequence[str]) -> str:
    """Return the question about several moves of a decision at one place; see `HasPrompts`."""
    prompting = offered(rules, HasPrompts)
    starts = {action.split()[0] for action in actions}
    if prompting is not None and len(starts) == 1:
        question = prompting.questions.get(starts.pop())
        if question is not None:
            return tr(question)
    return tr("What do you want to do here?")


@runtime_checkable
class HasPrices(Protocol):
    """Which actions have a price that other actions of the same decision do not have."""

    def is_paid(self, action: str) -> bool:
        """Return whether an action has a price that other actions of its decision do not have."""


def put_free_first(rules: Rules, actions: Iterable[str]) -> list[str]:
    """Return actions in the same order, except that those with a price come last; see
    `HasPrices`."""
    pricing = offered(rules, HasPrices)
    return [*actions] if pricing is None else sorted(actions, key=pricing.is_paid)


@runtime_checkable
class HasParts(Protocol):
    """The parts of a game, each of which ends with scoring."""

    part: str
    """The word for a part, such as ``quarter``."""

    part_end: str
    """The kind of the event that ends a part, with the number of the part as its count."""

    def find_part(self, view: Mapping[str, Any]) -> int:
        """Return the number, from 1, of the part to which a view belongs."""


def word_end(rules: Rules, view: Mapping[str, Any]) -> str | None:
    """Return words for the end of the current part (``quarter 1 ends``), or None without parts."""
    parts = offered(rules, HasParts)
    if parts is None:
        return None
    return word_event(rules, Event(parts.part_end, None, 0, None, parts.find_part(view), None))


@runtime_checkable
class HasEndReasons(Protocol):
    """Reasons for what happens at the end of a part of the game."""

    def explain_end(
        self, events: Sequence[Event], look: Callable[[], Mapping[str, Any]]
    ) -> Mapping[int, str]:
        """For each player who comes first at the end of a part, return a sentence that says why.

        `events` are those of an action, and `look` returns the view before the action.
        """


@runtime_checkable
class HasNote(Protocol):
    """A note for players about the state of the game in this package, shown wherever it is
    played."""

    def note(self, setup: Mapping[str, Any]) -> str | None:
        """Return a one-line note on a setup, a view or the options of a deal, or None if there is
        none."""


def name_of(rules: Rules, thing: str) -> str:
    """Return the everyday name of a thing, or its name in files if the game has none."""
    wordy = offered(rules, HasSentences)
    return thing if wordy is None else wordy.thing(thing)


def in_words(rules: Rules, actions: Sequence[str]) -> str:
    """Return actions in words, or the action strings if the game has no words."""
    wordy = offered(rules, HasWords)
    return ", ".join(actions) if wordy is None else wordy.words(actions)


def find_closing(rules: Rules) -> set[str]:
    """Return the names of the kinds of events that belong to the end of a part of a game."""
    listing = offered(rules, HasEvents)
    return {kind.name for kind in listing.events if kind.is_closing} if listing else set()


def list_notable(rules: Rules, events: Iterable[Event]) -> list[Event]:
    """Return the events that a log of actions shows.

    The log shows all events with VP, and every event whose kind is not minor.
    """
    listing = offered(rules, HasEvents)
    minor = {kind.name for kind in listing.events if kind.is_minor} if listing else ()
    return [event for event in events if event.vp or event.name not in minor]


def word_event(rules: Rules, event: Event) -> str:
    """Return an event in words, without its player and VP.

    If the game has no words for events, the result consists of the name of the kind, the name of
    the thing, and the count.
    """
    wordy = offered(rules, HasEventWords)
    if wordy is not None:
        return wordy.happening(event)
    count = str(event.count) if event.count else None
    return " ".join(filter(None, (event.name.replace("_", " "), event.thing, count)))


def word_event_with_vp(rules: Rules, event: Event) -> str:
    """Return an event in words, followed by its VP if it has any: ``misses 2 demands: −9 VP``."""
    words = word_event(rules, event)
    return f"{words}: {figure(event.vp)} {tr('VP')}" if event.vp else words


def describe_event(rules: Rules, event: Event) -> dict[str, Any]:
    """Return an event as plain data, with its ``words``."""
    return asdict(event) | {"words": word_event_with_vp(rules, event)}


def note_on(rules: Rules, setup: Mapping[str, Any]) -> str | None:
    """Return the note of a game on a setup; see `HasNote`."""
    noting = offered(rules, HasNote)
    return None if noting is None else noting.note(setup)
