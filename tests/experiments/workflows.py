"""Run the steps of the workflows on this machine, each job in a fresh clone and environment.

workflows.py [JOB ...]    lists the jobs if none is named

Steps that use an action are skipped, with two exceptions: a clone replaces a checkout, and a
virtual environment of this interpreter replaces setup-python. Jobs for other systems or versions
do not run here.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
Job = dict[str, Any]
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def expand(text: object, values: dict[str, object]) -> str:
    """Replace the expressions in a step by values from the matrix and the environment."""
    names = {
        f"{scope}.{name}": value for scope in ("matrix", "env") for name, value in values.items()
    }
    return re.sub(r"\$\{\{ *([\w.]+).*?\}\}", lambda m: str(names.get(m[1], "")), str(text))


def list_jobs() -> dict[str, tuple[Job, dict[str, object]]]:
    """Return jobs by name, with the values of their matrix; each `include` entry is one job."""
    jobs = {}
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items():
            matrix = job.get("strategy", {}).get("matrix", {})
            values = {key: value[0] for key, value in matrix.items() if isinstance(value, list)}
            includes = matrix.get("include", [])
            for number, include in enumerate(includes if set(matrix) == {"include"} else [{}]):
                suffix = f"/{number}" if include else ""
                jobs[f"{path.stem}/{name}{suffix}"] = job, {**values, "python": VERSION, **include}
    return jobs


def run_job(job: Job, values: dict[str, object]) -> int:
    """Run the steps of a job until one fails. Return the exit status of the last step."""
    with tempfile.TemporaryDirectory() as folder:
        clone, venv = Path(folder, "clone"), Path(folder, "venv")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "pipx"], check=True)
        environ = {
            **os.environ,
            "PATH": f"{venv}/bin:{os.environ['PATH']}",
            "VIRTUAL_ENV": str(venv),
        }
        environ.pop("PYTHONPATH", None)
        environ |= {key: expand(value, values) for key, value in job.get("env", {}).items()}
        for step in job["steps"]:
            if "run" not in step:
                print(f"== skipped: {step['uses']}", flush=True)
                continue
            command = expand(step["run"], {**values, **job.get("env", {})}).replace(
                "--system ", ""
            )
            print(f"== {command.strip()}", flush=True)
            status = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", command], check=False, cwd=clone, env=environ
            )
            if status.returncode:
                return status.returncode
    return 0


if __name__ == "__main__":
    jobs = list_jobs()
    for name in sys.argv[1:]:
        status = run_job(*jobs[name])
        print(f"== {name}: {'passed' if not status else f'failed ({status})'}", flush=True)
    if not sys.argv[1:]:
        print(*jobs, sep="\n")
