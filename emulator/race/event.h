#pragma once

/// \file
/// What the detector knows of an operation: its answers to the questions of the memory model.

#include <heddle/operation.h>

#include <array>
#include <cstdint>

#include "emulator/model/execution.h"
#include "emulator/model/levels.h"
#include "emulator/model/place.h"
#include "emulator/race/event_set.h"

namespace heddle::race {

using model::class_of;
using model::Classes;
using model::classes_of;
using model::kClasses;
using model::kScopes;
using model::Level;
using model::level_of;
inline constexpr Level kOwn = 0, kSubgroup = 1, kWorkgroup = 2, kQueueFamily = 5, kDevice = 6;
static_assert(kScopes[kSubgroup] == Scope::Subgroup && kScopes[kWorkgroup] == Scope::Workgroup &&
              kScopes[kQueueFamily] == Scope::QueueFamily && kScopes[kDevice] == Scope::Device);

/// The number of the bit of Workgroup memory.
inline constexpr std::uint8_t kWorkgroupClass = 1;

/// The sets of storage classes for which inter-thread-happens-before is kept. That of a smaller set
/// relates whatever that of a larger one relates, if only both ends belong to it; an end is an access,
/// which belongs to the sets that have its class, or a barrier, which belongs to every set of classes
/// from its mask. So one class is enough, or one for each end.
//= vk:memory-model-inter-thread-happens-before
inline constexpr std::array<Classes, 10> kClassSets = {1, 2, 4, 8, 3, 5, 6, 9, 10, 12};

/// Some of kClassSets, a bit each.
using ClassSets = std::uint16_t;
inline constexpr ClassSets kAllClassSets = (1 << kClassSets.size()) - 1;
/// Calls f(number) for each class set whose bit is set.
template <typename F>
void for_each_set(ClassSets sets, F&& f) {
  for (std::size_t i = 0; i < kClassSets.size(); ++i)
    if (((sets >> i) & 1) != 0) f(i);
}
/// The class sets that relate an operation on `storage` to others by program order, whose acquire or release
/// has `mask`.
//= vk:memory-model-inter-thread-happens-before
ClassSets sets_on(Classes storage, Classes mask);
/// The class sets of which all classes are in the mask.
inline ClassSets sets_in(Classes mask) {
  return sets_on(0, mask);
}

/// A read-modify-write is two events: the read acquires, the write releases.
enum class Half : std::uint8_t { Whole, Read, Write };

struct Event {
  model::OperationIndex operation = 0;
  AgentId agent{};
  OperationKind kind = OperationKind::Read;
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  bool non_private = false;
  /// A memory barrier, or a control barrier with memory semantics.
  bool fence = false;
  bool acquire = false;
  bool release = false;
  /// The write of a read-modify-write.
  bool modifies = false;
  /// A domain operation of the API.
  bool of_domain = false;
  bool output = false;
  bool input = false;
  Scope scope = Scope::Invocation;
  Scope execution_scope = Scope::Invocation;
  std::uint64_t barrier_instance = 0;
  /// The storage classes that its acquire or release constrains.
  Classes mask = 0;
  /// The storage class of an access; those of a bulk operation, which counts as an access of each.
  Classes storage = 0;
  /// Whether it is what MakeAvailable or MakeVisible adds to its operation; see `bulk_availability_of`.
  bool bulk = false;
  /// Its availability and visibility operations: of its own reference and bytes, and those that MakeAvailable and
  /// MakeVisible add for the classes of its mask.
  Level own_availability = 0;
  Level own_visibility = 0;
  Level bulk_availability = 0;
  Level bulk_visibility = 0;
  ReferenceId reference{};
  /// The bytes of an access, a flush, an invalidation or a deallocation.
  Locations bytes;
  TagSetId tags = TagSetId::Empty;

  bool accesses() const { return reads || writes; }
  /// Whether inter-thread-happens-before of these classes relates it to others by program order.
  bool constrained_by(Classes set) const { return of_domain || (storage & set) != 0 || has_all(set); }
  bool has_all(Classes set) const { return mask != 0 && (mask & set) == set; }
};

Event event_of(const Operation& operation, model::OperationIndex index, Half half);

/// The event that MakeAvailable adds to the one that releases, and comes before all of its operation; its
/// `bulk_availability` is 0 if there is none.
//= vk:memory-model-availability-visibility-semantics
Event bulk_availability_of(const Event& release);
/// The event that MakeVisible adds to the one that acquires, and comes behind all of its operation.
//= vk:memory-model-availability-visibility-semantics
Event bulk_visibility_of(const Event& acquire);

}  // namespace heddle::race
