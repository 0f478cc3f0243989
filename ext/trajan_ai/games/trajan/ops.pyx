"""The GameOps table of Trajan."""

from libc.string cimport memset

from trajan_ai.core.game cimport MAX_PLAYERS, MIN_PLAYERS, GameFact, GameOps, capsule
from trajan_ai.games.trajan.dealing cimport deal
from trajan_ai.games.trajan.evaluation cimport TERMS, evaluate, terms, turns_left
from trajan_ai.games.trajan.features cimport feature_count, write_features
from trajan_ai.games.trajan.hidden cimport determinize
from trajan_ai.games.trajan.knowledge cimport WEIGHTS, policy, policy_playout, prior
from trajan_ai.games.trajan.rules cimport (
    apply_booked,
    apply_move,
    list_moves,
    player_of,
    players_of,
    playout,
    step_move,
    turn_of,
)
from trajan_ai.games.trajan.scoring cimport ranks_of, scores_of
from trajan_ai.games.trajan.types cimport MOST_MOVES, MOVES, VP_SOURCES, State

cdef GameOps table

memset(&table, 0, sizeof(table))
table.state_size = sizeof(State)
table.max_moves = MOST_MOVES
table.action_count = MOVES
table.facts = GameFact.HIDDEN_INFORMATION
table.players = players_of
table.player = player_of
table.turn = turn_of
table.legal = list_moves
table.apply = apply_move
table.step = step_move
table.scores = scores_of
table.vp_sources = VP_SOURCES
table.apply_booked = apply_booked
table.ranks = ranks_of
table.determinize = determinize
table.playout = playout
table.weight_count = WEIGHTS + TERMS * (MAX_PLAYERS - MIN_PLAYERS + 1)
table.policy = policy
table.policy_playout = policy_playout
table.prior = prior
table.evaluate = evaluate
table.term_count = TERMS
table.terms = terms
table.turns_left = turns_left
table.feature_count = feature_count
table.features = write_features
table.deal = deal

CAPSULE = capsule(&table)
