#include "emulator/spirv/translator.h"

#include <algorithm>

#include "emulator/spirv/translate_images.h"

namespace heddle::spirv {
namespace {

// Calls are inlined: a small file could ask for very much.
constexpr std::size_t kMostCommands = 1U << 19;
constexpr std::size_t kMostSlots = 1U << 20;
constexpr std::uint32_t kUnplaced = ~std::uint32_t{0};

bool is_register_class(spv::StorageClass storage) {
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
         storage == spv::StorageClass::Input;
}

}  // namespace

FloatModes::FloatModes(const Module& module, Id entry_function) {
  for (const Instruction& mode : module.instructions) {
    if (mode.op != Op::OpExecutionMode || module.operand(mode, 0) != entry_function) continue;
    const auto which = static_cast<spv::ExecutionMode>(module.operand(mode, 1));
    std::uint8_t bits = 0;
    if (which == spv::ExecutionMode::RoundingModeRTZ) bits = kTowardsZero;
    if (which == spv::ExecutionMode::DenormFlushToZero) bits = kFlushesResults | kFlushesOperands;
    if (bits == 0) continue;
    std::uint8_t& of_width = by_width_[static_cast<std::uint8_t>(module.operand(mode, 2))];
    of_width = static_cast<std::uint8_t>(of_width | bits);
  }
}

// The result has the mode of its width, operands that of theirs.
std::uint8_t FloatModes::of(const Computation& computation) const {
  const auto mode_of = [this](std::uint8_t width) -> std::uint32_t {
    const auto found = by_width_.find(width);
    return found != by_width_.end() ? found->second : 0U;
  };
  return static_cast<std::uint8_t>((mode_of(computation.bits) & (kTowardsZero | kFlushesResults)) |
                                   (mode_of(computation.from) & kFlushesOperands));
}

Translator::Translator(Types& types, const std::vector<Function>& functions, bool robust)
    : types_(types),
      definitions_(types.definitions()),
      module_(definitions_.module()),
      functions_(functions),
      robust_(robust) {}

void Translator::fail(const std::string& message) const {
  throw Error(at_ != nullptr ? at_->position : Position{}, message);
}

Code Translator::run(Id entry_function) {
  for (const Instruction& instruction : module_.instructions) {
    if (instruction.op == Op::OpFunction) break;
    if (instruction.op == Op::OpMemoryModel)
      code_.glsl450 = static_cast<spv::MemoryModel>(module_.operand(instruction, 1)) != spv::MemoryModel::Vulkan;
    if (instruction.op == Op::OpVariable) make_global(instruction);
  }
  has_groups_ = std::any_of(module_.instructions.begin(), module_.instructions.end(), [](const Instruction& each) {
    return name_of(each.op).starts_with("OpGroupNonUniform") || name_of(each.op).starts_with("OpSubgroup");
  });
  choose_reconvergence(entry_function);
  float_modes_ = FloatModes(module_, entry_function);
  const auto entry = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const Function& each) { return each.head->result == entry_function; });
  if (entry == functions_.end() || entry->blocks.empty()) fail("the entry point has no body");
  const std::uint32_t end = new_label();
  translate_function(*entry, {}, end, {}, std::nullopt);
  place(end);
  emit(Act::Finish);
  link();
  return std::move(code_);
}

Command& Translator::emit(Act act) {
  if (code_.commands.size() >= kMostCommands)
    fail("with every call in its place this kernel has more than " + std::to_string(kMostCommands) + " steps");
  Command& out = code_.commands.emplace_back();
  out.act = act;
  out.from = at_;
  const std::uint32_t of_text = at_ != nullptr ? at_->position.line : 0;
  out.line = of_text != 0 ? of_text : line_;
  out.file = of_text != 0 ? 0 : file_;
  return out;
}

Slot Translator::new_slot(ScalarType type, std::uint64_t value) {
  if (code_.image.size() >= kMostSlots)
    fail("this kernel has more than " + std::to_string(kMostSlots) + " values at a time");
  code_.image.push_back(value);
  code_.slot_types.push_back(type);
  return static_cast<Slot>(code_.image.size() - 1);
}

std::vector<Slot> Translator::new_slots(const std::vector<ScalarType>& types, std::uint64_t value) {
  std::vector<Slot> out;
  for (const ScalarType& each : types) out.push_back(new_slot(each, value));
  return out;
}

Ref Translator::constant(std::uint64_t bits) {
  // What nothing defines may be something else each time.
  if (bits == kUndefinedConstant) return new_slot({}, bits);
  const auto [entry, fresh] = constants_.try_emplace(bits, 0);
  if (fresh) entry->second = new_slot({ScalarType::Kind::Int, 64, false}, bits);
  return entry->second;
}

Ref Translator::compute(const Computation& computation, const std::vector<Ref>& arguments) {
  if (!is_computed(computation)) fail("heddle does not run " + std::string(name_of(computation.op)));
  const Slot to = new_slot({ScalarType::Kind::Int, computation.bits, false});
  Command& out = emit(Act::Compute);
  out.computation = computation;
  out.computation.float_mode = float_modes_.of(computation);
  out.to = to;
  Slot* const places[] = {&out.a, &out.b, &out.c, &out.d};
  for (std::size_t i = 0; i < arguments.size() && i < 4; ++i) *places[i] = arguments[i];
  return to;
}

void Translator::move(Slot to, Slot from) {
  Command& out = emit(Act::Move);
  out.to = to;
  out.a = from;
}

std::uint32_t Translator::new_label() {
  labels_.push_back(kUnplaced);
  return static_cast<std::uint32_t>(labels_.size() - 1);
}

void Translator::place(std::uint32_t label) {
  labels_[label] = static_cast<std::uint32_t>(code_.commands.size());
}

void Translator::jump(std::uint32_t label) {
  emit(Act::Jump).target = label;
}

void Translator::link() {
  for (Command& command : code_.commands) {
    if (command.act != Act::Jump && command.act != Act::Branch) continue;
    command.target = labels_[command.target];
    if (command.act == Act::Branch) command.otherwise = labels_[command.otherwise];
  }
  for (LoopInfo& loop : code_.loops) loop.header = labels_[loop.header];
}

const Known& Translator::known(Id id) {
  if (!frames_.empty()) {
    const auto here = frames_.back()->known.find(id);
    if (here != frames_.back()->known.end()) return here->second;
  }
  const auto global = globals_.find(id);
  if (global != globals_.end()) return global->second;
  const std::vector<std::uint64_t>* bits = types_.constant(id, *at_);
  if (bits == nullptr) {
    if (definitions_.find(id) == nullptr) fail(definitions_.spelled(id) + " is never defined");
    fail(definitions_.spelled(id) + " is used where it has no value");
  }
  Known out;
  out.type = definitions_.get(id, *at_).type;
  for (const std::uint64_t each : *bits) out.slots.push_back(constant(each));
  if (types_.type(out.type, *at_).op == Op::OpTypePointer) out = pointer_from(out.slots, out.type);
  return globals_[id] = std::move(out);
}

Known& Translator::define(Id id, Known known) {
  return frames_.back()->known[id] = std::move(known);
}

Slot Translator::pointer_slot(const Known& pointer) {
  if (pointer.local) return constant(local_pointer(*pointer.local));
  if (pointer.slots.size() != 1) fail("this is no pointer");
  if (pointer.offset == 0) return pointer.slots[0];
  return compute({Op::OpIAdd, 0, 64, 64, 64}, {pointer.slots[0], constant(pointer.offset)});
}

Operand Translator::operand(Id id) {
  const Known of = known(id);
  if (of.layout != nullptr) return {{pointer_slot(of)}, of.type};
  return {of.slots, of.type};
}

Slot Translator::scalar(Id id) {
  const Operand of = operand(id);
  if (of.parts.size() != 1) fail(definitions_.spelled(id) + " is no scalar");
  return of.parts[0];
}

Known Translator::pointer_from(const std::vector<Slot>& slots, Id type) {
  if (slots.size() != 1) fail("this is no pointer");
  const Instruction& pointer = types_.type(type, *at_);
  const auto storage = static_cast<spv::StorageClass>(module_.operand(pointer, 0));
  Known out;
  out.slots = slots;
  out.type = type;
  out.in_slots = is_register_class(storage);
  out.physical = storage == spv::StorageClass::PhysicalStorageBuffer;
  out.layout = &types_.layout(module_.operand(pointer, 1), out.in_slots ? Room::Slots : Room::Memory, *at_);
  return out;
}

std::vector<std::uint64_t> Translator::initial_bits(const Instruction& variable, std::size_t count) {
  std::vector<std::uint64_t> none(count, kUndefinedConstant);
  if (variable.operand_count < 2) return none;
  const std::vector<std::uint64_t>* bits = types_.constant(module_.operand(variable, 1), variable);
  return bits != nullptr && bits->size() == count ? *bits : none;
}

void Translator::make_global(const Instruction& variable) {
  at_ = &variable;
  const auto storage = static_cast<spv::StorageClass>(module_.operand(variable, 0));
  if (is_register_class(storage)) {
    make_local_variable(variable, false);
    const auto built_in = definitions_.literal(variable.result, spv::Decoration::BuiltIn);
    const Known& made = globals_.at(variable.result);
    if (built_in && storage == spv::StorageClass::Input)
      code_.built_ins.push_back(
          {*made.local, static_cast<std::uint32_t>(made.layout->size), static_cast<spv::BuiltIn>(*built_in)});
    return;
  }
  if (ImageTranslator(*this).make(variable)) return;
  Known out;
  out.type = variable.type;
  const Instruction& pointee = types_.type(module_.operand(types_.type(variable.type, variable), 1), variable);
  // Whoever uses a sampler is told so.
  if (pointee.op == Op::OpTypeSampler) return;
  out.slots = {new_slot({ScalarType::Kind::Pointer, 64, false})};
  out.layout = &types_.variable_layout(variable);
  out.coherent = definitions_.has(variable.result, spv::Decoration::Coherent);
  out.is_volatile = definitions_.has(variable.result, spv::Decoration::Volatile);
  out.physical = storage == spv::StorageClass::PhysicalStorageBuffer;
  code_.variables.push_back({variable.result, out.slots[0]});
  globals_[variable.result] = std::move(out);
}

void Translator::make_local_variable(const Instruction& variable, bool is_new_each_time) {
  const Instruction& pointer = types_.type(variable.type, variable);
  const Id type = module_.operand(pointer, 1);
  const std::vector<ScalarType> scalars = types_.scalars(type, variable);
  const std::vector<std::uint64_t> initial = initial_bits(variable, scalars.size());
  Known out;
  out.type = variable.type;
  out.in_slots = true;
  out.layout = &types_.layout(type, Room::Slots, variable);
  out.local = static_cast<Slot>(code_.image.size());
  for (std::size_t i = 0; i < scalars.size(); ++i) new_slot(scalars[i], initial[i]);
  code_.locals.push_back({*out.local, static_cast<std::uint32_t>(scalars.size())});
  if (is_new_each_time)
    for (std::size_t i = 0; i < scalars.size(); ++i) move(*out.local + static_cast<Slot>(i), constant(initial[i]));
  (frames_.empty() ? globals_ : frames_.back()->known)[variable.result] = std::move(out);
}

void Translator::translate_function(const Function& function, const std::vector<Known>& arguments,
                                    std::uint32_t return_label, const std::vector<Slot>& returned,
                                    std::optional<std::uint32_t> outer_loop) {
  for (const Frame* frame : frames_)
    if (frame->function == &function) fail("this call is recursive, which SPIR-V forbids");
  if (function.parameters.size() != arguments.size()) fail("a call has as many arguments as the function parameters");
  Frame frame;
  frame.function = &function;
  frame.return_label = return_label;
  frame.returned = returned;
  frame.outer_loop = outer_loop;
  for (std::size_t i = 0; i < arguments.size(); ++i) frame.known[function.parameters[i]->result] = arguments[i];
  frames_.push_back(&frame);
  const std::size_t block_before = block_;
  begin_function(frame);
  for (std::size_t i = 0; i < function.blocks.size(); ++i) translate_block(i);
  block_ = block_before;
  frames_.pop_back();
}

void Translator::begin_function(Frame& frame) {
  const Function& function = *frame.function;
  for (std::size_t i = 0; i < function.blocks.size(); ++i) frame.block_labels.push_back(new_label());
  for (const BlockLoop& loop : function.loops) {
    LoopInfo info;
    info.parent = loop.parent ? frame.loops[*loop.parent] : frame.outer_loop;
    info.header = frame.block_labels[loop.header];
    frame.loops.push_back(static_cast<std::uint32_t>(code_.loops.size()));
    code_.loops.push_back(info);
  }
  for (const Block& block : function.blocks) {
    for (const Instruction* instruction : block.body) {
      if (instruction->op != Op::OpPhi) continue;
      at_ = instruction;
      Known phi;
      phi.type = instruction->type;
      phi.slots = new_slots(types_.scalars(instruction->type, *instruction));
      if (types_.type(phi.type, *instruction).op == Op::OpTypePointer) phi = pointer_from(phi.slots, phi.type);
      frame.known[instruction->result] = std::move(phi);
    }
  }
  if (!function.blocks.empty() && function.blocks[0].header_of) note_loops(function.blocks.size(), 0);
}

void Translator::translate_block(std::size_t index) {
  const Block& block = frames_.back()->function->blocks[index];
  place(frames_.back()->block_labels[index]);
  block_ = index;
  line_ = 0;
  file_ = 0;
  at_ = block.label;
  for (const std::uint32_t part : frames_.back()->parts_ending[index]) emit(Act::Rejoin).detail = part;
  for (const Instruction* instruction : block.body) {
    at_ = instruction;
    translate(*instruction);
    block_ = index;
  }
  at_ = block.terminator;
  if (has_groups_ && block.merge != nullptr) begin_parts(index);
  terminate(index);
}

void Translator::note_line(const Instruction& instruction) {
  const bool begins = instruction.op == Op::OpLine;
  file_ = begins ? module_.operand(instruction, 0) : 0;
  line_ = begins ? module_.operand(instruction, 1) : 0;
}

// All phis of a block read before any of them is written.
void Translator::assign_phis(std::size_t from, std::size_t to) {
  const Function& function = *frames_.back()->function;
  const Id label = function.blocks[from].label->result;
  std::vector<std::pair<Slot, Slot>> moves;
  const Instruction* const before = at_;
  for (const Instruction* phi : function.blocks[to].body) {
    if (phi->op != Op::OpPhi) continue;
    at_ = phi;
    const std::vector<Slot> slots = known(phi->result).slots;
    for (std::size_t i = 0; i + 1 < phi->operand_count; i += 2) {
      if (module_.operand(*phi, i + 1) != label) continue;
      const Operand value = operand(module_.operand(*phi, i));
      if (value.parts.size() != slots.size()) fail("the values of this OpPhi are not of one type");
      for (std::size_t part = 0; part < slots.size(); ++part)
        if (value.parts[part] != slots[part]) moves.emplace_back(slots[part], value.parts[part]);
      break;
    }
  }
  at_ = before;
  if (moves.size() > 1) {
    for (auto& [target, source] : moves) {
      const Slot copy = new_slot(code_.slot_types[target]);
      move(copy, source);
      source = copy;
    }
  }
  for (const auto& [target, source] : moves) move(target, source);
}

void Translator::note_loops(std::size_t from, std::size_t to) {
  const Function& function = *frames_.back()->function;
  if (!function.blocks[to].header_of) return;
  const bool goes_back = from < function.blocks.size() && function.is_back(from, to);
  emit(goes_back ? Act::RepeatLoop : Act::EnterLoop).detail = frames_.back()->loops[*function.blocks[to].header_of];
}

void Translator::go_to(std::size_t from, std::size_t to) {
  assign_phis(from, to);
  note_loops(from, to);
  jump(frames_.back()->block_labels[to]);
}

void Translator::terminate(std::size_t index) {
  const Block& block = frames_.back()->function->blocks[index];
  const Instruction& end = *block.terminator;
  switch (end.op) {
    case Op::OpBranch:
      return go_to(index, frames_.back()->function->block(module_.operand(end, 0), end));
    case Op::OpBranchConditional:
      return branch(index);
    case Op::OpSwitch:
      return switch_on(index);
    case Op::OpReturn:
      return jump(frames_.back()->return_label);
    case Op::OpReturnValue: {
      const Operand value = operand(module_.operand(end, 0));
      if (value.parts.size() != frames_.back()->returned.size()) fail("what is returned is not of the function's type");
      for (std::size_t i = 0; i < value.parts.size(); ++i) move(frames_.back()->returned[i], value.parts[i]);
      return jump(frames_.back()->return_label);
    }
    case Op::OpUnreachable:
      emit(Act::Fault).detail = static_cast<std::uint32_t>(FaultKind::Unreachable);
      return;
    default:
      fail(std::string(name_of(end.op)) + " is for fragment shaders; heddle runs compute shaders");
  }
}

void Translator::branch(std::size_t index) {
  const Function& function = *frames_.back()->function;
  const Instruction& end = *function.blocks[index].terminator;
  const std::size_t yes = function.block(module_.operand(end, 1), end);
  const std::size_t no = function.block(module_.operand(end, 2), end);
  if (yes == no) return go_to(index, yes);
  const Slot condition = scalar(module_.operand(end, 0));
  part(condition, {ScalarType::Kind::Bool, 1, false});
  const std::uint32_t yes_label = new_label();
  const std::uint32_t no_label = new_label();
  Command& out = emit(Act::Branch);
  out.a = condition;
  out.target = yes_label;
  out.otherwise = no_label;
  place(yes_label);
  go_to(index, yes);
  place(no_label);
  go_to(index, no);
}

void Translator::switch_on(std::size_t index) {
  const Function& function = *frames_.back()->function;
  const Instruction& end = *function.blocks[index].terminator;
  const Operand selector = operand(module_.operand(end, 0));
  if (selector.parts.size() != 1) fail("the selector of an OpSwitch is one integer");
  const std::uint8_t bits = types_.first_scalar(selector.type, end).bits;
  part(selector.parts[0], {ScalarType::Kind::Int, bits, false});
  const std::size_t words = switch_literal_words(definitions_, end);
  for (std::size_t i = 2; i < end.operand_count; i += words + 1) {
    std::uint64_t literal = module_.operand(end, i);
    if (words == 2) literal |= std::uint64_t{module_.operand(end, i + 1)} << 32;
    const Slot same = compute({Op::OpIEqual, 0, 1, bits, bits}, {selector.parts[0], constant(cut(literal, bits))});
    const std::uint32_t here = new_label();
    const std::uint32_t next = new_label();
    Command& out = emit(Act::Branch);
    out.a = same;
    out.target = here;
    out.otherwise = next;
    place(here);
    go_to(index, function.block(module_.operand(end, i + words), end));
    place(next);
  }
  go_to(index, function.block(module_.operand(end, 1), end));
}

void Translator::translate(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::OpNop:
    case Op::OpPhi:
    case Op::OpAssumeTrueKHR:
      return;
    case Op::OpLine:
    case Op::OpNoLine:
      return note_line(instruction);
    case Op::OpVariable:
      return make_local_variable(instruction, true);
    case Op::OpFunctionCall:
      return translate_call(instruction);
    case Op::OpUndef: {
      Known out;
      out.type = instruction.type;
      out.slots = new_slots(types_.scalars(instruction.type, instruction), kUndefinedConstant);
      if (types_.type(out.type, instruction).op == Op::OpTypePointer) out = pointer_from(out.slots, out.type);
      define(instruction.result, std::move(out));
      return;
    }
    case Op::OpExtInst:
      return translate_extended(instruction);
    default:
      break;
  }
  // Some compilers leave types and constants inside functions.
  if (name_of(instruction.op).starts_with("OpType")) return;
  if (types_.constant(instruction.result, instruction) != nullptr) return;
  if (ImageTranslator(*this).translate(instruction) || translate_memory(instruction) ||
      translate_synchronization(instruction) || translate_group(instruction))
    return;
  translate_value(instruction);
}

void Translator::translate_value(const Instruction& instruction) {
  const Expression expression{instruction, instruction.op, instruction.type, module_.operands(instruction),
                              [this](Id id) { return operand(id); }};
  auto parts = instruction.type != 0 ? expand(*this, types_, expression) : std::nullopt;
  if (!parts) fail("heddle does not run " + std::string(name_of(instruction.op)));
  Known out;
  out.type = instruction.type;
  out.slots = std::move(*parts);
  if (types_.type(out.type, instruction).op == Op::OpTypePointer) out = pointer_from(out.slots, out.type);
  define(instruction.result, std::move(out));
}

void Translator::translate_extended(const Instruction& instruction) {
  const std::string set = definitions_.set_name(module_.operand(instruction, 0));
  if (set == "NonSemantic.DebugPrintf") return print(instruction);
  if (set.starts_with("NonSemantic.")) return;
  store_part(instruction);
}

void Translator::print(const Instruction& instruction) {
  const Instruction* format = definitions_.find(module_.operand(instruction, 2));
  if (format == nullptr || format->op != Op::OpString) fail("what is printed is an OpString");
  PrintInfo info;
  info.format = module_.string_at(*format, 0);
  for (std::size_t i = 3; i < instruction.operand_count; ++i) {
    const Operand value = operand(module_.operand(instruction, i));
    const std::vector<ScalarType> types = types_.scalars(value.type, instruction);
    info.values.insert(info.values.end(), value.parts.begin(), value.parts.end());
    info.types.insert(info.types.end(), types.begin(), types.end());
  }
  if (info.values.size() != info.types.size()) fail("what is printed are numbers");
  emit(Act::Print).detail = static_cast<std::uint32_t>(code_.prints.size());
  code_.prints.push_back(std::move(info));
}

void Translator::translate_call(const Instruction& call) {
  const Id callee = module_.operand(call, 0);
  const auto function = std::find_if(functions_.begin(), functions_.end(),
                                     [&](const Function& each) { return each.head->result == callee; });
  if (function == functions_.end() || function->blocks.empty()) fail("the function that is called has no body");
  std::vector<Known> arguments;
  for (std::size_t i = 1; i < call.operand_count; ++i) arguments.push_back(known(module_.operand(call, i)));
  const std::vector<ScalarType> types = types_.scalars(call.type, call);
  const std::vector<Slot> returned = new_slots(types);
  const std::uint32_t behind = new_label();
  const std::optional<std::size_t> loop = frames_.back()->function->blocks[block_].loop;
  const std::optional<std::uint32_t> outer =
      loop ? std::optional(frames_.back()->loops[*loop]) : frames_.back()->outer_loop;
  const std::optional<std::uint32_t> part =
      has_groups_ ? std::optional(new_part(PartKind::Call, true, loops_here())) : std::nullopt;
  if (part) emit(Act::Part).detail = *part;
  translate_function(*function, arguments, behind, returned, outer);
  at_ = &call;
  place(behind);
  if (part) emit(Act::Rejoin).detail = *part;
  Known out;
  out.type = call.type;
  out.slots = returned;
  if (types_.type(call.type, call).op == Op::OpTypePointer) out = pointer_from(returned, call.type);
  define(call.result, std::move(out));
}

}  // namespace heddle::spirv
