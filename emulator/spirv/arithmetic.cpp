#include "emulator/spirv/arithmetic.h"

#include <bit>
#include <cmath>
#include <limits>

#include "emulator/spirv/floats.h"
#include "emulator/spirv/glsl.h"
#include "emulator/spirv/numbers.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {
namespace {

using Arguments = std::span<const std::uint64_t>;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

/// A signed quotient or remainder of numbers of so many bits.
Meaning divide_signed(const Computation& c, std::int64_t a, std::int64_t b, std::uint64_t& out) {
  const std::int64_t least = signed_value(std::uint64_t{1} << (c.bits - 1), c.bits);
  if (b == 0 || (a == least && b == -1)) {
    out = 0;
    return Meaning::Undefined;
  }
  const std::int64_t remainder = a % b;
  std::int64_t value = a / b;
  if (c.op == Op::OpSRem) value = remainder;
  if (c.op == Op::OpSMod) value = remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
  out = cut(static_cast<std::uint64_t>(value), c.bits);
  return Meaning::Defined;
}

Meaning divide_unsigned(const Computation& c, std::uint64_t a, std::uint64_t b, std::uint64_t& out) {
  out = 0;
  if (b == 0) return Meaning::Undefined;
  out = c.op == Op::OpUDiv ? a / b : a % b;
  return Meaning::Defined;
}

Meaning shift(const Computation& c, std::uint64_t a, std::uint64_t amount, std::uint64_t& out) {
  out = 0;
  if (amount >= c.bits) return Meaning::Open;
  switch (c.op) {
    case Op::OpShiftLeftLogical:
      out = cut(a << amount, c.bits);
      break;
    case Op::OpShiftRightLogical:
      out = a >> amount;
      break;
    default:
      out = cut(static_cast<std::uint64_t>(signed_value(a, c.bits) >> amount), c.bits);
  }
  return Meaning::Defined;
}

Meaning bit_field(const Computation& c, Arguments a, std::uint64_t& out) {
  const bool inserts = c.op == Op::OpBitFieldInsert;
  const std::uint64_t offset = a[inserts ? 2 : 1];
  const std::uint64_t count = a[inserts ? 3 : 2];
  out = inserts ? a[0] : 0;
  if (offset > c.bits || count > c.bits || offset + count > c.bits) return Meaning::Open;
  if (count == 0) return Meaning::Defined;
  const auto width = static_cast<unsigned>(count);
  if (inserts) {
    const std::uint64_t mask = cut(~std::uint64_t{0}, width) << offset;
    out = cut((a[0] & ~mask) | ((a[1] << offset) & mask), c.bits);
    return Meaning::Defined;
  }
  const std::uint64_t field = cut(a[0] >> offset, width);
  out = c.op == Op::OpBitFieldSExtract ? cut(static_cast<std::uint64_t>(signed_value(field, width)), c.bits) : field;
  return Meaning::Defined;
}

std::uint64_t reversed(std::uint64_t value, unsigned bits) {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < bits; ++i) out |= ((value >> i) & 1U) << (bits - 1 - i);
  return out;
}

/// Comparisons of integers; false if the opcode is none of those.
bool compare_integers(const Computation& c, Arguments a, std::uint64_t& out) {
  const auto sign = [&](std::size_t i) { return signed_value(a[i], c.from); };
  switch (c.op) {
    case Op::OpIEqual:
    case Op::OpLogicalEqual:
    case Op::OpPtrEqual:
      out = a[0] == a[1] ? 1 : 0;
      break;
    case Op::OpINotEqual:
    case Op::OpLogicalNotEqual:
    case Op::OpPtrNotEqual:
      out = a[0] != a[1] ? 1 : 0;
      break;
    case Op::OpULessThan:
      out = a[0] < a[1] ? 1 : 0;
      break;
    case Op::OpULessThanEqual:
      out = a[0] <= a[1] ? 1 : 0;
      break;
    case Op::OpUGreaterThan:
      out = a[0] > a[1] ? 1 : 0;
      break;
    case Op::OpUGreaterThanEqual:
      out = a[0] >= a[1] ? 1 : 0;
      break;
    case Op::OpSLessThan:
      out = sign(0) < sign(1) ? 1 : 0;
      break;
    case Op::OpSLessThanEqual:
      out = sign(0) <= sign(1) ? 1 : 0;
      break;
    case Op::OpSGreaterThan:
      out = sign(0) > sign(1) ? 1 : 0;
      break;
    case Op::OpSGreaterThanEqual:
      out = sign(0) >= sign(1) ? 1 : 0;
      break;
    default:
      return false;
  }
  return true;
}

/// Integers and truth values whose result is always defined; false if the opcode is none of those.
bool compute_integer(const Computation& c, Arguments a, std::uint64_t& out) {
  const auto sign = [&](std::size_t i) { return signed_value(a[i], c.from); };
  switch (c.op) {
    case Op::OpIAdd:
      out = a[0] + a[1];
      break;
    case Op::OpISub:
      out = a[0] - a[1];
      break;
    case Op::OpIMul:
      out = a[0] * a[1];
      break;
    case Op::OpSNegate:
      out = 0 - a[0];
      break;
    case Op::OpNot:
      out = ~a[0];
      break;
    case Op::OpBitwiseAnd:
    case Op::OpLogicalAnd:
      out = a[0] & a[1];
      break;
    case Op::OpBitwiseOr:
    case Op::OpLogicalOr:
      out = a[0] | a[1];
      break;
    case Op::OpBitwiseXor:
      out = a[0] ^ a[1];
      break;
    case Op::OpLogicalNot:
      out = a[0] == 0 ? 1 : 0;
      break;
    case Op::OpUConvert:
    case Op::OpBitcast:
    case Op::OpCopyObject:
    case Op::OpConvertPtrToU:
    case Op::OpConvertUToPtr:
      out = a[0];
      break;
    case Op::OpSConvert:
      out = static_cast<std::uint64_t>(sign(0));
      break;
    case Op::OpSelect:
      out = a[0] != 0 ? a[1] : a[2];
      break;
    case Op::OpBitCount:
      out = static_cast<std::uint64_t>(std::popcount(a[0]));
      break;
    case Op::OpBitReverse:
      out = reversed(a[0], c.bits);
      break;
    default:
      return false;
  }
  out = cut(out, c.bits);
  return true;
}

Meaning compute_extra(const Computation& c, Arguments a, std::uint64_t& out) {
  const SignedWide x = signed_value(a[0], c.bits);
  const SignedWide y = a.size() > 1 ? signed_value(a[1], c.bits) : 0;
  switch (c.extended) {
    case kMulHighUnsigned:
      out = static_cast<std::uint64_t>((Wide{a[0]} * a[1]) >> c.bits);
      break;
    case kMulHighSigned:
      out = static_cast<std::uint64_t>((x * y) >> c.bits);
      break;
    case kCarry:
      out = static_cast<std::uint64_t>((Wide{a[0]} + a[1]) >> c.bits);
      break;
    case kBorrow:
      out = a[0] < a[1] ? 1 : 0;
      break;
    case kAddSaturatingSigned: {
      const SignedWide most = (SignedWide{1} << (c.bits - 1)) - 1;
      const SignedWide sum = x + y;
      out = static_cast<std::uint64_t>(sum > most ? most : sum < -most - 1 ? -most - 1 : sum);
      break;
    }
    case kAddSaturatingUnsigned: {
      const Wide sum = Wide{a[0]} + a[1];
      const Wide most = (Wide{1} << c.bits) - 1;
      out = static_cast<std::uint64_t>(sum > most ? most : sum);
      break;
    }
    default:
      return compute_float_extra(c, a, out);
  }
  out = cut(out, c.bits);
  return Meaning::Defined;
}

}  // namespace

Meaning compute(const Computation& c, std::span<const std::uint64_t> a, std::uint64_t& out) {
  if (c.op == Op::OpExtInst) return c.extended < kMulHighUnsigned ? compute_glsl(c, a, out) : compute_extra(c, a, out);
  if (compute_integer(c, a, out) || compare_integers(c, a, out)) return Meaning::Defined;
  switch (c.op) {
    case Op::OpUDiv:
    case Op::OpUMod:
      return divide_unsigned(c, a[0], a[1], out);
    case Op::OpSDiv:
    case Op::OpSRem:
    case Op::OpSMod:
      return divide_signed(c, signed_value(a[0], c.bits), signed_value(a[1], c.bits), out);
    case Op::OpShiftLeftLogical:
    case Op::OpShiftRightLogical:
    case Op::OpShiftRightArithmetic:
      return shift(c, a[0], a[1], out);
    case Op::OpBitFieldInsert:
    case Op::OpBitFieldSExtract:
    case Op::OpBitFieldUExtract:
      return bit_field(c, a, out);
    default:
      return compute_float(c, a, out);
  }
}

bool is_computed(const Computation& computation) {
  // Nothing divides by one, and every width has it.
  constexpr std::uint64_t kOnes[] = {1, 1, 1, 1};
  std::uint64_t ignored = 0;
  return compute(computation, kOnes, ignored) != Meaning::Unknown;
}

}  // namespace heddle::spirv
