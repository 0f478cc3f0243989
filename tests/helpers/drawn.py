"""Whether what was drawn many times is drawn as often as it should be."""

from collections import Counter

from scipy.stats import chisquare

SMALLEST_P = 1e-4  # fixed seeds: a test that passes goes on passing


def assert_in_proportion(found, weights):
    """Compare things drawn with their weights by chi-square; nothing else may have been drawn.

    Draws without replacement vary less than chi-square expects: only a small p is wrong.
    """
    found = Counter(found)
    assert set(found) <= set(weights)
    share = found.total() / sum(weights.values())
    counts = [found[thing] for thing in weights]
    assert chisquare(counts, [share * w for w in weights.values()]).pvalue > SMALLEST_P
