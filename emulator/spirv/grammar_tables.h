#pragma once

/// \file
/// The rows of SPIR-V's grammar, as tables/make_tables.cpp writes them when heddle is built.

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::spirv {

/// What an operand is in the words of a module.
enum class Category : std::uint8_t {
  Enum,
  IdResultType,
  IdResult,
  AnyId,
  LiteralInteger,
  LiteralString,
  /// As wide as the result type says.
  LiteralNumber,
  /// An instruction of an extended set.
  LiteralExtended,
  /// The opcode of an OpSpecConstantOp, whose own operands follow.
  LiteralOpcode,
  /// The literal is as wide as the selector of an OpSwitch.
  PairLiteralId,
  PairIdLiteral,
  PairIdId,
};

enum class Quantifier : std::uint8_t { One, Optional, Any };

struct OperandInfo {
  Category category;
  /// Index into `kinds`.
  std::uint16_t kind;
  Quantifier quantifier;
};

/// A word that an operand may be; what follows it is in `operands`.
struct Enumerant {
  std::string_view name;
  std::uint32_t value;
  std::uint32_t first_operand;
  std::uint32_t operand_count;
};

/// The words of one kind of operand, which are in `enumerants`.
struct KindInfo {
  std::string_view name;
  bool bits;
  std::uint32_t first;
  std::uint32_t count;
};

struct InstructionInfo {
  std::string_view name;
  std::uint16_t opcode;
  std::uint32_t first_operand;
  std::uint32_t operand_count;
};

struct ExtendedInfo {
  std::string_view name;
  std::uint32_t number;
};

/// The instructions of one extended set, which are in `extended`.
struct SetInfo {
  std::string_view name;
  std::uint32_t first;
  std::uint32_t count;
};

namespace tables {

extern const std::span<const OperandInfo> operands;
extern const std::span<const Enumerant> enumerants;
extern const std::span<const KindInfo> kinds;
/// Ascending by opcode.
extern const std::span<const InstructionInfo> instructions;
extern const std::span<const ExtendedInfo> extended;
extern const std::span<const SetInfo> sets;

}  // namespace tables
}  // namespace heddle::spirv
