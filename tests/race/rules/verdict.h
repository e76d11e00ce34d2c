#pragma once

/// \file
/// What the judge and both detectors say about an execution.

#include "tests/model/scenario.h"

namespace heddle::race {

/// Checks that all three find a race in the execution, or that none does, in whatever order the
/// detectors are told of it.
void check_racy(const model::Scenario& scenario, const judge::Options& options = {});
void check_clean(const model::Scenario& scenario, const judge::Options& options = {});

}  // namespace heddle::race
