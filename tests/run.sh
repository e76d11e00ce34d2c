#!/usr/bin/env bash
# Installs what is missing, builds, and runs the whole test suite.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"
source "$setup_root/.ci/slices.sh"

usage() {
  cat <<'END'
usage: bash tests/run.sh [--preset NAME | --slice WHICH] [-- ARGUMENTS...]

Installs the Debian packages that are missing (apt; through sudo when not root), configures, builds,
and runs all tests through ctest. What is there already is neither installed nor built again.

  --preset NAME   dev (the default), clang, asan, ubsan or tsan: all tests
                  aarch64: all that can run there (tests/slices.txt), compiled for 64-bit Arm and run under qemu
                  nightly: those of random programs alone, with as many as a night has room for; other
                  ones every day, or from HEDDLE_FIRST_SEED on
                  lab: as dev, after the installation of what the lab's page is built and tested with (Emscripten,
                  Node, Chromium: about a gigabyte); dev tests the page only where they are
                  fuzz: whatever reads files, on random ones (libFuzzer), ten minutes each, or HEDDLE_FUZZ_SECONDS
                  mutation: changes lines of a copy of the tree, one at a time, and lists what no test notices; four
                  hours at most, other ones every day (tests/mutation/README.md)
  --slice WHICH   some minutes of another preset: a few test programs, and no more is built than they need.
                  WHICH is the number of one, or "today": every day the next. "list" lists them (tests/slices.txt)
  -h, --help      this text
  -- ...          arguments for ctest, such as -R scan; with mutation for tests/mutation/run.py: --help lists them

Exit code: 0 all tests passed, 1 a test or the build failed, 2 bad options or missing packages.
END
}

bad_option() {
  printf 'tests/run.sh: %s\n' "$1" >&2
  usage >&2
  exit 2
}

preset=dev
slice=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --preset=*) preset=${1#*=}; shift ;;
    --slice=*) slice=${1#*=}; shift ;;
    --preset | --slice)
      [ $# -ge 2 ] || bad_option "$1 needs a value"
      if [ "$1" = --preset ]; then preset=$2; else slice=$2; fi
      shift 2 ;;
    --) shift; break ;;
    *) bad_option "unknown option $1" ;;
  esac
done

targets=()
chosen=()
if [ "$slice" = list ]; then
  slices_list
  exit 0
elif [ -n "$slice" ]; then
  slice_choose "$slice" || bad_option "no slice \"$slice\": a number of 1 to ${#slices[@]}, today, or list"
  preset=$slice_preset
  targets=("${slice_programs[@]}")
  chosen=(-R "$slice_tests")
  [ ${#slice_settings[@]} -eq 0 ] || export "${slice_settings[@]}"
  slice_say
fi

packages=(gdb git graphviz clang-format-14 python3)
case $preset in
  dev | asan | ubsan | tsan | mutation) ;;
  clang) packages+=(clang-14 libclang-rt-14-dev) ;;
  aarch64) packages+=(g++-aarch64-linux-gnu qemu-user) ;;
  lab)
    preset=dev
    packages+=(chromium $(setup_lab_packages)) ;;
  nightly)
    # A million programs, the same ones all day, and room between days.
    export HEDDLE_FIRST_SEED=${HEDDLE_FIRST_SEED:-$(($(date +%s) / 86400 % 2000 * 2000000))}
    printf 'heddle: random programs from HEDDLE_FIRST_SEED=%s on\n' "$HEDDLE_FIRST_SEED" ;;
  fuzz)
    packages+=(clang-14 libclang-rt-14-dev)
    [ -n "$slice" ] || targets=(fuzz_tests) ;;
  *) bad_option "no test preset \"$preset\"" ;;
esac

setup_packages "${packages[@]}" || exit $?
if [ "$preset" = dev ]; then
  for tool in emcmake node npm chromium; do
    command -v "$tool" >/dev/null && continue
    printf 'heddle: no %s here: the page of the lab is not tested; --preset lab installs it\n' "$tool"
    break
  done
elif [ "$preset" = aarch64 ]; then
  bash "$setup_root/.ci/sysroot.sh" "$setup_root/build-aarch64/sysroot" arm64 "${setup_libraries[@]}" || exit $?
fi
never=$(slices_never "$preset" ${slice:+slice})
[ -z "$never" ] || chosen+=(-E "$never")
setup_build "$preset" "${targets[@]}" || exit $?
cd "$setup_root" || exit 2
code=0
ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error "${chosen[@]}" "$@" || code=1
[ -z "$slice" ] || slice_say
exit $code
