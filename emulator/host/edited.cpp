#include "emulator/host/edited.h"

#include "emulator/host/emulator.h"
#include "runtime/code_line.h"

#include <span>

namespace heddle::emulation {
namespace {

/// An invocation waits at a control barrier that the program has not.
void wait_at(Emulator& emulator, const Agent& agent, const Operation& barrier) {
  const SourceLocation& where = barrier.where;
  arrive_with_record(agent, barrier.execution_scope, barrier.scope, barrier.semantics, where.file, where.function,
                     where.line);
  const runtime::Grid& grid = *agent.group->grid;
  if (barrier.execution_scope == Scope::Workgroup) {
    if (grid.group_size != 1) runtime::workgroup_barrier(where.file, where.function, where.line);
  } else if (grid.lanes(grid.position(agent.index) / grid.subgroup_size) != 1) {
    const runtime::SubgroupFunction nothing = [](void* const*, const runtime::LaneMask&, std::uint32_t) {};
    if (emulator.by_itself)
      emulator.by_itself->meet(agent, where, nothing, nullptr, 0);
    else
      runtime::subgroup_operation(where, nothing, nullptr);
  }
  leave(emulator, agent);
}

void put_in(Emulator& emulator, const Agent& agent, std::span<const Edit* const> all, const SourceLocation& where) {
  for (const Edit* edit : all) {
    Operation barrier;
    barrier.kind =
        edit->kind == EditKind::PutControlBarrier ? OperationKind::ControlBarrier : OperationKind::MemoryBarrier;
    agent.sign(barrier);
    barrier.execution_scope = edit->execution_scope;
    barrier.scope = edit->scope;
    barrier.semantics = edit->semantics;
    barrier.where = where;
    if (edit->kind == EditKind::PutControlBarrier) {
      wait_at(emulator, agent, barrier);
    } else {
      memory_barrier_as_it_is(emulator, barrier);
    }
  }
}

/// Does an operation as edits have it, with what they put in around it.
template <typename Do>
void with_edits(Emulator& emulator, const Agent& agent, Operation operation, MemorySemantics unequal,
                std::string_view object, const Do& as_it_is) {
  Operation named = operation;
  named.where = runtime::source_of(operation.where);
  if (emulator.survey) emulator.survey->add(named);
  const edits::EditsOfOperation found = emulator.edits->of(named, object);
  put_in(emulator, agent, found.before, operation.where);
  found.change(operation, unequal);
  if (!found.take_out()) as_it_is(operation, unequal);
  put_in(emulator, agent, found.behind, operation.where);
}

template <typename Do>
void access_with_edits(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal,
                       const Do& as_it_is) {
  with_edits(emulator, agent, access.operation, unequal, access.binding->name,
             [&](const Operation& operation, MemorySemantics otherwise) {
               Access edited = access;
               edited.operation = operation;
               as_it_is(edited, otherwise);
             });
}

}  // namespace

void read_edited(Emulator& emulator, const Agent& agent, const Access& access, void* value) {
  access_with_edits(emulator, agent, access, MemorySemantics::None,
                    [&](const Access& edited, MemorySemantics) { read_as_it_is(emulator, agent, edited, value); });
}

void write_edited(Emulator& emulator, const Agent& agent, const Access& access, const void* value) {
  access_with_edits(emulator, agent, access, MemorySemantics::None,
                    [&](const Access& edited, MemorySemantics) { write_as_it_is(emulator, agent, edited, value); });
}

void update_edited(Emulator& emulator, const Agent& agent, const Access& access, MemorySemantics unequal, Modify modify,
                   void* context) {
  access_with_edits(emulator, agent, access, unequal, [&](const Access& edited, MemorySemantics otherwise) {
    update_as_it_is(emulator, agent, edited, otherwise, modify, context);
  });
}

void memory_barrier_edited(Emulator& emulator, const Agent& agent, const Operation& barrier) {
  with_edits(emulator, agent, barrier, MemorySemantics::None, "", [&](const Operation& edited, MemorySemantics) {
    const bool orders = acquires(edited.semantics) || releases(edited.semantics);
    if (orders) memory_barrier_as_it_is(emulator, edited);
  });
}

void control_barrier_edited(Emulator& emulator, const Agent& agent, const Operation& barrier) {
  with_edits(emulator, agent, barrier, MemorySemantics::None, "",
             [&](const Operation& edited, MemorySemantics) { wait_at(emulator, agent, edited); });
}

}  // namespace heddle::emulation
