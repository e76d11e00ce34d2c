#pragma once

/// \file
/// Happens-before while the program runs: what is before an operation is known when the operation is
/// executed, since nothing of it comes later in the stream.

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/model/dependency.h"
#include "emulator/model/place.h"
#include "emulator/model/tags.h"
#include "emulator/race/event.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

/// For each of kClassSets what is inter-thread-happens-before something.
using Before = std::array<EventSet, kClassSets.size()>;

class HappensBefore {
 public:
  void agent_begins(AgentId agent, const model::Place& place);
  void system_synchronizes(AgentId first, AgentId second);

  // In programs with a host's side (host_order.cpp):
  void has_stages_in_order(std::span<const model::AgentPair> interlock, std::span<const model::AgentPair> inputs);
  /// Whether `y` reads an input that the output `x` contributed to.
  bool is_input_from(EventIndex x, EventIndex y) const;
  void has_host_side(std::shared_ptr<const model::HostSide> side);
  const model::HostSide& host_side() const { return model::host_side(side_); }
  /// The next event is a call, and these agents and calls system-synchronize with it.
  void call_comes_after(std::span<const AgentId> agents, std::span<const EventIndex> calls);
  /// The call system-synchronizes with all of the agent.
  void comes_after_call(AgentId agent, EventIndex call);

  /// Takes the next event; `sources` are the write events whose bytes it reads.
  EventIndex add(const Event& event, std::span<const EventIndex> sources);
  /// The control barrier `arrival` is passed; see trace::Listener.
  void passes(EventIndex arrival, std::span<const EventIndex> synchronizing);
  /// The atomic write takes its place in scoped modification order.
  void placed(EventIndex write);
  void clear();

  const Event& operator[](EventIndex e) const { return events_[e]; }
  EventIndex size() const { return static_cast<EventIndex>(events_.size()); }
  const model::Place& place(AgentId agent) const { return agents_[static_cast<std::size_t>(agent)].place; }

  //= vk:memory-model-happens-before
  bool happens_before(EventIndex a, EventIndex b) const;
  //= vk:memory-model-system-synchronizes-with
  bool system_synchronizes_before(EventIndex a, EventIndex b) const;
  bool is_on_host(EventIndex e) const { return place(events_[e].agent).is_host(); }
  //= vk:memory-model-program-order
  bool program_ordered(EventIndex a, EventIndex b) const { return a < b && events_[a].agent == events_[b].agent; }
  /// Program order that tags do not leave out of happens-before.
  bool program_order_counts(EventIndex a, EventIndex b) const {
    return program_ordered(a, b) && model::compatible(events_[a].tags, events_[b].tags);
  }
  //= vk:memory-model-atomic-operation
  bool mutually_ordered(EventIndex a, EventIndex b) const;
  /// Whether both agents are in one instance of the scope of this level; an agent always is with itself.
  //= vk:memory-model-scope
  bool in_instance(AgentId a, AgentId b, Level level) const;
  /// Whether the arrival `a` at a control barrier releases to those who pass at `b`.
  bool meets(EventIndex a, EventIndex b) const;
  /// The control barriers of an agent, in program order.
  const std::vector<EventIndex>& barriers_of(AgentId agent) const {
    return agents_[static_cast<std::size_t>(agent)].barriers;
  }

 private:
  /// A release that an agent has seen: an acquire barrier that follows may synchronize with it.
  struct Seen {
    EventIndex release = 0;
    /// The classes that a barrier needs to acquire it: those of the atomics in between.
    Classes storage = 0;
    bool at_barrier = false;
  };
  /// What is known of the operations of an agent that have the same tags.
  struct Tagged {
    TagSetId tags = TagSetId::Empty;
    Before before;
  };
  struct Agent {
    model::Place place;
    bool begun = false;
    std::vector<AgentId> system_synchronized_after;
    std::vector<EventIndex> calls_before;
    EventSet events;
    EventSet system_before;
    /// What system-synchronizes with its inputs.
    EventSet inputs_before;
    /// Before each of its operations, by system-synchronization.
    Before base;
    /// Acquires so far, and what is before them.
    std::vector<Tagged> acquired;
    /// Its operations so far that the classes constrain, and what is before them.
    std::vector<Tagged> constrained;
    /// Its operations so far and what is before them.
    Before all;
    std::vector<EventIndex> release_fences;
    std::vector<Seen> seen;
    std::vector<EventIndex> barriers;
  };
  struct Meeting {
    std::vector<EventIndex> arrivals;
    /// The arrivals that release; all if there are none.
    std::vector<EventIndex> synchronizing;
    /// The release barriers up to each arrival, indexed like `arrivals`.
    std::vector<std::vector<EventIndex>> releases;
  };

  Agent& agent_of(EventIndex e) { return agents_[static_cast<std::size_t>(events_[e].agent)]; }
  void begin(Agent& agent);
  void begin_after(Agent& agent, AgentId first);
  void add_lock(EventIndex e);
  void add_input(EventIndex e);
  void begin_after_call(Agent& agent, EventIndex call);
  void add_on_host(EventIndex e);
  void add_call(EventIndex e);
  void join_all_before(EventIndex e, const EventSet& earlier);
  std::vector<EventIndex> sequence_heads_on_host(EventIndex write) const;
  bool in_scope(EventIndex a, EventIndex b) const;
  void see(EventIndex reader, EventIndex write);
  void see_head(EventIndex reader, EventIndex head);
  void acquire_seen(EventIndex fence);
  bool acquire_from(EventIndex acquire, EventIndex release);
  void settle(EventIndex e);
  void settle_visibility(EventIndex arrival);
  static Before& with_tags(std::vector<Tagged>& all, TagSetId tags);
  static void join_compatible(EventSet& to, const std::vector<Tagged>& all, TagSetId tags, std::size_t set);
  void arrive(EventIndex e);
  bool acquire_at(const Meeting& meeting, EventIndex arrival);
  void meet(Meeting& meeting);
  bool releases_at(const Meeting& meeting, EventIndex arrival) const;
  bool barriers_synchronize(EventIndex from, EventIndex to) const;
  std::vector<EventIndex> sequence_heads(EventIndex write) const;

  std::vector<Event> events_;
  std::vector<Before> before_;
  std::vector<EventSet> any_before_;
  std::deque<Agent> agents_;
  std::unordered_map<std::uint64_t, Meeting> meetings_;
  /// All atomic writes, in the order of their places.
  std::vector<EventIndex> placed_;

  std::vector<model::AgentPair> interlock_;
  std::vector<model::AgentPair> inputs_;
  /// By read of an input: what system-synchronizes with it.
  std::unordered_map<EventIndex, EventSet> before_input_;
  std::shared_ptr<const model::HostSide> side_;
  /// By event of the host: what its language orders before it, and what system-synchronizes with it.
  std::vector<EventSet> host_before_;
  std::vector<EventSet> system_before_;
  /// What the call that comes next comes after.
  std::vector<AgentId> agents_before_call_;
  std::vector<EventIndex> calls_before_call_;
};

}  // namespace heddle::race
