#pragma once

/// \file
/// What orders the operations of a kernel's invocations: barriers, atomics, control barriers, and what
/// system-synchronizes. It is said once, for agents whose clocks tell no lanes apart (kernel_order.h), and for those
/// whose tags count (tagged_order.h).

#include <memory>
#include <span>
#include <vector>

#include "emulator/race/order_state.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

struct Arrival;
struct Meeting;
class Meetings;
class TagLanes;

/// Tells the views of agents what they learn. `Views` says what an agent knows, in Views::kLanes lanes (tag_lanes.h):
/// - lane_of(tags), lanes(): the lane of an operation; what is known of the lanes, null if there is one.
/// - begin(group, agent, count, is_first): `count` agents of a group begin, which are its first or not. end(group): all
///   have ended. clear(): all are forgotten.
/// - view(agent, lane): what is known to the agent's next operation of the lane, once finish(agent) has done what was
///   put off.
/// - make_available(agent, lane, known, operation, stamp), make_visible(agent, lane, operation, stamp): what operations
///   in bulk do, where `known` was known to the first. The stamp is that of the agent's accesses up to now.
/// - release(agent, lane, ordering, stamp): what the agent releases with its operations up to the stamp.
///   acquire_own_release(agent, lane, mask): what does so acquires as well.
/// - acquire(agent, lane, mask, offers): the agent learns what was released. Whether that is anything new.
///   acquire_by_atomic(agent, lane, mask, stamp): an atomic did so.
/// - release_again(arrival): an arrival that has acquired something releases that, too.
/// - constrain(agent, lane, sets): an operation is told that these sets constrain.
/// - beginning(agent), begin_with(agent, view): what is before all that the agent does next. all_of(agent): what is
///   before any of its operations.
template <typename Views>
class Order {
 public:
  /// What the orders of several threads share. Each order hears the workgroups of its own thread.
  using Shared = typename Views::Shared;

  /// `chains` and `one_class_each` as in KernelOptions.
  Order(std::shared_ptr<Shared> shared, bool chains, bool one_class_each);
  ~Order();

  /// From now on atomics are told on bytes whose releases stand in `history`, which agents of other orders may access.
  void use(ReleaseHistory* history) { history_ = history; }
  /// What was released on the allocation no agent acquires any more.
  void forget(AllocationId allocation) { history_->forget(allocation); }
  std::size_t remembered_releases() const { return history_->size(); }
  /// Behind a memory dependency: numbers of agents start anew, too.
  void restart() { shared_->places_.restart(); }

  /// As trace::Listener.
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups);
  /// `count` agents of the group end. Whether it has ended with them.
  bool agents_end(GroupId group, std::uint32_t count) {
    if (!shared_->places_.agents_end(group, count)) return false;
    typename Views::Group& of = shared_->groups_[group];
    if (of.knows()) [[unlikely]]
      views_.end(of);
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
    return !history_->may_offer(allocation) && views_.fences(agent).empty();
  }
  /// Whether nothing was released on any allocation: agents of groups without fences need not tell relaxed atomics.
  bool nothing_is_offered() const { return history_->empty(); }
  void placed(model::OperationIndex write) {
    if (!history_->empty()) history_->placed(write);
  }

  const Places& places() const { return shared_->places_; }
  const SyncLog& log() const { return shared_->log_; }
  const ChainClocks& chains() const { return chains_; }
  /// What clocks tell apart; null where there is one lane.
  const TagLanes* lanes() const { return views_.lanes(); }
  /// An instruction of which accesses will be told.
  void note(const Site& site) { shared_->use_.note(site, chains_.has_one_class_each()); }
  /// What others published of the agent's workgroup and do not carry on: it may be known in the workgroup all the same.
  const Left& left(std::uint32_t agent) const { return views_.group_of(agent).left; }
  /// What would be before the agent if the scopes of releases and acquires included it.
  const Clock& out_of_scope(std::uint32_t agent) const {
    static const Clock kNothing;
    const typename Views::Agent* own = views_.find(agent);
    return own ? own->out_of_scope : kNothing;
  }

 protected:
  Shared& shared() { return *shared_; }
  /// From now on what ChainClocks lists is cut.
  void cut() { chains_.set_exact(false); }
  Views& views() { return views_; }
  const Views& views() const { return views_; }
  std::vector<typename Views::Group>& groups() const { return shared_->groups_; }
  const ViewPointer& nobody() const { return shared_->unknowing_; }

 private:
  static constexpr bool kOneLane = Views::kLanes == 1;

  std::shared_ptr<const Release> release(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering);
  void release_by_barrier(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering);
  void acquire_seen(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering);
  void see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier, const Ordering& reader);
  std::span<const Head> heads_together(const Operation& reader, model::OperationIndex write);
  void domain_operation(model::OperationIndex index, const Operation& operation);
  void forget_all();
  void leave_unmet(std::uint32_t agent);
  void pass(Meeting& meeting, Arrival& arrival);
  void settle(Meeting& meeting);
  void acquire_at_barrier(Meeting& meeting);
  bool acquire_at(const Meeting& meeting, Arrival& to);

  std::shared_ptr<Shared> shared_;
  ChainClocks chains_;
  Views views_;
  ReleaseHistory own_history_;
  ReleaseHistory* history_ = &own_history_;
  std::unique_ptr<Meetings> meetings_;
  /// Whether the last atomic that read took up all of the release sequences that it read from.
  bool took_up_all_ = false;
};

}  // namespace heddle::race
