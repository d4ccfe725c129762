#!/usr/bin/env bash
# package.sh BUILD OUT: packs the build in the folder BUILD, and the source it was made of, into OUT.
# Needs SOURCE_DATE_EPOCH, the time that everything packed gets. Why so: docs/adr/0034.
set -euo pipefail
umask 022
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")

# stage FOLDER: installs the program, its pages and its licences.
stage() {
  cmake --install "$build" --prefix "$1" --component program --strip >/dev/null
}

# needed FILE: the shared libraries that it is linked with.
needed() {
  readelf --wide --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# pack FOLDER FILE: packs a folder of $work; its parent is not told, nor who packed it when.
pack() {
  tar --create --directory="$work" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner "$1" | gzip -9 --no-name >"$2"
}

# ---- The Debian package ----
package_debian() {
  local root=$work/debian share=$work/debian/usr/share architecture depends bytes
  architecture=$(dpkg --print-architecture)
  stage "$root/usr"
  mv "$share/zsh/site-functions" "$share/zsh/vendor-completions"
  mv "$share/doc/spoor/LICENSE" "$share/doc/spoor/copyright"
  gzip -9 --no-name --stdout "$source/CHANGELOG.md" >"$share/doc/spoor/changelog.gz"
  gzip -9 --no-name "$share"/man/man1/*.1 "$share/doc/spoor/NOTICES"

  mkdir -p "$work/depends/debian" "$root/DEBIAN"
  printf 'Source: spoor\n\nPackage: spoor\nArchitecture: any\n' >"$work/depends/debian/control"
  depends=$(cd "$work/depends" && dpkg-shlibdeps -O "$root/usr/bin/spoor" | sed -n 's/^shlibs:Depends=//p')
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  bytes=$(($(find "$root/usr" -type f -printf '+%s')))
  cat >"$root/DEBIAN/control" <<END
Package: spoor
Version: $version
Architecture: $architecture
Maintainer: the spoor authors <spoor@spoor.invalid>
Installed-Size: $((bytes / 1024))
Depends: $depends
Recommends: libcurl4 | libcurl3-gnutls, ca-certificates
Suggests: less, libpq5
Section: vcs
Priority: optional
Description: version control for what an agent was thinking
 A git-like, content-addressed store for the turns of LLM agents: every
 system, user, reasoning, assistant and tool turn is a hashed commit, and
 any commit compiles to the prompt that a model would be sent there.
 .
 libcurl is loaded when a model is called; all else works without it.
END
  dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" \
    "$out/spoor_${version}_$architecture.deb" >/dev/null
}

# ---- The program for any distribution ----
package_portable() {
  local name glibc libraries
  name=spoor-$version-linux-$(uname --machine)
  stage "$work/$name"
  libraries=$(needed "$work/$name/bin/spoor" | grep --invert-match -E '^(lib(c|m|dl|pthread)|ld-linux.*)\.so' || true)
  if [[ -n $libraries ]]; then
    echo "left out: $name, for the program needs ${libraries//$'\n'/ }: a release finds their archives" >&2
    return
  fi
  glibc=$(readelf --wide --version-info "$work/$name/bin/spoor" | grep -o 'GLIBC_2[0-9.]*' | sort --version-sort | tail -n 1)
  cat >"$work/$name/README" <<END
spoor $version, the program with its manual pages and completions.

Copy bin and share to ~/.local or /usr/local, or run bin/spoor from here. It needs glibc ${glibc#GLIBC_}
or newer, to call models libcurl 4, and for a store in PostgreSQL libpq 5; all else works without these. What it
is made of, and under which licences, is in share/doc/spoor.
END
  pack "$name" "$out/$name.tar.gz"
}

# ---- The source ----
package_source() {
  if [[ ! -e $source/.git ]]; then
    echo "left out: the source's tarball, for this is no git repository" >&2
    return
  fi
  git -C "$source" diff --quiet HEAD ||
    echo "the source's tarball holds the last commit, and not what was changed since" >&2
  git -C "$source" archive --format=tar --prefix="spoor-$version/" HEAD | gzip -9 --no-name >"$out/spoor-$version.tar.gz"
}

# ---- A self-contained program, which packaging/build.sh built ----
package_self_contained() {
  local name needs processor=${1%%-*}
  if [[ $1 == *-macos* ]]; then
    name=spoor-$version-macos-${processor/aarch64/arm64}  # As 'uname -m' says there.
    needs="macOS 15 or newer; it was built on Linux, and never run"
  else
    name=spoor-$version-linux-$processor-static
    needs="a Linux of the last ten years"
  fi
  cmake --install "$build" --prefix "$work/$name" --component program >/dev/null
  cat >"$work/$name/README" <<END
spoor $version, the program with its manual pages and completions.

Copy bin and share to ~/.local or /usr/local, or run bin/spoor from here. It needs nothing but
$needs. What it is made of, and under which licences, is in share/doc/spoor.
END
  pack "$name" "$out/$name.tar.gz"
}

target=$(sed -n 's/^SPOOR_TARGET:[A-Z]*=//p' "$build/CMakeCache.txt")
if [[ -n $target ]]; then
  package_self_contained "$target"
  exit
fi
rm -f "$out"/spoor[_-]* "$out/SHA256SUMS" "$out/NOTES.md" "$out/install.sh"
package_debian
package_portable
package_source
cp "$source/packaging/install.sh" "$out"
python3 "$source/packaging/notes.py" >"$out/NOTES.md"
cd "$out"
sha256sum spoor[_-]* | tee SHA256SUMS
