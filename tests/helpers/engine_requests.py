"""Requests for tests of the engine, and an engine in this process that collects its answers."""

import json
from queue import Queue

from golden_games import golden

from trajan_ai import records
from trajan_ai.records import position_files
from trajan_ai.service.engine_service import EngineService
from trajan_ai.service.options import EngineOptions

RECORDS = {name: golden(name, "3p") for name in ("trajan", "forum_trajanum")}
START = {"start": {"game": "trajan", "players": 2, "seed": 7}}
FOREVER = {"kind": "suggest", "position": START, "iterations": 2**31 - 1, "bot": "ismcts"}


def midgame(name="trajan"):
    """Return a position of a golden record, and the position file of the player to move in it."""
    position = records.replay(RECORDS[name], 60)
    return position, position_files.position_file(position, position.player)


class Desk:
    """An engine whose answers are collected. Each request is a line with a line number."""

    def __init__(self, **options):
        self.answers = Queue()
        self.engine = EngineService(EngineOptions(**{"threads": 1} | options), self._send)
        self.line = 0

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.engine.stop_all()
        self.engine.close()

    def _send(self, line, token):
        line.encode("ascii")
        self.answers.put(json.loads(line))

    def put(self, line):
        self.line += 1
        return self.engine.handle(line, self.line)

    def send(self, **request):
        return self.put(json.dumps(request).encode())

    def receive(self):
        return self.answers.get(timeout=60)

    def receive_last(self):
        """Return the next final answer, skipping interim answers."""
        while (answer := self.receive())["status"] == "interim":
            pass
        return answer

    def ask(self, **request):
        self.send(**request)
        return self.receive_last()
