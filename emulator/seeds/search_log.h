#pragma once

/// \file
/// What `heddle test` hears of searches: a line for each in the file that HEDDLE_TEST_LOG names.

#include <cstdint>

namespace heddle {
struct SeedReport;
}

namespace heddle::seeds {

class Search;

/// Adds a search of so many seeds (of all shards) to the log, if there is one. A log that cannot be written is no error
/// of the test: who reads it misses the line.
void log_search(const Search& search, std::uint64_t number, std::uint64_t seeds, const SeedReport& report);

}  // namespace heddle::seeds
