#include "emulator/spirv/host/plan.h"

#include <algorithm>

#include "emulator/spirv/atomics.h"
#include "emulator/spirv/dispatch.h"
#include "emulator/spirv/faults.h"
#include "emulator/spirv/source.h"

namespace heddle::spirv {
namespace {

bool is_zero(const Dispatch& dispatch, const Instruction& variable) {
  const Instruction* initializer = dispatch.definitions().find(dispatch.module().operand(variable, 1));
  return initializer != nullptr && initializer->op == Op::OpConstantNull;
}

/// Where a command stands in the source, for reports. (No line is 0: barriers are told apart by their lines.)
SourceLocation location_of(const Dispatch& dispatch, const Command& command, const std::string& file) {
  const std::uint32_t word = command.from != nullptr ? command.from->position.word : 0;
  return {lasting(source_file(dispatch, command, file)), lasting(text_of(dispatch, command)),
          command.line != 0 ? command.line : word + 1, 0};
}

}  // namespace

bool is_of_invocation(spv::BuiltIn which) {
  switch (which) {
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::GlobalInvocationId:
    case spv::BuiltIn::LocalInvocationIndex:
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::SubgroupLocalInvocationId:
    case spv::BuiltIn::SubgroupEqMask:
    case spv::BuiltIn::SubgroupGeMask:
    case spv::BuiltIn::SubgroupGtMask:
    case spv::BuiltIn::SubgroupLeMask:
    case spv::BuiltIn::SubgroupLtMask:
      return true;
    default:
      return false;
  }
}

Plan::Plan(const Dispatch& dispatch, const std::string& file, const MemoryHandlers& handlers)
    : dispatch_(dispatch), handlers_(handlers), place_{lasting(file), lasting("the module"), 1, 0} {
  const Code& code = dispatch.code();
  image_ = dispatch.image(0);
  // Loops count their iterations in slots behind those of the code.
  image_.resize(image_.size() + code.loops.size(), 0);
  for (const BuiltIn& each : code.built_ins)
    if (is_of_invocation(each.which)) built_ins_.push_back(each);
  written_.assign(image_.size(), false);
  for (const Command& command : code.commands)
    if (command.to != kNoSlot) written_[command.to] = true;
  steps_.resize(code.commands.size());
  details_.resize(code.commands.size());
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    details_[at].command = &code.commands[at];
    details_[at].where = location_of(dispatch, code.commands[at], file);
    if (code.commands[at].from != nullptr) details_[at].object = lasting(pointed_to(dispatch, *code.commands[at].from));
    plan_step(at);
  }
  plan_objects();
}

void Plan::refuse(const Command& command, const char* why) {
  if (why_not_.empty()) why_not_ = text_of(dispatch_, command) + ' ' + why;
}

std::uint64_t Plan::constant_in(const Command& command, Slot slot) {
  if (written_[slot] || is_token(image_[slot])) refuse(command, "has a scope or semantics that is no constant");
  return image_[slot];
}

Scope Plan::scope_in(const Command& command, Slot slot) {
  if (slot == kNoSlot) return Scope::Invocation;
  const auto scope = static_cast<Scope>(static_cast<std::uint32_t>(constant_in(command, slot)));
  // Where the Vulkan memory model is off, Device names the queue family.
  return scope == Scope::Device && dispatch_.code().glsl450 ? Scope::QueueFamily : scope;
}

void Plan::plan_step(std::size_t at) {
  const Command& command = dispatch_.code().commands[at];
  Step& step = steps_[at];
  StepDetail& detail = details_[at];
  step.to = command.to;
  step.a = command.a;
  step.b = command.b;
  step.c = command.c;
  step.number = command.offset;
  step.stride = command.stride;
  step.count = command.count;
  step.detail = &detail;
  if (plan_flow(command, step)) return;
  switch (command.act) {
    case Act::Compute:
      return plan_compute(at, step);
    case Act::Load:
    case Act::Store:
    case Act::Atomic:
      return plan_access(command, step, detail);
    case Act::Fence:
    case Act::Barrier:
      return plan_fence(command, step, detail);
    default:
      refuse(command, "is done by the lanes of a subgroup together");
  }
}

bool Plan::plan_flow(const Command& command, Step& step) {
  const Code& code = dispatch_.code();
  const auto counter = [&] { return static_cast<Slot>(code.image.size() + command.detail); };
  switch (command.act) {
    case Act::Move:
      plan_move(command, step);
      return true;
    case Act::Index:
      step.run = &step_index;
      step.c = command.computation.bits;
      return true;
    case Act::Length:
      step.run = &step_length;
      return true;
    case Act::Jump:
      step.run = &step_jump;
      step.target = &steps_[command.target];
      return true;
    case Act::Branch:
      step.run = &step_branch;
      step.target = &steps_[command.target];
      step.otherwise = &steps_[command.otherwise];
      return true;
    case Act::EnterLoop:
      step.run = &step_enter_loop;
      step.to = counter();
      return true;
    case Act::RepeatLoop:
      step.run = &step_repeat_loop;
      step.to = counter();
      return true;
    case Act::Finish:
      step.run = &step_finish;
      return true;
    case Act::Fault:
      step.run = &step_fault;
      return true;
    default:
      return false;
  }
}

// The first of two moves in a row does both. The second keeps its step, for jumps may go there.
void Plan::plan_move(const Command& command, Step& step) {
  step.run = &step_move;
  // The code ends with the step that finishes.
  const Command& next = *(&command + 1);
  if (next.act == Act::Move) {
    step.run = &step_move_two;
    step.b = next.a;
    step.c = next.to;
  } else if (next.act == Act::Jump) {
    step.run = &step_move_and_jump;
    step.target = &steps_[next.target];
  }
}

void Plan::plan_compute(std::size_t at, Step& step) {
  const std::vector<Command>& commands = dispatch_.code().commands;
  step.run = handler_of(commands[at]);
  step.number = cut(~std::uint64_t{0}, commands[at].computation.bits);
  const Handler with_branch = handler_with_branch(commands[at]);
  if (with_branch == nullptr || at + 1 == commands.size()) return;
  const Command& branch = commands[at + 1];
  if (branch.act != Act::Branch || branch.a != step.to) return;
  step.run = with_branch;
  step.target = &steps_[branch.target];
  step.otherwise = &steps_[branch.otherwise];
}

void Plan::plan_access(const Command& command, Step& step, StepDetail& detail) {
  const AccessInfo& info = dispatch_.code().accesses[command.detail];
  const std::uint32_t bytes = info.type.bytes();
  if (bytes == 0 || bytes > 8 || (bytes & (bytes - 1)) != 0) return refuse(command, "is of an odd width");
  if (command.act == Act::Atomic) return plan_atomic(command, info, step, detail);
  step.run = command.act == Act::Load ? handlers_.load(bytes, info.physical) : handlers_.store(bytes, info.physical);
  plan_qualifiers(command, info, detail);
}

void Plan::plan_qualifiers(const Command& command, const AccessInfo& info, StepDetail& detail) {
  const bool stores = command.act == Act::Store;
  Qualifiers said;
  said.is_volatile = has(info.operands, MemoryOperands::Volatile);
  said.non_private = has(info.operands, MemoryOperands::NonPrivatePointer);
  said.coherent =
      has(info.operands, stores ? MemoryOperands::MakePointerAvailable : MemoryOperands::MakePointerVisible);
  said.scope = scope_in(command, info.scope);
  detail.qualifiers.fill(said);
  if (!dispatch_.code().glsl450) return;
  Qualifiers coherent = said;
  coherent.non_private = coherent.coherent = true;
  coherent.scope = Scope::QueueFamily;
  Qualifiers of_workgroup = coherent;
  of_workgroup.scope = Scope::Workgroup;
  detail.qualifiers = {info.coherent ? coherent : said, coherent, of_workgroup};
}

void Plan::plan_atomic(const Command& command, const AccessInfo& info, Step& step, StepDetail& detail) {
  if (info.type.bytes() < 4) return refuse(command, "is an atomic of less than 32 bits");
  if (!written_[command.a] && object_of(image_[command.a]) == kLocalObject)
    return refuse(command, "is an atomic on what an invocation has for itself");
  step.run = handlers_.atomic(info.type, info.physical);
  detail.atomic = info.atomic;
  detail.comparator = info.comparator;
  detail.scope = scope_in(command, info.scope);
  const OperationKind kind = info.atomic == Op::OpAtomicLoad    ? OperationKind::Read
                             : info.atomic == Op::OpAtomicStore ? OperationKind::Write
                                                                : OperationKind::ReadModifyWrite;
  const auto semantics = [&](OperationKind of, Slot slot) {
    return semantics_of(of, static_cast<std::uint32_t>(constant_in(command, slot)), detail.scope);
  };
  detail.semantics = semantics(kind, info.semantics);
  if (info.unequal != kNoSlot) detail.unequal = semantics(OperationKind::Read, info.unequal);
}

void Plan::plan_fence(const Command& command, Step& step, StepDetail& detail) {
  const FenceInfo& info = dispatch_.code().fences[command.detail];
  detail.scope = scope_in(command, info.scope);
  detail.semantics = semantics_of(OperationKind::MemoryBarrier,
                                  static_cast<std::uint32_t>(constant_in(command, info.semantics)), detail.scope);
  detail.execution = scope_in(command, info.execution);
  const bool orders = acquires(detail.semantics) || releases(detail.semantics);
  if (command.act == Act::Fence || detail.execution == Scope::Invocation) {
    step.run = orders ? handlers_.fence : &step_nothing;
  } else if (detail.execution == Scope::Workgroup || detail.execution == Scope::Subgroup) {
    step.run = handlers_.barrier;
  } else {
    refuse(command, "waits for more than a workgroup");
  }
}

void Plan::plan_objects() {
  const std::vector<Object>& objects = dispatch_.objects();
  objects_.resize(objects.size());
  for (std::uint64_t number = 1; number < objects.size(); ++number) {
    const Object& object = objects[number];
    PlannedObject& planned = objects_[number];
    planned.name = lasting(object.name);
    planned.words = lasting(object_words(object));
    planned.size = object.size;
    planned.storage = object.storage;
    if (object.constant) {
      planned.kind = PlannedObject::Kind::Constant;
      planned.bytes.resize(object.size);
      for (std::uint64_t at = 0; at < object.size; ++at)
        planned.bytes[at] = static_cast<std::byte>(dispatch_.initial_value(number, at, 1));
    } else if (object.storage == StorageClass::Workgroup) {
      planned.kind = PlannedObject::Kind::OfWorkgroup;
    } else {
      planned.kind = PlannedObject::Kind::Buffer;
    }
    if (!dispatch_.code().glsl450) continue;
    if (object.coherent) planned.sharing = Sharing::Coherent;
    if (object.storage == StorageClass::Workgroup) planned.sharing = Sharing::OfWorkgroup;
  }
  for (const MemoryVariable& each : dispatch_.code().variables) {
    const Instruction& variable = *dispatch_.definitions().find(each.id);
    PlannedObject& planned = objects_[object_of(image_[each.pointer])];
    if (planned.kind != PlannedObject::Kind::OfWorkgroup || variable.operand_count < 2) continue;
    planned.zeroed = is_zero(dispatch_, variable);
    if (!planned.zeroed && why_not_.empty()) why_not_ = std::string(planned.name) + " has an initializer";
  }
}

}  // namespace heddle::spirv
