"""Analyse whole games in the background: first roughly, then possible mistakes thoroughly."""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, cast

from trajan_ai import records
from trajan_ai.analysis.annotation import accounts, annotation_page, judging
from trajan_ai.analysis.annotation.judging import FINE, Annotation, Decision, Judging, is_doubtful
from trajan_ai.analysis.budgets import ROUGH_ITERATIONS
from trajan_ai.analysis.decision import advice
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.foresight import word_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import get_language, tr
from trajan_ai.core.lru import Lru
from trajan_ai.page.work import Work
from trajan_ai.records import following
from trajan_ai.records.following import AnyRecord

MAX_REVIEWS = 6  # in memory


class Review:
    """The analysis of one game. A decision is called a mistake only after it is verified."""

    def __init__(self, entry: AnyRecord, work: Work, tree_megabytes: float) -> None:
        played = (
            following.restore(entry)
            if following.is_witnessed(entry)
            else cast(records.Record, entry)
        )
        game = judging.game_of(played)
        bot, _ = advice.choose_bot(game)
        bot = bot.model_copy(update={"tree_megabytes": tree_megabytes})
        self.judging = Judging(played, judging.prepare_judge(game, bot))
        self.work = work
        self.is_cancelled = False
        self.failure: Exception | None = None
        self.is_reported = False  # whether the page knows of the failure, so that it may try again
        self.rough: dict[int, Decision] = {}
        self.verified: dict[int, Decision] = {}
        # A decision's action and better turn in words, by language, ply and better turn.
        self.words: dict[tuple[str, int, tuple[str, ...]], tuple[str, str]] = {}
        self.doubtful: set[int] = set()
        self.lock = Lock()
        for ply in self.judging.plies:
            work.submit(self._run, self._judge, ply)

    def _run(self, job: Callable[[int], None], ply: int) -> None:
        """Run a job unless the analysis has ended; an exception ends the analysis."""
        if self.is_cancelled:
            return
        try:
            job(ply)
        except Exception as error:  # `describe` reports it to the page
            if self.is_cancelled:  # the work may be closed
                return
            traceback.print_exc()
            self.failure = error
            self.is_cancelled = True

    def _judge(self, ply: int) -> None:
        decision = self.judging.judge(ply, ROUGH_ITERATIONS)
        with self.lock:
            self.rough[ply] = decision
            if is_doubtful(decision):
                self.doubtful.add(ply)
                self.work.submit(self._run, self._verify, ply)  # runs after all rough judgements

    def _verify(self, ply: int) -> None:
        decision = self.judging.judge(ply)
        with self.lock:
            self.verified[ply] = decision

    def annotation(self, names: Sequence[str]) -> Annotation:
        """Return the annotation with the decisions judged so far; the first must be judged.

        `names` are the players' names on the page.
        """
        with self.lock:
            rough = {ply: replace(one, grade=FINE) for ply, one in self.rough.items()}
            decisions = sorted((rough | self.verified).items())
        done = self.judging.annotation([self._translate(decision) for _, decision in decisions])
        return replace(done, played=replace(done.played, names=tuple(names)))

    def _translate(self, decision: Decision) -> Decision:
        """Return a decision whose actions are worded in the current language."""
        key = (get_language(), decision.ply, decision.better)
        if key not in self.words:
            knowledge = InformationSet(self.judging.played.positions[decision.ply])
            words = word_turn(knowledge, [decision.action])
            self.words[key] = words, word_turn(knowledge, decision.better)
        words, better = self.words[key]
        return replace(decision, words=words, better_words=better)

    @property
    def is_done(self) -> bool:
        """Whether every decision is judged, and every possible mistake verified."""
        is_complete = len(self.rough) == len(self.judging.plies)
        return is_complete and len(self.verified) == len(self.doubtful)

    def describe(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the progress, and the annotation of the decisions judged so far.

        Raises TrajanError if the analysis failed.
        """
        if self.failure is not None:
            self.is_reported = True
            raise TrajanError(tr("The analysis failed: {error}", error=repr(self.failure)))
        is_begun = self.judging.start is not None
        return {
            "plies": self.judging.plies,
            "judged": len(self.rough),
            "doubtful": len(self.doubtful),
            "verified": len(self.verified),
            "done": self.is_done,
            "game": accounts.to_dict(self.annotation(names)) if is_begun else None,
        }

    def page(self, names: Sequence[str], title: str) -> str:
        """Return a self-contained page; raises TrajanError while the analysis is not done."""
        if not self.is_done:
            raise TrajanError("review: the analysis of this game is not complete yet")
        annotation = self.annotation(names)
        return annotation_page.render(annotation, accounts.to_dict(annotation), title)


class Reviews:
    """The analyses of a server, by record. Those requested last stay in memory."""

    def __init__(self, work: Work, tree_megabytes: float) -> None:
        self.work = work
        self.tree_megabytes = tree_megabytes
        self.reviews: Lru[str, Review] = Lru(MAX_REVIEWS)

    def find(self, entry: AnyRecord) -> Review:
        """Return the analysis of a game. The first call starts it.

        Raises TrajanError if the game is not finished.
        """
        key = records.fingerprint(records.dumps(entry))
        review = self.reviews.get(key)
        if review is None or review.is_reported:
            review = Review(entry, self.work, self.tree_megabytes)
            dropped = self.reviews.put(key, review)
            if dropped is not None:
                dropped.is_cancelled = True
        return review

    def close(self) -> None:
        """Cancel all analyses."""
        for review in self.reviews.entries.values():
            review.is_cancelled = True
