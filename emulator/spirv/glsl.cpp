#include "emulator/spirv/glsl.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/spirv/numbers.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {
namespace {

using Arguments = std::span<const std::uint64_t>;

constexpr double kPi = 3.14159265358979323846;

Meaning integer(const Computation& c, Arguments a, std::uint64_t& out) {
  const auto sign = [&](std::size_t i) { return signed_value(a[i], c.bits); };
  std::int64_t value = 0;
  switch (c.extended) {
    case GLSLstd450SAbs:
      out = cut(sign(0) < 0 ? 0 - a[0] : a[0], c.bits);
      return Meaning::Defined;
    case GLSLstd450SSign:
      value = sign(0) > 0 ? 1 : sign(0) < 0 ? -1 : 0;
      break;
    case GLSLstd450SMin:
      value = std::min(sign(0), sign(1));
      break;
    case GLSLstd450SMax:
      value = std::max(sign(0), sign(1));
      break;
    case GLSLstd450SClamp:
      out = cut(static_cast<std::uint64_t>(std::min(std::max(sign(0), sign(1)), sign(2))), c.bits);
      return sign(1) > sign(2) ? Meaning::Open : Meaning::Defined;
    case GLSLstd450UMin:
      out = std::min(a[0], a[1]);
      return Meaning::Defined;
    case GLSLstd450UMax:
      out = std::max(a[0], a[1]);
      return Meaning::Defined;
    case GLSLstd450UClamp:
      out = std::min(std::max(a[0], a[1]), a[2]);
      return a[1] > a[2] ? Meaning::Open : Meaning::Defined;
    case GLSLstd450FindILsb:
      value = a[0] == 0 ? -1 : std::countr_zero(a[0]);
      break;
    case GLSLstd450FindUMsb:
      value = 63 - std::countl_zero(a[0]);
      break;
    case GLSLstd450FindSMsb: {
      const std::uint64_t changed = sign(0) < 0 ? cut(~a[0], c.from) : a[0];
      value = 63 - std::countl_zero(changed);
      break;
    }
    default:
      return Meaning::Unknown;
  }
  out = cut(static_cast<std::uint64_t>(value), c.bits);
  return Meaning::Defined;
}

/// Which of two numbers: the other one if one of them is none.
double least(double x, double y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : y < x ? y : x;
}
double most(double x, double y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : x < y ? y : x;
}

struct Number {
  double value = 0;
  bool open = false;
};

double smooth_step(double edge0, double edge1, double x) {
  const double t = most(0.0, least(1.0, (x - edge0) / (edge1 - edge0)));
  return t * t * (3 - 2 * t);
}

/// Instructions of one number that are defined everywhere, or where the second part says.
Number of_one(std::uint32_t instruction, double x) {
  switch (instruction) {
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
      return {std::nearbyint(x)};
    case GLSLstd450Trunc:
      return {std::trunc(x)};
    case GLSLstd450FAbs:
      return {std::abs(x)};
    case GLSLstd450FSign:
      return {x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? 0.0 : x};
    case GLSLstd450Floor:
      return {std::floor(x)};
    case GLSLstd450Ceil:
      return {std::ceil(x)};
    case GLSLstd450Fract:
      return {x - std::floor(x)};
    case GLSLstd450Radians:
      return {x * (kPi / 180)};
    case GLSLstd450Degrees:
      return {x * (180 / kPi)};
    case GLSLstd450Sin:
      return {std::sin(x)};
    case GLSLstd450Cos:
      return {std::cos(x)};
    case GLSLstd450Tan:
      return {std::tan(x)};
    case GLSLstd450Asin:
      return {std::asin(x), std::abs(x) > 1};
    case GLSLstd450Acos:
      return {std::acos(x), std::abs(x) > 1};
    case GLSLstd450Atan:
      return {std::atan(x)};
    case GLSLstd450Sinh:
      return {std::sinh(x)};
    case GLSLstd450Cosh:
      return {std::cosh(x)};
    case GLSLstd450Tanh:
      return {std::tanh(x)};
    case GLSLstd450Asinh:
      return {std::asinh(x)};
    case GLSLstd450Acosh:
      return {std::acosh(x), x < 1};
    case GLSLstd450Atanh:
      return {std::atanh(x), std::abs(x) >= 1};
    case GLSLstd450Exp:
      return {std::exp(x)};
    case GLSLstd450Log:
      return {std::log(x), x <= 0};
    case GLSLstd450Exp2:
      return {std::exp2(x)};
    case GLSLstd450Log2:
      return {std::log2(x), x <= 0};
    case GLSLstd450Sqrt:
      return {std::sqrt(x), x < 0};
    case GLSLstd450InverseSqrt:
      return {1 / std::sqrt(x), x <= 0};
    default:
      return {};
  }
}

Number of_several(std::uint32_t instruction, double x, double y, double z) {
  switch (instruction) {
    case GLSLstd450FMin:
    case GLSLstd450NMin:
      return {least(x, y)};
    case GLSLstd450FMax:
    case GLSLstd450NMax:
      return {most(x, y)};
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
      return {least(most(x, y), z), y > z};
    case GLSLstd450Step:
      return {y < x ? 0.0 : 1.0};
    case GLSLstd450SmoothStep:
      return {smooth_step(x, y, z), !(x < y)};
    case GLSLstd450Pow:
      return {std::pow(x, y), x < 0 || (x == 0 && y <= 0)};
    case GLSLstd450Atan2:
      return {std::atan2(x, y), x == 0 && y == 0};
    default:
      return {};
  }
}

/// In single precision where the type has it: a fused operation of doubles would round twice.
std::uint64_t fused(const Computation& c, Arguments a) {
  if (c.bits == 32) {
    const auto number = [&](std::size_t i) { return static_cast<float>(float_value(a[i], 32)); };
    return float_bits(static_cast<double>(std::fma(number(0), number(1), number(2))), 32);
  }
  return float_bits(std::fma(float_value(a[0], c.bits), float_value(a[1], c.bits), float_value(a[2], c.bits)), c.bits);
}

/// x * (1 - a) + y * a, each operation rounded: what overflows on the way stays so.
std::uint64_t mixed(const Computation& c, Arguments a) {
  const auto rounded = [&](double value) { return float_value(float_bits(value, c.bits), c.bits); };
  const double x = float_value(a[0], c.bits);
  const double y = float_value(a[1], c.bits);
  const double by = float_value(a[2], c.bits);
  return float_bits(rounded(x * rounded(1 - by)) + rounded(y * by), c.bits);
}

Meaning scaled(const Computation& c, Arguments a, std::uint64_t& out) {
  const std::int64_t exponent = signed_value(a[1], c.second);
  const std::int64_t largest = c.bits == 64 ? 1024 : c.bits == 32 ? 128 : 16;
  const int bounded = static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000));
  out = float_bits(std::ldexp(float_value(a[0], c.bits), bounded), c.bits);
  return exponent > largest ? Meaning::Open : Meaning::Defined;
}

}  // namespace

std::size_t glsl_operands(std::uint32_t instruction) {
  switch (instruction) {
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
    case GLSLstd450FindILsb:
    case GLSLstd450FindUMsb:
    case GLSLstd450FindSMsb:
      return 1;
    case GLSLstd450SMin:
    case GLSLstd450SMax:
    case GLSLstd450UMin:
    case GLSLstd450UMax:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450Step:
    case GLSLstd450Pow:
    case GLSLstd450Atan2:
    case GLSLstd450Ldexp:
      return 2;
    case GLSLstd450SClamp:
    case GLSLstd450UClamp:
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
    case GLSLstd450FMix:
    case GLSLstd450SmoothStep:
    case GLSLstd450Fma:
      return 3;
    default:
      return (instruction >= GLSLstd450Round && instruction <= GLSLstd450Atan) ||
                     (instruction >= GLSLstd450Sinh && instruction <= GLSLstd450Atanh) ||
                     (instruction >= GLSLstd450Exp && instruction <= GLSLstd450InverseSqrt)
                 ? 1
                 : 0;
  }
}

Meaning compute_glsl(const Computation& c, Arguments a, std::uint64_t& out) {
  const std::size_t operands = glsl_operands(c.extended);
  if (operands == 0) return Meaning::Unknown;
  const Meaning of_integers = integer(c, a, out);
  if (of_integers != Meaning::Unknown) return of_integers;
  if (c.extended == GLSLstd450Ldexp) return scaled(c, a, out);
  if (c.extended == GLSLstd450Fma || c.extended == GLSLstd450FMix) {
    out = c.extended == GLSLstd450Fma ? fused(c, a) : mixed(c, a);
    return Meaning::Defined;
  }
  const double x = float_value(a[0], c.bits);
  if (c.extended == GLSLstd450FAbs) {
    out = cut(a[0], c.bits - 1U);
    return Meaning::Defined;
  }
  const Number number = operands == 1 ? of_one(c.extended, x)
                                      : of_several(c.extended, x, float_value(a[1], c.bits),
                                                   operands > 2 ? float_value(a[2], c.bits) : 0);
  out = float_bits(number.value, c.bits);
  return number.open ? Meaning::Open : Meaning::Defined;
}

}  // namespace heddle::spirv
