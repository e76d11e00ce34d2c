#pragma once

/// \file
/// Small programs as data, and random ones.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/explore/program.h"

namespace heddle::explore {

/// One line of a script.
struct Line {
  Operation operation;
  /// What a write writes, and what a read-modify-write adds to what it reads.
  Value constant = 0;
  /// Whether a write writes the value read last, plus `constant`.
  bool copies = false;
  /// Whether the script ends here if a read reads 0.
  bool ends_on_zero = false;
  /// Who takes part in a control barrier.
  std::vector<AgentId> participants;
  std::uint32_t quorum = 0;
};

using Script = std::vector<Line>;

/// An agent that does what its script says; its results are the values it read, in order.
class ScriptedAgent : public Agent {
 public:
  /// With `later`, what may be accessed from each line on, the agent tells so.
  explicit ScriptedAgent(const Script& script, const std::vector<Later>* later = nullptr)
      : script_(script), later_(later) {}
  Step next(Value last_read) override;
  std::uint32_t postpone() override;
  void answer(std::uint32_t read, Value value) override;

 private:
  Step end(StepKind kind) const;
  /// Whether the line shows the value of a late read, or ends by it.
  bool needs_late_values(const Line& line) const;

  const Script& script_;
  const std::vector<Later>* later_;
  std::size_t at_ = 0;
  std::vector<Value> reads_;
  /// Positions in reads_ that have no value yet.
  std::vector<std::uint32_t> late_;
  bool expects_value_ = false;
  bool ended_ = false;
};

/// Scripts and where their agents stand. It must outlive the programs made of it.
struct ScriptedProgram {
  std::vector<Script> scripts;
  std::vector<model::Place> places;
  std::vector<model::AgentPair> system_synchronization;

  Program program() const;
  /// The program with agents that tell what they may still do.
  Program telling_program();

 private:
  std::vector<std::vector<Later>> later_;
};

/// A program of two or three agents and up to `most_lines` lines in all, the same for the same seed:
/// scopes, semantics, storage classes, availability and visibility, references, sizes, fences, control
/// barriers with and without quorum, system-synchronization, values and conditions at random.
ScriptedProgram random_program(std::uint64_t seed, std::size_t most_lines);

/// Random programs of one device in which more happens between agents: the first variable is for atomics, most
/// of which release or acquire, the second for plain accesses, half of which are private, with more operations of
/// the domains.
ScriptedProgram random_messages(std::uint64_t seed, std::size_t most_lines);

/// A program of three agents, the same for the same seed, in which a value is handed from the first over the second to
/// the third: scopes, storage classes, bulk operations and those of accesses on the way at random.
ScriptedProgram random_chains(std::uint64_t seed);

/// A program of two or three agents and up to `most_lines` lines in all, the same for the same seed: reads of few
/// variables and writes of what was read, nearly all of them relaxed atomics, and a control barrier at times.
ScriptedProgram random_values(std::uint64_t seed, std::size_t most_lines);

/// A program of two or three agents, the same for the same seed: a message by a flag, whose ends are of any kind that
/// could order it, and control barriers on the way for those who need not come. Somewhere in it two instructions stand
/// one behind the other: with so many seeds in a row as there are pairs, each pair of kinds of a litmus test's
/// instructions does.
ScriptedProgram random_mixtures(std::uint64_t seed);
inline constexpr std::uint64_t kMixtures = 23 * 23;

/// The program with tags of two prefixes at random on half of its operations.
ScriptedProgram with_random_tags(ScriptedProgram program, std::uint64_t seed);

/// The program with fewer incompatible pairs of operations: one set dropped, one prefix of a set dropped, or two sets
/// combined.
ScriptedProgram with_fewer_tags(ScriptedProgram program, std::uint64_t seed);

/// The program as text: an agent, and each of its lines.
std::string describe(const ScriptedProgram& program);

/// A number that changes with the text of the program: a test of the program that a seed once gave compares it, as the
/// seed shows nothing any more once its generator draws otherwise.
std::uint64_t fingerprint(const ScriptedProgram& program);

}  // namespace heddle::explore
