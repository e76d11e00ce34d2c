#pragma once

/// \file
/// What is asked about a test of any format, and an execution that shows a data race.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "emulator/explore/explore.h"
#include "emulator/model/execution.h"

namespace heddle::progress {
enum class ProgressModel : std::uint8_t;
}  // namespace heddle::progress

namespace heddle::litmus {

struct Question {
  /// Iterations of each loop.
  std::uint64_t bound = 2;
  bool chains = true;
  bool thin_air = false;
  /// Stop after so many executions; 0 is no limit.
  std::uint64_t limit = 0;
  /// Keep an execution for each outcome and for a race.
  bool keep_examples = false;
  /// A .test file is left when all claims and the race verdict are decided. Executions are not counted then.
  /// (Of other tests `verdict` answers that, see verdict.h.)
  bool verdict_only = false;
  /// Find out as well whether all threads end under these models of forward progress (ProgressModels of
  /// emulator/progress/models.h). Only tests of the Vulkan dialect answer that.
  std::optional<std::array<progress::ProgressModel, 4>> progress;
  /// Called for each execution that is looked at. May be empty.
  std::function<void()> on_execution;
  /// Becomes true when the answer is not wanted any more; it is then incomplete.
  const std::atomic<bool>* cancelled = nullptr;
};

/// A data race, or an access and a `free`, and the execution that has it.
struct RaceExample {
  model::Execution execution;
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
};

/// The options of the model that a question asks for.
explore::Options explorer_options(const Question& question);

/// As explore::explore. Throws ParseError at the instruction where an execution is too long.
explore::Statistics explored(const explore::Program& program, const explore::Options& options,
                             const std::function<bool(const explore::Found&)>& on_execution);

}  // namespace heddle::litmus
