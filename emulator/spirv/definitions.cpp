#include "emulator/spirv/definitions.h"

#include "emulator/spirv/numbers.h"

namespace heddle::spirv {
namespace {

const Decoration* find_in(const std::vector<Decoration>& all, spv::Decoration kind) {
  for (const Decoration& each : all)
    if (each.kind == kind) return &each;
  return nullptr;
}

std::optional<std::uint32_t> first_operand(const Decoration* decoration) {
  if (decoration == nullptr || decoration->operands.empty()) return std::nullopt;
  return decoration->operands.front();
}

Decoration decoration_from(const Module& module, const Instruction& instruction, std::size_t at) {
  const auto words = module.operands(instruction);
  return {static_cast<spv::Decoration>(module.operand(instruction, at)),
          {words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()}};
}

}  // namespace

Definitions::Definitions(const Module& module) : module_(&module), by_id_(module.bound, nullptr) {
  for (const auto& [name, id] : module.text_ids) text_names_.emplace(id, name);
  for (const Instruction& instruction : module.instructions) note(instruction);
  for (const Instruction& instruction : module.instructions)
    if (instruction.op == Op::OpGroupDecorate) decorate_group(instruction);
}

void Definitions::note(const Instruction& instruction) {
  const Module& module = *module_;
  if (instruction.result != 0) {
    const Instruction*& known = by_id_[instruction.result];
    if (known != nullptr) throw Error(instruction.position, spelled(instruction.result) + " is defined a second time");
    known = &instruction;
  }
  switch (instruction.op) {
    case Op::OpName:
      names_.emplace(module.operand(instruction, 0), module.string_at(instruction, 1));
      break;
    case Op::OpDecorate:
    case Op::OpDecorateId:
      decorations_[module.operand(instruction, 0)].push_back(decoration_from(module, instruction, 1));
      break;
    case Op::OpMemberDecorate:
      member_decorations_[{module.operand(instruction, 0), module.operand(instruction, 1)}].push_back(
          decoration_from(module, instruction, 2));
      break;
    default:
      break;
  }
}

void Definitions::decorate_group(const Instruction& instruction) {
  const auto group = decorations_.find(module_->operand(instruction, 0));
  if (group == decorations_.end()) return;
  const std::vector<Decoration> added = group->second;
  for (const Id target : module_->operands(instruction).subspan(1)) {
    std::vector<Decoration>& all = decorations_[target];
    all.insert(all.end(), added.begin(), added.end());
  }
}

const Instruction& Definitions::get(Id id, const Instruction& at) const {
  const Instruction* found = find(id);
  if (found == nullptr)
    throw Error(at.position, std::string(name_of(at.op)) + " names " + spelled(id) + ", which is never defined");
  return *found;
}

const Decoration* Definitions::decoration(Id id, spv::Decoration kind) const {
  const auto found = decorations_.find(id);
  return found != decorations_.end() ? find_in(found->second, kind) : nullptr;
}

const Decoration* Definitions::decoration(Id id, std::uint32_t member, spv::Decoration kind) const {
  const auto found = member_decorations_.find({id, member});
  return found != member_decorations_.end() ? find_in(found->second, kind) : nullptr;
}

std::optional<std::uint32_t> Definitions::literal(Id id, spv::Decoration kind) const {
  return first_operand(decoration(id, kind));
}

std::optional<std::uint32_t> Definitions::literal(Id id, std::uint32_t member, spv::Decoration kind) const {
  return first_operand(decoration(id, member, kind));
}

const std::string& Definitions::name(Id id) const {
  static const std::string kNone;
  const auto found = names_.find(id);
  return found != names_.end() ? found->second : kNone;
}

std::string Definitions::spelled(Id id) const {
  const auto text = text_names_.find(id);
  if (text != text_names_.end()) return '%' + text->second;
  const std::string& known = name(id);
  return '%' + (known.empty() ? std::to_string(id) : known);
}

std::optional<Id> Definitions::find_named(std::string_view name) const {
  if (!module_->text_ids.empty()) {
    const auto found = module_->text_ids.find(name);
    if (found == module_->text_ids.end()) return std::nullopt;
    return found->second;
  }
  std::optional<Id> out;
  for (const auto& [id, known] : names_) {
    const Instruction* definition = find(id);
    if (known != name || definition == nullptr) continue;
    if (definition->op != Op::OpVariable && !is_specialization_constant(definition->op)) continue;
    if (out) return std::nullopt;
    out = id;
  }
  const auto number = whole_number(name);
  if (!out && number && find(static_cast<Id>(*number)) != nullptr) out = static_cast<Id>(*number);
  return out;
}

std::string Definitions::set_name(Id set) const {
  const Instruction* import = find(set);
  return import != nullptr && import->op == Op::OpExtInstImport ? module_->string_at(*import, 0) : "";
}

}  // namespace heddle::spirv
