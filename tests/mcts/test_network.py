"""Networks that correct the evaluation: their values, searches with them, and their files."""

import itertools
import json
import os
import pickle
import re
import shutil
import struct
import subprocess

import pytest
from calls import ROOT
from networks import ARRAYS, compute, draw_part, extreme_part, write_network
from random_games import course
from searching import data, run_search

import trajan_ai
from trajan_ai.bots.descriptions import IsmctsBot, identity, parse_bot, thinking
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasNetwork
from trajan_ai.core.yamlfile import Document
from trajan_ai.games.reference import KUHN
from trajan_ai.mcts import Settings
from trajan_ai.mcts.network_file import read_network
from trajan_ai.mcts.settings import LIMITS

GAMES = tuple(trajan_ai.GAMES.values())
TRAJAN, FORUM = (trajan_ai.game(name) for name in ("trajan", "forum_trajanum"))
EXPERT = {
    name: value
    for name, value in trajan_ai.read_bot("expert").resolved().items()
    if name in Settings.model_fields and name not in LIMITS and "network" not in name
}
COMPILER = shutil.which("cc")
BUILDS = {
    "fast": ["-O3"],
    "plain": ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"],
    "portable": ["-O1", "-DTRAJAN_PORTABLE"],
}


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """For each game, return a file of random networks, and a dict of them by number of players."""
    folder = tmp_path_factory.mktemp("networks")
    result = {}
    for game in GAMES:
        parts = {players: draw_part(game, players, players) for players in (2, 3, 4)}
        result[game.name] = write_network(folder / game.name, game, parts), parts
    return result


def with_network(files, game, rounds=0, **settings):
    network = {"network": files[game.name][0], "network_rounds": {game.name: rounds}}
    return EXPERT | network | settings


def seats_first(values, first):
    return values[first:] + values[:first]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_values_are_those_of_plain_python_in_a_whole_game(files, game, players):
    path, parts = files[game.name]
    network = read_network(game, path)
    compared = 0
    for position, _ in itertools.islice(course(game.start(players, players), 1), 0, None, 7):
        if position.player is not None:
            expected = compute(parts[players], position.features(position.player), players)
            values = network.corrections(position)
            assert seats_first(values, position.player) == expected
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_extreme_weights_do_not_overflow(tmp_path, game, sign):
    part = extreme_part(game, sign)
    network = read_network(game, write_network(tmp_path / "extreme", game, {4: part}))
    position = next(itertools.islice(course(game.start(4, 1), 1), 100, None))[0]
    expected = compute(part, position.features(position.player), 4)
    assert seats_first(network.corrections(position), position.player) == expected
    assert sign < 0 or min(expected) > 1e8


MAIN = """
#include <stdio.h>
#include "trajan_ai/mcts/network.h"
static trajan_network net;
int main(void) {
    /* The input: the numbers of features and of rows (int32); the place (uint32) and the use
       (uint8) of each feature; the rows (uint64); the rest of the structure. Then the features of
       one position after another until the input ends. */
    int32_t size[2];
    if (fread(size, 4, 2, stdin) != 2) return 1;
    size_t width = (size_t)size[0], rows = (size_t)size[1];
    uint32_t *place = malloc(4 * width), *list = malloc(4 * width);
    uint8_t *used = malloc(width), *x = malloc(width);
    uint64_t *row = malloc(8 * TRAJAN_LANES * rows);
    float values[TRAJAN_SEATS];
    if (fread(place, 4, width, stdin) != width || fread(used, 1, width, stdin) != width) return 2;
    if (fread(row, 8 * TRAJAN_LANES, rows, stdin) != rows) return 3;
    net.width = size[0]; net.place = place; net.used = used; net.rows = row;
    size_t rest = sizeof net - ((char *)net.bias - (char *)&net);
    if (fread(net.bias, 1, rest, stdin) != rest) return 4;
    while (fread(x, 1, width, stdin) == width) {
        trajan_network_values(&net, x, list, TRAJAN_SEATS, values);
        fwrite(values, sizeof values, 1, stdout);
    }
    return 0;
}
"""


def run_program(program, part, inputs):
    """Return the values that a compiled program computes from each of the inputs."""
    width = (max(map(len, inputs)) + 63) // 64 * 64
    place, used, rows, begin = [0] * width, bytearray(width), [], 0
    for column, count in zip(part["columns"], part["counts"], strict=True):
        levels = part["levels"][begin : begin + count]
        place[column], used[column] = len(rows) // 64 << 8 | levels[-1], 255
        for value in range(levels[-1] + 1):
            reached = begin + sum(level <= value for level in levels)
            row = part["rows"][64 * (reached - 1) : 64 * reached] if reached > begin else [0] * 64
            rows += [weight + 128 for weight in row]
        begin += count
    rest = b"".join(
        struct.pack(f"={len(part[name])}{ARRAYS[name]}", *part[name])
        for name in ("bias", "one", "second", "second_bias", "out", "skip", "out_bias")
    )
    stream = struct.pack(f"=2i{width}I", width, len(rows) // 64, *place) + bytes(used)
    stream += struct.pack(f"={len(rows)}H", *rows) + rest
    stream += b"".join(bytes(one).ljust(width, b"\0") for one in inputs)
    done = subprocess.run([program], input=stream, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return [list(values) for values in struct.iter_unpack("=4f", done.stdout)]


@pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc)")
@pytest.mark.parametrize(
    "build",
    ["fast", *(pytest.param(build, marks=pytest.mark.long) for build in ("plain", "portable"))],
)
def test_every_build_gives_the_values_of_plain_python(tmp_path, build):
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    program = tmp_path / "program"
    warnings = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]
    command = [COMPILER, *warnings, *BUILDS[build], f"-I{ROOT / 'ext'}"]
    subprocess.run([*command, tmp_path / "main.c", "-o", program], check=True)
    positions = [at for at, _ in course(FORUM.start(4, 2), 2) if at.player is not None]
    drawn = draw_part(FORUM, 4, 5)
    inputs = [at.features(at.player) for at in positions[::40]]
    inputs += [b"\xff" * len(inputs[0]), bytes(len(inputs[0]))]
    for part in (drawn, extreme_part(FORUM, 1), extreme_part(FORUM, -1)):
        expected = [compute(part, one, 4) for one in inputs]
        assert run_program(program, part, inputs) == expected


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_number_of_threads_changes_nothing(files, game):
    position = next(itertools.islice(course(game.start(3, 4), 4), 80, None))[0]
    results = [
        data(run_search(position, 400, **with_network(files, game, in_flight=8, threads=threads)))
        for threads in (1, 2, 8)
    ]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_positions_that_look_alike_are_searched_alike_in_a_whole_game(files, game, players):
    settings, twins = with_network(files, game, rounds=1), 0
    for ply, (position, _) in enumerate(course(game.start(players, 6), 6)):
        if position.player is None or ply % 4:
            continue
        twin = game.from_bytes(position.determinized(position.player, ply).to_bytes())
        twins += twin.to_bytes() != position.to_bytes()
        assert InformationSet(twin) == InformationSet(position)
        results = [data(run_search(one, 30, **settings)) for one in (position, twin)]
        assert results[0] == results[1]
    assert twins > 10


def test_corrections_are_added_from_the_player_to_move_where_the_playout_is_cut(tmp_path):
    # After the last decision of a turn and a playout of the next turn, the third player is to
    # move.
    zero = {name: [0] * len(values) for name, values in draw_part(TRAJAN, 3, 1).items()}
    fixed = {
        name: draw_part(TRAJAN, 3, 1)[name] for name in ("columns", "counts", "levels", "one")
    }
    part = zero | fixed | {"out_bias": [7 << 14, -3 << 14, 20 << 14]}
    network = {
        "network": write_network(tmp_path / "constant", TRAJAN, {3: part}),
        "network_rounds": {"trajan": 1},
    }
    for position, _ in course(TRAJAN.start(3, 9, markers="random"), 9):
        ends = [position.after_move(move) for move in position.legal_moves()]
        if all(end.turn > position.turn for end in ends):
            break
    settings = {"cutoff": "evaluate", "playout_rounds": 1}
    once = len(position.legal_moves())  # iterations that try every move once
    results = [run_search(position, once, **settings | more) for more in ({}, network)]
    by_move = [sorted(result.moves, key=lambda move: move.move) for result in results]
    for plain, corrected in zip(*by_move, strict=True):
        added = [new - old for old, new in zip(plain.scores, corrected.scores, strict=True)]
        assert seats_first(added, (position.player + 1) % 3) == pytest.approx([7, -3, 20])


def test_without_a_network_for_its_number_of_players_a_search_is_as_before(files, tmp_path):
    path = write_network(tmp_path / "two", TRAJAN, {2: files["trajan"][1][2]})
    settings = with_network(files, TRAJAN) | {"network": path}
    for players, is_equal in ((2, False), (3, True)):
        position = TRAJAN.start(players, 1)
        one, other = run_search(position, 100, **settings), run_search(position, 100, **EXPERT)
        assert (one.moves == other.moves) is is_equal
    for name, rounds in (("kuhn", {"trajan": 0}), ("trajan", {"forum_trajanum": 0})):
        game = {"kuhn": KUHN, "trajan": TRAJAN}[name]
        assert Settings(**EXPERT | {"network_rounds": rounds}).network_for(game) is None


@pytest.mark.parametrize("options", [{"lap_length": 9}, {"final_tie": "track"}])
def test_with_other_options_a_search_is_as_before(files, options):
    position, settings = TRAJAN.start(2, 1, **options), with_network(files, TRAJAN)
    one, other = run_search(position, 100, **settings), run_search(position, 100, **EXPERT)
    assert one.moves == other.moves
    with pytest.raises(TrajanError, match="has no values for this position"):
        read_network(TRAJAN, files["trajan"][0]).corrections(position)


def test_playouts_near_the_end_are_not_cut(files):
    settings = with_network(files, TRAJAN)
    start = TRAJAN.start(2, 1)
    late = next(at for at, _ in course(start, 1) if at.turn > 50 and len(at.legal_moves()) > 2)
    for position, is_equal in ((start, True), (late, False)):
        plain = run_search(position, 60, **settings)
        until = run_search(position, 60, **settings | {"network_until": 12})
        assert (data(plain) == data(until)) is is_equal


def bot_of(path, **settings):
    base = {
        "name": "n",
        "extends": "expert",
        "network": str(path),
        "network_rounds": {"trajan": 1},
    }
    return parse_bot(Document("", base | settings, {}))


def test_a_bot_with_a_network_is_pickled_and_restored(files):
    bot = bot_of(files["trajan"][0])
    assert pickle.loads(pickle.dumps(bot)) == bot == IsmctsBot.model_validate(bot.resolved())


def test_the_identity_of_a_bot_depends_on_the_numbers_and_not_on_the_path(files, tmp_path):
    path = files["trajan"][0]
    copied = shutil.copy(path, tmp_path / "copied")
    other = write_network(tmp_path / "other", TRAJAN, {2: draw_part(TRAJAN, 2, 77)})
    bots = [
        bot_of(path),
        bot_of(copied),
        bot_of(other),
        bot_of(path, network_rounds={"trajan": 2}),
    ]
    one, same, *others = (identity(bot, TRAJAN) for bot in bots)
    assert one == same
    assert len({one, *others}) == 3
    assert identity(bots[0], FORUM) == identity(trajan_ai.read_bot("expert"), FORUM)
    assert bots[0].portable() == bots[1].portable()
    assert path not in json.dumps(bots[0].portable())


def test_a_file_is_read_once_and_again_after_a_change(files, tmp_path):
    path = shutil.copy(files["trajan"][0], tmp_path / "network")
    network = read_network(TRAJAN, path)
    assert network is read_network(TRAJAN, path)
    assert network.player_counts == (2, 3, 4)
    assert network.card == {"data": "random numbers"}
    write_network(path, TRAJAN, {3: draw_part(TRAJAN, 3, 1)})
    assert read_network(TRAJAN, path).player_counts == (3,)


def changed(part, **arrays):
    return {2: part | arrays}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.unlink(), "cannot read the network: No such file"),
        (lambda path: path.write_bytes(b""), "its first line must be JSON"),
        (lambda path: path.write_bytes(b"[" * 100_000), "its first line must be JSON"),
        (lambda path: path.write_bytes(b"\x7fELF" + bytes(99)), "its first line must be JSON"),
        (lambda path: path.write_bytes(b"[]"), "must be"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "its checksum is wrong"),
        (lambda path: path.write_bytes(path.read_bytes() + b"\0"), "its checksum is wrong"),
        (lambda path: again(path, format="network"), "format"),
        (lambda path: again(path, version=2), "version"),
        (lambda path: again(path, game="forum_trajanum"), "for forum_trajanum, not for"),
        (lambda path: again(path, parts=[]), "parts"),
        (lambda path: again(path, parts=[], card=1), "card"),
        (lambda path: again(path, players=5), "one network for each number of players (2, 3, 4)"),
        (lambda path: again(path, features="0" * 16), "have changed; train the network again"),
        (lambda path: again(path, rows=9999), "bytes are missing at the end"),
        (
            lambda path: again(path, {"columns": [1, 0]}),
            "the numbers of the features must be in ascending order without repetition",
        ),
        (
            lambda path: again(path, {"columns": [0, 60_000]}),
            "has 1198 features, none of number 60000",
        ),
        (
            lambda path: again(path, {"levels": [1, 0]}),
            "must be at least 1 and in ascending order",
        ),
        (
            lambda path: again(path, {"counts": [0, 2], "levels": [1, 2]}),
            "must be at least 1 and in ascending order",
        ),
        (
            lambda path: again(path, {"counts": [1, 2]}),
            "the levels require 3 rows, got 2",
        ),
        (
            lambda path: again(path, {"one": [1024] * 64}),
            "each number in the array 'one' must be from 1 to 1023",
        ),
        (lambda path: again(path, {"bias": [1 << 25] * 64}), "a bias must be at most"),
        (lambda path: again(path, {"out_bias": [0] * 3}), "4 bytes too many"),
    ],
)
def test_a_broken_or_foreign_file_gives_one_clear_line(tmp_path, spoil, message):
    path = tmp_path / "network"
    again(path)
    read_network(TRAJAN, str(path))
    spoil(path)
    with pytest.raises(TrajanError, match=re.escape(message)) as caught:
        bot_of(path).check(TRAJAN)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def again(path, arrays=(), **changes):
    """Write a network of two features for two players, with other arrays or header keys."""
    part = draw_part(TRAJAN, 2, 1) | {"columns": [3, 40], "counts": [1, 1], "levels": [1, 2]}
    part["rows"] = part["rows"][:128]
    write_network(path, TRAJAN, {2: part | dict(arrays)})
    line, numbers = path.read_bytes().split(b"\n", 1)
    head = json.loads(line)
    for place in (head, *head["parts"]):
        place |= {key: value for key, value in changes.items() if key in place}
    path.write_bytes(json.dumps(head).encode() + b"\n" + numbers)
    os.utime(path, ns=(1, len(str(arrays)) + len(str(changes))))


def test_a_file_without_its_game_s_features_is_rejected(tmp_path):
    path = tmp_path / "network"
    again(path)
    again(path, game="kuhn")
    with pytest.raises(TrajanError, match="has no features for learners"):
        read_network(KUHN, str(path))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cutoff": "score"}, "network_rounds needs cutoff: evaluate"),
        ({"network_rounds": {"trajann": 1}}, "did you mean 'trajan'"),
        ({"network_rounds": {"trajan": -1}}, "network_rounds"),
        ({"network_until": -1}, "network_until"),
    ],
)
def test_wrong_settings_are_rejected(files, settings, message):
    with pytest.raises(TrajanError, match=re.escape(message)):
        bot_of(files["trajan"][0], **settings)


def test_expert_has_a_network_and_minds_have_none():
    expert = trajan_ai.read_bot("expert")
    assert expert.network_for(TRAJAN).player_counts == (2,)
    assert expert.network_for(TRAJAN).card["positions"] > 10**7
    assert expert.network_for(FORUM) is None
    assert thinking("expert", 10).network_for(TRAJAN) is None


def test_a_shipped_network_has_at_most_500_kilobytes():
    for game in GAMES:
        if (rules := offered(game.rules, HasNetwork)) is not None:
            assert rules.network.stat().st_size <= 500_000


def test_a_bot_that_extends_expert_can_do_without_its_network():
    data = {"name": "plain", "extends": "expert", "network_rounds": {"trajan": None}}
    game = trajan_ai.games.game("trajan")
    plain = parse_bot(Document("bots.yaml", data, {}))
    assert plain.network_for(game) is None
    assert IsmctsBot.model_validate(plain.portable()).network_for(game) is None
    assert identity(plain, game) != identity(parse_bot(Document("b.yaml", "expert", {})), game)
    assert identity(plain, game) == identity(
        parse_bot(Document("b.yaml", data | {"name": "same"}, {})), game
    )
