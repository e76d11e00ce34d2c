#pragma once

/// \file
/// The operations of a kernel that make more than their own accesses available or visible: links of
/// chains.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "emulator/race/view.h"

namespace heddle::race {

/// Stands for all agents of a workgroup: a control barrier that all of them reach alike.
inline constexpr std::uint32_t kEverybody = ~std::uint32_t{0};

/// A fence, or half of an atomic with bulk availability or visibility operations.
struct SyncEvent {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  Classes storage = 0;
  Classes mask = 0;
  Level own_availability = kOwn;
  Level own_visibility = kOwn;
  Level bulk_availability = kOwn;
  Level bulk_visibility = kOwn;
  /// Of an atomic; otherwise there are no bytes.
  ReferenceId reference{};
  Locations bytes;
  /// Of everybody's: the last agent of the group so far.
  std::uint32_t last_agent = 0;
  ViewPointer view;

  bool is_wide() const {
    return bulk_availability > kWorkgroup || bulk_visibility > kWorkgroup;
  }
};

/// An operation of a domain of the API.
struct DomainEvent {
  OperationKind kind = OperationKind::DeviceAvailability;
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  ViewPointer view;
};

/// By group, in the order in which they were told.
class SyncLog {
 public:
  explicit SyncLog(std::size_t most_events) : most_(most_events) {}

  /// From now on several threads use it, each of which tells of groups of its own, of `groups` in all.
  void share(GroupId groups);
  /// While this is kept what `of` and `wide_groups` have does not change.
  std::shared_lock<std::shared_mutex> hold() const {
    return mutex_ ? std::shared_lock(*mutex_) : std::shared_lock<std::shared_mutex>();
  }

  void add(GroupId group, SyncEvent event);
  /// Whether the event does again what one of the group's did, the last of its agent, without anything new
  /// before it; then that one takes its place.
  bool repeats(GroupId group, std::size_t last, const SyncEvent& event);
  void add(DomainEvent event) { domain_.push_back(std::move(event)); }
  /// All agents of the group have ended. What reaches no farther than the group orders nothing that is
  /// accessed from now on, unless a wider operation of the group went on from it.
  void group_ends(GroupId group) {
    if (mutex_ || group < groups_.size()) forget_events(group);
  }
  void clear() {
    if (!groups_.empty() || !domain_.empty() || masks_.load(std::memory_order_relaxed) != 0 || incomplete())
      forget_all();
  }

  const std::vector<SyncEvent>& of(GroupId group) const {
    static const std::vector<SyncEvent> kNone;
    return group < groups_.size() ? groups_[group].events : kNone;
  }
  /// Groups with events that reach farther than a workgroup. Where several threads use the log, `of` another
  /// one's group and this are to be asked only while the log is held.
  const std::vector<GroupId>& wide_groups() const { return wide_; }
  const std::vector<DomainEvent>& domain_operations() const { return domain_; }
  /// Whether there were too many events: what would be after these is not known to be unordered.
  bool incomplete() const { return incomplete_.load(std::memory_order_relaxed); }
  bool has_atomics() const { return has_atomics_.load(std::memory_order_relaxed); }
  /// Takes notice of an operation that acquires or releases; of an atomic with its storage class.
  void note(Classes mask, Classes storage) {
    add_bit(masks_, mask);
    add_bit(on_, mask | storage);
  }
  /// Whether operations on this class can be ordered by way of others whose masks do not have it.
  bool leads_past(Classes storage) const;

 private:
  struct OfGroup {
    std::vector<SyncEvent> events;
    bool wide = false;
  };

  static void add_bit(std::atomic<std::uint16_t>& bits, unsigned bit) {
    const auto mask = static_cast<std::uint16_t>(1u << bit);
    if ((bits.load(std::memory_order_relaxed) & mask) == 0)
      bits.fetch_or(mask, std::memory_order_relaxed);
  }
  void forget_events(GroupId group);
  void forget_all();
  std::unique_lock<std::shared_mutex> hold_alone() {
    return mutex_ ? std::unique_lock(*mutex_) : std::unique_lock<std::shared_mutex>();
  }

  /// Null as long as one thread uses it.
  std::unique_ptr<std::shared_mutex> mutex_;
  std::size_t most_;
  std::size_t count_ = 0;
  // What says of an operation that it may have been before another is set before that one can follow it.
  std::atomic<bool> incomplete_{false};
  std::atomic<bool> has_atomics_{false};
  /// The masks so far, and the classes on which operations with masks were, a bit each.
  std::atomic<std::uint16_t> masks_{0};
  std::atomic<std::uint16_t> on_{0};
  std::vector<OfGroup> groups_;
  std::vector<GroupId> wide_;
  std::vector<DomainEvent> domain_;
};

}  // namespace heddle::race
