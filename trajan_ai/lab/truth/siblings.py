"""Measure how well the leaves of a bot's searches predict the differences between moves.

``python -m trajan_ai.lab.truth.siblings ROWS FILE [BOT ..]`` takes starts of turns from the games
of ROWS, which `rollouts` made. A leaf is the value with which an iteration ends: the result of a
playout, or the evaluation (with or without a network) at the end of a cut playout. For each bot
and table, the command prints:

error    the root mean square error, compared with the reference, of the differences between leaves
         after a move and leaves after its siblings, in VP of the lead over the other players' mean
spread   the root mean square of the differences in the reference
scatter  the standard deviation of a difference between single leaves

The reference consists of two searches by the frozen player of ROWS after each move. It is stored
in FILE, so that the same command resumes an interrupted run. Squares are computed as products of
independent halves, so that the scatter of leaves and searches cancels. Figures named "rolled out"
are compared with the rollouts of ROWS instead, for the decisions that have rollouts. Intervals are
95 % intervals of a bootstrap over decisions.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from trajan_ai import records
from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.bots import IsmctsBot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.run_lock import lock_file
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.truth.advice_errors import bootstrap, resample
from trajan_ai.lab.truth.exits import exit_with_status
from trajan_ai.lab.truth.rows import (
    DecisionKey,
    Floats,
    GameKey,
    Rows,
    append_rows,
    open_lines,
    read_rows,
)
from trajan_ai.mcts import Settings, ThreadedSearch
from trajan_ai.tournaments import backends

FORMAT, VERSION = "trajan-ai/siblings", 1
IN_GAME = 9  # decisions of each game
ITERATIONS, SEEDS = 6000, 2  # iterations and seeds of the searches of the reference
LEAVES = 400  # leaves after each move


class Place(NamedTuple):
    """A decision in a game of ROWS."""

    game: GameKey
    ply: int


@dataclass(frozen=True)
class SiblingSearches:
    """Searches after each move of a position, with the same seeds for all moves."""

    place: Place
    position: Position
    moves: tuple[int, ...]
    settings: Settings
    iterations: int
    searches: int

    def run(self) -> tuple[Place, Floats]:
        """Return the place, and the leads of the player to move, of shape (searches, moves)."""
        engine = ThreadedSearch(self.position.game, self.settings)
        information = InformationSet(self.position)
        leads = np.empty((self.searches, len(self.moves)))
        for number in range(self.searches):
            seed = derive_seed("siblings", *self.place.game, self.place.ply, number)
            for column, move in enumerate(self.moves):
                best = engine.search(
                    information, seed, iterations=self.iterations, allowed=(move,)
                ).best
                leads[number, column] = lead(np.array(best.scores), information.observer)
        return self.place, leads


def lead(scores: Floats, player: int) -> Floats:
    """Return a player's score minus the other players' mean; players are the last axis."""
    others = scores.sum(-1) - scores[..., player]
    return np.asarray(scores[..., player] - others / (scores.shape[-1] - 1))


def choose_places(rows: Rows) -> dict[Place, Position]:
    """Return starts of turns, spread evenly over each game."""
    result: dict[Place, Position] = {}
    for key, record in rows.records.items():
        starts: dict[int, Position] = {}
        for position in records.positions(record):
            if position.player is not None:
                starts.setdefault(position.turn, position)
        several = list(starts.values())
        first = Random(derive_seed("siblings", *key)).below(len(several))
        for number in range(IN_GAME):
            position = several[(first + number * len(several) // IN_GAME) % len(several)]
            result[Place(key, position.ply)] = position
    return result


def make_reference(rows: Rows, path: Path, jobs: int) -> dict[Place, Floats]:
    """Return the leads of the reference, (seeds, moves); missing leads are added to the file."""
    plan = rows.head["plan"]
    player = IsmctsBot.model_validate(plan["player"])
    head = {"format": FORMAT, "version": VERSION, "iterations": ITERATIONS}
    with lock_file(path):
        lines = open_lines(path, head, f"not a reference with {ITERATIONS} iterations")
        reference = {_place_of(line): np.array(line["leads"]) for line in lines}
        chosen = choose_places(rows)
        tasks = [
            SiblingSearches(place, one, tuple(one.legal_moves()), player, ITERATIONS, SEEDS)
            for place, one in chosen.items()
            if place not in reference
        ]
        for game in {task.position.game for task in tasks}:
            network, planned = player.network_for(game), plan["networks"].get(game.name)
            if network is not None and network.digest != planned:
                raise TrajanError(
                    f"{path}: decisions of {game.name} are missing, but this engine does not have "
                    f"the frozen player's network {planned}; run this in a checkout that has it"
                )
        for place, leads in _run(tasks, jobs, "reference"):
            line = {"game": place.game, "ply": place.ply, "leads": np.round(leads, 3).tolist()}
            append_rows(path, [line])
            reference[place] = leads
    return {place: reference[place] for place in chosen}


def _place_of(line: dict[str, Any]) -> Place:
    return Place(GameKey(*line["game"]), line["ply"])


def _run(tasks: Sequence[SiblingSearches], jobs: int, what: str) -> Iterator[tuple[Place, Floats]]:
    results = backends.run_in_processes(SiblingSearches.run, tasks, jobs)
    yield from tqdm(results, what, len(tasks), disable=None)


def measure(
    rows: Rows, reference: dict[Place, Floats], bot: IsmctsBot, jobs: int
) -> Iterator[str]:
    """Yield a line for each table: how far the leaves of a bot are from the reference."""
    settings = bot.with_settings(early_stop=False)
    rolled = _read_rollouts(rows)
    kinds = {
        "reference": {
            place: (one, tuple(one.legal_moves()), reference[place])
            for place, one in choose_places(rows).items()
        },
        "rolled out": {
            place: (rows.position(key), tuple(rows.move_numbers(key)), leads)
            for place, (key, leads) in rolled.items()
        },
    }
    for game, players in sorted({key[:2] for key in rows.records}):
        lines = []
        for name, cases in kinds.items():
            table = {place: cases[place] for place in cases if place.game[:2] == (game, players)}
            tasks = [
                SiblingSearches(place, position, moves, settings, 1, LEAVES)
                for place, (position, moves, _) in table.items()
            ]
            leads = _run(tasks, jobs, f"{game}, {players} players, {name}")
            sums = [compare(leaves, table[place][2]) for place, leaves in leads]
            lines.append(_describe(np.array(sums), name))
        yield f"{game}, {players} players, {bot.name}: {'; '.join(lines)}"


def _read_rollouts(rows: Rows) -> dict[Place, tuple[DecisionKey, Floats]]:
    """Return the key and the leads (redeals, moves) of the rolled-out decision at each place."""
    iterations = rows.head["plan"]["player"]["iterations"]
    result = {}
    for key, decision in rows.decisions.items():
        ends = rows.results(key, iterations)
        if ends is not None:
            leads = lead(ends[0].astype(np.float64), decision.player)
            result[Place(key.of_game, decision.ply)] = key, leads
    return result


def compare(leaves: Floats, truth: Floats) -> Floats:
    """Return the mean squares of a decision's error, spread and scatter.

    The shapes are (leaves, moves) and (samples, moves); there must be at least two leaves, samples
    and moves. Differences from the mean of all n moves have n - 1 degrees of freedom.
    """
    leaves, truth = (one - one.mean(axis=1, keepdims=True) for one in (leaves, truth))
    errors = [leaves[half::2].mean(0) - truth[half::2].mean(0) for half in (0, 1)]
    spreads = [truth[half::2].mean(0) for half in (0, 1)]
    sums = [errors[0] @ errors[1], spreads[0] @ spreads[1], leaves.var(0, ddof=1).sum()]
    return np.array([one / (leaves.shape[1] - 1) for one in sums])


def _describe(sums: Floats, name: str) -> str:
    """Return as text the square roots of the mean values that `compare` returned."""
    weights = resample(len(sums))
    figures = []
    for column, what in enumerate(("error", "spread", "scatter")):
        table = np.stack([sums[:, column], np.ones(len(sums))], axis=1)
        figure = bootstrap(table, lambda one: one[..., 0] / one[..., 1], weights)
        figures.append(
            "{} {:.2f} ({:.2f} .. {:.2f})".format(what, *np.sqrt(np.maximum(figure, 0)))
        )
    return f"{name}: {', '.join(figures)}, {len(sums)} decisions"


def main() -> None:
    """Complete the reference and print how far the leaves of bots are from it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=Path, help="file of rolled-out decisions")
    parser.add_argument(
        "file", type=Path, help="file of the reference, to which missing searches are appended"
    )
    parser.add_argument("bots", nargs="*", default=["expert"], help="names or files of bots")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    with exit_with_status():
        rows = read_rows(arguments.rows)
        bots = [searching_bot(name) for name in arguments.bots]
        reference = make_reference(rows, arguments.file, arguments.jobs)
        for bot in bots:
            for line in measure(rows, reference, bot, arguments.jobs):
                print(line, flush=True)


if __name__ == "__main__":
    main()
