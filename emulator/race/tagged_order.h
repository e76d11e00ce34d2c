#pragma once

/// \file
/// Happens-before of a kernel's invocations where tags count.

#include "emulator/race/lane_views.h"
#include "emulator/race/order.h"

namespace heddle::race {

/// The order of as many lanes as there are sets of tags (lane_views.h).
class TaggedOrder : public Order<LaneViews> {
 public:
  /// `chains` and `one_class_each` as in KernelOptions.
  TaggedOrder(bool chains, bool one_class_each) : Order(std::make_shared<Shared>(), chains, one_class_each) {}

  /// As Places::reserve.
  void reserve(std::uint32_t first, std::uint32_t size, std::uint32_t groups) { shared().reserve(first, size, groups); }
  using Order::cut;

  std::uint8_t lane_of(TagSetId tags) { return views().lane_of(tags); }
  /// An access of the lane is told that these sets constrain.
  void constrain(std::uint32_t agent, std::uint8_t lane, ClassSets sets) { views().constrain(agent, lane, sets); }
  /// What is known to the next operation of the lane.
  ViewPointer view(std::uint32_t agent, std::uint8_t lane) { return views().view(agent, lane); }
  /// What is known to the write of an atomic of the lane that releases.
  ViewPointer view_of_release(std::uint32_t agent, std::uint8_t lane, const Operation& atomic) {
    return views().view_of_release(agent, lane, atomic);
  }
  /// All that may be before something that the agent does, whatever the tags.
  const Clock& reached(std::uint32_t agent) const { return views().reached(agent); }
  Stamp now(std::uint32_t agent) const { return views().group_of(agent).now; }
};

}  // namespace heddle::race
