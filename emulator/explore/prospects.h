#pragma once

/// \file
/// What agents may still write: the values that a read may wait for, or be promised.

#include <cstdint>
#include <map>
#include <utility>
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

/// Values out of thin air are those that are not here: the values of a piece are the smallest sets
/// such that the initial value is in, and so is what an agent writes when each of its reads takes
/// values that are in.
///
/// Learned by running each agent by itself over these values; if that takes too many steps, from the
/// graphs that the explorer builds, which then has to start over as long as it learns something.
class Prospects {
 public:
  Prospects(const Program& program, std::vector<TraceTree>& trees, Layout& layout, bool thin_air);

  /// Runs each agent by itself. Afterwards `exact` tells whether all was learned.
  void learn();
  bool exact() const { return exact_; }

  /// Takes note of the operation of `agent` at `node`, which writes `written` if it writes. Returns
  /// whether that was news, after which what was said before may have been too little.
  bool note(AgentId agent, TraceTree::Node node, const Operation& operation, Value written);

  /// The values that `piece` may take; the initial one is among them.
  const std::vector<Value>& values(const Locations& piece) const;

  /// Whether `agent`, whose next step is `node`, may write `piece` before it ends.
  bool may_write(AgentId agent, TraceTree::Node node, const Locations& piece) const;
  /// The same, of this value.
  bool may_write(AgentId agent, TraceTree::Node node, const Locations& piece, Value value) const;
  /// Whether `agent`, whose next step is the read at `node`, may itself write what that step reads,
  /// later and in such a way that program order does not order the two.
  bool may_overwrite_unordered(AgentId agent, TraceTree::Node node, const Locations& piece) const;

 private:
  using PieceKey = std::pair<AllocationId, std::uint64_t>;
  struct Run;

  static PieceKey key(const Locations& piece) { return {piece.allocation, piece.offset_bytes}; }
  Value initial(const Locations& piece) const;
  void reset_values();
  bool add_value(const Locations& piece, Value value);
  bool run_all(Run& run);
  std::uint32_t run(Run& run, std::size_t agent, TraceTree::Node node);
  const std::vector<Prospect>& prospects(std::size_t agent, TraceTree::Node node) const;

  const Program& program_;
  std::vector<TraceTree>& trees_;
  Layout& layout_;
  bool thin_air_;
  bool exact_ = false;
  std::map<PieceKey, std::vector<Value>> values_;
  /// By agent: the greatest depth at which a write to a piece was seen.
  std::vector<std::map<PieceKey, std::uint32_t>> last_write_;
  /// By agent: how many nodes the tree had when all was learned.
  std::vector<std::size_t> learned_nodes_;
  /// By agent and node: what may be written from there on; filled in where it is asked for.
  struct NodeProspects {
    bool known = false;
    std::vector<Prospect> list;
  };
  mutable std::vector<std::vector<NodeProspects>> by_node_;
};

}  // namespace heddle::explore
