#!/bin/sh
# Installs spoor from the folder, or the address, that holds its tarballs and their SHA256SUMS.
#
# usage: install.sh [--from FOLDER|URL] [--prefix FOLDER] [--remove]
#
# Without --from it is the folder of this script, without --prefix ~/.local. The tarball is unpacked only
# if its sum is the one in SHA256SUMS. --remove takes back what an installation put there.
set -eu

fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

from=$(dirname "$0")
prefix=${HOME:-}/.local
remove=no
while [ $# -gt 0 ]; do
  case $1 in
    --from | --prefix)
      [ $# -gt 1 ] || fail "'$1' needs a value"
      if [ "$1" = --from ]; then from=${2%/}; else prefix=${2%/}; fi
      shift
      ;;
    --remove) remove=yes ;;
    -h | --help)
      sed -n '2,7s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown argument '$1'" "run 'install.sh --help'" ;;
  esac
  shift
done

manifest=$prefix/share/doc/spoor/install_manifest.txt
if [ $remove = yes ]; then
  [ -e "$manifest" ] || fail "nothing was installed under '$prefix'"
  while IFS= read -r file; do
    case /$file/ in
      *//* | */../*) fail "the manifest names '$file', which is not under '$prefix'" ;;
    esac
    rm -f "$prefix/$file"
  done <"$manifest"
  rm -f "$manifest"
  rmdir "$prefix/share/doc/spoor" 2>/dev/null || true
  printf 'removed spoor from %s\n' "$prefix"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# get NAME: copies or downloads a file of $from into $work.
get() {
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$work/$1" "$from/$1"
      elif command -v wget >/dev/null; then
        wget --quiet --output-document="$work/$1" "$from/$1"
      else
        fail "neither curl nor wget is installed"
      fi
      ;;
    *) cp "$from/$1" "$work/$1" ;;
  esac || fail "cannot get '$1' from '$from'"
}

sum_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  else
    shasum -a 256 "$1"
  fi | cut -d ' ' -f 1
}

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=macos ;;
  *) fail "there is no program for $(uname -s)" "build it from the source" ;;
esac
processor=$(uname -m)

get SHA256SUMS
# Two columns: the sum and the name.
line=$(grep -E "  spoor-[0-9.]+-$system-$processor-static\.tar\.gz\$" "$work/SHA256SUMS" ||
  grep -E "  spoor-[0-9.]+-$system-$processor\.tar\.gz\$" "$work/SHA256SUMS") ||
  fail "'$from/SHA256SUMS' names no program for $system on $processor" "build it from the source"
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "'$from/SHA256SUMS' names several versions"
name=${line#*  }
get "$name"
[ "$(sum_of "$work/$name")" = "${line%% *}" ] ||
  fail "'$name' does not have the sum that SHA256SUMS says; nothing was installed"

mkdir -p "$work/unpacked" "$prefix"
gzip -dc "$work/$name" | tar -xf - -C "$work/unpacked"
folder=${name%.tar.gz}
cd "$work/unpacked/$folder"
mkdir -p share/doc/spoor
find bin share -type f >"$work/files"
while IFS= read -r file; do
  mkdir -p "$prefix/$(dirname "$file")"
  cp "$file" "$prefix/$file.new"
  mv "$prefix/$file.new" "$prefix/$file"
done <"$work/files"
cp "$work/files" "$manifest"
"$prefix/bin/spoor" version >/dev/null || fail "'$prefix/bin/spoor' does not run here"
printf 'installed %s under %s\n' "${folder#spoor-}" "$prefix"
case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) printf 'hint: add %s/bin to your PATH\n' "$prefix" ;;
esac
