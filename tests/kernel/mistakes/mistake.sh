#!/usr/bin/env bash
# What a compiler says of the mistakes of mistakes.txt.
#
#   mistake.sh FOLDER COMPILER INCLUDE precompile    precompiles the headers into FOLDER
#   mistake.sh FOLDER COMPILER INCLUDE right         all of the right programs compile
#   mistake.sh FOLDER COMPILER INCLUDE TITLE         the first error of the wrong program has its words and its place, and
#                                                    not more than 30 lines are said; behind `in:` stands the header that
#                                                    has the place of the error, where another line names that of the program
set -euo pipefail
folder=$1 compiler=$2 include=$3 title=$4
cases=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/mistakes.txt
mkdir -p "$folder"
flags=(-std=c++20 -I"$include")
case $("$compiler" --version | head -n 1) in
  *clang*) who=clang ;;
  *) who=gcc ;;
esac

# program WHICH: the program of a section on its own, or of all sections where there is no title.
program() {
  awk -v which="$1" -v title="$2" '
    function begin() {
      print "namespace case_" number " {"
    }
    function finish() {
      if (!number) return
      print outside
      print "void test(Device& device, Buffer<float>& x, Buffer<std::uint32_t>& n, Buffer<vec3>& v) {\n" inside \
            "(void)device, (void)x, (void)n, (void)v;\n}\n}"
      number = 0
    }
    /^# / {
      finish()
      taken = title == "" || substr($0, 3) == title
      if (taken) { number = NR; outside = inside = ""; begin() }
      next
    }
    !taken || /^(says|gcc|clang|here|in): / || NF == 0 { next }
    /^> / { outside = outside substr($0, 3) "\n"; next }
    /^- / { if (which == "wrong") inside = inside "  " substr($0, 3) "  // wrong\n"; next }
    /^[+] / { if (which == "right") inside = inside "  " substr($0, 3) "\n"; next }
    { inside = inside $0 "\n" }
    END { finish() }' "$cases"
}
heads='#include <heddle/heddle.h>
#include <heddle/phases.h>

#include <string>
using namespace heddle;'

# of KEY: what the section says behind it.
of() {
  awk -v key="$1: " -v title="$title" '
    /^# / { taken = substr($0, 3) == title }
    taken && index($0, key) == 1 { print substr($0, length(key) + 1); exit }' "$cases"
}

case $title in
  precompile)
    echo "$heads" >"$folder/heads.h"
    if [[ $who == clang ]]; then
      "$compiler" "${flags[@]}" -x c++-header "$folder/heads.h" -o "$folder/heads.pch"
    else
      "$compiler" "${flags[@]}" -x c++-header "$folder/heads.h" -o "$folder/heads.h.gch"
    fi
    exit
    ;;
esac
if [[ $who == clang ]]; then
  flags+=(-include-pch "$folder/heads.pch")
else
  flags+=(-include "$folder/heads.h")
fi
if [[ $title == right ]]; then
  program right "" >"$folder/right.cpp"
  exec "$compiler" "${flags[@]}" -fsyntax-only "$folder/right.cpp"
fi

file=$folder/${title//[^A-Za-z]/_}.cpp
program wrong "$title" >"$file"
grep -q '// wrong$' "$file" || { echo "mistakes.txt has no section '$title'" >&2; exit 2; }
said=$("$compiler" "${flags[@]}" -fsyntax-only "$file" 2>&1) && { echo "it compiles" >&2; exit 1; }
failed() {
  printf '%s\n\n%s\n' "$1" "$said" >&2
  exit 1
}
lines=$(wc -l <<<"$said")
((lines <= 30)) || failed "$lines lines of output instead of at most 30"
first=$(grep -m 1 'error: ' <<<"$said") || failed "there is no error"
words=$(of says)
[[ $words ]] || words=$(of $who)
[[ $words ]] || failed "the section says no words for $who"
grep -Eq -- "$words" <<<"$first" || failed "the first error does not say '$words'"
number=$(of here)
line=$(grep -n '// wrong$' "$file" | sed -n "${number:-1}p" | cut -d: -f1)
header=$(of in)
if [[ $header ]]; then
  [[ $first == *"/$header:"* ]] || failed "the first error is not in $header"
  grep -Fq -- "$file:$line:" <<<"$said" || failed "line $line is not named"
else
  [[ $first == "$file:$line:"* ]] || failed "the first error is not at line $line"
fi
