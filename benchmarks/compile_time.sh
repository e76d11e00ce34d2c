#!/usr/bin/env bash
# usage: compile_time.sh [INCLUDE [RUNS]]
# How long programs of kernels take to compile, in user time, the least of RUNS (5); with the headers in INCLUDE (of this
# clone). For each file: all of it, its #include lines alone, and all of it with those precompiled. The main of Catch2,
# which a program of tests compiles once, is left out. COMPILER (g++) compiles.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-$here/../include}
runs=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT=%U

# The least user time of compiling with these arguments.
least_of() {
  local least='' seconds i
  for ((i = 0; i < runs; ++i)); do
    seconds=$({ time "${COMPILER:-g++}" -std=c++20 -I"$include" -I"$here/.." "$@"; } 2>&1)
    if [[ -z $least ]] || awk "BEGIN { exit !($seconds < $least) }"; then least=$seconds; fi
  done
  echo "$least"
}

printf '%-28s %5s %8s %10s %12s\n' file level all 'its #includes' precompiled
for file in benchmarks/one_kernel.cpp samples/testing/catch2.cpp samples/testing/gtest.cpp samples/scan.cpp; do
  folder=$(dirname "$here/../$file")
  source=$work/source.cpp
  grep -v CATCH_CONFIG_MAIN "$here/../$file" > "$source"
  grep -hE '^#include <' "$source" > "$work/headers.h"
  cp "$work/headers.h" "$work/headers.cpp"
  for level in -O0 -O2; do
    all=$(least_of "$level" -iquote "$folder" -c "$source" -o "$work/out.o")
    headers=$(least_of "$level" -c "$work/headers.cpp" -o "$work/out.o")
    "${COMPILER:-g++}" -std=c++20 -I"$include" "$level" -x c++-header "$work/headers.h" -o "$work/headers.h.gch"
    precompiled=$(least_of "$level" -Winvalid-pch -iquote "$folder" -include "$work/headers.h" -c "$source" \
                  -o "$work/out.o")
    rm "$work/headers.h.gch"
    printf '%-28s %5s %6s s %11s s %10s s\n' "$file" "$level" "$all" "$headers" "$precompiled"
  done
done
