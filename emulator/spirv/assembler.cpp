#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "emulator/spirv/grammar.h"
#include "emulator/spirv/module.h"
#include "emulator/spirv/numbers.h"

/// \file
/// From text to words. Numeric ids keep their number, other ids get numbers behind them.

namespace heddle::spirv {
namespace {

struct Word {
  std::string_view text;
  std::uint32_t line = 0;
  bool quoted = false;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/// The words of a text, without its comments.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> out;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t begin_line = line;
    if (text[at] == '\n') ++line;
    if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == ';') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\n') ++line;
        if (text[at] == '\\') ++at;
      }
      if (at >= text.size()) throw Error({begin_line, 0}, "this string has no end");
      ++at;
      out.push_back({text.substr(begin + 1, at - begin - 2), begin_line, true});
    } else {
      while (at < text.size() && !is_blank(text[at]) && text[at] != ';' && text[at] != '"') ++at;
      out.push_back({text.substr(begin, at - begin), begin_line, false});
    }
  }
  return out;
}

/// What is known of an id while a text is read.
struct NumberType {
  unsigned bits = 32;
  bool is_float = false;
};

class Assembler {
 public:
  explicit Assembler(std::string_view text) : text_(text), words_(words_of(text)) {}

  Module run() {
    number_ids();
    module_.words = {0x07230203, version(), 0, 0, 0};
    while (at_ < words_.size()) instruction();
    module_.words[3] = next_id_;
    find_instructions(module_, lines_);
    return std::move(module_);
  }

 private:
  [[noreturn]] void fail(const Word& word, const std::string& message) const { throw Error({word.line, 0}, message); }

  // The version stands in a comment of what disassemblers print; behind 1.6 nothing differs that matters here.
  std::uint32_t version() const {
    const std::size_t found = text_.find("; Version: 1.");
    if (found == std::string_view::npos || found + 13 >= text_.size()) return 0x00010600;
    const char digit = text_[found + 13];
    return digit >= '0' && digit <= '6' ? 0x00010000U + (static_cast<std::uint32_t>(digit - '0') << 8) : 0x00010600U;
  }

  static bool is_id(const Word& word) { return !word.quoted && word.text.size() > 1 && word.text[0] == '%'; }

  void number_ids() {
    for (const Word& word : words_) {
      if (!is_id(word)) continue;
      const auto number = whole_number(word.text.substr(1));
      if (!number) continue;
      if (*number >= (1U << 22)) fail(word, "the number of " + std::string(word.text) + " is too large");
      module_.text_ids.emplace(word.text.substr(1), static_cast<Id>(*number));
      next_id_ = std::max(next_id_, static_cast<Id>(*number) + 1);
    }
    for (const Word& word : words_)
      if (is_id(word) && module_.text_ids.emplace(word.text.substr(1), next_id_).second) ++next_id_;
  }

  bool at_end() const { return at_ >= words_.size() || begins_instruction(at_); }
  bool begins_instruction(std::size_t at) const {
    const Word& word = words_[at];
    if (word.quoted) return false;
    if (word.text.size() > 2 && word.text.starts_with("Op") && word.text[2] >= 'A' && word.text[2] <= 'Z') return true;
    return is_id(word) && at + 1 < words_.size() && !words_[at + 1].quoted && words_[at + 1].text == "=";
  }

  void instruction() {
    std::optional<Id> result;
    const Word first = words_[at_];
    if (is_id(first)) {
      result = id();
      if (at_ >= words_.size() || words_[at_].text != "=") fail(first, "an instruction begins with an opcode");
      ++at_;
      if (at_ >= words_.size()) fail(first, "there is no instruction behind this");
    }
    const Word name = words_[at_];
    const InstructionInfo* info = find_instruction(name.text);
    if (info == nullptr || name.quoted) fail(name, "there is no instruction \"" + std::string(name.text) + '"');
    ++at_;
    const std::size_t begin = module_.words.size();
    lines_.emplace(static_cast<std::uint32_t>(begin), first.line);
    module_.words.push_back(0);
    begin_ = begin;
    operands(operands_of(*info), name, *info, result);
    if (!at_end())
      fail(words_[at_], std::string(info->name) + " has no operand \"" + std::string(words_[at_].text) + '"');
    const std::size_t count = module_.words.size() - begin;
    if (count > 0xffff) fail(name, "this instruction is too long");
    module_.words[begin] = static_cast<std::uint32_t>(count << 16) | info->opcode;
    note(*info);
  }

  void operands(std::span<const OperandInfo> all, const Word& name, const InstructionInfo& info,
                std::optional<Id> result) {
    for (const OperandInfo& operand : all) {
      if (operand.category == Category::IdResult) {
        if (!result)
          fail(name, std::string(info.name) + " has a result: write \"%name = " + std::string(info.name) + '"');
        module_.words.push_back(*result);
        result_ = *result;
        continue;
      }
      do {
        if (at_end()) {
          if (operand.quantifier != Quantifier::One) return;
          fail(name, std::string(info.name) + " lacks an operand");
        }
        one(operand, info);
      } while (operand.quantifier == Quantifier::Any);
    }
  }

  void one(const OperandInfo& operand, const InstructionInfo& info) {
    switch (operand.category) {
      case Category::Enum:
        return enumeration(operand.kind, info);
      case Category::IdResultType:
        type_ = id();
        module_.words.push_back(type_);
        return;
      case Category::IdResult:
      case Category::AnyId:
        module_.words.push_back(id());
        return;
      case Category::LiteralInteger:
        return number({32, false});
      case Category::LiteralString:
        return string();
      case Category::LiteralNumber:
        return number(number_type(type_));
      case Category::LiteralExtended:
        return extended();
      case Category::LiteralOpcode:
        return opcode();
      case Category::PairLiteralId:
        number(selector_type());
        module_.words.push_back(id());
        return;
      case Category::PairIdLiteral:
        module_.words.push_back(id());
        return number({32, false});
      case Category::PairIdId:
        module_.words.push_back(id());
        module_.words.push_back(id());
        return;
    }
  }

  const Word& next() {
    if (at_ >= words_.size())
      throw Error({words_.empty() ? 1 : words_.back().line, 0}, "the text ends in an instruction");
    return words_[at_++];
  }

  Id id() {
    const Word& word = next();
    if (!is_id(word)) fail(word, "here an id stands (\"%name\"), not \"" + std::string(word.text) + '"');
    return module_.text_ids.find(word.text.substr(1))->second;
  }

  NumberType number_type(Id type) const {
    const auto known = types_.find(type);
    return known != types_.end() ? known->second : NumberType{};
  }
  // The selector of an OpSwitch is its first operand.
  NumberType selector_type() const {
    const auto known = type_of_.find(module_.words[begin_ + 1]);
    return known != type_of_.end() ? number_type(known->second) : NumberType{};
  }

  void number(NumberType type) {
    const Word& word = next();
    const auto bits = literal_bits(word.text, type.bits, type.is_float);
    if (!bits || word.quoted) fail(word, "here a number stands, not \"" + std::string(word.text) + '"');
    module_.words.push_back(static_cast<std::uint32_t>(*bits));
    if (type.bits > 32) module_.words.push_back(static_cast<std::uint32_t>(*bits >> 32));
  }

  void string() {
    const Word& word = next();
    if (!word.quoted) fail(word, "here a string stands, not \"" + std::string(word.text) + '"');
    std::string bytes;
    for (std::size_t i = 0; i < word.text.size(); ++i) {
      if (word.text[i] == '\\' && i + 1 < word.text.size()) ++i;
      bytes += word.text[i];
    }
    if (name_of_set_.empty()) name_of_set_ = bytes;
    bytes.append(4 - bytes.size() % 4, '\0');
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      std::uint32_t packed = 0;
      for (unsigned byte = 0; byte < 4; ++byte)
        packed |= std::uint32_t{static_cast<unsigned char>(bytes[i + byte])} << (8 * byte);
      module_.words.push_back(packed);
    }
  }

  void extended() {
    const Word& word = next();
    const auto set = sets_.find(module_.words.back());
    if (set == sets_.end()) fail(word, "this set of instructions was not imported before");
    auto number = whole_number(word.text);
    if (!number) number = extended_number(set->second, word.text);
    // What a newer revision of such a set has, nobody needs to know.
    if (!number && set->second.starts_with("NonSemantic.")) number = 0xffff;
    if (!number) fail(word, "\"" + set->second + "\" has no instruction \"" + std::string(word.text) + '"');
    module_.words.push_back(static_cast<std::uint32_t>(*number));
  }

  void opcode() {
    const Word& word = next();
    const InstructionInfo* info = find_instruction("Op" + std::string(word.text));
    if (info == nullptr) fail(word, "there is no instruction \"Op" + std::string(word.text) + '"');
    module_.words.push_back(info->opcode);
    for (const OperandInfo& operand : operands_of(*info)) {
      if (operand.category == Category::IdResultType || operand.category == Category::IdResult) continue;
      do {
        if (at_end()) {
          if (operand.quantifier != Quantifier::One) return;
          fail(word, "Op" + std::string(word.text) + " lacks an operand");
        }
        one(operand, *info);
      } while (operand.quantifier == Quantifier::Any);
    }
  }

  void enumeration(std::uint16_t kind, const InstructionInfo& info) {
    const Word& word = next();
    std::vector<const Enumerant*> chosen;
    std::uint32_t value = 0;
    for (std::string_view rest = word.text; !rest.empty();) {
      const std::size_t bar = rest.find('|');
      const std::string_view name = rest.substr(0, bar);
      rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
      const Enumerant* known = find_enumerant(kind, name);
      if (known != nullptr) {
        value |= known->value;
        if (known->value != 0 || !tables::kinds[kind].bits) chosen.push_back(known);
      } else if (const auto number = whole_number(name)) {
        value |= static_cast<std::uint32_t>(*number);
      } else if (info.name == "OpSource" || info.name == "OpCapability") {
        // A later revision's word, which changes nothing for what is known here.
        module_.warnings.push_back("line " + std::to_string(word.line) + ": \"" + std::string(name) +
                                   "\" is not known, and ignored");
        value = info.name == "OpSource" ? 0 : 0xffff;
      } else {
        fail(word, std::string(tables::kinds[kind].name) + " has no \"" + std::string(name) + '"');
      }
    }
    module_.words.push_back(value);
    std::sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) { return a->value < b->value; });
    for (const Enumerant* each : chosen)
      for (const OperandInfo& operand : operands_of(*each)) one(operand, info);
  }

  // What later instructions need to know of this one.
  void note(const InstructionInfo& info) {
    const Op op = static_cast<Op>(info.opcode);
    const std::uint32_t* words = module_.words.data() + begin_;
    const std::size_t count = module_.words.size() - begin_;
    if (op == Op::OpTypeInt && count > 2) types_[result_] = {words[2], false};
    if (op == Op::OpTypeFloat && count > 2) types_[result_] = {words[2], true};
    if (op == Op::OpExtInstImport) sets_[result_] = name_of_set_;
    if (result_ != 0 && type_ != 0) type_of_[result_] = type_;
    name_of_set_.clear();
    result_ = 0;
    type_ = 0;
  }

  std::string_view text_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
  Module module_;
  std::map<std::uint32_t, std::uint32_t> lines_;
  Id next_id_ = 1;
  // These are of the instruction that is being read:
  std::size_t begin_ = 0;
  Id type_ = 0;
  Id result_ = 0;
  std::string name_of_set_;
  // These are of the instructions before it:
  std::map<Id, NumberType> types_;
  std::map<Id, Id> type_of_;
  std::map<Id, std::string> sets_;
};

}  // namespace

bool is_assembly(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (is_blank(text[at]) || text[at] == ';'))
    at = text[at] == ';' ? std::min(text.find('\n', at), text.size()) : at + 1;
  const std::string_view rest = text.substr(at);
  const std::size_t end = std::min(rest.find_first_of(" \t\r\n=;"), rest.size());
  if (rest.starts_with("Op")) return find_instruction(rest.substr(0, end)) != nullptr;
  const std::size_t equals = rest.find_first_not_of(" \t", end);
  return rest.starts_with('%') && equals != std::string_view::npos && rest[equals] == '=';
}

Module assemble(std::string_view text) {
  return Assembler(text).run();
}

}  // namespace heddle::spirv
