"""`trajan-ai learn`: learn weights of a game's knowledge, as a plan describes; test them."""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from trajan_ai.cli.common import RESULTS_FOLDER, StatusLine, jobs_of, resumable
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.games.kit.weight_file import read_weights, update_weights
from trajan_ai.lab.learning import weight_fit
from trajan_ai.lab.learning.calibration_fit import learn_calibration
from trajan_ai.lab.learning.learn_plan import (
    CalibrationPlan,
    EvaluationPlan,
    LevelsPlan,
    NetworkPlan,
    Plan,
    PriorPlan,
    PuzzlePlan,
    WeightPlan,
    WeightTest,
    learned_names,
    read_plan,
    shipped_weights,
)
from trajan_ai.lab.learning.level_fit import learn_levels
from trajan_ai.lab.learning.network_fit import learn_network
from trajan_ai.lab.learning.parts import LearningRun, make_in_threads
from trajan_ai.lab.learning.puzzles import make_puzzles
from trajan_ai.tournaments import backends, output, plan_file, runner

# The functions for plans that learn something other than weights.
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
    if isinstance(plan, WeightPlan) and plan.test is not None:
        _check_test(plan, plan.test, game)
    if arguments.ship is not None:
        if not isinstance(plan, WeightPlan):
            raise TrajanError(
                f"{arguments.file}: --ship requires a plan with `learn: evaluation` or "
                f"`learn: prior`, got `learn: {plan.learn}`"
            )
        read_weights(arguments.ship, game.weight_names)  # raises before anything is learned
    if arguments.check:
        print(f"{arguments.file}: the plan is valid; it learns the {plan.learn} of {plan.game}")
        return 0
    folder = Path(arguments.out or RESULTS_FOLDER / Path(arguments.file).stem)
    folder.mkdir(parents=True, exist_ok=True)
    with lock_folder(folder), resumable():
        return _learn(arguments, plan, game, folder, jobs)


def _learn(arguments: argparse.Namespace, plan: Plan, game: Game, folder: Path, jobs: int) -> int:
    weight_fit.prepare(plan, game, folder)
    with backends.Cluster(plan.scheduler, jobs) as cluster:
        backend = cluster.map if plan.backend == "dask" else make_in_threads(jobs)
        run_of_plan = LearningRun(folder, backend, print, _progress)
        if not isinstance(plan, WeightPlan):
            print(f"{plan.learn}: {WRITERS[type(plan)](plan, game, run_of_plan)}")
            return 0
        learned = weight_fit.learn(plan, game, run_of_plan)
    print(f"weights: {folder / weight_fit.WEIGHTS}")
    if plan.test is not None:
        for players in plan.players:
            test = weight_fit.write_test(plan.test, plan, players, learned, folder)
            _play(test, folder / f"test-{players}", jobs)
    if arguments.ship is not None:  # last, because the tests play against the old file
        update_weights(arguments.ship, game.weight_names, learned)
        print(f"shipped: {arguments.ship}")
    return 0


def _check_test(plan: EvaluationPlan | PriorPlan, test: WeightTest, game: Game) -> None:
    """Raise TrajanError if no tournament could test the weights that the plan learns."""
    for players in plan.players:
        shipped = shipped_weights(game)
        changed = {name: shipped[name] + 1 for name in learned_names(plan, game, players)}
        with tempfile.TemporaryDirectory() as folder:
            path = weight_fit.write_test(test, plan, players, changed, Path(folder))
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
    print(output.write_outputs(state).text)
    if state.interrupted:
        raise KeyboardInterrupt
