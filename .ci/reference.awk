# Reads headers: for each function (or type) of which `examples` has an example, a title, the signature, the contract and
# the example; for each section (`// --- Title ---`) a title. Fails if a public function of the invocation has none.
# Written for any awk.

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

# The example of each name, without the indentation of its first line. Behind `//@@` is the title of a section, and `//:`
# has the contract of what no single declaration has, in that section.
function read_examples(  line, name, indent) {
  while ((getline line < examples) > 0) {
    if (line ~ /^ *\/\/@@/) {
      sub(/^ *\/\/@@ ?/, "", line)
      own_section = line
      name = ""
      continue
    }
    if (line ~ /^ *\/\/: ?/) {
      sub(/^ *\/\/: ?/, "", line)
      if (!(name in own)) { owned[++owned_count] = name; section_of[name] = own_section }
      own[name] = own[name] line "\n"
      continue
    }
    if (line ~ /^ *\/\/@/) {
      name = line
      sub(/^ *\/\/@ ?/, "", name)
      indent = -1
      continue
    }
    if (name == "") continue
    if (indent < 0) { match(line, /^ */); indent = RLENGTH }
    example[name] = example[name] substr(line, indent + 1) "\n"
  }
}

# The name of what a declaration declares: the word before its first parenthesis, or behind struct or class.
function name_of(declaration,  head, word) {
  head = declaration
  gsub(/\[\[[^]]*\]\]/, "", head)
  sub(/^template *<[^;{]*> *(requires.*)?$/, "", head)
  if (match(head, /(struct|class) [A-Za-z0-9_]+/)) {
    head = substr(head, RSTART, RLENGTH)
    sub(/^[a-z]+ /, "", head)
    return head
  }
  while (match(head, /[A-Za-z0-9_]+\(/)) {
    word = substr(head, RSTART, RLENGTH - 1)
    if (word !~ /^(requires|sizeof|decltype)$/) return word
    head = substr(head, RSTART + RLENGTH)
  }
  return ""
}

function show(name, signature,  text) {
  if (!(name in example) || name in shown) return
  shown[name] = 1
  if (section != "") { print "\n## " section; section = "" }
  print "\n### `" name "`\n"
  text = contract
  sub(/\n+$/, "", text)
  if (text != "") print text "\n"
  print "```cpp"
  if (signature != "") print signature "\n"
  printf "%s", example[name]
  print "```"
}

# A declaration as a reader wants it: in one line, without attributes and body.
function signature_of(declaration,  s) {
  s = declaration
  gsub(/\[\[[^]]*\]\] */, "", s)
  gsub(/[ \t]+/, " ", s)
  sub(/ *[{].*$/, "", s)
  sub(/ *: [a-z_]+_\(.*$/, "", s)
  sub(/;.*$/, "", s)
  gsub(/,? SourceLocation( where| here)? = SourceLocation::current\(\)/, "", s)
  gsub(/std::type_identity_t<typename R::value_type>/, "T", s)
  gsub(/Given<typename R::value_type>/, "const T\\&", s)
  gsub(/typename R::value_type/, "T", s)
  return trim(s) ";"
}

BEGIN {
  read_examples()
  for (i = 1; i <= owned_count; ++i) {
    name = owned[i]
    if (section_of[name] != section && section_of[name] != shown_section) section = shown_section = section_of[name]
    contract = own[name]
    show(name, "")
  }
  contract = section = ""
}

FNR == 1 {
  in_public = 0
  contract = declaration = ""
  titles["workgroup.h"] = "Workgroup memory"
  titles["views.h"] = "Views"
  titles["members.h"] = "Members by name"
  titles["block.h"] = "Blocks"
  titles["vector.h"] = "Vectors, matrices, halves"
  if (FILENAME in titles) section = titles[FILENAME]
  is_api = FILENAME == "invocation.h"
}

/^ *\/\/ --- / {
  section = $0
  sub(/^ *\/\/ --- /, "", section)
  sub(/\. .*$/, "", section)
  sub(/ ---$/, "", section)
  next
}

/^ *\/\/\/ *\\file/ { skipping = 1; next }
skipping && /^ *\/\/\// { next }
{ skipping = 0 }

# Functions that macros make: HEDDLE_ATOMIC(name, "contract" or instruction, ...), HEDDLE_GROUP_OPERATION(...).
/^  HEDDLE_(ATOMIC|GROUP_OPERATION)\(/ {
  split($0, part, /[(,]/)
  name = trim(part[2])
  contract = $0
  if (match(contract, /"[^"]*"/)) contract = substr(contract, RSTART + 1, RLENGTH - 2)
  else contract = trim(part[3])
  contract = contract "."
  if ($0 ~ /ATOMIC/) {
    show(name, "T " name "(reference, MemoryScope scope, AtomicSemantics semantics, T value);  // the old value")
  } else {
    show(name, "T " name "(GroupOperation operation, T value, std::uint32_t cluster_size = 0);\nT " name \
               "(GroupOperation operation, T value, const uvec4& ballot);  // of group_non_uniform_partition_nv")
  }
  wanted[name] = is_api
  contract = ""
  next
}
# Names of members.
/^#define HEDDLE_MEMBERS\(/ { show("HEDDLE_MEMBERS", "HEDDLE_MEMBERS(Struct, members...)"); contract = ""; next }
/^ *#/ || /\\$/ { contract = declaration = ""; next }

/^ *\/\/\// {
  text = $0
  sub(/^ *\/\/\/ ?/, "", text)
  contract = contract text "\n"
  next
}
/^ *\/\// { next }

# Behind a contract: the declaration, up to its body.
contract != "" || (is_api && in_public && declaration != "") || (is_api && in_public && /^  [A-Za-z].*\) (const )?\{/) {
  declaration = declaration " " trim($0)
  if ($0 ~ /[;{]$/ || $0 ~ /[;}]$/) {
    name = name_of(declaration)
    if (name != "" && (in_public || !is_api)) {
      show(name, signature_of(declaration))
      if (is_api && in_public) wanted[name] = 1
    }
    contract = declaration = ""
  }
  if ($0 ~ /^$/) contract = declaration = ""
}
/^ public:/ { in_public = 1 }
/^ (private|protected):/ { in_public = 0 }

END {
  for (name in wanted) {
    if (wanted[name] && !(name in example) && name !~ /^(InvocationApi|waited|[a-z_]+_)$/) {
      print "no example of " name " in " examples > "/dev/stderr"
      failed = 1
    }
  }
  for (name in example) {
    if (!(name in shown)) {
      print "an example of " name ", which no header has" > "/dev/stderr"
      failed = 1
    }
  }
  exit failed
}
