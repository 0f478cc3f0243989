"""How recorded games of Trajan were played: ``python how_it_plays.py FILE.jsonl ..``.

Told by number of players, as means over seats: final VP by source, the share of turns whose tray
led to each action, and the share of quarters in which all demands were met.
"""

import sys
from collections import Counter, defaultdict

from trajan_ai import records
from trajan_ai.analysis.outlook import booked
from trajan_ai.analysis.sources import source_names
from trajan_ai.core.enums import named
from trajan_ai.trajan import types

ACTIONS = {number: name for name, number in named(types, "ACTION_").items()}
QUARTERS = 4


def play(record, sources):
    """Return VP by source, turns by action, and quarters with demands left, of all seats."""
    positions = list(records.positions(record))
    vp, actions, short = Counter(), {}, 0
    for before, (_, action) in zip(positions, record["actions"], strict=False):
        state = types.fields(before.to_bytes())
        if state["decision"] in ACTIONS and not state["in_free"]:
            actions[before.turn] = ACTIONS[state["decision"]]
        for row in booked(before, before.game.move(action))[1]:
            brought = dict(zip(sources, row, strict=True))
            vp.update(brought)
            short += brought["demands"] < 0
    return vp, Counter(actions.values()), short


def main():
    """Print a table for each number of players."""
    seats, vp, actions, short = Counter(), defaultdict(Counter), defaultdict(Counter), Counter()
    for path in sys.argv[1:]:
        for record in records.read(path):
            players = record["players"]
            one = play(record, source_names(records.start(record).game))
            seats[players] += players
            vp[players].update(one[0])
            actions[players].update(one[1])
            short[players] += one[2]
    for players, count in sorted(seats.items()):
        print(f"{players} players, {count} seats, mean {vp[players].total() / count:.1f} VP")
        for source, points in vp[players].most_common():
            print(f"  {source:22s} {points / count:6.1f}")
        turns = actions[players].total()
        for action, number in actions[players].most_common():
            print(f"  turns for {action:12s} {number / turns:6.1%}")
        met = 1 - short[players] / (QUARTERS * count)
        print(f"  demands met            {met:6.1%} of quarters")


if __name__ == "__main__":
    main()
