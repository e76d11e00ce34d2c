#include "emulator/mu/value.h"

#include <algorithm>
#include <limits>

namespace heddle::mu {
namespace {

std::int64_t wrapped(std::uint64_t n) {
  return static_cast<std::int64_t>(n);
}

std::int64_t divide(Binary op, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  // The only quotient that does not fit wraps.
  if (b == -1) return op == Binary::Divide ? wrapped(0 - static_cast<std::uint64_t>(a)) : 0;
  return op == Binary::Divide ? a / b : a % b;
}

std::int64_t apply_numbers(Binary op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  switch (op) {
    case Binary::Add:
      return wrapped(x + y);
    case Binary::Subtract:
      return wrapped(x - y);
    case Binary::Multiply:
      return wrapped(x * y);
    case Binary::Divide:
    case Binary::Remainder:
      return divide(op, a, b);
    case Binary::And:
      return a & b;
    case Binary::Or:
      return a | b;
    case Binary::Xor:
      return a ^ b;
    case Binary::ShiftLeft:
      return wrapped(x << (y & 63));
    case Binary::ShiftRight:
      return a >> (y & 63);
    case Binary::Equal:
      return a == b;
    case Binary::NotEqual:
      return a != b;
    case Binary::Less:
      return a < b;
    case Binary::LessEqual:
      return a <= b;
    case Binary::Greater:
      return a > b;
    case Binary::GreaterEqual:
      return a >= b;
    case Binary::Nand:
      return ~(a & b);
    case Binary::Maximum:
      return std::max(a, b);
    case Binary::Minimum:
      return std::min(a, b);
  }
  return 0;
}

}  // namespace

std::optional<Value> apply(Unary op, Value value) {
  if (op == Unary::Not) return Value::number(!value.truth());
  if (value.is_address()) return std::nullopt;
  const std::int64_t n = value.number();
  return Value::number(op == Unary::Negate ? wrapped(0 - static_cast<std::uint64_t>(n)) : ~n);
}

std::optional<Value> apply(Binary op, Value left, Value right) {
  if (op == Binary::Equal) return Value::number(left == right);
  if (op == Binary::NotEqual) return Value::number(left != right);
  if (!left.is_address() && !right.is_address()) return Value::number(apply_numbers(op, left.number(), right.number()));
  const auto cell = [&](Binary step) { return apply_numbers(step, left.number(), right.number()); };
  if (op == Binary::Add && left.is_address() != right.is_address())
    return Value::address(std::max(left.array(), right.array()), cell(op));
  if (op == Binary::Subtract && left.is_address() && !right.is_address()) return Value::address(left.array(), cell(op));
  if (op == Binary::Subtract && left.array() == right.array()) return Value::number(cell(op));
  return std::nullopt;
}

}  // namespace heddle::mu
