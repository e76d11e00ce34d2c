#pragma once

/// \file
/// The integers of both litmus formats: signed, 64 bits, every operation total.

#include <cstdint>
#include <optional>

namespace heddle::litmus {

using Integer = std::int64_t;

enum class Arithmetic : std::uint8_t { Add, Subtract, Multiply, Divide, And, Or, Xor };

enum class Comparison : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// `left op right`, wrapping modulo 2^64 and dividing towards zero; nothing for a division by zero.
std::optional<Integer> apply(Arithmetic op, Integer left, Integer right);

bool compare(Comparison comparison, Integer left, Integer right);

/// As the assertions spell it: "==", "!=", ...
const char* symbol(Comparison comparison);

}  // namespace heddle::litmus
