#!/usr/bin/env bash
# layering_test.sh LAYER: a file of LAYER can include the headers of its own and of lower layers,
# and not one of a higher layer. Environment: SOURCE, CXX, INCLUDES (the layer's include folders,
# separated by colons).
set -euo pipefail

layer=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

IFS=: read -ra folders <<<"$INCLUDES"
flags=(-std=c++20 -fsyntax-only)
for folder in "${folders[@]}"; do flags+=("-I$folder"); done

# compiles HEADER: whether a file that includes HEADER does.
compiles() {
  printf '#include "%s"\n' "$1" >"$work/probe.cc"
  "$CXX" "${flags[@]}" "$work/probe.cc" 2>"$work/errors"
}

failed=0
below=1  # Up to and including the layer itself.
count=0
for other in store compile llm cli; do
  while IFS= read -r header; do
    if ((below)); then
      # One header a layer is enough; that each compiles is another test.
      compiles "$header" || { cat "$work/errors"; echo "$layer cannot include $header"; failed=1; }
      ((++count))
      break
    elif compiles "$header" || ! grep -q 'No such file\|file not found' "$work/errors"; then
      echo "$layer can include $header, which lies above it"
      failed=1
    fi
    ((++count))
  done < <(cd "$SOURCE/src" && find "$other" -name '*.h' | LC_ALL=C sort)
  if [[ $other == "$layer" ]]; then below=0; fi
done

echo "$count includes tried"
exit "$failed"
