"""The kinds of external input, each with valid examples and a function that reads such input.

A reader either accepts its input or raises TrajanError with problems of one line each; any other
exception is a fault.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from queue import Queue
from types import SimpleNamespace

import yaml

from trajan_ai import GAMES, TrajanError, records
from trajan_ai.bots.descriptions import parse_bot
from trajan_ai.bots.minds import MindFailed
from trajan_ai.bots.programs import Program, ProgramMind
from trajan_ai.core.yamlfile import Document, parse_yaml
from trajan_ai.games.forum_trajanum import components
from trajan_ai.games.forum_trajanum.weights import NAMES
from trajan_ai.games.kit.weight_file import parse_weights
from trajan_ai.lab.learning.learn_plan import read_plan as read_learning
from trajan_ai.lab.tuning import read_tune_plan
from trajan_ai.records import position_files
from trajan_ai.service.engine_service import EngineService
from trajan_ai.service.options import EngineOptions
from trajan_ai.tournaments.plan_file import parse_plan

ROOT = Path(__file__).parents[2]
EVERY_GAME = tuple(GAMES.values())  # listed once, because this examines all installed packages
PACKAGE = Path(components.__file__).parent
MAX_MOVES = 3  # maximum number of moves that are played from an accepted position


@dataclass(frozen=True)
class Target:
    """A kind of input: valid examples, and the function that reads an input."""

    seeds: Callable[[], list[bytes]]
    read: Callable[[bytes], object]


def check(target: Target, data: bytes) -> bool:
    """Return whether the input is accepted; only exceptions that report bad input are caught."""
    try:
        target.read(data)
    except TrajanError as error:
        problems = error.messages
    else:
        return True
    assert problems, "an error without a message"
    wrong = [problem for problem in problems if not problem or "\n" in problem]
    assert not wrong, f"a message that is not one line: {wrong[0]!r}"
    return False


def text_of(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TrajanError("not UTF-8 text") from error


@lru_cache(maxsize=64)
def parse_quickly(text: str, name: str) -> Document:
    """Parse YAML, or JSON, which is also YAML but is parsed in a hundredth of the time.

    Results for the last files are cached.
    """
    try:
        return Document(name, json.loads(text), {})
    except RecursionError:
        raise TrajanError(f"{name}: nested too deeply") from None
    except ValueError:
        return parse_yaml(text, name)


def document(data: bytes) -> Document:
    return parse_quickly(text_of(data), "file.yaml")


def named(data: bytes, folder: str) -> Document:
    """Return the document of a file in a folder; by default, `name` is the name of the file."""
    document = parse_quickly(text_of(data), str(ROOT / folder / "file.yaml"))
    if isinstance(document.data, dict):
        return replace(document, data={"name": "file"} | document.data)
    return document


def examples(*patterns: str, most: int = 2500) -> list[bytes]:
    """Return small files that match the patterns, unchanged and as JSON, which is also YAML."""
    results = []
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_bytes()
            data = yaml.safe_load(text)
            results += [text, json.dumps(data).encode()] if len(text) < most else []
    assert results, patterns
    return results


@cache
def games_played() -> list:
    names = ("trajan_2p.jsonl", "forum_trajanum_2p.jsonl")
    return [records.read(ROOT / "tests/golden" / name)[0] for name in names]


def position_seeds() -> list[bytes]:
    results = []
    for entry in games_played():
        for part in (0, 1, 2):
            position = records.replay(entry, len(entry["actions"]) * part // 3)
            results.append(
                json.dumps(position_files.position_file(position, position.player)).encode()
            )
    return results


def read_position(data: bytes) -> None:
    """Read a position; if it is accepted, check that it can be viewed, determinized and played."""
    position = position_files.of_document(document(data))
    for step in range(MAX_MOVES):
        if position.player is None:
            return
        position.view(position.player)
        position.determinized(position.player, step)
        moves = position.legal_moves()
        assert moves
        position = position.after_move(moves[len(data) % len(moves)])


def bot_seeds() -> list[bytes]:
    inner = {"kind": "ismcts", "iterations": 5, "payoff": {"win": 1, "margin": 0.5}, "threads": 2}
    python = {"name": "mine", "kind": "python", "file": "none.py", "settings": {"depth": 3}}
    program = {"name": "mine", "kind": "program", "command": ["none", "x"], "files": ["y"]}
    extended = {"name": "mine", "extends": "expert", "seconds_per_turn": 0.5}
    bots = [{"name": "a"} | inner, python, program, extended]
    return [json.dumps(bot).encode() for bot in bots] + examples("configs/bots/*.yaml")


def read_bot(data: bytes) -> None:
    bot = parse_bot(named(data, "configs/bots"))
    for game in EVERY_GAME:
        bot.check(game)


def as_json(name: str) -> list[bytes]:
    return [json.dumps(yaml.safe_load((PACKAGE / name).read_text())).encode()]


@cache
def scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzz"))


def plan_file(data: bytes) -> Path:
    path = scratch() / "plan.yaml"
    path.write_bytes(data)
    return path


def yaml_seeds() -> list[bytes]:
    text = b"name: a\nlist: [1, 2.5, null]\nmap:\n  - {b: 'c', 3: yes}\n  - >-\n    folded\n"
    return [text, b"a: &x 1\nb: *x\n", b"? [k]\n: v\n--- !!str 1\n..."]


def request_seeds() -> list[bytes]:
    start = {"start": {"game": "trajan", "players": 2, "seed": 7}}
    view = {"view": json.loads(position_seeds()[1])}
    record = {"record": games_played()[1], "ply": 60}
    small = {"kind": "suggest", "iterations": 1, "bot": "ismcts"}
    requests = [
        {"position": start, "seed": 1, "threads": 2, "top": 1, **small},
        {"position": record, "tree": "t", "since": ["pass"], **small},
        {"position": view, "allow": ["pass"], **small},
        {"position": start, "client": "a", "priority": 2, "report_every": 0.05, "cache": False,
         **small, "bot": {"extends": "expert", "payoff": {"win": 1}}},
        {"kind": "legal", "position": view},
        {"kind": "board", "position": record, "player": 1},
        {"kind": "apply", "position": start, "actions": ["marker blue"]},
        {"kind": "view", "position": {"state": "00"}, "player": 1},
        {"kind": "ponder", "position": start, "tree": "t"},
        {"kind": "stop", "target": 1},
        {"kind": "stop_all", "client": "a"},
        *({"kind": kind} for kind in ("bots", "version", "clear", "quit")),
    ]  # fmt: skip
    return [json.dumps({"id": 1, **request}).encode() for request in requests]


@cache
def engine() -> tuple[EngineService, Queue]:
    """Return an engine, and the queue of its answers."""
    answers: Queue = Queue()
    return EngineService(
        EngineOptions(threads=1), lambda line, _: answers.put(json.loads(line))
    ), answers


def read_request(data: bytes) -> None:
    """Send a request, and check that the engine survives it and gives it one final answer."""
    service, answers = engine()
    line = data.replace(b"\n", b" ")
    if not line.strip() or not service.handle(line, 2):
        return  # an empty request, or one that ends the engine
    service.handle(b'{"id": "after", "kind": "stop_all"}', 3)  # a damaged request may take years
    last = {}
    while len(last) < 2:
        answer = answers.get(timeout=60)
        if answer["status"] != "interim":
            last[answer["id"]] = answer
    assert last.pop("after")["status"] == "done"
    (answer,) = last.values()
    if answer["status"] == "error":
        assert answer["error"] in ("json", "request", "input"), answer
        raise TrajanError(*answer["problems"])


class ProgramWithoutProcess(Program):
    """A stand-in for a bot program, without a process, whose next line of output is given."""

    def __init__(self) -> None:
        self._read = b""

    def _fail(self, kind, message):
        return MindFailed(kind, message, "")

    def ask(self, message, expected, limit):
        answer = self._answer(self._read)
        if answer.get("type") != expected:
            raise self._fail("illegal", f"wrote {answer!r}")
        return answer


@cache
def question():
    game = GAMES["trajan"]
    position = game.start(2, 1)
    return SimpleNamespace(
        legal=position.legal,
        game=game,
        seconds=None,
        ply=0,
        turn=0,
        scores=[0, 0],
        moves=[],
        view=lambda: {},
    )


def read_answer(data: bytes) -> None:
    """Read an answer of a program, which must yield a move or a failure of the program."""
    program = ProgramWithoutProcess()
    program._read = data.split(b"\n")[0]
    try:
        ProgramMind(program, None).choose(question(), 1)
    except MindFailed as error:
        raise TrajanError(error.message) from None


def answer_seeds() -> list[bytes]:
    move = question().legal()[0]
    answers = [{"type": "move", "move": move}, {"type": "error", "message": "no"}]
    return [json.dumps(answer).encode() for answer in answers]


def read_action(data: bytes) -> None:
    """Read a move that a user types, in any of the games."""
    complaints = []
    for game in EVERY_GAME:
        try:
            game.move(text_of(data)[:300])
        except TrajanError as error:
            complaints.append(error)
    if len(complaints) == len(EVERY_GAME):
        raise complaints[0]


TARGETS = {
    "yaml": Target(yaml_seeds, lambda data: parse_yaml(text_of(data), "file.yaml")),
    "record": Target(
        lambda: [records.dumps(entry).encode() for entry in games_played()],
        lambda data: records.verify(records.parse(data)),
    ),
    "position": Target(position_seeds, read_position),
    "plan": Target(
        lambda: examples("tournaments/*.yaml", "trajan_ai/tournaments/plans/*.yaml"),
        lambda data: parse_plan(named(data, "tournaments")),
    ),
    "bot": Target(bot_seeds, read_bot),
    "components": Target(
        lambda: as_json("sets/recon-1.yaml"), lambda data: components.parse(document(data))
    ),
    "weights": Target(
        lambda: as_json("weights.yaml"), lambda data: parse_weights(document(data), NAMES)
    ),
    "learning": Target(
        lambda: examples("configs/learn/*.yaml"), lambda data: read_learning(plan_file(data))
    ),
    "tuning": Target(
        lambda: examples("configs/tune.yaml"), lambda data: read_tune_plan(plan_file(data))
    ),
    "request": Target(request_seeds, read_request),
    "answer": Target(answer_seeds, read_answer),
    "action": Target(
        lambda: [action.encode() for game in EVERY_GAME for action in game.actions[::500]],
        read_action,
    ),
}
