#pragma once

/// \file
/// A litmus thread as an agent of the explorer.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/barriers.h"
#include "emulator/litmus/reachability.h"
#include "emulator/litmus/test.h"

namespace heddle::litmus {

/// Every variable is one memory location of the model: an integer of this size.
inline constexpr std::uint32_t kVariableBytes = 8;

/// The memory locations of a variable.
Locations locations_of(const Variable& variable);

/// What all runs of one thread have in common.
struct ThreadCode {
  const Test& test;
  std::uint32_t thread = 0;
  /// Iterations of each loop; 1 is straight through.
  std::uint64_t bound = 2;
  /// See live_registers().
  std::vector<std::vector<bool>> live;
  /// Which instructions it executes: see Performers.
  std::vector<bool> executes;
  Barriers& barriers;
  Reachability& reachability;
};

/// One run of a thread. The results of its last step are its registers, then the index plus one of
/// the instruction at which it could not go on, for division by zero, or 0.
class LitmusThread : public explore::Agent {
 public:
  explicit LitmusThread(const ThreadCode& code);

  explore::Step next(explore::Value last_read) override;

 private:
  /// What the state was when control last passed a label.
  struct Visit {
    std::uint64_t effects = 0;
    std::vector<Integer> registers;
  };

  explore::Step go_on();
  const Instruction& current() const { return instructions_[at_]; }
  Integer value(const Operand& operand) const;
  void pass_label();
  /// Goes to `target`, unless that needs a backward jump that ends the run: then the news of it.
  std::optional<explore::Step> jump(std::uint32_t target);
  /// Takes note of the jump at `at` if it may not be taken again.
  void note_spent(std::size_t at);
  bool spins(std::uint32_t target) const;
  std::optional<explore::Step> spin(std::uint32_t target, bool last);
  std::optional<explore::Step> compute();
  explore::Step execute();
  explore::Step access();
  explore::Step control_barrier();
  explore::Step end(explore::StepKind kind, std::uint64_t fault = 0) const;

  const ThreadCode& code_;
  const std::vector<Instruction>& instructions_;
  std::vector<Integer> registers_;
  std::size_t at_ = 0;
  /// The register that the last read goes to.
  std::optional<std::uint32_t> pending_;
  /// How many writes and control barriers there have been.
  std::uint64_t effects_ = 0;
  /// How often each backward jump has been taken, by its instruction.
  std::map<std::size_t, std::uint64_t> jumps_;
  /// The backward jumps that may not be taken again, ascending.
  std::vector<std::size_t> spent_;
  /// The backward jumps of iterations that changed nothing.
  std::set<std::size_t> spun_;
  std::map<std::uint32_t, Visit> visits_;
  std::map<std::tuple<std::string, std::string, Integer>, std::uint64_t> arrivals_;
};

}  // namespace heddle::litmus
