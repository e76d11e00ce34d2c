#include "emulator/spirv/formats.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace heddle::spirv {
namespace {

using Format = spv::ImageFormat;

struct FormatRow {
  Format format;
  TexelFormat texel;
};

constexpr std::array kRows{
    FormatRow{Format::Rgba32f, {TexelKind::Float, {32, 32, 32, 32}}},
    FormatRow{Format::Rg32f, {TexelKind::Float, {32, 32}}},
    FormatRow{Format::R32f, {TexelKind::Float, {32}}},
    FormatRow{Format::Rgba16f, {TexelKind::Float, {16, 16, 16, 16}}},
    FormatRow{Format::Rg16f, {TexelKind::Float, {16, 16}}},
    FormatRow{Format::R16f, {TexelKind::Float, {16}}},
    FormatRow{Format::Rgba16, {TexelKind::UnsignedNormal, {16, 16, 16, 16}}},
    FormatRow{Format::Rg16, {TexelKind::UnsignedNormal, {16, 16}}},
    FormatRow{Format::R16, {TexelKind::UnsignedNormal, {16}}},
    FormatRow{Format::Rgba8, {TexelKind::UnsignedNormal, {8, 8, 8, 8}}},
    FormatRow{Format::Rg8, {TexelKind::UnsignedNormal, {8, 8}}},
    FormatRow{Format::R8, {TexelKind::UnsignedNormal, {8}}},
    FormatRow{Format::Rgb10A2, {TexelKind::UnsignedNormal, {10, 10, 10, 2}}},
    FormatRow{Format::Rgba16Snorm, {TexelKind::SignedNormal, {16, 16, 16, 16}}},
    FormatRow{Format::Rg16Snorm, {TexelKind::SignedNormal, {16, 16}}},
    FormatRow{Format::R16Snorm, {TexelKind::SignedNormal, {16}}},
    FormatRow{Format::Rgba8Snorm, {TexelKind::SignedNormal, {8, 8, 8, 8}}},
    FormatRow{Format::Rg8Snorm, {TexelKind::SignedNormal, {8, 8}}},
    FormatRow{Format::R8Snorm, {TexelKind::SignedNormal, {8}}},
    FormatRow{Format::Rgba32i, {TexelKind::Signed, {32, 32, 32, 32}}},
    FormatRow{Format::Rg32i, {TexelKind::Signed, {32, 32}}},
    FormatRow{Format::R32i, {TexelKind::Signed, {32}}},
    FormatRow{Format::Rgba16i, {TexelKind::Signed, {16, 16, 16, 16}}},
    FormatRow{Format::Rg16i, {TexelKind::Signed, {16, 16}}},
    FormatRow{Format::R16i, {TexelKind::Signed, {16}}},
    FormatRow{Format::Rgba8i, {TexelKind::Signed, {8, 8, 8, 8}}},
    FormatRow{Format::Rg8i, {TexelKind::Signed, {8, 8}}},
    FormatRow{Format::R8i, {TexelKind::Signed, {8}}},
    FormatRow{Format::R64i, {TexelKind::Signed, {64}}},
    FormatRow{Format::Rgba32ui, {TexelKind::Unsigned, {32, 32, 32, 32}}},
    FormatRow{Format::Rg32ui, {TexelKind::Unsigned, {32, 32}}},
    FormatRow{Format::R32ui, {TexelKind::Unsigned, {32}}},
    FormatRow{Format::Rgba16ui, {TexelKind::Unsigned, {16, 16, 16, 16}}},
    FormatRow{Format::Rg16ui, {TexelKind::Unsigned, {16, 16}}},
    FormatRow{Format::R16ui, {TexelKind::Unsigned, {16}}},
    FormatRow{Format::Rgba8ui, {TexelKind::Unsigned, {8, 8, 8, 8}}},
    FormatRow{Format::Rg8ui, {TexelKind::Unsigned, {8, 8}}},
    FormatRow{Format::R8ui, {TexelKind::Unsigned, {8}}},
    FormatRow{Format::Rgb10a2ui, {TexelKind::Unsigned, {10, 10, 10, 2}}},
    FormatRow{Format::R64ui, {TexelKind::Unsigned, {64}}},
};

constexpr std::uint8_t kSingle = 32;

std::uint64_t single_bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

bool is_normal(TexelKind kind) {
  return kind == TexelKind::UnsignedNormal || kind == TexelKind::SignedNormal;
}

bool is_signed(TexelKind kind) {
  return kind == TexelKind::Signed || kind == TexelKind::SignedNormal;
}

/// The integer that stands for 1.
float greatest(TexelKind kind, std::uint8_t bits) {
  return static_cast<float>((1U << (kind == TexelKind::SignedNormal ? bits - 1U : bits)) - 1U);
}

/// Between words of a texel and its components.
class Packing {
 public:
  Packing(Sink& sink, const TexelFormat& format, const ScalarType& sampled)
      : sink_(sink), format_(format), sampled_(sampled), width_(static_cast<std::uint8_t>(8 * format.word_bytes())) {}

  Ref unpack(Ref word, std::uint32_t shift, std::uint8_t bits) {
    if (shift != 0) word = sink_.compute({Op::OpShiftRightLogical, 0, width_, width_, 32}, {word, constant(shift)});
    const Ref raw = convert(Op::OpUConvert, bits, width_, word);
    if (!is_normal(format_.kind)) return convert(conversion(), sampled_.bits, bits, raw);
    const Op to_float = is_signed(format_.kind) ? Op::OpConvertSToF : Op::OpConvertUToF;
    Ref out = sink_.compute({to_float, 0, kSingle, bits, bits}, {raw});
    out = sink_.compute({Op::OpFDiv, 0, kSingle, kSingle, kSingle},
                        {out, constant(single_bits(greatest(format_.kind, bits)))});
    // The smallest integer stands for -1, too.
    if (is_signed(format_.kind)) out = extended(GLSLstd450FMax, {out, constant(single_bits(-1.0F))});
    return convert(Op::OpFConvert, sampled_.bits, kSingle, out);
  }

  Ref pack(Ref component, std::uint32_t shift, std::uint8_t bits) {
    Ref raw = component;
    if (is_normal(format_.kind)) {
      const float least = is_signed(format_.kind) ? -1.0F : 0.0F;
      raw = convert(Op::OpFConvert, kSingle, sampled_.bits, raw);
      raw = extended(GLSLstd450NClamp, {raw, constant(single_bits(least)), constant(single_bits(1.0F))});
      raw = sink_.compute({Op::OpFMul, 0, kSingle, kSingle, kSingle},
                          {raw, constant(single_bits(greatest(format_.kind, bits)))});
      raw = extended(GLSLstd450RoundEven, {raw});
      const Op to_integer = is_signed(format_.kind) ? Op::OpConvertFToS : Op::OpConvertFToU;
      raw = sink_.compute({to_integer, 0, bits, kSingle, kSingle}, {raw});
    } else {
      raw = convert(conversion(), bits, sampled_.bits, raw);
    }
    raw = convert(Op::OpUConvert, width_, bits, raw);
    return shift == 0 ? raw : sink_.compute({Op::OpShiftLeftLogical, 0, width_, width_, 32}, {raw, constant(shift)});
  }

  Ref both(Ref a, Ref b) { return sink_.compute({Op::OpBitwiseOr, 0, width_, width_, width_}, {a, b}); }
  Ref constant(std::uint64_t bits) { return sink_.constant(bits); }

 private:
  Op conversion() const {
    if (format_.kind == TexelKind::Float) return Op::OpFConvert;
    return is_signed(format_.kind) ? Op::OpSConvert : Op::OpUConvert;
  }
  Ref convert(Op op, std::uint8_t to, std::uint8_t from, Ref value) {
    return to == from ? value : sink_.compute({op, 0, to, from, from}, {value});
  }
  Ref extended(std::uint32_t which, const std::vector<Ref>& of) {
    return sink_.compute({Op::OpExtInst, which, kSingle, kSingle, kSingle}, of);
  }

  Sink& sink_;
  const TexelFormat& format_;
  const ScalarType& sampled_;
  std::uint8_t width_;
};

std::uint64_t one(const ScalarType& sampled) {
  if (sampled.kind != ScalarType::Kind::Float) return 1;
  constexpr std::uint64_t kHalf = 0x3c00;
  return sampled.bits == 64 ? std::bit_cast<std::uint64_t>(1.0) : sampled.bits == 16 ? kHalf : single_bits(1.0F);
}

}  // namespace

std::uint32_t TexelFormat::components() const {
  return static_cast<std::uint32_t>(
      std::count_if(bits.begin(), bits.end(), [](std::uint8_t each) { return each != 0; }));
}

std::uint32_t TexelFormat::bytes() const {
  return std::accumulate(bits.begin(), bits.end(), 0U) / 8;
}

std::uint32_t TexelFormat::word_bytes() const {
  return bits[0] == 64 ? 8 : std::min(bytes(), 4U);
}

std::optional<ScalarType> TexelFormat::component() const {
  if (bits[0] % 8 != 0) return std::nullopt;
  return ScalarType{kind == TexelKind::Float ? ScalarType::Kind::Float : ScalarType::Kind::Int, bits[0],
                    kind == TexelKind::Float || is_signed(kind)};
}

std::optional<TexelFormat> texel_format(spv::ImageFormat format) {
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const FormatRow& each) { return each.format == format; });
  return row != kRows.end() ? std::optional(row->texel) : std::nullopt;
}

TexelFormat texel_format(const ScalarType& sampled) {
  TexelFormat out;
  const bool is_float = sampled.kind == ScalarType::Kind::Float;
  out.kind = is_float ? TexelKind::Float : sampled.is_signed ? TexelKind::Signed : TexelKind::Unsigned;
  out.bits.fill(sampled.bits);
  return out;
}

std::vector<Ref> unpack_texel(Sink& sink, const TexelFormat& format, const std::vector<Ref>& words,
                              const ScalarType& sampled) {
  Packing packing(sink, format, sampled);
  std::vector<Ref> out;
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < format.bits.size(); ++i) {
    if (format.bits[i] == 0) {
      out.push_back(packing.constant(i == 3 ? one(sampled) : 0));
      continue;
    }
    const std::uint32_t width = 8 * format.word_bytes();
    out.push_back(packing.unpack(words[at / width], at % width, format.bits[i]));
    at += format.bits[i];
  }
  return out;
}

std::vector<Ref> pack_texel(Sink& sink, const TexelFormat& format, const std::vector<Ref>& components,
                            const ScalarType& sampled) {
  Packing packing(sink, format, sampled);
  std::vector<Ref> out;
  const std::uint32_t width = 8 * format.word_bytes();
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < format.components(); ++i) {
    const Ref part = packing.pack(components[i], at % width, format.bits[i]);
    if (at % width == 0) {
      out.push_back(part);
    } else {
      out.back() = packing.both(out.back(), part);
    }
    at += format.bits[i];
  }
  return out;
}

}  // namespace heddle::spirv
