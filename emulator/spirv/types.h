#pragma once

/// \file
/// The types of a module as scalars: how many a value has, and where they lie in memory.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "emulator/spirv/definitions.h"

namespace heddle::spirv {

struct ScalarType {
  enum class Kind : std::uint8_t { Bool, Int, Float, Pointer };
  Kind kind = Kind::Int;
  std::uint8_t bits = 32;
  bool is_signed = false;

  std::uint32_t bytes() const { return kind == Kind::Bool ? 4 : kind == Kind::Pointer ? 8 : (bits + 7U) / 8U; }
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

/// Where the scalars of a type lie, in bytes of memory or in slots of an invocation.
struct Layout {
  enum class Kind : std::uint8_t { Scalar, Array, Struct };
  Kind kind = Kind::Scalar;
  ScalarType scalar;
  /// From the first byte or slot to behind the last.
  std::uint64_t size = 0;
  /// Only arrays, vectors and matrices have these. The count of a run-time array is what a variable was given.
  std::uint64_t stride = 0;
  std::uint64_t count = 0;
  bool runtime = false;
  /// An array has one part, a structure one for each member.
  std::vector<const Layout*> parts;
  std::vector<std::uint64_t> offsets;
  Id type = 0;
};

/// How values are laid out.
enum class Room : std::uint8_t { Memory, Slots };

/// The constant that stands for a value that nothing defines.
inline constexpr std::uint64_t kUndefinedConstant = 0xfedd1effffffffffULL;
/// What lies between two objects in a pointer (see code.h): the stride of an array of descriptors.
inline constexpr std::uint64_t kObjectStride = std::uint64_t{1} << 40;

class Types {
 public:
  /// `definitions` must outlive it. `specialized` has the values of specialization constants.
  Types(const Definitions& definitions, std::map<Id, std::uint64_t> specialized);

  /// The instruction of a type. Throws Error, at `at`, if the id names no type.
  const Instruction& type(Id id, const Instruction& at) const;
  /// The scalars of a value of a type, in order. Throws Error for a type that has no values here.
  const std::vector<ScalarType>& scalars(Id type, const Instruction& at);
  /// The first scalar of a value of a type. Throws Error for a type that has none.
  const ScalarType& first_scalar(Id type, const Instruction& at);
  /// How many scalars the first `member` members of a composite have, and the type of that member.
  std::pair<std::size_t, Id> member(Id composite, std::uint64_t member, const Instruction& at);

  /// The layout of a type; `runtime_length` is the length of its run-time array.
  const Layout& layout(Id type, Room room, const Instruction& at, std::uint64_t runtime_length = 0);
  /// The layout of what a variable holds: an array of blocks is one of descriptors.
  const Layout& variable_layout(const Instruction& variable, std::uint64_t runtime_length = 0);

  /// The bits of a constant, a word a scalar; null if the id is no constant.
  const std::vector<std::uint64_t>* constant(Id id, const Instruction& at);
  /// A constant that is one integer.
  std::optional<std::uint64_t> integer(Id id, const Instruction& at);
  /// Gives a constant other bits.
  void replace_constant(Id id, std::vector<std::uint64_t> bits) { constants_[id] = std::move(bits); }

  const Definitions& definitions() const { return definitions_; }
  /// A layout that lives as long as the types.
  const Layout& keep(Layout layout) { return storage_.emplace_back(std::move(layout)); }

 private:
  struct Matrix {
    std::uint32_t stride = 0;
    bool row_major = false;
    auto operator<=>(const Matrix&) const = default;
  };
  using Key = std::tuple<Id, Room, Matrix, std::uint64_t>;

  /// Types and constants that refer to each other are as deep as this at most.
  class Depth;
  const Layout& build(Id type, Room room, Matrix matrix, std::uint64_t length, const Instruction& at);
  Layout make(Id id, Room room, Matrix matrix, std::uint64_t length, const Instruction& at);
  Layout make_vector(const Instruction& type, Room room, Matrix matrix, std::uint64_t length);
  Layout make_matrix(const Instruction& type, Room room, Matrix matrix, std::uint64_t length);
  Layout make_array(const Instruction& type, Room room, Matrix matrix, std::uint64_t length);
  Layout make_struct(const Instruction& type, Room room, std::uint64_t length);
  std::vector<ScalarType> make_scalars(Id type, const Instruction& at);
  std::optional<std::vector<std::uint64_t>> make_constant(const Instruction& constant);
  std::vector<std::uint64_t> literal(const Instruction& constant);
  std::vector<std::uint64_t> composite(const Instruction& constant);
  std::vector<std::uint64_t> folded(const Instruction& constant);

  const Definitions& definitions_;
  const Module& module_;
  std::map<Id, std::uint64_t> specialized_;
  std::map<Id, std::vector<ScalarType>> scalars_;
  std::map<Id, std::vector<std::uint64_t>> constants_;
  std::deque<Layout> storage_;
  std::map<Key, const Layout*> layouts_;
  int depth_ = 0;
};

/// The type that an integer or float is read as, of an OpTypeBool, OpTypeInt, OpTypeFloat or OpTypePointer.
std::optional<ScalarType> scalar_type(const Module& module, const Instruction& type);

/// Calls `each` for every scalar of a layout, with its offset, in the order of the type.
void for_each_scalar(const Layout& layout, std::uint64_t offset,
                     const std::function<void(std::uint64_t, const ScalarType&)>& each);

/// Cuts the bits of an integer to its width.
constexpr std::uint64_t cut(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
constexpr std::int64_t signed_value(std::uint64_t value, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

}  // namespace heddle::spirv
