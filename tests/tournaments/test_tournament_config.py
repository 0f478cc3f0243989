"""Plans: all errors are reported with file, line, key and remedy; committed plans are valid."""

import copy
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from calls import ROOT, problems

from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.lab.simulation import simulate
from trajan_ai.tournaments import game_task, pool
from trajan_ai.tournaments.defaults import BUILTIN_PLANS, TABLES
from trajan_ai.tournaments.plan_file import parse_plan, read_plan
from trajan_ai.tournaments.schedule import Schedule

PLANS = [*BUILTIN_PLANS, *sorted((ROOT / "tournaments").rglob("*.yaml"))]
PAGE = (ROOT / "docs" / "tournaments.md").read_text(encoding="utf-8")
GOOD = "name: t\ngame: trajan\nbots: [random, greedy]\n"


def parsed(text):
    return parse_plan(parse_yaml(text, "plan.yaml"))


@pytest.mark.parametrize("path", PLANS, ids=lambda path: Path(path).stem)
def test_every_committed_plan_is_right(path):
    plan = read_plan(path)
    assert len(plan.bots) >= 2
    assert sum(Schedule(plan).count_games().values()) > 0


def test_a_resolved_plan_is_a_plan_with_the_same_games():
    plan = parsed(GOOD + "players: [2, 3]\ndeals: 3\noptions: {lap_length: 10}\n")
    again = parsed(yaml.safe_dump(plan.resolved()))
    assert again.resolved() == plan.resolved()
    games = [fixture.id for fixture in Schedule(plan).fixtures()]
    assert [fixture.id for fixture in Schedule(again).fixtures()] == games


@pytest.mark.parametrize(
    "address", ["tcp://head-node:8786", "127.0.0.1:1", "tls://[::1]:65535", "ws://x.y:80/"]
)
def test_schedulers_have_an_address_with_a_port(address):
    text = GOOD + f"backend: dask\nscheduler: '{address}'\n"
    assert parsed(text).settings.scheduler == address


@pytest.mark.parametrize(
    ("players", "expected"),
    [("5", ["players: must be less than or equal to 4, got 5"]),
     ("[2, 5]", ["players[1]: must be less than or equal to 4, got 5"]),
     ("[]", ["players: must not be empty"]),
     ("x", ["players: must be a whole number, got 'x'", "players: must be a list, got 'x'"])],
)  # fmt: skip
def test_only_problems_of_the_type_that_was_meant_are_reported(players, expected):
    messages = problems(parsed, GOOD + f"players: {players}\n")
    assert [message.removeprefix("plan.yaml:4: ") for message in messages] == expected


def test_misspelt_bots_and_plans_have_a_suggestion():
    (message,) = problems(parsed, GOOD.replace("greedy", "gredy"))
    assert message.endswith("; did you mean 'greedy'?")
    (message,) = problems(read_plan, "quik")
    assert message.endswith("; did you mean 'quick'?")


def test_all_problems_at_once_with_their_lines():
    messages = problems(
        parsed,
        "name: t\n"
        "game: trajan\n"
        "players: 5\n"
        "bots:\n"
        "  - random\n"
        "  - {kind: ismcts, name: x, iterations: -5}\n"
        "  - nosuchbot\n"
        "deals: 0\n"
        "deels: 3\n"
        "test: {bot: random}\n",
    )
    text = "\n".join(messages)
    for line, word in ((3, "players"), (6, "iterations"), (7, "nosuchbot"), (8, "deals"),
                       (9, "deels"), (10, "test.against")):  # fmt: skip
        assert any(f"plan.yaml:{line}:" in problem and word in problem for problem in messages), (
            f"{word} of line {line} is missing in\n{text}"
        )


def test_a_wrong_bot_is_not_also_a_missing_one(tmp_path):
    messages = problems(parsed, "name: t\ngame: trajan\nbots: [random, nosuchbot]\n")
    assert len(messages) == 1
    assert "nosuchbot" in messages[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: t\ngame: chess\nbots: [random, greedy]\n", "no game is called 'chess'"),
        ("name: t\ngame: trajan\nbots: [random]\n", "at least two bots"),
        ("name: t\ngame: trajan\nbots: [random, greedy]\npositions: []\n", "must not be empty"),
        (GOOD + "options: {lapp: 3}\n", "unknown option 'lapp'"),
        (GOOD + "schedule: gauntlet\n", "a gauntlet requires the bot or bots"),
        (GOOD + "schedule: gauntlet\nfocus: nobody\n", "must be one of the bots random, greedy"),
        (
            GOOD + "schedule: gauntlet\nfocus: [random, greedy]\n",
            "one bot that is not in its focus",
        ),
        (GOOD + "rating: {anchor: nobody}\n", "must be one of the bots random, greedy"),
        (GOOD + "budget: {}\n", "exactly one of iterations"),
        ("kind: python\nclass: mine:Mine\n", "plan.yaml: is a bot, not a plan; to check it: "),
        ("extends: ismcts\n", "plan.yaml: is a bot, not a plan; to check it: "),
        (GOOD + "budget: {iterations: 3, seconds_per_turn: 1}\n", "exactly one of iterations"),
        (GOOD + "scheduler: 'tcp://x:1'\n", "requires `backend: dask`"),
        *(
            (GOOD + f"backend: dask\nscheduler: {address!r}\n", "plan.yaml:5: scheduler: must be")
            for address in (
                "127.0.0.1",
                "tcp://head-node",
                "tcp://head-node:",
                ":8786",
                "",
                "a b:1",
                "tcp://x:0",
                "tcp://x:65536",
                "[::1]",
                "::1",
                "tcp://x:1:2",
            )
        ),
        (GOOD + "test: {bot: random, against: random}\n", "must differ from test.bot"),
        (GOOD + "test: {bot: random, against: greedy, elo0: 5, elo1: 5}\n", "above elo0"),
        (GOOD + "test: {bot: random, against: greedy, elo0: -200000}\n", "equal to -10000"),
        (GOOD + "test: {bot: random, against: greedy, elo1: 1.0e+308}\n", "equal to 10000"),
        (GOOD + "test: {bot: random, against: greedy, alpha: 5.0e-324}\n", "equal to 0.000000001"),
        (GOOD + "rating: {prior: 1.0e-300}\n", "equal to 1,"),
        (GOOD + "rating: {prior: 1.0e+300}\n", "equal to 1000000"),
        (GOOD + "rating: {elo: 1.0e+300}\n", "equal to 10000"),
        (
            GOOD + "players: [2, 3]\ntest: {bot: random, against: greedy}\n",
            "players: must be a single number, because the plan has a sequential test",
        ),
        (
            GOOD + "schedule: gauntlet\nfocus: random\ntest: {bot: random, against: greedy}\n",
            "a sequential test has its own schedule",
        ),
        (
            GOOD + "pairing: informative\ntest: {bot: random, against: greedy}\n",
            "a sequential test has its own schedule",
        ),
        (GOOD + "deals: yes\n", "must be a whole number, got 'yes'"),
        ("name: t\ngame: trajan\nbots: [random, {name: random, extends: greedy}]\n", "two bots"),
        ("name: t\ngame: trajan\nbots: [random, {name: r2, extends: random}]\n", "same settings"),
        (
            "name: t\ngame: trajan\nbudget: {iterations: 9}\nbots: [{name: a, extends: ismcts, "
            "iterations: 5}, {name: b, extends: ismcts, iterations: 6}]\n",
            "'b' and 'a' have the same settings (with the plan's budget instead of their own",
        ),
        (
            GOOD + "limits: {time: 3}\n",
            "limits.time: unknown key; keys are memory, patience, retries",
        ),
        (GOOD + "positions: [{file: x, plies: 3}]\n", "keys are file, ply, record"),
        (
            "name: t\ngame: trajan\nbots: [random, {extends: ismcts, ladder: {iterations: 5}}]\n",
            "one setting and its values",
        ),
    ],
)
def test_a_wrong_plan_gives_an_error_with_a_remedy(text, expected):
    messages = problems(parsed, text)
    assert any(expected in problem for problem in messages), messages
    assert all(problem.startswith("plan.yaml") for problem in messages)


def test_a_ladder_is_a_bot_for_each_value():
    plan = parsed(
        "name: t\ngame: trajan\nschedule: ladder\nbots:\n  - random\n"
        "  - {name: s, extends: ismcts, ladder: {iterations: [10, 20, 40]}}\n"
    )
    assert [bot.name for bot in plan.bots] == ["random", "s-10", "s-20", "s-40"]
    assert Schedule(plan).tables == [(0, 1), (1, 2), (2, 3)]


def test_documented_defaults_are_those_of_plans():
    (block,) = re.findall(r"^deals: 20 .*?^backend: loky.*?$", PAGE, re.M | re.S)
    expected = yaml.safe_load(re.sub(r".*\(none\).*\n(  +#.*\n| {20,}.*\n)*", "", block))
    assert {"rating", "limits", "rotations", "pairing"} <= set(expected)
    assert parsed(GOOD + yaml.safe_dump(expected)).settings == parsed(GOOD).settings


@pytest.mark.parametrize(
    ("budget", "limits"),
    [
        ("cpu_seconds_per_turn: 0.4", [(None, None), (0.4, None), (0.2, None), (0.4, None)]),
        ("iterations: 20", [(None, None), (None, 20), (None, 20), (2, None)]),
    ],
)
def test_a_budget_replaces_the_limits_of_every_bot_that_has_such(budget, limits):
    program = f"{{name: other, kind: program, command: [{sys.executable}], seconds_per_turn: 2}}"
    plan = parsed(
        f"name: t\ngame: trajan\nbudget: {{{budget}}}\nbots:\n  - random\n"
        "  - {name: one, extends: ismcts, iterations: 10}\n"
        f"  - {{name: two, extends: ismcts, seconds_per_turn: 1, threads: 2}}\n  - {program}\n"
    )
    expected = [bot.resolved() for bot in plan.bots]
    assert [(one.get("seconds_per_turn"), one.get("iterations")) for one in expected] == limits
    clocks = [one["clock"] for one in expected if "clock" in one]
    assert clocks == ["cpu" if budget.startswith("cpu") else "wall"] * 2


def test_a_budget_changes_no_other_setting():
    bot = {"name": "one", "extends": "expert", "reuse_tree": False, "seconds_increment": 1.0,
           "seconds_per_game": 60.0, "weights": {"trajan": {"moves.noise": 2.0}}}  # fmt: skip
    text = f"name: t\ngame: trajan\nbots: [random, {json.dumps(bot)}]\n"
    before, after = parsed(text).bots[1], parsed(text + "budget: {iterations: 7}\n").bots[1]
    changed = {
        key: value for key, value in after.resolved().items() if value != before.resolved()[key]
    }
    limits = {"seconds_per_game": None, "seconds_per_turn": None, "seconds_increment": 0.0}
    assert changed == {"iterations": 7} | {
        key: value for key, value in limits.items() if before.resolved()[key] != value
    }


def test_the_hardest_test_that_a_plan_may_ask_for_is_computed():
    plan = parsed(
        GOOD + "test: {bot: random, against: greedy, elo0: -10000, elo1: 10000, alpha: 1.0e-9}\n"
    )
    results = replace(simulate((0.0, 0.0), 2, 20, seed=1), bots=("random", "greedy"))
    for on in ("wins", "margin"):
        test = plan.settings.test.model_copy(update={"on": on})
        state = pool.evaluate_test(results, test)
        json.dumps(state.export(), allow_nan=False)


def test_options_that_are_defaults_change_no_game():
    plain, spelled = parsed(GOOD), parsed(GOOD + "options: {lap_length: 11}\n")
    assert spelled.options == {}
    ids = [[fixture.id for fixture in Schedule(plan).fixtures()] for plan in (plain, spelled)]
    assert ids[0] == ids[1]


def test_options_of_the_deal_reach_the_games():
    """A plan can choose components, boards and mosaics, although records omit these options."""
    chosen = {"components": "varied-1", "boards": "B", "mosaic": "upright", "eagle_once": False}
    plan = parsed(GOOD.replace("trajan", "forum_trajanum") + f"options: {chosen}\n")
    assert plan.options == {"components": "varied-1", "boards": "B"}
    start = game_task.find_game(plan.settings.game).start(2, 1, **plan.options)
    assert start.origin[2]["components"] == "varied-1"
    assert start.origin[2]["boards"][0].startswith("B")


def test_plans_are_for_the_tables_that_the_engine_plays_at():
    assert TABLES == PLAYER_COUNTS


EVERYTHING = {
    "name": "t", "game": "trajan", "options": {"lap_length": 10}, "players": 2,
    "bots": [
        "random",
        {"name": "a", "extends": "ismcts", "iterations": 5, "weights": {"policy.x": 1.0}},
        {"name": "b", "kind": "python", "class": "scripted_bots:Scripted", "folder": "here",
         "files": ["f"], "options": {"at": 1}, "memory": 99, "seconds_per_turn": 1.0},
        {"name": "c", "kind": "program", "command": ["sh"], "folder": ".", "files": ["f"]},
        {"name": "d", "extends": "ismcts", "ladder": {"iterations": [1, 2]}},
    ],
    "schedule": "gauntlet", "focus": ["random"], "deals": 2, "rotations": "cyclic",
    "pairing": "all", "batch": 3, "budget": {"iterations": 2}, "seed": 3,
    "rating": {"anchor": "random", "elo": 0, "seat_effect": True, "prior": 9},
    "test": {"bot": "a", "against": "b", "on": "wins", "elo0": 0, "elo1": 1, "alpha": 0.1},
    "stop": {"half_width": 9}, "limits": {"patience": 1, "retries": 1, "memory": 99},
    "secret": {"file": "f"}, "backend": "loky", "scheduler": "tcp://x:1", "jobs": 2,
}  # fmt: skip
ABSURD = ("x" * 5000, "\ud800", "\x1b[31m", None, -1, 10**400, float("nan"), [], {"x" * 5000: 1})


def places(data, path=()):
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


@pytest.mark.parametrize("value", ABSURD, ids=lambda value: ascii(value)[:12])
def test_absurd_values_give_short_errors_with_lines(value):
    for path in [*places(EVERYTHING)][ABSURD.index(value) % 3 :: 3]:
        data = copy.deepcopy(EVERYTHING)
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        if path:
            inner[path[-1]] = value
        text = json.dumps(data if path else value)
        messages = problems(parsed, text)
        for line in messages:
            assert line.startswith("plan.yaml:1:"), (path, line)
            assert len(line) < 700, (path, line)
            assert line.isprintable(), (path, line)
