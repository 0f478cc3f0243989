"""With a secret, nothing that a bot receives reveals the deal; without a secret, its seeds do."""

import itertools
import json
import os
from dataclasses import replace

import pytest
from calls import problems
from plans import NIM, outputs, plan, plan_file, stored

from trajan_ai.cli.main import main
from trajan_ai.core.seeds import derive_seed
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import Store

SECRET = "0123456789abcdef0123456789abcdef"
SPY = """
import json, os

class Mine:
    def __init__(self, game, log):
        self.log = log
    def note(self, *what):
        with open(self.log, "a") as file:
            file.write(json.dumps(what) + "\\n")
    def start(self, seat, players, seed):
        self.note("start", seat, seed)
        self.note("environment", *os.environ.values())
    def choose(self, observation, seed):
        self.note("choose", observation.observer, seed)
        return observation.legal()[0]
"""


def spied(folder, **keys):
    """Play a plan with a bot that notes what it receives; return the plan and these notes."""
    folder.mkdir()
    (folder / "mine.py").write_text(SPY)
    mine = {"name": "mine", "kind": "python", "class": "mine:Mine",
            "options": {"log": str(folder / "log")}}  # fmt: skip
    tournament = plan(folder, bots=[mine, "random"], deals=3, game=NIM, **keys)
    runner.run(tournament, folder / "out", 1)
    return tournament, [json.loads(line) for line in (folder / "log").read_text().splitlines()]


def find_deals(tournament, notes):
    """Return the deal seeds of those games in which a noted seed follows from the public part of
    the plan."""
    handed = {tuple(note) for note in notes}
    public = replace(tournament, root=tournament.settings.seed)
    return [
        fixture.deal_seed
        for fixture in Schedule(public).fixtures()
        for seat in range(2)
        if ("start", seat, derive_seed("start", fixture.seed, seat)) in handed
    ]


@pytest.mark.slow
def test_a_secret_hides_the_deal_from_bots(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAJAN_SECRET_HERE", SECRET)
    tournament, notes = spied(tmp_path / "open")
    assert len(find_deals(tournament, notes)) == 6  # the attack works without a secret
    tournament, notes = spied(tmp_path / "secret", secret={"environment": "TRAJAN_SECRET_HERE"})
    assert len([note for note in notes if note[0] == "start"]) == 6
    assert not find_deals(tournament, notes)
    assert SECRET not in json.dumps(notes)


def test_both_seed_and_secret_determine_the_games(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAJAN_SECRET_ONE", SECRET)
    monkeypatch.setenv("TRAJAN_SECRET_TWO", SECRET[::-1])
    ids = [
        {fixture.id for fixture in Schedule(plan(tmp_path, seed=seed, **keys)).fixtures()}
        for seed in (1, 2)
        for keys in (
            {},
            *({"secret": {"environment": f"TRAJAN_SECRET_{n}"}} for n in ("ONE", "TWO")),
        )
    ]
    assert len(set.union(*ids)) == sum(map(len, ids))


@pytest.mark.slow
def test_the_same_plan_and_secret_give_the_same_games(tmp_path, monkeypatch, capsys):
    """Only the secret itself matters, not whether it comes from a file or from the environment."""
    keys = {"bots": ["random", "greedy"], "deals": 2, "game": NIM}
    monkeypatch.setenv("TRAJAN_SECRET", SECRET)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "deals.secret").write_text(SECRET + "\n")
    ways = {"one": {"file": "deals.secret"}, "two": {"environment": "TRAJAN_SECRET"}, "open": None}
    games = {}
    for name, secret in ways.items():
        tournament = plan(tmp_path / name, secret=secret, **keys)
        write_outputs(runner.run(tournament, tmp_path / name, 1))
        games[name] = stored(tmp_path / name)
    assert outputs(tmp_path / "one") == outputs(tmp_path / "two")
    assert games["one"] == games["two"]
    assert not games["one"] & games["open"]
    more = plan(tmp_path / "one", secret=ways["one"], **keys | {"deals": 3})
    assert runner.run(more, tmp_path / "one", 1).played == 2
    with Store(tmp_path / "one") as store:
        assert store.merge(tmp_path / "two") == 0
        assert store.merge(tmp_path / "open") == 4
    for file in itertools.chain.from_iterable(path.iterdir() for path in tmp_path.iterdir()):
        assert file.name == "deals.secret" or SECRET.encode() not in file.read_bytes()
    assert main(["tournament", str(tmp_path / "one" / "plan.yaml"), "--check"]) == 0
    assert SECRET not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("secret", "complaint"),
    [
        ({"file": "nowhere"}, "nowhere: cannot be read: No such file or directory"),
        ({"environment": "TRAJAN_SECRET_NONE"}, "$TRAJAN_SECRET_NONE: has 0 characters, but must"),
        ({"environment": "HOME"}, "must be"),
        ({}, "must have exactly one of file, environment"),
    ],
)
def test_a_bad_secret_gives_an_error_with_its_line(tmp_path, secret, complaint):
    assert "TRAJAN_SECRET_NONE" not in os.environ
    path = plan_file(tmp_path, secret=secret)
    (message,) = problems(plan, tmp_path, secret=secret)
    assert message.startswith(f"{path}:")
    assert complaint in message
