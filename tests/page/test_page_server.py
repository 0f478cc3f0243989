"""The server of the page: its answers, the requests that it rejects, and the end of searches."""

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from calls import ROOT
from golden_games import GOLDEN, golden, short_game
from running import run_coroutine
from trajan_boards import at_action, board, position

from trajan_ai import records
from trajan_ai.analysis.annotation import judging
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import EXAMINED, SEEDS
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.page import folder, game_tree, origin_check, reviews, searches
from trajan_ai.page.game_tree import start_game
from trajan_ai.page.work import Threads
from trajan_ai.records import following, position_files


def new(client, **fields):
    """Start a game; return its id."""
    game = {"game": "trajan", "seats": [None, "random"], "seed": 3} | fields
    return client.post("/api/trees", json=game).json()["id"]


def ask(client, id, what="at", **fields):
    answer = client.post(f"/api/trees/{id}/{what}", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def rankings(client, id, node=0, **fields):
    """Yield the rankings of a search; to close the generator is to disconnect."""
    path = f"/api/trees/{id}/search"
    with client.stream("POST", path, json={"node": node} | fields) as answer:
        assert answer.status_code == 200, answer.read()
        for line in answer.iter_lines():
            yield json.loads(line)


def idle(page):
    """Wait until no search is running; return whether this happened in time."""
    for _ in range(300):
        if page.searches.scheduler.active + page.searches.scheduler.waiting == 0:
            return not page.searches.running
        time.sleep(0.02)
    return False


def test_a_node_is_fetched_while_the_person_looks_at_another(client):
    id = new(client, seats=[None, None])
    state = ask(client, id)
    ask(client, id, "play", node=0, action=state["legal"][0][0])
    ahead = ask(client, id, node=1, here=0)
    assert ahead["node"] == 1
    assert ask(client, id)["node"] == 0
    assert ahead == ask(client, id, node=1)
    assert ask(client, id)["node"] == 1
    answer = client.post(f"/api/trees/{id}/at", json={"node": 0, "here": 9})
    assert answer.status_code == 400


def test_an_analysis_that_fails_is_reported(client, monkeypatch, capsys):
    def fail(self, ply, iterations=None):
        raise ValueError("no such ply")

    monkeypatch.setattr(judging.Judging, "judge", fail)
    id = client.post("/api/load", json={"text": records.dumps(short_game())}).json()["id"]
    last = len(ask(client, id)["nodes"]) - 1
    for _ in range(300):
        answer = client.post(f"/api/trees/{id}/review", json={"node": last})
        if answer.status_code != 200:
            break
        time.sleep(0.02)
    assert answer.json() == {"problems": ["The analysis failed: ValueError('no such ply')"]}
    assert "ValueError: no such ply" in capsys.readouterr().err
    monkeypatch.undo()
    again = client.post(f"/api/trees/{id}/review", json={"node": last})
    assert again.status_code == 200


def test_a_failure_is_reported_once_however_late_the_page_asks():
    analyses = reviews.Reviews(SimpleNamespace(submit=lambda *_: None), tree_megabytes=1.0)
    review = analyses.find(short_game())
    review._run(lambda ply: 1 // 0, 0)
    assert analyses.find(short_game()) is review
    with pytest.raises(TrajanError, match="ZeroDivisionError"):
        review.describe([])
    assert analyses.find(short_game()) is not review


def test_an_analysis_that_is_cancelled_while_it_works_reports_nothing(capsys):
    work = SimpleNamespace(submit=lambda *_: None)
    review = reviews.Review(short_game(), work, tree_megabytes=1.0)

    def close(ply):
        review.is_cancelled = True
        raise RuntimeError("the pool is closed")

    review._run(close, 0)
    assert review.failure is None
    assert capsys.readouterr().err == ""


# --- requests from other sites


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        *(
            ("Host", host, 421)
            for host in ("evil.example", "127.0.0.1", "localhost:1", "", "[::1]:80")
        ),
        *(("Origin", page, 403) for page in ("http://evil.example", "null", "https://127.0.0.1")),
        *(("Sec-Fetch-Site", site, 403) for site in ("cross-site", "same-site")),
        *(("Content-Type", kind, 415) for kind in ("text/plain", "multipart/form-data", "")),
    ],
)
def test_requests_of_other_sites_are_rejected(client, header, value, status):
    body = json.dumps({"game": "trajan", "seats": [None, None]})
    headers = {"Content-Type": "application/json"} | {header: value}
    assert client.post("/api/trees", content=body, headers=headers).status_code == status
    for method, path in (("GET", "/"), ("GET", "/api/start"), ("DELETE", "/api/x")):
        answer = client.request(method, path, headers={header: value})
        assert status in (415, answer.status_code)
    assert client.get("/api/start").json()["trees"] == []


def test_a_large_body_is_rejected_whatever_its_header_says(client):
    headers = {"Content-Type": "application/json"}
    large = b" " * (origin_check.MAX_BYTES + 1)
    assert client.post("/api/check", content=large, headers=headers).status_code == 413
    parts = (b" " * 65536 for _ in range(origin_check.MAX_BYTES // 65536 + 2))
    assert client.post("/api/check", content=parts, headers=headers).status_code == 413


@pytest.mark.parametrize("has_length", [True, False])
def test_a_client_that_first_sends_its_whole_large_body_reads_the_answer(served, has_length):
    """Browsers first send the whole body, whereas httpx also reads an answer before that."""
    size = 16 * origin_check.MAX_BYTES
    headers = [f"Host: 127.0.0.1:{served.port}", "Content-Type: application/json"]
    headers.append(f"Content-Length: {size}" if has_length else "Transfer-Encoding: chunked")
    head = "\r\n".join(["POST /api/load HTTP/1.1", *headers, "", ""]).encode()
    part = b" " * 65536
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(head)
        for _ in range(size // len(part)):
            connection.sendall(part if has_length else b"10000\r\n" + part + b"\r\n")
        if not has_length:
            connection.sendall(b"0\r\n\r\n")
        answer = ""
        while origin_check.TOO_LARGE not in answer and (received := connection.recv(65536)):
            answer += received.decode()
    assert answer.startswith("HTTP/1.1 413 ")
    assert origin_check.TOO_LARGE in answer


def test_the_page_and_no_other_file_is_served_under_both_names_of_this_machine(client, served):
    own = {"Origin": served.url, "Sec-Fetch-Site": "same-origin"}
    named = [{"Host": f"{name}:{served.port}"} for name in ("127.0.0.1", "localhost")]
    for path, headers in (("/", named[0]), ("/static/main.js", named[1]), ("/api/start", own)):
        answer = client.get(path, headers=headers)
        assert answer.status_code == 200
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/app.py"):
        assert client.get(path).status_code == 404


# --- bad requests


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("trees", {"game": "chess", "seats": [None, None]}, "games are trajan"),
        ("trees", {"game": "trajan", "seats": [None]}, "seats"),
        ("trees", {"game": "trajan", "seats": [None, "best"]}, "bots are"),
        ("trees", {"game": "trajan", "seats": [None, None], "seed": "x"}, "seed"),
        (
            "trees",
            {"game": "trajan", "seats": [None, None], "options": {"markers": "never"}},
            "chosen or random",
        ),
        ("trees", {"game": "trajan", "seats": [None, None], "size": 3}, "unknown key"),
        ("load", {"text": ""}, "mapping"),
        ("load", {"text": '{"format": "trajan-ai/record"}'}, "missing"),
        ("check", {}, "missing"),
        ("check", [], "mapping"),
    ],
)
def test_a_bad_request_gets_the_problem_and_what_is_allowed(client, path, body, problem):
    answer = client.post(f"/api/{path}", json=body)
    assert answer.status_code == 400
    assert problem in " ".join(answer.json()["problems"])


def test_a_body_that_is_not_json_is_rejected(client):
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[" * 100_000, b"\xff", rb'{"text": "\ud800"}'):
        answer = client.post("/api/check", content=body, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["problems"] == ["the body of the request must be JSON"]


def test_a_decision_of_a_bot_is_rejected(client):
    id = new(client, seats=["random", None])
    answer = client.post(f"/api/trees/{id}/play", json={"node": 0, "action": "marker blue"})
    assert answer.status_code == 400
    assert "this decision is not yours" in answer.text
    for node in (0, 99):
        answer = client.post(f"/api/trees/{id}/search", json={"node": node})
        assert answer.status_code == 400
    assert client.post(f"/api/trees/{'0' * 16}/at", json={}).status_code == 404


def test_the_record_of_a_game_against_bots_is_a_witnessed_one_until_all_cards_are_open(client):
    id = new(client)
    table = following.restore(client.get(f"/api/trees/{id}/record?node=0").json())
    assert (table.observer, table.moves) == (0, [])
    state = ask(client, id, "open")
    assert state["views"] == [0, 1, "open"]
    entry = records.parse(client.get(f"/api/trees/{id}/record?node=0").text)
    assert entry["actions"] == []


@pytest.mark.parametrize("language", ["../x", "x" * 300, "%00", "de/../de", "xx"])
def test_an_unknown_language_is_answered_in_english(client, language):
    answer = client.get(f"/api/languages?language={language}")
    assert (answer.status_code, answer.json()["texts"]) == (200, {})


def test_problems_are_in_the_language_of_the_page(client, served, monkeypatch):
    id = new(client, seats=[None, None])
    action = ask(client, id)["legal"][0][0]
    monkeypatch.setattr(folder, "MAX_GAMES", 1)
    monkeypatch.setattr(game_tree, "MAX_NODES", 1)

    def problem(method, path, body=None):
        answer = client.request(method, f"/api/{path}?language=de", json=body)
        (text,) = json.loads(answer.text)["problems"]
        return text

    search = f"trees/{id}/search"
    assert problem("GET", "practice/0") == "Diese Übung gibt es nicht."
    assert problem("GET", "guides/x/0") == "Zu diesem Spiel gibt es keine Einführung."
    assert problem("GET", "guides/trajan/999") == "Diesen Schritt der Einführung gibt es nicht."
    assert problem("POST", "trees", {"game": "trajan", "seats": [None, None]}) == (
        "Es gibt schon 1 Partien: Lösche einige."
    )
    assert problem("POST", f"trees/{id}/play", {"node": 0, "action": action}) == (
        "Diese Partie hat schon 1 Stellungen: Beginne eine neue."
    )
    monkeypatch.setattr(served.page.searches.scheduler, "queue", 0)
    assert problem("POST", search, {"node": 0}) == (
        "Es laufen zu viele Suchen: Versuche es gleich noch einmal."
    )
    monkeypatch.setattr(searches, "MAX_PER_GAME", 0)
    assert problem("POST", search, {"node": 0}) == (
        "Zu dieser Partie laufen 0 Suchen: Halte eine an."
    )


def test_a_game_is_exported_without_a_damaged_one_which_is_named(client, tmp_path):
    id, damaged = new(client), new(client)
    (tmp_path / f"{damaged}.json").write_text("{")
    (line,) = client.get("/api/trees").text.splitlines()
    assert json.loads(line)["id"] == id
    assert client.get("/api/start").json()["damaged"] == [f"{damaged}.json"]


def test_a_client_that_disconnects_within_a_body_is_no_error(client, served, capfd):
    head = f"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", served.port)) as connection:
            connection.sendall(head.encode() + b'{"text": ')
    assert client.get("/api/start").status_code == 200
    time.sleep(0.2)
    assert capfd.readouterr().err == ""


# --- games


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"), [("trajan", {"lap_length": 3}), ("forum_trajanum", {})]
)
def test_a_game_against_bots_can_be_played_to_its_end(client, served, game, options):
    tree = start_game(game, [None, "random", "greedy"], 3, options)
    line = [tree.root]
    while line[-1].player is not None:
        line.append(line[-1].after(line[-1].legal()[0]))
    for node, there in enumerate(line[:-30]):
        tree.add(node, there.legal()[0])
    tree.here = len(tree.nodes) - 1
    served.page.folder.add(tree)
    state = ask(client, tree.id)
    while state["player"] is not None:
        if state["bot"]:
            state = ask(client, tree.id, "advance", node=state["node"])
        else:
            action = state["legal"][0][0]
            named = {"action": action, "gathered": state["gathered"]}
            state = ask(client, tree.id, "play", node=state["node"], **named)
    assert min(state["ranks"]) == 1
    assert ask(client, tree.id, "advance", node=state["node"])["node"] == state["node"]
    saved = following.restore(client.get(f"/api/trees/{tree.id}/record").json())
    assert saved.position.scores == state["scores"]
    own = [move for move in saved.moves if move.player == 0]
    assert len(ask(client, tree.id, "review", node=state["node"])["plies"]) == len(own)


def test_bots_decide_the_same_after_an_undo(client):
    id = new(client, seats=[None, "expert-20"])
    state = ask(client, id)
    while not state["bot"]:
        state = ask(client, id, "play", node=state["node"], action=state["legal"][0][0])
    before = state["node"]
    after = ask(client, id, "advance", node=before)
    assert ask(client, id, "advance", node=before)["nodes"] == after["nodes"]


def test_two_tabs_that_let_bots_decide_get_one_decision(served):
    with served.client() as first:
        id = new(first, seats=["expert-50", None])

    def tab(_):
        with served.client() as client:
            return len(ask(client, id, "advance", node=0)["nodes"])

    with ThreadPoolExecutor(4) as tabs:
        assert [*tabs.map(tab, range(4))] == [2] * 4


def test_a_game_that_is_deleted_while_a_bot_thinks_stays_deleted(client, served, monkeypatch):
    id = new(client, seats=["random", None])
    choose = served.page.searches.choose

    async def delete_and_choose(*arguments):
        await served.page.delete(id)
        return await choose(*arguments)

    monkeypatch.setattr(served.page.searches, "choose", delete_and_choose)
    answer = client.post(f"/api/trees/{id}/advance", json={"node": 0})
    assert answer.status_code == 404
    assert answer.json()["problems"] == ["There is no such game. Was it deleted?"]
    assert client.get("/api/start").json()["trees"] == []


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_record_opens_at_its_beginning_in_every_view(client, game):
    text = (GOLDEN / f"{game}_2p.jsonl").read_text()
    id = client.post("/api/load", json={"text": text, "title": "mine.jsonl"}).json()["id"]
    state = ask(client, id)
    assert state["node"] == 0
    entry = records.parse(text.splitlines()[0])
    assert [node[1:3] for node in state["nodes"][1:]] == entry["actions"]
    drawings = {ask(client, id, node=90, view=view)["svg"] for view in (0, 1, "open")}
    assert len(drawings) == 3
    for node in (50, len(entry["actions"])):
        again = records.parse(client.get(f"/api/trees/{id}/record?node={node}").text)
        assert again["actions"] == entry["actions"][:node]
    assert (again["scores"], again["setup"]) == (entry["scores"], entry["setup"])


def test_a_search_after_a_turn_is_of_the_next_players_decision(client):
    position = records.replay(golden(), 100)
    id = client.post("/api/load", json={"text": records.dumps(golden())}).json()["id"]
    first, turn = position.player, []
    while position.player == first:
        turn.append(position.legal()[0])
        position = position.after(turn[-1])
    *_, last = rankings(client, id, 100, iterations=50, after=turn)
    assert {move["action"] for move in last["moves"]} <= {*position.legal()}
    for after in (turn[:-1], ["castle"]):
        answer = client.post(f"/api/trees/{id}/search", json={"node": 100, "after": after})
        assert "after: no other player is to move after this turn" in answer.text


def test_a_move_that_reveals_something_is_answered_with_a_question(client):
    there = records.replay(golden(), 17)
    text = position_files.dumps(position_files.position_file(there, there.player))
    id = client.post("/api/load", json={"text": text}).json()["id"]
    answer = client.post(f"/api/trees/{id}/play", json={"action": "goods deck"})
    assert answer.status_code == 409
    (question,) = answer.json()["asks"]
    assert (question["key"], question["count"]) == ("goods_deck", 1)
    assert question["pieces"].keys() == set(question["names"]) > {"oil"}
    state = ask(client, id, "play", action="goods deck", shown={"goods_deck": ["oil"]})
    assert state["node"] != 0


def test_all_cards_of_a_shipment_count_whether_played_or_gathered(client):
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = {"furs": 1, "oil": 1, "wine": 1}
    start = position(view).after("ship different")
    text = position_files.dumps(position_files.position_file(start, 0))
    id = client.post("/api/load", json={"text": text}).json()["id"]
    furs = ask(client, id, "play", action="card furs")
    assert (furs["gathered"], furs["so_far"]) == ([], "furs")
    wine = ask(client, id, "play", node=furs["node"], action="card wine")
    assert (wine["gathered"], wine["so_far"]) == (["card wine"], "furs, wine")
    assert 'data-place="hand 0 wine"' in furs["svg"]
    assert 'data-place="hand 0 wine"' not in wine["svg"]
    query = {"node": wine["node"], "gathered": "card wine"}
    previews = client.get(f"/api/trees/{id}/previews", params=query).json()
    assert {action: one["vp"] for action, one in previews.items()} == {"card oil": 6, "done": 4}
    done = ask(client, id, "play", node=wine["node"], action="done", gathered=["card wine"])
    assert (done["scores"][0] - start.scores[0], done["so_far"]) == (4, "")


def test_a_position_file_opens_for_its_observer_alone(client):
    entry = golden("trajan")
    position = records.replay(entry, 100)
    text = position_files.dumps(position_files.position_file(position, 1))
    id = client.post("/api/load", json={"text": text}).json()["id"]
    state = ask(client, id)
    assert (state["views"], state["view"], state["node"]) == ([1], 1, 0)
    assert client.get(f"/api/trees/{id}/position?node=0").text == text
    assert [event["last"] for event in rankings(client, id, iterations=50)][-1]


def test_a_restart_loses_nothing(serve, tmp_path):
    first = serve(tmp_path)
    with first.client() as client:
        id = new(client, seats=[None, "greedy"])
        state = ask(client, id)
        for _ in range(3):
            state = ask(client, id, "play", node=state["node"], action=state["legal"][0][0])
    first.stop()
    with serve(tmp_path).client() as client:
        assert ask(client, id) == state
        assert client.get("/api/start").json()["trees"][0]["id"] == id
        assert client.delete(f"/api/trees/{id}").status_code == 200
        assert client.get("/api/start").json()["trees"] == []


# --- searches


def test_rankings_count_more_iterations_and_have_sources_from_the_first(client):
    id = new(client, seats=[None, None])
    (*interim, last) = rankings(client, id, iterations=20_000)
    assert {event["last"] for event in interim} == {False}
    assert last["last"]
    work = [event["iterations"] for event in (*interim, last)]
    assert len(work) > 1
    assert work == sorted(work)
    assert all(move["places"][0].startswith("marker ") for move in last["moves"])
    assert last["why"]["actions"] == [move["action"] for move in last["moves"]][:3]


def test_an_analysis_can_end_between_two_of_its_searches():
    knowledge = InformationSet(start_game("trajan", [None, None], 3, {}).root)
    run = advice.begin(knowledge, grade="verified", iterations=40_000)

    async def stop():
        running = searches.Searches(work := Threads(1))
        async with aclosing(running.analyse("game", run)) as results:
            async for result in results:
                last = result
                if run.first:
                    running.stop()
        work.close()
        return last

    is_last, analysis = run_coroutine(stop())
    assert is_last
    assert analysis.searches < SEEDS * EXAMINED, "the rest was not searched"


@pytest.mark.slow
def test_the_shortest_search_of_the_page_verifies_the_best_moves(client):
    id = new(client, seats=[None, None])
    script = (ROOT / "trajan_ai" / "page" / "static" / "tree.js").read_text(encoding="utf-8")
    seconds = int(re.search(r"^const SECONDS = \[(\d+)", script, re.MULTILINE)[1])
    (*_, last) = rankings(client, id, seconds=seconds)
    assert last["last"]
    assert {move["grade"] for move in last["moves"][:3]} == {"verified"}


def test_a_search_ends_when_its_client_disconnects(client, served):
    id = new(client, seats=[None, None])
    search = rankings(client, id, seconds=300)
    (*_, ranking) = [next(search) for _ in range(3)]
    assert len(ranking["why"]["actions"]) == 3, "the last ranking is complete"
    assert served.page.searches.scheduler.active == 1
    search.close()
    assert idle(served.page)


def test_no_field_of_a_search_is_parsed_as_yaml(client):
    id = new(client, seats=[None, None])
    for fields in ({"node": "0"}, {"node": 0, "seconds": "1e1"}, {"node": 0, "after": "a;b"}):
        assert client.post(f"/api/trees/{id}/search", json=fields).status_code == 400
    for query, status in (("node=0", 200), ("node=[0]", 400), ("node=0x0", 400)):
        assert client.get(f"/api/trees/{id}/record?{query}").status_code == status


def test_a_title_of_digits_keeps_its_zeros(client, monkeypatch):
    monkeypatch.setattr(reviews.Review, "page", lambda self, names, title: title)
    id = client.post("/api/load", json={"text": records.dumps(short_game())}).json()["id"]
    last = len(ask(client, id)["nodes"]) - 1
    query = {"node": last, "title": "007"}
    assert client.get(f"/api/trees/{id}/review.html", params=query).text == "007"


@pytest.mark.slow
def test_many_pages_are_served_at_once(served):
    def use(_):
        with served.client() as client:
            id = new(client, seats=[None, None], seed=None)
            (*_, last) = rankings(client, id, iterations=300)
            assert last["moves"][0]["visits"] > 0
            best = last["moves"][0]["action"]
            return ask(client, id, "play", node=0, action=best, exact=True)["node"]

    with ThreadPoolExecutor(8) as pages:
        assert [*pages.map(use, range(8))] == [1] * 8
    assert idle(served.page)


def test_the_searches_of_a_game_and_of_a_server_are_limited(client, served, monkeypatch):
    id = new(client, seats=[None, None])
    running = [rankings(client, id, seconds=60) for _ in range(searches.MAX_PER_GAME)]
    for search in running:
        next(search)
    (rejected,) = rankings(client, id, seconds=60)
    assert "stop one" in rejected["problems"][0]
    for search in running:
        search.close()
    assert idle(served.page)
    monkeypatch.setattr(served.page.searches.scheduler, "queue", 0)
    (rejected,) = rankings(client, id)
    assert "try again" in rejected["problems"][0]


@pytest.mark.slow
def test_no_connection_is_left_open_when_the_server_stops(served):
    clients = []

    def connect():  # in several threads, so that some connect while the server stops
        while served.thread.is_alive():
            with suppress(OSError):  # raised once the server accepts no more connections
                clients.append(socket.create_connection(("127.0.0.1", served.port), timeout=1))

    with ThreadPoolExecutor(4) as pool:
        connecting = [pool.submit(connect) for _ in range(4)]
        while len(served.server.server_state.connections) < 50:
            time.sleep(0.01)
        served.stop()
    for client in clients:
        client.close()
    assert all(thread.exception() is None for thread in connecting)
    assert not served.server.server_state.connections


def test_the_documented_limits_are_those_of_the_server():
    text = (Path(__file__).parents[2] / "docs" / "page.md").read_text("utf-8")
    scheduler = Threads(1).scheduler
    scheduler.close()
    assert f"bodies above {origin_check.MAX_BYTES >> 20} MiB" in text
    assert f"At most {scheduler.positions} searches run at a time" in text
    assert (
        f"each with {searches.TREE_MEGABYTES:.0f} MiB of memory, "
        f"and at most {searches.MAX_PER_GAME} of them" in text
    )
    assert f"Another {scheduler.queue} searches may wait" in text
