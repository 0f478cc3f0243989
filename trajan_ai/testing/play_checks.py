"""Checks of moves, ends, results, and the game's playouts."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

from trajan_ai.core.game import Game
from trajan_ai.core.rules import HasPieceList, offered
from trajan_ai.testing.courses import FILLS, NO_LIMIT, NO_PLAYER, Course
from trajan_ai.testing.registry import Finding, per_course, per_group, register_flaw

STATIONS = 12  # decisions of a game that the costlier checks examine
DRAWS = 3  # determinizations of a finished game
WRAPS = (2**8, 2**16, 2**32)  # how many values the usual integer types have
MAX_STEPS = 1000  # maximum number of forced moves after a move
MAX_MOVES = 40  # legal moves that are tried at a decision
ENDS = 20  # further games played to the end from states of a course
RESULTS = 300  # further games for checks that examine only results
# Maximum mean growth of turn() at the start of a turn. The growth is 1, or more if turns without a
# decision are skipped.
MAX_GROWTH = 1.5
# Maximum fraction of the changes of the player to decide at which no turn starts, because one
# player responds to another.
MAX_ANSWERS = 0.25


register_flaw(
    "players_and_deciders",
    "players() is the number of players in the deal; player() is one of these players if and only "
    "if there are legal moves.",
)
register_flaw(
    "writes_in_bounds",
    "A function writes only to its state and its result, and a query only to its result.",
)
register_flaw(
    "calls_succeed",
    "No function of a game in Python raises an error, and every number that it assigns fits into "
    "its field of the state.",
)
register_flaw("moves_in_range", "Legal moves are numbers from 0 to action_count - 1.")
register_flaw("moves_unique", "Legal moves are unique.")
register_flaw("game_ends", "Random play ends.")


@per_course(careful=True)
def no_forced_decision(course: Course) -> Iterator[str]:
    """A decision has at least two moves, because apply() and encode() play forced moves."""
    for state in course.walk():
        legal = course.probe.legal(state)
        if len(legal) == 1:
            yield f"only {_name(course, legal[0])} is legal"


@per_course(careful=True)
def functions_are_pure(course: Course) -> Iterator[str]:
    """A function returns the same for the same state, no matter what was called in between."""
    probe = course.probe
    answers = [_answers(course, state) for state in course.walk()]
    for state in course.walk(range(len(course.states) - 1, -1, -1)):
        assert course.now is not None
        for (name, before), (_, now) in zip(
            answers[course.now].items(), _answers(course, state, FILLS[1]).items(), strict=True
        ):
            if now != before:
                yield f"{name}() returns first {before} and then {now} for the same state"
    if course.states and probe.player(course.states[-1]) == NO_PLAYER:
        course.now = len(course.states) - 1
        ranks = probe.ranks(course.states[-1])
        if ranks != probe.ranks(course.states[-1]):
            yield "ranks() returns different ranks for the same state"


def _answers(course: Course, state: bytes, fill: int = 0) -> dict[str, object]:
    probe = course.probe
    return {
        "player": probe.player(state),
        "turn": probe.turn(state),
        "legal": probe.legal(state, fill),
        "scores": probe.scores(state),
    }


@per_course(careful=True)
def apply_is_determined(course: Course) -> Iterator[str]:
    """The same move in the same state leads to the same state: apply() uses nothing outside the
    state."""
    probe = course.probe
    for state in course.walk(range(len(course.states) - 1)):
        assert course.now is not None
        # Call it twice, because a function that counts its calls could be right once by chance.
        again = [probe.apply(state, course.moves[course.now]) for _ in range(2)]
        if any(after != course.states[course.now + 1] for after in again):
            yield f"{_name(course, course.moves[course.now])} leads to different states"


@per_course(careful=True)
def every_move_applies(course: Course) -> Iterator[str]:
    """Every legal move leads to a decision with at least two moves, or to the end."""
    probe = course.probe
    for state in course.decisions(STATIONS):
        legal = probe.legal(state)
        for move in legal[:: max(1, len(legal) // MAX_MOVES)]:
            if not 0 <= move < len(course.game.actions):
                continue
            after = probe.apply(state, move)
            player, count = probe.player(after), len(probe.legal(after))
            if (count < 2) != (player == NO_PLAYER) or (count and player == NO_PLAYER):
                yield (
                    f"after {_name(course, move)} there are {count} legal moves and player() is "
                    f"{player}"
                )


@per_course(careful=True, needs="step")
def steps(course: Course) -> Iterator[str]:
    """step() makes one move; repeated while a single move is legal, it leads to the same state as
    apply()."""
    probe = course.probe
    for ply in range(len(course.states) - 1):
        course.now = ply
        reached, legal = course.states[ply], [course.moves[ply]]
        for _ in range(MAX_STEPS):
            reached = probe.step(reached, legal[0])
            legal = probe.legal(reached)
            if len(legal) != 1:
                break
        if reached != course.states[ply + 1]:
            name = _name(course, course.moves[ply])
            yield f"step() and apply() of {name} lead to different states"


@per_course(needs="apply_reported")
def events_add_up(course: Course) -> Iterator[str]:
    """The VP of a move's events add up to the change of every player's score, and
    apply_reported() leads to the same state as apply()."""
    for state in course.walk(range(len(course.states) - 1)):
        assert course.now is not None
        move, after = course.moves[course.now], course.states[course.now + 1]
        if course.probe.apply_reported(state, move) != after:
            yield f"apply_reported() and apply() of {_name(course, move)} lead to different states"
        before = course.position(state)
        gained = [0] * before.players
        for event in before.events(before.game.actions[move]):
            if event.player is not None:
                gained[event.player] += event.vp
        change = [
            now - then
            for now, then in zip(course.position(after).scores, before.scores, strict=True)
        ]
        if gained != change:
            yield (
                f"the events of {_name(course, move)} bring {gained} VP, but the scores change "
                f"by {change}"
            )


@per_course()
def end_is_final(course: Course) -> Iterator[str]:
    """A finished game has no moves, an empty playout, and a result that all players know."""
    probe = course.probe
    for state in course.ends(ENDS):
        scores, ranks = probe.scores(state), probe.ranks(state)
        if probe.legal(state):
            yield "there are legal moves after the end"
        if "playout" not in probe.missing:
            count, reached, _ = probe.playout(state, 1, NO_LIMIT, NO_LIMIT, True)
            if count or reached != state:
                yield f"playout() makes {count} moves after the end"
        for observer in course.observers:
            for seed in range(DRAWS):
                drawn, _ = probe.determinize(state, observer, seed)
                if probe.player(drawn) != NO_PLAYER:
                    yield f"in a determinization for player {observer}, the game is not over"
                elif (probe.scores(drawn), probe.ranks(drawn)) != (scores, ranks):
                    yield (
                        f"scores {scores}, ranks {ranks}; in a determinization for player "
                        f"{observer}: {probe.scores(drawn)}, {probe.ranks(drawn)}"
                    )


@per_group(careful=True)
def turns(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """turn() grows by one at the start of each turn; a turn is a sequence of decisions by one
    player."""
    steps, growth, changes, answers = 0, 0, 0, 0
    for course in courses:
        turns = [
            (course.probe.turn(state), course.probe.player(state)) for state in course.decisions()
        ]
        if turns and turns[0][0] < 0:
            yield Finding(f"turn() begins at {turns[0][0]}, but must be at least 0", course, 0)
        for ply, ((turn, player), (after, other)) in enumerate(pairwise(turns), start=1):
            if after < turn:
                yield Finding(f"turn() falls from {turn} to {after}", course, ply)
            steps += after > turn
            growth += after - turn
            changes += other != player
            answers += other != player and after == turn
    if growth > MAX_GROWTH * steps:
        yield Finding(
            f"turn() grows by {growth / steps:.2f} on average at the start of a turn, not by one",
            courses[0],
        )
    if answers > MAX_ANSWERS * changes:
        yield Finding(
            f"turn() does not grow in {answers} of the {changes} cases in which the player to "
            "decide changes",
            courses[0],
        )


@per_course()
def ranks(course: Course) -> Iterator[str]:
    """Ranks count from 1, a player with a better rank never has a lower score, and players share a
    rank only if their scores are equal and RANKS_TIE is declared."""
    probe = course.probe
    for state in course.ends(RESULTS):
        ranks, scores = probe.ranks(state), probe.scores(state)
        players = range(len(ranks))
        if any(ranks[p] != 1 + sum(other < ranks[p] for other in ranks) for p in players):
            yield f"ranks {ranks}: a rank is 1 + the number of players with a better rank"
        for p in players:
            for q in players:
                if ranks[p] < ranks[q] and scores[p] < scores[q]:
                    yield f"ranks {ranks}, but scores {scores}"
                if p < q and ranks[p] == ranks[q]:
                    if scores[p] != scores[q]:
                        yield f"players {p} and {q} share a rank with scores {scores}"
                    if not probe.ranks_tie:
                        yield f"ranks {ranks} tie, but RANKS_TIE is not declared"


@per_group()
def scores_do_not_wrap(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """Scores are stored in a type that is large enough: no score jumps by 2^8, 2^16 or 2^32 minus
    an ordinary change."""
    changes = [
        (course, ply, before, after)
        for course in courses
        for ply, pair in enumerate(pairwise(map(course.probe.scores, course.states)))
        for before, after in zip(*pair, strict=True)
        if after != before
    ]
    scores = {score for *_, before, after in changes for score in (before, after)}
    for size, is_signed in product(WRAPS, (False, True)):
        least = -size // 2 if is_signed else 0
        if not all(least <= score < least + size for score in scores):
            continue
        ordinary = [after - before for *_, before, after in changes]
        ordinary = [change for change in ordinary if abs(change) < size // 2]
        for course, ply, before, after in changes:
            jump = after - before
            expected = jump + size if jump < 0 else jump - size
            # A score of 0 is no evidence, because some games take all points away.
            if after and abs(jump) >= size // 2 and _is_among(expected, ordinary):
                text = f"{before} becomes {after}, as if {before + expected} wrapped at {size}"
                yield Finding(f"a score of {text}", course, ply)


def _is_among(change: int, ordinary: Sequence[int]) -> bool:
    """Return whether a change lies between the lowest and the highest ordinary change."""
    return min(ordinary, default=0) <= change <= max(ordinary, default=0)


@per_group()
def pieces_are_conserved(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """No piece vanishes or appears: if the rules can list all pieces, they list the same ones
    throughout a game and in every determinization."""
    rules = offered(game.rules, HasPieceList)
    for course in courses if rules else ():
        assert rules is not None
        first: Counter[str] | None = None
        for state in course.walk():
            states = {"a move": state} | {
                f"determinize() for player {observer}": course.probe.determinize(
                    state, observer, 1
                )[0]
                for observer in course.observers
            }
            for name, one in states.items():
                pieces = rules.list_pieces(course.position(one))
                if pieces is None:
                    return
                counts = Counter(map(repr, pieces))
                first = counts if first is None else first
                if counts != first:
                    lost, new = _join(first - counts), _join(counts - first)
                    text = f"after {name}, missing: {lost}; new: {new}"
                    yield Finding(text, course, course.now)
                    return


def _join(pieces: Counter[str]) -> str:
    return ", ".join(pieces.elements()) or "nothing"


@per_course(needs="playout")
def playout(course: Course) -> Iterator[str]:
    """playout() draws exactly like the loop over legal() and apply(), and respects its limits."""
    return _compare_with_loop(course, course.probe.playout)


@per_course(needs="policy_playout")
def policy_playout(course: Course) -> Iterator[str]:
    """policy_playout() draws exactly like the loop over legal(), policy() and apply(), and
    respects its limits."""
    return _compare_with_loop(course, course.probe.policy_playout)


@per_course(needs="policy_playout")
def shortfalls(course: Course) -> Iterator[str]:
    """policy_playout() adds a finite, non-negative number to each player's shortfall."""
    for state in course.stations(STATIONS):
        course.probe.policy_playout(state, 0, NO_LIMIT, NO_LIMIT, True)
        for player, added in enumerate(course.probe.shortfalls):
            if not 0.0 <= added < math.inf:
                yield f"policy_playout() adds {added} to the shortfall of player {player}"


def _compare_with_loop(
    course: Course, play: Callable[[bytes, int, int, int, bool], tuple[int, bytes, object]]
) -> Iterator[str]:
    """Yield the differences between a playout and the corresponding loop."""
    for state in course.stations(STATIONS):
        turn = course.probe.turn(state)
        for seed, (transitions, turns) in enumerate(
            (
                (NO_LIMIT, NO_LIMIT),
                (0, NO_LIMIT),
                (1, NO_LIMIT),
                (7, NO_LIMIT),
                (NO_LIMIT, turn),
                (NO_LIMIT, turn + 1),
                (NO_LIMIT, turn + 3),
                (4, turn + 2),
            )
        ):
            own = play(state, seed, transitions, turns, True)
            loop = play(state, seed, transitions, turns, False)
            if own != loop:
                what = ("number of moves", "state reached", "state of the generator")
                wrong = [name for name, a, b in zip(what, own, loop, strict=True) if a != b]
                limits = " and ".join(
                    f"{name} {limit}"
                    for name, limit in (("transitions", transitions), ("turns", turns))
                    if limit != NO_LIMIT
                )
                yield (
                    f"its {wrong[0]} differs from that of the loop that calls apply() for every "
                    f"move (playout: {own[0]} moves, loop: {loop[0]}; limits: {limits or 'none'})"
                )


def _name(course: Course, move: int) -> str:
    actions = course.game.actions
    return repr(actions[move]) if 0 <= move < len(actions) else str(move)
