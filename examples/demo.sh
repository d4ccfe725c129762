#!/usr/bin/env bash
# A walk through the sample session, in a store that is gone afterwards. `./dev demo` runs it.
# Environment: SPOOR, the program (default: spoor from the PATH).
set -euo pipefail

spoor=${SPOOR:-spoor}
name=${spoor#"$PWD/"}  # As it can be typed from here.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data  # As on a new machine, whatever yours says.

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

heading "1. A session of a coding agent becomes a history."
cp "$here/data/sample-session.jsonl" session.jsonl
run import session.jsonl

line=claude-code/5b0e6c1a  # The session's own number names its branches.

heading "2. Every turn is a commit. The user went back once: hence two branches."
run log --graph --oneline --all

heading "3. What the agent knew and thought when its test had failed."
run pprint --all "$line~23"

heading "4. What the two ways to go on differ in."
run diff --stat "$line-2" "$line"

heading "5. What exactly a model would have been sent after a first look at the code."
run compile --to anthropic --stat "$line~32"

cat <<END

Three commands for your own sessions:

  $name import ~/.claude/projects
  $name log --graph
  $name pprint HEAD~10
END
