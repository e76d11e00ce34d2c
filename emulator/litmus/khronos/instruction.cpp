#include "emulator/litmus/khronos/instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus::khronos {
namespace {

constexpr std::string_view kKnown[] = {"st",     "ld",     "atom",    "rmw",     "membar",   "cbar",     "acq",
                                       "rel",    "sc0",    "sc1",     "sc2",     "sc3",      "semsc0",   "semsc1",
                                       "semsc2", "semsc3", "scopesg", "scopewg", "scopeqf",  "scopedev", "semav",
                                       "semvis", "av",     "vis",     "nonpriv", "avdevice", "visdevice"};

/// A set of tokens, and the questions that make an operation of it.
class TokenSet {
 public:
  explicit TokenSet(const Token& word);

  Operation operation();

 private:
  bool has(std::string_view token) const { return tokens_.count(token) != 0; }
  [[noreturn]] void fail(std::string_view message) const {
    throw ParseError(word_.place, fmt::format("{} in {}", message, shown(word_)));
  }
  OperationKind kind() const;
  Scope scope() const;
  StorageClass storage_class() const;
  MemorySemantics semantics() const;
  void fill_plain_access(Operation& out) const;
  void check_order(const Operation& operation) const;

  const Token& word_;
  std::set<std::string_view> tokens_;
};

TokenSet::TokenSet(const Token& word) : word_(word) {
  std::size_t begin = 0;
  while (begin <= word.text.size()) {
    const std::size_t end = std::min(word.text.find('.', begin), word.text.size());
    const std::string_view token = word.text.substr(begin, end - begin);
    if (std::find(std::begin(kKnown), std::end(kKnown), token) == std::end(kKnown)) {
      Place place = word.place;
      place.column += static_cast<std::uint32_t>(begin);
      throw ParseError(place, fmt::format("expected an instruction token, found {}", shown(token)));
    }
    tokens_.insert(token);
    begin = end + 1;
  }
}

OperationKind TokenSet::kind() const {
  const bool read = has("ld") || has("rmw");
  const bool write = has("st") || has("rmw");
  const int kinds = (read || write ? 1 : 0) + (has("membar") ? 1 : 0) + (has("cbar") ? 1 : 0) +
                    (has("avdevice") ? 1 : 0) + (has("visdevice") ? 1 : 0);
  if (kinds != 1) {
    fail(kinds == 0 ? "expected ld, st, rmw, membar, cbar, avdevice or visdevice"
                    : "more than one kind of instruction");
  }
  if (has("membar")) return OperationKind::MemoryBarrier;
  if (has("cbar")) return OperationKind::ControlBarrier;
  if (has("avdevice")) return OperationKind::DeviceAvailability;
  if (has("visdevice")) return OperationKind::DeviceVisibility;
  if (read && write) return OperationKind::ReadModifyWrite;
  return read ? OperationKind::Read : OperationKind::Write;
}

Scope TokenSet::scope() const {
  const int scopes =
      (has("scopesg") ? 1 : 0) + (has("scopewg") ? 1 : 0) + (has("scopeqf") ? 1 : 0) + (has("scopedev") ? 1 : 0);
  if (scopes != 1) fail("expected one scope (scopesg, scopewg, scopeqf, scopedev)");
  if (has("scopesg")) return Scope::Subgroup;
  if (has("scopewg")) return Scope::Workgroup;
  if (has("scopeqf")) return Scope::QueueFamily;
  return Scope::Device;
}

StorageClass TokenSet::storage_class() const {
  const int classes = (has("sc0") ? 1 : 0) + (has("sc1") ? 1 : 0) + (has("sc2") ? 1 : 0) + (has("sc3") ? 1 : 0);
  if (classes != 1) fail("expected one storage class (sc0, sc1, sc2, sc3)");
  if (has("sc0")) return StorageClass::StorageBuffer;
  if (has("sc1")) return StorageClass::Workgroup;
  if (has("sc2")) return StorageClass::Image;
  return StorageClass::Output;
}

MemorySemantics TokenSet::semantics() const {
  MemorySemantics out = MemorySemantics::None;
  if (has("acq") && has("rel")) {
    out |= MemorySemantics::AcquireRelease;
  } else if (has("acq")) {
    out |= MemorySemantics::Acquire;
  } else if (has("rel")) {
    out |= MemorySemantics::Release;
  }
  if (has("semsc0")) out |= MemorySemantics::UniformMemory;
  if (has("semsc1")) out |= MemorySemantics::WorkgroupMemory;
  if (has("semsc2")) out |= MemorySemantics::ImageMemory;
  if (has("semsc3")) out |= MemorySemantics::OutputMemory;
  if (has("semav")) out |= MemorySemantics::MakeAvailable;
  if (has("semvis")) out |= MemorySemantics::MakeVisible;
  return out;
}

void TokenSet::check_order(const Operation& operation) const {
  if (acquires(operation.semantics) && operation.kind == OperationKind::Write) {
    fail("a store cannot acquire");
  }
  if (releases(operation.semantics) && operation.kind == OperationKind::Read) {
    fail("a load cannot release");
  }
  if (has("semav") && !releases(operation.semantics)) fail("'semav' needs a release");
  if (has("semvis") && !acquires(operation.semantics)) fail("'semvis' needs an acquire");
}

void TokenSet::fill_plain_access(Operation& out) const {
  if (has("acq") || has("rel")) fail("a non-atomic access cannot acquire or release");
  if (has("av") && !out.writes()) fail("a load has no availability operation");
  if (has("vis") && !out.reads()) fail("a store has no visibility operation");
  if (has("nonpriv") || has("av") || has("vis")) {
    out.operands |= MemoryOperands::NonPrivatePointer;
  }
  if (has("av")) {
    out.operands |= MemoryOperands::MakePointerAvailable;
    out.available_scope = scope();
  }
  if (has("vis")) {
    out.operands |= MemoryOperands::MakePointerVisible;
    out.visible_scope = scope();
  }
}

Operation TokenSet::operation() {
  Operation out;
  out.kind = kind();
  if (out.kind == OperationKind::DeviceAvailability || out.kind == OperationKind::DeviceVisibility) {
    if (tokens_.size() != 1) fail("no further token expected");
    return out;
  }
  // An rmw is atomic whether or not it says so.
  out.atomic = has("atom") || has("rmw");
  out.semantics = semantics();
  if (out.is_access()) {
    out.storage_class = storage_class();
    if (out.kind == OperationKind::ReadModifyWrite && !out.atomic) fail("an rmw must be atomic");
    if (!out.atomic) {
      out.semantics = MemorySemantics::None;
      fill_plain_access(out);
      return out;
    }
  } else if (out.atomic) {
    fail("a barrier cannot be atomic");
  }
  check_order(out);
  if (out.kind == OperationKind::MemoryBarrier && !acquires(out.semantics) && !releases(out.semantics)) {
    fail("expected a memory order (acq, rel)");
  }
  out.scope = scope();
  // The format names one scope of a control barrier. An execution scope of its own would keep threads apart that
  // name the same instance.
  if (out.kind == OperationKind::ControlBarrier) out.execution_scope = out.scope;
  return out;
}

}  // namespace

Operation khronos_operation(const Token& word) {
  return TokenSet(word).operation();
}

}  // namespace heddle::litmus::khronos
