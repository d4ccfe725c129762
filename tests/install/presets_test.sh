#!/usr/bin/env bash
# Every preset configures, in a folder of its own. Those whose tools are not installed are named
# and left out. Environment: SOURCE, CMAKE.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE"

# configure PRESET [WHAT-IT-MAY-LACK]: a preset that lacks just that is no failure.
configure() {
  echo "== $1"
  if "$CMAKE" --preset "$1" -B "$work/$1" >"$work/log" 2>&1; then return; fi
  if [[ -n ${2:-} ]] && grep -q "$2" "$work/log"; then
    echo "left out: not installed: $2"
  else
    cat "$work/log"
    exit 1
  fi
}

for preset in dev light lint release asan tsan; do configure "$preset"; done
configure bench 'benchmarkConfig.cmake'
configure fuzz 'clang++'

# A preset that nobody tried is a preset that may not work.
tried=$(find "$work" -mindepth 1 -maxdepth 1 -type d | wc -l)
listed=$("$CMAKE" --list-presets=configure | grep -c '^ *"')
((tried == listed)) || { echo "$listed presets, $tried tried"; exit 1; }
