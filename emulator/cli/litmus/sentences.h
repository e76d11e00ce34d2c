#pragma once

/// \file
/// Sentences that `heddle litmus` prints of tests in every format.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/cli/table.h"
#include "emulator/litmus/assertion.h"

namespace heddle::cli {

/// "1 run", "2 runs".
std::string plural(std::uint64_t count, std::string_view noun);

/// What an allowed outcome means to the assertion.
Cell verdict_of(litmus::Quantifier quantifier, bool satisfies);

/// Whether the assertion holds, and what of its condition; empty without an assertion.
std::string assertion_sentence(litmus::Quantifier quantifier, const std::string& condition, bool holds, bool complete);

/// A line that says that the search is not complete; empty if it is.
std::string search_end(bool complete, bool cancelled);

/// The last lines about `made` runs of `asked` ones: how they were made, and how fast.
std::string run_line(std::uint64_t made, std::uint64_t asked, std::string_view policy, std::uint64_t seed,
                     double seconds, const Painter& paint);

}  // namespace heddle::cli
