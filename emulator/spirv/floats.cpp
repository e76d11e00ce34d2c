#include "emulator/spirv/floats.h"

#include <cmath>
#include <limits>

#include "emulator/spirv/numbers.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {
namespace {

using Arguments = std::span<const std::uint64_t>;

/// In double the result of one operation on halves or floats rounds once more without harm: twice as many digits and
/// two more are enough.
template <typename Operation>
Meaning rounded(const Computation& c, Arguments a, std::uint64_t& out, Operation operation) {
  const double x = float_value(a[0], c.from);
  const double y = a.size() > 1 ? float_value(a[1], c.from) : 0;
  out = float_bits(operation(x, y), c.bits);
  return Meaning::Defined;
}

/// A comparison; `unordered` is its result if an operand is no number.
template <typename Comparison>
Meaning compared(const Computation& c, Arguments a, std::uint64_t& out, bool unordered, Comparison comparison) {
  const double x = float_value(a[0], c.from);
  const double y = float_value(a[1], c.from);
  const bool is_unordered = std::isnan(x) || std::isnan(y);
  out = (is_unordered ? unordered : comparison(x, y)) ? 1 : 0;
  return Meaning::Defined;
}

/// Numbers of several widths: the remainder whose sign is the dividend's or the divisor's.
Meaning remainder(const Computation& c, Arguments a, std::uint64_t& out) {
  const double x = float_value(a[0], c.from);
  const double y = float_value(a[1], c.from);
  double value = std::fmod(x, y);
  if (c.op == Op::OpFMod && value != 0 && (value < 0) != (y < 0)) value += y;
  out = float_bits(value, c.bits);
  return y == 0 ? Meaning::Open : Meaning::Defined;
}

Meaning to_integer(const Computation& c, Arguments a, std::uint64_t& out) {
  const double value = std::trunc(float_value(a[0], c.from));
  const bool is_signed = c.op == Op::OpConvertFToS;
  const double least = is_signed ? -std::ldexp(1.0, c.bits - 1) : 0.0;
  const double above = std::ldexp(1.0, is_signed ? c.bits - 1 : c.bits);
  out = 0;
  if (!(value >= least && value < above)) return Meaning::Undefined;
  out = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
  out = cut(out, c.bits);
  return Meaning::Defined;
}

template <typename Integer>
std::uint64_t from_integer(Integer value, unsigned bits) {
  if (bits == 64) return float_bits(static_cast<double>(value), 64);
  const auto once = static_cast<float>(value);
  if (bits == 32) return float_bits(static_cast<double>(once), 32);
  // What is beyond a half's range is infinite either way; within it a double has every integer.
  return float_bits(static_cast<double>(value), 16);
}

Meaning quantize(Arguments a, std::uint64_t& out) {
  const double value = float_value(a[0], 32);
  const double half = float_value(float_bits(value, 16), 16);
  const bool is_small = std::abs(half) < std::ldexp(1.0, -14);
  out = std::isnan(value) ? a[0] : float_bits(is_small ? std::copysign(0.0, value) : half, 32);
  return Meaning::Defined;
}

Meaning compare_floats(const Computation& c, Arguments a, std::uint64_t& out) {
  const auto equal = [](double x, double y) { return x == y; };
  const auto differ = [](double x, double y) { return x != y; };
  const auto less = [](double x, double y) { return x < y; };
  const auto greater = [](double x, double y) { return x > y; };
  const auto at_most = [](double x, double y) { return x <= y; };
  const auto at_least = [](double x, double y) { return x >= y; };
  switch (c.op) {
    case Op::OpFOrdEqual:
    case Op::OpFUnordEqual:
      return compared(c, a, out, c.op == Op::OpFUnordEqual, equal);
    case Op::OpFOrdNotEqual:
    case Op::OpFUnordNotEqual:
      return compared(c, a, out, c.op == Op::OpFUnordNotEqual, differ);
    case Op::OpFOrdLessThan:
    case Op::OpFUnordLessThan:
      return compared(c, a, out, c.op == Op::OpFUnordLessThan, less);
    case Op::OpFOrdGreaterThan:
    case Op::OpFUnordGreaterThan:
      return compared(c, a, out, c.op == Op::OpFUnordGreaterThan, greater);
    case Op::OpFOrdLessThanEqual:
    case Op::OpFUnordLessThanEqual:
      return compared(c, a, out, c.op == Op::OpFUnordLessThanEqual, at_most);
    case Op::OpFOrdGreaterThanEqual:
    case Op::OpFUnordGreaterThanEqual:
      return compared(c, a, out, c.op == Op::OpFUnordGreaterThanEqual, at_least);
    default:
      return Meaning::Unknown;
  }
}

/// What keeps the bits of numbers that are none.
Meaning convert_float(const Computation& c, Arguments a, std::uint64_t& out) {
  if (c.bits == c.from) {
    out = a[0];
    return Meaning::Defined;
  }
  return rounded(c, a, out, [](double x, double) { return x; });
}

}  // namespace

Meaning compute_float(const Computation& c, Arguments a, std::uint64_t& out) {
  switch (c.op) {
    case Op::OpFAdd:
      return rounded(c, a, out, [](double x, double y) { return x + y; });
    case Op::OpFSub:
      return rounded(c, a, out, [](double x, double y) { return x - y; });
    case Op::OpFMul:
      return rounded(c, a, out, [](double x, double y) { return x * y; });
    case Op::OpFDiv:
      return rounded(c, a, out, [](double x, double y) { return x / y; });
    case Op::OpFNegate:
      out = a[0] ^ (std::uint64_t{1} << (c.bits - 1));
      return Meaning::Defined;
    case Op::OpFRem:
    case Op::OpFMod:
      return remainder(c, a, out);
    case Op::OpFConvert:
      return convert_float(c, a, out);
    case Op::OpQuantizeToF16:
      return quantize(a, out);
    case Op::OpConvertFToS:
    case Op::OpConvertFToU:
      return to_integer(c, a, out);
    case Op::OpConvertSToF:
      out = from_integer(signed_value(a[0], c.from), c.bits);
      return Meaning::Defined;
    case Op::OpConvertUToF:
      out = from_integer(a[0], c.bits);
      return Meaning::Defined;
    case Op::OpIsNan:
      out = std::isnan(float_value(a[0], c.from)) ? 1 : 0;
      return Meaning::Defined;
    case Op::OpIsInf:
      out = std::isinf(float_value(a[0], c.from)) ? 1 : 0;
      return Meaning::Defined;
    default:
      return compare_floats(c, a, out);
  }
}

Meaning compute_float_extra(const Computation& c, Arguments a, std::uint64_t& out) {
  const double value = float_value(a[0], c.from);
  double whole = 0;
  int exponent = 0;
  switch (c.extended) {
    case kModfFraction:
      out = float_bits(std::modf(value, &whole), c.bits);
      return Meaning::Defined;
    case kModfWhole:
      std::modf(value, &whole);
      out = float_bits(whole, c.bits);
      return Meaning::Defined;
    case kFrexpSignificand:
      out = float_bits(std::frexp(value, &exponent), c.bits);
      return Meaning::Defined;
    case kFrexpExponent:
      std::frexp(value, &exponent);
      if (!std::isfinite(value)) exponent = 0;
      out = cut(static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)), c.bits);
      return std::isfinite(value) ? Meaning::Defined : Meaning::Open;
    case kToHalf:
      out = float_bits(value, 16);
      return Meaning::Defined;
    case kFromHalf:
      out = float_bits(float_value(cut(a[0], 16), 16), 32);
      return Meaning::Defined;
    default:
      return Meaning::Unknown;
  }
}

}  // namespace heddle::spirv
