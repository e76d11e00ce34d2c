#include "emulator/spirv/translator.h"

/// \file
/// Images: a texel is words of memory that lie at a coordinate.

namespace heddle::spirv {
namespace {

constexpr std::uint32_t kSample = 0x40;
constexpr std::uint32_t kMakeTexelAvailable = 0x100;
constexpr std::uint32_t kMakeTexelVisible = 0x200;
constexpr std::uint32_t kNonPrivateTexel = 0x400;
constexpr std::uint32_t kVolatileTexel = 0x800;
/// Those of which heddle makes nothing: they choose what a sampler reads.
constexpr std::uint32_t kOfSamplers = 0x1 | 0x4 | 0x8 | 0x10 | 0x20 | 0x80 | 0x10000;

/// How many ids the bits of a mask of image operands below `bit` bring.
std::size_t ids_below(std::uint32_t mask, std::uint32_t bit) {
  std::size_t out = 0;
  for (std::uint32_t each = 1; each < bit; each <<= 1) {
    if ((mask & each) == 0) continue;
    if (each < kNonPrivateTexel) ++out;
  }
  return out;
}

MemoryOperands as_memory_operands(std::uint32_t mask) {
  MemoryOperands out = MemoryOperands::None;
  if ((mask & kMakeTexelAvailable) != 0) out |= MemoryOperands::MakePointerAvailable;
  if ((mask & kMakeTexelVisible) != 0) out |= MemoryOperands::MakePointerVisible;
  if ((mask & kNonPrivateTexel) != 0) out |= MemoryOperands::NonPrivatePointer;
  if ((mask & kVolatileTexel) != 0) out |= MemoryOperands::Volatile;
  return out;
}

}  // namespace

bool Translator::make_image(const Instruction& variable) {
  const auto shape = image_of(types_, variable);
  if (!shape) return false;
  Known out;
  out.type = variable.type;
  out.slots = {new_slot({ScalarType::Kind::Pointer, 64, false})};
  out.layout = &types_.variable_layout(variable);
  out.coherent = definitions_.has(variable.result, spv::Decoration::Coherent);
  out.is_volatile = definitions_.has(variable.result, spv::Decoration::Volatile);
  out.image = code_.images.size();
  code_.variables.push_back({variable.result, out.slots[0]});
  const std::vector<ScalarType> extents(shape->extents(), {ScalarType::Kind::Int, 64, false});
  code_.images.push_back({variable.result, *shape, new_slots(extents).front()});
  globals_[variable.result] = std::move(out);
  return true;
}

bool Translator::translate_image(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::OpImageRead:
    case Op::OpImageFetch:
      read_texel(instruction);
      return true;
    case Op::OpImageWrite:
      write_texel(instruction);
      return true;
    case Op::OpImageTexelPointer:
      texel_pointer(instruction);
      return true;
    case Op::OpImageQuerySize:
    case Op::OpImageQuerySizeLod:
    case Op::OpImageQuerySamples:
    case Op::OpImageQueryLevels:
      query_image(instruction);
      return true;
    case Op::OpLoad:
    case Op::OpImage:
    case Op::OpCopyObject: {
      Known of = known(module_.operand(instruction, 0));
      if (!of.image) return false;
      of.type = instruction.type;
      define(instruction.result, std::move(of));
      return true;
    }
    default:
      return false;
  }
}

Known Translator::image(std::size_t operand) {
  const Id id = module_.operand(*at_, operand);
  Known out = known(id);
  if (!out.image) fail(definitions_.spelled(id) + " is no image that heddle knows");
  if (out.out_of_bounds) emit(Act::Fault).detail = static_cast<std::uint32_t>(FaultKind::OutOfBounds);
  return out;
}

Slot Translator::wide(Slot slot, Id type) {
  const Instruction& of = types_.type(type, *at_);
  const std::uint8_t bits = types_.scalars(type, of).front().bits;
  return bits == 64 ? slot : compute({Op::OpSConvert, 0, 64, bits, bits}, {slot});
}

// Out of bounds all results are 0 if that is wanted; else it is undefined behaviour.
Translator::Texel Translator::texel(const Known& image, Id coordinate, std::optional<Id> sample,
                                    const std::vector<Slot>& results) {
  const ImageVariable of = code_.images[*image.image];
  const Operand at = operand(coordinate);
  if (at.parts.size() < of.shape.coordinates) fail("this coordinate has too few components");
  Slot inside = constant(1);
  Slot index = constant(0);
  const auto step = [&](Slot by, Slot extent) {
    const Slot fits = compute({Op::OpULessThan, 0, 1, 64, 64}, {by, extent});
    inside = compute({Op::OpLogicalAnd, 0, 1, 1, 1}, {inside, fits});
    index = compute({Op::OpIMul, 0, 64, 64, 64}, {index, extent});
    index = compute({Op::OpIAdd, 0, 64, 64, 64}, {index, by});
  };
  for (std::uint32_t i = of.shape.coordinates; i-- > 0;) step(wide(at.parts[i], at.type), of.extents + i);
  if (of.shape.multisampled) {
    if (!sample) fail("an image of several samples is accessed by the number of one");
    step(wide(scalar(*sample), operand(*sample).type), of.extents + of.shape.coordinates);
  }
  Texel out{new_slot({ScalarType::Kind::Pointer, 64, false}), new_label()};
  const std::uint32_t within = new_label();
  const std::uint32_t outside = new_label();
  Command& branch = emit(Act::Branch);
  branch.a = inside;
  branch.target = within;
  branch.otherwise = outside;
  place(outside);
  if (!robust_) emit(Act::Fault).detail = static_cast<std::uint32_t>(FaultKind::OutOfBounds);
  if (robust_) {
    for (const Slot result : results) move(result, constant(0));
    jump(out.behind);
  }
  place(within);
  const Slot base = pointer_slot(image);
  Command& command = emit(Act::Index);
  command.to = out.pointer;
  command.a = base;
  command.b = index;
  command.stride = of.shape.format.bytes();
  command.computation.bits = 64;
  return out;
}

std::optional<Id> Translator::sample_in(std::size_t mask_at) const {
  if (mask_at >= at_->operand_count) return std::nullopt;
  const std::uint32_t mask = module_.operand(*at_, mask_at);
  if ((mask & kSample) == 0) return std::nullopt;
  return module_.operand(*at_, mask_at + 1 + ids_below(mask, kSample));
}

AccessInfo Translator::texel_info(const Known& image, std::size_t mask_at) {
  AccessInfo out;
  const std::uint32_t mask = mask_at < at_->operand_count ? module_.operand(*at_, mask_at) : 0;
  if ((mask & kOfSamplers) != 0) fail("heddle runs no image operands that belong to samplers");
  const std::uint8_t bits = static_cast<std::uint8_t>(8 * code_.images[*image.image].shape.format.word_bytes());
  out.type = {ScalarType::Kind::Int, bits, false};
  out.operands = as_memory_operands(mask);
  out.coherent = image.coherent;
  if (image.is_volatile && code_.glsl450) out.operands |= MemoryOperands::Volatile;
  for (const std::uint32_t bit : {kMakeTexelAvailable, kMakeTexelVisible})
    if ((mask & bit) != 0) out.scope = scalar(module_.operand(*at_, mask_at + 1 + ids_below(mask, bit)));
  return out;
}

void Translator::read_texel(const Instruction& instruction) {
  const Known from = image(0);
  const ImageShape shape = code_.images[*from.image].shape;
  const AccessInfo info = texel_info(from, 2);
  Known out;
  out.type = instruction.type;
  const std::vector<ScalarType> types = types_.scalars(out.type, instruction);
  out.slots = new_slots(types);
  if (types.empty() || types.size() > shape.format.bits.size() || types.front().bits != shape.sampled.bits)
    fail("what is read is not of the image's type");
  const Texel at = texel(from, module_.operand(instruction, 1), sample_in(2), out.slots);
  std::vector<Slot> words;
  for (std::uint32_t offset = 0; offset < shape.format.bytes(); offset += shape.format.word_bytes()) {
    words.push_back(new_slot(info.type));
    Command& command = emit(Act::Load);
    command.to = words.back();
    command.a = at.pointer;
    command.offset = offset;
    command.detail = static_cast<std::uint32_t>(code_.accesses.size());
    code_.accesses.push_back(info);
  }
  const std::vector<Ref> components = unpack_texel(*this, shape.format, words, shape.sampled);
  for (std::size_t i = 0; i < out.slots.size(); ++i) move(out.slots[i], components[i]);
  place(at.behind);
  define(instruction.result, std::move(out));
}

void Translator::write_texel(const Instruction& instruction) {
  const Known to = image(0);
  const ImageShape shape = code_.images[*to.image].shape;
  if (shape.read_only) fail("this image is only sampled, and cannot be written");
  const AccessInfo info = texel_info(to, 3);
  const Operand value = operand(module_.operand(instruction, 2));
  // Without a format the image has as many components as are written.
  if (value.parts.size() < shape.format.components()) fail("the texel has fewer components than the image's format");
  const Texel at = texel(to, module_.operand(instruction, 1), sample_in(3), {});
  const std::vector<Ref> words = pack_texel(*this, shape.format, value.parts, shape.sampled);
  for (std::size_t i = 0; i < words.size(); ++i) {
    Command& command = emit(Act::Store);
    command.a = at.pointer;
    command.b = words[i];
    command.offset = i * shape.format.word_bytes();
    command.detail = static_cast<std::uint32_t>(code_.accesses.size());
    code_.accesses.push_back(info);
  }
  place(at.behind);
}

// Where it is out of bounds an atomic through it is as well, as a null pointer has no object.
void Translator::texel_pointer(const Instruction& instruction) {
  const Known of = image(0);
  const ImageShape shape = code_.images[*of.image].shape;
  if (shape.format.components() != 1 && shape.format.bits[0] != shape.sampled.bits)
    fail("atomics go to images of one component");
  const Slot result = new_slot({ScalarType::Kind::Pointer, 64, false});
  const std::optional<Id> sample = shape.multisampled ? std::optional(module_.operand(instruction, 2)) : std::nullopt;
  const Texel at = texel(of, module_.operand(instruction, 1), sample, {result});
  move(result, at.pointer);
  place(at.behind);
  Known out = pointer_from(result, instruction.type);
  out.coherent = of.coherent;
  out.is_volatile = of.is_volatile;
  define(instruction.result, std::move(out));
}

void Translator::query_image(const Instruction& instruction) {
  const Known of = image(0);
  const ImageVariable variable = code_.images[*of.image];
  const ImageShape& shape = variable.shape;
  const std::vector<ScalarType> types = types_.scalars(instruction.type, instruction);
  Known out;
  out.type = instruction.type;
  const auto cut_to = [&](Slot wide_one) {
    const std::uint8_t bits = types.front().bits;
    return bits == 64 ? wide_one : compute({Op::OpUConvert, 0, bits, 64, 64}, {wide_one});
  };
  if (instruction.op == Op::OpImageQueryLevels) {
    out.slots = {constant(1)};
  } else if (instruction.op == Op::OpImageQuerySamples) {
    out.slots = {shape.multisampled ? cut_to(variable.extents + shape.coordinates) : constant(1)};
  } else {
    const bool cube = shape.dim == spv::Dim::Cube;
    const std::uint32_t count = cube && !shape.arrayed ? 2 : shape.coordinates;
    for (std::uint32_t i = 0; i < count; ++i) {
      Slot extent = variable.extents + i;
      if (cube && i == 2) extent = compute({Op::OpUDiv, 0, 64, 64, 64}, {extent, constant(6)});
      out.slots.push_back(cut_to(extent));
    }
  }
  if (out.slots.size() != types.size()) fail("an image of this dimension has another number of extents");
  define(instruction.result, std::move(out));
}

}  // namespace heddle::spirv
