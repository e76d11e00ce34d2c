#pragma once

/// \file
/// What a module says of its ids: where each is defined, its decorations and its names.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/spirv/module.h"

namespace heddle::spirv {

struct Decoration {
  spv::Decoration kind{};
  std::vector<std::uint32_t> operands;
};

/// Whether the result of such an instruction is a number that an input may choose.
constexpr bool is_specialization_constant(Op op) {
  return op == Op::OpSpecConstant || op == Op::OpSpecConstantTrue || op == Op::OpSpecConstantFalse;
}

class Definitions {
 public:
  /// `module` must outlive it. Throws Error for an id that is defined twice.
  explicit Definitions(const Module& module);

  const Module& module() const { return *module_; }
  /// The instruction whose result an id is; null for an id that is never defined.
  const Instruction* find(Id id) const { return id < by_id_.size() ? by_id_[id] : nullptr; }
  /// The instruction whose result an id is. Throws Error, at the instruction `at` that names the id, if there is none.
  const Instruction& get(Id id, const Instruction& at) const;

  /// The first decoration of a kind of an id or of a member of a structure; null for none.
  const Decoration* decoration(Id id, spv::Decoration kind) const;
  const Decoration* decoration(Id id, std::uint32_t member, spv::Decoration kind) const;
  bool has(Id id, spv::Decoration kind) const { return decoration(id, kind) != nullptr; }
  /// The first operand of such a decoration.
  std::optional<std::uint32_t> literal(Id id, spv::Decoration kind) const;
  std::optional<std::uint32_t> literal(Id id, std::uint32_t member, spv::Decoration kind) const;

  /// The OpName of an id; empty for none.
  const std::string& name(Id id) const;
  /// As texts call it: "%name", or "%17".
  std::string spelled(Id id) const;
  /// The id that a header calls `name` (without '%'): of a text its own, else of a variable or constant the OpName,
  /// else a number. Nothing if there is none, or if several have that name.
  std::optional<Id> find_named(std::string_view name) const;
  /// The string of an OpExtInstImport.
  std::string set_name(Id set) const;

 private:
  void note(const Instruction& instruction);
  void decorate_group(const Instruction& instruction);

  const Module* module_;
  std::vector<const Instruction*> by_id_;
  std::map<Id, std::vector<Decoration>> decorations_;
  std::map<std::pair<Id, std::uint32_t>, std::vector<Decoration>> member_decorations_;
  std::map<Id, std::string> names_;
  std::map<Id, std::string> text_names_;
};

}  // namespace heddle::spirv
