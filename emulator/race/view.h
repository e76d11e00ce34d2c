#pragma once

/// \file
/// What an agent of a kernel knows of the others: which of their accesses happen before its next one,
/// which of their writes are available, and which it can see.

#include <array>
#include <memory>

#include "emulator/model/place.h"
#include "emulator/race/clock.h"
#include "emulator/race/event.h"

namespace heddle::race {

/// How far a scope reaches in a kernel: invocation, subgroup, workgroup, queue family, device, and
/// beyond. Scopes of ray tracing and of interlock count as that of the queue family.
using Reach = std::uint8_t;
inline constexpr Reach kOwn = 0, kSubgroup = 1, kWorkgroup = 2, kQueueFamily = 3, kDevice = 4,
                       kEverywhere = 5;
inline constexpr std::size_t kReaches = 6;
Reach reach_of(Scope scope);

inline constexpr std::size_t kClasses = 4;

/// Writes that a visibility operation found available.
struct Visible {
  /// Those that bulk operations made available to their own instance of a reach, by that reach.
  std::array<Clock, kReaches> available;
  /// Those that may have made themselves available, by the reach of the visibility operation.
  std::array<Clock, kReaches> own;

  void join(const Visible& other);
};

/// Of one storage class.
struct ClassView {
  /// Accesses that inter-thread-happen-before the agent's next access.
  Clock before;
  /// By storage class and reach, writes of that class that bulk operations before made available to
  /// their own instance of that reach.
  std::array<std::array<Clock, kReaches>, kClasses> available;
  Visible seen;
  /// Seen by agents of the same subgroup, of the same workgroup: what a visibility chain begins with.
  Visible in_subgroup;
  Visible in_workgroup;
  /// Up to when everything that everybody in the agent's own workgroup read is before its next write,
  /// wrote is before its next write, and wrote is before its next read. What most checks come to.
  Stamp read_then_write = 0;
  Stamp write_then_write = 0;
  Stamp write_then_read = 0;

  void join(const ClassView& other, bool same_workgroup, bool same_subgroup);
  void summarize(GroupId group, std::size_t own_class);
};

/// Of system-synchronization, and of the device and host domains, whatever the storage class.
struct SystemView {
  Clock before;
  std::array<Clock, 2> available;
  std::array<Clock, 2> seen;

  void join(const SystemView& other);
};

struct View {
  std::array<std::shared_ptr<const ClassView>, kClasses> classes;
  std::shared_ptr<const SystemView> system;
};

}  // namespace heddle::race
