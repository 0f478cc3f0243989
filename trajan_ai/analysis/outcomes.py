"""A player's lead and share of the win, given the VP and ranks of all players."""

from collections.abc import Sequence


def margin_of(scores: Sequence[float], player: int) -> float:
    """Return a player's VP minus those of the best opponent."""
    return scores[player] - max(vp for other, vp in enumerate(scores) if other != player)


def share_of_win(ranks: Sequence[int], player: int) -> float:
    """Return a player's share of the win, which all players of rank 1 divide equally."""
    return 1.0 / ranks.count(1) if ranks[player] == 1 else 0.0
