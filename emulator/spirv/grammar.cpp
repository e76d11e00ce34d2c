#include "emulator/spirv/grammar.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::spirv {
namespace {

const SetInfo* find_set(std::string_view name) {
  for (const SetInfo& set : tables::sets)
    if (name.starts_with(set.name)) return &set;
  return nullptr;
}

}  // namespace

const InstructionInfo* find_instruction(std::uint32_t opcode) {
  const auto found =
      std::lower_bound(tables::instructions.begin(), tables::instructions.end(), opcode,
                       [](const InstructionInfo& row, std::uint32_t wanted) { return row.opcode < wanted; });
  return found != tables::instructions.end() && found->opcode == opcode ? &*found : nullptr;
}

const InstructionInfo* find_instruction(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, const InstructionInfo*> out;
    for (const InstructionInfo& row : tables::instructions) out.emplace(row.name, &row);
    return out;
  }();
  const auto found = kByName.find(name);
  return found != kByName.end() ? found->second : nullptr;
}

std::span<const OperandInfo> operands_of(const InstructionInfo& instruction) {
  return tables::operands.subspan(instruction.first_operand, instruction.operand_count);
}

std::span<const OperandInfo> operands_of(const Enumerant& enumerant) {
  return tables::operands.subspan(enumerant.first_operand, enumerant.operand_count);
}

const Enumerant* find_enumerant(std::uint16_t kind, std::string_view name) {
  const KindInfo& info = tables::kinds[kind];
  for (const Enumerant& each : tables::enumerants.subspan(info.first, info.count))
    if (each.name == name) return &each;
  return nullptr;
}

const Enumerant* find_enumerant(std::uint16_t kind, std::uint32_t value) {
  const KindInfo& info = tables::kinds[kind];
  for (const Enumerant& each : tables::enumerants.subspan(info.first, info.count))
    if (each.value == value) return &each;
  return nullptr;
}

std::optional<std::uint32_t> extended_number(std::string_view set, std::string_view name) {
  const SetInfo* info = find_set(set);
  if (info == nullptr) return std::nullopt;
  for (const ExtendedInfo& each : tables::extended.subspan(info->first, info->count))
    if (each.name == name) return each.number;
  return std::nullopt;
}

std::string_view extended_name(std::string_view set, std::uint32_t number) {
  const SetInfo* info = find_set(set);
  if (info == nullptr) return "";
  for (const ExtendedInfo& each : tables::extended.subspan(info->first, info->count))
    if (each.number == number) return each.name;
  return "";
}

}  // namespace heddle::spirv
