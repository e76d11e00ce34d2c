#pragma once

/// \file
/// The instances of control barriers: who came to each, and who has left it.

#include <algorithm>
#include <span>
#include <vector>

#include "emulator/race/order_state.h"

namespace heddle::race {

/// An arrival at an instance of a control barrier.
struct Arrival {
  model::OperationIndex index = 0;
  std::uint32_t agent = 0;
  /// The lane of the barrier's tags (tag_lanes.h); 0 where clocks tell no lanes apart.
  std::uint8_t lane = 0;
  Ordering ordering;
  /// The release barriers of the agent up to this one.
  std::vector<Offer> fences;
  /// What its agent learns here is part of the agent's view.
  bool settled = false;
  /// What its agent knew before it acquired anything here.
  ViewPointer known;
};

/// One instance of a control barrier.
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

  // What those who meet have in common (GroupViews):
  bool together = false;
  /// All have arrived, and all that they learn is in the view of their group.
  bool done = false;
  /// Whether all who meet have learnt one and the same.
  bool settled_as_one = false;
  Stamp stamp = 0;
  ViewPointer before;
  /// What all arrivals released, before anything became visible.
  ViewPointer joined;
  ViewPointer after;
  /// What the last agent knew before the barrier that knew something else than the others.
  ViewPointer other_before;
  ViewPointer other_after;
  std::shared_ptr<const Release> own;
  std::shared_ptr<LeftTogether> fences;
};

/// Whether those who leave the instance synchronize with this arrival: with all, unless a quorum names some.
inline bool releases_at(const Meeting& meeting, const Arrival& arrival) {
  return meeting.synchronizing.empty() || std::find(meeting.synchronizing.begin(), meeting.synchronizing.end(),
                                                    arrival.index) != meeting.synchronizing.end();
}

/// Whether two arrivals are in each other's memory scopes, and in the execution scope.
//= vk:memory-model-synchronizes-with
inline bool arrivals_synchronize(const Places& places, const Arrival& from, const Arrival& to) {
  return places.same_instance(from.agent, to.agent, from.ordering.level) &&
         places.same_instance(from.agent, to.agent, to.ordering.level) &&
         places.same_instance(from.agent, to.agent, from.ordering.execution);
}

/// Whether the agent came to the instance and has learnt nothing there yet.
inline bool waits_at(const Meeting& meeting, std::uint32_t agent) {
  return std::any_of(meeting.arrivals.begin(), meeting.arrivals.end(),
                     [&](const Arrival& arrival) { return arrival.agent == agent && !arrival.settled; });
}

/// The instances of control barriers that some agent is at.
class Meetings {
 public:
  /// The meeting that the barrier belongs to: a new one if it is the first to come. `group` is its agent's.
  Meeting& of(const Operation& barrier, GroupId group);
  /// The meeting with this arrival; null if there is none.
  Meeting* with(model::OperationIndex arrival);
  /// The place of the arrival, which is one of the meeting.
  static Arrival& arrival(Meeting& meeting, model::OperationIndex index);
  /// The meeting that `with` gave last is over.
  void close();
  void clear() {
    if (!meetings_.empty()) meetings_.clear();
  }
  std::vector<Meeting>& all() { return meetings_; }

 private:
  static bool is_at(const Meeting& meeting, model::OperationIndex arrival);

  std::vector<Meeting> meetings_;
  std::vector<Meeting> spare_;
  /// The place of the meeting that an agent left last.
  std::size_t last_ = 0;
};

}  // namespace heddle::race
