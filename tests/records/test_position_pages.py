"""Position files as people type them: the examples of docs/positions.md, and errors with lines."""

import re

import pytest
from calls import blocks, problems

import trajan_ai
from trajan_ai.records import position_files, position_sources

EXAMPLES = dict(
    zip(("trajan", "forum_trajanum"), blocks("docs/positions.md", "yaml"), strict=True)
)


@pytest.fixture
def complaints(tmp_path):
    """Return a function that returns the errors of an example after changes to its text."""

    def errors(name, *changes):
        text = EXAMPLES[name]
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return [
            problem.replace(f"{tmp_path}/", "") for problem in problems(position_files.read, path)
        ]

    return errors


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_typed_position_has_at_most_60_lines_and_can_be_searched(name, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(EXAMPLES[name], encoding="utf-8")
    assert len(EXAMPLES[name].splitlines()) <= 60
    position = position_files.read(path)
    assert position.game.name == name
    assert trajan_ai.search(position, iterations=30).moves
    view = position.view(position.player)
    if name == "trajan":
        assert view["coloured_ships"] == ["equal", "pairs"]
        ships = "coloured_ships: [equal, pairs]\n"
        for text, expected in (
            ("", ["equal", "pairs", "different"]),
            ("coloured_ships: []\n", []),
        ):
            path.write_text(EXAMPLES[name].replace(ships, text), encoding="utf-8")
            assert position_files.read(path).view(0)["coloured_ships"] == expected
    again = position_files.parse(position_files.position_file(position, position.player))
    assert again.view(position.player) == view


TRAJAN = [
    ("sites: {C1:", "sites: {C2: door2, C1:", "sites.C2: must be omitted, because"),
    ("E1: window3, ", "", "sites: a worker must stand where there is no building tile: E1"),
    ("[B2, C2, C3]", "[B2, E1, C3]", "players[0].workers: must stand on connected sites"),
    (
        "[A1, B1]",
        "[A1]",
        "players[1].buildings: must not outnumber this player's workers on sites",
    ),
    ("{religion: 2, wild", "{religion: 19, wild", "forum: 24 tiles, but it has only 12 spaces"),
    ("senate: 2}", "senate: 2, leader: alpes}", "provinces.alpes: must be omitted"),
    ("senate: 2}", "senate: 2, legionnaires: [alpes]}", "players[0].leader: must have left"),
    ("gold_bonus: [wine-fish]", "silver_bonus: [wine-fish]", "players[2].gold_bonus: must not be"),
    ("goods_deck: 41", "goods_deck: 99", "goods_deck: must be a whole number from 0 to"),
    ("points: 6,", "points: 12,", "trajan_stacks.points: must be a whole number from 0 to"),
    ("left: [columns]", "left: [unknown]", "discard_piles.left: the last card is"),
    ("arch:\n   II,", "", "players[0].arch: is missing; it must be one of"),
    ("senate_order: [0, 1, 2]", "senate_order: [2, 1, 0]", "senate_order: must list"),
]
FORUM_TRAJANUM = [
    ("street_cards: [b3, b4]", "street_cards: [b3]", "must be a list of the 14 cards turned"),
    ("face_down: [C1,", "face_down: [B1, C1,", "players[0].face_down: B1 holds a building"),
    ("  ship_tile: assistant+tribune\n", "", "players[0].ship_tile: is missing"),
    ("[craftsman-m, b", "[craftsman-m, craftsman-m, b", "players[1]: tiles of that colour: 2 x"),
    (
        "forum: [m4.3, m7.2]",
        "forum: [m5.3, m7.2]",
        "players[1].forum: m5.3 has an envoy of player 0",
    ),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        *(("trajan", *one) for one in TRAJAN),
        *(("forum_trajanum", *one) for one in FORUM_TRAJANUM),
    ],
)
def test_unreachable_positions_are_rejected_with_a_line(complaints, name, old, new, complaint):
    errors = complaints(name, (old, new))
    lines = [problem for problem in errors if re.match(r"mine.yaml:\d+: ", problem)]
    assert any(complaint in problem for problem in lines), errors
    assert lines == errors or name == "trajan", "only problems of a whole table have no line"


def test_every_problem_is_named_with_its_line(complaints):
    errors = complaints(
        "trajan",
        ("[B2, C2, C3]", "[B2, E1, C3]"),
        ("{religion: 2, wild", "{religion: 19, wild"),
        ("gold_bonus: [wine-fish]", "silver_bonus: [wine-fish]"),
    )
    lines = EXAMPLES["trajan"].splitlines()
    for start, problem in (
        ("forum: {", "forum: 24 tiles"),
        ("   II, military_camp: 6, workers", "players[0].workers: must stand"),
        ("- {score: 41", "players[2].gold_bonus: must not be empty"),
    ):
        number = 1 + next(i for i, line in enumerate(lines) if line.startswith(start))
        assert any(one.startswith(f"mine.yaml:{number}: {problem}") for one in errors), errors


def test_the_format_of_a_file_is_required(complaints):
    assert problems(position_files.parse, {}, "mine") == (
        "mine: format: is missing; it must be 'trajan-ai/position'",
        "mine: version: is missing; it must be 1",
        "mine: game: is missing; name a game, such as trajan",
    )
    (errors,) = complaints("trajan", ("version: 1", "version: 2"))
    assert errors.endswith("version: must be 1, got 2")


def test_a_missing_key_has_the_line_of_its_parent(complaints):
    assert complaints("trajan", ("version: 1\n", "")) == [
        "mine.yaml:1: version: is missing; it must be 1"
    ]


def test_an_unknown_key_is_reported_with_its_line(complaints):
    text = EXAMPLES["trajan"].replace("senate_order:", "weather: fine\nsenate_order:", 1)
    number = 1 + text.splitlines().index("weather: fine")
    errors = complaints("trajan", ("senate_order:", "weather: fine\nsenate_order:"))
    (error,) = (one for one in errors if "weather" in one)
    assert error.startswith(f"mine.yaml:{number}: weather: unknown key; keys are observer,")


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_position_file_is_written_for_people_to_read(name, tmp_path):
    position = trajan_ai.game(name).start(2, 1)
    data = position_files.position_file(position, 1)
    for suffix in (".yaml", ".json"):
        path = tmp_path / f"mine{suffix}"
        position_files.write(path, data)
        assert position_files.read(path).view(1) == position.view(1)
        assert position_sources.read(path).observer == 1
        text = path.read_text(encoding="utf-8")
        keys = [line.strip().split(":")[0].strip('"') for line in text.splitlines()]
        assert [key for key in keys if key in data] == list(data)  # the order matters
        assert text.endswith("\n")
    assert '\n "game": "' in text
    assert position_files.dumps({"note": "é"}, as_json=True) == '{\n "note": "é"\n}\n'
    wide = position_files.dumps({"note": ["é"] * 60})
    assert max(map(len, wide.splitlines())) == 99
    assert "[é, é, " in wide
