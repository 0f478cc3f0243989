"""Previews of a decision's moves: the events that can be foreseen before a move is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from trajan_ai.core.events import Event
from trajan_ai.core.foresight import Foresight
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import Rules, offered
from trajan_ai.core.rules_drawing import HasPreviews, Preview
from trajan_ai.core.rules_words import (
    HasForeseenWords,
    find_closing,
    list_notable,
    word_event_with_vp,
)
from trajan_ai.games.kit.sets import END, Sets


def preview_moves(
    information: InformationSet, names: Sequence[str], gathered: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the previews of legal moves, by action; some moves have none.

    A preview has ``lines`` in words, the ``places`` that change, the ``vp`` of the player, and the
    ``price`` and the ``brief`` of `trajan_ai.core.rules_drawing.Preview`. If some moves lead to
    the end of a part of the game, the most VP that the end brings after any of these moves is
    subtracted from the VP of each of them, because only the differences matter. A move has no
    preview if its action already names everything that happens. `names` are those of the players.
    If the elements `gathered` of a set have been named, the moves are the elements that may be
    named next; the preview of an element shows the effect of a set that ends with that element.
    """
    rules = information.game.rules
    drawing = offered(rules, HasPreviews)
    closing = find_closing(rules)
    previews: dict[str, dict[str, Any]] = {}
    ends = {}  # VP that the end of a part of the game brings, by the action that leads to it
    sets = Sets(information.canonical)
    for action in sets.take(gathered)[1] if gathered else information.legal():
        preview = Preview((action,))
        if not gathered and drawing is not None:
            preview = drawing.preview(information.canonical, action)
        if gathered or (preview.actions == (action,) and sets.is_thing(action)):
            whole = sets.list_actions([*gathered, action, END])
            preview = replace(preview, actions=tuple(whole))
        # Events of other players belong to their next turns, so they are included only if they
        # happen at the end of a part of the game.
        events = [
            event
            for event in Foresight(information).make_all(preview.actions)
            if event.player in (None, information.observer) or event.name in closing
        ]
        if any(event.name in closing for event in events):
            ends[action] = sum(
                event.vp
                for event in events
                if event.name in closing and event.player == information.observer
            )
        is_plain = len({event.name for event in events}) < 2 and not list_notable(rules, events)
        lines = (
            [] if is_plain else _word_events(rules, events, closing, names, information.observer)
        )
        if preview.facts or lines:
            own = (event.vp for event in events if event.player == information.observer)
            previews[action] = {
                "places": list(preview.places),
                "lines": [*lines, *preview.facts],
                "vp": sum(own),
                "price": list(preview.price),
                "brief": preview.brief,
            }
    for action in previews.keys() & ends:
        previews[action]["vp"] -= max(ends.values())
    return previews


def _word_events(
    rules: Rules,
    events: Sequence[Event],
    closing: Container[str],
    names: Sequence[str],
    observer: int | None,
) -> list[str]:
    """Return the player's events as sentences, and a line per player about the end of a part.

    The line of a player other than the observer begins with the player's name.
    """
    is_closing = [event.name in closing for event in events]
    end = is_closing.index(True) if True in is_closing else len(events)
    wordy = offered(rules, HasForeseenWords)
    counts = Counter(events[:end])
    lines = (
        [_word_event(rules, event, count) for event, count in counts.items()]
        if wordy is None
        else wordy.foresee(events[:end])
    )
    by_player: dict[int, list[str]] = {}
    last = list_notable(rules, events[end:])
    if wordy is not None:
        lines += wordy.foresee([event for event in last if event.player == observer])
        last = [event for event in last if event.player != observer]
    for event in last:
        if event.player is None:
            lines.append(_word_event(rules, event))
        elif event.name in closing:
            words = word_event_with_vp(rules, event)
            by_player.setdefault(event.player, []).append(words)
    for player, parts in by_player.items():
        line = "; ".join(parts)
        # The sentences above do not name the observer either, and "You: gets" would be wrong.
        is_own = player == observer
        lines.append(f"{line[0].upper()}{line[1:]}." if is_own else f"{names[player]}: {line}.")
    return lines


def _word_event(rules: Rules, event: Event, times: int = 1) -> str:
    """Return a sentence for an event that happens `times` times."""
    words = word_event_with_vp(rules, event)
    if times > 1:
        several = word_event_with_vp(rules, replace(event, vp=times * event.vp, count=times))
        repeated = tr("{words} ({count} times)", words=words, count=times)
        words = repeated if event.count or several == words else several
    return f"{words[0].upper()}{words[1:]}."
