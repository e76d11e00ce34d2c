#include "emulator/advice/edits.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <utility>

#include "emulator/advice/narrow_barrier.h"
#include "emulator/advice/narrowest_scope.h"
#include "emulator/advice/operation_text.h"
#include "emulator/edits/sentence.h"
#include "emulator/model/tags.h"

namespace heddle::advice {

using model::Execution;
using model::OperationIndex;

MemorySemantics Edits::storage() const {
  return semantic_of(execution_.operations[x_].storage_class);
}

bool Edits::same_workgroup() const {
  return model::same_instance(execution_.place(x_), execution_.place(y_), Scope::Workgroup);
}

Scope Edits::scope() const {
  return same_workgroup() ? Scope::Workgroup : Scope::Device;
}

Scope Edits::narrowest() const {
  return narrowest_scope(execution_, x_, y_);
}

std::uint64_t Edits::dispatch_of(OperationIndex index) const {
  return dispatches_[static_cast<std::size_t>(execution_.operations[index].agent)];
}

std::string Edits::line_of(const Operation& op) const {
  return options_.place ? options_.place(op) : advice::line_of(op, execution_.operations[y_].where.file);
}

std::string Edits::sentence(const heddle::Edit& edit, const Operation& op) const {
  edits::Setting setting;
  setting.place = [&](const heddle::Edit&) { return line_of(op); };
  setting.before = &op;
  setting.have_names = options_.have_names;
  return edits::sentence_of(edit, setting);
}

Scope Edits::reach() const {
  return execution_.operations[x_].storage_class == StorageClass::Workgroup ? scope() : Scope::Device;
}

void Edits::make_non_private(std::vector<Edit>& edits) const {
  for (const OperationIndex i : {x_, y_}) {
    const Operation& op = execution_.operations[i];
    if (op.is_non_private()) continue;
    heddle::Edit of_program = program_edit(EditKind::AddOperands, op);
    of_program.operands = MemoryOperands::NonPrivatePointer;
    edits.push_back(edit(op, sentence(of_program, op), [](Operation& o) {
                      o.operands = o.operands | MemoryOperands::NonPrivatePointer;
                    }).made_by({of_program}));
  }
}

//= mmra:compatibility
void Edits::fit_tags(const std::vector<Operation>& all, std::vector<Edit>& edits) const {
  for (const Operation& op : all) {
    model::TagSet missing;
    for (OperationIndex i = 0; i < execution_.operations.size(); ++i) {
      const Operation& other = execution_.operations[i];
      if (other.agent != op.agent || (!orders(other) && i != x_ && i != y_)) continue;
      if (model::compatible(op.tags, other.tags)) continue;
      for (const model::Tag& tag : model::tags_of(other.tags).tags())
        if (!model::tags_of(op.tags).has(tag)) missing.add(tag);
    }
    if (missing.empty()) continue;
    model::TagSet fitting = model::tags_of(op.tags);
    for (const model::Tag& tag : missing.tags()) fitting.add(tag);
    heddle::Edit of_program = program_edit(EditKind::SetTags, op);
    of_program.text = model::text(fitting);
    edits.push_back(edit(op,
                         std::string("add the ") + (missing.tags().size() == 1 ? "tag " : "tags ") +
                             model::text(missing) + " to the " + kind_of(op) + " in " + line_of(op),
                         [tags = model::intern(fitting)](Operation& o) { o.tags = tags; })
                        .made_by({of_program}));
  }
}

void Edits::strengthen(const std::vector<Operation>& all, bool far, std::vector<Edit>& edits) const {
  for (const Operation& op : all) add_flags(op, edits);
  for (const Operation& op : all) widen_scopes(op, far, edits);
}

void Edits::add_flags(const Operation& op, std::vector<Edit>& edits) const {
  const MemorySemantics semantics = op.semantics;
  const auto add_flag = [&](MemorySemantics flag) {
    if (has(semantics, flag)) return;
    heddle::Edit of_program = program_edit(EditKind::AddSemantics, whole(op));
    of_program.semantics = flag;
    edits.push_back(edit(op, sentence(of_program, op), [flag](Operation& o) {
                      o.semantics = o.semantics | flag;
                    }).made_by({of_program}));
  };
  if (storage() != MemorySemantics::None) add_flag(storage());
  for (const MemorySemantics flag_class : classes_beside(op)) add_flag(flag_class);
  if (releases(semantics)) add_flag(MemorySemantics::MakeAvailable);
  if (acquires(semantics)) add_flag(MemorySemantics::MakeVisible);
}

void Edits::widen_scopes(const Operation& op, bool far, std::vector<Edit>& edits) const {
  if (is_too_narrow(op)) {
    edits.push_back(widen_to_workgroup(op));
  } else if (!far && op.kind == OperationKind::ControlBarrier && !includes(op.execution_scope, scope())) {
    return;
  } else if (!includes(op.scope, narrowest())) {
    edits.push_back(widen(op, narrowest()));
  }
}

bool Edits::is_too_narrow(const Operation& op) const {
  return advice::is_too_narrow(execution_, op, execution_.operations[x_].agent, execution_.operations[y_].agent);
}

Edit Edits::widen_to_workgroup(const Operation& op) const {
  const bool both = !includes(op.scope, Scope::Workgroup);
  return {"widen the execution scope" + std::string(both ? " and the memory scope" : "") + " of the " + kind_of(op) +
              " in " + line_of(op) + " from " + std::string(name_of(op.execution_scope)) + " to Workgroup",
          [op](Execution& execution) { advice::widen_to_workgroup(execution, op); },
          0,
          op.where.line,
          0,
          {},
          {wide_barrier(op)}};
}

std::vector<heddle::Edit> Edits::wide_barrier(const Operation& op) {
  heddle::Edit execution = program_edit(EditKind::SetExecutionScope, op);
  execution.execution_scope = Scope::Workgroup;
  if (includes(op.scope, Scope::Workgroup)) return {execution};
  return {execution, scope_edit(op, Scope::Workgroup)};
}

// A fence names the class of the atomic that it synchronizes through as well.
//= vk:memory-model-synchronizes-with
std::vector<MemorySemantics> Edits::classes_beside(const Operation& fence) const {
  std::vector<MemorySemantics> classes;
  if (fence.kind != OperationKind::MemoryBarrier) return classes;
  for (const MemorySemantics one :
       {MemorySemantics::UniformMemory, MemorySemantics::WorkgroupMemory, MemorySemantics::ImageMemory}) {
    const bool beside =
        std::any_of(execution_.operations.begin(), execution_.operations.end(), [&](const Operation& op) {
          return op.agent == fence.agent && op.is_access() && op.atomic && semantic_of(op.storage_class) == one;
        });
    if (beside && one != storage()) classes.push_back(one);
  }
  return classes;
}

Edit Edits::promote(const Operation& op) const {
  if (op.kind == OperationKind::Read) return promote(op, kAcquires);
  if (op.kind == OperationKind::Write) return promote(op, kReleases);
  Edit both = promote(op, MemorySemantics::AcquireRelease | MemorySemantics::MakeAvailable |
                              MemorySemantics::MakeVisible | (op.semantics & kStorageClassBits));
  if (op.is_access() && !orders(op)) both.weaker = {promote(op, kAcquires), promote(op, kReleases)};
  return both;
}

Edit Edits::promote(const Operation& op, MemorySemantics order) const {
  const MemorySemantics semantics = order | storage();
  const Scope wanted = includes(op.scope, narrowest()) ? op.scope : narrowest();
  std::string text =
      "give the " + kind_of(op) + " in " + line_of(op) + " the semantics " + text_of(semantics, options_.have_names);
  if (wanted != op.scope) text += " and the memory scope " + std::string(name_of(wanted));
  const bool too_narrow = is_too_narrow(op);
  if (too_narrow) text += " and the execution scope Workgroup";
  Edit made = edit(op, std::move(text), [semantics, wanted](Operation& o) {
    o.semantics = semantics;
    o.scope = wanted;
  });
  heddle::Edit given = program_edit(EditKind::GiveSemantics, whole(op));
  given.semantics = semantics;
  std::vector<heddle::Edit> of_program{given};
  if (wanted != op.scope) of_program.push_back(scope_edit(whole(op), wanted));
  if (too_narrow)
    for (heddle::Edit& wider : wide_barrier(op)) of_program.push_back(std::move(wider));
  made.program = {std::move(of_program)};
  if (too_narrow)
    made.apply = [op, promoted = std::move(made.apply)](Execution& execution) {
      promoted(execution);
      advice::widen_to_workgroup(execution, op);
    };
  return made;
}

std::string Edits::barrier_name() const {
  const MemorySemantics semantics = barrier_semantics();
  if (semantics == kWorkgroupBarrier) return "kWorkgroupBarrier";
  return semantics == kBufferBarrier ? "kBufferBarrier" : text_of(semantics);
}

MemorySemantics Edits::barrier_semantics() const {
  return MemorySemantics::AcquireRelease | storage() | MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
}

std::function<void(Execution&)> Edits::meet() const {
  const auto barrier_of = [&](OperationIndex i) {
    Operation op;
    op.kind = OperationKind::ControlBarrier;
    op.agent = execution_.operations[i].agent;
    op.scope = op.execution_scope = Scope::Workgroup;
    op.semantics = barrier_semantics();
    op.barrier_instance = ~std::uint64_t{0};
    return op;
  };
  return [x = x_, y = y_, of_x = barrier_of(x_), of_y = barrier_of(y_)](Execution& execution) {
    insert(execution, y, of_y);
    insert(execution, x + 1, of_x);
  };
}

Edit Edits::widen(const Operation& op, Scope wanted) const {
  const Operation& instruction = whole(op);
  return {sentence(scope_edit(instruction, wanted), op),
          [op, instruction, wanted](Execution& execution) {
            for (Operation& o : execution.operations)
              if ((same_instruction(o, op) || same_instruction(o, instruction)) && !includes(o.scope, wanted))
                o.scope = wanted;
          },
          0,
          op.where.line,
          0,
          {},
          {{scope_edit(instruction, wanted)}}};
}

heddle::Edit Edits::scope_edit(const Operation& op, Scope wanted) {
  heddle::Edit edit = program_edit(EditKind::SetScope, op);
  edit.scope = wanted;
  return edit;
}

const Operation& Edits::whole(const Operation& op) const {
  if (op.kind != OperationKind::Read || !op.atomic) return op;
  for (const Operation& other : execution_.operations)
    if (other.kind == OperationKind::ReadModifyWrite && other.atomic && same_line(other, op) && other.scope == op.scope)
      return other;
  return op;
}

Edit Edits::make_atomic(const Operation& op, MemorySemantics order, Scope wanted) const {
  const MemorySemantics semantics = order == MemorySemantics::Relaxed ? order : order | storage();
  return edit(op, sentence(atomic_edit(op, semantics, wanted), op),
              [wanted, semantics](Operation& o) {
                o.atomic = true;
                o.operands = MemoryOperands::None;
                o.semantics = semantics;
                if (!includes(o.scope, wanted)) o.scope = wanted;
              })
      .made_by({atomic_edit(op, semantics, wanted)});
}

heddle::Edit Edits::atomic_edit(const Operation& op, MemorySemantics semantics, Scope wanted) {
  heddle::Edit edit = program_edit(EditKind::MakeAtomic, op);
  edit.scope = wanted;
  edit.semantics = semantics;
  return edit;
}

//= vk:memory-model-references
std::vector<Edit> Edits::one_reference() const {
  const ReferenceId one = execution_.operations[x_].reference;
  const ReferenceId other = execution_.operations[y_].reference;
  if (one == other) return {};
  return {{"use one reference for " + line_of(execution_.operations[x_]) + " and " +
               line_of(execution_.operations[y_]) + ": bind the memory once",
           [one, other](Execution& execution) {
             for (Operation& op : execution.operations)
               if (op.reference == other) op.reference = one;
           },
           0}};
}

//= vk:memory-model-vulkan-availability-visibility
std::vector<Edit> Edits::memory_dependency() const {
  return {{"put a memory dependency, commands.memory_barrier(), between dispatch " +
               std::to_string(std::min(dispatch_of(x_), dispatch_of(y_))) + " and dispatch " +
               std::to_string(std::max(dispatch_of(x_), dispatch_of(y_))),
           depend(), 0}};
}

std::function<void(Execution&)> Edits::depend() const {
  return [dispatches = dispatches_, later = std::max(dispatch_of(x_), dispatch_of(y_))](Execution& execution) {
    const AgentId between = model::add_memory_dependency(execution);
    for (std::size_t agent = 0; agent < dispatches.size(); ++agent) {
      const auto id = static_cast<AgentId>(agent);
      if (dispatches[agent] < later) {
        execution.agent_system_synchronization.emplace_back(id, between);
      } else {
        execution.agent_system_synchronization.emplace_back(between, id);
      }
    }
  };
}

}  // namespace heddle::advice
