#include "emulator/race/kernel_location_order.h"

#include <algorithm>

#include "emulator/race/kernel_races.h"

namespace heddle::race {
namespace {

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
bool has_point(const Clock& clock, GroupId group, const Point& a, bool on_set) {
  return clock.has(group, a.agent, on_set ? a.stamp : kForEver);
}

}  // namespace

// Whether the first of two points of one agent comes before the second, and their tags fit.
//= mmra:happens-before
bool KernelLocationOrder::program_order_counts(const Point& a, const Point& b) const {
  return program_ordered(a, b) && (!lanes_ || lanes_->fit(a.lane, b.lane));
}

//= vk:memory-model-happens-before
bool KernelLocationOrder::happens_before(const Point& a, const Point& b) const {
  if (a.agent == b.agent && program_order_counts(a, b)) return true;
  if (!b.view) return false;
  const GroupId group = this->group(a);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    const bool of_a = ((a.sets >> i) & 1) != 0;
    if (((b.sets >> i) & 1) != 0 && has_point(b.view->before[i], group, a, of_a)) return true;
    if (b.view->system && has_point(b.view->system->before[i], group, a, of_a)) return true;
  }
  return false;
}

//= vk:memory-model-system-synchronizes-with
bool KernelLocationOrder::system_synchronizes_before(const KernelAccess& x, const KernelAccess& y) const {
  return y.view && y.view->system && y.view->system->agents.has(group(x.agent, x.lane), x.agent, kForEver);
}

// The halves of a read-modify-write are one access in time.
Point KernelLocationOrder::point(const KernelAccess& access, bool write_half) {
  Point at;
  at.agent = access.agent;
  at.stamp = access.stamp;
  at.number = access.number + (write_half ? 1 : 0);
  at.sets = write_half ? access.site->write_sets : access.site->read_sets;
  at.view = write_half && access.view_of_write ? access.view_of_write : access.view;
  at.lane = access.lane;
  return at;
}

// The write, before any chain: it is available to its agent, and where it makes itself available.
void KernelLocationOrder::begin(const Question& question) {
  const Level own = question.x.site->own_availability;
  available_.clear();
  visible_.clear();
  available_.push_back({point(question.x, true), own, static_cast<Levels>(1 | above_up_to(kOwn, own))});
}

// The accesses whose own operations include the write or the read: of all of the byte, through the same reference.
//= vk:memory-model-instruction-av-vis
void KernelLocationOrder::collect(const Question& question, std::span<const KernelAccess> others) {
  for (const KernelAccess& other : others) {
    if (other.reference != question.x.reference || !covers(other.bytes, question.byte)) continue;
    if (other.site->own_availability != kOwn && &other != &question.x)
      available_.push_back({point(other, true), other.site->own_availability, 0});
    if (other.site->own_visibility != kOwn) visible_.push_back({point(other, false), other.site->own_visibility, 0});
  }
}

/// Calls f with each fact that may be known at the point.
template <typename F>
void KernelLocationOrder::for_each_fact(const Point& at, F&& f) {
  if (!at.view) return;
  const auto look_through = [&](const FactsPointer& facts) {
    if (facts)
      for (const Fact& fact : *facts) f(fact);
  };
  look_through(at.view->own);
  FactSums sums;
  FactsPointer last;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (((at.sets >> i) & 1) == 0) continue;
    const FactsPointer facts = chains_.of_set(*at.view, i, sums);
    if (facts == last) continue;
    last = facts;
    look_through(facts);
  }
}

// Whether the access is among those of the fact, which the agent of `at` knows. Where the set of the fact does not
// relate the access to others, only system-synchronization puts it there, with the stamp kForEver.
bool KernelLocationOrder::has(const Fact& fact, const Element& element, const Point& at) const {
  const Via via = fact.key.via();
  if (!has_level(element.levels, fact.key.start())) return false;
  const bool on_set = via == kAnyVia || ((element.at.sets >> via) & 1) != 0;
  if (on_set && element.at.agent == at.agent && element.at.stamp <= fact.own) return true;
  return has_point(fact.clock, group(element.at), element.at, on_set);
}

// The levels, of the writer's instances, at which an operation that happens-before the point made the write available.
//= vk:memory-model-availability-visibility
Levels KernelLocationOrder::available_before(const Question& question, const Point& at) {
  Levels levels = 0;
  for (const Element& element : available_)
    if ((element.levels & ~levels) != 0 && happens_before(element.at, at)) levels |= element.levels;
  for_each_fact(at, [&](const Fact& fact) {
    if (fact.key.kind() != FactKey::Kind::Available || fact.key.written() != question.written ||
        has_level(levels, fact.key.level()))
      return;
    for (std::size_t i = 0; i < available_.size(); ++i) {
      // What begins at the agent itself begins with the write.
      if (fact.key.start() == kOwn && i != 0) break;
      if (!has(fact, available_[i], at)) continue;
      levels = static_cast<Levels>(levels | 1u << fact.key.level());
      break;
    }
  });
  return levels;
}

// The levels, of the instances of the point's agent, in which the write can be found before the point: where it is
// available, or where a visibility operation brought it. Level 0 is the agent itself.
//= vk:memory-model-availability-visibility
Levels KernelLocationOrder::present_before(const Question& question, const Point& at) {
  const Places& places = places_;
  const Levels available = available_before(question, at);
  Levels levels = 0;
  for (Level level = 1; level < kLevelCount; ++level)
    if (has_level(available, level) && places.same_instance(question.x.agent, at.agent, level))
      levels = static_cast<Levels>(levels | 1u << level);
  for (const Element& element : visible_) {
    if (element.levels == 0 || !happens_before(element.at, at)) continue;
    // The last element of a chain comes before the read in program order that counts.
    if (has_level(element.levels, kOwn) && element.at.agent == at.agent && program_order_counts(element.at, at))
      levels |= 1;
    // To the next element it comes in chains of several.
    for (Level level = 1; level < kLevelCount && chains_.has_chains(); ++level)
      if (has_level(element.levels, level) && places.same_instance(element.at.agent, at.agent, level))
        levels = static_cast<Levels>(levels | 1u << level);
  }
  for_each_fact(at, [&](const Fact& fact) {
    const FactKey& key = fact.key;
    if (key.kind() == FactKey::Kind::Available || key.is_elsewhere() || key.read() != question.read ||
        has_level(levels, key.level()))
      return;
    const bool of_write = key.kind() == FactKey::Kind::Visible;
    if (of_write && key.written() != question.written) return;
    const std::vector<Element>& elements = of_write ? available_ : visible_;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (of_write && key.start() == kOwn && i != 0) break;
      if (elements[i].levels == 0 || !has(fact, elements[i], at)) continue;
      levels = static_cast<Levels>(levels | 1u << key.level());
      break;
    }
  });
  return levels;
}

// Each next one is performed in an instance to which the write was made available, happens-after that, and reaches
// farther.
//= vk:memory-model-availability-visibility
void KernelLocationOrder::follow_availability(const Question& question) {
  const Places& places = places_;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 1; i < available_.size(); ++i) {
      Element& element = available_[i];
      const bool of_writer = element.at.agent == question.x.agent;
      if (!of_writer && !chains_.has_chains()) continue;
      // The first element of a chain comes behind the write in program order that counts. Acquiring what the agent
      // itself released is not enough.
      Levels before = available_before(question, element.at) & ~Levels{1};
      if (of_writer && program_order_counts(available_[0].at, element.at)) before |= 1;
      Levels levels = element.levels;
      for (Level narrow = 0; narrow < element.own; ++narrow)
        if (has_level(before, narrow) && places.same_instance(question.x.agent, element.at.agent, narrow) &&
            (narrow == kOwn || chains_.has_chains()))
          levels |= above_up_to(narrow, element.own);
      more = more || levels != element.levels;
      element.levels = levels;
    }
  }
}

// Each takes what is present at a level of its agent's instances, as far as it reaches, to all levels below.
//= vk:memory-model-availability-visibility
void KernelLocationOrder::follow_visibility(const Question& question) {
  for (bool more = true; more;) {
    more = false;
    for (Element& element : visible_) {
      if (element.at.agent != question.y.agent && !chains_.has_chains()) continue;
      const Levels present = present_before(question, element.at);
      Level from = element.own;
      while (from > kOwn && !has_level(present, from)) --from;
      const auto levels = static_cast<Levels>(element.levels | ((1u << from) - 1));
      more = more || levels != element.levels;
      element.levels = levels;
    }
  }
}

// What most questions come to: operations in bulk from the write on, of which the access knows by its own class.
//= vk:memory-model-location-ordered
bool KernelLocationOrder::reaches_at_once(const Question& question, bool to_read) const {
  const KernelAccess& x = question.x;
  const KernelAccess& y = question.y;
  if (!y.view || question.written == kNoClass || question.read == kNoClass) return false;
  const GroupId group = this->group(x.agent, x.lane);
  const auto has = [&](const FactsPointer& facts, FactKey key) {
    if (!facts) return false;
    const auto at = std::lower_bound(facts->begin(), facts->end(), key,
                                     [](const Fact& fact, const FactKey& wanted) { return fact.key < wanted; });
    return at != facts->end() && at->key == key && at->clock.has(group, x.agent, x.stamp);
  };
  if (to_read) return has(y.view->own, FactKey::visible(kOwn, kAnyVia, kOwn, question.written, question.read));
  // The first sets are those of one class each.
  for (const Level level : {kWorkgroup, kDevice})
    if (places_.same_instance(x.agent, y.agent, level) &&
        has(y.view->facts[question.read], FactKey::available(kOwn, kAnyVia, level, question.written)))
      return true;
  return false;
}

// Whether the write comes to the other access, by what has been found of the elements so far.
//= vk:memory-model-location-ordered
bool KernelLocationOrder::reaches(const Question& question, bool to_read) {
  const KernelAccess& y = question.y;
  if (to_read) {
    const Levels present = present_before(question, point(y, false));
    return has_level(present, kOwn) || (present & above_up_to(kOwn, y.site->own_visibility)) != 0;
  }
  const Levels available = available_before(question, point(y, true));
  for (Level level = 1; level < kLevelCount; ++level)
    if (has_level(available, level) && places_.same_instance(question.x.agent, y.agent, level)) return true;
  return false;
}

// What was left by those of the workgroup who published it, where not everything is carried on.
bool KernelLocationOrder::may_be_visible(const Question& question) const {
  if (chains_.is_exact()) return false;
  const Left& left = left_(question.y.agent);
  const auto has = [&](const Clock& clock, const Element& element) {
    return clock.has(group(element.at), element.at.agent, element.at.stamp);
  };
  return has(left.visible, available_.front()) || std::any_of(visible_.begin(), visible_.end(), [&](const Element& e) {
           return e.levels != 0 && has(left.shown, e);
         });
}

// Nearly always the operations in bulk are enough.
//= vk:memory-model-location-ordered
bool KernelLocationOrder::through_common_domain(const Question& question, bool to_read,
                                                std::span<const KernelAccess> others) {
  if (reaches_at_once(question, to_read)) return true;
  begin(question);
  if (reaches(question, to_read)) return true;
  collect(question, others);
  if (available_.size() > 1) follow_availability(question);
  if (to_read && !visible_.empty()) follow_visibility(question);
  return reaches(question, to_read) || (to_read && may_be_visible(question));
}

// Whatever the references, and for private accesses too.
//= vk:memory-model-location-ordered
//= vk:memory-model-vulkan-availability-visibility
bool KernelLocationOrder::through_device_or_host(const KernelAccess& x, const KernelAccess& y, bool to_read) const {
  const std::vector<DomainEvent>& operations = log_.domain_operations();
  const bool x_on_host = places_.place(x.agent).is_host();
  const bool y_on_host = places_.place(y.agent).is_host();
  const auto point_of = [](const DomainEvent& event) {
    Point at;
    at.agent = event.agent;
    at.stamp = event.stamp;
    at.ends_stamp = true;
    at.number = event.number;
    at.sets = kAllClassSets;
    at.view = event.view.get();
    at.lane = event.lane;
    return at;
  };
  const auto after = [&](const std::vector<Point>& from, OperationKind kind) {
    std::vector<Point> to;
    for (const DomainEvent& event : operations) {
      const Point at = point_of(event);
      if (event.kind == kind &&
          std::any_of(from.begin(), from.end(), [&](const Point& earlier) { return happens_before(earlier, at); }))
        to.push_back(at);
    }
    return to;
  };
  const auto any_before = [&](const std::vector<Point>& from, const Point& to) {
    return std::any_of(from.begin(), from.end(), [&](const Point& earlier) { return happens_before(earlier, to); });
  };
  std::vector<Point> made =
      after({point(x, true)}, x_on_host ? OperationKind::HostAvailability : OperationKind::DeviceAvailability);
  if (x_on_host != y_on_host)
    made = after(made, x_on_host ? OperationKind::HostToDeviceDomain : OperationKind::DeviceToHostDomain);
  if (!to_read) return any_before(made, point(y, true));
  return any_before(after(made, y_on_host ? OperationKind::HostVisibility : OperationKind::DeviceVisibility),
                    point(y, false));
}

// The bullets in the specification's order, for the halves of which one writes.
//= vk:memory-model-location-ordered
bool KernelLocationOrder::ordered_at(const KernelAccess& x, const KernelAccess& y, const Locations& byte,
                                     std::span<const KernelAccess> others) {
  //= vk:memory-model-non-private
  const bool non_private = x.site->non_private && y.site->non_private;
  if (x.site->reads && y.site->writes) {
    const bool before = non_private && happens_before(point(x, false), point(y, true));
    if (!before && !system_synchronizes_before(x, y)) return false;
  }
  if (!x.site->writes) return true;
  const auto shown = [&](bool to_read) {
    const Question question{x, y, byte, class_of(*x.site), class_of(*y.site)};
    if (non_private && x.reference == y.reference && through_common_domain(question, to_read, others)) return true;
    return !log_.domain_operations().empty() && through_device_or_host(x, y, to_read);
  };
  return (!y.site->writes || shown(false)) && (!y.site->reads || shown(true));
}

// In the order in which the rules ask for them.
//= vk:memory-model-location-ordered
MissingStep KernelLocationOrder::missing(const KernelAccess& x, const KernelAccess& y,
                                         std::span<const KernelAccess> others) {
  const Point earlier = point(x, x.site->writes);
  const Point later = point(y, y.site->writes);
  if (!happens_before(earlier, later)) {
    const GroupId group = this->group(x.agent, x.lane);
    if (y.view && y.view->reached.has(group, x.agent, x.stamp)) return MissingStep::StorageClass;
    return out_of_scope_(y.agent).has(group, x.agent, x.stamp) ? MissingStep::Scope : MissingStep::Synchronization;
  }
  const std::uint64_t at = std::max(x.bytes.offset_bytes, y.bytes.offset_bytes);
  const Question question{x, y, {x.bytes.allocation, at, 1}, class_of(*x.site), class_of(*y.site)};
  if (!x.site->writes) return MissingStep::Synchronization;
  begin(question);
  collect(question, others);
  follow_availability(question);
  if (y.site->writes && reaches(question, false)) return MissingStep::Visibility;
  const auto available = static_cast<Levels>(available_before(question, later) & ~1u);
  for (Level level = 1; level < kLevelCount; ++level)
    if (has_level(available, level) && places_.same_instance(x.agent, y.agent, level)) return MissingStep::Visibility;
  return available != 0 ? MissingStep::WiderAvailability : MissingStep::Availability;
}

//= vk:memory-model-memory-location
bool KernelLocationOrder::ordered(const KernelAccess& x, const KernelAccess& y, std::span<const KernelAccess> others) {
  if (x.agent == y.agent && x.reference == y.reference) return true;
  const std::uint64_t first = std::max(x.bytes.offset_bytes, y.bytes.offset_bytes);
  const std::uint64_t last =
      std::min(x.bytes.offset_bytes + x.bytes.size_bytes, y.bytes.offset_bytes + y.bytes.size_bytes);
  // Nearly always all bytes are alike: others have all of them or none.
  const bool alike = std::all_of(others.begin(), others.end(), [&](const KernelAccess& other) {
    return (other.bytes.offset_bytes <= first && last <= other.bytes.offset_bytes + other.bytes.size_bytes) ||
           (other.site->own_availability == kOwn && other.site->own_visibility == kOwn);
  });
  for (std::uint64_t at = first; at < last; ++at) {
    if (!ordered_at(x, y, {x.bytes.allocation, at, 1}, others)) return false;
    if (alike) break;
  }
  return true;
}

}  // namespace heddle::race
