"""Checks of a game's handle, options and setups."""

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
    """The handle has a simple name and a valid reference, and its declarations are true."""
    probe = Probe(game)
    problems = [f"GameOps.{name} is null" for name in REQUIRED if name in probe.missing]
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        problems.append(
            "the name must begin with a letter from a to z and contain only such letters, digits "
            f"and underscores, as in my_game, got {game.name!r}"
        )
    problems += _reference_problems(game)
    if game.hidden_moves != ("observed" not in probe.missing):
        problems.append("GameOps.observed must be set exactly if HIDDEN_MOVES is declared")
    if game.hidden_moves and not game.hidden_information:
        problems.append("HIDDEN_MOVES requires HIDDEN_INFORMATION")
    problems += [
        f"action {move}: must be one line of text, got {action!r}"
        for move, action in enumerate(game.actions)
        if not action or action != action.strip() or not action.isprintable()
    ]
    problems += _weight_problems(game)
    problems += [f"rules.{name}() is missing" for name in RULES if not hasattr(game.rules, name)]
    for problem in problems:
        yield Finding(problem)


def _reference_problems(game: Game) -> list[str]:
    try:
        again = pickle.loads(pickle.dumps(game))
    except Exception as error:  # third-party code may raise anything
        return [
            f"the reference {game.reference} leads to no game: {type(error).__name__}: {error}"
        ]
    return [] if again is game else [f"the reference {game.reference} leads to another object"]


def _weight_problems(game: Game) -> list[str]:
    problems = []
    weights, count = game.default_weights, len(game.weight_names)
    if count and (weights is None or len(weights) != count):
        problems.append(f"default_weights must be {count} numbers, got {weights!r:.60}")
    elif weights and not all(math.isfinite(weight) for weight in weights):
        problems.append("default_weights must be finite")
    if len(set(game.weight_names)) != len(game.weight_names):
        problems.append("two weights have the same name")
    if count and not {"policy", "prior", "evaluate"} & set(game.has_knowledge):
        problems.append(
            "the game has weights, but none of the functions that read weights: policy, prior and "
            "evaluate"
        )
    return problems


@per_group(careful=True)
def options(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """Options have valid defaults, and checking them again does not change them; invalid options
    and numbers of players raise TrajanError."""
    players = courses[0].deal.players
    rules = game.rules
    default = rules.check(players, {})
    names = [option.name for option in all_options(rules)]
    problems = []
    if sorted(default) != sorted(names):
        problems.append(f"check() returns {sorted(default)}, but the options are {sorted(names)}")
    for course in courses:
        checked = rules.check(players, course.deal.options)
        if checked != course.deal.options or rules.check(players, checked) != checked:
            problems.append(
                "check() must not change options that it has already checked, "
                f"but changes {course.deal.options} to {checked}"
            )
    problems += _rejection_problems(game, players)
    for option in rules.options:
        if not option.accepts(option.default(players), players):
            problems.append(f"option {option.name} does not accept its default")
        values = (course.deal.options for course in courses)
        tried = [one[option.name] for one in values if option.name in one]
        if not alternatives(option, players, tried):
            problems.append(
                f"option {option.name}: only the default is known; name other values with "
                f"options={{{option.name!r}: [..]}}"
            )
        for value in NONSENSE:
            if not option.accepts(value, players):
                problems += _check_rejected(
                    f"option {option.name}={value!r:.20}",
                    rules.check,
                    players,
                    {option.name: value},
                )
    for problem in problems:
        yield Finding(problem)


def _rejection_problems(game: Game, players: int) -> list[str]:
    rules = game.rules
    problems = _check_rejected("an unknown option", rules.check, players, {UNKNOWN: 1})
    for count in (0, 1, 5, -2, "2", None):
        problems += _check_rejected(f"a game with {count!r} players", rules.check, count, {})
    if players not in PLAYER_COUNTS:
        problems.append(f"the number of players must be one of {PLAYER_COUNTS}, got {players}")
    return problems


def _check_rejected(what: str, function: Any, *arguments: Any) -> list[str]:
    """Return a problem if the call does not raise TrajanError."""
    try:
        function(*arguments)
    except TrajanError:
        return []
    except Exception as error:  # third-party code may raise anything
        return [f"{what} raises {type(error).__name__}, but must raise TrajanError"]
    return [f"{what} is accepted, but must raise TrajanError"]


@per_course(careful=True)
def setups(course: Course) -> Iterator[str]:
    """The same seed deals the same setup. A setup is plain data that survives a round trip through
    JSON and always encodes to the same state; an invalid setup raises TrajanError."""
    deal, rules = course.deal, course.game.rules
    options = rules.check(deal.players, deal.options)
    before = copy.deepcopy(options)
    setup = rules.deal(deal.players, deal.seed, options)
    if rules.deal(deal.players, deal.seed, options) != setup:
        yield "deal() returns different setups for the same seed"
    rules.deal(deal.players, 2**64 - 1, options)
    state = rules.encode(deal.players, options, setup)
    if len(state) != course.game.state_bytes:
        yield f"encode() returns {len(state)} bytes, but state_size is {course.game.state_bytes}"
    again = json.loads(json.dumps(setup, allow_nan=False))
    if again != setup:
        yield "a setup changes in a JSON round trip: it has tuples, or keys that are not strings"
    if rules.encode(deal.players, options, again) != state:
        yield "encode() returns different states for the same setup"
    if setup != again or options != before:
        yield "deal() or encode() changes its arguments"
    broken = {key: {**setup, key: None} for key in setup}
    broken |= {f"without {key}": {k: v for k, v in setup.items() if k != key} for key in setup}
    for key, wrong in {**broken, UNKNOWN: {**setup, UNKNOWN: 0}}.items():
        yield from _check_rejected(
            f"a setup with wrong {key}", rules.encode, deal.players, options, wrong
        )
