#include "emulator/litmus/vulkan/host_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "emulator/litmus/vulkan/host_checks.h"
#include "emulator/litmus/vulkan/thread.h"

namespace heddle::litmus {
namespace {

using explore::Point;
using model::Accesses;
using model::Dependency;
using model::Stages;

/// Calls are points behind all agents, whose number is not known before the end.
constexpr Point kFirstCall = Point{1} << 30;

constexpr Accesses kAll = Accesses::MemoryRead | Accesses::MemoryWrite;

/// An event: what the set of it leaves for the wait.
struct Event {
  bool by_host = false;
  bool awaited = false;
  Point call = 0;
  const BatchCommand* set = nullptr;
  model::ExecutionScope first;
};

/// What was submitted to a queue so far.
struct Queue {
  std::optional<std::uint32_t> host_thread;
  std::optional<std::uint64_t> family;
  std::uint32_t position = 1;
  std::vector<AgentId> signals;
  std::vector<AgentId> submissions;
};

class Planner {
 public:
  explicit Planner(const Test& test) : test_(test), host_(*test.host) {}

  HostPlan plan();

 private:
  void make_call(std::uint32_t index);
  void submit(std::uint32_t call);
  void submit_batch(const Batch& batch, AgentId submission, Queue& queue);
  void command(const Batch& batch, const BatchCommand& command, Queue& queue);
  void dispatch(const Batch& batch, const BatchCommand& command, Queue& queue);
  void wait_semaphore(const Batch& batch, const BatchCommand& command, const Queue& queue);
  void signal_semaphore(const Batch& batch, const BatchCommand& command, AgentId submission, Queue& queue);
  void barrier(const Batch& batch, const BatchCommand& command, Queue& queue);
  void set_event(const Batch& batch, const BatchCommand& command, Queue& queue);
  void check_set_before(const Event& event, const BatchCommand& command) const;
  void await_event(const Batch& batch, const BatchCommand& command, Queue& queue);
  void transfer(const Batch& batch, const BatchCommand& command, Queue& queue);
  AgentId fence(const Queue& queue, std::uint64_t number, const SourceLocation& where);
  void idle(std::uint32_t call);

  AgentId add_agent(std::uint64_t family);
  Operation& add_operation(AgentId agent, OperationKind kind, const SourceLocation& where);
  void add_access(AgentId agent, OperationKind kind, std::uint32_t variable, const SourceLocation& where);
  AgentId add_command(const Batch& batch, const Queue& queue, Stages stage);
  /// A dependency whose scopes are still empty.
  Dependency& add_dependency(std::uint64_t family);
  void add_memory_operations(const Dependency& dependency, const BatchCommand& command, const Mask& first,
                             const Mask& second);
  void order(AgentId first, AgentId second) { plan_.synchronization.emplace_back(first, second); }
  Semaphore& semaphore(const std::string& name, bool timeline, Place place);
  void resolve_waits();
  const Signal& signal_for(const SemaphoreWait& wait) const;
  void connect();
  void add_after(Point point, Point earlier);
  std::vector<Point>& after(Point point);
  void number_calls();
  void describe_memory();

  SourceLocation where(const BatchCommand& command) const { return {"", command.text.c_str(), command.place.line}; }
  SourceLocation where(std::uint32_t call) const;
  model::QueueId queue_id(std::uint64_t number) const { return static_cast<model::QueueId>(number); }

  const Test& test_;
  const HostTest& host_;
  HostPlan plan_;
  std::map<std::uint64_t, Queue> queues_;
  std::map<std::string, Semaphore> semaphores_;
  std::map<std::string, Event> events_;
  std::map<std::string, AgentId> fences_;
  std::vector<SemaphoreWait> waits_;
  std::set<std::uint32_t> submitted_;
  /// The submission that is being planned.
  std::uint32_t submitting_ = 0;
  std::set<std::string> waited_fences_;
  std::vector<std::pair<std::uint32_t, std::string>> fence_waits_;
};

[[noreturn]] void fail(Place place, const std::string& message) {
  throw ParseError(place, message);
}

SourceLocation Planner::where(std::uint32_t call) const {
  for (const Instruction& instruction : test_.threads[host_.calls[call].thread].code)
    if (instruction.call == call) return {"", instruction.text.c_str(), instruction.place.line};
  return {};
}

AgentId Planner::add_agent(std::uint64_t family) {
  plan_.agents.push_back({{}, 0, family});
  plan_.after.emplace_back();
  return static_cast<AgentId>(test_.threads.size() + plan_.agents.size() - 1);
}

Operation& Planner::add_operation(AgentId agent, OperationKind kind, const SourceLocation& where) {
  auto& operations = plan_.agents[static_cast<std::size_t>(agent) - test_.threads.size()].operations;
  Operation& operation = operations.emplace_back();
  operation.kind = kind;
  operation.where = where;
  return operation;
}

void Planner::add_access(AgentId agent, OperationKind kind, std::uint32_t variable, const SourceLocation& where) {
  Operation& operation = add_operation(agent, kind, where);
  operation.reference = static_cast<ReferenceId>(variable);
  operation.locations = locations_of(test_.variables[variable]);
}

AgentId Planner::add_command(const Batch& batch, const Queue& queue, Stages stage) {
  const AgentId agent = add_agent(batch.family);
  plan_.side.commands.push_back({agent, queue_id(batch.queue), queue.position, stage});
  return agent;
}

Dependency& Planner::add_dependency(std::uint64_t family) {
  Dependency& dependency = plan_.side.dependencies.emplace_back();
  dependency.agent = add_agent(family);
  return dependency;
}

Semaphore& Planner::semaphore(const std::string& name, bool timeline, Place place) {
  Semaphore& found = semaphores_[name];
  if (found.used && found.timeline != timeline)
    fail(place,
         fmt::format("semaphore '{}' is used with a value and without: it is either a timeline or binary", name));
  if (fences_.count(name) != 0) fail(place, fmt::format("'{}' is a fence, and no semaphore", name));
  found.used = true;
  found.timeline = timeline;
  return found;
}

void Planner::dispatch(const Batch& batch, const BatchCommand& command, Queue& queue) {
  for (const std::uint32_t thread : command.threads)
    plan_.side.commands.push_back(
        {static_cast<AgentId>(thread), queue_id(batch.queue), queue.position, Stages::Compute});
  if (!command.destination) return;
  const AgentId parameters = add_command(batch, queue, Stages::DrawIndirect);
  add_access(parameters, OperationKind::Read, command.variable, where(command));
  plan_.parameters.push_back({batch.thread, *command.destination, static_cast<std::uint32_t>(parameters)});
  for (const std::uint32_t thread : command.threads) order(parameters, static_cast<AgentId>(thread));
}

//= sync:synchronization-semaphores-waiting
void Planner::wait_semaphore(const Batch& batch, const BatchCommand& command, const Queue& queue) {
  Semaphore& waited = semaphore(command.object, command.timeline.has_value(), command.place);
  if (!waited.timeline && ++waited.waits > 1)
    fail(command.place, fmt::format("binary semaphore '{}' is waited for twice", command.object));
  Dependency& wait = add_dependency(batch.family);
  wait.second = {queue_id(batch.queue), queue.position, command.stages};
  wait.visible = {model::with_later(command.stages), kAll, {}, false};
  add_operation(wait.agent, OperationKind::DeviceVisibility, where(command));
  waits_.push_back({&command.object, command.timeline, static_cast<Point>(wait.agent), command.place,
                    *queue.host_thread, !waited.signals.empty()});
}

//= sync:synchronization-semaphores-signaling
void Planner::signal_semaphore(const Batch& batch, const BatchCommand& command, AgentId submission, Queue& queue) {
  Semaphore& signaled = semaphore(command.object, command.timeline.has_value(), command.place);
  if (!signaled.timeline && !signaled.signals.empty())
    fail(command.place, fmt::format("binary semaphore '{}' is signaled twice", command.object));
  Dependency& signal = add_dependency(batch.family);
  signal.first = {queue_id(batch.queue), queue.position, command.stages};
  signal.available = {model::with_earlier(command.stages), kAll, {}, false};
  add_operation(signal.agent, OperationKind::DeviceAvailability, where(command));
  signaled.signals.push_back(
      {command.timeline.value_or(0), static_cast<Point>(signal.agent), command.place, *queue.host_thread});
  order(submission, signal.agent);
}

bool is_host_access(const Mask& mask) {
  return meet(mask.accesses, Accesses::HostRead | Accesses::HostWrite);
}

/// In the order listed.
//= vk:memory-model-vulkan-availability-visibility
void Planner::add_memory_operations(const Dependency& dependency, const BatchCommand& command, const Mask& first,
                                    const Mask& second) {
  if (meet(first.accesses, Accesses::HostWrite))
    add_operation(dependency.agent, OperationKind::HostToDeviceDomain, where(command));
  add_operation(dependency.agent, OperationKind::DeviceAvailability, where(command));
  add_operation(dependency.agent, OperationKind::DeviceVisibility, where(command));
  if (is_host_access(second)) add_operation(dependency.agent, OperationKind::DeviceToHostDomain, where(command));
}

std::vector<ReferenceId> references(const std::vector<std::uint32_t>& variables) {
  std::vector<ReferenceId> out;
  for (const std::uint32_t variable : variables) out.push_back(static_cast<ReferenceId>(variable));
  return out;
}

//= sync:synchronization-pipeline-barriers
void Planner::barrier(const Batch& batch, const BatchCommand& command, Queue& queue) {
  Dependency& barrier = add_dependency(batch.family);
  barrier.first = {queue_id(batch.queue), queue.position, command.first->stages};
  barrier.second = {queue_id(batch.queue), queue.position + 1, command.second->stages};
  barrier.available = {command.first->stages, command.first->accesses, references(command.variables), false};
  barrier.visible = {command.second->stages, command.second->accesses, references(command.variables), false};
  add_memory_operations(barrier, command, *command.first, *command.second);
}

//= sync:synchronization-events-signaling-device
void Planner::set_event(const Batch& batch, const BatchCommand& command, Queue& queue) {
  Event& event = events_[command.object];
  if (event.set != nullptr || event.by_host)
    fail(command.place, fmt::format("event '{}' is set twice", command.object));
  event.set = &command;
  event.first = {queue_id(batch.queue), queue.position, command.first->stages};
}

/// Vulkan has no set under a wait that is pending.
void Planner::check_set_before(const Event& event, const BatchCommand& command) const {
  const std::uint32_t set = event.call - kFirstCall;
  if (host_.calls[set].thread == host_.calls[submitting_].thread && set < submitting_) return;
  fail(host_.calls[set].place,
       fmt::format("the host sets event '{}' before it submits the wait for it (line {}), in the same column",
                   command.object, command.place.line));
}

void Planner::await_event(const Batch& batch, const BatchCommand& command, Queue& queue) {
  const auto found = events_.find(command.object);
  if (found == events_.end())
    fail(command.place,
         fmt::format("nothing sets event '{}' before this wait: it would wait for ever", command.object));
  Event& event = found->second;
  if (event.awaited) fail(command.place, fmt::format("event '{}' is waited for twice", command.object));
  event.awaited = true;
  if (event.by_host != command.first.has_value())
    fail(command.place, event.by_host ? "the wait for an event that the host sets has the masks (await e MASK MASK)"
                                      : "the masks of an event that a command sets stand at its set");
  if (event.by_host) check_set_before(event, command);
  if (!event.by_host && event.first.queue != queue_id(batch.queue))
    fail(command.place, fmt::format("event '{}' is set on another queue", command.object));
  const BatchCommand& masks = event.by_host ? command : *event.set;
  Dependency& dependency = add_dependency(batch.family);
  dependency.first = event.first;
  dependency.second = {queue_id(batch.queue), queue.position + 1, masks.second->stages};
  dependency.available = {masks.first->stages, masks.first->accesses, references(masks.variables), false};
  dependency.visible = {masks.second->stages, masks.second->accesses, references(masks.variables), false};
  add_memory_operations(dependency, masks, *masks.first, *masks.second);
  if (event.by_host) add_after(static_cast<Point>(dependency.agent), event.call);
}

//= sync:synchronization-queue-transfers-release
//= sync:synchronization-queue-transfers-acquire
void Planner::transfer(const Batch& batch, const BatchCommand& command, Queue& queue) {
  const bool acquires = command.kind == CommandKind::Acquire;
  const std::vector<ReferenceId> buffer = references({command.variable});
  Dependency& transfer = add_dependency(batch.family);
  const Stages first = acquires ? Stages::Ownership : command.first->stages;
  const Stages second = acquires ? command.second->stages : Stages::Ownership;
  transfer.first = {queue_id(batch.queue), queue.position, first};
  transfer.second = {queue_id(batch.queue), queue.position + 1, second};
  const auto from = static_cast<std::uint32_t>(acquires ? command.family : batch.family);
  const auto to = static_cast<std::uint32_t>(acquires ? batch.family : command.family);
  transfer.transfer = model::OwnershipTransfer{acquires, buffer.front(), from, to};
  if (acquires) {
    transfer.visible = {second, command.second->accesses, buffer, false};
  } else {
    transfer.available = {first, command.first->accesses, buffer, false};
  }
  add_operation(transfer.agent, acquires ? OperationKind::DeviceVisibility : OperationKind::DeviceAvailability,
                where(command));
}

void Planner::command(const Batch& batch, const BatchCommand& command, Queue& queue) {
  switch (command.kind) {
    case CommandKind::Dispatch:
      dispatch(batch, command, queue);
      break;
    case CommandKind::Copy: {
      const AgentId agent = add_command(batch, queue, Stages::Copy);
      add_access(agent, OperationKind::Read, command.source, where(command));
      add_access(agent, OperationKind::Write, command.variable, where(command));
      break;
    }
    case CommandKind::Fill: {
      const AgentId agent = add_command(batch, queue, Stages::Clear);
      add_access(agent, OperationKind::Write, command.variable, where(command));
      plan_.agents.back().written = static_cast<explore::Value>(command.value);
      break;
    }
    case CommandKind::Barrier:
      barrier(batch, command, queue);
      break;
    case CommandKind::SetEvent:
      set_event(batch, command, queue);
      break;
    case CommandKind::AwaitEvent:
      await_event(batch, command, queue);
      break;
    case CommandKind::Release:
    case CommandKind::Acquire:
      transfer(batch, command, queue);
      break;
    case CommandKind::WaitSemaphore:
    case CommandKind::SignalSemaphore:
      break;
  }
  ++queue.position;
}

void Planner::submit_batch(const Batch& batch, AgentId submission, Queue& queue) {
  bool commands = false;
  bool signals = false;
  std::vector<AgentId> own;
  for (const BatchCommand& one : batch.commands) {
    const bool waits = one.kind == CommandKind::WaitSemaphore;
    if ((waits && (commands || signals)) || (signals && one.kind != CommandKind::SignalSemaphore))
      fail(one.place, "a batch has its waits first, then its commands, then its signals");
    if (waits) {
      wait_semaphore(batch, one, queue);
    } else if (one.kind == CommandKind::SignalSemaphore) {
      signals = true;
      signal_semaphore(batch, one, submission, queue);
      own.push_back(plan_.side.dependencies.back().agent);
    } else {
      commands = true;
      command(batch, one, queue);
    }
  }
  // Signals of one batch have no order among themselves.
  for (const AgentId earlier : queue.signals)
    for (const AgentId later : own) order(earlier, later);
  queue.signals.insert(queue.signals.end(), own.begin(), own.end());
  ++queue.position;
}

//= sync:synchronization-fences-signaling
AgentId Planner::fence(const Queue& queue, std::uint64_t number, const SourceLocation& where) {
  Dependency& fence = add_dependency(queue.family.value_or(0));
  fence.first = {queue_id(number), queue.position, Stages::Everything};
  fence.available = {Stages::Everything, kAll, {}, false};
  add_operation(fence.agent, OperationKind::DeviceAvailability, where);
  for (const AgentId earlier : queue.submissions) order(earlier, fence.agent);
  for (const AgentId earlier : queue.signals) order(earlier, fence.agent);
  return fence.agent;
}

//= vk:memory-model-vulkan-availability-visibility
//= sync:synchronization-submission-host-writes
void Planner::submit(std::uint32_t index) {
  const HostCall& call = host_.calls[index];
  submitting_ = index;
  const Batch& front = host_.batches[call.batches.front()];
  Queue& queue = queues_[front.queue];
  if (queue.host_thread.value_or(call.thread) != call.thread)
    fail(call.place, fmt::format("two threads of the host submit to queue {}", front.queue));
  queue.host_thread = call.thread;
  Dependency& submission = add_dependency(front.family);
  const AgentId agent = submission.agent;
  submission.second = {queue_id(front.queue), queue.position, Stages::Everything};
  submission.visible.of_device = true;
  add_operation(agent, OperationKind::HostToDeviceDomain, where(index));
  add_operation(agent, OperationKind::DeviceVisibility, where(index));
  add_after(static_cast<Point>(agent), kFirstCall + index);
  queue.submissions.push_back(agent);
  for (const std::uint32_t number : call.batches) {
    const Batch& batch = host_.batches[number];
    const std::string name = test_.threads[batch.thread].name();
    if (batch.queue != front.queue)
      fail(call.place,
           fmt::format("batch {} is of queue {}, and this submission of queue {}", name, batch.queue, front.queue));
    if (queue.family.value_or(batch.family) != batch.family)
      fail(batch.place,
           fmt::format("queue {} is of family {} and of family {}", batch.queue, *queue.family, batch.family));
    queue.family = batch.family;
    if (!submitted_.insert(number).second) fail(call.place, fmt::format("batch {} is submitted twice", name));
    submit_batch(batch, agent, queue);
  }
  if (call.object.empty()) return;
  if (semaphores_.count(call.object) != 0)
    fail(call.place, fmt::format("'{}' is a semaphore, and no fence", call.object));
  if (!fences_.emplace(call.object, fence(queue, front.queue, where(index))).second)
    fail(call.place, fmt::format("fence '{}' is used twice", call.object));
  ++queue.position;
}

/// As a fence on each submission that the thread made before.
//= sync:synchronization-wait-idle
void Planner::idle(std::uint32_t index) {
  const HostCall& call = host_.calls[index];
  for (const HostCall& other : host_.calls) {
    if (other.kind != CallKind::Submit || other.thread == call.thread) continue;
    const std::uint64_t queue = host_.batches[other.batches.front()].queue;
    if (call.queue.value_or(queue) == queue)
      fail(call.place, fmt::format("{} submits to queue {}: which of its submissions come before this is not known; "
                                   "wait for a fence",
                                   test_.threads[other.thread].name(), queue));
  }
  for (auto& [number, queue] : queues_) {
    if (call.queue.value_or(number) != number) continue;
    add_after(kFirstCall + index, static_cast<Point>(fence(queue, number, where(index))));
    ++queue.position;
  }
}

//= sync:synchronization-semaphores-hostops
void Planner::make_call(std::uint32_t index) {
  const HostCall& call = host_.calls[index];
  switch (call.kind) {
    case CallKind::Submit:
      return submit(index);
    case CallKind::WaitFence:
      if (!waited_fences_.insert(call.object).second)
        fail(call.place, fmt::format("fence '{}' is waited for twice", call.object));
      fence_waits_.emplace_back(index, call.object);
      return;
    case CallKind::WaitSemaphore:
      semaphore(call.object, true, call.place);
      waits_.push_back({&call.object, call.value, kFirstCall + index, call.place, call.thread, true});
      return;
    case CallKind::SignalSemaphore:
      semaphore(call.object, true, call.place)
          .signals.push_back({call.value, kFirstCall + index, call.place, call.thread});
      return;
    case CallKind::Idle:
      return idle(index);
    case CallKind::SetEvent: {
      Event& event = events_[call.object];
      if (event.by_host || event.set != nullptr)
        fail(call.place, fmt::format("event '{}' is set twice, or set by the host behind the submission that waits for "
                                     "it",
                                     call.object));
      event.by_host = true;
      event.call = kFirstCall + index;
      return;
    }
  }
}

/// The smallest of the signals with enough value, which orders least.
const Signal& Planner::signal_for(const SemaphoreWait& wait) const {
  const Semaphore& semaphore = semaphores_.at(*wait.semaphore);
  const Signal* least = nullptr;
  for (const Signal& signal : semaphore.signals)
    if (signal.value >= wait.value.value_or(0) && (least == nullptr || signal.value < least->value)) least = &signal;
  if (least != nullptr) return *least;
  fail(wait.place, wait.value ? fmt::format("nothing signals semaphore '{}' with the value {} or more: this waits for "
                                            "ever",
                                            *wait.semaphore, *wait.value)
                              : fmt::format("nothing signals semaphore '{}': this waits for ever", *wait.semaphore));
}

void Planner::resolve_waits() {
  for (const SemaphoreWait& wait : waits_) {
    // A timeline semaphore begins at 0.
    if (wait.value == std::uint64_t{0}) continue;
    const Signal& given = signal_for(wait);
    if (!wait.value && !wait.signal_is_submitted && given.thread == wait.thread)
      fail(wait.place,
           fmt::format("the signal of binary semaphore '{}' is submitted before the wait for it", *wait.semaphore));
    const Point signal = given.giver;
    if (signal < kFirstCall && wait.waiter < kFirstCall) {
      order(static_cast<AgentId>(signal), static_cast<AgentId>(wait.waiter));
    } else {
      add_after(wait.waiter, signal);
    }
  }
  for (const auto& [call, name] : fence_waits_) {
    const auto found = fences_.find(name);
    if (found == fences_.end())
      fail(host_.calls[call].place, fmt::format("no submission signals fence '{}': this waits for ever", name));
    add_after(kFirstCall + call, static_cast<Point>(found->second));
  }
}

std::vector<Point>& Planner::after(Point point) {
  return point >= kFirstCall ? plan_.calls[point - kFirstCall].after : plan_.after[point];
}

void Planner::add_after(Point point, Point earlier) {
  std::vector<Point>& list = after(point);
  if (std::find(list.begin(), list.end(), earlier) == list.end()) list.push_back(earlier);
}

/// Who waits for whom, from the scopes of dependencies.
void Planner::connect() {
  const auto point = [](AgentId agent) { return static_cast<Point>(agent); };
  for (const auto& [first, second] : plan_.synchronization) add_after(point(second), point(first));
  for (const Dependency& dependency : plan_.side.dependencies) {
    for (const model::Command& command : plan_.side.commands) {
      if (comes_before(command, dependency)) add_after(point(dependency.agent), point(command.agent));
      if (comes_after(dependency, command)) add_after(point(command.agent), point(dependency.agent));
    }
    for (const Dependency& later : plan_.side.dependencies)
      if (&later != &dependency && makes_chain(dependency, later))
        add_after(point(later.agent), point(dependency.agent));
  }
}

void Planner::number_calls() {
  const auto agents = static_cast<Point>(plan_.after.size());
  const auto number = [&](std::vector<Point>& list) {
    for (Point& point : list)
      if (point >= kFirstCall) point = agents + (point - kFirstCall);
  };
  for (std::vector<Point>& list : plan_.after) number(list);
  for (explore::Call& call : plan_.calls) number(call.after);
  const auto renumber = [&](Point& point) { point = point >= kFirstCall ? agents + (point - kFirstCall) : point; };
  for (SemaphoreWait& wait : waits_) renumber(wait.waiter);
  for (auto& [name, semaphore] : semaphores_)
    for (Signal& signal : semaphore.signals) renumber(signal.giver);
}

HostPlan Planner::plan() {
  check_dispatches(test_);
  plan_.after.resize(test_.threads.size());
  for (const HostCall& call : host_.calls) plan_.calls.push_back({static_cast<AgentId>(call.thread), {}});
  for (std::uint32_t call = 0; call < host_.calls.size(); ++call)
    if (host_.calls[call].kind == CallKind::SetEvent) make_call(call);
  for (std::uint32_t thread = 0; thread < test_.threads.size(); ++thread)
    for (std::uint32_t call = 0; call < host_.calls.size(); ++call)
      if (host_.calls[call].thread == thread && host_.calls[call].kind != CallKind::SetEvent) make_call(call);
  for (std::uint32_t batch = 0; batch < host_.batches.size(); ++batch)
    if (submitted_.count(batch) == 0)
      fail(host_.batches[batch].place,
           fmt::format("no host column submits batch {}", test_.threads[host_.batches[batch].thread].name()));
  resolve_waits();
  connect();
  number_calls();
  check_order(host_, plan_, waits_, semaphores_);
  describe_memory();
  return std::move(plan_);
}

/// What the memory is.
void Planner::describe_memory() {
  for (const std::uint32_t variable : host_.uniform) plan_.side.uniform.push_back(static_cast<ReferenceId>(variable));
  for (const std::uint32_t variable : host_.exclusive)
    plan_.side.exclusive.push_back(static_cast<ReferenceId>(variable));
  std::set<std::uint32_t> noncoherent;
  for (const std::uint32_t variable : host_.noncoherent) noncoherent.insert(test_.variables[variable].location);
  for (std::uint32_t location = 0; location < test_.locations; ++location)
    if (noncoherent.count(location) == 0) plan_.side.coherent.push_back(static_cast<AllocationId>(location));
  for (const std::vector<std::uint32_t>& atom : host_.atoms) {
    std::vector<AllocationId>& bytes = plan_.side.atoms.emplace_back();
    for (const std::uint32_t variable : atom)
      bytes.push_back(static_cast<AllocationId>(test_.variables[variable].location));
  }
  plan_.side.has_host_threads = true;
}

}  // namespace

HostPlan plan_host(const Test& test) {
  return Planner(test).plan();
}

void check_host_test(const Test& test) {
  plan_host(test);
}

ReferenceId host_reference(const Test& test, const Variable& variable) {
  return static_cast<ReferenceId>(test.variables.size() + variable.location);
}

}  // namespace heddle::litmus
