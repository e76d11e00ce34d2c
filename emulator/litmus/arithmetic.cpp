#include "emulator/litmus/arithmetic.h"

namespace heddle::litmus {
namespace {

// Unsigned arithmetic wraps by definition; the way back is modular since C++20.
Integer wrap(std::uint64_t value) {
  return static_cast<Integer>(value);
}

}  // namespace

std::optional<Integer> apply(Arithmetic op, Integer left, Integer right) {
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  switch (op) {
    case Arithmetic::Add:
      return wrap(a + b);
    case Arithmetic::Subtract:
      return wrap(a - b);
    case Arithmetic::Multiply:
      return wrap(a * b);
    case Arithmetic::Divide:
      if (right == 0) return std::nullopt;
      // The one quotient that does not fit: minimum / -1 wraps to the minimum.
      if (right == -1) return wrap(0 - a);
      return left / right;
    case Arithmetic::And:
      return wrap(a & b);
    case Arithmetic::Or:
      return wrap(a | b);
    case Arithmetic::Xor:
      return wrap(a ^ b);
  }
  return std::nullopt;
}

bool compare(Comparison comparison, Integer left, Integer right) {
  switch (comparison) {
    case Comparison::Equal:
      return left == right;
    case Comparison::NotEqual:
      return left != right;
    case Comparison::Less:
      return left < right;
    case Comparison::LessEqual:
      return left <= right;
    case Comparison::Greater:
      return left > right;
    case Comparison::GreaterEqual:
      return left >= right;
  }
  return false;
}

const char* symbol(Comparison comparison) {
  switch (comparison) {
    case Comparison::Equal:
      return "==";
    case Comparison::NotEqual:
      return "!=";
    case Comparison::Less:
      return "<";
    case Comparison::LessEqual:
      return "<=";
    case Comparison::Greater:
      return ">";
    case Comparison::GreaterEqual:
      return ">=";
  }
  return "?";
}

}  // namespace heddle::litmus
