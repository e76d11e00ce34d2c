#pragma once

/// \file
/// Changes of a litmus test that leave two of its instructions without a race, each tried on the whole test.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"

namespace heddle::litmus {

/// A change of a test.
struct TestChange {
  /// A sentence for people, which calls instructions as `name_of` does.
  std::string text;
  /// They do not race any more, but which comes first is still open.
  bool unordered = false;
  /// Two others that race in the changed test, in a sentence; empty if it has no race at all.
  std::string other_race;
  /// What is put in has the place of the instruction that it stands behind.
  Test changed;
};

/// What was tried.
struct TestChanges {
  /// In no execution of the changed test that its filter passes do the two race. Best first.
  std::vector<TestChange> changes;
  /// So many others order the two in the execution of the example, and not in all executions.
  std::size_t too_weak = 0;
  /// So many others could not be tried in all executions: there are too many.
  std::size_t undecided = 0;
};

/// Looks for changes that order the two accesses of the example, and makes each to the test: explored again, with the
/// options of the question, it must have no execution in which these two instructions race. Where none of them orders
/// the two in all executions, it goes on from those that order them in the example. Best are those that order the two,
/// leave no other race, and change what the first missing link names. Looks at all of the changes together for at most
/// `most_graphs` graphs of the explorer.
TestChanges changes_without_race(const Test& test, const Question& question, const RaceExample& race,
                                 const std::function<std::string(const Operation&)>& name_of,
                                 std::uint64_t most_graphs = 200000);

}  // namespace heddle::litmus
