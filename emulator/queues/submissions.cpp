// What submissions come to: commands and dependencies in the order of the API.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/queues/emulated.h"
#include "emulator/queues/event_check.h"
#include "emulator/queues/scopes.h"
#include "emulator/queues/step_trace.h"
#include "emulator/queues/transfers.h"
#include "emulator/queues/trouble.h"

namespace heddle::queues {

using detail::BatchSemaphore;
using detail::Command;
using detail::CommandKind;
using model::Accesses;
using model::meet;
using model::Stages;

namespace {

constexpr Accesses kAll = Accesses::MemoryRead | Accesses::MemoryWrite;

/// A semaphore at all commands leaves nothing out.
Stages stages_of_semaphore(PipelineStage2 stages) {
  return stages == PipelineStage2::AllCommands ? Stages::Everything : stages_of(stages);
}

template <typename Barrier>
Node node_of(NodeKind kind, const char* call, const Barrier& barrier, const SourceLocation& where) {
  Node node;
  node.kind = kind;
  node.call = call;
  node.where = where;
  node.dependency.first.stages = stages_of(barrier.src_stage_mask);
  node.dependency.second.stages = stages_of(barrier.dst_stage_mask);
  const Accesses source = accesses_of(barrier.src_stage_mask, barrier.src_access_mask);
  const Accesses destination = accesses_of(barrier.dst_stage_mask, barrier.dst_access_mask);
  node.named_source = static_cast<Accesses>(barrier.src_access_mask);
  node.named_destination = static_cast<Accesses>(barrier.dst_access_mask);
  node.dependency.available = {node.dependency.first.stages, source, {}, false};
  node.dependency.visible = {node.dependency.second.stages, destination, {}, false};
  node.to_device = meet(source, Accesses::HostWrite);
  node.to_host = meet(destination, Accesses::HostRead | Accesses::HostWrite);
  return node;
}

/// The scopes of the node are of this buffer alone, whose contents may pass to another family.
void name_buffer(Node& node, const BufferMemoryBarrier2& barrier) {
  const std::uint64_t begin = barrier.buffer.begin() + barrier.offset;
  const std::uint64_t end =
      barrier.size == kWholeSize ? barrier.buffer.begin() + barrier.buffer.size() : begin + barrier.size;
  node.ranges.push_back({barrier.buffer.reference(), begin, end});
  const std::uint32_t from = barrier.src_queue_family_index;
  const std::uint32_t to = barrier.dst_queue_family_index;
  if (from == to) return;
  const bool acquires = node.family == to;
  node.dependency.transfer = {acquires, barrier.buffer.reference(), from, to};
  (acquires ? node.dependency.first : node.dependency.second).stages = Stages::Ownership;
}

bool is_same_but_buffers(const Node& a, const Node& b) {
  const auto masks = [](const Node& node) {
    return std::tuple(node.dependency.first.stages, node.named_source, node.dependency.second.stages,
                      node.named_destination);
  };
  return !a.ranges.empty() && !b.ranges.empty() && !a.dependency.transfer && !b.dependency.transfer &&
         masks(a) == masks(b);
}

}  // namespace

void EmulatedEngine::submit(const detail::QueueNumber& queue, std::vector<detail::Batch> batches,
                            std::shared_ptr<detail::FenceState> fence, const SourceLocation& where) {
  if (!begin_call(where)) return;
  for (const detail::Batch& batch : batches)
    for (const auto& commands : batch.commands)
      for (const Command& command : commands->commands) check_memory(command);
  EventCheck events(queue.queue);
  for (const auto& [event, how] : events_) events.is_set(*event, {how.by_host != kNoNode, how.queue, how.barriers});
  for (const detail::Batch& batch : batches)
    for (const auto& commands : batch.commands) events.follow(commands->commands);
  check_submission(batches, fence.get(), where);
  if (!order_.may_submit(model::QueueId{queue.queue}))
    detail::refuse_call("submit2", fmt::format("queue {}", queue.queue),
                        "another host thread has submitted to it, and nothing orders the two calls");
  used_[queue.queue] = queue;
  const auto told = trace_->host_calls(where, [&] { return words_of(queue, batches, fence.get()); });
  trace_->is_node(order_.submit(model::QueueId{queue.queue}, queue.family, where));
  for (const detail::Batch& batch : batches) {
    Submitting to{queue, std::make_shared<InFlight>()};
    to.batch->commands = batch.commands;
    add_secondaries(to.batch->commands);
    for (const auto& commands : to.batch->commands) ++commands->pending;
    submit_batch(to, batch, where);
  }
  if (fence) {
    fence->node = add_fence(queue, where);
    open_.back().fence = std::move(fence);
  }
  step();
}

void EmulatedEngine::check_memory(const Command& command) {
  const auto check = [&](const AnyBuffer& buffer) {
    const Domains::Memory* const memory = buffer.owner() ? domains_.find(buffer.owner()->id) : nullptr;
    if (memory && memory->freed)
      detail::refuse_call("submit2", buffer.owner().name(), fmt::format("{} uses it, and it was freed", command.call));
  };
  check(command.from);
  check(command.to);
  if (command.secondary)
    for (const Command& inner : command.secondary->commands) check_memory(inner);
  if (!command.dispatch) return;
  for (const detail::Owner& owner : command.dispatch->owners()) domains_.add(owner);
  for (const emulation::Binding& binding : command.dispatch->bindings()) {
    const Domains::Memory* const memory = binding.allocation ? domains_.find(binding.allocation->id) : nullptr;
    if (memory && memory->freed)
      detail::refuse_call("submit2", binding.allocation->name, "a dispatch uses it, and it was freed");
  }
}

void EmulatedEngine::submit_batch(const Submitting& to, const detail::Batch& batch, const SourceLocation& where) {
  const model::QueueId queue{to.queue.queue};
  for (const BatchSemaphore& wait : batch.waits) {
    Node node;
    node.kind = NodeKind::SemaphoreWait;
    node.call = "submit2, a semaphore's wait";
    node.where = where;
    node.family = to.queue.family;
    node.dependency.second.stages = stages_of_semaphore(wait.stages);
    node.dependency.visible = {model::with_later(node.dependency.second.stages), kAll, {}, false};
    if (!wait.semaphore->timeline) {
      node.after.push_back(wait.semaphore->signals.back().node);
      wait.semaphore->signals.clear();
    }
    Open open;
    open.node = order_.add(queue, std::move(node));
    open.batch = to.batch;
    open.semaphore = wait.semaphore;
    open.value = wait.value;
    open_.push_back(std::move(open));
  }
  for (const auto& commands : batch.commands) submit_commands(to, commands->commands);
  for (const BatchSemaphore& signal : batch.signals) {
    Node node;
    node.kind = NodeKind::SemaphoreSignal;
    node.call = "submit2, a semaphore's signal";
    node.where = where;
    node.family = to.queue.family;
    node.dependency.first.stages = stages_of_semaphore(signal.stages);
    node.dependency.available = {model::with_earlier(node.dependency.first.stages), kAll, {}, false};
    Open open;
    open.node = order_.add(queue, std::move(node));
    open.batch = to.batch;
    open.semaphore = signal.semaphore;
    open.value = signal.value;
    signal.semaphore->signals.push_back({signal.value, open.node});
    open_.push_back(std::move(open));
  }
  order_.batch_ends(queue);
}

NodeId EmulatedEngine::add_fence(const detail::QueueNumber& queue, const SourceLocation& where) {
  Node node;
  node.kind = NodeKind::Fence;
  node.call = "a fence";
  node.where = where;
  node.family = queue.family;
  node.dependency.first.stages = Stages::Everything;
  node.dependency.available = {Stages::Everything, kAll, {}, false};
  Open open;
  open.node = order_.add(model::QueueId{queue.queue}, std::move(node));
  open_.push_back(std::move(open));
  return open_.back().node;
}

void EmulatedEngine::submit_commands(const Submitting& to, const std::vector<Command>& commands) {
  for (const Command& command : commands) submit_command(to, command);
}

NodeId EmulatedEngine::add_command(const Submitting& to, const Command& command, Stages stage) {
  Node node;
  node.kind = NodeKind::Command;
  node.call = command.call;
  node.where = command.where;
  node.family = to.queue.family;
  node.command.stage = stage;
  Open open;
  open.node = order_.add(model::QueueId{to.queue.queue}, std::move(node));
  open.command = &command;
  open.batch = to.batch;
  open_.push_back(std::move(open));
  return open_.back().node;
}

void EmulatedEngine::submit_command(const Submitting& to, const Command& command) {
  switch (command.kind) {
    case CommandKind::Dispatch:
      add_command(to, command, Stages::Compute);
      return;
    case CommandKind::DispatchIndirect: {
      auto groups = std::make_shared<std::array<std::uint32_t, 3>>();
      const NodeId reads = add_command(to, command, Stages::DrawIndirect);
      open_.back().groups = groups;
      open_.back().reads_groups = true;
      const NodeId runs = add_command(to, command, Stages::Compute);
      open_.back().groups = std::move(groups);
      order_[runs].after.push_back(reads);
      return;
    }
    case CommandKind::Copy:
      add_command(to, command, Stages::Copy);
      return;
    case CommandKind::Clear:
      add_command(to, command, Stages::Clear);
      return;
    case CommandKind::Barrier:
      return submit_barriers(to, command);
    case CommandKind::SetEvent: {
      const std::uint32_t position = order_.position(model::QueueId{to.queue.queue});
      const NodeId node = tell_event(to, command);
      // An event that is set stays what it is.
      events_.try_emplace(command.event.get(),
                          SetEvent{to.queue.queue, position, count_of(*command.dependency), kNoNode, node});
      return;
    }
    case CommandKind::WaitEvents:
      return wait_event(to, command);
    case CommandKind::ResetEvent:
      events_.erase(command.event.get());
      tell_event(to, command);
      return;
    case CommandKind::Execute:
      return submit_commands(to, command.secondary->commands);
  }
}

//= vk:memory-model-vulkan-availability-visibility
void EmulatedEngine::submit_barriers(const Submitting& to, const Command& command) {
  add_dependencies(to, nodes_of(to, NodeKind::Barrier, command), {});
}

/// `what` says more of each.
void EmulatedEngine::add_dependencies(const Submitting& to, std::vector<Node> nodes, const Open& what) {
  for (const NodeId node : order_.add_together(model::QueueId{to.queue.queue}, std::move(nodes))) {
    Open open = what;
    open.node = node;
    open.batch = to.batch;
    open_.push_back(std::move(open));
  }
}

std::vector<Node> EmulatedEngine::nodes_of(const Submitting& to, NodeKind kind, const Command& command) {
  std::vector<Node> out;
  const auto add = [&](const auto& barrier) {
    Node node = node_of(kind, command.call, barrier, command.where);
    node.family = to.queue.family;
    if constexpr (requires { barrier.buffer; }) name_buffer(node, barrier);
    // Barriers that differ in their buffers alone are one, of all these buffers.
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Node& one) { return is_same_but_buffers(one, node); });
    if (same == out.end()) {
      out.push_back(std::move(node));
    } else {
      same->ranges.insert(same->ranges.end(), node.ranges.begin(), node.ranges.end());
    }
  };
  for_each_barrier(*command.dependency, add);
  return out;
}

NodeId EmulatedEngine::tell_event(const Submitting& to, const Command& command) {
  if (!trace_->is_on()) return kNoNode;
  Node node;
  node.kind = NodeKind::EventChange;
  node.call = command.call;
  node.where = command.where;
  node.family = to.queue.family;
  node.dependency.first.stages = source_stages(*command.dependency);
  Open open;
  open.node = order_.add(model::QueueId{to.queue.queue}, std::move(node));
  open.batch = to.batch;
  open.event = command.event;
  open_.push_back(std::move(open));
  return open_.back().node;
}

void EmulatedEngine::wait_event(const Submitting& to, const Command& command) {
  const SetEvent& set = events_.find(command.event.get())->second;
  std::vector<Node> nodes = nodes_of(to, NodeKind::Event, command);
  for (Node& node : nodes) {
    if (set.by_host != kNoNode) {
      node.after.push_back(set.by_host);
    } else {
      node.dependency.first.position = set.position;
    }
  }
  Open what;
  what.event = command.event;
  what.set_by = set.by_command;
  add_dependencies(to, std::move(nodes), what);
}

}  // namespace heddle::queues
