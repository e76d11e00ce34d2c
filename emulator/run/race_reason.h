#pragma once

/// \file
/// Why two accesses of a kernel race: the first missing link, in a word and in a sentence.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/kernel_detector.h"

namespace heddle::run {

struct RaceReason {
  /// A word for DataRace::missing.
  std::string missing;
  /// A sentence for DataRace::reason.
  std::string text;
};

/// The detector's reason: it knows the whole run, but not the names of the operations on the way. `two_dispatches`: the
/// accesses are in two.
RaceReason reason_of(const race::KernelRace& race, bool two_dispatches);

/// The judge's reason, which names the operations. Of a part that was cut it may miss links that are there: then the
/// detector decides which is the first one that is not. `dispatches` has the dispatch of each agent of the part.
RaceReason reason_of(const race::KernelRace& race, const advice::Neighbourhood& part,
                     const std::vector<std::uint64_t>& dispatches);

}  // namespace heddle::run
