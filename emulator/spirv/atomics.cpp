#include "emulator/spirv/atomics.h"

#include <spirv/unified1/GLSL.std.450.h>

namespace heddle::spirv {
namespace {

/// The computation that an atomic makes of the old value and its operand.
Computation computation_of(const Atomic& atomic) {
  const std::uint8_t bits = atomic.type.bits;
  const auto op = [bits](Op which) { return Computation{which, 0, bits, bits, bits}; };
  const auto of_set = [bits](std::uint32_t which) { return Computation{Op::OpExtInst, which, bits, bits, bits}; };
  switch (atomic.op) {
    case Op::OpAtomicIIncrement:
    case Op::OpAtomicIAdd:
      return op(Op::OpIAdd);
    case Op::OpAtomicIDecrement:
    case Op::OpAtomicISub:
      return op(Op::OpISub);
    case Op::OpAtomicAnd:
      return op(Op::OpBitwiseAnd);
    case Op::OpAtomicOr:
      return op(Op::OpBitwiseOr);
    case Op::OpAtomicXor:
      return op(Op::OpBitwiseXor);
    case Op::OpAtomicSMin:
      return of_set(GLSLstd450SMin);
    case Op::OpAtomicUMin:
      return of_set(GLSLstd450UMin);
    case Op::OpAtomicSMax:
      return of_set(GLSLstd450SMax);
    case Op::OpAtomicUMax:
      return of_set(GLSLstd450UMax);
    case Op::OpAtomicFAddEXT:
      return op(Op::OpFAdd);
    case Op::OpAtomicFMinEXT:
      return of_set(GLSLstd450NMin);
    case Op::OpAtomicFMaxEXT:
      return of_set(GLSLstd450NMax);
    default:
      return op(Op::OpNop);
  }
}

}  // namespace

std::optional<std::uint64_t> modified(const Atomic& atomic, std::uint64_t old, std::uint64_t value,
                                      std::uint64_t comparator, Tokens& tokens) {
  switch (atomic.op) {
    case Op::OpAtomicLoad:
      return std::nullopt;
    case Op::OpAtomicStore:
    case Op::OpAtomicExchange:
      return value;
    case Op::OpAtomicCompareExchange:
    case Op::OpAtomicCompareExchangeWeak:
      return old == comparator ? std::optional(value) : std::nullopt;
    default:
      break;
  }
  const bool by_one = atomic.op == Op::OpAtomicIIncrement || atomic.op == Op::OpAtomicIDecrement;
  const std::uint64_t arguments[] = {old, by_one ? 1 : value};
  const Computation computation = computation_of(atomic);
  if (is_token(arguments[0]) || is_token(arguments[1])) return tokens.computed(computation, arguments);
  std::uint64_t out = 0;
  compute(computation, arguments, out);
  return out;
}

MemorySemantics semantics_of(OperationKind kind, std::uint32_t word, Scope scope) {
  constexpr MemorySemantics kKept = MemorySemantics::UniformMemory | MemorySemantics::WorkgroupMemory |
                                    MemorySemantics::ImageMemory | MemorySemantics::OutputMemory |
                                    MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible |
                                    MemorySemantics::Volatile;
  const auto given = static_cast<MemorySemantics>(word);
  MemorySemantics order = given & kOrderBits;
  if (has(order, MemorySemantics::SequentiallyConsistent)) order = MemorySemantics::AcquireRelease;
  if (kind == OperationKind::Read) order = acquires(order) ? MemorySemantics::Acquire : MemorySemantics::None;
  if (kind == OperationKind::Write) order = releases(order) ? MemorySemantics::Release : MemorySemantics::None;
  // Nobody but the invocation itself is in its scope.
  if (scope == Scope::Invocation) order = MemorySemantics::None;
  if (order == MemorySemantics::None) return given & MemorySemantics::Volatile;
  return order | (given & kKept);
}

}  // namespace heddle::spirv
