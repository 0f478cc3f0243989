"""Annotated games: accounts add up, luck is zero on average, and pages are complete."""

import contextlib
import json
import os
import random
import re
import tracemalloc
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from types import SimpleNamespace

import pytest
from golden_games import witnessed

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.annotation import accounts, annotation_page, judging
from trajan_ai.analysis.budgets import ANNOTATION_ITERATIONS
from trajan_ai.analysis.decision import analysis_run, outlook
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.bots import game_loop, read_bot
from trajan_ai.cli import annotate
from trajan_ai.cli.annotate import RunSummary
from trajan_ai.cli.main import main
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.games.reference import KUHN, NIM

GOLDEN = Path(__file__).parent.parent / "golden"
NAMES = ["trajan_2p", "forum_trajanum_3p"]
EXPERT = read_bot("expert")
MAX_BYTES = 250_000  # size of a page


def entry_of(name):
    return records.read(GOLDEN / f"{name}.jsonl")[0]


def critic_of(position, bot=EXPERT, iterations=1000, seed=0):
    return judging.prepare_judge(position.game, bot, iterations=iterations, seed=seed)


def task_of(entry, **limits):
    return judging.prepare_judge(judging.game_of(entry), **limits).describe_task(entry)


def judged(position, action, **critic):
    after = position.after(action)
    return critic_of(position, **critic).judge(position.ply, position, action, after, 99)[0]


@pytest.fixture(autouse=True)
def short_searches(monkeypatch):
    monkeypatch.setattr(analysis_run, "SEEDS", 2)


@cache
def annotation_of(name):
    entry = entry_of(name)
    if name == "trajan_2p":
        entry = game_loop.play("trajan", ["random"] * 2, seed=1, lap_length=4)
    return judging.annotate(entry, iterations=12)


@pytest.fixture(params=NAMES)
def annotated(request, short_searches):
    return annotation_of(request.param)


@pytest.mark.slow
def test_the_parts_of_every_margin_add_up(annotated):
    scores = annotated.played.data["scores"]
    for account in accounts.compute_accounts(annotated):
        others = [vp for player, vp in enumerate(scores) if player != account.player]
        assert account.final == scores[account.player] - max(others)
        total = account.start.mean + account.luck.mean - account.own_errors.mean
        total += account.others_errors.mean + account.rest.mean
        assert total == pytest.approx(account.final, abs=1e-9)
        parts = (account.start, account.luck, account.own_errors, account.others_errors)
        assert account.rest.error == pytest.approx(sqrt(sum(part.error**2 for part in parts)))


@pytest.mark.slow
def test_own_errors_are_the_sum_of_the_losses_in_every_grouping(annotated):
    data = accounts.to_dict(annotated)
    for player, account in enumerate(data["accounts"]):
        own = [one for one in data["decisions"] if one["player"] == player]
        lost = sum(one["loss"]["margin"] for one in own)
        assert account["own_errors"]["mean"] == pytest.approx(lost)
        for by in ("by_quarter", "by_kind"):
            groups = data[by][player].values()
            assert sum(group["margin"]["mean"] for group in groups) == pytest.approx(lost)
            assert sum(group["decisions"] for group in groups) == len(own)
            for name, _, _ in judging.LOSS_GRADES:
                graded = [one["ply"] for one in own if one["grade"] == name]
                assert sum(group[name] for group in groups) == len(graded)


@pytest.mark.slow
def test_the_played_move_is_searched_separately_however_bad_it_is():
    position = next(p for p in records.positions(entry_of("trajan_2p")) if len(p.legal()) > 6)
    for action in position.legal():
        result = judged(position, action)
        assert result.made.margin_error > 0.0
        assert result.loss.margin >= 0.0
        assert (result.loss.margin == 0.0) == (result.best == action)


def test_without_limits_an_annotation_uses_the_default():
    entry = entry_of("trajan_2p")
    task = task_of(entry)
    assert task == task_of(entry, iterations=ANNOTATION_ITERATIONS)
    assert task != task_of(entry, iterations=ANNOTATION_ITERATIONS + 1)


def test_a_table_of_players_has_a_maximum_width_and_the_largest_losses_first():
    kinds = ("final", "luck", "own_errors", "own_errors_error", "blunder", "mistake", "inaccuracy")
    row = dict.fromkeys(kinds, 1.0) | {"name": "x" * 70, "games": 1}
    row |= {"by_quarter": {"1": 1.0, "2": 3.0}, "by_kind": {"drop": 1.0, "sow": 3.0}}
    for width in (40, 60, 80):
        text = accounts.format_table([row], width)
        assert max(map(len, text.splitlines())) <= width
        assert len(re.findall(r"(?<![\d.])1\.0\b", text)) == len(kinds) + 2
    assert accounts.format_losses(row, "by_quarter") == ["1 1.0", "2 3.0"]
    assert accounts.format_losses(row, "by_kind") == ["sow 3.0", "drop 1.0"]


def game_of(names, final, luck, mistakes):
    """Return an annotated game that contains only the data used by a summary."""
    group = {"margin": {"mean": 3.0}, "blunder": 0, "mistake": mistakes, "inaccuracy": 1}
    account = {"final": final, "luck": {"mean": luck, "error": 0.3}}
    account |= {"own_errors": {"mean": 3.0, "error": 0.4}}
    players = range(len(names))
    return {
        "names": names,
        "accounts": [account | {"player": player} for player in players],
        "by_quarter": [{"1": group} for _ in players],
        "by_kind": [{"sow": group | {"margin": {"mean": final}}} for _ in players],
    }


def test_a_summary_has_the_means_of_all_games_of_a_player():
    totals = accounts.SeatTotals()
    for names, final, luck, mistakes in (
        (["a", "b"], 10, 1.0, 2),
        (["b", "a"], 4, -2.0, 0),
        (["a", "a"], 1, 0.0, 1),
    ):
        totals.add(game_of(names, final, luck, mistakes))
    a, b = totals.summarize()
    assert (a["name"], a["games"], b["name"], b["games"]) == ("a", 4, "b", 2)
    assert (a["final"], b["final"]) == (4.0, 7.0)
    assert (a["luck"], b["luck"]) == (-0.25, -0.5)
    # The standard error of a mean of four games is that of one game, times sqrt(4) / 4.
    assert a["luck_error"] == pytest.approx(0.3 * 2 / 4)
    assert b["own_errors_error"] == pytest.approx(0.4 * sqrt(2) / 2)
    assert (a["mistake"], a["inaccuracy"], b["mistake"]) == (1.0, 1.0, 1.0)
    assert (a["by_quarter"], b["by_kind"]) == ({"1": 3.0}, {"sow": 7.0})


@pytest.mark.parametrize("as_json", [False, True])
def test_a_summary_of_many_games_takes_constant_memory(tmp_path, capsys, as_json):
    """Each of 5,000 games takes less than 100 bytes, and the result includes all of them."""
    names, accounts_of = ["Anna", "Bert"], {"accounts": [], "by_quarter": [], "by_kind": []}
    game = {"game": "trajan", "names": names, "scores": [120, 99]} | accounts_of
    summary = RunSummary(tmp_path, as_json)
    list(annotation_page.render_summary([], iter([])))  # loads Jinja2
    tracemalloc.start()
    for number in range(5000):
        summary.add(f"games-{number}", game)
    with open(os.devnull, "w") as none, contextlib.redirect_stdout(none):
        summary.write()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000
    assert (tmp_path / "summary.html").read_text().count("<li>") == 5000
    summary.write()
    summary.close()
    if as_json:
        printed = json.loads(capsys.readouterr().out)
        assert printed["games"][-1]["page"] == "games-4999.html"
        assert len(printed["games"]) == 5000


def test_damaged_lines_are_named_and_the_other_games_are_annotated(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    played = trajan_ai.play("trajan", ["random"] * 2, seed=1, lap_length=2)
    wrong = played | {"actions": [*played["actions"][:5], *played["actions"][6:]]}
    entry, shortened = records.dumps(played), records.dumps(wrong)
    (tmp_path / "games.jsonl").write_text(f"{entry}\n{{damaged\n{shortened}\n", encoding="utf-8")
    assert main(["annotate", "games.jsonl", "--iterations", "2"]) == 1
    output = capsys.readouterr()
    assert "trajan-ai annotate: games.jsonl:2: not a complete JSON object" in output.err
    assert "trajan-ai annotate: games.jsonl:3: " in output.err  # it cannot be replayed
    assert "1 game in annotated" in output.out
    assert (tmp_path / "annotated" / "games-1.html").exists()


def test_escape_sequences_of_names_do_not_reach_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = ["\x1b[2J\x1b]0;title\x07evil", "a\u202eb\nc"]
    entry = trajan_ai.play("trajan", ["random"] * 2, seed=1, lap_length=2)
    records.write("games.jsonl", [entry | {"x_bots": [{"name": name} for name in names]}])
    assert main(["annotate", "games.jsonl", "--iterations", "2"]) == 0
    output = "".join(capsys.readouterr())
    assert r"\x1b[2J\x1b]0;title\x07evil" in output
    assert r"a\u202eb\nc" in output
    assert not set(output) & {"\x1b", "\x07", "\u202e"}


@pytest.mark.slow
def test_every_decision_is_judged_and_the_vp_have_their_sources(annotated):
    entry = annotated.played.data
    assert [[one.player, one.action] for one in annotated.decisions] == entry["actions"]
    for one in annotated.decisions:
        assert one.better[0] == one.best
        assert one.loss.margin >= 0.0
        assert one.loss.margin == one.expected.margin - one.made.margin
        if one.best == one.action:
            assert one.loss == judging.Value(0.0, 0.0, 0.0, 0.0)
            assert one.made == one.expected
        else:
            assert one.effects[one.player].mean == -one.loss.margin
    for player, score in enumerate(entry["scores"]):
        assert sum(vp for _, at, _, vp in annotated.brought if at == player) == score


def test_the_seed_changes_the_searches():
    position = list(records.positions(entry_of("trajan_2p")))[30]
    action = entry_of("trajan_2p")["actions"][30][1]
    one, again, other = (judged(position, action, seed=seed) for seed in (0, 0, 1))
    assert one == again
    assert one.expected != other.expected
    assert task_of(entry_of("trajan_2p")) != task_of(entry_of("trajan_2p"), seed=1)


def test_luck_is_zero_in_the_mean_over_possible_reveals():
    """A late move reveals different cards in many states that look alike to the player."""
    positions = records.positions(entry_of("trajan_2p"))
    position = [one for one in positions if "draw" in one.legal()][-1]
    move, drawn = position.game.move("draw"), []
    for seed in range(150):
        world = position.determinized(position.player, seed)
        luck = critic_of(position, seed=seed)._luck(world, move, world.after_move(move), 300)
        drawn.append(luck[position.player].mean)
    error = stdev(drawn) / sqrt(len(drawn))
    assert abs(mean(drawn)) < 4.0 * error
    assert 0.0 < error < 0.5


@pytest.mark.parametrize(
    ("cards", "brought"),
    [("jack queen", 4.0), ("king queen", -4.0), ("queen king", 0.0), ("king jack", 0.0)],
)
def test_luck_is_the_effect_of_the_revealed_card(cards, brought):
    """In Kuhn poker, a queen that calls wins or loses 2, depending on the other card, while a king
    always wins."""
    position = KUHN.restore(2, {"cards": cards.split()}).after("bet")
    critic = critic_of(position, bot="ismcts")
    luck = critic._luck(position, KUHN.move("bet"), position.after("bet"), 4000)
    assert [one.mean for one in luck] == pytest.approx([-brought, brought], abs=0.2)
    spread = abs(brought)  # both cards are equally likely: 8 VP or nothing
    assert [one.error for one in luck] == pytest.approx([spread / sqrt(4000)] * 2, rel=0.05)


def test_luck_is_measured_against_the_best_opponent(monkeypatch):
    """If the VP are 10, 7, 3 instead of 10, 4, 3, the leads are 3, -3, -7 instead of 6, -6, -7."""

    def playouts(position, player, line, count, *more):
        return [10, 4, 3] * count if line else [10, 7, 3] * count

    monkeypatch.setattr(judging.outlook, "playouts", playouts)
    position = trajan_ai.game("trajan").start(3, seed=1)
    luck = critic_of(position)._luck(position, position.legal_moves()[0], position, 5)
    assert [(one.mean, one.error) for one in luck] == [(-3, 0), (3, 0), (0, 0)]


def test_a_blunder_loses_a_won_game():
    """In Nim, taking one object of the heap of two wins, while taking both leaves the last object
    to the opponent."""
    position = NIM.restore(2, {"heaps": [2, 1]})
    result = judged(position, "heap 1 take 2", bot=read_bot("ismcts"))
    assert (result.best, result.grade, result.luck) == ("heap 1 take 1", "blunder", None)
    assert result.loss.win > 0.9
    assert [one.mean for one in result.effects] == [-result.loss.margin, result.loss.margin]


def test_effects_of_a_choice_on_each_player():
    """VP of 100, 90, 80 become 90, 95, 80, so leads of 10, -10, -20 become -5, 5, -15."""

    def value(*scores, gain=None):
        estimates = tuple(Estimate(float(vp), 0.5) for vp in scores)
        return SimpleNamespace(scores=estimates, gain=gain)

    for gain, lost in ((Estimate(-15.0, 1.0), 15), (Estimate(-14.0, 1.0), 14)):
        effects = judging._effects(value(100, 90, 80), value(90, 95, 80, gain=gain), 0)
        assert [one.mean for one in effects] == [-lost, 15, 5]
        effects = judging._effects(value(100, 90), value(90, 95, gain=gain), 0)
        # With two players, the other player gains the same amount.
        assert [one.mean for one in effects] == [-lost, lost]


def test_a_move_without_reveal_has_no_luck():
    positions = list(records.positions(entry_of("trajan_2p")))
    position = next(one for one in positions if "sow I" in one.legal() and one.ply > 20)
    assert not outlook.reveals(position, position.game.move("sow I"), position.player, 1)
    drawing = next(one for one in positions if "tile points" in one.legal())
    assert outlook.reveals(drawing, drawing.game.move("tile points"), drawing.player, 1)


@pytest.mark.parametrize(
    ("loss", "grade"),
    [
        ((0.12, 0.02, 1.0, 0.5), "blunder"),
        ((0.12, 0.13, 1.0, 1.1), "fine"),  # the loss is uncertain
        ((0.0, 0.0, 4.5, 2.0), "mistake"),  # the game is won, but by less
        ((0.03, 0.02, 0.5, 1.0), "inaccuracy"),
        ((-0.02, 0.01, -1.0, 1.0), "fine"),
    ],
)
def test_grades_depend_on_significant_losses(loss, grade):
    assert judging.grade_loss(judging.Value(*loss)) == grade


def test_drawings_are_restored_from_their_differences():
    game, chance = trajan_ai.game("trajan"), random.Random(1)
    position = game.start(3, 1)
    drawings = []
    while position.ply < 40:
        drawings.append(game.rules.picture(game.rules.view(position, None)))
        position = position.after_move(chance.choice(position.legal_moves()))
    elements, changes = annotation_page.pack(drawings)
    now, again = [], []
    for start, gone, *new in changes:  # undo the changes as the page's script does
        now[start : start + gone] = new
        again.append("".join(elements[number] for number in now))
    assert again == drawings
    assert len(json.dumps([elements, changes])) < sum(map(len, drawings)) / 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder that contains records to annotate: a whole game and an unfinished one."""
    out = tmp_path_factory.mktemp("annotated")
    entry = entry_of("trajan_2p")
    half = {key: value for key, value in entry.items() if key not in ("scores", "ranks")}
    half["actions"] = entry["actions"][:20]
    records.write(out / "games.jsonl", [entry, half])
    return out


def call(folder):
    return ["annotate", str(folder / "games.jsonl"), "--iterations", "6", "--out", str(folder)]


@pytest.mark.slow
def test_games_are_annotated_once(folder, capsys):
    assert main([*call(folder), "--json"]) == 1  # one of the records stops before its end
    output = capsys.readouterr()
    assert "games.jsonl:2: trajan: only finished games can be annotated" in output.err
    data = json.loads(output.out)
    assert [game["page"] for game in data["games"]] == ["games-1.html"]
    assert [row["games"] for row in data["players"]] == [1, 1]
    page = folder / "games-1.html"
    written = page.stat().st_mtime_ns
    assert main(call(folder)) == 1
    assert page.stat().st_mtime_ns == written
    assert "VP lost in quarter" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < MAX_BYTES
    assert not re.search(r"(src|href)=|https?://(?!www.w3.org)|@import", text)
    assert "games-1.html" in (folder / "summary.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_games_are_annotated_again_by_another_bot_or_engine(tmp_path, monkeypatch):
    """Results of another bot with the same name are not reported as results of this bot."""
    games, bot, out = tmp_path / "games.jsonl", tmp_path / "mine.yaml", tmp_path / "out"
    entry = game_loop.play("trajan", ["random"] * 2, seed=1, lap_length=4)
    records.write(games, [entry])
    words = ["annotate", str(games), "--bot", str(bot), "--iterations", "2", "--out", str(out)]

    def annotates(exploration):
        bot.write_text(f"extends: ismcts\nexploration: {exploration}\n", encoding="utf-8")
        page = out / "games.html"
        before = page.stat().st_mtime_ns if page.exists() else None
        assert main(words) == 0
        return page.stat().st_mtime_ns != before

    assert [annotates(value) for value in (0.5, 0.5, 0.7)] == [True, False, True]
    monkeypatch.setattr(annotate, "play_signature", lambda game: "another")
    assert annotates(0.7)


def test_two_runs_cannot_annotate_into_one_folder(folder, capsys):
    with lock_folder(folder):
        assert main(call(folder)) == 2
    assert "another run is writing here" in capsys.readouterr().err


def test_in_a_witnessed_game_only_the_decisions_of_the_witness_are_judged():
    table = witnessed(entry_of("forum_trajanum_3p"), 1)
    annotation = judging.annotate(table, iterations=4)
    data = accounts.to_dict(annotation)
    own = [(ply, move.action) for ply, move in enumerate(table.moves) if move.player == 1]
    assert [(one.ply, one.action) for one in annotation.decisions] == own
    quarters = [one.quarter for one in annotation.decisions]
    assert (quarters[0], quarters[-1], quarters) == (1, 3, sorted(quarters))
    assert data["part"] == "phase"
    for one in annotation.decisions:
        assert one.kind == table.positions[one.ply].view(1)["to_decide"]["decision"]
    assert (data["observer"], [one["player"] for one in data["accounts"]]) == (1, [1])
    assert data["scores"] == entry_of("forum_trajanum_3p")["scores"]
    for player, score in enumerate(data["scores"]):
        assert sum(vp for _, at, _, vp in annotation.brought if at == player) == score
    assert judging.BEFORE not in {name for _, _, name, _ in annotation.brought}
    totals = accounts.SeatTotals()
    totals.add(data)
    assert [row["name"] for row in totals.summarize()] == ["player 1"]
    late = SimpleNamespace(final=table.positions[-1], positions=table.positions[-1:], events=[])
    unknown = [(0, player, judging.BEFORE, vp) for player, vp in enumerate(data["scores"])]
    assert judging._list_brought_vp(late) == unknown
    drawings = list(annotation_page.draw(annotation, ["Ann", "Bob", "Cy"]))
    assert len(drawings) == len(own) + 1
    assert all("seen by player 2" in drawing for drawing in drawings)
