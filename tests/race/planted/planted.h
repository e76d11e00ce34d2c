#pragma once

/// \file
/// Algorithms with a bug planted: found under every memory policy, and nothing found without it.

#include <heddle/heddle.h>

#include <functional>
#include <initializer_list>

namespace heddle::planted {

enum class Bug : std::uint8_t {
  None,
  /// An atomic made plain.
  Plain,
  BarrierRemoved,
  /// Another one of the same kernel.
  SecondBarrierRemoved,
  GuardRemoved,
  OffByOne,
  ScopeNarrowed,
  /// MakeAvailable, MakeVisible left out.
  NotAvailable,
  NotVisible,
  /// Release or Acquire made Relaxed.
  Relaxed,
  RelaxedAcquire,
  WrongStorageClass,
  PrivateAccess,
  /// A memory dependency between dispatches made an execution dependency.
  NoMemoryDependency,
  /// What has two halves, one for reading and one for writing, has one.
  InPlace,
};

/// Runs the algorithm; returns whether the result is right.
using Algorithm = std::function<bool(Device&, Bug)>;

/// Under several seeds of each of three policies: the result is right, and there is no race.
void check_clean(const Algorithm& algorithm);

/// Under each policy there is a seed that finds the bug: as a data race, or as an access out of
/// bounds.
void check_race(const Algorithm& algorithm, std::initializer_list<Bug> bugs);
void check_out_of_bounds(const Algorithm& algorithm, std::initializer_list<Bug> bugs);

/// Checks a bug that lets Workgroup memory be read before anybody has written it: as a data
/// race, or as a read of what was never written, whichever comes first.
void check_race_or_uninitialized(const Algorithm& algorithm, std::initializer_list<Bug> bugs);

/// The semantics of a barrier of a workgroup over Workgroup memory, with its bug.
inline Dynamic<MemorySemantics> barrier_semantics(Bug bug) {
  return {bug == Bug::WrongStorageClass ? kBufferBarrier : kWorkgroupBarrier};
}
inline Dynamic<Scope> barrier_scope(Bug bug) {
  return {bug == Bug::ScopeNarrowed ? Scope::Subgroup : Scope::Workgroup};
}

/// The scope of a message between workgroups.
inline Dynamic<Scope> message_scope(Bug bug) {
  return {bug == Bug::ScopeNarrowed ? Scope::Workgroup : Scope::Device};
}
inline Dynamic<MemorySemantics> release_semantics(Bug bug) {
  if (bug == Bug::Relaxed) return {MemorySemantics::Relaxed};
  if (bug == Bug::WrongStorageClass)
    return {MemorySemantics::Release | MemorySemantics::ImageMemory | MemorySemantics::MakeAvailable};
  if (bug == Bug::NotAvailable) return {MemorySemantics::Release | MemorySemantics::UniformMemory};
  return {kReleaseBuffers};
}
inline Dynamic<MemorySemantics> acquire_semantics(Bug bug) {
  if (bug == Bug::RelaxedAcquire) return {MemorySemantics::Relaxed};
  if (bug == Bug::NotVisible) return {MemorySemantics::Acquire | MemorySemantics::UniformMemory};
  return {kAcquireBuffers};
}

/// A plain access that a message is to order.
template <typename Array>
auto shared(const Array& array, Bug bug) {
  return bug == Bug::PrivateAccess ? array : array.non_private();
}

}  // namespace heddle::planted
