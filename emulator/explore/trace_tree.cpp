#include "emulator/explore/trace_tree.h"

#include <heddle/detail/check.h>

#include <stdexcept>

namespace heddle::explore {

TraceTree::TraceTree(const AgentDescription& description, AgentId agent) : description_(&description), agent_(agent) {
  running_ = description_->start();
  running_at_ = add(kNone, 0, running_->next(0));
}

TraceTree::Node TraceTree::find(Node node, Value read) const {
  for (const auto& [value, child] : nodes_[node].children)
    if (value == read) return child;
  return kNone;
}

TraceTree::Node TraceTree::after(Node node, Value read) {
  const Node known = find(node, read);
  if (known != kNone) return known;
  if (running_at_ != node) run_to(node);
  const Node child = add(node, read, running_->next(read));
  nodes_[node].children.emplace_back(read, child);
  return running_at_ = child;
}

TraceTree::Node TraceTree::add(Node parent, Value read, Step step) {
  step.operation.agent = agent_;
  if (step.kind == StepKind::Operation && step.operation.is_access() &&
      (step.operation.locations.size_bytes == 0 || step.operation.locations.size_bytes > 8))
    throw std::invalid_argument("an access must be of 1 to 8 bytes");
  Entry entry;
  entry.step = std::move(step);
  entry.parent = parent;
  entry.read_by_parent = read;
  entry.depth = parent == kNone ? 0 : nodes_[parent].depth + 1;
  nodes_.push_back(std::move(entry));
  return static_cast<Node>(nodes_.size() - 1);
}

std::vector<Value> TraceTree::reads_to(Node node) const {
  std::vector<Value> reads(depth(node));
  for (Node at = node; at != kRoot; at = nodes_[at].parent) reads[depth(at) - 1] = nodes_[at].read_by_parent;
  return reads;
}

void TraceTree::run_to(Node node) {
  running_ = description_->start();
  Step step = running_->next(0);
  for (const Value read : reads_to(node)) step = running_->next(read);
  const Step& known = nodes_[node].step;
  HEDDLE_CHECK(step.kind == known.kind && step.operation.kind == known.operation.kind &&
                   step.operation.locations == known.operation.locations,
               "an agent that was started again and read the same took another step");
  running_at_ = node;
}

}  // namespace heddle::explore
