#pragma once

/// \file
/// What all mistakes share: the wrong kernel and the right one under many seeds, and what comes of
/// it.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mistake {

using Test = std::function<void(heddle::Trial&)>;

/// Looks for a seed with which `wrong` gives a wrong result, and tries as many with `right`.
/// Options are those of SeedOptions::take. Returns the exit code: 0 if the one fails and the other
/// does not, 1 if that is otherwise, 2 for an option that is wrong.
int compare(int argc, char** argv, const std::string& what, const Test& wrong, const Test& right);

}  // namespace mistake
