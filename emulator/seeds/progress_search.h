#pragma once

/// \file
/// Searches for runs that do not end under a model of forward progress.

#include <cstdint>
#include <functional>
#include <string>

namespace heddle {
class Trial;
struct SeedOptions;
struct SeedReport;
}  // namespace heddle

namespace heddle::seeds {

/// A search in which a trial fails that makes no progress, under a scheduler that is adversarial within the model, and
/// no other does.
SeedReport search_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds,
                        const SeedOptions& options);

/// What some runs relied on in which everybody goes on: "relied on LOBE progress of workgroups: workgroup (3,0,0)
/// waited at ... for ...". Empty if none was seen to wait.
std::string waits_seen_of(const std::function<void(Trial&)>& test, SeedOptions options);

}  // namespace heddle::seeds
