#include "emulator/spirv/invocation.h"

#include <algorithm>
#include <array>

#include "emulator/spirv/atomics.h"
#include "emulator/spirv/groups.h"
#include "emulator/spirv/print.h"

namespace heddle::spirv {

using explore::Step;
using explore::StepKind;
using explore::Value;

const Meetings::Meeting& Meetings::of(std::uint32_t agent, Scope scope, std::uint32_t command,
                                      const std::vector<std::uint64_t>& iterations) {
  const model::Place& place = dispatch_.place(agent);
  const bool subgroup = scope == Scope::Subgroup;
  const bool all = scope != Scope::Subgroup && scope != Scope::Workgroup;
  key_ = {all ? 0U : place.workgroup + 1U, subgroup ? place.subgroup + 1U : 0U, command};
  key_.insert(key_.end(), iterations.begin(), iterations.end());
  if (const auto known = known_.find(key_); known != known_.end()) return known->second;
  Meeting& meeting = known_[key_];
  meeting.instance = known_.size();
  for (std::uint32_t other = 0; other < dispatch_.agents(); ++other) {
    const model::Place& there = dispatch_.place(other);
    if (all || (there.workgroup == place.workgroup && (!subgroup || there.subgroup == place.subgroup)))
      meeting.participants.push_back(static_cast<AgentId>(other));
  }
  return meeting;
}

const Meetings::Meeting& Meetings::of_lanes(std::uint32_t agent, std::uint64_t lanes, std::uint64_t command,
                                            const std::vector<std::uint64_t>& iterations) {
  const model::Place& place = dispatch_.place(agent);
  // No group has as many subgroups as that: these keys are no others'.
  key_ = {place.workgroup + 1U, (std::uint64_t{1} << 40) + place.subgroup, command, lanes};
  key_.insert(key_.end(), iterations.begin(), iterations.end());
  if (const auto known = known_.find(key_); known != known_.end()) return known->second;
  Meeting& meeting = known_[key_];
  meeting.instance = known_.size();
  points_[meeting.instance] = command + 1;
  std::uint32_t lane = 0;
  for (std::uint32_t other = 0; other < dispatch_.agents(); ++other) {
    const model::Place& there = dispatch_.place(other);
    if (there.workgroup != place.workgroup || there.subgroup != place.subgroup) continue;
    if (((lanes >> lane++) & 1U) != 0) meeting.participants.push_back(static_cast<AgentId>(other));
  }
  return meeting;
}

Invocation::Invocation(const InvocationCode& code) : code_(code), commands_(code.dispatch.code().commands) {
  restart();
}

bool Invocation::restart() {
  slots_ = code_.image;
  at_ = 0;
  pending_ = kNoSlot;
  pending_comparator_.reset();
  choosing_ = false;
  effects_ = 0;
  rounds_.assign(code_.dispatch.code().loops.size(), {});
  exchanged_ = 0;
  tangle_.restart(lanes_with(code_.dispatch, code_.agent));
  return true;
}

Step Invocation::next(Value last_read) {
  Step step;
  advance(last_read, step);
  if (!code_.tells_later) return step;
  step.later = &code_.later->from(place_of(step), spent());
  return step;
}

std::uint32_t Invocation::place_of(const Step& last) const {
  const bool passed = last.kind == StepKind::Operation && !choosing_ && exchanged_ == 0;
  return passed ? at_ - 1 : at_;
}

Standpoint Invocation::standpoint(const Step& last) const {
  Standpoint out{place_of(last), slots_, {}, tangle_};
  for (const Round& round : rounds_) out.iterations.push_back(round.count);
  return out;
}

void Invocation::stand_at(const Standpoint& there) {
  restart();
  at_ = there.at;
  slots_ = there.slots;
  tangle_ = there.tangle;
  for (std::size_t loop = 0; loop < rounds_.size(); ++loop) rounds_[loop].count = there.iterations[loop];
}

void Invocation::advance(Value last_read, Step& step) {
  if (exchanged_ != 0) {
    if (code_.board == nullptr) learned_.push_back(code_.dispatch.tokens().from_memory(last_read, 8));
  } else if (choosing_) {
    choosing_ = false;
    const Command& command = commands_[at_];
    at_ = last_read != 0 ? command.target : command.otherwise;
  } else if (pending_ != kNoSlot) {
    slots_[pending_] = code_.dispatch.tokens().from_memory(last_read, pending_bytes_);
    if (pending_comparator_ && *pending_comparator_ != slots_[pending_]) --effects_;
  }
  pending_ = kNoSlot;
  pending_comparator_.reset();
  while (!perform(commands_[at_], step)) {
  }
}

bool Invocation::perform(const Command& command, Step& step) {
  switch (command.act) {
    case Act::Compute:
      return compute_scalar(command, step);
    case Act::Move:
      slots_[command.to] = slots_[command.a];
      ++at_;
      return false;
    case Act::Index:
      return index(command, step);
    case Act::Length: {
      const std::uint64_t pointer = slots_[command.a] + command.offset;
      const auto& objects = code_.dispatch.objects();
      if (is_token(pointer) || object_of(pointer) >= objects.size())
        return fault(is_token(pointer) ? FaultKind::UndefinedAddress : FaultKind::BadPointer, step, {pointer});
      const std::uint64_t size = objects[object_of(pointer)].size;
      const std::uint64_t offset = offset_of(pointer);
      slots_[command.to] = offset > size || command.stride == 0 ? 0 : (size - offset) / command.stride;
      ++at_;
      return false;
    }
    case Act::Load:
    case Act::Store:
    case Act::Atomic:
      return access(command, step);
    case Act::Fence:
    case Act::Barrier:
      return fence(command, step);
    case Act::Jump:
      at_ = command.target;
      return false;
    case Act::Branch:
      return branch(command, step);
    case Act::EnterLoop:
      enter(command.detail);
      ++at_;
      return false;
    case Act::RepeatLoop:
      return repeat(command, step);
    case Act::Finish:
      return finish(step);
    case Act::Exchange:
      return exchange(command, step);
    case Act::Part:
      return part(command, step);
    case Act::Rejoin:
      return rejoin(command, step);
    case Act::Print:
      print(code_.dispatch.code().prints[command.detail]);
      ++at_;
      return false;
    case Act::Fault:
      return fault(static_cast<FaultKind>(command.detail), step, coordinates(command));
  }
  return fault(FaultKind::Refused, step);
}

void Invocation::print(const PrintInfo& info) {
  if (code_.share == nullptr || code_.share->prints.size() >= RunShare::kMostPrints) return;
  std::vector<std::uint64_t> values;
  for (const Slot slot : info.values) values.push_back(slots_[slot]);
  code_.share->prints.push_back({code_.agent, printed(info.format, values, info.types)});
}

bool Invocation::compute_scalar(const Command& command, Step& step) {
  std::array<std::uint64_t, 4> arguments{};
  std::size_t count = 0;
  bool tokens = false;
  for (const Slot slot : {command.a, command.b, command.c, command.d}) {
    if (slot == kNoSlot) break;
    arguments[count] = slots_[slot];
    tokens = tokens || is_token(arguments[count]);
    ++count;
  }
  const std::span<const std::uint64_t> given(arguments.data(), count);
  std::uint64_t& result = slots_[command.to];
  if (tokens) {
    result = code_.dispatch.tokens().computed(command.computation, given);
  } else if (compute(command.computation, given, result) == Meaning::Undefined) {
    return fault(FaultKind::Arithmetic, step);
  }
  ++at_;
  return false;
}

bool Invocation::index(const Command& command, Step& step) {
  const std::uint64_t base = slots_[command.a];
  const std::uint64_t by = slots_[command.b];
  if (is_token(base) || is_token(by)) return fault(FaultKind::UndefinedAddress, step, {base, by});
  const std::int64_t i = signed_value(by, command.computation.bits);
  const DispatchOptions& options = code_.dispatch.options();
  const bool is_outside =
      command.count != 0 ? i < 0 || static_cast<std::uint64_t>(i) >= command.count
                         : !options.wrap_offsets &&
                               ((command.runtime && i < 0) || leaves_object(base, command.offset, i, command.stride));
  if (is_outside) {
    if (!options.robust) return fault(FaultKind::OutOfBounds, step, {base, by});
    // A place that no object has: what reads it gets zero, and what writes it writes nothing.
    slots_[command.to] = base + (kObjectStride - 1 - offset_of(base));
  } else {
    std::uint64_t offset = command.offset + static_cast<std::uint64_t>(i) * command.stride;
    if (options.wrap_offsets) offset = cut(offset_of(base) + offset, 32) - offset_of(base);
    slots_[command.to] = base + offset;
  }
  ++at_;
  return false;
}

bool Invocation::branch(const Command& command, Step& step) {
  const std::uint64_t condition = slots_[command.a];
  if (!is_token(condition)) {
    at_ = condition != 0 ? command.target : command.otherwise;
    return false;
  }
  if (code_.share != nullptr) {
    code_.share->undefined_branches.emplace_back(code_.agent, at_);
    at_ = code_.share->choice.below(2, ChoicePoint::Memory) != 0 ? command.target : command.otherwise;
    return false;
  }
  const std::uint32_t choice = code_.choices[at_];
  // Where there is nobody to choose, one choice is as good as another.
  if (choice == 0) {
    at_ = command.otherwise;
    return false;
  }
  choosing_ = true;
  step.kind = StepKind::Operation;
  step.operation = {};
  step.operation.atomic = true;
  step.operation.locations = choice_location(code_.dispatch, code_.agent, choice - 1);
  step.operation.reference = static_cast<ReferenceId>(step.operation.locations.allocation);
  step.operation.scope = Scope::Device;
  step.operation.where = {code_.files[at_], code_.texts[at_].c_str(), command.line};
  return true;
}

bool Invocation::access(const Command& command, Step& step) {
  const AccessInfo& info = code_.dispatch.code().accesses[command.detail];
  std::uint64_t pointer = slots_[command.a] + command.offset;
  if (is_token(slots_[command.a])) return fault(FaultKind::UndefinedAddress, step, {slots_[command.a]});
  if (object_of(pointer) == kLocalObject) return access_slot(command, pointer, step);
  const auto& objects = code_.dispatch.objects();
  const std::uint64_t object = object_of(pointer);
  if (object == 0 || object >= objects.size()) return fault(FaultKind::BadPointer, step, {pointer});
  if (offset_of(pointer) + info.type.bytes() > objects[object].size) {
    if (!code_.dispatch.options().robust) return fault(FaultKind::OutOfBounds, step, {pointer});
    if (command.to != kNoSlot) slots_[command.to] = 0;
    ++at_;
    return false;
  }
  if (objects[object].constant && command.act == Act::Load) {
    const std::uint32_t bytes = info.type.bytes();
    slots_[command.to] =
        code_.dispatch.tokens().from_memory(code_.dispatch.initial_value(object, offset_of(pointer), bytes), bytes);
    ++at_;
    return false;
  }
  describe(command, info, pointer, step);
  ++at_;
  return true;
}

bool Invocation::access_slot(const Command& command, std::uint64_t pointer, Step& step) {
  const AccessInfo& info = code_.dispatch.code().accesses[command.detail];
  if (offset_of(pointer) >= slots_.size()) return fault(FaultKind::OutOfBounds, step, {pointer});
  std::uint64_t& there = slots_[offset_of(pointer)];
  if (command.act == Act::Load) {
    slots_[command.to] = there;
  } else if (command.act == Act::Store) {
    there = slots_[command.b];
  } else {
    const std::uint64_t old = there;
    const std::uint64_t comparator = info.comparator != kNoSlot ? slots_[info.comparator] : 0;
    const std::uint64_t value = command.b != kNoSlot ? slots_[command.b] : 0;
    there = modified({info.atomic, info.type}, old, value, comparator, code_.dispatch.tokens()).value_or(old);
    if (command.to != kNoSlot) slots_[command.to] = old;
  }
  ++at_;
  return false;
}

Scope Invocation::scope_in(Slot slot) const {
  if (slot == kNoSlot) return Scope::Invocation;
  const auto scope = static_cast<Scope>(static_cast<std::uint32_t>(slots_[slot]));
  // Where the Vulkan memory model is off, Device names the queue family.
  return scope == Scope::Device && code_.dispatch.code().glsl450 ? Scope::QueueFamily : scope;
}

void Invocation::describe(const Command& command, const AccessInfo& info, std::uint64_t pointer, Step& step) {
  const Object& object = code_.dispatch.objects()[object_of(pointer)];
  const std::uint32_t bytes = info.type.bytes();
  step.kind = StepKind::Operation;
  Operation& op = step.operation;
  op = {};
  op.kind = command.act == Act::Load ? OperationKind::Read : OperationKind::Write;
  op.storage_class = info.physical ? StorageClass::PhysicalStorageBuffer : object.storage;
  op.reference = reference_of(code_.dispatch, pointer, info);
  op.locations = locations_at(pointer, bytes);
  op.where = {code_.files[at_], code_.texts[at_].c_str(), command.line};
  step.use = code_.uses[at_];
  step.spins_alike = code_.spins_alike[at_];
  step.unread = code_.unread[at_];
  if (command.act != Act::Load) {
    ++effects_;
    if (command.b != kNoSlot) step.written = code_.dispatch.tokens().to_memory(slots_[command.b], bytes);
  }
  if (command.to != kNoSlot) {
    pending_ = command.to;
    pending_bytes_ = bytes;
  }
  if (command.act == Act::Atomic) return describe_atomic(command, info, step);
  op.operands = operands_of_access(code_.dispatch, command, info, object);
  Scope scope = scope_in(info.scope);
  if (info.scope == kNoSlot && code_.dispatch.code().glsl450)
    scope = object.storage == StorageClass::Workgroup ? Scope::Workgroup : Scope::QueueFamily;
  op.available_scope = scope;
  op.visible_scope = scope;
}

void Invocation::describe_atomic(const Command& command, const AccessInfo& info, Step& step) {
  Operation& op = step.operation;
  op.atomic = true;
  op.scope = scope_in(info.scope);
  op.kind = info.atomic == Op::OpAtomicLoad    ? OperationKind::Read
            : info.atomic == Op::OpAtomicStore ? OperationKind::Write
                                               : OperationKind::ReadModifyWrite;
  op.semantics = semantics_of(op.kind, static_cast<std::uint32_t>(slots_[info.semantics]), op.scope);
  if (op.kind == OperationKind::Read) --effects_;
  if (op.kind != OperationKind::ReadModifyWrite) return;
  if (info.unequal != kNoSlot)
    step.failure_semantics =
        semantics_of(OperationKind::Read, static_cast<std::uint32_t>(slots_[info.unequal]), op.scope);
  const std::uint64_t comparator = info.comparator != kNoSlot ? slots_[info.comparator] : 0;
  const std::uint64_t value = command.b != kNoSlot ? slots_[command.b] : 0;
  if (info.comparator != kNoSlot) pending_comparator_ = comparator;
  step.modify = [atomic = Atomic{info.atomic, info.type}, value, comparator,
                 &tokens = code_.dispatch.tokens()](Value old) -> std::optional<Value> {
    const std::uint32_t bytes = atomic.type.bytes();
    const auto out = modified(atomic, tokens.from_memory(old, bytes), value, comparator, tokens);
    return out ? std::optional(tokens.to_memory(*out, bytes)) : std::nullopt;
  };
}

bool Invocation::fence(const Command& command, Step& step) {
  const FenceInfo& info = code_.dispatch.code().fences[command.detail];
  step.kind = StepKind::Operation;
  Operation& op = step.operation;
  op = {};
  op.kind = OperationKind::MemoryBarrier;
  op.scope = scope_in(info.scope);
  op.semantics = semantics_of(op.kind, static_cast<std::uint32_t>(slots_[info.semantics]), op.scope);
  op.where = {code_.files[at_], code_.texts[at_].c_str(), command.line};
  const Scope execution = scope_in(info.execution);
  const bool waits = command.act == Act::Barrier && execution != Scope::Invocation;
  if (waits) {
    op.kind = OperationKind::ControlBarrier;
    op.execution_scope = execution;
    const Meetings::Meeting& meeting =
        execution == Scope::Subgroup
            ? code_.meetings.of_lanes(code_.agent, tangle_.lanes(), at_, iterations(info.loops))
            : code_.meetings.of(code_.agent, execution, at_, iterations(info.loops));
    op.barrier_instance = meeting.instance;
    ++effects_;
    end(StepKind::Operation, step);
    step.participants = meeting.participants;
    step.quorum = 0;
  } else if (!acquires(op.semantics) && !releases(op.semantics)) {
    // It orders nothing, and is nothing.
    ++at_;
    return false;
  }
  ++at_;
  return true;
}

std::vector<std::uint64_t> Invocation::iterations(const std::vector<std::uint32_t>& loops) const {
  std::vector<std::uint64_t> out;
  for (const std::uint32_t loop : loops) out.push_back(rounds_[loop].count);
  return out;
}

std::vector<std::uint64_t> Invocation::coordinates(const Command& command) const {
  std::vector<std::uint64_t> out;
  for (const Slot slot : {command.a, command.b, command.c})
    if (slot != kNoSlot) out.push_back(slots_[slot]);
  return out;
}

bool Invocation::fault(FaultKind kind, Step& step, std::vector<std::uint64_t> numbers) const {
  end(StepKind::Finished, step);
  step.results = results_of({at_, kind, std::move(numbers)});
  return true;
}

void Invocation::end(StepKind kind, Step& step) const {
  step.kind = kind;
  step.goes_on = false;
  step.results = {0};
}

void Invocation::remember(std::uint32_t loop) {
  Round& round = rounds_[loop];
  round.effects = effects_;
  round.values.clear();
  for (const Slot slot : code_.live[loop]) round.values.push_back(slots_[slot]);
}

void Invocation::enter(std::uint32_t loop) {
  rounds_[loop].count = 0;
  rounds_[loop].spun = false;
  remember(loop);
}

bool Invocation::spins(std::uint32_t loop) const {
  const Round& round = rounds_[loop];
  if (round.effects != effects_) return false;
  for (std::size_t i = 0; i < round.values.size(); ++i)
    if (round.values[i] != slots_[code_.live[loop][i]]) return false;
  return true;
}

// As emulator/FRONT_ENDS.md says: an iteration that changed nothing may go on for ever, which is one way to block. Up
// to the bound it also goes round again, for executions are counted with every iteration that they have.
bool Invocation::repeat(const Command& command, Step& step) {
  const std::uint32_t loop = command.detail;
  Round& round = rounds_[loop];
  ++at_;
  if (code_.idling == Idling::Told) {
    ++round.count;
    end(StepKind::Spinning, step);
    step.goes_on = true;
    return true;
  }
  const bool idle = spins(loop);
  if (idle && code_.idling != Idling::Explored) {
    end(StepKind::Spinning, step);
    step.goes_on = code_.idling == Idling::Endless;
    return true;
  }
  const bool last = ++round.count >= code_.bound;
  remember(loop);
  if (!idle) {
    if (last) end(StepKind::Cut, step);
    return last;
  }
  const bool first = !round.spun;
  round.spun = true;
  if (last && !first) {
    end(StepKind::SpunEnough, step);
    return true;
  }
  if (!first) return false;
  end(StepKind::Spinning, step);
  step.goes_on = !last;
  return true;
}

std::vector<std::uint32_t> Invocation::spent() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t loop = 0; loop < rounds_.size(); ++loop)
    if (rounds_[loop].count + 1 >= code_.bound) out.push_back(loop);
  return out;
}

}  // namespace heddle::spirv
