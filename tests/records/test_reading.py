"""Readers of plain data, and the problems they note: each once, at its place, in one wording."""

import pytest
from calls import problems

from trajan_ai.cli.common import parse_options
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.yamlfile import Document, option_values
from trajan_ai.games.kit.reader import Expected, Reader, collect_expected

COLOURS = ("red", "green", "light-blue")


def told(reader):
    return [str(problem) for problem in reader.problems]


def test_a_problem_is_one_line_with_source_line_and_place():
    problem = Problem("must be 1, got 2", ("players", 0, "score"), 7, "mine.yaml")
    assert str(problem) == "mine.yaml:7: players[0].score: must be 1, got 2"
    assert problem.message == "players[0].score: must be 1, got 2"
    assert str(problem.within("a.jsonl:3")) == f"a.jsonl:3: {problem}"
    assert str(Problem("a\nb\x1b[31m", ("k\u2028",))) == r"k\u2028: a\nb\x1b[31m"


def test_an_error_tells_each_problem_once():
    error = TrajanError(Problem("bad", ("a",)), "worse", Problem("bad", ("a",)))
    assert error.messages == ["a: bad", "worse"]
    assert error.within("here").messages == ["here: a: bad", "here: worse"]
    assert error.within("").messages == error.messages


def test_null_is_as_if_left_out():
    reader = Reader({"a": None, "n": None})
    assert reader.members("a", COLOURS) == []
    assert reader.counts("a", COLOURS) == [0, 0, 0]
    assert reader.placed("a", COLOURS, COLOURS) == [0, 0, 0]
    assert reader.number("n", 1, 5, 3) == 3
    assert not reader.problems


def test_what_is_missing_is_told_once_with_an_example():
    reader = Reader({})
    reader.keys((), {"n": "3"})
    reader.number("n", 1, 5)
    reader.number("m", 1, 5)
    assert told(reader) == [
        "n: is missing, such as 3",
        "m: is missing: a whole number from 1 to 5",
    ]


def test_right_names_are_listed_once():
    reader = Reader(
        {"a": ["gren", "x", "x", "RED", "blue-light"], "b": {"y": 1, "z": 2, "Red": 9}}
    )
    assert reader.names("a", COLOURS) == [0, 2]
    assert reader.counts("b", COLOURS, 5) == [0, 0, 0]
    assert told(reader) == [
        "a[0]: must be one of red, green, light-blue, got 'gren'; did you mean 'green'?",
        "a[1]: must be such a name, got 'x'",
        "b.y: unknown key; keys are red, green, light-blue",
        "b.z: unknown key",
        "b.red: must be a whole number from 0 to 5, got 9",
    ]


def test_of_what_is_no_mapping_nothing_more_is_told():
    reader = Reader({"part": 3})
    part = reader.part("part", ("a",), {"b": "1"})
    part.number("b", 0, 1)
    assert told(reader) == ["part: must be a mapping, got 3"]
    with pytest.raises(TrajanError, match=r"^must be a mapping, got 3$"):
        Reader(3)


def test_long_values_are_quoted_in_part():
    reader = Reader({"n": "z" * 1000})
    reader.number("n", 0, 1)
    assert len(told(reader)[0]) < 120


def test_what_is_expected_is_noted_by_place():
    with collect_expected() as found:
        reader = Reader({"n": 1, "part": {}})
        reader.number("n", 0, 5)
        reader.part("part", ("c",)).members("c", COLOURS)
    assert found == {
        ("n",): Expected("number", least=0, most=5),
        ("part", "c"): Expected("set", COLOURS),
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("chosen", "chosen"),
        ("true", True),
        ("no", "no"),
        ("[0, 2]", [0, 2]),
        ("B", "B"),
    ],
)
def test_values_of_options_are_written_alike_everywhere(text, value):
    assert option_values({"it": text}) == {"it": value}
    assert parse_options([f"it={text}"]) == {"it": value}


def test_every_bad_value_of_an_option_is_told():
    told = problems(parse_options, ["a=[1", "b={", "c=1"])
    assert [problem.partition(":")[0] for problem in told] == ["option a", "option b"]


def test_a_problem_has_the_line_of_its_key_however_that_is_typed_or_of_what_it_is_missing_in():
    document = Document("it", {}, {(): 1, ("a",): 2, ("a", "Builder"): 3, ("a", 7): 4})
    for place, told in (
        ((), "it: wrong"),
        (("a", "builder"), "it:3: a.builder: wrong"),
        (("a", "7"), "it:4: a.7: wrong"),
        (("a", "b", "c"), "it:2: a.b.c: wrong"),
    ):
        assert str(document.located(Problem("wrong", place))) == told
    assert str(document.problem(("a", "b"), "is missing")) == "it:2: a.b: is missing"
