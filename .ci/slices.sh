# Sourced by tests/run.sh: the slices of tests/slices.txt.
#
#   slices_list            prints one a line: its number, preset, room and programs
#   slice_choose WHICH     WHICH is a number, or "today"; returns 1 if there is no such one. Sets slice_number,
#                          slice_preset, slice_room, slice_programs, slice_settings (NAME=VALUE), slice_tests (a pattern)
#   slices_never PRESET [slice]   prints a pattern of the tests that are not run with this preset at all; nothing if all are
#   slice_say              prints which one was chosen, and how to run it again

# One element each: "PRESET ROOM WORD...". The first slices_daily of them have their days.
slices=()
slices_daily=0
slices_read() {
  local presets room words preset
  while read -r presets room words; do
    case $presets in
      '' | '#'* | without | never) continue ;;
      by_hand) slices_daily=${#slices[@]}; continue ;;
    esac
    for preset in ${presets//,/ }; do slices+=("$preset $room $words"); done
  done <"$setup_root/tests/slices.txt"
  [ $slices_daily -gt 0 ] || slices_daily=${#slices[@]}
}
slices_read

slices_list() {
  local number
  for number in "${!slices[@]}"; do
    [ "$number" -ne "$slices_daily" ] || echo 'by hand only:'
    printf '%3d  %s\n' $((number + 1)) "${slices[number]}"
  done
}

# Tests have the name of their program, a colon, and a title; some have a name alone.
slices_pattern() {
  local IFS='|'
  printf '^(%s)(:|$)' "$*"
}

slices_never() {
  local kind presets test reason never=()
  while read -r kind presets test reason; do
    [ "$kind" = never ] && [[ ,$presets, == *,$1,* || ,$presets, == *,${2-$1},* ]] && never+=("$test")
  done <"$setup_root/tests/slices.txt"
  [ ${#never[@]} -eq 0 ] || slices_pattern "${never[@]}"
}

slice_choose() {
  local words word
  slice_number=$1
  [ "$1" != today ] || slice_number=$(($(date +%s) / 86400 % slices_daily + 1))
  [[ $slice_number =~ ^[1-9][0-9]{0,3}$ ]] && [ "$slice_number" -le ${#slices[@]} ] || return 1
  read -r slice_preset slice_room words <<<"${slices[slice_number - 1]}"
  slice_programs=() slice_settings=()
  for word in $words; do
    case $word in
      *=*) slice_settings+=("$word") ;;
      *) slice_programs+=("$word") ;;
    esac
  done
  slice_tests=$(slices_pattern "${slice_programs[@]}")
}

slice_say() {
  printf 'heddle: slice %d of %d, preset %s, %s: %s\nheddle: again: bash tests/run.sh --slice %d\n' "$slice_number" \
    ${#slices[@]} "$slice_preset" "$slice_room" "${slice_programs[*]} ${slice_settings[*]}" "$slice_number"
}
