#include "emulator/spirv/expand.h"

#include "emulator/spirv/expand_glsl.h"
#include "emulator/spirv/matrices.h"

namespace heddle::spirv {
namespace {

using Refs = std::vector<Ref>;

class Expander {
 public:
  Expander(Sink& sink, Types& types, const Expression& e) : sink_(sink), types_(types), e_(e) {}

  std::optional<Refs> run();

 private:
  [[noreturn]] void fail(const std::string& message) const { throw Error(e_.at.position, message); }
  std::uint32_t word(std::size_t i) const {
    if (i < e_.words.size()) return e_.words[i];
    fail(std::string(name_of(e_.op)) + " lacks an operand");
  }
  Operand operand(std::size_t i) const { return e_.operand(word(i)); }
  Ref part_of(const Operand& of, std::size_t i) const {
    if (i < of.parts.size()) return of.parts[i];
    fail("an operand has too few components");
  }
  const std::vector<ScalarType>& scalars(Id type) const { return types_.scalars(type, e_.at); }

  std::optional<Refs> composite();
  Refs extract(const Operand& from, std::size_t first_index, Id* type = nullptr, std::size_t* begin = nullptr);
  Refs insert();
  Refs shuffle();
  Refs construct();
  Refs extract_dynamic();
  Refs insert_dynamic();
  Refs select();
  Refs bitcast();
  Refs with_carry();
  Refs reduce(Op op);
  Refs dot_of_integers();
  Refs each_component();

  Sink& sink_;
  Types& types_;
  const Expression& e_;
};

std::optional<Refs> Expander::run() {
  switch (e_.op) {
    case Op::OpSelect:
      return select();
    case Op::OpBitcast:
      return bitcast();
    case Op::OpIAddCarry:
    case Op::OpISubBorrow:
    case Op::OpUMulExtended:
    case Op::OpSMulExtended:
      return with_carry();
    case Op::OpAny:
      return reduce(Op::OpLogicalOr);
    case Op::OpAll:
      return reduce(Op::OpLogicalAnd);
    case Op::OpSDot:
    case Op::OpUDot:
    case Op::OpSUDot:
    case Op::OpSDotAccSat:
    case Op::OpUDotAccSat:
    case Op::OpSUDotAccSat:
      return dot_of_integers();
    case Op::OpExtInst:
      return expand_glsl(sink_, types_, e_);
    default:
      break;
  }
  if (auto parts = composite()) return parts;
  if (auto parts = expand_matrices(sink_, types_, e_)) return parts;
  if (!componentwise(e_.op).is_so) return std::nullopt;
  return each_component();
}

std::optional<Refs> Expander::composite() {
  switch (e_.op) {
    case Op::OpCompositeConstruct:
      return construct();
    case Op::OpCompositeExtract:
      return extract(operand(0), 1);
    case Op::OpCompositeInsert:
      return insert();
    case Op::OpVectorShuffle:
      return shuffle();
    case Op::OpVectorExtractDynamic:
      return extract_dynamic();
    case Op::OpVectorInsertDynamic:
      return insert_dynamic();
    case Op::OpCopyObject:
    case Op::OpCopyLogical:
    case Op::OpExpectKHR:
      return operand(0).parts;
    default:
      return std::nullopt;
  }
}

Refs Expander::construct() {
  Refs out;
  for (std::size_t i = 0; i < e_.words.size(); ++i) {
    const Operand part = operand(i);
    out.insert(out.end(), part.parts.begin(), part.parts.end());
  }
  if (out.size() != scalars(e_.type).size()) fail("the constituents are not as many as the type has");
  return out;
}

Refs Expander::extract(const Operand& from, std::size_t first_index, Id* type, std::size_t* begin) {
  std::size_t at = 0;
  Id of = from.type;
  for (std::size_t i = first_index; i < e_.words.size(); ++i) {
    const auto [before, part] = types_.member(of, e_.words[i], e_.at);
    at += before;
    of = part;
  }
  if (type != nullptr) *type = of;
  if (begin != nullptr) *begin = at;
  const std::size_t count = scalars(of).size();
  if (at + count > from.parts.size()) fail("there is no such member");
  return {from.parts.begin() + static_cast<std::ptrdiff_t>(at),
          from.parts.begin() + static_cast<std::ptrdiff_t>(at + count)};
}

Refs Expander::insert() {
  const Operand object = operand(0);
  Operand into = operand(1);
  std::size_t begin = 0;
  const Refs replaced = extract(into, 2, nullptr, &begin);
  if (replaced.size() != object.parts.size()) fail("what is inserted is not as large as what it replaces");
  for (std::size_t i = 0; i < object.parts.size(); ++i) into.parts[begin + i] = object.parts[i];
  return into.parts;
}

Refs Expander::shuffle() {
  Refs all = operand(0).parts;
  const Refs second = operand(1).parts;
  all.insert(all.end(), second.begin(), second.end());
  Refs out;
  for (std::size_t i = 2; i < e_.words.size(); ++i) {
    if (e_.words[i] == 0xffffffffU) {
      out.push_back(sink_.constant(kUndefinedConstant));
    } else if (e_.words[i] < all.size()) {
      out.push_back(all[e_.words[i]]);
    } else {
      fail("the vectors have no component " + std::to_string(e_.words[i]));
    }
  }
  return out;
}

// An index that is out of range leaves the value open: the last component is one.
Refs Expander::extract_dynamic() {
  const Operand from = operand(0);
  const Operand index = operand(1);
  if (from.parts.empty() || index.parts.size() != 1) fail("a component of a vector is named by one number");
  const ScalarType element = types_.first_scalar(e_.type, e_.at);
  const std::uint8_t width = types_.first_scalar(index.type, e_.at).bits;
  Ref out = from.parts.back();
  for (std::size_t i = from.parts.size() - 1; i-- > 0;) {
    const Ref here = sink_.compute({Op::OpIEqual, 0, 1, width, width}, {index.parts[0], sink_.constant(i)});
    out = sink_.compute({Op::OpSelect, 0, element.bits, 1, element.bits}, {here, from.parts[i], out});
  }
  return {out};
}

Refs Expander::insert_dynamic() {
  Refs out = operand(0).parts;
  const Operand component = operand(1);
  const Operand index = operand(2);
  if (component.parts.size() != 1 || index.parts.size() != 1) fail("a component of a vector is named by one number");
  const std::uint8_t bits = types_.first_scalar(component.type, e_.at).bits;
  const std::uint8_t width = types_.first_scalar(index.type, e_.at).bits;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Ref here = sink_.compute({Op::OpIEqual, 0, 1, width, width}, {index.parts[0], sink_.constant(i)});
    out[i] = sink_.compute({Op::OpSelect, 0, bits, 1, bits}, {here, component.parts[0], out[i]});
  }
  return out;
}

Refs Expander::select() {
  const Operand condition = operand(0);
  const Operand yes = operand(1);
  const Operand no = operand(2);
  const std::vector<ScalarType> types = scalars(e_.type);
  if (condition.parts.empty() || yes.parts.size() != types.size() || no.parts.size() != types.size() ||
      (condition.parts.size() != 1 && condition.parts.size() != types.size()))
    fail("the operands of OpSelect are not of one size");
  Refs out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Ref decides = condition.parts.size() == 1 ? condition.parts[0] : condition.parts[i];
    out.push_back(
        sink_.compute({Op::OpSelect, 0, types[i].bits, 1, types[i].bits}, {decides, yes.parts[i], no.parts[i]}));
  }
  return out;
}

// The lowest component holds the lowest bits.
Refs Expander::bitcast() {
  const Operand from = operand(0);
  const std::vector<ScalarType> to = scalars(e_.type);
  const std::vector<ScalarType> of = scalars(from.type);
  if (to.empty() || of.empty()) fail("OpBitcast takes and gives numbers");
  if (to.size() == of.size()) return from.parts;
  Refs out;
  const std::uint8_t wide = to[0].bits;
  const std::uint8_t narrow = of[0].bits;
  if (std::size_t{wide} * to.size() != std::size_t{narrow} * of.size()) fail("OpBitcast keeps the number of bits");
  const auto shifted = [&](Op op, Ref value, std::size_t amount, std::uint8_t bits) {
    return sink_.compute({op, 0, bits, bits, 32}, {value, sink_.constant(amount)});
  };
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (wide < narrow) {
      const std::size_t each = narrow / wide;
      const Ref part = shifted(Op::OpShiftRightLogical, from.parts[i / each], (i % each) * wide, narrow);
      out.push_back(sink_.compute({Op::OpUConvert, 0, wide, narrow, narrow}, {part}));
      continue;
    }
    const std::size_t each = wide / narrow;
    Ref all = sink_.compute({Op::OpUConvert, 0, wide, narrow, narrow}, {from.parts[i * each]});
    for (std::size_t part = 1; part < each; ++part) {
      const Ref next = sink_.compute({Op::OpUConvert, 0, wide, narrow, narrow}, {from.parts[i * each + part]});
      all = sink_.compute({Op::OpBitwiseOr, 0, wide, wide, wide},
                          {all, shifted(Op::OpShiftLeftLogical, next, part * narrow, wide)});
    }
    out.push_back(all);
  }
  return out;
}

Refs Expander::with_carry() {
  const Operand a = operand(0);
  const Operand b = operand(1);
  if (a.parts.size() != b.parts.size() || a.parts.empty()) fail("the operands are not of one size");
  const std::uint8_t bits = types_.first_scalar(a.type, e_.at).bits;
  Op low = Op::OpIMul;
  std::uint32_t high = e_.op == Op::OpSMulExtended ? kMulHighSigned : kMulHighUnsigned;
  if (e_.op == Op::OpIAddCarry) low = Op::OpIAdd, high = kCarry;
  if (e_.op == Op::OpISubBorrow) low = Op::OpISub, high = kBorrow;
  Refs out;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    out.push_back(sink_.compute({low, 0, bits, bits, bits}, {a.parts[i], b.parts[i]}));
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    out.push_back(sink_.compute({Op::OpExtInst, high, bits, bits, bits}, {a.parts[i], b.parts[i]}));
  return out;
}

Refs Expander::reduce(Op op) {
  const Refs all = operand(0).parts;
  if (all.empty()) fail("there is nothing to reduce");
  Ref out = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) out = sink_.compute({op, 0, 1, 1, 1}, {out, all[i]});
  return {out};
}

Refs Expander::dot_of_integers() {
  const Operand a = operand(0);
  const Operand b = operand(1);
  const std::uint8_t bits = types_.first_scalar(e_.type, e_.at).bits;
  const bool accumulates = e_.op == Op::OpSDotAccSat || e_.op == Op::OpUDotAccSat || e_.op == Op::OpSUDotAccSat;
  const bool unsigned_first = e_.op == Op::OpUDot || e_.op == Op::OpUDotAccSat;
  const bool unsigned_second = unsigned_first || e_.op == Op::OpSUDot || e_.op == Op::OpSUDotAccSat;
  const std::uint8_t from = types_.first_scalar(a.type, e_.at).bits;
  const bool packed = a.parts.size() == 1;
  const auto component = [&](const Operand& of, std::size_t i, bool is_unsigned) {
    Ref part = part_of(of, packed ? 0 : i);
    std::uint8_t width = from;
    if (packed) {
      part = sink_.compute({Op::OpBitFieldUExtract, 0, 32, 32, 32}, {part, sink_.constant(8 * i), sink_.constant(8)});
      width = 8;
    }
    return sink_.compute({is_unsigned ? Op::OpUConvert : Op::OpSConvert, 0, bits, width, width}, {part});
  };
  const std::size_t count = packed ? 4 : a.parts.size();
  if (a.parts.size() != b.parts.size()) fail("the vectors are not of one size");
  Ref sum = sink_.constant(0);
  for (std::size_t i = 0; i < count; ++i) {
    const Ref product = sink_.compute({Op::OpIMul, 0, bits, bits, bits},
                                      {component(a, i, unsigned_first), component(b, i, unsigned_second)});
    sum = sink_.compute({Op::OpIAdd, 0, bits, bits, bits}, {sum, product});
  }
  if (!accumulates) return {sum};
  const std::uint32_t saturating = unsigned_first ? kAddSaturatingUnsigned : kAddSaturatingSigned;
  return {sink_.compute({Op::OpExtInst, saturating, bits, bits, bits}, {sum, part_of(operand(2), 0)})};
}

Refs Expander::each_component() {
  const std::vector<ScalarType> results = scalars(e_.type);
  std::vector<Operand> operands;
  const std::size_t count = componentwise(e_.op).operands;
  for (std::size_t i = 0; i < count; ++i) operands.push_back(operand(i));
  Computation c{e_.op, 0, 32, 32, 32};
  if (count > 0 && !operands[0].parts.empty()) c.from = types_.first_scalar(operands[0].type, e_.at).bits;
  if (count > 1 && !operands[1].parts.empty()) c.second = types_.first_scalar(operands[1].type, e_.at).bits;
  Refs out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    c.bits = results[i].bits;
    Refs arguments;
    for (const Operand& each : operands) {
      // Offset and count of a bit field are scalars.
      if (each.parts.size() != results.size() && each.parts.size() != 1) fail("the operands are not of one size");
      arguments.push_back(each.parts.size() == 1 ? each.parts[0] : each.parts[i]);
    }
    out.push_back(sink_.compute(c, arguments));
  }
  return out;
}

}  // namespace

Componentwise componentwise(Op op) {
  const auto opcode = static_cast<std::uint32_t>(op);
  const auto between = [opcode](Op first, Op last) {
    return opcode >= static_cast<std::uint32_t>(first) && opcode <= static_cast<std::uint32_t>(last);
  };
  if (op == Op::OpSatConvertSToU || op == Op::OpSatConvertUToS || op == Op::OpPtrCastToGeneric ||
      op == Op::OpGenericCastToPtr)
    return {};
  if (between(Op::OpConvertFToU, Op::OpConvertUToPtr) || op == Op::OpSNegate || op == Op::OpFNegate ||
      op == Op::OpNot || op == Op::OpLogicalNot || op == Op::OpBitReverse || op == Op::OpBitCount ||
      op == Op::OpIsNan || op == Op::OpIsInf)
    return {true, 1};
  if (between(Op::OpIAdd, Op::OpFMod) || between(Op::OpLogicalEqual, Op::OpLogicalAnd) ||
      between(Op::OpIEqual, Op::OpFUnordGreaterThanEqual) || between(Op::OpShiftRightLogical, Op::OpBitwiseAnd) ||
      op == Op::OpPtrEqual || op == Op::OpPtrNotEqual)
    return {true, 2};
  if (op == Op::OpBitFieldInsert) return {true, 4};
  if (op == Op::OpBitFieldSExtract || op == Op::OpBitFieldUExtract) return {true, 3};
  return {};
}

std::optional<std::vector<Ref>> expand(Sink& sink, Types& types, const Expression& expression) {
  return Expander(sink, types, expression).run();
}

}  // namespace heddle::spirv
