#!/usr/bin/env bash
# fetch.sh OUT: gets the packages of sources.txt with the clients of their registries, checks each
# by its SHA-256, and unpacks it as OUT/NAME. Does nothing for those that are there already.
#
# Needs cargo, npm, and for Debian's sources apt-get.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
out=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each prints the file that it wrote below the current folder, which is empty.

get_crate() {
  mkdir src
  : >src/lib.rs
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' \
    "$1" "$2" >Cargo.toml
  CARGO_HOME=$PWD/home cargo fetch --quiet >&2
  find home -name "$1-$2.crate"
}

get_npm() {
  npm pack --silent "$1@$2"
}

# Reads the system's own list of mirrors, for their sources instead of their packages.
get_debian() {
  local apt
  mkdir -p parts lists/partial
  awk -v RS= -v ORS='\n\n' '/Components:.*main/ && !/-security/' /etc/apt/sources.list.d/debian.sources |
    sed 's/^Types:.*/Types: deb-src/; s/^Components:.*/Components: main/' >parts/sources.sources
  apt=(apt-get --quiet --quiet -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/parts"
    -o Dir::State::lists="$PWD/lists" -o APT::Sandbox::User=root)
  "${apt[@]}" update >&2
  "${apt[@]}" source --download-only "$1" >&2
  find . -maxdepth 1 -name "$1_$2.orig.tar.*" ! -name '*.asc'
}

while IFS='|' read -r name _ from package version folder sum licence; do
  if [[ -z $name || $name == '#'* || -e $out/$name/.$sum ]]; then continue; fi
  printf '==> fetching %s: %s %s\n' "$name" "$package" "$version" >&2
  mkdir "$work/$name"
  cd "$work/$name"
  file=$("get_$from" "$package" "$version")
  if ! echo "$sum  $file" | sha256sum --check --status; then
    printf 'error: %s %s is not the file that packaging/sources.txt names\n' "$package" "$version" >&2
    printf 'hint: if its maker replaced it, find out why before you change the sum\n' >&2
    exit 1
  fi
  mkdir unpacked
  tar --extract --file="$file" --directory=unpacked --strip-components=1
  rm -rf "${out:?}/$name"
  mv "unpacked/$folder" "$out/$name" 2>/dev/null || mv unpacked "$out/$name"
  if [[ -n $licence && ! -s $out/$name/$licence ]]; then
    printf 'error: %s has no licence in %s\n' "$name" "$licence" >&2
    exit 1
  fi
  touch "$out/$name/.$sum"
done <"$here/sources.txt"
