#include <spirv/unified1/GLSL.std.450.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "emulator/spirv/arithmetic.h"
#include "emulator/spirv/numbers.h"
#include "emulator/spirv/types.h"
#include "tests/spirv/run_module.h"

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

TEST_CASE("floats round towards zero where an entry point wants it") {
  const auto zero = [](Op op, std::vector<std::uint64_t> arguments, std::uint8_t bits, std::uint8_t from) {
    std::uint64_t out = 0;
    compute({op, 0, bits, from, from, kTowardsZero}, arguments, out);
    return out;
  };
  const auto twice = [](double value) { return float_bits(value, 64); };
  const double tiny = std::ldexp(1.0, -80);
  // As far below 1 as a float can be.
  CHECK(zero(Op::OpFSub, {single(1), single(tiny)}, 32, 32) == single(1) - 1);
  CHECK(zero(Op::OpFAdd, {single(1), single(tiny)}, 32, 32) == single(1));
  CHECK(zero(Op::OpFSub, {single(-1), single(-tiny)}, 32, 32) == single(-1) - 1);
  CHECK(zero(Op::OpFAdd, {twice(1), twice(-tiny)}, 64, 64) == twice(1) - 1);
  CHECK(zero(Op::OpFDiv, {single(2), single(3)}, 32, 32) == 0x3f2aaaaa);
  CHECK(of(Op::OpFDiv, {single(2), single(3)}).bits == 0x3f2aaaab);
  CHECK(zero(Op::OpFMul, {single(3e38), single(10)}, 32, 32) == 0x7f7fffff);
  CHECK(zero(Op::OpFMul, {twice(1e308), twice(-10)}, 64, 64) == 0xffefffffffffffff);
  CHECK(zero(Op::OpFDiv, {twice(1), twice(0)}, 64, 64) == 0x7ff0000000000000);
  CHECK(zero(Op::OpFConvert, {twice(0.1)}, 32, 64) == 0x3dcccccc);
  CHECK(zero(Op::OpFConvert, {single(65535)}, 16, 32) == 0x7bff);
  CHECK(zero(Op::OpConvertUToF, {0xffffffffffffffff}, 32, 64) == 0x5f7fffff);
  CHECK(zero(Op::OpConvertSToF, {word(-16777219)}, 32, 32) == single(-16777218));
}

TEST_CASE("a mix that overflows on the way is no number, and the sign of a zero is zero") {
  CHECK(of_set(GLSLstd450FMix, {single(2), single(4), single(0.5)}).bits == single(3));
  // The two products are infinite, with different signs.
  CHECK(std::isnan(float_value(of_set(GLSLstd450FMix, {0x4f7fffff, 0x47800000, 0x7f7fffff}).bits, 32)));
  CHECK(of_set(GLSLstd450FSign, {single(-0.0)}).bits == 0);
  CHECK(of_set(GLSLstd450FSign, {single(-3)}).bits == single(-1));
}

TEST_CASE("denormalized numbers are zeros where an entry point wants it") {
  const auto flush = [](Op op, std::vector<std::uint64_t> arguments) {
    std::uint64_t out = 0;
    compute({op, 0, 32, 32, 32, kFlushesResults | kFlushesOperands}, arguments, out);
    return out;
  };
  CHECK(flush(Op::OpFAdd, {1, 1}) == 0);
  CHECK(of(Op::OpFAdd, {1, 1}).bits == 2);
  CHECK(flush(Op::OpFMul, {single(std::ldexp(1.0, -100)), single(std::ldexp(-1.0, -40))}) == 0x80000000);
  CHECK(flush(Op::OpFOrdEqual, {1, 2}) == 1);
  CHECK(flush(Op::OpFOrdEqual, {single(1), single(2)}) == 0);
}

TEST_CASE("an execution mode decides how a module's floats round") {
  const std::string text = R"(
; @Input: %data = {{1.0, 3.0, 0}}
; @Output: forall (%data[0][2] == 0.33333331346511841)
OpCapability Shader
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %main RoundingModeRTZ 32
OpDecorate %floats ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%block_pointer = OpTypePointer StorageBuffer %block
%float_pointer = OpTypePointer StorageBuffer %float
%data = OpVariable %block_pointer StorageBuffer
%main = OpFunction %void None %function
%entry = OpLabel
%p0 = OpAccessChain %float_pointer %data %zero %zero
%p1 = OpAccessChain %float_pointer %data %zero %one
%p2 = OpAccessChain %float_pointer %data %zero %two
%x = OpLoad %float %p0
%y = OpLoad %float %p1
%q = OpFDiv %float %x %y
OpStore %p2 %q
OpReturn
OpFunctionEnd
)";
  // A third is 0x3eaaaaab to nearest, 0x3eaaaaaa towards zero.
  CHECK(Ran(text).ask(true).holds);
  CHECK_FALSE(Ran(replaced(text, "OpExecutionMode %main RoundingModeRTZ 32\n", "")).ask(true).holds);
}
