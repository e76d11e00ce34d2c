#!/usr/bin/env bash
# The seeds in the table of samples/mistakes/README.md are those with which the programs in FOLDER go wrong.
#
#   mistakes.sh PAGE FOLDER
set -euo pipefail
page=$1 folder=$2
rows=0
while IFS='|' read -r _ name _ seed _; do
  name=${name#*[} name=${name%%]*}
  seed=${seed// /}
  said=$("$folder/$name" --only=wrong --jobs=1 2>&1 || true)
  grep -q "^seed $seed fails" <<<"$said" || {
    printf 'the page says that %s goes wrong with seed %s; the program says\n%s\n' "$name" "$seed" "$said" >&2
    exit 1
  }
  rows=$((rows + 1))
done < <(grep -E '^\| \[[a-z_]+\]' "$page")
((rows == 19)) || { echo "the table has $rows rows" >&2; exit 1; }
