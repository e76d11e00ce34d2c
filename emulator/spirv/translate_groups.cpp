#include "emulator/spirv/translator.h"

/// \file
/// Instructions of subgroups as commands, and where lanes part.

namespace heddle::spirv {
namespace {

/// What stands behind the execution scope of an instruction.
struct Shape {
  bool has_operation = false;  ///< a group operation
  std::size_t values = 1;      ///< operands that the lane gives
  bool has_extra = false;      ///< and one that says of which lane
};

bool shape_of(Op op, Shape& out) {
  switch (op) {
    case Op::OpGroupNonUniformElect:
      out.values = 0;
      return true;
    case Op::OpGroupNonUniformAll:
    case Op::OpGroupNonUniformAny:
    case Op::OpGroupNonUniformAllEqual:
    case Op::OpGroupNonUniformBroadcastFirst:
    case Op::OpGroupNonUniformBallot:
      return true;
    case Op::OpGroupNonUniformBroadcast:
    case Op::OpGroupNonUniformShuffle:
    case Op::OpGroupNonUniformShuffleXor:
    case Op::OpGroupNonUniformShuffleUp:
    case Op::OpGroupNonUniformShuffleDown:
      out.has_extra = true;
      return true;
    case Op::OpGroupNonUniformBallotBitExtract:
      out.values = 0;
      out.has_extra = true;
      return true;
    case Op::OpGroupNonUniformInverseBallot:
    case Op::OpGroupNonUniformBallotFindLSB:
    case Op::OpGroupNonUniformBallotFindMSB:
      out.values = 0;
      return true;
    case Op::OpGroupNonUniformBallotBitCount:
      out.values = 0;
      out.has_operation = true;
      return true;
    default: {
      const auto opcode = static_cast<std::uint32_t>(op);
      out.has_operation = true;
      return opcode >= static_cast<std::uint32_t>(Op::OpGroupNonUniformIAdd) &&
             opcode <= static_cast<std::uint32_t>(Op::OpGroupNonUniformLogicalXor);
    }
  }
}

}  // namespace

bool Translator::translate_group(const Instruction& instruction) {
  Shape shape;
  if (!shape_of(instruction.op, shape)) return false;
  ExchangeInfo info;
  info.op = instruction.op;
  info.loops = loops_here();
  std::size_t next = 1;
  if (shape.has_operation) info.group_operation = module_.operand(instruction, next++);
  const bool of_mask = shape.values == 0 && instruction.op != Op::OpGroupNonUniformElect;
  if (shape.values != 0) {
    const Operand value = operand(module_.operand(instruction, next++));
    info.operands = value.parts;
    info.types = types_.scalars(value.type, instruction);
    if (value.parts.size() > 64) fail("a lane gives at most 64 numbers");
  }
  if (of_mask) info.extra = operand(module_.operand(instruction, next++)).parts;
  if (of_mask && info.extra.size() != 4) fail("a mask of lanes is a vector of four numbers");
  if (shape.has_extra) info.extra.push_back(scalar(module_.operand(instruction, next++)));
  if (shape.has_operation && next < instruction.operand_count)
    info.cluster =
        static_cast<std::uint32_t>(types_.integer(module_.operand(instruction, next), instruction).value_or(0));
  Known out;
  out.type = instruction.type;
  out.slots = new_slots(types_.scalars(instruction.type, instruction));
  info.results = out.slots;
  define(instruction.result, std::move(out));
  emit(Act::Exchange).detail = static_cast<std::uint32_t>(code_.exchanges.size());
  code_.exchanges.push_back(std::move(info));
  return true;
}

void Translator::part(Slot decides, const ScalarType& type) {
  if (!has_groups_) return;
  ExchangeInfo info;
  info.operands = {decides};
  info.types = {type};
  info.loops = loops_here();
  emit(Act::Exchange).detail = static_cast<std::uint32_t>(code_.exchanges.size());
  code_.exchanges.push_back(std::move(info));
}

}  // namespace heddle::spirv
