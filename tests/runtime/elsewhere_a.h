#pragma once

/// \file
/// A subgroup operation in another file, whose name sorts before that of the test.

inline std::uint32_t ballot_in_a(auto& inv) {
  return inv.group_non_uniform_ballot(true).x;
}
