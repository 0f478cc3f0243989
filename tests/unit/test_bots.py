"""Bots: YAML files read strictly, built-ins, extends, and the players built from them."""

import time
from pathlib import Path

import pytest

from trajan_ai import bots
from trajan_ai.bots import BUILTIN_NAMES, build, parse_bot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.games import game as game_named
from trajan_ai.reference_games import FORK, KUHN, NIM, PENNIES
from trajan_ai.search.greedy import greedy_move, turn_need, turns_left
from trajan_ai.search.settings import settings_table

CONFIGS = Path(__file__).parent.parent.parent / "configs" / "bots"


class FirstMove:
    """A user's bot: always the first legal move, or the one its option says."""

    def __init__(self, game, place=0):
        self.place = place

    def start(self, seat, players, seed): ...

    def choose(self, position, seed):
        return position.legal_moves()[self.place]

    def observe(self, position, move): ...


def written(tmp_path, text, name="bot.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def play(descriptions, position, seed=0):
    """Play a game to its end; return its final position."""
    players = [build(bot, position.game) for bot in descriptions]
    for seat, player in enumerate(players):
        player.start(seat, len(players), seed)
    while position.player is not None:
        move = players[position.player].choose(position, 1000 * seed + position.ply)
        for player in players:
            player.observe(position, move)
        position = position.after_move(move)
    return position


def test_builtin_bots_play_every_reference_game():
    assert set(BUILTIN_NAMES) == {"random", "greedy", "ismcts", "expert"}
    for name in ("random", "greedy", "ismcts"):
        for position in (NIM.start(2, 1), KUHN.start(2, 1), PENNIES.start(2), FORK.start(3)):
            final = play([read_bot(name)] * position.players, position)
            assert final.ranks


def test_the_expert_plays_games_with_knowledge():
    expert = read_bot("expert").model_copy(update={"seconds_per_turn": 0.01})
    assert play([expert, expert], NIM.start(2, 1)).ranks
    with pytest.raises(TrajanError, match="prior: game needs knowledge"):
        build(expert, KUHN)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_bot_in_configs_is_read(path):
    assert read_bot(path).name


def test_a_bot_is_named_after_its_file_unless_it_says_otherwise(tmp_path):
    assert read_bot(written(tmp_path, "kind: random", "luck.yaml")).name == "luck"
    assert read_bot(written(tmp_path, "kind: random\nname: Fortuna")).name == "Fortuna"


def test_digest_depends_on_settings_and_not_on_names(tmp_path):
    one = read_bot(written(tmp_path, "kind: ismcts\niterations: 10", "a.yaml"))
    same = read_bot(written(tmp_path, "iterations: 10\nkind: ismcts\nthreads: 1", "b.yaml"))
    other = read_bot(written(tmp_path, "kind: ismcts\niterations: 11", "c.yaml"))
    assert one.digest == same.digest != other.digest
    assert one.name != same.name


def test_resolved_settings_read_back_as_the_same_bot():
    for name in BUILTIN_NAMES:
        bot = read_bot(name)
        again = bots.KINDS[bot.resolved()["kind"]].model_validate(bot.resolved())
        assert again == bot


def test_extends_overlays_settings_entry_by_entry(tmp_path):
    written(tmp_path, "kind: ismcts\niterations: 10\npayoff: {rank: 1}", "base.yaml")
    bot = read_bot(written(tmp_path, "extends: base.yaml\npayoff: {margin: 2}\nthreads: 2"))
    assert (bot.iterations, bot.threads) == (10, 2)
    assert (bot.payoff.rank, bot.payoff.margin) == (1.0, 2.0)
    assert bot.name == "bot"


def test_null_in_an_extension_takes_a_limit_away(tmp_path):
    text = "extends: ismcts\niterations: null\nseconds_per_turn: 0.5"
    bot = read_bot(written(tmp_path, text))
    assert (bot.iterations, bot.seconds_per_turn) == (None, 0.5)


def test_extending_oneself_is_named(tmp_path):
    written(tmp_path, "extends: b.yaml", "a.yaml")
    written(tmp_path, "extends: a.yaml", "b.yaml")
    with pytest.raises(TrajanError, match="extends itself"):
        read_bot(tmp_path / "a.yaml")


def test_all_problems_of_a_file_are_named_at_once_with_lines(tmp_path):
    path = written(
        tmp_path, "kind: ismcts\niterations: -5\nthread: 2\npayoff:\n  rnk: 1\nselection: best\n"
    )
    with pytest.raises(TrajanError) as caught:
        read_bot(path)
    problems = "\n".join(caught.value.problems)
    assert f"{path}:2: iterations: must be greater than or equal to 1, got -5" in problems
    assert f"{path}:3: thread: unknown key; known keys: " in problems
    assert f"{path}:5: payoff.rnk: unknown key" in problems
    assert f"{path}:6: selection: must be 'ucb1', " in problems
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kind: ismcts", "a limit is missing"),
        ("kind: clever", "kind: must be one of random, greedy, flat, ismcts, python"),
        ("iterations: 5", "kind: must be one of"),
        ("- random", "a bot is a mapping"),
        ("", "a bot is a mapping"),
        ("kind: random\nkind: greedy", "bot.yaml:2: kind: the key stands twice, first on line 1"),
        ("kind: [random", "bot.yaml:1"),
        ("extends: nowhere.yaml", "there is no such file, nor a built-in bot"),
        ("extends: random\nkind: greedy", "kind: must be 'random' as in random"),
        ("extends: 5", "extends: must be a file or a built-in bot"),
        ("kind: ismcts\niterations: 5\nprior: game", "prior: game needs selection: puct"),
        ("kind: flat\niterations: 5\nselection: ucb1", "selection: must be 'uniform'"),
        ("kind: python\nclass: nothing", "class: "),
        ("kind: ismcts\niterations: yes", "iterations: must be a valid integer, got 'yes'"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path, text, complaint):
    with pytest.raises(TrajanError) as caught:
        read_bot(written(tmp_path, text))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_names_the_builtin_bots(tmp_path):
    with pytest.raises(TrajanError, match=r"built-in bots: .*ismcts"):
        read_bot(tmp_path / "none.yaml")


def test_bots_inside_a_plan_are_mappings_names_or_files(tmp_path):
    written(tmp_path, "kind: greedy", "g.yaml")
    plan = parse_yaml(
        "bots:\n- random\n- g.yaml\n- {name: deep, extends: ismcts, iterations: 7}\n- {kind: x}\n"
        "- nobody",
        str(tmp_path / "plan.yaml"),
    )
    read = [parse_bot(plan, ("bots", place)) for place in range(3)]
    assert [bot.name for bot in read] == ["random", "g", "deep"]
    assert read[2].iterations == 7
    with pytest.raises(TrajanError, match=r"plan.yaml:5: bots\[3\].kind: must be one of"):
        parse_bot(plan, ("bots", 3))
    with pytest.raises(TrajanError, match=r"plan.yaml:6: bots\[4\]: .*there is no such file"):
        parse_bot(plan, ("bots", 4))


def test_a_bot_of_the_user_is_loaded_by_name(tmp_path):
    path = written(tmp_path, f'kind: python\nclass: "{__name__}:FirstMove"\noptions: {{place: 1}}')
    player = build(read_bot(path), NIM)
    position = NIM.start(2, 1)
    assert player.choose(position, 0) == position.legal_moves()[1]


@pytest.mark.parametrize("name", ["no_such_module:X", "math:Nothing"])
def test_a_class_that_cannot_be_loaded_is_named(tmp_path, name):
    bot = read_bot(written(tmp_path, f'kind: python\nclass: "{name}"'))
    with pytest.raises(TrajanError, match="cannot be loaded"):
        build(bot, NIM)


def test_knowledge_that_the_game_lacks_is_named_when_building(tmp_path):
    bot = read_bot(written(tmp_path, "kind: ismcts\niterations: 5\nplayout: policy"))
    build(bot, NIM)
    with pytest.raises(TrajanError, match="playout: policy needs knowledge"):
        build(bot, FORK)


def test_greedy_takes_most_points_at_the_end_of_its_turn():
    # The last player of the fork gets 4 by left and 3 by right.
    assert FORK.actions[greedy_move(FORK.start(3).after("left").after("left"), 2, 0)] == "left"
    # Of equal moves the first listed: nobody scores before the end.
    assert greedy_move(FORK.start(3), 0, 0) == 0


def test_flat_beats_random_and_ismcts_beats_flat(tmp_path):
    flat = read_bot(written(tmp_path, "kind: flat\niterations: 300", "flat.yaml"))
    strong = read_bot(written(tmp_path, "kind: ismcts\niterations: 1000", "tree.yaml"))

    def wins(first, second):
        won = 0
        for seed in range(15):
            position = NIM.restore(2, {"heaps": [1 + seed % 5, 3, 2 + seed % 4]})
            won += play([first, second], position, seed).ranks[0] == 1
            won += play([second, first], position, seed).ranks[1] == 1
        return won

    assert wins(flat, read_bot("random")) > 20
    assert wins(strong, flat) > 17


def test_need_of_a_turn_weighs_decisions_by_their_width():
    now, rest = turn_need(NIM.restore(2, {"heaps": [1, 7]}), 4, 1)
    assert (now, rest) == (3.0, 0.0)  # 8 moves; a turn of Nim is one decision
    assert turns_left(NIM.restore(2, {"heaps": [7, 7]}), 1, 1) == 4.0  # the game's estimate
    assert turns_left(KUHN.start(2, 1), 50, 1) == pytest.approx(1.25, abs=0.2)


def test_a_turn_keeps_to_its_seconds(tmp_path):
    text = "kind: ismcts\nseconds_per_turn: 0.02\nearly_stop: false"
    player = build(read_bot(written(tmp_path, text)), NIM)
    player.start(0, 2, 0)
    started = time.thread_time()
    player.choose(NIM.restore(2, {"heaps": [7, 7, 7]}), 1)
    assert time.thread_time() - started < 0.025
    assert player.result.seconds > 0.015


def test_a_game_keeps_to_its_clock(tmp_path):
    text = "kind: ismcts\nseconds_per_game: 0.1\nearly_stop: false"
    player = build(read_bot(written(tmp_path, text)), NIM)
    player.start(0, 2, 0)
    position, spent = NIM.restore(2, {"heaps": [7, 7, 7]}), 0.0
    while position.player is not None:
        if position.player == 0:
            started = time.thread_time()
            move = player.choose(position, position.ply)
            spent += time.thread_time() - started
        else:
            move = position.legal_moves()[0]
        player.observe(position, move)
        position = position.after_move(move)
    assert 0.0 < spent < 0.1 + 0.005


def test_yaml_words_and_numbers_mean_what_they_say():
    read = parse_yaml(
        "a: no\nb: 1e3\nc: 010\nd: 1:30\ne: ~\nf: .5\ng: true\nh: 0x1f", "t.yaml"
    ).data
    assert read == {
        "a": "no", "b": 1000.0, "c": 10, "d": "1:30", "e": None, "f": 0.5, "g": True, "h": "0x1f",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: 1\nb:\n- {c: 1, c: 2}", "t.yaml:3: b[0].c: the key stands twice"),
        ("a: &x 1\nb: *x", "t.yaml:2:4: anchors and aliases are not supported"),
        ("? [1]\n: 2", "t.yaml:1: a key must be a word or a whole number"),
        ("a: !!python/object:os.system x", "t.yaml:1:4: could not determine a constructor"),
        ("a: [1", "t.yaml:1:6: expected"),
        ("a: 1\n---\nb: 2", "t.yaml:2:1: but found another document"),
        ("\x00", "t.yaml: unacceptable character"),
        ("- " * 5000, "nested too deeply"),
    ],
)
def test_malformed_yaml_is_refused_with_its_place(text, complaint):
    with pytest.raises(TrajanError) as caught:
        parse_yaml(text, "t.yaml")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_documented_settings_are_the_real_ones():
    page = (CONFIGS.parent.parent / "docs" / "bots.md").read_text(encoding="utf-8")
    assert page.endswith("\n\n" + settings_table())
    assert all(f"`{name}`" in page for name in (*bots.KINDS, *BUILTIN_NAMES))


def test_a_random_opening_ends_where_its_bot_takes_over():
    game = game_named("trajan")
    player = bots.RandomOpening(game, bot="greedy", turns=6)
    player.start(0, 2, 1)
    position = game.start(2, seed=1)
    greedy = bots.GreedyPlayer()
    greedy.start(0, 2, 1)
    while position.turn < 6:
        assert player.choose(position, 5) == bots.RandomPlayer().choose(position, 5)
        position = position.after_move(position.legal_moves()[0])
    assert player.choose(position, 5) == greedy.choose(position, 5)
