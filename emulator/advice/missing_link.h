#pragma once

/// \file
/// Why two operations are not ordered.

#include <optional>
#include <string>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/judge/judgement.h"

namespace heddle::advice {

/// The first missing link between two operations.
struct MissingLinkText {
  /// Nothing where no rule asks for a link: the two are in two dispatches, or one invocation's, or both are atomic.
  std::optional<judge::MissingLink> link;
  /// What judge::MissingReason says of it.
  bool synchronized = false;
  /// A sentence that names the operations that were there and what they lack. Empty where there is nothing to name.
  std::string text;
};

/// Finds it for the two operations of the part that race. `dispatches` has the dispatch of each agent of the execution.
/// Nothing where the judge sees no race in the part.
std::optional<MissingLinkText> missing_link(const Neighbourhood& part, const std::vector<std::uint64_t>& dispatches,
                                            const judge::Options& options = {});

}  // namespace heddle::advice
