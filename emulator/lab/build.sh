#!/usr/bin/env bash
# Builds the lab's page into BUILD/lab (BUILD: the build directory, build/ by default): the engine with Emscripten, the
# page with Node. Installs nothing but the page's packages, in their exact versions (npm ci).
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(mkdir -p "${1:-$root/build}" && cd "${1:-$root/build}" && pwd)

for tool in emcmake cmake node npm; do
  command -v "$tool" >/dev/null && continue
  printf 'heddle lab: no %s here: the page is not built; `bash samples/run.sh lab` installs what it needs\n' "$tool" >&2
  exit 2
done

emcmake cmake -G Ninja -S "$root/emulator/lab/wasm" -B "$build/lab-wasm" -DHEDDLE_LAB_FOLDER="$build/lab" >/dev/null
cmake --build "$build/lab-wasm" --parallel "$(nproc)"

cd "$root/emulator/lab/page"
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-progress
fi
rm -rf "$build/lab/assets"
HEDDLE_LAB_FOLDER=$build/lab npm run --silent build
