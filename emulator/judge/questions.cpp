#include <algorithm>

#include "emulator/judge/facts.h"
#include "emulator/judge/order_reason.h"

namespace heddle::judge {
namespace {

// The locations that both operations access.
std::vector<const Location*> common_locations(const Facts& facts, model::OperationIndex x, model::OperationIndex y) {
  std::vector<const Location*> common;
  for (const Location& location : facts.locations)
    if (location.accesses.has(facts.read_event(x)) && location.accesses.has(facts.read_event(y)))
      common.push_back(&location);
  return common;
}

// The events of two operations that are ordered at a location, if some are.
std::optional<std::pair<EventIndex, EventIndex>> ordered_events(const Facts& facts, const Location& location,
                                                                model::OperationIndex x, model::OperationIndex y) {
  for (EventIndex a : facts.events_of[x])
    for (EventIndex b : facts.events_of[y])
      if (location.location_ordered.has(a, b)) return std::pair{a, b};
  return std::nullopt;
}

// The events of two operations that are not ordered at a location, if some are: halves that both read do not matter as
// long as others write.
std::optional<std::pair<EventIndex, EventIndex>> unordered_events(const Facts& facts, const Location& location,
                                                                  model::OperationIndex x, model::OperationIndex y) {
  std::optional<std::pair<EventIndex, EventIndex>> reads;
  for (EventIndex a : {facts.write_event(x), facts.read_event(x)}) {
    for (EventIndex b : {facts.read_event(y), facts.write_event(y)}) {
      if (location.location_ordered.has(a, b) || location.location_ordered.has(b, a)) continue;
      if (facts.events[a].writes || facts.events[b].writes) return std::pair{a, b};
      reads = std::pair{a, b};
    }
  }
  const bool one_writes = facts.events[facts.write_event(x)].writes || facts.events[facts.write_event(y)].writes;
  return one_writes ? std::nullopt : reads;
}

}  // namespace

std::optional<OrderReason> Judgement::location_ordered(model::OperationIndex x, model::OperationIndex y) const {
  const auto common = common_locations(*facts_, x, y);
  if (x == y || common.empty()) return std::nullopt;
  for (const Location* location : common)
    if (!ordered_events(*facts_, *location, x, y)) return std::nullopt;
  const auto [a, b] = *ordered_events(*facts_, *common.front(), x, y);
  return reason_of_order(*facts_, *common.front(), a, b);
}

std::optional<MissingReason> Judgement::why_unordered(model::OperationIndex x, model::OperationIndex y) const {
  const auto common = common_locations(*facts_, x, y);
  if (x == y || common.empty()) return std::nullopt;
  for (const Location* location : common) {
    const auto unordered = unordered_events(*facts_, *location, x, y);
    if (!unordered) continue;
    const auto [a, b] = *unordered;
    const MissingReason forward = reason_of_missing(*facts_, *location, a, b);
    const MissingReason backward = reason_of_missing(*facts_, *location, b, a);
    // What comes later in the definition is nearer to being ordered.
    return progress(backward) > progress(forward) ? backward : forward;
  }
  return std::nullopt;
}

//= vk:memory-model-deallocation
std::vector<model::OperationPair> Judgement::accesses_not_before_deallocation() const {
  std::vector<model::OperationPair> result;
  for (EventIndex end = 0; end < facts_->size(); ++end) {
    const Operation& free = facts_->operation(end);
    if (free.kind != OperationKind::Free) continue;
    facts_->accesses.for_each([&](EventIndex e) {
      if (facts_->operation(e).locations.allocation != free.locations.allocation) return;
      if (!facts_->happens_before.has(e, end))
        result.emplace_back(facts_->events[e].operation, facts_->events[end].operation);
    });
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

//= vk:memory-model-vulkan-availability-visibility
std::vector<model::OperationPair> Judgement::writes_lost_to_invalidations() const {
  std::vector<model::OperationPair> result;
  const Relation& before = facts_->happens_before;
  for (const Location& location : facts_->locations) {
    if (is_coherent_host_memory(*facts_, location)) continue;
    (location.accesses & facts_->writes & facts_->on_host).for_each([&](EventIndex write) {
      facts_->domain_operations.for_each([&](EventIndex end) {
        if (facts_->operation(end).kind != OperationKind::HostVisibility || !before.has(write, end)) return;
        if (!facts_->operation(end).locations.overlaps(location.bytes)) return;
        bool flushed = false;
        facts_->domain_operations.for_each([&](EventIndex flush) {
          flushed =
              flushed || (facts_->operation(flush).kind == OperationKind::HostAvailability &&
                          includes_access(*facts_, flush, write) && before.has(write, flush) && before.has(flush, end));
        });
        if (!flushed) result.emplace_back(facts_->events[write].operation, facts_->events[end].operation);
      });
    });
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace heddle::judge
