"""A bot of the release that runs this file, as a program: how an older one plays against today's.

An environment of its own holds the release; nothing of it is pinned in this tree. The plan names
its Python (``older/bin/python`` here, or a path)::

    bots:
      - {name: new, extends: expert, seconds_per_turn: 0.2}
      - name: old
        kind: program
        command: [older/bin/python, -P, yardstick.py]
        folder: tests/experiments
        options: {extends: expert, seconds_per_turn: 0.2}

``options`` describe the bot, as its YAML file would. Works with 0.3.0 and later. A tree is kept
from one decision of a turn to the next; from turn to turn it is built anew.
"""

import json
import sys
import tempfile
from pathlib import Path

import yaml

import trajan_ai
from trajan_ai.bots import build, read_bot


def described(options):
    """Return the bot that the options describe."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "old.yaml")
        path.write_text(yaml.safe_dump(options), encoding="utf-8")
        return read_bot(str(path))


def main():
    """Answer the lines of the harness."""
    if not Path(trajan_ai.__file__).is_relative_to(sys.prefix):
        sys.exit(f"{trajan_ai.__file__} is not of {sys.prefix}: another release would play")
    game = player = before = move = None
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {"type": "ready"}
        if asked["type"] == "quit":
            return
        if asked["type"] == "hello":
            game = trajan_ai.game(asked["game"])
            bot = described(asked["options"] or {"extends": "expert"})
        elif asked["type"] == "start":
            player, before = build(bot, game), None
            player.start(asked["seat"], asked["players"], asked["seed"])
        else:
            position = game.rules.from_view(asked["view"])
            if before is not None and len(asked["moves"]) == 1:
                player.observe(before, move)
            move = player.choose(position, asked["seed"])
            before = position
            answer = {"type": "move", "move": game.actions[move]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
