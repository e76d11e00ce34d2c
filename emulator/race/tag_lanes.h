#pragma once

/// \file
/// The sets of tags of a run, as clocks tell them apart: what an agent does with one of them is a lane of its own.

#include <array>
#include <cstdint>

#include "emulator/model/tags.h"
#include "emulator/race/clock.h"

namespace heddle::race {

/// Numbers sets of tags, and knows which fit each other. The empty set is lane 0, which fits every other.
class TagLanes {
 public:
  /// How many sets of tags are told apart, the empty one among them.
  static constexpr std::uint32_t kMost = 8;
  /// Clocks have this many numbers for each group: of each lane one for the atomics that acquire, which are before more
  /// than accesses are, and one for all else.
  static constexpr std::uint32_t kGroups = 2 * kMost;

  /// The lane of these tags: a new one if they were not asked for before. Beyond the last one it is lane 0, so that
  /// such operations are ordered with all others.
  std::uint8_t of(TagSetId tags) {
    for (std::uint32_t lane = 0; lane < count_; ++lane)
      if (sets_[lane] == tags) return static_cast<std::uint8_t>(lane);
    return add(tags);
  }
  /// How many lanes have been asked for.
  std::uint32_t count() const { return count_; }
  bool are_too_many() const { return too_many_; }
  //= mmra:compatibility
  bool fit(std::uint8_t a, std::uint8_t b) const { return ((fitting_[a % kMost] >> b % kMost) & 1) != 0; }
  /// The lanes that fit this one, and the lanes of the atomics that acquire in them, a bit each.
  std::uint16_t fitting(std::uint8_t lane) const {
    return static_cast<std::uint16_t>(fitting_[lane] | fitting_[lane] << kMost);
  }
  /// What stands for the atomics that acquire in this lane.
  static std::uint8_t acquiring(std::uint8_t lane) { return static_cast<std::uint8_t>(lane + kMost); }
  /// The number that stands for a lane of a group in clocks.
  static GroupId group(GroupId group, std::uint32_t lane) { return group * kGroups + lane; }

 private:
  std::uint8_t add(TagSetId tags) {
    if (count_ == kMost) {
      too_many_ = true;
      return 0;
    }
    const std::uint32_t made = count_++;
    sets_[made] = tags;
    for (std::uint32_t lane = 0; lane < count_; ++lane) {
      if (!model::compatible(sets_[lane], tags)) continue;
      fitting_[lane] = static_cast<std::uint8_t>(fitting_[lane] | 1u << made);
      fitting_[made] = static_cast<std::uint8_t>(fitting_[made] | 1u << lane);
    }
    return static_cast<std::uint8_t>(made);
  }

  std::array<TagSetId, kMost> sets_{};
  std::array<std::uint8_t, kMost> fitting_{1};
  std::uint32_t count_ = 1;
  bool too_many_ = false;
};

}  // namespace heddle::race
