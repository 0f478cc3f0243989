"""The GameOps table of Forum Trajanum."""

cdef GameOps table

memset(&table, 0, sizeof(table))
table.state_size = sizeof(State)
table.max_moves = MAX_MOVES
table.action_count = MOVES
table.facts = GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES | GameFact.RANKS_TIE
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
table.observed = observed
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

CAPSULE = capsule(&table)
