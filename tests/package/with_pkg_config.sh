#!/bin/sh
# usage: with_pkg_config.sh COMPILER PKG_CONFIG PKG_CONFIG_PATH MODULE SOURCE PROGRAM [flags ...]
# Builds SOURCE with what pkg-config says of MODULE, and runs it.
set -eu
compiler=$1 pkg_config=$2 path=$3 module=$4 source=$5 program=$6
shift 6
flags=$(PKG_CONFIG_PATH=$path "$pkg_config" --cflags --libs "$module")
# The flags are words.
# shellcheck disable=SC2086
"$compiler" "$@" "$source" $flags -o "$program"
"$program"
