#pragma once

/// \file
/// The orderings of a litmus test, each weakened by a step: which of them its assertion, or the absence of a race,
/// depends on. The explorer knows all executions, so the answer is exact.

#include <functional>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {

/// One ordering, weakened.
struct WeakenedTest {
  enum class Outcome : std::uint8_t {
    Noticed,     ///< the assertion's verdict, or the absence of races, changes, or a thread waits for ever
    Missed,      ///< other outcomes are allowed, and the assertion says the same
    Equivalent,  ///< the same outcomes are allowed
    Undecided,   ///< there are too many executions
  };
  Edit edit;
  Outcome outcome = Outcome::Undecided;
  /// What shows it, in a few words; empty if nothing does.
  std::string shown_by;
};

/// Weakens each ordering of the test in turn, in the order of its text; `as_it_is` is the answer for the test. Stops
/// when `on_each` is false.
void weaken_each(const Test& test, const Question& question, const Answer& as_it_is,
                 const std::function<bool(const WeakenedTest&)>& on_each);

/// How many there are.
std::vector<Edit> weakenings_of(const Test& test);

}  // namespace heddle::litmus
