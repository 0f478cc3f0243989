"""The page without a server: no threads, no numpy, one event loop that does everything."""

import asyncio
import json
import textwrap

import pytest
from calls import python
from golden_games import short_game

from trajan_ai import records
from trajan_ai.page.inside import Inside

# What a browser lacks is taken away, before anything is loaded.
PROGRAM = """
    import asyncio, json, sys, threading
    sys.modules["numpy"] = None
    def refused(thread):
        raise RuntimeError("can't start new thread")
    threading.Thread.start = refused
    from trajan_ai.analysis import annotate
    from trajan_ai.page import reviews
    from trajan_ai.page.inside import Inside
    reviews.ROUGH_ITERATIONS, annotate.ANNOTATION_ITERATIONS = 10, 40

    async def main(folder, record):
        inside = Inside(folder, 8)

        async def ask(path, body=None, method="POST"):
            told = []
            body = "" if body is None else json.dumps(body)
            await inside.answer(1, method, path, body, lambda *what: told.append(what))
            assert told[0][0] == 200, told
            return [piece for *_, piece, _ in told]

        async def data(path, body):
            (text,) = await ask(path, body)
            return json.loads(text)

        new = {"game": "trajan", "seats": [None, "expert-30", "greedy"], "seed": 3}
        at = "/api/studies/" + (await data("/api/studies", new))["id"]
        state = await data(f"{at}/at", {})
        for _ in range(12):
            if state["bot"]:
                state = await data(f"{at}/advance", {"node": state["node"]})
            else:
                action = state["legal"][0][0]
                wanted = {"node": state["node"], "action": action, "exact": True}
                state = await data(f"{at}/play", wanted)
        while state["bot"]:
            state = await data(f"{at}/advance", {"node": state["node"]})
        address = f"{at}/search?node={state['node']}&iterations=2000"
        events = [json.loads(piece[6:]) for piece in await ask(address, method="GET") if piece]
        assert len(events) > 1 and events[-1]["last"] and events[-1]["why"], events[-1]
        at = "/api/studies/" + (await data("/api/load", {"text": record}))["id"]
        last = len((await data(f"{at}/at", {}))["nodes"]) - 1
        while not (review := await data(f"{at}/review", {"node": last}))["done"]:
            await asyncio.sleep(1)
        assert review["judged"] == len(review["plies"])
        (page,) = await ask(f"{at}/review.html?node={last}", method="GET")
        print(len(state["nodes"]), review["game"]["names"], "Luck and skill" in page)

    asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
def test_play_suggestions_and_analysis_need_neither_threads_nor_numpy(tmp_path):
    program = textwrap.dedent(PROGRAM)
    done = python("-W", "error", "-c", program, tmp_path, records.dumps(short_game()))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("True\n")


def told(folder, *requests):
    """The status and text of each answer."""

    async def main():
        inside, found = Inside(str(folder), 1), []
        for method, path, body in requests:
            pieces = []
            await inside.answer(1, method, path, body, lambda *what, to=pieces: to.append(what))
            found.append((pieces[0][0], "".join(what[3] for what in pieces)))
        return found

    return asyncio.run(main())


@pytest.mark.parametrize("text", ["[" * 20_000, '{"a":' * 20_000, '"' + r"\"" * 20_000])
def test_what_is_nested_deeper_than_an_interpreter_bears_is_refused(tmp_path, text):
    loaded = json.dumps({"text": text})
    for status, answer in told(
        tmp_path, ("POST", "/api/check", text), ("POST", "/api/load", loaded)
    ):
        assert status == 400
        assert len(json.loads(answer)["problems"]) == 1


def test_all_studies_go_into_one_file_and_come_back(tmp_path):
    new = ("POST", "/api/studies", json.dumps({"game": "trajan", "seats": [None, "greedy"]}))
    *_, (_, whole) = told(tmp_path / "here", new, new, ("GET", "/api/studies", ""))
    loads = [("POST", "/api/load", json.dumps({"text": line})) for line in whole.splitlines() * 2]
    *taken, (_, again) = told(tmp_path / "there", *loads, ("GET", "/api/studies", ""))
    assert [status for status, _ in taken] == [200] * 4
    assert again == whole
    first = json.loads(whole.splitlines()[0])
    other = json.dumps(first | {"title": "another"})
    asked = ("POST", "/api/load", json.dumps({"text": other})), ("GET", "/api/studies", "")
    (_, made), (_, three) = told(tmp_path / "there", *asked)
    assert json.loads(made)["id"] != first["id"]
    assert set(whole.splitlines()) < set(three.splitlines())
