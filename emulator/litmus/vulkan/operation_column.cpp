#include "emulator/litmus/vulkan/operation_column.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/litmus/vulkan/host_plan.h"
#include "emulator/litmus/vulkan/host_test.h"

namespace heddle::litmus {
namespace {

/// The command of a batch that an operation is of: its text is the command's own, and no copy.
const BatchCommand* command_of(const Batch& batch, const Operation& operation) {
  for (const BatchCommand& command : batch.commands)
    if (command.text.c_str() == operation.where.function) return &command;
  return nullptr;
}

const Instruction* instruction_of(const Thread& thread, const Operation& operation) {
  for (const Instruction& instruction : thread.code)
    if (instruction.text.c_str() == operation.where.function) return &instruction;
  return nullptr;
}

}  // namespace

std::uint32_t column_of(const Test& test, const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  if (agent < test.threads.size()) return agent;
  for (const Batch& batch : test.host->batches)
    if (command_of(batch, operation) != nullptr) return batch.thread;
  for (std::uint32_t i = 0; i < test.threads.size(); ++i)
    if (instruction_of(test.threads[i], operation) != nullptr) return i;
  return 0;
}

Place place_of(const Test& test, const Operation& operation) {
  const Thread& thread = test.threads[column_of(test, operation)];
  if (const Instruction* const instruction = instruction_of(thread, operation)) return instruction->place;
  if (test.host)
    for (const Batch& batch : test.host->batches)
      if (const BatchCommand* const command = command_of(batch, operation)) return command->place;
  return {operation.where.line, 1};
}

const Variable& variable_of(const Test& test, const Operation& operation) {
  const auto reference = static_cast<std::size_t>(operation.reference);
  if (reference < test.variables.size()) return test.variables[reference];
  return *std::find_if(test.variables.begin(), test.variables.end(), [&](const Variable& variable) {
    return variable.location == static_cast<std::uint32_t>(operation.locations.allocation);
  });
}

std::vector<AgentInColumn> agents_behind_threads(const Test& test) {
  std::vector<AgentInColumn> agents;
  if (!test.host) return agents;
  for (const PlannedAgent& planned : plan_host(test).agents) {
    Operation operation = planned.operations.front();
    operation.agent = static_cast<AgentId>(test.threads.size() + agents.size());
    agents.push_back({column_of(test, operation), operation.where.function});
  }
  return agents;
}

std::string name_of(const Test& test, const Operation& operation) {
  return fmt::format("{}'s `{}` (line {})", test.threads[column_of(test, operation)].name(), operation.where.function,
                     operation.where.line);
}

}  // namespace heddle::litmus
