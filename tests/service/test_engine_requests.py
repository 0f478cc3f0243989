"""The answers of the engine: suggestions, positions, stops and errors (docs/engine.md)."""

import codecs
import itertools
import json
import os
import threading
import time

import pytest
from engine_requests import FOREVER, RECORDS, START, Desk, midgame
from golden_games import witnessed

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.decision import advice
from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import KUHN
from trajan_ai.mcts.clock import decision_seconds
from trajan_ai.records import position_files
from trajan_ai.service import outbox, process
from trajan_ai.service.protocol import MAX_LINE_BYTES
from trajan_ai.service.root import describe_root

QUICK = {"kind": "suggest", "position": START, "iterations": 200, "bot": "ismcts"}


@pytest.fixture
def desk():
    with Desk() as desk:
        yield desk


def without_times(result):
    return {key: value for key, value in result.items() if key != "seconds"}


@pytest.mark.parametrize("game", RECORDS)
def test_record_view_and_state_get_the_same_answer(desk, game):
    record = {"record": RECORDS[game], "ply": 60}
    state = desk.ask(id=0, kind="apply", position=record)["result"]["state"]
    ways = [record, {"view": midgame(game)[1]}, {"state": state}]
    answers = [
        desk.ask(id=1, kind="suggest", position=way, iterations=200, cache=False) for way in ways
    ]
    assert len({json.dumps(without_times(answer["result"])) for answer in answers}) == 1
    # The request asked for neither `turns` nor `sources`. That `sources` are missing is tested in
    # test_every_interface.py.
    assert "turns" not in answers[0]["result"]
    for kind in ("legal", "view", "board"):
        results = [desk.ask(id=1, kind=kind, position=way)["result"] for way in ways]
        assert results[0] == results[1] == results[2]


def test_a_request_may_contain_start_and_actions(desk):
    actions = ["marker blue", "marker green"]
    state = desk.ask(id=0, kind="apply", position=START, actions=actions)["result"]["state"]
    ways = [START | {"actions": actions}, {"state": state}]
    for kind in ("legal", "view", "board"):
        one, other = (desk.ask(id=1, kind=kind, position=way)["result"] for way in ways)
        assert one == other
    one, other = (desk.ask(id=1, **QUICK | {"position": way, "cache": False}) for way in ways)
    assert without_times(one["result"]) == without_times(other["result"])
    answer = desk.ask(id=1, kind="legal", position=START | {"actions": ["marker blue", "x"]})
    (problem,) = answer["problems"]
    assert problem.startswith(
        "position.actions[1]: trajan: 'x' is not legal for player 0 at ply 1"
    )


@pytest.mark.parametrize("game", RECORDS)
def test_the_root_has_value_prior_and_policy(desk, game):
    position, view = midgame(game)
    request = QUICK | {"position": {"view": view}, "bot": "expert", "cache": False}
    plain, result = (desk.ask(id=1, root=root, **request)["result"] for root in (False, True))
    assert "root" not in plain
    root = result["root"]
    assert [move["action"] for move in root["moves"]] == position.legal()
    assert sum(move["policy"] for move in root["moves"]) == pytest.approx(1)
    assert sum(move["prior"] for move in root["moves"]) == pytest.approx(1, abs=1e-5)
    shares = {move["action"]: move["share"] for move in result["moves"]}
    assert all(shares.get(move["action"], 0) == move["policy"] for move in root["moves"])
    for name, value in root["value"].items():
        figures = [move[name] for move in result["moves"] if move["share"]]
        assert min(figures) <= value <= max(figures)


def test_a_game_without_priors_has_none_at_the_root():
    knowledge = InformationSet(KUHN.start(2, seed=1))
    settings = read_bot("ismcts")
    analysis = advice.search(KUHN.start(2, seed=1), settings, iterations=50)
    root = describe_root(analysis, knowledge, settings)
    assert [move["prior"] for move in root["moves"]] == [None, None]
    assert 0 <= root["value"]["win"] <= 1


@pytest.mark.parametrize("game", RECORDS)
def test_decisions_share_a_game_clock(game):
    position = records.replay(RECORDS[game], 0)
    start, increment, random = 60.0, 0.5, Random(5)
    clocks = [start] * position.players
    while position.player is not None:
        player, turn = position.player, position.turn
        knowledge = InformationSet(position)
        seconds = decision_seconds(knowledge.canonical, clocks[player], increment, position.ply)
        assert 0 < seconds < clocks[player]
        clocks[player] -= seconds
        legal = position.legal_moves()
        position = position.after_move(legal[random.below(len(legal))])
        clocks[player] += increment if position.turn != turn else 0.0
    assert max(clocks) < 0.3 * start


def test_a_clock_limits_the_search_and_must_fit_the_players(desk):
    clock = {"remaining": [0.4, 100], "increment": 0}
    result = desk.ask(id=1, kind="suggest", position=START, bot="ismcts", clock=clock)["result"]
    assert 0 < result["seconds"] < 0.4
    answer = desk.ask(id=1, **QUICK | {"clock": {"remaining": [1, 2, 3]}})
    assert answer["problems"] == ["clock.remaining: must have 2 numbers, got 3"]
    answer = desk.ask(id=1, **QUICK | {"clock": clock, "seconds": 1})
    assert answer["problems"] == ["clock cannot be combined with plies or seconds"]


def test_the_other_requests_return_what_the_package_returns(desk):
    position, view = midgame()
    here = {"view": view}
    assert desk.ask(id=1, kind="legal", position=here)["result"] == {
        "player": position.player,
        "actions": position.legal(),
    }
    assert desk.ask(id=1, kind="view", position=here)["result"] == view
    other = (position.player + 1) % position.players
    record = {"record": RECORDS["trajan"], "ply": 60}
    assert desk.ask(id=1, kind="view", position=record, player=other)[
        "result"
    ] == position_files.position_file(position, other)
    drawn = desk.ask(id=1, kind="board", position=record, player=other)["result"]
    assert drawn == {"player": other, "text": position.game.rules.draw(position, other)}
    drawn = desk.ask(id=1, kind="board", position=record, player=other, format="svg")["result"]
    assert drawn == {"player": other, "svg": position.game.rules.picture(position.view(other))}


def test_apply_plays_to_the_end(desk):
    entry = RECORDS["trajan"]
    actions = [action for _, action in entry["actions"]]
    half = desk.ask(id=1, kind="apply", position={"record": entry, "ply": 0}, actions=actions[:9])
    state = {"state": half["result"]["state"]}
    assert half["result"]["player"] == entry["actions"][9][0]
    end = desk.ask(id=2, kind="apply", position=state, actions=actions[9:])["result"]
    assert (end["player"], end["scores"], end["ranks"]) == (None, entry["scores"], entry["ranks"])
    assert desk.ask(id=3, kind="legal", position={"state": end["state"]})["result"] == {
        "player": None,
        "actions": [],
    }


def test_apply_lists_events_on_request_as_an_observer_sees_them(desk):
    entry = RECORDS["trajan"]
    request = {
        "kind": "apply",
        "position": {"record": entry, "ply": 0},
        "actions": [action for _, action in entry["actions"]],
    }
    assert "events" not in desk.ask(id=1, **request)["result"]
    all_events = desk.ask(id=2, events=True, **request)["result"]["events"]
    for player, score in enumerate(entry["scores"]):
        assert sum(one["vp"] for one in all_events if one["player"] == player) == score
    visible = desk.ask(id=3, events=True, observer=0, **request)["result"]["events"]
    hidden = [one for one in visible if one["player"] == 1 and one["name"] == "draw"]
    assert hidden
    assert {(one["thing"], one["words"]) for one in hidden} == {(None, "draws a card")}
    answer = desk.ask(id=4, events=True, observer=9, **request)
    assert answer["problems"][0].startswith("observer: must be 0 to")


def test_version_and_bots_describe_the_package(desk):
    version = desk.ask(id=1, kind="version")["result"]
    assert (version["version"], version["protocol"]) == (trajan_ai.__version__, 1)
    assert version["games"] == list(trajan_ai.GAMES)
    bots = desk.ask(id=1, kind="bots")["result"]
    searching = {bot["name"] for bot in bots["bots"] if bot["searches"]}
    assert {bots["default"], "ismcts"} <= searching
    assert "greedy" not in searching


def position(way, **fields):
    return {"id": 1, "kind": "legal", "position": {way: fields}}


def start(game="trajan", **fields):
    return position("start", game=game, players=2, **fields)


def suggest(**fields):
    return {"id": 1, **QUICK, **fields}


def bot(**settings):
    return suggest(bot=settings)


AT_START = {"id": 1, "position": START}


@pytest.mark.parametrize(
    ("request_", "error", "problem"),
    [
        ({"id": 1}, "request", "kind: must be one of suggest, legal"),
        ({"id": 1, "kind": "explain"}, "request", "got 'explain'"),
        ({"id": 1, "kind": "version", "verbose": 1}, "request", "verbose: unknown key"),
        ({"id": 1, "kind": "legal"}, "request", "position: is missing"),
        ({"id": 1, "kind": "legal", "position": {}}, "request", "exactly one of record, view"),
        (
            {"id": 1, "kind": "legal", "position": START | {"ply": 3}},
            "request",
            "ply requires record",
        ),
        (suggest(iterations=0), "request", "iterations: must be"),
        ({"id": 1, "kind": "legal", "position": {"state": "x"}}, "input", "there is no state 'x'"),
        (start("chess"), "input", "position.start: no game is called 'chess'"),
        (start(options={"seed": 1}), "input", "position.start: trajan: unknown option 'seed'"),
        (position("view", game="trajan"), "input", "position.view: format: is missing"),
        (position("record", game="trajan"), "input", "position.record: key 'format' is missing"),
        (
            {**AT_START, "kind": "apply", "actions": ["marker blue", "jump"]},
            "input",
            "actions[1]: trajan: 'jump' is not legal",
        ),
        *(
            (
                {**AT_START, "kind": kind, **tree, "player": player},
                "input",
                f"player: must be 0 to 1, got {player}",
            )
            for kind, tree in (("view", {}), ("board", {}), ("ponder", {"tree": "t"}))
            for player in (-1, 2, 7)
        ),
        (suggest(tree="t", since=["jump"]), "input", "since[0]: trajan: no action"),
        (suggest(tree="t", since=["marker blue", "x"]), "input", "since[1]: trajan: no action"),
        (suggest(bot="x"), "input", "bot: must be a mapping of settings or one of"),
        (suggest(bot="greedy"), "input", "does not search"),
        (bot(extends="/etc/bot.yaml"), "input", "bot.extends: must be one of expert"),
        (bot(kind="python"), "input", "bot.kind: must be one of ismcts, got"),
        (bot(extends="expert", network="/etc/net.bin"), "input", "bot.network: must be null"),
        (bot(extends="expert", cheat=True), "input", "bot.cheat: must be false"),
        (bot(extends="expert", weights={"luck": 1}), "input", "weights.luck"),
        (suggest(allow=["jump"]), "input", "allow[0]: trajan: 'jump' is not legal"),
        (suggest(avoid=["jump", "hop"]), "input", "avoid[1]: trajan: 'hop' is not legal"),
        (suggest(allow=[]), "input", "allow, avoid: these exclude every legal move"),
        (suggest(plies=[0]), "request", "plies requires a position.record, without"),
        (suggest(position={"record": {}}, plies=[1, 1]), "request", "plies must differ"),
        (
            suggest(position={"record": {}}, plies=[1], tree="t"),
            "request",
            "cannot be combined with plies",
        ),
        (suggest(since=["pass"]), "request", "since requires tree"),
        (suggest(tree="t", allow=[]), "request", "allow and avoid cannot be combined with tree"),
        (
            suggest(tree="t", grade="verified"),
            "request",
            "if a request has tree, its grade must be quick",
        ),
        (
            suggest(tree="t", grade="rollout"),
            "request",
            "if a request has tree, its grade must be quick",
        ),
        (suggest(redeals=8), "input", "redeals: allowed only with the grade rollout"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_a_rejected_request_names_the_place_and_what_is_allowed(desk, request_, error, problem):
    answer = desk.ask(**request_)
    assert (answer["status"], answer["id"], answer["line"]) == ("error", 1, 1)
    assert answer["error"] == error
    assert problem in " ".join(answer["problems"])


@pytest.mark.parametrize(
    ("line", "error", "problem"),
    [
        ("hello", "json", "not a complete JSON object (Expecting value at column 1)"),
        ("[]", "json", "a request must be a JSON object, got list"),
        ('{"id": 1, "id": 2}', "json", "duplicate key 'id'"),
        ('{"id": 1, "kind": NaN}', "json", "NaN is not a JSON number"),
        ("1" * 5000, "json", "digits"),
        ("x" * (MAX_LINE_BYTES + 1), "json", "longer than 4,194,304 bytes"),
        ("[" * 100_000, "json", "nested too deeply for a request"),
        ('{"id":1,"kind":"legal","position":[' * 100_000, "json", "nested too deeply"),
        ('{"kind": "version"}', "request", "id: is missing"),
        ('{"id": true, "kind": "version"}', "request", "id: must be a string of 1 to 200"),
    ],
    ids=lambda value: value[:30],
)
def test_a_line_without_a_valid_id_is_rejected_without_one(desk, line, error, problem):
    assert desk.put(b" \r")
    assert desk.put(line.encode())
    answer = desk.receive()
    assert (answer["status"], answer["id"], answer["line"]) == ("error", None, 2)
    assert answer["error"] == error
    assert problem in " ".join(answer["problems"])


@pytest.mark.parametrize("depth", [50, 400, 900])
@pytest.mark.parametrize("field", ["position", "view", "bot", "id", "actions"])
def test_deep_nesting_is_an_error_of_the_request(desk, field, depth):
    value = "[" * depth + "]" * depth
    named = f'"position":{{"view":{{"a":{value}}}}}' if field == "view" else f'"{field}":{value}'
    desk.put(f'{{"id":1,"kind":"suggest","position":{json.dumps(START)},{named}}}'.encode())
    assert desk.receive()["error"] in ("json", "request", "input")


def test_problems_are_short_and_few(desk):
    actions = {str(number): "x" * 10_000 for number in range(100)}
    answer = desk.ask(id=1, kind="version", **actions)
    assert len(answer["problems"]) == 21
    assert answer["problems"][-1] == "and 80 more"
    answer = desk.ask(id=1, kind="legal", position={"state": 1}, **{"k" * 1000: 1})
    assert all(len(problem) <= 500 for problem in answer["problems"])
    desk.engine._send_outcome(2, "error", TrajanError("of a search"))
    answer = desk.receive()
    assert (answer["id"], answer["error"], answer["problems"]) == (2, "input", ["of a search"])


def test_a_finished_game_has_no_suggestion(desk):
    over = {"record": RECORDS["trajan"]}
    answer = desk.ask(id=1, kind="suggest", position=over)
    assert answer["problems"] == ["position: the game is over, so there is nothing to decide"]
    assert "because the game is over" in desk.ask(id=1, kind="view", position=over)["problems"][0]
    assert desk.ask(id=1, kind="view", position=over, player=0)["status"] == "done"


def test_an_id_must_not_be_in_use(desk):
    desk.send(id="a", **FOREVER)
    assert desk.ask(id="a", **QUICK)["id"] is None
    desk.put(b'{"id": "a", "kind": "nonsense"}')
    rejected = desk.receive()
    assert (rejected["id"], rejected["duplicate"]) == (None, "a")
    desk.send(id="b", kind="stop", target="a")
    answers = {answer["id"]: answer for answer in (desk.receive(), desk.receive())}
    assert answers["b"]["result"] == {"stopped": ["a"]}
    assert answers["a"]["status"] == "stopped"
    assert desk.ask(id="a", **QUICK)["status"] == "done"


def test_a_stopped_search_returns_its_result_so_far(desk):
    desk.send(id=1, report_every=0.05, **FOREVER)
    interim = desk.receive()
    assert interim["status"] == "interim"
    desk.send(id=2, kind="stop_all")
    last = {answer["id"]: answer for answer in (desk.receive_last(), desk.receive_last())}
    assert last[2]["result"] == {"stopped": [1]}
    assert last[1]["status"] == "stopped"
    assert last[1]["result"]["iterations"] > interim["result"]["iterations"] > 0
    assert desk.ask(id=3, kind="stop", target=1)["result"] == {"stopped": []}


def test_stopping_the_searches_of_one_client_leaves_the_others(desk):
    desk.send(id=1, client="a", **FOREVER)
    desk.send(id=2, client="b", **FOREVER)
    desk.send(id=3, kind="stop_all", client="a")
    assert {desk.receive()["id"], desk.receive()["id"]} == {1, 3}
    assert list(desk.engine.tickets) == [2]


def test_a_search_in_the_queue_is_stopped_without_result():
    with Desk(positions=1) as desk:
        desk.send(id=1, **FOREVER)
        desk.send(id=2, **FOREVER)
        desk.send(id=3, kind="stop", target=2)
        answers = {answer["id"]: answer for answer in (desk.receive(), desk.receive())}
    assert (answers[2]["status"], answers[2]["result"]) == ("stopped", None)


def test_too_many_waiting_searches_are_rejected():
    with Desk(positions=1, queue=1) as desk:
        desk.send(id=1, **FOREVER)
        desk.send(id=2, **FOREVER)
        answer = desk.ask(id=3, **FOREVER)
        assert (answer["id"], answer["error"]) == (3, "busy")
        assert sorted(desk.engine.stop_all()) == [1, 2]
        assert {desk.receive()["id"], desk.receive()["id"]} == {1, 2}


def test_quit_is_answered_last(desk):
    for number in range(3):
        desk.send(id=number, **FOREVER)
    assert not desk.send(id="q", kind="quit")
    ended = threading.Event()
    desk.engine.finish(ended.set)
    assert ended.wait(60)
    answers = [desk.receive() for _ in range(4)]
    assert {answer["status"] for answer in answers[:3]} == {"stopped"}
    assert answers[3] == {"id": "q", "status": "done", "result": {"stopped": [0, 1, 2]}}


def test_the_same_request_is_answered_from_the_cache(desk):
    first = desk.ask(id=1, **QUICK)
    again = desk.ask(id=2, **QUICK)
    assert "cached" not in first
    assert again == {**first, "id": 2, "cached": True}
    assert desk.ask(id=2, **QUICK, client="else", report_every=1.0)["cached"]
    assert "cached" not in desk.ask(id=3, **QUICK, cache=False)
    for change in ({"seed": 1}, {"top": 1}, {"iterations": 210}, {"threads": 2}):
        assert "cached" not in desk.ask(id=4, **QUICK | change)
    desk.send(id=5, **FOREVER)
    desk.engine.stop_all()
    assert desk.receive()["status"] == "stopped"
    desk.send(id=6, **FOREVER)
    desk.engine.stop_all()
    assert desk.receive()["status"] == "stopped", "a stopped answer is not cached"


def test_inline_settings_extend_a_built_in_bot(desk):
    bot = {"extends": "expert", "exploration": 2.0}
    ours = desk.ask(id=1, **QUICK | {"bot": bot})["result"]
    assert without_times(ours) != without_times(desk.ask(id=1, **QUICK)["result"])
    plain = desk.ask(id=1, **QUICK | {"bot": "expert"})["result"]
    assert without_times(ours) != without_times(plain)


def test_memory_is_shared_by_all_positions():
    small = {"extends": "ismcts", "playout_rounds": 1}
    whole = {"iterations": 120_000, "bot": small, "grade": "quick"}
    with Desk(positions=4, memory=4.0) as desk:
        result = desk.ask(id=1, **FOREVER | whole)["result"]
        growing = desk.ask(id=2, **FOREVER | whole | {"iterations": 100})["result"]
    assert 2**19 < result["memory_bytes"] <= 2**20
    assert result["tree_full"]
    assert not growing["tree_full"]


@pytest.mark.parametrize(
    "name",
    [
        "trajan",
        pytest.param("forum_trajanum", marks=(pytest.mark.long, pytest.mark.exhaustive)),
    ],
)
def test_kept_trees_share_the_memory_with_searches(name):
    """Named trees are kept after their searches, until other searches need their memory."""
    position = {"record": RECORDS[name], "ply": 60}
    bot = {"extends": "expert", "playout_rounds": 1}
    grow = {"kind": "suggest", "position": position, "iterations": 20_000, "bot": bot}
    with Desk(positions=8, memory=8.0) as desk:
        for number in range(12):
            assert desk.ask(id=number, tree=f"t{number}", **grow)["status"] == "done"
        trees = desk.engine.trees
        sizes = [tree.searcher.memory_bytes for tree, _ in trees.trees.entries.values()]
        assert len(sizes) == len(trees.alive) == 8
        assert 4 * 2**20 < sum(sizes) <= 8 * 2**20
        assert desk.ask(id="plain", **grow)["status"] == "done"
        assert list(trees.trees.entries) == [f"t{number}" for number in range(5, 12)]


def test_unwritten_interim_answers_are_replaced(monkeypatch):
    written = []
    go_on = threading.Event()

    def slow_write(descriptor, data):
        go_on.wait(60)
        written.append(bytes(data))
        return len(data)

    monkeypatch.setattr(outbox.os, "write", slow_write)
    box = outbox.Outbox(1, lambda: None)
    box.put("first")
    while box.lines:
        time.sleep(0.001)
    for line, token in (("a1", "a"), ("b1", "b"), ("x", None), ("a2", "a"), ("y", None)):
        box.put(line, token)
    done = threading.Event()
    box.call_when_written(done.set)
    assert not done.is_set()
    go_on.set()
    assert done.wait(60)
    assert b"".join(written) == b"first\na2\nb1\nx\ny\n"


def test_reading_waits_while_too_much_is_unwritten(monkeypatch):
    read, write = os.pipe()
    monkeypatch.setattr(outbox, "MAX_UNWRITTEN", 200_000)
    box = outbox.Outbox(write, lambda: None)
    for _ in range(30):
        box.put("x" * 9_999)
    waited = threading.Thread(target=box.wait_for_room)
    waited.start()
    waited.join(0.05)
    assert waited.is_alive()
    count = 0
    while count < 300_000:
        count += len(os.read(read, 1 << 20))
    waited.join(60)
    assert not waited.is_alive()
    os.close(read)
    os.close(write)


def test_lines_are_whole_however_they_arrive(monkeypatch):
    monkeypatch.setattr(process, "READ_BYTES", 7)
    monkeypatch.setattr(process, "MAX_LINE_BYTES", 20)
    sent = [b"", b"a", b"123456", b"1234567", b"b" * 20, b"c" * 100, b"", b"the end"]
    read, write = os.pipe()
    os.write(write, b"\n".join(sent))
    os.close(write)
    received = list(process.read_lines(read))
    os.close(read)
    assert len(received) == len(sent)
    assert [line for line in received if len(line) <= 20] == [
        line for line in sent if len(line) <= 20
    ]


def test_interim_answers_count_more_iterations_until_the_searches_behind_moves(desk):
    request = {"kind": "suggest", "position": {"view": midgame()[1]}, "grade": "verified"}
    desk.send(id=1, iterations=20_000, top=3, report_every=0.05, **request)
    answers = [desk.receive()]
    while answers[-1]["status"] == "interim":
        answers.append(desk.receive())
    work = [answer["result"]["iterations"] for answer in answers]
    assert work == sorted(work)
    grades = [answer["result"]["grade"] for answer in answers]
    assert grades[-1] == "verified"
    assert grades == sorted(grades)  # quick analyses come first
    assert answers[-1]["status"] == "done"
    whole = desk.ask(id=2, iterations=20_000, top=3, cache=False, **request)["result"]
    assert without_times(answers[-1]["result"]) == without_times(whole)


@pytest.mark.slow
def test_seconds_are_for_all_searches_together(desk):
    request = {"kind": "suggest", "position": {"view": midgame()[1]}, "seconds": 0.4}
    for grade, searches in (("quick", 1), ("verified", 9)):
        result = desk.ask(id=1, grade=grade, top=2, **request)["result"]
        assert result["searches"] == searches
        assert 0.3 < result["seconds"] < 4.0  # with a margin for a busy machine


@pytest.mark.slow
def test_an_analysis_that_is_stopped_between_its_searches_is_answered(desk):
    _, view = midgame()
    ended = threading.Event()
    request = {"kind": "suggest", "position": {"view": view}, "turns": True, "grade": "verified"}
    desk.send(id="long", seconds=8, report_every=0.05, **request)
    while desk.receive()["result"]["searches"] < 2:
        pass
    desk.send(id="stop", kind="stop", target="long")
    answers = {answer["id"]: answer for answer in (desk.receive_last(), desk.receive_last())}
    assert answers["stop"]["result"] == {"stopped": ["long"]}
    assert answers["long"]["status"] == "stopped"
    assert answers["long"]["result"]["moves"]
    desk.send(id="next", seconds=0.2, **request)
    desk.engine.finish(ended.set)
    assert desk.receive()["result"]["turns"]
    assert ended.wait(60)


def test_only_allowed_moves_are_compared(desk):
    legal = desk.ask(id=0, kind="legal", position=START)["result"]["actions"]
    for grade in ("quick", "verified"):
        for among in ({"allow": legal[2:5]}, {"avoid": legal[:2] + legal[5:]}):
            result = desk.ask(id=1, **QUICK, grade=grade, cache=False, **among)["result"]
            assert {move["action"] for move in result["moves"]} == set(legal[2:5])
            assert all(move["visits"] for move in result["moves"])
    one = desk.ask(id=2, **QUICK, allow=legal[:3], avoid=legal[1:])["result"]
    assert [move["action"] for move in one["moves"]] == legal[:1]
    assert "cached" not in desk.ask(id=3, **QUICK)
    assert desk.ask(id=3, **QUICK, allow=legal)["cached"], "all moves are no restriction"


def test_several_plies_of_a_record_are_answered_one_by_one_and_together(desk):
    record, plies = {"record": RECORDS["trajan"]}, [70, 3, 40]
    budget = {"iterations": 60, "bot": "ismcts", "kind": "suggest"}
    desk.send(id=1, position=record, plies=plies, **budget)
    answers = [desk.receive() for _ in range(4)]
    assert [answer["status"] for answer in answers] == ["interim"] * 3 + ["done"]
    singly = {answer["ply"]: answer["result"] for answer in answers[:3]}
    together = answers[3]["result"]["plies"]
    assert together == [{"ply": ply, "result": singly[ply]} for ply in plies]
    for ply in plies:
        alone = desk.ask(id=2, position=record | {"ply": ply}, **budget)
        assert alone["cached"]
        assert alone["result"] == singly[ply]
    end = len(RECORDS["trajan"]["actions"])
    rejected = desk.ask(id=3, position=record, plies=[5, end], **budget)
    assert rejected["problems"] == [
        "plies[1]: position: the game is over, so there is nothing to decide"
    ]
    desk.send(id=4, position=record, plies=[1, 2], **budget | {"iterations": 2**31 - 1})
    assert desk.ask(id=5, kind="stop", target=4)["result"] == {"stopped": [4]}
    assert desk.receive_last()["status"] == "stopped"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_tree_is_reused_from_position_to_position(desk, name):
    """The player ponders while another player decides; the visits of this search are reused
    later."""
    record, budget = RECORDS[name], {"iterations": 40, "bot": "ismcts", "tree": "t"}
    played = [records.replay(record, ply) for ply in range(60, 90)]
    reused = fresh = 0
    for before, after in itertools.pairwise(played):
        spec = {"record": record, "ply": before.ply}
        desk.send(
            id="p", kind="ponder", position=spec, player=after.player, bot="ismcts", tree="t"
        )
        while not desk.engine.trees.trees.entries:
            time.sleep(0.001)
        time.sleep(0.02)
        since = [record["actions"][before.ply][1]]
        spec = {"record": record, "ply": after.ply}
        desk.send(id="s", kind="suggest", position=spec, since=since, **budget)
        pondered, answer = desk.receive_last(), desk.receive_last()
        assert (pondered["id"], pondered["status"]) == ("p", "stopped")
        assert (answer["id"], answer["status"]) == ("s", "done")
        assert answer["result"]["iterations"] == 40
        legal = set(after.legal())
        assert {move["action"] for move in answer["result"]["moves"]} == legal
        tree = desk.engine.trees.trees.get("t")[0]
        more = sum(stat["visits"] for stat in tree.searcher.root_moves()) > 40
        reused, fresh = reused + more, fresh + (not more)
        assert desk.ask(id="c", kind="clear")["result"]["trees"] == 1
    assert reused > 5, "some moves reveal nothing, so the tree is reused"


@pytest.mark.parametrize("name", RECORDS)
def test_hidden_cards_do_not_change_a_named_tree(desk, name):
    pairs = 0
    for ply in range(20, 240, 5):
        position = records.replay(RECORDS[name], ply)
        player, action = position.player, position.legal()[0]
        results = []
        for world in (position, position.determinized(player, ply)):
            after = world.after(action)
            knowledge = InformationSet(after, player)
            if after.player != player or knowledge != InformationSet(
                position.after(action), player
            ):
                break  # another player decides, or the move reveals something else
            for at, since in ((world, []), (after, [action])):
                spec, tree = {"state": desk.engine.states.keep(at)}, f"t{len(results)}"
                answer = desk.ask(
                    id=1, kind="suggest", position=spec, iterations=30, bot="ismcts",
                    tree=tree, since=since,
                )  # fmt: skip
            results.append(without_times(answer["result"]))
        if len(results) == 2:
            assert results[0] == results[1]
            pairs += 1
    assert pairs > 4


def test_pondering_stops_for_other_searches_and_all_are_answered(desk):
    spec = {"position": START, "bot": "ismcts", "tree": "t"}
    for number in range(3):
        desk.send(id=number, kind="ponder", **spec)
    desk.send(id=3, kind="suggest", iterations=30, **spec)
    desk.send(id=4, kind="ponder", **spec)
    desk.send(id=5, kind="stop_all")
    answers = [desk.receive_last() for _ in range(6)]
    status = {answer["id"]: answer["status"] for answer in answers}
    assert set(status) == set(range(6))
    assert {status[number] for number in (0, 1, 2, 4)} == {"stopped"}
    assert not desk.engine.tree_queues
    desk.send(id=6, kind="ponder", **spec)
    ended = threading.Event()
    desk.engine.finish(ended.set)  # the end of the input
    assert ended.wait(60)
    assert desk.receive()["status"] == "stopped"


def test_clear_drops_answers_and_trees(desk):
    desk.ask(id=1, **QUICK)
    desk.ask(id=2, **QUICK, tree="t")
    assert desk.ask(id=3, kind="clear")["result"] == {"answers": 1, "trees": 1}
    assert "cached" not in desk.ask(id=4, **QUICK)


def test_a_byte_order_mark_is_ignored(desk):
    desk.put(codecs.BOM_UTF8 + b'{"id": 1, "kind": "version"}')
    assert desk.receive()["status"] == "done"
    desk.put(codecs.BOM_UTF8 + b'{"id": 1, "kind": "version"}')
    assert desk.receive()["status"] == "done", "also in files that were joined"


def test_a_witnessed_record_is_searched_for_its_witness_only(desk):
    game = witnessed(RECORDS["trajan"], 1, count=60)
    record = game.record()
    own, other = (
        next(n for n in range(40, 60) if (game.positions[n].player == 1) == is_own)
        for is_own in (True, False)
    )
    reply = desk.ask(id=1, **QUICK | {"position": {"record": record, "ply": own}})
    expected = {"view": position_files.position_file(game.positions[own], 1)}
    same = desk.ask(id=2, **QUICK | {"position": expected})
    assert without_times(reply["result"]) == without_times(same["result"])
    answer = desk.ask(id=3, **QUICK | {"position": {"record": record, "ply": other}})
    assert "contains only what player 1 knows" in answer["problems"][0]
