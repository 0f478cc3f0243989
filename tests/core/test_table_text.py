"""Text tables that are too wide are shortened in a fixed order, and numbers are never cut."""

from trajan_ai.core.table_text import Column, cut_list, cut_middle, text_table

ROWS = [["Alexandra", "12", "16.3"], ["Bo\x1b", "1000", "-2.5"]]


def test_text_is_left_aligned_and_figures_are_right_aligned():
    assert text_table(["name", "games", "VP"], ROWS).splitlines() == [
        "name       games    VP",
        "Alexandra     12  16.3",
        "Bo\\x1b      1000  -2.5",
    ]


def test_a_narrow_table_cuts_text_then_omits_columns_then_continues_below():
    name = Column("name", "<", shorten=cut_middle, least=5)
    heads = [name, Column("games", omit=1), Column("VP", width=6)]
    assert text_table(heads, ROWS[:1], 20).splitlines() == [
        "name   games      VP",
        "Al…ra     12    16.3",
    ]
    assert text_table(heads, ROWS[:1], 19).splitlines() == [
        "name           VP",
        "Alexandra    16.3",
    ]
    figures = [name, Column("games"), Column("VP")]
    assert text_table(figures, ROWS[:1], 15).splitlines() == [
        "name   games",
        "Al…ra     12",
        "name     VP",
        "Al…ra  16.3",
    ]


def test_a_figure_is_never_cut():
    for width in range(1, 30):
        text = text_table(["name", "games", "VP"], ROWS, width)
        assert {"12", "16.3", "1000", "-2.5"} <= set(text.split()), width


def test_texts_are_cut_at_the_end_or_in_the_middle():
    assert cut_list("abcdef", 4) == "abcd"
    assert cut_list("ab, cd, ef", 9) == "ab, cd"
    assert cut_list("ab, cd, ef", 10) == "ab, cd, ef"
    assert [cut_middle("abcdef", width) for width in (1, 2, 3, 4, 5, 6)] == [
        "…", "a…", "a…f", "ab…f", "ab…ef", "abcdef",
    ]  # fmt: skip
