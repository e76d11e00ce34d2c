#pragma once

/// \file
/// Instructions that compute values, as computations of scalars.

#include <functional>
#include <optional>
#include <vector>

#include "emulator/spirv/arithmetic.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {

/// A scalar, as a Sink numbers them.
using Ref = std::uint32_t;

/// What takes computations, and numbers their results.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Ref constant(std::uint64_t bits) = 0;
  virtual Ref compute(const Computation& computation, const std::vector<Ref>& arguments) = 0;
};

/// A value: its scalars in order, and its type.
struct Operand {
  std::vector<Ref> parts;
  Id type = 0;
};

/// One instruction that computes a value of others.
struct Expression {
  const Instruction& at;
  Op op;
  Id type;  ///< of the result
  std::span<const std::uint32_t> words;
  std::function<Operand(Id)> operand;
};

/// Whether an opcode computes each component for itself, and of how many operands.
struct Componentwise {
  bool is_so = false;
  std::size_t operands = 0;
};
Componentwise componentwise(Op op);

/// The scalars of the result; nothing if the instruction computes nothing of this kind. Throws Error for one that
/// cannot be computed.
std::optional<std::vector<Ref>> expand(Sink& sink, Types& types, const Expression& expression);

}  // namespace heddle::spirv
