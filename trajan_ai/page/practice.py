"""Exercises: a person's own mistakes, and the puzzles that come with the games.

An exercise is a position file, so it holds what its player knew and nothing else. An answer is
right if a verified analysis has it lose no more than `EQUAL` VP; the mistake itself never is.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from trajan_ai.analysis import advice
from trajan_ai.analysis.budgets import EQUAL, PRACTICE_ITERATIONS
from trajan_ai.analysis.decision import Estimate
from trajan_ai.analysis.judging import FINE, Annotation
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasLevels, in_words, offered
from trajan_ai.games import GAMES
from trajan_ai.page import shown
from trajan_ai.page.game_tree import ROOT, of_position
from trajan_ai.page.shown import Shown
from trajan_ai.records import position_files

SHOWN = 3  # moves that are told when an exercise is solved
FILE = "practice.jsonl"  # beside the studies


@dataclass(frozen=True)
class Exercise:
    """A decision to find the best move of; `tried` is the mistake, if it is one's own.

    ``lead`` are the VP that it cost, or that the best moves are ahead by; ``rating`` of a puzzle
    is how many iterations find it. ``right`` are moves known to be best.
    """

    position: Mapping[str, Any]
    right: tuple[str, ...]
    lead: float
    rating: int | None = None
    tried: str | None = None
    title: str = ""

    @property
    def id(self) -> str:
        """Sixteen hex digits of the position."""
        text = json.dumps(self.position, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@cache
def puzzles() -> dict[str, Exercise]:
    """Return the puzzles of all games by their number, the easiest of each game first."""
    found = {}
    for game in GAMES.values():
        rules = offered(game.rules, HasLevels)
        if rules is not None:
            for line in gzip.decompress(rules.puzzles.read_bytes()).decode().splitlines():
                one = _exercise(json.loads(line))
                found[one.id] = one
    return found


def _exercise(data: dict[str, Any]) -> Exercise:
    return Exercise(**data | {"right": tuple(data["right"])})


def _plain(gain: Estimate | None) -> dict[str, float] | None:
    return None if gain is None else gain.to_dict()


class Practice:
    """The exercises of a folder; what was solved stays known. Only ever appended to a file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self.own: dict[str, Exercise] = {}
        self.solved: set[str] = set()
        for line in self._lines():
            if "solved" in line:
                self.solved.add(line["solved"])
            elif "exercise" in line:
                one = _exercise(line["exercise"])
                self.own[one.id] = one

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            text = self.file.read_text("utf-8")
        except OSError:
            return
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue  # cut off when it was written

    def _append(self, line: dict[str, Any]) -> None:
        try:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(f"\n{json.dumps(line)}\n")  # a line that was cut off ends
        except OSError as error:
            raise TrajanError(f"{self.file}: cannot be written: {error.strerror}") from None

    def add(self, annotation: Annotation, people: set[int], title: str) -> None:
        """Make exercises of the mistakes of people in a game that was analysed."""
        for made in annotation.decisions:
            if made.grade == FINE or made.player not in people:
                continue
            known = InformationSet(annotation.played.positions[made.ply], made.player)
            one = Exercise(
                position_files.position_file(known.canonical, made.player),
                (made.best,),
                round(made.loss.margin, 1),
                tried=made.action,
                title=title,
            )
            if one.id not in self.own:
                self.own[one.id] = one
                self._append({"exercise": asdict(one)})

    def listed(self) -> list[dict[str, Any]]:
        """Return what a list of exercises shows: one's own, the last first, then the puzzles."""
        return [
            {
                "id": id,
                "game": one.position["game"],
                "players": len(one.position["players"]),
                "own": one.tried is not None,
                "lead": one.lead,
                "rating": one.rating,
                "title": one.title,
                "solved": id in self.solved,
            }
            for id, one in (*reversed(self.own.items()), *puzzles().items())
        ]

    def exercise(self, id: str) -> Exercise:
        """Return an exercise; raises KeyError if there is none such."""
        return self.own.get(id) or puzzles()[id]

    def state(self, id: str) -> dict[str, Any]:
        """Return what the page shows of an exercise, as it shows a position, and its file."""
        one = self.exercise(id)
        study = of_position(one.position)
        state = shown.state(Shown(study), ROOT, None)
        legal = study.root.legal()  # things of a set in the game's order: one move is judged
        state["legal"] = [entry for entry in state["legal"] if entry[0] in legal]
        return state | {"tried": one.tried, "position": dict(one.position), "lead": one.lead}

    def answer(self, id: str, action: str | None) -> dict[str, Any]:
        """Judge an action; without one, and where it is right, tell the best moves.

        Raises TrajanError if the action is not legal.
        """
        one = self.exercise(id)
        known = InformationSet(position_files.parse(one.position))
        if action is not None and action not in known.legal():
            raise TrajanError(f"action: {action!r:.60} is not legal here")
        named = [known.game.move(move) for move in (*one.right, *filter(None, [action]))]
        analysis = advice.analyse(
            known, grade="verified", iterations=PRACTICE_ITERATIONS, top=SHOWN, named=named
        )
        values = {move.action: move for move in analysis.moves}
        gain = None if action is None else values[action].gain
        good = action in one.right or (gain is not None and gain.mean > -EQUAL)
        right = good and action != one.tried
        if right and id not in self.solved:
            self.solved.add(id)
            self._append({"solved": id})
        told = [move for move in analysis.moves if move.grade == "verified"]
        return {
            "right": right,
            "words": action and in_words(known.game.rules, [action]),
            "gain": _plain(gain),
            "best": [
                {"action": m.action, "words": m.turn.words, "gain": _plain(m.gain)}
                for m in told[:SHOWN]
            ]
            if right or action is None
            else [],
        }
