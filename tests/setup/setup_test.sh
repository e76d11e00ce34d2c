#!/usr/bin/env bash
# Usage: setup_test.sh CASE. Runs a case below; each is a world of fake commands and what
# .ci/setup.sh does in it.
set -u
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
bash=$(command -v bash)

fail() {
  printf 'failed: %s\n--- calls\n' "$1" >&2
  cat "$world/calls" >&2
  printf -- '--- output\n' >&2
  cat "$world/output" >&2
  exit 1
}

# fake NAME SCRIPT: a command that notes down how it was called, and does SCRIPT.
fake() {
  printf '#!%s\nprintf "%%s\\n" "%s $*" >>"%s/calls"\n%s\n' "$bash" "$1" "$world" "$2" \
    >"$world/bin/$1"
  chmod +x "$world/bin/$1"
}

# A machine with user number $1, on which apt works and the packages after $1 are missing.
make_world() {
  mkdir "$world/bin" "$world/missing"
  : >"$world/calls"
  local tool package
  for tool in bash dirname cat env rm basename; do
    ln -s "$(command -v "$tool")" "$world/bin/$tool"
  done
  for package in "${@:2}"; do : >"$world/missing/$package"; done
  printf '#!%s\necho %s\n' "$bash" "$1" >"$world/bin/id"
  printf '#!%s\n[ -e "%s/missing/${!#}" ] || echo -n installed\n' "$bash" "$world" \
    >"$world/bin/dpkg-query"
  chmod +x "$world/bin/id" "$world/bin/dpkg-query"
  fake apt-get "for p; do rm -f $world/missing/\$p; done"
}

# Runs setup_packages without a terminal; its exit code goes to $code.
setup_packages() {
  PATH=$world/bin bash -c "set -u; source '$source_dir/.ci/setup.sh'; setup_packages $*" \
    </dev/null >"$world/output" 2>&1
  code=$?
}

exits_with() { [ "$code" -eq "$1" ] || fail "exit code $code instead of $1"; }
called() { grep -q -- "$1" "$world/calls" || fail "not called: $1"; }
not_called() { ! grep -q -- "$1" "$world/calls" || fail "called: $1"; }
says() { grep -q -- "$1" "$world/output" || fail "does not say: $1"; }

nothing_missing() {
  make_world 0
  setup_packages gdb
  exits_with 0
  not_called .
  [ ! -s "$world/output" ] || fail 'says something'
}

root_installs() {
  make_world 0 cmake gdb
  fake sudo 'exit 1'
  setup_packages gdb git
  exits_with 0
  not_called sudo
  head -n 1 "$world/calls" | grep -q 'update$' || fail 'no update first'
  called '^apt-get .* install --no-install-recommends cmake gdb$'
}

sudo_installs() {
  make_world 1000 cmake
  fake sudo 'shift $([ "$1" = -n ] && echo 1 || echo 0); [ "$1" = true ] || "$@"'
  setup_packages
  exits_with 0
  called '^sudo env .*apt-get .*update$'
  called '^sudo env .*apt-get .*install --no-install-recommends cmake$'
}

no_sudo() {
  make_world 1000 cmake catch2
  setup_packages
  exits_with 2
  not_called apt-get
  says '^  cmake catch2$'
}

sudo_wants_password() {
  make_world 1000 cmake
  fake sudo '[ "$1" = -n ] && exit 1; echo "no terminal"; exit 1'
  setup_packages
  exits_with 2
  not_called '^sudo env'
  says '^  cmake$'
}

apt_fails() {
  make_world 0 cmake catch2
  fake apt-get "rm -f $world/missing/cmake; exit 100"
  setup_packages
  exits_with 2
  says '^  catch2$'
}

update_fails() {
  make_world 0 cmake
  fake apt-get "[ \"\${!#}\" != update ] || exit 100; for p; do rm -f $world/missing/\$p; done"
  setup_packages
  exits_with 0
}

# runs CODE SCRIPT ARGUMENTS...
runs() {
  : >"$world/calls"
  bash "$source_dir/$2" "${@:3}" >"$world/output" 2>&1
  code=$?
  exits_with "$1"
  says 'usage: bash'
}

options_of_tests() {
  runs 0 tests/run.sh --help
  runs 2 tests/run.sh --wrong
  runs 2 tests/run.sh --preset
  runs 2 tests/run.sh --preset=release
  runs 2 tests/run.sh --slice
  runs 2 tests/run.sh --slice=0
  runs 2 tests/run.sh --slice=9999
  runs 2 tests/run.sh --slice tomorrow
}

# Slice 1 needs nothing but packages and a build. Runs tests/run.sh where nothing is missing and cmake and ctest are fakes; its exit code goes to $code.
runs_tests() {
  make_world 0
  for tool in mktemp nproc date; do ln -s "$(command -v "$tool")" "$world/bin/$tool"; done
  fake cmake ''
  fake ctest "exit $1"
  PATH=$world/bin "$bash" "$source_dir/tests/run.sh" "${@:2}" >"$world/output" 2>&1
  code=$?
}

# The words of slice $1 in what --slice list prints.
words_of_slice() {
  bash "$source_dir/tests/run.sh" --slice list | sed -n "s/^ *$1  //p"
}

slice_is_bounded() {
  set -- $(words_of_slice 1)
  runs_tests 0 --slice 1 -- -N
  exits_with 0
  called "^cmake --preset $1\$"
  called "^cmake --build --preset $1 --parallel [0-9]* --target $3 $4"
  called "^ctest --preset $1 .*-R .($3|$4[a-z_|]*)(:|.).* -N\$"
  says "slice 1 of [0-9]*, preset $1, $2: $3 $4"
}

slice_of_a_day() {
  local slices number
  slices=$(bash "$source_dir/tests/run.sh" --slice list | sed '/^by hand/,$d' | wc -l)
  make_world 0
  for number in 1 2 "$slices"; do
    fake date "echo $((86400 * (slices * 20 + number - 1) + 5))"
    code=$(PATH=$world/bin bash -c "set -u; source '$source_dir/.ci/setup.sh'; source '$source_dir/.ci/slices.sh'
      slice_choose today; echo \$slice_number")
    [ "$code" = "$number" ] || fail "slice $code instead of $number"
  done
}

# A slice that fails, and one that does not, before a suite that passes.
slice_and_suite() {
  local presets
  make_world 0
  for tool in mktemp nproc; do ln -s "$(command -v "$tool")" "$world/bin/$tool"; done
  fake cmake ''
  fake date 'echo 0'
  for presets in dev 'dev asan ubsan tsan clang nightly aarch64 fuzz'; do
    : >"$world/calls"
    fake ctest "[[ ' $presets ' == *\" \$2 \"* ]]"
    PATH=$world/bin "$bash" "$source_dir/.ci/run" >"$world/output" 2>&1
    code=$?
    called '^ctest --preset [^d].* -R '
    called '^ctest --preset dev --parallel [0-9]* --no-tests=error$'
    if [ "$presets" = dev ]; then exits_with 1; says 'the slice of today has failed'; else exits_with 0; fi
  done
}

slice_again() {
  runs_tests 8 --slice 1
  exits_with 1
  tail -n 1 "$world/output" | grep -q 'again: bash tests/run.sh --slice 1$' || fail 'does not end with how to repeat it'
}

samples_build() {
  make_world 0
  for tool in mktemp nproc; do ln -s "$(command -v "$tool")" "$world/bin/$tool"; done
  fake cmake '[ "$1" != --build ]'
  PATH=$world/bin "$bash" "$source_dir/samples/run.sh" >"$world/output" 2>&1
  code=$?
  exits_with 1
  called '^cmake --build .*--target samples heddle_cli$'
}

options_of_samples() {
  runs 0 samples/run.sh --help
  runs 2 samples/run.sh --wrong
  runs 2 samples/run.sh --seed
  runs 2 samples/run.sh reduce no_such_sample
}

"$1"
