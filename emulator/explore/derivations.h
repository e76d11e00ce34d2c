#pragma once

/// \file
/// The values that are not out of thin air.

#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/explore/layout.h"
#include "emulator/explore/program.h"
#include "emulator/explore/trace_tree.h"
#include "emulator/model/execution.h"

namespace heddle::explore {

/// Ways to come to something: each is the set of writes that it needs (numbers that Derivations gives
/// to each agent's n-th write). Of two ways of which one needs all that the other needs, only the other
/// is kept.
class Ways {
 public:
  static constexpr std::size_t kMostWrites = 256;
  using Needs = std::bitset<kMostWrites>;

  /// The way that needs nothing.
  static Ways free();

  /// Whether the way was news.
  bool add(const Needs& way);
  bool add(const Ways& ways);
  bool empty() const { return list_.empty(); }
  const std::vector<Needs>& list() const { return list_; }
  /// The ways that do not need `write`.
  Ways without(std::size_t write) const;
  /// All ways to come to both.
  Ways operator&(const Ways& other) const;

 private:
  std::vector<Needs> list_;
};

/// A value is derived if it is an initial value, or if some agent writes it when all that it read before
/// is derived, none of it by need of this very write; and it comes past a control barrier if
/// enough others come to it in the same way. Values out of thin air are the others. Since every step of a
/// derivation needs one more write, derivations end.
class Derivations {
 public:
  using Node = TraceTree::Node;

  /// Where agents stand. Without a graph they stand at their beginning.
  struct Start {
    const model::Execution* graph = nullptr;
    std::vector<Node> nodes;
    std::vector<bool> ended;
  };

  /// Runs agents by themselves, at most so many steps in all.
  Derivations(const Program& program, std::vector<TraceTree>& trees, Layout& layout, bool thin_air,
              const Start& start, std::size_t most_steps);

  /// Whether the steps were enough.
  bool exact() const { return exact_; }
  /// Whether values would be the same if writes were allowed to need themselves.
  bool closed() const { return closed_; }

  /// Whether a read may have the value.
  bool has(const Locations& piece, Value value) const;
  /// All of them.
  std::vector<Value> values(const Locations& piece) const;
  /// Whether `agent` may write the value to the piece at a greater depth.
  bool may_write(AgentId agent, std::uint32_t depth, const Locations& piece, Value value) const;

  /// Calls f(agent, node, operation) for each write and read that was come to.
  template <typename F>
  void for_each_access(F&& f) const {
    for (const Visit& visit : visits_)
      f(visit.agent, visit.node, trees_[static_cast<std::size_t>(visit.agent)].step(visit.node).operation);
  }

 private:
  /// Without a way it is written only by need of itself.
  struct Written {
    Locations piece;
    Value value = 0;
    AgentId agent{};
    ReferenceId reference{};
    std::uint32_t depth = 0;
    Ways ways;
  };
  struct Readable {
    Value value = 0;
    Ways ways;
  };
  /// What the agent that runs has written so far.
  struct Own {
    Locations piece;
    Value value = 0;
    Ways ways;
  };
  struct Visit {
    AgentId agent{};
    Node node = 0;
  };

  void add_graph(const model::Execution& graph);
  void run_all(const Start& start);
  void run(AgentId agent, Node node, Ways ways, std::uint32_t writes);
  void read(AgentId agent, Node node, const Ways& ways, std::uint32_t writes);
  void write(AgentId agent, Node node, Value written, const Ways& ways, std::uint32_t nth);
  Ways arrive(AgentId agent, const Step& arrival, const Ways& ways);
  std::vector<Readable> readable(AgentId agent, const Operation& read, const Ways& ways);
  /// Apart from what `agent` writes through the same reference.
  std::vector<Readable> readable_of(AgentId agent, const Locations& piece, ReferenceId reference) const;
  Written& written(const Locations& piece, Value value, AgentId agent, ReferenceId reference);
  std::size_t number_of(AgentId agent, std::uint32_t nth);
  Value initial(const Locations& piece) const;
  bool may_go_on() const { return exact_ && !cut_anew_; }

  const Program& program_;
  std::vector<TraceTree>& trees_;
  Layout& layout_;
  bool thin_air_;
  std::size_t most_steps_;
  std::size_t steps_ = 0;
  bool exact_ = true;
  bool closed_ = true;
  bool news_ = false;
  bool cut_anew_ = false;

  std::vector<Written> written_;
  std::vector<Own> own_;
  /// By agent and number among its writes.
  std::map<std::pair<AgentId, std::uint32_t>, std::size_t> numbers_;
  /// By control-barrier instance and agent: how it comes to it.
  std::map<std::uint64_t, std::map<AgentId, Ways>> arrived_;
  std::vector<Visit> visits_;
};

}  // namespace heddle::explore
