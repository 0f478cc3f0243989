"""A short run of fuzz.py: damaged input of every kind is accepted, or rejected with one line."""

import json
import random

import pytest
from fuzz_mutator import mutator
from fuzz_targets import TARGETS, check

SLOW = {"position": 60, "record": 100, "components": 60, "yaml": 100, "action": 40}
INPUTS = SLOW | {"request": 1000}
OTHERS = 200


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_is_accepted_or_rejected_in_one_line(name):
    target = TARGETS[name]
    seeds = target.seeds()
    assert all(check(target, seed) for seed in seeds) or name in PARTLY
    draw = random.Random(1)
    drawn = mutator(seeds)
    accepted = sum(check(target, drawn(draw)) for _ in range(INPUTS.get(name, OTHERS)))
    assert accepted < INPUTS.get(name, OTHERS), "no damage was noticed"


PARTLY = {"bot", "answer", "yaml", "request"}  # some examples must be rejected


def with_value(name, path, value):
    """Return the first example of a kind, with another value at a path of keys."""
    data = json.loads(next(seed for seed in TARGETS[name].seeds() if seed.startswith(b"{")))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data).encode()


# Inputs on which a reader once failed or took hours.
FORMER_FAILURES = [
    ("components", ("street_cards", "copies_per_symbol"), 10**12),
    ("components", ("colonia_tiles", "resources", 0, "count"), 10**12),
    ("components", ("colonia_tiles", "resources", 0), 7),
    ("components", ("colonia", "row_symbols_A"), 5),
    ("components", ("mosaic", "slots_by_players", "2", 0), None),
    ("components", ("prestige", "variants", "P2", "base_cols"), {"1-99999999999": 3}),
    ("components", ("prestige", "variants", "P2", "base_cols"), {"²": 3}),
    ("components", ("prestige", "variants", "P2", "trajan_base"), None),
    ("components", ("trajan_cards", "cards", 0, "phase"), 1.0),
    ("components", ("trajan_cards", "cards", 0, "build"), []),
    ("components", ("trajan_cards", "cards", 0, "collect"), {"temples": "1!"}),
    ("weights", ("moves",), {"upgrade": 10**400}),
    ("bot", ("extends",), "x" * 3000),
    ("plan", ("bots", 0), "x" * 3000),
]


@pytest.mark.parametrize(("name", "path", "value"), FORMER_FAILURES)
def test_inputs_that_failed_before_are_rejected(name, path, value):
    assert not check(TARGETS[name], with_value(name, path, value))


@pytest.mark.parametrize(
    "command", [["none", "\ud800"], ["x" * 3000]], ids=["half a character", "long"]
)
def test_commands_that_failed_before_are_rejected(command):
    bot = {"name": "mine", "kind": "program", "command": command}
    assert not check(TARGETS["bot"], json.dumps(bot).encode())


def test_deep_nesting_of_a_record_is_rejected():
    for brackets in ("[", '{"a":'):
        assert not check(TARGETS["record"], brackets.encode() * 100_000)
