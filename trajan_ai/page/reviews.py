"""Whole games analysed in the background: every decision roughly, then what may be a mistake."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import Any

from trajan_ai import records
from trajan_ai.analysis import accounts, advice, annotation_page, judging
from trajan_ai.analysis.budgets import ROUGH_ITERATIONS
from trajan_ai.analysis.judging import FINE, Annotation, Decision, Judging, doubtful
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import in_words
from trajan_ai.page.work import Work
from trajan_ai.records import following

MOST = 6  # games of which the analysis is kept, the last ones asked for


class Review:
    """The analysis of one game. A mistake is called so once it is verified."""

    def __init__(self, entry: records.Record, work: Work, tree_megabytes: float) -> None:
        followed = following.is_witnessed(entry)
        played = following.restore(entry) if followed else entry
        bot, _ = advice.chosen_bot(judging.game_of(entry))
        bot = bot.model_copy(update={"tree_megabytes": tree_megabytes})
        self.judging = Judging(played, bot)
        self.work = work
        self.wanted = True
        self.rough: dict[int, Decision] = {}
        self.verified: dict[int, Decision] = {}
        self.doubtful: set[int] = set()
        self.lock = Lock()
        for ply in self.judging.plies:
            work.submit(self._judge, ply)

    def _judge(self, ply: int) -> None:
        if not self.wanted:
            return
        decision = self.judging.judge(ply, ROUGH_ITERATIONS)
        with self.lock:
            self.rough[ply] = decision
            if doubtful(decision):
                self.doubtful.add(ply)
                self.work.submit(self._verify, ply)  # after all that are judged roughly

    def _verify(self, ply: int) -> None:
        if self.wanted:
            decision = self.judging.judge(ply)
            with self.lock:
                self.verified[ply] = decision

    def annotation(self) -> Annotation:
        """Return the annotation with the decisions judged so far; the first one must be."""
        with self.lock:
            rough = {ply: replace(one, grade=FINE) for ply, one in self.rough.items()}
            found = sorted((rough | self.verified).items())
        return self.judging.annotation([self._worded(decision) for _, decision in found])

    def _worded(self, decision: Decision) -> Decision:
        """Return a decision in the language of whoever asks."""
        rules = self.judging.played.final.game.rules
        words = in_words(rules, [decision.action])
        return replace(decision, words=words, better_words=in_words(rules, decision.better))

    @property
    def done(self) -> bool:
        """Whether every decision is judged, and every possible mistake verified."""
        whole = len(self.rough) == len(self.judging.plies)
        return whole and len(self.verified) == len(self.doubtful)

    def state(self) -> dict[str, Any]:
        """Return how far it is, and the annotation with the decisions judged so far."""
        begun = self.judging.begun is not None
        return {
            "plies": self.judging.plies,
            "judged": len(self.rough),
            "doubtful": len(self.doubtful),
            "verified": len(self.verified),
            "done": self.done,
            "game": accounts.to_dict(self.annotation()) if begun else None,
        }

    def page(self) -> str:
        """Return the page that opens from disk."""
        if not self.done:
            raise TrajanError("review: this game is still being analysed")
        annotation = self.annotation()
        return annotation_page.page(annotation, accounts.to_dict(annotation))


class Reviews:
    """The analyses of a server, by record."""

    def __init__(self, work: Work, tree_megabytes: float) -> None:
        self.work = work
        self.tree_megabytes = tree_megabytes
        self.found: OrderedDict[str, Review] = OrderedDict()

    def of(self, entry: records.Record) -> Review:
        """Return the analysis of a game, which begins when it is first asked for.

        Raises TrajanError for a game that is not finished.
        """
        key = records.fingerprint(records.dumps(entry))
        if key not in self.found:
            self.found[key] = Review(entry, self.work, self.tree_megabytes)
        self.found.move_to_end(key)
        while len(self.found) > MOST:
            self.found.popitem(last=False)[1].wanted = False
        return self.found[key]

    def close(self) -> None:
        """End them; what is being judged is thrown away."""
        for review in self.found.values():
            review.wanted = False
