#include "emulator/edits/words.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <array>
#include <utility>

namespace heddle::edits {
namespace {

template <typename Value>
using Word = std::pair<Value, std::string_view>;

constexpr std::array kSemantics = {
    Word<MemorySemantics>(MemorySemantics::UniformMemory, "UniformMemory"),
    Word<MemorySemantics>(MemorySemantics::SubgroupMemory, "SubgroupMemory"),
    Word<MemorySemantics>(MemorySemantics::WorkgroupMemory, "WorkgroupMemory"),
    Word<MemorySemantics>(MemorySemantics::CrossWorkgroupMemory, "CrossWorkgroupMemory"),
    Word<MemorySemantics>(MemorySemantics::AtomicCounterMemory, "AtomicCounterMemory"),
    Word<MemorySemantics>(MemorySemantics::ImageMemory, "ImageMemory"),
    Word<MemorySemantics>(MemorySemantics::OutputMemory, "OutputMemory"),
    Word<MemorySemantics>(MemorySemantics::MakeAvailable, "MakeAvailable"),
    Word<MemorySemantics>(MemorySemantics::MakeVisible, "MakeVisible"),
    Word<MemorySemantics>(MemorySemantics::Volatile, "Volatile"),
};

constexpr std::array kOrders = {
    Word<MemorySemantics>(MemorySemantics::AcquireRelease, "AcquireRelease"),
    Word<MemorySemantics>(MemorySemantics::Acquire, "Acquire"),
    Word<MemorySemantics>(MemorySemantics::Release, "Release"),
    Word<MemorySemantics>(MemorySemantics::Relaxed, "Relaxed"),
};

constexpr std::array kConstants = {
    Word<MemorySemantics>(kWorkgroupBarrier, "kWorkgroupBarrier"),
    Word<MemorySemantics>(kBufferBarrier, "kBufferBarrier"),
    Word<MemorySemantics>(kReleaseBuffers, "kReleaseBuffers"),
    Word<MemorySemantics>(kAcquireBuffers, "kAcquireBuffers"),
};

constexpr std::array kOperandWords = {
    Word<MemoryOperands>(MemoryOperands::Volatile, "Volatile"),
    Word<MemoryOperands>(MemoryOperands::Nontemporal, "Nontemporal"),
    Word<MemoryOperands>(MemoryOperands::MakePointerAvailable, "MakePointerAvailable"),
    Word<MemoryOperands>(MemoryOperands::MakePointerVisible, "MakePointerVisible"),
    Word<MemoryOperands>(MemoryOperands::NonPrivatePointer, "NonPrivatePointer"),
    Word<MemoryOperands>(MemoryOperands::None, "None"),
};

constexpr std::array kScopes = {Scope::Device, Scope::QueueFamily, Scope::Workgroup, Scope::Subgroup,
                                Scope::Invocation};

struct KindWords {
  EditedKind kind;
  std::string_view word;
  std::string_view name;
};
constexpr std::array kKinds = {
    KindWords{EditedKind::First, "first", "first instruction"},
    KindWords{EditedKind::Read, "read", "read"},
    KindWords{EditedKind::Write, "write", "write"},
    KindWords{EditedKind::AtomicRead, "atomic-read", "atomic read"},
    KindWords{EditedKind::AtomicWrite, "atomic-write", "atomic write"},
    KindWords{EditedKind::AtomicUpdate, "atomic-update", "atomic read-modify-write"},
    KindWords{EditedKind::MemoryBarrier, "memory-barrier", "memory barrier"},
    KindWords{EditedKind::ControlBarrier, "control-barrier", "control barrier"},
    KindWords{EditedKind::Call, "call", "call"},
};

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Adds up the values of names with '|' between them.
template <typename Value, typename Find>
std::optional<Value> sum_of(std::string_view text, const Find& find) {
  Value sum{};
  while (true) {
    const std::size_t bar = text.find('|');
    const std::optional<Value> value = find(without_spaces(text.substr(0, bar)));
    if (!value) return std::nullopt;
    sum = sum | *value;
    if (bar == text.npos) return sum;
    text.remove_prefix(bar + 1);
  }
}

template <typename Value, std::size_t n>
std::optional<Value> find_in(const std::array<Word<Value>, n>& words, std::string_view name) {
  for (const auto& [value, word] : words)
    if (word == name) return value;
  return std::nullopt;
}

std::string_view order_of(MemorySemantics semantics) {
  if (acquires(semantics) && releases(semantics)) return "AcquireRelease";
  if (acquires(semantics)) return "Acquire";
  return releases(semantics) ? "Release" : "Relaxed";
}

}  // namespace

std::string_view name_of_constant(MemorySemantics semantics) {
  for (const auto& [value, word] : kConstants)
    if (value == semantics) return word;
  return "";
}

std::string text_of(MemorySemantics semantics, bool with_name) {
  std::string text(order_of(semantics));
  for (const auto& [bit, word] : kSemantics)
    if (has(semantics, bit)) text.append(" | ").append(word);
  const std::string_view name = with_name ? name_of_constant(semantics) : "";
  if (!name.empty()) text.append(" (").append(name).append(")");
  return text;
}

std::optional<MemorySemantics> semantics_from(std::string_view text) {
  return sum_of<MemorySemantics>(text, [](std::string_view name) -> std::optional<MemorySemantics> {
    if (const auto order = find_in(kOrders, name)) return order;
    if (const auto constant = find_in(kConstants, name)) return constant;
    return find_in(kSemantics, name);
  });
}

std::string text_of(MemoryOperands operands) {
  std::string text;
  for (const auto& [bit, word] : kOperandWords)
    if (bit != MemoryOperands::None && (operands & bit) != MemoryOperands::None)
      text.append(text.empty() ? "" : " | ").append(word);
  return text.empty() ? "None" : text;
}

std::optional<MemoryOperands> operands_from(std::string_view text) {
  return sum_of<MemoryOperands>(text, [](std::string_view name) { return find_in(kOperandWords, name); });
}

std::optional<Scope> scope_from(std::string_view text) {
  for (const Scope scope : kScopes)
    if (heddle::name_of(scope) == text) return scope;
  return std::nullopt;
}

std::string_view word_of(EditedKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].word;
}

std::string_view name_of(EditedKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}

std::optional<EditedKind> kind_from(std::string_view word) {
  for (const KindWords& words : kKinds)
    if (words.word == word) return words.kind;
  return std::nullopt;
}

EditedKind kind_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::Read:
      return operation.atomic ? EditedKind::AtomicRead : EditedKind::Read;
    case OperationKind::Write:
      return operation.atomic ? EditedKind::AtomicWrite : EditedKind::Write;
    case OperationKind::ReadModifyWrite:
      return EditedKind::AtomicUpdate;
    case OperationKind::MemoryBarrier:
      return EditedKind::MemoryBarrier;
    default:
      return EditedKind::ControlBarrier;
  }
}

}  // namespace heddle::edits
