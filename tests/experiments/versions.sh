#!/usr/bin/env bash
# Run the wheel's tests with CPython 3.11 to 3.14:
# bash tests/experiments/versions.sh FOLDER [PYTHON..]
#
# Uses the named interpreters, and for the missing versions those of Debian's trixie and sid, which
# requires root and mmdebstrap. Lists at the end which versions passed, and which were not found.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
work=$(realpath "$1")
shift
declare -A outcome

# Test with the interpreter $2 of version $1 in the folder $3. Further arguments are the command that
# runs `bash wheel.sh`.
try() {
  local version=$1 python=$2 folder=$3
  shift 3
  [ -z "${outcome[$version]:-}" ] || return 0
  outcome[$version]="failed, see $work/$version.log"
  if "$@" bash "$folder/sources/tests/experiments/wheel.sh" "$python" "$folder/$version" \
    >"$work/$version.log" 2>&1; then
    outcome[$version]="passed: $(tail -n 1 "$work/$version.log")"
  fi
}

copy_sources() {
  mkdir -p "$1/sources"
  (cd "$project" && git ls-files -z --cached --others --exclude-standard |
    xargs -0 cp --parents --no-dereference -t "$1/sources")
}

copy_sources "$work"
for python in "$@"; do
  try "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" "$python" "$work"
done

for suite in trixie sid; do
  root=$work/$suite
  [ -d "$root" ] || mmdebstrap --variant=apt --include=ca-certificates,gcc,libc6-dev,git \
    --aptopt='Acquire::Check-Valid-Until "false"' --skip=cleanup/apt/lists "$suite" "$root" \
    >"$work/$suite.log" 2>&1
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  copy_sources "$root"
  for version in 3.11 3.12 3.13 3.14; do
    [ -z "${outcome[$version]:-}" ] || continue
    chroot "$root" apt-get -qq install -y "python$version-venv" "python$version-dev" \
      >/dev/null 2>&1 || continue
    try "$version" "python$version" "" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/bin chroot "$root"
  done
done

for version in 3.11 3.12 3.13 3.14; do
  echo "$version ${outcome[$version]:-not offered}"
done
