"""The page without a server, where one event loop does everything without threads and numpy."""

import json
import textwrap

import pytest
from calls import python
from golden_games import short_game
from running import run_coroutine

from trajan_ai import records
from trajan_ai.page.in_browser import BrowserPage

# A browser has neither numpy nor threads.
PROGRAM = """
    import asyncio, json, sys, threading
    sys.modules["numpy"] = None
    def fail(thread):
        raise RuntimeError("can't start new thread")
    threading.Thread.start = fail
    from trajan_ai.analysis.annotation import judging
    from trajan_ai.page import reviews
    from trajan_ai.page.in_browser import BrowserPage
    reviews.ROUGH_ITERATIONS, judging.ANNOTATION_ITERATIONS = 10, 40

    async def main(folder, record):
        page = BrowserPage(folder, 8)

        async def ask(path, body=None, method="POST"):
            parts = []
            body = "" if body is None else json.dumps(body)
            await page.answer(1, method, path, body, lambda *part: parts.append(part))
            assert parts[0][0] == 200, parts
            return [text for *_, text, _ in parts]

        async def data(path, body):
            (text,) = await ask(path, body)
            return json.loads(text)

        new = {"game": "trajan", "seats": [None, "expert-30", "greedy"], "seed": 3}
        at = "/api/trees/" + (await data("/api/trees", new))["id"]
        state = await data(f"{at}/at", {})
        for _ in range(12):
            if state["bot"]:
                state = await data(f"{at}/advance", {"node": state["node"]})
            else:
                action = state["legal"][0][0]
                move = {"node": state["node"], "action": action, "exact": True}
                state = await data(f"{at}/play", move)
        while state["bot"]:
            state = await data(f"{at}/advance", {"node": state["node"]})
        body = {"node": state["node"], "iterations": 20_000}
        rankings = [json.loads(line) for line in await ask(f"{at}/search", body) if line]
        assert len(rankings) > 1 and rankings[-1]["last"] and rankings[-1]["why"], rankings[-1]
        stopped = []

        def stop_after_two(*part):
            stopped.append(part)
            if len(stopped) == 2:
                page.abort(2)

        body = json.dumps(body | {"iterations": 10_000_000})
        await page.answer(2, "POST", f"{at}/search", body, stop_after_two)
        assert len(stopped) < 5 and not page.page.searches.running
        at = "/api/trees/" + (await data("/api/load", {"text": record}))["id"]
        last = len((await data(f"{at}/at", {}))["nodes"]) - 1
        while not (review := await data(f"{at}/review", {"node": last}))["done"]:
            await asyncio.sleep(1)
        assert review["judged"] == len(review["plies"])
        (html,) = await ask(f"{at}/review.html?node={last}", method="GET")
        print(len(state["nodes"]), review["game"]["names"], "Luck and skill" in html)

    asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
def test_play_suggestions_and_analysis_need_neither_threads_nor_numpy(tmp_path):
    program = textwrap.dedent(PROGRAM)
    done = python("-W", "error", "-c", program, tmp_path, records.dumps(short_game()))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("True\n")


def answers(folder, *requests):
    """Return the status and the text of the answer to each request."""

    async def main():
        page, result = BrowserPage(str(folder), 1), []
        for method, path, body in requests:
            parts = []
            await page.answer(1, method, path, body, lambda *part, to=parts: to.append(part))
            result.append((parts[0][0], "".join(part[3] for part in parts)))
        return result

    return run_coroutine(main())


@pytest.mark.parametrize("text", ["[" * 20_000, '{"a":' * 20_000, '"' + r"\"" * 20_000])
def test_json_that_is_nested_too_deeply_is_rejected(tmp_path, text):
    loaded = json.dumps({"text": text})
    for status, answer in answers(
        tmp_path, ("POST", "/api/check", text), ("POST", "/api/load", loaded)
    ):
        assert status == 400
        assert len(json.loads(answer)["problems"]) == 1


def test_all_games_are_exported_to_a_file_and_imported_again(tmp_path):
    new = ("POST", "/api/trees", json.dumps({"game": "trajan", "seats": [None, "greedy"]}))
    export = ("GET", "/api/trees", "")
    *_, (_, exported) = answers(tmp_path / "here", new, new, export)
    loads = [("POST", "/api/load", json.dumps({"text": line})) for line in exported.splitlines()]
    *imported, (_, again) = answers(tmp_path / "there", *loads, export)
    assert [status for status, _ in imported] == [200] * 2

    def without_ids(lines):
        """Return the games in an order that does not depend on the millisecond of a change."""
        games = [json.loads(line) | {"id": ""} for line in lines.splitlines()]
        return sorted(games, key=json.dumps)

    assert without_ids(again) == without_ids(exported)
    *_, (_, here) = answers(tmp_path / "here", *loads, export)
    assert here == exported, "the games are there already"
