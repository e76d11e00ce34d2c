#pragma once

/// \file
/// The two vocabularies of the document on relaxation tags: tests of native NonPrivate and masks, said in tags.

#include "emulator/litmus/vulkan/test.h"
#include "tests/explore/script.h"

namespace heddle::litmus {

/// `vulkan:private` and `vulkan:nonprivate` instead of NonPrivate; `sync-as:N` instead of masks of storage classes.
enum class Vocabulary : std::uint8_t { Private, Classes };

/// The operation said in tags.
Operation said_in_tags(const Operation& operation, Vocabulary vocabulary);
Test said_in_tags(Test test, Vocabulary vocabulary);
explore::ScriptedProgram said_in_tags(explore::ScriptedProgram program, Vocabulary vocabulary);

/// The operations of an agent, in the order in which they stand there.
using AgentOperations = std::vector<std::vector<Operation>>;
AgentOperations operations_of(const Test& test);
AgentOperations operations_of(const explore::ScriptedProgram& program);

/// Whether what is said in tags has to mean what it means natively: the conditions of TAGS.md, each asked a little
/// more strictly than it has to hold. Of agents that do not system-synchronize.
bool has_to_coincide(const AgentOperations& agents, Vocabulary vocabulary);

}  // namespace heddle::litmus
