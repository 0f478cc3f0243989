"""Plant faults in a copy of the sources, and report those that no test notices.

``python tests/laboratory/mutation/run.py --room trajan --number 50 --folder FOLDER`` draws 50
faults by a seed, plants all of them in a copy, each behind a switch (planting.py), compiles that
once, and runs for each fault the room's tests that reach it until one fails (trying.py). What
FOLDER holds is not done again, so a killed run goes on. ``--show`` prints what a folder holds.

A fault that does not compile is *refused*; one that makes a test fail, crash or run five times as
long as before is *killed*; what is left has *survived*.
"""

import argparse
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from faults import Fault, faults
from planting import SWITCH, plantable, planted
from rooms import ROOMS, Room

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
FOLDER = Path(tempfile.gettempdir(), "trajan-mutants")
BLAMED = re.compile(r"ext/(trajan_ai/\S+\.p(?:yx|xd)):(\d+):\d+")


def drawn(room: Room, number: int, seed: int) -> list[Fault]:
    """Return `number` faults of a room, drawn by a seed, the same for the same sources."""
    files = sorted({file for one in room.sources for file in glob.glob(one, root_dir=ROOT)})
    every = []
    for file in files:
        source = (ROOT / file).read_text()
        every += plantable(source, faults(file, source))
    return random.Random(seed).sample(every, min(number, len(every)))


class Copy:
    """A copy of the working tree with faults planted in it, and what is known of them."""

    def __init__(self, folder: Path, chosen: list[tuple[str, Fault]]) -> None:
        self.tree, self.folder = folder / "tree", folder
        self.chosen = dict(enumerate(chosen, start=1))
        self.fates = folder / "fates.jsonl"
        self.environment = os.environ | {
            "PYTHONPATH": f"{self.tree}:{HERE}",
            "LD_PRELOAD": str(folder / "switch.so"),
            "TRAJAN_SWITCHES": str(folder / "switches"),
            "CFLAGS": f"-I{HERE}",
            "TRAJAN_CFLAGS": "-O1",
        }

    def make(self) -> None:
        """Copy, plant and compile; faults that do not compile are noted as refused."""
        (self.folder / "switches").write_bytes(bytes(1 << 16))
        library = ["cc", "-shared", "-fPIC", "-o", self.folder / "switch.so", HERE / "switch.c"]
        subprocess.run(library, check=True)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_symlink():
                target.symlink_to(os.readlink(ROOT / name))
            elif (ROOT / name).exists():
                shutil.copy2(ROOT / name, target)
        for built in (*ROOT.glob("ext/**/*.c"), *ROOT.glob("trajan_ai/**/*.so")):  # if it is there
            shutil.copy2(built, self.tree / built.relative_to(ROOT))
        shutil.copyfile(HERE / f"{SWITCH}.pxd", self.tree / "ext" / f"{SWITCH}.pxd")
        shutil.copyfile(HERE / f"{SWITCH}.py", self.tree / f"{SWITCH}.py")  # what tests start
        refused: set[int] = set()
        while (blamed := self.compiled(refused)) is not None:
            refused |= blamed
        for number in sorted(refused):
            self.note({"number": number, "fate": "refused"})
        (self.folder / "made").touch()

    def compiled(self, refused: set[int]) -> set[int] | None:
        """Plant all but the refused and compile; return whom the compiler blames, None if fine."""
        by_file: dict[str, dict[int, Fault]] = {}
        for number, (_, fault) in self.chosen.items():
            by_file.setdefault(fault.file, {})
            if number not in refused:
                by_file[fault.file][number] = fault
        for file, here in by_file.items():
            source = (ROOT / file).read_text()
            text = planted(source, here) if here else source
            if (self.tree / file).read_text() != text:
                (self.tree / file).write_text(text)
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        done = subprocess.run(
            command,
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return None
        for match in BLAMED.finditer(done.stdout + done.stderr):
            lines = (self.tree / "ext" / match[1]).read_text().splitlines()
            around = "\n".join(lines[max(int(match[2]) - 2, 0) : int(match[2])])
            numbers = {int(n) for n in re.findall(rf"{SWITCH}\((\d+)\)", around)}
            if numbers:
                return numbers
        sys.exit(f"the copy does not compile:\n{(done.stdout + done.stderr)[-3000:]}")

    def note(self, fate: dict) -> None:
        """Note a fate."""
        with self.fates.open("a") as file:
            file.write(json.dumps(fate) + "\n")

    def known(self) -> dict[int, dict]:
        """Return the fates so far, by number."""
        lines = self.fates.read_text().splitlines() if self.fates.exists() else []
        return {fate["number"]: fate for fate in map(json.loads, lines)}

    def tried(self, name: str, most: float) -> None:
        """Try what is left of a room's faults."""
        known = self.known()
        left = [n for n, (room, _) in self.chosen.items() if room == name and n not in known]
        wanted = self.folder / f"{name}.wanted"
        wanted.write_text(json.dumps(left))
        if left:
            self.pytest(
                ROOMS[name],
                f"--survey={self.folder / name}.survey",
                f"--wanted={wanted}",
                f"--fates={self.fates}",
                f"--most={most}",
            )

    def pytest(self, room: Room, *options: str) -> None:
        """Run a room's tests with the plugin that tries faults."""
        patterns = [sorted(glob.glob(one, root_dir=self.tree)) for one in room.tests]
        tests = list(dict.fromkeys(file for files in patterns for file in files))
        plain = ["-q", "-p", "no:cacheprovider", "-p", "trying", "--long"]
        command = [sys.executable, "-m", "pytest", *plain, *options, *tests]
        with (self.folder / "pytest.log").open("w") as log:
            subprocess.run(command, cwd=self.tree, env=self.environment, stdout=log, check=True)

    def show(self) -> None:
        """Print how many of each room were killed, and every survivor."""
        known = self.known()
        for name in dict.fromkeys(room for room, _ in self.chosen.values()):
            numbers = [n for n, (room, _) in self.chosen.items() if room == name]
            fates = Counter(known[n]["fate"] if n in known else "left" for n in numbers)
            print(f"{name}: {', '.join(f'{fates[fate]} {fate}' for fate in sorted(fates))}")
        for number, (_, fault) in self.chosen.items():
            fate = known.get(number, {})
            if fate.get("fate") == "survived":
                tests = f"{fate['tests']} tests, {fate.get('skipped', 0)} left out"
                print(f"survived {tests}: {number}: {fault}")


def main() -> None:
    """Try faults and note their fates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--room", action="append", metavar="ROOM[:N]", help=f"{', '.join(ROOMS)}; default: all"
    )
    parser.add_argument("--number", type=int, default=50, help="of faults per room, unless N says")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help=f"copy and results; default {FOLDER}"
    )
    parser.add_argument(
        "--most", type=float, default=60.0, help="seconds of tests for one fault, the quickest"
    )
    parser.add_argument("--show", action="store_true", help="print the results so far and end")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder / "plan.json"
    if not plan.exists():
        chosen = []
        for told in arguments.room or ROOMS:
            name, _, number = told.partition(":")
            if name not in ROOMS:
                parser.error(f"--room: no room is called {name}; rooms: {', '.join(ROOMS)}")
            wanted = int(number or arguments.number)
            chosen += [(name, fault) for fault in drawn(ROOMS[name], wanted, arguments.seed)]
        plan.write_text(json.dumps([[name, fault.plain()] for name, fault in chosen]))
    chosen = [(name, Fault(**fault)) for name, fault in json.loads(plan.read_text())]
    copy = Copy(folder, chosen)
    if not arguments.show:
        if not (folder / "made").exists():
            copy.make()
        asked = [told.partition(":")[0] for told in arguments.room or ()]
        for name in asked or dict.fromkeys(name for name, _ in chosen):
            copy.tried(name, arguments.most)
    copy.show()


if __name__ == "__main__":
    main()
