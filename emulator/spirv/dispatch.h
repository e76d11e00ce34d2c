#pragma once

/// \file
/// One dispatch of a module: its code, the memory that it has, and the invocations that run it.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/model/place.h"
#include "emulator/spirv/code.h"
#include "emulator/spirv/functions.h"
#include "emulator/spirv/header.h"
#include "emulator/spirv/tokens.h"

namespace heddle::spirv {

/// A descriptor set, and a binding in it.
using BindingPlace = std::pair<std::uint32_t, std::uint32_t>;

/// Who gives a dispatch its inputs: the options of `heddle spirv`, or a program that uses heddle::Module.
enum class Giver : std::uint8_t { CommandLine, Program };

/// What a dispatch is given besides the file.
struct DispatchOptions {
  /// Messages about inputs are in the words of this one.
  Giver giver = Giver::CommandLine;
  /// The module's file, as reports and traces call it.
  std::string file;
  std::string entry;  ///< empty: the only one
  std::optional<std::array<std::uint32_t, 3>> local;
  std::optional<std::array<std::uint32_t, 3>> groups;
  std::optional<std::uint32_t> subgroup_size;
  /// Values of specialization constants by SpecId.
  std::map<std::uint32_t, std::string> specialization;
  /// Contents of buffers by set and binding, byte for byte.
  std::map<BindingPlace, std::vector<std::uint8_t>> buffers;
  std::optional<std::vector<std::uint8_t>> push_constants;
  /// How large images are, by set and binding: width, height, depth or layers.
  std::map<BindingPlace, std::array<std::uint32_t, 3>> extents;
  /// What is out of bounds reads zero and writes nothing.
  bool robust = false;
  /// Byte offsets wrap at 32 bits.
  bool wrap_offsets = false;
  /// Lanes that went different ways are together again as early as the graph allows, whatever the module was promised.
  bool reconverge_maximal = false;
  /// A device has the memory and the invocations: objects have no contents, but for push constants, and one instance
  /// for all workgroups; places are those of the first workgroup. What `buffers` hold does not matter.
  bool on_device = false;
};

/// A scalar of memory before the dispatch.
struct Cell {
  std::uint64_t offset = 0;
  ScalarType type;
  std::uint64_t bits = 0;  ///< a token if nothing defines it
};

/// Bytes of memory that a descriptor or a variable names.
struct Object {
  std::string name;
  StorageClass storage = StorageClass::StorageBuffer;
  std::uint64_t size = 0;
  bool coherent = false;
  /// Data that no invocation can write: reads of it are no memory operations.
  bool constant = false;
  std::map<std::uint64_t, Cell> cells;  ///< by offset
};

/// An invocation's position.
struct Position3 {
  std::array<std::uint32_t, 3> local{};
  std::array<std::uint32_t, 3> group{};
};

/// A scalar that a header names.
struct Location {
  std::uint64_t object = 0;
  std::uint64_t offset = 0;
  ScalarType type;
};

/// A scalar of memory, and its name as a header spells it ("%data[0][1]").
struct NamedScalar {
  std::string name;
  Location location;
};

class Dispatch {
 public:
  /// Throws Error. `module` must outlive it.
  Dispatch(const Module& module, Header header, const DispatchOptions& options);
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;

  const Module& module() const { return module_; }
  const Header& header() const { return header_; }
  const Definitions& definitions() const { return definitions_; }
  const Code& code() const { return code_; }
  /// Index 0 is no object: a null pointer's.
  const std::vector<Object>& objects() const { return objects_; }
  Tokens& tokens() const { return *tokens_; }
  const DispatchOptions& options() const { return options_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::uint32_t agents() const { return static_cast<std::uint32_t>(places_.size()); }
  const model::Place& place(std::uint32_t agent) const { return places_[agent]; }
  std::array<std::uint32_t, 3> local_size() const { return local_; }
  std::array<std::uint32_t, 3> group_count() const { return groups_; }
  std::uint32_t subgroup_size() const { return subgroup_size_; }

  /// What the slots of an invocation hold when it begins.
  std::vector<std::uint64_t> image(std::uint32_t agent) const;
  /// What lies in memory before the dispatch; a token as tokens() puts it into memory.
  std::uint64_t initial_value(std::uint64_t object, std::uint64_t offset, std::uint32_t bytes) const;
  /// The object of a set and a binding. Throws Error if there is none, or more than one.
  std::uint64_t object_at(const BindingPlace& place) const;
  /// The scalar that a term of the header names. Throws Error.
  Location locate(const Condition::Term& term, std::uint32_t line) const;
  /// The scalars of all variables in memory that invocations may write, `most` at most; what each workgroup has for
  /// itself says of which it is.
  std::vector<NamedScalar> scalars(std::size_t most) const;

 private:
  /// The objects of a variable: the first, and how many workgroups have each their own.
  struct Home {
    std::uint64_t first = 0;
    std::uint64_t of_each_group = 0;  ///< 0: all share it
    const Layout* layout = nullptr;
    /// How large an image is.
    std::vector<std::uint64_t> extents;
  };

  /// A scalar that holds the address of a variable.
  struct Address {
    std::uint64_t pointer = 0;
    ScalarType type;
    std::string of;
    std::uint32_t line = 0;
  };

  const Instruction& entry_point() const;
  void choose_size(const Instruction& entry);
  std::map<Id, std::uint64_t> specialization() const;
  /// The bits of a specialization constant that has this value, which `at` and `input` gave. Throws Error.
  std::uint64_t specialized(const Instruction& constant, const std::string& value, Position at,
                            const std::string& input) const;
  /// A specialization constant is a size of the workgroup, and that was given.
  void specialize_to_size(Id constant, std::uint32_t size);
  void specialize_size(Id composite, const std::array<std::uint32_t, 3>& local);
  void check_subgroup_size(const Instruction& entry) const;
  void place_agents();
  void make_objects();
  Home make_object(const Instruction& variable);
  /// Throws Error for a variable that has to be given something, and is not.
  void check_given(const Instruction& variable, const Layout& layout) const;
  /// Whether a command of the entry point has to do with a variable.
  bool is_used(const Instruction& variable) const;
  void warn_of_lengths();
  void check_scalars(const Instruction& variable, const Layout& layout, std::uint64_t copies) const;
  std::vector<std::uint64_t> extents_of(const Instruction& variable, const ImageShape& shape) const;
  const Layout& layout_of(const Instruction& variable, Home& home);
  std::uint64_t add_objects(const Instruction& variable, const Layout& layout, std::uint64_t copies);
  void fill(const Home& home, const Instruction& variable);
  void fill(const Layout& layout, std::uint64_t pointer, const InputValue& value, std::uint32_t line);
  void fill(const Home& home, const std::vector<std::uint8_t>& bytes);
  const Input* input_of(const Instruction& variable) const;
  const std::vector<std::uint8_t>* bytes_of(const Instruction& variable) const;
  /// The set and the binding of a variable that has both.
  std::optional<BindingPlace> descriptor_of(const Instruction& variable) const;
  void fill_push_constants();
  void fill_addresses();
  void put(std::uint64_t pointer, const ScalarType& type, std::uint64_t bits);
  std::vector<std::uint64_t> built_in(std::uint32_t agent, spv::BuiltIn which) const;
  std::set<std::uint64_t> taken_values() const;

  const Module& module_;
  Header header_;
  DispatchOptions options_;
  Definitions definitions_;
  std::map<Id, std::uint64_t> specialized_;
  std::vector<std::string> warnings_;
  std::array<std::uint32_t, 3> local_{1, 1, 1};
  std::array<std::uint32_t, 3> groups_{1, 1, 1};
  std::uint32_t subgroup_size_ = 1;
  std::unique_ptr<Types> types_;
  std::vector<Function> functions_;
  Code code_;
  std::vector<Object> objects_;
  std::map<Id, Home> homes_;
  std::map<BindingPlace, Home> descriptors_;
  std::optional<Home> workgroup_blocks_;
  std::vector<Address> addresses_;
  std::unique_ptr<Tokens> tokens_;
  std::vector<model::Place> places_;
  std::vector<Position3> positions_;
};

}  // namespace heddle::spirv
