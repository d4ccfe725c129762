#!/usr/bin/env bash
# What ./dev package makes of this build can be installed, runs and goes away again; made twice, it
# is the same. Environment: BUILD (the build folder), SOURCE.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v dpkg-shlibdeps >/dev/null; then
  echo "skipped: dpkg-dev is not installed"
  exit 0
fi

export SOURCE_DATE_EPOCH=1700000000 TZ=UTC
bash "$SOURCE/cmake/package.sh" "$BUILD" "$work/first"
(umask 077; bash "$SOURCE/cmake/package.sh" "$BUILD" "$work/second" >/dev/null)
diff -r "$work/first" "$work/second"

deb=$(echo "$work"/first/spoor_*.deb)
echo "== what it says about itself"
dpkg-deb --field "$deb" Package Version Depends | tee "$work/fields"
grep -q '^Depends: .*libc6 (>= ' "$work/fields"
dpkg-deb --contents "$deb" | grep --invert-match ' root/root .* 2023-11-14 ' && { echo "not ours, or not of then"; exit 1; }

echo "== installed"
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
# Into a system that holds nothing else, by whoever runs this test.
PATH=$PATH:/usr/sbin:/sbin
dpkg=(dpkg "--root=$root" --log=/dev/null --force-depends --force-not-root --force-bad-path)
"${dpkg[@]}" --install "$deb" 2>&1 | grep --invert-match warning
cd "$work"
"$root/usr/bin/spoor" version
export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
"$root/usr/bin/spoor" --store "$work/store.spoor" init
"$root/usr/bin/spoor" --store "$work/store.spoor" user 'Is this the program?'
[[ $("$root/usr/bin/spoor" --store "$work/store.spoor" log --oneline) == *'Is this the program?'* ]]

for page in "$root"/usr/share/man/man1/*.gz; do gzip --test "$page"; done
if command -v man >/dev/null; then
  [[ $(man --pager=cat --local-file "$root/usr/share/man/man1/spoor-log.1.gz" 2>&1) == *NAME*spoor-log* ]]
fi
bash -c 'source "$1"; complete -p spoor' - "$root/usr/share/bash-completion/completions/spoor"
grep -q '^#compdef spoor' "$root/usr/share/zsh/vendor-completions/_spoor"
[[ -s $root/usr/share/fish/vendor_completions.d/spoor.fish ]]
grep -q 'MIT License' "$root/usr/share/doc/spoor/copyright"
(cd "$root" && md5sum --quiet --check var/lib/dpkg/info/spoor.md5sums)

echo "== and gone"
"${dpkg[@]}" --purge spoor >/dev/null
[[ ! -e $root/usr ]] || { find "$root/usr"; exit 1; }
