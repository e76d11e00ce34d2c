#include "emulator/spirv/images.h"

namespace heddle::spirv {
namespace {

std::uint32_t coordinates_of(spv::Dim dim, bool arrayed, const Instruction& at) {
  switch (dim) {
    case spv::Dim::Buffer:
      return 1;
    case spv::Dim::Dim1D:
      return arrayed ? 2 : 1;
    case spv::Dim::Dim2D:
    case spv::Dim::Rect:
      return arrayed ? 3 : 2;
    case spv::Dim::Dim3D:
    case spv::Dim::Cube:
      return 3;
    default:
      throw Error(at.position, "heddle does not run images of this dimension");
  }
}

}  // namespace

std::optional<ImageShape> image_shape(const Types& types, Id id, const Instruction& at) {
  const Module& module = types.definitions().module();
  const Instruction* type = &types.type(id, at);
  for (int depth = 0; depth < 3; ++depth)
    if (type->op == Op::OpTypeArray || type->op == Op::OpTypeRuntimeArray || type->op == Op::OpTypeSampledImage)
      type = &types.type(module.operand(*type, 0), at);
  if (type->op != Op::OpTypeImage) return std::nullopt;
  ImageShape out;
  const auto sampled = scalar_type(module, types.type(module.operand(*type, 0), *type));
  out.dim = static_cast<spv::Dim>(module.operand(*type, 1));
  out.arrayed = module.operand(*type, 3) != 0;
  out.multisampled = module.operand(*type, 4) != 0;
  out.read_only = module.operand(*type, 5) == 1;
  out.coordinates = coordinates_of(out.dim, out.arrayed, *type);
  if (!sampled) throw Error(type->position, "the sampled type of this image is no number");
  out.sampled = *sampled;
  const auto format = static_cast<spv::ImageFormat>(module.operand(*type, 6));
  const auto known = texel_format(format);
  if (!known && format != spv::ImageFormat::Unknown)
    throw Error(type->position, "heddle does not run images of this format");
  out.format = known.value_or(texel_format(*sampled));
  return out;
}

std::optional<ImageShape> image_of(const Types& types, const Instruction& variable) {
  const Id pointee = types.definitions().module().operand(types.type(variable.type, variable), 1);
  return image_shape(types, pointee, variable);
}

const Layout& image_layout(Types& types, const ImageShape& shape, std::span<const std::uint64_t> extents) {
  Layout scalar;
  const std::optional<ScalarType> component = shape.format.component();
  scalar.scalar = component.value_or(ScalarType{ScalarType::Kind::Int, 32, false});
  scalar.size = scalar.scalar.bytes();
  const Layout* out = &types.keep(scalar);
  const auto several = [&](std::uint64_t count) {
    Layout array;
    array.kind = Layout::Kind::Array;
    array.parts = {out};
    array.count = count;
    array.stride = out->size;
    array.size = count * out->size;
    out = &types.keep(array);
  };
  if (component && shape.format.components() > 1) several(shape.format.components());
  if (shape.multisampled) several(extents[shape.coordinates]);
  for (std::uint32_t i = 0; i < shape.coordinates; ++i) several(extents[i]);
  return *out;
}

}  // namespace heddle::spirv
