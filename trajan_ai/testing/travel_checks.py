"""Checks of bytes, pickles and records, and of play in other processes and threads."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from trajan_ai import records
from trajan_ai.analysis.measurement import measure
from trajan_ai.core.game import Game, Random
from trajan_ai.core.seeds import derive_seed
from trajan_ai.testing.courses import Course, digest, first_difference
from trajan_ai.testing.registry import Finding, per_course, per_group

STATIONS = 8
SWAPS = 500  # pairs of moves of a game that are swapped
MAX_SWAP = 12  # maximum number of plies between the moves of a pair
PLAYOUTS = 60
THREADS = 4
TIMEOUT = 600  # seconds for another process to play the same games
ANSWER = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from trajan_ai.testing.courses import print_digests; print_digests()"
)


@per_course()
def bytes_and_pickles(course: Course) -> Iterator[str]:
    """A position equals the one restored from its bytes; a pickle also keeps ply and setup."""
    for state in course.stations(STATIONS):
        position = course.position(state)
        if course.game.from_bytes(position.to_bytes()) != position:
            yield "from_bytes(to_bytes()) is a different position"
        again = pickle.loads(pickle.dumps(position))
        if (again, again.ply, again.origin) != (position, position.ply, position.origin):
            yield "a position changes when pickled"


@per_course()
def equal_positions_equal_bytes(course: Course) -> Iterator[str]:
    """Positions with equal full views have equal bytes, so swapping two moves of a player leaves
    no hidden trace."""
    rules = course.game.rules
    random = Random(derive_seed("swaps", course.deal.seed))
    for _ in range(SWAPS if course.end > 1 else 0):
        course.now = random.below(course.end - 1)
        later = course.now + 1 + random.below(min(course.end - 1 - course.now, MAX_SWAP))
        swapped = _swap(course, course.now, later)
        state = course.states[later + 1]
        if swapped is None or swapped == state:
            continue
        if rules.view(course.position(swapped), None) == rules.view(course.position(state), None):
            place = first_difference(state, swapped)
            one, other = (course.game.actions[course.moves[ply]] for ply in (course.now, later))
            yield (
                f"swapping {one!r} with {other!r} at ply {later} gives the same full view, but "
                f"byte {place} differs"
            )


def _swap(course: Course, first: int, later: int) -> bytes | None:
    """Return the state after swapping two moves, or None if they are not legal in that order."""
    probe, moves = course.probe, course.moves
    state = course.states[first]
    order = [moves[later], *moves[first + 1 : later], moves[first]]
    for ply, move in enumerate(order, start=first):
        same_decider = probe.player(state) == probe.player(course.states[ply])
        if not same_decider or move not in probe.legal(state):
            return None
        state = probe.apply(state, move)
    return state


@per_course()
def record_replays(course: Course) -> Iterator[str]:
    """The record of a game, written and read as JSON, replays to the same states and result."""
    game = course.game
    start = course.deal.start()
    position = start
    actions = []
    for move in course.moves:
        assert position.player is not None
        actions.append((position.player, game.actions[move]))
        position = position.after_move(move)
    entry = records.parse(records.dumps(records.record(start, actions, position)))
    again = game.restore(entry["players"], entry["setup"], **entry["options"])
    for ply, (player, action) in enumerate(entry["actions"]):
        course.now = ply
        if again.to_bytes() != course.states[ply] or again.player != player:
            yield "a replayed state differs from the original"
        if game.move(action) != course.moves[ply]:
            yield f"the action {action!r} is read as another move"
        again = again.after(action)
    course.now = course.end
    if (again.scores, again.ranks) != (entry.get("scores"), entry.get("ranks")):
        yield f"replayed: scores {again.scores}, ranks {again.ranks}"


@per_group(per_game=True)
def other_processes_agree(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """With the same seeds, another process, whose hash seed differs, deals and plays the same."""
    deals = [course.deal for course in courses]
    request = {
        "game": game.reference,
        "deals": [[deal.players, deal.options, deal.seed] for deal in deals],
    }
    answer = subprocess.run(
        [sys.executable, "-c", ANSWER, json.dumps(sys.path)],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, "PYTHONHASHSEED": "4321"},
        check=False,
    )
    if answer.returncode != 0:
        line = (answer.stderr.strip().splitlines() or ["no message"])[-1]
        yield Finding(
            "another process failed to play the game "
            f"and ended with exit status {answer.returncode}: {line}"
        )
        return
    for course, line in zip(courses, answer.stdout.split(), strict=True):
        if line != digest(course.deal):
            yield Finding("another process deals or plays differently", course)


@per_group()
def threads_agree(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """Playouts in several threads at once are the same as in one, as they share only the state."""
    for course in courses[:1]:
        openings = [course.position(state) for state in course.decisions(STATIONS)]
        for fused in (True, False):
            play = partial(measure.playouts, openings, PLAYOUTS, fused=fused)
            with ThreadPoolExecutor(THREADS) as threads:
                together = list(threads.map(play, range(THREADS)))
            if together != [play(seed) for seed in range(THREADS)]:
                yield Finding("playouts in several threads at once affect each other", course)
