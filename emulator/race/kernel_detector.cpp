#include "emulator/race/kernel_detector.h"

#include <algorithm>

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::race {
namespace {

constexpr std::uint8_t kWhole = kGranuleBytes;

constexpr const char* kOtherInstructions =
    "there were more different accesses than are told apart: races were not looked for at those that came after the "
    "first 65279";
static_assert(kTooMany - 1 == 65279);
constexpr const char* kLaterAccesses =
    "a workgroup came to more barriers and other synchronization than are counted: races were not looked for at its "
    "accesses after the first 16777215 of these";
static_assert(kMostStamps == 16777215);

Stamp stamp_of(std::uint32_t time) { return time >> 8; }
bool is_special(SiteId site) { return site >= kTooMany; }

}  // namespace

KernelDetector::KernelDetector(const KernelOptions& options)
    : options_(options),
      order_(options.most_sync_events),
      location_order_(order_, options.chains),
      exact_left_(options.exact_accesses) {
  if (exact_left_ == 0) order_.expect_whole_workgroups();
}

KernelDetector::KernelDetector(const KernelOptions& options,
                               std::shared_ptr<KernelOrder::Shared> order, SiteNumbers& sites)
    : options_(options),
      order_(std::move(order)),
      location_order_(order_, options.chains),
      sites_(sites),
      exact_left_(options.exact_accesses) {
  if (exact_left_ == 0) order_.expect_whole_workgroups();
}

void KernelDetector::agent_begins(AgentId agent, const model::Place& place) {
  agents_begin(agent, 1, place, {});
}

void KernelDetector::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                                  std::span<const std::uint32_t> subgroups) {
  order_.agents_begin(first, count, place, subgroups);
  if (options_.first_stamp != kFirstStamp) [[unlikely]] order_.skip_to(first, options_.first_stamp);
}

void KernelDetector::agent_ends(AgentId agent) { agents_end(agent, 1); }

void KernelDetector::agents_end(AgentId first, std::uint32_t count) {
  const GroupId group = order_.group(static_cast<std::uint32_t>(first));
  if (order_.agents_end(group, count) && !workgroup_memory_.empty()) group_ends(group);
}

// Nobody accesses the Workgroup memory of a workgroup that has ended.
void KernelDetector::group_ends(GroupId group) {
  auto kept = workgroup_memory_.begin();
  for (const auto& memory : workgroup_memory_) {
    if (memory.first == group) {
      forget(memory.second);
    } else {
      *kept++ = memory;
    }
  }
  workgroup_memory_.erase(kept, workgroup_memory_.end());
}

void KernelDetector::system_synchronizes(AgentId first, AgentId second) {
  order_.system_synchronizes(first, second);
}

// After a memory dependency everything so far is location-ordered before everything that follows.
//= vk:memory-model-vulkan-availability-visibility
void KernelDetector::dependency(bool memory) {
  order_.dependency(memory);
  if (!memory) return;
  shadow_->forget_all();
  workgroup_memory_.clear();
  exact_left_ = options_.exact_accesses;
  if (exact_left_ == 0) order_.expect_whole_workgroups();
}

void KernelDetector::replace(AllocationId allocation) {
  forget(allocation);
  std::erase_if(known_, [&](const auto& race) { return std::get<AllocationId>(race.first) == allocation; });
}

void KernelDetector::restart() {
  dependency(true);
  order_.restart();
  shadow_->restart();
  overlooked_.clear();
  races_.clear();
  known_.clear();
}

void KernelDetector::passes(model::OperationIndex arrival,
                            std::span<const model::OperationIndex> synchronizing) {
  order_.passes(arrival, synchronizing);
}

void KernelDetector::operation(model::OperationIndex index, const Operation& operation,
                               model::Value, model::Value, std::span<const trace::Source> sources) {
  if (!operation.is_access()) {
    if (operation.kind == OperationKind::ControlBarrier) {
      order_.arrive(index, operation);
    } else {
      order_.barrier(index, operation);
    }
    return;
  }
  const SiteId site = site_of(operation);
  if (!operation.atomic) {
    if (site != kNoSite) access(index, operation, site);
  } else {
    atomic(index, operation, site, sources);
  }
}

SiteId KernelDetector::look_up(const Operation& operation) {
  const SiteId site = sites_.of(operation);
  relations_.update(sites_);
  if (site == kNoSite) [[unlikely]] overlook(kOtherInstructions);
  return site;
}

void KernelDetector::overlook(const char* what) {
  if (overlooked_.insert(what).second && on_overlooked_) on_overlooked_(what);
}

void KernelDetector::atomic_slowly(model::OperationIndex index, const Operation& operation, SiteId site,
                                   std::span<const trace::Source> sources) {
  if (operation.reads()) order_.atomic_reads(index, operation, sources);
  if (site != kNoSite &&
      (exact_left_ == 0 || !stands_alone(operation.agent, operation.reference, operation.locations, site)))
    access_in_full(index, operation, site);
  if (operation.writes()) order_.atomic_writes(index, operation);
}

void KernelDetector::meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) {
  if (!order_.meets(first, barrier, count)) trace::Listener::meets(first, barrier, count);
}

void KernelDetector::access_in_full(model::OperationIndex index, const Operation& operation, SiteId site) {
  Now now;
  set(now, operation.agent, operation.reference, site,
      shadow_->allocation(operation.locations.allocation));
  now.index = index;
  now.operation = &operation;
  now.record.agent = now.agent;
  now.record.stamp = now.stamp;
  now.record.number = std::uint64_t{index} * 2 + 1;
  now.record.site = now.site_id;
  now.record.reference = reference_of(now.time);
  if (now.record.stamp <= kMostStamps) return access(now);
  overlook(kLaterAccesses);
}

inline void KernelDetector::set(Access& now, AgentId agent, ReferenceId reference, SiteId site,
                                Shadow::Allocation& allocation) {
  now.site_id = site;
  now.site = &sites_[site];
  now.agent = static_cast<std::uint32_t>(agent);
  now.group = order_.group(now.agent);
  now.settled = &order_.settled(now.group, now.site->class_number);
  now.stamp = order_.now(now.group);
  now.time = now.stamp << 8 | Shadow::reference_number(allocation, reference);
}

// Nobody accesses it once the workgroup has ended.
inline void KernelDetector::note_workgroup_memory(SiteId site, GroupId group, AllocationId allocation) {
  if (sites_[site].operation.storage_class == StorageClass::Workgroup && shadow_->first_time(allocation))
    workgroup_memory_.emplace_back(group, allocation);
}

// The cell of an access that may be answered at once; null if too much has happened for that.
[[gnu::always_inline]] inline Cell* KernelDetector::cell_of(Access& now, AgentId agent, ReferenceId reference,
                                                            const Locations& bytes, SiteId site) {
  Shadow::Allocation& allocation = shadow_->allocation(bytes.allocation);
  set(now, agent, reference, site, allocation);
  if (now.stamp > kMostStamps) [[unlikely]] return nullptr;
  Cell& cell = shadow_->cell(allocation, bytes.offset_bytes / kGranuleBytes);
  if (cell.sites[0] == kNoSite) note_workgroup_memory(site, now.group, bytes.allocation);
  return &cell;
}

// Whether the cell has room for an access to all of it, which needs no order to the one that is there.
inline bool KernelDetector::stands_beside(Cell& cell, const Access& now) {
  const auto knows_nobody = [&] { return order_.knows_nobody(now.agent, now.group); };
  const auto mutually_ordered = [&](SiteId first, Relation) {
    return this->mutually_ordered(sites_[first], cell.agents[0], *now.site, now.agent);
  };
  return stands_beside(cell, now.agent, now.time, now.site_id, knows_nobody, mutually_ordered);
}

// As long as accesses are remembered one by one: whether all there is to do is to put it into its cell.
bool KernelDetector::stands_alone(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
  if (!is_granule(bytes)) return false;
  if (stands_alone_at_once(agent, reference, bytes, site)) return true;
  Access now;
  Cell* const cell = cell_of(now, agent, reference, bytes, site);
  if (!cell || !stands_beside(*cell, now)) return false;
  count_exact();
  return true;
}

// Of a plain access to one granule, or to a part of one that its instruction takes whole.
bool KernelDetector::access_quickly(AgentId agent, ReferenceId reference, const Locations& bytes,
                                    SiteId site) {
  Access now;
  Cell* const cell = cell_of(now, agent, reference, bytes, site);
  if (!cell) return false;
  if (bytes.size_bytes != kGranuleBytes)
    return join_part(*cell, now.agent, now.time, site, part_of(bytes));
  const auto is_near = [&](std::uint32_t other) { return order_.group(other) == now.group; };
  const bool reads_alike = !now.site->writes && read_alike(*cell, now.agent, now.time, site, is_near);
  return reads_alike || at_once(*cell, now) || leaves_crowd(*cell, now);
}

// Where the atomics of a crowd are all ordered by a barrier of the workgroup.
bool KernelDetector::leaves_crowd(Cell& cell, const Access& now) {
  if (cell.sites[0] == kFew) {
    if (reference_of(cell.times[0]) != reference_of(now.time) || order_.group(cell.agents[0]) != now.group ||
        !is_followed(cell.sites[1], stamp_of(cell.times[0]), now))
      return false;
    cell = {};
    put(cell, 0, now);
    return true;
  }
  if (cell.sites[0] != kCrowd || !is_followed_crowd(shadow_->crowd(cell), now)) return false;
  const Crowd& crowd = shadow_->crowd(cell);
  if (crowd.first != 0 || crowd.last != kWhole) return false;
  shadow_->drop(cell);
  put(cell, 0, now);
  return true;
}

inline bool KernelDetector::is_settled_crowd(const Crowd& crowd, const Access& now) const {
  return crowd.one_group && crowd.reference == reference_of(now.time) &&
         order_.group(crowd.accesses.back().first) == now.group &&
         is_settled(crowd.site, crowd.accesses.back().second, now);
}
inline bool KernelDetector::is_followed_crowd(const Crowd& crowd, const Access& now) const {
  return (relation(crowd.site, now) & kStandsFor) != 0 && is_settled_crowd(crowd, now);
}

bool KernelDetector::answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
  if (!is_granule(bytes) || !order_.ignores_relaxed(static_cast<std::uint32_t>(agent), bytes.allocation))
    return false;
  if (exact_left_ != 0) return stands_alone(agent, reference, bytes, site);
  Now now;
  Cell* const cell = cell_of(now, agent, reference, bytes, site);
  if (!cell) return false;
  now.record.agent = now.agent;
  now.record.stamp = now.stamp;
  now.record.site = site;
  now.record.reference = reference_of(now.time);
  return join_crowd(*cell, now);
}

void KernelDetector::access(Now& now) {
  const Locations& bytes = now.operation->locations;
  const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
  for (std::uint64_t granule = bytes.offset_bytes / kGranuleBytes; granule * kGranuleBytes < end;
       ++granule) {
    const std::uint64_t begin = granule * kGranuleBytes;
    now.granule = granule;
    now.record.first = static_cast<std::uint8_t>(std::max(begin, bytes.offset_bytes) - begin);
    now.record.last = static_cast<std::uint8_t>(std::min(begin + kGranuleBytes, end) - begin);
    Cell& cell = shadow_->cell(shadow_->allocation(bytes.allocation), granule);
    if (cell.sites[0] == kNoSite) note_workgroup_memory(now.site_id, now.group, bytes.allocation);
    const bool whole = now.record.last - now.record.first == kWhole;
    if (exact_left_ == 0) [[likely]] {
      if (now.site->atomic ? join_crowd(cell, now)
          : whole          ? at_once(cell, now)
                           : join_parts(cell, now))
        continue;
    } else {
      count_exact();
      if (whole && stands_beside(cell, now)) continue;
    }
    access_slowly(cell, now);
  }
  if (!found_.empty()) [[unlikely]] report_found(bytes.allocation);
}

inline Relation KernelDetector::relation(SiteId older, const Access& now) const {
  return std::max(older, now.site_id) < SiteRelations::kMost ? relations_.to(now.site_id)[older]
                                                             : relation_of(sites_[older], *now.site);
}

// Whether barriers that the whole workgroup reached order the older access before this one.
inline bool KernelDetector::is_settled(SiteId older, Stamp stamp, const Access& now) const {
  return stamp <= now.settled->by(settled_by(relation(older, now)));
}

// Whether, besides, whoever races with the older one races with this one.
inline bool KernelDetector::is_followed(SiteId older, Stamp stamp, const Access& now) const {
  return (relation(older, now) & kStandsFor) != 0 && is_settled(older, stamp, now);
}

// What an access in a cell means to this one.
[[gnu::always_inline]] inline KernelDetector::Before KernelDetector::before(const Cell& cell, std::size_t slot,
                                              const Access& now) const {
  const Relation relation = this->relation(cell.sites[slot], now);
  const std::uint32_t time = cell.times[slot];
  const bool same_reference = reference_of(time) == reference_of(now.time);
  const bool mine = cell.agents[slot] == now.agent && same_reference;
  if (mine && (relation & kReplaced) != 0) return Before::Replaced;
  const bool same_group = mine || order_.group(cell.agents[slot]) == now.group;
  if (same_group && (same_reference || (relation & kWrote) == 0) &&
      stamp_of(time) <= now.settled->by(settled_by(relation)))
    return Before::Settled;
  if (mine) return Before::Mine;
  if ((relation & kConflicts) != 0) return Before::Unordered;
  const bool alike = same_reference && (relation & kReadsAlike) != 0 &&
                     ((relation & kInGroup) == 0 || same_group);
  return alike ? Before::ReadsAlike : Before::Reads;
}

// The answers that nearly all accesses get: nobody accessed it, I did, everybody of my workgroup did what
// they did before a barrier, or others read it as I do. What is in a cell stands in the order in which it
// was told.
bool KernelDetector::at_once(Cell& cell, const Access& now) {
  if (cell.sites[0] == kNoSite) {
    put(cell, 0, now);
    return true;
  }
  if (is_special(cell.sites[0]) || cell.sites[1] == kParts) return false;
  if (is_special(cell.sites[1])) return at_two_reads(cell, now);
  const Before first = before(cell, 0, now);
  if (first == Before::Unordered) return false;
  if (cell.sites[1] == kNoSite) {
    put(cell, first == Before::Replaced || (now.site->writes && first == Before::Settled) ? 0 : 1, now);
    return true;
  }
  const Before second = before(cell, 1, now);
  if (second == Before::Unordered) return false;
  return now.site->writes ? write_over(cell, first, second, now) : read_beside(cell, first, second, now);
}

// What a cell says of links that were forgotten is that they were of its one storage class.
bool KernelDetector::put_over_second(Cell& cell, bool was_link, const Access& now) {
  if (was_link) {
    const Classes storage = now.site->storage;
    if (sites_[cell.sites[0]].storage != storage || sites_[cell.sites[1]].storage != storage) return false;
    cell.times[0] |= kLossy;
  }
  put(cell, 1, now);
  return true;
}

// Whether a chain from the first to others may go by the second.
bool KernelDetector::is_link_of_read(const Cell& cell) const {
  return sites_[cell.sites[0]].writes && sites_[cell.sites[1]].own_visibility != kOwn;
}

bool KernelDetector::write_over(Cell& cell, Before first, Before second, const Access& now) {
  if (second == Before::Mine) return false;
  if (first == Before::Mine) return put_over_second(cell, sites_[cell.sites[1]].is_link(), now);
  put(cell, 0, now);
  cell.times[0] &= ~kLossy;
  cell.sites[1] = kNoSite;
  return true;
}

// Of many who read alike two are enough: whoever writes without an order to all of them races with one of
// the two, unless other ways than barriers of the workgroup order just these.
bool KernelDetector::read_beside(Cell& cell, Before first, Before second, const Access& now) {
  if (second == Before::Replaced) return put_over_second(cell, is_link_of_read(cell), now);
  const bool second_writes = sites_[cell.sites[1]].writes;
  if (first == Before::Settled && !second_writes && (relation(cell.sites[0], now) & kStandsFor) == 0) {
    if (second == Before::Settled) return put_over_second(cell, is_link_of_read(cell), now);
    return make_two_reads(cell, now);
  }
  if (first == Before::Replaced || first == Before::Settled) {
    cell.agents[0] = cell.agents[1];
    cell.times[0] = cell.times[1];
    cell.sites[0] = cell.sites[1];
    put(cell, 1, now);
    return true;
  }
  if (second == Before::Settled && !second_writes) return put_over_second(cell, is_link_of_read(cell), now);
  return first == Before::ReadsAlike && second == Before::ReadsAlike;
}

// Besides a write that came before a barrier of the workgroup: whoever reads elsewhere races with that alone.
bool KernelDetector::make_two_reads(Cell& cell, const Access& now) {
  const SiteId site = now.site_id;
  const auto offset = [&](std::uint32_t agent) { return static_cast<std::int64_t>(agent) - cell.agents[0]; };
  const auto fits = [&](std::uint32_t agent) { return offset(agent) == static_cast<std::int16_t>(offset(agent)); };
  // Links of chains, which the write may go on by, are remembered as long as may be.
  if (site >= SiteRelations::kMost || now.site->is_link() || cell.sites[1] != site ||
      (cell.times[1] & ~kLossy) != now.time || order_.group(cell.agents[1]) != now.group ||
      !fits(cell.agents[1]) || !fits(now.agent))
    return false;
  const auto packed = [&](std::uint32_t agent) { return static_cast<std::uint16_t>(offset(agent)); };
  cell.agents[1] = packed(cell.agents[1]) | std::uint32_t{packed(now.agent)} << 16;
  cell.sites[1] = static_cast<SiteId>(kTwoReads + site);
  return true;
}

bool KernelDetector::at_two_reads(Cell& cell, const Access& now) {
  const auto site = static_cast<SiteId>(cell.sites[1] - kTwoReads);
  const Before first = before(cell, 0, now);
  if ((first != Before::Settled && first != Before::Replaced) ||
      reference_of(cell.times[1]) != reference_of(now.time) || order_.group(cell.agents[0]) != now.group)
    return false;
  const bool settled = is_settled(site, stamp_of(cell.times[1]), now);
  if (now.site->writes) {
    if (!settled) return false;
    put(cell, 0, now);
    cell.times[0] &= ~kLossy;
    cell.sites[1] = kNoSite;
    return true;
  }
  // As where many read alike.
  if (site == now.site_id && (cell.times[1] & ~kLossy) == now.time) return true;
  if (!settled) return false;
  put(cell, 1, now);
  return true;
}

// Neighbours who access neighbouring bytes with one instruction, as in arrays of small elements.
bool KernelDetector::join_parts(Cell& cell, const Now& now) {
  const Record& r = now.record;
  const auto size = static_cast<std::uint8_t>(r.last - r.first);
  if (size != now.operation->locations.size_bytes || r.first % size != 0 || kWhole % size != 0)
    return false;
  return join_part(cell, now.agent, now.time, now.site_id, r.first / size);
}

std::vector<Record> KernelDetector::parts_of(const Cell& cell) const {
  std::vector<Record> records;
  const std::uint32_t size = sites_[cell.sites[0]].operation.locations.size_bytes;
  for (std::uint32_t part = 0; part * size < kWhole; ++part)
    if (((cell.agents[1] >> part) & 1) != 0)
      records.push_back({cell.agents[0] + part, stamp_of(cell.times[0]), 0, cell.sites[0],
                         reference_of(cell.times[0]), static_cast<std::uint8_t>(part * size),
                         static_cast<std::uint8_t>((part + 1) * size), {}});
  return records;
}

// Atomics of one instruction in a scope that includes all its invocations need no order among each other.
//= vk:memory-model-atomic-operation
bool KernelDetector::join_crowd(Cell& cell, const Now& now) {
  const Record& r = now.record;
  const Site& y = *now.site;
  if (y.scope != kWorkgroup && y.scope != kDevice) return false;
  if (cell.sites[0] == kList) return gather_crowd(cell, now);
  if (cell.sites[0] == kFew) {
    const bool is_whole = r.last - r.first == kWhole && order_.group(cell.agents[0]) == now.group;
    if (is_whole && joins_few(cell, now.agent, now.time, now.site_id)) return true;
    if (is_whole && reference_of(cell.times[0]) == r.reference &&
        is_followed(cell.sites[1], stamp_of(cell.times[0]), now)) {
      begin_few(cell, now.agent, now.time, now.site_id);
      return true;
    }
    make_crowd_of_few(cell);
  }
  if (cell.sites[0] != kCrowd) {
    if (is_special(cell.sites[1])) return false;
    for (std::size_t i = 0; i < 2 && cell.sites[i] != kNoSite; ++i) {
      // An access that is not atomic has no order to the atomics of others, its agent's own or not.
      if (reference_of(cell.times[i]) != r.reference || r.last - r.first != kWhole ||
          order_.group(cell.agents[i]) != now.group ||
          !is_followed(cell.sites[i], stamp_of(cell.times[i]), now))
        return false;
    }
    if (r.last - r.first == kWhole) {
      begin_few(cell, now.agent, now.time, now.site_id);
    } else {
      begin_crowd(cell, r).add(r.agent, r.stamp);
    }
    return true;
  }
  Crowd& crowd = shadow_->crowd(cell);
  if (crowd.site != r.site || crowd.reference != r.reference || crowd.first != r.first ||
      crowd.last != r.last)
    return false;
  if (!order_.places().same_instance(crowd.last_agent, r.agent, y.scope)) return false;
  if (order_.group(crowd.last_agent) != now.group) crowd.one_group = false;
  crowd.join(r.agent, r.stamp);
  return true;
}

// Of accesses like this one, none of them yet.
Crowd& KernelDetector::begin_crowd(Cell& cell, const Record& like) {
  Crowd& crowd = shadow_->make_crowd(cell);
  crowd.site = like.site;
  crowd.reference = like.reference;
  crowd.first = like.first;
  crowd.last = like.last;
  crowd.one_group = true;
  return crowd;
}

void KernelDetector::make_crowd_of_few(Cell& cell) {
  Record first;
  first.agent = cell.agents[0];
  first.stamp = stamp_of(cell.times[0]);
  first.site = cell.sites[1];
  first.reference = reference_of(cell.times[0]);
  const std::uint64_t others = others_of(cell);
  Crowd& crowd = begin_crowd(cell, first);
  crowd.add(first.agent, first.stamp);
  for (std::uint64_t rest = others; rest != 0; rest >>= 16) {
    const auto offset = static_cast<std::int16_t>(rest & 0xffff);
    crowd.add(first.agent + static_cast<std::uint32_t>(offset), first.stamp);
  }
}

// What was remembered one by one, when accesses are not any more: if that is all of one crowd.
bool KernelDetector::gather_crowd(Cell& cell, const Now& now) {
  const Record& r = now.record;
  std::vector<Record>& records = shadow_->list(cell).records;
  const auto is_of_crowd = [&](const Record& x) {
    return x.site == r.site && x.reference == r.reference && x.first == r.first && x.last == r.last &&
           order_.places().same_instance(x.agent, r.agent, now.site->scope);
  };
  if (!std::all_of(records.begin(), records.end(), is_of_crowd)) return false;
  const std::vector<Record> gathered = std::move(records);
  shadow_->drop(cell);
  Crowd& crowd = begin_crowd(cell, r);
  for (const Record& x : gathered) {
    crowd.one_group = crowd.one_group && order_.group(x.agent) == now.group;
    crowd.add(x.agent, x.stamp);
  }
  crowd.add(r.agent, r.stamp);
  return true;
}

// The list of the granule, whatever was there.
RecordList& KernelDetector::unpack(Cell& cell) {
  if (cell.sites[0] == kList) return shadow_->list(cell);
  if (cell.sites[0] != kCrowd && cell.sites[1] != kParts) return unpack_two(cell);
  std::vector<Record> records;
  bool lossy = false;
  if (cell.sites[0] == kCrowd) {
    const Crowd& crowd = shadow_->crowd(cell);
    lossy = crowd.accesses.size() > 1;
    for (const auto& [agent, stamp] : crowd.accesses)
      records.push_back({agent, stamp, 0, crowd.site, crowd.reference, crowd.first, crowd.last, {}});
  } else {
    records = parts_of(cell);
  }
  shadow_->drop(cell);
  RecordList& list = shadow_->make_list(cell);
  list.records = std::move(records);
  list.lossy = lossy;
  return list;
}

// Of a cell that has accesses itself. They go where there is room from earlier lists.
RecordList& KernelDetector::unpack_two(Cell& cell) {
  Cell two = cell;
  std::uint32_t third = 0;
  const bool has_third = two.sites[1] >= kTwoReads;
  if (has_third) {
    const auto agent = [&](std::uint32_t offset) {
      return two.agents[0] + static_cast<std::uint32_t>(static_cast<std::int16_t>(offset));
    };
    third = agent(two.agents[1] >> 16);
    two.agents[1] = agent(two.agents[1] & 0xffff);
    two.sites[1] = static_cast<SiteId>(two.sites[1] - kTwoReads);
  }
  RecordList& list = shadow_->make_list(cell);
  std::vector<Record>& records = list.records;
  for (std::size_t i = 0; i < 2 && two.sites[i] != kNoSite; ++i) {
    const Site& site = sites_[two.sites[i]];
    records.push_back({two.agents[i], stamp_of(two.times[i]), i * 2, two.sites[i],
                       reference_of(two.times[i]), 0, kWhole,
                       site.atomic && site.is_link() ? order_.nobody() : nullptr});
  }
  list.lossy = (two.times[0] & kLossy) != 0;
  if (has_third) {
    records.push_back(records[1]);
    records[2].agent = third;
    records[2].number = 4;
  }
  if (records.size() >= 2 && records[0].agent != records[1].agent) {
    // What the second knew of the first is forgotten.
    const Site& second = sites_[records[1].site];
    list.lossy = list.lossy || (sites_[records[0].site].writes && second.is_link() && !second.atomic);
  }
  return list;
}

void KernelDetector::pack(Cell& cell) {
  RecordList& list = shadow_->list(cell);
  if (list.records.size() > 2 || (list.lossy && list.mixed)) return;
  for (const Record& record : list.records)
    if (sites_[record.site].atomic || record.first != 0 || record.last != kWhole) return;
  Cell packed;
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    const Record& record = list.records[i];
    packed.agents[i] = record.agent;
    packed.times[i] = record.stamp << 8 | record.reference;
    packed.sites[i] = record.site;
    if (list.lossy) packed.times[0] |= kLossy;
  }
  shadow_->drop(cell);
  cell = packed;
}

bool KernelDetector::conflicts(const Record& x, const Now& now) const {
  return x.overlaps(now.record) && (sites_[x.site].writes || now.site->writes);
}

void KernelDetector::access_slowly(Cell& cell, Now& now) {
  if (cell.sites[0] == kFew) make_crowd_of_few(cell);
  if (cell.sites[0] == kCrowd) {
    // What a barrier ordered all at once.
    Crowd& crowd = shadow_->crowd(cell);
    if (exact_left_ == 0 && is_followed_crowd(crowd, now) && crowd.first >= now.record.first &&
        crowd.last <= now.record.last) {
      shadow_->drop(cell);
      if (!now.site->atomic && now.record.last - now.record.first == kWhole) {
        put(cell, 0, now);
        return;
      }
    } else if (exact_left_ == 0 && is_settled_crowd(crowd, now)) {
      crowd.leave_last(2);
    }
  }
  RecordList& list = unpack(cell);
  const auto is_of_another_class = [&](const Record& x) { return sites_[x.site].storage != now.site->storage; };
  list.mixed = list.mixed || std::any_of(list.records.begin(), list.records.end(), is_of_another_class);
  looked_ = false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    bool ordered = true;
    if (conflicts(list.records[i], now)) {
      ordered = mutually_ordered(list.records[i], now) || is_ordered(list.records[i], now, list) ||
                is_foreign(list.records[i], now);
      if (!ordered && !((list.lossy || order_.log().incomplete()) &&
                        may_be_ordered(list.records[i], now, list)))
        find(list.records[i], now, list);
    }
  }
  const bool forgets = exact_left_ == 0;
  const bool full = options_.most_records != 0 && list.records.size() >= options_.most_records;
  const std::size_t least = full ? least_telling(list, now) : list.records.size();
  bool writes_kept = false;
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    Record& x = list.records[i];
    if (forgets && (i == least || is_replaced(x, now))) {
      list.lossy = list.lossy || (writes_kept && sites_[x.site].is_link());
      continue;
    }
    writes_kept = writes_kept || sites_[x.site].writes;
    if (kept != i) list.records[kept] = std::move(x);
    ++kept;
  }
  if (kept != list.records.size()) list.records.resize(kept);
  if (now.site->is_link()) now.record.view = order_.view(now.record.agent);
  list.records.push_back(std::move(now.record));
  if (forgets) pack(cell);
}

// The one to forget where a list is full: the oldest that another one, or this one, is like; else the oldest.
std::size_t KernelDetector::least_telling(const RecordList& list, const Now& now) const {
  const auto is_like = [&](const Record& x, const Record& y) {
    return x.site == y.site && x.reference == y.reference && x.first == y.first && x.last == y.last &&
           order_.group(x.agent) == order_.group(y.agent);
  };
  for (std::size_t i = 0; i < list.records.size(); ++i) {
    const Record& x = list.records[i];
    const auto later = list.records.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (is_like(x, now.record) ||
        std::any_of(later, list.records.end(), [&](const Record& y) { return is_like(x, y); }))
      return i;
  }
  return 0;
}

// Whether whatever is ordered after the new access is ordered after the old one as well: of the same
// agent, or of the same workgroup before a barrier, or known to be before it. Where operations of
// unequal masks order the new one in ways that the old one does not take part in, that is forgotten.
bool KernelDetector::is_replaced(const Record& x, const Now& now) const {
  const Site& old = sites_[x.site];
  const Site& y = *now.site;
  if (!x.inside(now.record) || x.reference != now.record.reference) return false;
  if (x.agent == now.record.agent)
    return (relation(x.site, now) & kReplaced) != 0 && (!y.atomic || x.site == now.record.site);
  if (order_.group(x.agent) == now.group && is_followed(x.site, x.stamp, now)) return true;
  if (!old.non_private || !y.non_private || y.atomic || (old.writes && !y.writes)) return false;
  if (old.storage != y.storage || old.storage == 0) return false;
  const View& view = *order_.view(now.record.agent);
  return view.before[y.class_number].has(order_.group(x.agent), x.agent, x.stamp) &&
         (!old.writes || !y.writes || old.own_availability == kOwn || y.own_availability != kOwn);
}

// What no kernel does: tessellation control outputs, which have an order of their own.
//= vk:memory-model-tessellation-output-ordering
bool KernelDetector::is_foreign(const Record& x, const Now& now) const {
  const Places& places = order_.places();
  return now.operation->storage_class == StorageClass::Output &&
         sites_[x.site].operation.storage_class == StorageClass::Output &&
         places.stage(x.agent) == model::Stage::TessellationControl &&
         places.stage(now.record.agent) == model::Stage::TessellationControl;
}

// Of accesses to the same bytes of one granule, through one reference.
//= vk:memory-model-atomic-operation
bool KernelDetector::mutually_ordered(const Site& x, std::uint32_t agent_of_x, const Site& y,
                                      std::uint32_t agent_of_y) const {
  const Places& places = order_.places();
  return x.atomic && y.atomic && x.operation.locations.size_bytes == y.operation.locations.size_bytes &&
         places.same_instance(agent_of_x, agent_of_y, x.scope) &&
         places.same_instance(agent_of_x, agent_of_y, y.scope) &&
         places.both_on_host_or_not(agent_of_x, agent_of_y);
}

bool KernelDetector::mutually_ordered(const Record& x, const Now& now) const {
  return x.reference == now.record.reference && x.first == now.record.first && x.last == now.record.last &&
         mutually_ordered(sites_[x.site], x.agent, *now.site, now.agent);
}

KernelAccess KernelDetector::access_of(const Record& record, const Now& now) {
  const AllocationId allocation = now.operation->locations.allocation;
  KernelAccess access;
  access.agent = record.agent;
  access.stamp = record.stamp;
  access.number = record.number;
  access.site = &sites_[record.site];
  access.reference = shadow_->reference(allocation, record.reference);
  access.bytes = {allocation, now.granule * kGranuleBytes + record.first,
                  static_cast<std::uint32_t>(record.last - record.first)};
  access.view = record.view.get();
  return access;
}

void KernelDetector::look_at_others(const RecordList& list, const Now& now) {
  if (looked_) return;
  looked_ = true;
  others_.clear();
  for (const Record& record : list.records) others_.push_back(access_of(record, now));
}

bool KernelDetector::is_ordered(const Record& x, const Now& now, const RecordList& list) {
  const Site& old = sites_[x.site];
  const bool same_reference = x.reference == now.record.reference;
  if (order_.is_lost()) return true;
  if (x.agent == now.record.agent && same_reference) return true;
  const GroupId group = order_.group(x.agent);
  if (group == now.group && (same_reference || !old.writes) && is_settled(x.site, x.stamp, now))
    return true;
  const View& view = *order_.view(now.record.agent);
  if (x.agent != now.record.agent && !view.reached.has(group, x.agent, x.stamp)) return false;
  look_at_others(list, now);
  KernelAccess y = access_of(now.record, now);
  y.view = &view;
  const auto at = static_cast<std::size_t>(&x - list.records.data());
  return location_order_.ordered(others_[at], y, others_);
}

// Whether something that was forgotten may have ordered them.
bool KernelDetector::may_be_ordered(const Record& x, const Now& now, const RecordList& list) const {
  const GroupId group = order_.group(x.agent);
  const View& view = *order_.view(now.record.agent);
  const Site& old = sites_[x.site];
  if (!old.non_private || !now.site->non_private) return false;
  if (old.storage != now.site->storage || old.storage == 0 || list.mixed || order_.log().incomplete() ||
      order_.log().leads_past(old.storage))
    return view.reached.has(group, x.agent, x.stamp);
  return view.before[old.class_number].has(group, x.agent, x.stamp);
}

// Two accesses that share several granules race once.
void KernelDetector::find(const Record& x, const Now& now, const RecordList& list) {
  const Locations& bytes = now.operation->locations;
  const std::uint64_t begin = now.granule * kGranuleBytes + std::max(x.first, now.record.first);
  const std::uint64_t end = now.granule * kGranuleBytes + std::min(x.last, now.record.last);
  for (Found& found : found_) {
    if (found.site != x.site || found.agent != x.agent || found.stamp != x.stamp || found.end_bytes != begin ||
        end - found.begin_bytes > sites_[x.site].operation.locations.size_bytes)
      continue;
    found.end_bytes = end;
    return;
  }
  // Each workgroup has Workgroup memory of its own: it is one bug all the same.
  const bool shared = now.operation->storage_class == StorageClass::Workgroup;
  const auto key = std::tuple(x.site, now.record.site, shared ? AllocationId{~0u} : bytes.allocation);
  const auto [at, fresh] = known_.emplace(key, races_.size());
  if (fresh)
    races_.push_back({static_cast<AgentId>(x.agent), now.operation->agent, x.site, now.record.site, now.index,
                      {}, 0, explain(x, now, list)});
  found_.push_back({x.agent, x.stamp, x.site, at->second, begin, end});
}

void KernelDetector::report_found(AllocationId allocation) {
  for (const Found& found : found_) {
    KernelRace& race = races_[found.race];
    if (race.count++ != 0) {
      if (on_race_again_) on_race_again_(found.race, static_cast<AgentId>(found.agent));
      continue;
    }
    race.bytes = {allocation, found.begin_bytes,
                  static_cast<std::uint32_t>(found.end_bytes - found.begin_bytes)};
    if (on_race_) on_race_(race);
  }
  found_.clear();
}

// The first missing link.
//= vk:memory-model-location-ordered
std::string KernelDetector::explain(const Record& x, const Now& now, const RecordList& list) {
  const Site& old = sites_[x.site];
  const Site& y = *now.site;
  const std::uint32_t agent = now.record.agent;
  if (x.agent == agent)
    return "one invocation makes both accesses, but through two references to the same memory: program "
           "order counts only for accesses through one reference";
  if (old.atomic && y.atomic && x.reference == now.record.reference)
    return "both are atomic, but not for each other: their scopes do not include both invocations, or "
           "they have other bytes";
  if (!old.non_private || !y.non_private) {
    const char* which = !old.non_private && !y.non_private ? "both accesses are private"
                        : !old.non_private               ? "the first access is private"
                                                         : "the second access is private";
    const std::string why = std::string(which) + ": only non-private ones are ordered between invocations";
    const bool may_be_synchronized = order_.view(agent)->reached.has(order_.group(x.agent), x.agent, x.stamp);
    return may_be_synchronized ? why : not_synchronized(x.agent, agent) + "; besides, " + why;
  }
  if (x.reference != now.record.reference)
    return "they use different references to the same memory, which only a dependency between "
           "dispatches orders";
  const GroupId group = order_.group(x.agent);
  const ViewPointer& view = order_.view(agent);
  look_at_others(list, now);
  KernelAccess later = access_of(now.record, now);
  later.view = view.get();
  using Missing = KernelLocationOrder::Missing;
  const auto at = static_cast<std::size_t>(&x - list.records.data());
  switch (location_order_.missing(others_[at], later, others_)) {
    case Missing::HappensBefore: break;
    case Missing::WiderAvailability:
      return "they are synchronized, but the write was made available at a scope that does not "
             "include both invocations";
    case Missing::Availability:
      return "they are synchronized, but the write was never made available: MakeAvailable is missing";
    case Missing::Visibility:
      return "they are synchronized and the write is available, but it was never made visible: "
             "MakeVisible is missing";
  }
  if (view->reached.has(group, x.agent, x.stamp))
    return "they are synchronized, but the storage class of this memory is missing in the "
           "semantics on the way";
  if (order_.out_of_scope(agent).has(group, x.agent, x.stamp))
    return "a release and an acquire meet, but the scopes do not include both invocations";
  return not_synchronized(x.agent, agent);
}

std::string KernelDetector::not_synchronized(std::uint32_t first, std::uint32_t second) const {
  return order_.places().same_instance(first, second, kWorkgroup)
             ? "no synchronization: no barrier of the workgroup, and no release and acquire, is between them"
             : "no synchronization: nothing between the two workgroups releases and acquires";
}

}  // namespace heddle::race
