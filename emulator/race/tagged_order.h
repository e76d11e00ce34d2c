#pragma once

/// \file
/// Happens-before of a kernel's invocations where tags count: program order between operations whose sets of tags do
/// not fit each other is left out.
///
/// **Lanes.** What an agent does with one set of tags is a lane (tag_lanes.h). Clocks have a stamp for each lane of an
/// agent, and an agent has for each lane three views:
/// - `acquired`: what is before the acquires of the lane. It is before later operations of each lane that fits it.
/// - `constrained`: what is before some operation of the lane that a set of classes constrains. It is before later
///   releases of each lane that fits it. An access joins what was acquired since the last one to it.
/// - `done`: what operations in bulk of the lane did to chains (chain_clocks.h). It is known to later operations of
///   each lane that fits it, by program order.
/// So nothing is kept of single operations, and what is known is exact as far as ChainClocks is.

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/race/chain_clocks.h"
#include "emulator/race/kernel_location_order.h"
#include "emulator/race/ordering.h"
#include "emulator/race/release_history.h"
#include "emulator/race/seen_releases.h"
#include "emulator/race/sync_log.h"
#include "emulator/race/tag_lanes.h"

namespace heddle::race {

class TaggedOrder {
 public:
  /// `chains` and `one_class_each` as in KernelOptions.
  TaggedOrder(bool chains, bool one_class_each);

  /// As Places::reserve.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups);
  /// These have the contract of the same functions of trace::Listener.
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups);
  void agents_end(AgentId first, std::uint32_t count);
  void system_synchronizes(AgentId first, AgentId second);
  void dependency(bool memory);
  /// Behind a memory dependency: numbers of agents start anew, too.
  void restart() { places_.restart(); }

  /// A memory barrier, or an operation of the domains.
  void barrier(model::OperationIndex index, const Operation& operation);
  void arrive(model::OperationIndex index, const Operation& operation);
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing);
  /// An atomic begins, its read (whose bytes come from these writes), its write, and its end, as of KernelOrder.
  void atomic_begins(const Operation& operation);
  void atomic_reads(const Operation& operation, std::span<const trace::Source> sources);
  void atomic_writes(model::OperationIndex index, const Operation& operation);
  void atomic_ends(const Operation& operation);
  void placed(model::OperationIndex write) { history_.placed(write); }
  /// An instruction of which accesses will be told.
  void note(const Site& site) { use_.note(site, chains_.has_one_class_each()); }
  /// An access, or an operation in bulk, of the lane is told that these sets constrain.
  void constrain(std::uint32_t agent, std::uint8_t lane, ClassSets sets);
  /// What was released on the allocation no agent acquires any more.
  void forget(AllocationId allocation) { history_.forget(allocation); }
  /// From now on what ChainClocks lists is cut.
  void cut() { chains_.set_exact(false); }

  /// What is known to the next operation of the lane.
  ViewPointer view(std::uint32_t agent, std::uint8_t lane);
  /// What is known to the write of an atomic of the lane that releases.
  ViewPointer view_of_release(std::uint32_t agent, std::uint8_t lane, const Operation& atomic);
  /// All that may be before something that the agent does, whatever the tags.
  const Clock& reached(std::uint32_t agent) const;
  Stamp now(std::uint32_t agent) const { return groups_[places_.group(agent)].now; }
  const Places& places() const { return places_; }
  const TagLanes& lanes() const { return lanes_; }
  std::uint8_t lane_of(TagSetId tags) { return lanes_.of(tags); }
  /// What answers about accesses rest on.
  KernelLocationOrder::Known known() const;

 private:
  using Offers = std::vector<Offer>;
  struct Lane {
    ViewPointer acquired;
    ViewPointer constrained;
    ViewPointer done;
    /// Sets of which something was acquired that is not in `constrained` yet, though it is before accesses of the lane,
    /// which may have none so far.
    ClassSets pending = kAllClassSets;
    /// The last release barriers, of each mask and level.
    Offers fences;
    /// What `view` gave; null if something has changed since.
    ViewPointer known;
  };
  struct Agent {
    std::array<Lane, TagLanes::kMost> lanes;
    SeenReleases seen;
    Clock reached;
    std::shared_ptr<const SystemView> system;
  };
  struct Group {
    Stamp now = kFirstStamp;
    Left left;
    std::vector<std::uint32_t> agents;
  };
  struct Arrival : BarrierArrival {
    std::uint8_t lane = 0;
    /// Its accesses before it have at most this stamp.
    Stamp stamp = 0;
  };
  struct BarrierInstance {
    std::uint64_t number = 0;
    std::vector<Arrival> arrivals;
    std::size_t passed = 0;
    bool opened = false;
    std::vector<model::OperationIndex> synchronizing;
  };

  const Agent* find(std::uint32_t agent) const {
    const std::size_t at = agent - places_.first();
    return at < agents_.size() ? agents_[at].get() : nullptr;
  }
  Agent& state(std::uint32_t agent);
  Performer performer(std::uint32_t agent, std::uint8_t lane) const {
    return {agent, places_.group(agent), false, lanes_.fitting(lane)};
  }
  template <typename F>
  void for_each_fitting(std::uint8_t lane, F&& f) const;
  void join(View& to, const ViewPointer& more, ClassSets sets, FactSums& sums) const;
  void add(ViewPointer& to, const View& more, ClassSets sets) const;
  View all_of(const Agent& agent) const;
  void acquired_more(Agent& agent, std::uint8_t lane, ClassSets sets);
  void add_done(std::uint32_t agent, std::uint8_t lane, View done);
  void make_available(std::uint32_t agent, std::uint8_t lane, BulkOperation operation, Stamp stamp);
  void make_visible(std::uint32_t agent, std::uint8_t lane, BulkOperation operation, Stamp stamp);
  Offer release(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, Stamp stamp);
  Offer publish(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, View published);
  bool acquire(std::uint32_t agent, std::uint8_t lane, Classes mask, std::span<const Offer> offers);
  void acquire_seen(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering);
  void see(std::uint32_t agent, const Offer& offer, Classes storage, bool at_barrier);
  void order(std::uint32_t agent, std::uint8_t lane, const Ordering& ordering, Stamp stamp);
  static Offers fences_of(const Agent& agent);
  void note(const Ordering& ordering, Classes storage);
  void domain_operation(model::OperationIndex index, const Operation& operation);
  void group_ends(GroupId group);
  void leave_unmet(std::uint32_t agent);
  void settle(BarrierInstance& instance);
  bool acquire_at(const BarrierInstance& instance, Arrival& to);
  void release_again(Arrival& to);

  Places places_;
  SyncLog log_;
  ChainUse use_;
  ChainClocks chains_;
  ReleaseHistory history_;
  TagLanes lanes_;
  std::vector<Group> groups_;
  /// By number, from places_.first() on; null while an agent has neither synchronized nor done anything in bulk.
  std::vector<std::unique_ptr<Agent>> agents_;
  std::vector<BarrierInstance> instances_;
  /// What agents of workgroups that are gone did to chains that reach farther than these.
  View ended_;
  /// What an agent begins with.
  ViewPointer nothing_ = std::make_shared<const View>();
};

}  // namespace heddle::race
