#pragma once

/// \file
/// Where the operations of an execution stand in the text of their test: those of commands and of dependencies, too,
/// whose agents are no threads.

#include <string>
#include <vector>

#include "emulator/litmus/vulkan/test.h"
#include "emulator/model/execution.h"

namespace heddle::litmus {

/// The index of the thread whose column has the operation.
std::uint32_t column_of(const Test& test, const Operation& operation);

/// The place of its instruction or command.
Place place_of(const Test& test, const Operation& operation);

/// The variable that an access accesses: by its reference, or on the host by its location.
const Variable& variable_of(const Test& test, const Operation& operation);

/// An agent that is no thread: the column that it is in, and the text of its command or call.
struct AgentInColumn {
  std::uint32_t column = 0;
  std::string text;
};

/// The agents of a host test behind its threads, in their order; none of another test.
std::vector<AgentInColumn> agents_behind_threads(const Test& test);

/// "P0's `ld.sc0 r0, x` (line 7)".
std::string name_of(const Test& test, const Operation& operation);

}  // namespace heddle::litmus
