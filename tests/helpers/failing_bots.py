"""Bots that end or block the process in which they run, or write to its output.

They are for all tests except those of tournaments.
"""

CODE = """
import os, sys


class Dies:
    def choose(self, observation, seed):
        if observation.turn > 0:
            os._exit(7)
        return observation.legal()[0]


class Hangs:
    def choose(self, observation, seed):
        while observation.turn > 0:
            pass
        return observation.legal()[0]


class Prints:
    def choose(self, observation, seed):
        print("noise " * 20_000)
        os.write(1, b"noise")
        sys.stderr.write("noise")
        return observation.legal()[0]
"""


def write_bots(folder):
    """Write the bots Dies, Hangs and Prints, and return a dict from their names to their files."""
    (folder / "failing_bots_code.py").write_text(CODE)
    files = {}
    for name in ("Dies", "Hangs", "Prints"):
        files[name] = folder / f"{name}.yaml"
        text = f"kind: python\nclass: failing_bots_code:{name}\nseconds_per_turn: 0.5\n"
        files[name].write_text(text)
    return files
