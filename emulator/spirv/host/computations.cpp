#include <bit>

#include "emulator/spirv/host/step.h"
#include "emulator/spirv/tokens.h"

/// \file
/// Computations as steps: those that shaders are full of, on at most 32 bits, have functions of their own, which mean
/// what compute() does; the others ask it.

namespace heddle::spirv {
namespace {

/// Whether an operand is wider than 32 bits, or a token: `bits` are those of all operands, or-ed.
constexpr bool is_wide(std::uint64_t bits) {
  return (bits >> 32) != 0;
}

bool compute_any(const Step& step, State& state) {
  const Command& command = *step.detail->command;
  std::array<std::uint64_t, 4> arguments{};
  std::size_t count = 0;
  bool tokens = false;
  for (const Slot slot : {command.a, command.b, command.c, command.d}) {
    if (slot == kNoSlot) break;
    arguments[count] = state.slots[slot];
    tokens = tokens || is_token(arguments[count++]);
  }
  const std::span<const std::uint64_t> given(arguments.data(), count);
  if (tokens) {
    state.slots[step.to] = Tokens::derived(command.computation, given);
    return true;
  }
  return compute(command.computation, given, state.slots[step.to]) != Meaning::Undefined;
}

[[gnu::noinline]] void compute_slowly(const Step* step, State& state) {
  if (!compute_any(*step, state))
    raise(state, *step, FindingKind::DivisionByZero,
          std::string(name_of(step->detail->command->computation.op)) +
              " has no defined result: it divides by zero, or overflows.");
}

const Step* step_compute(const Step* step, State& state) {
  compute_slowly(step, state);
  return step + 1;
}

const Step* step_select(const Step* step, State& state) {
  const std::uint64_t condition = state.slots[step->a];
  if (is_wide(condition)) [[unlikely]]
    return step_compute(step, state);
  state.slots[step->to] = state.slots[condition != 0 ? step->b : step->c];
  return step + 1;
}

float number_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
std::int32_t signed_of(std::uint32_t bits) {
  return static_cast<std::int32_t>(bits);
}

/// What `Op` makes of two words; a step keeps the bits of it that the result has.
template <std::uint32_t (*Op)(std::uint32_t, std::uint32_t)>
const Step* step_of_two(const Step* step, State& state) {
  const std::uint64_t a = state.slots[step->a];
  const std::uint64_t b = state.slots[step->b];
  if (is_wide(a | b)) [[unlikely]]
    return step_compute(step, state);
  state.slots[step->to] = Op(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)) & step->number;
  return step + 1;
}

/// A comparison of two words, which goes where its result says.
template <std::uint32_t (*Op)(std::uint32_t, std::uint32_t)>
const Step* step_of_two_and_branch(const Step* step, State& state) {
  const std::uint64_t a = state.slots[step->a];
  const std::uint64_t b = state.slots[step->b];
  if (is_wide(a | b)) [[unlikely]] {
    compute_slowly(step, state);
    // The next step is the branch.
    return step + 1;
  }
  const std::uint32_t result = Op(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  state.slots[step->to] = result;
  return result != 0 ? step->target : step->otherwise;
}

#define HEDDLE_WORDS(name, expression)                   \
  std::uint32_t name(std::uint32_t a, std::uint32_t b) { \
    return static_cast<std::uint32_t>(expression);       \
  }
HEDDLE_WORDS(add, a + b)
HEDDLE_WORDS(subtract, a - b)
HEDDLE_WORDS(multiply, a* b)
HEDDLE_WORDS(bit_and, a& b)
HEDDLE_WORDS(bit_or, a | b)
HEDDLE_WORDS(bit_xor, a ^ b)
// (An amount of 32 and more leaves the value open.)
HEDDLE_WORDS(shift_left, b < 32 ? a << b : 0)
HEDDLE_WORDS(shift_right, b < 32 ? a >> b : 0)
HEDDLE_WORDS(equal, a == b)
HEDDLE_WORDS(differ, a != b)
HEDDLE_WORDS(less, a < b)
HEDDLE_WORDS(at_most, a <= b)
HEDDLE_WORDS(greater, a > b)
HEDDLE_WORDS(at_least, a >= b)
HEDDLE_WORDS(signed_less, signed_of(a) < signed_of(b))
HEDDLE_WORDS(signed_at_most, signed_of(a) <= signed_of(b))
HEDDLE_WORDS(signed_greater, signed_of(a) > signed_of(b))
HEDDLE_WORDS(signed_at_least, signed_of(a) >= signed_of(b))
HEDDLE_WORDS(float_add, std::bit_cast<std::uint32_t>(number_of(a) + number_of(b)))
HEDDLE_WORDS(float_subtract, std::bit_cast<std::uint32_t>(number_of(a) - number_of(b)))
HEDDLE_WORDS(float_multiply, std::bit_cast<std::uint32_t>(number_of(a) * number_of(b)))
HEDDLE_WORDS(float_less, number_of(a) < number_of(b))
HEDDLE_WORDS(float_at_most, number_of(a) <= number_of(b))
HEDDLE_WORDS(float_greater, number_of(a) > number_of(b))
HEDDLE_WORDS(float_at_least, number_of(a) >= number_of(b))
#undef HEDDLE_WORDS

/// The two forms of a step.
struct Forms {
  Handler alone = nullptr;
  Handler with_branch = nullptr;
};

template <std::uint32_t (*Op)(std::uint32_t, std::uint32_t)>
Forms number_form() {
  return {&step_of_two<Op>, nullptr};
}
template <std::uint32_t (*Op)(std::uint32_t, std::uint32_t)>
Forms comparison_form() {
  return {&step_of_two<Op>, &step_of_two_and_branch<Op>};
}

Forms forms_of_numbers(const Computation& c) {
  switch (c.op) {
    case Op::OpIAdd:
      return number_form<add>();
    case Op::OpISub:
      return number_form<subtract>();
    case Op::OpIMul:
      return number_form<multiply>();
    case Op::OpBitwiseAnd:
    case Op::OpLogicalAnd:
      return number_form<bit_and>();
    case Op::OpBitwiseOr:
    case Op::OpLogicalOr:
      return number_form<bit_or>();
    case Op::OpBitwiseXor:
      return number_form<bit_xor>();
    default:
      return {};
  }
}

/// The forms of what has operands of 32 bits alone.
Forms forms_of_words(const Computation& c) {
  switch (c.op) {
    case Op::OpShiftLeftLogical:
      return number_form<shift_left>();
    case Op::OpShiftRightLogical:
      return number_form<shift_right>();
    case Op::OpSLessThan:
      return comparison_form<signed_less>();
    case Op::OpSLessThanEqual:
      return comparison_form<signed_at_most>();
    case Op::OpSGreaterThan:
      return comparison_form<signed_greater>();
    case Op::OpSGreaterThanEqual:
      return comparison_form<signed_at_least>();
    case Op::OpFAdd:
      return number_form<float_add>();
    case Op::OpFSub:
      return number_form<float_subtract>();
    case Op::OpFMul:
      return number_form<float_multiply>();
    case Op::OpFOrdLessThan:
      return comparison_form<float_less>();
    case Op::OpFOrdLessThanEqual:
      return comparison_form<float_at_most>();
    case Op::OpFOrdGreaterThan:
      return comparison_form<float_greater>();
    case Op::OpFOrdGreaterThanEqual:
      return comparison_form<float_at_least>();
    default:
      return {};
  }
}

Forms forms_of_comparisons(const Computation& c) {
  switch (c.op) {
    case Op::OpIEqual:
    case Op::OpLogicalEqual:
      return comparison_form<equal>();
    case Op::OpINotEqual:
    case Op::OpLogicalNotEqual:
      return comparison_form<differ>();
    case Op::OpULessThan:
      return comparison_form<less>();
    case Op::OpULessThanEqual:
      return comparison_form<at_most>();
    case Op::OpUGreaterThan:
      return comparison_form<greater>();
    case Op::OpUGreaterThanEqual:
      return comparison_form<at_least>();
    default:
      return {};
  }
}

Forms forms_of(const Computation& c) {
  if (c.bits > 32 || c.from > 32) return {};
  if (const Forms found = forms_of_numbers(c); found.alone != nullptr) return found;
  if (const Forms found = forms_of_comparisons(c); found.alone != nullptr) return found;
  const bool is_comparison = c.bits == 1;
  return c.from == 32 && c.second == 32 && (c.bits == 32 || is_comparison) ? forms_of_words(c) : Forms{};
}

}  // namespace

Handler handler_of(const Command& command) {
  const Computation& c = command.computation;
  if (c.op == Op::OpSelect) return &step_select;
  const Handler found = forms_of(c).alone;
  return found != nullptr ? found : &step_compute;
}

Handler handler_with_branch(const Command& command) {
  return forms_of(command.computation).with_branch;
}

}  // namespace heddle::spirv
