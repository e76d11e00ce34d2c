#pragma once

/// \file
/// What instructions compute of scalars.

#include <cstdint>
#include <span>

#include "emulator/spirv/module.h"

namespace heddle::spirv {

/// What is computed beside SPIR-V's own opcodes; GLSL.std.450's numbers are below these.
enum Extra : std::uint32_t {
  kNoExtra = 0,
  kMulHighUnsigned = 1000,
  kMulHighSigned,
  kCarry,
  kBorrow,
  kModfFraction,
  kModfWhole,
  kFrexpSignificand,
  kFrexpExponent,
  /// Adds a product, saturating, of two signed or unsigned numbers.
  kAddSaturatingSigned,
  kAddSaturatingUnsigned,
  /// `a` as an IEEE half, and back.
  kToHalf,
  kFromHalf,
};

/// How an entry point wants floats of one width; the bits of Computation::float_mode.
enum FloatMode : std::uint8_t {
  kAsUsual = 0,
  kTowardsZero = 1,
  /// Results that are denormalized are zeros.
  kFlushesResults = 2,
  /// Operands that are denormalized are zeros.
  kFlushesOperands = 4,
};

/// One computation. Integers are cut to their width and floats are their bits; true is 1.
struct Computation {
  Op op = Op::OpNop;
  /// OpExtInst: the instruction of GLSL.std.450, or an Extra.
  std::uint32_t extended = 0;
  std::uint8_t bits = 32;    ///< of the result
  std::uint8_t from = 32;    ///< of the first operand
  std::uint8_t second = 32;  ///< of the second operand
  std::uint8_t float_mode = kAsUsual;
};

enum class Meaning : std::uint8_t {
  Defined,
  /// The specification leaves the value open, and the run goes on with the one that is given.
  Open,
  /// Undefined behaviour.
  Undefined,
  /// heddle does not compute it.
  Unknown,
};

/// The result of a computation of `arguments`.
Meaning compute(const Computation& computation, std::span<const std::uint64_t> arguments, std::uint64_t& result);
/// Whether there is such a computation.
bool is_computed(const Computation& computation);

}  // namespace heddle::spirv
