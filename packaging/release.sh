#!/usr/bin/env bash
# release.sh OUT PART TARGET...: builds a part of what people download and packs it into OUT, for zig's targets.
#
#   program   a tarball with the program, for a target with musl, that needs nothing of a system, or for macOS
#   wheel     the package for Python, of a target with glibc, such as x86_64-linux-gnu.2.28
#   npm       the packages for Node, as above
#
# Needs SOURCE_DATE_EPOCH, and what build.sh needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p "$1"
out=$(realpath "$1")
part=$2
shift 2
here=$(uname --machine)-linux-musl

# Manual pages and completions are printed by the program that runs here. One for another processor is
# tested where qemu-user-static is installed, one for macOS nowhere.
program() {
  local build=build/release/$1 emulator
  if [[ $1 == "$here" ]]; then
    bash packaging/build.sh "$1" spoor spoor_pages
    python3 tests/install/self_contained_test.py "$build/spoor" >&2
  else
    if [[ ! -e build/release/$here/pages/stamp ]]; then program "$here"; fi
    bash packaging/build.sh "$1" spoor
    rm -rf "$build/pages"
    cp -r "build/release/$here/pages" "$build"
    if [[ $1 == *-macos* ]]; then
      printf 'note: %s was not run\n' "$1" >&2
    elif emulator=$(command -v "qemu-${1%%-*}-static"); then
      python3 tests/install/self_contained_test.py "$build/spoor" "$emulator" >&2
    else
      printf 'note: %s was not tested: qemu-user-static is not installed\n' "$1" >&2
    fi
  fi
  bash cmake/package.sh "$build" "$out"
}

version_of() {
  sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "build/release/$1/CMakeCache.txt"
}

wheel() {
  local build=build/release/$1
  bash packaging/build.sh "$1" libspoor
  python3 bindings/python/wheel.py "$build/lib/libspoor.so.0" "$(version_of "$1")" "$out" "$build/NOTICES"
}

npm() {
  local build=build/release/$1
  bash packaging/build.sh "$1" libspoor spoor_node
  python3 bindings/node/pack.py "$build/lib/spoor.node" "$build/lib/libspoor.so.0" "$(version_of "$1")" "$out" \
    "$build/NOTICES"
}

case $part in
  program | wheel | npm) ;;
  *)
    echo "error: there is no part '$part'" >&2
    exit 2
    ;;
esac
for target in "$@"; do
  "$part" "$target"
done
