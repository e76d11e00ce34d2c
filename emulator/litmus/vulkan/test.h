#pragma once

/// \file
/// A litmus test of the Vulkan dialect, as the parser understood it.

#include <heddle/operation.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/arithmetic.h"
#include "emulator/litmus/assertion.h"
#include "emulator/litmus/diagnostic.h"
#include "emulator/litmus/vulkan/instruction_kind.h"
#include "emulator/model/place.h"

namespace heddle::litmus {

/// A register of the instruction's thread, or a constant.
struct Operand {
  bool is_register = false;
  std::uint32_t index = 0;  ///< of the register in its thread
  Integer constant = 0;
};

/// What names a control barrier: two meet if their workgroups and these names are equal.
struct BarrierName {
  std::string id;  ///< compared as text
  bool named = false;
  /// The name of a barrier: a word, or a value that the thread computes.
  std::string resource_word;
  Operand resource;
  std::optional<Operand> quorum;

  /// Whether `resource` is part of the name: a number and a computed value may name one resource, a word is never a
  /// number.
  bool has_value() const { return named && resource_word.empty(); }
  /// Whether the name depends on what the thread computes.
  bool is_computed() const { return has_value() && resource.is_register; }
};

/// What names the dynamic instance of a cooperative matrix access: two threads execute one if they are in
/// one instance of the scope, and these are equal.
struct CooperativeName {
  std::string id;  ///< compared as text
  Scope scope = Scope::Workgroup;
};

/// Whether an instruction stands in the text, or was put in: it has the place of the one that it stands beside.
enum class PutIn : std::uint8_t { No, Before, Behind };

struct Instruction {
  InstructionKind kind = InstructionKind::Label;
  KindTraits traits() const { return traits_of(kind); }
  Place place;
  PutIn put_in = PutIn::No;
  std::string text;      ///< as in the source, blanks reduced to single spaces
  bool is_call = false;  ///< whether it is spelled as a call (calls.h)

  /// What the memory model sees; agent, reference, locations and barrier instance are filled in
  /// when it is executed.
  Operation operation;
  std::uint32_t variable = 0;     ///< of an access, or the one that is freed
  std::uint32_t destination = 0;  ///< register that a load, an rmw or an arithmetic instruction sets
  /// Store and rmw: `left` is the value. Compute and Branch: both sides.
  Operand left;
  Operand right;
  /// What Compute computes; for a ReadModifyWrite the combination with the old value, an exchange without one.
  std::optional<Arithmetic> arithmetic;
  Comparison comparison = Comparison::Equal;
  std::uint32_t target = 0;  ///< of Branch and Jump: index of the Label in the thread's code
  BarrierName barrier;
  /// The number in HostTest::calls of a HostCall that waits or is waited for.
  std::optional<std::uint32_t> call;
  /// The name of a load or store that one thread performs for all that execute it.
  std::optional<CooperativeName> cooperative;
};

struct Register {
  std::string name;
  Integer initial = 0;
};

/// What a column is: invocations of shaders, a thread of the host, or a batch of commands, which only has registers.
enum class ThreadKind : std::uint8_t { Shader, Host, Batch };

/// The letter in front of the number in a thread's name.
constexpr char letter(ThreadKind kind) {
  return kind == ThreadKind::Host ? 'H' : kind == ThreadKind::Batch ? 'B' : 'P';
}

struct Thread {
  ThreadKind kind = ThreadKind::Shader;
  std::uint64_t id = 0;  ///< the number in its name
  std::uint64_t subgroup = 0;
  std::uint64_t workgroup = 0;
  std::uint64_t queue_family = 0;
  std::uint64_t queue = 0;         ///< of a batch
  std::vector<std::string> cells;  ///< of a host's thread or a batch: its column as written
  model::Stage stage = model::Stage::Compute;
  /// Threads with equal numbers other than 0 are shader-call-related.
  std::uint32_t shader_call_group = 0;
  /// Fragment shader threads with equal numbers other than 0 overlap.
  std::uint32_t interlock_group = 0;
  std::vector<Register> registers;
  std::vector<Instruction> code;
  Place place;

  std::string name() const { return letter(kind) + std::to_string(id); }
};

struct Variable {
  std::string name;
  Integer initial = 0;
  /// Variables of one location are aliases: each is a reference of its own to it.
  std::uint32_t location = 0;
  bool declared = true;
  Place place;
};

/// Pairs of thread indices.
using ThreadPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct HostTest;

struct Test {
  std::string name;               ///< from the header; may be empty
  std::string comment;            ///< the header's text
  std::vector<Comment> comments;  ///< those behind the header, as they come
  std::vector<Variable> variables;
  std::uint32_t locations = 0;  ///< how many different ones the variables have
  bool stacked = false;         ///< whether each thread has its code in braces of its own, and not in a column
  std::vector<Thread> threads;
  /// Every operation of the first system-synchronizes-with every one of the second.
  ThreadPairs system_synchronization;
  /// The first executes the interlocked code before the second.
  ThreadPairs interlock_order;
  /// What the first writes to Output contributed to generating the second, which may read it as Input.
  ThreadPairs shader_inputs;
  /// What a host test has beside its threads (host_test.h); null of others. Copies of a test share it.
  std::shared_ptr<const HostTest> host;
  std::optional<Assertion> filter;
  Quantifier quantifier = Quantifier::None;
  std::optional<Assertion> assertion;  ///< present unless the quantifier is None
  /// The registers and variables that filter and assertion name, sorted by name.
  std::vector<Observable> observables;
};

}  // namespace heddle::litmus
