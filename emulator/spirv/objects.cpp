#include <spirv/unified1/NonSemanticClspvReflection.h>

#include <algorithm>

#include "emulator/spirv/dispatch.h"
#include "emulator/spirv/inputs.h"
#include "emulator/spirv/numbers.h"

/// \file
/// The memory of a dispatch: its objects, and what they hold before it begins.

namespace heddle::spirv {
namespace {

// Scalars that no contents were given for: more than the Workgroup memory of 64 workgroups, in 100 MB.
constexpr std::uint64_t kMostScalars = 1U << 20;
// Each of these bytes has two bits.
constexpr std::uint64_t kMostBytes = 1U << 26;
// Descriptors of one variable, those of all workgroups together.
constexpr std::uint64_t kMostObjects = 1U << 16;

/// How many scalars a layout has, or a number that is too large for any memory.
std::uint64_t scalars_of(const Layout& layout) {
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 40;
  if (layout.kind == Layout::Kind::Scalar) return 1;
  std::uint64_t out = 0;
  for (const Layout* part : layout.parts) out = std::min(out + scalars_of(*part), kTooMany);
  if (layout.kind == Layout::Kind::Struct) return out;
  return out != 0 && layout.count > kTooMany / out ? kTooMany : layout.count * out;
}

StorageClass storage_of(const Module& module, const Instruction& variable) {
  return static_cast<StorageClass>(module.operand(variable, 0));
}

/// Whether a layout is an array of descriptors, of which each is an object of its own.
bool is_array_of_objects(const Layout& layout) {
  return layout.stride == kObjectStride;
}

/// How many objects a variable of this layout names.
std::uint64_t objects_of(const Layout& layout) {
  return is_array_of_objects(layout) ? layout.count : 1;
}

/// How long the run-time array of a value is; 0 where there is none.
std::uint64_t runtime_length(const Layout& layout, const InputValue& value) {
  if (layout.kind == Layout::Kind::Array) {
    if (layout.runtime) return value.members.size();
    return value.members.empty() ? 0 : runtime_length(*layout.parts[0], value.members[0]);
  }
  if (layout.kind != Layout::Kind::Struct || value.members.size() != layout.parts.size() || layout.parts.empty())
    return 0;
  return runtime_length(*layout.parts.back(), value.members.back());
}

/// How long the run-time array of a layout is when the contents have so many bytes; 0 where there is none.
std::uint64_t runtime_length(const Layout& layout, std::uint64_t bytes) {
  if (layout.kind == Layout::Kind::Array) {
    if (layout.runtime) return layout.stride == 0 ? 0 : bytes / layout.stride;
    return is_array_of_objects(layout) ? runtime_length(*layout.parts[0], bytes) : 0;
  }
  if (layout.kind != Layout::Kind::Struct || layout.parts.empty() || layout.offsets.back() > bytes) return 0;
  return runtime_length(*layout.parts.back(), bytes - layout.offsets.back());
}

std::string without_length(const std::string& name, const std::optional<BindingPlace>& at) {
  const std::string option = at ? ", or use " + buffer_words(Giver::CommandLine, *at) + "=zeros:64" : "";
  return name + " has a run-time array, and no input says how long it is: add a comment like \"@Input: " + name +
         " = {{1, 2, 3}}\"" + option;
}

bool has_runtime_array(const Layout& layout) {
  if (layout.runtime) return true;
  for (const Layout* part : layout.parts)
    if (has_runtime_array(*part)) return true;
  return false;
}

std::uint64_t bits_of(const InputValue& value, const ScalarType& type, std::uint32_t line) {
  if (value.is_list) throw Error({line, 0}, "braces stand where a number does: a scalar is a bare number");
  const std::string text = value.text == "true" ? "1" : value.text == "false" ? "0" : value.text;
  const bool is_float = type.kind == ScalarType::Kind::Float;
  const auto bits = literal_bits(text, is_float ? type.bits : 64U, is_float);
  if (!bits) throw Error({line, 0}, value.text + " is no value of this type");
  if (type.kind == ScalarType::Kind::Bool) return *bits != 0 ? 1 : 0;
  return cut(*bits, type.bits);
}

[[noreturn]] void fail_without_extent(const Instruction& variable, Giver giver, const std::string& name) {
  if (giver == Giver::Program)
    throw Error(variable.position, name + " is an image, and heddle::Module binds none; heddle spirv runs it");
  throw Error(variable.position,
              name +
                  " is an image, and nothing says how large it is: use --extent SET.BINDING=X,Y,Z, or add \"@Input: " +
                  name + " = {...}\"");
}

/// Names the scalars of a layout in the order of the type, up to so many.
void name_scalars(const Layout& layout, std::uint64_t pointer, const std::string& name, std::size_t most,
                  std::vector<NamedScalar>& out) {
  if (layout.kind == Layout::Kind::Scalar) {
    out.push_back({name, {object_of(pointer), offset_of(pointer), layout.scalar}});
    return;
  }
  const bool is_struct = layout.kind == Layout::Kind::Struct;
  const std::uint64_t count = is_struct ? layout.parts.size() : layout.count;
  for (std::uint64_t i = 0; i < count && out.size() < most; ++i)
    name_scalars(is_struct ? *layout.parts[i] : *layout.parts[0],
                 pointer + (is_struct ? layout.offsets[i] : i * layout.stride), name + '[' + std::to_string(i) + ']',
                 most, out);
}

}  // namespace

std::vector<NamedScalar> Dispatch::scalars(std::size_t most) const {
  std::vector<NamedScalar> out;
  const std::uint64_t groups = std::uint64_t{groups_[0]} * groups_[1] * groups_[2];
  for (const MemoryVariable& each : code_.variables) {
    const Home& home = homes_.at(each.id);
    if (objects_[home.first].constant) continue;
    for (std::uint64_t group = 0; group < (home.of_each_group != 0 ? groups : 1); ++group) {
      const std::size_t before = out.size();
      name_scalars(*home.layout, (home.first + group * home.of_each_group) * kObjectStride,
                   definitions_.spelled(each.id), most, out);
      if (home.of_each_group == 0 || groups == 1) continue;
      for (std::size_t i = before; i < out.size(); ++i) out[i].name += " of workgroup " + std::to_string(group);
    }
  }
  return out;
}

void Dispatch::make_objects() {
  objects_.emplace_back().name = "null";
  for (const MemoryVariable& each : code_.variables) {
    const Instruction& variable = *definitions_.find(each.id);
    homes_[each.id] = make_object(variable);
  }
  fill_push_constants();
  fill_addresses();
  for (const Input& input : header_.inputs) {
    const auto id = definitions_.find_named(input.name);
    if (!id || definitions_.find(*id) == nullptr)
      throw Error({input.line, 0}, "the module has no %" + input.name + ", or several");
    if (!is_specialization_constant(definitions_.find(*id)->op) && homes_.count(*id) == 0)
      throw Error({input.line, 0},
                  '%' + input.name + " has no memory that an input could fill, and is no specialization constant");
  }
  if (options_.giver == Giver::CommandLine) warn_of_lengths();
}

void Dispatch::warn_of_lengths() {
  const auto warn = [&](const std::string& input, const std::vector<std::uint8_t>& bytes, const Home& home) {
    const Object& object = objects_[home.first];
    std::string warning = length_warning(input, bytes.size(), object.name, object.size);
    if (!warning.empty()) warnings_.push_back(std::move(warning));
  };
  for (const auto& [place, bytes] : options_.buffers)
    if (const auto home = descriptors_.find(place); home != descriptors_.end())
      warn(buffer_words(options_.giver, place), bytes, home->second);
  for (const auto& [id, home] : homes_)
    if (options_.push_constants && storage_of(module_, *definitions_.find(id)) == StorageClass::PushConstant)
      warn(push_constants_words(options_.giver), *options_.push_constants, home);
}

bool Dispatch::is_used(const Instruction& variable) const {
  const auto known = std::find_if(code_.variables.begin(), code_.variables.end(),
                                  [&](const MemoryVariable& each) { return each.id == variable.result; });
  const Slot pointer = known->pointer;
  return std::any_of(code_.commands.begin(), code_.commands.end(), [&](const Command& each) {
    return each.a == pointer || each.b == pointer || each.c == pointer || each.d == pointer;
  });
}

// On the command line contents that are not given are undefined, and only a length has to be known.
void Dispatch::check_given(const Instruction& variable, const Layout& layout) const {
  if (input_of(variable) != nullptr || bytes_of(variable) != nullptr) return;
  const auto place = descriptor_of(variable);
  const std::string name = definitions_.spelled(variable.result);
  if (options_.giver == Giver::CommandLine) {
    if (has_runtime_array(layout)) throw Error(variable.position, without_length(name, place));
  } else if (place && is_used(variable)) {
    throw Error({}, "nothing is bound to " + spelled(*place) + " (" + name + ')');
  }
}

// Each scalar of memory has a cell, and of each byte it is known who looks at it.
void Dispatch::check_scalars(const Instruction& variable, const Layout& layout, std::uint64_t copies) const {
  constexpr std::uint64_t kBytesOfTexel = 16;
  std::uint64_t given = 0;
  for (const auto& [binding, bytes] : options_.buffers) given += bytes.size();
  for (const auto& [binding, size] : options_.extents)
    given += kBytesOfTexel * std::uint64_t{size[0]} * size[1] * size[2];
  std::uint64_t scalars = copies * std::min(scalars_of(layout), kMostScalars + given + 1);
  std::uint64_t bytes = 0;
  for (const Object& object : objects_) {
    scalars += object.cells.size();
    bytes += std::min(object.size, kMostBytes + given + 1);
  }
  if (scalars <= kMostScalars + given && bytes <= kMostBytes + given) return;
  throw Error(variable.position, definitions_.spelled(variable.result) +
                                     " is too large: memory whose contents are not given has at most " +
                                     std::to_string(kMostScalars) + " scalars in " + std::to_string(kMostBytes) +
                                     " bytes, those of all workgroups together");
}

const Input* Dispatch::input_of(const Instruction& variable) const {
  for (const Input& input : header_.inputs)
    if (definitions_.find_named(input.name) == variable.result) return &input;
  return nullptr;
}

const std::vector<std::uint8_t>* Dispatch::bytes_of(const Instruction& variable) const {
  if (storage_of(module_, variable) == StorageClass::PushConstant && options_.push_constants)
    return &*options_.push_constants;
  const auto descriptor = descriptor_of(variable);
  const auto found = descriptor ? options_.buffers.find(*descriptor) : options_.buffers.end();
  return found != options_.buffers.end() ? &found->second : nullptr;
}

std::optional<BindingPlace> Dispatch::descriptor_of(const Instruction& variable) const {
  const auto set = definitions_.literal(variable.result, spv::Decoration::DescriptorSet);
  const auto binding = definitions_.literal(variable.result, spv::Decoration::Binding);
  if (!set || !binding) return std::nullopt;
  return BindingPlace(*set, *binding);
}

const Layout& Dispatch::layout_of(const Instruction& variable, Home& home) {
  const Layout& bare = types_->variable_layout(variable);
  if (const auto shape = image_of(*types_, variable)) {
    home.extents = extents_of(variable, *shape);
    const Layout& image = image_layout(*types_, *shape, home.extents);
    if (!is_array_of_objects(bare)) return image;
    Layout descriptors = bare;
    descriptors.parts = {&image};
    descriptors.size = image.size;
    return types_->keep(descriptors);
  }
  const Input* input = input_of(variable);
  const std::vector<std::uint8_t>* bytes = bytes_of(variable);
  std::uint64_t length = 0;
  if (input != nullptr) length = runtime_length(bare, input->value);
  if (bytes != nullptr) length = runtime_length(bare, bytes->size());
  return length != 0 ? types_->variable_layout(variable, length) : bare;
}

// The braces of an input tell extents by how many members they have, the outermost the last extent; the braces of a
// multisampled texel tell how many samples it has.
std::vector<std::uint64_t> Dispatch::extents_of(const Instruction& variable, const ImageShape& shape) const {
  std::vector<std::uint64_t> out(shape.extents(), 1);
  const auto descriptor = descriptor_of(variable);
  const auto given = descriptor ? options_.extents.find(*descriptor) : options_.extents.end();
  const Input* input = input_of(variable);
  const std::vector<std::uint8_t>* bytes = bytes_of(variable);
  if (given != options_.extents.end()) {
    std::copy_n(given->second.begin(), shape.coordinates, out.begin());
  } else if (input != nullptr) {
    const InputValue* value = &input->value;
    if (is_array_of_objects(types_->variable_layout(variable)) && !value->members.empty()) value = &value->members[0];
    for (std::uint32_t i = shape.coordinates; i-- > 0 && value->is_list; value = &value->members[0]) {
      out[i] = value->members.size();
      if (value->members.empty()) break;
    }
    if (shape.multisampled && value->is_list) out[shape.coordinates] = value->members.size();
  } else if (bytes != nullptr && shape.coordinates == 1) {
    out[0] = bytes->size() / shape.format.bytes();
  } else {
    fail_without_extent(variable, options_.giver, definitions_.spelled(variable.result));
  }
  constexpr std::uint64_t kMostTexels = 1U << 24;
  std::uint64_t texels = 1;
  for (const std::uint64_t each : out) {
    texels *= each;
    if (texels > kMostTexels) throw Error(variable.position, "this image is too large");
  }
  return out;
}

Dispatch::Home Dispatch::make_object(const Instruction& variable) {
  Home home;
  const Layout& layout = layout_of(variable, home);
  const StorageClass storage = storage_of(module_, variable);
  const bool of_groups = storage == StorageClass::Workgroup;
  const auto place = descriptor_of(variable);
  const Instruction& pointee = types_->type(module_.operand(types_->type(variable.type, variable), 1), variable);
  const bool is_block = of_groups && definitions_.has(pointee.result, spv::Decoration::Block);
  std::uint64_t groups = 1;
  if (of_groups && !options_.on_device) groups = std::uint64_t{groups_[0]} * groups_[1] * groups_[2];
  home.layout = &layout;
  const auto descriptor = place ? descriptors_.find(*place) : descriptors_.end();
  const Home* other = descriptor != descriptors_.end() ? &descriptor->second
                      : is_block && workgroup_blocks_  ? &*workgroup_blocks_
                                                       : nullptr;
  if (other != nullptr) {
    if (objects_of(layout) > objects_of(*other->layout))
      throw Error(variable.position, definitions_.spelled(variable.result) +
                                         " shares its binding with a variable that has fewer descriptors");
    home.first = other->first;
    home.of_each_group = other->of_each_group;
    if (place && !definitions_.has(variable.result, spv::Decoration::Aliased))
      warnings_.push_back(definitions_.spelled(variable.result) +
                          " shares its binding with another variable, and is not decorated Aliased");
    for (std::uint64_t copy = 0; copy < groups; ++copy) {
      Object& object = objects_[home.first + copy * home.of_each_group];
      object.size = std::max(object.size, layout.size);
    }
  } else {
    check_given(variable, layout);
    home.first = add_objects(variable, layout, groups);
    home.of_each_group = of_groups ? objects_of(layout) : 0;
    if (place) descriptors_[*place] = home;
    if (is_block) workgroup_blocks_ = home;
  }
  if (options_.on_device && storage != StorageClass::PushConstant) return home;
  check_scalars(variable, layout, groups);
  for (std::uint64_t copy = 0; copy < groups; ++copy) {
    Home here = home;
    here.first += copy * home.of_each_group;
    fill(here, variable);
  }
  return home;
}

std::uint64_t Dispatch::add_objects(const Instruction& variable, const Layout& layout, std::uint64_t copies) {
  const std::uint64_t first = objects_.size();
  const std::uint64_t elements = objects_of(layout);
  if (elements > kMostObjects / copies) throw Error(variable.position, "this variable has too many descriptors");
  for (std::uint64_t i = 0; i < elements * copies; ++i) {
    Object& object = objects_.emplace_back();
    object.name = definitions_.spelled(variable.result);
    object.storage = storage_of(module_, variable);
    object.size = layout.size;
    object.coherent = definitions_.has(variable.result, spv::Decoration::Coherent);
    object.constant = object.storage == StorageClass::PushConstant || object.storage == StorageClass::UniformConstant;
    if (const auto shape = image_of(*types_, variable)) {
      object.storage = StorageClass::Image;
      object.constant = shape->read_only;
    }
  }
  return first;
}

// Another variable of the descriptor may know what the bytes hold: nothing defined gives way to what nothing defines.
void Dispatch::put(std::uint64_t pointer, const ScalarType& type, std::uint64_t bits) {
  constexpr std::uint64_t kMostScalarBytes = 8;
  const std::uint64_t offset = offset_of(pointer);
  const std::uint64_t end = offset + type.bytes();
  std::map<std::uint64_t, Cell>& cells = objects_[object_of(pointer)].cells;
  for (auto cell = cells.lower_bound(offset - std::min(offset, kMostScalarBytes));
       cell != cells.end() && cell->first < end;) {
    const bool overlaps = cell->first + cell->second.type.bytes() > offset;
    if (overlaps && is_token(bits)) return;
    cell = overlaps ? cells.erase(cell) : std::next(cell);
  }
  cells[offset] = {offset, type, bits};
}

void Dispatch::fill(const Home& home, const Instruction& variable) {
  const std::uint64_t base = home.first * kObjectStride;
  const std::vector<std::uint64_t>* initializer =
      variable.operand_count > 1 ? types_->constant(module_.operand(variable, 1), variable) : nullptr;
  std::size_t next = 0;
  // What nothing defines of an image is a word of a texel, as it is accessed.
  if (const auto shape = image_of(*types_, variable)) {
    const std::uint32_t bytes = shape->format.word_bytes();
    const ScalarType word{ScalarType::Kind::Int, static_cast<std::uint8_t>(8 * bytes), false};
    for (std::uint64_t object = home.first; object < home.first + objects_of(*home.layout); ++object)
      for (std::uint64_t offset = 0; offset < home.layout->size; offset += bytes)
        put(object * kObjectStride + offset, word, Tokens::of_memory(static_cast<std::uint32_t>(object), offset));
  }
  for_each_scalar(*home.layout, base, [&](std::uint64_t pointer, const ScalarType& type) {
    const auto object = static_cast<std::uint32_t>(object_of(pointer));
    std::uint64_t bits = Tokens::of_memory(object, offset_of(pointer));
    if (initializer != nullptr && next < initializer->size()) bits = (*initializer)[next];
    ++next;
    put(pointer, type, bits);
  });
  if (const std::vector<std::uint8_t>* bytes = bytes_of(variable)) return fill(home, *bytes);
  const Input* input = input_of(variable);
  if (input == nullptr) return;
  if (initializer != nullptr)
    throw Error({input->line, 0}, definitions_.spelled(variable.result) + " has an initializer, and takes no input");
  fill(*home.layout, base, input->value, input->line);
}

void Dispatch::fill(const Home& home, const std::vector<std::uint8_t>& bytes) {
  for_each_scalar(*home.layout, home.first * kObjectStride, [&](std::uint64_t pointer, const ScalarType& type) {
    const std::uint64_t offset = offset_of(pointer);
    if (offset + type.bytes() > bytes.size()) return;
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < type.bytes(); ++i) bits |= std::uint64_t{bytes[offset + i]} << (8 * i);
    put(pointer, type, bits);
  });
}

void Dispatch::fill(const Layout& layout, std::uint64_t pointer, const InputValue& value, std::uint32_t line) {
  if (!value.address_of.empty()) {
    if (layout.kind != Layout::Kind::Scalar || layout.scalar.bits != 64)
      throw Error({line, 0}, "an address stands where no pointer and no number of 64 bits does");
    addresses_.push_back({pointer, layout.scalar, value.address_of, line});
    return;
  }
  if (layout.kind == Layout::Kind::Scalar) return put(pointer, layout.scalar, bits_of(value, layout.scalar, line));
  const std::size_t wanted = layout.kind == Layout::Kind::Struct ? layout.parts.size() : layout.count;
  if (!value.is_list)
    throw Error({line, 0}, "a number stands where braces with " + std::to_string(wanted) + " values do");
  if (value.members.size() != wanted)
    throw Error({line, 0}, "braces have " + std::to_string(value.members.size()) + " values where the type has " +
                               std::to_string(wanted));
  for (std::size_t i = 0; i < wanted; ++i) {
    const bool is_struct = layout.kind == Layout::Kind::Struct;
    fill(is_struct ? *layout.parts[i] : *layout.parts[0], pointer + (is_struct ? layout.offsets[i] : i * layout.stride),
         value.members[i], line);
  }
}

void Dispatch::fill_addresses() {
  for (const Address& each : addresses_) {
    const auto id = definitions_.find_named(each.of);
    const auto home = id ? homes_.find(*id) : homes_.end();
    if (home == homes_.end()) throw Error({each.line, 0}, '%' + each.of + " has no address");
    put(each.pointer, each.type, home->second.first * kObjectStride);
  }
}

// What clspv's runtime puts into the block of push constants, whatever an input says.
void Dispatch::fill_push_constants() {
  const ScalarType word{ScalarType::Kind::Int, 32, false};
  for (const Instruction& instruction : module_.instructions) {
    if (instruction.op != Op::OpExtInst ||
        !definitions_.set_name(module_.operand(instruction, 0)).starts_with("NonSemantic.ClspvReflection."))
      continue;
    const std::array<std::uint32_t, 3> none{0, 0, 0};
    std::array<std::uint32_t, 3> values = none;
    switch (module_.operand(instruction, 1)) {
      case NonSemanticClspvReflectionPushConstantGlobalSize:
        values = {local_[0] * groups_[0], local_[1] * groups_[1], local_[2] * groups_[2]};
        break;
      case NonSemanticClspvReflectionPushConstantEnqueuedLocalSize:
        values = local_;
        break;
      case NonSemanticClspvReflectionPushConstantNumWorkgroups:
        values = groups_;
        break;
      case NonSemanticClspvReflectionPushConstantGlobalOffset:
      case NonSemanticClspvReflectionPushConstantRegionOffset:
      case NonSemanticClspvReflectionPushConstantRegionGroupOffset:
        break;
      default:
        continue;
    }
    const auto offset = types_->integer(module_.operand(instruction, 2), instruction);
    const auto size = types_->integer(module_.operand(instruction, 3), instruction);
    if (!offset || !size) continue;
    for (std::uint64_t object = 1; object < objects_.size(); ++object) {
      if (objects_[object].storage != StorageClass::PushConstant) continue;
      for (std::uint64_t i = 0; i < 3 && 4 * i < *size; ++i)
        put(object * kObjectStride + *offset + 4 * i, word, values[i]);
    }
  }
}

Location Dispatch::locate(const Condition::Term& term, std::uint32_t line) const {
  const auto id = definitions_.find_named(term.name);
  if (!id) throw Error({line, 0}, "the module has no %" + term.name + ", or several");
  const auto home = homes_.find(*id);
  if (home == homes_.end()) throw Error({line, 0}, '%' + term.name + " is no variable in memory");
  if (home->second.of_each_group != 0 && std::uint64_t{groups_[0]} * groups_[1] * groups_[2] > 1)
    throw Error({line, 0}, '%' + term.name + " is in Workgroup memory, which each workgroup has for itself");
  const Layout* layout = home->second.layout;
  std::uint64_t pointer = home->second.first * kObjectStride;
  for (const std::uint64_t index : term.indices) {
    const bool is_struct = layout->kind == Layout::Kind::Struct;
    const std::size_t count = is_struct ? layout->parts.size() : layout->count;
    if (layout->kind == Layout::Kind::Scalar || index >= count)
      throw Error({line, 0}, spell(term) + " is out of bounds");
    pointer += is_struct ? layout->offsets[index] : index * layout->stride;
    layout = is_struct ? layout->parts[index] : layout->parts[0];
  }
  if (layout->kind != Layout::Kind::Scalar) throw Error({line, 0}, spell(term) + " is no scalar: more indices follow");
  return {object_of(pointer), offset_of(pointer), layout->scalar};
}

}  // namespace heddle::spirv
