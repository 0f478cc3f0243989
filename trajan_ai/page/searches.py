"""Searches for the page and its bots: a scheduler behind asynchronous calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from trajan_ai.analysis import advice
from trajan_ai.analysis.decision import Analysing, Analysis, Ask
from trajan_ai.analysis.scheduler import Full, Job, Search
from trajan_ai.bots import build
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts import Result, Settings
from trajan_ai.page.opponents import Opponent
from trajan_ai.page.work import Work

MOST_PER_STUDY = 4  # such as one study in four tabs
TREE_MEGABYTES = 64.0  # per search, where nothing else is said
REPORT_EVERY = 0.1  # seconds; the first report comes as soon


class Busy(TrajanError):
    """More searches are asked for than may be under way."""


class _Mail:
    """What a search said last, perhaps from another thread, to one reader.

    Interim results that nobody has read are overtaken; how it ended is kept.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.news = asyncio.Event()
        self.said: tuple[str, Result | Exception | None] = ("interim", None)

    def post(self, status: str, outcome: Result | Exception | None) -> None:
        """Take a message; for any thread."""
        try:
            self.loop.call_soon_threadsafe(self._take, status, outcome)
        except RuntimeError:  # the loop has ended, and its readers with it
            return

    def _take(self, status: str, outcome: Result | Exception | None) -> None:
        self.said = status, outcome
        self.news.set()

    async def read(self) -> tuple[str, Result | Exception | None]:
        """Wait for news and return them."""
        await self.news.wait()
        self.news.clear()
        return self.said


class Searches:
    """All searches of a server. The methods are for its event loop."""

    def __init__(self, work: Work, tree_megabytes: float = TREE_MEGABYTES) -> None:
        self.work = work
        self.scheduler = work.scheduler
        self.tree_megabytes = tree_megabytes
        self.running: dict[str, dict[Search, str]] = {}  # by study, with their names

    async def _heard(
        self,
        study: str,
        known: InformationSet,
        settings: Settings,
        asked: Ask | Analysing,
        name: str = "",
    ) -> AsyncIterator[tuple[str, Result | None]]:
        """Yield (status, result) while a job goes on, as `Job` says.

        It ends with whoever reads it, or by its `name`. Raises Busy, before anything is yielded.
        """
        mail = _Mail()
        job = Job(
            known=known,
            settings=settings.model_copy(update={"tree_megabytes": self.tree_megabytes}),
            asked=asked,
            answer=mail.post,
            client=study,
            report_every=REPORT_EVERY,
        )
        search = self._add(study, job, name)
        try:
            status = "interim"
            while status == "interim":
                status, outcome = await mail.read()
                if isinstance(outcome, Exception):
                    raise outcome
                yield status, outcome
        finally:
            self.scheduler.stop([search])
            del self.running[study][search]
            if not self.running[study]:
                del self.running[study]

    async def analyses(
        self, study: str, analysing: Analysing, name: str = ""
    ) -> AsyncIterator[tuple[bool, Analysis]]:
        """Yield (whether it is the last, analysis) while an analysis goes on; see `_heard`."""
        results = self._heard(study, analysing.known, analysing.settings, analysing, name)
        async with aclosing(results) as found:  # type: ignore[type-var]
            async for status, result in found:
                last = status != "interim"
                yield last, analysing.analysis(None if last else result)

    def _add(self, study: str, job: Job, name: str) -> Search:
        under_way = self.running.get(study, {})
        if len(under_way) >= MOST_PER_STUDY:
            raise Busy(f"{MOST_PER_STUDY} searches of this game are under way: stop one")
        try:
            search = self.scheduler.add(job)
        except Full:
            raise Busy("too many searches are under way: try again in a moment") from None
        self.running[study] = under_way | {search: name}
        self.work.wake()
        return search

    async def choose(self, study: str, position: Position, level: Opponent, seed: int) -> int:
        """Return the move of a bot for the player to decide, from what that player knows."""
        seat = position.player
        assert seat is not None
        if level.iterations is None:
            player = build(level.bot, position.game)
            player.start(seat, position.players, seed)
            return int(await self.work.call(player.choose, position, seed))
        settings = advice.settings_of(level.bot)
        settings.weights_for(position.game)  # refuses what the game does not have
        ask = Ask(seed, (), None, level.iterations, None)
        results = self._heard(study, InformationSet(position), settings, ask)
        async with aclosing(results) as found:  # type: ignore[type-var]
            async for status, result in found:
                if status == "done" and result is not None:
                    return result.best.move
        raise TrajanError("the search of a bot was stopped")

    def end(self, study: str, name: str) -> None:
        """End the searches of a study that have a name; whoever reads one gets its last result."""
        under_way = self.running.get(study, {})
        self.scheduler.stop([search for search, given in under_way.items() if given == name])

    def stop(self) -> None:
        """End what is under way; whoever reads it hears so."""
        self.scheduler.stop([one for searches in self.running.values() for one in searches])
