"""Copies of the working tree, for builds that must not disturb it."""

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copy(folder, *made):
    """Copy the sources to `folder`, and of what was made from them what fits these patterns."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    built = [name for one in made for name in glob.glob(one, root_dir=ROOT, recursive=True)]
    for name in [*filter(None, names.split("\0")), *built]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if (ROOT / name).is_symlink():
            target.symlink_to(os.readlink(ROOT / name))
        elif (ROOT / name).exists():
            shutil.copy2(ROOT / name, target)


def build(folder, **environment):
    """Compile a copy in place with further environment variables; return the ended process."""
    return subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
