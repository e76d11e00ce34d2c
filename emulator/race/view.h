#pragma once

/// \file
/// What an agent of a kernel knows of the others: which of their operations happen before its next one.

#include <array>
#include <memory>

#include "emulator/race/clock.h"
#include "emulator/race/event.h"

namespace heddle::race {

inline constexpr std::size_t kClasses = 4;

/// For each of kClassSets a clock.
using Clocks = std::array<Clock, kClassSets.size()>;

/// By system-synchronization, before all operations of an agent.
struct SystemView {
  /// What is before them, whatever their own classes.
  Clocks before;
  /// Agents all of whose operations system-synchronize with them.
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
};
using ViewPointer = std::shared_ptr<const View>;

/// Of two views of one agent, the second not before the first: whether it has learnt nothing.
inline bool same_knowledge(const View& before, const View& after) {
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if (!before.before[i].includes(after.before[i])) return false;
  return before.reached.includes(after.reached);
}

/// Whether the views differ at most in these sets and in what has been reached.
inline bool same_but(const View& a, const View& b, ClassSets sets) {
  if (a.system != b.system) return false;
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if (((sets >> i) & 1) == 0 && !a.before[i].is_same(b.before[i])) return false;
  return true;
}

/// An operation among those of its agent and of the others.
struct Point {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  /// Synchronization ends the time of its stamp: it comes after the accesses with the same stamp.
  bool ends_stamp = false;
  /// Tells apart what has the same stamp; 0 for accesses of which nobody asks for it.
  std::uint64_t number = 0;
  /// The sets of classes that relate it to others.
  ClassSets sets = 0;
  /// Of its agent; null if it is not known.
  const View* view = nullptr;
};

}  // namespace heddle::race
