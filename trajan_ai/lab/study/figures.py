"""Compute the figures of a study with their errors, from the tables of the data set.

A figure is a ratio of two sums over deals (a mean or a fraction) or a regression coefficient. Its
error treats deals as independent, but not games of one deal or seats of one game.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
from scipy.special import stdtrit  # scipy.stats takes a second to import

from trajan_ai.core.game import Game
from trajan_ai.lab.dataset.batches import Array, vp_names
from trajan_ai.lab.dataset.dataset_files import TABLES, facts_of, read_columns
from trajan_ai.lab.study.study_plan import GAMES_PER_DEAL

# Sources whose VP are scored within the turn.
AT_ONCE = ("ships", "military", "senate", "construction", "trajan_tiles")
# Prefixes of columns of `seats` that are not amounts, or that follow from other columns.
NOT_COUNTED = ("id", "seat", "score", "rank", "lead", "turns", "start", "goods", "track")
LARGE_LOSS = 2  # minimum loss of margin that counts as large, in VP
MIN_UNITS = 10  # minimum number of units of a figure, and of deals per coefficient
MIN_COUNT = 50  # minimum count of the thing that a coefficient describes
ERROR_RATE = 0.05  # probability that any of the simultaneous intervals misses the true value
LOST_BY_KIND = "VP lost by a player: "  # followed by a kind of decision
LOST_IN_ALL = f"{LOST_BY_KIND}in all"
LARGE_LOSSES = f"decisions that lose {LARGE_LOSS} VP and more: share"
LUCK = "luck: VP that a player's own draws brought or cost"
JUDGED_FIGURES = (LOST_IN_ALL, LARGE_LOSSES, LUCK)


@dataclass(frozen=True)
class Figure:
    """A figure, its standard error, and the number of independent units that it is based on."""

    value: float
    error: float
    units: int

    def half_width(self, comparisons: int) -> float:
        """Return the half width of one of `comparisons` simultaneous intervals (Bonferroni)."""
        quantile = -stdtrit(max(1, self.units - 1), ERROR_RATE / 2 / max(1, comparisons))
        return float(quantile * self.error)


class Sums:
    """Sums over units that give the ratio of two numbers and the ratio's standard error."""

    def __init__(self) -> None:
        self._sums: dict[str, Array] = {}

    def add(self, name: str, upper: Array, lower: Array) -> None:
        """Add units: numerators and denominators (N); units with denominator 0 are skipped."""
        rows = np.stack([lower > 0, upper, lower, upper**2, upper * lower, lower**2])
        self._sums[name] = self._sums.get(name, 0.0) + rows.sum(axis=1)

    @property
    def names(self) -> list[str]:
        """The names of all ratios, even of those that are based on too few units."""
        return list(self._sums)

    def figures(self) -> dict[str, Figure]:
        """Return the ratios that are based on at least `MIN_UNITS` units."""
        figures = {}
        for name, (n, up, low, upup, uplow, lowlow) in self._sums.items():
            if n >= MIN_UNITS:
                value = up / low
                spread = max(0.0, upup - 2 * value * uplow + value**2 * lowlow)
                error = float(np.sqrt(spread * n / (n - 1)) / low)
                figures[name] = Figure(float(value), error, int(n))
        return figures


class LeadRegression:
    """A regression of scores on counts, each minus the mean of the other seats of the game.

    Errors treat deals as independent.

    With `relative`, coefficients are differences from their mean, which is weighted by counts.
    """

    def __init__(self, relative: bool = False) -> None:
        self.relative = relative
        self.names: list[str] = []
        self._inputs: list[Array] = []
        self._leads: list[Array] = []
        self._total: Array | float = 0.0

    def add(self, counts: Mapping[str, Array], scores: Array) -> None:
        """Add games: their scores and named counts, all of the shape (games, seats)."""
        self.names = list(counts)
        inputs = np.stack(list(counts.values()), axis=-1)
        self._inputs.append(_above_others(inputs).astype(np.float32))
        self._leads.append(_above_others(scores).astype(np.float32))
        self._total += inputs.sum(axis=(0, 1))

    def figures(self, title: str) -> dict[str, Figure]:
        """Return the coefficients of counts that are frequent enough."""
        inputs = np.concatenate(self._inputs).astype(np.float64)
        leads = np.concatenate(self._leads).astype(np.float64)
        size = inputs.shape[2]
        flat = inputs.reshape(-1, size)
        inverse = np.linalg.pinv(flat.T @ flat)
        beta = inverse @ (flat.T @ leads.ravel())
        pulls = np.einsum("gsk,gs->gk", inputs, leads - inputs @ beta)
        deals = len(inputs) // GAMES_PER_DEAL
        pulls = pulls[: deals * GAMES_PER_DEAL].reshape(deals, GAMES_PER_DEAL, size).sum(axis=1)
        covariance = inverse @ (pulls.T @ pulls) @ inverse
        if self.relative:
            away = np.eye(size) - self._total / np.sum(self._total)
            beta, covariance = away @ beta, away @ covariance @ away.T
        errors = np.sqrt(np.maximum(np.diag(covariance), 0))
        totals = np.abs(flat).sum(axis=0)
        return {
            f"{title}: {name}": Figure(float(beta[k]), float(errors[k]), deals)
            for k, name in enumerate(self.names)
            if totals[k] >= MIN_COUNT and deals > MIN_UNITS * size
        }


def _printed(name: str) -> str:
    return name.replace("_", " ")


def _above_others(values: Array) -> Array:
    """Return values (games, seats, ..) minus the mean of the other seats of the game."""
    seats = values.shape[1]
    above: Array = (values - values.mean(axis=1, keepdims=True)) * (seats / (seats - 1))
    return above


class GameColumns:
    """The columns of the games in one part of the data set, in the order of play."""

    def __init__(self, path_of: Callable[[str], Path], game: Game, players: int) -> None:
        self.game, self.players = game, players
        self.turns, self.stages, self.seats = (read_columns(path_of(t)) for t in TABLES[1:])
        self.count = len(self.seats["id"]) // players
        ids = self.seats["id"][::players]
        order = np.argsort(ids)
        self.of_turn = order[np.searchsorted(ids[order], self.turns["id"])]
        self.scores = self.by_seat("score").astype(np.float64)
        self.leads = _above_others(self.scores)
        self.ranks = self.by_seat("rank")

    def by_seat(self, name: str) -> Array:
        """Return a column of `seats`, (games, seats)."""
        return self.seats[name].reshape(self.count, self.players)

    def by_stage(self, name: str) -> Array:
        """Return a column of `stages`, (games, stages, seats)."""
        return self.stages[name].reshape(self.count, -1, self.players)

    def in_turns(self, chosen: Array, values: Array | None = None) -> Array:
        """Return sums of `values` (by default, 1 per turn) over chosen turns, (games, seats)."""
        cell = self.of_turn[chosen] * self.players + self.turns["seat"][chosen]
        weights = None if values is None else values[chosen]
        flat = np.bincount(cell, weights, self.count * self.players)
        return flat.reshape(self.count, self.players).astype(np.float64)


class FigureCollector:
    """Collects all figures of a condition, part by part."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.games = 0
        self._sums = Sums()
        self._regressions: dict[str, LeadRegression] = {}
        self._losses: list[tuple[Array, dict[str, Array]]] = []

    def add(self, games: GameColumns) -> None:
        """Add the games of a part."""
        self.games += games.count
        self._results(games)
        self._chance(games)
        self._stages(games)
        if self.game.name == "trajan":
            self._trajan(games)
        else:
            self._forum(games)
        counted = [name for name in games.seats if not name.startswith(NOT_COUNTED)]
        more = {name: games.by_seat(name) for name in counted}
        self._regress("worth of one more", more, games)

    def judge(self, decisions: Mapping[str, Array], players: int) -> None:
        """Add analysed decisions; each game has a different deal."""
        ids, of = np.unique(decisions["id"], return_inverse=True)
        one, loss = np.ones(len(ids)), decisions["loss"]
        self._sums.add(LOST_IN_ALL, np.bincount(of, loss) / players, one)
        kinds = np.array([kind.partition(" ")[0] for kind in decisions["kind"]])
        by_kind = {k: np.bincount(of, loss * (kinds == k)) / players for k in np.unique(kinds)}
        self._losses.append((one, by_kind))
        large = np.bincount(of, loss >= LARGE_LOSS), np.bincount(of)
        self._sums.add(LARGE_LOSSES, *large)
        luck = np.nan_to_num(decisions["luck"].astype(float))
        by_seat = np.bincount(of * players + decisions["seat"], luck, len(ids) * players)
        total = np.abs(by_seat).reshape(-1, players).mean(1)
        self._sums.add(LUCK, total, one)

    def names(self) -> list[str]:
        """Return the names of all figures, even of those that need more games.

        The figures for single kinds of judged decisions are not included.
        """
        regressed = [
            f"{title}: {name}"
            for title, regression in self._regressions.items()
            for name in regression.names
        ]
        return [*map(_printed, self._sums.names + regressed), *JUDGED_FIGURES]

    def figures(self) -> dict[str, Figure]:
        """Return all figures by name, ``group: item``, as reports print it."""
        # In games without a kind of decision, this kind costs 0 VP.
        losses = Sums()
        for kind in dict.fromkeys(kind for _, by_kind in self._losses for kind in by_kind):
            for one, by_kind in self._losses:
                losses.add(LOST_BY_KIND + kind, by_kind.get(kind, 0 * one), one)
        figures = self._sums.figures() | losses.figures()
        for title, regression in self._regressions.items():
            figures |= regression.figures(title)
        return {_printed(name): figure for name, figure in figures.items()}

    def _mean(self, name: str, upper: Array, lower: Array) -> None:
        """Add sums of the shape (games,) or (games, seats); the games of a deal are one unit."""
        deals = len(upper) // GAMES_PER_DEAL
        whole = (np.asarray(one[: deals * GAMES_PER_DEAL], float) for one in (upper, lower))
        self._sums.add(name, *(one.reshape(deals, -1).sum(1) for one in whole))

    def _turns(self, name: str, games: GameColumns, chosen: Array, values: Array) -> None:
        self._mean(name, games.in_turns(chosen, values), games.in_turns(chosen))

    def _share(self, name: str, games: GameColumns, chosen: Array, turns: Array) -> None:
        self._mean(name, games.in_turns(chosen), games.in_turns(turns))

    def _leads(self, name: str, games: GameColumns, chosen: Array) -> None:
        """Add the lead of the `chosen` seats (games, seats) over the mean of the other seats."""
        self._mean(name, games.leads * chosen, chosen)

    def _begin(self, title: str, item: str, games: GameColumns, at: Array) -> None:
        """Add the fraction of seats that have an item, and their mean lead.

        These seats are marked in `at` (games, seats).
        """
        self._mean(f"{title}: {item}", at, np.ones_like(at))
        self._leads(f"lead by {title}: {item}", games, at)

    def _regress(self, title: str, counts: Mapping[str, Array], games: GameColumns) -> None:
        regression = LeadRegression(relative=title == "worth of a turn")
        self._regressions.setdefault(title, regression).add(counts, games.scores)

    def _results(self, games: GameColumns) -> None:
        one = np.ones(games.count)
        first = games.ranks == 1
        wins = first / first.sum(1, keepdims=True)
        ordered = np.sort(games.scores, axis=1)
        self._mean("result: score", games.scores.mean(1), one)
        self._mean("result: score of the winner", ordered[:, -1], one)
        self._mean("result: lead of the winner", ordered[:, -1] - ordered[:, -2], one)
        self._mean("result: turns of a player", games.by_seat("turns").mean(1), one)
        for seat in range(games.players):
            above = wins[:, seat] - 1 / games.players
            self._mean(f"wins above an equal share: seat {seat + 1}", above, one)
            self._mean(f"score by seat: seat {seat + 1}", games.scores[:, seat], one)
        for name in vp_names(self.game):
            total = games.by_stage(name).sum(axis=1).mean(1)
            self._mean(f"VP by source: {name.removeprefix('vp_')}", total, one)

    def _chance(self, games: GameColumns) -> None:
        """Add the effects of the deal and of other players, from differences between two deals."""
        whole = games.count // (2 * GAMES_PER_DEAL)
        lead, score = (
            values[: whole * 2 * GAMES_PER_DEAL].reshape(whole, 2, GAMES_PER_DEAL, games.players)
            for values in (games.leads, games.scores)
        )
        between = ((lead[:, 0] - lead[:, 1]) ** 2).mean(axis=(1, 2))
        within = ((lead[:, :, 0] - lead[:, :, 1]) ** 2).mean(axis=(1, 2))
        self._sums.add("chance and others: the deal's share in leads", between - within, between)
        apart = score[:, 0] - score[:, 1]
        pairs = list(combinations(range(games.players), 2))
        product = np.mean([(apart[..., a] * apart[..., b]).mean(1) for a, b in pairs], axis=0)
        square = (apart**2).mean(axis=(1, 2))
        self._sums.add("chance and others: correlation of two scores", product, square)

    def _stages(self, games: GameColumns) -> None:
        """Add the number of lead changes, and the win rates of leaders and trailing players."""
        leads = games.by_stage("lead")
        won = games.ranks == 1
        one = np.ones(games.count)
        leader = np.where((leads > 0).any(2), leads.argmax(2), -1)
        has_leader = (leader[:, 1:] >= 0) & (leader[:, :-1] >= 0)
        changed = has_leader & (leader[:, 1:] != leader[:, :-1])
        self._mean("leads: changes between stages", changed.sum(1), one)
        for k in range(leads.shape[1] - 1):
            ahead = leads[:, k] > 0
            self._mean(f"leads: leader after stage {k + 1} wins", won & ahead, ahead)
            for low, high in ((1, 10), (11, 20), (21, 40)):
                behind = (leads[:, k] <= -low) & (leads[:, k] >= -high)
                name = f"leads: {low} to {high} VP behind after stage {k + 1}, wins"
                self._mean(name, won & behind, behind)

    def _trajan(self, games: GameColumns) -> None:
        turns, actions = games.turns, facts_of(self.game).ACTIONS
        at_once = np.sum([turns[f"vp_{name}"] for name in AT_ONCE], axis=0)
        sown = turns["tray"] > 0
        to = {name: sown & (turns["action"] == name) for name in actions}
        for name, chosen in to.items():
            self._share(f"turns to: {name}", games, chosen, sown)
            self._turns(f"VP at once per turn to: {name}", games, chosen, at_once)
            self._turns(f"markers in the tray that leads to: {name}", games, chosen, turns["size"])
            for quarter in range(1, 5):
                now = chosen & (turns["quarter"] == quarter)
                title = f"VP at once per turn in quarter {quarter} to"
                self._turns(f"{title}: {name}", games, now, at_once)
        for size in range(1, 7):
            chosen = sown & (turns["size"] == size)
            self._turns(f"VP at once per turn by tray: {size} markers", games, chosen, at_once)
            self._share(f"trays sown: {size} markers", games, chosen, sown)
        rows = np.flatnonzero(sown)  # turns, in the order of play
        cell = games.of_turn[rows] * games.players + turns["seat"][rows]
        first = np.zeros(len(sown), bool)
        first[rows[np.unique(cell, return_index=True)[1]]] = True
        for name, chosen in to.items():
            self._begin("first turns to", name, games, games.in_turns(first & chosen))
        for drawn in range(4):
            by_deck = games.by_seat("goods_deck") == drawn
            self._begin("start goods", f"{drawn} from the deck", games, by_deck)
        for name in games.seats:
            if name.startswith("start_"):
                self._begin("start tiles", name[6:], games, games.by_seat(name) > 0)
        unmet = games.by_stage("unmet")
        for quarter in range(unmet.shape[1]):
            fulfilled = (unmet[:, quarter] == 0).mean(1)
            self._mean(f"all demands met: quarter {quarter + 1}", fulfilled, np.ones(games.count))
        left = unmet.sum(1)
        counts = {name: games.in_turns(chosen) for name, chosen in to.items()}
        for title, count, bounds in (
            ("lead by demands left", left, (0, 2, 4, 6, 13)),
            ("lead by turns to the military", counts["military"], (0, 3, 6, 9, 31)),
        ):
            for low, end in pairwise(bounds):
                at = (count >= low) & (count < end)
                self._leads(f"{title}: {low} to {end - 1}", games, at)
        self._regress("worth of a turn", counts, games)
        mean_tray = games.in_turns(sown, turns["size"]) / games.in_turns(sown)
        self._regress("worth of a marker", {"in the mean tray": mean_tray}, games)
        self._regress("worth of a demand", {"left": left}, games)

    def _forum(self, games: GameColumns) -> None:
        turns = games.turns
        total = np.sum([turns[name] for name in vp_names(self.game)], axis=0)
        step = turns["step"] == "turn"
        for name in facts_of(self.game).BUILDINGS:
            chosen = step & (turns["building"] == name)
            self._share(f"turns that build: {name}", games, chosen, step)
            self._turns(f"VP at once per turn that builds: {name}", games, chosen, total)
        for number, name in enumerate(facts_of(self.game).CITIZENS):
            self._begin("start citizens", name, games, games.by_seat("start_row") == number + 1)
        for phase in range(1, 4):
            now = step & (turns["phase"] == phase)
            self._turns(f"VP at once per turn by phase: {phase}", games, now, total)
            for field in ("buildings", "envoys", "citizens"):
                self._turns(f"per turn in phase {phase}: {field}", games, now, turns[field])
