#pragma once

/// \file
/// Runs a dispatch on an emulated memory, again and again: what `heddle spirv --machine` does.

#include <heddle/memory_policy.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "emulator/spirv/program.h"

namespace heddle::spirv {

struct RunRequest {
  MemoryPolicy policy;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
  /// How many of the first runs are held against every axiom.
  std::uint64_t judged = 0;
  std::uint64_t bound = 2;
  bool chains = true;
  /// Objects of which the bytes are wanted as the first run leaves them.
  std::vector<std::uint64_t> kept;
  /// Once it is true no further runs begin. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

struct HistogramRow {
  std::vector<std::uint64_t> values;  ///< of the observables
  std::uint64_t count = 0;
  std::uint64_t first_run = 0;
};

/// What many runs came to.
struct RunTotals {
  std::uint64_t runs = 0;
  /// Runs that end and pass the filter, sorted by values.
  std::vector<HistogramRow> histogram;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  std::uint64_t racy_runs = 0;
  std::optional<std::uint64_t> first_racy_run;
  std::uint64_t judged = 0;
  std::uint64_t inconsistent = 0;
  /// What the first run left in the objects that were to be kept; nothing if it did not end. Bytes that nothing defines
  /// are 0.
  std::optional<std::vector<std::vector<std::uint8_t>>> first_memory;
  /// Commands at which undefined behaviour was met.
  std::set<std::uint32_t> faults;
};

/// Makes the runs: the same for the same seed. Throws Error for a dispatch that only the explorer takes: one with
/// instructions of subgroups.
RunTotals run(const Analysis& analysis, const Question& question, const RunRequest& request);

}  // namespace heddle::spirv
