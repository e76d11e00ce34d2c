#!/usr/bin/env bash
# Makes include/heddle/REFERENCE.md of the contracts in the headers and of the examples in tests/kernel/reference.cpp, and
# HOST.md beside it, of the host's side, of the contracts alone and of .ci/host.md.
#
#   bash .ci/reference.sh            writes them
#   bash .ci/reference.sh --check    fails if those that are there are others, a function of kernels has no example, or a
#                                    public name of the headers is in neither
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pages=$root/include/heddle

make_reference() {
  cat <<'END'
# What a kernel can say

Made by `.ci/reference.sh` of the headers and of [tests/kernel/reference.cpp](../../tests/kernel/reference.cpp), which
runs every example in both modes. Words of CUDA, GLSL, HLSL and WGSL, and what they are here: [LANGUAGES.md](LANGUAGES.md).
`where`, the last parameter of most functions, is the place that reports name: by default that of the call.
END
  cd "$root/include/heddle"
  awk -v examples="$root/tests/kernel/reference.cpp" -f "$root/.ci/reference.awk" \
    invocation.h workgroup.h views.h members.h block.h vector.h detail/vector_functions.h matrix.h float16.h
  echo
  echo '## Types and constants'
  declarations invocation.h subgroup.h reference.h workgroup.h phases.h semantics.h detail/operand.h spirv.h tags.h \
    located.h views.h block.h \
    vector.h matrix.h float16.h
}

# A page of what these headers declare.
declarations() { awk -v examples="$root/tests/kernel/reference.cpp" -f "$root/.ci/declarations.awk" "$@"; }

make_host() {
  cat "$root/.ci/host.md"
  cd "$root/include/heddle"
  local header
  for header in device.h device_options.h device_limits.h buffer.h buffer_view.h image.h dispatch.h workgroup_size.h memory_policy.h edit.h detail/edit_record.h report.h source_location.h \
    explore.h sweep.h explore_kernel.h forward_progress.h testing.h choice.h schedule.h function.h operation.h \
    queue.h command_buffer.h dependency.h device_memory.h module.h host_thread.h memory_order.h; do
    printf '\n## %s\n' "$header"
    awk -f "$root/.ci/declarations.awk" "$header"
  done
}

# The public names that no page has.
missing_names() {
  cd "$root/include/heddle"
  awk -v names=1 -f "$root/.ci/declarations.awk" -- *.h | sort -u | sed 's/.*:://' |
    awk 'FNR == NR { n = split($0, word, /[^A-Za-z0-9_]+/); for (i = 1; i <= n; ++i) there[word[i]] = 1; next }
         !($0 in there)' <(cat REFERENCE.md HOST.md) -
}

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
make_reference >"$made/REFERENCE.md"
make_host >"$made/HOST.md"
if [ "${1-}" != --check ]; then
  cp "$made/REFERENCE.md" "$made/HOST.md" "$pages"
  exit
fi
for page in REFERENCE.md HOST.md; do
  diff -u "$pages/$page" "$made/$page" || { echo "include/heddle/$page is old: bash .ci/reference.sh" >&2; exit 1; }
done
missing=$(missing_names)
[ -z "$missing" ] || { echo "in neither REFERENCE.md nor HOST.md: $missing" >&2; exit 1; }
