#!/usr/bin/env bash
# build.sh TARGET CMAKE-TARGET...: builds parts of spoor for one of zig's targets, for example
# x86_64-linux-musl, with every library inside, in build/release/TARGET (docs/packages.md).
#
# The libraries are built once for each target and recipe, in build/deps. Needs python3 with venv, cmake,
# ninja, perl and make, and what fetch.sh needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$1
shift
deps=$PWD/build/deps
mkdir -p "$deps"

zig_version=$(sed -n 's/^ziglang==\([^ ]*\).*/\1/p' packaging/zig.txt)
zig=$deps/zig-$zig_version
if [[ ! -e $zig/done ]]; then
  python3 -m venv --clear "$zig"
  "$zig/bin/pip" install --quiet --only-binary :all: --require-hashes --requirement packaging/zig.txt >&2
  touch "$zig/done"
fi
program=$("$zig/bin/python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).resolve().parent / "zig")')
export ZIG_GLOBAL_CACHE_DIR=$deps/zig-cache ZIG_LOCAL_CACHE_DIR=$deps/zig-cache CCACHE_COMPILERTYPE=clang

bash packaging/fetch.sh "$deps/sources"

recipe=$(cat packaging/sources.txt packaging/zig.txt packaging/zig.cmake packaging/libraries/* packaging/macos/*/* | sha256sum | head -c 12)
libraries=$deps/$target-$recipe
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/zig.cmake" -DSPOOR_TARGET="$target"
  -DSPOOR_ZIG="$program" -DSPOOR_SOURCES="$deps/sources")
if [[ ! -e $libraries/done ]]; then
  printf '==> building the libraries of %s\n' "$target" >&2
  cmake -S packaging/libraries -B "$libraries/build" "${options[@]}" -DCMAKE_INSTALL_PREFIX="$libraries" >&2
  cmake --build "$libraries/build" -j "${SPOOR_JOBS:-2}" >&2
  cmake --install "$libraries/build" >/dev/null
  touch "$libraries/done"
fi

printf '==> building %s for %s\n' "$*" "$target" >&2
cmake --fresh -S . -B "build/release/$target" "${options[@]}" -DCMAKE_PREFIX_PATH="$libraries" -DSPOOR_SELF_CONTAINED=ON \
  -DSPOOR_BUILD_TESTS=OFF -DCMAKE_UNITY_BUILD=ON >&2
cmake --build "build/release/$target" -j "${SPOOR_JOBS:-2}" --target "$@" >&2
