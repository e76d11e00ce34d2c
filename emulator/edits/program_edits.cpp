#include "emulator/edits/program_edits.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <bit>

#include "emulator/edits/words.h"
#include "emulator/model/tags.h"

namespace heddle::edits {
namespace {

// The acquiring side: what an update that writes nothing may have.
MemorySemantics acquiring_part(MemorySemantics semantics) {
  if (!acquires(semantics)) return MemorySemantics::Relaxed;
  return MemorySemantics::Acquire | storage_classes(semantics) |
         (semantics & (MemorySemantics::MakeVisible | MemorySemantics::Volatile));
}

bool may_be_atomic(const Operation& operation) {
  return operation.is_access() && !operation.atomic && std::has_single_bit(operation.locations.size_bytes) &&
         operation.locations.size_bytes <= 8;
}

// Semantics without an order have no classes and make nothing available or visible.
MemorySemantics whole(MemorySemantics semantics) {
  if (!acquires(semantics) && !releases(semantics)) return semantics & MemorySemantics::Volatile;
  if (!releases(semantics)) semantics = semantics & ~MemorySemantics::MakeAvailable;
  return acquires(semantics) ? semantics : semantics & ~MemorySemantics::MakeVisible;
}

void set_scope(Operation& operation, Scope scope) {
  if (operation.atomic || operation.is_barrier()) {
    operation.scope = scope;
  } else if (operation.kind == OperationKind::Read) {
    operation.visible_scope = scope;
  } else {
    operation.available_scope = scope;
  }
}

void add_operands(Operation& operation, const Edit& edit) {
  operation.operands = operation.operands | edit.operands;
  if ((edit.operands & MemoryOperands::MakePointerAvailable) != MemoryOperands::None)
    operation.available_scope = edit.scope;
  if ((edit.operands & MemoryOperands::MakePointerVisible) != MemoryOperands::None)
    operation.visible_scope = edit.scope;
}

void make_atomic(Operation& operation, const Edit& edit) {
  if (!may_be_atomic(operation)) return;
  operation.atomic = true;
  operation.operands = MemoryOperands::None;
  operation.scope = edit.scope;
  operation.semantics = edit.semantics;
}

void join(Operation& operation, const Edit& edit) {
  if (!may_be_atomic(operation)) return;
  make_atomic(operation, edit);
  operation.kind = OperationKind::ReadModifyWrite;
}

void change_one(Operation& operation, MemorySemantics& unequal, const Edit& edit) {
  const bool is_access = operation.is_access() && !operation.atomic;
  switch (edit.kind) {
    case EditKind::GiveSemantics:
      operation.semantics = edit.semantics;
      unequal = unequal & acquiring_part(edit.semantics);
      return;
    case EditKind::AddSemantics:
      operation.semantics = operation.semantics | edit.semantics;
      return;
    case EditKind::DropSemantics:
      operation.semantics = whole(operation.semantics & ~edit.semantics);
      unequal = whole(unequal & ~edit.semantics);
      return;
    case EditKind::SetScope:
      return set_scope(operation, edit.scope);
    case EditKind::SetExecutionScope:
      operation.execution_scope = edit.execution_scope;
      return;
    case EditKind::AddOperands:
      if (is_access) add_operands(operation, edit);
      return;
    case EditKind::DropOperands:
      if (is_access) operation.operands = operation.operands & ~edit.operands;
      return;
    case EditKind::MakeAtomic:
      return make_atomic(operation, edit);
    case EditKind::JoinUpdate:
      return join(operation, edit);
    case EditKind::SetTags:
      operation.tags = model::intern(model::TagSet::parse(edit.text).value_or(model::TagSet()));
      return;
    default:
      return;
  }
}

}  // namespace

void make(const Edit& edit, Operation& operation) {
  MemorySemantics unequal = operation.semantics;
  change_one(operation, unequal, edit);
}

std::vector<Edit> EditList::unmet() const {
  std::vector<Edit> all;
  for (std::size_t i = 0; i < edits_.size(); ++i)
    if (!met_[i].load(std::memory_order_relaxed)) all.push_back(edits_[i]);
  return all;
}

bool EditsOfOperation::take_out() const {
  return std::any_of(at.begin(), at.end(), [](const Edit* edit) { return edit->kind == EditKind::TakeOut; });
}

void EditsOfOperation::change(Operation& operation, MemorySemantics& unequal) const {
  for (const Edit* edit : at) change_one(operation, unequal, *edit);
}

ProgramEdits::ProgramEdits(EditList& list) : list_(list) {
  for (std::size_t i = 0; i < list.edits().size(); ++i) {
    const Edit& edit = list.edits()[i];
    if (edit.kind == EditKind::PutDependency) continue;
    if (edit.kind == EditKind::PutRoundBarrier) {
      rounds_.push_back({i, {}});
      continue;
    }
    by_line_[edit.line].push_back(i);
    has_first_ = has_first_ || edit.of == EditedKind::First;
  }
}

bool ProgramEdits::is_file_of(const Edit& edit, const char* file) {
  const std::string_view path = file;
  if (path == edit.file) return true;
  return path.size() > edit.file.size() && path.ends_with(edit.file) && path[path.size() - edit.file.size() - 1] == '/';
}

// A line may begin with several like accesses, of one statement: that the line begins anew is seen by what it does
// otherwise in between, or by its first access itself.
bool ProgramEdits::comes_to_line(const Operation& operation, const std::string& name) {
  Visit& last = visits_[static_cast<std::uint32_t>(operation.agent)];
  const bool is_there = last.line == operation.where.line && std::string_view(last.file) == operation.where.file;
  const bool is_like_first = last.first == name;
  const bool begins_anew = is_like_first && (last.did_other || last.locations == operation.locations);
  if (is_there && !begins_anew) {
    last.did_other = last.did_other || !is_like_first;
    return false;
  }
  last = {operation.where.line, operation.where.file, name, operation.locations, false};
  return true;
}

bool ProgramEdits::meets(std::size_t number, const Operation& operation, const std::string& name, bool comes_to_line) {
  const Edit& edit = list_.edits()[number];
  if (!is_file_of(edit, operation.where.file)) return false;
  if (edit.column != 0 && operation.where.column != 0 && edit.column != operation.where.column) return false;
  if (edit.of == EditedKind::First) return comes_to_line;
  if (edit.of != kind_of(operation)) return false;
  if ((edit.kind == EditKind::MakeAtomic || edit.kind == EditKind::JoinUpdate) && !may_be_atomic(operation))
    return false;
  if (edit.ordinal == 0) return true;
  std::vector<std::string>& known = instructions_[number];
  auto at = std::find(known.begin(), known.end(), name);
  if (at == known.end()) at = known.insert(at, name);
  return edit.ordinal == static_cast<std::uint32_t>(at - known.begin()) + 1;
}

// An invocation in a line up to the instruction is on the way to it again, in another round. If the other line stands
// first, the invocation is so only behind that line.
bool ProgramEdits::is_on_the_way(const Edit& edit, std::uint32_t line) {
  return line <= edit.line && (edit.until_line > edit.line || line > edit.until_line);
}

// A line of several steps, or one that polls, is over when its invocation leaves it.
void ProgramEdits::go_round(Rounds& rounds, const Operation& operation, EditsOfOperation& found) {
  const Edit& edit = list_.edits()[rounds.number];
  if (!is_file_of(edit, operation.where.file)) return;
  const std::uint32_t line = operation.where.line;
  const bool begins_behind = edit.until_line != 0 && edit.until_line <= edit.line;
  Round& round = rounds.of_agents.try_emplace(static_cast<std::uint32_t>(operation.agent), Round{false, begins_behind})
                     .first->second;
  const bool leaves = round.is_open && line != edit.line;
  const bool comes_to_end = line == edit.until_line && line != edit.line && !round.has_waited;
  if (leaves || comes_to_end) {
    found.before.push_back(&edit);
    round = {false, true};
  }
  if (is_on_the_way(edit, line)) round.has_waited = false;
  if (line != edit.line || edit.of != kind_of(operation)) return;
  list_.meet(rounds.number);
  // A round of one line ends behind what it writes.
  const bool at_once = edit.until_line == 0 && operation.writes();
  round = {!at_once, at_once};
  if (at_once) found.behind.push_back(&edit);
}

EditsOfOperation ProgramEdits::of(const Operation& operation, std::string_view object) {
  EditsOfOperation found;
  for (Rounds& rounds : rounds_) go_round(rounds, operation, found);
  const auto in_line = by_line_.find(operation.where.line);
  if (in_line == by_line_.end()) {
    if (has_first_) visits_.erase(static_cast<std::uint32_t>(operation.agent));
    return found;
  }
  const std::string name = std::string(word_of(kind_of(operation))).append(" ").append(object);
  const bool comes = has_first_ && comes_to_line(operation, name);
  for (const std::size_t number : in_line->second) {
    if (!meets(number, operation, name, comes)) continue;
    list_.meet(number);
    const Edit& edit = list_.edits()[number];
    const bool puts_in = edit.kind == EditKind::PutMemoryBarrier || edit.kind == EditKind::PutControlBarrier;
    (!puts_in ? found.at : edit.behind ? found.behind : found.before).push_back(&edit);
  }
  return found;
}

std::vector<const Edit*> ProgramEdits::before_dispatch(std::uint64_t dispatch) {
  visits_.clear();
  for (Rounds& rounds : rounds_) rounds.of_agents.clear();
  std::vector<const Edit*> found;
  for (std::size_t i = 0; i < list_.edits().size(); ++i) {
    const Edit& edit = list_.edits()[i];
    if (edit.kind != EditKind::PutDependency || edit.dispatch != dispatch) continue;
    list_.meet(i);
    found.push_back(&edit);
  }
  return found;
}

}  // namespace heddle::edits
