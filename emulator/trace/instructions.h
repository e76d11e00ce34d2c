#pragma once

/// \file
/// What a front end knows of its instructions: where they stand for people, and by which calls an agent came there.

#include <heddle/source_location.h>

#include <cstdint>
#include <vector>

namespace heddle::trace {

/// The calls that an agent was in, as a number of its front end: equal numbers are equal calls. None knows of no calls.
enum class CallsId : std::uint32_t { None = 0 };

/// Asked by everybody who tells people of instructions. `Operation::where` stands for the instruction: operations whose
/// `where` have the same line and the same addresses of texts are of one instruction, and no others are. What a front
/// end writes there besides is its own matter.
class Instructions {
 public:
  virtual ~Instructions() = default;

  /// The file, the function and the line of the instruction, whose texts live as long as this.
  virtual SourceLocation place_of(const SourceLocation& where) const = 0;
  /// The calls that the agent is in whose operation is just told. May take microseconds.
  virtual CallsId calls_now() { return CallsId::None; }
  /// Where the function that has `where`, a place, was called, and where the function was that called it, innermost
  /// call first. Empty if no call led there, and if that is not known. The first question about a file may take tenths
  /// of a second.
  virtual std::vector<SourceLocation> calls_to(const SourceLocation& where, CallsId calls) const {
    (void)where, (void)calls;
    return {};
  }
};

}  // namespace heddle::trace
