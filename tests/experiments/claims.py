"""Print random claims of the pages, so that somebody can check them again.

    python tests/experiments/claims.py [COUNT [SEED]]

The output has COUNT entries (default 40) of tests/project/claims.yaml, each with the page, the
words of the claim, the command that verifies the claim, and the duration of the command. The same
SEED (default 0) always selects the same entries.
"""

import random
import sys
from functools import cache
from pathlib import Path

import yaml

CLAIMS = Path(__file__).resolve().parents[1] / "project" / "claims.yaml"


@cache
def read_claims():
    """Return (page, words, command, duration) of each claim; command and duration may be empty."""
    pages = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))["claims"]
    return [
        (page, entry["says"], entry.get("by", ""), entry.get("takes", ""))
        for page, entries in pages.items()
        for entry in entries
    ]


def main(count=40, seed=0):
    claims = read_claims()
    for page, words, command, duration in random.Random(seed).sample(
        claims, min(count, len(claims))
    ):
        print(f"{page}: {words}")
        print(f"    {command or 'no command verifies it'}{duration and f'    # {duration}'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
