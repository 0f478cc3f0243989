"""A copy of the working tree, for builds that must not disturb it."""

import glob
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def copy(folder: Path, made: str) -> None:
    """Copy the sources to `folder`, and of what was made from them what fits a pattern."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in [
        *filter(None, names.split("\0")),
        *glob.glob(made, root_dir=ROOT, recursive=True),
    ]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            target.symlink_to(os.readlink(ROOT / name))
        elif (ROOT / name).exists():
            shutil.copy2(ROOT / name, target)
