"""A game that a script plays: moves go forth and back, and time is counted."""

import re

import pytest

import trajan_ai
from trajan_ai import TrajanError, records
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts import Settings, search


def test_moves_are_made_and_taken_back(monkeypatch):
    now = iter(range(0, 1000, 5))
    monkeypatch.setattr("trajan_ai.table.time.monotonic", lambda: next(now))
    table = trajan_ai.Table("trajan", 2, seed=1, lap_length=10)
    start = table.position
    assert start == trajan_ai.game("trajan").start(2, 1, lap_length=10)
    first = table.push(start.legal()[0].upper())
    assert table.seconds == [5.0, 0.0]
    later = [5.0 + 5.0 * (first.player == 0), 5.0 * first.player]
    second = table.push(first.legal_moves()[1])
    assert table.positions == [start, first, second]
    assert table.seconds == later
    assert table.pop() == first.legal()[1]
    assert table.position == first
    assert table.seconds == later, "time is not given back"
    with pytest.raises(TrajanError, match="'jump'"):
        table.push("jump")
    assert (table.position, table.actions) == (first, [(0, start.legal()[0])])
    table.pop()
    with pytest.raises(TrajanError, match="no move was made"):
        table.pop()


def test_a_game_is_recorded():
    table = trajan_ai.Table(trajan_ai.game("forum_trajanum"), 3, seed=2)
    while table.position.player is not None:
        table.push(table.position.legal_moves()[-1])
    assert records.verify(table.record()).position == table.position
    alone = trajan_ai.Table(table.position.game.from_bytes(table.positions[7].to_bytes()))
    with pytest.raises(TrajanError, match="no setup to record"):
        alone.record()


def test_results_are_tables():
    """The first column holds the actions in both forms, the best one on top."""
    position = trajan_ai.game("trajan").start(2, seed=7)
    result = search(InformationSet(position), Settings(), iterations=50)
    for found in (result, trajan_ai.search(position, iterations=50)):
        html = found._repr_html_()
        rows = re.findall(r"<tr><td>(.*?)</td>", html)
        assert rows == [move.action for move in found.moves]
        lines = str(found).splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("action"))
        shown = [line for line in lines[at + 1 :] if line.startswith(tuple(rows))]
        assert [line.startswith(row) for line, row in zip(shown, rows, strict=True)]
