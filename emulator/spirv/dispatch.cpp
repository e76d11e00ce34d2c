#include "emulator/spirv/dispatch.h"

#include <algorithm>

#include "emulator/spirv/inputs.h"
#include "emulator/spirv/numbers.h"
#include "emulator/spirv/source.h"
#include "emulator/spirv/translator.h"

namespace heddle::spirv {
namespace {

constexpr std::uint64_t kMostAgents = 1U << 14;
// Each invocation has its own: 256 MiB are few for a module that needs them, and too many for one that is broken.
constexpr std::uint64_t kMostValuesOfAll = 1U << 25;

std::uint64_t volume(const std::array<std::uint32_t, 3>& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

}  // namespace

Dispatch::Dispatch(const Module& module, Header header, const DispatchOptions& options) try
    : module_(module), header_(std::move(header)), options_(options), definitions_(module) {
  warnings_ = module.warnings;
  warnings_.insert(warnings_.end(), header_.warnings.begin(), header_.warnings.end());
  const Instruction& entry = entry_point();
  check_inputs(Types(definitions_, {}), options_);
  specialized_ = specialization();
  choose_size(entry);
  types_ = std::make_unique<Types>(definitions_, specialized_);
  for (const Instruction& instruction : module_.instructions)
    if (const auto built_in = definitions_.literal(instruction.result, spv::Decoration::BuiltIn);
        built_in && static_cast<spv::BuiltIn>(*built_in) == spv::BuiltIn::WorkgroupSize &&
        instruction.op != Op::OpVariable)
      types_->replace_constant(instruction.result, {local_[0], local_[1], local_[2]});
  functions_ = functions_of(definitions_);
  place_agents();
  code_ = Translator(*types_, functions_, options_.robust).run(module_.operand(entry, 1));
  if (options_.reconverge_maximal) code_.reconvergence = Reconvergence::Maximal;
  if (!code_.parts.empty() || !code_.exchanges.empty()) check_subgroup_size(entry);
  if (code_.image.size() * places_.size() > kMostValuesOfAll)
    throw Error(entry.position, std::to_string(places_.size()) + " invocations with " +
                                    std::to_string(code_.image.size()) + " values each are too large; all together " +
                                    "have at most " + std::to_string(kMostValuesOfAll) + " values");
  warnings_.insert(warnings_.end(), code_.warnings.begin(), code_.warnings.end());
  tokens_ = std::make_unique<Tokens>(taken_values());
  make_objects();
} catch (const Error& error) {
  throw sourced(module, error);
}

const Instruction& Dispatch::entry_point() const {
  const Instruction* found = nullptr;
  for (const Instruction& instruction : module_.instructions) {
    if (instruction.op == Op::OpMemoryModel) {
      const auto model = static_cast<spv::MemoryModel>(module_.operand(instruction, 1));
      if (model == spv::MemoryModel::OpenCL)
        throw Error(
            instruction.position,
            "heddle does not run modules of the OpenCL memory model; compile the kernel for Vulkan instead, with "
            "clspv");
    }
    if (instruction.op != Op::OpEntryPoint) continue;
    const auto model = static_cast<spv::ExecutionModel>(module_.operand(instruction, 0));
    const std::string name = module_.string_at(instruction, 2);
    if (model != spv::ExecutionModel::GLCompute || (!options_.entry.empty() && name != options_.entry)) continue;
    if (found != nullptr)
      throw Error(instruction.position,
                  std::string("the module has several compute entry points: choose one with ") +
                      (options_.giver == Giver::CommandLine ? "--entry NAME" : "ModuleOptions::entry"));
    found = &instruction;
  }
  if (found == nullptr)
    throw Error({}, options_.entry.empty() ? "the module has no entry point of the execution model GLCompute"
                                           : "the module has no compute entry point \"" + options_.entry + '"');
  return *found;
}

std::uint64_t Dispatch::specialized(const Instruction& constant, const std::string& value, Position at,
                                    const std::string& input) const {
  const ScalarType type = scalar_type(module_, definitions_.get(constant.type, constant)).value_or(ScalarType{});
  const bool is_bool = type.kind == ScalarType::Kind::Bool;
  const std::string digits = value == "true" ? "1" : value == "false" ? "0" : value;
  const auto bits = literal_bits(digits, is_bool ? 32U : type.bits, type.kind == ScalarType::Kind::Float);
  if (!bits) throw Error(at, input + ": \"" + value + "\" is no value of " + definitions_.spelled(constant.result));
  return is_bool ? std::uint64_t{*bits != 0} : *bits;
}

// What an option says beats what a comment says.
std::map<Id, std::uint64_t> Dispatch::specialization() const {
  std::map<Id, std::uint64_t> out;
  for (const Instruction& constant : module_.instructions) {
    if (!is_specialization_constant(constant.op)) continue;
    for (const Input& input : header_.inputs) {
      if (definitions_.find_named(input.name) != constant.result) continue;
      if (input.value.is_list || !input.value.address_of.empty())
        throw Error({input.line, 0}, '%' + input.name + " is a specialization constant, and its input is one number");
      out[constant.result] = specialized(constant, input.value.text, {input.line, 0}, "@Input");
    }
    const auto number = definitions_.literal(constant.result, spv::Decoration::SpecId);
    if (number && options_.specialization.count(*number) != 0)
      out[constant.result] =
          specialized(constant, options_.specialization.at(*number), {}, specialization_words(options_.giver, *number));
  }
  return out;
}

// WorkgroupSize beats LocalSizeId, which beats LocalSize; the command line and @Config beat all three.
void Dispatch::choose_size(const Instruction& entry) {
  if (header_.configuration) {
    const Configuration& c = *header_.configuration;
    local_ = {c.invocations * c.subgroups, 1, 1};
    groups_ = {c.workgroups, 1, 1};
    subgroup_size_ = c.invocations;
  }
  if (options_.local) local_ = *options_.local;
  if (options_.groups) groups_ = *options_.groups;
  const bool is_given = header_.configuration || options_.local;
  const auto given = is_given ? std::optional(local_) : std::nullopt;
  Types types(definitions_, specialized_);
  std::optional<std::array<std::uint32_t, 3>> own;
  for (const Instruction& mode : module_.instructions) {
    if ((mode.op != Op::OpExecutionMode && mode.op != Op::OpExecutionModeId) ||
        module_.operand(mode, 0) != module_.operand(entry, 1))
      continue;
    const auto which = static_cast<spv::ExecutionMode>(module_.operand(mode, 1));
    const bool by_id = which == spv::ExecutionMode::LocalSizeId;
    if (which != spv::ExecutionMode::LocalSize && !by_id) continue;
    own.emplace();
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t word = module_.operand(mode, i + 2);
      (*own)[i] = by_id ? static_cast<std::uint32_t>(types.integer(word, mode).value_or(1)) : word;
      const Instruction* constant = by_id ? definitions_.find(word) : nullptr;
      if (given && constant != nullptr && constant->op == Op::OpSpecConstant) specialize_to_size(word, (*given)[i]);
    }
  }
  for (const Instruction& constant : module_.instructions) {
    const auto built_in = definitions_.literal(constant.result, spv::Decoration::BuiltIn);
    if (constant.result == 0 || !built_in || constant.op == Op::OpVariable ||
        static_cast<spv::BuiltIn>(*built_in) != spv::BuiltIn::WorkgroupSize)
      continue;
    const std::vector<std::uint64_t>* bits = types.constant(constant.result, constant);
    if (bits == nullptr || bits->size() != 3)
      throw Error(constant.position, "WorkgroupSize is a constant of three numbers");
    own = {static_cast<std::uint32_t>((*bits)[0]), static_cast<std::uint32_t>((*bits)[1]),
           static_cast<std::uint32_t>((*bits)[2])};
    if (given) specialize_size(constant.result, *given);
  }
  if (!is_given && own) local_ = *own;
  if (!header_.configuration) subgroup_size_ = static_cast<std::uint32_t>(volume(local_));
  if (options_.subgroup_size) subgroup_size_ = *options_.subgroup_size;
  if (volume(local_) == 0 || volume(groups_) == 0 || subgroup_size_ == 0)
    throw Error(entry.position, "a size of 0 leaves no invocation: " + size_words(options_.giver));
  const std::uint64_t groups = options_.on_device ? 1 : volume(groups_);
  if (volume(local_) > kMostAgents || groups > kMostAgents || volume(local_) * groups > kMostAgents)
    throw Error(entry.position,
                "these are more than " + std::to_string(kMostAgents) + " invocations: " + size_words(options_.giver));
}

void Dispatch::specialize_to_size(Id constant, std::uint32_t size) {
  const auto [at, fresh] = specialized_.try_emplace(constant, size);
  if (!fresh && at->second != size)
    warnings_.push_back(definitions_.spelled(constant) + " was given the value " + std::to_string(at->second) +
                        ", and is " + std::to_string(size) + ": it is a size of the workgroup, which was given, too");
  at->second = size;
}

void Dispatch::specialize_size(Id composite, const std::array<std::uint32_t, 3>& local) {
  const Instruction* constant = definitions_.find(composite);
  bool follows = true;
  for (std::size_t i = 0; follows && i < 3 && i < constant->operand_count; ++i) {
    const Id part = module_.operand(*constant, i);
    const Instruction* of = definitions_.find(part);
    if (of != nullptr && of->op == Op::OpSpecConstant) {
      specialize_to_size(part, local[i]);
    } else {
      Types types(definitions_, specialized_);
      follows = types.integer(part, *constant).value_or(0) == local[i];
    }
  }
  if (!follows)
    warnings_.emplace_back("the module fixes its workgroup size, and runs with another that the configuration wants");
}

// What lanes vote on is a word of 64 bits.
void Dispatch::check_subgroup_size(const Instruction& entry) const {
  if (std::min<std::uint64_t>(subgroup_size_, volume(local_)) > kMostLanes)
    throw Error(entry.position,
                "a subgroup that does things together has at most " + std::to_string(kMostLanes) +
                    " invocations, and this one has " + std::to_string(volume(local_)) + ": choose another size with " +
                    (options_.giver == Giver::CommandLine ? "--subgroup-size" : "DeviceOptions::subgroup_size"));
}

void Dispatch::place_agents() {
  const std::uint64_t in_group = volume(local_);
  const std::uint64_t groups = options_.on_device ? 1 : volume(groups_);
  for (std::uint64_t group = 0; group < groups; ++group) {
    for (std::uint64_t index = 0; index < in_group; ++index) {
      model::Place place;
      place.workgroup = static_cast<std::uint32_t>(group);
      place.subgroup = static_cast<std::uint32_t>(index / subgroup_size_);
      places_.push_back(place);
      Position3 at;
      const auto split = [](std::uint64_t n, const std::array<std::uint32_t, 3>& size) {
        return std::array<std::uint32_t, 3>{static_cast<std::uint32_t>(n % size[0]),
                                            static_cast<std::uint32_t>(n / size[0] % size[1]),
                                            static_cast<std::uint32_t>(n / size[0] / size[1])};
      };
      at.local = split(index, local_);
      at.group = split(group, groups_);
      positions_.push_back(at);
    }
  }
}

std::vector<std::uint64_t> Dispatch::built_in(std::uint32_t agent, spv::BuiltIn which) const {
  const Position3& at = positions_[agent];
  const auto in_group = static_cast<std::uint32_t>(volume(local_));
  const std::uint32_t index = agent % in_group;
  const auto three = [](auto of) { return std::vector<std::uint64_t>{of(0U), of(1U), of(2U)}; };
  const std::uint32_t lane = index % subgroup_size_;
  const auto mask = [](auto wanted) {
    std::vector<std::uint64_t> out(4, 0);
    for (unsigned i = 0; i < 128; ++i)
      if (wanted(i)) out[i / 32] |= std::uint64_t{1} << (i % 32);
    return out;
  };
  switch (which) {
    case spv::BuiltIn::WorkgroupId:
      return three([&](unsigned i) { return at.group[i]; });
    case spv::BuiltIn::LocalInvocationId:
      return three([&](unsigned i) { return at.local[i]; });
    case spv::BuiltIn::GlobalInvocationId:
      return three([&](unsigned i) { return at.group[i] * local_[i] + at.local[i]; });
    case spv::BuiltIn::NumWorkgroups:
      return three([&](unsigned i) { return groups_[i]; });
    case spv::BuiltIn::WorkgroupSize:
    case spv::BuiltIn::EnqueuedWorkgroupSize:
      return three([&](unsigned i) { return local_[i]; });
    case spv::BuiltIn::GlobalSize:
      return three([&](unsigned i) { return local_[i] * groups_[i]; });
    case spv::BuiltIn::GlobalOffset:
      return {0, 0, 0};
    case spv::BuiltIn::WorkDim:
      return {3};
    case spv::BuiltIn::LocalInvocationIndex:
      return {index};
    case spv::BuiltIn::SubgroupSize:
      return {subgroup_size_};
    case spv::BuiltIn::NumSubgroups:
      return {(in_group + subgroup_size_ - 1) / subgroup_size_};
    case spv::BuiltIn::SubgroupId:
      return {index / subgroup_size_};
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return {lane};
    case spv::BuiltIn::DeviceIndex:
      return {0};
    case spv::BuiltIn::SubgroupEqMask:
      return mask([&](unsigned i) { return i == lane; });
    case spv::BuiltIn::SubgroupGeMask:
      return mask([&](unsigned i) { return i >= lane && i < subgroup_size_; });
    case spv::BuiltIn::SubgroupGtMask:
      return mask([&](unsigned i) { return i > lane && i < subgroup_size_; });
    case spv::BuiltIn::SubgroupLeMask:
      return mask([&](unsigned i) { return i <= lane; });
    case spv::BuiltIn::SubgroupLtMask:
      return mask([&](unsigned i) { return i < lane; });
    default:
      return {};
  }
}

std::vector<std::uint64_t> Dispatch::image(std::uint32_t agent) const {
  std::vector<std::uint64_t> out = code_.image;
  for (std::size_t slot = 0; slot < out.size(); ++slot)
    if (out[slot] == kUndefinedConstant) out[slot] = Tokens::of_slot(agent, static_cast<std::uint32_t>(slot));
  for (const BuiltIn& each : code_.built_ins) {
    const std::vector<std::uint64_t> values = built_in(agent, each.which);
    for (std::uint32_t i = 0; i < each.count && i < values.size(); ++i) out[each.first + i] = values[i];
  }
  for (const MemoryVariable& each : code_.variables) {
    const Home& home = homes_.at(each.id);
    out[each.pointer] = (home.first + home.of_each_group * places_[agent].workgroup) * kObjectStride;
  }
  for (const ImageVariable& each : code_.images) {
    const std::vector<std::uint64_t>& extents = homes_.at(each.id).extents;
    std::copy(extents.begin(), extents.end(), out.begin() + each.extents);
  }
  return out;
}

std::set<std::uint64_t> Dispatch::taken_values() const {
  std::set<std::uint64_t> out(code_.image.begin(), code_.image.end());
  const auto add = [&out](const auto& self, const InputValue& value) -> void {
    if (const auto bits = literal_bits(value.text, 32, false)) out.insert(cut(*bits, 32));
    for (const InputValue& member : value.members) self(self, member);
  };
  for (const Input& input : header_.inputs) add(add, input.value);
  return out;
}

std::uint64_t Dispatch::object_at(const BindingPlace& place) const {
  const auto home = descriptors_.find(place);
  if (home == descriptors_.end()) throw Error({}, "the module has no " + spelled(place) + bindings_of(definitions_));
  if (home->second.layout->stride == kObjectStride)
    throw Error({}, spelled(place) + " is an array of buffers, not one");
  return home->second.first;
}

std::uint64_t Dispatch::initial_value(std::uint64_t object, std::uint64_t offset, std::uint32_t bytes) const {
  const Object& of = objects_[object];
  const auto exact = of.cells.find(offset);
  if (exact != of.cells.end() && exact->second.type.bytes() == bytes)
    return tokens_->to_memory(exact->second.bits, bytes);
  std::uint64_t out = 0;
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    auto cell = of.cells.upper_bound(offset + byte);
    if (cell == of.cells.begin()) continue;
    --cell;
    const std::uint64_t within = offset + byte - cell->first;
    if (within >= cell->second.type.bytes() || is_token(cell->second.bits)) continue;
    out |= ((cell->second.bits >> (8 * within)) & 0xffU) << (8 * byte);
  }
  return out;
}

}  // namespace heddle::spirv
