"""Learn a calibration: corrections of search predictions, from the results of finished games.

A bot plays games against itself. In each fifth of a game, one random decision is searched twice,
with only the played move allowed and with different numbers of iterations. Regressions with the
inputs of `decision.calibration.Corrections` map the predictions of the first search to the
results, and those of the second search to the predictions of the first. Cross-validation measures
the remaining error: each game is predicted by a fit to the folds that do not contain it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from trajan_ai.analysis.decision import outlook
from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.analysis.decision.analysis_run import without_early_stop
from trajan_ai.analysis.decision.calibration import (
    KNOTS,
    Corrections,
    Outlook,
    Stage,
    hats,
    log_visits,
    odds_of,
    stage_of,
)
from trajan_ai.analysis.outcomes import margin_of, share_of_win
from trajan_ai.bots import Player, build, game_loop
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.version import __version__
from trajan_ai.lab.learning.learn_plan import CalibrationPlan
from trajan_ai.lab.learning.parts import Arrays, LearningRun, join_parts, read_part
from trajan_ai.mcts import ThreadedSearch

PART = 5  # games in a file
STAGES = 5  # parts of a game, with one searched decision each
STEPS = 1000  # numbers of iterations, one of which is chosen at random
FOLDS = 3  # number of folds of the cross-validation; a game is entirely in one fold
# Standard deviations of the priors of ridge regression:
FACTORS = 0.2  # of factors around 1
OFFSETS = 3.0  # of offsets around 0, in VP
GROWTH = 0.1  # of the growth of both with e times the visits, around 0, relative to the above
ODDS = 0.5  # of factors of the log odds around those of the search
ROUNDS = 3  # repetitions of two regressions that depend on each other; ten give the same digits
NEWTON_STEPS = 30
CLASSES = 10  # classes of predicted chances to win, in the reliability table
LONGER = 64  # the drift of a lead is its change with this many times as many iterations
FILE = "calibration.yaml"

Floats = NDArray[np.float64]


def make_rows(plan: CalibrationPlan, game: Game, players: int, run: LearningRun) -> Arrays:
    """Return searched decisions with predictions and results; missing parts are played.

    The arrays have one entry per decision: ``game``, ``player``, ``left`` (fraction of turns
    left), ``now`` and ``final`` (VP by player), ``won`` (the player's share of the win), ``came``
    (later VP by player and source), ``visits`` (iterations of the search), and the search's
    predictions ``win``, ``margin``, ``scores`` and ``sources``. The second search has entries
    ``again_visits``, ``again_margin`` and ``again_scores``.
    """

    def make(deals: range) -> Arrays:
        return join_parts([make_game_rows(plan, game, players, deal) for deal in deals])

    what = f"{players} players, games"
    paths = run.make_spans(plan.games, PART, f"calibration-{players}", make, what)
    return join_parts([read_part(path) for path in paths])


def make_game_rows(plan: CalibrationPlan, game: Game, players: int, deal: int) -> Arrays:
    """Play a game, search one decision in each of its parts, and return these decisions."""
    seed = derive_seed("calibration", plan.seed, players, deal)
    positions, moves = play_bot(plan, game, players, seed)
    bot = searching_bot(plan.bot)
    engine = ThreadedSearch(game, without_early_stop(bot))
    random = Random(seed)
    final = positions[-1]
    assert final.ranks is not None
    brought = np.array(
        [
            outlook.sources_of(position, move)[1]
            for position, move in zip(positions, moves, strict=False)
        ]
    )
    rows: list[dict[str, Any]] = []
    least, most = map(log, plan.iterations)
    for part in range(STAGES):
        begin, end = (len(moves) * bound // STAGES for bound in (part, part + 1))
        ply = begin + random.below(end - begin)
        position = positions[ply]
        stage = stage_of(position)
        first, again = (
            engine.search(
                InformationSet(position),
                derive_seed("calibration", seed, ply, number),
                iterations=round(exp(least + (most - least) * random.below(STEPS) / (STEPS - 1))),
                allowed=(moves[ply],),
                with_sources=number == 0,
            ).best
            for number in range(2)
        )
        rows.append(
            {
                "game": deal,
                "player": stage.player,
                "left": stage.left,
                "now": stage.scores,
                "final": final.scores,
                "won": share_of_win(final.ranks, stage.player),
                "came": brought[ply:].sum(axis=0),
                "visits": first.visits,
                "win": first.win,
                "margin": first.margin,
                "scores": first.scores,
                "sources": first.sources,
                "again_visits": again.visits,
                "again_margin": again.margin,
                "again_scores": again.scores,
            }
        )
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def play_bot(
    plan: CalibrationPlan, game: Game, players: int, seed: int
) -> tuple[list[Position], list[int]]:
    """Play the bot against itself; return all positions, and the moves between them."""
    limits = {"iterations": plan.between, "seconds_per_turn": None}
    bot = searching_bot(plan.bot).model_copy(update=limits)
    seats = [build(bot, game) for _ in range(players)]
    for seat, player in enumerate(seats):
        player.start(seat, players, derive_seed("seat", seed, seat))
    return play_game(game, seats, seed)


def play_game(game: Game, seats: Sequence[Player], seed: int) -> tuple[list[Position], list[int]]:
    """Play a game between players that have been started; return all positions and moves."""
    start, moves = game.start(len(seats), seed=seed), list[int]()
    game_loop.play_on(
        game_loop.PlayedGame.begin(start),
        seats,
        lambda position: derive_seed("move", seed, position.ply),
        game_loop.CallHooks(move=lambda ply, move: moves.append(move)),
    )
    return list(accumulate(moves, Position.after_move, initial=start)), moves


def learn_calibration(plan: CalibrationPlan, game: Game, run: LearningRun) -> Path:
    """Fit, cross-validate and write a calibration; return its path."""
    tables, tests = {}, {}
    for players in plan.players:
        rows = make_rows(plan, game, players, run)
        tests[players] = cross_validate(rows, game)
        decisions = f"{players} players, {len(rows['now'])} decisions"
        run.report(f"{decisions}, predicted without their games:")
        for line in format_test(tests[players]):
            run.report(line)
        tables[players] = fit(rows, game)
    if len(tests) > 1:  # small errors can have the same pattern for all numbers of players
        run.report(f"mean of {len(tests)} tables:")
        for line in format_stages(pool_stages(tests.values())):
            run.report(line)
    path = run.folder / FILE
    path.write_text(format_calibration(plan, game, tables, tests), encoding="utf-8")
    return path


def fit(rows: Arrays, game: Game) -> Corrections:
    """Return the corrections that fit the rows.

    VP are fitted by ridge regression, wins by logistic regression, and each source by a ratio.
    """
    players = rows["now"].shape[1]
    both = np.concatenate([rows["visits"], rows["again_visits"]])
    visits = int(both.min()), int(both.max())
    longer, again = (
        np.array([log_visits(int(one), visits) for one in part]) for part in np.split(both, 2)
    )
    ends = rows["final"] - rows["now"]
    mean = ends.mean(axis=1)
    targets = (
        mean,
        np.hstack([ends[:, one] - mean for one in range(players)]),
        leads(rows["final"], rows["player"]) - leads(rows["now"], rows["player"]),
    )
    (total,), (spread, offset), (lead, above) = (
        grown(here, there, longer, again, target)
        for here, there, target in zip(
            _inputs(rows, "scores", "margin"),
            _inputs(rows, "again_scores", "again_margin"),
            targets,
            strict=True,
        )
    )
    if players == 2:  # the lead follows from the VP
        lead = above = ((), ())
    tables = {"total": total, "spread": spread, "mover": offset, "lead": lead, "ahead": above}
    came, expected = (rows[name].sum(axis=(0, 1)) for name in ("came", "sources"))
    least = 0.1 * len(mean) * players  # VP; sources that bring less are not corrected
    table = Corrections(
        visits=visits,
        **{name: usual for name, (usual, _) in tables.items()},
        growth={name: growth for name, (_, growth) in tables.items()},
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
    if players == 2:  # equally strong players have equal chances
        odds[:, 0] = 0.0
    win = _numbers(logistic(odds, rows["won"], np.array(table.win), ODDS))
    return table.model_copy(update={"win": win})


def _inputs(rows: Arrays, scores: str, margin: str) -> tuple[list[Floats], ...]:
    """Return the inputs by knot of the regressions of total, of spread and mover, and of the lead.

    `scores` and `margin` are the names of a search's predictions. The inputs of spread and mover
    have a row for each player and decision.
    """
    players = rows["now"].shape[1]
    weights = np.array([hats(left) for left in rows["left"]])
    later = weights * (np.array(KNOTS) > 0)  # a finished game needs no correction
    come = rows[scores] - rows["now"]
    mean = come.mean(axis=1)
    mover = np.eye(players)[rows["player"]]
    signs = mover - (1.0 - mover) / (players - 1)
    every = [
        (weights * (come[:, one] - mean)[:, None], later * signs[:, [one]])
        for one in range(players)
    ]
    ahead = leads(rows["now"], rows["player"])
    return (
        [weights * mean[:, None]],
        [np.vstack(parts) for parts in zip(*every, strict=True)],
        [weights * (rows[margin] - ahead)[:, None], later],
    )


def grown(
    inputs: Sequence[Floats],
    others: Sequence[Floats],
    longer: Floats,
    again: Floats,
    targets: Floats,
) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the weights of inputs by knot, and their growth with the logarithm of the visits.

    `inputs` are one or two arrays (rows, knots): the inputs of a factor and, optionally, those of
    an offset. `others` are those of second searches of the same decisions. `longer` and `again`
    are the logarithms of the visits of both searches, by decision.

    Results scatter too much to determine the growth. The growth is therefore fitted to the
    difference between the predictions of the two searches, which have the same result.
    """
    knots = len(KNOTS)
    here, there = np.hstack(inputs), np.hstack(others)
    times = len(targets) // len(longer)
    grown_here, grown_there = (
        one * np.tile(log, times)[:, None] for one, log in ((here, longer), (there, again))
    )
    about, far = (
        np.repeat(numbers[: len(inputs)], knots) for numbers in ((1.0, 0.0), (FACTORS, OFFSETS))
    )
    growth = np.zeros(len(about))
    for _ in range(ROUNDS):
        usual = ridge(here, targets - grown_here @ growth, about, far)
        growth = ridge(
            grown_there - grown_here, (here - there) @ usual, np.zeros(len(far)), GROWTH * far
        )
    parts = [np.split(one, len(inputs)) for one in (usual, growth)]
    return [(_numbers(one), _numbers(other)) for one, other in zip(*parts, strict=True)]


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 4) for value in values)


def expect(table: Corrections, rows: Arrays, row: int) -> Outlook:
    """Return the corrected predictions of the search that a row describes."""
    now = tuple(map(int, rows["now"][row]))
    stage = Stage(float(rows["left"][row]), int(rows["player"][row]), now)
    scores = tuple(map(float, rows["scores"][row]))
    win, margin = float(rows["win"][row]), float(rows["margin"][row])
    return table.outlook(stage, int(rows["visits"][row]), win, scores, margin)


def leads(scores: NDArray[Any], players: NDArray[Any]) -> Floats:
    """Return the lead of each row's player over the best opponent, in VP."""
    return np.array(
        [margin_of(row, player) for row, player in zip(scores, players, strict=True)], float
    )


def ridge(inputs: Floats, targets: Floats, start: Floats, spread: Floats) -> Floats:
    """Return ridge regression weights; prior: mean `start`, standard deviation `spread`.

    Weights that the data barely determine stay near `start`.
    """
    left = targets - inputs @ start
    penalty = np.diag(left.var() / spread**2)
    result: Floats = start + np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ left)
    return result


def logistic(inputs: Floats, shares: Floats, start: Floats, spread: float) -> Floats:
    """Return the weights of a logistic regression on shares of wins, found by Newton's method."""
    weights = start.copy()
    penalty = np.eye(len(start)) / spread**2
    for _ in range(NEWTON_STEPS):
        chances = 1.0 / (1.0 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (chances - shares) + penalty @ (weights - start)
        curve = (inputs * (chances * (1.0 - chances))[:, None]).T @ inputs + penalty
        weights -= np.linalg.solve(curve, slope)
    return weights


def cross_validate(rows: Arrays, game: Game) -> dict[str, Any]:
    """Return the errors of the predictions for held-out games.

    ``stages``: the mean of result minus prediction, with its standard error, for the player's VP,
    margin and win in each part of a game. ``classes``: the number of decisions, the mean
    prediction and the win rate in each class of predicted chances. ``drift``: how much the lead
    changes with `LONGER` times as many iterations in each part of a game, with its standard error,
    as the search predicts it (``raw``) and after the correction (``lead``).
    """
    predictions: list[Outlook] = [Outlook(0.0, 0.0, ())] * len(rows["now"])
    again = {**rows, **{name: rows[f"again_{name}"] for name in ("visits", "margin", "scores")}}
    changes = np.zeros(len(predictions))
    for fold in range(FOLDS):
        is_held_out = rows["game"] % FOLDS == fold
        if is_held_out.all() or not is_held_out.any():
            raise TrajanError(f"a calibration needs at least {FOLDS} games")
        table = fit({name: values[~is_held_out] for name, values in rows.items()}, game)
        for row in np.flatnonzero(is_held_out):
            predictions[row] = expect(table, rows, int(row))
            changes[row] = expect(table, again, int(row)).margin - predictions[row].margin
    players = rows["player"]
    own = np.array([final[player] for final, player in zip(rows["final"], players, strict=True)])
    margins = leads(rows["final"], players)
    off = {
        "score": own
        - np.array([one.scores[p] for one, p in zip(predictions, players, strict=True)]),
        "margin": margins - np.array([one.margin for one in predictions]),
        "win": rows["won"] - np.array([one.win for one in predictions]),
    }
    stages = {}
    for name, values in off.items():
        parts = [values[part::STAGES] for part in range(STAGES)]
        stages[name] = _rounded(*(one.mean() for one in parts))
        stages[f"{name}_error"] = _rounded(
            *(part.std(ddof=1) / len(part) ** 0.5 for part in parts)
        )
    wins = np.array([one.win for one in predictions])
    numbers = np.minimum((wins * CLASSES).astype(int), CLASSES - 1)
    here = [numbers == number for number in range(CLASSES) if (numbers == number).any()]
    classes = {
        "decisions": [int(one.sum()) for one in here],
        "expected": _rounded(*(wins[one].mean() for one in here)),
        "won": _rounded(*(rows["won"][one].mean() for one in here)),
    }
    longer = np.log(again["visits"] / rows["visits"]) / log(LONGER)
    drift = {}
    for name, change in ("raw", again["margin"] - rows["margin"]), ("lead", changes):
        drift[name], drift[f"{name}_error"] = _slopes(longer, change)
    return {"decisions": len(players), "stages": stages, "classes": classes, "drift": drift}


def _slopes(inputs: Floats, targets: Floats) -> tuple[list[float], list[float]]:
    """Return a slope through the origin for each part of a game, and their standard errors."""
    slopes: list[float] = []
    errors: list[float] = []
    for part in range(STAGES):
        here, there = inputs[part::STAGES], targets[part::STAGES]
        square = (here @ here) or 1.0  # searches of equal length determine no slope
        slope = here @ there / square
        slopes.append(float(slope))
        errors.append(float(((there - slope * here).var() / square) ** 0.5))
    return _rounded(*slopes), _rounded(*errors)


def _rounded(*values: float) -> list[float]:
    return [round(float(value), 3) for value in values]


def pool_stages(tests: Collection[Mapping[str, Any]]) -> dict[str, Floats]:
    """Return the mean ``stages`` over several independent cross-validations."""
    pooled = {}
    for name in next(iter(tests))["stages"]:
        values = np.array([test["stages"][name] for test in tests])
        is_error = name.endswith("_error")
        pooled[name] = (
            np.sqrt((values**2).mean(axis=0) / len(tests)) if is_error else values.mean(0)
        )
    return pooled


def format_stages(stages: Mapping[str, Sequence[float] | Floats]) -> list[str]:
    """Return lines of text with the mean errors in each fifth of a game."""
    form = "  {:+5.1f} ± {:.1f}  {:+5.1f} ± {:.1f}  {:+6.1%} ± {:.1%}"
    lines = [form.format(*stage) for stage in zip(*stages.values(), strict=True)]
    return ["result minus prediction, by fifth of the game: VP, margin, win", *lines]


def format_test(test: Mapping[str, Any]) -> list[str]:
    """Return a cross-validation as lines of text."""
    lines = format_stages(test["stages"])
    lines.append(
        f"change in the lead with {LONGER} times the iterations: before, after correction"
    )
    form = "  {:+5.1f} ± {:.1f}  {:+5.1f} ± {:.1f}"
    lines += [form.format(*one) for one in zip(*test["drift"].values(), strict=True)]
    lines.append("chance to win: decisions, predicted, won")
    classes = zip(*test["classes"].values(), strict=True)
    return lines + [
        f"  {count:5}  {predicted:6.1%}  {won:6.1%}" for count, predicted, won in classes
    ]


def format_calibration(
    plan: CalibrationPlan,
    game: Game,
    tables: Mapping[int, Corrections],
    tests: Mapping[int, Mapping[str, Any]],
) -> str:
    """Return the text of a calibration file, with a card that describes its data."""
    card = {
        "game": game.name,
        "engine": __version__,
        "bot": plan.bot,
        "games": plan.games,
        "iterations_of_play": plan.between,
        "iterations_of_searches": list(plan.iterations),
        "seed": plan.seed,
        "tested": dict(tests),
    }
    data = {
        "card": card,
        "players": {players: table.model_dump(mode="json") for players, table in tables.items()},
    }
    text = yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=98)
    return f"# Written by `trajan-ai learn`: corrections of search predictions.\n{text}"
