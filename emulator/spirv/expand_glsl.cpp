#include "emulator/spirv/expand_glsl.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <bit>

#include "emulator/spirv/glsl.h"
#include "emulator/spirv/grammar.h"
#include "emulator/spirv/matrices.h"
#include "emulator/spirv/numbers.h"

namespace heddle::spirv {
namespace {

using Refs = std::vector<Ref>;

class GlslExpander {
 public:
  GlslExpander(Sink& sink, Types& types, const Expression& e) : sink_(sink), types_(types), e_(e) {
    if (e.words.size() < 2) fail("OpExtInst lacks an operand");
    instruction_ = e.words[1];
    result_ = types.scalars(e.type, e.at);
    bits_ = result_.empty() ? std::uint8_t{32} : result_.front().bits;
  }

  Refs run();

 private:
  [[noreturn]] void fail(const std::string& message) const { throw Error(e_.at.position, message); }
  Ref scalar(std::size_t i) const {
    const Refs parts = operand(i).parts;
    if (parts.size() == 1) return parts[0];
    fail("an operand is no scalar");
  }
  Operand operand(std::size_t i) const {
    if (i + 2 >= e_.words.size()) fail("OpExtInst lacks an operand");
    Operand out = e_.operand(e_.words[i + 2]);
    if (out.parts.empty()) fail("an operand has no components");
    return out;
  }
  Ref number(double value) { return sink_.constant(float_bits(value, bits_)); }
  Ref integer(std::uint64_t value) { return sink_.constant(value); }
  Ref binary(Op op, Ref a, Ref b) { return sink_.compute({op, 0, bits_, bits_, bits_}, {a, b}); }
  Ref of_set(std::uint32_t instruction, const Refs& arguments) {
    return sink_.compute({Op::OpExtInst, instruction, bits_, bits_, bits_}, arguments);
  }
  Refs minus(const Refs& a, const Refs& b) {
    Refs out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back(binary(Op::OpFSub, a[i], b.at(i)));
    return out;
  }
  Refs times(const Refs& a, Ref factor) {
    Refs out;
    for (const Ref each : a) out.push_back(binary(Op::OpFMul, each, factor));
    return out;
  }
  Ref length(const Refs& a) { return of_set(GLSLstd450Sqrt, {dot(sink_, a, a, bits_)}); }
  Refs same_size(std::size_t i, const Refs& as) const {
    Refs out = operand(i).parts;
    if (out.size() != as.size()) fail("the vectors are not of one size");
    return out;
  }

  Refs each_component(std::size_t operands);
  Refs split(std::uint32_t first, std::uint32_t second);
  Refs cross();
  Refs face_forward();
  Refs reflect();
  Refs refract();
  Ref determinant(const std::vector<Refs>& m);
  Refs inverse();
  std::vector<Refs> square();
  Refs pack(double scale, bool is_signed, unsigned width);
  Refs unpack(double scale, bool is_signed, unsigned width);
  Refs pack_halves();
  Refs unpack_halves();

  Sink& sink_;
  Types& types_;
  const Expression& e_;
  std::uint32_t instruction_ = 0;
  std::vector<ScalarType> result_;
  std::uint8_t bits_ = 32;
};

Refs GlslExpander::run() {
  const std::size_t operands = glsl_operands(instruction_);
  if (operands != 0) return each_component(operands);
  switch (instruction_) {
    case GLSLstd450ModfStruct:
      return split(kModfFraction, kModfWhole);
    case GLSLstd450FrexpStruct:
      return split(kFrexpSignificand, kFrexpExponent);
    case GLSLstd450Length:
      return {length(operand(0).parts)};
    case GLSLstd450Distance: {
      const Refs a = operand(0).parts;
      return {length(minus(a, same_size(1, a)))};
    }
    case GLSLstd450Cross:
      return cross();
    case GLSLstd450Normalize: {
      const Refs a = operand(0).parts;
      return times(a, binary(Op::OpFDiv, number(1), length(a)));
    }
    case GLSLstd450FaceForward:
      return face_forward();
    case GLSLstd450Reflect:
      return reflect();
    case GLSLstd450Refract:
      return refract();
    case GLSLstd450Determinant:
      return {determinant(square())};
    case GLSLstd450MatrixInverse:
      return inverse();
    case GLSLstd450PackSnorm4x8:
      return pack(127, true, 8);
    case GLSLstd450PackUnorm4x8:
      return pack(255, false, 8);
    case GLSLstd450PackSnorm2x16:
      return pack(32767, true, 16);
    case GLSLstd450PackUnorm2x16:
      return pack(65535, false, 16);
    case GLSLstd450UnpackSnorm4x8:
      return unpack(127, true, 8);
    case GLSLstd450UnpackUnorm4x8:
      return unpack(255, false, 8);
    case GLSLstd450UnpackSnorm2x16:
      return unpack(32767, true, 16);
    case GLSLstd450UnpackUnorm2x16:
      return unpack(65535, false, 16);
    case GLSLstd450PackHalf2x16:
      return pack_halves();
    case GLSLstd450UnpackHalf2x16:
      return unpack_halves();
    case GLSLstd450PackDouble2x32: {
      const Refs a = operand(0).parts;
      if (a.size() != 2) fail("PackDouble2x32 takes two numbers");
      const Ref high = sink_.compute({Op::OpShiftLeftLogical, 0, 64, 64, 32}, {a[1], integer(32)});
      return {sink_.compute({Op::OpBitwiseOr, 0, 64, 64, 64}, {a[0], high})};
    }
    case GLSLstd450UnpackDouble2x32: {
      const Ref a = scalar(0);
      const Ref high = sink_.compute({Op::OpShiftRightLogical, 0, 64, 64, 32}, {a, integer(32)});
      return {sink_.compute({Op::OpUConvert, 0, 32, 64, 64}, {a}),
              sink_.compute({Op::OpUConvert, 0, 32, 64, 64}, {high})};
    }
    default:
      fail("heddle does not run " + std::string(extended_name("GLSL.std.450", instruction_)) + " of GLSL.std.450 (" +
           std::to_string(instruction_) + ")");
  }
}

Refs GlslExpander::each_component(std::size_t operands) {
  std::vector<Operand> all;
  for (std::size_t i = 0; i < operands; ++i) all.push_back(operand(i));
  const std::uint8_t from = types_.first_scalar(all[0].type, e_.at).bits;
  const std::uint8_t second = operands > 1 ? types_.first_scalar(all[1].type, e_.at).bits : from;
  Refs out;
  for (std::size_t i = 0; i < result_.size(); ++i) {
    Refs arguments;
    for (const Operand& each : all) {
      if (each.parts.size() != result_.size()) fail("the operands are not of one size");
      arguments.push_back(each.parts[i]);
    }
    out.push_back(sink_.compute({Op::OpExtInst, instruction_, result_[i].bits, from, second}, arguments));
  }
  return out;
}

Refs GlslExpander::split(std::uint32_t first, std::uint32_t second) {
  const Operand a = operand(0);
  const std::uint8_t from = types_.first_scalar(a.type, e_.at).bits;
  if (result_.size() != 2 * a.parts.size()) fail("the result has two members as large as the operand");
  Refs out;
  for (const Ref each : a.parts)
    out.push_back(sink_.compute({Op::OpExtInst, first, result_.front().bits, from, from}, {each}));
  for (const Ref each : a.parts)
    out.push_back(sink_.compute({Op::OpExtInst, second, result_.back().bits, from, from}, {each}));
  return out;
}

Refs GlslExpander::cross() {
  const Refs a = operand(0).parts;
  const Refs b = same_size(1, a);
  if (a.size() != 3) fail("Cross takes vectors of three components");
  const auto part = [&](std::size_t i, std::size_t j) {
    return binary(Op::OpFSub, binary(Op::OpFMul, a[i], b[j]), binary(Op::OpFMul, a[j], b[i]));
  };
  return {part(1, 2), part(2, 0), part(0, 1)};
}

Refs GlslExpander::face_forward() {
  const Refs n = operand(0).parts;
  const Refs i = same_size(1, n);
  const Refs reference = same_size(2, n);
  const Ref against =
      sink_.compute({Op::OpFOrdLessThan, 0, 1, bits_, bits_}, {dot(sink_, reference, i, bits_), number(0)});
  Refs out;
  for (const Ref each : n) {
    const Ref negated = sink_.compute({Op::OpFNegate, 0, bits_, bits_, bits_}, {each});
    out.push_back(sink_.compute({Op::OpSelect, 0, bits_, 1, bits_}, {against, each, negated}));
  }
  return out;
}

Refs GlslExpander::reflect() {
  const Refs i = operand(0).parts;
  const Refs n = same_size(1, i);
  return minus(i, times(n, binary(Op::OpFMul, number(2), dot(sink_, n, i, bits_))));
}

Refs GlslExpander::refract() {
  const Refs i = operand(0).parts;
  const Refs n = same_size(1, i);
  const Ref eta = scalar(2);
  const Ref cosine = dot(sink_, n, i, bits_);
  const Ref rest = binary(Op::OpFSub, number(1), binary(Op::OpFMul, cosine, cosine));
  const Ref k = binary(Op::OpFSub, number(1), binary(Op::OpFMul, binary(Op::OpFMul, eta, eta), rest));
  const Ref is_total = sink_.compute({Op::OpFOrdLessThan, 0, 1, bits_, bits_}, {k, number(0)});
  const Ref factor = binary(Op::OpFAdd, binary(Op::OpFMul, eta, cosine), of_set(GLSLstd450Sqrt, {k}));
  Refs out = minus(times(i, eta), times(n, factor));
  for (Ref& each : out) each = sink_.compute({Op::OpSelect, 0, bits_, 1, bits_}, {is_total, number(0), each});
  return out;
}

std::vector<Refs> GlslExpander::square() {
  const Refs all = operand(0).parts;
  std::size_t size = 2;
  while (size * size < all.size()) ++size;
  if (size * size != all.size() || size > 4) fail("this is no square matrix");
  bits_ = types_.first_scalar(operand(0).type, e_.at).bits;
  std::vector<Refs> out;
  for (std::size_t i = 0; i < size; ++i)
    out.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i * size),
                     all.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
  return out;
}

/// The matrix without one column and one row.
std::vector<Refs> minor_of(const std::vector<Refs>& m, std::size_t column, std::size_t row) {
  std::vector<Refs> out;
  for (std::size_t c = 0; c < m.size(); ++c) {
    if (c == column) continue;
    out.push_back(m[c]);
    out.back().erase(out.back().begin() + static_cast<std::ptrdiff_t>(row));
  }
  return out;
}

Ref GlslExpander::determinant(const std::vector<Refs>& m) {
  if (m.size() == 1) return m[0][0];
  Ref sum = 0;
  for (std::size_t c = 0; c < m.size(); ++c) {
    const Ref part = binary(Op::OpFMul, m[c][0], determinant(minor_of(m, c, 0)));
    sum = c == 0 ? part : binary(c % 2 == 0 ? Op::OpFAdd : Op::OpFSub, sum, part);
  }
  return sum;
}

Refs GlslExpander::inverse() {
  const std::vector<Refs> m = square();
  const Ref whole = determinant(m);
  Refs out;
  for (std::size_t c = 0; c < m.size(); ++c) {
    for (std::size_t r = 0; r < m.size(); ++r) {
      Ref part = determinant(minor_of(m, r, c));
      if ((c + r) % 2 != 0) part = sink_.compute({Op::OpFNegate, 0, bits_, bits_, bits_}, {part});
      out.push_back(binary(Op::OpFDiv, part, whole));
    }
  }
  return out;
}

Refs GlslExpander::pack(double scale, bool is_signed, unsigned width) {
  const Refs a = operand(0).parts;
  if (a.size() * width != 32) fail("the operand has not the number of components that are packed");
  Ref out = integer(0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Ref bounded = of_set(GLSLstd450NClamp, {a[i], number(is_signed ? -1 : 0), number(1)});
    const Ref whole = of_set(GLSLstd450RoundEven, {binary(Op::OpFMul, bounded, number(scale))});
    const Op convert = is_signed ? Op::OpConvertFToS : Op::OpConvertFToU;
    const Ref bits = sink_.compute({convert, 0, 32, 32, 32}, {whole});
    out = sink_.compute({Op::OpBitFieldInsert, 0, 32, 32, 32}, {out, bits, integer(i * width), integer(width)});
  }
  return {out};
}

Refs GlslExpander::unpack(double scale, bool is_signed, unsigned width) {
  const Ref a = scalar(0);
  Refs out;
  for (unsigned i = 0; i < 32 / width; ++i) {
    const Op extract = is_signed ? Op::OpBitFieldSExtract : Op::OpBitFieldUExtract;
    const Ref field = sink_.compute({extract, 0, 32, 32, 32}, {a, integer(std::uint64_t{i} * width), integer(width)});
    const Ref value = sink_.compute({is_signed ? Op::OpConvertSToF : Op::OpConvertUToF, 0, 32, 32, 32}, {field});
    const Ref scaled = binary(Op::OpFDiv, value, number(scale));
    out.push_back(is_signed ? of_set(GLSLstd450NClamp, {scaled, number(-1), number(1)}) : scaled);
  }
  return out;
}

Refs GlslExpander::pack_halves() {
  const Refs a = operand(0).parts;
  if (a.size() != 2) fail("PackHalf2x16 takes two numbers");
  const Ref low = sink_.compute({Op::OpExtInst, kToHalf, 16, 32, 32}, {a[0]});
  const Ref high = sink_.compute({Op::OpExtInst, kToHalf, 16, 32, 32}, {a[1]});
  return {sink_.compute({Op::OpBitFieldInsert, 0, 32, 32, 32}, {low, high, integer(16), integer(16)})};
}

Refs GlslExpander::unpack_halves() {
  const Ref a = scalar(0);
  const Ref high = sink_.compute({Op::OpShiftRightLogical, 0, 32, 32, 32}, {a, integer(16)});
  return {sink_.compute({Op::OpExtInst, kFromHalf, 32, 16, 16}, {a}),
          sink_.compute({Op::OpExtInst, kFromHalf, 32, 16, 16}, {high})};
}

}  // namespace

std::vector<Ref> expand_glsl(Sink& sink, Types& types, const Expression& expression) {
  const std::string set = expression.words.empty() ? std::string() : types.definitions().set_name(expression.words[0]);
  if (set != "GLSL.std.450")
    throw Error(expression.at.position, "heddle does not run instructions of the set \"" + set + '"');
  return GlslExpander(sink, types, expression).run();
}

}  // namespace heddle::spirv
