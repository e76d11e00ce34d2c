#pragma once

/// \file
/// All consistent executions of a program, each exactly once.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/judge/judgement.h"
#include "emulator/model/execution.h"

namespace heddle::explore {

/// Which executions the caller needs. Fewer than all may be found more than once, and others as well.
enum class Wanted : std::uint8_t {
  AllExecutions,
  /// At least one that has a data race if there is any. If there is none: of all that terminate, the results.
  Races,
  /// The results of all that terminate. Executions in which an agent spins for ever are left out.
  Outcomes,
};

struct Options {
  judge::Options model;
  /// PROOFS.md says why what is left out is not needed.
  Wanted wanted = Wanted::AllExecutions;
  /// How many of the executions that were handed over the caller has counted so far; all if null. Looked at where
  /// Races are wanted.
  const std::uint64_t* counted = nullptr;
  /// Whether the caller counts every execution, whatever it ends with. Looked at where Races are wanted.
  bool counts_all = false;
  /// Stop after so many executions have been reported or stood for; 0 is no limit.
  std::uint64_t limit = 0;
  /// Stop after so many graphs have been visited, also where they are only learned from; 0 is no limit.
  std::uint64_t graph_limit = 0;
  /// Looked at before each graph: once it is true the exploration stops, incomplete. May be null.
  const std::atomic<bool>* cancelled = nullptr;
  /// Agents that do not tell what they may do (Step::later) are first run by themselves, so
  /// many steps in all, to learn it. Where that is too few, the program is explored in silence until
  /// there is nothing more to learn.
  std::size_t learned_steps = 10000;
  /// Where that takes more graphs than these (0 is no limit), agents are run by themselves once more, so many steps in
  /// all, before the program is explored in silence to its end.
  std::uint64_t learned_graphs = 0;
  std::size_t patient_steps = 0;
  /// How many steps may be taken to derive the values that reads can be promised. Where that, and `patient_steps`, is
  /// too few, the exploration is incomplete: reads are promised what derives from the graph at hand in a tenth of these
  /// steps, or nothing.
  std::size_t derivation_steps = 4000000;
  /// Once it is true, executions in which an agent does not finish are of no interest any more, and are
  /// left out. May be null.
  const bool* only_terminated = nullptr;
  /// Let reads take values out of thin air: they range over Program::thin_air_values.
  bool thin_air = false;
  /// Hand over some for all executions that differ only in which of interchangeable agents did what: see
  /// Found::stands_for.
  bool up_to_symmetry = false;
};

enum class EndState : std::uint8_t {
  Finished,
  /// Waits for ever at a control barrier.
  Waiting,
  /// Spins for ever.
  Spinning,
  /// Cut by its bound.
  Cut,
};

struct AgentEnd {
  EndState state = EndState::Finished;
  /// Step::results of the step at which the agent ended.
  std::vector<Value> results;
};

/// One consistent execution, valid during the call that hands it over.
struct Found {
  const model::Execution& execution;
  /// Every relation of the execution; see judge/judgement.h.
  const judge::Judgement& judgement;
  /// Indexed by AgentId.
  const std::vector<AgentEnd>& ends;
  /// Up to symmetry: how many executions it stands for, itself among them. The sum over all that are handed over is the
  /// number of executions; that of a single one need not be whole. Otherwise 1.
  double stands_for = 1;

  /// Whether every agent finished. Only such an execution may satisfy an assertion; the others count
  /// for data races all the same.
  bool terminated() const;
  /// Whether some agent was cut by its bound.
  bool cut() const;
};

/// How many executions were found, or stood for (Found::stands_for).
class Counts {
 public:
  void add(const Found& found);
  void forget_ended() {
    ended_ = 0;
    all_ = blocked_ + cut_;
  }

  /// Executions of every kind; those that are blocked or cut are counted among them.
  std::uint64_t all() const { return whole(all_); }
  std::uint64_t blocked() const { return whole(blocked_); }
  std::uint64_t cut() const { return whole(cut_); }
  /// Executions in which every agent finished.
  std::uint64_t ended() const { return whole(ended_); }

  /// The whole number that is nearest; kMost for all from 2^64 on.
  static std::uint64_t whole(double number) {
    return number + 0.5 < 0x1p64 ? static_cast<std::uint64_t>(number + 0.5) : kMost;
  }
  static constexpr std::uint64_t kMost = ~std::uint64_t{0};

 private:
  double all_ = 0;
  double ended_ = 0;
  double blocked_ = 0;
  double cut_ = 0;
};

struct Statistics {
  /// Consistent executions reported, or stood for.
  std::uint64_t executions = 0;
  /// How many were handed over.
  std::uint64_t found = 0;
  /// How many of the executions did not terminate.
  std::uint64_t blocked = 0;
  std::uint64_t cut = 0;
  /// Partial and whole execution graphs that were built.
  std::uint64_t graphs = 0;
  /// False when a limit stopped the exploration, an agent was cut by its bound, or reads waited for each
  /// other for values that took too many steps to derive.
  bool complete = true;
};

/// An execution has more than so many operations and choices; `where` is the last operation's place.
struct TooLong {
  std::uint32_t most = 0;
  SourceLocation where;
};

/// Calls `on_execution` for every consistent execution of `program`, each exactly once, until it
/// returns false or a limit is reached. Two executions differ if they differ in some agent's
/// operations, in reads-from, in scoped modification order or in the synchronizing set of a control
/// barrier with a quorum.
///
/// Load buffering is found. Values out of thin air are not generated unless options.thin_air asks for
/// them: see explore/PROOFS.md for what that means exactly.
///
/// Throws std::invalid_argument for a program that cannot be (an access of more than 8 bytes), and TooLong.
Statistics explore(const Program& program, const Options& options,
                   const std::function<bool(const Found&)>& on_execution);

}  // namespace heddle::explore
