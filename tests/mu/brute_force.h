#pragma once

/// \file
/// The outcomes of a C litmus test by trying everything: every value a load may have, every store that has it, every
/// order. It shares with the explorer how a thread computes, and no rule.

#include <cstdint>
#include <set>
#include <string>

#include "emulator/litmus/c/test.h"

namespace heddle::litmus {

struct BruteAnswer {
  std::set<c::Outcome> outcomes;
  std::uint64_t executions = 0;
  std::set<std::string> undefined;
  bool too_large = false;
};

/// The answer for a test of straight-line threads and branches whose observables are registers; at most `limit`
/// candidates are tried.
BruteAnswer brute_force(const c::Test& test, std::uint64_t limit);

/// A random test of two or three threads, of accesses, fences and branches on x, y and z.
std::string random_test(std::uint64_t seed);

}  // namespace heddle::litmus
