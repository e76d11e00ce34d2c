#include "emulator/race/kernel_detector.h"

#include <algorithm>

namespace heddle::race {
namespace {

const ClassView kNothingKnown;

Stamp stamp_of(std::uint32_t time) { return time >> 8; }
std::uint8_t reference_of(std::uint32_t time) { return static_cast<std::uint8_t>(time); }
std::uint32_t time_of(const Record& record) { return record.stamp << 8 | record.reference; }

}  // namespace

KernelDetector::KernelDetector(const KernelOptions& options)
    : options_(options), order_(options.chains) {}

void KernelDetector::agent_begins(AgentId agent, const model::Place& place) {
  order_.agent_begins(agent, place);
}
void KernelDetector::agent_ends(AgentId agent) { order_.agent_ends(agent); }
void KernelDetector::system_synchronizes(AgentId first, AgentId second) {
  order_.system_synchronizes(first, second);
}

// After a memory dependency everything so far is location-ordered before everything that follows.
//= vk:memory-model-vulkan-availability-visibility
void KernelDetector::dependency(bool memory) {
  order_.dependency(memory);
  if (memory) shadow_.forget_all();
}

void KernelDetector::operation(model::OperationIndex index, const Operation& operation,
                               model::Value, model::Value, std::span<const trace::Source> sources) {
  if (!operation.is_access()) {
    if (operation.kind == OperationKind::ControlBarrier) {
      order_.arrive(index, operation);
    } else {
      order_.barrier(operation);
    }
    return;
  }
  if (operation.atomic && operation.reads()) order_.atomic_reads(operation, sources);
  const SiteId site = sites_.of(operation);
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Stamp stamp = order_.now(agent);
  if (site != kNoSite && stamp <= kMostStamps) {
    Now now;
    now.index = index;
    now.record.agent = agent;
    now.record.stamp = stamp;
    now.record.site = site;
    now.record.reference =
        shadow_.reference_number(operation.locations.allocation, operation.reference);
    now.site = &sites_[site];
    now.mixed_classes = shadow_.mixes_classes(operation.locations.allocation, now.site->storage);
    now.record.available = now.site->own_availability;
    now.operation = &operation;
    const auto& view = order_.view(agent).classes[now.site->class_number];
    now.view = view && now.site->storage != 0 ? view.get() : &kNothingKnown;
    now.group = order_.group(agent);
    access(now);
  }
  if (operation.atomic && operation.writes())
    order_.atomic_writes(
        index, operation,
        operation.kind == OperationKind::ReadModifyWrite ? sources : std::span<const trace::Source>{});
}

void KernelDetector::passes(model::OperationIndex arrival,
                            std::span<const model::OperationIndex> synchronizing) {
  order_.passes(arrival, synchronizing);
}

void KernelDetector::access(Now& now) {
  const Locations& bytes = now.operation->locations;
  const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
  for (std::uint64_t granule = bytes.offset_bytes / kGranuleBytes; granule * kGranuleBytes < end;
       ++granule) {
    const std::uint64_t begin = granule * kGranuleBytes;
    now.record.first = static_cast<std::uint8_t>(std::max(begin, bytes.offset_bytes) - begin);
    now.record.last = static_cast<std::uint8_t>(std::min(begin + kGranuleBytes, end) - begin);
    now.record.saw_all = true;
    now.record.told_first = now.record.first;
    now.record.told_last = now.record.last;
    Cell& cell = shadow_.cell(bytes, granule);
    const bool whole = now.record.last - now.record.first == static_cast<int>(kGranuleBytes);
    if (whole && cell.write_site != kList && !now.site->atomic) {
      if (now.site->writes ? write_at_once(cell, now) : read_at_once(cell, now)) continue;
    }
    access_slowly(cell, now, granule);
  }
}

// The three answers that nearly all accesses get: nobody accessed it, I did, or everybody of my
// workgroup did what they did before a barrier.
bool KernelDetector::read_at_once(Cell& cell, const Now& now) {
  const auto same = [&](SiteId site, std::uint32_t time) {
    const Site& x = sites_[site];
    return x.non_private && now.site->non_private && x.storage == now.site->storage &&
           reference_of(time) == now.record.reference && !x.atomic;
  };
  if (cell.write_site != kNoSite) {
    const bool mine = cell.writer == now.record.agent &&
                      reference_of(cell.write_time) == now.record.reference;
    if (!mine) {
      if (order_.group(cell.writer) != now.group ||
          stamp_of(cell.write_time) > now.view->write_then_read || !same(cell.write_site, cell.write_time))
        return false;
    }
  }
  if (cell.read_site != kNoSite && cell.read_site != now.record.site) {
    const Site& x = sites_[cell.read_site];
    if (x.own_visibility > now.site->own_visibility || x.atomic) return false;
    if (!same(cell.read_site, cell.read_time)) return false;
  }
  if (cell.read_site != kNoSite && cell.reader != now.record.agent) {
    if (order_.group(cell.reader) != now.group ||
        stamp_of(cell.read_time) > now.view->read_then_write || !same(cell.read_site, cell.read_time))
      return false;
    if (sites_[cell.read_site].own_visibility != kOwn) return false;
  }
  if (cell.read_site != kNoSite && reference_of(cell.read_time) != now.record.reference) return false;
  cell.reader = now.record.agent;
  cell.read_time = time_of(now.record);
  cell.read_site = now.record.site;
  return true;
}

bool KernelDetector::write_at_once(Cell& cell, const Now& now) {
  const auto passes = [&](std::uint32_t agent, std::uint32_t time, SiteId site, Stamp most) {
    if (reference_of(time) != now.record.reference) return false;
    const Site& x = sites_[site];
    if (agent == now.record.agent) return x.non_private || !now.site->non_private;
    return order_.group(agent) == now.group && stamp_of(time) <= most && x.non_private &&
           now.site->non_private && x.storage == now.site->storage && options_.chains &&
           now.site->own_availability <= kWorkgroup;
  };
  if (cell.write_site != kNoSite &&
      !passes(cell.writer, cell.write_time, cell.write_site,
              std::min(now.view->write_then_write, now.view->write_then_read)))
    return false;
  if (cell.read_site != kNoSite &&
      !passes(cell.reader, cell.read_time, cell.read_site, now.view->read_then_write))
    return false;
  cell.writer = now.record.agent;
  cell.write_time = time_of(now.record);
  cell.write_site = now.record.site;
  cell.read_site = kNoSite;
  return true;
}

void KernelDetector::unpack(Cell& cell, std::vector<Record>& records) {
  records.clear();
  if (cell.write_site == kList) {
    std::swap(records, shadow_.list(cell));
    return;
  }
  const auto add = [&](std::uint32_t agent, std::uint32_t time, SiteId site) {
    if (site == kNoSite) return;
    records.push_back({agent, stamp_of(time), site, reference_of(time), 0, kGranuleBytes, 0,
                       kGranuleBytes, sites_[site].own_availability});
  };
  add(cell.writer, cell.write_time, cell.write_site);
  add(cell.reader, cell.read_time, cell.read_site);
}

void KernelDetector::pack(Cell& cell, const std::vector<Record>& records) {
  const Record* write = nullptr;
  const Record* read = nullptr;
  bool fits = records.size() <= 2;
  // The order of a read before a write would be lost.
  if (records.size() == 2 && !sites_[records[0].site].writes) fits = false;
  for (const Record& record : records) {
    const Site& site = sites_[record.site];
    const Record*& slot = site.writes ? write : read;
    fits = fits && !slot && record.first == 0 && record.last == kGranuleBytes &&
           record.available == site.own_availability && record.saw_all;
    slot = &record;
  }
  if (!fits) {
    if (cell.write_site != kList) shadow_.make_list(cell);
    shadow_.list(cell) = records;
    return;
  }
  if (cell.write_site == kList) shadow_.drop_list(cell);
  cell = {};
  if (write) {
    cell.writer = write->agent;
    cell.write_time = time_of(*write);
    cell.write_site = write->site;
  }
  if (read) {
    cell.reader = read->agent;
    cell.read_time = time_of(*read);
    cell.read_site = read->site;
  }
}

void KernelDetector::access_slowly(Cell& cell, Now& now, std::uint64_t granule) {
  unpack(cell, records_);
  const Reach seen_here = now.site->own_visibility;
  compared_ = records_.size();
  gone_.assign(compared_, false);
  for (std::size_t i = 0; i < compared_; ++i) {
    const Record& x = records_[i];
    bool order = true;
    if (x.overlaps(now.record) && (sites_[x.site].writes || now.site->writes)) {
      // Mutually ordered atomics need no other order, but then a read has not seen all that was written.
      order = mutually_ordered(x, now);
      if (order && sites_[x.site].writes) now.record.saw_all = false;
      order = order || ordered(x, now.record, seen_here) || is_foreign(x, now);
      if (!order) report(x, now, granule);
    }
    gone_[i] = order && replaces(x, now);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < compared_; ++i)
    if (!gone_[i]) records_[kept++] = records_[i];
  records_.resize(kept);
  share_availability(now);
  forget_oldest(records_);
  records_.push_back(now.record);
  pack(cell, records_);
}

// A write of one's own that makes itself available does so for earlier ones to the same bytes.
//= vk:memory-model-instruction-av-vis
void KernelDetector::share_availability(const Now& now) {
  const Reach made = now.site->own_availability;
  if (made == kOwn) return;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const Record x = records_[i];
    if (!sites_[x.site].writes || x.agent != now.record.agent ||
        x.reference != now.record.reference || x.available >= made || !x.overlaps(now.record))
      continue;
    // The bytes beside them stay as they are, and the parts in the order in which they were told.
    records_[i].first = std::max(x.first, now.record.first);
    records_[i].last = std::min(x.last, now.record.last);
    records_[i].available = made;
    Record beside = x;
    beside.last = now.record.first;
    if (x.first < now.record.first) records_.insert(records_.begin() + static_cast<std::ptrdiff_t>(i++), beside);
    beside = x;
    beside.first = now.record.last;
    if (x.last > now.record.last) records_.insert(records_.begin() + static_cast<std::ptrdiff_t>(++i), beside);
  }
}

void KernelDetector::forget_oldest(std::vector<Record>& records) const {
  if (records.size() >= options_.most_records && options_.most_records != 0)
    records.erase(records.begin());
}

// Whether whatever is ordered after the new access is ordered after the old one as well.
bool KernelDetector::replaces(const Record& old, const Now& now) const {
  const Site& x = sites_[old.site];
  const Site& y = *now.site;
  if (!old.inside(now.record)) return false;
  if (x.writes && !y.writes) return false;
  if (x.storage != y.storage) return false;
  // What is mutually ordered with the new one need not be so with the old one.
  if (y.atomic && (!x.atomic || x.scope != y.scope ||
                   x.operation.locations.size_bytes != y.operation.locations.size_bytes))
    return false;
  if (old.reference != now.record.reference) return false;
  if (x.reads && x.own_visibility > y.own_visibility) return false;
  if (old.agent == now.record.agent) return x.non_private || !y.non_private;
  if (!x.non_private || !y.non_private || !options_.chains) return false;
  if (x.reads && x.own_visibility != kOwn) return false;
  const GroupId group = order_.group(old.agent);
  if (!now.view->before.has(group, old.agent, old.stamp)) return false;
  if (!x.writes) return true;
  // A write that makes itself available does not lift what others wrote before.
  if (y.own_availability != kOwn && !now.view->available[y.class_number][y.own_availability].has(group, old.agent, old.stamp))
    return false;
  return available(old, *now.view, now.record, kEverywhere, false) &&
         visible(old, *now.view, now.record, kOwn, false);
}

// What no kernel does, and what the views keep too little for: tessellation control outputs, which have
// an order of their own, and accesses through several storage classes to one allocation.
//= vk:memory-model-tessellation-output-ordering
bool KernelDetector::is_foreign(const Record& old, const Now& now) const {
  if (now.mixed_classes) return true;
  return now.operation->storage_class == StorageClass::Output &&
         order_.stage(old.agent) == model::Stage::TessellationControl &&
         order_.stage(now.record.agent) == model::Stage::TessellationControl;
}

//= vk:memory-model-atomic-operation
bool KernelDetector::mutually_ordered(const Record& old, const Now& now) const {
  const Site& x = sites_[old.site];
  const Site& y = *now.site;
  return x.atomic && y.atomic && old.reference == now.record.reference &&
         x.operation.locations.size_bytes == y.operation.locations.size_bytes &&
         old.told_first == now.record.told_first && old.told_last == now.record.told_last &&
         order_.same_instance(old.agent, now.record.agent, x.scope) &&
         order_.same_instance(old.agent, now.record.agent, y.scope) &&
         order_.both_on_host_or_not(old.agent, now.record.agent);
}

KernelDetector::Between KernelDetector::between(const Record& old, const Record& later) const {
  Between between;
  const Site& x = sites_[old.site];
  const Site& y = sites_[later.site];
  between.group = order_.group(old.agent);
  between.view = &order_.view(later.agent);
  between.non_private = x.non_private && y.non_private;
  const SystemView* system = between.view->system.get();
  between.system_before = system && system->before.has(between.group, old.agent, old.stamp);
  // Happens-before is of a set of classes to which both ends belong.
  //= vk:memory-model-inter-thread-happens-before
  between.common = x.ordered_by & y.ordered_by;
  between.before = old.agent == later.agent || between.system_before;
  for (std::size_t c = 0; c < kClasses; ++c)
    between.before = between.before ||
                     (((between.common >> c) & 1) != 0 && between.view->classes[c] &&
                      between.view->classes[c]->before.has(between.group, old.agent, old.stamp));
  return between;
}

// The bullets in the specification's order, for the halves of which one writes.
//= vk:memory-model-location-ordered
bool KernelDetector::ordered(const Record& old, const Record& later, Reach seen_here) const {
  const Site& x = sites_[old.site];
  const Site& y = sites_[later.site];
  if (old.agent == later.agent && old.reference == later.reference) return true;
  if (x.reads && y.writes) {
    const Between b = between(old, later);
    if (!(b.non_private && b.before) && !b.system_before) return false;
  }
  if (!x.writes) return true;
  if (y.writes && !shown(old, later, false, seen_here)) return false;
  return !y.reads || shown(old, later, true, seen_here);
}

// Whether a write is available to a later write, or visible to a later read: as it stands, or since
// other accesses to the same bytes made it available or visible.
bool KernelDetector::shown(const Record& old, const Record& later, bool to_read,
                           Reach seen_here) const {
  if (shown_directly(old, later, to_read, seen_here)) return true;
  if (!between(old, later).non_private || old.reference != later.reference) return false;
  for (std::uint8_t byte = std::max(old.first, later.first); byte < std::min(old.last, later.last);
       ++byte)
    if (!shown_by_others(old, later, byte, to_read, seen_here)) return false;
  return true;
}

// A later write of the writing agent's own that makes itself available, or the next link of a chain.
//= vk:memory-model-instruction-av-vis
bool KernelDetector::makes_available(const Record& other, const Record& write,
                                     std::uint8_t byte) const {
  const Reach made = sites_[other.site].own_availability;
  if (made == kOwn || other.reference != write.reference || !other.has(byte)) return false;
  // Records stand in the order in which they were told.
  if (&other <= &write) return false;
  if (other.agent == write.agent) return true;
  return options_.chains && made > narrowest(other.agent, write.agent) &&
         shown_directly(write, other, false, kOwn);
}

Reach KernelDetector::narrowest(std::uint32_t a, std::uint32_t b) const {
  Reach reach = kSubgroup;
  while (!order_.same_instance(a, b, reach)) ++reach;
  return reach;
}

// An earlier read of the reading agent's own that made it visible, or the link of a chain before that.
//= vk:memory-model-instruction-av-vis
bool KernelDetector::makes_visible(const Record& other, const Record& read, std::uint8_t byte,
                                   Reach seen_here) const {
  const Reach seen = sites_[other.site].own_visibility;
  if (seen == kOwn || other.reference != read.reference || !other.has(byte)) return false;
  if (other.agent == read.agent) return true;
  const Reach narrow = narrowest(other.agent, read.agent);
  return options_.chains && seen > narrow && seen_here >= narrow && between(other, read).before;
}

bool KernelDetector::shown_by_others(const Record& old, const Record& later, std::uint8_t byte,
                                     bool to_read, Reach seen_here) const {
  bool told_before = false;
  for (std::size_t i = 0; i < compared_; ++i) {
    const Record& x = records_[i];
    if (makes_available(x, old, byte) && shown_directly(x, later, to_read, seen_here)) return true;
    told_before = told_before || &x == &old;
    // A read before the write was told saw nothing of it; one after it was checked.
    if (!to_read || !told_before || !makes_visible(x, later, byte, seen_here)) continue;
    const Reach seen = sites_[x.site].own_visibility;
    if (x.saw_all || shown_directly(old, x, true, seen)) return true;
    for (std::size_t j = 0; j < compared_; ++j)
      if (makes_available(records_[j], old, byte) && shown_directly(records_[j], x, true, seen))
        return true;
  }
  return false;
}

//= vk:memory-model-location-ordered
bool KernelDetector::shown_directly(const Record& old, const Record& later, bool to_read,
                                    Reach seen_here) const {
  const Between b = between(old, later);
  const SystemView* system = b.view->system.get();
  for (std::size_t domain = 0; system && domain < 2; ++domain)
    if ((to_read ? system->seen : system->available)[domain].has(b.group, old.agent, old.stamp))
      return true;
  if (!b.non_private || old.reference != later.reference) return false;
  const auto test = [&](const ClassView& view) {
    return to_read ? visible(old, view, later, seen_here, b.before)
                   : available(old, view, later, kEverywhere, b.before);
  };
  const Classes ordered_by = sites_[later.site].ordered_by;
  for (std::size_t c = 0; c < kClasses; ++c)
    if (((ordered_by >> c) & 1) != 0 && b.view->classes[c] && test(*b.view->classes[c])) return true;
  return test(kNothingKnown);
}

// To some domain up to `most` that both agents are in: by bulk operations, or by itself.
//= vk:memory-model-availability-visibility
bool KernelDetector::available(const Record& old, const ClassView& view,
                               const Record& later, Reach most, bool before) const {
  const GroupId group = order_.group(old.agent);
  for (Reach reach = kSubgroup; reach <= most; ++reach) {
    if (!order_.same_instance(old.agent, later.agent, reach)) continue;
    const auto& of_class = view.available[sites_[old.site].class_number];
    if (of_class[reach].has(group, old.agent, old.stamp)) return true;
    if (!before || old.available == kOwn) continue;
    if (old.available >= reach) return true;
    // A bulk operation of the same workgroup may have been the next link.
    if (options_.chains && of_class[reach].reaches(group, old.stamp)) return true;
  }
  return false;
}

bool KernelDetector::in_visible(const Visible& seen, const Record& old, const ClassView& view,
                                const Record& later) const {
  const GroupId group = order_.group(old.agent);
  const auto together = [&](Reach reach) {
    return order_.same_instance(old.agent, later.agent, reach);
  };
  for (Reach reach = kSubgroup; reach <= kEverywhere; ++reach) {
    if (seen.available[reach].has(group, old.agent, old.stamp) && together(reach)) return true;
    if (old.available == kOwn || !seen.own[reach].has(group, old.agent, old.stamp)) continue;
    if (together(std::min(old.available, reach))) return true;
    if (options_.chains && together(reach) &&
        view.available[sites_[old.site].class_number][reach].reaches(group, old.stamp))
      return true;
  }
  return false;
}

//= vk:memory-model-availability-visibility
bool KernelDetector::visible(const Record& old, const ClassView& view,
                             const Record& later, Reach seen_here, bool before) const {
  if (in_visible(view.seen, old, view, later)) return true;
  if (seen_here == kOwn) return false;
  if (available(old, view, later, seen_here, before)) return true;
  if (!options_.chains) return false;
  return in_visible(view.in_subgroup, old, view, later) ||
         (seen_here >= kWorkgroup && in_visible(view.in_workgroup, old, view, later));
}

void KernelDetector::report(const Record& old, const Now& now, std::uint64_t granule) {
  const Locations& bytes = now.operation->locations;
  // Each workgroup has Workgroup memory of its own: it is one bug all the same.
  const bool shared = now.operation->storage_class == StorageClass::Workgroup;
  const auto key = std::tuple(old.site, now.record.site,
                              shared ? AllocationId{~0u} : bytes.allocation);
  const auto [at, fresh] = known_.emplace(key, races_.size());
  if (!fresh) {
    ++races_[at->second].count;
    if (on_race_again_) on_race_again_(at->second, static_cast<AgentId>(old.agent));
    return;
  }
  const std::uint8_t first = std::max(old.first, now.record.first);
  const std::uint8_t last = std::min(old.last, now.record.last);
  races_.push_back({static_cast<AgentId>(old.agent), now.operation->agent, old.site,
                    now.record.site, now.index,
                    {bytes.allocation, granule * kGranuleBytes + first,
                     static_cast<std::uint32_t>(last - first)},
                    1, explain(old, now.record)});
  if (on_race_) on_race_(races_.back());
}

// The first missing link.
//= vk:memory-model-location-ordered
std::string KernelDetector::explain(const Record& old, const Record& later) const {
  const Site& x = sites_[old.site];
  const Site& y = sites_[later.site];
  const Between b = between(old, later);
  if (!x.non_private || !y.non_private) {
    const char* which = !x.non_private && !y.non_private ? "both accesses are private"
                        : !x.non_private               ? "the first access is private"
                                                       : "the second access is private";
    return std::string(which) + ": only non-private ones are ordered between invocations";
  }
  if (old.reference != later.reference)
    return "they use different references to the same memory, which only a dependency between "
           "dispatches orders";
  if (!b.before) {
    for (const auto& view : b.view->classes)
      if (view && view->before.has(b.group, old.agent, old.stamp))
        return "they are synchronized, but the storage class of this memory is missing in the "
               "semantics on the way";
    if (order_.out_of_scope(later.agent).has(b.group, old.agent, old.stamp))
      return "a release and an acquire meet, but the scopes do not include both invocations";
    return order_.same_instance(old.agent, later.agent, kWorkgroup)
               ? "no synchronization: no barrier of the workgroup, and no release and acquire, is "
                 "between them"
               : "no synchronization: nothing between the two workgroups releases and acquires";
  }
  const ClassView* view = b.view->classes[x.class_number].get();
  if (x.writes && view && !available(old, *view, later, kEverywhere, b.before)) {
    for (Reach reach = kSubgroup; reach <= kEverywhere; ++reach)
      if (view->available[x.class_number][reach].has(b.group, old.agent, old.stamp) ||
          (old.available != kOwn && old.available >= reach))
        return "they are synchronized, but the write was made available at a scope that does not "
               "include both invocations";
    return "they are synchronized, but the write was never made available: MakeAvailable is missing";
  }
  return "they are synchronized and the write is available, but it was never made visible: "
         "MakeVisible is missing";
}

}  // namespace heddle::race
