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
  /// What one that reads none of those reads: the initial value, or a plain write of all its bytes.
  std::vector<OperationIndex> others = {model::kInitialValue};
  /// Whether there is a plain write of some of its bytes only.
  bool in_parts = false;
};

bool by_location(const Operation& a, const Operation& b) {
  return std::tuple(a.locations.allocation, a.locations.offset_bytes, a.locations.size_bytes, a.reference) <
         std::tuple(b.locations.allocation, b.locations.offset_bytes, b.locations.size_bytes, b.reference);
}

bool has_all(const Locations& bytes, const Locations& of) {
  return bytes.offset_bytes <= of.offset_bytes &&
         bytes.offset_bytes + bytes.size_bytes >= of.offset_bytes + of.size_bytes;
}

void add_plain_writes(const Execution& e, const Locations& location, Group& group) {
  for (OperationIndex i = 0; i < e.operations.size(); ++i) {
    const Operation& op = e.operations[i];
    if (!op.is_access() || op.atomic || !op.writes() || !op.locations.overlaps(location)) continue;
    if (has_all(op.locations, location)) {
      group.others.push_back(i);
    } else {
      group.in_parts = true;
    }
  }
}

std::vector<Group> groups_of(const Execution& e) {
  const auto less = [&e](OperationIndex a, OperationIndex b) { return by_location(e.operations[a], e.operations[b]); };
  std::map<OperationIndex, Group, decltype(less)> groups(less);
  for (OperationIndex i = 0; i < e.operations.size(); ++i) {
    const Operation& op = e.operations[i];
    if (!op.is_access() || !op.atomic) continue;
    Group& group = groups[i];
    (op.writes() ? group.writes : group.loads).push_back(i);
  }
  std::vector<Group> all;
  for (auto& [first, group] : groups) {
    add_plain_writes(e, e.operations[first].locations, group);
    all.push_back(std::move(group));
  }
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
  std::sort(writes.begin(), writes.end(), [&](OperationIndex a, OperationIndex b) { return before[a] < before[b]; });
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
// that came between; before all of them it is `first`.
OperationIndex before(const Execution& e, const std::vector<OperationIndex>& writes, std::size_t place,
                      const std::vector<OperationIndex>& order, OperationIndex first) {
  if (e.operations[writes[place]].reads()) {
    const OperationIndex source = source_of(e, writes[place]);
    if (source != model::kInitialValue && !e.operations[source].atomic) return source;
  }
  return place == 0 ? first : order[place - 1];
}

void order_writes(Execution& e, const std::vector<OperationIndex>& writes, std::size_t swapped, OperationIndex first) {
  std::vector<OperationIndex> order = writes;
  std::swap(order[swapped], order[swapped + 1]);
  for (auto& [earlier, later] : e.modification_order)
    if (earlier == writes[swapped] && later == writes[swapped + 1]) std::swap(earlier, later);
  std::vector<OperationIndex> sources;
  const std::size_t end = std::min(order.size(), swapped + 3);
  for (std::size_t i = swapped; i < end; ++i) sources.push_back(before(e, writes, i, order, first));
  for (std::size_t i = swapped; i < end; ++i)
    if (e.operations[order[i]].reads()) read_from(e, order[i], sources[i - swapped]);
}

}  // namespace

std::optional<std::vector<Outcome>> other_outcomes(const Execution& e, std::size_t most) {
  std::vector<Outcome> all;
  for (Group& group : groups_of(e)) {
    if (!sort_by_modification_order(e, group.writes)) return {};
    if (group.in_parts) return {};
    std::vector<OperationIndex> sources = group.writes;
    sources.insert(sources.end(), group.others.begin(), group.others.end());
    for (const OperationIndex load : group.loads)
      for (const OperationIndex write : sources)
        if (write != source_of(e, load))
          all.push_back([load, write](Execution& other) { read_from(other, load, write); });
    for (std::size_t i = 0; i + 1 < group.writes.size(); ++i) {
      if (e.operations[group.writes[i]].agent == e.operations[group.writes[i + 1]].agent) continue;
      // Only who comes before all others reads none of them.
      const std::size_t firsts = i == 0 ? group.others.size() : 1;
      for (std::size_t k = 0; k < firsts; ++k)
        all.push_back([writes = group.writes, i, first = group.others[k]](Execution& other) {
          order_writes(other, writes, i, first);
        });
    }
    if (all.size() > most) return {};
  }
  return all;
}

}  // namespace heddle::advice
