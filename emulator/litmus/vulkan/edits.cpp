#include "emulator/litmus/vulkan/edits.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/parser.h"
#include "runtime/text/readable.h"

namespace heddle::litmus {
namespace {

std::optional<std::string_view> spelled(Scope scope) {
  switch (scope) {
    case Scope::Subgroup:
      return "sg";
    case Scope::Workgroup:
      return "wg";
    case Scope::QueueFamily:
      return "qf";
    case Scope::Device:
      return "dv";
    case Scope::ShaderCallKHR:
      return "sh";
    case Scope::FragmentInterlock:
      return "fi";
    default:
      return std::nullopt;
  }
}

std::optional<std::string_view> spelled(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::StorageBuffer:
      return "sc0";
    case StorageClass::Workgroup:
      return "sc1";
    case StorageClass::Image:
      return "sc2";
    case StorageClass::Output:
      return "sc3";
    case StorageClass::Input:
      return "scin";
    default:
      return std::nullopt;
  }
}

constexpr std::pair<Arithmetic, std::string_view> kUpdates[] = {
    {Arithmetic::Add, "add"}, {Arithmetic::Subtract, "sub"}, {Arithmetic::Multiply, "mul"}, {Arithmetic::Divide, "div"},
    {Arithmetic::And, "and"}, {Arithmetic::Or, "or"},        {Arithmetic::Xor, "xor"}};

/// Builds a mnemonic tag by tag; a tag without a spelling spoils it.
class Spelling {
 public:
  explicit Spelling(std::string mnemonic) : text_(std::move(mnemonic)) {}

  void tag(std::optional<std::string_view> tag) {
    known_ = known_ && tag.has_value();
    if (tag) text_.append(1, '.').append(*tag);
  }
  void order(MemorySemantics semantics) {
    if (acquires(semantics) && releases(semantics)) {
      tag("acq_rel");
    } else if (acquires(semantics) || releases(semantics)) {
      tag(acquires(semantics) ? "acq" : "rel");
    }
  }
  void classes(MemorySemantics semantics) {
    static constexpr std::pair<MemorySemantics, std::string_view> kClasses[] = {
        {MemorySemantics::UniformMemory, "semsc0"},
        {MemorySemantics::WorkgroupMemory, "semsc1"},
        {MemorySemantics::ImageMemory, "semsc2"},
        {MemorySemantics::OutputMemory, "semsc3"}};
    for (const auto& [semantic, text] : kClasses)
      if (has(semantics, semantic)) tag(text);
    if (has(semantics, MemorySemantics::MakeAvailable)) tag("semav");
    if (has(semantics, MemorySemantics::MakeVisible)) tag("semvis");
  }
  std::optional<std::string> text() const { return known_ ? std::optional(text_) : std::nullopt; }

 private:
  std::string text_;
  bool known_ = true;
};

void spell_access(const Operation& operation, Spelling& out) {
  if (operation.atomic) {
    out.tag("atom");
    out.order(operation.semantics);
    out.tag(spelled(operation.scope));
    out.tag(spelled(operation.storage_class));
    out.classes(operation.semantics);
    return;
  }
  if (has(operation.operands, MemoryOperands::MakePointerVisible)) {
    out.tag("vis");
    out.tag(spelled(operation.visible_scope));
  } else if (has(operation.operands, MemoryOperands::MakePointerAvailable)) {
    out.tag("av");
    out.tag(spelled(operation.available_scope));
  } else if (operation.is_non_private()) {
    out.tag("nonpriv");
  }
  out.tag(spelled(operation.storage_class));
}

bool means_the_same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && a.storage_class == b.storage_class && a.scope == b.scope &&
         a.semantics == b.semantics && a.operands == b.operands && a.available_scope == b.available_scope &&
         a.visible_scope == b.visible_scope && a.tags == b.tags;
}

/// Whether both tests have the same operations, instruction by instruction.
bool means_the_same(const Test& a, const Test& b) {
  return std::equal(a.threads.begin(), a.threads.end(), b.threads.begin(), b.threads.end(),
                    [](const Thread& x, const Thread& y) {
                      return std::equal(x.code.begin(), x.code.end(), y.code.begin(), y.code.end(),
                                        [](const Instruction& i, const Instruction& k) {
                                          return i.kind == k.kind && means_the_same(i.operation, k.operation);
                                        });
                    });
}

/// Where a place is in the text, counted from 0; the end of the text for one behind it.
std::size_t offset_of(std::string_view source, Place place) {
  // Places are counted from where the parser begins.
  std::size_t line_begin = source.size() - text::without_byte_order_mark(source).size();
  for (std::uint32_t line = 1; line < place.line && line_begin < source.size(); ++line) {
    const std::size_t end = source.find_first_of("\r\n", line_begin);
    if (end == std::string_view::npos) return source.size();
    line_begin = end + (source.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return std::min(line_begin + place.column - 1, source.size());
}

/// The mnemonic and its tags at this place, as far as they are written without blanks.
std::string_view word_at(std::string_view source, Place place) {
  const std::size_t begin = offset_of(source, place);
  std::size_t end = begin;
  while (end < source.size() &&
         (std::isalnum(static_cast<unsigned char>(source[end])) != 0 || source[end] == '.' || source[end] == '_'))
    ++end;
  return source.substr(begin, end - begin);
}

/// Puts an instruction into a row of its own, behind the row of the one whose place it has.
std::optional<TextEdit> row_behind(std::string_view source, const Tokens& words, const Test& test, std::size_t thread,
                                   const Instruction& instruction) {
  const std::optional<std::string> tags = spell_tags(instruction);
  const std::size_t begin = offset_of(source, instruction.place);
  const auto end = std::find_if(words.tokens.begin(), words.tokens.end(),
                                [&](const Token& token) { return token.offset >= begin && token.is(";"); });
  if (!tags || end == words.tokens.end()) return std::nullopt;
  std::string row = "\n ";
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    if (t != 0) row += "| ";
    if (t != thread) continue;
    // The text begins with the tags as they were.
    row += *tags +
           instruction.text.substr(std::min(word_at(instruction.text, {1, 1}).size(), instruction.text.size())) + ' ';
  }
  return TextEdit{{end->place.line, end->place.column + 1}, "", row + ';'};
}

}  // namespace

std::optional<std::string> spell_tags(const Instruction& instruction) {
  static constexpr std::pair<InstructionKind, std::string_view> kMnemonics[] = {
      {InstructionKind::Load, "ld"},
      {InstructionKind::Store, "st"},
      {InstructionKind::ReadModifyWrite, "rmw"},
      {InstructionKind::MemoryBarrier, "membar"},
      {InstructionKind::ControlBarrier, "cbar"}};
  const auto mnemonic = std::find_if(std::begin(kMnemonics), std::end(kMnemonics),
                                     [&](const auto& one) { return one.first == instruction.kind; });
  if (mnemonic == std::end(kMnemonics)) return std::nullopt;
  Spelling out(std::string(instruction.cooperative ? "coop" : "") + std::string(mnemonic->second));
  if (instruction.cooperative) out.tag(spelled(instruction.cooperative->scope));
  if (instruction.operation.is_access()) {
    spell_access(instruction.operation, out);
  } else {
    out.order(instruction.operation.semantics);
    out.tag(spelled(instruction.operation.scope));
    out.classes(instruction.operation.semantics);
  }
  if (instruction.kind == InstructionKind::ReadModifyWrite && instruction.arithmetic) {
    for (const auto& [arithmetic, text] : kUpdates)
      if (arithmetic == *instruction.arithmetic) out.tag(text);
  }
  return out.text();
}

std::optional<std::vector<TextEdit>> edits_between(std::string_view source, const Test& test, const Test& changed) {
  const Tokens words = tokenize(source);
  std::vector<TextEdit> edits;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const std::vector<Instruction>& then = changed.threads[t].code;
    std::size_t at = 0;
    for (const Instruction& now : test.threads[t].code) {
      if (!means_the_same(now.operation, then[at].operation)) {
        const std::optional<std::string> text = spell_tags(then[at]);
        if (!text) return std::nullopt;
        edits.push_back({now.place, std::string(word_at(source, now.place)), *text});
      }
      for (++at; at < then.size() && then[at].place == now.place; ++at) {
        const std::optional<TextEdit> row = row_behind(source, words, test, t, then[at]);
        if (!row) return std::nullopt;
        edits.push_back(*row);
      }
    }
  }
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  const VulkanParse again = parse_vulkan(edited(source, edits));
  if (!again.test || !means_the_same(*again.test, changed)) return std::nullopt;
  return edits;
}

std::string edited(std::string_view source, const std::vector<TextEdit>& edits) {
  std::string out;
  std::size_t done = 0;
  for (const TextEdit& edit : edits) {
    const std::size_t begin = offset_of(source, edit.place);
    out.append(source.substr(done, begin - done)).append(edit.new_text);
    done = begin + edit.old_text.size();
  }
  return out.append(source.substr(done));
}

}  // namespace heddle::litmus
