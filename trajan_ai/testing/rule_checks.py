"""Checks of what a game declares: its handle, its options, its setups."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
from collections.abc import Iterator, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import PLAYER_COUNTS, Game
from trajan_ai.core.rules import all_options
from trajan_ai.testing.courses import Course, alternatives
from trajan_ai.testing.probe import Probe
from trajan_ai.testing.registry import Finding, per_course, per_group

REQUIRED = ("players", "player", "turn", "legal", "apply", "scores", "ranks", "determinize")
RULES = ("check", "deal", "encode", "view", "from_view", "draw")
NONSENSE: tuple[Any, ...] = (None, -1, "no such value", 1e300, {"a": 1}, [None], object())
UNKNOWN = "no such name"


@per_group(per_game=True, careful=True)
def handle(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """The handle has a plain name, is found under its reference, and its facts hold."""
    probe = Probe(game)
    problems = [f"GameOps.{name} is null" for name in REQUIRED if name in probe.missing]
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        problems.append(f"the name must be like my_game, got {game.name!r}")
    problems += _reference_problems(game)
    if game.hidden_moves != ("observed" not in probe.missing):
        problems.append("GameOps.observed must be there exactly where HIDDEN_MOVES is declared")
    if game.hidden_moves and not game.hidden_information:
        problems.append("HIDDEN_MOVES needs HIDDEN_INFORMATION: what is not seen stays hidden")
    problems += [
        f"action {move}: must be one line of text, got {action!r}"
        for move, action in enumerate(game.actions)
        if not action or action != action.strip() or not action.isprintable()
    ]
    problems += _weight_problems(game, probe.weight_count)
    problems += [f"rules.{name}() is missing" for name in RULES if not hasattr(game.rules, name)]
    for problem in problems:
        yield Finding(problem)


def _reference_problems(game: Game) -> list[str]:
    try:
        again = pickle.loads(pickle.dumps(game))
    except Exception as error:  # of a stranger's module
        return [f"no game at the reference {game.reference}: {type(error).__name__}: {error}"]
    return [] if again is game else [f"the reference {game.reference} leads to another object"]


def _weight_problems(game: Game, count: int) -> list[str]:
    problems = []
    weights = game.default_weights
    if count and (weights is None or len(weights) != count):
        problems.append(f"default_weights must be {count} numbers, got {weights!r:.60}")
    elif weights and not all(math.isfinite(weight) for weight in weights):
        problems.append("default_weights must be finite")
    if len(set(game.weight_names)) != len(game.weight_names):
        problems.append("two weights share one name")
    if count and not {"policy", "prior", "evaluate"} & set(game.has_knowledge):
        problems.append(f"{count} weights, but no policy, prior or evaluate that reads them")
    return problems


@per_group(careful=True)
def options(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """Options have defaults, refuse nonsense with TrajanError, and stay as they are when checked
    again; so do numbers of players."""
    players = courses[0].table.players
    rules = game.rules
    default = rules.check(players, {})
    names = [option.name for option in all_options(rules)]
    problems = []
    if sorted(default) != sorted(names):
        problems.append(f"check() gives {sorted(default)}, the options are {sorted(names)}")
    for course in courses:
        checked = rules.check(players, course.table.options)
        if checked != course.table.options or rules.check(players, checked) != checked:
            problems.append(f"check() changes checked options: {course.table.options} {checked}")
    problems += _refusal_problems(game, players)
    for option in rules.options:
        if not option.accepts(option.default(players), players):
            problems.append(f"option {option.name} does not accept its own default")
        tables = (course.table.options for course in courses)
        tried = [table[option.name] for table in tables if option.name in table]
        if not alternatives(option, players, tried):
            problems.append(
                f"option {option.name}: no value but the default is known; name some with "
                f"options={{{option.name!r}: [..]}}"
            )
        for value in NONSENSE:
            if not option.accepts(value, players):
                problems += _refuses(
                    f"option {option.name}={value!r:.20}",
                    rules.check,
                    players,
                    {option.name: value},
                )
    for problem in problems:
        yield Finding(problem)


def _refusal_problems(game: Game, players: int) -> list[str]:
    rules = game.rules
    problems = _refuses("an unknown option", rules.check, players, {UNKNOWN: 1})
    for count in (0, 1, 5, -2, "2", None):
        problems += _refuses(f"{count!r} players", rules.check, count, {})
    if players not in PLAYER_COUNTS:
        problems.append(f"the number of players must be one of {PLAYER_COUNTS}, got {players}")
    return problems


def _refuses(what: str, function: Any, *arguments: Any) -> list[str]:
    """Return a problem unless the call raises TrajanError."""
    try:
        function(*arguments)
    except TrajanError:
        return []
    except Exception as error:  # of a stranger's rules
        return [f"{what}: raises {type(error).__name__}, must be refused with TrajanError"]
    return [f"{what}: accepted, must be refused with TrajanError"]


@per_course(careful=True)
def setups(course: Course) -> Iterator[str]:
    """The same seed deals the same setup; a setup is plain data, survives JSON, stays as it is,
    gives one state, and is refused with TrajanError where it is wrong."""
    table, rules = course.table, course.game.rules
    options = rules.check(table.players, table.options)
    kept = copy.deepcopy(options)
    setup = rules.deal(table.players, table.seed, options)
    if rules.deal(table.players, table.seed, options) != setup:
        yield "deal() gives another setup from the same seed"
    rules.deal(table.players, 2**64 - 1, options)
    state = rules.encode(table.players, options, setup)
    if len(state) != course.game.state_bytes:
        yield f"encode() gives {len(state)} bytes, state_size is {course.game.state_bytes}"
    again = json.loads(json.dumps(setup, allow_nan=False))
    if again != setup:
        yield "a setup is other data after JSON: tuples, sets or keys that are no strings"
    if rules.encode(table.players, options, again) != state:
        yield "encode() gives another state from the same setup"
    if setup != again or options != kept:
        yield "deal() or encode() changes its arguments"
    broken = {key: {**setup, key: None} for key in setup}
    broken |= {f"without {key}": {k: v for k, v in setup.items() if k != key} for key in setup}
    for key, wrong in {**broken, UNKNOWN: {**setup, UNKNOWN: 0}}.items():
        yield from _refuses(
            f"a setup with wrong {key}", rules.encode, table.players, options, wrong
        )
