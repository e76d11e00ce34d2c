#include "emulator/host/edited.h"

#include <heddle/edit.h>

#include "emulator/host/emulator.h"
#include "runtime/code_line.h"
#include "runtime/round_barrier.h"

#include <cstring>
#include <span>

namespace heddle::emulation {
namespace {

/// An invocation waits at a control barrier that the program has not.
void wait_at(Emulator& emulator, const Agent& agent, const Operation& barrier) {
  const SourceLocation& where = barrier.where;
  arrive_with_record(agent, barrier.execution_scope, barrier.scope, barrier.semantics, where.file, where.function,
                     where.line);
  const runtime::Grid& grid = emulator.grid();
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

/// Waits as wait_at does, but only for the invocations that come; all others wait elsewhere or have ended.
void wait_in_round(Emulator& emulator, const Agent& agent, const Operation& barrier) {
  const SourceLocation& where = barrier.where;
  arrive_with_record(agent, Scope::Workgroup, barrier.scope, barrier.semantics, where.file, where.function, where.line);
  if (emulator.grid().group_size != 1) runtime::round_barrier(where);
  leave(emulator, agent);
}

void put_in(Emulator& emulator, const Agent& agent, std::span<const Edit* const> all, const SourceLocation& where) {
  for (const Edit* edit : all) {
    Operation barrier;
    barrier.kind =
        edit->kind == EditKind::PutMemoryBarrier ? OperationKind::MemoryBarrier : OperationKind::ControlBarrier;
    agent.sign(barrier);
    barrier.execution_scope = edit->execution_scope;
    barrier.scope = edit->scope;
    barrier.semantics = edit->semantics;
    barrier.where = where;
    if (edit->kind == EditKind::PutControlBarrier) {
      wait_at(emulator, agent, barrier);
    } else if (edit->kind == EditKind::PutRoundBarrier) {
      // One place, from whichever line an invocation comes to it.
      barrier.where.line = edit->line;
      wait_in_round(emulator, agent, barrier);
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

/// So many operations an invocation goes on for from the read of an update to its write: nobody comes between them.
constexpr std::uint32_t kOperationsOfUpdate = 16;

void go_on_alone(const Agent& agent, std::uint32_t operations) {
  agent.resident->pulse->operations_left = operations;
}

/// The read of an update, whose write comes later, or does not. It writes what was there, and releases: no update of
/// others that waits may come behind it.
void read_of_update(Emulator& emulator, const Agent& agent, const Access& access, void* value) {
  struct Read {
    void* value;
    std::uint32_t size_bytes;
  } read{value, access.size_bytes()};
  const auto look = [](void* of, const void* old, void* fresh) {
    const auto& self = *static_cast<const Read*>(of);
    std::memcpy(self.value, old, self.size_bytes);
    std::memcpy(fresh, old, self.size_bytes);
    return true;
  };
  Access last = access;
  last.operation.semantics = MemorySemantics::Release | semantic_of(access.operation.storage_class);
  update_as_it_is(emulator, agent, last, MemorySemantics::Relaxed, look, &read);
  go_on_alone(agent, kOperationsOfUpdate);
}

/// The write of an update whose read was the last one of the invocation there.
void write_of_update(Emulator& emulator, const Agent& agent, const Access& access, const void* value) {
  struct Written {
    const void* value;
    std::uint32_t size_bytes;
  } written{value, access.size_bytes()};
  const auto put = [](void* of, const void*, void* fresh) {
    const auto& self = *static_cast<const Written*>(of);
    std::memcpy(fresh, self.value, self.size_bytes);
    return true;
  };
  update_as_it_is(emulator, agent, access, MemorySemantics::Relaxed, put, &written);
  go_on_alone(agent, 1);
}

bool is_of_update(const Access& access) {
  return access.operation.kind == OperationKind::ReadModifyWrite;
}

}  // namespace

void read_edited(Emulator& emulator, const Agent& agent, const Access& access, void* value) {
  access_with_edits(emulator, agent, access, MemorySemantics::None, [&](const Access& edited, MemorySemantics) {
    is_of_update(edited) ? read_of_update(emulator, agent, edited, value)
                         : read_as_it_is(emulator, agent, edited, value);
  });
}

void write_edited(Emulator& emulator, const Agent& agent, const Access& access, const void* value) {
  access_with_edits(emulator, agent, access, MemorySemantics::None, [&](const Access& edited, MemorySemantics) {
    is_of_update(edited) ? write_of_update(emulator, agent, edited, value)
                         : write_as_it_is(emulator, agent, edited, value);
  });
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
