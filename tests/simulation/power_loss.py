"""What a machine that loses power leaves of the files that a tournament writes.

    python tests/simulation/power_loss.py --losses 4000

What was written before a file was last synced is there. Of what came later each sector may have
arrived or not, and a file that was never synced may be missing. So a store may lose its last
games, but it is whole, and what is left are the first of those that it took.
"""

import argparse
import random
import sqlite3
from pathlib import Path
from unittest import mock

from disasters import dump, plan_of, played, scratch, undisturbed
from faulty_disk import FaultyDisk

from trajan_ai.tournaments import runner
from trajan_ai.tournaments.store import FILE, Store

SECTOR = 512


class Ordered(Store):
    """The store; how far the disk's journal was when it had kept each game."""

    journal: list[tuple]
    kept: list[tuple[int, str]]

    def add(self, entry, outcome):
        added = super().add(entry, outcome)
        if added:
            self.kept.append((len(self.journal), entry.id))
        return added


def journal_of(kind, number):
    """Return what a run does to its disk, and when it had kept which game."""
    journal, kept = [], []
    Ordered.journal, Ordered.kept = journal, kept
    with (
        scratch() as folder,
        FaultyDisk(folder, lambda operation: None, journal),
        mock.patch.object(runner, "Store", Ordered),
    ):
        played(plan_of(kind, number), folder)
    return journal, kept


def sectors(offset, data, draw):
    """Yield the parts of a write that arrive: each sector may."""
    for begin in range(0, len(data), SECTOR):
        if draw.random() < 0.5:
            yield offset + begin, data[begin : begin + SECTOR]


def carry_out(content, operation, *where):
    """Write to or cut off the content of a file."""
    if operation == "truncate":
        del content[where[0] :]
        return
    offset, data = where
    content.extend(bytes(max(0, offset + len(data) - len(content))))
    content[offset : offset + len(data)] = data


def left_of(journal, draw):
    """Return what is left of each file, by its name, when power fails after these operations."""
    files, waiting, synced = {}, {}, set()
    for operation, path, *where in journal:
        content, late = files.setdefault(path, bytearray()), waiting.setdefault(path, [])
        if operation == "delete":
            del files[path], waiting[path]
            synced.discard(path)
        elif operation == "sync":
            for one in late:
                carry_out(content, *one)
            late.clear()
            synced.add(path)
        else:
            late.append((operation, *where))
    for path, late in waiting.items():
        arrives = draw.choice((0.0, 0.5, 1.0))
        for operation, *where in late:
            if draw.random() >= arrives:
                continue
            if operation == "write" and arrives < 1.0:
                for part in sectors(*where, draw):
                    carry_out(files[path], "write", *part)
            else:
                carry_out(files[path], operation, *where)
    return {
        Path(path).name: bytes(content)
        for path, content in files.items()
        if path in synced or draw.random() < 0.5
    }


def survive(kind, number, journal, kept, draw):
    """Lose power somewhere, and go on; return how many games were lost."""
    folding = [at for at, (_, path, *_) in enumerate(journal, 1) if not path.endswith("-wal")]
    end = draw.choice((draw.randint(1, len(journal)), draw.choice(folding)))
    before = [identity for at, identity in kept if at <= end]
    with scratch() as folder:
        for name, content in left_of(journal[:end], draw).items():
            Path(folder, name).write_bytes(content)
        found = []
        if Path(folder, FILE).exists():
            with Store(folder, create=True) as store:
                found = [game.id for game in store.games()]
                found += [row.id for row in store.failures() if row.counted]
            with sqlite3.connect(Path(folder, FILE)) as file:
                assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        left = [identity for _, identity in kept[: len(set(found))]]
        assert set(found) == set(left), "of the games kept, not the first are left"
        assert played(plan_of(kind, number), folder).ended == undisturbed(kind, number)[1]
        assert dump(folder, plan_of(kind, number)) == undisturbed(kind, number)[0]
    return len(set(before) - set(found))


def main():
    """Lose power so often, in each kind of plan in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--losses", type=int, default=4000)
    losses = parser.parse_args().losses
    kinds = ("plain", "test", "stop", "informative")
    written = {kind: journal_of(kind, 0) for kind in kinds}
    lost = [
        survive(kind, 0, *written[kind], random.Random(seed))
        for seed in range(losses // len(kinds))
        for kind in kinds
    ]
    some = [games for games in lost if games]
    print(
        f"{len(lost)} losses of power: games lost in {len(some)}, the last {max(some)} at most; "
        "every store whole, every result that of an undisturbed run"
    )


if __name__ == "__main__":
    main()
