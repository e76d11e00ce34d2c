// What agents that do not tell it may do, and the values that reads may be promised.

#include <utility>

#include "emulator/explore/symmetry.h"

namespace heddle::explore {

// Agents that do not tell what they may do are run by themselves; if that takes too many steps, silent
// passes learn from the graphs until there is no news, and only then executions are reported. Where that takes too many
// graphs, agents are run by themselves with more patience. What is derived, but not consistent, no graph shows, and an
// agent that reads it may come to a write that it may take it from: so derivations are asked once more. False if the
// exploration was stopped meanwhile.
bool Explorer::learn() {
  if (derives_all(options_.learned_steps)) return true;
  if (!learns_from_graphs(options_.learned_graphs)) {
    if (options_.learned_graphs == 0) return false;
    was_patient_ = true;
    if (derives_all(options_.patient_steps)) return true;
    if (!learns_from_graphs(0)) return false;
  }
  derives_all(options_.derivation_steps);
  return true;
}

bool Explorer::derives_all(std::size_t steps) {
  derivations_.emplace(program_, trees_, layout_, options_.thin_air, Derivations::Start{},
                       Derivations::Patience{steps, options_.cancelled});
  if (!derivations_->exact()) return false;
  derivations_->for_each_access(
      [&](AgentId agent, TraceTree::Node node, const Operation& op) { foresight_.note(agent, node, op); });
  return true;
}

// Whether no more graphs than these were needed in a pass; 0 is no limit but that of the exploration.
bool Explorer::learns_from_graphs(std::uint64_t most) {
  reporting_ = false;
  graph_limit_ = most != 0 ? most : options_.graph_limit;
  do {
    derivations_.reset();
    pass();
  } while (learned_ && !stopped_);
  reporting_ = true;
  graph_limit_ = options_.graph_limit;
  return !stopped_;
}

// The derivations that start from the agents' beginnings, or where these are too many, those that go on
// from here if they are the same; null if that is too much, too. There are many graphs to go on from: each has a
// part of the steps.
const Derivations* Explorer::derivations(std::optional<Derivations>& from_here) {
  if (!derivations_)
    derivations_.emplace(program_, trees_, layout_, options_.thin_air, Derivations::Start{},
                         Derivations::Patience{options_.derivation_steps, options_.cancelled});
  if (!derivations_->exact() && reporting_ && options_.patient_steps != 0 && !std::exchange(was_patient_, true))
    derives_all(options_.patient_steps);
  if (derivations_->exact()) return &*derivations_;
  // What only other reads than the graph's lead to is not among these, if any.
  statistics_.complete = false;
  Derivations::Start here;
  here.graph = &execution_;
  for (const AgentState& agent : agents_) {
    here.nodes.push_back(agent.node);
    here.ended.push_back(agent.status == Status::Ended);
  }
  from_here.emplace(program_, trees_, layout_, options_.thin_air, here,
                    Derivations::Patience{options_.derivation_steps / 10, options_.cancelled});
  return from_here->exact() && from_here->closed() ? &*from_here : nullptr;
}

}  // namespace heddle::explore
