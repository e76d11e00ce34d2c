#pragma once

/// \file
/// The lines that the invocations of two racing accesses came to.

#include <heddle/operation.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::advice {

/// An operation, as far as it says where its invocation was.
struct Step {
  bool of_second = false;
  bool writes = false;
  bool is_control_barrier = false;
  std::uint32_t line = 0;
  const char* file = "";

  bool is_at(const Step& other) const { return line == other.line && std::string_view(file) == other.file; }
};

/// All operations of the two invocations up to the second access, in the order in which they came; long stretches too,
/// of which the judge sees a part.
struct History {
  std::vector<Step> steps;
  /// The two accesses among them; the second one is the last step.
  std::size_t first = 0;
  std::size_t second = 0;

  const Step& first_step() const { return steps[first]; }
  const Step& second_step() const { return steps[second]; }
  void add(const Operation& operation, bool of_second);
};

}  // namespace heddle::advice
