#include "emulator/race/tagged_detector.h"

#include <algorithm>

namespace heddle::race {

namespace {

constexpr const char* kReason =
    "the tags of an instruction in between, or of one of the two, do not fit: without tags they would be ordered";

bool overlap(const Locations& a, const Locations& b) {
  return a.offset_bytes < b.offset_bytes + b.size_bytes && b.offset_bytes < a.offset_bytes + a.size_bytes;
}

bool has_all(const Locations& whole, const Locations& part) {
  return whole.offset_bytes <= part.offset_bytes &&
         part.offset_bytes + part.size_bytes <= whole.offset_bytes + whole.size_bytes;
}

}  // namespace

TaggedDetector::TaggedDetector(trace::Listener& told, KernelDetector& kernel, const KernelOptions& options)
    : told_(told),
      kernel_(kernel),
      options_(options),
      order_(options.chains, options.one_class_each),
      location_order_(order_),
      exact_left_(options.exact_accesses) {
  if (exact_left_ == 0) order_.cut();
}

std::string TaggedDetector::text_of_too_many_sets() {
  std::string text = std::to_string(TagLanes::kMost);
  text +=
      " sets of tags are told apart, the empty one among them, and there were more: instructions with another set "
      "counted as having none, so that races may be missing that are there only because of their tags";
  return text;
}

void TaggedDetector::restart() {
  order_.dependency(true);
  order_.restart();
  accesses_.clear();
  noted_.clear();
  told_of_sets_ = false;
  exact_left_ = options_.exact_accesses;
  if (exact_left_ == 0) order_.cut();
}

void TaggedDetector::forget(AllocationId allocation) {
  accesses_.forget(allocation);
  order_.forget(allocation);
}

void TaggedDetector::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                                  std::span<const std::uint32_t> subgroups) {
  told_.agents_begin(first, count, place, subgroups);
  order_.agents_begin(first, count, place, subgroups);
}

void TaggedDetector::agents_end(AgentId first, std::uint32_t count) {
  told_.agents_end(first, count);
  order_.agents_end(order_.places().group(static_cast<std::uint32_t>(first)), count);
}

void TaggedDetector::system_synchronizes(AgentId first, AgentId second) {
  told_.system_synchronizes(first, second);
  order_.system_synchronizes(first, second);
}

// Whatever follows a memory dependency races with nothing before it.
void TaggedDetector::dependency(bool memory) {
  told_.dependency(memory);
  order_.dependency(memory);
  if (!memory) return;
  accesses_.clear();
  noted_.clear();
  exact_left_ = options_.exact_accesses;
  if (exact_left_ == 0) order_.cut();
}

void TaggedDetector::operation(model::OperationIndex index, const Operation& operation, model::Value read,
                               model::Value written, std::span<const trace::Source> sources) {
  told_.operation(index, operation, read, written, sources);
  look_at(index, operation, sources);
}

void TaggedDetector::plain(model::OperationIndex index, const Operation& operation, model::Value read,
                           model::Value written) {
  told_.plain(index, operation, read, written);
  look_at(index, operation, {});
}

void TaggedDetector::passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) {
  told_.passes(arrival, synchronizing);
  order_.passes(arrival, synchronizing);
}

void TaggedDetector::meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) {
  told_.meets(first, barrier, count);
  Operation of_one = barrier;
  for (std::uint32_t i = 0; i < count; ++i) {
    of_one.agent = static_cast<AgentId>(static_cast<std::uint32_t>(barrier.agent) + i);
    order_.arrive(first + i, of_one);
  }
  for (std::uint32_t i = 0; i < count; ++i) order_.passes(first + i, {});
}

void TaggedDetector::placed(model::OperationIndex write) {
  told_.placed(write);
  order_.placed(write);
}

void TaggedDetector::look_at(model::OperationIndex index, const Operation& operation,
                             std::span<const trace::Source> sources) {
  if (operation.kind == OperationKind::ControlBarrier) {
    order_.arrive(index, operation);
  } else if (!operation.is_access()) {
    order_.barrier(index, operation);
  } else {
    const SiteId site = kernel_.site_of(operation);
    if (site != kNoSite && site >= noted_.size()) noted_.resize(std::size_t{site} + 1);
    if (site != kNoSite && !noted_[site]) {
      noted_[site] = true;
      order_.note(kernel_.site(site));
    }
    if (operation.atomic) {
      order_.atomic_begins(operation);
      if (operation.reads()) order_.atomic_reads(operation, sources);
    }
    if (site != kNoSite) access(index, operation, site);
    if (operation.atomic) {
      if (operation.writes()) order_.atomic_writes(index, operation);
      order_.atomic_ends(operation);
    }
  }
  if (!order_.lanes()->are_too_many() || told_of_sets_) return;
  told_of_sets_ = true;
  if (on_too_many_sets_) on_too_many_sets_();
}

void TaggedDetector::access(model::OperationIndex index, const Operation& operation, SiteId site) {
  const Site& of = kernel_.site(site);
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const std::uint8_t lane = order_.lane_of(operation.tags);
  order_.constrain(agent, lane, static_cast<ClassSets>(of.read_sets | of.write_sets));
  TaggedAccess now;
  now.site = site;
  now.access.agent = agent;
  now.access.stamp = order_.now(agent);
  now.access.number = std::uint64_t{index} * 2 + 1;
  now.access.reference = accesses_.reference_number(operation.locations.allocation, operation.reference);
  now.access.lane =
      operation.atomic && operation.reads() && acquires(operation.semantics) ? TagLanes::acquiring(lane) : lane;
  if (of.is_link()) now.view = order_.view(agent, lane);
  if (operation.atomic && operation.writes() && releases(operation.semantics))
    now.view_of_write = order_.view_of_release(agent, lane, operation);
  const Locations& bytes = operation.locations;
  const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
  for (std::uint64_t at = bytes.offset_bytes; at < end;) {
    const std::uint64_t granule = at / kWordBytes;
    const std::uint64_t last = std::min(end, (granule + 1) * kWordBytes);
    now.access.bytes = {bytes.allocation, at, static_cast<std::uint32_t>(last - at)};
    access_granule(accesses_.granule(bytes.allocation, granule), now);
    at = last;
  }
  if (!found_.empty()) add_found(index, now);
  if (exact_left_ != 0 && --exact_left_ == 0) order_.cut();
}

void TaggedDetector::access_granule(TaggedGranule& granule, const TaggedAccess& now) {
  others_.clear();
  for (const TaggedAccess& x : granule.accesses)
    if (overlap(x.access.bytes, now.access.bytes) && races(granule, x, now)) find(x, now);
  if (exact_left_ == 0) make_room(granule, now);
  granule.accesses.push_back(now);
}

//= vk:memory-model-access-data-race
bool TaggedDetector::races(const TaggedGranule& granule, const TaggedAccess& x, const TaggedAccess& now) {
  if (!site(x).writes && !site(now).writes) return false;
  //= mmra:coherence
  if (x.access.agent == now.access.agent && x.access.reference == now.access.reference) return false;
  const bool same_bytes = x.access.reference == now.access.reference && x.access.bytes == now.access.bytes;
  if (same_bytes && mutually_ordered(order_.places(), site(x), x.access.agent, site(now), now.access.agent))
    return false;
  if (are_foreign(order_.places(), site(x), x.access.agent, site(now), now.access.agent)) return false;
  const auto access_of = [&](const TaggedAccess& any) {
    KernelAccess access = any.access;
    access.site = &site(any);
    access.view = any.view.get();
    access.view_of_write = any.view_of_write.get();
    return access;
  };
  if (others_.empty())
    for (const TaggedAccess& any : granule.accesses) others_.push_back(access_of(any));
  KernelAccess later = access_of(now);
  const ViewPointer view = order_.view(later.agent, static_cast<std::uint8_t>(later.lane % TagLanes::kMost));
  later.view = view.get();
  const auto at = static_cast<std::size_t>(&x - granule.accesses.data());
  if (location_order_.ordered(others_[at], later, others_)) return false;
  const bool of_other_class = options_.one_class_each && site(x).storage != site(now).storage;
  return !(granule.lossy || of_other_class) || !may_be_ordered(x, now);
}

// Whether something that was forgotten may have ordered them.
bool TaggedDetector::may_be_ordered(const TaggedAccess& x, const TaggedAccess& now) const {
  if (!site(x).non_private || !site(now).non_private) return false;
  const std::uint32_t agent = x.access.agent;
  return agent == now.access.agent ||
         order_.reached(now.access.agent)
             .has(TagLanes::group(order_.places().group(agent), x.access.lane), agent, x.access.stamp);
}

// Whether whatever races with the older one from now on races with this one, too: both are of one lane of one agent.
bool TaggedDetector::stands_for(const TaggedAccess& now, const TaggedAccess& x) const {
  const Site& old = site(x);
  const Site& y = site(now);
  if (!has_all(now.access.bytes, x.access.bytes) || x.access.reference != now.access.reference) return false;
  if (old.atomic != y.atomic || old.storage != y.storage || (old.writes && !y.writes) || (y.reads && !old.reads))
    return false;
  if (old.non_private != y.non_private || old.scope != y.scope || old.is_link() != y.is_link()) return false;
  return x.access.agent == now.access.agent && x.access.lane == now.access.lane;
}

// Where nothing stands for another one, the oldest goes.
void TaggedDetector::make_room(TaggedGranule& granule, const TaggedAccess& now) const {
  std::vector<TaggedAccess>& all = granule.accesses;
  std::erase_if(all, [&](const TaggedAccess& x) {
    const bool goes = stands_for(now, x);
    granule.lossy = granule.lossy || (goes && site(x).is_link());
    return goes;
  });
  while (options_.most_records != 0 && all.size() >= options_.most_records) {
    granule.lossy = granule.lossy || site(all.front()).is_link();
    all.erase(all.begin());
  }
}

// Two accesses that share several granules race once.
void TaggedDetector::find(const TaggedAccess& x, const TaggedAccess& now) {
  const std::uint64_t begin = std::max(x.access.bytes.offset_bytes, now.access.bytes.offset_bytes);
  const std::uint64_t end = std::min(x.access.bytes.offset_bytes + x.access.bytes.size_bytes,
                                     now.access.bytes.offset_bytes + now.access.bytes.size_bytes);
  const auto size = static_cast<std::uint32_t>(end - begin);
  for (Found& found : found_) {
    if (found.earlier.access.number != x.access.number) continue;
    if (found.bytes.offset_bytes + found.bytes.size_bytes == begin) found.bytes.size_bytes += size;
    return;
  }
  found_.push_back({x, {now.access.bytes.allocation, begin, size}});
}

void TaggedDetector::add_found(model::OperationIndex index, const TaggedAccess& now) {
  take_each(found_, [&](const Found& found) {
    KernelRace added;
    added.first_agent = static_cast<AgentId>(found.earlier.access.agent);
    added.second_agent = static_cast<AgentId>(now.access.agent);
    added.first = found.earlier.site;
    added.second = now.site;
    added.operation = index;
    added.bytes = found.bytes;
    added.by_tags = true;
    added.reason = kReason;
    kernel_.add(added);
  });
}

}  // namespace heddle::race
