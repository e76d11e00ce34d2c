#pragma once

/// \file
/// A litmus thread as an agent of the explorer.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/vulkan/barriers.h"
#include "emulator/litmus/vulkan/postponement.h"
#include "emulator/litmus/vulkan/reachability.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Every variable is one memory location of the model: an integer of this size.
inline constexpr std::uint32_t kVariableBytes = 8;

/// The memory locations of a variable.
Locations locations_of(const Variable& variable);

/// The reference through which a thread accesses a variable: on the device its buffer, on the host its address.
ReferenceId reference_of(const Test& test, const Thread& thread, std::uint32_t variable);

/// What becomes of an iteration that changes nothing.
enum class Spinning : std::uint8_t {
  /// An idle round counts like any other, and is one way to block: what there is to explore.
  Explored,
  /// An idle round does not count: the thread may go round until it is stopped.
  Endless,
  /// An idle round is one way to block, and the thread goes round no more: what a search for a verdict needs.
  Once,
};

/// What an instruction is in all runs.
struct Site {
  /// What an instruction that is an operation does, and where.
  Operation operation;
  /// See Performers.
  bool executes = true;
  /// See postponable_loads().
  bool postponable = false;
  /// What becomes of the value of a load: see explore::Step.
  explore::ValueUse use = explore::ValueUse::Decides;
  bool spins_alike = false;
  /// The number of a call of the host that waits or is waited for.
  explore::Point call = explore::kNoPoint;
  /// The number of a control barrier whose name is always the same.
  std::optional<std::uint32_t> barrier;
};
/// The site of each instruction of a thread. `executes`: which ones it executes.
std::vector<Site> sites_of(const Test& test, std::uint32_t thread, const std::vector<bool>& executes,
                           Barriers& barriers);

/// What all runs of one thread have in common.
struct ThreadCode {
  const Test& test;
  std::uint32_t thread = 0;
  /// Iterations of each loop; 1 is straight through.
  std::uint64_t bound = 2;
  Spinning spinning = Spinning::Explored;
  /// See live_registers().
  std::vector<std::vector<bool>> live;
  std::vector<Site> sites;
  Barriers& barriers;
  Reachability& reachability;
};

/// One run of a thread. The results of its last step are its registers, then the index plus one of
/// the instruction at which it could not go on, for division by zero, or 0.
class LitmusThread : public explore::Agent {
 public:
  explicit LitmusThread(const ThreadCode& code);

  explore::Step next(explore::Value last_read) override;
  void advance(explore::Value last_read, explore::Step& step) override;
  bool restart() override;
  std::uint32_t postpone() override;
  void answer(std::uint32_t read, explore::Value value) override;

  /// The registers as they are, but for those whose values are still to come.
  const std::vector<Integer>& registers() const { return registers_; }
  /// The registers of reads that were postponed and not answered.
  const LateRegisters& late_registers() const { return late_; }

 private:
  /// What the state was when control last passed a label.
  struct Visit {
    std::uint64_t effects = 0;
    std::vector<Integer> registers;
  };

  const Instruction& current() const { return instructions_[at_]; }
  Integer value(const Operand& operand) const;
  void pass_label();
  // These four return whether there is a step now.
  bool go_on(const Instruction& instruction, explore::Step& step);
  /// Goes to `target`, unless that is a backward jump that is news, or ends the run.
  bool jump(std::uint32_t target, explore::Step& step);
  bool spin(std::uint32_t target, bool last, explore::Step& step);
  bool compute(explore::Step& step);
  /// Takes note of the jump at `at` if it may not be taken again.
  void note_spent(std::size_t at);
  bool spins(std::uint32_t target) const;
  void execute(const Instruction& instruction, const Site& site, explore::Step& step);
  void access(const Instruction& instruction, const Site& site, explore::Step& step);
  void control_barrier(const Instruction& instruction, const Site& site, explore::Step& step);
  std::uint32_t number_of(const BarrierName& name) const;
  void end(explore::StepKind kind, explore::Step& step, std::uint64_t fault = 0) const;

  const ThreadCode& code_;
  const std::vector<Instruction>& instructions_;
  std::vector<Integer> registers_;
  std::size_t at_ = 0;
  /// The register that the last read goes to.
  std::optional<std::uint32_t> pending_;
  /// The registers of reads that were postponed, and how many they are.
  LateRegisters late_;
  std::uint32_t late_count_ = 0;
  /// How many writes and control barriers there have been.
  std::uint64_t effects_ = 0;
  /// How often each backward jump has been taken, by its instruction.
  std::map<std::size_t, std::uint64_t> jumps_;
  /// The backward jumps that may not be taken again, ascending.
  std::vector<std::size_t> spent_;
  /// The backward jumps of iterations that changed nothing.
  std::set<std::size_t> spun_;
  std::map<std::uint32_t, Visit> visits_;
  /// How often it arrived at control barriers, by the number of their name.
  std::vector<std::uint64_t> arrivals_;
};

}  // namespace heddle::litmus
