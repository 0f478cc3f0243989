"""`trajan-ai learn`: learn the weights of a game's knowledge as planned, and test them."""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from trajan_ai.cli.common import StatusLine, jobs_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.games.kit.weight_file import read_weights, update_weights
from trajan_ai.lab.learning import weight_fit as learning
from trajan_ai.lab.learning.calibration_fit import learn_calibration
from trajan_ai.lab.learning.learn_plan import (
    CalibrationPlan,
    LevelsPlan,
    NetworkPlan,
    Plan,
    PuzzlePlan,
    WeightTest,
    read_plan,
    shipped_weights,
)
from trajan_ai.lab.learning.level_fit import learn_levels
from trajan_ai.lab.learning.network_fit import learn_network
from trajan_ai.lab.learning.parts import LearningRun, make_in_threads
from trajan_ai.lab.learning.puzzles import make_puzzles
from trajan_ai.tournaments import backends, output, plan_file, runner

# Plans that learn something other than weights.
WRITERS: dict[type[Plan], Callable[..., Path]] = {
    CalibrationPlan: learn_calibration,
    LevelsPlan: learn_levels,
    NetworkPlan: learn_network,
    PuzzlePlan: make_puzzles,
}


def run(arguments: argparse.Namespace) -> int:
    """Execute a learning plan; the status is 0."""
    plan, game = read_plan(arguments.file)
    jobs = jobs_of(arguments)
    if plan.test is not None:
        _check_test(plan, plan.test, game)
    if arguments.ship is not None:
        read_weights(arguments.ship, game.weight_names)  # raises before anything is learned
    if arguments.check:
        print(f"{arguments.file}: valid plan to learn {plan.learn} of {plan.game}")
        return 0
    folder = Path(arguments.out or Path("results") / Path(arguments.file).stem)
    folder.mkdir(parents=True, exist_ok=True)
    with lock_folder(folder):
        return _learn(arguments, plan, game, folder, jobs)


def _learn(arguments: argparse.Namespace, plan: Plan, game: Game, folder: Path, jobs: int) -> int:
    learning.prepare(plan, game, folder)
    with backends.Cluster(plan.scheduler, jobs) as cluster:
        backend = cluster.map if plan.backend == "dask" else make_in_threads(jobs)
        run_of_plan = LearningRun(folder, backend, print, _progress)
        if type(plan) in WRITERS:
            print(f"{plan.learn}: {WRITERS[type(plan)](plan, game, run_of_plan)}")
            return 0
        learned = learning.learn(plan, game, run_of_plan)
    print(f"weights: {folder / learning.WEIGHTS}")
    if plan.test is not None:
        for players in plan.players:
            test = learning.write_test(plan.test, plan, players, learned, folder)
            _play(test, folder / f"test-{players}", jobs)
    if arguments.ship is not None:  # last, because the tests play against the old file
        update_weights(arguments.ship, game.weight_names, learned)
        print(f"shipped: {arguments.ship}")
    return 0


def _check_test(plan: Plan, test: WeightTest, game: Game) -> None:
    """Raise TrajanError if no tournament could test the weights that the plan learns."""
    for players in plan.players:
        section = f"evaluation_{players}." if plan.learn == "evaluation" else "moves."
        changed = {n: w + 1 for n, w in shipped_weights(game).items() if n.startswith(section)}
        with tempfile.TemporaryDirectory() as folder:
            path = learning.write_test(test, plan, players, changed, Path(folder))
            try:
                plan_file.read_plan(path)
            except TrajanError as error:
                messages = (message.replace(f"{folder}/", "") for message in error.messages)
                raise TrajanError(*messages).within("test") from None


def _progress(what: str, done: int, of: int) -> None:
    StatusLine().show("" if done == of else f"{what}: {done} of {of}")


def _play(path: Path, folder: Path, jobs: int) -> None:
    plan = plan_file.read_plan(path)
    state = runner.run(plan, folder, jobs, runner.get_terminal())
    print(output.write_outputs(folder, state).text)
    if state.interrupted:
        raise KeyboardInterrupt
