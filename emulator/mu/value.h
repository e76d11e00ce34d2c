#pragma once

/// \file
/// The values of Mu programs: numbers of 64 bits, and addresses of cells of arrays.

#include <compare>
#include <cstdint>
#include <optional>

namespace heddle::mu {

/// A number, or an address: an array and a position in it, which need not lie inside.
class Value {
 public:
  Value() = default;
  static Value number(std::int64_t n) { return Value(-1, n); }
  static Value address(std::int32_t array, std::int64_t cell) { return Value(array, cell); }

  bool is_address() const { return array_ >= 0; }
  std::int32_t array() const { return array_; }
  /// The value of a number; the position of an address in its array.
  std::int64_t number() const { return number_; }
  /// An address counts as true.
  bool truth() const { return is_address() || number_ != 0; }

  /// Numbers before addresses.
  friend auto operator<=>(const Value&, const Value&) = default;

 private:
  Value(std::int32_t array, std::int64_t number) : array_(array), number_(number) {}
  std::int32_t array_ = -1;
  std::int64_t number_ = 0;
};

enum class Unary : std::uint8_t { Negate, Complement, Not };
enum class Binary : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Nand,
  Maximum,
  Minimum,
};

constexpr bool compares(Binary op) {
  return op >= Binary::Equal && op <= Binary::GreaterEqual;
}

/// Arithmetic that wraps at 64 bits; division by 0 gives 0; shifts use the low six bits. Nothing where a number is
/// needed and an address is there, or the other way round.
std::optional<Value> apply(Unary op, Value value);
std::optional<Value> apply(Binary op, Value left, Value right);

}  // namespace heddle::mu
