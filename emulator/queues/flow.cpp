#include "emulator/queues/flow.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace heddle::queues {

using model::meet;

namespace {

/// Families are few: those beyond the last bit share it.
std::uint64_t bit_of(std::uint32_t family) {
  return std::uint64_t{1} << std::min(family, 63u);
}

bool names(const std::vector<BufferRange>& ranges, const Access& access) {
  if (ranges.empty()) return true;
  for (const BufferRange& range : ranges)
    if (range.reference == access.reference && access.offset >= range.begin && access.offset < range.end) return true;
  return false;
}

bool names(const Node& call, const Access& access) {
  const std::uint64_t first = call.bytes.offset_bytes;
  return call.bytes.allocation == access.allocation && access.offset >= first && access.offset < call.bytes_end;
}

/// Whether an operation whose scopes these are does anything to an access of a command that stands in the scope.
bool takes(const model::AccessScope& scope, const model::ExecutionScope& execution, bool is_first,
           const Node& of_access, const Access& access, const std::vector<BufferRange>& ranges) {
  if (scope.of_device) return !access.on_host;
  if (access.on_host || execution.queue != of_access.command.queue) return false;
  const bool in_order =
      is_first ? of_access.command.position < execution.position : of_access.command.position >= execution.position;
  const model::Stages stages = is_first ? model::with_earlier(execution.stages) : model::with_later(execution.stages);
  return in_order && meet(access.stage, stages) && meet(access.stage, scope.stages) &&
         meet(access.kind, scope.accesses) && names(ranges, access);
}

}  // namespace

void Flow::Load::join(const Load& other) {
  happened = happened || other.happened;
  in_device = in_device || other.in_device;
  in_host = in_host || other.in_host;
  seen = seen || other.seen;
  families |= other.families;
  for (const auto& [family, to] : other.under_way) under_way[family] |= to;
}

//= vk:memory-model-vulkan-availability-visibility
//= sync:synchronization-queue-transfers-release
//= sync:synchronization-queue-transfers-acquire
void Flow::pass_ownership(const model::OwnershipTransfer& half, const Access& later, Load& load) {
  if (half.reference != later.reference) return;
  if (!half.acquires && (load.families & bit_of(half.from)) != 0) load.under_way[half.from] |= bit_of(half.to);
  if (half.acquires && (load.under_way[half.from] & bit_of(half.to)) != 0) load.families |= bit_of(half.to);
}

/// Performs the operations of a node on the load, in the order of a dependency: to the device domain, availability,
/// visibility, to the host domain.
//= vk:memory-model-vulkan-availability-visibility
void Flow::pass(NodeId at, const Access& write, const Access& later, Load& load) const {
  const Node& node = order_[at];
  const model::Dependency& dependency = node.dependency;
  if (node.kind == NodeKind::Flush && write.on_host && names(node, write)) load.in_host = true;
  if (node.to_device && load.in_host) load.in_device = true;
  if (takes(dependency.available, dependency.first, true, order_[write.node], write, node.ranges))
    load.in_device = true;
  if (load.in_device && takes(dependency.visible, dependency.second, false, order_[later.node], later, node.ranges))
    load.seen = true;
  if (node.to_host && load.in_device) load.in_host = true;
  if (node.kind == NodeKind::Invalidate && later.on_host && names(node, later) && load.in_host) load.seen = true;
  if (dependency.transfer) pass_ownership(*dependency.transfer, later, load);
}

/// What leads from the write to the later access, each node behind those that it follows.
std::vector<NodeId> Flow::way(NodeId write, NodeId later) const {
  std::vector<NodeId> out;
  std::set<NodeId> met{write, later};
  std::vector<std::pair<NodeId, std::size_t>> stack{{later, 0}};
  while (!stack.empty()) {
    auto& [at, next] = stack.back();
    const std::vector<NodeId>& after = order_[at].after;
    if (next == after.size()) {
      out.push_back(at);
      stack.pop_back();
      continue;
    }
    const NodeId before = after[next++];
    if (order_.happens_before(write, before) && met.insert(before).second) stack.emplace_back(before, 0);
  }
  return out;
}

Flow::Load Flow::carried(const Access& write, const Access& later) const {
  std::unordered_map<NodeId, Load> loads;
  Load& start = loads[write.node];
  start.happened = true;
  start.in_host = write.on_host && write.coherent;
  start.families = bit_of(order_[write.node].family);
  for (const NodeId at : way(write.node, later.node)) {
    Load load;
    for (const NodeId before : order_[at].after)
      if (const auto found = loads.find(before); found != loads.end()) load.join(found->second);
    if (!load.happened) continue;
    if (at != later.node) pass(at, write, later, load);
    loads.insert_or_assign(at, std::move(load));
  }
  return loads[later.node];
}

//= vk:memory-model-location-ordered
bool Flow::has_arrived(const Access& write, const Access& later, const Load& load) const {
  if (!load.happened) return false;
  if (write.on_host && later.on_host) return true;
  if (later.writes) return later.on_host ? load.in_host : load.in_device;
  if (later.on_host) return later.coherent ? load.in_host : load.seen;
  const bool changes_hands = write.exclusive && !write.on_host;
  return load.seen && (!changes_hands || (load.families & bit_of(order_[later.node].family)) != 0);
}

bool Flow::arrives(const Access& write, const Access& later) {
  if (write.node == later.node) return true;
  const auto kind = [](const Access& access) {
    return static_cast<unsigned>(access.kind) << 1 | (access.writes ? 1u : 0u);
  };
  // All bytes are alike between two places at which a range begins or ends.
  if (order_.ranges() != ranges_) known_.clear();
  ranges_ = order_.ranges();
  const Key key{write.node,      later.node,      kind(write),      kind(later),
                write.reference, later.reference, write.allocation, order_.range_of(write.offset)};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  constexpr std::size_t kMostKnown = std::size_t{1} << 14;
  if (known_.size() == kMostKnown) known_.clear();
  const bool answer = has_arrived(write, later, carried(write, later));
  known_.emplace(key, answer);
  return answer;
}

}  // namespace heddle::queues
