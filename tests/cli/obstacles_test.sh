#!/usr/bin/env bash
# What keeps a store from being read or written is said in one error with a hint; nothing is lost by
# it, and the writing goes on when it is gone. $1: the program.
set -uo pipefail

folder=$(mktemp -d)
chmod 755 "$folder"
holder=
trap '[[ -z $holder ]] || kill "$holder" 2>/dev/null; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
# A copy, so that another user may run it whatever folders the build is in.
cp "$1" "$folder/spoor" && chmod 755 "$folder/spoor"
spoor=$folder/spoor
mkdir "$folder/home" && chmod 777 "$folder/home"
export HOME=$folder/home SPOOR_AUTHOR=ada LC_ALL=C.UTF-8
unset SPOOR_STORE SPOOR_PATIENCE XDG_CONFIG_HOME

# Permissions do not bind root: then the program is run by somebody else.
as=()
if [[ $(id -u) == 0 ]]; then
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${as[@]}" true 2>/dev/null || as=()
fi
binds_permissions() { [[ $(id -u) != 0 || ${#as[@]} -gt 0 ]]; }

failures=0
case_name=
fail() {
  echo "FAILED: $case_name: $1"
  [[ -z ${2:-} ]] || sed 's/^/    /' <<<"$2"
  failures=$((failures + 1))
}
begin() {
  case_name=$1
  cd "$folder/home" && rm -rf place && mkdir place && cd place || exit 1
  if ((${#as[@]})); then chown 65534:65534 .; fi
}
run() { ${as[@]+"${as[@]}"} "$spoor" "$@" </dev/null; }

# must_fail STATUS MESSAGE COMMAND...: one error that says MESSAGE, with a hint, and no more.
must_fail() {
  local wanted=$1 message=$2 said status
  shift 2
  said=$(run "$@" 2>&1 >/dev/null)
  status=$?
  [[ $status == "$wanted" ]] || fail "'spoor $*' ended with $status, not $wanted" "$said"
  [[ $(grep -c '^error: ' <<<"$said") == 1 ]] || fail "'spoor $*' has not one error" "$said"
  [[ $(grep -c '^hint: ' <<<"$said") == 1 ]] || fail "'spoor $*' has no hint" "$said"
  grep '^error: ' <<<"$said" | grep -qF -- "$message" || fail "'spoor $*' does not say '$message'" "$said"
  if grep -qvE '^(error|hint|waiting): ' <<<"$said"; then fail "'spoor $*' says more" "$said"; fi
}
must_work() {
  local said
  said=$(run "$@" 2>&1) || fail "'spoor $*' ended with $?" "$said"
}
must_say() {
  local text=$1 said
  shift
  said=$(run "$@" 2>&1) || fail "'spoor $*' ended with $?" "$said"
  grep -qF -- "$text" <<<"$said" || fail "'spoor $*' does not say '$text'" "$said"
}
make_store() {
  must_work init
  must_work user first
  must_work assistant second
}
reads() {
  must_say second log
  must_say first show HEAD~1
  must_say second compile
  must_say second search --query second
  must_work store fsck
}
# Nothing of what was written is gone, nothing of what failed is there, and it goes on.
goes_on() {
  [[ $(run log --oneline | wc -l) == 2 ]] || fail "the history is another one" "$(run log --oneline)"
  must_work store fsck
  must_work user third
  must_say third log
  must_work store fsck
}
writes_fail() {
  must_fail 1 "$1" user lost
  must_fail 1 "$1" edit HEAD lost
  must_fail 1 "$1" branch lost
  must_fail 1 "$1" store gc --prune
  must_fail 1 "$1" undo
}
# hold PYTHON: runs it in the background until release; it prints a line when it holds what it wants.
hold() {
  mkfifo ready
  python3 -c "$1" >ready &
  holder=$!
  read -r <ready
  rm ready
}
release() {
  kill "$holder"
  wait "$holder" 2>/dev/null
  holder=
}

begin 'a file may not grow as far'
make_store
head -c 400000 /dev/urandom | base64 -w 0 >long
said=$( (ulimit -f 300 && ${as[@]+"${as[@]}"} "$spoor" user - <long) 2>&1)
[[ $? == 1 && $said == *'larger than a file may be'*"('ulimit -f')"* ]] || fail 'no error says so' "$said"
goes_on

if binds_permissions; then
  begin 'the file is read-only'
  make_store
  chmod 0444 .spoor
  reads
  writes_fail 'may not be written'
  chmod 0644 .spoor
  goes_on

  begin 'the file is read-only, and so is its folder'
  make_store
  chmod 0444 .spoor && chmod 0555 .
  reads
  writes_fail 'may not be written'
  chmod 0755 . && chmod 0644 .spoor
  goes_on

  begin 'the folder is read-only, and only the store lies in it'
  make_store
  must_work gc --vacuum
  rm -f .spoor-shm .spoor-lock .spoor-search
  [[ ! -s .spoor-wal ]] || fail 'the log is not empty'
  rm -f .spoor-wal
  chmod 0555 .
  reads
  writes_fail 'may not be written'
  chmod 0755 .
  goes_on

  begin 'the folder is read-only, and a log lies in it that nobody can read'
  make_store
  echo 'not the log of anything' >.spoor-wal  # As one that its last writer could not empty.
  rm -f .spoor-shm
  chmod 0555 .
  must_fail 1 'cannot open' log
  must_fail 1 'cannot open' user lost
  chmod 0755 .
  goes_on

  begin 'the folder is read-only, and no store is in it'
  chmod 0555 .
  must_fail 1 'cannot make' init
  echo '{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}' \
    >../session.jsonl
  must_fail 1 'cannot make' --store . import ../session.jsonl
  chmod 0755 .
  make_store
  goes_on

  begin 'the file may not be read'
  make_store
  chmod 0 .spoor
  must_fail 1 'cannot open' log
  must_fail 1 'cannot open' user lost
  chmod 0644 .spoor
  goes_on
else
  echo 'left out: permissions do not bind this user, and it cannot become another'
fi

begin 'the folder is missing'
must_fail 1 'no folder' init gone/store
must_fail 1 'no store at' --store gone/store log
must_fail 1 'no store at' --store gone/store user lost

begin 'the path is a folder'
make_store
mkdir -p dir/.spoor
must_fail 1 'is a folder' --store dir log
must_fail 1 'is a folder' --store dir user lost
goes_on

begin 'the file is a text'
echo 'a list of things' >.spoor
cp .spoor before
must_fail 1 'is not a spoor store' log
must_fail 1 'is not a spoor store' user lost
must_fail 1 'exists already' init
cmp -s .spoor before || fail 'the file was changed'
: >empty
must_fail 1 'is not a spoor store' --store empty log
cmp -s empty /dev/null || fail 'the empty file was changed'

begin 'the file is a database of another program'
python3 -c 'import sqlite3; c = sqlite3.connect(".spoor"); c.execute("create table t(a)"); c.commit()'
if ((${#as[@]})); then chown 65534:65534 .spoor; fi
cp .spoor before
must_fail 1 'is not a spoor store' log
must_fail 1 'is not a spoor store' user lost
cmp -s .spoor before || fail 'the file was changed'

begin 'the store has a newer format'
make_store
must_work gc --vacuum # The log is empty then.
cp .spoor kept
printf '\000\000\000\143' | dd of=.spoor bs=1 seek=60 conv=notrunc status=none
must_fail 1 'was made by a newer spoor (format 99' log
must_fail 1 'was made by a newer spoor (format 99' user lost
dd if=kept of=.spoor bs=1 skip=60 seek=60 count=4 conv=notrunc status=none
goes_on

begin 'a program that knows nothing of our lock writes'
make_store
hold '
import sqlite3, time
c = sqlite3.connect(".spoor", isolation_level=None)
c.execute("BEGIN IMMEDIATE")
print("ready", flush=True)
time.sleep(60)'
reads
must_fail 1 'another program holds' user lost
release
if ((${#as[@]})); then chown 65534:65534 .spoor*; fi
goes_on

begin 'another spoor writes'
make_store
holds_lock='
import fcntl, struct, time
f = open(".spoor-lock", "r+b")
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0x101, 1, 0))  # F_OFD_SETLK
print("ready", flush=True)
time.sleep(%s)'
hold "${holds_lock/\%s/60}"
reads
export SPOOR_PATIENCE=2
said=$(run user lost 2>&1)
grep -q '^waiting: another program is writing' <<<"$said" || fail 'it waits and does not say so' "$said"
writes_fail 'another program is writing to the store'
unset SPOOR_PATIENCE
release
goes_on

begin 'another spoor writes for a while'
make_store
hold "${holds_lock/\%s/3}"
said=$(run user third 2>&1) || fail 'it did not wait' "$said"
must_say third log
[[ $(run log --oneline | wc -l) == 3 ]] || fail 'not every turn is there'
wait "$holder"
holder=

begin 'patience is no number'
make_store
SPOOR_PATIENCE=soon must_fail 1 "'patience' cannot be 'soon'" log

begin 'the disk is full'
disk=$folder/disk
mkdir "$disk"
if [[ $(id -u) == 0 ]] && mount -t tmpfs -o size=2m none "$disk" 2>/dev/null; then
  trap 'cd /; umount -l "$disk"; rm -rf "$folder"' EXIT
  chmod 777 "$disk"
  cd "$disk" || exit 1
  make_store
  dd if=/dev/zero of=filler bs=4k status=none 2>/dev/null
  head -c 200000 /dev/urandom | base64 >"$folder/home/long"
  reads
  said=$(${as[@]+"${as[@]}"} "$spoor" user - <"$folder/home/long" 2>&1 >/dev/null)
  status=$?
  [[ $status == 1 ]] || fail "writing ended with $status" "$said"
  grep -q "^error: no room left to write\|^error: the disk failed" <<<"$said" || fail 'it does not say why' "$said"
  grep -q '^hint: ' <<<"$said" || fail 'there is no hint' "$said"
  rm filler
  run gc --vacuum >/dev/null || fail 'the log cannot be put away'
  rm -f .spoor-wal .spoor-shm .spoor-lock .spoor-search
  while dd if=/dev/zero of=filler bs=4k oflag=append conv=notrunc status=none 2>/dev/null; do :; done
  reads
  must_fail 1 'no room left to write' user 'one more'
  must_fail 1 '' init "$disk/other"
  [[ -z $(ls "$disk" | grep other) ]] || fail 'a half-made store was left' "$(ls -la "$disk")"
  rm filler
  goes_on
  cd /
else
  echo 'left out: no small disk can be mounted here'
fi

((failures == 0)) || exit 1
echo 'every obstacle is named, and nothing is lost'
