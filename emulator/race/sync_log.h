#pragma once

/// \file
/// The operations of a kernel that make more than their own accesses available or visible: links of
/// chains.

#include <cstdint>
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

  void add(GroupId group, SyncEvent event);
  /// Whether the event does again what one of the group's did, the last of its agent, without anything new
  /// before it; then that one takes its place.
  bool repeats(GroupId group, std::size_t last, const SyncEvent& event);
  void add(DomainEvent event) { domain_.push_back(std::move(event)); }
  /// All agents of the group have ended. What reaches no farther than the group orders nothing that is
  /// accessed from now on, unless a wider operation of the group went on from it.
  void group_ends(GroupId group);
  void clear();

  const std::vector<SyncEvent>& of(GroupId group) const {
    static const std::vector<SyncEvent> kNone;
    return group < groups_.size() ? groups_[group].events : kNone;
  }
  /// Groups with events that reach farther than a workgroup.
  const std::vector<GroupId>& wide_groups() const { return wide_; }
  const std::vector<DomainEvent>& domain_operations() const { return domain_; }
  /// Whether there were too many events: what would be after these is not known to be unordered.
  bool incomplete() const { return incomplete_; }
  bool has_atomics() const { return has_atomics_; }
  /// Takes notice of an operation that acquires or releases; of an atomic with its storage class.
  void note(Classes mask, Classes storage) {
    masks_ = static_cast<std::uint16_t>(masks_ | 1u << mask);
    on_ = static_cast<std::uint16_t>(on_ | 1u << (mask | storage));
  }
  /// Whether operations on this class can be ordered by way of others whose masks do not have it.
  bool leads_past(Classes storage) const;

 private:
  struct OfGroup {
    std::vector<SyncEvent> events;
    bool wide = false;
  };

  std::size_t most_;
  std::size_t count_ = 0;
  bool incomplete_ = false;
  bool has_atomics_ = false;
  /// The masks so far, and the classes on which operations with masks were, a bit each.
  std::uint16_t masks_ = 0;
  std::uint16_t on_ = 0;
  std::vector<OfGroup> groups_;
  std::vector<GroupId> wide_;
  std::vector<DomainEvent> domain_;
};

}  // namespace heddle::race
