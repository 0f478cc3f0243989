"""The GameOps table of Trajan."""

include "../kit/ops.pxi"

table.facts = GameFact.HIDDEN_INFORMATION
table.deal = deal

CAPSULE = capsule(&table)
