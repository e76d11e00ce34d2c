#!/usr/bin/env bash
# What a page shows of a report is what `heddle races` says now, but for how often, and for what `...` leaves out.
#
#   report_example.sh PAGE HEDDLE PROGRAM FIRST_LINE
set -euo pipefail
page=$1 heddle=$2 program=$3 first_line=$4
# Without folders, leading blanks and counts.
plain() { sed -E 's#[^ ]*/##g; s/[0-9]+ times?/N times/g; s/[0-9]+ runs?/N runs/g; s/^ +//'; }
# One trial after the other: of several at once another one may come first each time. What is tried on the program then
# depends on the time there is.
said=$("$heddle" races --change-seconds 0 "$program" --only=wrong --jobs=1 2>/dev/null | plain || true)
lines=0
while IFS= read -r line; do
  [[ $line == "..." ]] && continue
  shown=${line%% ...}
  grep -qF -- "$shown" <<<"$said" || {
    printf '%s shows\n%s\nand the report is\n%s\n' "$page" "$shown" "$said" >&2
    exit 1
  }
  lines=$((lines + 1))
done < <(awk -v first="$first_line" 'index($0, first) { on = 1 } on && !NF { exit } on && /^```/ { exit } on' "$page" | plain)
((lines >= 5)) || { echo "the example has $lines lines" >&2; exit 1; }
