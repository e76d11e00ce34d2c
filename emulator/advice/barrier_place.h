#pragma once

/// \file
/// Where in the source a control barrier would separate two accesses of one workgroup.

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/advice/history.h"

namespace heddle::advice {

/// A place between two lines, and the part of the source that all invocations of a workgroup have to come to, for the
/// barrier would stand in it.
struct BarrierPlace {
  /// "between line 10 and line 14", "between line 14 and the next execution of line 10".
  std::string text;
  const char* file = "";
  /// The block in braces around both lines; 0 to 0 if invocations come there whatever they do, or if that is not known.
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  /// What the barrier stands behind, and before.
  Step from = {};
  Step to = {};

  bool depends_on_conditions() const { return last_line != 0; }
};

/// A place, or why there is none.
struct BarrierAnswer {
  std::optional<BarrierPlace> place;
  /// A part of a sentence, "a control barrier stands there already"; empty where nothing is to be said.
  std::string why_not;
};

/// The loops around two accesses in one file, as far as barriers in them go.
struct Rounds {
  /// Some invocations may leave a loop before others: no barrier in it is one that all come to.
  bool are_left_early = false;
  /// A condition leads to all of the rounds, or to the one time that the two are executed: an invocation that does not
  /// come there would not come to a barrier either.
  bool are_behind_condition = false;
  /// "at the end of each round of the loop in line 12": of the innermost loop, if no invocation came to a control
  /// barrier in it. Invocations that do nothing in a round are not seen in it, so that nothing says in which rounds the
  /// two were. Empty if there is no such loop.
  std::string end = {};
};

/// Reads the source.
Rounds rounds_of(const History& history);

/// Where a control barrier would separate the two accesses of this history, and all that come as these do.
BarrierAnswer barrier_place(const History& history);

}  // namespace heddle::advice
