#pragma once

/// \file
/// Questions to the grammar of SPIR-V.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "emulator/spirv/grammar_tables.h"

namespace heddle::spirv {

/// The row of an opcode, or of a name ("OpLoad"); null for one that the grammar does not know. Of an opcode with
/// several names any one.
const InstructionInfo* find_instruction(std::uint32_t opcode);
const InstructionInfo* find_instruction(std::string_view name);

std::span<const OperandInfo> operands_of(const InstructionInfo& instruction);
std::span<const OperandInfo> operands_of(const Enumerant& enumerant);

/// The word of a kind of operand with this name, or with this value; null for none.
const Enumerant* find_enumerant(std::uint16_t kind, std::string_view name);
const Enumerant* find_enumerant(std::uint16_t kind, std::uint32_t value);

/// The number of an instruction of an extended set (its OpExtInstImport's string).
std::optional<std::uint32_t> extended_number(std::string_view set, std::string_view name);
/// The name of an instruction of an extended set; empty if it is not known.
std::string_view extended_name(std::string_view set, std::uint32_t number);

}  // namespace heddle::spirv
