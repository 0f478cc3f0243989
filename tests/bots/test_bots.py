"""Bots: strict reading of YAML files, built-in bots, `extends`, and the players of bots."""

import pickle
import runpy
from importlib.machinery import EXTENSION_SUFFIXES
from types import SimpleNamespace

import pytest
from calls import ROOT, problems

from trajan_ai import bots
from trajan_ai.bots import BUILTIN_NAMES, IsmctsBot, build, identity, parse_bot, read_bot
from trajan_ai.bots.code_identity import find_packages, load_class
from trajan_ai.bots.game_loop import play
from trajan_ai.bots.minds import MindFailed, construct, format_traceback
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import parse_yaml
from trajan_ai.games import game as game_named
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES
from trajan_ai.mcts.greedy import greedy_move

TRAJAN = game_named("trajan")
FORUM = game_named("forum_trajanum")
CONFIGS = ROOT / "configs" / "bots"


class FirstMove:
    """A user's bot that plays the first legal move, or the one whose index is its option."""

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


def test_builtin_bots_play_every_reference_game():
    levels = {f"level-{vp}" for vp in range(80, 180, 20)}
    assert set(BUILTIN_NAMES) == {"random", "greedy", "ismcts", "expert", *levels}
    for name in ("random", "greedy", "ismcts"):
        for game in (NIM, KUHN, PENNIES, FORK):
            assert play(game, [name] * game.player_counts[0])["ranks"]


def test_the_expert_plays_games_with_knowledge():
    expert = read_bot("expert").model_copy(update={"seconds_per_turn": 0.01})
    assert play(NIM, [expert, expert])["ranks"]
    with pytest.raises(TrajanError, match="prior: game needs knowledge"):
        build(expert, KUHN)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_bot_in_configs_is_read(path):
    assert read_bot(path).name


def test_the_default_name_of_a_bot_is_its_file(tmp_path):
    assert read_bot(written(tmp_path, "kind: random", "luck.yaml")).name == "luck"
    assert read_bot(written(tmp_path, "kind: random\nname: Fortuna")).name == "Fortuna"


def test_identity_depends_on_settings_and_not_on_names(tmp_path):
    one = read_bot(written(tmp_path, "kind: ismcts\niterations: 10", "a.yaml"))
    same = read_bot(written(tmp_path, "iterations: 10\nkind: ismcts\nthreads: 1", "b.yaml"))
    other = read_bot(written(tmp_path, "kind: ismcts\niterations: 11", "c.yaml"))
    assert identity(one, NIM) == identity(same, NIM) != identity(other, NIM)
    assert one.name != same.name


def test_a_new_setting_at_its_default_changes_no_identity():
    class Newer(IsmctsBot):
        foresight: int = 3

    settings = {"name": "a", "kind": "ismcts", "iterations": 10, "payoff": {"rank": 1.0}}
    old = IsmctsBot.model_validate(settings)
    assert identity(Newer.model_validate(settings), NIM) == identity(old, NIM)
    changed = Newer.model_validate(settings | {"foresight": 4})
    assert identity(changed, NIM) != identity(old, NIM)


def parsed(text):
    return parse_bot(parse_yaml(f"name: it\n{text}\n", "it.yaml"))


def test_weights_are_part_of_a_bot_that_uses_them():
    """Identity depends on the weights that the search uses, not on whether defaults are stated."""
    name, value = TRAJAN.weight_names[2], TRAJAN.default_weights[2]
    plain = {"name": "a", "kind": "ismcts", "iterations": 10}
    using = plain | {"playout": "policy"}

    def of(settings, game=TRAJAN):
        return identity(IsmctsBot.model_validate(settings), game)

    assert of(using) == of(using | {"weights": {name: value}})
    assert of(using) != of(using | {"weights": {name: value + 1}})
    assert of(plain) == of(plain | {"weights": {name: value + 1}})
    learned = SimpleNamespace(
        name="trajan",
        weight_names=TRAJAN.weight_names,
        default_weights=tuple(weight + 1 for weight in TRAJAN.default_weights),
        has_knowledge=TRAJAN.has_knowledge,
    )
    assert of(using, learned) != of(using)
    assert of(plain, learned) == of(plain)


def test_resolved_settings_read_back_as_the_same_bot():
    for name in BUILTIN_NAMES:
        bot = read_bot(name)
        again = bots.KINDS[bot.resolved()["kind"]].model_validate(bot.resolved())
        assert again == bot


def test_general_weights_override_inherited_weights_of_a_game():
    expert_bot = parsed("extends: expert\nweights: {moves.temperature: 9}")
    weights = dict(zip(TRAJAN.weight_names, expert_bot.weights_for(TRAJAN), strict=True))
    below = dict(zip(TRAJAN.weight_names, read_bot("expert").weights_for(TRAJAN), strict=True))
    assert weights == below | {"moves.temperature": 9}
    both = parsed(
        "extends: expert\nweights: {moves.temperature: 9, trajan: {moves.temperature: 8}}"
    )
    assert dict(zip(TRAJAN.weight_names, both.weights_for(TRAJAN), strict=True)) == below | {
        "moves.temperature": 8
    }


def test_extends_overlays_settings_entry_by_entry_and_null_takes_a_limit_away(tmp_path):
    written(tmp_path, "kind: ismcts\niterations: 10\npayoff: {rank: 1}", "base.yaml")
    bot = read_bot(written(tmp_path, "extends: base.yaml\npayoff: {margin: 2}\nthreads: 2"))
    assert (bot.iterations, bot.threads) == (10, 2)
    assert (bot.payoff.rank, bot.payoff.margin) == (1.0, 2.0)
    assert bot.name == "bot"
    text = "extends: ismcts\niterations: null\nseconds_per_turn: 0.5"
    bot = read_bot(written(tmp_path, text))
    assert (bot.iterations, bot.seconds_per_turn) == (None, 0.5)


def test_a_cycle_of_extends_is_an_error(tmp_path):
    written(tmp_path, "extends: b.yaml", "a.yaml")
    written(tmp_path, "extends: a.yaml", "b.yaml")
    with pytest.raises(TrajanError, match="extends itself"):
        read_bot(tmp_path / "a.yaml")


def test_a_python_file_is_answered_with_the_keys_of_a_bot_file(tmp_path):
    (problem,) = problems(read_bot, written(tmp_path, "class Mine: ...", "mine.py"))
    assert "mine.py: is a Python file, not a bot file; a bot is described by" in problem
    assert "`kind: python` and `class: mine:NameOfTheClass`" in problem


@pytest.mark.parametrize("kind", ["python\nclass: mine:Mine", "program\ncommand: [./mine]"])
@pytest.mark.parametrize("place", ["the folder", "the file's folder"])
def test_a_loop_of_symbolic_links_is_reported(tmp_path, kind, place):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    folder = "\nfolder: loop" if place == "the folder" else ""
    path = written(tmp_path, f"kind: {kind}{folder}")
    if not folder:
        path = tmp_path / "loop" / "bot.yaml"
    (problem,) = problems(read_bot, path)
    assert "there is no" in problem


def test_all_problems_of_a_file_are_named_at_once_with_lines(tmp_path):
    path = written(
        tmp_path, "kind: ismcts\niterations: -5\nthread: 2\npayoff:\n  rnk: 1\nselection: best\n"
    )
    messages = (
        "2: iterations: must be greater than or equal to 1, got -5",
        "3: thread: unknown key; keys are ",
        "5: payoff.rnk: unknown key",
        "6: selection: must be 'ucb1' or 'puct', got 'best'",
    )
    for problem, words in zip(sorted(problems(read_bot, path)), messages, strict=True):
        assert problem.startswith(f"{path}:{words}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kind: ismcts", "a limit is missing"),
        (
            "kind: clever",
            "kind: must be one of random, greedy, ",
        ),
        ("iterations: 5", "kind: must be one of"),
        ("- random", "a bot must be a mapping"),
        ("", "the file is empty"),
        ("kind: random\nkind: greedy", "bot.yaml:2: kind: duplicate key (first on line 1)"),
        ("kind: [random", "bot.yaml:1"),
        ("extends: nowhere.yaml", "there is no such file and no built-in bot"),
        ("extends: ''", "extends: the name of a bot is empty; give a bot file"),
        ("extends: random\nkind: greedy", "kind: must be 'random' as in random"),
        ("extends: 5", "extends: must be a file or a built-in bot"),
        ("kind: ismcts\niterations: 5\nprior: game", "prior: game needs selection: puct"),
        ("kind: ismcts\niterations: 5\nselection: uniform", "must be 'ucb1' or 'puct'"),
        ("kind: python\nclass: nothing", "class: "),
        ("kind: ismcts\niterations: yes", "iterations: must be a whole number, got 'yes'"),
        ("extends: ismcts\niterations: 1e3", "a whole number, got 1000.0; write 1000"),
        ("extends: ismcts\nthreads: 0", "threads: must be greater than or equal to 1, got 0"),
        ("extends: ismcts\nin_flight: 0", "in_flight: must be greater than or equal to 1, got 0"),
        ("extends: ismcts\nexploration: .nan", "exploration: must be a finite number, got nan"),
        ("kind: ismcts\niterations: 5\npayoff: {win: 0}", "payoff: one of win, rank, margin and "),
        ("extends: expert\nweights: {trajn: {moves.noise: 5}}", "'trajn'; did you mean 'trajan'?"),
        ("extends: expert\nexploration_growth: {forum_trajan: 1}", "did you mean 'forum_tr"),
        ("extends: ismcts\ncutoff: evaluate", "cutoff: evaluate needs playout_rounds"),
    ],
)
def test_a_bad_file_is_rejected_with_its_place(tmp_path, text, complaint):
    (problem,) = problems(read_bot, written(tmp_path, text))
    assert complaint in problem


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
    player.start(0, 2, 1)
    position = NIM.start(2, 1)
    assert player.choose(position, 0) == position.legal_moves()[1]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("no_such_module:X", "there is no module no_such_module in .* or on the Python path"),
        ("mine:Other", r".*mine.py has no class Other; it has Mine"),
        ("broken:X", r".*broken.py:2: invalid syntax"),
        ("trajan_ai.no_such:X", "there is no module trajan_ai.no_such"),
    ],
)
def test_a_missing_class_is_reported_without_running_code(tmp_path, name, complaint):
    written(tmp_path, "class Mine: ...\nraise RuntimeError", "mine.py")
    written(tmp_path, "def f():\n    return return", "broken.py")
    with pytest.raises(TrajanError, match=rf"bot.yaml:2: class: .* cannot be loaded: {complaint}"):
        read_bot(written(tmp_path, f'kind: python\nclass: "{name}"'))


def test_a_class_without_source_is_resolved_when_it_plays(tmp_path):
    bot = read_bot(written(tmp_path, 'kind: python\nclass: "math:Nothing"'))
    with pytest.raises(MindFailed, match="math has no Nothing"):
        build(bot, NIM).start(0, 2, 1)


HELPER = "def number():\n    return {}\n"
OWN = """import json

from . import helper


class Mine:
    def __init__(self, game):
        self.number = helper.number()
"""


def number_of(bot):
    return construct(load_class(bot.code, bot.class_), NIM, bot.options).number


def own_bot(folder, number=1):
    """Write a package `own` with a helper, and a bot's file beside the package; return the bot."""
    (folder / "own").mkdir(parents=True, exist_ok=True)
    written(folder / "own", "", "__init__.py")
    written(folder / "own", HELPER.format(number), "helper.py")
    written(folder / "own", OWN, "bot.py")
    written(folder / "own", "never imported", "notes.py")
    return read_bot(written(folder, 'kind: python\nclass: "own.bot:Mine"'))


def test_the_code_of_a_bot_includes_its_local_imports(tmp_path):
    bot = own_bot(tmp_path)
    assert set(bot.code.digests) == {"own/__init__.py", "own/bot.py", "own/helper.py"}
    assert number_of(bot) == 1


def test_the_code_of_a_bot_includes_indirect_and_compiled_imports(tmp_path):
    own_bot(tmp_path)
    suffix = EXTENSION_SUFFIXES[0]
    written(tmp_path / "own", "from deep import *\n", "helper.py")
    (tmp_path / "deep").mkdir()
    written(tmp_path / "deep", "__all__ = ['listed', 'text']\ntext = ''", "__init__.py")
    written(tmp_path / "deep", "import fast", "listed.py")
    written(tmp_path / "deep", "never imported", "unlisted.py")
    written(tmp_path, "1", f"fast{suffix}")
    first = read_bot(tmp_path / "bot.yaml")
    assert set(first.code.digests) == {
        *("own/__init__.py", "own/bot.py", "own/helper.py"),
        *("deep/__init__.py", "deep/listed.py", f"fast{suffix}"),
    }
    assert find_packages(first.code) == ["json"]
    for folder, name in ((tmp_path, f"fast{suffix}"), (tmp_path / "deep", "listed.py")):
        before = identity(read_bot(tmp_path / "bot.yaml"), NIM)
        written(folder, "edited = 2", name)
        assert identity(read_bot(tmp_path / "bot.yaml"), NIM) != before


def test_edited_code_is_another_bot_and_moved_code_is_not(tmp_path):
    first, moved = own_bot(tmp_path / "a"), own_bot(tmp_path / "b")
    edited = own_bot(tmp_path / "b", number=2)
    assert identity(first, NIM) == identity(moved, NIM) != identity(edited, NIM)
    assert first.portable() == moved.portable() | {"name": first.name}
    # A bot plays with the code as it was when its file was read.
    assert [number_of(bot) for bot in (moved, edited, moved)] == [1, 2, 1]
    assert number_of(pickle.loads(pickle.dumps(moved))) == 1


def test_two_bots_with_modules_of_one_name_do_not_mix(tmp_path):
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = (
            "import tournaments\n\nclass Mine:\n    def __init__(self, game):\n"
            "        self.number = tournaments.NUMBER"
        )
        written(folder, text, "play.py")
        written(folder, f"NUMBER = {number}", "tournaments.py")
        written(folder, "kind: python\nclass: play:Mine")
    read = [read_bot(tmp_path / str(number) / "bot.yaml") for number in (1, 2)]
    assert [number_of(bot) for bot in (*read, *read)] == [1, 2, 1, 2]


def test_declared_files_are_part_of_the_code(tmp_path):
    written(tmp_path, "class Mine: ...", "mine.py")
    text = "kind: python\nclass: mine:Mine\nfiles: [net.bin]"
    with pytest.raises(TrajanError, match=r"file net.bin: No such file"):
        read_bot(written(tmp_path, text))
    written(tmp_path, "1", "net.bin")
    first = read_bot(tmp_path / "bot.yaml")
    written(tmp_path, "2", "net.bin")
    assert identity(first, NIM) != identity(read_bot(tmp_path / "bot.yaml"), NIM)


def test_greedy_takes_most_points_at_the_end_of_its_turn():
    # The last player of the game FORK receives 4 for left and 3 for right.
    assert FORK.actions[greedy_move(FORK.start(3).after("left").after("left"), 2, 0)] == "left"
    # Nobody scores before the end, so all moves have the same value, and the first one is chosen.
    assert greedy_move(FORK.start(3), 0, 0) == 0


class FakeSearch:
    """A search that takes exactly its time limit, on a simulated clock."""

    def __init__(self, player, monkeypatch):
        self.now, self.asked = 0.0, []
        player.engine = self
        monkeypatch.setattr("trajan_ai.bots.players.read_clock", lambda _settings: self.now)

    def search(self, expert_bot, seed, *, seconds, **others):
        self.asked.append(seconds)
        self.now += seconds
        return SimpleNamespace(best=SimpleNamespace(move=expert_bot.legal_moves()[0]))

    def follow(self, position, after, move): ...


def test_a_turn_keeps_to_its_seconds(tmp_path, monkeypatch):
    text = "kind: ismcts\nseconds_per_turn: 0.02\nearly_stop: false"
    player = build(read_bot(written(tmp_path, text)), TRAJAN)
    search = FakeSearch(player, monkeypatch)
    player.start(0, 2, 0)
    position, turns = TRAJAN.start(2, 1), {}
    while position.player is not None:
        if position.player == 0:
            before = search.now
            move = player.choose(position, position.ply)
            turns.setdefault(position.turn, []).append(search.now - before)
        else:
            move = position.legal_moves()[-1]
        player.observe(position, move)
        position = position.after_move(move)
    assert max(map(len, turns.values())) > 1
    assert all(0.0 < sum(spent) <= 0.02 * (1 + 1e-9) for spent in turns.values())
    # A turn keeps no time in reserve for decisions that never follow.
    assert max(sum(spent) for spent in turns.values()) > 0.019


def test_yaml_values_follow_the_core_schema():
    read = parse_yaml(
        "a: no\nb: 1e3\nc: 010\nd: 1:30\ne: ~\nf: .5\ng: true\nh: 0x1f", "t.yaml"
    ).data
    assert read == {
        "a": "no", "b": 1000.0, "c": 10, "d": "1:30", "e": None, "f": 0.5, "g": True, "h": "0x1f",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: 1\nb:\n- {c: 1, c: 2}", "t.yaml:3: b[0].c: duplicate key"),
        ("a: &x 1\nb: *x", "t.yaml:2:4: anchors and aliases are not supported"),
        ("? [1]\n: 2", "t.yaml:1: a key must be a word or a whole number"),
        ("a: !!python/object:os.system x", "t.yaml:1:4: could not determine a constructor"),
        ("a: [1", "t.yaml:1:6: expected"),
        ("a: 1\n---\nb: 2", "t.yaml:2:1: but found another document"),
        ("\x00", "t.yaml: unacceptable character"),
        ("- " * 5000, "t.yaml:1:203: nested too deeply"),
        ("{a: " * 5000, "t.yaml:1:402: nested too deeply"),
    ],
)
def test_malformed_yaml_is_rejected_with_its_place(text, complaint):
    (problem,) = problems(parse_yaml, text, "t.yaml")
    assert complaint in problem


def test_every_kind_and_built_in_bot_is_described():
    page = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in (*bots.KINDS, *BUILTIN_NAMES))


def test_only_errors_of_user_code_have_a_traceback(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def fail():\n    raise ValueError('no idea')\n")
    with pytest.raises(ValueError, match="no idea") as caught:
        runpy.run_path(str(file))["fail"]()
    lines = format_traceback(caught.value).splitlines()
    assert f'  File "{file}", line 2, in fail' in lines
    assert lines[-1] == "ValueError: no idea"
    assert format_traceback(ValueError("of the engine")) == ""
