#!/usr/bin/env bash
# layering_test.sh LAYER: a file of LAYER can include the headers of its own and of lower layers,
# and none of a higher layer. Environment: SOURCE, CXX, INCLUDES (the layer's include folders,
# separated by colons).
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
below=1  # Up to and including the layer itself.
upward=''
for other in store compile llm agent audit cli; do
  while IFS= read -r header; do
    if ((below)); then
      printf '#if !__has_include("%s")\n#error "%s is out of reach"\n#endif\n' "$header" "$header"
    else
      printf '#if __has_include("%s")\n#error "%s lies above"\n#endif\n' "$header" "$header"
      upward=$header
    fi
  done < <(headers "$other")
  if [[ $other == "$layer" ]]; then below=0; fi
done >"$work/probe.cc"

if ! compiles; then
  echo "from the layer $layer:"
  grep '#error' "$work/errors"
  exit 1
fi

# And one does what must not be done.
if [[ -n $upward ]]; then
  printf '#include "%s"\n' "$upward" >"$work/probe.cc"
  if compiles || ! grep -q 'No such file\|file not found' "$work/errors"; then
    echo "a file of the layer $layer can include $upward"
    exit 1
  fi
fi
