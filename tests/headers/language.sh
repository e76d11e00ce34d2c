#!/bin/sh
# usage: language.sh COMPILER INCLUDE_DIRECTORY SENTENCE [FLAGS ...]
# Includes each public header alone, compiled with FLAGS. Prints those of which the first error is not SENTENCE, and ends
# with 1 if there is one.
set -u
compiler=$1 include=$2 sentence=$3
shift 3
wrong=0
for header in "$include"/heddle/*.h; do
  name=heddle/${header##*/}
  said=$(printf '#include <%s>\n' "$name" | "$compiler" "$@" -I"$include" -fsyntax-only -Wfatal-errors -x c++ - 2>&1 | grep -m1 'error:')
  case $said in
    *"$sentence"*) ;;
    *)
      printf '%s: %s\n' "$name" "${said:-no error}"
      wrong=1
      ;;
  esac
done
exit $wrong
