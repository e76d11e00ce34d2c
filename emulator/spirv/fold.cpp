#include "emulator/spirv/fold.h"

#include "emulator/spirv/expand.h"

namespace heddle::spirv {
namespace {

/// Computes at once.
class FoldingSink : public Sink {
 public:
  explicit FoldingSink(const Instruction& at) : at_(at) {}

  Ref constant(std::uint64_t bits) override {
    values_.push_back(bits);
    return static_cast<Ref>(values_.size() - 1);
  }

  Ref compute(const Computation& computation, const std::vector<Ref>& arguments) override {
    std::vector<std::uint64_t> numbers;
    for (const Ref each : arguments) numbers.push_back(values_[each]);
    std::uint64_t result = 0;
    switch (spirv::compute(computation, numbers, result)) {
      case Meaning::Unknown:
        throw Error(at_.position, "heddle does not compute Op" + std::string(name_of(computation.op)).substr(2));
      case Meaning::Undefined:
        throw Error(at_.position, "the value of this constant is undefined: it divides by zero, or overflows");
      case Meaning::Open:
      case Meaning::Defined:
        break;
    }
    return constant(result);
  }

  std::vector<std::uint64_t> bits(const std::vector<Ref>& refs) const {
    std::vector<std::uint64_t> out;
    for (const Ref each : refs) out.push_back(values_[each]);
    return out;
  }

 private:
  const Instruction& at_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

std::vector<std::uint64_t> fold_constant(Types& types, const Instruction& constant) {
  const Module& module = types.definitions().module();
  FoldingSink sink(constant);
  const auto operand = [&](Id id) {
    const std::vector<std::uint64_t>* bits = types.constant(id, constant);
    if (bits == nullptr) throw Error(constant.position, types.definitions().spelled(id) + " is no constant");
    Operand out;
    out.type = types.definitions().get(id, constant).type;
    for (const std::uint64_t each : *bits) out.parts.push_back(sink.constant(each));
    return out;
  };
  const auto op = static_cast<Op>(module.operand(constant, 0));
  const Expression expression{constant, op, constant.type, module.operands(constant).subspan(1), operand};
  const auto refs = expand(sink, types, expression);
  if (!refs) throw Error(constant.position, "heddle does not compute constants by " + std::string(name_of(op)));
  return sink.bits(*refs);
}

}  // namespace heddle::spirv
