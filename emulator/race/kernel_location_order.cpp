#include "emulator/race/kernel_location_order.h"

#include <algorithm>

namespace heddle::race {
namespace {

constexpr Level kLevels = static_cast<Level>(kScopes.size());

std::uint8_t up_to(Level level) { return static_cast<std::uint8_t>((2u << level) - 2); }
std::uint8_t above_up_to(Level narrow, Level level) {
  return static_cast<std::uint8_t>(up_to(level) & ~up_to(narrow));
}
bool has_level(std::uint8_t levels, Level level) { return ((levels >> level) & 1) != 0; }

bool covers(const Locations& whole, const Locations& part) {
  return whole.allocation == part.allocation && whole.offset_bytes <= part.offset_bytes &&
         part.offset_bytes + part.size_bytes <= whole.offset_bytes + whole.size_bytes;
}

bool program_ordered(const Point& a, const Point& b) {
  if (a.stamp != b.stamp) return a.stamp < b.stamp;
  if (a.ends_stamp != b.ends_stamp) return b.ends_stamp;
  return a.number < b.number;
}

// An agent of which all operations count has the last of all stamps.
bool has(const Clock& clock, GroupId group, const Point& a, bool on_set) {
  return clock.has(group, a.agent, on_set ? a.stamp : kForEver);
}

}  // namespace

// By way of others who come to it, an arrival at a control barrier happens before itself: then it goes on with chains as
// a visibility operation where it came to them as an availability operation.
//= vk:memory-model-happens-before
bool KernelLocationOrder::happens_before(const Point& a, const Point& b) const {
  if (a.agent == b.agent && program_ordered(a, b)) return true;
  if (!b.view) return false;
  const GroupId group = order_.places().group(a.agent);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    const bool of_a = ((a.sets >> i) & 1) != 0;
    if (((b.sets >> i) & 1) != 0 && has(b.view->before[i], group, a, of_a)) return true;
    if (b.view->system && has(b.view->system->before[i], group, a, of_a)) return true;
  }
  return false;
}

//= vk:memory-model-system-synchronizes-with
bool KernelLocationOrder::system_synchronizes_before(const KernelAccess& x,
                                                     const KernelAccess& y) const {
  return y.view && y.view->system &&
         y.view->system->agents.has(order_.places().group(x.agent), x.agent, kForEver);
}

// The halves of a read-modify-write are one access in time.
Point KernelLocationOrder::point(const KernelAccess& access, bool write_half) const {
  Point at;
  at.agent = access.agent;
  at.stamp = access.stamp;
  at.number = access.number + (write_half ? 1 : 0);
  at.sets = write_half ? access.site->write_sets : access.site->read_sets;
  at.view = access.view;
  return at;
}

KernelLocationOrder::Link KernelLocationOrder::link_of(const KernelAccess& access,
                                                       const Locations& byte,
                                                       bool write_half) const {
  const Event& half = write_half ? access.site->write : access.site->read;
  Link link;
  link.at = point(access, write_half);
  link.storage = access.site->storage;
  link.mask = half.mask;
  link.own = write_half ? half.own_availability : half.own_visibility;
  link.bulk = write_half ? half.bulk_availability : half.bulk_visibility;
  link.reference = access.reference;
  link.covers = covers(access.bytes, byte);
  return link;
}

KernelLocationOrder::Link KernelLocationOrder::link_of(const SyncEvent& event, std::uint32_t agent,
                                                       const Locations& byte,
                                                       bool availability) const {
  Link link;
  link.at.agent = agent;
  link.at.stamp = event.stamp;
  link.at.ends_stamp = true;
  link.at.number = event.number;
  link.at.sets = sets_on(event.storage, event.mask);
  link.at.view = event.view.get();
  link.storage = event.storage;
  link.mask = event.mask;
  link.own = availability ? event.own_availability : event.own_visibility;
  link.bulk = availability ? event.bulk_availability : event.bulk_visibility;
  link.reference = event.reference;
  link.covers = event.bytes.size_bytes != 0 && covers(event.bytes, byte);
  return link;
}

// A barrier that everybody came to is an operation of each: of the two whose accesses these are, and of
// whoever may have gone on from it with an operation of its own. An invocation that began only after it may share a
// subgroup with any of those who came.
void KernelLocationOrder::collect_group(GroupId group, bool wide_only, const KernelAccess& x,
                                        const KernelAccess& y, const Locations& byte,
                                        std::span<const KernelAccess> others) {
  const std::vector<SyncEvent>& events = order_.log().of(group);
  std::vector<std::uint32_t> agents;
  // By their position in the group: there may be as many as it has.
  std::vector<bool> is_one;
  const auto concerns = [&](std::uint32_t agent) {
    if (order_.places().group(agent) != group) return;
    const std::size_t position = agent - order_.first_agent(group);
    if (position >= is_one.size()) is_one.resize(position + 1);
    if (is_one[position]) return;
    is_one[position] = true;
    agents.push_back(agent);
  };
  concerns(x.agent);
  concerns(y.agent);
  for (const SyncEvent& event : events)
    if (event.agent != kEverybody) concerns(event.agent);
  for (const KernelAccess& other : others)
    if (other.site->is_link() && other.bytes.overlaps(byte)) concerns(other.agent);
  const std::uint32_t latest = agents.empty() ? 0 : *std::ranges::max_element(agents);
  for (const SyncEvent& event : events) {
    if (event.agent != kEverybody || event.last_agent >= latest) continue;
    for (std::uint32_t agent = order_.first_agent(group); agent <= event.last_agent; ++agent) concerns(agent);
  }
  for (const SyncEvent& event : events) {
    const auto add = [&](std::uint32_t agent) {
      if (event.bulk_availability != kOwn && (!wide_only || event.bulk_availability > kWorkgroup))
        availability_.push_back(link_of(event, agent, byte, true));
      if (event.bulk_visibility != kOwn && (!wide_only || event.bulk_visibility > kWorkgroup))
        visibility_.push_back(link_of(event, agent, byte, false));
    };
    if (event.agent != kEverybody) {
      add(event.agent);
    } else if (agents.empty()) {
      add(order_.first_agent(group));
    } else {
      for (const std::uint32_t agent : agents)
        if (agent <= event.last_agent) add(agent);
    }
  }
}

void KernelLocationOrder::collect(const KernelAccess& x, const KernelAccess& y,
                                  const Locations& byte, std::span<const KernelAccess> others) {
  availability_.clear();
  visibility_.clear();
  const GroupId of_x = order_.places().group(x.agent);
  const GroupId of_y = order_.places().group(y.agent);
  collect_group(of_x, false, x, y, byte, others);
  if (of_y != of_x) collect_group(of_y, false, x, y, byte, others);
  // Those of other workgroups go on from what a scope wider than a workgroup has reached.
  for (const GroupId group : order_.log().wide_groups())
    if (group != of_x && group != of_y) collect_group(group, true, x, y, byte, others);
  for (const KernelAccess& other : others) {
    if (!other.bytes.overlaps(byte)) continue;
    const Site& site = *other.site;
    // Those with operations in bulk are in the log.
    if (site.own_availability != kOwn && site.write.bulk_availability == kOwn && &other != &x)
      availability_.push_back(link_of(other, byte, true));
    if (site.own_visibility != kOwn && site.read.bulk_visibility == kOwn)
      visibility_.push_back(link_of(other, byte, false));
  }
}

// Bulk operations include all references in the storage classes of the instruction.
//= vk:memory-model-instruction-av-vis
//= vk:memory-model-availability-visibility-semantics
Level KernelLocationOrder::includes_access(const Link& op, Classes storage, ReferenceId reference,
                                           bool accesses) {
  Level level = kOwn;
  if (storage != 0 && op.mask != 0 && (storage & ~op.mask) == 0) level = op.bulk;
  if (op.own > level && accesses && op.covers && op.reference == reference) level = op.own;
  return level;
}

// A link includes the link beside it as it includes an access, and also if both are bulk operations
// with a storage class in common.
//= vk:memory-model-availability-visibility
Level KernelLocationOrder::includes_link(const Link& op, const Link& beside) {
  const Level level = includes_access(op, beside.storage, beside.reference, beside.covers);
  if (beside.bulk == kOwn || (op.mask & beside.mask) == 0) return level;
  return std::max(level, op.bulk);
}

// The writing agent's, and not before the write.
//= vk:memory-model-availability-visibility
void KernelLocationOrder::begin_availability(const Link& write, const KernelAccess& x) {
  available_.assign(availability_.size(), 0);
  for (std::size_t i = 0; i < availability_.size(); ++i) {
    const Link& op = availability_[i];
    const bool itself = i == 0;
    if (!itself && (op.at.agent != x.agent || !program_ordered(write.at, op.at))) continue;
    available_[i] = up_to(includes_access(op, write.storage, write.reference, true));
  }
}

// Each next one is performed in the instance that the one before it made the write available to,
// happens-after it, includes it, and reaches farther.
//= vk:memory-model-availability-visibility
void KernelLocationOrder::follow_availability() {
  const Places& places = order_.places();
  for (Level narrow = 1; chains_ && narrow + 1 < kLevels; ++narrow) {
    for (std::size_t i = 0; i < availability_.size(); ++i) {
      if (!has_level(available_[i], narrow)) continue;
      const Link& op = availability_[i];
      for (std::size_t j = 0; j < availability_.size(); ++j) {
        const Link& next = availability_[j];
        const Level level = includes_link(next, op);
        if (level <= narrow || !places.same_instance(op.at.agent, next.at.agent, narrow)) continue;
        if (i == j || !happens_before(op.at, next.at)) continue;
        available_[j] = static_cast<Levels>(available_[j] | above_up_to(narrow, level));
      }
    }
  }
}

// The operations at which a chain begins that makes what is available at a level visible to the read: the
// same, backwards.
//= vk:memory-model-availability-visibility
void KernelLocationOrder::begin_visibility(const Link& read, const KernelAccess& y) {
  visible_.assign(visibility_.size(), 0);
  for (std::size_t i = 0; i < visibility_.size(); ++i) {
    const Link& op = visibility_[i];
    const bool itself = i == 0;
    if (!itself && (op.at.agent != y.agent || !program_ordered(op.at, read.at))) continue;
    visible_[i] = up_to(includes_access(op, read.storage, read.reference, true));
  }
}

//= vk:memory-model-availability-visibility
void KernelLocationOrder::follow_visibility() {
  const Places& places = order_.places();
  for (Level narrow = 1; chains_ && narrow + 1 < kLevels; ++narrow) {
    for (std::size_t i = 0; i < visibility_.size(); ++i) {
      if (!has_level(visible_[i], narrow)) continue;
      const Link& op = visibility_[i];
      for (std::size_t j = 0; j < visibility_.size(); ++j) {
        const Link& earlier = visibility_[j];
        const Level level = includes_link(earlier, op);
        if (level <= narrow || !places.same_instance(op.at.agent, earlier.at.agent, narrow)) continue;
        if (i == j || !happens_before(earlier.at, op.at)) continue;
        visible_[j] = static_cast<Levels>(visible_[j] | above_up_to(narrow, level));
      }
    }
  }
}

// The accesses themselves are the first; in the log they may be once more, which changes nothing.
void KernelLocationOrder::begin_chains(const KernelAccess& x, const KernelAccess& y, bool to_read,
                                       const Locations& byte, std::span<const KernelAccess> others) {
  collect(x, y, byte, others);
  const Link write = link_of(x, byte, true);
  availability_.insert(availability_.begin(), write);
  begin_availability(write, x);
  if (!to_read) return;
  const Link read = link_of(y, byte, false);
  visibility_.insert(visibility_.begin(), read);
  begin_visibility(read, y);
}

//= vk:memory-model-location-ordered
bool KernelLocationOrder::chains_meet(const KernelAccess& x, const KernelAccess& y, bool to_read) const {
  const Point write_of_y = point(y, true);
  const Level widest = order_.places().beyond_device() ? kLevels - 1 : kDevice;
  for (Level level = 1; level <= widest; ++level) {
    if (!order_.places().same_instance(x.agent, y.agent, level)) continue;
    for (std::size_t i = 0; i < availability_.size(); ++i) {
      if (!has_level(available_[i], level)) continue;
      const Point& made = availability_[i].at;
      if (!to_read && happens_before(made, write_of_y)) return true;
      for (std::size_t j = 0; to_read && j < visibility_.size(); ++j)
        if (has_level(visible_[j], level) && happens_before(made, visibility_[j].at)) return true;
    }
  }
  return false;
}

// Nearly always an operation of each of the two agents is enough. Which ones others go on with is looked for
// after that: it takes the square of how many there are.
//= vk:memory-model-location-ordered
bool KernelLocationOrder::through_common_domain(const KernelAccess& x, const KernelAccess& y,
                                                bool to_read, const Locations& byte,
                                                std::span<const KernelAccess> others) {
  begin_chains(x, y, to_read, byte, others);
  if (chains_meet(x, y, to_read)) return true;
  follow_availability();
  if (to_read) follow_visibility();
  return chains_meet(x, y, to_read);
}

// Whatever the references, and for private accesses too.
//= vk:memory-model-location-ordered
//= vk:memory-model-vulkan-availability-visibility
bool KernelLocationOrder::through_device_or_host(const KernelAccess& x, const KernelAccess& y,
                                                 bool to_read) const {
  const std::vector<DomainEvent>& operations = order_.log().domain_operations();
  const bool x_on_host = order_.places().place(x.agent).is_host();
  const bool y_on_host = order_.places().place(y.agent).is_host();
  const auto point_of = [](const DomainEvent& event) {
    Point at;
    at.agent = event.agent;
    at.stamp = event.stamp;
    at.ends_stamp = true;
    at.number = event.number;
    at.sets = kAllClassSets;
    at.view = event.view.get();
    return at;
  };
  const auto after = [&](const std::vector<Point>& from, OperationKind kind) {
    std::vector<Point> to;
    for (const DomainEvent& event : operations) {
      const Point at = point_of(event);
      if (event.kind == kind && std::any_of(from.begin(), from.end(), [&](const Point& earlier) {
            return happens_before(earlier, at);
          }))
        to.push_back(at);
    }
    return to;
  };
  const auto any_before = [&](const std::vector<Point>& from, const Point& to) {
    return std::any_of(from.begin(), from.end(),
                       [&](const Point& earlier) { return happens_before(earlier, to); });
  };
  std::vector<Point> made =
      after({point(x, true)}, x_on_host ? OperationKind::HostAvailability
                                        : OperationKind::DeviceAvailability);
  if (x_on_host != y_on_host)
    made = after(made, x_on_host ? OperationKind::HostToDeviceDomain
                                 : OperationKind::DeviceToHostDomain);
  if (!to_read) return any_before(made, point(y, true));
  return any_before(after(made, y_on_host ? OperationKind::HostVisibility
                                          : OperationKind::DeviceVisibility),
                    point(y, false));
}

// The bullets in the specification's order, for the halves of which one writes.
//= vk:memory-model-location-ordered
bool KernelLocationOrder::ordered_at(const KernelAccess& x, const KernelAccess& y,
                                     const Locations& byte, std::span<const KernelAccess> others) {
  //= vk:memory-model-non-private
  const bool non_private = x.site->non_private && y.site->non_private;
  if (x.site->reads && y.site->writes) {
    const bool before = non_private && happens_before(point(x, false), point(y, true));
    if (!before && !system_synchronizes_before(x, y)) return false;
  }
  if (!x.site->writes) return true;
  const auto shown = [&](bool to_read) {
    if (non_private && x.reference == y.reference &&
        through_common_domain(x, y, to_read, byte, others))
      return true;
    return !order_.log().domain_operations().empty() && through_device_or_host(x, y, to_read);
  };
  return (!y.site->writes || shown(false)) && (!y.site->reads || shown(true));
}

//= vk:memory-model-location-ordered
KernelLocationOrder::Missing KernelLocationOrder::missing(const KernelAccess& x,
                                                          const KernelAccess& y,
                                                          std::span<const KernelAccess> others) {
  const bool to_write = y.site->writes;
  const auto held = order_.log().hold();
  if (!happens_before(point(x, x.site->writes), point(y, to_write))) return Missing::HappensBefore;
  const Locations byte{x.bytes.allocation, std::max(x.bytes.offset_bytes, y.bytes.offset_bytes), 1};
  if (!x.site->writes) return Missing::HappensBefore;
  if (to_write ? through_common_domain(x, y, false, byte, others) : false) return Missing::Visibility;
  if (!to_write) {
    begin_chains(x, y, true, byte, others);
    follow_availability();
  }
  bool anywhere = false;
  for (std::size_t i = 0; i < availability_.size(); ++i) {
    if (available_[i] == 0 || !happens_before(availability_[i].at, point(y, to_write))) continue;
    anywhere = true;
    for (Level level = 1; level < kLevels; ++level)
      if (has_level(available_[i], level) &&
          order_.places().same_instance(x.agent, y.agent, level))
        return Missing::Visibility;
  }
  return anywhere ? Missing::WiderAvailability : Missing::Availability;
}

//= vk:memory-model-memory-location
bool KernelLocationOrder::ordered(const KernelAccess& x, const KernelAccess& y,
                                  std::span<const KernelAccess> others) {
  if (x.agent == y.agent && x.reference == y.reference) return true;
  const auto held = order_.log().hold();
  const std::uint64_t first = std::max(x.bytes.offset_bytes, y.bytes.offset_bytes);
  const std::uint64_t last = std::min(x.bytes.offset_bytes + x.bytes.size_bytes,
                                      y.bytes.offset_bytes + y.bytes.size_bytes);
  // Nearly always all bytes are alike: others have all of them or none.
  const bool alike =
      !order_.log().has_atomics() &&
      std::all_of(others.begin(), others.end(), [&](const KernelAccess& other) {
        return (other.bytes.offset_bytes <= first &&
                last <= other.bytes.offset_bytes + other.bytes.size_bytes) ||
               (other.site->own_availability == kOwn && other.site->own_visibility == kOwn);
      });
  for (std::uint64_t at = first; at < last; ++at) {
    if (!ordered_at(x, y, {x.bytes.allocation, at, 1}, others)) return false;
    if (alike) break;
  }
  return true;
}

}  // namespace heddle::race
