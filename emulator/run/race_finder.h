#pragma once

/// \file
/// Hears what the agents of a run do, finds the pairs that race, and makes of each what can be told.

#include <heddle/report.h>

#include <optional>
#include <utility>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/run/dispatched.h"
#include "emulator/trace/listener.h"

namespace heddle::advice {
struct ChangeOptions;
struct Changes;
}  // namespace heddle::advice
namespace heddle::trace {
class Instructions;
}

namespace heddle::run {

class RaceNames;

/// Looks for races in what a memory tells whose operations have one order. It keeps what it takes to explain one: the
/// last operations, and where their agents are. What becomes of a race is for those who inherit this to say.
class RaceFinder : public trace::Listener {
 public:
  void agent_begins(AgentId agent, const model::Place& place) override { agents_begin(agent, 1, place, {}); }
  void agent_ends(AgentId agent) override { agents_end(agent, 1); }
  void agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                    std::span<const std::uint32_t> subgroups) override {
    detector_.agents_begin(first, count, place, subgroups);
  }
  void agents_end(AgentId first, std::uint32_t count) override { detector_.agents_end(first, count); }
  void system_synchronizes(AgentId first, AgentId second) override { detector_.system_synchronizes(first, second); }
  void dependency(bool memory) override;
  void dispatched(const trace::Dispatch& dispatch) override { dispatched_.begins(dispatch); }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override {
    detector_.passes(arrival, synchronizing);
  }
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) override;
  void placed(model::OperationIndex write) override;
  bool hears_moves() const override { return false; }

 protected:
  struct Options {
    race::KernelOptions detector;
    /// So many operations of a run are kept for changes, from number `remembered_from` on.
    std::size_t recent_operations = 0;
    advice::Recent::Hears hears = advice::Recent::Hears::AnyMemory;
    model::OperationIndex remembered_from = 0;
  };
  /// `instructions` must outlive it.
  RaceFinder(const Options& options, const trace::Instructions& instructions);

  /// The detector finds a pair of instructions that it had not found before; its second access is `now_`.
  virtual void note(const race::KernelRace& race) = 0;
  /// The detector finds race number `race` again; agent `first` made the first access.
  virtual void note_again(std::size_t race, AgentId first) = 0;
  /// Forgets the agents that were heard of, and what they did.
  virtual void forget();

  /// race_of the pair that is found just now. Returns the number of the first operation as well, if it is remembered.
  std::pair<DataRace, std::optional<model::OperationIndex>> told(const race::KernelRace& race,
                                                                 const RaceNames& names) const;

  /// Tries changes, as RaceExplainer::explain.
  std::optional<advice::Changes> explain(const race::KernelRace& race, const advice::ChangeOptions& options,
                                         DataRace& noted);

  race::KernelDetector detector_;
  advice::Recent recent_;
  /// Since the last memory dependency.
  Dispatched dispatched_;
  /// What the memory tells just now.
  struct Now {
    const Operation* operation = nullptr;
    advice::AccessValues values;
  };
  Now now_;
};

}  // namespace heddle::run
