"""Exercises: mistakes from the user's games, and the puzzles that come with the games.

An exercise contains a position file, so it contains only what its player knew. An answer is right
if a verified analysis shows that it loses less than `EQUAL` VP. The action that was the mistake
never counts as right, even if this analysis finds no such loss.

The puzzle of the day depends on the date, the game, and the number of exercises that were solved
before that day. The exercises and the progress are stored in one file.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Strict

from trajan_ai.analysis.annotation.judging import FINE, Annotation
from trajan_ai.analysis.annotation.strength import estimate_strengths
from trajan_ai.analysis.budgets import EQUAL, PRACTICE_ITERATIONS
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.move_values import Estimate, MoveValue
from trajan_ai.analysis.decision.reason_words import word_reasons
from trajan_ai.analysis.decision.reasons import Happening, find_reasons, list_differences
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.foresight import find_next_turn, word_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.core.json_parsing import loads
from trajan_ai.core.languages import tr
from trajan_ai.core.paths import build_path
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasLevels
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.games import GAMES
from trajan_ai.page import views
from trajan_ai.page.folder import MissingEntry
from trajan_ai.page.game_tree import ROOT, Title, open_position
from trajan_ai.page.progress import Answered, GameLevel, Progress, TreeId, Vp
from trajan_ai.page.visible_tree import VisibleTree
from trajan_ai.records import position_files

MAX_BEST = 3  # moves of a solution
MAX_MISTAKES = 5  # mistakes of a game
EASY = 1200  # the highest rating of a puzzle of the day
EASIEST = 600  # the highest rating for a beginner
BEGINNER = 7  # solved exercises after which a user is no longer a beginner
FILE = "practice.jsonl"  # beside the saved games


class Exercise(Description, populate_by_name=True):
    """A decision whose best move is to be found.

    `right` contains moves that are known to be best. `lead` is the VP that the mistake `tried`
    lost or, in a puzzle, the VP by which the best moves lead. `rating` is the number of search
    iterations that solve the puzzle. `tree` is the id of the game with the mistake; older files
    lack it.
    """

    position: dict[str, Any]
    right: Annotated[tuple[str, ...], Strict(False)]
    lead: Vp
    rating: int | None = None
    tried: str | None = None
    title: Title = ""
    tree: TreeId = ""

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits: a hash of the position."""
        text = json.dumps(self.position, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@cache
def puzzles() -> dict[str, Exercise]:
    """Return a dict of puzzles with their ids as keys, ordered by difficulty within each game."""
    result = {}
    for game in GAMES.values():
        rules = offered(game.rules, HasLevels)
        if rules is not None:
            for line in gzip.decompress(rules.puzzles.read_bytes()).decode().splitlines():
                exercise = Exercise(**json.loads(line))
                result[exercise.id] = exercise
    return result


def daily_puzzle(day: date, game: str, solved: int) -> str:
    """Return the id of a game's puzzle of the day.

    A beginner, who has solved few exercises before that day, gets one of the easiest puzzles. For
    a game without puzzles, the puzzle is that of the first game that has some.
    """
    games = [one.position["game"] for one in puzzles().values()]
    game = game if game in games else games[0]
    most = EASIEST if solved < BEGINNER else EASY
    easy = sorted(
        id
        for id, one in puzzles().items()
        if one.position["game"] == game and (one.rating or 0) <= most
    )
    return easy[derive_seed("daily", day.isoformat()) % len(easy)]


def today() -> date:
    """Return the date on this device."""
    return date.today()


def _gain_data(gain: Estimate | None) -> dict[str, float] | None:
    return None if gain is None else gain.to_dict()


class Practice:
    """The exercises in a folder, and the user's progress with them.

    The file has one line per exercise, answer or level, and lines are only ever appended. Files of
    release 0.3.0 have lines about solved exercises, without a day.
    """

    def __init__(self, folder: Path) -> None:
        self.file = build_path(folder, FILE)
        self.own: dict[str, Exercise] = {}
        self.progress = Progress()
        for line in self._lines():
            if isinstance(line.get("solved"), str):
                self.progress.solved.add(line["solved"])
            elif isinstance(line.get("exercise"), dict):
                self._load(line["exercise"])
            else:
                self._load_progress(line)

    def _load_progress(self, line: dict[str, Any]) -> None:
        """Add an answer or a level from the file unless its data is damaged."""
        try:
            if "answer" in line:
                self.progress.add(validate(Answered, Document("answer", line, {})))
            else:
                level = validate(GameLevel, Document("level", line.get("level"), {}))
                self.progress.levels[level.tree] = level
        except TrajanError:
            return

    def _load(self, data: dict[str, Any]) -> None:
        """Add an exercise from the file unless its data is damaged.

        The position itself is parsed only when the exercise is opened.
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
                continue  # the line is damaged, or its write was interrupted
            if isinstance(data, dict):
                yield data

    def _append(self, line: dict[str, Any]) -> None:
        try:
            with self.file.open("a", encoding="utf-8") as file:
                # The first newline ends a previous line whose write was interrupted.
                file.write(f"\n{json.dumps(line)}\n")
        except OSError as error:
            raise TrajanError(f"{self.file}: cannot be written: {error.strerror}") from None

    def add(self, annotation: Annotation, people: set[int], title: str, tree: str) -> None:
        """Add the mistakes of `people` in an annotated game, and the level of a single person."""
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
                tree=tree,
            )
            if exercise.id not in self.own or not self.own[exercise.id].tree:
                self.own[exercise.id] = exercise
                self._append({"exercise": exercise.model_dump(by_alias=True)})
        if len(people) == 1 and tree not in self.progress.levels:
            self._add_level(annotation, min(people), tree)

    def _add_level(self, annotation: Annotation, player: int, tree: str) -> None:
        game, players = annotation.played.final.game, len(annotation.scores)
        for one in estimate_strengths(game, players, annotation.decisions):
            if one.player == player and not one.missing:
                level = GameLevel(
                    tree=tree,
                    game=game.name,
                    players=players,
                    day=today().isoformat(),
                    vp=round(one.vp.mean, 1),
                    error=round(one.vp.error, 1),
                )
                self.progress.levels[tree] = level
                self._append({"level": level.model_dump(by_alias=True)})

    def list_exercises(self, game: str = "") -> dict[str, Any]:
        """Return the exercises and the user's progress, as the page shows them.

        The puzzle of the day is one for `game`. The exercises are in the order in which to
        practise them: repetitions that are due; then the user's mistakes, biggest first; then
        puzzles, easiest first. ``mistakes`` contains the biggest mistakes of each game, in the
        order of play.
        """
        day, progress = today(), self.progress
        biggest = sorted(self.own.items(), key=lambda item: -item[1].lead)
        easiest = sorted(puzzles().items(), key=lambda item: item[1].rating or 0)
        exercises = [
            {
                "id": id,
                "game": one.position["game"],
                "players": len(one.position["players"]),
                "own": one.tried is not None,
                "turn": one.position.get("turn"),
                "lead": one.lead,
                "rating": one.rating,
                "title": one.title,
                "solved": id in progress.solved,
                "due": progress.is_due(id, day),
            }
            for id, one in (*biggest, *easiest)
        ]
        exercises.sort(key=lambda one: not one["due"])
        mistakes: dict[str, list[str]] = {}
        for id, one in biggest:
            of_game = mistakes.setdefault(one.tree, [])
            if one.tree and len(of_game) < MAX_MISTAKES:
                of_game.append(id)
        order = [*self.own].index
        daily = daily_puzzle(day, game, progress.count_solved(day))
        return {
            "exercises": exercises,
            "mistakes": {tree: sorted(ids, key=order) for tree, ids in mistakes.items()},
            "daily": {"id": daily, "solved": progress.is_solved_on(daily, day)},
            "streak": progress.count_streak(day),
            "levels": [level.model_dump() for level in progress.levels.values()],
        }

    def find(self, id: str) -> Exercise:
        """Return an exercise; raises MissingEntry if there is none."""
        exercise = self.own.get(id) or puzzles().get(id)
        if exercise is None:
            raise MissingEntry(tr("There is no such exercise."))
        return exercise

    def describe(self, id: str) -> dict[str, Any]:
        """Return what the page shows for an exercise: its position as a node, and its file."""
        exercise = self.find(id)
        tree = open_position(exercise.position)
        state = views.describe_node(VisibleTree(tree), ROOT, None)
        # Elements of a set are offered only in the game's order, because a single move is judged.
        legal = tree.root.legal()
        state["legal"] = [entry for entry in state["legal"] if entry[0] in legal]
        return state | {
            "tried": exercise.tried,
            "position": exercise.position,
            "lead": exercise.lead,
        }

    def answer(self, id: str, action: str | None) -> dict[str, Any]:
        """Judge an action; None asks for the solution.

        The verdict contains the best moves if the action is right, and for None.

        Raises TrajanError if the action is not legal.
        """
        exercise = self.find(id)
        knowledge = InformationSet(position_files.parse(exercise.position))
        if action is not None and action not in knowledge.legal():
            raise TrajanError(f"action: {action!r:.60} is not legal in this position")
        moves = (*exercise.right, *filter(None, [action, exercise.tried]))
        named = [knowledge.game.move(move) for move in moves]
        analysis = advice.analyse(
            knowledge,
            grade="verified",
            iterations=PRACTICE_ITERATIONS,
            top=MAX_BEST,
            named=named,
            sources=bool(knowledge.game.vp_sources),
        )
        values = {move.action: move for move in analysis.moves}
        gain = None if action is None else values[action].gain
        is_good = action in exercise.right or (gain is not None and gain.mean > -EQUAL)
        is_right = is_good and action != exercise.tried
        self._add_answer(id, right=is_right)
        is_solved = is_right or action is None
        # Once an exercise is solved, the best turn is compared with the mistake or, in a puzzle,
        # with the best wrong turn.
        verified = (move for move in analysis.moves if move.grade == "verified")
        wrong = (move for move in verified if move.action not in exercise.right)
        usual = values[exercise.tried] if exercise.tried in values else next(wrong, None)
        worse = usual if is_solved else values[action or ""]
        return {
            "right": is_right,
            "words": action and word_turn(knowledge, [action]),
            "gain": _gain_data(gain),
            "reasons": describe_reasons(knowledge, analysis.best, worse, is_solved=is_solved),
            "reply": None if is_solved or worse is None else _describe_reply(knowledge, worse),
            "best": [
                {"action": move.action, "words": move.turn.words, "gain": _gain_data(move.gain)}
                for move in analysis.moves[:MAX_BEST]
                if move.grade == "verified" and move.action != exercise.tried
            ]
            if is_solved
            else [],
        }

    def _add_answer(self, id: str, *, right: bool) -> None:
        if not right and self.progress.is_solved_on(id, today()):
            return  # after a right answer, nothing on the same day counts as a miss
        answered = Answered(answer=id, right=right, day=today().isoformat())
        self.progress.add(answered)
        self._append(answered.model_dump())


def describe_reasons(
    knowledge: InformationSet, best: MoveValue, worse: MoveValue | None, *, is_solved: bool
) -> list[str]:
    """Return sentences that explain why the best move is better than another.

    Before the exercise is solved, the sentences do not reveal what happens in the best turn. The
    list is empty if the other move looks at least as good.
    """
    if worse is None or worse.gain is None or worse.gain.mean >= 0.0:
        return []
    reasons, total = find_reasons(knowledge, best, worse)
    differences: tuple[Happening, ...] = ()
    if not any(one.event.player == best.player for all in reasons for one in all.happenings):
        differences = list_differences(knowledge, best, worse)
    if not is_solved:
        differences = _of_worse(differences)
        reasons = [replace(one, happenings=_of_worse(one.happenings)) for one in reasons]
    rules = knowledge.game.rules
    return word_reasons(
        rules,
        differences,
        reasons,
        total,
        own=best.player,
        name=lambda player: (
            tr("the opponent")
            if knowledge.players == 2
            else tr("Player {player}", player=player + 1)
        ),
        worse=word_turn(knowledge, [worse.action]),
        cost=Estimate(-worse.gain.mean, worse.gain.error),
    )


def _of_worse(happenings: Iterable[Happening]) -> tuple[Happening, ...]:
    return tuple(one for one in happenings if not one.is_after_better)


def _describe_reply(knowledge: InformationSet, move: MoveValue) -> dict[str, Any] | None:
    """Return, in words, the turn that another player is expected to take after a move, if any."""
    reply = find_next_turn(knowledge, move.line)
    if reply is None:
        return None
    words = word_turn(knowledge, reply.actions, reply.before)
    return {"player": reply.player, "words": words}
