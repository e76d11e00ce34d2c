#pragma once

/// \file
/// Happens-before of a kernel's invocations, with as much memory as their synchronization is irregular:
/// after a barrier all invocations of a workgroup share one view.

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/race/chain_clocks.h"
#include "emulator/race/ordering.h"
#include "emulator/race/release_history.h"
#include "emulator/race/seen_releases.h"
#include "emulator/race/site_relation.h"
#include "emulator/race/sync_log.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

/// What, for one storage class, control barriers that a whole workgroup reached alike settled: the last stamp of
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
  /// What the orders of several threads share. Each order hears the workgroups of its own thread.
  class Shared;

  /// `chains` and `one_class_each` as in KernelOptions.
  KernelOrder(bool chains, bool one_class_each);
  KernelOrder(std::shared_ptr<Shared> shared, bool chains, bool one_class_each);

  /// From now on atomics are told on bytes whose releases stand in `history`; if that is null, on bytes that agents of
  /// no other order access.
  void use(ReleaseHistory* history) { history_ = history ? history : &own_history_; }
  /// What was released on the allocation no agent acquires any more.
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
    Group& of = groups_[group];
    if (of.view || !of.tail.empty() || !of.agents.empty()) [[unlikely]]
      group_ends(of);
    return true;
  }
  void system_synchronizes(AgentId first, AgentId second);

  /// All agents so far have ended, and are before all that begin from now on; after a memory dependency
  /// no agent asks for them any more.
  void dependency(bool memory);

  /// A memory barrier, or an operation of the domains.
  void barrier(model::OperationIndex index, const Operation& operation);
  void arrive(model::OperationIndex index, const Operation& operation);
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing);
  /// `arrive` and `passes` of `count` agents from the operation's on in one step.
  /// False, and nothing happened, where they have to be looked at one by one.
  bool meets(const Operation& operation, std::uint32_t count);
  /// An atomic begins, before anything else is told of it.
  void atomic_begins(const Operation& operation);
  /// The read of an atomic, whose bytes come from these writes; before it is checked.
  void atomic_reads(const Operation& operation, std::span<const trace::Source> sources);
  /// The write of an atomic; after it is checked.
  void atomic_writes(model::OperationIndex index, const Operation& operation);
  /// The end of an atomic, when all else about it has been told.
  void atomic_ends(const Operation& operation);
  /// Whether it need not hear of atomics of the agent on the allocation that neither acquire nor release: nothing
  /// was released there, and the agent has nothing to offer.
  bool ignores_relaxed(std::uint32_t agent, AllocationId allocation) const {
    if (history_->may_offer(allocation)) return false;
    const Agent* own = find_state(agent);
    return !own || own->fences.empty();
  }
  /// Whether nothing was released on any allocation: agents of groups without fences need not tell relaxed atomics.
  bool nothing_is_offered() const { return history_->empty(); }
  void placed(model::OperationIndex write) {
    if (!history_->empty()) history_->placed(write);
  }

  const Places& places() const { return places_; }
  const SyncLog& log() const { return log_; }
  const ChainClocks& chains() const { return chains_; }
  /// An instruction of which accesses will be told.
  void note(const Site& site) { use_.note(site, chains_.has_one_class_each()); }
  /// The view of an agent that has not ended.
  const ViewPointer& view(std::uint32_t agent) const {
    const Agent* own = find_state(agent);
    return own && own->view ? own->view : view_of(groups_[places_.group(agent)]);
  }
  /// What others published of the agent's workgroup and do not carry on: it may be known in the workgroup all the same.
  const Left& left(std::uint32_t agent) const { return groups_[places_.group(agent)].left; }
  /// Whether no agent's operations are before those of the agent, which is in this group.
  bool knows_nobody(std::uint32_t agent, GroupId group) const {
    const Group& of = quick_.groups[group];
    return of.agents.empty() ? knows_nobody(of) : view(agent) == nobody();
  }
  /// The view of an agent that knows nobody.
  inline const ViewPointer& nobody() const;
  /// From now on it need not keep what all who may ever ask for it know already: if the agents of a
  /// workgroup begin together, before its first barrier.
  void expect_whole_workgroups() {
    whole_workgroups_ = true;
    chains_.set_exact(false);
  }
  /// The agent's workgroup counts as having come to so many barriers, acquires and releases, at least.
  void skip_to(AgentId agent, Stamp stamp) {
    Group& group = group_of(static_cast<std::uint32_t>(agent));
    group.now = std::max(group.now, stamp);
  }
  /// Whether agents of a workgroup began after its first barrier: then nothing is taken for unordered.
  bool is_lost() const { return lost_; }
  std::uint32_t first_agent(GroupId group) const { return groups_[group].first_agent; }
  /// Agents with consecutive numbers, all of one group, and what every access asks of the group.
  class Near {
   public:
    bool has(std::uint32_t agent) const { return agent - first_ < count_; }
    GroupId group() const { return group_; }
    Stamp now() const { return state_->now; }
    /// The address of `now()`.
    const Stamp* clock() const { return &state_->now; }
    const Settled& settled(std::size_t storage_class) const { return state_->settled[storage_class]; }

   private:
    friend class KernelOrder;
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    GroupId group_ = 0;
    const Group* state_ = nullptr;
  };
  /// The agents near this one, itself at least; valid until an agent begins.
  const Near& near(std::uint32_t agent) {
    if (!near_.has(agent)) look_near(agent);
    return near_;
  }
  /// Whether no agent near need tell relaxed atomics, on any allocation; false also if that is not known at once.
  bool ignores_relaxed(const Near& near) const { return nothing_is_offered() && near.state_->agents.empty(); }
  /// What `near` answered last; without agents if an agent has begun since.
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
  using Offers = std::vector<Offer>;
  /// The last visibility operation in bulk of an agent. What it does again, knowing nothing new, is done when somebody
  /// may ask for it.
  struct LastVisibility {
    ViewPointer known;
    BulkOperation operation;
    /// The stamp of the last time; 0 if that is done.
    Stamp again = 0;
  };
  struct Agent {
    /// Null if it is that of its group.
    ViewPointer view;
    Offers fences;
    SeenReleases seen;
    std::shared_ptr<LeftTogether> seen_together;
    Clock out_of_scope;
    LastVisibility last_visibility;
    bool has_nothing() const { return !view && fences.empty() && seen.empty() && !seen_together; }
  };
  /// A barrier that a whole workgroup came to alike, and to no other since then that was of another kind.
  struct WholeBarrier {
    Ordering ordering;
    Stamp stamp = 0;
  };
  static constexpr std::size_t kLongestTail = 8;
  /// So many are looked at one by one where they may differ.
  static constexpr std::size_t kFewAgents = 8;
  struct Group {
    Stamp now = kFirstStamp;
    /// Null if it is the one that agents begin with.
    ViewPointer view;
    /// What is not in the view yet.
    std::vector<WholeBarrier> tail;
    Left left;
    std::array<Settled, kClasses> settled;
    std::uint32_t first_agent = 0;
    /// How many began, if all have consecutive numbers; else 0.
    std::uint32_t agents_in_row = 0;
    /// By number from `first_agent` on. An agent behind the end has nothing of its own.
    std::vector<Agent> agents;
  };
  struct Arrival : BarrierArrival {
    /// What its agent knew before it acquired anything here.
    ViewPointer known;
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
    /// All have arrived, and all that they learn is in the view of their group.
    bool done = false;
    /// All have learnt one and the same.
    bool settled_as_one = false;
    Stamp stamp = 0;
    ViewPointer before;
    /// What all have released, before anything became visible.
    ViewPointer joined;
    ViewPointer after;
    /// What the last of those knew before who knew something else.
    ViewPointer other_before;
    ViewPointer other_after;
    std::shared_ptr<const Release> own;
    std::shared_ptr<LeftTogether> fences;
  };

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
  const ViewPointer& view_of(Group& group) const {
    if (!group.tail.empty()) add_tail(group);
    return group.view ? group.view : nothing_;
  }
  bool knows_nobody(const Group& group) const {
    return !group.view && group.tail.empty() && nothing_.get() == nobody().get();
  }
  void add_tail(Group& group) const;
  void come_together(View& view, const Group& group, const WholeBarrier& barrier) const;
  void release_together(View& view, const Performer& all, const Ordering& ordering, Stamp stamp) const;
  Performer performer(std::uint32_t agent) const { return {agent, places_.group(agent), false}; }
  void make_available(std::uint32_t agent, const ViewPointer& known, BulkOperation operation, Stamp stamp);
  void make_visible(std::uint32_t agent, BulkOperation operation, Stamp stamp);
  void finish_visibility(std::uint32_t agent);

  std::shared_ptr<const Release> release(std::uint32_t agent, Classes mask, Level level);
  void acquire(std::uint32_t agent, Classes mask, std::span<const Offer> offers);
  bool learn(View& made, std::uint32_t agent, Classes mask, std::span<const Offer> offers) const;
  Offers joined(std::span<const Offer> offers, const std::function<std::uint32_t(std::uint32_t)>& reader) const;
  std::span<const Offer> left_together(LeftTogether& left, std::uint32_t agent, Level level) const;
  void acquire_seen(std::uint32_t agent, const Ordering& ordering);
  void see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier, const Ordering& reader);
  void miss(std::uint32_t agent, const Release& release);
  /// Notes an acquire or a release.
  void note(const Ordering& ordering, Classes storage) {
    log_.note(ordering.mask, storage);
    use_.note(sets_in(ordering.mask));
    use_.note_level(ordering.level);
  }
  void domain_operation(model::OperationIndex index, const Operation& operation);

  void forget_all();
  [[gnu::noinline]] void group_ends(Group& group);
  [[gnu::noinline]] void grow(Group& group, std::uint32_t first, std::uint32_t count);
  void leave_unmet(std::uint32_t agent);
  bool is_at(const Meeting& meeting, model::OperationIndex arrival) const;
  std::size_t meeting_with(model::OperationIndex arrival) const;
  void close(std::size_t meeting);
  bool can_open_together(const Meeting& meeting) const;
  // Scopes of ray tracing and of interlock need not include the workgroup.
  static bool has_whole_workgroups(Level level) { return level == kWorkgroup || level + 1 >= kDevice; }
  bool are_whole_workgroups(const Ordering& ordering, std::uint32_t agent) const;
  void open_together(Meeting& meeting);
  void join_views(Meeting& meeting) const;
  void settle(GroupId group, Stamp stamp, const Ordering& ordering);
  void collect_fences(Meeting& meeting);
  bool learn_together(Meeting& meeting);
  ViewPointer view_after(Meeting& meeting, const Arrival& arrival) const;
  void come_to_one_view(const Meeting& meeting);
  void pass_together(Meeting& meeting, const Arrival& arrival);
  bool is_one_subgroup(const Meeting& meeting) const;
  bool know_the_same(const Meeting& meeting) const;
  bool settle_as_one(Meeting& meeting);
  void settle_one_by_one(Meeting& meeting);
  void acquire_in_turns(Meeting& meeting);
  std::vector<std::vector<Arrival*>> companies(Meeting& meeting) const;
  bool acquire_at_once(Meeting& meeting);
  void acquire_in_company(const std::vector<Arrival*>& company);
  void acquire_at(const Meeting& meeting, Arrival& to);
  void release_again(Arrival& to);
  void leave_to_later(const Meeting& meeting, const Arrival& arrival);

  /// Pointers to what every access asks for.
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
  ChainUse& use_;
  ChainClocks chains_;
  ReleaseHistory own_history_;
  ReleaseHistory* history_ = &own_history_;
  /// A thread uses those of its own workgroups.
  std::vector<Group>& groups_;
  std::vector<Meeting> meetings_;
  std::vector<Meeting> spare_meetings_;
  bool whole_workgroups_ = false;
  bool lost_ = false;
  /// The place in `meetings_` of the meeting that an agent left last.
  std::size_t last_meeting_ = 0;
  /// Whether the last atomic that read took up all of the release sequences that it read from.
  bool took_up_all_ = false;
  /// The view that an agent begins with.
  ViewPointer& nothing_;
};

class KernelOrder::Shared {
 public:
  /// To be called before the invocations of a dispatch begin, like Places::reserve; no other thread uses it meanwhile.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups);
  const Places& places() const { return places_; }

 private:
  friend class KernelOrder;
  Places places_;
  SyncLog log_;
  ChainUse use_;
  std::vector<Group> groups_;
  /// What agents of workgroups that are gone did to chains that reach farther than these; guarded by the mutex.
  std::mutex ended_mutex_;
  View ended_;
  /// The view of an agent that knows of no other.
  const ViewPointer unknowing_ = std::make_shared<const View>();
  ViewPointer nothing_ = unknowing_;
};

inline const ViewPointer& KernelOrder::nobody() const {
  return shared_->unknowing_;
}

}  // namespace heddle::race
