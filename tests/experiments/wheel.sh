#!/usr/bin/env bash
# Test one CPython as cibuildwheel does: bash tests/experiments/wheel.sh PYTHON FOLDER [WHEEL]
#
# Creates a virtual environment in FOLDER, installs WHEEL (by default these sources) and only the
# packages in test-requires, runs test-command outside the sources, and prints the play signature.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
wheel=${3:-$project}
"$1" -m venv "$2"
cd "$2"
PATH=$PWD/bin:$PATH

# Print a setting of [tool.cibuildwheel], with one line for each entry.
setting() {
  python -c '
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    value = tomllib.load(file)["tool"]["cibuildwheel"][sys.argv[2]]
print(*([value] if isinstance(value, str) else value), sep="\n")' "$project/pyproject.toml" "$1"
}

setting test-requires >requirements.txt
python -m pip install --quiet "$wheel" -r requirements.txt
command=$(setting test-command)
bash -euc "${command//\{project\}/"$project"}"
python -c '
import sys
from trajan_ai import games
from trajan_ai.analysis.measurement.signature import play_signature
print(sys.version.split()[0], *(play_signature(games.game(name)) for name in games.GAMES))'
