#pragma once

/// \file
/// What the calls and commands of a host test come to: agents, dependencies between them, and who waits for whom.

#include <cstdint>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// An agent that is no thread: a command, or the operations of a dependency, in their order.
struct PlannedAgent {
  /// A copy has its read first, whose value it writes.
  std::vector<Operation> operations;
  explore::Value written = 0;
  std::uint64_t queue_family = 0;
};

/// A register of a batch that an indirect dispatch sets to what its agent reads.
struct ParameterRegister {
  std::uint32_t thread = 0;
  std::uint32_t index = 0;
  std::uint32_t agent = 0;
};

struct HostPlan {
  /// Behind the threads.
  std::vector<PlannedAgent> agents;
  /// By agent, threads first: what has to come before it starts.
  std::vector<std::vector<explore::Point>> after;
  std::vector<explore::Call> calls;
  /// Dependencies that follow each other whatever their stages, and the read of parameters before its dispatch.
  std::vector<model::AgentPair> synchronization;
  /// Its families are the file's.
  model::HostSide side;
  std::vector<ParameterRegister> parameters;
};

/// The plan of a host test. Throws ParseError if its calls cannot be.
HostPlan plan_host(const Test& test);

/// Throws ParseError at what is wrong with the host's side of a test.
void check_host_test(const Test& test);

/// The reference through which the host accesses a variable: its address, which aliases share.
ReferenceId host_reference(const Test& test, const Variable& variable);

}  // namespace heddle::litmus
