#!/bin/sh
# usage: with_pkg_config.sh COMPILER PKG_CONFIG PKG_CONFIG_PATH SOURCE PROGRAM [flags ...]
# Builds SOURCE with what pkg-config says of heddle, and runs it.
set -eu
compiler=$1 pkg_config=$2 path=$3 source=$4 program=$5
shift 5
flags=$(PKG_CONFIG_PATH=$path "$pkg_config" --cflags --libs heddle)
# The flags are words.
# shellcheck disable=SC2086
"$compiler" "$@" "$source" $flags -o "$program"
"$program"
