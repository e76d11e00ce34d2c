#pragma once

/// \file
/// `heddle litmus --dot DIR`.

#include <string>
#include <vector>

namespace heddle::litmus {
struct Question;
}

namespace heddle::cli {

struct LitmusReport;

struct Pictures {
  /// The files that a person would open: `.svg`, or `.dot` where it could not be rendered.
  std::vector<std::string> files;
  /// What went wrong, in words for a person; empty if nothing did.
  std::vector<std::string> problems;
};

/// Writes pictures of the executions that a report kept: `stem-outcome-N.dot` for the N-th outcome,
/// `stem-race.dot` for a race, `stem-claim-N.dot` for a claim's witness, each with an `.svg` beside
/// it if Graphviz is installed.
Pictures write_pictures(const LitmusReport& report, const litmus::Question& question, const std::string& directory,
                        const std::string& stem);

}  // namespace heddle::cli
