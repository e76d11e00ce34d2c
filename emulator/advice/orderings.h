#pragma once

/// \file
/// Which orderings recorded executions needed as strong as they are.

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/advice/outcomes.h"
#include "emulator/advice/weakening.h"
#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// An ordering of the source made weaker, and whether an execution needed it as it is.
struct Ordering {
  Operation instruction;
  Weakness weakness = Weakness::LessMask;
  std::string enough;
  bool needed = false;
  /// The instruction as it would be then; as it is where it is removed.
  Operation weaker = instruction;
};

/// Judges executions. An ordering counts as needed if with the weaker one the execution has a race,
/// or if one of the other outcomes that its atomics might have had (see other_outcomes) becomes
/// possible: what the other invocations would have done in that case is not known, so this is as
/// far as executions tell.
class Orderings {
 public:
  explicit Orderings(const judge::Options& options = {}) : options_(options) {}

  /// What an execution told.
  struct Answer {
    /// The orderings of the execution, with whether this one or one before needed them.
    std::vector<Ordering> orderings;
    /// False if it has a race: then no ordering in it is too strong; or too many other outcomes:
    /// then nothing is told.
    bool judged = false;
  };
  Answer add(const model::Execution& execution);

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint8_t, std::uint32_t, std::uint32_t, std::string>;
  static Key key(const Weakening& weakening);
  bool needed(const Weakening& weakening, const model::Execution& execution,
              const std::vector<Outcome>& forbidden) const;

  judge::Options options_;
  std::set<Key> needed_;
};

}  // namespace heddle::advice
