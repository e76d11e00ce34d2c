#include "emulator/queues/changed_order.h"

#include <utility>

#include "emulator/queues/races.h"

namespace heddle::queues {

using model::Accesses;
using model::Stages;

namespace {

constexpr Accesses kAll = Accesses::MemoryRead | Accesses::MemoryWrite;

}  // namespace

Node ChangedOrder::barrier() const {
  Node node;
  node.kind = NodeKind::Barrier;
  model::Dependency& dependency = node.dependency;
  dependency.first = {order_[x_.node].command.queue, order_[x_.node].command.position + 1, x_.stage};
  dependency.second = {order_[y_.node].command.queue, order_[y_.node].command.position, y_.stage};
  dependency.available = {x_.stage, x_.writes ? x_.kind : Accesses::None, {}, false};
  dependency.visible = {y_.stage, x_.writes ? y_.kind : Accesses::None, {}, false};
  node.to_host = y_.on_host;
  return node;
}

Node ChangedOrder::of_bytes(NodeKind kind, const Access& access) const {
  Node node;
  node.kind = kind;
  node.bytes = {access.allocation, access.offset, 0};
  node.bytes_end = access.offset + kWordBytes;
  return node;
}

ChangedOrder& ChangedOrder::add_accesses(NodeId node, Accesses source, Accesses destination) {
  model::Dependency& changed = order_[node].dependency;
  changed.available.accesses = changed.available.accesses | source;
  changed.visible.accesses = changed.visible.accesses | destination;
  return *this;
}

ChangedOrder& ChangedOrder::add_stage(NodeId id, bool to_source) {
  order_.begin(id);
  Node& node = order_[id];
  model::ExecutionScope& execution = to_source ? node.dependency.first : node.dependency.second;
  model::AccessScope& memory = to_source ? node.dependency.available : node.dependency.visible;
  execution.stages = execution.stages | (to_source ? x_ : y_).stage;
  memory.stages = execution.stages;
  const Accesses named = to_source ? node.named_source : node.named_destination;
  memory.accesses = named & model::accesses_of(execution.stages);
  order_.connect(x_.node, id);
  order_.connect(id, y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::add_stages(NodeId signal, NodeId wait) {
  order_.begin(signal);
  order_.begin(wait);
  model::Dependency& signals = order_[signal].dependency;
  signals.first.stages = signals.first.stages | x_.stage;
  signals.available.stages = model::with_earlier(signals.first.stages);
  model::Dependency& waits = order_[wait].dependency;
  waits.second.stages = waits.second.stages | y_.stage;
  waits.visible.stages = model::with_later(waits.second.stages);
  order_.connect(x_.node, signal);
  order_.connect(signal, wait);
  order_.connect(wait, y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::name_all_memory(NodeId node) {
  order_[node].ranges.clear();
  return *this;
}

ChangedOrder& ChangedOrder::record_barrier() {
  order_.insert(barrier(), x_.node, y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::record_barrier_behind() {
  order_.insert_behind(barrier(), x_.node);
  return *this;
}

ChangedOrder& ChangedOrder::record_barrier_before() {
  order_.insert_before(barrier(), y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::signal_semaphore() {
  Node node = barrier();
  node.dependency.first.stages = node.dependency.second.stages = Stages::Everything;
  node.dependency.available = node.dependency.visible = {Stages::Everything, kAll, {}, false};
  order_.insert(std::move(node), x_.node, y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::wait_for_fence() {
  const model::Command command = order_[x_.node].command;
  std::vector<NodeId> behind;
  for (const NodeId id : order_.dependencies()) {
    const Node& node = order_[id];
    if (id < x_.node || node.dependency.first.queue != command.queue || node.kind == NodeKind::Submission) continue;
    order_.begin(id);
    behind.push_back(id);
    if (node.kind != NodeKind::Fence && node.kind != NodeKind::SemaphoreSignal) continue;
    order_.connect(x_.node, id);
    order_.connect(id, y_.node);
    return *this;
  }
  Node fence = barrier();
  fence.kind = NodeKind::Fence;
  fence.to_host = false;
  fence.dependency.first.stages = Stages::Everything;
  fence.dependency.available = {Stages::Everything, kAll, {}, false};
  const NodeId id = order_.insert(std::move(fence), x_.node, y_.node);
  for (const NodeId earlier : behind) order_.connect(earlier, id);
  order_.connect(id, y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::submit_behind() {
  NodeId submission = kNoNode;
  for (const NodeId id : order_.dependencies())
    if (order_[id].kind == NodeKind::Submission && order_.happens_before(id, y_.node)) submission = id;
  if (submission != kNoNode) order_.connect(x_.node, submission);
  return *this;
}

ChangedOrder& ChangedOrder::flush() {
  order_.insert_behind(of_bytes(NodeKind::Flush, x_), x_.node);
  return *this;
}

ChangedOrder& ChangedOrder::invalidate() {
  order_.insert_before(of_bytes(NodeKind::Invalidate, y_), y_.node);
  return *this;
}

ChangedOrder& ChangedOrder::transfer_ownership() {
  for (const bool acquires : {false, true}) {
    Node half = barrier();
    half.dependency.transfer = {acquires, y_.reference, order_[x_.node].family, order_[y_.node].family};
    if (acquires) {
      order_.insert_before(std::move(half), y_.node);
    } else {
      order_.insert_behind(std::move(half), x_.node);
    }
  }
  return *this;
}

}  // namespace heddle::queues
