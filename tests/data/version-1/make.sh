#!/usr/bin/env bash
# Makes store.spoor and golden/ with a program that knows version 1 of the fold only (spoor 0.1
# before `"version"` was in the options of bundles): bash make.sh PATH-OF-THAT-SPOOR
# Kept to show how they were made; the bytes that are tested are those in this folder.
set -euo pipefail
cd "$(dirname "$0")"
here="$PWD"
old="$(realpath "$1")"

python3 rollout.py
rm -rf store.spoor* golden
mkdir golden
home="$(mktemp -d)"
trap 'rm -rf "$home"' EXIT
minute=0
spoor() {
  minute=$((minute + 1))
  (cd "$home" && env -i HOME="$home" SPOOR_AUTHOR=ada SPOOR_STORE="$here/store.spoor" \
    SPOOR_NOW="2026-03-03T10:$(printf %02d $minute):00Z" "$old" "$@")
}

spoor import "$here/rollout.jsonl"
imported=codex/7e57c0de

# By hand on top of the imported branch: a pin, a skip, an edit, a turn, a judgement.
spoor switch "$imported"
jam="$(spoor log --oneline --type user | grep 'jam are left?' | cut -d' ' -f1)"
sorted="$(spoor log --oneline --type user | grep 'Is the list sorted' | cut -d' ' -f1)"
last_done="$(spoor log --oneline --type assistant | grep 'Done' | head -1 | cut -d' ' -f1)"
spoor pin "$jam" 'the counts matter'
spoor skip "$sorted" 'asked again later'
spoor edit "$last_done" 'Done, by name.'
spoor judge "$last_done" --fail --note 'jam.txt was still last'
spoor user 'Write it on the fridge.'

# The n-th line of a script is the n-th answer of a prompt, so each reply has a script of its own.
number=0
while read -r reply; do
  number=$((number + 1))
  for _ in $(seq 20); do echo "$reply"; done >"$home/reply-$number.jsonl"
done <replies.jsonl

# A call on a history in which version 1 joins answers over five turns of the user.
spoor branch asked
spoor switch asked
spoor chat --model scripted/reply-1.jsonl 'What have you done so far?'
spoor chat --model scripted/reply-2.jsonl --window 2 'And what is left?'
spoor chat --model scripted/reply-3.jsonl --budget 60 'Count the jam again.'
spoor tool '4' --call toolu_p3 --name count
spoor generate --model scripted/reply-4.jsonl

# Two sides edit one turn, and an annotation follows: version 1 still lists the conflict.
spoor branch other "$imported"
spoor edit "$jam" 'How much jam is left, in jars?'
spoor switch other
spoor edit "$jam" 'How many jars of jam?'
spoor switch asked
spoor merge other
spoor pin "$jam" 'as it was'

for branch in "$imported" asked other; do
  name="${branch//\//-}"
  spoor compile "$branch" >"$here/golden/$name.txt"
  spoor compile "$branch" --to openai >"$here/golden/$name.openai.json"
  spoor compile "$branch" --to anthropic --include-reasoning >"$here/golden/$name.anthropic.json"
  spoor compile "$branch" --window 3 >"$here/golden/$name.window.txt"
  spoor compile "$branch" --stat >/dev/null 2>"$here/golden/$name.stat"
done
number=0
for answer in $(spoor log asked --oneline --type assistant | cut -d' ' -f1); do
  spoor prompt "$answer" --raw >"$home/body" 2>/dev/null || continue
  mv "$home/body" "$here/golden/sent-$answer"
  number=$((number + 1))
done
[ "$number" = 4 ]
python3 - "$here/store.spoor" <<'END'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
base.execute("PRAGMA journal_mode=DELETE")
base.execute("VACUUM")
END
rm -f "$here"/store.spoor-*
ls -la "$here" "$here/golden"
