#pragma once

/// \file
/// Changes of the calls and commands of a host test that mend a race, each tried on the whole test.

#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {

struct HostChange {
  /// Made to the text, as edited_source makes them; none where one change follows another, each made to the text that
  /// the one before it left.
  std::vector<Edit> edits;
  /// They in a sentence for people.
  std::string text;
  /// Two others that race in the changed test, in a sentence; empty if no execution of it has a race.
  std::string other_race;
  /// The text of the changed test.
  std::string source;
};

/// The changes that leave the test, which was parsed from `source`, without a race between these two accesses in any
/// execution, and bring none that it did not have: what the first missing link names is added, a bit, a stage, a
/// barrier, a flush, an invalidation, a wait, a semaphore, a value, a transfer of ownership. Best first: those without
/// any race; where no single one is, several one after the other.
std::vector<HostChange> host_changes(std::string_view source, const Test& test, const Question& question,
                                     const RaceExample& race);

}  // namespace heddle::litmus
