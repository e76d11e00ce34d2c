#include "emulator/run/runner.h"

#include <heddle/detail/check.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "emulator/run/checks.h"
#include "emulator/run/course.h"
#include "emulator/run/memories.h"
#include "emulator/run/workgroups.h"

namespace heddle::run {
namespace {

using explore::EndState;
using explore::Step;
using explore::StepKind;
using explore::Value;

// A round of spinning has an operation or more: after so many of them nothing is held back any more.
constexpr std::uint32_t kIdleRounds = kLongestWait + 2 * MemoryPolicy{}.most_stale;

struct Modification {
  const Step& step;
  std::uint32_t size_bytes;
  Value read = 0;
};

bool modify(void* context, const void* old, void* fresh) {
  auto& modification = *static_cast<Modification*>(context);
  std::memcpy(&modification.read, old, modification.size_bytes);
  const std::optional<Value> written = modification.step.modify(modification.read);
  if (written) std::memcpy(fresh, &*written, modification.size_bytes);
  return written.has_value();
}

/// What is to be said of an access of a program in its course (course.h).
struct ProgramAccess {
  /// Null where accesses are not checked.
  Checks* checks;
  const Operation& operation;

  void before_read() const {
    if (checks) checks->reads(operation);
  }
  void after_read(const void*) const {}
  void before_write(const void*) const {}
  void after_write() const {
    if (checks) checks->writes(operation);
  }
  void before_update() const { before_read(); }
  void after_update() const { after_write(); }
  // The memory is not told which bytes were written.
  void shown_unwritten(Value, std::uint64_t) const {}
};

std::vector<std::uint32_t> bytes_of(const Objects& objects) {
  std::vector<std::uint32_t> bytes(objects.allocations());
  for (std::uint32_t i = 0; i < bytes.size(); ++i)
    bytes[i] = objects[objects.of(static_cast<AllocationId>(i))].size_bytes;
  return bytes;
}

}  // namespace

Runner::Runner(const explore::Program& program, std::vector<std::uint32_t> allocation_bytes, memory::Memory& memory,
               Choice& choice, Patience patience)
    : program_(program),
      memory_(memory),
      choice_(choice),
      patience_(patience),
      agents_(program.agents.size()),
      ends_(program.agents.size()),
      late_reads_(memory.late_reads()) {
  for (const auto& [first, second] : program.system_synchronization) {
    auto& after = agents_[static_cast<std::size_t>(first)].after;
    const auto follower = static_cast<std::uint32_t>(second);
    if (std::find(after.begin(), after.end(), follower) != after.end()) continue;
    after.push_back(follower);
  }
  make_room(allocation_bytes);
}

Runner::Runner(const explore::Program& program, const Setting& setting, const trace::Instructions& instructions,
               memory::Memory& memory, Choice& choice)
    : Runner(program, bytes_of(setting.objects), memory, choice) {
  setting_ = &setting;
  checks_ = std::make_unique<Checks>(setting, instructions);
  if (!setting.dispatches.empty()) workgroups_ = std::make_unique<Workgroups>(program, setting);
}

Runner::~Runner() = default;

void Runner::make_room(const std::vector<std::uint32_t>& allocation_bytes) {
  for (std::size_t i = 0; i < allocation_bytes.size(); ++i) {
    allocations_.push_back({initial_.size(), allocation_bytes[i]});
    for (std::uint32_t at = 0; at < allocation_bytes[i]; at += sizeof(Value)) {
      const std::uint32_t size = std::min<std::uint32_t>(sizeof(Value), allocation_bytes[i] - at);
      const Locations bytes{static_cast<AllocationId>(i), at, size};
      initial_.push_back(program_.initial_value ? program_.initial_value(bytes) : 0);
    }
  }
}

void Runner::listen(trace::Listener* listener) {
  memory_.listen(listener);
  listener_ = listener;
}

RunEnd Runner::run() {
  begin();
  while (true) {
    while (!ready_.empty()) {
      const auto count = static_cast<std::uint32_t>(ready_.size());
      const std::uint32_t chosen = count == 1 ? 0 : choice_.below(count, ChoicePoint::Invocation);
      HEDDLE_CHECK(chosen < count, "an oracle chose a thread of a litmus test that is not among those it was asked of");
      perform(ready_[chosen]);
    }
    if (asleep_ == 0) break;
    for (std::uint32_t a = 0; a < agents_.size(); ++a)
      if (agents_[a].standing == Standing::Asleep) end(a, EndState::Spinning);
  }
  return finish();
}

RunEnd Runner::finish() {
  if (checks_ && ready_.empty()) check_waits();
  end_all();
  RunEnd run_end = RunEnd::Terminated;
  for (const explore::AgentEnd& one : ends_) {
    if (one.state == EndState::Cut) return RunEnd::Cut;
    if (one.state != EndState::Finished) run_end = RunEnd::Blocked;
  }
  return run_end;
}

void Runner::begin() {
  ready_.clear();
  meetings_used_ = 0;
  idle_rounds_ = 0;
  asleep_ = 0;
  told_ = 0;
  storage_ = initial_;
  memory_.restart();
  tell_program();
  if (checks_) checks_->restart();
  is_over_ = false;
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    const auto id = static_cast<AllocationId>(i);
    if (!workgroups_ || !setting_->objects[setting_->objects.of(id)].of_workgroup) add(id);
  }
  begin_agents();
}

void Runner::begin_agents() {
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    Running& running = agents_[a];
    running.standing = Standing::NotBegun;
    running.before = 0;
    running.order = 0;
    running.late.clear();
    if (!running.agent || !running.agent->restart()) running.agent = program_.agents[a].start();
    if (!workgroups_) memory_.begin(static_cast<AgentId>(a), program_.agents[a].place);
  }
  if (workgroups_) {
    workgroups_->restart();
    tell_dispatch();
    go_to_next_dispatch();
    return admit_workgroups();
  }
  for (const Running& running : agents_)
    for (const std::uint32_t follower : running.after) ++agents_[follower].before;
  // An agent that ends at once may let others begin.
  for (std::uint32_t a = 0; a < agents_.size(); ++a)
    if (agents_[a].before == 0 && agents_[a].standing == Standing::NotBegun && may_begin(a)) begin(a);
}

void Runner::add(AllocationId id) {
  const Allocation& allocation = allocations_[static_cast<std::size_t>(id)];
  auto* bytes = reinterpret_cast<std::byte*>(storage_.data() + allocation.first);
  memory_.add(id, {bytes, allocation.size_bytes});
}

void Runner::begin(std::uint32_t agent) {
  if (program_.host) tell_calls_before(agent);
  agents_[agent].standing = Standing::Ready;
  ready_.push_back(agent);
  go_on(agent, 0);
}

void Runner::perform(std::uint32_t agent) {
  Running& running = agents_[agent];
  if (running.standing == Standing::Leaving) return leave(agent);
  if (!running.late.empty()) {
    const auto late = static_cast<std::uint32_t>(running.late.size());
    const std::uint32_t which = choice_.below(late + (needs_answers(running) ? 0 : 1), ChoicePoint::Memory);
    if (which < late) return answer(agent, which);
  }
  Operation& operation = running.step.operation;
  operation.agent = static_cast<AgentId>(agent);
  if (checks_) {
    running.last = operation.where;
    if (!is_allowed(operation)) return;
  }
  if (operation.kind == OperationKind::ControlBarrier) {
    ++told_;
    return arrive(agent);
  }
  if (running.step.postponable && operation.kind == OperationKind::Read && postpone(agent)) return;
  const bool calls = running.step.call != explore::kNoPoint;
  if (calls) tell_call(agent);
  const Value read = access_memory(running);
  if (checks_ && operation.kind == OperationKind::Free) checks_->frees(operation.locations.allocation);
  note_performed(running);
  if (operation.writes()) progress();
  if (calls) note_call(agent);
  go_on(agent, read);
}

Value Runner::access_memory(Running& running) {
  const Operation& operation = running.step.operation;
  const ProgramAccess access{checks_.get(), operation};
  Value read = 0;
  switch (operation.kind) {
    case OperationKind::Read:
      run::read(memory_, operation, &read, access);
      break;
    case OperationKind::Write:
      run::write(memory_, operation, &running.step.written, access);
      break;
    case OperationKind::ReadModifyWrite: {
      Modification modification{running.step, operation.locations.size_bytes};
      run::update(memory_, operation, running.step.failure_semantics, modify, &modification, access);
      read = modification.read;
      break;
    }
    default:
      memory_.barrier(operation);
  }
  return read;
}

void Runner::note_performed(Running& running) {
  for (Late& late : running.late) {
    if (late.first_behind < running.order) continue;
    late.first_behind = running.order;
    late.before = told_;
  }
  ++told_;
  ++running.order;
}

bool Runner::postpone(std::uint32_t agent) {
  constexpr std::uint32_t kCertain = 256;
  if (late_reads_ == 0 || choice_.below(kCertain, ChoicePoint::Memory) >= late_reads_) return false;
  Running& running = agents_[agent];
  Late late;
  late.operation = running.step.operation;
  late.name = running.agent->postpone();
  late.order = running.order++;
  running.late.push_back(late);
  go_on(agent, 0);
  return true;
}

bool Runner::needs_answers(const Running& running) {
  const Step& step = running.step;
  if (step.kind != StepKind::Operation) return true;
  return std::any_of(running.late.begin(), running.late.end(), [&](const Late& late) {
    return model::synchronizes_with_earlier(step.operation, late.operation) ||
           late.operation.locations.overlaps(step.operation.locations);
  });
}

void Runner::answer(std::uint32_t agent, std::uint32_t which) {
  Running& running = agents_[agent];
  const Late late = running.late[which];
  running.late.erase(running.late.begin() + which);
  Value read = 0;
  run::read(memory_, late.operation, &read, ProgramAccess{checks_.get(), late.operation});
  // Other late reads that precede it in program order are to be told in front of it.
  for (Late& other : running.late) {
    if (other.order > late.order || other.first_behind < late.order) continue;
    other.first_behind = late.order;
    other.before = told_;
  }
  if (listener_ && late.first_behind != kNone) listener_->late(told_, late.before);
  ++told_;
  running.agent->answer(late.name, read);
  if (running.late.empty() && running.step.kind == StepKind::Unanswered) go_on(agent, 0);
}

void Runner::go_on(std::uint32_t agent, Value read) {
  Running& running = agents_[agent];
  while (true) {
    running.agent->advance(read, running.step);
    switch (running.step.kind) {
      case StepKind::Operation:
        if (!waits_at_call(agent)) return;
        not_ready(agent);
        running.standing = Standing::Calling;
        return;
      case StepKind::Unanswered:
      case StepKind::Meets:
        return;
      case StepKind::Finished:
        return end(agent, EndState::Finished);
      case StepKind::Cut:
        return end(agent, EndState::Cut);
      case StepKind::SpunEnough:
        return end(agent, EndState::Spinning);
      case StepKind::Spinning:
        if (!running.step.goes_on) return end(agent, EndState::Spinning);
        if (!may_spin(agent)) return;
    }
    read = 0;
  }
}

bool Runner::may_spin(std::uint32_t agent) {
  if (patience_ == Patience::Sleep) {
    not_ready(agent);
    agents_[agent].standing = Standing::Asleep;
    ++asleep_;
    return false;
  }
  if (++idle_rounds_ <= kIdleRounds * ready_.size()) return true;
  end(agent, EndState::Spinning);
  return false;
}

void Runner::end(std::uint32_t agent, EndState state) {
  Running& running = agents_[agent];
  if (running.standing == Standing::Asleep) {
    --asleep_;
  } else {
    not_ready(agent);
  }
  running.standing = Standing::Ended;
  ends_[agent].state = state;
  ends_[agent].results.swap(running.step.results);
  const auto id = static_cast<AgentId>(agent);
  if (state == EndState::Finished)
    for (const std::uint32_t follower : running.after) memory_.system_synchronizes(id, static_cast<AgentId>(follower));
  if (workgroups_) {
    if (state == EndState::Finished) leave_workgroup(agent);
    return;
  }
  memory_.end(id);
  if (state != EndState::Finished) return;
  progress();
  for (const std::uint32_t follower : running.after)
    if (--agents_[follower].before == 0 && may_begin(follower)) begin(follower);
  if (program_.host || !program_.interlock_order.empty() || !program_.shader_inputs.empty()) begin_those_behind();
}

/// Something happened that an agent may wait for.
void Runner::progress() {
  idle_rounds_ = 0;
  if (asleep_ == 0) return;
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    if (agents_[a].standing != Standing::Asleep) continue;
    --asleep_;
    ready(a);
    go_on(a, 0);
  }
}

void Runner::ready(std::uint32_t agent) {
  agents_[agent].standing = Standing::Ready;
  ready_.push_back(agent);
}

void Runner::not_ready(std::uint32_t agent) {
  const auto at = std::find(ready_.begin(), ready_.end(), agent);
  HEDDLE_CHECK(at != ready_.end(), "a thread of a litmus test waits or ends that was not ready to run");
  *at = ready_.back();
  ready_.pop_back();
}

Runner::Meeting& Runner::meeting_of(std::uint64_t instance) {
  // Most that are asked for are among the last.
  for (std::size_t i = meetings_used_; i-- > 0;)
    if (meetings_[i].instance == instance) return meetings_[i];
  if (meetings_used_ == meetings_.size()) meetings_.emplace_back();
  Meeting& meeting = meetings_[meetings_used_++];
  meeting.instance = instance;
  meeting.arrived.clear();
  meeting.synchronizing.clear();
  meeting.has_quorum = false;
  return meeting;
}

void Runner::arrive(std::uint32_t agent) {
  const Operation& operation = agents_[agent].step.operation;
  memory_.arrive(operation);
  Meeting& meeting = meeting_of(operation.barrier_instance);
  meeting.arrived.push_back(operation.agent);
  not_ready(agent);
  agents_[agent].standing = Standing::Arrived;
  const Step& last = agents_[agent].step;
  meeting.has_quorum = meeting.has_quorum || last.quorum != 0;
  // All come with the same participants.
  const bool opens_for_some = meeting.has_quorum || meeting.arrived.size() >= last.participants.size();
  if (opens_for_some) open(meeting);
  progress();
}

void Runner::open(const Meeting& meeting) {
  for (const AgentId arrived : meeting.arrived) {
    const auto a = static_cast<std::uint32_t>(arrived);
    const Step& step = agents_[a].step;
    if (agents_[a].standing != Standing::Arrived || step.operation.barrier_instance != meeting.instance) continue;
    if (meeting.arrived.size() < (step.quorum != 0 ? step.quorum : step.participants.size())) continue;
    ready(a);
    agents_[a].standing = Standing::Leaving;
  }
}

void Runner::leave(std::uint32_t agent) {
  Running& running = agents_[agent];
  running.standing = Standing::Ready;
  Meeting& meeting = meeting_of(running.step.operation.barrier_instance);
  const std::uint32_t quorum = running.step.quorum;
  // The first agent that leaves decides, so that those that arrived until then may be among those that synchronize.
  if (quorum != 0 && meeting.synchronizing.empty()) choose_quorum(meeting, quorum);
  memory_.leave(running.step.operation,
                quorum != 0 ? std::span<const AgentId>(meeting.synchronizing) : std::span<const AgentId>());
  progress();
  go_on(agent, 0);
}

void Runner::choose_quorum(Meeting& meeting, std::size_t at_least) {
  meeting.synchronizing = meeting.arrived;
  const auto spare = static_cast<std::uint32_t>(meeting.arrived.size() - at_least);
  if (spare == 0) return;
  for (std::uint32_t left_out = choice_.below(spare + 1, ChoicePoint::Invocation); left_out > 0; --left_out) {
    const auto count = static_cast<std::uint32_t>(meeting.synchronizing.size());
    meeting.synchronizing.erase(meeting.synchronizing.begin() + choice_.below(count, ChoicePoint::Invocation));
  }
}

void Runner::end_all() {
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    Running& running = agents_[a];
    if (running.standing == Standing::Ended) continue;
    ends_[a].state = EndState::Waiting;
    if (running.standing == Standing::NotBegun) running.agent->advance(0, running.step);
    ends_[a].results.swap(running.step.results);
  }
  memory_.settle();
}

explore::Value Runner::final_value(const Locations& locations) const {
  Value value = 0;
  const Allocation& allocation = allocations_[static_cast<std::size_t>(locations.allocation)];
  const auto* bytes = reinterpret_cast<const std::byte*>(storage_.data() + allocation.first);
  std::memcpy(&value, bytes + locations.offset_bytes, locations.size_bytes);
  return value;
}

}  // namespace heddle::run
