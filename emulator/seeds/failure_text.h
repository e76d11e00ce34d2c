#pragma once

/// \file
/// What is said of a failure.

#include <heddle/explore.h>

#include <string>

namespace heddle::seeds {

/// What is known of a failure only when it has been made smaller and traced.
std::string more_of(const SeedFailure& failure);

}  // namespace heddle::seeds
