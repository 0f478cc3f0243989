"""Feed damaged input to a reader until it fails: ``python tests/fuzz/fuzz.py TARGET --inputs N``.

If Atheris is installed (``pip install atheris``), inputs that reach new lines of the package are
damaged further; otherwise all inputs are damaged examples. An input that makes a reader fail or
take too long is stored in a file and ends the run.
"""

import argparse
import contextlib
import importlib.util
import os
import random
import sys
import time
from pathlib import Path

from fuzz_mutator import is_json, mutator

SLOW = 3.0  # CPU seconds for one input; PyYAML takes one second for 15 KB on a busy machine
GUIDED = importlib.util.find_spec("atheris") is not None

if GUIDED:
    import atheris

    loading = atheris.instrument_imports(include=["trajan_ai"], enable_loader_override=False)
else:
    loading = contextlib.nullcontext()

with loading:
    from fuzz_targets import TARGETS, check, parse_quickly

    from trajan_ai.core import yamlfile


class Feeder:
    """Feeds one reader, counts the inputs, and stores each input that fails or takes too long."""

    def __init__(self, name: str, inputs: int, seconds: float) -> None:
        self.name, self.inputs, self.target = name, inputs, TARGETS[name]
        self.fed = self.taken = 0
        self.slowest = 0.0
        self.begin = time.monotonic()
        self.end = self.begin + seconds

    def feed(self, data: bytes) -> bool:
        """Feed one input; return whether it was the last one. If so, print the counts."""
        begin = time.process_time()
        try:
            self.taken += check(self.target, data)
            took = time.process_time() - begin
            assert took <= SLOW, f"{took:.1f} s for one input"
        except BaseException:
            Path(f"{self.name}.broken").write_bytes(data)
            raise
        self.slowest = max(self.slowest, took)
        self.fed += 1
        now = time.monotonic()
        over = self.fed >= self.inputs or now > self.end
        if over:
            print(
                f"{self.name}: {self.fed:,} inputs, {self.taken:,} of them accepted, in "
                f"{now - self.begin:.0f} s; the slowest {self.slowest:.3f} s",
                flush=True,
            )
        return over


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--text", type=float, default=0.5, help="share damaged as text, which is slow for YAML"
    )
    parser.add_argument("--blind", action="store_true", help="do not use Atheris")
    arguments = parser.parse_args()
    feeder = Feeder(arguments.target, arguments.inputs, arguments.seconds)
    drawn = mutator(feeder.target.seeds(), arguments.text)
    yamlfile.parse_yaml = parse_quickly
    if arguments.blind or not GUIDED:
        draw = random.Random(arguments.seed)
        while not feeder.feed(drawn(draw)):
            pass
        return

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        draw = random.Random(seed)
        text = draw.random() < arguments.text
        if draw.random() < 0.5 and (text or is_json(data)):
            with contextlib.suppress(RecursionError):
                return mutator([bytes(data)], text)(draw)[:most]
        return drawn(draw)[:most]

    def feed(data: bytes) -> None:
        if feeder.feed(data):
            os._exit(0)

    flags = [
        sys.argv[0],
        "-timeout=60",
        f"-seed={arguments.seed}",
        "-max_len=200000",
        "-verbosity=0",
    ]
    atheris.Setup(flags, feed, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
