#!/usr/bin/env bash
# Installs what is missing, builds, and runs the samples on real input.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

all=(reduce scan matmul sort landscape histogram bfs gray_scott nearest mistakes)

usage() {
  cat <<END
usage: bash samples/run.sh [--mode native|emulated] [--seed N] [SAMPLE...]

Installs the Debian packages that are missing (apt; through sudo when not root), configures, builds,
and runs the samples, or those that are named. Pictures go to samples/out/.

  --mode MODE   native (the default) or emulated: every memory access checked, smaller input
  --seed N      of everything that is left to chance
  -h, --help    this text

Samples: ${all[*]}
Each is a program of its own in build/samples/, with --help and more options; "mistakes" are the ten in
build/samples/mistakes/, which always run emulated and try seeds of their own.
Exit code: 0 every check passed, 1 one failed or the build did, 2 bad options or missing packages.
END
}

bad_option() {
  printf 'samples/run.sh: %s\n' "$1" >&2
  usage >&2
  exit 2
}

chosen=()
options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --mode=* | --seed=*) options+=("$1"); shift ;;
    --mode | --seed)
      [ $# -ge 2 ] || bad_option "$1 needs a value"
      options+=("$1=$2"); shift 2 ;;
    -*) bad_option "unknown option $1" ;;
    *)
      [[ " ${all[*]} " == *" $1 "* ]] || bad_option "no sample \"$1\""
      chosen+=("$1"); shift ;;
  esac
done
[ ${#chosen[@]} -gt 0 ] || chosen=("${all[@]}")

setup_packages || exit $?
setup_build dev samples || exit $?

failed=()
begin=$(date +%s%N)
run() {
  echo
  "$setup_root/build/samples/$1" "${@:2}"
  code=$?
  [ $code -eq 2 ] && exit 2
  [ $code -eq 0 ] || failed+=("$1")
}
for sample in "${chosen[@]}"; do
  if [ "$sample" = mistakes ]; then
    for mistake in "$setup_root"/samples/mistakes/*_*.cpp; do
      run "mistakes/$(basename "$mistake" .cpp)"
    done
  else
    run "$sample" "${options[@]}"
  fi
done
milliseconds=$((($(date +%s%N) - begin) / 1000000))
echo
printf '%d samples in %d.%d s: ' ${#chosen[@]} $((milliseconds / 1000)) $((milliseconds % 1000 / 100))
if [ ${#failed[@]} -gt 0 ]; then
  printf '%d FAILED: %s\n' ${#failed[@]} "${failed[*]}"
  exit 1
fi
echo 'every check passed'
