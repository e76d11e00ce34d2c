#include <heddle/edit.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>
#include <vector>

#include "emulator/edits/words.h"
#include "emulator/model/tags.h"
#include "runtime/text/readable.h"

namespace heddle {
namespace {

using edits::text_of;

/// What stands behind the verb of an edit, in this order.
enum class Argument : std::uint8_t { Semantics, Scope, ExecutionScope, Operands, Tags, Call, Line };

struct Verb {
  EditKind kind;
  std::string_view word;
  std::vector<Argument> arguments;
  /// Whether it puts something in, before an instruction or behind it.
  bool puts_in = false;
};

const std::vector<Verb>& verbs() {
  using A = Argument;
  // Never destroyed: other threads may find races while the process exits.
  static const auto& all = *new std::vector<Verb>{
      {EditKind::GiveSemantics, "give", {A::Semantics}},
      {EditKind::AddSemantics, "add", {A::Semantics}},
      {EditKind::DropSemantics, "drop", {A::Semantics}},
      {EditKind::SetScope, "scope", {A::Scope}},
      {EditKind::SetExecutionScope, "execution-scope", {A::ExecutionScope}},
      {EditKind::AddOperands, "add-operands", {A::Operands, A::Scope}},
      {EditKind::DropOperands, "drop-operands", {A::Operands}},
      {EditKind::MakeAtomic, "make-atomic", {A::Scope, A::Semantics}},
      {EditKind::JoinUpdate, "join", {A::Scope, A::Semantics}},
      {EditKind::PutMemoryBarrier, "put-memory-barrier", {A::Scope, A::Semantics}, true},
      {EditKind::PutControlBarrier, "put-control-barrier", {A::ExecutionScope, A::Scope, A::Semantics}, true},
      {EditKind::PutRoundBarrier, "put-round-barrier", {A::Scope, A::Semantics, A::Line}, true},
      {EditKind::TakeOut, "take-out", {}},
      {EditKind::PutDependency, "put-dependency", {}, true},
      {EditKind::SetTags, "tags", {A::Tags}},
      {EditKind::SetCall, "call", {A::Call}},
      {EditKind::PutCall, "put-call", {A::Call}, true},
  };
  return all;
}

const Verb& verb_of(EditKind kind) {
  return *std::find_if(verbs().begin(), verbs().end(), [&](const Verb& verb) { return verb.kind == kind; });
}

constexpr std::string_view kNoTags = "none";

// Without spaces, for one word to be one argument.
std::string packed(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Classes and flags need no order beside them that is none.
std::string without_no_order(const std::string& semantics) {
  constexpr std::string_view kNoOrder = "Relaxed|";
  return semantics.starts_with(kNoOrder) ? semantics.substr(kNoOrder.size()) : semantics;
}

// With a space behind each comma.
std::string spread(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(1, c).append(c == ',' ? " " : "");
  return out;
}

std::string argument_text(const Edit& edit, Argument argument) {
  switch (argument) {
    case Argument::Semantics:
      return without_no_order(packed(text_of(edit.semantics, false)));
    case Argument::Scope:
      return std::string(name_of(edit.scope));
    case Argument::ExecutionScope:
      return std::string(name_of(edit.execution_scope));
    case Argument::Operands:
      return packed(text_of(edit.operands));
    case Argument::Tags:
      return edit.text.empty() ? std::string(kNoTags) : packed(edit.text);
    case Argument::Call:
      return '\'' + edit.text + '\'';
    case Argument::Line:
      return std::to_string(edit.until_line);
  }
  return "";
}

[[noreturn]] void refuse(std::string_view what, std::string_view word, std::string_view may_be) {
  throw std::invalid_argument(fmt::format("'{}' is {}; {}", text::readable(word), what, may_be));
}

constexpr std::string_view kWhole =
    "an edit is a verb, what it needs, 'at', 'before' or 'behind', a kind of instruction, 'in', and FILE:LINE";

/// Takes words from the front of a line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next(std::string_view what) {
    skip_spaces();
    if (rest_.empty()) throw std::invalid_argument(fmt::format("{} is missing; {}", what, kWhole));
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    return word;
  }
  /// What stands between quotes.
  std::string_view quoted(std::string_view what) {
    skip_spaces();
    const std::size_t end = rest_.find('\'', 1);
    if (rest_.empty() || rest_.front() != '\'' || end == rest_.npos)
      throw std::invalid_argument(fmt::format("{} is missing, between quotes; {}", what, kWhole));
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string_view rest() {
    skip_spaces();
    return std::exchange(rest_, {});
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

template <typename Number>
Number number_from(std::string_view text, std::string_view what) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    refuse(fmt::format("no {}", what), text, "it is a whole number");
  return value;
}

void read_argument(Edit& edit, Argument argument, Words& words) {
  switch (argument) {
    case Argument::Semantics: {
      const std::string_view word = words.next("the semantics");
      const auto semantics = edits::semantics_from(word);
      if (!semantics) refuse("no memory semantics", word, "an example is Release|UniformMemory|MakeAvailable");
      edit.semantics = *semantics;
      return;
    }
    case Argument::Operands: {
      const std::string_view word = words.next("the operands");
      const auto operands = edits::operands_from(word);
      if (!operands) refuse("no memory operands", word, "an example is NonPrivatePointer|MakePointerVisible");
      edit.operands = *operands;
      return;
    }
    case Argument::Tags: {
      const std::string_view word = words.next("the tags");
      const auto tags = word == kNoTags ? model::TagSet() : model::TagSet::parse(spread(word));
      if (!tags) refuse("no tags", word, "an example is foo:x,sync-as:1, or none");
      edit.text = model::text(*tags);
      return;
    }
    case Argument::Line:
      edit.until_line = number_from<std::uint32_t>(words.next("the other line"), "line");
      return;
    case Argument::Call:
      edit.text = words.quoted("the call or command");
      return;
    default: {
      const std::string_view word = words.next("a scope");
      const auto scope = edits::scope_from(word);
      if (!scope) refuse("no scope", word, "it may be Device, QueueFamily, Workgroup, Subgroup or Invocation");
      (argument == Argument::Scope ? edit.scope : edit.execution_scope) = *scope;
    }
  }
}

// FILE:LINE, FILE:LINE:COLUMN, and either with #ORDINAL.
void read_place(Edit& edit, std::string_view place) {
  if (const std::size_t hash = place.rfind('#'); hash != place.npos && place.find(':', hash) == place.npos) {
    edit.ordinal = number_from<std::uint32_t>(place.substr(hash + 1), "ordinal");
    if (edit.ordinal == 0) refuse("no ordinal", "0", "they begin with 1");
    place = place.substr(0, hash);
  }
  const auto take_number = [&]() -> std::optional<std::uint32_t> {
    const std::size_t colon = place.rfind(':');
    if (colon == place.npos || colon + 1 == place.size()) return std::nullopt;
    const std::string_view digits = place.substr(colon + 1);
    if (digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
    place = place.substr(0, colon);
    return number_from<std::uint32_t>(digits, "line");
  };
  const std::optional<std::uint32_t> last = take_number();
  if (!last) refuse("no place", place, "it is FILE:LINE, FILE:LINE:COLUMN, and either may end in #ORDINAL");
  const std::optional<std::uint32_t> before = take_number();
  edit.line = before.value_or(*last);
  edit.column = before ? *last : 0;
  if (edit.line == 0) refuse("no line", "0", "lines begin with 1");
  if (place.empty()) refuse("no place", place, "the file is missing");
  edit.file = place;
}

void read_dependency(Edit& edit, Words& words) {
  const std::string_view what = words.next("what it orders");
  if (what != "memory" && what != "execution") refuse("no dependency", what, "it may be memory or execution");
  edit.orders_memory = what == "memory";
  if (const std::string_view word = words.next("'before'"); word != "before")
    refuse("not 'before'", word, "a dependency stands before a dispatch");
  if (const std::string_view word = words.next("'dispatch'"); word != "dispatch")
    refuse("not 'dispatch'", word, "a dependency stands before a dispatch");
  edit.dispatch = number_from<std::uint64_t>(words.rest(), "dispatch");
}

void read_instruction(Edit& edit, const Verb& verb, Words& words) {
  const std::string_view where = words.next("where it is");
  const bool fits = verb.puts_in ? where == "before" || where == "behind" : where == "at";
  if (!fits) refuse("no such word here", where, verb.puts_in ? "it may be before or behind" : "it may be at");
  edit.behind = where == "behind";
  const std::string_view word = words.next("a kind of instruction");
  const auto kind = edits::kind_from(word);
  if (!kind)
    refuse("no kind of instruction", word,
           "it may be first, read, write, atomic-read, atomic-write, atomic-update, memory-barrier, "
           "control-barrier or call");
  edit.of = *kind;
  if (edit.kind == EditKind::PutRoundBarrier && !edit.behind)
    refuse("no place", "before", "a round barrier stands behind an instruction");
  if (edit.behind && edit.of == EditedKind::First)
    refuse("no place", "behind first", "only before the first instruction of a line something can be put in");
  if (const std::string_view in = words.next("'in'"); in != "in") refuse("not 'in'", in, kWhole);
  read_place(edit, words.rest());
}

}  // namespace

std::string to_text(const Edit& edit) {
  const Verb& verb = verb_of(edit.kind);
  if (edit.kind == EditKind::PutDependency)
    return fmt::format("{} {} before dispatch {}", verb.word, edit.orders_memory ? "memory" : "execution",
                       edit.dispatch);
  std::string text(verb.word);
  for (const Argument argument : verb.arguments) text += ' ' + argument_text(edit, argument);
  text += verb.puts_in ? (edit.behind ? " behind " : " before ") : " at ";
  text += fmt::format("{} in {}:{}", edits::word_of(edit.of), edit.file, edit.line);
  if (edit.column != 0) text += fmt::format(":{}", edit.column);
  if (edit.ordinal != 0) text += fmt::format("#{}", edit.ordinal);
  return text;
}

Edit edit_from_text(std::string_view line) {
  Words words(line);
  const std::string_view word = words.next("a verb");
  const auto verb = std::find_if(verbs().begin(), verbs().end(), [&](const Verb& v) { return v.word == word; });
  if (verb == verbs().end()) {
    std::string all;
    for (const Verb& v : verbs()) all += (all.empty() ? "" : ", ") + std::string(v.word);
    refuse("no verb of an edit", word, "it may be one of " + all);
  }
  Edit edit;
  edit.kind = verb->kind;
  if (edit.kind == EditKind::PutDependency) {
    read_dependency(edit, words);
    return edit;
  }
  for (const Argument argument : verb->arguments) read_argument(edit, argument, words);
  read_instruction(edit, *verb, words);
  return edit;
}

std::vector<Edit> edits_from_text(std::string_view text) {
  std::vector<Edit> all;
  text = text::without_byte_order_mark(text);
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    try {
      all.push_back(edit_from_text(line));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return all;
}

}  // namespace heddle
