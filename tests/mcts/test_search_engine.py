"""The search: comparison with a reference, strides, threads, limits, reuse, and settings."""

import signal
import threading
import time
from typing import get_args

import pytest
from plain_ismcts import LeadPayoffs, plain_search
from searching import EVEN, NIM_POSITION, data, grow_tree, run_search, visits

from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games import game
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES
from trajan_ai.mcts import Payoff, Settings, ThreadedSearch, ismcts, search
from trajan_ai.mcts.ismcts import Searcher
from trajan_ai.testing.probe import Probe

LOST = NIM.restore(2, {"heaps": [1, 2, 3]})
OWN_POSITIONS = [
    NIM_POSITION,
    KUHN.restore(2, {"cards": ["queen", "jack"]}),
    FORK.start(3),
    game("trajan").start(3, 5),
    game("forum_trajanum").start(2, 5),
]


@pytest.mark.parametrize("selection", ["ucb1", "puct"])
@pytest.mark.parametrize(
    "position",
    [NIM_POSITION, KUHN.restore(2, {"cards": ["queen", "jack"]}), PENNIES.start(2)],
    ids=["nim", "kuhn", "pennies"],
)
def test_visits_equal_those_of_the_reference_search(position, selection):
    fast = run_search(position, 700, seed=5, selection=selection)
    assert visits(fast) == plain_search(position, 700, 5, selection)


@pytest.mark.parametrize("selection", ["ucb1", "puct"])
@pytest.mark.parametrize("position", OWN_POSITIONS, ids=lambda p: f"{p.game.name}-{p.players}")
def test_trees_of_own_moves_equal_those_of_the_reference_search(position, selection):
    fast = run_search(position, 400, seed=5, algorithm="own", selection=selection)
    assert visits(fast) == plain_search(position, 400, 5, selection, own=True)


@pytest.mark.parametrize("players", [2, 3])
def test_payoffs_with_a_control_variate_equal_those_of_the_reference_search(players):
    position = InformationSet(game("trajan").start(players, 5)).canonical
    probe = Probe(position.game)
    how = {"algorithm": "own", "playout": "policy", "payoff": Payoff(margin=1), "cheat": True}

    def play(state, seed):
        _, end, _ = probe.policy_playout(state.to_bytes(), seed, 1 << 30, 1 << 30, True)
        return position.game.from_bytes(end)

    def plain(share):
        payoffs = LeadPayoffs(share, lambda: probe.shortfalls)
        return plain_search(position, 400, 5, own=True, in_flight=2, payoffs_of=payoffs, play=play)

    def fast(share, threads=1):
        settings = how | {"control_variate": share, "in_flight": 2, "threads": threads}
        return run_search(position, 400, seed=5, **settings)

    assert visits(fast(0.0)) == plain(0.0) != plain(1.0) == visits(fast(1.0))
    assert data(fast(1.0)) == data(fast(1.0, threads=2))


def test_a_control_variate_has_no_effect_in_a_game_without_shortfalls():
    how = {"playout": "policy", "payoff": Payoff(margin=1)}
    blind = run_search(NIM_POSITION, 300, control_variate=1.0, **how)
    assert visits(blind) == visits(run_search(NIM_POSITION, 300, **how))


def test_exploration_reaches_the_bound():
    fast = visits(run_search(NIM_POSITION, 500, exploration=0.2))
    assert fast == plain_search(NIM_POSITION, 500, 0, exploration=(0.2, 0.0))
    assert fast != plain_search(NIM_POSITION, 500, 0)


def test_exploration_grows_with_the_visits():
    settings = {"selection": "puct", "exploration_growth": {"nim": 0.3}}
    fast = visits(run_search(NIM_POSITION, 2000, **settings))
    assert fast == plain_search(NIM_POSITION, 2000, 0, "puct", exploration=(0.7, 0.3))
    assert fast != visits(run_search(NIM_POSITION, 2000, selection="puct"))
    assert visits(run_search(NIM_POSITION, 500, **settings)) == visits(
        run_search(NIM_POSITION, 500, selection="puct")
    )


@pytest.mark.parametrize("stride", [1, 7, 100_000])
@pytest.mark.parametrize("how", [{}, {"threads": 2, "in_flight": 5}], ids=["alone", "threads"])
def test_result_does_not_depend_on_the_stride(how, stride, monkeypatch):
    expected = data(run_search(NIM_POSITION, 2500, seed=3, **how))
    monkeypatch.setattr("trajan_ai.mcts.driver.SETTLE_STRIDE", stride)
    assert data(run_search(NIM_POSITION, 2500, seed=3, **how)) == expected


def test_mo_equals_so_where_every_move_is_public():
    so, mo = (run_search(NIM_POSITION, 800, algorithm=algorithm) for algorithm in ("so", "mo"))
    assert visits(so) == visits(mo)
    assert mo.nodes > so.nodes


def legal_in_some(position, line):
    """Return whether a line of pairs (player, action) is legal in some determinization."""
    for seed in range(50):
        here = position.determinized(position.player, seed)
        for player, action in line:
            if here.player != player or action not in here.legal():
                break
            here = here.after(action)
        else:
            return True
    return False


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_continuations_of_trees_of_own_moves_go_through_the_turns_of_all(name):
    position = game(name).start(2, 4)
    best = run_search(position, 6000, seed=1, algorithm="own")
    lines = [move.line for move in best.moves if move.visits > 300]
    assert any(len({player for player, _ in line}) == 2 for line in lines)
    assert all(legal_in_some(position, line) for line in lines)


def test_trees_of_own_moves_drop_moves_that_became_illegal():
    """Three times in this game, a reused root contains moves that are no longer legal."""
    position, step, reused = game("trajan").start(2, 4), 0, 0
    changes = {"algorithm": "own", "exploration": 0.5, "payoff": Payoff(win=1, margin=1, score=1)}
    engine = ThreadedSearch(position.game, read_bot("expert").model_copy(update=changes))
    while position.player is not None:
        legal = position.legal_moves()
        move = legal[7919 * step % len(legal)]
        if position.player == 0:
            best = engine.search(InformationSet(position), step, iterations=100, keep=True)
            assert set(visits(best)) == set(legal)
            nodes = 1 + sum(width * nodes for width, nodes in best.branching.items())
            assert nodes == best.nodes - 1
            reused += sum(visits(best).values()) > 100
            move = best.best.move
        after = position.after_move(move)
        engine.follow(position, after, move)
        position, step = after, step + 1
    assert reused > 20


def test_game_prior_leads_puct_to_the_winning_move():
    settings = {"selection": "puct", "exploration": 2.0}
    informed = run_search(NIM_POSITION, 30, prior="game", **settings)
    blind = run_search(NIM_POSITION, 30, **settings)
    doubting = run_search(NIM_POSITION, 30, prior="game", weights={"trust": 0.0}, **settings)
    assert informed.best.action == "heap 1 take 2"
    assert informed.best.visits > 15
    assert blind.best.visits < 15
    assert visits(doubting) == visits(blind)


def test_policy_playouts_know_a_lost_position():
    once = len(LOST.legal_moves())  # iterations that try every move once
    uniform = run_search(LOST, once)
    policy = run_search(LOST, once, playout="policy")
    assert max(move.win for move in policy.moves) == 0.0
    assert max(move.win for move in uniform.moves) > 0.3


def test_cut_playouts_end_in_evaluation_or_score():
    position = NIM.restore(2, {"heaps": [3, 5, 7, 7]})  # nobody can win within three moves
    once = len(position.legal_moves())  # iterations that try every move once
    base = {"playout": "policy", "playout_rounds": 1}
    score = run_search(position, once, **base)
    informed = run_search(position, once, cutoff="evaluate", **base)
    doubt = run_search(position, once, cutoff="evaluate", weights={"trust": 0.0}, **base)
    assert {move.scores[score.player] for move in score.moves} == {0.0}
    assert {move.scores[doubt.player] for move in doubt.moves} == {0.5}
    # These moves make the exclusive or 0, as does every reply to the opponent's move.
    winning = {"heap 2 take 2", "heap 3 take 6", "heap 4 take 6"}
    scores = {move.action: move.scores[informed.player] for move in informed.moves}
    assert scores == {action: float(action in winning) for action in scores}


@pytest.mark.parametrize("players", [2, 3])
def test_a_round_is_one_turn_per_player(players):
    assert Settings(playout_rounds=4).cut_turns(players) == 4 * players


@pytest.mark.parametrize(
    ("payoff", "left", "right"),
    [  # the last player has 4 while the other two have 1 and 4, or 3 while they have 1 and 5
        ({"win": 1.0}, 0.5, 0.0),
        ({"rank": 1.0}, 0.75, 0.5),
        ({"margin": 1.0}, 0.5, 0.5 - 0.5 * 2 / (10 + 2)),
        ({"score": 1.0}, 0.4, 0.3),
        ({"rank": 3.0, "score": 1.0}, 0.6625, 0.45),
    ],
)
def test_payoffs_of_a_finished_game(payoff, left, right):
    position = FORK.start(3).after("left").after("left")
    scales = {"margin_scale": 10.0, "score_scale": 10.0}
    moves = run_search(position, 20, payoff=Payoff(**payoff), early_stop=True, **scales).moves
    expected = {"left": left, "right": right}
    assert {move.action: move.payoff for move in moves} == pytest.approx(expected)


def test_early_stop_saves_iterations_and_keeps_the_choice():
    position = NIM.restore(2, {"heaps": [0, 0, 1, 7]})
    stopped = run_search(position, 50_000, early_stop=True)
    full = run_search(position, 50_000)
    assert stopped.settled
    assert stopped.iterations < full.iterations == 50_000
    assert stopped.best.action == full.best.action


def test_a_search_ends_after_its_seconds():
    position = NIM.restore(2, {"heaps": [7, 7, 7, 6]})
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    for seed in range(5):
        # CPU time is measured, because other work on the machine may delay this process.
        started = time.thread_time()
        result = engine.search(InformationSet(position), seed, seconds=0.05)
        assert time.thread_time() - started < 0.05 + 0.005
        assert result.seconds > 0.04


def test_stop_from_another_thread_ends_a_run():
    searcher = Searcher(NIM, Settings(**EVEN))
    searcher.begin(NIM.restore(2, {"heaps": [7, 7, 7, 6]}), 0, 1)
    counts = []
    running = threading.Thread(target=lambda: counts.append(searcher.run(10**9)))
    running.start()
    time.sleep(0.05)
    searcher.stop()
    running.join(10)
    assert not running.is_alive()
    assert 0 < counts[0] < 10**9


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_search_and_leaves_the_engine_usable(threads):
    engine = ThreadedSearch(NIM, Settings(threads=threads, **EVEN))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.search(InformationSet(NIM_POSITION), 1, iterations=2_000_000_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - started < 2
    again = engine.search(InformationSet(NIM_POSITION), 3, iterations=700)
    assert data(again) == data(run_search(NIM_POSITION, 700, seed=3, threads=threads))


def test_an_interrupt_while_threads_start_leaves_none_running():
    engine = ThreadedSearch(NIM, Settings(threads=3, **EVEN))
    second = engine.helpers.inboxes[1]

    class Interrupted:
        """An inbox that raises the interrupt as soon as both helpers have their jobs."""

        def put(self, job):
            second.put(job)
            if job == engine.searcher.help:
                raise KeyboardInterrupt

    engine.helpers.inboxes[1] = Interrupted()
    interrupted = engine.helpers
    with pytest.raises(KeyboardInterrupt):
        engine.search(InformationSet(NIM_POSITION), 1, iterations=2_000_000_000)
    assert engine.helpers is not interrupted
    assert interrupted.done.empty()  # all threads have ended
    assert engine.search(InformationSet(NIM_POSITION), 3, iterations=700).iterations == 700


def test_the_threads_of_an_engine_end_with_it():
    before = set(threading.enumerate())
    engines = [ThreadedSearch(NIM, Settings(threads=3, **EVEN)) for _ in range(4)]
    helpers = set(threading.enumerate()) - before
    assert len(helpers) == 8
    engines.clear()
    for helper in helpers:
        helper.join(5)
    assert not any(helper.is_alive() for helper in helpers)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_reused_subtree_continues_with_its_visits(threads):
    engine = ThreadedSearch(NIM, Settings(threads=threads, **EVEN))
    first = engine.search(InformationSet(NIM_POSITION), 1, iterations=2000)
    after = NIM_POSITION.after_move(first.best.move)
    engine.follow(NIM_POSITION, after, first.best.move)
    reused = engine.search(InformationSet(after, 0), 2, iterations=500, keep=True)
    assert sum(visits(reused).values()) >= first.best.visits - 1 + 500
    assert sum(width * nodes for width, nodes in reused.branching.items()) == reused.nodes - 1
    fresh = engine.search(InformationSet(after), 2, iterations=500)
    assert visits(fresh) == visits(run_search(after, 500, seed=2, threads=threads))


def test_no_tree_is_reused_after_an_untried_move():
    searcher = grow_tree(NIM_POSITION, 3)
    tried = {stat["move"] for stat in searcher.root_moves()}
    move = next(move for move in NIM_POSITION.legal_moves() if move not in tried)
    assert not searcher.follow(NIM_POSITION, NIM_POSITION.after_move(move), move, 1)


def test_an_unnoticed_move_does_not_move_the_root():
    position = first_to_keep(0, "hidden")
    once = len(position.legal_moves())  # iterations that try every move once
    searcher = grow_tree(position, once, algorithm="mo")
    assert len(searcher.root_moves()) == once
    assert searcher.nodes == position.players + len(searcher.root_moves())


def test_a_continuation_is_the_most_visited_one():
    searcher = grow_tree(NIM_POSITION, 3000)
    for move in NIM_POSITION.legal_moves()[:6]:
        (_, (_, reply)) = searcher.line(move, 2, 5)
        engine = grow_tree(NIM_POSITION, 3000)
        after = NIM_POSITION.after_move(move)
        assert engine.follow(NIM_POSITION, after, move, 1)
        engine.begin(after, 1, 1, True)
        stats = engine.root_moves()
        assert max(stats, key=lambda stat: stat["visits"])["move"] == reply


def first_to_keep(player, how):
    """Return a decision of `player` on the tile to keep, before another player takes tiles."""
    position = game("forum_trajanum").start(2, 3, step_one=how)
    while True:
        after = position.after_move(position.legal_moves()[0])
        keeps = position.legal()[0].startswith("keep") and position.player == player
        if keeps and after.legal()[0].startswith("take"):
            return position
        position = after


@pytest.mark.parametrize("algorithm", ["so", "mo"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("choice", [0, 1])
@pytest.mark.parametrize("how", ["open", "hidden"])
def test_a_tree_is_reused_after_a_partly_hidden_move(how, choice, player, algorithm):
    """In an open step 1, other players see that a tile is kept, but not which one; in a hidden
    step 1, they see nothing."""
    position = first_to_keep(player, how)
    move = position.legal_moves()[choice]
    searcher = grow_tree(position, 60, algorithm=algorithm)
    (before,) = (stat["visits"] for stat in searcher.root_moves() if stat["move"] == move)
    after = position.after_move(move)
    assert searcher.follow(position, after, move, 1)
    assert searcher.begin(after, position.player, 2, True) in (before, 60)
    searcher.run(100)
    searcher.finish()
    assert sum(stat["count"] for stat in searcher.root_moves()) == 100


@pytest.mark.parametrize(("iterations", "length"), [(14, 1), (18, 2)])
def test_a_continuation_ends_before_moves_with_fewer_than_five_visits(iterations, length):
    moves = run_search(FORK.start(3), iterations).moves
    assert [len(move.line) for move in moves] == [length, length]


def test_a_continuation_has_a_maximum_length():
    searcher = grow_tree(NIM_POSITION, 2000)
    move = NIM_POSITION.legal_moves()[0]
    lines = [searcher.line(move, length, 1) for length in range(4)]
    assert [len(line) for line in lines] == [0, 1, 2, 3]
    assert lines[3][0] == (0, move)


def test_no_tree_is_reused_for_another_position():
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    engine.search(InformationSet(NIM_POSITION), 1, iterations=500)
    other = engine.search(InformationSet(LOST), 2, iterations=300, keep=True)
    assert sum(visits(other).values()) == 300


def test_no_tree_is_reused_if_moves_between_were_not_followed():
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    engine.search(InformationSet(NIM_POSITION), 1, iterations=2000)
    position = NIM_POSITION
    for _ in range(2):  # the search misses a move of each player
        position = position.after_move(position.legal_moves()[0])
    move = position.legal_moves()[-1]
    assert move in NIM_POSITION.legal_moves()
    later = position.after_move(move)
    engine.follow(position, later, move)
    result = engine.search(InformationSet(later, 0), 2, iterations=300, keep=True)
    assert sum(visits(result).values()) == 300


@pytest.mark.parametrize("algorithm", ["so", "mo"])
def test_no_tree_is_reused_after_a_hidden_move(algorithm):
    start = PENNIES.start(2)
    for observer, is_reused in ((0, True), (1, False)):
        searcher = grow_tree(start, 100, observer, algorithm=algorithm)
        assert searcher.follow(start, start.after("left"), 0, 1) is is_reused


def test_progress_refines_the_same_search():
    reports = []
    final = search(
        InformationSet(NIM_POSITION), Settings(**EVEN), iterations=5000, progress=reports.append
    )
    assert [r.iterations for r in reports] == sorted(r.iterations for r in reports)
    assert len(reports) >= 3
    assert data(final) == data(run_search(NIM_POSITION, 5000))


def test_untried_moves_are_listed_without_values():
    moves = run_search(NIM_POSITION, 3).moves
    assert len(moves) == 12
    assert moves[-1].visits == 0
    assert moves[-1].win is None


def test_phases_of_a_timed_search():
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    engine.search(InformationSet(NIM_POSITION), 1, iterations=1000, timed=True)
    searcher = engine.searcher
    phases = searcher.phases()
    assert phases.pop("evaluation") == phases.pop("network") == 0  # because no playout is cut
    assert all(seconds > 0 for seconds in phases.values())
    engine.search(InformationSet(NIM_POSITION), 1, iterations=1000)
    assert not any(searcher.phases().values())


def test_a_finished_game_and_a_missing_limit_are_reported():
    over = PENNIES.start(2).after("left").after("left")
    with pytest.raises(TrajanError, match="game is over"):
        search(InformationSet(over), iterations=10)
    with pytest.raises(TrajanError, match="needs a limit"):
        search(InformationSet(NIM_POSITION))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"prior": "game", "selection": "puct"}, "prior: game needs knowledge"),
        ({"playout": "policy"}, "playout: policy needs knowledge"),
        ({"cutoff": "evaluate", "playout_rounds": 1}, "cutoff: evaluate needs knowledge"),
        ({"weights": {"trust": 1.0}}, "no such weight"),
    ],
)
def test_missing_knowledge_is_reported(settings, complaint):
    with pytest.raises(TrajanError, match=complaint):
        search(InformationSet(FORK.start(3)), Settings(**settings), iterations=10)


@pytest.mark.parametrize("setting", ["selection", "playout"])
def test_the_values_of_settings_equal_those_of_the_compiled_search(setting):
    words = get_args(Settings.model_fields[setting].annotation)
    assert set(words) == set(getattr(ismcts, f"{setting.upper()}S"))
