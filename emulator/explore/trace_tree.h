#pragma once

/// \file
/// What one agent does, by the values that it reads.

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/explore/program.h"

namespace heddle::explore {

/// The steps of one agent as a tree: a node is a step, its children are the steps that follow, by the
/// value that the step read. Grows where it is looked at, by running the agent again from the start;
/// the agent that ran last is kept in case it is asked to go on.
class TraceTree {
 public:
  using Node = std::uint32_t;

  TraceTree(const AgentDescription& description, AgentId agent);

  static constexpr Node kRoot = 0;
  const Step& step(Node node) const { return nodes_[node].step; }
  /// How many steps come before.
  std::uint32_t depth(Node node) const { return nodes_[node].depth; }
  /// What the steps before have read.
  std::vector<Value> reads_to(Node node) const;
  /// The step after `node`, an operation, has read `read` (0 if it reads nothing).
  Node after(Node node, Value read);
  /// Whether that is known without running the agent.
  bool knows(Node node, Value read) const { return find(node, read) != kNone; }
  std::size_t size() const { return nodes_.size(); }

  /// Children known so far.
  const std::vector<std::pair<Value, Node>>& children(Node node) const { return nodes_[node].children; }

 private:
  static constexpr Node kNone = ~Node{0};

  struct Entry {
    Step step;
    Node parent = kNone;
    Value read_by_parent = 0;
    std::uint32_t depth = 0;
    std::vector<std::pair<Value, Node>> children;
  };

  Node find(Node node, Value read) const;
  Node add(Node parent, Value read, Step step);
  void run_to(Node node);

  const AgentDescription* description_;
  AgentId agent_;
  // A deque, because steps are referred to while the tree grows.
  std::deque<Entry> nodes_;
  std::unique_ptr<Agent> running_;
  Node running_at_ = kNone;
};

}  // namespace heddle::explore
