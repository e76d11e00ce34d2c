#include "emulator/edits/sentence.h"

#include <fmt/format.h>
#include <heddle/edit.h>
#include <heddle/semantics.h>

#include "emulator/edits/words.h"

namespace heddle {
namespace edits {
namespace {

// Classes and flags without an order that is none.
std::string bits_of(MemorySemantics semantics) {
  constexpr std::string_view kNoOrder = "Relaxed | ";
  const std::string text = text_of(semantics, false);
  return text.rfind(kNoOrder, 0) == 0 ? text.substr(kNoOrder.size()) : text;
}

class Sentence {
 public:
  Sentence(const Edit& edit, const Setting& setting) : edit_(edit), setting_(setting) {}

  std::string text() const;

 private:
  std::string place() const {
    if (setting_.place) return setting_.place(edit_);
    std::string text = fmt::format("line {}", edit_.line);
    if (edit_.ordinal != 0) text += fmt::format(" (number {})", edit_.ordinal);
    return text;
  }
  std::string instruction() const { return fmt::format("the {} in {}", name_of(edit_.of), place()); }
  std::string beside() const { return (edit_.behind ? "behind " : "before ") + instruction(); }
  std::string semantics() const { return text_of(edit_.semantics, setting_.have_names); }
  // Its name alone, if it has one.
  std::string named() const {
    const std::string_view name = name_of_constant(edit_.semantics);
    return name.empty() || !setting_.have_names ? text_of(edit_.semantics, false) : std::string(name);
  }
  std::string scope() const;
  std::string operands() const;
  std::string tags() const;
  std::string dependency() const;
  std::string update() const;
  std::string round_barrier() const;

  const Edit& edit_;
  const Setting& setting_;
};

std::string Sentence::scope() const {
  const Operation* const before = setting_.before;
  if (before == nullptr || !(before->atomic || before->is_barrier()) || before->scope == edit_.scope)
    return fmt::format("make the memory scope of {} {}", instruction(), name_of(edit_.scope));
  return fmt::format("{} the memory scope of {} from {} to {}",
                     includes(edit_.scope, before->scope) ? "widen" : "narrow", instruction(), name_of(before->scope),
                     name_of(edit_.scope));
}

std::string Sentence::operands() const {
  if (edit_.operands == MemoryOperands::NonPrivatePointer)
    return fmt::format("make {} non-private (.non_private(), NonPrivatePointer)", instruction());
  return fmt::format("add {} ({}) to {}", text_of(edit_.operands), name_of(edit_.scope), instruction());
}

std::string Sentence::tags() const {
  if (edit_.text.empty()) return fmt::format("take the tags from {}", instruction());
  return fmt::format("give {} the tags {}", instruction(), edit_.text);
}

std::string Sentence::dependency() const {
  return fmt::format("put {} between dispatch {} and dispatch {}",
                     edit_.orders_memory ? "a memory dependency, commands.memory_barrier(),"
                                         : "an execution dependency, commands.execution_barrier(),",
                     edit_.dispatch - 1, edit_.dispatch);
}

std::string Sentence::update() const {
  return fmt::format("make {} that of one atomic read-modify-write ({}, {}), with the {}", instruction(),
                     name_of(edit_.scope), semantics(),
                     edit_.of == EditedKind::Read ? "write that follows it" : "read that comes before it");
}

std::string Sentence::round_barrier() const {
  std::string where = fmt::format("between one execution of {} and the next", place());
  if (edit_.until_line != 0 && edit_.until_line != edit_.line)
    where = fmt::format("between {} and {}line {}", place(),
                        edit_.until_line < edit_.line ? "the next execution of " : "", edit_.until_line);
  return fmt::format("put a control barrier, (Scope::Workgroup, Scope::{}, {}), {}", name_of(edit_.scope), named(),
                     where);
}

std::string Sentence::text() const {
  switch (edit_.kind) {
    case EditKind::GiveSemantics:
      return fmt::format("give {} the semantics {}", instruction(), semantics());
    case EditKind::AddSemantics:
      return fmt::format("add {} to {}", bits_of(edit_.semantics), instruction());
    case EditKind::DropSemantics:
      return fmt::format("drop {} from {}", bits_of(edit_.semantics), instruction());
    case EditKind::SetScope:
      return scope();
    case EditKind::SetExecutionScope:
      return fmt::format("make the execution scope of {} {}", instruction(), name_of(edit_.execution_scope));
    case EditKind::AddOperands:
      return operands();
    case EditKind::DropOperands:
      return fmt::format("drop {} from {}", text_of(edit_.operands), instruction());
    case EditKind::MakeAtomic:
      return fmt::format("make {} atomic ({}, {})", instruction(), name_of(edit_.scope), semantics());
    case EditKind::JoinUpdate:
      return update();
    case EditKind::PutRoundBarrier:
      return round_barrier();
    case EditKind::PutMemoryBarrier:
      return fmt::format("put a memory barrier, (Scope::{}, {}), {}", name_of(edit_.scope), named(), beside());
    case EditKind::PutControlBarrier:
      return fmt::format("put a control barrier, (Scope::{}, Scope::{}, {}), {}", name_of(edit_.execution_scope),
                         name_of(edit_.scope), named(), beside());
    case EditKind::TakeOut:
      return fmt::format("take out {}", edit_.of == EditedKind::Call ? place() : instruction());
    case EditKind::PutDependency:
      return dependency();
    case EditKind::SetTags:
      return tags();
    case EditKind::SetCall:
      return fmt::format("make {} `{}`", place(), edit_.text);
    case EditKind::PutCall:
      return fmt::format("put `{}` {} {}", edit_.text, edit_.behind ? "behind" : "in front of", place());
  }
  return "";
}

}  // namespace

std::string sentence_of(const Edit& edit, const Setting& setting) {
  return Sentence(edit, setting).text();
}

}  // namespace edits

std::string sentence_of(const Edit& edit) {
  return edits::sentence_of(edit, {});
}

}  // namespace heddle
