#include "emulator/litmus/question.h"

#include <algorithm>

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

}  // namespace heddle::litmus
