#include "emulator/advice/outcomes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::advice {
namespace {

using model::Execution;
using model::OperationIndex;

/// The atomics to one location through one reference.
struct Group {
  std::vector<OperationIndex> loads;
  /// In scoped modification order.
  std::vector<OperationIndex> writes;
};

bool by_location(const Operation& a, const Operation& b) {
  return std::tuple(a.locations.allocation, a.locations.offset_bytes, a.locations.size_bytes,
                    a.reference) < std::tuple(b.locations.allocation, b.locations.offset_bytes,
                                              b.locations.size_bytes, b.reference);
}

std::vector<Group> groups_of(const Execution& e) {
  const auto less = [&e](OperationIndex a, OperationIndex b) {
    return by_location(e.operations[a], e.operations[b]);
  };
  std::map<OperationIndex, Group, decltype(less)> groups(less);
  for (OperationIndex i = 0; i < e.operations.size(); ++i) {
    const Operation& op = e.operations[i];
    if (!op.is_access() || !op.atomic) continue;
    Group& group = groups[i];
    (op.writes() ? group.writes : group.loads).push_back(i);
  }
  std::vector<Group> all;
  for (auto& [first, group] : groups) all.push_back(std::move(group));
  return all;
}

// False if some pair of them has no order.
bool sort_by_modification_order(const Execution& e, std::vector<OperationIndex>& writes) {
  std::map<OperationIndex, std::size_t> before;
  for (const OperationIndex write : writes) before[write] = 0;
  std::size_t pairs = 0;
  for (const auto& [earlier, later] : e.modification_order) {
    if (before.count(earlier) == 0 || before.count(later) == 0) continue;
    ++before[later];
    ++pairs;
  }
  std::sort(writes.begin(), writes.end(),
            [&](OperationIndex a, OperationIndex b) { return before[a] < before[b]; });
  return pairs == writes.size() * (writes.size() - 1) / 2;
}

void read_from(Execution& e, OperationIndex read, OperationIndex write) {
  for (model::ReadsFrom& from : e.reads_from)
    if (from.read == read) from.write = write;
}

OperationIndex source_of(const Execution& e, OperationIndex read) {
  for (const model::ReadsFrom& from : e.reads_from)
    if (from.read == read) return from.write;
  return model::kInitialValue;
}

// What a read-modify-write at this place of the modification order reads: what stands before it, or the plain write
// that came between.
OperationIndex before(const Execution& e, const std::vector<OperationIndex>& writes, std::size_t place,
                      const std::vector<OperationIndex>& order) {
  if (e.operations[writes[place]].reads()) {
    const OperationIndex source = source_of(e, writes[place]);
    if (source != model::kInitialValue && !e.operations[source].atomic) return source;
  }
  return place == 0 ? model::kInitialValue : order[place - 1];
}

void order_writes(Execution& e, const std::vector<OperationIndex>& writes, std::size_t swapped) {
  std::vector<OperationIndex> order = writes;
  std::swap(order[swapped], order[swapped + 1]);
  for (auto& [earlier, later] : e.modification_order)
    if (earlier == writes[swapped] && later == writes[swapped + 1]) std::swap(earlier, later);
  std::vector<OperationIndex> sources;
  const std::size_t end = std::min(order.size(), swapped + 3);
  for (std::size_t i = swapped; i < end; ++i) sources.push_back(before(e, writes, i, order));
  for (std::size_t i = swapped; i < end; ++i)
    if (e.operations[order[i]].reads()) read_from(e, order[i], sources[i - swapped]);
}

}  // namespace

std::optional<std::vector<Outcome>> other_outcomes(const Execution& e, std::size_t most) {
  std::vector<Outcome> all;
  for (Group& group : groups_of(e)) {
    if (!sort_by_modification_order(e, group.writes)) return {};
    std::vector<OperationIndex> sources = group.writes;
    sources.push_back(model::kInitialValue);
    for (const OperationIndex load : group.loads)
      for (const OperationIndex write : sources)
        if (write != source_of(e, load))
          all.push_back([load, write](Execution& other) { read_from(other, load, write); });
    for (std::size_t i = 0; i + 1 < group.writes.size(); ++i)
      if (e.operations[group.writes[i]].agent != e.operations[group.writes[i + 1]].agent)
        all.push_back(
            [writes = group.writes, i](Execution& other) { order_writes(other, writes, i); });
    if (all.size() > most) return {};
  }
  return all;
}

}  // namespace heddle::advice
