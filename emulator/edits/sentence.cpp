#include <heddle/edit.h>

#include <fmt/format.h>

#include "emulator/edits/words.h"

namespace heddle {
namespace {

using edits::text_of;

std::string instruction(const Edit& edit) {
  std::string text = fmt::format("the {} in line {}", edits::name_of(edit.of), edit.line);
  if (edit.ordinal != 0) text += fmt::format(" (number {})", edit.ordinal);
  return text;
}

std::string beside(const Edit& edit) {
  return (edit.behind ? "behind " : "before ") + instruction(edit);
}

// Classes and flags without an order that is none.
std::string bits_of(MemorySemantics semantics) {
  constexpr std::string_view kNoOrder = "Relaxed | ";
  const std::string text = text_of(semantics, false);
  return text.rfind(kNoOrder, 0) == 0 ? text.substr(kNoOrder.size()) : text;
}

std::string named(MemorySemantics semantics) {
  const std::string_view name = edits::name_of_constant(semantics);
  return name.empty() ? text_of(semantics) : std::string(name);
}

}  // namespace

std::string sentence_of(const Edit& edit) {
  switch (edit.kind) {
    case EditKind::GiveSemantics:
      return fmt::format("give {} the semantics {}", instruction(edit), text_of(edit.semantics));
    case EditKind::AddSemantics:
      return fmt::format("add {} to {}", bits_of(edit.semantics), instruction(edit));
    case EditKind::DropSemantics:
      return fmt::format("drop {} from {}", bits_of(edit.semantics), instruction(edit));
    case EditKind::SetScope:
      return fmt::format("make the memory scope of {} {}", instruction(edit), name_of(edit.scope));
    case EditKind::SetExecutionScope:
      return fmt::format("make the execution scope of {} {}", instruction(edit), name_of(edit.execution_scope));
    case EditKind::AddOperands:
      if (edit.operands == MemoryOperands::NonPrivatePointer)
        return fmt::format("make {} non-private (.non_private(), NonPrivatePointer)", instruction(edit));
      return fmt::format("add {} ({}) to {}", text_of(edit.operands), name_of(edit.scope), instruction(edit));
    case EditKind::DropOperands:
      return fmt::format("drop {} from {}", text_of(edit.operands), instruction(edit));
    case EditKind::MakeAtomic:
      return fmt::format("make {} atomic ({}, {})", instruction(edit), name_of(edit.scope), text_of(edit.semantics));
    case EditKind::PutMemoryBarrier:
      return fmt::format("put a memory barrier, (Scope::{}, {}), {}", name_of(edit.scope), named(edit.semantics),
                         beside(edit));
    case EditKind::PutControlBarrier:
      return fmt::format("put a control barrier, (Scope::{}, Scope::{}, {}), {}", name_of(edit.execution_scope),
                         name_of(edit.scope), named(edit.semantics), beside(edit));
    case EditKind::TakeOut:
      return fmt::format("take out {}", instruction(edit));
    case EditKind::PutDependency:
      return edit.orders_memory
                 ? fmt::format(
                       "put a memory dependency, commands.memory_barrier(), between dispatch {} and dispatch {}",
                       edit.dispatch - 1, edit.dispatch)
                 : fmt::format(
                       "put an execution dependency, commands.execution_barrier(), between dispatch {} and dispatch {}",
                       edit.dispatch - 1, edit.dispatch);
  }
  return "";
}

}  // namespace heddle
