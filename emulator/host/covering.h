#pragma once

/// \file
/// Rows of values in which each pair, then each triple of values comes up early: covering arrays.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::detail {

/// A value of each parameter, by its number.
using CoveringRow = std::vector<std::uint32_t>;

struct CoveringRows {
  /// The first row has value 0 of each parameter.
  std::vector<CoveringRow> rows;
  /// So many rows have all pairs; all of them have all triples.
  std::size_t pairs = 0;
};

/// Rows for parameters with so many values each, each row as full of new pairs (then triples) as a greedy choice makes
/// it (after AETG: Cohen, Dalal, Fredman and Patton, 1997). The same for the same counts.
CoveringRows covering_rows(const std::vector<std::uint32_t>& counts);

}  // namespace heddle::detail
