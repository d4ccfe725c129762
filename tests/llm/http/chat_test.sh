#!/usr/bin/env bash
# `spoor chat` over HTTP, in every wire, against the fake provider: what is said, where the key may be and
# where not. $1: spoor, $2: spoor-fake-provider.
set -euo pipefail
spoor=$1
fake=$2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CONFIG_HOME=$folder/config HOME=$folder no_proxy=127.0.0.1
unset SPOOR_DIR SPOOR_MODEL
mkdir -p config/spoor

fail() {
  echo "error: $*" >&2
  exit 1
}

# Ends with its standard input, and so with this script.
coproc FAKE { exec "$fake"; }
read -r url <&"${FAKE[0]}"

for wire in openai-chat openai-responses anthropic gemini ollama; do
  base=$url
  case $wire in
    openai-*) base=$url/v1 ;;
    gemini) base=$url/v1beta ;;
  esac
  printf '[providers.%s]\nwire = "%s"\nbase_url = "%s"\nkey_variable = "FAKE_KEY"\n' \
    "at-$wire" "$wire" "$base" >>config/spoor/config.toml
done

export FAKE_KEY=sk-interop
"$spoor" init >init.out
for wire in openai-chat openai-responses anthropic gemini ollama; do
  "$spoor" chat --model "at-$wire/fake-1" "Asked of $wire." >answer.out 2>answer.err ||
    fail "$wire: $(cat answer.err)"
  grep -qx 'It is 18 degrees in Paris.' answer.out || fail "$wire said: $(cat answer.out)"
  "$spoor" prompt HEAD >prompt.out 2>&1
  grep -q '^verified' prompt.out || fail "$wire: the request cannot be rebuilt"
  "$spoor" reasoning HEAD >reasoning.out
  grep -q 'The weather is asked for.' reasoning.out || fail "$wire: no reasoning"
done
"$spoor" export --jsonl >history.out
if grep -rqF sk-interop .spoor* ./*.out ./*.err; then fail "the key is in the store, or was shown"; fi

FAKE_KEY=sk-wrong-one "$spoor" chat --model at-anthropic/fake-1 x >wrong.out 2>&1 &&
  fail "a wrong key was taken"
grep -qF "wrong key '[REDACTED:known-key]'" wrong.out || fail "the refusal is not shown: $(cat wrong.out)"
if grep -rqF sk-wrong-one .spoor* wrong.out; then fail "a wrong key is in the store, or was shown"; fi

printf 'sk-interop\n' >key
chmod 644 key
printf '[providers.filed]\nwire = "ollama"\nbase_url = "%s"\nkey_file = "%s"\n' "$url" \
  "$folder/key" >>config/spoor/config.toml
"$spoor" chat --model filed/fake-1 x >open.out 2>&1 && fail "a key that all may read was taken"
grep -qF "chmod 600 '$folder/key'" open.out || fail "no hint how to mend it: $(cat open.out)"
chmod 600 key
"$spoor" chat --model filed/fake-1 x >filed.out 2>&1 || fail "$(cat filed.out)"

# What the provider will not use of the thinking that goes back.
"$spoor" init bound >bound.out
"$spoor" -s bound chat --model at-anthropic/fake-1 'Asked.' >bound.out 2>&1
"$spoor" -s bound compile --model at-anthropic/fake-1 2>valid.out >/dev/null
grep -q ' replayed$' valid.out || fail "thinking is not valid where it was made: $(cat valid.out)"
"$spoor" -s bound edit HEAD~2 'Asked otherwise.' >edit.out
"$spoor" -s bound compile --model at-anthropic/fake-1 2>unbound.out >/dev/null
expected='unbound: messages.0 was another one (prefix_binding_mismatch at messages.1.content.0)'
grep -qF "$expected" unbound.out || fail "the edit is not told: $(cat unbound.out)"
"$spoor" -s bound undo >undo.out
"$spoor" -s bound switch --create side HEAD~2 >side.out
"$spoor" -s bound user 'Mind the wind.' >side.out
"$spoor" -s bound switch main >side.out
"$spoor" -s bound rebase side >rebase.out
"$spoor" -s bound compile --model at-anthropic/fake-1 2>rebased.out >/dev/null
grep -qF "$expected" rebased.out || fail "the rebase is not told: $(cat rebased.out)"
"$spoor" -s bound undo >undo.out
"$spoor" -s bound system 'Be brief.' >system.out
"$spoor" -s bound generate --model at-anthropic/fake-1 2>generate.err >/dev/null
expected='unbound: the system prompt was another one (prefix_binding_mismatch at messages.1.content.0)'
grep -qF "$expected" generate.err || fail "generate does not tell: $(cat generate.err)"

"$spoor" store fsck >fsck.out || fail "$(cat fsck.out)"
