"""Searches for the page and its bots: a scheduler behind asynchronous calls."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import Analysis, AnalysisRun, SearchRequest
from trajan_ai.analysis.decision.scheduler import Full, Job, ScheduledSearch
from trajan_ai.bots import build
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.mcts import Result, Settings
from trajan_ai.page.opponents import Opponent
from trajan_ai.page.work import Work

MAX_PER_GAME = 4  # such as one game in four tabs
TREE_MEGABYTES = 64.0  # default size of the tree of one search
REPORT_EVERY = 0.1  # seconds


class Busy(TrajanError):
    """Too many searches are already running."""


class _Mailbox:
    """The latest message of a search, which may run in another thread, for one reader.

    A new message replaces one that has not been read yet. The final message is never replaced.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.changed = asyncio.Event()
        self.message: tuple[str, Result | Exception | None] = ("interim", None)

    def post(self, status: str, outcome: Result | Exception | None) -> None:
        """Store a message; this method can be called from any thread."""
        try:
            self.loop.call_soon_threadsafe(self._put, status, outcome)
        except RuntimeError:  # the loop has ended, and its readers with it
            return

    def _put(self, status: str, outcome: Result | Exception | None) -> None:
        self.message = status, outcome
        self.changed.set()

    async def read(self) -> tuple[str, Result | Exception | None]:
        """Wait for a new message and return it."""
        await self.changed.wait()
        self.changed.clear()
        return self.message


class Searches:
    """All searches of a server. The methods must be called in its event loop."""

    def __init__(self, work: Work, tree_megabytes: float = TREE_MEGABYTES) -> None:
        self.work = work
        self.scheduler = work.scheduler
        self.tree_megabytes = tree_megabytes
        self.running: dict[str, set[ScheduledSearch]] = {}  # by the id of a game

    async def _results(
        self,
        id: str,
        knowledge: InformationSet,
        settings: Settings,
        request: SearchRequest | AnalysisRun,
    ) -> AsyncIterator[tuple[str, Result | None]]:
        """Yield the statuses and results of a job (see `Job`) as pairs.

        Closing the generator stops the search. If too many searches are running, Busy is raised
        before the first result.
        """
        mailbox = _Mailbox()
        job = Job(
            information=knowledge,
            settings=settings.model_copy(update={"tree_megabytes": self.tree_megabytes}),
            work=request,
            answer=mailbox.post,
            client=id,
            report_every=REPORT_EVERY,
        )
        search = self._add(id, job)
        try:
            status = "interim"
            while status == "interim":
                status, outcome = await mailbox.read()
                if isinstance(outcome, Exception):
                    raise outcome
                yield status, outcome
        finally:
            self.scheduler.stop([search])
            self.running[id].remove(search)
            if not self.running[id]:
                del self.running[id]

    async def analyse(
        self, id: str, analysing: AnalysisRun
    ) -> AsyncIterator[tuple[bool, Analysis]]:
        """Yield pairs (is_last, analysis) until the analysis of a game's node is done.

        Closing the generator stops the search. If too many searches are running, Busy is raised
        before the first pair.
        """
        results = self._results(id, analysing.information, analysing.settings, analysing)
        async with aclosing(results) as updates:  # type: ignore[type-var]
            async for status, result in updates:
                is_last = status != "interim"
                yield is_last, analysing.analysis(None if is_last else result)

    def _add(self, id: str, job: Job) -> ScheduledSearch:
        running = self.running.get(id, set())
        if len(running) >= MAX_PER_GAME:
            raise Busy(
                tr("{count} searches of this game are running: stop one.", count=MAX_PER_GAME)
            )
        try:
            search = self.scheduler.add(job)
        except Full:
            raise Busy(tr("Too many searches are running: try again in a moment.")) from None
        self.running.setdefault(id, set()).add(search)
        self.work.wake()
        return search

    async def choose(self, id: str, position: Position, opponent: Opponent, seed: int) -> int:
        """Return the move that a bot chooses in a game, based on what its player knows.

        Raises Busy if too many searches are running, and TrajanError if the search is stopped.
        """
        player = position.player
        assert player is not None
        if opponent.iterations is None:
            bot = build(opponent.bot, position.game)
            bot.start(player, position.players, seed)
            return int(await self.work.call(bot.choose, position, seed))
        settings = advice.searching_bot(opponent.bot)
        settings.weights_for(position.game)  # raises TrajanError if the game lacks them
        request = SearchRequest(seed, iterations=opponent.iterations)
        results = self._results(id, InformationSet(position), settings, request)
        async with aclosing(results) as updates:  # type: ignore[type-var]
            async for status, result in updates:
                if status == "done" and result is not None:
                    return result.best.move
        raise TrajanError("a bot's search was stopped before it chose a move")

    def stop(self) -> None:
        """Stop all searches; their readers receive the last results."""
        self.scheduler.stop([search for group in self.running.values() for search in group])
