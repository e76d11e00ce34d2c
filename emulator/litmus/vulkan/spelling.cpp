#include "emulator/litmus/vulkan/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/litmus/vulkan/calls.h"
#include "emulator/litmus/vulkan/comments.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/words.h"
#include "emulator/model/tags.h"

namespace heddle::litmus {
namespace {

std::optional<std::string_view> spelled(Scope scope) {
  return word_for(scope, kScopeWords);
}

std::optional<std::string_view> spelled(StorageClass storage_class) {
  return word_for(storage_class, kStorageClassWords);
}

/// Builds a mnemonic tag by tag; a tag without a spelling spoils it.
class TagWords {
 public:
  explicit TagWords(std::string mnemonic) : text_(std::move(mnemonic)) {}

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

void spell_access(const Operation& operation, TagWords& out) {
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

/// The operands of an instruction.
class OperandWords {
 public:
  OperandWords(const Test& test, const Thread& thread, const Instruction& instruction)
      : test_(test), thread_(thread), instruction_(instruction) {}

  std::string destination() const { return thread_.registers[instruction_.destination].name; }
  std::string variable() const { return test_.variables[instruction_.variable].name; }
  std::string value(const Operand& operand) const {
    return operand.is_register ? thread_.registers[operand.index].name : std::to_string(operand.constant);
  }
  std::string left() const { return value(instruction_.left); }
  std::string right() const { return value(instruction_.right); }
  std::string target() const {
    const std::string& text = thread_.code[instruction_.target].text;
    return text.substr(0, text.size() - 1);
  }
  std::string resource() const {
    const BarrierName& barrier = instruction_.barrier;
    return barrier.resource_word.empty() ? value(barrier.resource) : barrier.resource_word;
  }

 private:
  const Test& test_;
  const Thread& thread_;
  const Instruction& instruction_;
};

constexpr std::pair<std::string_view, Comparison> kBranchTags[] = {
    {"beq", Comparison::Equal},     {"bne", Comparison::NotEqual}, {"blt", Comparison::Less},
    {"ble", Comparison::LessEqual}, {"bgt", Comparison::Greater},  {"bge", Comparison::GreaterEqual}};

/// What both spellings of operations without operands say.
struct DeviceWords {
  OperationKind kind;
  std::string_view tags;
  std::string_view call;
};
constexpr DeviceWords kDeviceWords[] = {
    {OperationKind::DeviceAvailability, "avdevice", "makeAvailableToDevice()"},
    {OperationKind::DeviceVisibility, "visdevice", "makeVisibleFromDevice()"},
    {OperationKind::BeginInvocationInterlock, "beginlock", "beginInvocationInterlock()"},
    {OperationKind::EndInvocationInterlock, "endlock", "endInvocationInterlock()"}};

std::string device_words(const Instruction& instruction, Spelling spelling) {
  for (const DeviceWords& words : kDeviceWords)
    if (words.kind == instruction.operation.kind)
      return std::string(spelling == Spelling::Calls ? words.call : words.tags);
  return "";
}

std::optional<std::string> as_tags(const OperandWords& operands, const Instruction& instruction) {
  const std::optional<std::string> tags = spell_tags(instruction);
  if (!tags && !instruction.traits().mnemonic.empty()) return std::nullopt;
  const BarrierName& barrier = instruction.barrier;
  const std::string id = instruction.cooperative ? ", " + instruction.cooperative->id : "";
  switch (instruction.kind) {
    case InstructionKind::Load:
      return fmt::format("{} {}, {}{}", *tags, operands.destination(), operands.variable(), id);
    case InstructionKind::Store:
      return fmt::format("{} {}, {}{}", *tags, operands.variable(), operands.left(), id);
    case InstructionKind::ReadModifyWrite:
      return fmt::format("{} {}, {}, {}", *tags, operands.destination(), operands.variable(), operands.left());
    case InstructionKind::MemoryBarrier:
      return tags;
    case InstructionKind::ControlBarrier:
      return fmt::format("{} {}{}{}", *tags, barrier.id, barrier.named ? ", " + operands.resource() : "",
                         barrier.quorum ? ", " + operands.value(*barrier.quorum) : "");
    case InstructionKind::DeviceOperation:
    case InstructionKind::Interlock:
      return device_words(instruction, Spelling::Tags);
    case InstructionKind::Free:
      return "free " + operands.variable();
    case InstructionKind::HostCall:
      return instruction.text;
    case InstructionKind::Compute:
      return fmt::format("{} {}, {}, {}", *word_for(*instruction.arithmetic, kArithmeticWords), operands.destination(),
                         operands.left(), operands.right());
    case InstructionKind::Branch:
      return fmt::format("{} {}, {}, {}", *word_for(instruction.comparison, kBranchTags), operands.left(),
                         operands.right(), operands.target());
    case InstructionKind::Jump:
      return "goto " + operands.target();
    case InstructionKind::Label:
      return instruction.text;
  }
  return std::nullopt;
}

/// Builds a call argument by argument; one without a spelling spoils it.
class CallWords {
 public:
  explicit CallWords(std::string begin) : text_(std::move(begin) + '(') {}

  void argument(std::optional<std::string_view> argument) {
    known_ = known_ && argument.has_value();
    if (!argument) return;
    text_ += (first_ ? "" : ", ") + std::string(*argument);
    first_ = false;
  }
  void scope(Scope scope) { argument(word_for(scope, kCallScopes)); }
  void order(MemorySemantics semantics) {
    const bool both = acquires(semantics) && releases(semantics);
    argument(word_for(both                  ? MemorySemantics::AcquireRelease
                      : acquires(semantics) ? MemorySemantics::Acquire
                      : releases(semantics) ? MemorySemantics::Release
                                            : MemorySemantics::Relaxed,
                      kCallOrders));
  }
  /// Storage classes and flags, behind the scope; nothing of a relaxed operation.
  void semantics(MemorySemantics semantics) {
    std::string all;
    const auto add = [&](std::string_view word) { all += (all.empty() ? "" : " | ") + std::string(word); };
    for (const auto& [word, bit] : kCallClasses)
      if (has(semantics, bit)) add(word);
    if (has(semantics, MemorySemantics::MakeAvailable)) add(kMakeAvailable);
    if (has(semantics, MemorySemantics::MakeVisible)) add(kMakeVisible);
    if (!all.empty()) argument(all);
  }
  std::optional<std::string> text() const { return known_ ? std::optional(text_ + ')') : std::nullopt; }

 private:
  std::string text_;
  bool first_ = true;
  bool known_ = true;
};

void add_access(const Operation& operation, CallWords& call) {
  if (operation.atomic) {
    call.order(operation.semantics);
    call.scope(operation.scope);
    call.semantics(operation.semantics);
  } else if (has(operation.operands, MemoryOperands::MakePointerVisible)) {
    call.argument(kMakeVisible);
    call.scope(operation.visible_scope);
  } else if (has(operation.operands, MemoryOperands::MakePointerAvailable)) {
    call.argument(kMakeAvailable);
    call.scope(operation.available_scope);
  } else if (operation.is_non_private()) {
    call.argument(kNonPrivate);
  }
}

std::string name_of_access(const Instruction& instruction) {
  if (instruction.kind == InstructionKind::ReadModifyWrite)
    return instruction.arithmetic ? std::string(*word_for(*instruction.arithmetic, kUpdateWords)) : "atomicExchange";
  const bool loads = instruction.kind == InstructionKind::Load;
  if (instruction.operation.atomic) return loads ? "atomicLoad" : "atomicStore";
  if (instruction.cooperative) return loads ? "coopLoad" : "coopStore";
  return loads ? "load" : "store";
}

std::optional<std::string> access_as_call(const OperandWords& operands, const Instruction& instruction) {
  const bool reads = instruction.kind != InstructionKind::Store;
  CallWords call((reads ? operands.destination() + " = " : "") + name_of_access(instruction));
  const StorageClass storage_class = instruction.operation.storage_class;
  const std::optional<std::string_view> where = word_for(storage_class, kVariableWords);
  const std::string prefix = storage_class == StorageClass::StorageBuffer || !where ? "" : std::string(*where) + ' ';
  const std::string variable = prefix + operands.variable();
  call.argument(where ? std::optional<std::string_view>(variable) : std::nullopt);
  if (instruction.kind != InstructionKind::Load) call.argument(operands.left());
  if (instruction.cooperative) {
    call.scope(instruction.cooperative->scope);
    call.argument(instruction.cooperative->id);
  }
  add_access(instruction.operation, call);
  return call.text();
}

std::optional<std::string> barrier_as_call(const OperandWords& operands, const Instruction& instruction) {
  const bool controls = instruction.kind == InstructionKind::ControlBarrier;
  CallWords call(controls ? "controlBarrier" : "memoryBarrier");
  if (controls) {
    const BarrierName& barrier = instruction.barrier;
    call.argument(barrier.id);
    if (barrier.named) call.argument("resource " + operands.resource());
    if (barrier.quorum) call.argument("quorum " + operands.value(*barrier.quorum));
  }
  const MemorySemantics semantics = instruction.operation.semantics;
  if (acquires(semantics) || releases(semantics)) call.order(semantics);
  call.scope(instruction.operation.scope);
  call.semantics(semantics);
  return call.text();
}

std::optional<std::string> as_call(const OperandWords& operands, const Instruction& instruction) {
  switch (instruction.kind) {
    case InstructionKind::Load:
    case InstructionKind::Store:
    case InstructionKind::ReadModifyWrite:
      return access_as_call(operands, instruction);
    case InstructionKind::MemoryBarrier:
    case InstructionKind::ControlBarrier:
      return barrier_as_call(operands, instruction);
    case InstructionKind::DeviceOperation:
    case InstructionKind::Interlock:
      return device_words(instruction, Spelling::Calls);
    case InstructionKind::Free:
      return fmt::format("free({})", operands.variable());
    case InstructionKind::HostCall:
      return std::nullopt;
    case InstructionKind::Compute:
      return fmt::format("{} = {} {} {}", operands.destination(), operands.left(),
                         *word_for(*instruction.arithmetic, kArithmeticSigns), operands.right());
    case InstructionKind::Branch:
      return fmt::format("if ({} {} {}) goto {}", operands.left(), symbol(instruction.comparison), operands.right(),
                         operands.target());
    case InstructionKind::Jump:
      return "goto " + operands.target();
    case InstructionKind::Label:
      return instruction.text;
  }
  return std::nullopt;
}

/// The whole text.
class TestWords {
 public:
  TestWords(const Test& test, Spelling spelling) : test_(test), spelling_(spelling), comments_(test) {}

  std::string text() const {
    // The header's text goes up to the declarations, blanks included.
    std::string out = "Vulkan " + test_.name + test_.comment + declarations() + pairs();
    out += spelling_ == Spelling::Calls ? stacked() : table();
    for (const std::string& comment : comments_.at_end()) out += comment + '\n';
    if (test_.filter) out += "filter (" + spell(*test_.filter, test_.observables) + ")\n";
    if (test_.assertion)
      out += fmt::format("{} ({})\n", spell(test_.quantifier), spell(*test_.assertion, test_.observables));
    return out;
  }

 private:
  std::string declarations() const;
  std::string host_declarations(const HostTest& host) const;
  std::string pairs() const;
  std::string table() const;
  std::vector<std::string> column(std::size_t thread) const;
  std::string stacked() const;
  /// A cell, or a part of one, between its comments.
  std::string with_comments(std::size_t thread, std::size_t index, const std::string& text) const;
  std::string place(const Thread& thread) const;
  std::string instruction(const Thread& thread, std::size_t index) const {
    const Instruction& one = thread.code[index];
    return spell(test_, thread, one, spelling_).value() + with_tags(one);
  }

  const Test& test_;
  const Spelling spelling_;
  const PlacedComments comments_;
};

/// What the memory of a host test is.
std::string TestWords::host_declarations(const HostTest& host) const {
  std::string out;
  const auto add = [&](std::string_view word, const std::vector<std::uint32_t>& variables) {
    if (variables.empty()) return;
    out += word;
    for (const std::uint32_t variable : variables) out += ' ' + test_.variables[variable].name;
    out += ";\n";
  };
  // What is in an atom is not coherent anyway.
  std::vector<std::uint32_t> noncoherent = host.noncoherent;
  for (const std::vector<std::uint32_t>& atom : host.atoms)
    for (const std::uint32_t variable : atom) std::erase(noncoherent, variable);
  add("noncoherent", noncoherent);
  add("uniform", host.uniform);
  add("exclusive", host.exclusive);
  for (const std::vector<std::uint32_t>& atom : host.atoms) add("atom", atom);
  return out;
}

std::string TestWords::with_comments(std::size_t thread, std::size_t index, const std::string& text) const {
  std::string out;
  for (const std::string& comment : comments_.in_front(thread, index)) out += comment + ' ';
  out += text;
  for (const std::string& comment : comments_.behind(thread, index)) out += ' ' + comment;
  return out;
}

std::string TestWords::declarations() const {
  std::string out = "{\n";
  std::vector<const Variable*> of_location(test_.locations);
  for (const Variable& variable : test_.variables) {
    const Variable*& first = of_location[variable.location];
    if (first != nullptr) {
      out += fmt::format("{} aliases {};\n", variable.name, first->name);
    } else if (variable.declared) {
      out += fmt::format("{} = {};\n", variable.name, variable.initial);
    }
    if (first == nullptr) first = &variable;
  }
  if (test_.host) out += host_declarations(*test_.host);
  for (const Thread& thread : test_.threads)
    for (const Register& one : thread.registers)
      if (one.initial != 0) out += fmt::format("{}:{} = {};\n", thread.name(), one.name, one.initial);
  for (const std::string& comment : comments_.of_declarations()) out += comment + '\n';
  return out + "}\n";
}

std::string TestWords::pairs() const {
  std::string out;
  const auto add = [&](std::string_view word, const ThreadPairs& pairs) {
    for (const auto& [first, second] : pairs)
      out += fmt::format("{} {} {};\n", word, test_.threads[first].name(), test_.threads[second].name());
  };
  add("ssw", test_.system_synchronization);
  add("interlock", test_.interlock_order);
  add("feeds", test_.shader_inputs);
  return out.empty() ? out : "{\n" + out + "}\n";
}

std::string TestWords::place(const Thread& thread) const {
  if (spelling_ == Spelling::Tags || thread.kind != ThreadKind::Shader)
    return thread.name() + '@' + spell_place(thread);
  std::string place = spell_place(thread);
  for (const auto& [tag, word] : {std::pair("sg ", "subgroup "), {"wg ", "workgroup "}, {"qf ", "queueFamily "}})
    place.replace(place.find(tag), 3, word);
  return thread.name() + '@' + place;
}

std::string TestWords::stacked() const {
  std::string out;
  const auto add = [&](std::size_t thread, std::size_t index, const std::string& indent, const std::string& text) {
    for (const std::string& comment : comments_.in_front(thread, index)) out += indent + comment + '\n';
    out += indent + text;
    for (const std::string& comment : comments_.behind(thread, index)) out += ' ' + comment;
    out += '\n';
  };
  for (std::size_t t = 0; t < test_.threads.size(); ++t) {
    const Thread& thread = test_.threads[t];
    add(t, PlacedComments::kHead, "", place(thread) + " {");
    for (std::size_t i = 0; i < thread.code.size(); ++i) {
      const bool label = thread.code[i].kind == InstructionKind::Label;
      add(t, i, label ? "" : "  ", instruction(thread, i) + (label ? "" : ";"));
    }
    out += "}\n";
  }
  return out;
}

/// A thread's place and its instructions, from top to bottom.
std::vector<std::string> TestWords::column(std::size_t number) const {
  const Thread& thread = test_.threads[number];
  std::vector<std::string> cells{with_comments(number, PlacedComments::kHead, place(thread))};
  if (thread.kind != ThreadKind::Shader) {
    cells.insert(cells.end(), thread.cells.begin(), thread.cells.end());
    return cells;
  }
  std::string labels;
  for (std::size_t i = 0; i < thread.code.size(); ++i) {
    const std::string text = with_comments(number, i, instruction(thread, i));
    if (thread.code[i].kind == InstructionKind::Label) {
      labels += text + ' ';
    } else {
      cells.push_back(std::exchange(labels, "") + text);
    }
  }
  if (!labels.empty()) cells.push_back(labels.substr(0, labels.size() - 1));
  return cells;
}

std::string TestWords::table() const {
  // Blanks that make columns straight must not become most of the text.
  constexpr std::size_t kMostPadded = std::size_t{1} << 22;
  std::vector<std::vector<std::string>> columns;
  std::vector<std::size_t> widths;
  std::size_t rows = 0;
  std::size_t width = 0;
  for (std::size_t t = 0; t < test_.threads.size(); ++t) {
    columns.push_back(column(t));
    rows = std::max(rows, columns.back().size());
    std::size_t& widest = widths.emplace_back();
    for (const std::string& cell : columns.back()) widest = std::max(widest, cell.size());
    width += widest;
  }
  if (width * rows > kMostPadded) widths.assign(widths.size(), 0);
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < columns.size(); ++t) {
      const std::string_view cell = row < columns[t].size() ? std::string_view(columns[t][row]) : std::string_view();
      out += fmt::format("{} {:<{}} ", t == 0 ? "" : "|", cell, widths[t]);
    }
    out += ";\n";
  }
  return out;
}

}  // namespace

std::optional<std::string> spell_tags(const Instruction& instruction) {
  const KindTraits traits = instruction.traits();
  if (traits.mnemonic.empty()) return std::nullopt;
  TagWords out(std::string(instruction.cooperative ? "coop" : "") + std::string(traits.mnemonic));
  if (instruction.cooperative) out.tag(spelled(instruction.cooperative->scope));
  if (instruction.operation.is_access()) {
    spell_access(instruction.operation, out);
  } else {
    out.order(instruction.operation.semantics);
    out.tag(spelled(instruction.operation.scope));
    out.classes(instruction.operation.semantics);
  }
  if (traits.accesses() && instruction.arithmetic) out.tag(word_for(*instruction.arithmetic, kArithmeticWords));
  return out.text();
}

std::optional<std::string> spell(const Test& test, const Thread& thread, const Instruction& instruction,
                                 Spelling spelling) {
  const OperandWords operands(test, thread, instruction);
  return spelling == Spelling::Calls ? as_call(operands, instruction) : as_tags(operands, instruction);
}

std::string with_tags(const Instruction& instruction) {
  const TagSetId tags = instruction.operation.tags;
  return tags == TagSetId::Empty ? "" : " # " + model::text(model::tags_of(tags));
}

Spelling spelling_of(const Test& test) {
  for (const Thread& thread : test.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.is_call) return Spelling::Calls;
  return test.stacked ? Spelling::Calls : Spelling::Tags;
}

bool fits(const Test& test, Spelling spelling) {
  if (spelling == Spelling::Calls) return true;
  constexpr std::size_t kMostCells = std::size_t{1} << 20;
  std::size_t rows = 1;
  for (const Thread& thread : test.threads) rows = std::max(rows, thread.code.size() + 1);
  return rows * test.threads.size() <= kMostCells;
}

std::string why_not_spelled(const Test& test, Spelling spelling) {
  if (!fits(test, spelling)) return "a table of this test would have more than a million cells: it stays as calls";
  if (test.host && spelling == Spelling::Calls)
    return "columns of the host and of batches are spelled with tags alone: it stays as tags";
  return "";
}

std::string spell(const Test& test, Spelling spelling) {
  return TestWords(test, spelling).text();
}

}  // namespace heddle::litmus
