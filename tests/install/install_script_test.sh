#!/usr/bin/env bash
# packaging/install.sh installs what SHA256SUMS names, refuses anything else, and takes it back.
# Environment: SPOOR (a program), SOURCE.
set -euo pipefail

work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT
release=$work/release
name=spoor-9.9.9-linux-$(uname -m)-static
mkdir -p "$release" "$work/$name/bin" "$work/$name/share/doc/spoor" "$work/$name/share/man/man1"
cp "$SPOOR" "$work/$name/bin/spoor"
echo licence >"$work/$name/share/doc/spoor/LICENSE"
echo page >"$work/$name/share/man/man1/spoor.1"
tar -czf "$release/$name.tar.gz" -C "$work" "$name"
(cd "$release" && sha256sum "$name.tar.gz" >SHA256SUMS)
cp "$SOURCE/packaging/install.sh" "$release"
prefix="$work/a prefix"

echo "== from the script's folder"
sh "$release/install.sh" --prefix "$prefix" | tee "$work/said"
grep --quiet "^installed 9.9.9-linux" "$work/said"
"$prefix/bin/spoor" version >/dev/null
cmp "$SPOOR" "$prefix/bin/spoor"

echo "== removed"
touch "$prefix/share/man/man1/other.1"
sh "$release/install.sh" --prefix "$prefix" --remove
[[ $(cd "$prefix" && find . -type f) == ./share/man/man1/other.1 ]]
if sh "$release/install.sh" --prefix "$prefix" --remove; then exit 1; fi

echo "== over http"
: >"$work/served"
python3 -u -m http.server --bind 127.0.0.1 --directory "$release" 0 >"$work/served" 2>/dev/null &
server=$!
for _ in $(seq 100); do
  port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/served")
  [[ -z $port ]] || break
  sleep 0.1
done
no_proxy=127.0.0.1 sh "$SOURCE/packaging/install.sh" --from "http://127.0.0.1:$port" --prefix "$work/other"
[[ -x $work/other/bin/spoor ]]
if no_proxy=127.0.0.1 sh "$SOURCE/packaging/install.sh" --from "http://127.0.0.1:$port/none" --prefix "$work/none"; then
  exit 1
fi

echo "== with another sum"
echo more >>"$release/$name.tar.gz"
if sh "$release/install.sh" --prefix "$work/third" 2>"$work/said"; then exit 1; fi
grep --quiet "does not have the sum" "$work/said"
[[ ! -e $work/third ]]

echo "== for no such system"
sed -i 's/linux/plan9/' "$release/SHA256SUMS"
if sh "$release/install.sh" --prefix "$work/third" 2>"$work/said"; then exit 1; fi
grep --quiet "names no program for linux" "$work/said"
