#pragma once

/// \file
/// All executions of a program by trying everything: every path of every agent, every reads-from, every
/// modification order, every synchronizing set, each through the judge; without those in which somebody
/// reads a value out of thin air.

#include <map>
#include <optional>
#include <string>

#include "emulator/explore/explore.h"

namespace heddle::explore {

/// An execution as text that does not depend on how it was found.
std::string signature(const model::Execution& execution, const std::vector<AgentEnd>& ends);

/// Whether it is racy, and how often it was found, by signature.
struct Seen {
  bool racy = false;
  std::uint64_t times = 0;
};
using Executions = std::map<std::string, Seen>;

/// What the explorer finds.
Executions explored(const Program& program, const Options& options);

/// What trying everything finds, of the options with `model` and `thin_air`; nothing if that is more than `most`
/// candidates.
std::optional<Executions> brute_force(const Program& program, const Options& options, std::uint64_t most);

}  // namespace heddle::explore
