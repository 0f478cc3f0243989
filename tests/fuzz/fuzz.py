"""Feed damaged input to a reader until it breaks: ``python tests/fuzz/fuzz.py TARGET --inputs N``.

With Atheris installed (``pip install atheris``) the inputs that reach new lines of the package are
damaged further; without it all are damaged examples. What breaks a reader, or holds it up for
long, is kept in a file and ends the run.
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

SLOW = 3.0  # CPU seconds for one input; PyYAML takes one for 15 KB on a busy machine
GUIDED = importlib.util.find_spec("atheris") is not None

if GUIDED:
    import atheris

    with atheris.instrument_imports(include=["trajan_ai"], enable_loader_override=False):
        from fuzz_targets import TARGETS, check, quickly_parsed

        from trajan_ai.files import yamlfile
else:
    from fuzz_targets import TARGETS, check, quickly_parsed

    from trajan_ai.files import yamlfile


class Broken(Exception):
    """A reader broke, or took too long."""


class Feeder:
    """Feeds one reader, counts, and keeps what breaks it."""

    def __init__(self, name: str, inputs: int, seconds: float) -> None:
        self.name, self.inputs, self.target = name, inputs, TARGETS[name]
        self.fed = self.taken = 0
        self.slowest = 0.0
        self.begin = time.monotonic()
        self.end = self.begin + seconds

    def feed(self, data: bytes) -> None:
        """Feed one input; end the process after the last."""
        begin = time.process_time()
        try:
            self.taken += check(self.target, data)
        except BaseException:
            Path(f"{self.name}.broken").write_bytes(data)
            raise
        took = time.process_time() - begin
        if took > SLOW:
            Path(f"{self.name}.slow").write_bytes(data)
            raise Broken(f"{took:.1f} s for one input: {self.name}.slow")
        self.slowest = max(self.slowest, took)
        self.fed += 1
        if self.over:
            self.tell()

    @property
    def over(self) -> bool:
        """Whether that was enough."""
        return self.fed >= self.inputs or time.monotonic() > self.end

    def tell(self) -> None:
        """Print what was fed."""
        seconds = time.monotonic() - self.begin
        print(
            f"{self.name}: {self.fed:,} inputs, {self.taken:,} of them taken, in {seconds:.0f} s; "
            f"the slowest {self.slowest:.3f} s",
            flush=True,
        )


def main() -> None:
    """Read the command line and feed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--text", type=float, default=0.5, help="share damaged as text, slow where YAML is read"
    )
    parser.add_argument("--blind", action="store_true", help="do not use Atheris")
    arguments = parser.parse_args()
    feeder = Feeder(arguments.target, arguments.inputs, arguments.seconds)
    drawn = mutator(feeder.target.seeds(), arguments.text)
    yamlfile.parse_yaml = quickly_parsed
    if arguments.blind or not GUIDED:
        draw = random.Random(arguments.seed)
        while not feeder.over:
            feeder.feed(drawn(draw))
        return

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        draw = random.Random(seed)
        text = draw.random() < arguments.text
        if draw.random() < 0.5 and (text or is_json(data)):
            with contextlib.suppress(RecursionError):
                return mutator([bytes(data)], text)(draw)[:most]
        return drawn(draw)[:most]

    def feed(data: bytes) -> None:
        feeder.feed(data)
        if feeder.over:
            sys.stdout.flush()
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
