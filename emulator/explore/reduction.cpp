#include <algorithm>
#include <utility>

#include "emulator/explore/explorer.h"

/// \file
/// What the search leaves out where less than all executions is wanted; see PROOFS.md for why.

namespace heddle::explore {
namespace {

constexpr std::uint32_t kMostMisplacedTrust = 64;

}  // namespace

// Whether each operation that happens-before one in the graph is in the graph as well, whatever comes.
bool Explorer::is_closed() const {
  return promises_.empty() && quorums_.empty() && !order_knows_agents_;
}

std::uint64_t Explorer::counted() const {
  return options_.counted ? *options_.counted : statistics_.executions;
}

// A read that is not atomic has one source in an execution that does not race. If its value decides nothing, the others
// only race; if it decides something, whoever counts every execution finds a race with that source, too.
bool Explorer::takes_one_source(std::size_t agent) const {
  if (options_.wanted != Wanted::Races || put_off(agent) || !is_closed()) return false;
  if (step(agent).use == ValueUse::Decides && (!options_.counts_all || step(agent).operation.atomic)) return false;
  return layout_.pieces(step(agent).operation.locations).size() == 1;
}

// Takes one source after the other, the latest first, until an execution counts. The latest is mostly the right one: it
// is judged together with what follows, unless that led astray too often.
void Explorer::read_one_source(std::size_t agent) {
  const Locations piece = step(agent).operation.locations;
  const std::uint64_t before = counted();
  for (auto i = static_cast<model::OperationIndex>(execution_.operations.size()); i-- > 0;) {
    const Operation& op = execution_.operations[i];
    if (!op.writes() || !covers(op.locations, piece)) continue;
    trusts_next_ = misplaced_trust_ < kMostMisplacedTrust;
    read(agent, {{piece, i, part_of_value(execution_.written_values[i], op.locations, piece)}});
    if (counted() != before || !may_go_on()) return;
  }
  read(agent, {{piece, model::kInitialValue, program_.initial_value ? program_.initial_value(piece) : 0}});
}

void Explorer::go_on_unjudged(const Then& then) {
  const bool before = std::exchange(unjudged_, true);
  then();
  unjudged_ = before;
}

// A read need not be among the operations whose value nobody looks at: it takes what it likes, and changes nothing for
// others.
bool Explorer::visit_dropped() {
  if (options_.wanted != Wanted::Outcomes || order_knows_agents_) return false;
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    if (!at_read(a) || step(a).use != ValueUse::Unused) continue;
    go_on(a, 0);
    return true;
  }
  return false;
}

// Reads that decide what is executed come before those that only multiply the results.
bool Explorer::comes_last(std::size_t agent) const {
  return options_.wanted == Wanted::Outcomes && step(agent).use != ValueUse::Decides;
}

// Whether the next read does not take a value with which its agent spins for ever, unless there is nothing else.
bool Explorer::leaves_idling_for_later(std::size_t agent) const {
  const Operation& next = step(agent).operation;
  return options_.wanted != Wanted::AllExecutions && step(agent).spins_alike && next.kind == OperationKind::Read &&
         is_closed() && layout_.pieces(next.locations).size() == 1;
}

bool Explorer::spins_with(std::size_t agent, Value value) {
  const Step& next = trees_[agent].step(trees_[agent].after(agents_[agent].node, value));
  return next.kind == StepKind::Spinning && !next.goes_on;
}

// The agent spins for ever with the last value in modification order. If it does not spin with that one, an execution
// that was found before has all that the others do here.
void Explorer::idle(std::size_t agent) {
  const Locations piece = step(agent).operation.locations;
  const auto& order = execution_.modification_order;
  model::OperationIndex last = model::kInitialValue;
  for (model::OperationIndex i = 0; i < execution_.operations.size(); ++i) {
    const Operation& op = execution_.operations[i];
    const auto is_before = [&](const model::OperationPair& pair) { return pair.first == i; };
    if (op.writes() && op.locations == piece && std::none_of(order.begin(), order.end(), is_before)) last = i;
  }
  const Value value = last != model::kInitialValue ? execution_.written_values[last]
                      : program_.initial_value     ? program_.initial_value(piece)
                                                   : 0;
  if (spins_with(agent, value)) read(agent, {{piece, last, value}});
}

// All reads were put off and nothing came. Each agent that may spin for ever does, or never does: then the reads wait
// for each other.
bool Explorer::visit_standstill() {
  if (options_.wanted == Wanted::AllExecutions) return visit_promise();
  const std::vector<AgentState> before = agents_;
  for (std::size_t a = 0; a < agents_.size() && may_go_on(); ++a) {
    if (!at_read(a) || !agents_[a].may_idle || !leaves_idling_for_later(a)) continue;
    agents_[a].may_idle = false;
    idle(a);
  }
  const bool waited = may_go_on() && visit_promise();
  agents_ = before;
  return waited || !may_go_on();
}

}  // namespace heddle::explore
