#include <algorithm>

#include "emulator/explore/derivations.h"

/// \file
/// What agents of a company may do together in a derivation: what they would if each of them came to where it waits.

namespace heddle::explore {

// What they have done together so far has to be the same for all who meet.
Derivations::History Derivations::after(History history, const std::vector<std::uint64_t>& what) {
  return histories_.emplace(std::pair{history, what}, histories_.size() + 1).first->second;
}

void Derivations::note_wait(AgentId agent, const At& at) {
  std::deque<Wait>& waits = waits_[position(agent)];
  const auto known = std::find_if(waits.begin(), waits.end(),
                                  [&](const Wait& one) { return one.node == at.node && one.history == at.history; });
  bool news = true;
  if (known == waits.end())
    waits.push_back({at.node, at.history, at.ways});
  else
    news = known->ways.add(at.ways);
  if (!news) return;
  for (const AgentId other : *company_of_[position(agent)].first)
    if (other != agent) has_news_[position(other)] = true;
}

// Waits where it is: until its company meets, or a control barrier opens.
void Derivations::wait_for_company(AgentId agent, const At& at) {
  note_wait(agent, at);
  const Step& step = trees_[position(agent)].step(at.node);
  if (step.kind == StepKind::Operation) {
    At behind = at;
    behind.ways = arrive(agent, step, at.ways);
    behind.node = trees_[position(agent)].after(at.node, 0);
    behind.history = after(at.history, {step.operation.barrier_instance});
    run(agent, behind);
  }
  std::vector<const Wait*> others;
  meet(agent, at, others);
}

// With any of the others that have done the same together so far; those that are chosen come first in the company.
void Derivations::meet(AgentId agent, const At& at, std::vector<const Wait*>& others) {
  const auto [company, own] = company_of_[position(agent)];
  if (!may_go_on()) return;
  if (others.size() != company->size()) {
    const std::size_t next = others.size();
    const std::deque<Wait>& waits = waits_[position((*company)[next])];
    // What comes in meanwhile is news, for which the agent is run again.
    for (std::size_t i = 0, size = waits.size(); i < size; ++i) {
      if (waits[i].history != at.history || (next == own && waits[i].node != at.node)) continue;
      others.push_back(&waits[i]);
      meet(agent, at, others);
      others.pop_back();
    }
    return;
  }
  if (++steps_; is_too_much()) {
    exact_ = false;
    return;
  }
  CompanyValues brought;
  std::vector<std::uint64_t> nodes;
  At together = at;
  for (std::size_t i = 0; i < company->size(); ++i) {
    const Step& step = trees_[position((*company)[i])].step(others[i]->node);
    brought.push_back(step.kind == StepKind::Meets ? std::optional(step.written) : std::nullopt);
    nodes.push_back(others[i]->node);
    if (i != own) together.ways = together.ways & others[i]->ways;
  }
  if (!has_value(brought)) return;
  const CompanyValues results = program_.meet(brought);
  if (!has_value(results)) return;
  together.history = after(at.history, nodes);
  if (!results[own]) return wait_for_company(agent, together);
  together.node = trees_[position(agent)].after(at.node, *results[own]);
  run(agent, together);
}

}  // namespace heddle::explore
