#include "emulator/race/event.h"

namespace heddle::race {
namespace {

// An atomic makes available and visible at its own scope, another access as its operands say.
//= vk:memory-model-instruction-av-vis
//= vk:memory-model-availability-visibility-semantics
void set_availability_and_visibility(const Operation& op, Event& e) {
  if (e.writes && (op.atomic || has(op.operands, MemoryOperands::MakePointerAvailable)))
    e.own_availability = level_of(op.atomic ? op.scope : op.available_scope);
  if (e.reads && (op.atomic || has(op.operands, MemoryOperands::MakePointerVisible)))
    e.own_visibility = level_of(op.atomic ? op.scope : op.visible_scope);
  if (e.release && has(op.semantics, MemorySemantics::MakeAvailable)) e.bulk_availability = level_of(op.scope);
  if (e.acquire && has(op.semantics, MemorySemantics::MakeVisible)) e.bulk_visibility = level_of(op.scope);
}

// The begin of an interlock acquires, its end releases, of buffers and images.
//= vk:memory-model-synchronizes-with
void set_interlock(const Operation& op, Event& e) {
  e.acquire = e.acquire || op.kind == OperationKind::BeginInvocationInterlock;
  e.release = e.release || op.kind == OperationKind::EndInvocationInterlock;
  if (op.kind == OperationKind::BeginInvocationInterlock || op.kind == OperationKind::EndInvocationInterlock)
    e.mask = classes_of(MemorySemantics::UniformMemory | MemorySemantics::ImageMemory);
}

Event bulk_event_of(const Event& instruction) {
  Event e;
  e.operation = instruction.operation;
  e.agent = instruction.agent;
  e.kind = OperationKind::MemoryBarrier;
  e.tags = instruction.tags;
  e.storage = instruction.mask;
  e.bulk = true;
  return e;
}

}  // namespace

//= vk:memory-model-inter-thread-happens-before
ClassSets sets_on(Classes storage, Classes mask) {
  ClassSets sets = 0;
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if ((kClassSets[i] & storage) != 0 || (kClassSets[i] & ~mask) == 0) sets = static_cast<ClassSets>(sets | 1u << i);
  return sets;
}

//= vk:memory-model-memory-semantics
//= vk:memory-model-memory-operation
Event event_of(const Operation& op, model::OperationIndex index, Half half) {
  Event e;
  e.operation = index;
  e.agent = op.agent;
  e.kind = op.kind;
  e.reads = op.reads() && half != Half::Write;
  e.writes = op.writes() && half != Half::Read;
  e.atomic = op.is_access() && op.atomic;
  //= vk:memory-model-non-private
  e.non_private = op.is_access() && op.is_non_private();
  e.fence = op.is_memory_barrier();
  e.modifies = half == Half::Write;
  e.of_domain = op.is_domain_operation();
  e.scope = op.scope;
  e.execution_scope = op.execution_scope;
  e.barrier_instance = op.barrier_instance;
  e.tags = op.tags;
  if (e.of_domain || op.kind == OperationKind::Free) e.bytes = op.locations;
  if (op.is_access()) {
    e.storage = class_of(op.storage_class);
    e.output = op.storage_class == StorageClass::Output;
    e.input = op.storage_class == StorageClass::Input;
    e.reference = op.reference;
    e.bytes = op.locations;
  }
  const bool orders = e.atomic || e.fence;
  e.acquire = orders && acquires(op.semantics) && (e.reads || e.fence);
  e.release = orders && releases(op.semantics) && (e.writes || e.fence);
  if (e.acquire || e.release) e.mask = classes_of(op.semantics);
  set_availability_and_visibility(op, e);
  set_interlock(op, e);
  return e;
}

//= vk:memory-model-availability-visibility-semantics
Event bulk_availability_of(const Event& release) {
  Event e = bulk_event_of(release);
  e.bulk_availability = release.bulk_availability;
  return e;
}

//= vk:memory-model-availability-visibility-semantics
Event bulk_visibility_of(const Event& acquire) {
  Event e = bulk_event_of(acquire);
  e.bulk_visibility = acquire.bulk_visibility;
  return e;
}

}  // namespace heddle::race
