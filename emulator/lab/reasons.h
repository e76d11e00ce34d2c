#pragma once

/// \file
/// Why: the reasons behind what a player may do, and may not.

#include <optional>
#include <string>
#include <vector>

#include "emulator/lab/session.h"

namespace heddle::lab {

/// Why a forbidden move cannot be made. Throws BadRequest if there is none of that id.
Reason why_not(Session& session, std::string_view id);

/// A write that a read might take its value from.
struct ValueSource {
  enum class Status : std::uint8_t {
    /// A move reads it.
    Now,
    /// Something has to be done first: `reason` says what.
    Later,
    /// `reason` says why.
    Never,
    /// A read that was made took its value from it.
    Read,
  };
  Status status = Status::Now;
  /// model::kInitialValue for the initial value; nothing for an instruction that was not executed.
  std::optional<OperationIndex> write;
  std::optional<trace::Value> value;
  std::uint32_t variable = 0;
  std::optional<std::uint32_t> thread;
  std::uint32_t line = 0;
  std::string move;
  Reason reason;
};

/// Where the value of the thread's next read could come from. Throws BadRequest if it does not read next.
std::vector<ValueSource> sources_of_next(Session& session, std::uint32_t thread);
/// Where the value of the read of that step of the game (from 1) could have come from, at the moment at which it was
/// made.
std::vector<ValueSource> sources_of_step(Session& session, std::size_t step);

}  // namespace heddle::lab
