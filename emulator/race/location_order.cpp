#include "emulator/race/location_order.h"

#include <algorithm>

namespace heddle::race {
namespace {

bool covers(const Locations& whole, const Locations& part) {
  return whole.allocation == part.allocation && whole.offset_bytes <= part.offset_bytes &&
         part.offset_bytes + part.size_bytes <= whole.offset_bytes + whole.size_bytes;
}

// The level of the availability of a bulk operation, or of the access's own.
Level availability_of(const Event& e) {
  return e.bulk ? e.bulk_availability : e.own_availability;
}
Level visibility_of(const Event& e) {
  return e.bulk ? e.bulk_visibility : e.own_visibility;
}

}  // namespace

void LocationOrder::add(EventIndex e) {
  const Event& event = events_[e];
  if (availability_of(event) != 0) availability_.add(e);
  if (visibility_of(event) != 0) visibility_.add(e);
  if (event.of_domain) domain_operations_.push_back(e);
  if (events_.place(event.agent).kind != model::AgentKind::Shader) beyond_device_ = true;
}

void LocationOrder::clear() {
  beyond_device_ = false;
  availability_.clear();
  visibility_.clear();
  domain_operations_.clear();
}

// Nearly always there is one piece: `bytes` are cut where an access that makes only a part of them
// available or visible begins or ends.
//= vk:memory-model-memory-location
bool LocationOrder::ordered(EventIndex x, EventIndex y, const Locations& bytes) const {
  const std::uint64_t first = bytes.offset_bytes;
  const std::uint64_t last = first + bytes.size_bytes;
  std::vector<std::uint64_t> cuts = {first, last};
  const auto cut = [&](EventIndex e) {
    const Locations& own = events_[e].bytes;
    if (!events_[e].accesses() || !own.overlaps(bytes)) return;
    for (const std::uint64_t at : {own.offset_bytes, own.offset_bytes + own.size_bytes})
      if (at > first && at < last) cuts.push_back(at);
  };
  availability_.for_each(cut);
  visibility_.for_each(cut);
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i] == cuts[i + 1]) continue;
    const auto size = static_cast<std::uint32_t>(cuts[i + 1] - cuts[i]);
    if (!ordered_at(x, y, {bytes.allocation, cuts[i], size})) return false;
  }
  return true;
}

// The bullets in the specification's order.
//= vk:memory-model-location-ordered
bool LocationOrder::ordered_at(EventIndex x, EventIndex y, const Locations& piece) const {
  const Event& a = events_[x];
  const Event& b = events_[y];
  // Tags do not reorder what is coherence of one location.
  //= mmra:coherence
  const bool before = events_.program_ordered(x, y) || events_.happens_before(x, y);
  if (a.agent == b.agent && a.reference == b.reference && before) return true;
  //= vk:memory-model-non-private
  if (domains_.ordered_by_host_language(x, y)) return true;
  if (events_.is_input_from(x, y)) return true;
  const bool non_private = a.non_private && b.non_private;
  if (a.reads) {
    if (non_private && events_.happens_before(x, y)) return true;
    if (events_.system_synchronizes_before(x, y)) return true;
  }
  if (a.writes) {
    if (non_private && a.reference == b.reference && through_common_domain(x, y, piece)) return true;
    if (!domain_operations_.empty() && domains_.ordered(x, y, domain_operations_)) return true;
  }
  return a.output && b.output && through_tessellation_outputs(x, y);
}

// Whether an element of a chain includes the access that the chain is about: a bulk operation by the storage class of
// that access, an operation of an access's own by reference and bytes.
//= vk:memory-model-availability-visibility-semantics
//= vk:memory-model-instruction-av-vis
bool LocationOrder::element_includes(EventIndex op, EventIndex access, const Locations& piece) const {
  const Event& element = events_[op];
  const Event& about = events_[access];
  if (element.bulk) return (element.storage & about.storage) != 0;
  return element.accesses() && element.reference == about.reference && covers(element.bytes, piece);
}

Level LocationOrder::available_level(EventIndex op, EventIndex write, const Locations& piece) const {
  return element_includes(op, write, piece) ? availability_of(events_[op]) : Level{0};
}

Level LocationOrder::visible_level(EventIndex op, EventIndex read, const Locations& piece) const {
  return element_includes(op, read, piece) ? visibility_of(events_[op]) : Level{0};
}

// The operations at which a chain ends that makes the write available at a level. The first is the
// writing agent's, and not before the write; each next one is performed in the instance that the one
// before it made the write available to, happens-after it, includes the write, and reaches farther.
//= vk:memory-model-availability-visibility
ByLevel LocationOrder::availability(EventIndex write, const Locations& piece) const {
  ByLevel found;
  availability_.for_each([&](EventIndex op) {
    if (op != write && !events_.program_order_counts(write, op)) return;
    for (Level level = available_level(op, write, piece); level > 0; --level) found[level].add(op);
  });
  for (Level narrow = 1; chains_ && narrow + 1u < kScopes.size(); ++narrow) {
    found[narrow].for_each([&](EventIndex op) {
      availability_.for_each([&](EventIndex next) {
        if (!events_.happens_before(op, next)) return;
        if (!events_.in_instance(events_[op].agent, events_[next].agent, narrow)) return;
        for (Level level = available_level(next, write, piece); level > narrow; --level) found[level].add(next);
      });
    });
  }
  return found;
}

// The operations at which a chain begins that makes what is available at a level visible to the read: the last one is
// the reading agent's, and each one before it includes the read and takes from farther away.
//= vk:memory-model-availability-visibility
ByLevel LocationOrder::visibility(EventIndex read, const Locations& piece) const {
  ByLevel found;
  visibility_.for_each([&](EventIndex op) {
    if (op != read && !events_.program_order_counts(op, read)) return;
    for (Level level = visible_level(op, read, piece); level > 0; --level) found[level].add(op);
  });
  for (Level narrow = 1; chains_ && narrow + 1u < kScopes.size(); ++narrow) {
    found[narrow].for_each([&](EventIndex op) {
      visibility_.for_each([&](EventIndex earlier) {
        if (!events_.happens_before(earlier, op)) return;
        if (!events_.in_instance(events_[op].agent, events_[earlier].agent, narrow)) return;
        for (Level level = visible_level(earlier, read, piece); level > narrow; --level) found[level].add(earlier);
      });
    });
  }
  return found;
}

//= vk:memory-model-location-ordered
bool LocationOrder::through_common_domain(EventIndex x, EventIndex y, const Locations& piece) const {
  const Event& b = events_[y];
  const ByLevel available = availability(x, piece);
  ByLevel visible;
  if (b.reads) visible = visibility(y, piece);
  const Level widest = level_of(beyond_device_ ? Scope::CrossDevice : Scope::Device);
  for (Level level = 1; level <= widest; ++level) {
    if (!events_.in_instance(events_[x].agent, b.agent, level)) continue;
    bool ordered = false;
    available[level].for_each([&](EventIndex made) {
      ordered = ordered || (b.writes && events_.happens_before(made, y));
      if (ordered || !b.reads) return;
      visible[level].for_each([&](EventIndex seen) { ordered = ordered || events_.happens_before(made, seen); });
    });
    if (ordered) return true;
  }
  return false;
}

// An instance of a control barrier, with no particular memory scope or semantics, stands between.
//= vk:memory-model-tessellation-output-ordering
bool LocationOrder::through_tessellation_outputs(EventIndex x, EventIndex y) const {
  const AgentId first = events_[x].agent;
  const AgentId second = events_[y].agent;
  for (const AgentId agent : {first, second})
    if (events_.place(agent).stage != model::Stage::TessellationControl) return false;
  for (const EventIndex c : events_.barriers_of(first)) {
    const Scope scope = events_[c].execution_scope;
    if (c < x || !includes(scope, Scope::Workgroup)) continue;
    if (!events_.in_instance(first, second, level_of(scope))) continue;
    for (const EventIndex other : events_.barriers_of(second))
      if (other < y && events_.meets(c, other)) return true;
  }
  return false;
}

}  // namespace heddle::race
