#!/usr/bin/env bash
# A walk through the sample session, in a store that is gone afterwards. `./dev demo` runs it.
# Environment: SPOOR, the program (default: spoor from the PATH).
set -euo pipefail

spoor=${SPOOR:-spoor}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CONFIG_HOME=$work/config  # As on a new machine, whatever yours says.

heading() {
  if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    printf '\n\033[1m%s\033[0m\n' "$1"
  else
    printf '\n%s\n' "$1"
  fi
}

# Shows a command as one would type it, and runs it.
run() {
  printf '\n$ spoor %s\n' "$*"
  "$spoor" --no-pager "$@"
}

heading "1. A session of a coding agent becomes a history: a cart and a receipt differ by a cent."
cp "$here/data/sample-session.jsonl" session.jsonl
run init
run import session.jsonl

line=claude-code/5b0e6c1a  # The session's own number names its branches.

heading "2. Every turn is a commit. The user went back once and asked for something else: two branches."
run log --graph --oneline --all

heading "3. What was said, with the reasoning behind it."
run pprint --all --style compact "$line"

heading "4. What differs between the two ways the conversation went."
run diff --stat "$line-2" "$line"

heading "5. What exactly the model would be sent at the end of the second."
run compile "$line-2"

cat <<END

Try it on your own sessions:

  $spoor init && $spoor import ~/.claude/projects
  $spoor log --graph
  $spoor pprint HEAD~10
END
