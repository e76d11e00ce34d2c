#pragma once

/// \file
/// From a module's entry point to flat code.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/spirv/code.h"
#include "emulator/spirv/expand.h"
#include "emulator/spirv/functions.h"
#include "emulator/spirv/rules.h"

namespace heddle::spirv {

/// What an id is while code is made.
struct Known {
  std::vector<Slot> slots;
  Id type = 0;
  // Only pointers have these:
  /// Bytes behind what the slot points to, or slots.
  std::uint64_t offset = 0;
  /// The first slot of what it points to, where that is always the same.
  std::optional<Slot> local;
  const Layout* layout = nullptr;
  bool in_slots = false;
  bool coherent = false;
  bool is_volatile = false;
  bool physical = false;
  /// A constant index that was out of bounds on the way, its bits, and how many elements there were.
  struct BadIndex {
    std::uint64_t index = 0;
    std::uint8_t bits = 0;
    std::uint64_t count = 0;  ///< 0: of a run-time array
    /// Makes a command the undefined behaviour of an access by such an index.
    void put_into(Command& fault) const;
  };
  std::optional<BadIndex> bad_index;
  /// The image of Code::images that this is, or points to.
  std::optional<std::size_t> image;
};

/// How an entry point wants its floats.
class FloatModes {
 public:
  FloatModes() = default;
  FloatModes(const Module& module, Id entry_function);
  /// The bits of FloatMode.
  std::uint8_t of(const Computation& computation) const;

 private:
  std::map<std::uint8_t, std::uint8_t> by_width_;
};

/// Makes the code of an entry point. Throws Error for what cannot be run.
class Translator : private Sink {
 public:
  /// All must outlive it, and the code. `robust`: what is out of bounds of an image reads zero and writes nothing.
  Translator(Types& types, const std::vector<Function>& functions, bool robust);
  ~Translator() override = default;

  Code run(Id entry_function);

 private:
  friend class ImageTranslator;

  /// One function at one place where it is called.
  struct Frame {
    const Function* function = nullptr;
    std::map<Id, Known> known;
    std::vector<std::uint32_t> block_labels;
    std::uint32_t return_label = 0;
    std::vector<Slot> returned;
    /// The loops of the function, and the one around the call.
    std::vector<std::uint32_t> loops;
    std::optional<std::uint32_t> outer_loop;
    /// What ends with a block: its parts, the innermost first, by the block's number.
    std::map<std::size_t, std::vector<std::uint32_t>> parts_ending;
  };

  // Sink: slots are its scalars.
  Ref constant(std::uint64_t bits) override;
  Ref compute(const Computation& computation, const std::vector<Ref>& arguments) override;

  [[noreturn]] void fail(const std::string& message) const;
  Command& emit(Act act);
  Slot new_slot(ScalarType type, std::uint64_t value = 0);
  std::vector<Slot> new_slots(const std::vector<ScalarType>& types, std::uint64_t value = 0);
  void move(Slot to, Slot from);
  std::uint32_t new_label();
  void place(std::uint32_t label);
  void jump(std::uint32_t label);
  void link();

  // Ids:
  const Known& known(Id id);
  Known& define(Id id, Known known);
  Operand operand(Id id);
  Slot scalar(Id id);
  Slot pointer_slot(const Known& pointer);
  Known pointer_from(const std::vector<Slot>& slots, Id type);
  void make_global(const Instruction& variable);
  void make_local_variable(const Instruction& variable, bool is_new_each_time);
  std::vector<std::uint64_t> initial_bits(const Instruction& variable, std::size_t count);

  // Functions:
  void begin_function(Frame& frame);
  void translate_function(const Function& function, const std::vector<Known>& arguments, std::uint32_t return_label,
                          const std::vector<Slot>& returned, std::optional<std::uint32_t> outer_loop);
  void translate_block(std::size_t index);
  void translate_call(const Instruction& call);
  void go_to(std::size_t from, std::size_t to);
  void assign_phis(std::size_t from, std::size_t to);
  void note_loops(std::size_t from, std::size_t to);
  void terminate(std::size_t index);
  void branch(std::size_t index);
  void switch_on(std::size_t index);
  void translate(const Instruction& instruction);
  bool translate_memory(const Instruction& instruction);
  bool translate_synchronization(const Instruction& instruction);
  bool translate_group(const Instruction& instruction);
  void translate_value(const Instruction& instruction);
  void translate_extended(const Instruction& instruction);
  void note_line(const Instruction& instruction);
  void print(const Instruction& instruction);

  // Memory (translate_memory.cpp):
  void access_chain(const Instruction& instruction, bool has_element);
  void step_into(Known& at, Id index);
  /// Elements that an index chooses from; `count` is 0 where their number is no bound.
  struct Steps {
    std::uint64_t stride = 0;
    std::uint64_t count = 0;
    bool runtime = false;
  };
  void step_by(Known& at, const Steps& steps, Id index);
  void leave_slots_behind(Known& at);
  AccessInfo access_info(const Known& pointer, std::uint32_t mask, std::size_t operands_at, const Instruction& at);
  std::vector<Slot> load(const Known& pointer, const AccessInfo& info);
  void store(const Known& pointer, const std::vector<Slot>& values, const AccessInfo& info);
  void copy_memory(const Instruction& instruction);
  void atomic(const Instruction& instruction);
  void array_length(const Instruction& instruction);
  void store_part(const Instruction& instruction);
  void barrier(const Instruction& instruction);
  /// Throws Error for semantics that break a rule and have no one meaning; warns of others that break one.
  void check_semantics(SemanticsUse use, Id semantics, Id scope);
  std::vector<std::uint32_t> loops_here() const;
  void choose_reconvergence(Id entry_function);
  void part(Slot decides, const ScalarType& type);
  void begin_parts(std::size_t header);
  void begin_part(PartKind kind, std::size_t header, Id end);
  std::uint32_t new_part(PartKind kind, bool all_come, std::vector<std::uint32_t> loops);

  Types& types_;
  const Definitions& definitions_;
  const Module& module_;
  const std::vector<Function>& functions_;
  Code code_;
  std::map<Id, Known> globals_;
  std::map<std::uint64_t, Slot> constants_;
  /// Where each label is; jumps have labels until link().
  std::vector<std::uint32_t> labels_;
  std::vector<Frame*> frames_;
  std::size_t block_ = 0;
  const Instruction* at_ = nullptr;
  std::uint32_t line_ = 0;
  Id file_ = 0;
  bool has_groups_ = false;
  FloatModes float_modes_;
  bool robust_ = false;
};

}  // namespace heddle::spirv
