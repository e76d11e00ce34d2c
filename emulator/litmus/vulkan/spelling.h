#pragma once

/// \file
/// A test and its instructions as text, in either of the two spellings that the parser understands.

#include <cstdint>
#include <optional>
#include <string>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

enum class Spelling : std::uint8_t {
  /// `st.atom.rel.dv.sc0.semsc0 y, 1`, and threads beside each other.
  Tags,
  /// `atomicStore(y, 1, Release, Device, UniformMemory)`, and threads below each other.
  Calls,
};

/// An instruction's mnemonic with its tags as the dialect spells them, "st.atom.rel.dv.sc0.semsc0" for example; nothing
/// for an instruction that has no tags, or whose operation has no spelling.
std::optional<std::string> spell_tags(const Instruction& instruction);

/// A whole instruction of a thread, without relaxation tags; nothing if its operation has no spelling.
std::optional<std::string> spell(const Test& test, const Thread& thread, const Instruction& instruction,
                                 Spelling spelling);

/// The relaxation tags behind an instruction, " # foo:x"; empty if it has none.
std::string with_tags(const Instruction& instruction);

/// The spelling of a test that was parsed: Calls if some instruction is one, or if its threads stand below each other.
Spelling spelling_of(const Test& test);

/// Whether a test can be spelled so: columns beside each other have a cell for each thread and row, and a few
/// instructions beside many threads would be a table that nobody has the memory for.
bool fits(const Test& test, Spelling spelling);

/// Why a test cannot be spelled so; empty if it can.
std::string why_not_spelled(const Test& test, Spelling spelling);

/// A test that was parsed, and that fits, as a text that means the same. Comments stand with
/// the instruction, or the thread's head, that they stood in front of or behind. The list of locations is not in it.
std::string spell(const Test& test, Spelling spelling);

}  // namespace heddle::litmus
