#include "emulator/spirv/types.h"

#include <algorithm>

#include "emulator/spirv/fold.h"

namespace heddle::spirv {
namespace {

// More than any program has, few enough that a file of some hundred bytes cannot ask for all memory.
constexpr std::uint64_t kMostScalars = 1U << 20;
constexpr int kMostDepth = 200;

bool is_descriptor(spv::StorageClass storage, Op type) {
  if (type == Op::OpTypeImage || type == Op::OpTypeSampledImage) return true;
  return (storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform) &&
         type == Op::OpTypeStruct;
}

}  // namespace

class Types::Depth {
 public:
  Depth(int& depth, const Instruction& at) : depth_(depth) {
    if (++depth_ <= kMostDepth) return;
    --depth_;
    throw Error(at.position, "these types or constants refer to each other too deeply");
  }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  int& depth_;
};

std::optional<ScalarType> scalar_type(const Module& module, const Instruction& type) {
  switch (type.op) {
    case Op::OpTypeBool:
      return ScalarType{ScalarType::Kind::Bool, 1, false};
    case Op::OpTypeInt: {
      const std::uint32_t bits = module.operand(type, 0);
      if (bits == 0 || bits > 64) throw Error(type.position, "integers have 1 to 64 bits");
      return ScalarType{ScalarType::Kind::Int, static_cast<std::uint8_t>(bits), module.operand(type, 1) != 0};
    }
    case Op::OpTypeFloat: {
      const std::uint32_t bits = module.operand(type, 0);
      if (bits != 16 && bits != 32 && bits != 64)
        throw Error(type.position, "floats have 16, 32 or 64 bits here, not " + std::to_string(bits));
      return ScalarType{ScalarType::Kind::Float, static_cast<std::uint8_t>(bits), true};
    }
    case Op::OpTypePointer:
      return ScalarType{ScalarType::Kind::Pointer, 64, false};
    default:
      return std::nullopt;
  }
}

Types::Types(const Definitions& definitions, std::map<Id, std::uint64_t> specialized)
    : definitions_(definitions), module_(definitions.module()), specialized_(std::move(specialized)) {}

const Instruction& Types::type(Id id, const Instruction& at) const {
  const Instruction& out = definitions_.get(id, at);
  if (!name_of(out.op).starts_with("OpType")) throw Error(at.position, definitions_.spelled(id) + " is no type");
  return out;
}

const std::vector<ScalarType>& Types::scalars(Id id, const Instruction& at) {
  const auto known = scalars_.find(id);
  if (known != scalars_.end()) return known->second;
  std::vector<ScalarType> made = make_scalars(id, at);
  return scalars_[id] = std::move(made);
}

const ScalarType& Types::first_scalar(Id id, const Instruction& at) {
  const std::vector<ScalarType>& all = scalars(id, at);
  if (all.empty()) throw Error(at.position, definitions_.spelled(id) + " has no values");
  return all.front();
}

std::vector<ScalarType> Types::make_scalars(Id id, const Instruction& at) {
  const Depth depth(depth_, at);
  const Instruction& of = type(id, at);
  if (const auto scalar = scalar_type(module_, of)) return {*scalar};
  std::vector<ScalarType> out;
  const auto add = [&](Id part, std::uint64_t times) {
    const std::vector<ScalarType> each = scalars(part, of);
    if (times > kMostScalars || (out.size() + each.size() * times) > kMostScalars)
      throw Error(of.position, definitions_.spelled(id) + " is too large to be a value");
    for (std::uint64_t i = 0; i < times; ++i) out.insert(out.end(), each.begin(), each.end());
  };
  switch (of.op) {
    case Op::OpTypeVector:
    case Op::OpTypeMatrix:
      add(module_.operand(of, 0), module_.operand(of, 1));
      return out;
    case Op::OpTypeArray:
      add(module_.operand(of, 0), integer(module_.operand(of, 1), of).value_or(0));
      return out;
    case Op::OpTypeStruct:
      for (const Id part : module_.operands(of)) add(part, 1);
      return out;
    case Op::OpTypeVoid:
      return out;
    default:
      throw Error(at.position, std::string(name_of(of.op)) + " has no values that heddle computes with");
  }
}

std::pair<std::size_t, Id> Types::member(Id composite, std::uint64_t index, const Instruction& at) {
  const Instruction& of = type(composite, at);
  if (of.op == Op::OpTypeStruct) {
    if (index >= of.operand_count) throw Error(at.position, "there is no member " + std::to_string(index));
    std::size_t before = 0;
    for (std::size_t i = 0; i < index; ++i) before += scalars(module_.operand(of, i), at).size();
    return {before, module_.operand(of, index)};
  }
  if (of.op != Op::OpTypeVector && of.op != Op::OpTypeMatrix && of.op != Op::OpTypeArray)
    throw Error(at.position, definitions_.spelled(composite) + " has no members");
  const Id part = module_.operand(of, 0);
  const std::size_t each = scalars(part, at).size();
  if (each == 0 || (index + 1) > scalars(composite, at).size() / each)
    throw Error(at.position, "there is no member " + std::to_string(index));
  return {index * each, part};
}

const Layout& Types::layout(Id id, Room room, const Instruction& at, std::uint64_t runtime_length) {
  return build(id, room, {}, runtime_length, at);
}

const Layout& Types::variable_layout(const Instruction& variable, std::uint64_t runtime_length) {
  const Instruction& pointer = type(variable.type, variable);
  const Id id = module_.operand(pointer, 1);
  const auto storage = static_cast<spv::StorageClass>(module_.operand(variable, 0));
  const Instruction& pointee = type(id, variable);
  const bool descriptors = (pointee.op == Op::OpTypeArray || pointee.op == Op::OpTypeRuntimeArray) &&
                           is_descriptor(storage, type(module_.operand(pointee, 0), pointee).op);
  if (!descriptors) return layout(id, Room::Memory, variable, runtime_length);
  Layout& out = storage_.emplace_back();
  out.kind = Layout::Kind::Array;
  out.type = id;
  out.parts = {&layout(module_.operand(pointee, 0), Room::Memory, variable, runtime_length)};
  out.count = pointee.op == Op::OpTypeArray ? integer(module_.operand(pointee, 1), pointee).value_or(1) : 1;
  out.stride = kObjectStride;
  out.size = out.parts[0]->size;
  return out;
}

const Layout& Types::build(Id id, Room room, Matrix matrix, std::uint64_t length, const Instruction& at) {
  const Key key(id, room, matrix, length);
  const auto known = layouts_.find(key);
  if (known != layouts_.end()) return *known->second;
  Layout made = make(id, room, matrix, length, at);
  made.type = id;
  storage_.push_back(std::move(made));
  return *(layouts_[key] = &storage_.back());
}

Layout Types::make(Id id, Room room, Matrix matrix, std::uint64_t length, const Instruction& at) {
  const Depth depth(depth_, at);
  const Instruction& of = type(id, at);
  Layout out;
  if (const auto scalar = scalar_type(module_, of)) {
    out.scalar = *scalar;
    out.size = room == Room::Slots ? 1 : scalar->bytes();
    return out;
  }
  switch (of.op) {
    case Op::OpTypeVector:
      return make_vector(of, room, matrix, length);
    case Op::OpTypeMatrix:
      return make_matrix(of, room, matrix, length);
    case Op::OpTypeArray:
    case Op::OpTypeRuntimeArray:
      return make_array(of, room, matrix, length);
    case Op::OpTypeStruct:
      return make_struct(of, room, length);
    case Op::OpTypeImage:
    case Op::OpTypeSampledImage:
      // The handle: what it stands for is an object of its own.
      return out;
    default:
      throw Error(at.position, std::string(name_of(of.op)) + " does not lie in memory");
  }
}

Layout Types::make_vector(const Instruction& of, Room room, Matrix matrix, std::uint64_t length) {
  Layout out;
  out.kind = Layout::Kind::Array;
  out.parts = {&build(module_.operand(of, 0), room, {}, length, of)};
  out.count = module_.operand(of, 1);
  // A column of a matrix whose rows are contiguous.
  out.stride = room == Room::Memory && matrix.row_major && matrix.stride != 0 ? matrix.stride : out.parts[0]->size;
  out.size = out.count == 0 ? 0 : (out.count - 1) * out.stride + out.parts[0]->size;
  return out;
}

Layout Types::make_matrix(const Instruction& of, Room room, Matrix matrix, std::uint64_t length) {
  Layout out;
  out.kind = Layout::Kind::Array;
  out.parts = {&build(module_.operand(of, 0), room, matrix, length, of)};
  if (out.parts[0]->kind != Layout::Kind::Array) throw Error(of.position, "the columns of a matrix are vectors");
  out.count = module_.operand(of, 1);
  out.stride = out.parts[0]->size;
  if (room == Room::Memory && matrix.stride != 0)
    out.stride = matrix.row_major ? out.parts[0]->parts[0]->size : matrix.stride;
  out.size = out.count == 0 ? 0 : (out.count - 1) * out.stride + out.parts[0]->size;
  return out;
}

Layout Types::make_array(const Instruction& of, Room room, Matrix matrix, std::uint64_t length) {
  Layout out;
  out.kind = Layout::Kind::Array;
  out.runtime = of.op == Op::OpTypeRuntimeArray;
  out.parts = {&build(module_.operand(of, 0), room, matrix, length, of)};
  if (out.runtime) {
    if (room == Room::Slots) throw Error(of.position, "a run-time array lies in buffers alone");
    out.count = length;
  } else {
    const auto count = integer(module_.operand(of, 1), of);
    if (!count) throw Error(of.position, "the length of an array is a constant");
    out.count = *count;
  }
  out.stride = out.parts[0]->size;
  if (room == Room::Memory)
    out.stride = definitions_.literal(of.result, spv::Decoration::ArrayStride).value_or(out.stride);
  if (out.count > kMostScalars || out.count * std::max(out.stride, out.parts[0]->size) > kMostScalars * 64)
    throw Error(of.position, "this array is too large");
  out.size = out.count == 0 ? 0 : (out.count - 1) * out.stride + out.parts[0]->size;
  return out;
}

Layout Types::make_struct(const Instruction& of, Room room, std::uint64_t length) {
  Layout out;
  out.kind = Layout::Kind::Struct;
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < of.operand_count; ++i) {
    Matrix matrix;
    matrix.stride = definitions_.literal(of.result, i, spv::Decoration::MatrixStride).value_or(0);
    matrix.row_major = definitions_.decoration(of.result, i, spv::Decoration::RowMajor) != nullptr;
    const Layout& part = build(module_.operand(of, i), room, matrix, length, of);
    std::uint64_t offset = end;
    if (room == Room::Memory) {
      if (part.kind == Layout::Kind::Scalar && part.size == 0)
        throw Error(of.position, "an image is no member of a struct in memory");
      // Without decorations members lie one behind the other, each at a multiple of eight bytes if anything in it may
      // want that.
      const std::uint64_t aligned = (end + 7) / 8 * 8;
      offset = definitions_.literal(of.result, i, spv::Decoration::Offset)
                   .value_or(static_cast<std::uint32_t>(part.size >= 8 ? aligned : end));
      if (part.kind == Layout::Kind::Scalar && !definitions_.decoration(of.result, i, spv::Decoration::Offset))
        offset = (end + part.size - 1) / part.size * part.size;
    }
    out.parts.push_back(&part);
    out.offsets.push_back(offset);
    end = std::max(end, offset + part.size);
  }
  out.size = end;
  return out;
}

void for_each_scalar(const Layout& layout, std::uint64_t offset,
                     const std::function<void(std::uint64_t, const ScalarType&)>& each) {
  switch (layout.kind) {
    case Layout::Kind::Scalar:
      each(offset, layout.scalar);
      break;
    case Layout::Kind::Array:
      for (std::uint64_t i = 0; i < layout.count; ++i)
        for_each_scalar(*layout.parts[0], offset + i * layout.stride, each);
      break;
    case Layout::Kind::Struct:
      for (std::size_t i = 0; i < layout.parts.size(); ++i)
        for_each_scalar(*layout.parts[i], offset + layout.offsets[i], each);
      break;
  }
}

const std::vector<std::uint64_t>* Types::constant(Id id, const Instruction& at) {
  const auto known = constants_.find(id);
  if (known != constants_.end()) return &known->second;
  const Instruction* of = definitions_.find(id);
  if (of == nullptr) return nullptr;
  const Depth depth(depth_, at);
  auto made = make_constant(*of);
  if (!made) return nullptr;
  return &(constants_[id] = std::move(*made));
}

std::optional<std::uint64_t> Types::integer(Id id, const Instruction& at) {
  const std::vector<std::uint64_t>* found = constant(id, at);
  if (found == nullptr || found->size() != 1) return std::nullopt;
  return found->front();
}

std::optional<std::vector<std::uint64_t>> Types::make_constant(const Instruction& constant) {
  const auto specialized = specialized_.find(constant.result);
  switch (constant.op) {
    case Op::OpConstantTrue:
      return {{1}};
    case Op::OpConstantFalse:
      return {{0}};
    case Op::OpSpecConstantTrue:
      return {{specialized == specialized_.end() || specialized->second != 0 ? 1U : 0U}};
    case Op::OpSpecConstantFalse:
      return {{specialized != specialized_.end() && specialized->second != 0 ? 1U : 0U}};
    case Op::OpConstant:
    case Op::OpSpecConstant:
      return literal(constant);
    case Op::OpConstantComposite:
    case Op::OpSpecConstantComposite:
      return composite(constant);
    case Op::OpConstantNull:
      return std::vector<std::uint64_t>(scalars(constant.type, constant).size(), 0);
    case Op::OpUndef:
      return std::vector<std::uint64_t>(scalars(constant.type, constant).size(), kUndefinedConstant);
    case Op::OpSpecConstantOp:
      return folded(constant);
    default:
      return std::nullopt;
  }
}

std::vector<std::uint64_t> Types::literal(const Instruction& constant) {
  const std::vector<ScalarType> type = scalars(constant.type, constant);
  if (type.size() != 1) throw Error(constant.position, "a constant of several values is an OpConstantComposite");
  const auto specialized = specialized_.find(constant.result);
  std::uint64_t bits = module_.operand(constant, 0);
  if (type[0].bits > 32) bits |= std::uint64_t{module_.operand(constant, 1)} << 32;
  if (specialized != specialized_.end()) bits = specialized->second;
  return {cut(bits, type[0].bits)};
}

std::vector<std::uint64_t> Types::composite(const Instruction& of) {
  std::vector<std::uint64_t> out;
  for (const Id part : module_.operands(of)) {
    const std::vector<std::uint64_t>* known = constant(part, of);
    if (known == nullptr) throw Error(of.position, definitions_.spelled(part) + " is no constant");
    out.insert(out.end(), known->begin(), known->end());
    if (out.size() > kMostScalars) throw Error(of.position, "this constant is too large");
  }
  if (out.size() != scalars(of.type, of).size())
    throw Error(of.position, "the constituents are not as many as the type has");
  return out;
}

std::vector<std::uint64_t> Types::folded(const Instruction& of) {
  return fold_constant(*this, of);
}

}  // namespace heddle::spirv
