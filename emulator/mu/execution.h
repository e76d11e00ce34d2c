#pragma once

/// \file
/// A recorded execution of host threads: what the machine leaves behind, what the explorer lists, what the judge
/// judges.

#include <heddle/memory_order.h>

#include <cstdint>
#include <vector>

#include "emulator/mu/value.h"

namespace heddle::mu {

using EventIndex = std::uint32_t;
using ThreadIndex = std::uint32_t;
using LocationIndex = std::uint32_t;

/// Stands for the initial value of a location where a store could stand.
inline constexpr EventIndex kInitial = ~EventIndex{0};
/// A load whose source is not known yet.
inline constexpr EventIndex kUnresolved = kInitial - 1;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

//= mu:operations
enum class EventKind : std::uint8_t {
  Load,
  Store,
  /// A load and a store as one operation.
  ReadModifyWrite,
  Fence,
  NewThread,
  /// What a created thread begins with.
  ThreadBegin,
  StackBind,
  StackUnbind,
  /// An atomic load, and if it sees the expected value the thread joins the queue.
  FutexWait,
  /// The wait of the same thread runs out.
  FutexExpire,
  /// The point right behind a wait that was woken.
  FutexResume,
  FutexWake,
  /// Compare-and-requeue: an atomic load; then perhaps a wake and a move.
  FutexRequeue,
};

struct Event {
  EventKind kind = EventKind::Load;
  ThreadIndex thread = 0;
  MemoryOrder order = MemoryOrder::Relaxed;
  /// The location of an access or a futex operation.
  LocationIndex location = kNone;
  /// What it read and wrote, if it does.
  Value read;
  Value written;
  /// Which instruction of its thread it comes from.
  std::uint32_t instruction = 0;

  /// The events whose values are data arguments of this one, exceptions of the specification left out.
  std::vector<EventIndex> operands;
  /// The events whose value, or what an evaluation received from them, a store stores.
  std::vector<EventIndex> stored_from;

  /// The bundle that a store that defines a function belongs to, with a number of its own.
  std::uint32_t bundle = kNone;
  /// The stack of StackBind and StackUnbind.
  std::uint32_t stack = kNone;
  /// The thread that NewThread makes.
  ThreadIndex created = kNone;

  /// A FutexWait sees the expected value and joins; a FutexRequeue sees it and does its work.
  bool performed = false;
  /// Where FutexRequeue moves the rest.
  LocationIndex target = kNone;
  /// How many FutexWake or FutexRequeue may wake, and how many it did.
  std::int64_t limit = 0;
  std::uint32_t woken = 0;
  /// The wake or requeue that FutexResume follows, and the wait that FutexResume or FutexExpire ends.
  EventIndex waker = kNone;
  EventIndex wait = kNone;

  bool loads() const {
    return kind == EventKind::Load || kind == EventKind::ReadModifyWrite || kind == EventKind::FutexWait ||
           kind == EventKind::FutexRequeue;
  }
  bool stores() const { return kind == EventKind::Store || kind == EventKind::ReadModifyWrite; }
  bool accesses() const { return loads() || stores(); }
  bool is_atomic() const { return accesses() && heddle::is_atomic(order); }
  bool is_fence() const { return kind == EventKind::Fence; }
  bool is_futex_operation() const {
    return kind == EventKind::FutexWait || kind == EventKind::FutexExpire || kind == EventKind::FutexWake ||
           kind == EventKind::FutexRequeue;
  }
  bool binds() const { return kind == EventKind::StackBind || kind == EventKind::StackUnbind; }
};

/// Events of one thread stand in its program order.
struct Execution {
  std::uint32_t threads = 0;
  std::uint32_t locations = 0;
  std::vector<Event> events;
  /// For each event: the store that it reads from, kInitial or kUnresolved; kNone for what does not load.
  std::vector<EventIndex> reads_from;
  /// For each location that has an atomic access: all stores, in modification order. Empty for others.
  std::vector<std::vector<EventIndex>> modification_order;

  /// The locations that some atomic operation accesses, ascending.
  std::vector<LocationIndex> atomic_locations() const;
};

}  // namespace heddle::mu
