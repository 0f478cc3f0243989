"""Find the best moves of a decision (`trajan_ai.search`), and prepare the bot that searches."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Unpack, get_args

from trajan_ai.analysis.budgets import DEFAULT_BOT, PLAIN_BOT
from trajan_ai.analysis.decision.analysis_run import Analysis, AnalysisOptions, AnalysisRun
from trajan_ai.analysis.decision.move_values import Grade
from trajan_ai.analysis.decision.rollout import MIN_REDEALS, Rollout
from trajan_ai.analysis.decision.vp_sources import source_names
from trajan_ai.bots import Bot, IsmctsBot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet, get_decider
from trajan_ai.core.platform import usable_cores
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.clock import TimeBudget
from trajan_ai.mcts.driver import Crew, ThreadedSearch
from trajan_ai.mcts.settings import LIMITS, MAX_COUNT, MAX_THREADS

# Settings that affect figures only through the number of iterations.
IRRELEVANT = {
    *LIMITS, "name", "seconds_increment", "tree_megabytes", "threads", "in_flight", "reuse_tree",
    "early_stop", "clock",
}  # fmt: skip

PROGRESS_SECONDS = 0.1  # seconds between checks for newly completed redeals of rollouts

AnyBot = Bot | str | os.PathLike[str]
Progress = Callable[[Analysis], None]


def search(
    position: Position,
    bot: AnyBot | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    redeals: int | None = None,
    grade: Grade | None = None,
    seed: int = 0,
    top: int | None = None,
    threads: int | None = None,
    sources: bool = False,
    named: Sequence[int] = (),
    among: Sequence[int] = (),
    progress: Progress | None = None,
) -> Analysis:
    """Rank the moves of the player to decide, best first, using only what that player knows.

    Args:
        position: the position to decide in.
        bot: the bot that searches: a built-in name, the path of a bot file, or a `Bot`. The
            default is ``expert``, or ``ismcts`` for a game without the knowledge that ``expert``
            needs.
        iterations: the number of iterations of the decision, over all threads.
        seconds: the time for the decision, in seconds. Without either limit, a bot uses its own
            limits, and the default bot uses 5,000 (quick) or 80,000 iterations (verified).
        redeals: the number of redeals of a rollout, by default 100, or unlimited with `seconds`.
            In a rollout, `iterations` limits only the search that chooses the moves.
        grade: ``"quick"``, ``"verified"`` or ``"rollout"``; by default verified if the limits
            suffice, else quick.
        seed: the seed of the searches. The same arguments and seed give the same result, except
            with a time limit.
        top: the number of moves that are searched separately or rolled out; by default 5, plus up
            to 3 more in a verified analysis.
        threads: the number of threads; by default that of the bot, or all cores for a rollout.
        sources: whether to compute the expected VP by source.
        named: move numbers to search separately in any case.
        among: the move numbers to compare; by default all legal moves.
        progress: a function that is called with interim results.

    Raises TrajanError if a limit is invalid, the game is over, or the bot does not search.
    """
    return analyse(
        InformationSet(position),
        bot,
        threads=threads,
        sources=sources,
        progress=progress,
        iterations=iterations,
        seconds=seconds,
        redeals=redeals,
        grade=grade,
        seed=seed,
        top=top,
        named=named,
        among=among,
    )


def analyse(
    information: InformationSet,
    bot: AnyBot | None = None,
    *,
    threads: int | None = None,
    sources: bool = False,
    progress: Progress | None = None,
    **options: Unpack[AnalysisOptions],
) -> Analysis:
    """Analyse the decision of an information set; the other arguments are those of `search`."""
    advisor = prepare(information.game, bot, threads=threads)
    return advisor.analyse(information, sources=sources, progress=progress, **options)


def begin(
    information: InformationSet,
    bot: AnyBot | None = None,
    *,
    own_limits: bool = True,
    threads: int | None = None,
    sources: bool = False,
    **options: Unpack[AnalysisOptions],
) -> AnalysisRun:
    """Return an analysis that has not searched yet.

    The arguments are those of `prepare`; `options` are those of `search`.
    """
    advisor = prepare(information.game, bot, own_limits=own_limits, threads=threads)
    return advisor.begin(information, sources=sources, **options)


@dataclass(frozen=True)
class Advisor:
    """A bot that is validated and ready to analyse decisions of one game.

    Attributes:
        game: the game.
        bot: the name of the bot.
        settings: the settings of the bot.
        calibrated: whether the bot's figures mean the same as those of the default bot, for which
            the calibration was learned.
        own_limits: whether the bot's own limits apply to a decision without limits.
        threads: the requested number of threads, or None.
        note: a sentence for the user if another bot replaces the default one, else None.
    """

    game: Game
    bot: str
    settings: IsmctsBot
    calibrated: bool
    own_limits: bool
    threads: int | None
    note: str | None

    def begin(
        self,
        information: InformationSet,
        *,
        sources: bool = False,
        **options: Unpack[AnalysisOptions],
    ) -> AnalysisRun:
        """Return an analysis of a decision that has not searched yet; see `search`."""
        iterations, seconds = options.get("iterations"), options.get("seconds")
        check_limits(iterations, seconds)
        check_grade(options.get("grade"))
        check_redeals(options.get("redeals"), options.get("grade"))
        if not isinstance(seed := options.get("seed", 0), Integral):
            raise TrajanError(f"seed must be an integer, got {seed!r}")
        if get_decider(information) != information.observer:
            options["grade"] = "quick"  # only known legal moves can be examined separately
        if sources:
            source_names(information.game)
        settings, threads = self.settings, 1
        if options.get("grade") == "rollout":  # figures do not depend on the number of threads
            settings = settings.model_copy(update={"threads": 1})
            threads = self.threads or usable_cores()
        elif iterations is None and seconds is None and self.own_limits:
            clock = TimeBudget(self.settings)  # divides the seconds of a turn
            clock.start()
            options["iterations"] = self.settings.iterations
            options["seconds"] = clock.seconds(information.canonical, 0)
        return AnalysisRun(
            information,
            settings,
            bot=self.bot,
            calibrated=self.calibrated,
            sources=sources,
            threads=threads,
            **options,
        )

    def analyse(
        self,
        information: InformationSet,
        *,
        sources: bool = False,
        progress: Progress | None = None,
        **options: Unpack[AnalysisOptions],
    ) -> Analysis:
        """Analyse a decision; see `search`."""
        return complete(self.begin(information, sources=sources, **options), progress)


def complete(run: AnalysisRun, progress: Progress | None = None) -> Analysis:
    """Do the work that an analysis requests, and return the analysis.

    `progress` is called with interim results.
    """
    make_searches(run, progress)
    rollout = run.next_rollout()
    if rollout is not None:
        _roll_out(run, rollout, progress)
    return run.analysis()


def make_searches(
    run: AnalysisRun,
    progress: Progress | None = None,
    *,
    engine: ThreadedSearch | None = None,
    timed: bool = False,
) -> list[Result]:
    """Make the searches that an analysis requests, and return their results.

    `progress` is called with interim results. If `engine` has a tree for the decision, the
    searches continue in it. With `timed`, the results contain the time of each phase.
    """
    engine = engine or ThreadedSearch(run.information.game, run.settings)
    results = list[Result]()
    while (request := run.next_search()) is not None:
        result = engine.search(
            run.information,
            request.seed,
            iterations=request.iterations,
            seconds=request.seconds,
            keep=request.behind is None,
            allowed=request.allowed,
            with_sources=run.with_sources,
            timed=timed,
            progress=progress and (lambda interim: progress(run.analysis(interim))),
        )
        run.add_result(request, result)
        results.append(result)
    return results


def _roll_out(run: AnalysisRun, rollout: Rollout, progress: Progress | None) -> None:
    """Complete the rollouts of an analysis, with as many threads as it requests."""
    reported = -1
    rollout.begin()
    crew = Crew(run.threads - 1)
    try:
        crew.start(rollout.run)
        while rollout.has_work():
            if progress is not None and rollout.redeals > reported:
                reported = rollout.redeals
                progress(run.analysis())
            rollout.run(time.monotonic() + PROGRESS_SECONDS)
        crew.wait()
    except BaseException:
        rollout.stop()
        crew.settle()
        raise


def prepare(
    game: Game, bot: AnyBot | None = None, *, own_limits: bool = True, threads: int | None = None
) -> Advisor:
    """Return a bot that is ready to analyse decisions of `game`.

    Args:
        game: the game.
        bot: the bot, see `search`.
        own_limits: whether `bot`, if given, uses its own limits for a decision without limits.
        threads: the number of threads, by default that of the bot.

    Raises TrajanError if the bot cannot be read, does not search, cheats, or does not fit the
    game.
    """
    chosen, note = choose_bot(game, bot)
    settings = with_threads(searching_bot(chosen), threads)
    if settings.cheat:
        raise TrajanError(
            f"bot {chosen.name}: cheat must be false, because an analysis uses only what the "
            "player to move knows"
        )
    settings.weights_for(game)  # raises if the game lacks the knowledge
    return Advisor(
        game=game,
        bot=chosen.name,
        settings=settings,
        calibrated=has_default_figures(settings),
        own_limits=own_limits and bot is not None,
        threads=threads,
        note=note,
    )


def has_default_figures(settings: Settings) -> bool:
    """Return whether figures with these settings mean the same as those of the default bot.

    If they do not, the calibration does not apply, because it was learned for that bot.
    """
    default = default_bot()
    return settings.model_dump(exclude=IRRELEVANT) == default.model_dump(exclude=IRRELEVANT)


@cache
def default_bot() -> IsmctsBot:
    """Return the default bot for games that have the knowledge it needs."""
    return searching_bot(DEFAULT_BOT)


def choose_bot(game: Game, bot: AnyBot | None = None) -> tuple[Bot, str | None]:
    """Return the bot to use for a game, and a note if it replaces the default one.

    The default is `DEFAULT_BOT`, or `PLAIN_BOT` for a game without the knowledge that the default
    bot needs. Raises TrajanError if the bot cannot be read.
    """
    if bot is not None:
        return (bot if isinstance(bot, Bot) else read_bot(bot)), None
    expert = default_bot()
    lacking = expert.lacking(game)
    if not lacking:
        return expert, None
    plain, method = read_bot(PLAIN_BOT), "vanilla ISMCTS"
    if game.hidden_moves:  # in one tree, players would answer moves that they have not seen
        plain, method = plain.model_copy(update={"algorithm": "mo"}), "MO-ISMCTS"
    return plain, (
        f"{PLAIN_BOT} ({method}) searches instead of {DEFAULT_BOT}, because {game.name} lacks the "
        f"knowledge that these settings require: {', '.join(lacking)}"
    )


def check_limits(iterations: int | None, seconds: float | None) -> None:
    """Raise TrajanError if the limits of a decision are out of range."""
    problems = []
    if iterations is not None and not 1 <= iterations <= MAX_COUNT:
        problems.append(f"iterations must be 1 to {MAX_COUNT}, got {iterations}")
    if seconds is not None and not 0 < seconds < float("inf"):
        problems.append(f"time must be a finite number above 0 seconds, got {seconds}")
    if problems:
        raise TrajanError(*problems)


def check_grade(grade: Grade | None) -> None:
    """Raise TrajanError if `grade` is not the name of a grade."""
    if grade is not None and grade not in get_args(Grade):
        raise TrajanError(f"grade must be one of {', '.join(get_args(Grade))}, got {grade!r}")


def check_redeals(redeals: int | None, grade: Grade | None) -> None:
    """Raise TrajanError if `redeals` is out of range, or given without rollouts."""
    if redeals is None:
        return
    if grade != "rollout":
        raise TrajanError("redeals: allowed only with the grade rollout")
    if not isinstance(redeals, int) or not MIN_REDEALS <= redeals <= MAX_COUNT:
        raise TrajanError(f"redeals must be {MIN_REDEALS} to {MAX_COUNT}, got {redeals}")


def with_threads(settings: IsmctsBot, threads: int | None) -> IsmctsBot:
    """Return settings with the given number of threads; None changes nothing."""
    if threads is None:
        return settings
    if not 1 <= threads <= MAX_THREADS:
        raise TrajanError(f"threads must be 1 to {MAX_THREADS}, got {threads}")
    changed = settings.model_dump(by_alias=True) | {"threads": threads}
    # validation rejects this if the bot allows only one thread
    return validate(type(settings), Document("bot", changed, {}))


def searching_bot(bot: AnyBot) -> IsmctsBot:
    """Return a bot's search settings; raise TrajanError if the bot does not search."""
    described = bot if isinstance(bot, Bot) else read_bot(bot)
    if not isinstance(described, IsmctsBot):
        raise TrajanError(
            f"bot {described.name} is of kind {getattr(described, 'kind', '?')}, which does not "
            "search; choose a bot of kind ismcts"
        )
    return described
