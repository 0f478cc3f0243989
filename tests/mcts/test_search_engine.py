"""The search itself: against a plain one, chunks, threads, limits, reuse, and every switch."""

import signal
import threading
import time
from typing import get_args

import pytest
from plain_ismcts import LeadPayoffs, plain_search
from searching import EVEN, NIM_POSITION, data, found, grown, visits

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
def test_visits_equal_those_of_a_plain_search(position, selection):
    fast = found(position, 700, seed=5, selection=selection)
    assert visits(fast) == plain_search(position, 700, 5, selection)


@pytest.mark.parametrize("selection", ["ucb1", "puct"])
@pytest.mark.parametrize("position", OWN_POSITIONS, ids=lambda p: f"{p.game.name}-{p.players}")
def test_trees_of_own_moves_equal_those_of_a_plain_search(position, selection):
    fast = found(position, 400, seed=5, algorithm="own", selection=selection)
    assert visits(fast) == plain_search(position, 400, 5, selection, own=True)


@pytest.mark.parametrize("players", [2, 3])
def test_payoffs_with_a_control_variate_are_those_of_a_plain_search(players):
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
        return found(position, 400, seed=5, **settings)

    assert visits(fast(0.0)) == plain(0.0) != plain(1.0) == visits(fast(1.0))
    assert data(fast(1.0)) == data(fast(1.0, threads=2))


def test_a_control_variate_is_nothing_where_a_game_tells_no_shortfalls():
    how = {"playout": "policy", "payoff": Payoff(margin=1)}
    blind = found(NIM_POSITION, 300, control_variate=1.0, **how)
    assert visits(blind) == visits(found(NIM_POSITION, 300, **how))


def test_exploration_reaches_the_bound():
    fast = visits(found(NIM_POSITION, 500, exploration=0.2))
    assert fast == plain_search(NIM_POSITION, 500, 0, exploration=(0.2, 0.0))
    assert fast != plain_search(NIM_POSITION, 500, 0)


def test_exploration_grows_with_the_visits():
    settings = {"selection": "puct", "exploration_growth": {"nim": 0.3}}
    fast = visits(found(NIM_POSITION, 2000, **settings))
    assert fast == plain_search(NIM_POSITION, 2000, 0, "puct", exploration=(0.7, 0.3))
    assert fast != visits(found(NIM_POSITION, 2000, selection="puct"))
    assert visits(found(NIM_POSITION, 500, **settings)) == visits(
        found(NIM_POSITION, 500, selection="puct")
    )


@pytest.mark.parametrize("chunk", [1, 7, 100_000])
@pytest.mark.parametrize("how", [{}, {"threads": 2, "in_flight": 5}], ids=["alone", "threads"])
def test_result_does_not_depend_on_the_chunk_size(how, chunk):
    engine = ThreadedSearch(NIM, Settings(**EVEN | how), chunk=chunk)
    chunked = engine.search(InformationSet(NIM_POSITION), 3, iterations=2500)
    assert data(chunked) == data(found(NIM_POSITION, 2500, seed=3, **how))


def test_mo_equals_so_where_every_move_is_public():
    so, mo = (found(NIM_POSITION, 800, algorithm=algorithm) for algorithm in ("so", "mo"))
    assert visits(so) == visits(mo)
    assert mo.nodes > so.nodes


def legal_in_some(position, line):
    """Whether a line of moves, each with its player, can be played in some determinization."""
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
    best = found(position, 6000, seed=1, algorithm="own")
    lines = [move.line for move in best.moves if move.visits > 300]
    assert any(len({player for player, _ in line}) == 2 for line in lines)
    assert all(legal_in_some(position, line) for line in lines)


def test_trees_of_own_moves_forget_moves_that_others_made_illegal():
    """In this game a kept root has moves that are legal no more three times."""
    position, step, kept = game("trajan").start(2, 4), 0, 0
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
            kept += sum(visits(best).values()) > 100
            move = best.best.move
        after = position.after_move(move)
        engine.follow(position, after, move)
        position, step = after, step + 1
    assert kept > 20


def test_uniform_visits_all_moves_equally():
    flat = found(NIM_POSITION, 1200, selection="uniform", tree_depth=1)
    assert set(visits(flat).values()) == {100}
    assert flat.nodes == 13


def test_game_prior_leads_puct_to_the_winning_move():
    settings = {"selection": "puct", "exploration": 2.0, "tree_depth": 1}
    informed = found(NIM_POSITION, 60, prior="game", **settings)
    blind = found(NIM_POSITION, 60, **settings)
    doubting = found(NIM_POSITION, 60, prior="game", weights={"trust": 0.0}, **settings)
    assert informed.best.action == "heap 1 take 2"
    assert informed.best.visits > 30
    assert blind.best.visits < 30
    assert visits(doubting) == visits(blind)


def test_policy_playouts_know_a_lost_position():
    base = {"selection": "uniform", "tree_depth": 1}
    uniform = found(LOST, 2000, **base)
    policy = found(LOST, 2000, playout="policy", **base)
    assert max(move.win for move in policy.moves) == 0.0
    assert max(move.win for move in uniform.moves) > 0.3


def test_cut_playouts_end_in_evaluation_or_score():
    base = {"selection": "uniform", "tree_depth": 1, "playout_turns": 1}
    position = NIM.restore(2, {"heaps": [3, 5, 7]})  # nobody can win within two moves
    score = found(position, 600, **base)
    known = found(position, 600, cutoff="evaluate", **base)
    doubt = found(position, 600, cutoff="evaluate", weights={"trust": 0.0}, **base)
    assert {move.scores[score.player] for move in score.moves} == {0.0}
    assert {move.scores[doubt.player] for move in doubt.moves} == {0.5}
    # After the one winning move no reply reaches exclusive or 0; after others some do.
    scores = {move.action: move.scores[known.player] for move in known.moves}
    assert scores["heap 1 take 1"] == 1.0
    assert min(scores.values()) < 1.0


def test_rounds_are_a_turn_for_every_player_and_the_first_limit_cuts():
    start = game("trajan").start(3, seed=4)

    def moves(**cut):
        return found(start, 40, playout="policy", **cut).moves

    assert moves(playout_rounds=4) == moves(playout_turns=12) != moves(playout_turns=4)
    assert moves(playout_rounds=4, playout_turns=5) == moves(playout_turns=5)
    assert moves(playout_rounds=2, playout_turns=50) == moves(playout_turns=6)


@pytest.mark.parametrize(
    ("payoff", "left", "right"),
    [  # the last player gets 4 where the others have 1 and 4, or 3 where they have 1 and 5
        ({"win": 1.0}, 0.5, 0.0),
        ({"rank": 1.0}, 0.75, 0.5),
        ({"margin": 1.0}, 0.5, 0.5 - 0.5 * 2 / (10 + 2)),
        ({"score": 1.0}, 0.4, 0.3),
        ({"rank": 3.0, "score": 1.0}, 0.6625, 0.45),
    ],
)
def test_payoffs_of_a_known_result(payoff, left, right):
    position = FORK.start(3).after("left").after("left")
    scales = {"margin_scale": 10.0, "score_scale": 10.0}
    moves = found(position, 20, payoff=Payoff(**payoff), early_stop=True, **scales).moves
    expected = {"left": left, "right": right}
    assert {move.action: move.payoff for move in moves} == pytest.approx(expected)


def test_early_stop_saves_iterations_and_keeps_the_choice():
    position = NIM.restore(2, {"heaps": [0, 0, 1, 7]})
    stopped = found(position, 50_000, early_stop=True)
    full = found(position, 50_000)
    assert stopped.settled
    assert stopped.iterations < full.iterations == 50_000
    assert stopped.best.action == full.best.action


def test_a_full_tree_goes_on_without_growing():
    position = NIM.restore(2, {"heaps": [7, 7, 7, 6]})
    for selection in ("ucb1", "puct"):
        full = found(position, 20_000, tree_megabytes=0.001, selection=selection)
        assert full.iterations == 20_000
        assert full.memory_bytes <= 32 * 1024
        assert full.nodes <= 1024
        assert sum(visits(full).values()) == 20_000


def test_a_node_takes_at_most_48_bytes():
    large = found(NIM.restore(2, {"heaps": [7, 7, 7, 6]}), 100_000)
    assert large.nodes > 50_000
    assert large.memory_bytes / large.nodes <= 48


def test_seconds_are_kept():
    position = NIM.restore(2, {"heaps": [7, 7, 7, 6]})
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    for seed in range(5):
        started = time.thread_time()  # not wall time: other work on the machine may hold us up
        result = engine.search(InformationSet(position), seed, seconds=0.05)
        assert time.thread_time() - started < 0.05 + 0.005
        assert result.seconds > 0.04


def test_stop_from_another_thread_ends_a_run():
    searcher = Searcher(NIM, Settings(**EVEN))
    searcher.begin(NIM.restore(2, {"heaps": [7, 7, 7, 6]}), 0, 1)
    made = []
    running = threading.Thread(target=lambda: made.append(searcher.run(10**9)))
    running.start()
    time.sleep(0.05)
    searcher.stop()
    running.join(10)
    assert not running.is_alive()
    assert 0 < made[0] < 10**9


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
    assert data(again) == data(found(NIM_POSITION, 700, seed=3, threads=threads))


def test_an_interrupt_while_threads_are_started_leaves_none_running():
    engine = ThreadedSearch(NIM, Settings(threads=3, **EVEN))
    second = engine.helpers.inboxes[1]

    class Interrupted:
        """An inbox at which the interrupt comes, when both helpers have their jobs."""

        def put(self, job):
            second.put(job)
            if job == engine.searcher.help:
                raise KeyboardInterrupt

    engine.helpers.inboxes[1] = Interrupted()
    interrupted = engine.helpers
    with pytest.raises(KeyboardInterrupt):
        engine.search(InformationSet(NIM_POSITION), 1, iterations=2_000_000_000)
    assert engine.helpers is not interrupted
    assert interrupted.done.empty()  # all have come back
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
def test_kept_subtree_continues_with_its_visits(threads):
    engine = ThreadedSearch(NIM, Settings(threads=threads, **EVEN))
    first = engine.search(InformationSet(NIM_POSITION), 1, iterations=2000)
    after = NIM_POSITION.after_move(first.best.move)
    engine.follow(NIM_POSITION, after, first.best.move)
    kept = engine.search(InformationSet(after, 0), 2, iterations=500, keep=True)
    assert sum(visits(kept).values()) >= first.best.visits - 1 + 500
    assert sum(width * nodes for width, nodes in kept.branching.items()) == kept.nodes - 1
    fresh = engine.search(InformationSet(after), 2, iterations=500)
    assert visits(fresh) == visits(found(after, 500, seed=2, threads=threads))


def test_no_tree_is_kept_after_a_move_that_was_not_tried():
    searcher = grown(NIM_POSITION, 3)
    tried = {stat["move"] for stat in searcher.root_moves()}
    move = next(move for move in NIM_POSITION.legal_moves() if move not in tried)
    assert not searcher.follow(NIM_POSITION, NIM_POSITION.after_move(move), move, 1)


def test_who_does_not_notice_a_move_stays_where_they_are_in_their_tree():
    position = first_to_keep(0, "hidden")
    searcher = grown(position, 50, algorithm="mo", tree_depth=1)
    assert searcher.nodes == position.players + len(searcher.root_moves())


def test_a_continuation_is_the_most_visited_one():
    searcher = grown(NIM_POSITION, 3000)
    for move in NIM_POSITION.legal_moves()[:6]:
        (_, (_, reply)) = searcher.line(move, 2, 5)
        engine = grown(NIM_POSITION, 3000)
        after = NIM_POSITION.after_move(move)
        assert engine.follow(NIM_POSITION, after, move, 1)
        engine.begin(after, 1, 1, True)
        stats = engine.root_moves()
        assert max(stats, key=lambda stat: stat["visits"])["move"] == reply


def first_to_keep(player, how):
    """A choice of the first player of a step 1 which tile to keep."""
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
def test_a_tree_is_kept_after_a_move_that_others_see_in_part(how, choice, player, algorithm):
    """Of an open step 1 they see that a tile is kept, not which one; of a hidden one nothing."""
    position = first_to_keep(player, how)
    move = position.legal_moves()[choice]
    searcher = grown(position, 60, algorithm=algorithm)
    (known,) = (stat["visits"] for stat in searcher.root_moves() if stat["move"] == move)
    after = position.after_move(move)
    assert searcher.follow(position, after, move, 1)
    assert searcher.begin(after, position.player, 2, True) in (known, 60)
    searcher.run(100)
    searcher.finish()
    assert sum(stat["count"] for stat in searcher.root_moves()) == 100


@pytest.mark.parametrize(("iterations", "length"), [(18, 1), (20, 2)])
def test_a_continuation_ends_before_moves_of_less_than_five_visits(iterations, length):
    moves = found(FORK.start(3), iterations, selection="uniform").moves
    assert [len(move.line) for move in moves] == [length, length]


def test_a_continuation_is_cut_where_it_is_asked_to_be():
    searcher = grown(NIM_POSITION, 2000)
    move = NIM_POSITION.legal_moves()[0]
    lines = [searcher.line(move, length, 1) for length in range(4)]
    assert [len(line) for line in lines] == [0, 1, 2, 3]
    assert lines[3][0] == (0, move)


def test_nothing_is_kept_for_a_position_the_tree_was_not_led_to():
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    engine.search(InformationSet(NIM_POSITION), 1, iterations=500)
    other = engine.search(InformationSet(LOST), 2, iterations=300, keep=True)
    assert sum(visits(other).values()) == 300


@pytest.mark.parametrize("algorithm", ["so", "mo"])
def test_nothing_is_kept_after_a_hidden_move(algorithm):
    start = PENNIES.start(2)
    for observer, kept in ((0, True), (1, False)):
        searcher = grown(start, 100, observer, algorithm=algorithm)
        assert searcher.follow(start, start.after("left"), 0, 1) is kept


def test_progress_refines_the_same_search():
    seen = []
    final = search(
        InformationSet(NIM_POSITION), Settings(**EVEN), iterations=5000, progress=seen.append
    )
    assert [r.iterations for r in seen] == sorted(r.iterations for r in seen)
    assert len(seen) >= 3
    assert data(final) == data(found(NIM_POSITION, 5000))


def test_untried_moves_are_listed_without_values():
    moves = found(NIM_POSITION, 3).moves
    assert len(moves) == 12
    assert moves[-1].visits == 0
    assert moves[-1].win is None


def test_phases_of_a_timed_search():
    engine = ThreadedSearch(NIM, Settings(**EVEN))
    engine.search(InformationSet(NIM_POSITION), 1, iterations=1000, timed=True)
    searcher = engine.searcher
    assert all(seconds > 0 for seconds in searcher.phases().values())
    engine.search(InformationSet(NIM_POSITION), 1, iterations=1000)
    assert not any(searcher.phases().values())


def test_a_finished_game_and_a_missing_limit_are_named():
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
        ({"cutoff": "evaluate", "playout_turns": 1}, "cutoff: evaluate needs knowledge"),
        ({"weights": {"trust": 1.0}}, "no such weight"),
    ],
)
def test_knowledge_that_a_game_lacks_is_named(settings, complaint):
    with pytest.raises(TrajanError, match=complaint):
        search(InformationSet(FORK.start(3)), Settings(**settings), iterations=10)


@pytest.mark.parametrize("setting", ["selection", "playout"])
def test_the_words_of_a_setting_are_those_of_the_engine(setting):
    words = get_args(Settings.model_fields[setting].annotation)
    assert set(words) == set(getattr(ismcts, f"{setting.upper()}S"))
