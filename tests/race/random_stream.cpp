#include "tests/race/random_stream.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "emulator/model/tags.h"

namespace heddle::race {
namespace {

using model::OperationIndex;

constexpr std::uint32_t kBytes = 8;

class Teller {
 public:
  Teller(std::uint64_t seed, const StreamFeatures& features, trace::Listener& listener)
      : random_(seed), features_(features), listener_(listener) {}

  void tell() {
    if (features_.kernel) return tell_kernel();
    tessellation_ = features_.tessellation || (!features_.plain && !features_.atomic_updates && one_in(20));
    classes_ = 1 + below(15);
    references_ = features_.plain ? 1 : 1 + below(2);
    const std::uint32_t phases = !features_.one_dispatch && one_in(4) ? 2 : 1;
    std::uint32_t left = 3 + below(features_.most_operations - 2);
    if (features_.one_instruction_each) left += 6;
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
      const std::size_t first = agents_.size();
      std::uint32_t more = phases == 2 ? 1 + below(2) : 2 + below(3);
      if (features_.one_instruction_each) more += below(3);
      for (std::uint32_t i = 0; i < more; ++i) begin_agent(first);
      std::uint32_t here = phase + 1 == phases ? left : below(left + 1);
      left -= here;
      while (here-- > 0) step(first);
      // An agent that waits alone at a barrier stays there. The others have gone on before those of the
      // next phase begin.
      for (std::size_t agent = first; agent < agents_.size(); ++agent)
        if (agents_[agent].waits_at >= 0 && is_open(barrier_waited_at(agent))) pass(agent);
    }
    for (const OperationIndex write : waiting_) place(write);
  }

 private:
  struct Waiting {
    std::size_t agent = 0;
    OperationIndex arrival = 0;
  };
  struct Ordering {
    Scope scope = Scope::Workgroup;
    MemorySemantics semantics = MemorySemantics::None;
  };
  struct Barrier {
    std::uint64_t instance = 0;
    std::vector<std::size_t> participants;
    std::uint32_t quorum = 0;
    Scope execution = Scope::Workgroup;
    /// The ordering of the one instruction of all.
    std::optional<Ordering> ordering;
    std::vector<Waiting> arrived;
    std::vector<OperationIndex> synchronizing;
  };
  /// What an agent of a kernel has to do before the barrier of this round.
  struct Does {
    std::uint32_t left = 0;
    std::size_t round = 0;
    bool waits = false;
    OperationIndex arrival = 0;
  };
  struct Told {
    model::Place place;
    std::int64_t waits_at = -1;
  };

  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  void tell_kernel() {
    classes_ = 1 + below(15);
    const std::uint32_t workgroups = one_in(4) ? 1 : 2;
    const std::uint32_t size = 2 + below(workgroups == 1 ? 3 : 2);
    for (std::uint32_t w = 0; w < workgroups; ++w)
      for (std::uint32_t i = 0; i < size; ++i) {
        model::Place place;
        place.workgroup = w;
        place.subgroup = i / 2;
        listener_.agent_begins(static_cast<AgentId>(agents_.size()), place);
        agents_.push_back({place, -1});
      }
    const std::uint32_t rounds = 1 + below(3);
    for (std::uint32_t w = 0; w < workgroups; ++w)
      for (std::uint32_t r = 0; r + 1 < rounds; ++r) barriers_of_[w].push_back(random_ordering(w * size));
    std::vector<Does> todo(agents_.size());
    for (Does& does : todo) does.left = below(4);
    std::vector<std::size_t> able;
    for (;;) {
      able.clear();
      for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
        const std::size_t barriers = barriers_of_[agents_[agent].place.workgroup].size();
        if (!todo[agent].waits && (todo[agent].left > 0 || todo[agent].round < barriers)) able.push_back(agent);
      }
      if (able.empty()) return;
      const std::size_t agent = able[below(static_cast<std::uint32_t>(able.size()))];
      if (todo[agent].left > 0) {
        --todo[agent].left;
        one_in(6) ? fence(agent) : access(agent);
      } else {
        arrive(agent, todo);
      }
    }
  }

  void begin_agent(std::size_t phase_begins) {
    model::Place place;
    place.device = !features_.one_dispatch && one_in(20) ? 1 : 0;
    place.queue_family = !features_.one_dispatch && one_in(6) ? 1 : 0;
    place.workgroup = one_in(3) ? 1 : 0;
    place.subgroup = one_in(2) ? 1 : 0;
    if (tessellation_ && !one_in(4)) place.stage = model::Stage::TessellationControl;
    if (!features_.plain && !features_.one_dispatch && one_in(15))
      place.kind = one_in(2) ? model::AgentKind::Host : model::AgentKind::FixedFunction;
    const auto id = static_cast<AgentId>(agents_.size());
    listener_.agent_begins(id, place);
    for (std::size_t before = 0; before < phase_begins; ++before)
      if (!one_in(4)) listener_.system_synchronizes(static_cast<AgentId>(before), id);
    agents_.push_back({place, -1});
  }

  MemorySemantics random_classes() {
    if (features_.plain) return MemorySemantics::UniformMemory;
    MemorySemantics mask = MemorySemantics::None;
    while (mask == MemorySemantics::None) {
      const std::uint32_t bits = (1 + below(15)) & (one_in(8) ? 15 : classes_);
      if ((bits & 1) != 0) mask = mask | MemorySemantics::UniformMemory;
      if ((bits & 2) != 0) mask = mask | MemorySemantics::WorkgroupMemory;
      if ((bits & 4) != 0) mask = mask | MemorySemantics::ImageMemory;
      if ((bits & 8) != 0) mask = mask | MemorySemantics::OutputMemory;
    }
    return mask;
  }

  MemorySemantics random_semantics(bool acquire, bool release) {
    if (one_in(5)) return MemorySemantics::Relaxed;
    MemorySemantics s = random_classes();
    if (acquire && release) {
      const std::uint32_t which = below(4);
      acquire = which != 0;
      release = which != 1;
    }
    s = s | (acquire && release ? MemorySemantics::AcquireRelease
             : acquire          ? MemorySemantics::Acquire
                                : MemorySemantics::Release);
    if (release && !one_in(3)) s = s | MemorySemantics::MakeAvailable;
    if (acquire && !one_in(3)) s = s | MemorySemantics::MakeVisible;
    return s;
  }

  // All that it can order of the stream's classes.
  MemorySemantics full_semantics(const Operation& op) const {
    constexpr std::array kAll{MemorySemantics::UniformMemory, MemorySemantics::WorkgroupMemory,
                              MemorySemantics::ImageMemory, MemorySemantics::OutputMemory};
    MemorySemantics s = op.reads() && op.writes() ? MemorySemantics::AcquireRelease
                        : op.reads()              ? MemorySemantics::Acquire
                                                  : MemorySemantics::Release;
    if (op.writes()) s = s | MemorySemantics::MakeAvailable;
    if (op.reads()) s = s | MemorySemantics::MakeVisible;
    for (std::size_t c = 0; c < kAll.size(); ++c)
      if (((classes_ >> c) & 1) != 0) s = s | kAll[c];
    return s;
  }

  // CrossDevice is the scope of host atomics, and of no shader operation.
  Scope random_scope(std::size_t agent) {
    static constexpr Scope kChoices[] = {Scope::Device,   Scope::Device,    Scope::Workgroup, Scope::QueueFamily,
                                         Scope::Subgroup, Scope::Workgroup, Scope::Device};
    if (agents_[agent].place.is_host()) return Scope::CrossDevice;
    return !features_.one_dispatch && one_in(30) ? Scope::Invocation : kChoices[below(7)];
  }

  StorageClass random_storage() {
    static constexpr StorageClass kChoices[] = {StorageClass::StorageBuffer, StorageClass::Workgroup,
                                                StorageClass::Image, StorageClass::Output};
    if (features_.plain) return StorageClass::StorageBuffer;
    if (tessellation_) return StorageClass::Output;
    if (one_in(50)) return StorageClass::Private;
    const std::uint32_t choice = below(4);
    const StorageClass chosen = kChoices[((classes_ >> choice) & 1) != 0 ? choice : below(4)];
    // Each workgroup of a kernel has Workgroup memory of its own.
    const bool is_shared = features_.kernel && chosen == StorageClass::Workgroup && agents_.back().place.workgroup != 0;
    return is_shared ? StorageClass::StorageBuffer : chosen;
  }

  Locations random_bytes() {
    const std::uint32_t size = one_in(4) ? 1u << below(4) : 4;
    const std::uint32_t places = kBytes / size;
    return {static_cast<AllocationId>(one_in(10) ? 1 : 0), size * (one_in(3) ? below(places) : 0), size};
  }

  bool mutually_ordered(const Operation& a, const Operation& b) const {
    const auto in_instance = [&](Scope scope) {
      return a.agent == b.agent || (scope != Scope::Invocation &&
                                    model::same_instance(agents_[static_cast<std::size_t>(a.agent)].place,
                                                         agents_[static_cast<std::size_t>(b.agent)].place, scope));
    };
    return a.locations == b.locations && a.reference == b.reference && in_instance(a.scope) && in_instance(b.scope);
  }

  std::vector<trace::Source> sources_of(const Operation& op) {
    if (features_.atomic_updates && op.kind == OperationKind::ReadModifyWrite)
      for (auto w = placed_.rbegin(); w != placed_.rend(); ++w)
        if (mutually_ordered(operations_[*w], op)) return {{op.locations, *w}};
    if (features_.kernel && op.atomic && !one_in(4) && !placed_.empty() &&
        operations_[placed_.back()].locations == op.locations)
      return {{op.locations, placed_.back()}};
    return random_sources(op.locations);
  }

  void place(OperationIndex write) {
    placed_.push_back(write);
    listener_.placed(write);
  }

  /// Places the writes that wait, are mutually ordered with the write, and come before it.
  template <typename Before>
  void place_those(const Operation& write, Before before) {
    for (std::size_t i = 0; i < waiting_.size();) {
      const OperationIndex earlier = waiting_[i];
      if (before(earlier) && mutually_ordered(operations_[earlier], write)) {
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        place(earlier);
      } else {
        ++i;
      }
    }
  }

  std::vector<trace::Source> random_sources(const Locations& bytes) {
    std::vector<trace::Source> sources;
    const bool torn = one_in(6);
    OperationIndex chosen = model::kInitialValue;
    for (std::uint32_t i = 0; i < bytes.size_bytes; ++i) {
      const Locations byte{bytes.allocation, bytes.offset_bytes + i, 1};
      if (i == 0 || torn || !is_writer(chosen, byte)) chosen = random_writer(byte);
      if (!sources.empty() && sources.back().write == chosen) {
        ++sources.back().bytes.size_bytes;
      } else {
        sources.push_back({byte, chosen});
      }
    }
    return sources;
  }

  bool is_writer(OperationIndex w, const Locations& byte) const {
    return w != model::kInitialValue && operations_[w].locations.overlaps(byte);
  }

  OperationIndex random_writer(const Locations& byte) {
    std::vector<OperationIndex> writers;
    for (OperationIndex w = 0; w < operations_.size(); ++w)
      if (operations_[w].writes() && is_writer(w, byte)) writers.push_back(w);
    if (writers.empty() || one_in(6)) return model::kInitialValue;
    return one_in(2) ? writers.back() : writers[below(static_cast<std::uint32_t>(writers.size()))];
  }

  TagSetId random_tags() {
    model::TagSet tags;
    for (const char* tag : {"foo:a", "foo:b", "bar:a", "bar:b"})
      if (one_in(3)) tags.add(*model::Tag::parse(tag));
    return model::intern(tags);
  }
  OperationIndex tell(Operation operation) {
    if (features_.tags && one_in(2)) operation.tags = random_tags();
    // In consistent executions the writes of an agent come in its order, and an update after what it reads.
    const bool in_order = features_.atomic_updates && operation.atomic && operation.writes();
    if (in_order)
      place_those(operation, [&](OperationIndex earlier) { return operations_[earlier].agent == operation.agent; });
    std::vector<trace::Source> sources;
    if (operation.reads()) sources = sources_of(operation);
    if (in_order)
      place_those(operation, [&](OperationIndex earlier) {
        return std::any_of(sources.begin(), sources.end(),
                           [&](const trace::Source& source) { return source.write == earlier; });
      });
    const auto index = static_cast<OperationIndex>(operations_.size());
    operations_.push_back(operation);
    listener_.operation(index, operation, 0, 0, sources);
    if (operation.atomic && operation.writes()) {
      if (operation.kind == OperationKind::ReadModifyWrite || !one_in(3)) {
        place(index);
      } else {
        waiting_.push_back(index);
      }
    }
    return index;
  }

  void access(std::size_t agent) {
    Operation op;
    op.agent = static_cast<AgentId>(agent);
    op.locations = random_bytes();
    op.storage_class = random_storage();
    op.reference = static_cast<ReferenceId>(below(references_));
    const bool writes = one_in(2);
    op.kind = writes ? OperationKind::Write : OperationKind::Read;
    op.atomic = one_in(2);
    // Messages go by one word, and are of another.
    if (features_.kernel && !one_in(8)) op.locations = {static_cast<AllocationId>(op.atomic ? 1 : 0), 0, 4};
    if (features_.one_class_each) {
      auto& known = class_of_[static_cast<std::size_t>(op.locations.allocation)];
      if (!known) known = op.storage_class;
      op.storage_class = *known;
    }
    if (op.atomic) {
      if (one_in(3)) op.kind = OperationKind::ReadModifyWrite;
      op.scope = random_scope(agent);
      op.semantics = features_.kernel && one_in(2) ? full_semantics(op) : random_semantics(op.reads(), op.writes());
    } else if (!one_in(4)) {
      op.operands = MemoryOperands::NonPrivatePointer;
      if (one_in(2)) {
        op.operands =
            op.operands | (writes ? MemoryOperands::MakePointerAvailable : MemoryOperands::MakePointerVisible);
        (writes ? op.available_scope : op.visible_scope) = random_scope(agent);
      }
    }
    tell(op);
  }

  void fence(std::size_t agent) {
    Operation op;
    op.agent = static_cast<AgentId>(agent);
    op.kind = OperationKind::MemoryBarrier;
    op.scope = random_scope(agent);
    op.semantics = random_semantics(true, true);
    tell(op);
  }

  void domain_operation(std::size_t agent) {
    static constexpr OperationKind kKinds[] = {OperationKind::DeviceAvailability, OperationKind::DeviceVisibility,
                                               OperationKind::DeviceAvailability, OperationKind::DeviceVisibility,
                                               OperationKind::HostAvailability,   OperationKind::HostVisibility,
                                               OperationKind::HostToDeviceDomain, OperationKind::DeviceToHostDomain};
    Operation op;
    op.agent = static_cast<AgentId>(agent);
    op.kind = kKinds[below(8)];
    tell(op);
  }

  bool arrived(const Barrier& barrier, std::size_t agent) const {
    return std::any_of(barrier.arrived.begin(), barrier.arrived.end(),
                       [&](const Waiting& w) { return w.agent == agent; });
  }

  bool in_one_workgroup(std::size_t a, std::size_t b) const {
    return agents_[a].place.workgroup == agents_[b].place.workgroup;
  }
  bool may_meet(std::size_t a, std::size_t b) const { return !features_.workgroup_barriers || in_one_workgroup(a, b); }
  Ordering random_ordering(std::size_t agent) {
    const Scope scope = one_in(2) ? Scope::Workgroup : random_scope(agent);
    return {scope, random_semantics(true, true)};
  }

  // The barrier that the agent comes to: one that waits for it, or a new one.
  std::size_t barrier_of(std::size_t agent, std::size_t first) {
    for (std::size_t b = 0; b < barriers_.size(); ++b) {
      const Barrier& barrier = barriers_[b];
      const bool takes_part = std::count(barrier.participants.begin(), barrier.participants.end(), agent) != 0;
      if (takes_part && !arrived(barrier, agent)) return b;
    }
    Barrier barrier;
    barrier.instance = barriers_.size();
    barrier.execution = one_in(4) ? Scope::Subgroup : Scope::Workgroup;
    if (one_in(5)) barrier.execution = Scope::Device;
    if (features_.one_instruction_each && one_in(2)) barrier.ordering = random_ordering(agent);
    for (std::size_t a = first; a < agents_.size(); ++a) {
      const bool meets = barrier.ordering ? in_one_workgroup(agent, a) : !one_in(5) && may_meet(agent, a);
      if (a == agent || meets) barrier.participants.push_back(a);
    }
    if (!barrier.ordering && !features_.workgroup_barriers && one_in(4))
      barrier.quorum = 1 + below(static_cast<std::uint32_t>(barrier.participants.size()));
    barriers_.push_back(barrier);
    return barriers_.size() - 1;
  }

  void control_barrier(std::size_t agent, std::size_t first) {
    const std::size_t at = barrier_of(agent, first);
    Operation op;
    op.agent = static_cast<AgentId>(agent);
    op.kind = OperationKind::ControlBarrier;
    op.barrier_instance = barriers_[at].instance;
    op.execution_scope = barriers_[at].execution;
    Barrier& barrier = barriers_[at];
    const Ordering ordering = barrier.ordering ? *barrier.ordering : random_ordering(agent);
    op.scope = ordering.scope;
    op.semantics = ordering.semantics;
    const OperationIndex arrival = tell(op);
    barrier.arrived.push_back({agent, arrival});
    agents_[agent].waits_at = static_cast<std::int64_t>(at);
    open(barrier);
  }

  void arrive(std::size_t agent, std::vector<Does>& todo) {
    const std::uint32_t workgroup = agents_[agent].place.workgroup;
    Does& does = todo[agent];
    Operation op;
    op.agent = static_cast<AgentId>(agent);
    op.kind = OperationKind::ControlBarrier;
    op.barrier_instance = does.round * 8 + workgroup;
    op.execution_scope = Scope::Workgroup;
    op.scope = barriers_of_[workgroup][does.round].scope;
    op.semantics = barriers_of_[workgroup][does.round].semantics;
    does.arrival = tell(op);
    does.waits = true;
    const auto has_to_come = [&](std::size_t a) { return agents_[a].place.workgroup == workgroup && !todo[a].waits; };
    for (std::size_t a = 0; a < agents_.size(); ++a)
      if (has_to_come(a)) return;
    for (std::size_t a = 0; a < agents_.size(); ++a) {
      if (agents_[a].place.workgroup != workgroup) continue;
      listener_.passes(todo[a].arrival, {});
      todo[a] = {below(4), todo[a].round + 1, false, 0};
    }
  }

  void open(Barrier& barrier) {
    if (barrier.quorum == 0) {
      if (barrier.arrived.size() != barrier.participants.size()) return;
    } else if (barrier.synchronizing.empty()) {
      if (barrier.arrived.size() < barrier.quorum) return;
      std::vector<OperationIndex> all;
      for (const Waiting& w : barrier.arrived) all.push_back(w.arrival);
      std::shuffle(all.begin(), all.end(), random_);
      const std::size_t most = all.size() - barrier.quorum;
      all.resize(barrier.quorum + (most == 0 ? 0 : below(static_cast<std::uint32_t>(most) + 1)));
      barrier.synchronizing = all;
    }
    for (const Waiting& w : barrier.arrived) {
      Told& agent = agents_[w.agent];
      if (agent.waits_at < 0 || barriers_[static_cast<std::size_t>(agent.waits_at)].instance != barrier.instance)
        continue;
      // The others go on once they are told of another time.
      if (one_in(8) && barrier.quorum == 0) continue;
      pass(w.agent);
    }
  }

  const Barrier& barrier_waited_at(std::size_t agent) const {
    return barriers_[static_cast<std::size_t>(agents_[agent].waits_at)];
  }

  static bool is_open(const Barrier& barrier) {
    return barrier.quorum == 0 ? barrier.arrived.size() == barrier.participants.size() : !barrier.synchronizing.empty();
  }

  void pass(std::size_t agent) {
    const Barrier& barrier = barrier_waited_at(agent);
    for (const Waiting& w : barrier.arrived)
      if (w.agent == agent) listener_.passes(w.arrival, barrier.synchronizing);
    agents_[agent].waits_at = -1;
  }

  // Somebody of this phase who has yet to come to a barrier that others of its workgroup wait at.
  std::optional<std::size_t> expected(std::size_t first) const {
    for (const Barrier& barrier : barriers_) {
      if (!barrier.ordering || is_open(barrier)) continue;
      for (const std::size_t agent : barrier.participants)
        if (agent >= first && agents_[agent].waits_at < 0 && !arrived(barrier, agent)) return agent;
    }
    return {};
  }

  void step(std::size_t first) {
    if (features_.one_instruction_each && one_in(2))
      if (const std::optional<std::size_t> agent = expected(first)) return control_barrier(*agent, first);
    const std::size_t agent = first + below(static_cast<std::uint32_t>(agents_.size() - first));
    if (agents_[agent].waits_at >= 0) {
      if (!is_open(barrier_waited_at(agent))) return;
      pass(agent);
    }
    if (!waiting_.empty() && one_in(3)) {
      place(waiting_.front());
      waiting_.erase(waiting_.begin());
    }
    const std::uint32_t kind = below(20);
    if (kind < 13) return access(agent);
    if (kind < 16) return fence(agent);
    if (kind < 19 || features_.plain || features_.one_dispatch) return control_barrier(agent, first);
    domain_operation(agent);
  }

  std::mt19937_64 random_;
  const StreamFeatures& features_;
  trace::Listener& listener_;
  bool tessellation_ = false;
  std::uint32_t classes_ = 1;
  std::uint32_t references_ = 1;
  std::vector<Told> agents_;
  std::vector<Operation> operations_;
  std::vector<Barrier> barriers_;
  /// The barriers of the workgroups of a kernel, round by round.
  std::array<std::vector<Ordering>, 2> barriers_of_;
  std::vector<OperationIndex> waiting_;
  std::vector<OperationIndex> placed_;
  std::array<std::optional<StorageClass>, 2> class_of_;
};

// FNV-1a of all that is told.
class Fingerprint final : public trace::Listener {
 public:
  std::uint64_t hash = 0xcbf29ce484222325;

  void agent_begins(AgentId agent, const model::Place& place) override {
    add(agent, place.kind, place.stage, place.device, place.queue_family, place.workgroup, place.subgroup);
  }
  void agent_ends(AgentId agent) override { add(agent); }
  void system_synchronizes(AgentId first, AgentId second) override { add(first, second); }
  void operation(OperationIndex index, const Operation& op, model::Value, model::Value,
                 std::span<const trace::Source> sources) override {
    add(index, op.kind, op.atomic, op.agent, op.storage_class, op.reference, op.locations.allocation,
        op.locations.offset_bytes, op.locations.size_bytes, op.scope, op.semantics, op.operands, op.available_scope,
        op.visible_scope, op.execution_scope, op.barrier_instance);
    for (const char c : model::text(model::tags_of(op.tags))) add(c);
    for (const trace::Source& source : sources) add(source.bytes.offset_bytes, source.bytes.size_bytes, source.write);
  }
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override {
    add(arrival);
    for (const OperationIndex one : synchronizing) add(one);
  }
  void placed(OperationIndex write) override { add(write); }

 private:
  template <typename... Numbers>
  void add(Numbers... numbers) {
    ((hash = (hash ^ static_cast<std::uint64_t>(numbers)) * 0x100000001b3), ...);
  }
};

}  // namespace

void tell_random_stream(std::uint64_t seed, const StreamFeatures& features, trace::Listener& listener) {
  Teller(seed, features, listener).tell();
}

std::uint64_t fingerprint(std::uint64_t seed, const StreamFeatures& features) {
  Fingerprint made;
  tell_random_stream(seed, features, made);
  return made.hash;
}

}  // namespace heddle::race
