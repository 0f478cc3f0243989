"""The engine as a process: the examples in docs/engine.md, clients, and all ways to end it."""

import asyncio
import fcntl
import json
import re
import shutil
import signal
import subprocess
import sys
import termios
import threading
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from calls import ROOT, blocks, run_programs
from engine_requests import FOREVER, START
from running import children, lives, until

import trajan_ai
from trajan_ai.service import client as engine_client
from trajan_ai.service.client import COMMAND, AsyncEngineClient, EngineClient, EngineError
from trajan_ai.service.protocol import MAX_LINE_BYTES

QUICK = {"position": START, "iterations": 50, "bot": "ismcts"}


@contextmanager
def running(*options):
    process = subprocess.Popen(
        [*COMMAND, "--threads", "2", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def send(process, **request):
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()


def receive(process):
    return json.loads(process.stdout.readline())


def ending(process):
    """Return the remaining answers, standard error and the exit status."""
    out, err = process.communicate(timeout=60)
    return [json.loads(line) for line in out.splitlines()], err.decode(), process.returncode


def shape(value):
    """Return the structure of an answer: its keys, and the types of its values."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    return type(value)


@pytest.mark.slow
def test_the_conversation_of_the_page():
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```\n(> .*?)```", page, re.DOTALL)
    lines = block.splitlines()
    with running() as process:
        for request, reply in zip(lines[::2], lines[1::2], strict=True):
            process.stdin.write(request.removeprefix("> ").encode() + b"\n")
            process.stdin.flush()
            answer = receive(process)
            expected = json.loads(reply.removeprefix("< ").replace("[...]", "[]"))
            assert shape(answer) == shape(expected)
            assert (answer["id"], answer["status"]) == (expected["id"], expected["status"])
            if answer["status"] == "error":
                assert answer == expected
        assert ending(process) == ([], "", 0)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_the_programs_of_the_page(number, capfd):
    run_programs("docs/engine.md", slice(number, number + 1))
    out, err = capfd.readouterr()
    assert len(out.splitlines()) >= 2
    assert err == ""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_client_in_javascript(tmp_path):
    (program,) = blocks("docs/engine.md", "js")
    file = tmp_path / "client.mjs"
    file.write_text(program, encoding="utf-8")
    done = subprocess.run(["node", file, *COMMAND], capture_output=True, text=True, check=True)
    *actions, rejected = done.stdout.splitlines()
    assert len(actions) == 3
    assert rejected.startswith("position.state: there is no state 'x'")
    assert done.stderr == ""


@pytest.mark.slow
def test_garbage_of_all_kinds_is_answered():
    garbage = [b"\x00\xff", b"{", b"[" * 50_000, b"x" * (MAX_LINE_BYTES * 2), b'{"id": 1e999}']
    with running() as process:
        writer = threading.Thread(target=process.stdin.write, args=[b"\n".join(garbage) + b"\n"])
        writer.start()
        assert [receive(process)["line"] for _ in garbage] == [1, 2, 3, 4, 5]
        writer.join()
        send(process, id=1, kind="version")
        assert receive(process)["status"] == "done"
        process.stdin.write(b'{"id": 2, "kind": "legal"')  # cut off by the end of input
        (answer,), err, status = ending(process)
        assert (answer["error"], answer["line"], err, status) == ("json", 7, "", 0)


@pytest.mark.slow
def test_at_the_end_of_the_input_all_requests_are_answered(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: ismcts\niterations: 92\n")
    with running("--bot", str(path)) as process:
        send(process, id=-1, kind="bots")
        assert receive(process)["result"]["default"] == "mine"
        for number in range(10):
            send(process, id=number, kind="suggest", position=START, seed=number)
        answers, err, status = ending(process)
        assert sorted(answer["id"] for answer in answers) == list(range(10))
        assert {answer["status"] for answer in answers} == {"done"}
        assert {answer["result"]["iterations"] for answer in answers} == {92}
        assert (err, status) == ("", 0)


@pytest.mark.slow
def test_ctrl_c_stops_and_answers_running_searches():
    with running() as process:
        send(process, id=1, report_every=0.05, **FOREVER)
        receive(process)
        process.send_signal(signal.SIGINT)
        answers, err, status = ending(process)
        assert (answers[-1]["id"], answers[-1]["status"]) == (1, "stopped")
        assert answers[-1]["result"]["iterations"] > 0
        assert (err, status) == ("", 130)


@pytest.mark.slow
def test_sigterm_ends_the_engine_even_if_nobody_reads():
    with running() as process:
        send(process, id=0, kind="version")
        receive(process)
        view = json.dumps({"id": 1, "kind": "view", "position": START}).encode() + b"\n"
        process.stdin.write(view * 100)  # the answers do not fit into a pipe
        process.stdin.flush()
        waiting, before = array("i", [0]), 0
        while not before or waiting[0] > before:  # until the pipe is full
            before = waiting[0]
            time.sleep(0.3)
            fcntl.ioctl(process.stdout, termios.FIONREAD, waiting)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_a_closed_output_ends_the_engine_even_if_nothing_is_written():
    with running() as process:
        send(process, id=1, **FOREVER)
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""


CLIENT = """
import sys
from trajan_ai.service.client import EngineClient
EngineClient().submit("suggest", position={}, iterations=2**31 - 1)
sys.stdin.read()
"""


def test_a_killed_client_leaves_no_engine_behind():
    program = CLIENT.replace("{}", repr(START))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as client:
        assert until(lambda: children(client.pid), 60)
        below = children(client.pid)
        client.kill()
    assert until(lambda: not any(map(lives, below)), 60)


@pytest.fixture(scope="module")
def client():
    with EngineClient("--threads", "2") as client:
        yield client


def test_many_clients_are_answered_at_the_same_time(client):
    def ask(number):
        fields = {"client": f"client {number}", "cache": False}
        return [client.ask("suggest", **QUICK, **fields, seed=seed)["moves"] for seed in range(3)]

    with ThreadPoolExecutor(6) as threads:
        first, *others = threads.map(ask, range(6))
    assert others == [first] * 5
    assert first[0] != first[1]


def test_a_position_is_sent_as_the_knowledge_of_its_player(client):
    position = trajan_ai.game("forum_trajanum").start(2, seed=3)
    ours = client.ask("suggest", position=position, iterations=50, bot="ismcts")
    expected = trajan_ai.search(position, "ismcts", iterations=50)
    assert ours["moves"][0]["action"] == expected.best.action


def test_the_client_raises_the_errors_of_the_engine(client):
    with pytest.raises(EngineError, match="trajan: players must be") as caught:
        client.ask("legal", position={"start": {"game": "trajan", "players": 7}})
    assert caught.value.reason == "input"
    with pytest.raises(TypeError):
        client.submit("legal", position=object())


def test_the_client_stops_a_search_and_gets_interim_results(client):
    received = threading.Event()
    pending = client.submit(
        **FOREVER | {"report_every": 0.05}, interim=lambda result: received.set()
    )
    assert received.wait(60)
    pending.stop()
    assert pending.result(60)["iterations"] > 0


def test_an_exception_of_the_callers_function_is_raised_by_result(client):
    pending = client.submit(**FOREVER | {"report_every": 0.05}, interim=lambda result: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pending.result(60)
    pending.stop()


def test_requests_to_a_killed_engine_end_with_an_error():
    client = EngineClient("--threads", "1")
    pending = client.submit(**FOREVER)
    client.process.kill()
    with pytest.raises(EngineError, match="the engine has ended"):
        pending.result(60)
    with pytest.raises(EngineError, match="the engine has ended"):
        client.ask("version")
    client.close()


HUNG = (sys.executable, "-c", "import time; time.sleep(600)")


def test_an_engine_that_does_not_answer_is_killed_when_its_client_closes(monkeypatch):
    monkeypatch.setattr(engine_client, "GOODBYE", 0.2)
    client = EngineClient(command=HUNG)
    kill, waited = client.process.kill, []
    wait = client.process.wait
    monkeypatch.setattr(client.process, "kill", lambda: (kill(), waited.append("killed")))
    monkeypatch.setattr(client.process, "wait", lambda *most: (wait(*most), waited.append(most)))
    client.close()
    assert waited == ["killed", (0.2,)], "it has had its time to answer"
    assert client.process.returncode == -signal.SIGKILL

    async def leave():
        async with AsyncEngineClient(command=HUNG) as client:
            pass
        return client.process.returncode

    assert asyncio.run(leave()) == -signal.SIGKILL


@pytest.mark.parametrize("kind", ["suggest", "ponder"])
@pytest.mark.parametrize("status", ["interim", "done"])
def test_leaving_the_reports_of_a_search_stops_it(monkeypatch, status, kind):
    client, sent = AsyncEngineClient(), []

    async def send(line):
        sent.append(json.loads(line))
        if len(sent) == 1:
            answer = {"id": sent[0]["id"], "status": status, "result": 7}
            client.exchange.receive(json.dumps(answer).encode() + b"\n")

    async def leave():
        reports = client.reports(kind)
        assert await anext(reports) == 7
        await reports.aclose()

    monkeypatch.setattr(client, "_send", send)
    asyncio.run(leave())
    stops = [one["target"] for one in sent if one["kind"] == "stop"]
    assert stops == ([sent[0]["id"]] if status == "interim" else [])


def test_when_the_engine_ends_all_requests_of_the_asynchronous_client_do():
    answers = []

    async def end():
        client, output = AsyncEngineClient(), asyncio.StreamReader()
        client.process = SimpleNamespace(stdout=output)
        for _ in range(2):
            client.exchange.open("version", {}, answers.append)
        output.feed_data(b'{"id": 1, "status": "done", "result": 1}\n{"id": 2, "sta')
        output.feed_eof()
        await client._read()

    asyncio.run(end())
    assert [one.get("error") for one in answers] == [None, "ended"]


@pytest.mark.slow
def test_the_asynchronous_client():
    async def main():
        async with AsyncEngineClient("--threads", "2") as engine:
            seeds = [engine.ask("suggest", **QUICK, seed=seed) for seed in range(20)]
            results = await asyncio.gather(*seeds)
            assert len({json.dumps(result["moves"]) for result in results}) > 1

            with pytest.raises(EngineError, match="exactly one of"):
                await engine.ask("legal", position={})

            task = asyncio.create_task(engine.ask(**FOREVER))
            await engine.ask("version")  # then the engine has read the task's request
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while (await engine.ask("stop_all"))["stopped"]:
                pass

            waiting = asyncio.create_task(engine.ask(**FOREVER))
            await engine.ask("version")
            engine.process.kill()
            with pytest.raises(EngineError, match="the engine has ended"):
                await waiting

    asyncio.run(main())
