#!/usr/bin/env bash
# layering_test.sh LAYER: a file of LAYER can include the headers of the layers that it reaches, and
# none of another. Environment: SOURCE, CXX, and with colons between them INCLUDES (the layer's
# include folders), LAYERS (all of them) and REACH (those that LAYER reaches, itself too).
set -euo pipefail

layer=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

IFS=: read -ra folders <<<"$INCLUDES"
flags=(-std=c++20 -fsyntax-only)
for folder in "${folders[@]}"; do flags+=("-I$folder"); done

# headers LAYER: its headers, as one includes them.
headers() { (cd "$SOURCE/src" && find "$1" -name '*.h' | LC_ALL=C sort); }

compiles() { "$CXX" "${flags[@]}" "$work/probe.cc" 2>"$work/errors"; }

# One file asks the preprocessor about every header there is.
forbidden=''
IFS=: read -ra layers <<<"$LAYERS"
for other in "${layers[@]}"; do
  while IFS= read -r header; do
    if [[ :$REACH: == *:$other:* ]]; then
      printf '#if !__has_include("%s")\n#error "%s is out of reach"\n#endif\n' "$header" "$header"
    else
      printf '#if __has_include("%s")\n#error "%s is not used"\n#endif\n' "$header" "$header"
      forbidden=$header
    fi
  done < <(headers "$other")
done >"$work/probe.cc"

if ! compiles; then
  echo "from the layer $layer:"
  grep '#error' "$work/errors"
  exit 1
fi

# And one does what must not be done.
if [[ -n $forbidden ]]; then
  printf '#include "%s"\n' "$forbidden" >"$work/probe.cc"
  if compiles || ! grep -q 'No such file\|file not found' "$work/errors"; then
    echo "a file of the layer $layer can include $forbidden"
    exit 1
  fi
fi
