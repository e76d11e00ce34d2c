// Random calls on two queues: what the detector misses between two accesses, what the machine lets through, and what
// the words of the specification say of each pair are held against each other.

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

#include "emulator/queues/flow.h"
#include "emulator/queues/order.h"
#include "tests/how_many.h"

using namespace heddle;
using namespace heddle::queues;
using model::Accesses;
using model::meet;
using model::Stages;

namespace {

constexpr std::uint64_t kWord = 4;
constexpr Accesses kAllAccesses = Accesses::MemoryRead | Accesses::MemoryWrite;

/// Two buffers on one memory of two words, and accesses of them.
class RandomOrder {
 public:
  explicit RandomOrder(std::uint64_t seed) : random_(seed) {
    coherent_ = chance(50);
    exclusive_ = chance(30);
    submit(0);
    submit(1);
    for (int i = 0; i < 14; ++i) step();
  }

  const Order& order() const { return order_; }
  const std::vector<Access>& accesses() const { return accesses_; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  model::QueueId queue() { return model::QueueId{static_cast<std::uint32_t>(below(2))}; }
  ReferenceId reference() { return ReferenceId{static_cast<std::uint32_t>(1 + below(2))}; }
  std::uint64_t word() { return below(2) * kWord; }

  void submit(std::uint32_t number) { order_.submit(model::QueueId{number}, number, {}); }
  /// The node has all that it follows, and begins.
  NodeId add(model::QueueId to, Node node) {
    node.family = static_cast<std::uint32_t>(to);
    const NodeId id = order_.add(to, std::move(node));
    order_.begin(id);
    return id;
  }
  Access access(NodeId node, Stages stage, Accesses kind, bool writes) {
    Access out;
    out.node = node;
    out.stage = stage;
    out.kind = kind;
    out.writes = writes;
    out.on_host = stage == Stages::Host;
    out.reference = out.on_host ? ReferenceId{} : reference();
    out.offset = word();
    out.coherent = coherent_;
    out.exclusive = exclusive_;
    return out;
  }
  void step();
  void command();
  void barrier();
  void transfer();
  void semaphore();
  void fence();
  void host();

  std::mt19937_64 random_;
  bool coherent_ = false;
  bool exclusive_ = false;
  Order order_;
  std::vector<Access> accesses_;
};

void RandomOrder::step() {
  switch (below(8)) {
    case 0:
    case 1:
      return command();
    case 2:
    case 3:
      return barrier();
    case 4:
      return chance(50) ? transfer() : semaphore();
    case 5:
      return fence();
    default:
      return host();
  }
}

void RandomOrder::command() {
  Node node;
  node.kind = NodeKind::Command;
  node.command.stage = chance(60) ? Stages::Compute : Stages::Copy;
  const Stages stage = node.command.stage;
  const NodeId id = add(queue(), std::move(node));
  const bool compute = stage == Stages::Compute;
  accesses_.push_back(access(id, stage, compute ? Accesses::StorageWrite : Accesses::TransferWrite, true));
  accesses_.push_back(access(id, stage, compute ? Accesses::StorageRead : Accesses::TransferRead, false));
}

void RandomOrder::barrier() {
  const auto stages = [&] {
    constexpr Stages kSome[] = {Stages::Compute, Stages::Copy, Stages::Host, Stages::AllCommands,
                                Stages::Compute | Stages::Copy | Stages::Host};
    return kSome[below(5)];
  };
  const auto accesses = [&](Stages of) {
    constexpr Accesses kSome[] = {kAllAccesses, Accesses::MemoryWrite, Accesses::MemoryRead, Accesses::None};
    return kSome[below(4)] & model::accesses_of(of);
  };
  Node node;
  node.kind = NodeKind::Barrier;
  const Stages first = stages();
  const Stages second = stages();
  node.dependency.first.stages = first;
  node.dependency.second.stages = second;
  node.dependency.available = {first, accesses(first), {}, false};
  node.dependency.visible = {second, accesses(second), {}, false};
  node.to_device = meet(node.dependency.available.accesses, Accesses::HostWrite);
  node.to_host = meet(node.dependency.visible.accesses, Accesses::HostRead | Accesses::HostWrite);
  if (chance(30)) node.ranges.push_back({reference(), word(), 2 * kWord});
  add(queue(), std::move(node));
}

/// Both halves, with a semaphore of all commands between them or without one.
void RandomOrder::transfer() {
  const std::uint32_t from = static_cast<std::uint32_t>(below(2));
  for (const bool acquires : {false, true}) {
    if (chance(15)) continue;
    Node half;
    half.kind = NodeKind::Barrier;
    half.dependency.first.stages = acquires ? Stages::Ownership : Stages::AllCommands;
    half.dependency.second.stages = acquires ? Stages::AllCommands : Stages::Ownership;
    half.dependency.available = {Stages::AllCommands, acquires ? Accesses::None : kAllAccesses, {}, false};
    half.dependency.visible = {Stages::AllCommands, acquires ? kAllAccesses : Accesses::None, {}, false};
    half.dependency.transfer = {acquires, reference(), from, 1 - from};
    add(model::QueueId{acquires ? 1 - from : from}, std::move(half));
    if (!acquires && chance(80)) semaphore();
  }
}

void RandomOrder::semaphore() {
  constexpr Stages kSome[] = {Stages::Everything, Stages::Compute, Stages::Copy, Stages::Everything};
  const std::uint32_t from = static_cast<std::uint32_t>(below(2));
  Node signal;
  signal.kind = NodeKind::SemaphoreSignal;
  signal.dependency.first.stages = kSome[below(4)];
  signal.dependency.available = {model::with_earlier(signal.dependency.first.stages), kAllAccesses, {}, false};
  const NodeId signaled = add(model::QueueId{from}, std::move(signal));
  order_.batch_ends(model::QueueId{from});
  Node wait;
  wait.kind = NodeKind::SemaphoreWait;
  wait.dependency.second.stages = kSome[below(4)];
  wait.dependency.visible = {model::with_later(wait.dependency.second.stages), kAllAccesses, {}, false};
  wait.after.push_back(signaled);
  add(model::QueueId{1 - from}, std::move(wait));
}

void RandomOrder::fence() {
  Node node;
  node.kind = NodeKind::Fence;
  node.dependency.first.stages = Stages::Everything;
  node.dependency.available = {Stages::Everything, kAllAccesses, {}, false};
  const model::QueueId of = queue();
  const NodeId id = add(of, std::move(node));
  if (chance(70)) order_.host_waited("wait", {}, {id});
  if (chance(50)) submit(static_cast<std::uint32_t>(of));
}

void RandomOrder::host() {
  if (chance(40)) {
    Node call;
    call.kind = chance(50) ? NodeKind::Flush : NodeKind::Invalidate;
    call.bytes = {AllocationId{}, word(), 0};
    call.bytes_end = chance(50) ? 2 * kWord : call.bytes.offset_bytes + kWord;
    order_.host_calls(std::move(call));
    return;
  }
  const bool writes = chance(50);
  accesses_.push_back(access(order_.host(), Stages::Host, writes ? Accesses::HostWrite : Accesses::HostRead, writes));
}

/// The words of the specification: some availability operation, some move between the domains and some visibility
/// operation, one behind the other, each found by looking at all.
class ByTheBook {
 public:
  explicit ByTheBook(const Order& order) : order_(order), before_(order.count(), std::vector<bool>(order.count())) {
    for (bool grows = true; grows;) {
      grows = false;
      for (NodeId b = 0; b < order.count(); ++b) {
        for (const NodeId a : order[b].after) {
          grows = grows || !before_[a][b];
          before_[a][b] = true;
          for (NodeId c = 0; c < order.count(); ++c) {
            if (!before_[c][a] || before_[c][b]) continue;
            before_[c][b] = grows = true;
          }
        }
      }
    }
  }

  bool is_ordered(const Access& x, const Access& y) const {
    if (x.node == y.node) return true;
    if (!before_[x.node][y.node]) return false;
    if (!x.writes || (x.on_host && y.on_host)) return true;
    for (NodeId available = 0; available < order_.count(); ++available) {
      if (!makes_available(available, x)) continue;
      for (NodeId moved = 0; moved < order_.count(); ++moved) {
        const bool needs_none = x.on_host == y.on_host;
        if (needs_none ? moved != available : !moves(moved, x.on_host) || !is_at_or_before(available, moved)) continue;
        if (moved != x.node && !before_[moved][y.node]) continue;
        if (y.writes) return true;
        if (is_seen(moved, y) && (!x.exclusive || x.on_host || y.on_host || changes_hands(x, y))) return true;
      }
    }
    return false;
  }

 private:
  bool is_at_or_before(NodeId a, NodeId b) const { return a == b || before_[a][b]; }
  bool names(const Node& node, const Access& access) const {
    bool named = node.ranges.empty();
    for (const BufferRange& one : node.ranges)
      named = named || (one.reference == access.reference && one.begin <= access.offset && access.offset < one.end);
    return named;
  }
  bool is_of(const Node& node, const Access& access) const {
    return node.bytes.offset_bytes <= access.offset && access.offset < node.bytes_end;
  }
  bool makes_available(NodeId id, const Access& x) const {
    if (x.on_host && x.coherent) return id == x.node;
    const Node& node = order_[id];
    if (!before_[x.node][id]) return false;
    if (x.on_host) return node.kind == NodeKind::Flush && is_of(node, x);
    const model::AccessScope& scope = node.dependency.available;
    return scope.of_device || (comes_before(order_[x.node].command, node.dependency) && meet(x.stage, scope.stages) &&
                               meet(x.kind, scope.accesses) && names(node, x));
  }
  bool moves(NodeId id, bool to_device) const { return to_device ? order_[id].to_device : order_[id].to_host; }
  bool is_seen(NodeId available, const Access& y) const {
    if (y.on_host && y.coherent) return true;
    for (NodeId id = 0; id < order_.count(); ++id) {
      const Node& node = order_[id];
      if (!before_[id][y.node] || !is_at_or_before(available, id)) continue;
      if (y.on_host) {
        if (node.kind == NodeKind::Invalidate && is_of(node, y)) return true;
        continue;
      }
      const model::AccessScope& scope = node.dependency.visible;
      if (scope.of_device || (comes_after(node.dependency, order_[y.node].command) && meet(y.stage, scope.stages) &&
                              meet(y.kind, scope.accesses) && names(node, y)))
        return true;
    }
    return false;
  }
  /// From the family of the one to that of the other, through transfers of the buffer one behind the other.
  bool changes_hands(const Access& x, const Access& y) const { return has(x.node, order_[x.node].family, y, 0); }
  bool has(NodeId at, std::uint32_t family, const Access& y, int depth) const {
    constexpr int kDeepest = 4;
    if (family == order_[y.node].family) return true;
    if (depth == kDeepest) return false;
    for (NodeId release = 0; release < order_.count(); ++release) {
      if (!is_half(release, false, family, y) || !before_[at][release]) continue;
      for (NodeId acquire = 0; acquire < order_.count(); ++acquire)
        if (is_half(acquire, true, family, y) && before_[release][acquire] && before_[acquire][y.node] &&
            has(acquire, order_[acquire].dependency.transfer->to, y, depth + 1))
          return true;
    }
    return false;
  }
  bool is_half(NodeId id, bool acquires, std::uint32_t from, const Access& y) const {
    const auto& half = order_[id].dependency.transfer;
    return half && half->acquires == acquires && half->reference == y.reference && half->from == from;
  }

  const Order& order_;
  std::vector<std::vector<bool>> before_;
};

}  // namespace

TEST_CASE("on random queues the detector and the machine hold of two accesses what the specification says",
          "[nightly]") {
  const std::uint64_t orders = how_many("HEDDLE_RANDOM_ORDERS", 1500, 1'000'000);
  std::uint64_t ordered = 0;
  std::uint64_t unordered = 0;
  for (std::uint64_t n = 0; n < orders; ++n) {
    const RandomOrder random(first_seed() + n);
    const ByTheBook book(random.order());
    Flow flow(random.order());
    for (const Access& x : random.accesses()) {
      for (const Access& y : random.accesses()) {
        if (&x >= &y || !random.order().happens_before(x.node, y.node)) continue;
        const bool says = book.is_ordered(x, y);
        (says ? ordered : unordered) += 1;
        INFO("order " << first_seed() + n << ", nodes " << x.node << " and " << y.node << ", writes " << x.writes
                      << y.writes << ", host " << x.on_host << y.on_host);
        if ((random.order().find_missing(x, y) == Missing::Nothing) != says) FAIL_CHECK("the detector differs");
        if (x.writes && flow.arrives(x, y) != says) FAIL_CHECK("the machine differs");
      }
    }
  }
  CHECK(ordered > orders);
  CHECK(unordered > orders);
}
