#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "emulator/spirv/translator.h"

/// \file
/// Pointers, memory accesses and barriers as commands.

namespace heddle::spirv {
namespace {

MemoryOperands memory_operands(std::uint32_t mask) {
  // Aligned and Nontemporal order nothing.
  return static_cast<MemoryOperands>(mask) & ~(MemoryOperands::Aligned | MemoryOperands::Nontemporal);
}

}  // namespace

void Translator::access_chain(const Instruction& instruction, bool has_element) {
  Known at = known(module_.operand(instruction, 0));
  if (at.layout == nullptr) fail(definitions_.spelled(module_.operand(instruction, 0)) + " is no pointer");
  std::size_t next = 1;
  if (has_element) {
    const auto stride = definitions_.literal(at.type, spv::Decoration::ArrayStride);
    step_by(at, {at.in_slots ? at.layout->size : stride.value_or(static_cast<std::uint32_t>(at.layout->size))},
            module_.operand(instruction, next++));
  }
  for (; next < instruction.operand_count; ++next) step_into(at, module_.operand(instruction, next));
  at.type = instruction.type;
  define(instruction.result, std::move(at));
}

void Translator::step_into(Known& at, Id index) {
  const Layout& layout = *at.layout;
  if (layout.kind == Layout::Kind::Scalar) fail("this chain goes on behind a scalar");
  if (layout.kind == Layout::Kind::Array) {
    step_by(at, {layout.stride, layout.runtime ? 0 : layout.count, layout.runtime}, index);
    at.layout = layout.parts[0];
    return;
  }
  const auto member = types_.integer(index, *at_);
  if (!member || *member >= layout.parts.size()) fail("a structure is indexed by a constant, which names a member");
  at.coherent = at.coherent || definitions_.decoration(layout.type, static_cast<std::uint32_t>(*member),
                                                       spv::Decoration::Coherent) != nullptr;
  at.is_volatile = at.is_volatile || definitions_.decoration(layout.type, static_cast<std::uint32_t>(*member),
                                                             spv::Decoration::Volatile) != nullptr;
  const std::uint64_t offset = layout.offsets[*member];
  at.layout = layout.parts[*member];
  if (at.local) {
    *at.local += static_cast<Slot>(offset);
  } else {
    at.offset += offset;
  }
}

void Translator::leave_slots_behind(Known& at) {
  if (!at.local) return;
  at.slots = {constant(local_pointer(*at.local))};
  at.local.reset();
  at.offset = 0;
}

// An array may have no bound of its own: then the access is held against what it points into.
void Translator::step_by(Known& at, const Steps& steps, Id index) {
  const auto constant_index = types_.integer(index, *at_);
  const Operand of = operand(index);
  if (of.parts.size() != 1) fail("an index is one integer");
  const std::uint8_t bits = types_.first_scalar(of.type, *at_).bits;
  if (constant_index && *constant_index != kUndefinedConstant) {
    const std::int64_t value = signed_value(*constant_index, bits);
    const bool is_behind = steps.count != 0 && static_cast<std::uint64_t>(value) >= steps.count;
    if (is_behind || (steps.runtime && value < 0)) {
      at.bad_index = {*constant_index, bits, steps.count};
    } else if (at.local) {
      *at.local += static_cast<Slot>(static_cast<std::uint64_t>(value) * steps.stride);
    } else {
      at.offset += static_cast<std::uint64_t>(value) * steps.stride;
    }
    return;
  }
  leave_slots_behind(at);
  const Slot to = new_slot({ScalarType::Kind::Pointer, 64, false});
  Command& out = emit(Act::Index);
  out.to = to;
  out.a = at.slots[0];
  out.b = of.parts[0];
  out.offset = at.offset;
  out.stride = steps.stride;
  out.count = steps.count;
  out.runtime = steps.runtime;
  out.computation.bits = bits;
  at.slots = {to};
  at.offset = 0;
}

void Known::BadIndex::put_into(Command& fault) const {
  fault.detail = static_cast<std::uint32_t>(FaultKind::OutOfBounds);
  fault.offset = index;
  fault.computation.bits = bits;
  fault.count = count;
}

/// The access that memory operands say; their words begin at `operands_at`, behind the mask.
AccessInfo Translator::access_info(const Known& pointer, std::uint32_t mask, std::size_t operands_at,
                                   const Instruction& at) {
  AccessInfo out;
  out.operands = memory_operands(mask);
  out.coherent = pointer.coherent;
  out.physical = pointer.physical;
  if (pointer.is_volatile && code_.glsl450) out.operands |= MemoryOperands::Volatile;
  std::size_t next = operands_at;
  if ((mask & 0x2U) != 0) ++next;
  if ((mask & 0x8U) != 0) out.scope = scalar(module_.operand(at, next++));
  if ((mask & 0x10U) != 0) out.scope = scalar(module_.operand(at, next++));
  return out;
}

std::vector<Slot> Translator::load(const Known& pointer, const AccessInfo& info) {
  std::vector<Slot> out;
  if (pointer.bad_index) pointer.bad_index->put_into(emit(Act::Fault));
  if (pointer.layout->runtime) fail("a run-time array is no value");
  for_each_scalar(*pointer.layout, 0, [&](std::uint64_t offset, const ScalarType& type) {
    const Slot to = new_slot(type);
    out.push_back(to);
    if (pointer.local) return move(to, *pointer.local + static_cast<Slot>(offset));
    AccessInfo each = info;
    each.type = type;
    Command& command = emit(Act::Load);
    command.to = to;
    command.a = pointer.slots.at(0);
    command.offset = pointer.offset + offset;
    command.detail = static_cast<std::uint32_t>(code_.accesses.size());
    code_.accesses.push_back(each);
  });
  return out;
}

void Translator::store(const Known& pointer, const std::vector<Slot>& values, const AccessInfo& info) {
  if (pointer.bad_index) pointer.bad_index->put_into(emit(Act::Fault));
  std::size_t next = 0;
  for_each_scalar(*pointer.layout, 0, [&](std::uint64_t offset, const ScalarType& type) {
    if (next >= values.size()) fail("what is stored is not of the pointer's type");
    const Slot value = values[next++];
    if (pointer.local) return move(*pointer.local + static_cast<Slot>(offset), value);
    AccessInfo each = info;
    each.type = type;
    Command& command = emit(Act::Store);
    command.a = pointer.slots.at(0);
    command.b = value;
    command.offset = pointer.offset + offset;
    command.detail = static_cast<std::uint32_t>(code_.accesses.size());
    code_.accesses.push_back(each);
  });
  if (next != values.size()) fail("what is stored is not of the pointer's type");
}

bool Translator::translate_memory(const Instruction& instruction) {
  const auto pointer = [&](std::size_t i) {
    const Known out = known(module_.operand(instruction, i));
    if (out.layout == nullptr) fail(definitions_.spelled(module_.operand(instruction, i)) + " is no pointer");
    return out;
  };
  const auto mask = [&](std::size_t i) { return i < instruction.operand_count ? module_.operand(instruction, i) : 0; };
  switch (instruction.op) {
    case Op::OpAccessChain:
    case Op::OpInBoundsAccessChain:
      access_chain(instruction, false);
      return true;
    case Op::OpPtrAccessChain:
    case Op::OpInBoundsPtrAccessChain:
      access_chain(instruction, true);
      return true;
    case Op::OpLoad: {
      const Known from = pointer(0);
      Known out;
      out.type = instruction.type;
      out.slots = load(from, access_info(from, mask(1), 2, instruction));
      if (out.slots.size() != types_.scalars(out.type, instruction).size())
        fail("what is loaded is not of the pointer's type");
      if (types_.type(out.type, instruction).op == Op::OpTypePointer) out = pointer_from(out.slots, out.type);
      define(instruction.result, std::move(out));
      return true;
    }
    case Op::OpStore: {
      const Known to = pointer(0);
      store(to, operand(module_.operand(instruction, 1)).parts, access_info(to, mask(2), 3, instruction));
      return true;
    }
    case Op::OpCopyMemory:
      copy_memory(instruction);
      return true;
    case Op::OpArrayLength:
      array_length(instruction);
      return true;
    default:
      return false;
  }
}

// One mask is for both; of two the first is the target's.
void Translator::copy_memory(const Instruction& instruction) {
  const Known to = known(module_.operand(instruction, 0));
  const Known from = known(module_.operand(instruction, 1));
  if (to.layout == nullptr || from.layout == nullptr) fail("OpCopyMemory copies from pointer to pointer");
  const auto mask_at = [&](std::size_t i) {
    return i < instruction.operand_count ? module_.operand(instruction, i) : 0;
  };
  const std::uint32_t first = mask_at(2);
  std::size_t second_at = 3;
  for (const std::uint32_t bit : {0x2U, 0x8U, 0x10U})
    if ((first & bit) != 0) ++second_at;
  const bool has_second = second_at < instruction.operand_count;
  const AccessInfo writes = access_info(to, first & ~(has_second ? 0U : 0x10U), 3, instruction);
  AccessInfo reads = has_second ? access_info(from, mask_at(second_at), second_at + 1, instruction)
                                : access_info(from, first, 3, instruction);
  reads.operands = reads.operands & ~MemoryOperands::MakePointerAvailable;
  store(to, load(from, reads), writes);
}

void Translator::array_length(const Instruction& instruction) {
  Known at = known(module_.operand(instruction, 0));
  if (at.layout == nullptr || at.layout->kind != Layout::Kind::Struct) fail("OpArrayLength takes a structure");
  const std::uint32_t member = module_.operand(instruction, 1);
  if (member >= at.layout->parts.size() || !at.layout->parts[member]->runtime)
    fail("OpArrayLength takes a run-time array");
  const Slot to = new_slot({ScalarType::Kind::Int, 32, false});
  Command& out = emit(Act::Length);
  out.to = to;
  out.a = at.slots.at(0);
  out.offset = at.offset + at.layout->offsets[member];
  out.stride = at.layout->parts[member]->stride;
  Known length;
  length.type = instruction.type;
  length.slots = {to};
  define(instruction.result, std::move(length));
}

void Translator::atomic(const Instruction& instruction) {
  const bool stores = instruction.op == Op::OpAtomicStore;
  const bool compares =
      instruction.op == Op::OpAtomicCompareExchange || instruction.op == Op::OpAtomicCompareExchangeWeak;
  const bool has_value = instruction.op != Op::OpAtomicLoad && instruction.op != Op::OpAtomicIIncrement &&
                         instruction.op != Op::OpAtomicIDecrement;
  const Known at = known(module_.operand(instruction, 0));
  if (at.layout == nullptr || at.layout->kind != Layout::Kind::Scalar) fail("an atomic takes a pointer to a scalar");
  if (at.bad_index) at.bad_index->put_into(emit(Act::Fault));
  AccessInfo info;
  info.type = at.layout->scalar;
  info.atomic = instruction.op;
  info.coherent = at.coherent;
  info.physical = at.physical;
  info.scope = scalar(module_.operand(instruction, 1));
  info.semantics = scalar(module_.operand(instruction, 2));
  if (compares) {
    info.unequal = scalar(module_.operand(instruction, 3));
    info.comparator = scalar(module_.operand(instruction, 5));
  }
  const bool loads = instruction.op == Op::OpAtomicLoad;
  const Id scope = module_.operand(instruction, 1);
  check_semantics(loads    ? SemanticsUse::Load
                  : stores ? SemanticsUse::Store
                           : SemanticsUse::ReadModifyWrite,
                  module_.operand(instruction, 2), scope);
  if (compares) check_semantics(SemanticsUse::Unequal, module_.operand(instruction, 3), scope);
  const Slot value = has_value ? scalar(module_.operand(instruction, compares ? 4 : 3)) : kNoSlot;
  const Slot address = at.local ? constant(local_pointer(*at.local)) : at.slots.at(0);
  const Slot to = stores ? kNoSlot : new_slot(info.type);
  Command& out = emit(Act::Atomic);
  out.to = to;
  out.a = address;
  out.b = value;
  out.offset = at.local ? 0 : at.offset;
  out.detail = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.push_back(info);
  if (stores) return;
  Known result;
  result.type = instruction.type;
  result.slots = {to};
  define(instruction.result, std::move(result));
}

void Translator::check_semantics(SemanticsUse use, Id semantics, Id scope) {
  const auto word = types_.integer(semantics, *at_);
  if (!word || *word > 0xffffffffU) return;
  const bool alone = types_.integer(scope, *at_) == static_cast<std::uint32_t>(Scope::Invocation);
  const auto broken = broken_rule(use, static_cast<std::uint32_t>(*word), alone);
  if (!broken) return;
  const std::string text = std::string(name_of(at_->op)) + ": " + std::string(broken->text);
  if (broken->is_error) fail(text);
  const std::uint32_t line = at_->position.line != 0 ? at_->position.line : line_;
  const std::string warning = line != 0 ? "line " + std::to_string(line) + ": " + text : text;
  if (std::find(code_.warnings.begin(), code_.warnings.end(), warning) == code_.warnings.end())
    code_.warnings.push_back(warning);
}

std::vector<std::uint32_t> Translator::loops_here() const {
  std::vector<std::uint32_t> out;
  const Frame& frame = *frames_.back();
  const std::optional<std::size_t> loop = frame.function->blocks[block_].loop;
  std::optional<std::uint32_t> at = loop ? std::optional(frame.loops[*loop]) : frame.outer_loop;
  for (; at; at = code_.loops[*at].parent) out.insert(out.begin(), *at);
  return out;
}

void Translator::barrier(const Instruction& instruction) {
  FenceInfo info;
  const bool waits = instruction.op == Op::OpControlBarrier;
  if (waits) info.execution = scalar(module_.operand(instruction, 0));
  info.scope = scalar(module_.operand(instruction, waits ? 1 : 0));
  info.semantics = scalar(module_.operand(instruction, waits ? 2 : 1));
  check_semantics(SemanticsUse::Barrier, module_.operand(instruction, waits ? 2 : 1),
                  module_.operand(instruction, waits ? 1 : 0));
  info.loops = loops_here();
  emit(waits ? Act::Barrier : Act::Fence).detail = static_cast<std::uint32_t>(code_.fences.size());
  code_.fences.push_back(info);
}

bool Translator::translate_synchronization(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::OpControlBarrier:
    case Op::OpMemoryBarrier:
      barrier(instruction);
      return true;
    case Op::OpAtomicLoad:
    case Op::OpAtomicStore:
    case Op::OpAtomicExchange:
    case Op::OpAtomicCompareExchange:
    case Op::OpAtomicCompareExchangeWeak:
    case Op::OpAtomicIIncrement:
    case Op::OpAtomicIDecrement:
    case Op::OpAtomicIAdd:
    case Op::OpAtomicISub:
    case Op::OpAtomicSMin:
    case Op::OpAtomicUMin:
    case Op::OpAtomicSMax:
    case Op::OpAtomicUMax:
    case Op::OpAtomicAnd:
    case Op::OpAtomicOr:
    case Op::OpAtomicXor:
    case Op::OpAtomicFAddEXT:
    case Op::OpAtomicFMinEXT:
    case Op::OpAtomicFMaxEXT:
      atomic(instruction);
      return true;
    default:
      return false;
  }
}

// Modf and Frexp store a part of their result.
void Translator::store_part(const Instruction& instruction) {
  const std::uint32_t number = module_.operand(instruction, 1);
  const bool modf = number == GLSLstd450Modf;
  if (definitions_.set_name(module_.operand(instruction, 0)) != "GLSL.std.450" || (!modf && number != GLSLstd450Frexp))
    return translate_value(instruction);
  const Operand value = operand(module_.operand(instruction, 2));
  const Known to = known(module_.operand(instruction, 3));
  if (to.layout == nullptr) fail("the second operand is a pointer");
  const std::uint8_t bits = types_.first_scalar(value.type, instruction).bits;
  const std::uint8_t part_bits = modf ? bits : std::uint8_t{32};
  std::vector<Slot> parts;
  Known out;
  out.type = instruction.type;
  for (const Ref each : value.parts) {
    out.slots.push_back(compute({Op::OpExtInst, modf ? kModfFraction : kFrexpSignificand, bits, bits, bits}, {each}));
    parts.push_back(compute({Op::OpExtInst, modf ? kModfWhole : kFrexpExponent, part_bits, bits, bits}, {each}));
  }
  store(to, parts, access_info(to, 0, 0, instruction));
  define(instruction.result, std::move(out));
}

}  // namespace heddle::spirv
