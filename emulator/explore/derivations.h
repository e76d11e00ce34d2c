#pragma once

/// \file
/// The values that are not out of thin air.

#include <atomic>
#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
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
  bool is_free() const { return list_.size() == 1 && list_.front().none(); }
  const std::vector<Needs>& list() const { return list_; }
  /// The ways on to what `write` writes: those that do not need it before, and then do.
  Ways through(std::size_t write) const;
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

  /// How much may be done: so many steps, and none once `cancelled`, which may be null, is true.
  struct Patience {
    std::size_t most_steps = 0;
    const std::atomic<bool>* cancelled = nullptr;
  };

  /// Runs agents by themselves.
  Derivations(const Program& program, std::vector<TraceTree>& trees, Layout& layout, bool thin_air, const Start& start,
              const Patience& patience);

  /// Whether the patience was enough.
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
    for (std::size_t a = 0; a < visited_.size(); ++a)
      for (Node node = 0; node < visited_[a].size(); ++node)
        if (visited_[a][node]) f(static_cast<AgentId>(a), node, trees_[a].step(node).operation);
  }

 private:
  /// A value that an agent writes, by need of itself or not.
  struct Written {
    Locations piece;
    Value value = 0;
    AgentId agent{};
    std::uint32_t depth = 0;
  };
  /// Without a way it is written only by need of itself.
  struct Readable {
    Value value = 0;
    Ways ways;
  };
  /// The initial value comes first.
  struct Piece {
    Locations locations;
    std::vector<Readable> values;
    std::vector<AgentId> readers;
  };

  /// What a company has done together so far, by number; nothing at the start.
  using History = std::size_t;
  /// Where an agent is that waits for its company, or has ended, and how it came there.
  struct Wait {
    Node node = 0;
    History history = 0;
    Ways ways;
  };
  /// On the way of an agent.
  struct At {
    Node node = 0;
    History history = 0;
    Ways ways;
    /// How many it has made.
    std::uint32_t writes = 0;
  };

  void add_graph(const model::Execution& graph);
  void run_all(const Start& start);
  void run(AgentId agent, At at);
  bool is_of_company(std::size_t agent) const;
  // Companies: derived_meetings.cpp.
  void wait_for_company(AgentId agent, const At& at);
  void note_wait(AgentId agent, const At& at);
  void meet(AgentId agent, const At& at, std::vector<const Wait*>& others);
  History after(History history, const std::vector<std::uint64_t>& what);
  void note_visit(AgentId agent, Node node);
  void read(AgentId agent, const At& at);
  void write(AgentId agent, Node node, Value written, const Ways& ways, std::uint32_t nth);
  Ways arrive(AgentId agent, const Step& arrival, const Ways& ways);
  std::vector<Readable> readable(const Operation& read, const Ways& ways);
  void note(const Locations& piece, Value value, AgentId agent, std::uint32_t depth, const Ways& ways);
  std::vector<Readable> given(const Locations& piece) const;
  Piece& piece_of(const Locations& locations);
  std::size_t number_of(AgentId agent, std::uint32_t nth);
  Value initial(const Locations& piece) const;
  bool may_go_on() const { return exact_ && !cut_anew_; }
  bool is_too_much() const;

  const Program& program_;
  std::vector<TraceTree>& trees_;
  Layout& layout_;
  bool thin_air_;
  const Patience patience_;
  std::size_t steps_ = 0;
  bool exact_ = true;
  bool closed_ = true;
  bool cut_anew_ = false;

  std::vector<Written> written_;
  std::vector<Piece> pieces_;
  /// By agent: whether what it read, or who came to a barrier, has changed since it ran last.
  std::vector<bool> has_news_;
  /// By agent and number among its writes.
  std::map<std::pair<AgentId, std::uint32_t>, std::size_t> numbers_;
  /// By control-barrier instance and agent: how it comes to it.
  std::map<std::uint64_t, std::map<AgentId, Ways>> arrived_;
  /// By agent: its company, and its position in there; null for one that has none.
  std::vector<std::pair<const Company*, std::size_t>> company_of_;
  std::vector<std::deque<Wait>> waits_;
  std::map<std::pair<History, std::vector<std::uint64_t>>, History> histories_;
  /// By agent and node: the accesses that were come to.
  std::vector<std::vector<bool>> visited_;
};

}  // namespace heddle::explore
