"""Call every function and method of the compiled modules with wrong arguments.

This is the program of test_wrong_arguments.py: ``wrong_calls.py COUNT SEED [PART OF A NAME]``. It
calls every function and method COUNT times in a separate process. Exceptions are fine. For each
process that crashes or hangs, it prints a JSON object that contains the last call. At the end, it
prints the number of calls.

Parameters and their types come from the stubs. State bytes of the right length are always those of
a real state of some game, because the contents of a state come only from the engine.
"""

import array
import ast
import gc
import importlib
import inspect
import itertools
import json
import os
import random
import resource
import sys
import time
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import trajan_ai
from trajan_ai.core.game import Position, Random
from trajan_ai.games import GAMES
from trajan_ai.games.reference import KUHN
from trajan_ai.mcts.settings import Settings

PACKAGE = Path(trajan_ai.__file__).parent
SECONDS, SECONDS_PER_CALL = 20, 0.2  # seconds of CPU: for each callable, and for each call
PATIENCE = 10  # wall-clock seconds per second of CPU
MEMORY = 4 << 30  # bytes
TEXT = 300  # characters of a call that are printed
MISSING = 0.12  # fraction of arguments of a wrong type
EMPTY = 0.1  # fraction of methods called on objects that nothing has initialised

HUGE = (2**31 - 1, 2**31, -(2**31) - 1, 2**63, 2**64, 2**70, -(2**70))
NUMBERS = (*range(6), 17, 100, 344, 345, 1024, 1025, 70_000, -1, -2, -100, *HUGE)
# Large counts are omitted, because they are legal and such calls would take forever.
COUNTS = (0, 1, 2, 5, -1, -100, -(2**31) - 1, 2**70)
INDICES = (0, 1, 2, 3, 4, 500, -1, -5)
POOLS = {
    **dict.fromkeys(("count", "samples", "transitions", "turns", "tries", "every"), COUNTS),
    **dict.fromkeys(("playouts", "length", "iterations", "limit"), COUNTS),
    **dict.fromkeys(("first", "last"), INDICES),
}
SHAPES = ((3,), (0,), (3, 345), (3, 2), (2, 3), (0, 0), (1,), (300, 129), (5000,))
SKIPPED = {"help"}  # waits for another thread
SPECIAL = {"__eq__", "__hash__", "__reduce__", "__repr__", "__str__"}


def play_randomly(position, steps, rng):
    while position.player is not None and steps:
        position = position.after_move(rng.choice(position.legal_moves()))
        steps -= 1
    return position


class Values:
    """Right and wrong values for every type of parameter."""

    def __init__(self, seed, blank):
        self.rng = random.Random(seed)
        self.blank = blank
        self.games = [GAMES["trajan"], GAMES["forum_trajanum"], KUHN]  # of different sizes
        self.positions = [
            play_randomly(game.start(players, seed), steps, self.rng)
            for game in self.games
            for players in game.player_counts
            for steps in (0, 1, 25, 90, 10**6, 10**6)
        ]
        self.settings = [
            Settings(),
            Settings(threads=2, tree_megabytes=1),
            Settings(prior="game", selection="puct"),
        ]
        self.junk = [
            *(None, True, 1.5, float("nan"), float("inf"), "", "pass", b"", b"x", bytearray(8)),
            *([], [None], (), {}, {"a": 1}, object(), int, Exception(), range(3), -1, 2**70),
            *(np.zeros(0), np.zeros((2, 2)), np.arange(3), array.array("f", [1]), memoryview(b"")),
        ]

    def draw(self, name, kind):
        """Return a value for a parameter with the annotation `kind`, usually of that type."""
        rng = self.rng
        if rng.random() < MISSING:
            return rng.choice(self.junk)
        if "None" in kind and rng.random() < 0.3:
            return None
        for part, draw in (
            ("list[Position]", lambda: rng.choices(self.positions, k=rng.randrange(4))),
            ("Position", lambda: rng.choice(self.positions)),
            ("Sequence[Sequence", lambda: [self.draw_floats() for _ in range(rng.randrange(5))]),
            ("NDArray", self.draw_numpy),
            ("array", self.draw_floats),
            ("[float", self.draw_floats),
            ("tuple[int", lambda: rng.choice([(0, 3), (2, 1), (-5, 2**40), (0,), (0, 10**9)])),
            ("[int]", self.draw_moves),
            ("Settings", lambda: rng.choice(self.settings)),
            ("Game", lambda: rng.choice(self.games)),
            ("bytes", self.draw_state),
            ("bool", lambda: rng.random() < 0.5),
            ("float", lambda: rng.choice([0.0, 1.0, -1.0, 1e300, float("nan"), float("inf")])),
            (
                "str",
                lambda: rng.choice(["", "pass", "sow I", "trajan", "x" * 500, "\0", "\ud800"]),
            ),
            ("int", lambda: rng.choice(POOLS.get(name, NUMBERS))),
            ("dict", self.draw_fields),
        ):
            if part in kind:
                return draw()
        return rng.choice([*self.junk, *self.positions[:3]])

    def draw_state(self):
        """Return the bytes of a state, sometimes too many or too few."""
        state = self.rng.choice(self.positions).to_bytes()
        return self.rng.choice([state, state, state, state + b"\0", state[:-1], state[:3]])

    def draw_moves(self):
        legal = self.rng.choice(self.positions).legal_moves()
        others = [], [-1], [2**40], [345] * 3, list(range(2000)), [None]
        return self.rng.choice([legal, legal[:1], *others])

    def draw_floats(self):
        """Return weights of some game, often of the wrong number or type."""
        weights = list(self.rng.choice(self.games).default_weights or ())
        more, few = [*weights, 1.0], weights[:-1]
        values = self.rng.choice([weights, weights, more, few, [], [float("nan")] * len(weights)])
        if self.rng.random() < 0.2:
            return array.array("i", range(len(values)))
        return array.array(self.rng.choice("fffd"), values)

    def draw_numpy(self):
        kinds = (np.uint8, np.int32, np.float32, np.float32, np.int64, np.float64)
        values = np.zeros(self.rng.choice(SHAPES), self.rng.choice(kinds))
        if self.rng.random() < 0.2:
            values = values[::-1]
        values.flags.writeable = self.rng.random() < 0.8
        return values

    def draw_fields(self):
        """Return the fields of a state, one of them wrong."""
        fields = self.rng.choice(self.blank)()
        fields[self.rng.choice(list(fields))] = self.rng.choice([*self.junk, [0] * 5000])
        if self.rng.random() < 0.2:
            fields.pop(next(iter(fields)))
        return fields

    def draw_batch(self):
        game = self.rng.choice(self.games[:2])
        players, count = self.rng.choice(game.player_counts), 3
        openings = [game.start(players, seed) for seed in range(2)]
        return {
            "openings": openings,
            "count": count,
            "players": players,
            "bytes_": np.zeros((count, len(openings[0].features(0))), np.uint8),
            "floats": None,
            "scales": None,
            "mask": np.zeros((count, len(game.actions)), np.uint8),
            "rewards": np.zeros((count, players), np.float32),
            "scores": np.zeros((count, players), np.int32),
            "player": np.zeros(count, np.int32),
            "seat": np.zeros(count, np.int32),
            "done": np.zeros(count, np.uint8),
            "opponents": self.rng.choice([0, 1, 2]),
            "seated": True,
            "reward": 0,
            "margin_scale": 20.0,
        }

    def draw_object(self, owner):
        """Return an object of a class, sometimes one whose `__init__` was never called."""
        rng = self.rng
        if rng.random() < EMPTY:
            with suppress(Exception):
                return owner.__new__(owner)
        match owner.__name__:
            case "Position":
                return rng.choice(self.positions)
            case "Game":
                return rng.choice(self.games)
            case "Random":
                return Random(1)
            case "Searcher":
                return self._draw_searcher(owner)
            case "Batch":
                batch = owner(**self.draw_batch())
                if rng.random() < 0.8:
                    for i in range(3):
                        batch.seed(i, 1, 2)
                    batch.reset(0, 3)
                    batch.show(0, 3)
                return batch
        return owner(rng.choice(self.games))

    def _draw_searcher(self, owner):
        position = self.rng.choice([one for one in self.positions if one.player is not None])
        searcher = owner(position.game, self.settings[1])
        if self.rng.random() < 0.7:
            searcher.begin(position, 0, 1)
            searcher.run(20)
        return searcher


# ---- Callables --------------------------------------------------------------------------------


def list_modules():
    names = {}
    for suffix, path in itertools.product(EXTENSION_SUFFIXES, PACKAGE.rglob("*")):
        if path.name.endswith(suffix):
            parts = path.relative_to(PACKAGE.parent).parts
            names.setdefault(path, ".".join(parts).removesuffix(suffix))
    return [importlib.import_module(name) for name in sorted(names.values())]


def read_stub(module):
    """Return the parameters of functions and methods by name, such as ``Game.start``."""
    path = PACKAGE.parent.joinpath(*module.__name__.split(".")).with_suffix(".pyi")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parameters = {}
    for node in ast.parse(text).body:
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for function in node.body if prefix else [node]:
            if isinstance(function, ast.FunctionDef):
                parameters[prefix + function.name] = list_parameters(function.args)
    return parameters


def list_parameters(arguments):
    positional = [(one, False) for one in (*arguments.posonlyargs, *arguments.args)]
    return [
        (one.arg, ast.unparse(one.annotation) if one.annotation else "", is_keyword)
        for one, is_keyword in (*positional, *((one, True) for one in arguments.kwonlyargs))
        if one.arg not in ("self", "cls")
    ]


def guess_parameters(target):
    with suppress(TypeError, ValueError):
        return [
            (one.name, "", one.kind is one.KEYWORD_ONLY)
            for one in inspect.signature(target).parameters.values()
            if one.name != "self" and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        ]
    return [("value", "", False)] * 2


class Target(NamedTuple):
    """Something to call or read: a member of a module, or an attribute of a class."""

    name: str
    owner: Any  # a module or a class
    attribute: str
    parameters: list | None  # None if no stub has them


def list_targets(module):
    stub = read_stub(module)
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", None) != module.__name__ or not callable(thing):
            continue
        constructor = stub.get(f"{name}.__new__", stub.get(f"{name}.__init__"))
        yield Target(name, module, name, stub.get(name, constructor))
        for attribute, value in vars(thing).items() if inspect.isclass(thing) else ():
            is_special = attribute.startswith("__") and attribute not in SPECIAL
            is_usable = callable(value) or inspect.isdatadescriptor(value)
            if is_usable and not is_special and attribute not in SKIPPED:
                full = f"{name}.{attribute}"
                yield Target(full, thing, attribute, stub.get(full))


def call(target, values, log):
    """Make one call, after writing it to the log."""
    owner, text = target.owner, target.name
    if inspect.isclass(owner):
        owner = values.draw_object(owner)
        is_empty = getattr(owner, "game", owner) is None
        text = f"{'an empty object' if is_empty else f'{owner!r:.60}'}.{target.attribute}"
        if inspect.isdatadescriptor(vars(target.owner)[target.attribute]):
            log(text)
            return getattr(owner, target.attribute)
    function, parameters = getattr(owner, target.attribute), target.parameters
    parameters = guess_parameters(function) if parameters is None else parameters
    if values.rng.random() < 0.05:
        parameters = parameters[:-1]
    keywords = {key: values.draw(key, kind) for key, kind, is_keyword in parameters if is_keyword}
    positional = [values.draw(key, kind) for key, kind, is_keyword in parameters if not is_keyword]
    if target.name == "Batch":
        wrong = dict(zip((key for key, *_ in parameters), positional, strict=False)) | keywords
        some = values.rng.sample(list(wrong), min(len(wrong), values.rng.randrange(4)))
        positional, keywords = [], values.draw_batch() | {key: wrong[key] for key in some}
    texts = [f"{value!r:.60}" for value in positional]
    texts += [f"{key}={value!r:.60}" for key, value in keywords.items()]
    log(f"{text}({', '.join(texts)})")
    result = function(*positional, **keywords)
    if target.attribute == "open":
        owner.close()
    return result


def use(result):
    """Read a result, because an invalid result may cause a crash only when it is read."""
    if isinstance(result, Position):
        result.legal_moves()
        str(result.scores)
    elif isinstance(result, list | tuple):
        for one in result[:3]:
            use(one)


def call_in_child(target, values, count):
    """Call something many times in a child process; return its status and the last call."""
    reader, writer = os.pipe()
    seconds = int(SECONDS + SECONDS_PER_CALL * count)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

        def log(text):
            line = text.replace("\n", " ").encode("utf-8", "replace")[:TEXT]
            os.write(writer, line.ljust(TEXT) + b"\n")

        for _ in range(count):
            with suppress(Exception):
                use(call(target, values, log))
        gc.collect()
        os._exit(0)
    os.close(writer)
    status, last = wait(child, reader, PATIENCE * seconds)
    os.close(reader)
    return status, last.decode("utf-8", "replace").strip()


def wait(child, reader, seconds):
    """Wait for a child and kill it if it hangs; return its status and the last line it wrote."""
    deadline, last, status = time.monotonic() + seconds, b"", None
    os.set_blocking(reader, False)
    while True:
        with suppress(BlockingIOError):
            while data := os.read(reader, 1 << 16):
                last = (last + data)[-TEXT - 1 :]
        if status is not None:
            return status, last
        ended, code = os.waitpid(child, os.WNOHANG)
        if ended:
            status = code
        elif time.monotonic() > deadline:
            os.kill(child, 9)
            status = os.waitpid(child, 0)[1]
        else:
            time.sleep(0.002)


def main(count, seed, part=""):
    if "libasan" not in Path("/proc/self/maps").read_text(encoding="utf-8"):
        resource.setrlimit(
            resource.RLIMIT_AS, (MEMORY, MEMORY)
        )  # not with the sanitizer, which reserves terabytes
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    modules = list_modules()
    gc.freeze()  # so that a collection in a child copies no memory pages of imported modules
    blank = [module.blank for module in modules if hasattr(module, "blank")]
    calls, values = 0, Values(seed, blank)
    for module in modules:
        for target in list_targets(module):
            full = f"{module.__name__}.{target.name}"
            if part not in full:
                continue
            values.rng.seed(f"{seed} {full}")
            status, last = call_in_child(target, values, count)
            calls += count
            if status:
                code = os.waitstatus_to_exitcode(status)
                print(json.dumps({"name": full, "status": code, "call": last}), flush=True)
    print(json.dumps({"calls": calls}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
