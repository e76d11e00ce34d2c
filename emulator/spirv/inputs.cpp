#include "emulator/spirv/inputs.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::spirv {
namespace {

std::optional<BindingPlace> place_of(const Definitions& definitions, const Instruction& variable) {
  const auto set = definitions.literal(variable.result, spv::Decoration::DescriptorSet);
  const auto binding = definitions.literal(variable.result, spv::Decoration::Binding);
  if (variable.op != Op::OpVariable || !set || !binding) return std::nullopt;
  return BindingPlace(*set, *binding);
}

const Instruction* variable_at(const Definitions& definitions, const BindingPlace& place) {
  for (const Instruction& each : definitions.module().instructions)
    if (place_of(definitions, each) == place) return &each;
  return nullptr;
}

bool has_push_constants(const Module& module) {
  return std::any_of(module.instructions.begin(), module.instructions.end(), [&](const Instruction& each) {
    return each.op == Op::OpVariable &&
           static_cast<spv::StorageClass>(module.operand(each, 0)) == spv::StorageClass::PushConstant;
  });
}

/// The specialization constants of a module by their SpecIds; several may have one.
std::map<std::uint32_t, Id> specialization_constants_of(const Definitions& definitions) {
  std::map<std::uint32_t, Id> out;
  for (const Instruction& each : definitions.module().instructions) {
    const auto id = definitions.literal(each.result, spv::Decoration::SpecId);
    if (each.result != 0 && id) out.emplace(*id, each.result);
  }
  return out;
}

void check_specialization(const Definitions& definitions, const DispatchOptions& options) {
  const std::map<std::uint32_t, Id> known = specialization_constants_of(definitions);
  std::string has;
  for (const auto& [id, constant] : known)
    has += fmt::format("{}{} ({})", has.empty() ? "; it has " : ", ", id, definitions.spelled(constant));
  for (const auto& [id, value] : options.specialization)
    if (known.count(id) == 0)
      throw Error({}, fmt::format("{}: the module has no specialization constant {}{}",
                                  specialization_words(options.giver, id), id, has));
}

[[noreturn]] void fail_without(const std::string& input, const BindingPlace& place, const Definitions& definitions) {
  throw Error({}, fmt::format("{}: the module has no {}{}", input, spelled(place), bindings_of(definitions)));
}

void check_extent(const Types& types, const BindingPlace& place) {
  const Definitions& definitions = types.definitions();
  const std::string option = fmt::format("--extent {}.{}", place.first, place.second);
  const Instruction* variable = variable_at(definitions, place);
  if (variable == nullptr) fail_without(option, place, definitions);
  if (!image_of(types, *variable))
    throw Error({}, fmt::format("{}: {} is no image; --set says what a buffer holds, and so how long it is", option,
                                definitions.spelled(variable->result)));
}

}  // namespace

std::string spelled(const BindingPlace& place) {
  return fmt::format("set {}, binding {}", place.first, place.second);
}

std::string buffer_words(Giver giver, const BindingPlace& place) {
  return giver == Giver::CommandLine ? fmt::format("--set {}.{}", place.first, place.second)
                                     : fmt::format("bound({}, {}, ...)", place.first, place.second);
}

std::string size_words(Giver giver) {
  return giver == Giver::CommandLine ? "--local, --groups, --subgroup-size and @Config choose sizes"
                                     : "the groups of the dispatch and ModuleOptions::local choose sizes";
}

std::string push_constants_words(Giver giver) {
  return giver == Giver::CommandLine ? "--push" : "Module::push_constants";
}

std::string specialization_words(Giver giver, std::uint32_t id) {
  return giver == Giver::CommandLine ? fmt::format("--spec {}", id)
                                     : fmt::format("ModuleOptions::specialization[{}]", id);
}

std::string bindings_of(const Definitions& definitions) {
  std::multimap<BindingPlace, Id> all;
  for (const Instruction& each : definitions.module().instructions)
    if (const auto place = place_of(definitions, each)) all.emplace(*place, each.result);
  std::string out;
  for (const auto& [place, id] : all)
    out += fmt::format("{}{} ({})", out.empty() ? "; it has " : "; ", spelled(place), definitions.spelled(id));
  return out;
}

void check_inputs(const Types& types, const DispatchOptions& options) {
  const Definitions& definitions = types.definitions();
  for (const auto& [place, bytes] : options.buffers)
    if (variable_at(definitions, place) == nullptr)
      fail_without(buffer_words(options.giver, place), place, definitions);
  for (const auto& [place, size] : options.extents) check_extent(types, place);
  if (options.push_constants && !has_push_constants(definitions.module()))
    throw Error({}, push_constants_words(options.giver) + ": the module has no push constants");
  check_specialization(definitions, options);
}

std::string length_warning(const std::string& input, std::uint64_t given, const std::string& object,
                           std::uint64_t bytes) {
  if (given == bytes) return "";
  const std::string begin = fmt::format("{} gives {} bytes, and {} has {}", input, given, object, bytes);
  return begin + (given > bytes ? ": the others are not used" : ": nothing defines the others");
}

}  // namespace heddle::spirv
