#include "emulator/advice/neighbourhood.h"

#include <algorithm>
#include <string_view>

namespace heddle::advice {

using model::OperationIndex;

void Recent::agent_begins(AgentId agent, const model::Place& place) {
  if (operations_.size() < most_) places_[agent] = place;
}

void Recent::dependency(bool memory) {
  if (!memory) {
    // Executions with system-synchronization of their own are not taken apart.
    dependent_ = !operations_.empty();
    return;
  }
  dependent_ = false;
  begin_ = next_;
  operations_.clear();
  reads_from_.clear();
  placed_.clear();
  places_.clear();
}

void Recent::operation(OperationIndex index, const Operation& operation, model::Value, model::Value,
                       std::span<const trace::Source> sources) {
  next_ = index + 1;
  if (operations_.size() >= most_) return;
  operations_.push_back(operation);
  if (!operation.atomic) return;
  for (const trace::Source& source : sources)
    reads_from_.push_back({index, source.write, source.bytes});
}

void Recent::placed(OperationIndex write) {
  if (has(write)) placed_.push_back(write);
}

namespace {

bool same_instruction(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && a.where.line == b.where.line &&
         std::string_view(a.where.file) == b.where.file && a.semantics == b.semantics;
}

bool mutually_ordered(const model::Execution& e, OperationIndex a, OperationIndex b) {
  const Operation& x = e.operations[a];
  const Operation& y = e.operations[b];
  const auto in = [&](Scope scope) {
    return x.agent == y.agent || model::same_instance(e.place(x.agent), e.place(y.agent), scope);
  };
  return x.locations == y.locations && x.reference == y.reference && in(x.scope) && in(y.scope);
}

}  // namespace

std::optional<Neighbourhood> Recent::around(const Operation& first, AgentId agent,
                                            OperationIndex second, std::size_t most) const {
  if (dependent_ || !has(second)) return {};
  const Locations bytes = at(second).locations;
  std::optional<OperationIndex> found;
  for (OperationIndex i = begin_; i < second; ++i)
    if (at(i).agent == agent && same_instruction(at(i), first) && at(i).locations.overlaps(bytes))
      found = i;
  if (!found) return {};

  std::vector<AgentId> taken = {agent};
  const auto is_taken = [&](AgentId a) {
    return std::find(taken.begin(), taken.end(), a) != taken.end();
  };
  if (!is_taken(at(second).agent)) taken.push_back(at(second).agent);
  for (bool more = true; more && taken.size() < 8;) {
    more = false;
    for (const model::ReadsFrom& from : reads_from_) {
      if (from.read > second || !is_taken(at(from.read).agent) || !has(from.write)) continue;
      if (is_taken(at(from.write).agent)) continue;
      taken.push_back(at(from.write).agent);
      more = true;
      break;
    }
  }

  Neighbourhood part;
  model::Execution& e = part.execution;
  std::unordered_map<OperationIndex, OperationIndex> number;
  for (const AgentId a : taken) {
    const auto place = places_.find(a);
    if (place == places_.end()) return {};
    e.agents.push_back(place->second);
  }
  for (OperationIndex i = begin_; i <= second; ++i) {
    const auto who = std::find(taken.begin(), taken.end(), at(i).agent);
    if (who == taken.end()) continue;
    number[i] = static_cast<OperationIndex>(e.operations.size());
    e.operations.push_back(at(i));
    e.operations.back().agent = static_cast<AgentId>(who - taken.begin());
    if (e.operations.size() > most) return {};
  }
  e.read_values.resize(e.operations.size());
  e.written_values.resize(e.operations.size());
  for (const model::ReadsFrom& from : reads_from_)
    if (number.count(from.read) != 0 && number.count(from.write) != 0)
      e.reads_from.push_back({number[from.read], number[from.write], from.bytes});
  for (auto later = placed_.begin(); later != placed_.end(); ++later)
    for (auto earlier = placed_.begin(); earlier != later; ++earlier)
      if (number.count(*later) != 0 && number.count(*earlier) != 0 &&
          mutually_ordered(e, number[*earlier], number[*later]))
        e.modification_order.emplace_back(number[*earlier], number[*later]);
  part.first = number[*found];
  part.second = number[second];
  return part;
}

}  // namespace heddle::advice
