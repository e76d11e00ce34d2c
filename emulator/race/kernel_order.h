#pragma once

/// \file
/// Happens-before of a kernel's invocations, with as much memory as their synchronization is irregular:
/// after a barrier all invocations of a workgroup share one view.

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/race/release_history.h"
#include "emulator/race/seen_releases.h"
#include "emulator/race/site_relation.h"
#include "emulator/race/sync_log.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

/// Of one storage class, what control barriers that a whole workgroup reached alike settled: the last stamp of
/// which each holds. (By Visibility never more than by Availability, and by these never more than by Order.)
class Settled {
 public:
  Stamp by(SettledBy way) const { return last_[static_cast<std::size_t>(way)]; }
  void settle(SettledBy way, Stamp last) { last_[static_cast<std::size_t>(way)] = last; }

 private:
  std::array<Stamp, kSettledBy> last_{};
};

class KernelOrder {
  struct Group;

 public:
  /// What several orders share, each of which hears of workgroups of its own, on a thread of its own.
  class Shared;

  explicit KernelOrder(std::size_t most_events);
  explicit KernelOrder(std::shared_ptr<Shared> shared);

  /// From now on it hears of atomics on bytes of which this knows what was released there; null: of those
  /// of which nobody else hears.
  void use(ReleaseHistory* history) { history_ = history ? history : &own_history_; }
  /// What was released on the allocation nobody acquires any more.
  void forget(AllocationId allocation) { history_->forget(allocation); }
  std::size_t remembered_releases() const { return history_->size(); }
  /// Behind a memory dependency: numbers of agents start anew, too.
  void restart() { places_.restart(); }

  /// As trace::Listener.
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups);
  /// `count` agents of the group end. Whether it has ended with them.
  bool agents_end(GroupId group, std::uint32_t count) {
    if (!places_.agents_end(group, count)) return false;
    log_.group_ends(group);
    if (!groups_[group].agents.empty()) [[unlikely]] forget_agents(groups_[group]);
    return true;
  }
  void system_synchronizes(AgentId first, AgentId second);

  /// All agents so far have ended, and are before all that begin from now on; after a memory dependency
  /// nobody asks for them any more.
  void dependency(bool memory);

  /// A memory barrier, or an operation of the domains.
  void barrier(model::OperationIndex index, const Operation& operation);
  void arrive(model::OperationIndex index, const Operation& operation);
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing);
  /// `arrive` and `passes` of `count` agents from the operation's on, with indices from `first` on, in one step.
  /// False, and nothing happened, where they have to be looked at one by one.
  bool meets(model::OperationIndex first, const Operation& operation, std::uint32_t count);
  /// The read of an atomic, whose bytes come from these writes; before it is checked.
  void atomic_reads(model::OperationIndex index, const Operation& operation,
                    std::span<const trace::Source> sources);
  /// The write of an atomic; after it is checked.
  void atomic_writes(model::OperationIndex index, const Operation& operation);
  /// Whether it need not hear of atomics of the agent on the allocation that neither acquire nor release: nothing
  /// was released there, and the agent has nothing to offer.
  bool ignores_relaxed(std::uint32_t agent, AllocationId allocation) const {
    if (history_->may_offer(allocation)) return false;
    const Agent* own = find_state(agent);
    return !own || own->fences.empty();
  }
  /// Whether that is so of all agents of groups that tell nobody, on whatever allocation.
  bool nothing_is_offered() const { return history_->empty(); }
  /// Whether it need not hear of this atomic, whatever it does.
  bool ignores(const Operation& atomic) const {
    return !acquires(atomic.semantics) && !releases(atomic.semantics) &&
           ignores_relaxed(static_cast<std::uint32_t>(atomic.agent), atomic.locations.allocation);
  }
  void placed(model::OperationIndex write) {
    if (!history_->empty()) history_->placed(write);
  }

  const Places& places() const { return places_; }
  const SyncLog& log() const { return log_; }
  /// Of an agent that has not ended.
  const ViewPointer& view(std::uint32_t agent) const {
    const Agent* own = find_state(agent);
    return own && own->view ? own->view : view_of(groups_[places_.group(agent)]);
  }
  /// Whether nobody's operations are before those of the agent, which is in this group.
  bool knows_nobody(std::uint32_t agent, GroupId group) const {
    const Group& of = quick_.groups[group];
    return of.agents.empty() ? view_of(of) == nobody() : view(agent) == nobody();
  }
  /// Whether that is so of all of a group, and none of them has released anything that others may acquire; false
  /// if that is not known at once.
  bool knows_and_tells_nobody(GroupId group) const {
    const Group& of = quick_.groups[group];
    return of.agents.empty() && !of.view && nothing_ == nobody();
  }
  /// The view of such an agent.
  inline const ViewPointer& nobody() const;
  /// From now on it need not keep what all who may ever ask for it know already: if the agents of a
  /// workgroup begin together, before its first barrier.
  void expect_whole_workgroups() { whole_workgroups_ = true; }
  /// The agent's workgroup counts as having come to so many barriers, acquires and releases, at least.
  void skip_to(AgentId agent, Stamp stamp) {
    Group& group = group_of(static_cast<std::uint32_t>(agent));
    group.now = std::max(group.now, stamp);
  }
  /// Whether they did not: then nothing is known to be unordered.
  bool is_lost() const { return lost_; }
  std::uint32_t first_agent(GroupId group) const { return groups_[group].first_agent; }
  /// Agents with consecutive numbers, all of one group, and what every access asks of the group.
  class Near {
   public:
    bool has(std::uint32_t agent) const { return agent - first_ < count_; }
    GroupId group() const { return group_; }
    Stamp now() const { return state_->now; }
    /// Where that stands.
    const Stamp* clock() const { return &state_->now; }
    const Settled& settled(std::size_t storage_class) const { return state_->settled[storage_class]; }

   private:
    friend class KernelOrder;
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    GroupId group_ = 0;
    const Group* state_ = nullptr;
  };
  /// Those with an agent, at least itself. Until somebody begins.
  const Near& near(std::uint32_t agent) {
    if (!near_.has(agent)) look_near(agent);
    return near_;
  }
  /// As `ignores_relaxed` of any of them, on whatever allocation; false if that is not known at once.
  bool ignores_relaxed(const Near& near) const { return nothing_is_offered() && near.state_->agents.empty(); }
  /// Those that it was asked for last, if any.
  const Near& last_near() const { return near_; }
  /// As places().group(agent).
  GroupId group(std::uint32_t agent) const { return quick_.agents[agent - quick_.first].group; }
  Stamp now(GroupId group) const { return quick_.groups[group].now; }
  const Settled& settled(GroupId group, std::size_t storage_class) const {
    return quick_.groups[group].settled[storage_class];
  }
  /// What would be before the agent if the scopes of releases and acquires included it.
  const Clock& out_of_scope(std::uint32_t agent) const {
    static const Clock kNothing;
    const Agent* own = find_state(agent);
    return own ? own->out_of_scope : kNothing;
  }

 private:
  /// The parts of a barrier's record that count.
  struct Ordering {
    Classes mask = 0;
    Level level = kOwn;
    Level execution = kOwn;
    bool acquires = false;
    bool releases = false;
    bool makes_available = false;
    bool makes_visible = false;
    friend bool operator==(const Ordering&, const Ordering&) = default;
  };
  using Offers = std::vector<Offer>;
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Agent {
    /// Null if it is that of its group.
    ViewPointer view;
    Offers fences;
    SeenReleases seen;
    /// What all of the workgroup left to each other at a barrier.
    std::shared_ptr<const Offers> seen_together;
    Clock out_of_scope;
    /// Where in the log its last operation is, if that acquires and nothing was released since.
    std::size_t last_acquire = kNone;
  };
  struct Group {
    Stamp now = kFirstStamp;
    /// Null if it is the one that agents begin with.
    ViewPointer view;
    std::array<Settled, kClasses> settled;
    std::uint32_t first_agent = 0;
    /// How many began, if all have consecutive numbers; else 0.
    std::uint32_t agents_in_row = 0;
    /// Of those who have something of their own, at least.
    std::vector<Agent> agents;
  };
  struct Arrival {
    model::OperationIndex index = 0;
    std::uint32_t agent = 0;
    Ordering ordering;
    /// The release barriers up to this one.
    Offers fences;
    bool settled = false;
  };
  struct Meeting {
    std::uint64_t instance = 0;
    std::vector<Arrival> arrivals;
    std::size_t passed = 0;
    bool opened = false;
    GroupId group = 0;
    /// All that arrived so far are of this group and do one and the same: this.
    bool alike = true;
    Scope scope = Scope::Workgroup;
    Scope execution = Scope::Workgroup;
    MemorySemantics semantics = MemorySemantics::None;
    std::vector<model::OperationIndex> synchronizing;
    /// Where all who pass have that in common.
    bool together = false;
    /// And all that they learn is in the view of their group.
    bool done = false;
    ViewPointer before;
    ViewPointer after;
    /// Of those who knew something else before, the last ones.
    ViewPointer other_before;
    ViewPointer other_after;
    std::shared_ptr<const Release> own;
    std::shared_ptr<const Offers> fences;
  };

  static Ordering ordering_of(const Operation& operation);
  /// Null if the agent has none that is its own: it knows what its group does.
  const Agent* find_state(std::uint32_t agent) const {
    const Group& group = quick_.groups[this->group(agent)];
    if (group.agents.empty()) return nullptr;
    const std::size_t at = agent - group.first_agent;
    return at < group.agents.size() ? &group.agents[at] : nullptr;
  }
  Agent& state(std::uint32_t agent) {
    Group& group = groups_[places_.group(agent)];
    const std::size_t at = agent - group.first_agent;
    if (at >= group.agents.size()) group.agents.resize(at + 1);
    return group.agents[at];
  }
  Group& group_of(std::uint32_t agent) { return groups_[places_.group(agent)]; }
  const ViewPointer& view_of(const Group& group) const { return group.view ? group.view : nothing_; }

  bool in_scope(const Offer& offer, std::uint32_t agent, Level level) const;
  std::shared_ptr<const Release> release(std::uint32_t agent, Classes mask, Level level);
  static void remember_fence(Agent& agent, Offer fence);
  void acquire(std::uint32_t agent, Classes mask, std::span<const Offer> offers);
  void acquire_seen(std::uint32_t agent, const Ordering& ordering);
  void see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier,
           const Ordering& reader);
  void miss(std::uint32_t agent, const Release& release);
  void note(std::uint32_t agent, model::OperationIndex index, bool write_half,
            const Operation& operation, const Ordering& ordering, Stamp stamp);
  void domain_operation(model::OperationIndex index, const Operation& operation);

  void forget_all();
  [[gnu::noinline]] static void forget_agents(Group& group) { group.agents = {}; }
  [[gnu::noinline]] void grow(Group& group, std::uint32_t first, std::uint32_t count);
  void leave_unmet(std::uint32_t agent);
  bool is_at(const Meeting& meeting, model::OperationIndex arrival) const;
  std::size_t meeting_with(model::OperationIndex arrival) const;
  void close(std::size_t meeting);
  bool can_open_together(const Meeting& meeting) const;
  bool are_whole_workgroups(const Ordering& ordering, std::uint32_t agent) const;
  void open_together(Meeting& meeting);
  ViewPointer joined_view(const Meeting& meeting, Stamp stamp) const;
  void settle(GroupId group, Stamp stamp, const Ordering& ordering);
  void collect_fences(Meeting& meeting);
  bool learn_together(Meeting& meeting);
  const ViewPointer& view_after(Meeting& meeting, const ViewPointer& own) const;
  void pass_together(Meeting& meeting, const Arrival& arrival);
  void settle_one_by_one(Meeting& meeting);
  void acquire_at(const Meeting& meeting, Arrival& to);
  void leave_to_later(const Meeting& meeting, const Arrival& arrival);
  bool releases_at(const Meeting& meeting, const Arrival& arrival) const;
  bool arrivals_synchronize(const Arrival& from, const Arrival& to) const;
  void log_arrival(const Arrival& arrival, std::uint32_t agent, Stamp stamp, ViewPointer view);

  /// What every access asks for, where it is at hand.
  struct Quick {
    const Places::Agent* agents = nullptr;
    Group* groups = nullptr;
    std::uint32_t first = 0;
  };
  void look_again() {
    quick_ = {places_.agents(), groups_.data(), places_.first()};
    near_ = {};
  }
  void look_near(std::uint32_t agent);

  Quick quick_;
  Near near_;
  std::shared_ptr<Shared> shared_;
  Places& places_;
  SyncLog& log_;
  ReleaseHistory own_history_;
  ReleaseHistory* history_ = &own_history_;
  /// A thread uses those of its own workgroups.
  std::vector<Group>& groups_;
  std::vector<Meeting> meetings_;
  std::vector<Meeting> spare_meetings_;
  bool whole_workgroups_ = false;
  bool lost_ = false;
  /// Where somebody passed the last time.
  std::size_t last_meeting_ = 0;
  /// What an agent begins with.
  ViewPointer& nothing_;
};

class KernelOrder::Shared {
 public:
  explicit Shared(std::size_t most_events) : log_(most_events) {}
  /// Before the invocations of a dispatch begin, as Places::reserve; nobody else uses it meanwhile.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups);
  const Places& places() const { return places_; }

 private:
  friend class KernelOrder;
  Places places_;
  SyncLog log_;
  std::vector<Group> groups_;
  /// Of an agent that knows of nobody.
  const ViewPointer unknowing_ = std::make_shared<const View>();
  ViewPointer nothing_ = unknowing_;
};

inline const ViewPointer& KernelOrder::nobody() const { return shared_->unknowing_; }

}  // namespace heddle::race
