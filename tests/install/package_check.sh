#!/usr/bin/env bash
# The expensive half of the tests of packages; `./dev package --check` runs it from the root of the source, after
# packing. Builds what the source's tarball holds elsewhere and compares; looks at the program; holds
# the SPDX document to a validator from PyPI, where that can be reached. Environment: SOURCE_DATE_EPOCH.
set -euo pipefail

made=$PWD/build/package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git diff --quiet HEAD || { echo "error: commit first: the tarball holds the last commit"; exit 1; }

echo "== the SPDX document"
if python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet spdx-tools==0.8.3; then
  "$work/venv/bin/pyspdxtools" --infile build/release/spoor.spdx.json
else
  echo "skipped: PyPI cannot be reached"
fi

echo "== installed"
BUILD=$PWD/build/release SOURCE=$PWD bash tests/install/package_test.sh
BUILD=$PWD/build/release CMAKE=cmake CXX=c++ LIBDIR=lib SANITIZE='' bash tests/install/install_test.sh

echo "== unpacked"
mkdir "$work/portable"
tar -xzf "$made"/spoor-*-linux-*.tar.gz -C "$work/portable" --strip-components=1
loaded=$(LD_DEBUG=files "$work/portable/bin/spoor" version 2>&1 >/dev/null)
if grep 'calling init: .*\.so' <<<"$loaded" | grep --invert-match -E '/(lib(c|m|dl|pthread)|ld-linux[^/]*)\.so'; then
  echo "error: these libraries are not everywhere"
  exit 1
fi

echo "== built elsewhere"
mkdir "$work/again"
tar -xzf "$(find "$made" -name 'spoor-*.tar.gz' ! -name '*-linux-*')" -C "$work/again" --strip-components=1
(cd "$work/again" && cmake --preset release >/dev/null && cmake --build --preset release >/dev/null)
bash "$work/again/cmake/package.sh" "$work/again/build/release" "$work/packages"
for file in "$work"/packages/spoor[_-]*; do cmp "$file" "$made/$(basename "$file")"; done
echo "the same bytes, from two folders"
