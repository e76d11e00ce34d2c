# Prints the public declarations of headers in the layout of clang-format, with their contracts (`///`): what is in
# namespaces, but not in namespaces `detail`, and the public members of types. With `names=1` the names alone, members as
# `Type::member`; with `examples=FILE` without what has an example there (`//@ NAME`). Written for any awk.

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

# In one line, without attributes, bodies and initializers of members.
function signature(s) {
  gsub(/\[\[[^]]*\]\] */, "", s)
  gsub(/__attribute__\(\([a-z_]*(\([^)]*\))?\)\) */, "", s)
  gsub(/[ \t]+/, " ", s)
  gsub(/\( /, "(", s)
  gsub(/HEDDLE_REFUSED_DISPATCHES |requires detail::Takes<Kernel, detail::BoundArgument<Args>...> /, "", s)
  sub(/ *[{].*$/, "", s)
  sub(/\) : [a-z_]+_?\(.*$/, ")", s)
  sub(/;.*$/, "", s)
  sub(/ =$/, "", s)
  gsub(/,? ?SourceLocation( where| here| w)? = SourceLocation::current\(\)/, "", s)
  return trim(s)
}

function sentence(  text) {
  text = contract
  contract = ""
  gsub(/\n/, " ", text)
  return trim(text)
}

# A declaration outside of types. Its title is there once.
function declare(name, text,  said) {
  if (names) { print name; contract = ""; return }
  quiet = text != "" && name in has_example
  if (quiet) { contract = ""; return }
  if (name != last) print "\n### `" name "`"
  last = name
  said = contract
  contract = ""
  sub(/\n+$/, "", said)
  if (said != "") print "\n" said
  if (text != "") print "\n```cpp\n" text ";\n```"
  listed = 0
}

function member(name, text,  said) {
  if (names) { print type "::" name; contract = ""; return }
  if (quiet) { contract = ""; return }
  if (!listed) print ""
  listed = 1
  said = sentence()
  print "- `" text "`" (said == "" ? "" : ": " said)
}

# Those of an enumeration in one line.
function enumerators(line,  n, i, word) {
  sub(/^[^{]*[{]/, "", line)
  sub(/[}].*$/, "", line)
  n = split(line, word, /, */)
  for (i = 1; i <= n; ++i)
    if (match(word[i], /[A-Za-z0-9]+/)) member(substr(word[i], RSTART, RLENGTH), trim(word[i]))
}

# A whole declaration of a namespace.
function outside(text,  name) {
  if (text ~ /^[^(]*[A-Za-z>]::[a-z_]+\(/ && text ~ /Commands::|Device::|Trial::/) { contract = ""; return }
  if (match(text, /concept [A-Za-z_]+/)) {
    name = substr(text, RSTART + 8, RLENGTH - 8)
    declare(name, "concept " name)
  } else if (match(text, /using [A-Za-z_0-9]+ =/) && text !~ /\(/) {
    name = substr(text, RSTART + 6, RLENGTH - 8)
    declare(name, names ? "" : signature(text))
  } else if (match(text, /inline (constexpr|consteval) [A-Za-z_:<>0-9, ]+ k?[A-Za-z_]+( =|[{])/) && text !~ /[a-z_]\(.*\) *[{]/) {
    name = substr(text, RSTART, RLENGTH)
    sub(/( =|[{])$/, "", name)
    sub(/.* /, "", name)
    declare(name, signature(text))
  } else if (text !~ /operator/ && match(text, /[a-z_0-9A-Z]+\(/)) {
    name = text
    gsub(/\[\[[^]]*\]\] */, "", name)
    sub(/requires ?\([^)]*\)+/, "", name)
    if (!match(name, /[a-z_0-9A-Z]+\(/)) return
    name = substr(name, RSTART, RLENGTH - 1)
    if (name !~ /^(requires|decltype|sizeof|static_assert)$|^[A-Z]$|^HEDDLE_/) declare(name, signature(text))
  }
  contract = ""
}

# A whole declaration of a type.
function inside(text,  name, head) {
  if (contract ~ /^Not for users/ || text ~ /operator|= delete|friend |using |static_assert|explicit [A-Z]|~/) { contract = ""; return }
  head = signature(text)
  sub(/template <[^(]*> /, "", head)
  gsub(/requires (requires )?\([^)]*\) */, "", head)
  if (match(head, /[A-Za-z_0-9]+\(/) && head !~ /^[A-Za-z:_<>]*Function</) {
    name = substr(head, RSTART, RLENGTH - 1)
  } else {
    sub(/ = .*$/, "", head)
    if (!match(head, /[A-Za-z_0-9]+$/)) { contract = ""; return }
    name = substr(head, RSTART, RLENGTH)
  }
  if (name == type || name ~ /^[A-Z]|_$|^k[A-Z]|^(requires|sizeof|noexcept)$/) contract = ""
  else member(name, signature(text))
}

BEGIN {
  while (examples != "" && (getline line < examples) > 0)
    if (line ~ /^ *\/\/@ [A-Za-z]/) { sub(/^ *\/\/@ /, "", line); has_example[line] = 1 }
}

FNR == 1 { internal = skipping = body = body_of_member = public = 0; type = collected = contract = ""; last = "" }
/^}  \/\/ namespace / { if (!internal || $4 == hidden) internal = 0; next }
/^\/\/\/ *\\file/ { skipping = 1; next }
skipping && /^\/\/\// { next }
{ skipping = 0 }
/^ *\/\/\// { text = $0; sub(/^ *\/\/\/ ?/, "", text); if (!internal) contract = contract text "\n"; next }
/^ *\/\// { next }
{ sub(/[ \t]*\/\/.*$/, "") }
/^ *$/ { if (collected == "") contract = ""; next }
/^ *#define HEDDLE_MEMBERS\(/ { declare("HEDDLE_MEMBERS", "HEDDLE_MEMBERS(Struct, members...)") }
/^ *#/ || /\\$/ { continued = /\\$/; contract = ""; next }
continued { continued = 0; next }
internal && /^}$/ && FNR - internal <= 3 { internal = 0; next }
/^namespace .*(detail|emulated|native|runtime|model|emulation|std|refused)( |::|$)/ {
  if (!internal) { internal = FNR; hidden = $2 }
  next
}
/^namespace / || internal { next }
/^};/ { type = collected = contract = ""; body = body_of_member = 0; next }

# What begins or ends outside of functions and types is at the margin.
type == "" {
  collected = trim(collected " " $0)
  if (body) { if (/^}/) { body = 0; collected = "" } else collected = ""; next }
  if (collected ~ /(^|> |\) )(struct|class|enum class) [A-Za-z]/ && /[{;]$|};$/ && collected !~ /\(.*\).*[{] *$/ || collected ~ /^enum class/ && /[{;]$/) {
    line = collected
    collected = ""
    if (line ~ /;$/ && line !~ /[{]/) { contract = ""; next }
    match(line, /(struct|enum class|class) (\[\[[a-z]*\]\] )?[A-Za-z][A-Za-z_0-9]*/)
    type = substr(line, RSTART, RLENGTH)
    is_enum = type ~ /^enum/
    public = type !~ /^class/
    sub(/.* /, "", type)
    declare(type, "")
    if (line ~ /};$/) { if (is_enum) enumerators(line); type = "" }
    next
  }
  if (/;$|[{]$|}$/) {
    body = /[{]$/
    text = collected
    collected = ""
    outside(text)
  }
  next
}
/^ public:/ { public = 1; collected = contract = ""; next }
/^ (private|protected):/ { public = 0; next }
!public { contract = ""; next }
is_enum {
  if (match($0, /^  [A-Z][A-Za-z0-9]+/)) {
    text = trim($0)
    sub(/,.*$/, "", text)
    member(substr($0, 3, RLENGTH - 2), text)
  }
  next
}
body_of_member { if (/^  }/) body_of_member = 0; next }
{
  collected = trim(collected " " $0)
  if (/;$|[{]$|}$/) {
    body_of_member = /[{]$/
    text = collected
    collected = ""
    inside(text)
  }
}
