#pragma once

/// \file
/// What agents may still write: the values that a read may wait for, or be promised.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "emulator/explore/layout.h"
#include "emulator/explore/program.h"
#include "emulator/explore/trace_tree.h"

namespace heddle::explore {

/// A write that may come.
struct Prospect {
  Locations piece;
  Value value = 0;
  ReferenceId reference{};
  bool non_private = false;

  friend bool operator==(const Prospect&, const Prospect&) = default;
};

/// Values out of thin air are those that are not here. What an agent may read of a piece is the
/// initial value, what it wrote itself before, and what other agents may write; and an agent may write
/// what it does write when it reads such values. (An agent that has several references to a piece may
/// read its own later writes, too: they are not ordered.) Nobody passes a control barrier that no such
/// run of the others can open.
///
/// Learned by running each agent by itself over these values; if that takes too many steps, values are
/// learned from the graphs that the explorer builds, which then has to start over as long as it learns
/// something.
class Prospects {
 public:
  using Node = TraceTree::Node;

  Prospects(const Program& program, std::vector<TraceTree>& trees, Layout& layout, bool thin_air);

  /// Runs each agent by itself, as long as its tree has at most so many steps. Afterwards `exact` tells
  /// whether all was learned.
  void learn(std::size_t most_steps);
  bool exact() const { return exact_; }

  /// Takes note of an access that `agent` does at `node`; `in_graph` if it does so in a graph in which
  /// every read has its write. Returns whether that was news, after which what was said
  /// before may have been too little.
  bool note(AgentId agent, Node node, const Operation& operation, Value written, bool in_graph);

  /// The values that `agent` may read of a piece through a reference, apart from those of its own writes
  /// through the same reference.
  std::vector<Value> values_for(AgentId agent, const Locations& piece, ReferenceId reference) const;

  /// Whether `agent`, whose next step is `node`, may write `piece` before it ends.
  bool may_write(AgentId agent, Node node, const Locations& piece) const;
  /// The same, of this value.
  bool may_write(AgentId agent, Node node, const Locations& piece, Value value) const;
  /// Whether `agent`, whose next step is the read at `node`, may write `piece` later in such a way that
  /// its read need not be location-ordered before that write.
  bool may_write_unordered(AgentId agent, Node node, const Locations& piece) const;

 private:
  /// A write that was seen, and the greatest depth at which it was.
  struct Seen {
    Prospect prospect;
    std::uint32_t depth = 0;
    /// Whether some graph has the write, or only an agent by itself did it.
    bool in_graph = false;
  };
  struct Run;

  Value initial(const Locations& piece) const;
  std::vector<Value> reads_of(const Run& run, std::size_t agent, const Operation& read) const;
  void run_all(Run& run);
  std::uint32_t run(Run& run, std::size_t agent, Node node);
  std::uint32_t run_write(Run& run, std::size_t agent, Node node, Value read, Value written);
  bool note_arrival(AgentId agent, const Step& arrival);
  bool may_open(const Step& arrival) const;
  const std::vector<Prospect>& prospects(std::size_t agent, Node node) const;

  const Program& program_;
  std::vector<TraceTree>& trees_;
  Layout& layout_;
  bool thin_air_;
  bool exact_ = false;
  bool learning_ = false;
  /// By agent: all writes seen.
  std::vector<std::vector<Seen>> seen_;
  /// By control-barrier instance: who was seen to arrive.
  std::map<std::uint64_t, std::set<AgentId>> arrived_;
  /// By agent: how many nodes the tree had when all was learned; 0 if not all was.
  std::vector<std::size_t> learned_nodes_;
  /// By agent and node: what may be written from there on; filled in where it is asked for.
  struct NodeProspects {
    bool known = false;
    std::vector<Prospect> list;
  };
  mutable std::vector<std::vector<NodeProspects>> by_node_;
};

}  // namespace heddle::explore
