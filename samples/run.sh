#!/usr/bin/env bash
# Installs what is missing, builds, and runs the samples on real input.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

all=(reduce scan matmul sort landscape histogram bfs gray_scott nearest restricted_fence upload_loop mistakes field host)

usage() {
  cat <<END
usage: bash samples/run.sh [--mode native|emulated] [--seed N] [SAMPLE...]
       bash samples/run.sh lab

Installs the Debian packages that are missing (apt; through sudo when not root), configures, builds,
and runs the samples, or those that are named. Pictures go to samples/out/.

  --mode MODE   native (the default) or emulated: every memory access checked, smaller input
  --seed N      of everything that is left to chance
  -h, --help    this text

Samples: ${all[*]}
"lab" builds the page of the lab (litmus tests to run, play and explain; it installs Emscripten, and Node if there is none),
serves it on this machine and opens a browser.
Each is a program of its own in build/samples/, with --help and more options; "mistakes" are those in
build/samples/mistakes/, which always run emulated and try seeds of their own; "host" are programs of host
threads, in build/samples/host/.
Exit code: 0 every check passed, 1 one failed or the build did, 2 bad options or missing packages.
END
}

bad_option() {
  printf 'samples/run.sh: %s\n' "$1" >&2
  usage >&2
  exit 2
}

open_lab() {
  setup_packages $(setup_lab_packages) || exit $?
  setup_build dev heddle_cli || exit $?
  bash "$setup_root/emulator/lab/build.sh" "$setup_root/build" || exit $?
  exec "$setup_root/build/heddle" lab --open
}

[ $# -eq 1 ] && [ "$1" = lab ] && open_lab
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
setup_build dev samples heddle_cli || exit $?

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
  if [ "$sample" = mistakes ] || [ "$sample" = field ] || [ "$sample" = host ]; then
    for mistake in "$setup_root/samples/$sample"/*_*.cpp; do
      run "$sample/$(basename "$mistake" .cpp)"
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
