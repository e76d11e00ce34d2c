#!/usr/bin/env bash
# Installs what is missing, builds, and runs the whole test suite.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

usage() {
  cat <<'END'
usage: bash tests/run.sh [--preset NAME] [-- ARGUMENTS...]

Installs the Debian packages that are missing (apt; through sudo when not root), configures, builds,
and runs all tests through ctest. What is there already is neither installed nor built again.

  --preset NAME   dev (the default), clang, asan, ubsan or tsan: all tests
                  nightly: those of random programs alone, with as many as a night has room for; other
                  ones every day, or from HEDDLE_FIRST_SEED on
                  lab: as dev, after the installation of what the lab's page is built and tested with (Emscripten,
                  Node, Chromium: about a gigabyte); dev tests the page only where they are
                  fuzz: whatever reads files, on random ones (libFuzzer), ten minutes each
                  mutation: changes lines of a copy of the tree, one at a time, and lists what no test notices; four
                  hours at most, other ones every day (tests/mutation/README.md)
  -h, --help      this text
  -- ...          arguments for ctest, such as -R scan; with mutation for tests/mutation/run.py: --help lists them

Exit code: 0 all tests passed, 1 a test or the build failed, 2 bad options or missing packages.
END
}

preset=dev
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --preset=*) preset=${1#*=}; shift ;;
    --preset)
      [ $# -ge 2 ] || { echo 'tests/run.sh: --preset needs a name' >&2; usage >&2; exit 2; }
      preset=$2; shift 2 ;;
    --) shift; break ;;
    *) printf 'tests/run.sh: unknown option %s\n' "$1" >&2; usage >&2; exit 2 ;;
  esac
done
packages=(gdb git graphviz clang-format-14 python3)
targets=()
case $preset in
  dev | asan | ubsan | tsan | mutation) ;;
  clang) packages+=(clang-14) ;;
  lab)
    preset=dev
    packages+=(chromium $(setup_lab_packages)) ;;
  nightly)
    # A million programs, the same ones all day, and room between days.
    export HEDDLE_FIRST_SEED=${HEDDLE_FIRST_SEED:-$(($(date +%s) / 86400 % 2000 * 2000000))}
    printf 'heddle: random programs from HEDDLE_FIRST_SEED=%s on\n' "$HEDDLE_FIRST_SEED" ;;
  fuzz)
    packages+=(clang-14 libclang-rt-14-dev)
    targets=(fuzz_tests) ;;
  *) printf 'tests/run.sh: no test preset "%s"\n' "$preset" >&2; usage >&2; exit 2 ;;
esac

setup_packages "${packages[@]}" || exit $?
if [ "$preset" = dev ]; then
  for tool in emcmake node npm chromium; do
    command -v "$tool" >/dev/null && continue
    printf 'heddle: no %s here: the page of the lab is not tested; --preset lab installs it\n' "$tool"
    break
  done
fi
if [ "$preset" = mutation ]; then
  exec python3 -B "$setup_root/tests/mutation/run.py" --jobs "$(nproc)" "$@"
fi
setup_build "$preset" "${targets[@]}" || exit $?
cd "$setup_root" || exit 2
ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error "$@" || exit 1
