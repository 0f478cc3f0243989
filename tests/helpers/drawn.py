"""Chi-square tests of random draws."""

from collections import Counter

from scipy.special import chdtrc  # scipy.stats takes a second to import

MIN_P = 1e-4  # seeds are fixed, so a test that passes always passes


def assert_in_proportion(counts, weights):
    """Compare the counts of draws with their weights by a chi-square test.

    Every draw must have a weight. Draws without replacement vary less than the test assumes, so
    only a low p-value is an error.
    """
    counts = Counter(counts)
    assert set(counts) <= set(weights)
    share = counts.total() / sum(weights.values())
    chi_square = sum(
        (counts[thing] - share * weight) ** 2 / (share * weight)
        for thing, weight in weights.items()
    )
    assert chdtrc(len(weights) - 1, chi_square) > MIN_P
