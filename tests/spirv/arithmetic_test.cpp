#include <spirv/unified1/GLSL.std.450.h>

#include <catch2/catch.hpp>

#include "emulator/spirv/arithmetic.h"
#include "emulator/spirv/numbers.h"
#include "emulator/spirv/types.h"

using namespace heddle::spirv;

namespace {

struct Result {
  Meaning meaning;
  std::uint64_t bits;
};

Result of(Op op, std::vector<std::uint64_t> arguments, std::uint8_t bits = 32, std::uint8_t from = 0) {
  if (from == 0) from = bits;
  for (std::uint64_t& each : arguments) each = cut(each, 64);
  std::uint64_t out = 0;
  const Meaning meaning = compute({op, 0, bits, from, from}, arguments, out);
  return {meaning, out};
}

Result of_set(std::uint32_t instruction, const std::vector<std::uint64_t>& arguments, std::uint8_t bits = 32) {
  std::uint64_t out = 0;
  const Meaning meaning = compute({Op::OpExtInst, instruction, bits, bits, bits}, arguments, out);
  return {meaning, out};
}

std::uint64_t word(std::int64_t value) {
  return cut(static_cast<std::uint64_t>(value), 32);
}
std::uint64_t single(double value) {
  return float_bits(value, 32);
}

}  // namespace

TEST_CASE("integers wrap, and their remainders have the sign that SPIR-V gives them") {
  CHECK(of(Op::OpIAdd, {0xffffffff, 2}).bits == 1);
  CHECK(of(Op::OpSNegate, {0x80000000}).bits == 0x80000000);
  CHECK(of(Op::OpSRem, {word(-7), 3}).bits == word(-1));
  CHECK(of(Op::OpSMod, {word(-7), 3}).bits == 2);
  CHECK(of(Op::OpSMod, {7, word(-3)}).bits == word(-2));
  CHECK(of(Op::OpIMul, {200, 2}, 8).bits == 144);
}

TEST_CASE("a division that has no result is undefined behaviour, and a shift that is too far is any value") {
  CHECK(of(Op::OpUDiv, {1, 0}).meaning == Meaning::Undefined);
  CHECK(of(Op::OpSDiv, {0x80000000, word(-1)}).meaning == Meaning::Undefined);
  CHECK(of(Op::OpShiftLeftLogical, {1, 32}).meaning == Meaning::Open);
  CHECK(of(Op::OpShiftRightArithmetic, {word(-8), 1}).bits == word(-4));
  CHECK(of(Op::OpBitFieldUExtract, {0xff, 30, 4}).meaning == Meaning::Open);
  CHECK(of(Op::OpBitFieldInsert, {0xaa, 0xf, 4, 0}).bits == 0xaa);
}

TEST_CASE("floats are converted towards zero, and what does not fit is undefined behaviour") {
  CHECK(of(Op::OpConvertFToS, {single(-2.9)}).bits == word(-2));
  CHECK(of(Op::OpConvertFToU, {single(-0.5)}).bits == 0);
  CHECK(of(Op::OpConvertFToU, {single(-1.0)}).meaning == Meaning::Undefined);
  CHECK(of(Op::OpConvertFToS, {0x7fc00000}).meaning == Meaning::Undefined);
  CHECK(of(Op::OpConvertSToF, {word(-3)}).bits == single(-3));
  CHECK(of(Op::OpFConvert, {single(65519.9)}, 16, 32).bits == 0x7bff);
}

TEST_CASE("comparisons of numbers that are none are what their names say") {
  const std::uint64_t nan = 0x7fc00000;
  CHECK(of(Op::OpFOrdNotEqual, {nan, single(1)}, 1, 32).bits == 0);
  CHECK(of(Op::OpFUnordNotEqual, {nan, single(1)}, 1, 32).bits == 1);
  CHECK(of(Op::OpFOrdEqual, {nan, nan}, 1, 32).bits == 0);
  CHECK(of(Op::OpFUnordLessThan, {nan, single(1)}, 1, 32).bits == 1);
}

TEST_CASE("floats round once, and remainders of floats have the sign of the dividend or of the divisor") {
  CHECK(of(Op::OpFRem, {single(-7), single(3)}).bits == single(-1));
  CHECK(of(Op::OpFMod, {single(-7), single(3)}).bits == single(2));
  CHECK(of(Op::OpFDiv, {single(1), single(0)}).bits == 0x7f800000);
  CHECK(of(Op::OpFNegate, {0x7fc00001}).bits == 0xffc00001);
  CHECK(of(Op::OpQuantizeToF16, {single(1e-6)}).bits == 0);
  // A half that a float in between would round up.
  CHECK(float_bits(1.0 + 0x1p-11 + 0x1p-40, 16) == 0x3c01);
}

TEST_CASE("the instructions of GLSL.std.450 that find bits find them at every width") {
  CHECK(of_set(GLSLstd450FindILsb, {0}).bits == 0xffffffff);
  CHECK(of_set(GLSLstd450FindUMsb, {0x80000000}).bits == 31);
  CHECK(of_set(GLSLstd450FindSMsb, {word(-1)}).bits == 0xffffffff);
  CHECK(of_set(GLSLstd450FindSMsb, {word(-2)}).bits == 0);
  CHECK(of_set(GLSLstd450SAbs, {0x80000000}).bits == 0x80000000);
  CHECK(of_set(GLSLstd450SClamp, {5, word(-1), 3}).bits == 3);
  CHECK(of_set(GLSLstd450UClamp, {5, 4, 3}).meaning == Meaning::Open);
}

TEST_CASE("minimum, step and logarithm are open only where the specification leaves them so") {
  CHECK(of_set(GLSLstd450NMin, {0x7fc00000, single(2)}).bits == single(2));
  CHECK(of_set(GLSLstd450Step, {single(1), single(1)}).bits == single(1));
  CHECK(of_set(GLSLstd450Log, {single(0)}).meaning == Meaning::Open);
  CHECK(of_set(GLSLstd450Pow, {single(2), single(3)}).bits == single(8));
  CHECK(of_set(GLSLstd450RoundEven, {single(2.5)}).bits == single(2));
}
