#pragma once

/// \file
/// What is said of a failure.

#include <heddle/explore.h>

#include <cstdint>
#include <set>
#include <string>

namespace heddle::seeds {

/// What is known of a failure only when it has been made smaller and traced.
std::string more_of(const SeedFailure& failure);

/// What is said of seeds whose workgroups keep the ascending order (Search::seeds_in_order); empty if there are none.
std::string note_of_order(const std::set<std::uint64_t>& seeds);

}  // namespace heddle::seeds
