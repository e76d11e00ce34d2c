#include "emulator/executions/scripted_memory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/stack_state.h"

namespace heddle::executions {

using explore::StepKind;

void ScriptedMemory::begin_run(const Script& script, ReferenceId first_reference) {
  script_ = &script;
  at_ = 0;
  barriers_ = 0;
  barriers_alone_ = 0;
  first_reference_ = static_cast<std::uint32_t>(first_reference);
  modified_.reset();
  step_ = {};
  state_.reset();
  stopped_ = false;
  states_.clear();
  met_.clear();
  has_met_ = false;
  places_.clear();
}

void ScriptedMemory::begin_invocation(AgentId agent, std::uint32_t invocation, std::uint32_t workgroup) {
  running_ = agent;
  invocation_ = invocation;
  workgroup_ = workgroup;
}

void ScriptedMemory::begin(const memory::Cohort& cohort) {
  if (places_.empty()) first_workgroup_ = cohort.place.workgroup;
  for (std::uint32_t i = 0; i < cohort.count; ++i) {
    places_.push_back(cohort.place_of(i));
    places_.back().workgroup -= first_workgroup_;
  }
}

Value ScriptedMemory::initial(const Locations& bytes) const {
  if (is_of_workgroup(bytes.allocation)) return 0;
  return memory::load_value(storage_.at(bytes.allocation).data() + bytes.offset_bytes, bytes.size_bytes);
}

Operation ScriptedMemory::renumbered(Operation operation) const {
  if (!operation.is_access()) return operation;
  if (operation.storage_class == StorageClass::Workgroup) {
    // Variables get their references in the order in which the invocation asks for them.
    const std::uint32_t ordinal = static_cast<std::uint32_t>(operation.reference) - first_reference_;
    operation.reference = static_cast<ReferenceId>(kFirstOfWorkgroups + ordinal);
    operation.locations.allocation = static_cast<AllocationId>(kFirstOfWorkgroups + workgroup_);
  }
  return operation;
}

void ScriptedMemory::note_change() {
  states_.clear();
  met_.clear();
}

std::optional<std::uint64_t> ScriptedMemory::state_of(const void* local) const {
  if (prepare_state_) prepare_state_();
  return runtime::state_of_calls(local);
}

bool ScriptedMemory::is_spinning(const void* local) {
  state_ = state_of(local);
  if (!state_) return false;
  if (std::find(states_.begin(), states_.end(), *state_) != states_.end()) return true;
  states_.push_back(*state_);
  return false;
}

void ScriptedMemory::stop(StepKind kind, const Operation& operation) {
  stopped_ = true;
  step_.kind = kind;
  step_.operation = renumbered(operation);
  throw Stopped{};
}

void ScriptedMemory::read(const Operation& operation, void* value) {
  const bool spins = is_spinning(&operation);
  if (is_behind_script()) stop(spins ? StepKind::Spinning : StepKind::Operation, operation);
  memory::store_value(value, (*script_)[at_++], operation.locations.size_bytes);
}

void ScriptedMemory::write(const Operation& operation, const void* value) {
  step_.written = memory::load_value(value, operation.locations.size_bytes);
  if (is_behind_script()) {
    state_ = state_of(&operation);
    stop(StepKind::Operation, operation);
  }
  note_change();
  ++at_;
}

void ScriptedMemory::read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                                       void* context) {
  const std::uint32_t size = operation.locations.size_bytes;
  const auto apply = [&](Value old) -> std::optional<Value> {
    std::array<std::byte, sizeof(Value)> before{};
    std::array<std::byte, sizeof(Value)> after{};
    memory::store_value(before.data(), old, size);
    if (!modify(context, before.data(), after.data())) return std::nullopt;
    return memory::load_value(after.data(), size);
  };
  const bool spins = is_spinning(&operation);
  if (is_behind_script()) {
    if (asked_) modified_ = apply(*asked_);
    step_.failure_semantics = unequal;
    stop(spins ? StepKind::Spinning : StepKind::Operation, operation);
  }
  const Value old = (*script_)[at_++];
  if (apply(old).value_or(old) != old) note_change();
}

void ScriptedMemory::barrier(const Operation& operation) {
  if (!is_running(operation)) return;
  state_ = state_of(&operation);
  if (is_behind_script()) stop(StepKind::Operation, operation);
  ++at_;
}

std::uint32_t ScriptedMemory::meetings_since(std::uint64_t state) const {
  for (std::size_t i = met_.size(); i-- > 0;) {
    if (!(met_[i].active == met_.back().active)) return 0;
    if (met_[i].state == state) return static_cast<std::uint32_t>(met_.size() - i);
  }
  return 0;
}

// What the others do until they meet again is not known here, so that reads begin anew to look for a state that was
// there before.
void ScriptedMemory::meet_subgroup(const Arrival& arrival, const std::vector<Taken>& taken) {
  state_ = state_of(&arrival.where);
  if (is_behind_script()) {
    meeting_ = {arrival.where, arrival.function, {arrival.payload.begin(), arrival.payload.end()}, 0, {}};
    if (state_) meeting_.repeats = meetings_since(*state_);
    if (!met_.empty()) meeting_.met = met_.back().active;
    Operation operation;
    operation.where = arrival.where;
    stop(StepKind::Meets, arrival.barrier != nullptr ? *arrival.barrier : operation);
  }
  const Taken& result = taken.at((*script_)[at_++]);
  std::copy(result.payload.begin(), result.payload.end(), arrival.payload.begin());
  states_.clear();
  met_.push_back({state_.value_or(0), result.active});
  has_met_ = arrival.barrier != nullptr;
}

void ScriptedMemory::arrive(const Operation& operation) {
  if (!is_running(operation) || std::exchange(has_met_, false)) return;
  // Who waits for nobody but itself has barriers of its own.
  const bool alone = operation.execution_scope != Scope::Workgroup;
  const std::uint32_t number = ++(alone ? barriers_alone_ : barriers_);
  if (is_behind_script()) {
    state_.reset();
    Operation numbered = operation;
    const std::uint32_t meeting = alone ? kFirstOfWorkgroups + invocation_ : workgroup_;
    numbered.barrier_instance = (std::uint64_t{meeting} << 32) + number;
    stop(StepKind::Operation, numbered);
  }
  note_change();
  ++at_;
}

}  // namespace heddle::executions
