#pragma once

/// \file
/// Changes of a litmus test that mend its races, each tried on the whole test.

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {

/// A change of a test.
struct TestChange {
  std::vector<Edit> edits;
  /// They in a sentence for people.
  std::string text;
  /// The two of the example do not race any more, but which comes first is still open.
  bool unordered = false;
  /// Two others that race in the changed test, in a sentence; empty if no execution of it has a race.
  std::string other_race;
  /// The numbers of the races of the test that it mends (TestChanges::races).
  std::vector<std::size_t> mends;
  Test changed;
};

/// What was tried.
struct TestChanges {
  /// Each two instructions of the test that race in some execution, in a sentence; first those of the example.
  std::vector<std::string> races;
  /// In no execution of the changed test that its filter passes do the two of the example race, nor two that did not
  /// race before; and none waits for ever, if none did. Best first: those that leave no race at all.
  std::vector<TestChange> changes;
  /// So many others order the two in the execution of the example, and not in all executions.
  std::size_t too_weak = 0;
  /// So many others could not be tried in all executions: there are too many.
  std::size_t undecided = 0;
  /// Whether what the first missing link of the example names was tried, and is among these.
  bool link_is_not_enough = false;
};

/// Looks for changes that order the two accesses of the example, and makes each to the test: explored again, with the
/// options of the question, it must have no execution in which these two instructions race. Where none of them orders
/// the two in all executions, it goes on from those that order them in the example; where none leaves the test without
/// a race, from the best one to the next race, until there is none. Best are those that leave no race, order the two,
/// and change what the first missing link names. Looks at all of the changes together for at most `most_graphs` graphs
/// of the explorer.
TestChanges changes_without_race(const Test& test, const Question& question, const RaceExample& race,
                                 std::uint64_t most_graphs = 200000);

}  // namespace heddle::litmus
