#include "tests/race/idioms.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace heddle::race {
namespace {

using enum MemorySemantics;
using model::OperationIndex;

constexpr std::uint32_t kWorkgroups = 3;
constexpr std::uint32_t kWorkgroupSize = 4;
constexpr std::uint32_t kLocks = 5;
constexpr std::uint32_t kFlags = 24;
constexpr std::uint32_t kDataEach = 2;
constexpr std::uint32_t kMostPolls = 12;

/// The allocations of a kernel. Each workgroup has its own Workgroup memory behind them.
enum : std::uint32_t { kLockWords, kFlagWords, kLocked, kPublished, kPicture, kWild, kCounters, kWorkgroupMemory };

class Idioms {
 public:
  Idioms(std::uint64_t seed, const IdiomFeatures& features, trace::Listener& listener)
      : random_(seed), features_(features), listener_(listener) {}

  void tell() {
    for (std::uint32_t i = 0; i < kWorkgroups * kWorkgroupSize; ++i) {
      model::Place place;
      place.workgroup = i / kWorkgroupSize;
      place.subgroup = i % kWorkgroupSize / 2;
      listener_.agent_begins(static_cast<AgentId>(i), place);
    }
    while (next_ < features_.operations || !all_idle()) {
      Agent& agent = agents_[below(static_cast<std::uint32_t>(agents_.size()))];
      if (agent.waits) continue;
      if (agent.todo.empty()) {
        if (groups_[group_of(agent)].barrier) {
          arrive(agent);
        } else if (next_ < features_.operations) {
          begin_idiom(agent);
        }
        continue;
      }
      go_on(agent);
    }
  }

 private:
  /// One operation that an agent is about to do, and what it has to wait for.
  struct Todo {
    Operation operation;
    /// A lock to be free before the operation, which takes it.
    int takes = -1;
    int gives = -1;
    /// A flag to have been set more often than the agent has seen it.
    int awaits = -1;
  };
  struct Agent {
    std::deque<Todo> todo;
    std::uint32_t polls = 0;
    std::array<std::uint32_t, kFlags> seen{};
    bool waits = false;
    OperationIndex arrival = 0;
  };
  struct Group {
    std::optional<Operation> barrier;
    std::uint64_t instance = 0;
    std::uint32_t arrived = 0;
  };

  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t number_of(const Agent& agent) const { return static_cast<std::uint32_t>(&agent - agents_.data()); }
  std::uint32_t group_of(const Agent& agent) const { return number_of(agent) / kWorkgroupSize; }

  bool all_idle() const {
    for (const Agent& agent : agents_)
      if (!agent.todo.empty()) return false;
    for (const Group& group : groups_)
      if (group.arrived != 0) return false;
    return true;
  }

  MemorySemantics classes() const {
    return features_.one_class ? UniformMemory : UniformMemory | ImageMemory | WorkgroupMemory;
  }

  Operation access(OperationKind kind, std::uint32_t allocation, std::uint32_t word) const {
    Operation op;
    op.kind = kind;
    op.locations = {AllocationId{allocation}, word * 4u, 4};
    op.operands = MemoryOperands::NonPrivatePointer;
    if (!features_.one_class && allocation == kPicture) op.storage_class = StorageClass::Image;
    if (!features_.one_class && allocation >= kWorkgroupMemory) op.storage_class = StorageClass::Workgroup;
    return op;
  }
  Operation atomic(OperationKind kind, std::uint32_t allocation, std::uint32_t word, Scope scope,
                   MemorySemantics semantics) const {
    Operation op = access(kind, allocation, word);
    op.operands = MemoryOperands::None;
    op.atomic = true;
    op.scope = scope;
    op.semantics = semantics;
    return op;
  }
  static Operation fence(Scope scope, MemorySemantics semantics) {
    Operation op;
    op.kind = OperationKind::MemoryBarrier;
    op.scope = scope;
    op.semantics = semantics;
    return op;
  }
  MemorySemantics acquiring() const { return Acquire | MakeVisible | classes(); }
  MemorySemantics releasing() const { return Release | MakeAvailable | classes(); }

  /// A plain access, or one that shows itself to the device.
  Todo plain(bool writes, std::uint32_t allocation, std::uint32_t word) {
    Operation op = access(writes ? OperationKind::Write : OperationKind::Read, allocation, word);
    if (one_in(6)) {
      op.operands = op.operands | (writes ? MemoryOperands::MakePointerAvailable : MemoryOperands::MakePointerVisible);
      (writes ? op.available_scope : op.visible_scope) = one_in(3) ? Scope::Workgroup : Scope::Device;
    }
    return {op};
  }

  void begin_idiom(Agent& agent) {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        lock(agent);
        break;
      case 3:
      case 4:
        publish(agent);
        break;
      case 5:
      case 6:
      case 7:
        receive(agent);
        break;
      case 8:
        agent.todo.push_back({atomic(OperationKind::ReadModifyWrite, kCounters, below(3), Scope::Device, Relaxed)});
        break;
      case 9:
        agent.todo.push_back(plain(one_in(2), kWild, below(40)));
        break;
      case 10:
        if (!groups_[group_of(agent)].barrier && one_in(3)) plan_barrier(agent);
        break;
      default:
        in_workgroup(agent);
        break;
    }
    if (one_in(features_.one_mistake_in)) spoil(agent);
  }

  void data_of(Agent& agent, std::uint32_t allocation, std::uint32_t owner) {
    const std::uint32_t count = 1 + below(3);
    for (std::uint32_t i = 0; i < count; ++i)
      agent.todo.push_back(plain(one_in(2), allocation, owner * kDataEach + below(kDataEach)));
  }

  void lock(Agent& agent) {
    const std::uint32_t lock = below(kLocks);
    const bool by_fences = one_in(3);
    agent.todo.push_back(
        {atomic(OperationKind::ReadModifyWrite, kLockWords, lock, Scope::Device, by_fences ? Relaxed : acquiring()),
         static_cast<int>(lock)});
    if (by_fences) agent.todo.push_back({fence(Scope::Device, acquiring())});
    data_of(agent, lock % 2 == 0 ? kLocked : kPicture, lock);
    if (by_fences) agent.todo.push_back({fence(Scope::Device, releasing())});
    Todo unlock{atomic(OperationKind::Write, kLockWords, lock, Scope::Device, by_fences ? Relaxed : releasing())};
    unlock.gives = static_cast<int>(lock);
    agent.todo.push_back(unlock);
  }

  /// Writes data once, and sets its flag: by an update where others set it too, or by a fence and a relaxed write.
  void publish(Agent& agent) {
    std::uint32_t flag = below(kFlags);
    for (std::uint32_t i = 0; i < kFlags && set_[flag] != 0; ++i) flag = (flag + 1) % kFlags;
    const bool again = set_[flag] != 0;
    if (!again)
      for (std::uint32_t i = 0; i < kDataEach; ++i) agent.todo.push_back(plain(true, kPublished, flag * kDataEach + i));
    const bool by_fence = one_in(3);
    if (by_fence) agent.todo.push_back({fence(Scope::Device, releasing())});
    ++set_[flag];
    agent.todo.push_back({atomic(again ? OperationKind::ReadModifyWrite : OperationKind::Write, kFlagWords, flag,
                                 Scope::Device, by_fence ? Relaxed : releasing())});
  }

  /// Polls a flag and reads its data; the flag may be set anew for others, who come to the data by this agent.
  void receive(Agent& agent) {
    const std::uint32_t flag = below(kFlags);
    const bool by_fence = one_in(3);
    Todo poll{atomic(OperationKind::Read, kFlagWords, flag, Scope::Device, by_fence ? Relaxed : acquiring())};
    poll.awaits = static_cast<int>(flag);
    agent.todo.push_back(poll);
    if (by_fence) agent.todo.push_back({fence(Scope::Device, acquiring())});
    agent.todo.push_back(plain(false, kPublished, flag * kDataEach + below(kDataEach)));
    if (one_in(4)) {
      const std::uint32_t other = below(kLocks);
      Todo take{atomic(OperationKind::ReadModifyWrite, kLockWords, other, Scope::Device, acquiring() | releasing())};
      agent.todo.push_back(take);
    }
  }

  /// Its own words of the workgroup's memory, or those of this round's neighbour.
  void in_workgroup(Agent& agent) {
    const std::uint32_t group = group_of(agent);
    const std::uint32_t turn = static_cast<std::uint32_t>(groups_[group].instance / kWorkgroups);
    const std::uint32_t slot = (number_of(agent) + turn) % kWorkgroupSize;
    const std::uint32_t count = 1 + below(3);
    for (std::uint32_t i = 0; i < count; ++i)
      agent.todo.push_back(plain(one_in(2), kWorkgroupMemory + group, slot * kDataEach + below(kDataEach)));
  }

  void plan_barrier(Agent& agent) {
    Operation op;
    op.kind = OperationKind::ControlBarrier;
    op.execution_scope = Scope::Workgroup;
    op.scope = one_in(4) ? Scope::Device : Scope::Workgroup;
    op.semantics = AcquireRelease | MakeAvailable | MakeVisible | classes();
    if (one_in(features_.one_mistake_in)) spoil(op);
    Group& group = groups_[group_of(agent)];
    group.instance += kWorkgroups;
    op.barrier_instance = group.instance + group_of(agent);
    group.barrier = op;
  }

  void spoil(Agent& agent) {
    if (agent.todo.empty()) return;
    spoil(agent.todo[below(static_cast<std::uint32_t>(agent.todo.size()))].operation);
  }
  void spoil(Operation& op) {
    if (op.is_access() && !op.atomic) {
      op.operands = MemoryOperands::None;
      return;
    }
    switch (below(5)) {
      case 0:
        op.scope = one_in(2) ? Scope::Subgroup : Scope::Workgroup;
        break;
      case 1:
        op.semantics = op.semantics & ~MakeAvailable;
        break;
      case 2:
        op.semantics = op.semantics & ~MakeVisible;
        break;
      case 3:
        if (op.semantics != Relaxed && !features_.one_class) op.semantics = op.semantics & ~UniformMemory;
        break;
      default:
        if (op.kind != OperationKind::ControlBarrier && op.kind != OperationKind::MemoryBarrier) op.semantics = Relaxed;
        break;
    }
  }

  void go_on(Agent& agent) {
    const Todo todo = agent.todo.front();
    if (todo.takes >= 0 && held_[static_cast<std::size_t>(todo.takes)]) return poll(agent, todo, false);
    if (todo.awaits >= 0) {
      const auto flag = static_cast<std::size_t>(todo.awaits);
      if (told_[flag] == agent.seen[flag]) return poll(agent, todo, true);
      agent.seen[flag] = told_[flag];
    }
    agent.polls = 0;
    agent.todo.pop_front();
    if (todo.takes >= 0) held_[static_cast<std::size_t>(todo.takes)] = true;
    if (todo.gives >= 0) held_[static_cast<std::size_t>(todo.gives)] = false;
    if (todo.operation.locations.allocation == AllocationId{kFlagWords} && todo.operation.writes())
      ++told_[todo.operation.locations.offset_bytes / 4];
    tell(agent, todo.operation);
  }

  /// Looks once more at a word that has not changed; after some looks the agent does something else.
  void poll(Agent& agent, const Todo& todo, bool may_give_up) {
    if (may_give_up && ++agent.polls > kMostPolls) {
      agent.polls = 0;
      agent.todo.clear();
      return;
    }
    if (!one_in(4)) return;
    Operation look = todo.operation;
    look.kind = OperationKind::Read;
    if (todo.takes >= 0) look.semantics = Relaxed;
    tell(agent, look);
  }

  void arrive(Agent& agent) {
    Group& group = groups_[group_of(agent)];
    agent.arrival = tell(agent, *group.barrier);
    agent.waits = true;
    if (++group.arrived < kWorkgroupSize) return;
    const std::size_t first = std::size_t{group_of(agent)} * kWorkgroupSize;
    for (std::size_t i = first; i < first + kWorkgroupSize; ++i) {
      listener_.passes(agents_[i].arrival, {});
      agents_[i].waits = false;
    }
    group.barrier.reset();
    group.arrived = 0;
  }

  OperationIndex tell(const Agent& agent, Operation operation) {
    operation.agent = static_cast<AgentId>(number_of(agent));
    const OperationIndex index = next_++;
    const bool is_access = operation.is_access();
    const auto key = std::pair(operation.locations.allocation, operation.locations.offset_bytes);
    std::vector<trace::Source> sources;
    if (is_access && operation.reads()) {
      const auto last = last_.find(key);
      sources.push_back({operation.locations, last == last_.end() ? model::kInitialValue : last->second});
    }
    listener_.operation(index, operation, 0, 0, sources);
    if (is_access && operation.writes()) {
      last_[key] = index;
      if (operation.atomic) listener_.placed(index);
    }
    return index;
  }

  std::mt19937_64 random_;
  const IdiomFeatures& features_;
  trace::Listener& listener_;
  OperationIndex next_ = 0;
  std::array<Agent, kWorkgroups * kWorkgroupSize> agents_;
  std::array<Group, kWorkgroups> groups_;
  std::array<bool, kLocks> held_{};
  /// How often each flag is to be set, and has been.
  std::array<std::uint32_t, kFlags> set_{};
  std::array<std::uint32_t, kFlags> told_{};
  std::map<std::pair<AllocationId, std::uint64_t>, OperationIndex> last_;
};

}  // namespace

void tell_idioms(std::uint64_t seed, const IdiomFeatures& features, trace::Listener& listener) {
  Idioms(seed, features, listener).tell();
}

}  // namespace heddle::race
