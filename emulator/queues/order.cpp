#include "emulator/queues/order.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace heddle::queues {

using model::meet;
using model::Stages;

namespace {

bool is_command(const Node& node) {
  return node.kind == NodeKind::Command;
}

void add_all(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& more) {
  if (to.size() < more.size()) to.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) to[i] |= more[i];
}

void add_one(std::vector<std::uint64_t>& to, NodeId node) {
  if (to.size() <= node / 64) to.resize(node / 64 + 1);
  to[node / 64] |= std::uint64_t{1} << node % 64;
}

}  // namespace

Order::Order() {
  hosts_.push_back(push({}));
}

void Order::host_is(std::uint32_t thread, std::vector<NodeId> after) {
  host_thread_ = thread;
  if (hosts_.size() <= thread) hosts_.resize(thread + 1, kNoNode);
  if (hosts_[thread] != kNoNode) after.push_back(hosts_[thread]);
  host_goes_on(std::move(after));
}

Order::Queue& Order::queue_of(model::QueueId queue) {
  const auto number = static_cast<std::size_t>(queue);
  if (queues_.size() <= number) queues_.resize(number + 1);
  return queues_[number];
}

NodeId Order::push(Node node) {
  const auto id = static_cast<NodeId>(nodes_.size());
  if (!is_command(node) && node.kind != NodeKind::Host) dependencies_.push_back(id);
  for (const BufferRange& range : node.ranges) {
    add_boundary(range.begin);
    add_boundary(range.end);
  }
  if (node.bytes_end != 0) {
    add_boundary(node.bytes.offset_bytes);
    add_boundary(node.bytes_end);
  }
  nodes_.push_back(std::move(node));
  return id;
}

void Order::add_boundary(std::uint64_t offset) {
  const auto at = std::lower_bound(boundaries_.begin(), boundaries_.end(), offset);
  if (at != boundaries_.end() && *at == offset) return;
  boundaries_.insert(at, offset);
  known_.clear();
}

NodeId Order::host_calls(Node call, std::vector<NodeId> after) {
  after.push_back(host());
  call.host_thread = host_thread_;
  call.after = std::move(after);
  const NodeId id = push(std::move(call));
  begin(id);
  host_goes_on({id});
  return id;
}

void Order::host_goes_on(std::vector<NodeId> after, const char* call, const SourceLocation& where) {
  Node next;
  next.call = call;
  next.where = where;
  next.host_thread = host_thread_;
  next.after = std::move(after);
  const NodeId id = push(std::move(next));
  hosts_[host_thread_] = id;
  begin(id);
}

void Order::host_waited(const char* call, const SourceLocation& where, std::vector<NodeId> after) {
  after.push_back(host());
  host_goes_on(std::move(after), call, where);
}

bool Order::may_submit(model::QueueId queue) {
  const NodeId last = queue_of(queue).submission;
  if (last == kNoNode) return true;
  // What the host did next is behind the call, and not behind its operations.
  const NodeId by = nodes_[last].after.front();
  return by == host() || happens_before(by, host());
}

//= sync:synchronization-submission-host-writes
//= vk:memory-model-vulkan-availability-visibility
NodeId Order::submit(model::QueueId queue, std::uint32_t family, const SourceLocation& where) {
  Node call;
  call.kind = NodeKind::Submission;
  call.call = "submit2";
  call.where = where;
  call.family = family;
  call.to_device = true;
  call.dependency.visible.of_device = true;
  Queue& one = queue_of(queue);
  call.dependency.second = {queue, one.position, Stages::Everything};
  // What the host does next is behind the call, and not behind its operations: those are for the queue.
  call.after = {host()};
  const NodeId id = push(std::move(call));
  begin(id);
  host_goes_on({host()});
  const auto known = [&](NodeId node) { return happens_before(node, id); };
  std::erase_if(one.nodes, known);
  std::erase_if(one.signals, known);
  one.nodes.push_back(id);
  one.submission = id;
  return id;
}

//= vk:memory-model-system-synchronizes-with
bool Order::orders(const Node& earlier, const Node& later) const {
  if (is_command(earlier)) return !is_command(later) && model::comes_before(earlier.command, later.dependency);
  return is_command(later) ? model::comes_after(earlier.dependency, later.command)
                           : model::makes_chain(earlier.dependency, later.dependency);
}

NodeId Order::add(model::QueueId queue, Node node) {
  place(queue, node);
  return push_to(queue, std::move(node));
}

std::vector<NodeId> Order::add_together(model::QueueId queue, std::vector<Node> nodes) {
  for (Node& node : nodes) place(queue, node);
  std::vector<NodeId> out;
  for (Node& node : nodes) out.push_back(push_to(queue, std::move(node)));
  return out;
}

/// The node is the next one, and what it follows is known.
void Order::place(model::QueueId queue, Node& node) {
  Queue& one = queue_of(queue);
  const std::uint32_t position = one.position++;
  node.command.queue = queue;
  node.command.position = position;
  if (node.dependency.first.position == 0) node.dependency.first.position = position;
  node.dependency.first.queue = node.dependency.second.queue = queue;
  node.dependency.second.position = position;
  for (const NodeId earlier : one.nodes)
    if (orders(nodes_[earlier], node)) node.after.push_back(earlier);
  if (node.kind == NodeKind::SemaphoreSignal || node.kind == NodeKind::Fence) {
    node.after.insert(node.after.end(), one.signals.begin(), one.signals.end());
    node.after.push_back(one.submission);
  }
}

NodeId Order::push_to(model::QueueId queue, Node node) {
  Queue& one = queue_of(queue);
  const bool signals = node.kind == NodeKind::SemaphoreSignal;
  const NodeId id = push(std::move(node));
  one.nodes.push_back(id);
  if (signals) one.signals_of_batch.push_back(id);
  return id;
}

void Order::batch_ends(model::QueueId queue) {
  Queue& one = queue_of(queue);
  one.signals.insert(one.signals.end(), one.signals_of_batch.begin(), one.signals_of_batch.end());
  one.signals_of_batch.clear();
}

void Order::begin(NodeId id) {
  std::vector<std::uint64_t> before;
  for (const NodeId earlier : nodes_[id].after) {
    add_all(before, nodes_[earlier].before);
    add_one(before, earlier);
  }
  nodes_[id].before = std::move(before);
}

bool Order::happens_before(NodeId earlier, NodeId later) const {
  const std::vector<std::uint64_t>& before = nodes_[later].before;
  return earlier / 64 < before.size() && (before[earlier / 64] >> earlier % 64 & 1) != 0;
}

void Order::connect(NodeId earlier, NodeId later) {
  std::vector<std::uint64_t> more = nodes_[earlier].before;
  add_one(more, earlier);
  for (NodeId node = 0; node < count(); ++node)
    if (node == later || happens_before(later, node)) add_all(nodes_[node].before, more);
}

NodeId Order::insert(Node node, NodeId earlier, NodeId later) {
  const NodeId id = push(std::move(node));
  connect(earlier, id);
  connect(id, later);
  return id;
}

NodeId Order::insert_behind(Node node, NodeId earlier) {
  const NodeId id = push(std::move(node));
  for (NodeId later = 0; later < id; ++later)
    if (happens_before(earlier, later)) add_one(nodes_[later].before, id);
  connect(earlier, id);
  return id;
}

NodeId Order::insert_before(Node node, NodeId later) {
  const NodeId id = push(std::move(node));
  nodes_[id].before = nodes_[later].before;
  connect(id, later);
  return id;
}

/// Whether the later node, which follows the earlier one, would not if the masks of one of them were others.
bool Order::is_by_masks(const Node& earlier, const Node& later) const {
  const auto is_on_queue = [](const Node& node) {
    return is_command(node) || node.kind == NodeKind::Barrier || node.kind == NodeKind::Event ||
           node.kind == NodeKind::SemaphoreWait || node.kind == NodeKind::SemaphoreSignal ||
           node.kind == NodeKind::Fence;
  };
  const bool is_submission = earlier.kind == NodeKind::Submission;
  if (!is_on_queue(later) || !(is_submission || is_on_queue(earlier))) return false;
  if (earlier.dependency.second.queue != later.command.queue) return false;
  // A signal that a wait is for, or that comes in front of later ones; the submission of a signal.
  if (earlier.kind == NodeKind::SemaphoreSignal && later.kind != NodeKind::Command) return false;
  return !is_submission || (later.kind != NodeKind::SemaphoreSignal && later.kind != NodeKind::Fence);
}

void Order::narrow(const std::vector<NodeId>& nodes) {
  std::vector<bool> is_narrower(nodes_.size());
  for (const NodeId node : nodes) is_narrower[node] = true;
  for (NodeId id = 0; id < count(); ++id) {
    Node& node = nodes_[id];
    std::erase_if(node.after, [&](NodeId earlier) {
      return (is_narrower[id] || is_narrower[earlier]) && is_by_masks(nodes_[earlier], node) &&
             !orders(nodes_[earlier], node);
    });
  }
  find_befores();
}

void Order::leave_out(const std::vector<NodeId>& nodes) {
  std::vector<bool> is_left_out(nodes_.size());
  for (const NodeId id : nodes) {
    is_left_out[id] = true;
    nodes_[id].dependency = {};
    nodes_[id].to_device = nodes_[id].to_host = false;
  }
  for (Node& node : nodes_) std::erase_if(node.after, [&](NodeId earlier) { return is_left_out[earlier]; });
  find_befores();
}

void Order::find_befores() {
  std::vector<bool> is_known(nodes_.size());
  // What has not begun is behind nothing yet.
  for (NodeId id = 0; id < count(); ++id) is_known[id] = nodes_[id].before.empty();
  // A wait may come in front of the signal that ends it.
  const std::function<void(NodeId)> find = [&](NodeId id) {
    if (is_known[id]) return;
    is_known[id] = true;
    for (const NodeId earlier : nodes_[id].after) find(earlier);
    begin(id);
  };
  for (NodeId id = 0; id < count(); ++id) find(id);
}

bool Order::in_ranges(const Node& node, const Access& access) const {
  return node.ranges.empty() || std::any_of(node.ranges.begin(), node.ranges.end(), [&](const BufferRange& range) {
           return range.reference == access.reference && range.begin <= access.offset && access.offset < range.end;
         });
}

bool Order::covers(const Node& node, const Access& access) {
  return node.bytes.allocation == access.allocation && node.bytes.offset_bytes <= access.offset &&
         access.offset < node.bytes_end;
}

//= vk:memory-model-vulkan-availability-visibility
bool Order::makes_available(const Node& node, const Access& write) const {
  const model::AccessScope& scope = node.dependency.available;
  return scope.of_device ||
         (model::comes_before(nodes_[write.node].command, node.dependency) && meet(write.stage, scope.stages) &&
          meet(write.kind, scope.accesses) && in_ranges(node, write));
}

//= vk:memory-model-vulkan-availability-visibility
bool Order::makes_visible(const Node& node, const Access& read) const {
  const model::AccessScope& scope = node.dependency.visible;
  return scope.of_device ||
         (model::comes_after(node.dependency, nodes_[read.node].command) && meet(read.stage, scope.stages) &&
          meet(read.kind, scope.accesses) && in_ranges(node, read));
}

/// Where the write becomes available to the domain of its own side, in front of `later`.
std::vector<NodeId> Order::first_points(const Access& write, NodeId later) const {
  if (write.on_host && write.coherent) return {write.node};
  std::vector<NodeId> out;
  for (const NodeId id : dependencies_) {
    const Node& node = nodes_[id];
    if (!happens_before(write.node, id) || !happens_before(id, later)) continue;
    if (write.on_host ? node.kind == NodeKind::Flush && covers(node, write) : makes_available(node, write))
      out.push_back(id);
  }
  return out;
}

bool Order::reaches(const std::vector<NodeId>& from, NodeId node) const {
  return std::any_of(from.begin(), from.end(),
                     [&](NodeId point) { return point == node || happens_before(point, node); });
}

std::vector<NodeId> Order::moved(const std::vector<NodeId>& from, bool to_device, NodeId later) const {
  std::vector<NodeId> out;
  for (const NodeId id : dependencies_)
    if ((to_device ? nodes_[id].to_device : nodes_[id].to_host) && happens_before(id, later) && reaches(from, id))
      out.push_back(id);
  return out;
}

bool Order::is_visible(const std::vector<NodeId>& from, const Access& read) const {
  if (read.on_host && read.coherent) return true;
  return std::any_of(dependencies_.begin(), dependencies_.end(), [&](NodeId id) {
    const Node& node = nodes_[id];
    return happens_before(id, read.node) && reaches(from, id) &&
           (read.on_host ? node.kind == NodeKind::Invalidate && covers(node, read) : makes_visible(node, read));
  });
}

/// Whether the contents pass from the family that wrote them to that which reads them.
bool Order::owns(const Access& write, const Access& read) const {
  std::uint32_t family = nodes_[write.node].family;
  const std::uint32_t last = nodes_[read.node].family;
  NodeId at = write.node;
  // Each family is passed through once at most.
  for (std::size_t steps = 0; family != last; ++steps) {
    const auto transfer = [&](bool acquires, NodeId behind, std::uint32_t from) {
      return std::find_if(dependencies_.begin(), dependencies_.end(), [&](NodeId id) {
        const auto& half = nodes_[id].dependency.transfer;
        return half && half->acquires == acquires && half->reference == read.reference && half->from == from &&
               happens_before(behind, id) && happens_before(id, read.node);
      });
    };
    const auto release = transfer(false, at, family);
    if (release == dependencies_.end() || steps == dependencies_.size()) return false;
    const auto acquire = transfer(true, *release, family);
    if (acquire == dependencies_.end()) return false;
    at = *acquire;
    family = nodes_[at].dependency.transfer->to;
  }
  return true;
}

//= vk:memory-model-location-ordered
Missing Order::find_missing(const Access& earlier, const Access& later) const {
  if (earlier.node == later.node) return Missing::Nothing;
  if (!happens_before(earlier.node, later.node)) return Missing::Execution;
  // Between threads of the host its language governs.
  if (!earlier.writes || (earlier.on_host && later.on_host)) return Missing::Nothing;
  std::vector<NodeId> points = first_points(earlier, later.node);
  if (points.empty()) return earlier.on_host ? Missing::Flush : Missing::Availability;
  if (earlier.on_host != later.on_host) {
    points = moved(points, earlier.on_host, later.node);
    if (points.empty()) return earlier.on_host ? Missing::ToDevice : Missing::ToHost;
  }
  if (later.writes) return Missing::Nothing;
  if (!is_visible(points, later)) return later.on_host ? Missing::Invalidation : Missing::Visibility;
  const bool passes_on = earlier.exclusive && !earlier.on_host && !later.on_host;
  return passes_on && !owns(earlier, later) ? Missing::Ownership : Missing::Nothing;
}

std::size_t Order::range_of(std::uint64_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(boundaries_.begin(), boundaries_.end(), offset) -
                                  boundaries_.begin());
}

Missing Order::missing(const Access& earlier, const Access& later) const {
  const auto known_as = [](const Access& access) {
    return static_cast<unsigned>(access.kind) | (access.writes ? 1u << 16 : 0u);
  };
  const std::uint64_t place = static_cast<std::uint64_t>(earlier.allocation) << 32 | range_of(earlier.offset);
  const Key key{earlier.node, known_as(earlier), static_cast<unsigned>(earlier.reference),
                later.node,   known_as(later),   static_cast<unsigned>(later.reference),
                place};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  constexpr std::size_t kMostKnown = std::size_t{1} << 16;
  if (known_.size() == kMostKnown) known_.clear();
  const Missing answer = find_missing(earlier, later);
  known_.emplace(key, answer);
  return answer;
}

}  // namespace heddle::queues
