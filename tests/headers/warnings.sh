#!/bin/sh
# usage: warnings.sh COMPILER INCLUDES SOURCE
# Compiles SOURCE with all warnings that a careful program asks for, and prints those of the headers of heddle, found in
# the directories INCLUDES (separated by ':'). Ends with 1 if there is one.
set -u
compiler=$1 includes=$2 source=$3
flags=$(printf %s "$includes" | sed 's/^/-I/; s/:/ -I/g')
# The flags are words.
# shellcheck disable=SC2086
said=$("$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow $flags "$source" 2>&1)
if [ $? -ne 0 ]; then
  printf '%s\n' "$said"
  exit 2
fi
if printf '%s\n' "$said" | grep '/heddle/[^:]*:[0-9:]* warning:'; then
  exit 1
fi
