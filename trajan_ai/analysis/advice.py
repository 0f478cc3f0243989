"""The best moves of a decision: `trajan_ai.search`, and what every door asks of a bot."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Unpack

from trajan_ai.analysis.budgets import DEFAULT_BOT, PLAIN_BOT
from trajan_ai.analysis.decision import Analysing, Analysis, Asked
from trajan_ai.analysis.vp_sources import source_names
from trajan_ai.bots import Bot, IsmctsBot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.mcts import Settings
from trajan_ai.mcts.clock import TimeBudget
from trajan_ai.mcts.driver import ThreadedSearch
from trajan_ai.mcts.settings import LIMITS, MOST_COUNT, MOST_THREADS

# Settings that change no figure, or what an analysis sets itself.
UNCOUNTED = {
    *LIMITS, "name", "seconds_increment", "tree_megabytes", "threads", "in_flight", "reuse_tree",
    "early_stop", "algorithm", "exploration_growth", "control_variate",
}  # fmt: skip

Progress = Callable[[Analysis], None]


class AskedOfBot(Asked, total=False):
    """What can be asked of an analysis by a bot besides; see `begin`."""

    threads: int | None
    sources: bool


def search(
    position: Position,
    bot: Bot | str | os.PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
    **asked: Unpack[AskedOfBot],
) -> Analysis:
    """Rank the moves of the player to decide, best first, by what that player knows.

    The arguments are those of `analyse`. Raises TrajanError also for a finished game.
    """
    return analyse(InformationSet(position), bot, progress=progress, **asked)


def analyse(
    known: InformationSet,
    bot: Bot | str | os.PathLike[str] | None = None,
    *,
    progress: Progress | None = None,
    **asked: Unpack[AskedOfBot],
) -> Analysis:
    """Analyse a decision of the observer.

    `progress` gets interim analyses. The other arguments, and what they raise, are those of
    `begin`.
    """
    begun = begin(known, bot, **asked)
    engine = ThreadedSearch(known.game, begun.settings)
    while (ask := begun.ask()) is not None:
        result = engine.search(
            known,
            ask.seed,
            iterations=ask.iterations,
            seconds=ask.seconds,
            allowed=ask.allowed,
            books=begun.books,
            progress=progress and (lambda found: progress(begun.analysis(found))),
        )
        begun.take(ask, result)
    return begun.analysis()


def begin(
    known: InformationSet,
    bot: Bot | str | os.PathLike[str] | None = None,
    *,
    own_limits: bool = True,
    threads: int | None = None,
    sources: bool = False,
    **asked: Unpack[Asked],
) -> Analysing:
    """Return an analysis that has not searched yet.

    `bot` (a built-in name, the path of a file, or a Bot) says how to search; it must be one that
    searches. The default is that of `chosen_bot`. `grade` is quick or verified, by default what
    the limits are enough for. `iterations` or `seconds` limit the decision; without them a bot
    that is named has its own limits, unless `own_limits` is false, and the default one those of
    the grade. Of a verified analysis as many moves as `top` says are examined, and those `named`
    in any case. With `sources` there are VP by source; `so_far` is what brought those made
    before, by player and source. With `among` only these legal moves are compared; a quick one
    with `one_search` makes a single search. Raises TrajanError on bad limits, a finished game, and
    a bot that does not search.
    """
    if known.player is None:
        raise TrajanError(f"{known.game.name}: the game is over, there is nothing to decide")
    if known.player != known.observer:  # behind a move can be looked only where it is known legal
        asked["grade"] = "quick"
    if sources:
        source_names(known.game)
    chosen, _ = chosen_bot(known.game, bot)
    settings, asked["iterations"], asked["seconds"] = limited(
        chosen,
        asked.get("iterations"),
        asked.get("seconds"),
        threads,
        known=known if own_limits and bot is not None else None,
    )
    settings.weights_for(known.game)  # refuses what the game does not have
    calibrated = plays_as_default(settings)
    return Analysing(
        known, settings, bot=chosen.name, calibrated=calibrated, books=sources, **asked
    )


def plays_as_default(settings: Settings) -> bool:
    """Whether figures of a bot mean what those of the default bot do: what is calibrated."""
    default = settings_of(DEFAULT_BOT)
    return settings.model_dump(exclude=UNCOUNTED) == default.model_dump(exclude=UNCOUNTED)


def chosen_bot(
    game: Game, bot: Bot | str | os.PathLike[str] | None = None
) -> tuple[Bot, str | None]:
    """Return the bot that is meant, and a line to tell where it stands in for the default one.

    Without a name that is `DEFAULT_BOT` or, for a game without the knowledge which that needs,
    `PLAIN_BOT`. Raises TrajanError on a bot that cannot be read.
    """
    if bot is not None:
        return (bot if isinstance(bot, Bot) else read_bot(bot)), None
    expert = read_bot(DEFAULT_BOT)
    lacking = settings_of(expert).lacking(game)
    if not lacking:
        return expert, None
    return read_bot(PLAIN_BOT), (
        f"{game.name} has no knowledge for {', '.join(lacking)}: "
        f"searched by {PLAIN_BOT} (plain search) in place of {DEFAULT_BOT}"
    )


def limited(
    bot: Bot | str | os.PathLike[str],
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    *,
    known: InformationSet | None = None,
) -> tuple[Settings, int | None, float | None]:
    """Return how to search one decision: settings, iterations and seconds, as `analyse` does.

    Where neither is given and the decision is `known`, the bot's own limits count; its seconds
    for a turn are shared by the decisions of the turn. Raises TrajanError on bad limits and on a
    bot that does not search.
    """
    settings = settings_of(bot)
    problems = []
    if iterations is not None and not 1 <= iterations <= MOST_COUNT:
        problems.append(f"iterations must be 1 to {MOST_COUNT}, got {iterations}")
    if seconds is not None and not 0 < seconds < float("inf"):
        problems.append(f"time must be above 0 seconds, got {seconds}")
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        problems.append(f"threads must be 1 to {MOST_THREADS}, got {threads}")
    if problems:
        raise TrajanError(*problems)
    if iterations is None and seconds is None and known is not None:
        iterations = settings.iterations
        clock = TimeBudget(settings)
        clock.start()
        seconds = clock.seconds(known.canonical, 0)
    if threads is not None:  # not every bot can use several
        changed = settings.model_dump(by_alias=True) | {"threads": threads}
        settings = validate(type(settings), Document("bot", changed, {}))
    return settings, iterations, seconds


def settings_of(bot: Bot | str | os.PathLike[str]) -> Settings:
    """Return the search settings of a bot; raises TrajanError if it does not search."""
    described = bot if isinstance(bot, Bot) else read_bot(bot)
    if not isinstance(described, IsmctsBot):
        raise TrajanError(
            f"bot {described.name}: of kind {getattr(described, 'kind', '?')}, which does not "
            "search; take one of kind ismcts or flat"
        )
    return described
