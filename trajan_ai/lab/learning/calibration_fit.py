"""Calibration: what the engine makes of what searches expect, learned from games that it ended.

A bot plays games against itself. In each fifth of each game one decision is drawn; a search
looks behind the move that was made there. What it expects is set against how the
game ended, by regressions whose inputs are those of `analysis.calibration.Corrections`. What is left
wrong is told by cross-validation: each game is tested on a fit to the others' thirds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from trajan_ai.analysis import outlook
from trajan_ai.analysis.calibration import (
    KNOTS,
    Outlook,
    Stage,
    Corrections,
    hats,
    margin_of,
    odds_of,
    stage_of,
)
from trajan_ai.analysis.decision import one_tree
from trajan_ai.bots import Player, build
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.version import __version__
from trajan_ai.lab.learning.learn_plan import CalibrationPlan, searching_bot
from trajan_ai.lab.learning.parts import Arrays, Run, joined, read_part
from trajan_ai.mcts import ThreadedSearch

PART = 5  # games in a file
STAGES = 5  # parts of a game, each with one decision that is looked at
FOLDS = 3  # of the cross-validation, by games
FACTORS = 0.2  # how far factors are expected to lie from 1,
OFFSETS = 3.0  # offsets from 0, in VP,
ODDS = 0.5  # and factors of the log odds from those of the search
NEWTON_STEPS = 30
CLASSES = 10  # of the chance to win, in the test of how reliable it is
FILE = "calibration.yaml"

Floats = NDArray[np.float64]


def make_rows(plan: CalibrationPlan, game: Game, players: int, run: Run) -> Arrays:
    """Return decisions with what searches expected and what came of it, made where missing.

    By decision: ``game``, ``player``, ``left`` (the share of turns left), ``now`` and ``final``
    (VP by player), ``won`` (share of the win), ``came`` (VP from there on by player and source);
    and ``win``, ``margin``, ``scores`` and ``sources`` as they were expected.
    """

    def make(deals: range) -> Arrays:
        return joined([rows_of_game(plan, game, players, deal) for deal in deals])

    what = f"{players} players, games"
    paths = run.made_of(plan.games, PART, f"calibration-{players}", make, what)
    return joined([read_part(path) for path in paths])


def rows_of_game(plan: CalibrationPlan, game: Game, players: int, deal: int) -> Arrays:
    """Play a game and look at one decision in each of its parts."""
    seed = derive_seed("calibration", plan.seed, players, deal)
    positions, moves = play(plan, game, players, seed)
    bot = searching_bot(plan.bot)
    engine = ThreadedSearch(game, one_tree(bot, game))
    random = Random(seed)
    final = positions[-1]
    assert final.ranks is not None
    booked = np.array(
        [
            outlook.booked(position, move)[1]
            for position, move in zip(positions, moves, strict=False)
        ]
    )
    rows: list[dict[str, Any]] = []
    firsts = final.ranks.count(1)
    for part in range(STAGES):
        first, last = (len(moves) * bound // STAGES for bound in (part, part + 1))
        ply = first + random.below(last - first)
        position = positions[ply]
        stage = stage_of(position)
        found = engine.search(
            InformationSet(position),
            derive_seed("calibration", seed, ply),
            iterations=plan.iterations,
            allowed=(moves[ply],),
            books=True,
        ).best
        rows.append(
            {
                "game": deal,
                "player": stage.player,
                "left": stage.left,
                "now": stage.scores,
                "final": final.scores,
                "won": 1.0 / firsts if final.ranks[stage.player] == 1 else 0.0,
                "came": booked[ply:].sum(axis=0),
                "win": found.win,
                "margin": found.margin,
                "scores": found.scores,
                "sources": found.sources,
            }
        )
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def play(
    plan: CalibrationPlan, game: Game, players: int, seed: int
) -> tuple[list[Position], list[int]]:
    """Return a game of the bot against itself: every position, and the moves between them."""
    limits = {"iterations": plan.between, "seconds_per_turn": None}
    bot = searching_bot(plan.bot).model_copy(update=limits)
    seats = [build(bot, game) for _ in range(players)]
    for seat, player in enumerate(seats):
        player.start(seat, players, derive_seed("seat", seed, seat))
    return played(game, seats, seed)


def played(game: Game, seats: Sequence[Player], seed: int) -> tuple[list[Position], list[int]]:
    """Return a game of players that are seated: every position, and the moves between them."""
    positions, moves = [game.start(len(seats), seed=seed)], list[int]()
    while (mover := positions[-1].player) is not None:
        here = positions[-1]
        moves.append(seats[mover].choose(here, derive_seed("move", seed, len(moves))))
        for player in seats:
            player.observe(here, moves[-1])
        positions.append(here.after_move(moves[-1]))
    return positions, moves


def learn_calibration(plan: CalibrationPlan, game: Game, run: Run) -> Path:
    """Fit, test on games that were not fitted, and write a calibration; return its path."""
    tables, tests = {}, {}
    for players in plan.players:
        rows = make_rows(plan, game, players, run)
        tests[players] = tested(rows, game)
        decisions = f"{players} players, {len(rows['now'])} decisions"
        run.tell(f"{decisions}, each of a game that was not fitted:")
        for line in report(tests[players]):
            run.tell(line)
        tables[players] = fit(rows, game)
    path = run.folder / FILE
    path.write_text(written(plan, game, tables, tests), encoding="utf-8")
    return path


def fit(rows: Arrays, game: Game) -> Corrections:
    """Return the corrections that fit the rows best."""
    players = rows["now"].shape[1]
    knots = len(KNOTS)
    weights = np.array([hats(left) for left in rows["left"]])
    later = weights * (np.array(KNOTS) > 0)  # what is decided is not corrected
    come, ends = rows["scores"] - rows["now"], rows["final"] - rows["now"]
    mean = come.mean(axis=1)
    about = np.array([1.0] * knots + [0.0] * knots)
    far = np.array([FACTORS] * knots + [OFFSETS] * knots)
    total = ridge(weights * mean[:, None], ends.mean(axis=1), about[:knots], far[:knots])
    mover = np.eye(players)[rows["player"]]
    signs = mover - (1.0 - mover) / (players - 1)
    apart = come - mean[:, None]
    inputs = [
        np.hstack([weights * apart[:, [player]], later * signs[:, [player]]])
        for player in range(players)
    ]
    targets = [ends[:, player] - ends.mean(axis=1) for player in range(players)]
    spread = ridge(np.vstack(inputs), np.hstack(targets), about, far)
    ahead, margins = (leads(rows[name], rows["player"]) for name in ("now", "final"))
    lead = ridge(
        np.hstack([weights * (rows["margin"] - ahead)[:, None], later]),
        margins - ahead,
        about,
        far,
    )
    came, expected = (rows[name].sum(axis=(0, 1)) for name in ("came", "sources"))
    least = 0.1 * len(mean) * players  # VP: of a rarer source nothing is known
    table = Corrections(
        total=_numbers(total),
        spread=_numbers(spread[:knots]),
        mover=_numbers(spread[knots:]),
        lead=() if players == 2 else _numbers(lead[:knots]),
        ahead=() if players == 2 else _numbers(lead[knots:]),
        win=(0.0, 0.0, 1.0),
        sources={
            name: round(float(np.clip(here / there, 0.2, 5.0)), 3) if abs(there) > least else 1.0
            for name, here, there in zip(game.vp_sources, came, expected, strict=True)
        },
    )
    odds = np.array(
        [
            odds_of(left, expect(table, rows, row).margin, float(rows["win"][row]))
            for row, left in enumerate(rows["left"])
        ]
    )
    if players == 2:  # nobody is ahead where both are alike
        odds[:, 0] = 0.0
    win = _numbers(logistic(odds, rows["won"], np.array(table.win), ODDS))
    return table.model_copy(update={"win": win})


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values)


def expect(table: Corrections, rows: Arrays, row: int) -> Outlook:
    """Return what a table makes of the search of a row."""
    now = tuple(map(int, rows["now"][row]))
    stage = Stage(float(rows["left"][row]), int(rows["player"][row]), now)
    scores = tuple(map(float, rows["scores"][row]))
    return table.outlook(stage, float(rows["win"][row]), scores, float(rows["margin"][row]))


def leads(scores: NDArray[Any], players: NDArray[Any]) -> Floats:
    """Return each row's VP of its player over the best opponent's."""
    return np.array(
        [margin_of(row, player) for row, player in zip(scores, players, strict=True)], float
    )


def ridge(inputs: Floats, targets: Floats, start: Floats, spread: Floats) -> Floats:
    """Return the least squares' weights, where they are expected to lie `spread` about `start`.

    What the data hardly tell, such as what a lead of 2 VP at the opening comes to, stays there.
    """
    left = targets - inputs @ start
    penalty = np.diag(left.var() / spread**2)
    result: Floats = start + np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ left)
    return result


def logistic(inputs: Floats, shares: Floats, start: Floats, spread: float) -> Floats:
    """Return the weights of a logistic regression on shares of the win, by Newton's method."""
    weights = start.copy()
    penalty = np.eye(len(start)) / spread**2
    for _ in range(NEWTON_STEPS):
        chances = 1.0 / (1.0 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (chances - shares) + penalty @ (weights - start)
        curve = (inputs * (chances * (1.0 - chances))[:, None]).T @ inputs + penalty
        weights -= np.linalg.solve(curve, slope)
    return weights


def tested(rows: Arrays, game: Game) -> dict[str, Any]:
    """Return what is left wrong, each game expected by a fit to the thirds it is not in.

    ``stages``: by part of the game the mean of what came minus what was expected, and its standard
    error, of the own VP, the margin and the win. ``classes``: by class of the chance to win how
    many, expected and won.
    """
    known: list[Outlook] = [Outlook(0.0, 0.0, ())] * len(rows["now"])
    for fold in range(FOLDS):
        held = rows["game"] % FOLDS == fold
        if held.all() or not held.any():
            raise TrajanError(f"a calibration needs at least {FOLDS} games")
        table = fit({name: values[~held] for name, values in rows.items()}, game)
        for row in np.flatnonzero(held):
            known[row] = expect(table, rows, int(row))
    players = rows["player"]
    own = np.array([final[player] for final, player in zip(rows["final"], players, strict=True)])
    margins = leads(rows["final"], players)
    off = {
        "score": own - np.array([one.scores[p] for one, p in zip(known, players, strict=True)]),
        "margin": margins - np.array([one.margin for one in known]),
        "win": rows["won"] - np.array([one.win for one in known]),
    }
    stages = {}
    for name, values in off.items():
        parts = [values[part::STAGES] for part in range(STAGES)]
        stages[name] = _rounded(*(one.mean() for one in parts))
        stages[f"{name}_error"] = _rounded(
            *(part.std(ddof=1) / len(part) ** 0.5 for part in parts)
        )
    wins = np.array([one.win for one in known])
    numbers = np.minimum((wins * CLASSES).astype(int), CLASSES - 1)
    here = [numbers == number for number in range(CLASSES) if (numbers == number).any()]
    classes = {
        "decisions": [int(one.sum()) for one in here],
        "expected": _rounded(*(wins[one].mean() for one in here)),
        "won": _rounded(*(rows["won"][one].mean() for one in here)),
    }
    return {"decisions": len(players), "stages": stages, "classes": classes}


def _rounded(*values: float) -> list[float]:
    return [round(float(value), 3) for value in values]


def report(test: Mapping[str, Any]) -> list[str]:
    """Return a test as lines of text."""
    lines = ["came minus expected, by fifth of the game: VP, margin, win"]
    form = "  {:+5.1f} ± {:.1f}  {:+5.1f} ± {:.1f}  {:+6.1%} ± {:.1%}"
    lines += [form.format(*stage) for stage in zip(*test["stages"].values(), strict=True)]
    lines.append("chance to win: decisions, expected, won")
    classes = zip(*test["classes"].values(), strict=True)
    return lines + [f"  {count:5}  {said:6.1%}  {won:6.1%}" for count, said, won in classes]


def written(
    plan: CalibrationPlan,
    game: Game,
    tables: Mapping[int, Corrections],
    tests: Mapping[int, Mapping[str, Any]],
) -> str:
    """Return a calibration as the text of its file, with a card that says what it is."""
    card = {
        "game": game.name,
        "engine": __version__,
        "bot": plan.bot,
        "games": plan.games,
        "iterations_of_play": plan.between,
        "iterations_of_searches": plan.iterations,
        "seed": plan.seed,
        "tested": dict(tests),
    }
    data = {
        "card": card,
        "players": {
            players: {
                name: dict(value) if isinstance(value, Mapping) else list(value)
                for name, value in vars(table).items()
            }
            for players, table in tables.items()
        },
    }
    text = yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=98)
    return (
        f"# Written by `trajan-ai learn`: what the engine makes of what searches expect.\n{text}"
    )
