#!/bin/sh
# usage: with_pkg_config.sh COMPILER PKG_CONFIG PKG_CONFIG_PATH MODULES SOURCE PROGRAM [flags ...]
# Builds SOURCE with what pkg-config says of MODULES, separated by blanks, and runs it.
set -eu
compiler=$1 pkg_config=$2 path=$3 modules=$4 source=$5 program=$6
shift 6
# The modules are words, and so are the flags.
# shellcheck disable=SC2086
flags=$(PKG_CONFIG_PATH=$path "$pkg_config" --cflags --libs $modules)
# shellcheck disable=SC2086
"$compiler" "$@" "$source" $flags -o "$program"
"$program"
