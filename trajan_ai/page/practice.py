"""Exercises: mistakes from the person's games, and the puzzles that come with the games.

An exercise is a position file, so it contains only what its player knew. An answer is right if a
verified analysis says that it loses at most `EQUAL` VP. The mistake itself is never right.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, Strict

from trajan_ai.analysis import advice
from trajan_ai.analysis.budgets import EQUAL, PRACTICE_ITERATIONS
from trajan_ai.analysis.decision import Estimate
from trajan_ai.analysis.judging import FINE, Annotation
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.paths import build_path
from trajan_ai.core.plain import loads
from trajan_ai.core.rules import HasLevels, in_words, offered
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.games import GAMES
from trajan_ai.page import views
from trajan_ai.page.folder import MissingEntry
from trajan_ai.page.game_tree import ROOT, Title, open_position
from trajan_ai.page.visible_tree import VisibleTree
from trajan_ai.records import position_files

MAX_BEST = 3  # moves of a solution
FILE = "practice.jsonl"  # beside the saved games

Vp = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]


class Exercise(Description):
    """A decision whose best move is to be found.

    `right` are moves known to be best. `lead` is the VP that the mistake `tried` lost or, in a
    puzzle, by which the best moves lead. `rating` is the number of search iterations that solve
    the puzzle.
    """

    position: dict[str, Any]
    right: Annotated[tuple[str, ...], Strict(False)]
    lead: Vp
    rating: int | None = None
    tried: str | None = None
    title: Title = ""

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits of the position's hash."""
        text = json.dumps(self.position, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@cache
def puzzles() -> dict[str, Exercise]:
    """Return the puzzles of all games by their id, the easiest of each game first."""
    result = {}
    for game in GAMES.values():
        rules = offered(game.rules, HasLevels)
        if rules is not None:
            for line in gzip.decompress(rules.puzzles.read_bytes()).decode().splitlines():
                exercise = Exercise(**json.loads(line))
                result[exercise.id] = exercise
    return result


def _gain_data(gain: Estimate | None) -> dict[str, float] | None:
    return None if gain is None else gain.to_dict()


class Practice:
    """The exercises of a folder, and which of them are solved.

    Its file has a line per exercise or solution, and lines are only ever appended.
    """

    def __init__(self, folder: Path) -> None:
        self.file = build_path(folder, FILE)
        self.own: dict[str, Exercise] = {}
        self.solved: set[str] = set()
        for line in self._lines():
            if isinstance(line.get("solved"), str):
                self.solved.add(line["solved"])
            elif isinstance(line.get("exercise"), dict):
                self._load(line["exercise"])

    def _load(self, data: dict[str, Any]) -> None:
        """Add an exercise of the file unless its data is damaged.

        The position itself is only parsed when the exercise is opened.
        """
        try:
            exercise = validate(Exercise, Document("exercise", data, {}))
        except TrajanError:
            return
        position = exercise.position
        if position.get("game") in [*GAMES] and isinstance(position.get("players"), list):
            self.own[exercise.id] = exercise

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            lines = self.file.read_bytes().split(b"\n")
        except OSError:
            return
        for line in lines:
            try:
                data = loads(line)
            except (ValueError, RecursionError):
                continue  # an interrupted write, or damaged
            if isinstance(data, dict):
                yield data

    def _append(self, line: dict[str, Any]) -> None:
        try:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(f"\n{json.dumps(line)}\n")  # ends a line whose write was interrupted
        except OSError as error:
            raise TrajanError(f"{self.file}: cannot be written: {error.strerror}") from None

    def add(self, annotation: Annotation, people: set[int], title: str) -> None:
        """Add the mistakes of `people` in an annotated game."""
        for decision in annotation.decisions:
            if decision.grade == FINE or decision.player not in people:
                continue
            knowledge = InformationSet(annotation.played.positions[decision.ply], decision.player)
            exercise = Exercise(
                position=position_files.position_file(knowledge.canonical, decision.player),
                right=(decision.best,),
                lead=round(decision.loss.margin, 1),
                tried=decision.action,
                title=title,
            )
            if exercise.id not in self.own:
                self.own[exercise.id] = exercise
                self._append({"exercise": exercise.model_dump()})

    def list_exercises(self) -> list[dict[str, Any]]:
        """Return a summary of every exercise: own mistakes, the last first, then the puzzles."""
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

    def find(self, id: str) -> Exercise:
        """Return an exercise; raises MissingEntry if there is none."""
        exercise = self.own.get(id) or puzzles().get(id)
        if exercise is None:
            raise MissingEntry("there is no such exercise")
        return exercise

    def describe(self, id: str) -> dict[str, Any]:
        """Return what the page shows of an exercise: its position as a node, and its file."""
        exercise = self.find(id)
        tree = open_position(exercise.position)
        state = views.describe_node(VisibleTree(tree), ROOT, None)
        legal = tree.root.legal()  # elements of a set in the game's order: one move is judged
        state["legal"] = [entry for entry in state["legal"] if entry[0] in legal]
        return state | {
            "tried": exercise.tried,
            "position": exercise.position,
            "lead": exercise.lead,
        }

    def answer(self, id: str, action: str | None) -> dict[str, Any]:
        """Judge an action. The best moves are included if it is right, or if it is None.

        Raises TrajanError if the action is not legal.
        """
        exercise = self.find(id)
        knowledge = InformationSet(position_files.parse(exercise.position))
        if action is not None and action not in knowledge.legal():
            raise TrajanError(f"action: {action!r:.60} is not legal here")
        moves = (*exercise.right, *filter(None, [action]))
        named = [knowledge.game.move(move) for move in moves]
        analysis = advice.analyse(
            knowledge, grade="verified", iterations=PRACTICE_ITERATIONS, top=MAX_BEST, named=named
        )
        values = {move.action: move for move in analysis.moves}
        gain = None if action is None else values[action].gain
        is_good = action in exercise.right or (gain is not None and gain.mean > -EQUAL)
        is_right = is_good and action != exercise.tried
        if is_right and id not in self.solved:
            self.solved.add(id)
            self._append({"solved": id})
        verified = [move for move in analysis.moves if move.grade == "verified"]
        return {
            "right": is_right,
            "words": action and in_words(knowledge.game.rules, [action]),
            "gain": _gain_data(gain),
            "best": [
                {"action": move.action, "words": move.turn.words, "gain": _gain_data(move.gain)}
                for move in verified[:MAX_BEST]
            ]
            if is_right or action is None
            else [],
        }
