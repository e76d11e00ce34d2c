# Prints the public names of headers in the layout of clang-format: types, concepts, functions, constants and macros of the
# namespaces (but not of namespaces `detail`), and the public members of types, as `Type::member`.

function leave() { type = ""; public = 0 }

# Those of an enumeration in one line.
function enumerators(line, of,  n, i, word) {
  sub(/^[^{]*[{]/, "", line)
  sub(/[}].*$/, "", line)
  n = split(line, word, /, */)
  for (i = 1; i <= n; ++i) {
    sub(/ *=.*$/, "", word[i])
    gsub(/ /, "", word[i])
    if (word[i] != "") print of "::" word[i]
  }
}

FNR == 1 { leave(); internal = 0; skipping = 0 }
/^}  \/\/ namespace / { internal = 0; next }
{ sub(/[ \t]*\/\/.*$/, "") }
/^ *$/ { next }
# A short namespace has no comment at its end.
internal && /^}$/ && FNR - internal <= 3 { internal = 0; next }
/^#define HEDDLE_MEMBERS\(/ { print "HEDDLE_MEMBERS" }
/^#/ || /\\$/ { continued = /\\$/; next }
continued { continued = 0; next }
/^namespace .*(detail|emulated|native|runtime|model|vectors|emulation|std)( |::|$)/ { internal = FNR; next }
/^namespace / { next }
internal { next }

# A type begins, and ends.
/^(template .*)?(struct|class|enum class) [A-Za-z_0-9]+/ || /^requires.*(struct|class) [A-Z]/ {
  line = $0
  if (line ~ /;$/ && line !~ /{/) next
  match(line, /(struct|enum class|class) (\[\[[a-z]*\]\] )?[A-Za-z_0-9]+/)
  name = substr(line, RSTART, RLENGTH)
  is_enum = name ~ /^enum/
  public = name !~ /^class/
  sub(/.* /, "", name)
  print name
  if (line !~ /};$/) type = name
  else if (is_enum) enumerators(line, name)
  next
}
/^};/ { type = ""; next }
type != "" && /^ public:/ { public = 1; next }
type != "" && /^ (private|protected):/ { public = 0; next }
type == "" {
  if (/^template/ && !/[({;]/) next
  if (match($0, /concept [A-Za-z_]+/)) { print substr($0, RSTART + 8, RLENGTH - 8); next }
  if (match($0, /^using [A-Za-z_0-9]+ =/)) { print substr($0, RSTART + 6, RLENGTH - 8); next }
  if (match($0, /^inline constexpr [A-Za-z_:<>0-9, ]+ k[A-Za-z]+/)) { n = split(substr($0, RSTART, RLENGTH), w, " "); print w[n]; next }
  if (/^[A-Za-z]/ && match($0, /[a-z_0-9]+\(/)) {
    name = substr($0, RSTART, RLENGTH - 1)
    if (name !~ /^(requires|decltype|sizeof|static_assert|if|operator)$/ && $0 !~ /operator/) print name
  }
  next
}
public && is_enum && match($0, /^  [A-Z][A-Za-z0-9]+/) { print type "::" substr($0, RSTART + 2, RLENGTH - 2); next }
public && !is_enum && /^  [A-Za-z_\[]/ && !/operator|= delete|friend|using |static_assert|^  template|^  requires/ {
  line = $0
  sub(/ = .*$|[{].*$|;$/, "", line)
  if (match(line, /[A-Za-z_0-9]+\(/)) name = substr(line, RSTART, RLENGTH - 1)
  else { match(line, /[A-Za-z_0-9]+$/); name = substr(line, RSTART, RLENGTH) }
  if (name != "" && name != type && name !~ /^[A-Z]|_$|^k[A-Z]|^void$/) print type "::" name
}
