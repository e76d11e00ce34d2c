#include "emulator/spirv/translator.h"

/// \file
/// Instructions of subgroups as commands, and where lanes part.

namespace heddle::spirv {
namespace {

// These are newer than Debian's headers.
constexpr std::uint32_t kSubgroupUniformControlFlow = 4421;
constexpr std::uint32_t kMaximallyReconverges = 6023;

/// What stands in an instruction.
struct Shape {
  bool has_scope = true;
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
    case Op::OpGroupNonUniformRotateKHR:
    case Op::OpGroupNonUniformQuadBroadcast:
    case Op::OpGroupNonUniformQuadSwap:
      out.has_extra = true;
      return true;
    case Op::OpSubgroupReadInvocationKHR:
      out.has_scope = false;
      out.has_extra = true;
      return true;
    case Op::OpSubgroupBallotKHR:
    case Op::OpSubgroupFirstInvocationKHR:
    case Op::OpSubgroupAllKHR:
    case Op::OpSubgroupAnyKHR:
    case Op::OpSubgroupAllEqualKHR:
    case Op::OpGroupNonUniformPartitionNV:
      out.has_scope = false;
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

/// The core's instruction that does what one of an extension does.
Op core_op(Op op) {
  switch (op) {
    case Op::OpSubgroupReadInvocationKHR:
      return Op::OpGroupNonUniformBroadcast;
    case Op::OpSubgroupBallotKHR:
      return Op::OpGroupNonUniformBallot;
    case Op::OpSubgroupFirstInvocationKHR:
      return Op::OpGroupNonUniformBroadcastFirst;
    case Op::OpSubgroupAllKHR:
      return Op::OpGroupNonUniformAll;
    case Op::OpSubgroupAnyKHR:
      return Op::OpGroupNonUniformAny;
    case Op::OpSubgroupAllEqualKHR:
      return Op::OpGroupNonUniformAllEqual;
    default:
      return op;
  }
}

}  // namespace

bool Translator::translate_group(const Instruction& instruction) {
  Shape shape;
  if (!shape_of(instruction.op, shape)) return false;
  ExchangeInfo info;
  info.op = core_op(instruction.op);
  info.loops = loops_here();
  std::size_t next = shape.has_scope ? 1 : 0;
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
  const bool may_be_clustered = shape.has_operation || instruction.op == Op::OpGroupNonUniformRotateKHR;
  if (may_be_clustered && next < instruction.operand_count)
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

namespace {

/// Whether all who are in the block `from` come to the block `to`, if they go on for long enough.
bool all_come(const Function& function, std::size_t from, std::size_t to) {
  std::vector<bool> seen(function.blocks.size(), false);
  std::vector<std::size_t> work{from};
  while (!work.empty()) {
    const std::size_t at = work.back();
    work.pop_back();
    if (at == to || seen[at]) continue;
    seen[at] = true;
    if (function.blocks[at].successors.empty()) return false;
    for (const std::size_t next : function.blocks[at].successors) work.push_back(next);
  }
  return true;
}

}  // namespace

void Translator::choose_reconvergence(Id entry_function) {
  for (const Instruction& mode : module_.instructions) {
    if (mode.op != Op::OpExecutionMode || module_.operand(mode, 0) != entry_function) continue;
    const std::uint32_t which = module_.operand(mode, 1);
    if (which == kSubgroupUniformControlFlow) code_.reconvergence = Reconvergence::Subgroup;
    if (which == kMaximallyReconverges) code_.reconvergence = Reconvergence::Maximal;
    if (which == kMaximallyReconverges) return;
  }
}

std::uint32_t Translator::new_part(PartKind kind, bool all_come, std::vector<std::uint32_t> loops) {
  code_.parts.push_back({kind, all_come, std::move(loops)});
  return static_cast<std::uint32_t>(code_.parts.size() - 1);
}

void Translator::begin_parts(std::size_t header) {
  const Instruction& merge = *frames_.back()->function->blocks[header].merge;
  begin_part(PartKind::Construct, header, module_.operand(merge, 0));
  if (merge.op == Op::OpLoopMerge) begin_part(PartKind::Iteration, header, module_.operand(merge, 1));
}

void Translator::begin_part(PartKind kind, std::size_t header, Id end) {
  const Function& function = *frames_.back()->function;
  std::size_t to = 0;
  while (to < function.blocks.size() && function.blocks[to].label->result != end) ++to;
  if (to == function.blocks.size() || to == header) return;
  std::vector<std::uint32_t> loops = loops_here();
  if (kind == PartKind::Construct && function.blocks[header].header_of) loops.pop_back();
  const std::uint32_t part = new_part(kind, all_come(function, header, to), std::move(loops));
  std::vector<std::uint32_t>& ending = frames_.back()->parts_ending[to];
  // What begins later is inside.
  ending.insert(ending.begin(), part);
  emit(Act::Part).detail = part;
}

}  // namespace heddle::spirv
