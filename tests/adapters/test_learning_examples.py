"""The programs in docs/examples run; those that take long are run with small parameters."""

import importlib
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


@pytest.fixture
def one_thread():
    torch = pytest.importorskip("torch", reason="needs torch: pip install -e '.[learners]'")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_an_agent_trains(load, monkeypatch, tmp_path, capsys):
    train = load("train_agent")
    monkeypatch.chdir(tmp_path)
    for name, small in (("GAMES", 4), ("STEPS", 8), ("BATCH", 16)):
        monkeypatch.setattr(train, name, small)
    compare = train.compare
    monkeypatch.setattr(train, "compare", lambda *where: compare(*where, games=2))
    train.main(minutes=0.002)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 3
    assert lines[-1].split()[1] != "0"
    assert (tmp_path / "trained_agent.pt").exists()


@pytest.mark.slow
@pytest.mark.needs("torch", "gymnasium")
@pytest.mark.usefixtures("one_thread")
def test_a_cleanrl_loop_trains(load, monkeypatch, capsys):
    train = load("cleanrl_agent")
    for name, small in (("GAMES", 8), ("STEPS", 64), ("BATCH", 64)):
        monkeypatch.setattr(train, name, small)
    train.main(updates=4)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("2,048 decisions: won ")
    assert " of 0 " not in line, "no game ended"


@pytest.mark.slow
@pytest.mark.needs("torch", "sb3_contrib")
@pytest.mark.usefixtures("one_thread")
def test_stable_baselines_trains(load, capsys):
    load("sb3_agent").main(decisions=128, envs=2, steps=64, games=1)
    before, after = capsys.readouterr().out.splitlines()
    assert before.startswith("0 decisions: won ")
    assert after.startswith("128 decisions: won ")


@pytest.mark.needs("pyspiel")
def test_a_bot_plays_against_one_of_open_spiel(load, tmp_path, capsys):
    bot = tmp_path / "tiny.yaml"
    bot.write_text("extends: ismcts\niterations: 5\nname: tiny\n", encoding="utf-8")
    load("against_openspiel").main(str(bot), 5, deals=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("tiny: won ")
    assert lines[0].endswith(" of 2 games")
