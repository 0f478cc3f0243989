"""The GameOps table of Forum Trajanum, and states as plain Python data and back."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport GameFact, GameOps
from trajan_ai.forum_trajanum.hidden cimport determinize, observed
from trajan_ai.forum_trajanum.knowledge cimport WEIGHTS, evaluate, policy, prior, turns_left
from trajan_ai.forum_trajanum.moves cimport MOVES
from trajan_ai.forum_trajanum.play cimport (
    MAX_MOVES, advance, apply_move, list_moves, player_of, players_of, playout, scores_of, turn_of,
)
from trajan_ai.forum_trajanum.scoring cimport PhaseScore, phase_score, rank_players
from trajan_ai.forum_trajanum.types cimport State

cdef GameOps table

memset(&table, 0, sizeof(table))
table.state_size = sizeof(State)
table.max_moves = MAX_MOVES
table.action_count = MOVES
table.facts = (GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES | GameFact.RANKS_TIE)
table.players = players_of
table.player = player_of
table.turn = turn_of
table.legal = list_moves
table.apply = apply_move
table.scores = scores_of
table.ranks = rank_players
table.determinize = determinize
table.observed = observed
table.playout = playout
table.weight_count = WEIGHTS
table.policy = policy
table.prior = prior
table.evaluate = evaluate
table.turns_left = turns_left

CAPSULE = PyCapsule_New(&table, b"trajan_ai.core.game.GameOps", NULL)


def blank():
    """Return the fields of a state of zeros: a dict of numbers and lists, see types.pxd."""
    cdef State state
    memset(&state, 0, sizeof(state))
    return state


def fields(bytes data not None):
    """Return the fields of a state."""
    cdef State state
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(&state, <const char *>data, sizeof(State))
    return state


def state_bytes(dict values not None):
    """Return the state with these fields: the inverse of :func:`fields`."""
    cdef State state
    memset(&state, 0, sizeof(state))
    state = values
    return PyBytes_FromStringAndSize(<const char *>&state, sizeof(State))


def first_decision(bytes data not None):
    """Return the state carried on to its first decision with at least two moves."""
    cdef State state
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(&state, <const char *>data, sizeof(State))
    advance(&state)
    return PyBytes_FromStringAndSize(<const char *>&state, sizeof(State))


def scoring(bytes data not None, int player):
    """Return what the phase's scoring would give now: cranes, colonia, eagles, area, trajan."""
    cdef State state
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(&state, <const char *>data, sizeof(State))
    if not 0 <= player < state.players:
        raise ValueError(f"player must be 0 to {state.players - 1}, got {player}")
    return phase_score(&state, player)
