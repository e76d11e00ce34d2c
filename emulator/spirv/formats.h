#pragma once

/// \file
/// How the texels of images lie in memory, and what instructions see of them.

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/spirv/expand.h"

namespace heddle::spirv {

/// What a component of a texel stands for.
enum class TexelKind : std::uint8_t {
  Float,
  Unsigned,
  Signed,
  /// An unsigned or signed integer that stands for a number from 0, or -1, to 1.
  UnsignedNormal,
  SignedNormal,
};

/// A texel: its components lie one behind the other, the first in the lowest bits.
struct TexelFormat {
  TexelKind kind = TexelKind::Float;
  /// 0: there is no such component.
  std::array<std::uint8_t, 4> bits{};

  std::uint32_t components() const;
  std::uint32_t bytes() const;
  /// An access to a texel is one of so many bytes for each word of it.
  std::uint32_t word_bytes() const;
  /// What each component is in memory; nothing if components are no whole bytes.
  std::optional<ScalarType> component() const;
};

/// Nothing for a format that heddle does not run, and for Unknown.
std::optional<TexelFormat> texel_format(spv::ImageFormat format);
/// What an image without a format has: four components of its sampled type.
TexelFormat texel_format(const ScalarType& sampled);

/// Takes the words of a texel apart: four components of the type, those that the format lacks being 0, 0, 0, 1.
std::vector<Ref> unpack_texel(Sink& sink, const TexelFormat& format, const std::vector<Ref>& words,
                              const ScalarType& sampled);
/// The words of a texel that holds these components, which are at least as many as the format has.
std::vector<Ref> pack_texel(Sink& sink, const TexelFormat& format, const std::vector<Ref>& components,
                            const ScalarType& sampled);

}  // namespace heddle::spirv
