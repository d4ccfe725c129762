#!/usr/bin/env bash
# The installed tree is whole: a program outside this repository builds against it and runs.
# Environment: BUILD (the build folder), CMAKE, CXX, LIBDIR, SANITIZE.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Moved after the installation: nothing installed may know where it was put. Files of others are there
# before and come later.
mkdir -p "$work/elsewhere/bin" "$work/elsewhere/share/empty"
echo other >"$work/elsewhere/bin/other"
before=$(cd "$work/elsewhere" && find . | sort)
"$CMAKE" --install "$BUILD" --prefix "$work/elsewhere" >"$work/log"
# As one does to update, from where one is.
(cd "$work" && "$CMAKE" --install "$BUILD" --prefix elsewhere >"$work/log")
mv "$work/elsewhere" "$work/prefix"
prefix=$work/prefix

if grep -rlF "$BUILD" "$prefix/$LIBDIR/cmake" "$prefix/$LIBDIR/pkgconfig"; then
  echo "an installed file names the build folder"
  exit 1
fi

flags=()
if [[ -n $SANITIZE ]]; then flags=("-fsanitize=$SANITIZE"); fi

echo "== find_package"
"$CMAKE" -S "$here/consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="${flags[*]}" >"$work/log" || { cat "$work/log"; exit 1; }
"$CMAKE" --build "$work/build"
"$work/build/consumer" "$work"

echo "== pkg-config"
export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig
read -ra compile < <(pkg-config --cflags spoor)
read -ra link < <(pkg-config --libs spoor)
"$CXX" -std=c++20 "${flags[@]}" "${compile[@]}" "$here/consumer/main.cc" -o "$work/consumer" "${link[@]}"
"$work/consumer" "$work"

echo "== pkg-config, from C"
read -ra compile < <(pkg-config --cflags libspoor)
read -ra link < <(pkg-config --libs libspoor)
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$here/../../docs/c.md" >"$work/talk.c"
"${CC:-cc}" -std=c11 "${flags[@]}" "${compile[@]}" "$work/talk.c" -o "$work/talk" "${link[@]}"
LD_LIBRARY_PATH=$prefix/$LIBDIR "$work/talk" "$work/talk.spoor"
readelf --dynamic "$work/talk" | grep -q '\[libspoor.so.0\]'

echo "== what the program is made of"
python3 "$here/materials_test.py" "$prefix" "$BUILD/build.ninja"

echo "== the program"
"$prefix/bin/spoor" version

echo "== what it says about itself"
for page in share/man/man1/spoor.1 share/man/man1/spoor-help.1 \
  share/bash-completion/completions/spoor share/zsh/site-functions/_spoor \
  share/fish/vendor_completions.d/spoor.fish; do
  [[ -s $prefix/$page ]] || { echo "missing or empty: $page"; exit 1; }
done
bash -n "$prefix/share/bash-completion/completions/spoor"
if command -v zsh >/dev/null; then zsh -n "$prefix/share/zsh/site-functions/_spoor"; fi
if command -v fish >/dev/null; then fish -n "$prefix/share/fish/vendor_completions.d/spoor.fish"; fi
if command -v mandoc >/dev/null; then mandoc -T lint -W error "$prefix"/share/man/man1/*.1; fi

echo "== what removes it"
uninstall=("$CMAKE" "-DPREFIX=$prefix" -P "$here/../../cmake/manifest.cmake")
echo ours >"$prefix/share/doc/spoor/a note"
"${uninstall[@]}" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
tail -n 2 "$work/log"
grep -q "^kept $prefix/share/doc/spoor: " "$work/log"
rm -r "$prefix/share/doc"
diff <(echo "$before") <(cd "$prefix" && find . | sort)
"${uninstall[@]}" 2>&1 | grep 'nothing to remove'
