"""The server of the page: what it answers, what it refuses, and that searches end."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

import pytest
from golden_games import GOLDEN, golden

from trajan_ai import records
from trajan_ai.analysis import advice
from trajan_ai.analysis.decision import EXAMINED, SEEDS
from trajan_ai.core.information import InformationSet
from trajan_ai.page import app, origin_check, searches
from trajan_ai.page.game_tree import new_game
from trajan_ai.page.work import Threads
from trajan_ai.records import following, position_files


def new(client, **wanted):
    wanted = {"game": "trajan", "seats": [None, "random"], "seed": 3} | wanted
    return client.post("/api/studies", json=wanted).json()["id"]


def ask(client, id, what="at", **wanted):
    answer = client.post(f"/api/studies/{id}/{what}", json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()


def events(client, id, node=0, **wanted):
    with client.stream(
        "GET", f"/api/studies/{id}/search", params={"node": node} | wanted
    ) as answer:
        assert answer.status_code == 200, answer.read()
        for line in answer.iter_lines():
            if line:
                yield json.loads(line.removeprefix("data: "))


def idle(page):
    """Wait until no search is under way; return whether that came to be."""
    for _ in range(300):
        if page.searches.scheduler.active + page.searches.scheduler.waiting == 0:
            return not page.searches.running
        time.sleep(0.02)
    return False


# --- strangers


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
def test_what_strangers_can_send_is_refused(client, header, value, status):
    body = json.dumps({"game": "trajan", "seats": [None, None]})
    headers = {"Content-Type": "application/json"} | {header: value}
    assert client.post("/api/studies", content=body, headers=headers).status_code == status
    for method, path in (("GET", "/"), ("GET", "/api/start"), ("DELETE", "/api/x")):
        answer = client.request(method, path, headers={header: value})
        assert status in (415, answer.status_code)
    assert client.get("/api/start").json()["studies"] == []


def test_a_large_body_is_refused_whatever_its_header_says(client):
    headers = {"Content-Type": "application/json"}
    large = b" " * (origin_check.MOST_BYTES + 1)
    assert client.post("/api/check", content=large, headers=headers).status_code == 413
    parts = (b" " * 65536 for _ in range(origin_check.MOST_BYTES // 65536 + 2))
    assert client.post("/api/check", content=parts, headers=headers).status_code == 413


def test_the_page_is_served_under_both_names_of_this_machine_and_no_other_file(client, served):
    own = {"Origin": served.url, "Sec-Fetch-Site": "same-origin"}
    named = [{"Host": f"{name}:{served.port}"} for name in ("127.0.0.1", "localhost")]
    for path, asked in (("/", named[0]), ("/static/main.js", named[1]), ("/api/start", own)):
        answer = client.get(path, headers=asked)
        assert answer.status_code == 200
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/app.py"):
        assert client.get(path).status_code == 404


# --- bad requests


@pytest.mark.parametrize(
    ("path", "body", "complaint"),
    [
        ("studies", {"game": "chess", "seats": [None, None]}, "games are trajan"),
        ("studies", {"game": "trajan", "seats": [None]}, "seats"),
        ("studies", {"game": "trajan", "seats": [None, "best"]}, "bots are"),
        ("studies", {"game": "trajan", "seats": [None, None], "seed": "x"}, "seed"),
        (
            "studies",
            {"game": "trajan", "seats": [None, None], "options": {"markers": "never"}},
            "chosen or random",
        ),
        ("studies", {"game": "trajan", "seats": [None, None], "size": 3}, "unknown key"),
        ("load", {"text": ""}, "mapping"),
        ("load", {"text": '{"format": "trajan-ai/record"}'}, "missing"),
        ("check", {}, "missing"),
        ("check", [], "mapping"),
    ],
)
def test_a_bad_request_is_told_what_would_be_right(client, path, body, complaint):
    answer = client.post(f"/api/{path}", json=body)
    assert answer.status_code == 400
    assert complaint in " ".join(answer.json()["problems"])


def test_what_is_no_json_is_told_so(client):
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[" * 100_000, b"\xff"):
        answer = client.post("/api/check", content=body, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["problems"] == ["the body is not JSON"]


def test_a_decision_that_is_not_the_persons_is_refused(client):
    id = new(client, seats=["random", None])
    answer = client.post(f"/api/studies/{id}/play", json={"node": 0, "action": "marker blue"})
    assert answer.status_code == 400
    assert "not your decision" in answer.text
    assert client.get(f"/api/studies/{id}/search?node=0").status_code == 400
    assert client.get(f"/api/studies/{id}/search?node=99").status_code == 400
    assert client.post(f"/api/studies/{'0' * 16}/at", json={}).status_code == 404


def test_the_record_of_a_game_against_bots_is_what_its_player_saw_until_all_is_open(client):
    id = new(client)
    table = following.parse(client.get(f"/api/studies/{id}/record?node=0").text)
    assert (table.observer, table.moves) == (0, [])
    state = ask(client, id, "open")
    assert state["views"] == [0, 1, "open"]
    entry = records.parse(client.get(f"/api/studies/{id}/record?node=0").text)
    assert entry["actions"] == []


# --- games


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options"), [("trajan", {"lap_length": 3}), ("forum_trajanum", {})]
)
def test_a_game_against_bots_goes_on_to_its_end(client, served, game, options):
    study = new_game(game, [None, "random", "greedy"], 3, options)
    line = [study.root]
    while line[-1].player is not None:
        line.append(line[-1].after(line[-1].legal()[0]))
    for node, position in enumerate(line[:-30]):
        study.add(node, position.legal()[0])
    study.here = len(study.nodes) - 1
    served.page.folder.save(study)
    state = ask(client, study.id)
    while state["player"] is not None:
        if state["bot"]:
            state = ask(client, study.id, "advance", node=state["node"])
        else:
            action = state["legal"][0][0]
            named = {"action": action, "gathered": state["gathered"]}
            state = ask(client, study.id, "play", node=state["node"], **named)
    assert min(state["ranks"]) == 1
    assert ask(client, study.id, "advance", node=state["node"])["node"] == state["node"]
    saved = client.get(f"/api/studies/{study.id}/record").text
    assert following.parse(saved).position.scores == state["scores"]
    own = [move for move in following.parse(saved).moves if move.player == 0]
    assert len(ask(client, study.id, "review", node=state["node"])["plies"]) == len(own)


def test_bots_decide_alike_when_a_decision_is_taken_back(client):
    id = new(client, seats=[None, "expert-20"])
    state = ask(client, id)
    while not state["bot"]:
        state = ask(client, id, "play", node=state["node"], action=state["legal"][0][0])
    before = state["node"]
    after = ask(client, id, "advance", node=before)
    assert ask(client, id, "advance", node=before)["nodes"] == after["nodes"]


def test_two_tabs_that_ask_for_the_bots_get_one_decision(served):
    with served.client() as first:
        id = new(first, seats=["expert-50", None])

    def tab(_):
        with served.client() as client:
            return len(ask(client, id, "advance", node=0)["nodes"])

    with ThreadPoolExecutor(4) as tabs:
        assert [*tabs.map(tab, range(4))] == [2] * 4


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_record_opens_at_its_beginning_and_can_be_seen_by_everyone(client, game):
    text = (GOLDEN / f"{game}_2p.jsonl").read_text()
    id = client.post("/api/load", json={"text": text, "title": "mine.jsonl"}).json()["id"]
    state = ask(client, id)
    assert state["node"] == 0
    entry = records.parse(text.splitlines()[0])
    assert [node[1:3] for node in state["nodes"][1:]] == entry["actions"]
    drawings = {ask(client, id, node=90, view=view)["svg"] for view in (0, 1, "open")}
    assert len(drawings) == 3
    for node in (50, len(entry["actions"])):
        again = records.parse(client.get(f"/api/studies/{id}/record?node={node}").text)
        assert again["actions"] == entry["actions"][:node]
    assert (again["scores"], again["setup"]) == (entry["scores"], entry["setup"])


def test_a_position_file_opens_for_its_observer_alone(client):
    entry = golden("trajan")
    position = records.replay(entry, 100)
    text = position_files.dumps(position_files.position_file(position, 1))
    id = client.post("/api/load", json={"text": text}).json()["id"]
    state = ask(client, id)
    assert (state["views"], state["view"], state["node"]) == ([1], 1, 0)
    assert client.get(f"/api/studies/{id}/position?node=0").text == text
    assert [event["last"] for event in events(client, id, iterations=50)][-1]


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
        assert client.get("/api/start").json()["studies"][0]["id"] == id
        assert client.delete(f"/api/studies/{id}").status_code == 200
        assert client.get("/api/start").json()["studies"] == []


# --- searches


def test_a_ranking_gets_better_and_its_end_says_what_the_best_moves_bring(client):
    id = new(client, seats=[None, None])
    (*interim, last) = events(client, id, iterations=20_000)
    assert [(event["last"], event["why"]) for event in interim] == [(False, None)] * len(interim)
    assert last["last"]
    work = [event["iterations"] for event in (*interim, last)]
    assert len(work) > 1
    assert work == sorted(work)
    assert all(move["places"][0].startswith("marker ") for move in last["moves"])
    assert last["why"]["actions"] == [move["action"] for move in last["moves"]][:3]


def test_a_search_that_is_ended_tells_what_it_found_and_why(client, served):
    id = new(client, seats=[None, None])
    asked = events(client, id, seconds=300, name="mine")
    next(asked)
    assert client.post(f"/api/studies/{id}/end", json={"name": "another"}).status_code == 200
    assert not next(asked)["last"]
    assert client.post(f"/api/studies/{id}/end", json={"name": "mine"}).status_code == 200
    (*_, last) = asked
    assert last["last"]
    assert len(last["why"]["actions"]) == 3
    assert idle(served.page)


def test_an_analysis_ends_also_between_two_of_its_searches():
    known = InformationSet(new_game("trajan", [None, None], 3, {}).root)
    asked = advice.begin(known, grade="verified", iterations=40_000)

    async def ended():
        found = searches.Searches(work := Threads(1))
        async with aclosing(found.analyses("study", asked, "mine")) as told:
            async for result in told:
                last = result
                if asked.searches:
                    found.end("study", "mine")
        work.close()
        return last

    last, analysis = asyncio.run(ended())
    assert last
    assert analysis.searches < SEEDS * EXAMINED, "the rest was not searched"


def test_a_search_ends_when_its_page_goes(client, served):
    id = new(client, seats=[None, None])
    asked = events(client, id, seconds=300)
    next(asked)
    assert served.page.searches.scheduler.active == 1
    asked.close()
    assert idle(served.page)


@pytest.mark.slow
def test_many_pages_at_once(served):
    def use(_):
        with served.client() as client:
            id = new(client, seats=[None, None], seed=None)
            (*_, last) = events(client, id, iterations=300)
            assert last["moves"][0]["visits"] > 0
            best = last["moves"][0]["action"]
            return ask(client, id, "play", node=0, action=best, exact=True)["node"]

    with ThreadPoolExecutor(8) as pages:
        assert [*pages.map(use, range(8))] == [1] * 8
    assert idle(served.page)


def test_a_game_has_no_more_searches_than_tabs_and_a_server_than_it_bears(
    client, served, monkeypatch
):
    id = new(client, seats=[None, None])
    asked = [events(client, id, seconds=60) for _ in range(searches.MOST_PER_STUDY)]
    for one in asked:
        next(one)
    (refused,) = events(client, id, seconds=60)
    assert "stop one" in refused["problems"][0]
    for one in asked:
        one.close()
    assert idle(served.page)
    monkeypatch.setattr(served.page.searches.scheduler, "queue", 0)
    (refused,) = events(client, id)
    assert "try again" in refused["problems"][0]


def test_the_files_of_the_page_are_small():
    sizes = {path.name: path.stat().st_size for path in app.STATIC.iterdir()}
    assert "index.html" in sizes
    assert sum(sizes.values()) < 300_000
