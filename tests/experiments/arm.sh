#!/usr/bin/env bash
# Replay recorded games on emulated 64-bit ARM, and print the play signatures:
# bash tests/experiments/arm.sh FOLDER
#
# Requires Debian's emulator (qemu-user-static) and cross compiler (gcc-aarch64-linux-gnu).
# Downloads Python for ARM and wheels of the dependencies. Run it from the root of the repository
# with a CPython 3.11 that has Cython; it takes a few minutes.
set -euo pipefail
work=$(realpath -m "$1")
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root"
arm_apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status=/dev/null \
    -o Dir::State::lists="$work/lists" -o Dir::Cache::archives="$work/archives" "$@"
}
arm_apt update
arm_apt install --download-only --no-install-recommends python3.11-minimal libpython3.11-dev libpython3.11-stdlib libstdc++6 >/dev/null
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$work/root"; done

# The names of compiled modules contain the machine that compiles them, so rename them for ARM.
mkdir -p "$work/clone"
git ls-files -z | xargs -0 cp --parents --no-dereference -t "$work/clone"
cd "$work/clone"
export _PYTHON_HOST_PLATFORM=linux-aarch64 CC=aarch64-linux-gnu-gcc LDSHARED="aarch64-linux-gnu-gcc -shared"
export CFLAGS="-I$work/root/usr/include/python3.11 -I$work/root/usr/include"
python setup.py -q build_ext --inplace -j "$(nproc)"
find trajan_ai -name '*-x86_64-linux-gnu.so' |
  while read -r module; do mv "$module" "${module/x86_64/aarch64}"; done
python -m pip install -q --target "$work/site" --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 \
  --python-version 3.11 --only-binary=:all: pytest numpy scipy joblib filelock tqdm pyyaml pydantic jinja2

arm() {
  PYTHONPATH=$PWD:$work/site qemu-aarch64-static -L "$work/root" "$work/root/usr/bin/python3.11" -P "$@"
}
arm -c '
import platform
from trajan_ai import games
from trajan_ai.analysis.measurement.signature import play_signature
print(platform.machine(), *(play_signature(games.game(name)) for name in games.GAMES))'
arm -m pytest -c pyproject.toml -o addopts=-q --noconftest tests/golden tests/records/test_shared_positions.py
