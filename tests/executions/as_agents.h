#pragma once

/// \file
/// Random programs as agents of the explorer, which keep their own state: without fibers, stacks and scripts.

#include <map>
#include <set>
#include <string>

#include "tests/executions/both_ways.h"

namespace heddle {

/// By the names of the litmus test.
using Outcomes = std::set<std::map<std::string, std::uint64_t>>;

/// What all executions of a program lead to.
struct AsAgents {
  Outcomes outcomes;
  bool racy = false;
  /// The executions in which all invocations end.
  std::uint64_t executions = 0;
  bool complete = false;
};

/// The program must have no subgroup operations.
AsAgents explored_as_agents(const BothProgram& program);

}  // namespace heddle
