"""Readers of plain data report each problem once, with its place and in the same wording."""

import pytest
from calls import problems

from trajan_ai.cli.common import parse_options
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.yamlfile import Document, option_values
from trajan_ai.games.kit.reader import Expected, Reader, collect_expected

COLOURS = ("red", "green", "light-blue")


def messages(reader):
    return [str(problem) for problem in reader.problems]


def test_a_problem_is_one_line_with_source_and_place():
    problem = Problem("must be 1, got 2", ("players", 0, "score"), 7, "mine.yaml")
    assert str(problem) == "mine.yaml:7: players[0].score: must be 1, got 2"
    assert problem.message == "players[0].score: must be 1, got 2"
    assert str(problem.within("a.jsonl:3")) == f"a.jsonl:3: {problem}"
    assert str(Problem("a\nb\x1b[31m", ("k\u2028",))) == r"k\u2028: a\nb\x1b[31m"


def test_an_error_reports_each_problem_once():
    error = TrajanError(Problem("bad", ("a",)), "worse", Problem("bad", ("a",)))
    assert error.messages == ["a: bad", "worse"]
    assert error.within("here").messages == ["here: a: bad", "here: worse"]
    assert error.within("").messages == error.messages


def test_null_is_the_same_as_an_omitted_key():
    reader = Reader({"a": None, "n": None})
    assert reader.members("a", COLOURS) == []
    assert reader.counts("a", COLOURS) == [0, 0, 0]
    assert reader.placed("a", COLOURS, COLOURS) == [0, 0, 0]
    assert reader.number("n", 1, 5, 3) == 3
    assert not reader.problems


def test_a_missing_key_is_reported_once_with_an_example():
    reader = Reader({})
    reader.keys((), {"n": "3"})
    reader.number("n", 1, 5)
    reader.number("m", 1, 5)
    assert messages(reader) == [
        "n: is missing; it must have a value such as 3",
        "m: is missing: a whole number from 1 to 5",
    ]


def test_allowed_names_are_listed_once():
    reader = Reader(
        {"a": ["gren", "x", "x", "RED", "blue-light"], "b": {"y": 1, "z": 2, "Red": 9}}
    )
    assert reader.names("a", COLOURS) == [0, 2]
    assert reader.counts("b", COLOURS, 5) == [0, 0, 0]
    assert messages(reader) == [
        "a[0]: must be one of red, green, light-blue, got 'gren'; did you mean 'green'?",
        "a[1]: must be such a name, got 'x'",
        "b.y: unknown key; keys are red, green, light-blue",
        "b.z: unknown key",
        "b.red: must be a whole number from 0 to 5, got 9",
    ]


def test_a_value_that_is_no_mapping_has_one_problem():
    reader = Reader({"part": 3})
    part = reader.part("part", ("a",), {"b": "1"})
    part.number("b", 0, 1)
    assert messages(reader) == ["part: must be a mapping, got 3"]
    with pytest.raises(TrajanError, match=r"^must be a mapping, got 3$"):
        Reader(3)


def test_long_values_are_shortened():
    reader = Reader({"n": "z" * 1000})
    reader.number("n", 0, 1)
    assert len(messages(reader)[0]) < 120


def test_expected_values_are_collected_by_place():
    with collect_expected() as expectations:
        reader = Reader({"n": 1, "part": {}})
        reader.number("n", 0, 5)
        reader.part("part", ("c",)).members("c", COLOURS)
    assert expectations == {
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
def test_values_of_options_have_one_syntax_everywhere(text, value):
    assert option_values({"it": text}) == {"it": value}
    assert parse_options([f"it={text}"]) == {"it": value}


def test_every_bad_value_of_an_option_is_reported():
    errors = problems(parse_options, ["a=[1", "b={", "c=1"])
    assert [problem.partition(":")[0] for problem in errors] == ["option a", "option b"]


def test_a_problem_has_the_line_of_its_key_or_of_the_parent():
    document = Document("it", {}, {(): 1, ("a",): 2, ("a", "Builder"): 3, ("a", 7): 4})
    for place, message in (
        ((), "it: wrong"),
        (("a", "builder"), "it:3: a.builder: wrong"),
        (("a", "7"), "it:4: a.7: wrong"),
        (("a", "b", "c"), "it:2: a.b.c: wrong"),
    ):
        assert str(document.located(Problem("wrong", place))) == message
    assert str(document.problem(("a", "b"), "is missing")) == "it:2: a.b: is missing"
