"""The GameOps table of Forum Trajanum."""

include "../kit/ops.pxi"

table.facts = GameFact.HIDDEN_INFORMATION | GameFact.HIDDEN_MOVES | GameFact.RANKS_TIE
table.observed = observed

CAPSULE = capsule(&table)
