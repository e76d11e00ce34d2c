#!/usr/bin/env bash
# Makes include/heddle/REFERENCE.md of the contracts in the headers and of the examples in tests/kernel/reference.cpp.
#
#   bash .ci/reference.sh            writes it
#   bash .ci/reference.sh --check    fails if the one that is there is another, or a function has no example
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/include/heddle/REFERENCE.md

make_reference() {
  cat <<'END'
# What a kernel can say

Made by `.ci/reference.sh` of the headers and of [tests/kernel/reference.cpp](../../tests/kernel/reference.cpp), which
runs every example in both modes. Words of CUDA, GLSL, HLSL and WGSL, and what they are here: [LANGUAGES.md](LANGUAGES.md).
`where`, the last parameter of most functions, is the place that reports name: by default that of the call.
END
  cd "$root/include/heddle"
  awk -v examples="$root/tests/kernel/reference.cpp" -f "$root/.ci/reference.awk" \
    invocation.h workgroup.h views.h members.h block.h vector.h detail/vector_functions.h matrix.h float16.h
}

made=$(mktemp)
trap 'rm -f "$made"' EXIT
make_reference >"$made"
if [ "${1-}" = --check ]; then
  diff -u "$out" "$made" || { echo "include/heddle/REFERENCE.md is old: bash .ci/reference.sh" >&2; exit 1; }
else
  cp "$made" "$out"
fi
