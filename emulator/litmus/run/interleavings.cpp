#include "emulator/litmus/run/interleavings.h"

#include <unordered_set>
#include <vector>

#include "emulator/litmus/run/settled_outcome.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/memory/sequential.h"
#include "emulator/run/runner.h"

namespace heddle::litmus {
namespace {

/// Thrown where a run comes to a state that an earlier one was in.
struct SeenBefore {};

using State = std::vector<std::uint64_t>;

struct HashOfState {
  std::size_t operator()(const State& state) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : state) hash = (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29);
    return hash;
  }
};

/// Depth-first through the tree of choices: a run for each leaf, less those that meet a state from
/// which everything has been tried.
class Systematic final : public Choice, public trace::Listener {
 public:
  explicit Systematic(std::size_t agents) : done_(agents) {}

  void runs(const run::Runner& runner) { runner_ = &runner; }
  /// Before each run but the first: whether there is another one.
  bool next_run() {
    while (!path_.empty() && path_.back().value + 1 == path_.back().bound) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().value;
    depth_ = 0;
    choices_since_ = 0;
    for (State& done : done_) done.clear();
    agent_of_.clear();
    return true;
  }

  std::uint32_t below(std::uint32_t bound, ChoicePoint) override {
    if (depth_ == path_.size()) {
      if (!seen_.insert(state()).second) throw SeenBefore{};
      path_.push_back({bound, 0});
    }
    ++choices_since_;
    return path_[depth_++].value;
  }

  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool) override {}
  void placed(trace::OperationIndex) override {}
  void operation(trace::OperationIndex, const Operation& operation, trace::Value read, trace::Value,
                 std::span<const trace::Source>) override {
    agent_of_.push_back(operation.agent);
    done(operation.agent, read);
  }
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex>) override {
    done(agent_of_[arrival], 0);
  }

 private:
  struct Branch {
    std::uint32_t bound;
    std::uint32_t value;
  };

  void done(AgentId agent, std::uint64_t what) {
    done_[static_cast<std::size_t>(agent)].push_back(what);
    choices_since_ = 0;
  }
  /// What every agent has read, by which it is where it is, and what lies in memory.
  State state() const {
    State out = runner_->storage();
    out.push_back(choices_since_);
    for (const State& one : done_) {
      out.push_back(one.size());
      out.insert(out.end(), one.begin(), one.end());
    }
    return out;
  }

  const run::Runner* runner_ = nullptr;
  std::vector<Branch> path_;
  std::size_t depth_ = 0;
  /// How many choices were made since something was done.
  std::uint64_t choices_since_ = 0;
  std::vector<State> done_;
  std::vector<AgentId> agent_of_;
  std::unordered_set<State, HashOfState> seen_;
};

}  // namespace

std::optional<std::set<Outcome>> interleaved_outcomes(const Test& test, std::uint64_t bound, std::uint64_t most_runs) {
  std::set<Outcome> out;
  Outcome outcome;
  std::uint64_t runs = 0;
  for (Performers& performers : choices_of_performers(test)) {
    const TestProgram program(test, bound, Spinning::Endless, std::move(performers));
    memory::SequentialMemory memory;
    Systematic choice(program.program().agents.size());
    memory.listen(&choice);
    run::Runner runner(program.program(), std::vector<std::uint32_t>(test.locations, kVariableBytes), memory, choice,
                       run::Patience::Sleep);
    choice.runs(runner);
    do {
      if (++runs > most_runs) return std::nullopt;
      try {
        if (runner.run() != run::RunEnd::Terminated) continue;
        settled_outcome(program, runner, outcome);
        if (!test.filter || satisfies(outcome, *test.filter)) out.insert(outcome);
      } catch (const SeenBefore&) {
        // What could follow has been tried.
      }
    } while (choice.next_run());
  }
  return out;
}

}  // namespace heddle::litmus
