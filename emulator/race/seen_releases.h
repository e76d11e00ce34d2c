#pragma once

/// \file
/// The releases that an agent has seen, which acquire barriers that follow may synchronize with.

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "emulator/race/release_history.h"

namespace heddle::race {

/// What the invocations of a workgroup left to each other at a barrier.
struct LeftTogether {
  std::vector<Offer> all;
  /// As few as say the same to an agent: those of each subgroup are one, where their scopes have the workgroup; and
  /// these are one for each subgroup that learns of them, by one agent of it. Made for the first who asks.
  std::vector<Offer> of_subgroups;
  std::map<std::uint32_t, std::vector<Offer>> to_subgroup;
};

class SeenReleases {
 public:
  struct Seen {
    Offer offer;
    /// The classes that a barrier needs to acquire it: those of the atomics in between.
    Classes storage = 0;
    bool at_barrier = false;
  };

  bool empty() const { return seen_.empty(); }
  /// The one that was seen of the agent of `offer`, with its mask, level and lane, in this way; if none was, the offer.
  Offer& of_kind(const Offer& offer, Classes storage, bool at_barrier) {
    const std::size_t at = place_of({offer, storage, at_barrier});
    if (at == seen_.size()) seen_.push_back({offer, storage, at_barrier});
    return seen_[at].offer;
  }
  /// Calls done(seen) for each, and forgets those of which it says true.
  template <typename Done>
  void take(Done done) {
    seen_.erase(std::remove_if(seen_.begin(), seen_.end(), done), seen_.end());
    places_.clear();
  }

 private:
  /// So many are looked through.
  static constexpr std::size_t kFew = 16;

  static std::uint64_t kind(const Seen& seen) {
    const Release& release = *seen.offer.release;
    return std::uint64_t{seen.offer.agent} << 32 | std::uint64_t{seen.storage} << 24 |
           std::uint64_t{release.mask} << 16 | std::uint64_t{release.needs} << 12 | std::uint64_t{release.level} << 8 |
           std::uint64_t{release.lane} << 1 | (seen.at_barrier ? 1 : 0);
  }
  /// Where the one of this kind is; at the end, where this one will be, if there is none.
  std::size_t place_of(const Seen& wanted) {
    const std::uint64_t kind = SeenReleases::kind(wanted);
    if (seen_.size() <= kFew) {
      const auto is_it = [&](const Seen& seen) { return SeenReleases::kind(seen) == kind; };
      return static_cast<std::size_t>(std::find_if(seen_.begin(), seen_.end(), is_it) - seen_.begin());
    }
    if (places_.empty())
      for (std::size_t at = 0; at < seen_.size(); ++at) places_.emplace(SeenReleases::kind(seen_[at]), at);
    return places_.emplace(kind, seen_.size()).first->second;
  }

  /// One of each kind.
  std::vector<Seen> seen_;
  /// Where each kind is, where there are more than a few; empty if that is not known.
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

}  // namespace heddle::race
