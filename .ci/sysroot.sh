#!/usr/bin/env bash
# Debian packages of another processor, and all that they depend on, in a directory of their own: nothing is installed,
# and what this machine has stays as it is (as packages of a second architecture would not let it: both of a library
# are to be of one version). It does not take root.
#
#   bash .ci/sysroot.sh DIRECTORY ARCHITECTURE PACKAGE...     such as build-aarch64/sysroot arm64 libfmt-dev
#
# Does nothing where the directory has these packages already. Exit code: 0 it is there, 2 it could not be made.
set -u
directory=$1 architecture=$2
shift 2
stamp=$directory/packages
[ "$(cat "$stamp" 2>/dev/null)" = "$architecture $*" ] && exit 0

# An apt that knows of no package that is installed takes all dependencies along.
new=$directory.new apt=$directory.apt
rm -rf "$new" "$apt"
mkdir -p "$new" "$apt/lists/partial" "$apt/archives/partial" && : >"$apt/status" || exit 2
apt=$(cd "$apt" && pwd)
options=(-q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o APT::Sandbox::User=root
         -o "Dir::State::Lists=$apt/lists" -o "Dir::State::Status=$apt/status" -o "Dir::State::Extended_States=$apt/states"
         -o "Dir::Cache=$apt" -o "Dir::Cache::Archives=$apt/archives" -o Debug::NoLocking=1)
printf 'heddle: fetching packages of %s for %s\n' "$architecture" "$directory"
fetch_and_unpack() {
  local package
  apt-get "${options[@]}" update &&
    apt-get "${options[@]}" --yes --download-only --no-install-recommends install "$@" || return
  for package in "$apt"/archives/*.deb; do
    dpkg-deb --extract "$package" "$new" || return
  done
}
if ! fetch_and_unpack "$@" </dev/null >"$apt/log" 2>&1; then
  cat "$apt/log" >&2
  printf 'heddle: could not make %s of packages of %s: see above\n' "$directory" "$architecture" >&2
  exit 2
fi

# A link to /lib/... means the directory, not this machine.
find "$new" -type l -lname '/*' | while read -r link; do
  ln -sfr "$new$(readlink "$link")" "$link"
done
printf '%s %s\n' "$architecture" "$*" >"$new/packages"
rm -rf "$apt" "$directory" && mv "$new" "$directory" || exit 2
