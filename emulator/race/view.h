#pragma once

/// \file
/// What an agent of a kernel knows of the others: which of their operations happen before its next one.

#include <array>
#include <memory>

#include "emulator/race/clock.h"
#include "emulator/race/facts.h"

namespace heddle::race {

/// For each of kClassSets a clock.
using Clocks = std::array<Clock, kClassSets.size()>;

/// By system-synchronization, before all operations of an agent.
struct SystemView {
  /// What is before all operations of the agent, whatever their classes.
  Clocks before;
  /// Agents all of whose operations system-synchronize with those of the agent.
  Clock agents;
};

struct View {
  /// For each of kClassSets the operations on those classes that inter-thread-happen-before the agent's
  /// next operation on them. A stamp of kForEver stands for all that an agent did, whatever the class.
  //= vk:memory-model-inter-thread-happens-before
  Clocks before;
  /// What any synchronization may have led here, whatever the classes: what is not in it is ordered in no
  /// way.
  Clock reached;
  std::shared_ptr<const SystemView> system;
  /// What availability and visibility operations did that, for a set of kClassSets, inter-thread-happen-before the
  /// agent's next operation on it, or are its own and on it.
  std::array<FactsPointer, kClassSets.size()> facts;
  /// What such operations did that are before all that the agent does next, whatever the classes: its own, or those
  /// that system-synchronize with it.
  FactsPointer own;
};
using ViewPointer = std::shared_ptr<const View>;

/// Whether an agent has learnt nothing between two views, the second not before the first.
inline bool same_knowledge(const View& before, const View& after) {
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if (!before.before[i].includes(after.before[i]) || !includes(before.facts[i], after.facts[i])) return false;
  return before.reached.includes(after.reached);
}

/// Whether the first has all that the second has but for these sets, and for what has been reached.
inline bool has_all_but(const View& a, const View& b, ClassSets sets) {
  if (a.system != b.system || !includes(a.own, b.own)) return false;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (((sets >> i) & 1) != 0) continue;
    // Where facts of a set of two classes are not kept, those of each class stand for them.
    if (a.facts[i] && !b.facts[i]) return false;
    if (!a.before[i].is_same(b.before[i]) || !includes(a.facts[i], b.facts[i])) return false;
  }
  return true;
}

/// An operation among those of its agent and of the others.
struct Point {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  /// Synchronization ends the time of its stamp: it comes after the accesses with the same stamp.
  bool ends_stamp = false;
  /// Tells apart what has the same stamp; 0 for accesses for which it is not asked for.
  std::uint64_t number = 0;
  /// The sets of classes that relate it to others.
  ClassSets sets = 0;
  /// Where clocks tell lanes apart (tag_lanes.h).
  std::uint8_t lane = 0;
  /// The view of its agent; null if it is not known.
  const View* view = nullptr;
};

}  // namespace heddle::race
