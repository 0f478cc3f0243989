"""Annotated games: accounts that add up, luck that is none in the mean, pages that open."""

import json
import random
import re
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from types import SimpleNamespace

import pytest
from golden_games import witnessed

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis import accounts, annotation_page, decision, judging, outlook
from trajan_ai.analysis.budgets import ANNOTATION_ITERATIONS
from trajan_ai.bots import game_loop, read_bot
from trajan_ai.cli.main import main
from trajan_ai.games.reference import KUHN, NIM

GOLDEN = Path(__file__).parent.parent / "golden"
NAMES = ["trajan_2p", "forum_trajanum_3p"]
EXPERT = read_bot("expert")
MOST_BYTES = 250_000  # of a page


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
    monkeypatch.setattr(decision, "SEEDS", 2)


@cache
def annotation_of(name):
    """Of Trajan a game of short quarters."""
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
def test_own_errors_are_the_losses_whichever_way_they_are_grouped(annotated):
    data = accounts.to_dict(annotated)
    for player, account in enumerate(data["accounts"]):
        own = [one for one in data["decisions"] if one["player"] == player]
        lost = sum(one["loss"]["margin"] for one in own)
        assert account["own_errors"]["mean"] == pytest.approx(lost)
        for by in ("by_quarter", "by_kind"):
            groups = data[by][player].values()
            assert sum(group["margin"]["mean"] for group in groups) == pytest.approx(lost)
            assert sum(group["decisions"] for group in groups) == len(own)
            for name, _, _ in judging.GRADES:
                graded = [one["ply"] for one in own if one["grade"] == name]
                assert sum(group[name] for group in groups) == len(graded)


@pytest.mark.slow
def test_the_move_made_is_searched_behind_however_bad_it_is():
    position = next(p for p in records.positions(entry_of("trajan_2p")) if len(p.legal()) > 6)
    for action in position.legal():
        found = judged(position, action)
        assert found.made.margin_error > 0.0
        assert found.loss.margin >= 0.0
        assert (found.loss.margin == 0.0) == (found.best == action)


def test_what_an_annotation_depends_on_without_limits_is_the_default_one():
    entry = entry_of("trajan_2p")
    task = task_of(entry)
    assert task == task_of(entry, iterations=ANNOTATION_ITERATIONS)
    assert task != task_of(entry, iterations=ANNOTATION_ITERATIONS + 1)


def test_a_table_of_players_keeps_to_the_width_and_says_first_where_most_was_lost():
    kinds = ("final", "luck", "own_errors", "own_errors_error", "blunder", "mistake", "inaccuracy")
    row = dict.fromkeys(kinds, 1.0) | {"name": "x" * 70, "games": 1}
    row |= {"by_quarter": {"1": 1.0, "2": 3.0}, "by_kind": {"drop": 1.0, "sow": 3.0}}
    assert max(map(len, accounts.format_table([row], 80).splitlines())) <= 80
    assert accounts.format_losses(row, "by_quarter") == ["1 1.0", "2 3.0"]
    assert accounts.format_losses(row, "by_kind") == ["sow 3.0", "drop 1.0"]


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
        assert sum(vp for _, at, _, vp in annotated.vp_events if at == player) == score


def test_the_seed_alone_changes_the_searches():
    position = list(records.positions(entry_of("trajan_2p")))[30]
    action = entry_of("trajan_2p")["actions"][30][1]
    one, again, other = (judged(position, action, seed=seed) for seed in (0, 0, 1))
    assert one == again
    assert one.expected != other.expected
    assert task_of(entry_of("trajan_2p")) != task_of(entry_of("trajan_2p"), seed=1)


def test_luck_is_none_in_the_mean_over_what_might_have_come():
    """One late move in many worlds that look alike to the player, each with its own reveal."""
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
def test_luck_is_what_the_card_that_was_shown_brought(cards, brought):
    """Kuhn: a queen that calls wins or loses 2 by the other card, a king wins anyway."""
    position = KUHN.restore(2, {"cards": cards.split()}).after("bet")
    critic = critic_of(position, bot="ismcts")
    luck = critic._luck(position, KUHN.move("bet"), position.after("bet"), 4000)
    assert [one.mean for one in luck] == pytest.approx([-brought, brought], abs=0.2)


def test_a_blunder_costs_the_game_that_was_won():
    """Nim: one of two and one wins, both of the two leave the last to the other."""
    position = NIM.restore(2, {"heaps": [2, 1]})
    found = judged(position, "heap 1 take 2", bot=read_bot("ismcts"))
    assert (found.best, found.grade, found.luck) == ("heap 1 take 1", "blunder", None)
    assert found.loss.win > 0.9
    assert [one.mean for one in found.effects] == [-found.loss.margin, found.loss.margin]


def test_what_a_choice_did_to_each_player():
    """VP of 100, 90, 80 become 90, 95, 80: leads of 10, -10, -20 become -5, 5, -15."""

    def value(*scores, gain=None):
        found = tuple(decision.Estimate(float(vp), 0.5) for vp in scores)
        return SimpleNamespace(scores=found, gain=gain)

    for gain, lost in ((decision.Estimate(-15.0, 1.0), 15), (decision.Estimate(-14.0, 1.0), 14)):
        effects = judging._effects(value(100, 90, 80), value(90, 95, 80, gain=gain), 0)
        assert [one.mean for one in effects] == [-lost, 15, 5]
        effects = judging._effects(value(100, 90), value(90, 95, gain=gain), 0)
        assert [one.mean for one in effects] == [-lost, lost]  # of two, the other gains as much


def test_what_reveals_nothing_has_no_luck():
    positions = list(records.positions(entry_of("trajan_2p")))
    position = next(one for one in positions if "sow I" in one.legal() and one.ply > 20)
    assert not outlook.reveals(position, position.game.move("sow I"), position.player, 1)
    drawing = next(one for one in positions if "tile points" in one.legal())
    assert outlook.reveals(drawing, drawing.game.move("tile points"), drawing.player, 1)


@pytest.mark.parametrize(
    ("loss", "grade"),
    [
        ((0.12, 0.02, 1.0, 0.5), "blunder"),
        ((0.12, 0.07, 1.0, 0.8), "fine"),  # not sure
        ((0.0, 0.0, 4.5, 1.0), "mistake"),  # the game is won, but not by as much
        ((0.03, 0.01, 0.5, 1.0), "inaccuracy"),
        ((-0.02, 0.01, -1.0, 1.0), "fine"),
    ],
)
def test_grades_go_by_what_was_surely_lost(loss, grade):
    assert judging.grade_loss(judging.Value(*loss)) == grade


def test_drawings_come_back_from_their_differences():
    game, chance = trajan_ai.game("trajan"), random.Random(1)
    position = game.start(3, 1)
    drawings = []
    while position.ply < 40:
        drawings.append(game.rules.picture(game.rules.view(position, None)))
        position = position.after_move(chance.choice(position.legal_moves()))
    elements, changes = annotation_page.pack(drawings)
    now, again = [], []
    for start, gone, *new in changes:  # as the page's script does
        now[start : start + gone] = new
        again.append("".join(elements[number] for number in now))
    assert again == drawings
    assert len(json.dumps([elements, changes])) < sum(map(len, drawings)) / 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Annotated by the command: a whole game beside one that stops before its end."""
    out = tmp_path_factory.mktemp("annotated")
    entry = entry_of("trajan_2p")
    half = {key: value for key, value in entry.items() if key not in ("scores", "ranks")}
    half["actions"] = entry["actions"][:20]
    records.write(out / "games.jsonl", [entry, half])
    return out


def call(folder):
    return ["annotate", str(folder / "games.jsonl"), "--iterations", "6", "--out", str(folder)]


@pytest.mark.slow
def test_many_games_in_one_call_and_only_once(folder, capsys):
    assert main([*call(folder), "--json"]) == 1  # one of the records stops before its end
    shown = capsys.readouterr()
    assert "games.jsonl:2: trajan: only finished games are annotated" in shown.err
    data = json.loads(shown.out)
    assert [game["page"] for game in data["games"]] == ["games-1.html"]
    assert [row["games"] for row in data["players"]] == [1, 1]
    page = folder / "games-1.html"
    made = page.stat().st_mtime_ns
    assert main(call(folder)) == 1
    assert page.stat().st_mtime_ns == made
    assert "VP lost in quarter" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert not re.search(r"(src|href)=|https?://(?!www.w3.org)|@import", text)
    assert "games-1.html" in (folder / "summary.html").read_text(encoding="utf-8")


def test_of_a_witnessed_game_the_decisions_of_who_saw_it_are_judged():
    table = witnessed(entry_of("forum_trajanum_3p"), 1)
    annotation = judging.annotate(table, iterations=4)
    data = accounts.to_dict(annotation)
    own = [(ply, move.action) for ply, move in enumerate(table.moves) if move.player == 1]
    assert [(one.ply, one.action) for one in annotation.decisions] == own
    quarters = [one.quarter for one in annotation.decisions]  # Forum Trajanum has none of its own
    assert (quarters[0], quarters[-1], quarters) == (1, 4, sorted(quarters))
    for one in annotation.decisions:
        assert one.kind == table.positions[one.ply].view(1)["to_decide"]["decision"]
    assert annotation.search_seconds > 0
    assert (data["observer"], [one["player"] for one in data["accounts"]]) == (1, [1])
    assert data["scores"] == entry_of("forum_trajanum_3p")["scores"]
    for player, score in enumerate(data["scores"]):
        assert sum(vp for _, at, _, vp in annotation.vp_events if at == player) == score
    known = sum(abs(vp) for _, _, name, vp in annotation.vp_events if name != judging.UNKNOWN)
    assert known > 10 * sum(
        abs(vp) for _, _, name, vp in annotation.vp_events if name == judging.UNKNOWN
    )
    assert [row["name"] for row in accounts.summarize([data])] == ["player 1"]
    late = SimpleNamespace(final=table.positions[-1], positions=table.positions[-1:], moves=[])
    unknown = [(0, player, judging.UNKNOWN, vp) for player, vp in enumerate(data["scores"])]
    assert judging._list_vp_events(late) == unknown
    drawings = list(annotation_page.draw(annotation))
    assert len(drawings) == len(own) + 1
    assert all("seen by player 1" in drawing for drawing in drawings)
