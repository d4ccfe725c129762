#!/usr/bin/env bash
# A command that calls no model does not load libcurl. $1: the program.
set -euo pipefail
program=$1

if ldd "$program" | grep curl; then
  echo "error: $program is linked with libcurl"
  exit 1
fi
loaded=$(LD_DEBUG=files "$program" version 2>&1 >/dev/null)
if ! grep -q 'libc\.so' <<<"$loaded"; then
  echo "error: the loader does not say what it loads"
  exit 1
fi
if grep -i curl <<<"$loaded"; then
  echo "error: '$program version' loads libcurl"
  exit 1
fi
