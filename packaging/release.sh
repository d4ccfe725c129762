#!/usr/bin/env bash
# release.sh OUT TARGET...: builds what people download and packs it into OUT, for zig's targets. One of musl
# gives a tarball with the program, one of glibc the wheel and the npm packages. Needs SOURCE_DATE_EPOCH, and
# what build.sh needs; npm for the last.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$1"
out=$(realpath "$1")
shift
here=$(uname --machine)-linux-musl

# Manual pages and completions are printed by the program that runs here.
program() {
  local build=build/release/$1
  if [[ $1 == "$here" ]]; then
    bash packaging/build.sh "$1" spoor spoor_pages
    python3 tests/install/self_contained_test.py "$build/spoor" >&2
  else
    if [[ ! -e build/release/$here/pages/stamp ]]; then program "$here"; fi
    bash packaging/build.sh "$1" spoor
    rm -rf "$build/pages"
    cp -r "build/release/$here/pages" "$build"
  fi
  bash cmake/package.sh "$build" "$out"
}

bindings() {
  local build=build/release/$1 version
  bash packaging/build.sh "$1" libspoor spoor_node
  version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
  python3 bindings/python/wheel.py "$build/lib/libspoor.so.0" "$version" "$out" "$build/NOTICES"
  python3 bindings/node/pack.py "$build/lib/spoor.node" "$build/lib/libspoor.so.0" "$version" "$out" "$build/NOTICES"
}

for target in "$@"; do
  case $target in
    *-gnu.*) bindings "$target" ;;
    *) program "$target" ;;
  esac
done
