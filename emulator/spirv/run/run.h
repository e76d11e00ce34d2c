#pragma once

/// \file
/// Runs a dispatch on an emulated memory, again and again: what `heddle spirv --machine` does.

#include <heddle/memory_policy.h>
#include <heddle/report.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/run/runner.h"
#include "emulator/spirv/program.h"
#include "emulator/trace/instructions.h"

namespace heddle::spirv {

struct RunRequest {
  MemoryPolicy policy;
  std::uint64_t runs = 1;
  /// The number of the first of them.
  std::uint64_t first = 0;
  std::uint64_t seed = 1;
  /// How many of the first runs are held against every axiom.
  std::uint64_t judged = 0;
  /// How many of the first runs are asked which orderings they did not need.
  std::uint64_t advised = 0;
  /// Iterations of a loop that change something, each time it is entered.
  std::uint64_t bound = std::uint64_t{1} << 16;
  bool chains = true;
  /// Whether races are looked for.
  bool races = true;
  /// How many workgroups are resident at once, which then begin by their numbers; 0: all.
  std::uint32_t resident_workgroups = 0;
  /// How many runs with races are made again to say why there are races, and what would order the accesses.
  std::uint64_t explained = 8;
  /// Makes the run of this number alone.
  std::optional<std::uint64_t> replay;
  /// Where the first run that is made is recorded, for heddle trace; empty for nowhere.
  std::string trace;
  /// Objects of which the bytes are wanted as the first run leaves them.
  std::vector<std::uint64_t> kept;
  /// Called behind each run with how many were made. May be empty.
  std::function<void(std::uint64_t)> progress;
  /// Once it is true no further runs begin. May be null.
  const std::atomic<bool>* cancelled = nullptr;
};

struct HistogramRow {
  std::vector<std::uint64_t> values;  ///< of the observables
  std::uint64_t count = 0;
  std::uint64_t first_run = 0;
};

/// Something that is wrong with the module, the first run that shows it, and how many do.
struct RunFinding {
  Finding finding;
  std::uint64_t first_run = 0;
  std::uint64_t runs = 0;
};

/// What many runs came to.
struct RunTotals {
  /// Has the words of the places that races and findings name.
  std::shared_ptr<const trace::Instructions> instructions;
  std::uint64_t runs = 0;
  /// Runs that end and pass the filter, sorted by values.
  std::vector<HistogramRow> histogram;
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  std::uint64_t racy_runs = 0;
  std::optional<std::uint64_t> first_racy_run;
  /// Why the accesses race, and what would order them: of some runs with races.
  std::vector<DataRace> races;
  std::vector<RunFinding> findings;
  std::uint64_t judged = 0;
  std::uint64_t inconsistent = 0;
  /// Orderings that are stronger than the asked runs needed, in GLSL's words if the module has GLSL450's memory model.
  std::vector<OrderingAdvice> advice;
  std::uint64_t advised = 0;
  /// Runs that were not asked: they have a race, or are too long.
  std::uint64_t advice_left_out = 0;
  /// What the first run left in the objects that were to be kept. Bytes that nothing defines are 0.
  std::vector<std::vector<std::uint8_t>> memory;
  /// What invocations printed in the first run.
  std::vector<Print> prints;
  /// Whether all invocations of the first run ended.
  bool first_ended = false;
};

/// Makes the runs: the same for the same seed. Throws trace::TraceFileError if the trace cannot be written.
RunTotals run(const Analysis& analysis, const Question& question, const RunRequest& request);

}  // namespace heddle::spirv
