#pragma once

/// \file
/// Instructions: what accesses have in common that are told from one place in the source.

#include <heddle/operation.h>

#include <unordered_map>
#include <vector>

#include "emulator/race/view.h"

namespace heddle::race {

using SiteId = std::uint16_t;
inline constexpr SiteId kNoSite = 0;
/// This number and those above it are no sites.
inline constexpr SiteId kTooMany = 0xfff0;

struct Site {
  /// One of its operations: `agent`, `locations` and `reference` are that one's own.
  Operation operation;
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  bool non_private = false;
  /// The bit of its storage class, and its number.
  Classes storage = 0;
  std::uint8_t class_number = 0;
  /// Its storage class, and those that it constrains as an acquire or release.
  Classes ordered_by = 0;
  Reach scope = kOwn;
  Reach own_availability = kOwn;
  Reach own_visibility = kOwn;
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
