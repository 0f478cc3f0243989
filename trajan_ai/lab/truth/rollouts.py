"""Roll out the moves of decisions to the end of the game, as the truth for tests of advice.

``python -m trajan_ai.lab.truth.rollouts PLAN FILE [--jobs N]`` plays the games of a plan and picks
one decision in each fifth of a game. The best moves of a verified analysis, and the move of the
bot, are rolled out: a frozen player plays for all players to the end of the game, with the same
redeals for all moves of a decision. A redeal is consistent with what the player to decide knows.

Decisions get blocks of redeals in turn, one at a time, until the errors of the gaps between their
moves are small enough. Completed blocks are stored in FILE, so that the same command resumes an
interrupted run. Results depend only on the plan.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator
from tqdm import tqdm

from trajan_ai import games, records
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.rollout import Rollout
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots import IsmctsBot, build, game_loop, read_bot
from trajan_ai.bots.descriptions import parse_bot
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.run_lock import lock_file
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import read_yaml, validate
from trajan_ai.lab.truth.exits import exit_with_status
from trajan_ai.lab.truth.rows import (
    FIFTHS,
    FORMAT,
    KINDS,
    VERSION,
    DecisionKey,
    GameKey,
    Results,
    RolledDecision,
    Rows,
    append_rows,
    gap_errors,
    margins_of,
    open_rows,
    pack,
    read_rows,
)
from trajan_ai.tournaments import backends

Count = Annotated[int, Field(ge=1, le=10**9)]


class RolloutPlan(Description):
    """A plan of rollouts.

    signatures  the play signatures that the engine must have, by game
    networks    the digests of the networks that the player reads, by game
    seed        the seed of all games, redeals and searches
    player      the bot that plays the rollouts, with all settings that matter spelled out
    repeated    how many of the first decisions are rolled out again, with `repeated_iterations`
    human       the bots that take turns at the seats in games of the kind `human`
    games       the number of games for each table and kind; every fifth of a game contains one of
                the decisions
    moves       how many moves of the verified analysis are rolled out at most
    block       the number of redeals in a block
    error       in VP: a decision gets no more blocks when the root mean square of the errors of
                its gaps is not above this number

    The player plays the games of the kind `strong` with `strong_iterations`, and chooses its own
    move with `own_iterations`. The verified analysis uses `advice_iterations`.
    """

    signatures: dict[str, str]
    networks: dict[str, str]
    seed: int
    player: IsmctsBot
    human: Annotated[list[str], Field(min_length=1)]
    games: Count
    strong_iterations: Count
    own_iterations: Count
    advice_iterations: Count
    moves: Annotated[int, Field(ge=2)]
    block: Annotated[int, Field(ge=2)]
    max_blocks: Count
    error: Annotated[float, Field(gt=0)]
    repeated: Annotated[int, Field(ge=0)]
    repeated_iterations: Count

    @model_validator(mode="after")
    def _player_with_iterations(self) -> "RolloutPlan":
        if self.player.iterations is None:
            raise ValueError(
                "player: `iterations` is missing; it must be a number of iterations per decision"
            )
        return self

    def identity(self) -> dict[str, Any]:
        """Return, as plain data, the settings that determine more than the number of results."""
        amounts = {"games", "max_blocks", "error", "repeated"}
        settings = self.model_dump(mode="json", exclude={*amounts, "player"})
        player = self.player.model_dump(mode="json", exclude_defaults=True)
        return settings | {"player": player}

    def decisions(self) -> list[DecisionKey]:
        """Return the decisions in an order in which the first decisions are balanced.

        Successive decisions belong to all tables in turn, and fifths and kinds alternate.
        """
        tables = [(name, n) for name in self.signatures for n in games.game(name).player_counts]
        cells = FIFTHS * len(KINDS)
        return [
            DecisionKey(name, players, KINDS[cell % len(KINDS)], number, cell % FIFTHS)
            for number in range(self.games)
            for turn in range(cells)
            for table, (name, players) in enumerate(tables)
            for cell in ((turn + table) % cells,)
        ]


def read_plan(path: Path) -> RolloutPlan:
    """Return the plan in a file; raise TrajanError, which lists all problems."""
    document = read_yaml(path)
    if isinstance(document.data, dict) and isinstance(document.data.get("player"), dict):
        player = parse_bot(document, ("player",))
        document = document.replaced((), document.data | {"player": player})
    return validate(RolloutPlan, document)


def check_engine(plan: RolloutPlan) -> None:
    """Raise TrajanError if this engine or its network is not that of the plan."""
    for name, signature in plan.signatures.items():
        game = games.game(name)
        network = plan.player.network_for(game)
        digest = None if network is None else network.digest
        actual = play_signature(game), digest
        planned = signature, plan.networks.get(name)
        if actual != planned:
            raise TrajanError(
                f"{name}: play signature and network are {actual[0]} and {actual[1]}, but the "
                f"plan requires {planned[0]} and {planned[1]}; run this in a checkout with them"
            )


def run(plan: RolloutPlan, path: Path, jobs: int) -> None:
    """Complete the rollouts of a plan, which are stored in a file.

    Raises TrajanError if the file belongs to another plan, or if another process writes to it.
    """
    check_engine(plan)
    head = {"format": FORMAT, "version": VERSION, "plan": plan.identity()}
    with lock_file(path):
        open_rows(path, head)
        rows = read_rows(path)
        _check_head(path, rows.head, head)
        decisions = plan.decisions()
        assert plan.player.iterations is not None
        passes = [
            (plan.player.iterations, decisions),
            (plan.repeated_iterations, decisions[: plan.repeated]),
        ]
        for iterations, chosen in passes:
            for block in range(plan.max_blocks):
                open_ones = [one for one in chosen if _needs(plan, rows, one, iterations, block)]
                tasks = (RolloutTask.of(rows, one, iterations, block) for one in open_ones)
                results = backends.run_in_processes(partial(roll_out_block, plan), tasks, jobs)
                progress = tqdm(
                    results, f"{iterations} iterations, block {block + 1}", len(open_ones),
                    disable=None,
                )  # fmt: skip
                for lines in progress:
                    new = [line for line in lines if not _has_record(rows, line)]
                    append_rows(path, new)
                    for line in new:
                        rows.add(line)


def _check_head(path: Path, head: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for key, value in expected["plan"].items():
        other = head["plan"].get(key)
        if other != value:
            raise TrajanError(
                f"{path}:1: the file was made with {key} {other}, but the plan has {value}; "
                "choose another file"
            )


def _needs(plan: RolloutPlan, rows: Rows, key: DecisionKey, iterations: int, block: int) -> bool:
    """Return whether a block is missing and the blocks before it do not suffice."""
    if block in rows.blocks.get((key, iterations), {}):
        return False
    results = rows.results(key, iterations)
    if results is None:
        return True
    errors = gap_errors(margins_of(results, rows.decisions[key].player))
    return bool(np.sqrt(np.mean(errors**2)) > plan.error)


def _has_record(rows: Rows, line: Mapping[str, Any]) -> bool:
    return "record" in line and GameKey(*line["game"]) in rows.records


@dataclass(frozen=True)
class RolloutTask:
    """A block of redeals of a decision, with the game and its moves to roll out, if known."""

    key: DecisionKey
    iterations: int
    block: int
    record: records.Record | None
    decision: RolledDecision | None

    @classmethod
    def of(cls, rows: Rows, key: DecisionKey, iterations: int, block: int) -> "RolloutTask":
        """Return a task with the game and the moves that the rows already contain."""
        record, decision = rows.records.get(key.of_game), rows.decisions.get(key)
        return cls(key, iterations, block, record, decision)


def roll_out_block(plan: RolloutPlan, task: RolloutTask) -> list[dict[str, Any]]:
    """Return the line of a block, preceded by those of its game and decision if these are new."""
    lines: list[dict[str, Any]] = []
    record = task.record
    if record is None:
        record = play_game(plan, task.key.of_game)
        lines.append({"game": task.key.of_game, "record": record})
    positions = list(records.positions(record))
    decision = task.decision
    if decision is None:
        decision = choose_decision(plan, task.key, positions)
        lines.append({"decision": task.key} | vars(decision))
    started = time.process_time()
    results = roll_out(plan, task, InformationSet(positions[decision.ply]), decision.moves)
    lines.append(
        {
            "rollouts": task.key,
            "iterations": task.iterations,
            "block": task.block,
            "redeals": plan.block,
            "cpu": round(time.process_time() - started, 1),
            "results": pack(results),
        }
    )
    return lines


def play_game(plan: RolloutPlan, key: GameKey) -> records.Record:
    """Play a game, and return its record."""
    names = [plan.human[(key.number + seat) % len(plan.human)] for seat in range(key.players)]
    strong = plan.player.with_settings(iterations=plan.strong_iterations)
    bots = [strong if key.kind == "strong" else read_bot(name) for name in names]
    seeds = derive_seed("deal", plan.seed, *key), derive_seed("bots", plan.seed, *key)
    played = game_loop.play_game(games.game(key.game), bots, seeds, {})
    if played.failed is not None:
        raise played.failed
    return records.record(played.start, played.actions, played.final)


def choose_decision(
    plan: RolloutPlan, key: DecisionKey, positions: Sequence[Position]
) -> RolledDecision:
    """Return a random decision in a fifth of a game, with the moves to roll out."""
    seed = derive_seed("decision", plan.seed, *key)
    plies = len(positions) - 1
    fifth = range(plies * key.fifth // FIFTHS, plies * (key.fifth + 1) // FIFTHS)
    position = positions[fifth[Random(seed).below(len(fifth))]]
    information = InformationSet(position)
    analysis = advice.analyse(
        information, plan.player, iterations=plan.advice_iterations, grade="verified", seed=seed
    )
    # Verified moves come first.
    verified = sum(move.grade == "verified" for move in analysis.moves)
    moves = [move.action for move in analysis.moves[: max(2, min(plan.moves, verified))]]
    player = build(plan.player.with_settings(iterations=plan.own_iterations), position.game)
    player.start(information.observer, position.players, seed)
    own = position.game.actions[player.choose(position, seed)]
    if own not in moves:
        moves.append(own)
    return RolledDecision(position.ply, information.observer, tuple(moves), own)


def roll_out(
    plan: RolloutPlan, task: RolloutTask, information: InformationSet, moves: Sequence[str]
) -> Results:
    """Return final scores and ranks, of shape (2, redeals, moves, players)."""
    first = task.block * plan.block
    rollout = Rollout(
        information,
        plan.player.with_settings(iterations=task.iterations),
        [information.game.move(action) for action in moves],
        lambda redeal: derive_seed("redeal", plan.seed, *task.key, first + redeal),
        redeals=plan.block,
        until_certain=False,
    )
    rollout.begin()
    rollout.run()
    ends = [[[end.scores, end.ranks] for end in row] for row in rollout.results().ends]
    return np.array(ends, dtype=np.int16).transpose(2, 0, 1, 3)


def main() -> None:
    """Complete the rollouts of a plan."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("plan", type=Path, help="plan of the rollouts (YAML)")
    parser.add_argument(
        "file", type=Path, help="file of results, to which missing results are appended"
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    arguments = parser.parse_args()
    with exit_with_status():
        run(read_plan(arguments.plan), arguments.file, arguments.jobs)


if __name__ == "__main__":
    main()
