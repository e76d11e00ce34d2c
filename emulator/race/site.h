#pragma once

/// \file
/// Instructions: what accesses have in common that are told from one place in the source.

#include <heddle/operation.h>

#include <unordered_map>
#include <vector>

#include "emulator/race/event.h"

namespace heddle::race {

using SiteId = std::uint16_t;
inline constexpr SiteId kNoSite = 0;
/// This number and those above it are no sites.
inline constexpr SiteId kTooMany = 0xfff0;

struct Site {
  /// One of its operations: `agent`, `locations` and `reference` are that one's own.
  Operation operation;
  /// Its read and its write, if it has them; likewise.
  Event read;
  Event write;
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  bool non_private = false;
  /// The bit of its storage class, and its number; 0 also for those that the memory model does not count.
  Classes storage = 0;
  std::uint8_t class_number = 0;
  Level scope = kOwn;
  Level own_availability = kOwn;
  Level own_visibility = kOwn;
  /// The class sets that relate its read and its write to others.
  ClassSets read_sets = 0;
  ClassSets write_sets = 0;
};

/// Finds the site of an operation in a few nanoseconds.
class Sites {
 public:
  /// kNoSite beyond the most that there can be.
  SiteId of(const Operation& operation);
  const Site& operator[](SiteId id) const { return sites_[id]; }
  std::size_t count() const { return sites_.size() - 1; }

 private:
  SiteId look_up(const Operation& operation, std::size_t hash);

  std::vector<Site> sites_ = std::vector<Site>(1);
  std::unordered_multimap<std::size_t, SiteId> by_hash_;
  std::vector<SiteId> recent_ = std::vector<SiteId>(256, kNoSite);
};

}  // namespace heddle::race
