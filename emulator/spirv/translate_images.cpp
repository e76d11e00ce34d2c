#include "emulator/spirv/translate_images.h"

#include <bit>

/// \file
/// Images: a texel is words of memory that lie at a coordinate.

namespace heddle::spirv {
namespace {

constexpr std::uint32_t kSample = 0x40;
constexpr std::uint32_t kMakeTexelAvailable = 0x100;
constexpr std::uint32_t kMakeTexelVisible = 0x200;
constexpr std::uint32_t kNonPrivateTexel = 0x400;
constexpr std::uint32_t kVolatileTexel = 0x800;
/// The operands that choose what a sampler reads, which heddle does not run.
constexpr std::uint32_t kOfSamplers = 0x1 | 0x4 | 0x8 | 0x10 | 0x20 | 0x80 | 0x10000;

/// How many ids stand before that of `bit`, behind a mask of image operands without those of samplers.
std::size_t ids_below(std::uint32_t mask, std::uint32_t bit) {
  return static_cast<std::size_t>(std::popcount(mask & (bit - 1)));
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

bool ImageTranslator::make(const Instruction& variable) {
  const auto shape = image_of(t_.types_, variable);
  if (!shape) return false;
  Known out;
  out.type = variable.type;
  out.slots = {t_.new_slot({ScalarType::Kind::Pointer, 64, false})};
  out.layout = &t_.types_.variable_layout(variable);
  out.coherent = t_.definitions_.has(variable.result, spv::Decoration::Coherent);
  out.is_volatile = t_.definitions_.has(variable.result, spv::Decoration::Volatile);
  out.image = t_.code_.images.size();
  t_.code_.variables.push_back({variable.result, out.slots[0]});
  const std::vector<ScalarType> extents(shape->extents(), {ScalarType::Kind::Int, 64, false});
  t_.code_.images.push_back({variable.result, *shape, t_.new_slots(extents).front()});
  t_.globals_[variable.result] = std::move(out);
  return true;
}

bool ImageTranslator::translate(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::OpImageRead:
    case Op::OpImageFetch:
      read(instruction);
      return true;
    case Op::OpImageWrite:
      write(instruction);
      return true;
    case Op::OpImageTexelPointer:
      point(instruction);
      return true;
    case Op::OpImageQuerySize:
    case Op::OpImageQuerySizeLod:
    case Op::OpImageQuerySamples:
    case Op::OpImageQueryLevels:
      query(instruction);
      return true;
    case Op::OpLoad:
    case Op::OpImage:
    case Op::OpCopyObject: {
      Known of = t_.known(t_.module_.operand(instruction, 0));
      if (!of.image) return false;
      if (!image_shape(t_.types_, instruction.type, instruction))
        t_.fail("what stands for an image is not of an image's type");
      of.type = instruction.type;
      t_.define(instruction.result, std::move(of));
      return true;
    }
    default:
      return false;
  }
}

Known ImageTranslator::image(std::size_t operand) {
  const Id id = t_.module_.operand(where(), operand);
  Known out = t_.known(id);
  if (!out.image) t_.fail(t_.definitions_.spelled(id) + " is no image that heddle knows");
  if (out.bad_index) out.bad_index->put_into(t_.emit(Act::Fault));
  return out;
}

Slot ImageTranslator::wide(Slot slot, Id type) {
  const Instruction& of = t_.types_.type(type, where());
  const std::uint8_t bits = t_.types_.first_scalar(type, of).bits;
  return bits == 64 ? slot : t_.compute({Op::OpSConvert, 0, 64, bits, bits}, {slot});
}

// Out of bounds all results are 0 where the dispatch is robust; else the access is a fault.
ImageTranslator::Texel ImageTranslator::texel(const Known& image, Id coordinate, std::optional<Id> sample,
                                              const std::vector<Slot>& results) {
  const ImageVariable of = t_.code_.images[*image.image];
  const Operand at = t_.operand(coordinate);
  if (at.parts.size() < of.shape.coordinates) t_.fail("this coordinate has too few components");
  Slot inside = t_.constant(1);
  Slot index = t_.constant(0);
  std::vector<Slot> coordinates;
  const auto step = [&](Slot by, Slot extent) {
    coordinates.insert(coordinates.begin(), by);
    const Slot fits = t_.compute({Op::OpULessThan, 0, 1, 64, 64}, {by, extent});
    inside = t_.compute({Op::OpLogicalAnd, 0, 1, 1, 1}, {inside, fits});
    index = t_.compute({Op::OpIMul, 0, 64, 64, 64}, {index, extent});
    index = t_.compute({Op::OpIAdd, 0, 64, 64, 64}, {index, by});
  };
  for (std::uint32_t i = of.shape.coordinates; i-- > 0;) step(wide(at.parts[i], at.type), of.extents + i);
  if (of.shape.multisampled) {
    if (!sample) t_.fail("an image of several samples is accessed by the number of one");
    step(wide(t_.scalar(*sample), t_.operand(*sample).type), of.extents + of.shape.coordinates);
  }
  Texel out{t_.new_slot({ScalarType::Kind::Pointer, 64, false}), t_.new_label()};
  const std::uint32_t within = t_.new_label();
  const std::uint32_t outside = t_.new_label();
  Command& branch = t_.emit(Act::Branch);
  branch.a = inside;
  branch.target = within;
  branch.otherwise = outside;
  t_.place(outside);
  if (t_.robust_) {
    for (const Slot result : results) t_.move(result, t_.constant(0));
    t_.jump(out.behind);
  } else {
    Command& fault = t_.emit(Act::Fault);
    fault.detail = static_cast<std::uint32_t>(FaultKind::OutsideOfImage);
    fault.a = coordinates[0];
    if (coordinates.size() > 1) fault.b = coordinates[1];
    if (coordinates.size() > 2) fault.c = coordinates[2];
  }
  t_.place(within);
  const Slot base = t_.pointer_slot(image);
  Command& command = t_.emit(Act::Index);
  command.to = out.pointer;
  command.a = base;
  command.b = index;
  command.stride = of.shape.format.bytes();
  command.computation.bits = 64;
  return out;
}

std::optional<Id> ImageTranslator::sample_in(std::size_t mask_at) const {
  if (mask_at >= where().operand_count) return std::nullopt;
  const std::uint32_t mask = t_.module_.operand(where(), mask_at);
  if ((mask & kSample) == 0) return std::nullopt;
  return t_.module_.operand(where(), mask_at + 1 + ids_below(mask, kSample));
}

AccessInfo ImageTranslator::texel_info(const Known& image, std::size_t mask_at) {
  AccessInfo out;
  const std::uint32_t mask = mask_at < where().operand_count ? t_.module_.operand(where(), mask_at) : 0;
  if ((mask & kOfSamplers) != 0) t_.fail("heddle runs no image operands that belong to samplers");
  const std::uint8_t bits = static_cast<std::uint8_t>(8 * t_.code_.images[*image.image].shape.format.word_bytes());
  out.type = {ScalarType::Kind::Int, bits, false};
  out.operands = as_memory_operands(mask);
  out.coherent = image.coherent;
  if (image.is_volatile && t_.code_.glsl450) out.operands |= MemoryOperands::Volatile;
  for (const std::uint32_t bit : {kMakeTexelAvailable, kMakeTexelVisible})
    if ((mask & bit) != 0) out.scope = t_.scalar(t_.module_.operand(where(), mask_at + 1 + ids_below(mask, bit)));
  return out;
}

void ImageTranslator::access(Act act, const Texel& there, Slot value, std::uint64_t offset, const AccessInfo& info) {
  Command& command = t_.emit(act);
  (act == Act::Load ? command.to : command.b) = value;
  command.a = there.pointer;
  command.offset = offset;
  command.detail = static_cast<std::uint32_t>(t_.code_.accesses.size());
  t_.code_.accesses.push_back(info);
}

void ImageTranslator::read(const Instruction& instruction) {
  const Known from = image(0);
  const ImageShape shape = t_.code_.images[*from.image].shape;
  const AccessInfo info = texel_info(from, 2);
  Known out;
  out.type = instruction.type;
  const std::vector<ScalarType> types = t_.types_.scalars(out.type, instruction);
  out.slots = t_.new_slots(types);
  if (types.empty() || types.size() > shape.format.bits.size() || types.front().bits != shape.sampled.bits)
    t_.fail("what is read is not of the image's type");
  const Texel at = texel(from, t_.module_.operand(instruction, 1), sample_in(2), out.slots);
  std::vector<Slot> words;
  for (std::uint32_t offset = 0; offset < shape.format.bytes(); offset += shape.format.word_bytes()) {
    words.push_back(t_.new_slot(info.type));
    access(Act::Load, at, words.back(), offset, info);
  }
  const std::vector<Ref> components = unpack_texel(t_, shape.format, words, shape.sampled);
  for (std::size_t i = 0; i < out.slots.size(); ++i) t_.move(out.slots[i], components[i]);
  t_.place(at.behind);
  t_.define(instruction.result, std::move(out));
}

void ImageTranslator::write(const Instruction& instruction) {
  const Known to = image(0);
  const ImageShape shape = t_.code_.images[*to.image].shape;
  if (shape.read_only) t_.fail("this image is only sampled, and cannot be written");
  const AccessInfo info = texel_info(to, 3);
  const Operand value = t_.operand(t_.module_.operand(instruction, 2));
  // Without a format the image has as many components as are written.
  if (value.parts.size() < shape.format.components()) t_.fail("the texel has fewer components than the image's format");
  const Texel at = texel(to, t_.module_.operand(instruction, 1), sample_in(3), {});
  const std::vector<Ref> words = pack_texel(t_, shape.format, value.parts, shape.sampled);
  for (std::size_t i = 0; i < words.size(); ++i) access(Act::Store, at, words[i], i * shape.format.word_bytes(), info);
  t_.place(at.behind);
}

// A pointer that is out of bounds points behind all texels.
void ImageTranslator::point(const Instruction& instruction) {
  const Known of = image(0);
  const ImageShape shape = t_.code_.images[*of.image].shape;
  if (shape.format.components() != 1 && shape.format.bits[0] != shape.sampled.bits)
    t_.fail("atomics go to images of one component");
  const Slot result = t_.new_slot({ScalarType::Kind::Pointer, 64, false});
  const std::optional<Id> sample =
      shape.multisampled ? std::optional(t_.module_.operand(instruction, 2)) : std::nullopt;
  constexpr std::uint64_t kBehindAll = kObjectStride - 16;
  t_.move(result, t_.compute({Op::OpIAdd, 0, 64, 64, 64}, {t_.pointer_slot(of), t_.constant(kBehindAll)}));
  const Texel at = texel(of, t_.module_.operand(instruction, 1), sample, {});
  t_.move(result, at.pointer);
  t_.place(at.behind);
  Known out = t_.pointer_from({result}, instruction.type);
  out.coherent = of.coherent;
  out.is_volatile = of.is_volatile;
  t_.define(instruction.result, std::move(out));
}

void ImageTranslator::query(const Instruction& instruction) {
  const Known of = image(0);
  const ImageVariable variable = t_.code_.images[*of.image];
  const ImageShape& shape = variable.shape;
  const std::vector<ScalarType> types = t_.types_.scalars(instruction.type, instruction);
  Known out;
  out.type = instruction.type;
  const std::uint8_t bits = t_.types_.first_scalar(instruction.type, instruction).bits;
  const auto cut_to = [&](Slot wide_one) {
    return bits == 64 ? wide_one : t_.compute({Op::OpUConvert, 0, bits, 64, 64}, {wide_one});
  };
  if (instruction.op == Op::OpImageQueryLevels) {
    out.slots = {t_.constant(1)};
  } else if (instruction.op == Op::OpImageQuerySamples) {
    out.slots = {shape.multisampled ? cut_to(variable.extents + shape.coordinates) : t_.constant(1)};
  } else {
    const bool cube = shape.dim == spv::Dim::Cube;
    const std::uint32_t count = cube && !shape.arrayed ? 2 : shape.coordinates;
    for (std::uint32_t i = 0; i < count; ++i) {
      Slot extent = variable.extents + i;
      if (cube && i == 2) extent = t_.compute({Op::OpUDiv, 0, 64, 64, 64}, {extent, t_.constant(6)});
      out.slots.push_back(cut_to(extent));
    }
  }
  if (out.slots.size() != types.size()) t_.fail("an image of this dimension has another number of extents");
  t_.define(instruction.result, std::move(out));
}

}  // namespace heddle::spirv
