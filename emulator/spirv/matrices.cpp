#include "emulator/spirv/matrices.h"

namespace heddle::spirv {
namespace {

using Refs = std::vector<Ref>;

/// A matrix by columns; a vector is one of one column.
struct Columns {
  std::vector<Refs> columns;
  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  Refs row(std::size_t at) const {
    Refs out;
    for (const Refs& column : columns) out.push_back(column[at]);
    return out;
  }
};

Columns columns_of(Types& types, const Operand& operand, const Instruction& at) {
  const Instruction& type = types.type(operand.type, at);
  const std::size_t count = type.op == Op::OpTypeMatrix ? types.definitions().module().operand(type, 1) : 1;
  Columns out;
  if (count == 0 || operand.parts.size() % count != 0) throw Error(at.position, "this is no matrix");
  const std::size_t rows = operand.parts.size() / count;
  for (std::size_t i = 0; i < count; ++i)
    out.columns.emplace_back(operand.parts.begin() + static_cast<std::ptrdiff_t>(i * rows),
                             operand.parts.begin() + static_cast<std::ptrdiff_t>((i + 1) * rows));
  return out;
}

Refs times(Sink& sink, const Refs& all, Ref factor, std::uint8_t bits) {
  Refs out;
  for (const Ref each : all) out.push_back(sink.compute({Op::OpFMul, 0, bits, bits, bits}, {each, factor}));
  return out;
}

Refs product(Sink& sink, const Columns& a, const Columns& b, std::uint8_t bits, const Instruction& at) {
  if (b.rows() != a.columns.size()) throw Error(at.position, "the sizes of the matrices do not fit");
  Refs out;
  for (const Refs& column : b.columns)
    for (std::size_t row = 0; row < a.rows(); ++row) out.push_back(dot(sink, a.row(row), column, bits));
  return out;
}

}  // namespace

Ref dot(Sink& sink, const std::vector<Ref>& a, const std::vector<Ref>& b, std::uint8_t bits) {
  Ref sum = sink.compute({Op::OpFMul, 0, bits, bits, bits}, {a[0], b[0]});
  for (std::size_t i = 1; i < a.size(); ++i)
    sum = sink.compute({Op::OpFAdd, 0, bits, bits, bits},
                       {sum, sink.compute({Op::OpFMul, 0, bits, bits, bits}, {a[i], b[i]})});
  return sum;
}

std::optional<std::vector<Ref>> expand_matrices(Sink& sink, Types& types, const Expression& e) {
  const auto operand = [&](std::size_t i) {
    if (i >= e.words.size()) throw Error(e.at.position, std::string(name_of(e.op)) + " lacks an operand");
    const Operand out = e.operand(e.words[i]);
    if (out.parts.empty()) throw Error(e.at.position, "an operand has no components");
    return out;
  };
  const auto matrix = [&](std::size_t i) { return columns_of(types, operand(i), e.at); };
  const auto bits = [&] { return types.first_scalar(operand(0).type, e.at).bits; };
  Refs out;
  switch (e.op) {
    case Op::OpDot: {
      const Refs a = operand(0).parts;
      const Refs b = operand(1).parts;
      if (a.size() != b.size()) throw Error(e.at.position, "the vectors are not of one size");
      return Refs{dot(sink, a, b, bits())};
    }
    case Op::OpVectorTimesScalar:
    case Op::OpMatrixTimesScalar: {
      const Refs factor = operand(1).parts;
      if (factor.size() != 1) throw Error(e.at.position, "the factor is one number");
      return times(sink, operand(0).parts, factor[0], bits());
    }
    case Op::OpMatrixTimesVector:
    case Op::OpMatrixTimesMatrix:
      return product(sink, matrix(0), matrix(1), bits(), e.at);
    case Op::OpVectorTimesMatrix: {
      const Refs vector = operand(0).parts;
      for (const Refs& column : matrix(1).columns) {
        if (column.size() != vector.size()) throw Error(e.at.position, "the sizes do not fit");
        out.push_back(dot(sink, vector, column, bits()));
      }
      return out;
    }
    case Op::OpOuterProduct:
      for (const Ref factor : operand(1).parts) {
        const Refs column = times(sink, operand(0).parts, factor, bits());
        out.insert(out.end(), column.begin(), column.end());
      }
      return out;
    case Op::OpTranspose: {
      const Columns all = matrix(0);
      for (std::size_t row = 0; row < all.rows(); ++row) {
        const Refs column = all.row(row);
        out.insert(out.end(), column.begin(), column.end());
      }
      return out;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::spirv
