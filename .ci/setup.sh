# Sourced by samples/run.sh and tests/run.sh: installs what a build needs, configures, builds.
#
#   setup_packages [extra packages ...]   returns 2 if something is missing and cannot be installed
#   setup_build PRESET [targets ...]      returns 2 if configuring fails, 1 if building fails
#
# Both say nothing when there is nothing to do.

setup_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

setup_libraries=(
  libboost-context-dev libtbb-dev libmimalloc-dev libfmt-dev libdw-dev    # the runtime; lab: Boost.Beast comes with it
  libcli11-dev nlohmann-json3-dev libncurses-dev libstb-dev     # programs and samples
  spirv-headers glslang-tools                                   # the grammar of SPIR-V; shaders in GLSL
  catch2 libgtest-dev libbenchmark-dev libcpp-httplib-dev libxml2-dev        # tests and benchmarks
)
setup_needed=(g++ cmake ninja-build pkg-config "${setup_libraries[@]}")

setup_is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

setup_cannot_install() {
  printf 'heddle: %s\nheddle: these packages are missing:\n  %s\n' "$1" "${*:2}" >&2
}

# The packages of what builds the lab's page: not those whose commands are there from elsewhere.
setup_lab_packages() {
  echo emscripten
  command -v node >/dev/null || echo nodejs
  command -v npm >/dev/null || echo npm
}

setup_packages() {
  if ! command -v dpkg-query >/dev/null; then
    printf 'heddle: no dpkg-query here: taking for granted what these Debian packages give:\n  %s\n' \
      "${setup_needed[*]} $*" >&2
    return 0
  fi
  local package missing=()
  for package in "${setup_needed[@]}" "$@"; do
    setup_is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    # Without a terminal no password can be typed.
    if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
      setup_cannot_install 'not root, and sudo is of no use here' "${missing[@]}"
      return 2
    fi
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
             apt-get -q -y -o DPkg::Lock::Timeout=300)
  printf 'heddle: installing %s\n' "${missing[*]}"
  # An update that fails is no reason to stop: the lists that are there may do.
  "${apt[@]}" update </dev/null || printf 'heddle: apt-get update failed\n' >&2
  "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null || true
  local absent=()
  for package in "${missing[@]}"; do
    setup_is_installed "$package" || absent+=("$package")
  done
  [ ${#absent[@]} -eq 0 ] && return 0
  setup_cannot_install 'apt-get could not install them' "${absent[@]}"
  return 2
}

setup_build() {
  local preset=$1 targets=() log
  shift
  [ $# -eq 0 ] || targets=(--target "$@")
  log=$(mktemp) || return 2
  if ! (cd "$setup_root" && cmake --preset "$preset") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    printf 'heddle: configuring with the preset "%s" failed\n' "$preset" >&2
    return 2
  fi
  rm -f "$log"
  if ! (cd "$setup_root" &&
        cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"); then
    printf 'heddle: building with the preset "%s" failed\n' "$preset" >&2
    return 1
  fi
}
