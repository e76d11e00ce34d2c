#include "emulator/litmus/question.h"

#include <algorithm>
#include <string>

#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus {

explore::Options explorer_options(const Question& question) {
  explore::Options options;
  options.model.chains = question.chains;
  options.thin_air = question.thin_air;
  options.cancelled = question.cancelled;
  // A test may have many executions that do not count (blocked, cut, filtered out): a caller that sets a
  // limit wants an end all the same. The explorer visits 2 to 20 graphs for each execution.
  constexpr std::uint64_t kGraphsForEach = 1000;
  constexpr std::uint64_t kGraphsAtLeast = 100000;
  if (question.limit != 0) {
    options.graph_limit = std::max(kGraphsAtLeast, kGraphsForEach * question.limit);
  }
  return options;
}

explore::Statistics explored(const explore::Program& program, const explore::Options& options,
                             const std::function<bool(const explore::Found&)>& on_execution) {
  try {
    return explore::explore(program, options, on_execution);
  } catch (const explore::TooLong& too_long) {
    throw ParseError(
        {too_long.where.line, 1},
        "an execution that comes to here has more than " + std::to_string(too_long.most) +
            " operations and choices, which are too many to list all executions; take some operations out");
  }
}

}  // namespace heddle::litmus
