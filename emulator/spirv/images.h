#pragma once

/// \file
/// What an image is: how many coordinates a texel has, and how it lies in memory.

#include <optional>
#include <span>

#include "emulator/spirv/formats.h"

namespace heddle::spirv {

struct ImageShape {
  /// How many coordinates a texel has; the faces and layers of an image are one of them, the last.
  std::uint32_t coordinates = 1;
  spv::Dim dim = spv::Dim::Dim2D;
  bool arrayed = false;
  bool multisampled = false;
  /// Only sampled: nobody can write it.
  bool read_only = false;
  ScalarType sampled;
  TexelFormat format;

  /// Numbers that say how large it is: one for each coordinate, from the innermost, then the samples of a texel.
  std::uint32_t extents() const { return coordinates + (multisampled ? 1U : 0U); }
};

/// The image that a type is, or is an array of; nothing for another type. Throws Error for an image that heddle does
/// not run.
std::optional<ImageShape> image_shape(const Types& types, Id type, const Instruction& at);
/// The image that a variable holds.
std::optional<ImageShape> image_of(const Types& types, const Instruction& variable);

/// Where the components of all texels lie.
const Layout& image_layout(Types& types, const ImageShape& shape, std::span<const std::uint64_t> extents);

}  // namespace heddle::spirv
