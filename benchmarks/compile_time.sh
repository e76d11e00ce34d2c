#!/usr/bin/env bash
# usage: compile_time.sh [INCLUDE [RUNS]]
# How long a program of one kernel takes to compile, in user time, the least of RUNS (5); with the headers in INCLUDE (of
# this clone). COMPILER (g++) compiles.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=${1:-$here/../include}
runs=${2:-5}
object=$(mktemp --suffix=.o)
trap 'rm -f "$object"' EXIT
for level in -O0 -O2; do
  least=
  for ((i = 0; i < runs; ++i)); do
    TIMEFORMAT=%U
    seconds=$({ time "${COMPILER:-g++}" -std=c++20 "$level" -I"$include" -c "$here/one_kernel.cpp" -o "$object"; } 2>&1)
    if [[ -z $least ]] || awk "BEGIN { exit !($seconds < $least) }"; then least=$seconds; fi
  done
  echo "$level $least s"
done
