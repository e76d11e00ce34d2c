#include <algorithm>
#include <map>

#include "emulator/mu/judgement.h"

namespace heddle::mu {

// A function is a location that holds a version; creating a frame is a RELAXED load of it, a definition a RELAXED store
// (`Event::bundle` tells which bundle it came with). Here: one order of bundles for all functions.
//= mu:function-redefinition
void Judgement::check_bundles(Report& report) const {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<EventIndex> definitions;
  for (EventIndex e = 0; e < count_; ++e) {
    if (execution_.events[e].bundle == kNone) continue;
    definitions.push_back(e);
    numbers.emplace(execution_.events[e].bundle, static_cast<std::uint32_t>(numbers.size()));
  }
  if (numbers.size() < 2) return;
  Relation before(numbers.size());
  for (const EventIndex a : definitions) {
    for (const EventIndex b : definitions) {
      const Event& first = execution_.events[a];
      const Event& second = execution_.events[b];
      if (first.bundle == second.bundle) continue;
      const bool modified = first.location == second.location && positions_[a] < positions_[b];
      if (modified || happens_before_.has(a, b)) before.add(numbers[first.bundle], numbers[second.bundle]);
    }
  }
  if (!before.acyclic()) report.push_back({Rule::BundlesInOrder, definitions});
}

}  // namespace heddle::mu
