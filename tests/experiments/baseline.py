"""Run a bot of another release as a program, to play it against a bot of the current release.

The other release is installed in a virtual environment. The plan names the interpreter there, here
``older/bin/python``::

    bots:
      - {name: new, extends: expert, seconds_per_turn: 0.2}
      - name: old
        kind: program
        command: [older/bin/python, -P, baseline.py]
        folder: tests/experiments
        options: {extends: expert, seconds_per_turn: 0.2}

``options`` describe the bot as a bot's YAML file does. This works with all releases since 0.3.0.
The search tree is kept within a turn and rebuilt in the next one.
"""

import json
import sys
import tempfile
from pathlib import Path

import yaml

import trajan_ai
from trajan_ai.bots import build, read_bot


def read_options(options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "old.yaml")
        path.write_text(yaml.safe_dump(options), encoding="utf-8")
        return read_bot(str(path))


def main():
    if not Path(trajan_ai.__file__).is_relative_to(sys.prefix):
        sys.exit(f"{trajan_ai.__file__} is not below {sys.prefix}: another release would play")
    game = player = before = move = None
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"type": "ready"}
        if request["type"] == "quit":
            return
        if request["type"] == "hello":
            game = trajan_ai.game(request["game"])
            bot = read_options(request["options"] or {"extends": "expert"})
        elif request["type"] == "start":
            player, before = build(bot, game), None
            player.start(request["seat"], request["players"], request["seed"])
        else:
            position = game.rules.from_view(request["view"])
            if before is not None and len(request["moves"]) == 1:
                player.observe(before, move)
            move = player.choose(position, request["seed"])
            before = position
            answer = {"type": "move", "move": game.actions[move]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
