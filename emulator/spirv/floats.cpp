#include "emulator/spirv/floats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "emulator/spirv/numbers.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {
namespace {

using Arguments = std::span<const std::uint64_t>;

/// The bits of `value`, which is what is meant rounded to nearest, towards zero; `error` has the sign of what is
/// missing.
std::uint64_t towards_zero(double value, double error, unsigned bits) {
  const std::uint64_t nearest = float_bits(value, bits);
  const double there = float_value(nearest, bits);
  const bool is_too_far =
      std::abs(there) > std::abs(value) || (there == value && error != 0 && std::signbit(error) != std::signbit(value));
  // The bits of the next number towards zero are one less: behind infinity it is the greatest.
  return is_too_far ? nearest - 1 : nearest;
}

/// In double the result of one operation on halves or floats rounds once more without harm: twice as many digits and
/// two more are enough.
std::uint64_t rounded(const Computation& c, double value, double error) {
  return (c.float_mode & kTowardsZero) != 0 ? towards_zero(value, error, c.bits) : float_bits(value, c.bits);
}

/// What of the sum of two numbers is missing in `sum`.
double error_of_sum(double x, double y, double sum) {
  const double rest = sum - x;
  return (x - (sum - rest)) + (y - rest);
}

/// What is missing in `value`, or a number of its sign.
double error_of(Op op, double x, double y, double value) {
  if (op == Op::OpFMul) return std::fma(x, y, -value);
  if (op == Op::OpFDiv) return std::fma(-value, y, x) * (std::signbit(y) ? -1.0 : 1.0);
  return error_of_sum(x, y, value);
}

/// A sum, a product or a quotient.
Meaning combined(const Computation& c, Arguments a, std::uint64_t& out) {
  const double x = float_value(a[0], c.from);
  const double y = float_value(a[1], c.from) * (c.op == Op::OpFSub ? -1.0 : 1.0);
  double value = c.op == Op::OpFMul ? x * y : c.op == Op::OpFDiv ? x / y : x + y;
  double error = 0;
  if ((c.float_mode & kTowardsZero) != 0) {
    error = error_of(c.op, x, y, value);
    // What overflows is the greatest number.
    const bool overflows = std::isinf(value) && std::isfinite(x) && std::isfinite(y) && !(c.op == Op::OpFDiv && y == 0);
    if (overflows) value = std::copysign(std::numeric_limits<double>::max(), value);
  }
  out = rounded(c, value, std::isfinite(error) ? error : 0);
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

/// `magnitude` with a sign. Within a half's range a double has every integer.
std::uint64_t from_integer(const Computation& c, std::uint64_t magnitude, bool negative) {
  const auto nearest = static_cast<double>(magnitude);
  // Rounded once: what a double makes of it may be in the middle between two floats.
  const double value =
      c.bits == 32 && (c.float_mode & kTowardsZero) == 0 ? static_cast<double>(static_cast<float>(magnitude)) : nearest;
  constexpr double kAbove = 18446744073709551616.0;
  const bool is_too_far = nearest >= kAbove || static_cast<std::uint64_t>(nearest) > magnitude;
  const bool is_exact = nearest < kAbove && static_cast<std::uint64_t>(nearest) == magnitude;
  const double sign = negative ? -1.0 : 1.0;
  return rounded(c, sign * value, is_exact ? 0.0 : is_too_far ? -sign : sign);
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
  out = rounded(c, float_value(a[0], c.from), 0);
  return Meaning::Defined;
}

bool is_denormalized(std::uint64_t bits, unsigned width) {
  const unsigned digits = width == 64 ? 52 : width == 32 ? 23 : 10;
  const std::uint64_t magnitude = cut(bits, width - 1);
  return magnitude != 0 && (magnitude >> digits) == 0;
}

std::uint64_t flushed(std::uint64_t bits, unsigned width) {
  return is_denormalized(bits, width) ? bits & (std::uint64_t{1} << (width - 1)) : bits;
}

Meaning compute_plain(const Computation& c, Arguments a, std::uint64_t& out) {
  switch (c.op) {
    case Op::OpFAdd:
    case Op::OpFSub:
    case Op::OpFMul:
    case Op::OpFDiv:
      return combined(c, a, out);
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
      out = from_integer(c, signed_value(a[0], c.from) < 0 ? cut(0 - a[0], c.from) : a[0],
                         signed_value(a[0], c.from) < 0);
      return Meaning::Defined;
    case Op::OpConvertUToF:
      out = from_integer(c, a[0], false);
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

bool takes_floats(Op op) {
  return op != Op::OpConvertSToF && op != Op::OpConvertUToF;
}

bool gives_floats(Op op) {
  switch (op) {
    case Op::OpFAdd:
    case Op::OpFSub:
    case Op::OpFMul:
    case Op::OpFDiv:
    case Op::OpFNegate:
    case Op::OpFRem:
    case Op::OpFMod:
    case Op::OpFConvert:
    case Op::OpQuantizeToF16:
    case Op::OpConvertSToF:
    case Op::OpConvertUToF:
      return true;
    default:
      return false;
  }
}

}  // namespace

Meaning compute_float(const Computation& c, Arguments a, std::uint64_t& out) {
  if ((c.float_mode & (kFlushesResults | kFlushesOperands)) == 0) return compute_plain(c, a, out);
  std::array<std::uint64_t, 4> given{};
  std::copy(a.begin(), a.end(), given.begin());
  if ((c.float_mode & kFlushesOperands) != 0 && takes_floats(c.op))
    for (std::uint64_t& each : given) each = flushed(each, c.from);
  const Meaning meaning = compute_plain(c, std::span(given).first(a.size()), out);
  if ((c.float_mode & kFlushesResults) != 0 && gives_floats(c.op)) out = flushed(out, c.bits);
  return meaning;
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
