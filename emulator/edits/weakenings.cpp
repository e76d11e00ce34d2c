#include "emulator/edits/weakenings.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <array>
#include <bit>

#include "emulator/edits/words.h"

namespace heddle::edits {
namespace {

constexpr std::array kFlags = {MemorySemantics::MakeAvailable, MemorySemantics::MakeVisible};
constexpr std::array kClasses = {MemorySemantics::UniformMemory, MemorySemantics::WorkgroupMemory,
                                 MemorySemantics::ImageMemory};
constexpr std::array kOperands = {MemoryOperands::MakePointerAvailable, MemoryOperands::MakePointerVisible};

class Weakenings {
 public:
  explicit Weakenings(const Operation& operation) : operation_(operation) {}

  std::vector<Edit> all() {
    if (operation_.is_barrier()) {
      add(EditKind::TakeOut);
    } else if (!operation_.atomic) {
      add_operands();
      return std::move(made_);
    }
    add_orders();
    add_scope();
    if (operation_.kind == OperationKind::ControlBarrier && operation_.execution_scope == Scope::Workgroup)
      add(EditKind::SetExecutionScope).execution_scope = Scope::Subgroup;
    return std::move(made_);
  }

 private:
  Edit& add(EditKind kind) {
    Edit& edit = made_.emplace_back();
    edit.kind = kind;
    edit.of = kind_of(operation_);
    edit.file = operation_.where.file;
    edit.line = operation_.where.line;
    edit.column = operation_.where.column;
    return edit;
  }

  void add_operands() {
    if (!operation_.is_non_private()) return;
    // What is made available or visible is so only of a non-private access.
    Edit& edit = add(EditKind::DropOperands);
    edit.operands = MemoryOperands::NonPrivatePointer;
    for (const MemoryOperands one : kOperands) {
      if ((operation_.operands & one) == MemoryOperands::None) continue;
      made_.front().operands = made_.front().operands | one;
      add(EditKind::DropOperands).operands = one;
    }
  }

  void add_orders() {
    const MemorySemantics semantics = operation_.semantics;
    if (!acquires(semantics) && !releases(semantics)) return;
    if (operation_.kind != OperationKind::MemoryBarrier)
      add(EditKind::GiveSemantics).semantics = MemorySemantics::Relaxed;
    if (acquires(semantics) && releases(semantics)) {
      const MemorySemantics classes = storage_classes(semantics);
      add(EditKind::GiveSemantics).semantics =
          MemorySemantics::Acquire | classes | (semantics & MemorySemantics::MakeVisible);
      add(EditKind::GiveSemantics).semantics =
          MemorySemantics::Release | classes | (semantics & MemorySemantics::MakeAvailable);
    }
    for (const MemorySemantics flag : kFlags)
      if (has(semantics, flag)) add(EditKind::DropSemantics).semantics = flag;
    if (std::has_single_bit(detail::bits(storage_classes(semantics)))) return;
    for (const MemorySemantics one : kClasses)
      if (has(semantics, one)) add(EditKind::DropSemantics).semantics = one;
  }

  void add_scope() {
    if (operation_.scope == Scope::Device || operation_.scope == Scope::QueueFamily)
      add(EditKind::SetScope).scope = Scope::Workgroup;
    if (operation_.scope == Scope::Workgroup) add(EditKind::SetScope).scope = Scope::Subgroup;
  }

  const Operation& operation_;
  std::vector<Edit> made_;
};

}  // namespace

std::vector<Edit> weakenings_of(const Operation& operation) {
  return Weakenings(operation).all();
}

void Survey::add(const Operation& operation) {
  for (const Edit& edit : weakenings_of(operation)) {
    const std::lock_guard lock(mutex_);
    edits_.emplace(edit.file, edit.line, to_text(edit));
  }
}

std::string Survey::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [file, line, edit] : edits_) text += edit + '\n';
  return text;
}

}  // namespace heddle::edits
