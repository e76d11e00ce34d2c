#pragma once

/// \file
/// Which instructions of a test race in some execution: what changes of it are held against.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "emulator/litmus/question.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {

/// An instruction of a test and of all tests that edits make of it.
struct Spot {
  std::uint32_t thread = 0;
  Place place;
  friend bool operator==(const Spot&, const Spot&) = default;
  friend bool operator<(const Spot& a, const Spot& b) {
    return std::tuple(a.thread, a.place.line, a.place.column) < std::tuple(b.thread, b.place.line, b.place.column);
  }
};
/// Two instructions that race, in the order of their spots.
using SpotPair = std::pair<Spot, Spot>;

/// The instruction of an operation of the test's executions; nothing if it is of none.
std::optional<At> instruction_of(const Test& test, const Operation& operation);

/// The two of a race.
SpotPair spots_of(const Test& test, const RaceExample& race);

/// "P0's `st.sc0 x, 1` (line 7) races with P1's `ld.sc0 r0, x` (line 8)", with these words in the middle.
std::string race_sentence(const Test& test, const RaceExample& race, const char* races);

/// What the explorer says of a test.
struct Trial {
  /// Whether all executions were looked at.
  bool complete = false;
  /// Whether there is an execution that the filter passes.
  bool asked_about = false;
  /// Whether a thread waits or spins for ever in one of them.
  bool blocks = false;
  /// Each pair that races, with an execution in which it does. The executions name texts of the test.
  std::map<SpotPair, RaceExample> races;
};

/// Whether the test asks about an execution of its program.
bool passes_filter(const Test& test, const TestProgram& program, const explore::Found& found);

/// Looks at the executions that the filter passes, and at no more than so many graphs of the explorer, which it takes
/// from `graphs_left`. With `stop_at` no longer than until these two race.
Trial try_out(const Test& test, const Question& question, std::uint64_t& graphs_left,
              const SpotPair* stop_at = nullptr);

}  // namespace heddle::litmus
