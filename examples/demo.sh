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

heading "1. The session of a coding agent is imported."
cp "$here/data/sample-session.jsonl" session.jsonl
run import session.jsonl
run sessions

line=claude-code/5b0e6c1a  # The branch of session 1; the user went back once, so there is another.

heading "2. What was asked, and what the agent did."
run log 1

heading "3. What it did to a file, and why."
run file cart.py

heading "4. How the two branches of the session differ."
run compare "$line-2" "$line"

heading "5. What exactly a model would have been sent after a first look at the code."
run compile --to anthropic --stat "$line~32"

cat <<END

Three commands for your own sessions:

  $name import
  $name sessions
  $name log 1
END
