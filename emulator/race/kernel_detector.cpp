#include "emulator/race/kernel_detector.h"

#include <heddle/detail/check.h>

#include <algorithm>
#include <new>

#include "emulator/race/kernel_accesses.h"
#include "emulator/race/kernel_crowds.h"
#include "emulator/race/kernel_lists.h"

namespace heddle::race {
namespace {

constexpr const char* kOtherInstructions =
    "there were more different accesses than are told apart: races were not looked for at those that came after the "
    "first 65279";
static_assert(kTooMany - 1 == 65279);
constexpr const char* kLaterAccesses =
    "a workgroup came to more barriers and other synchronization than are counted: races were not looked for at its "
    "accesses after the first 16777215 of these";
static_assert(kMostStamps == 16777215);

/// Which of the parts of its word it is that are as large.
std::uint32_t part_of(const Locations& bytes) {
  return static_cast<std::uint32_t>(bytes.offset_bytes % kWordBytes) >> (bytes.size_bytes / 2);
}

}  // namespace

KernelDetector::KernelDetector(const KernelOptions& options)
    : options_(options),
      exact_left_(options.exact_accesses),
      order_(options.chains, options.one_class_each),
      lists_(std::make_unique<KernelLists>(order_, sites_, options.most_records)) {
  if (exact_left_ == 0) order_.expect_whole_workgroups();
}

KernelDetector::KernelDetector(const KernelOptions& options, std::shared_ptr<KernelOrder::Shared> order,
                               SiteNumbers& sites)
    : options_(options),
      exact_left_(options.exact_accesses),
      order_(std::move(order), options.chains, options.one_class_each),
      sites_(sites),
      lists_(std::make_unique<KernelLists>(order_, sites_, options.most_records)) {
  if (exact_left_ == 0) order_.expect_whole_workgroups();
}

KernelDetector::~KernelDetector() = default;

void KernelDetector::agent_begins(AgentId agent, const model::Place& place) {
  agents_begin(agent, 1, place, {});
}

void KernelDetector::agents_begin(AgentId first, std::uint32_t count, const model::Place& place,
                                  std::span<const std::uint32_t> subgroups) {
  order_.agents_begin(first, count, place, subgroups);
  if (options_.first_stamp != kFirstStamp) [[unlikely]]
    order_.skip_to(first, options_.first_stamp);
}

void KernelDetector::agent_ends(AgentId agent) {
  agents_end(agent, 1);
}

void KernelDetector::agents_end(AgentId first, std::uint32_t count) {
  const GroupId group = order_.group(static_cast<std::uint32_t>(first));
  HEDDLE_CHECK(count <= order_.places().agents_of(group) && !order_.places().has_ended(group),
               "the race detector was told that more agents of a group ended than had begun");
  if (order_.agents_end(group, count) && !workgroup_memory_.empty()) group_ends(group);
}

// No agent accesses the Workgroup memory of a workgroup that has ended.
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
  races_.forget(allocation);
}

void KernelDetector::restart() {
  dependency(true);
  order_.restart();
  shadow_->restart();
  overlooked_.clear();
  races_.clear();
}

void KernelDetector::passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) {
  order_.passes(arrival, synchronizing);
}

void KernelDetector::operation(model::OperationIndex index, const Operation& operation, model::Value, model::Value,
                               std::span<const trace::Source> sources) {
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
  if (site != kNoSite) [[likely]]
    order_.note(sites_[site]);
  if (site == kNoSite) [[unlikely]]
    overlook(kOtherInstructions);
  return site;
}

void KernelDetector::overlook(const char* what) {
  if (overlooked_.insert(what).second && on_overlooked_) on_overlooked_(what);
}

void KernelDetector::atomic(model::OperationIndex index, const Operation& operation, SiteId site,
                            std::span<const trace::Source> sources) {
  order_.atomic_begins(operation);
  if (operation.reads()) order_.atomic_reads(operation, sources);
  if (site != kNoSite &&
      (exact_left_ == 0 || !stands_alone(operation.agent, operation.reference, operation.locations, site)))
    access_in_full(index, operation, site);
  if (operation.writes()) order_.atomic_writes(index, operation);
  order_.atomic_ends(operation);
}

void KernelDetector::meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count) {
  if (!order_.meets(barrier, count)) trace::Listener::meets(first, barrier, count);
}

void KernelDetector::access_in_full(model::OperationIndex index, const Operation& operation, SiteId site) {
  Shadow::Allocation& allocation = shadow_->allocation(operation.locations.allocation);
  WordAccess now(access_to(allocation, operation.agent, operation.reference, site));
  now.index = index;
  now.operation = &operation;
  now.record.number = std::uint64_t{index} * 2 + 1;
  if (now.stamp <= kMostStamps) return access(now);
  overlook(kLaterAccesses);
}

// No agent accesses it once the workgroup has ended.
inline void KernelDetector::note_workgroup_memory(SiteId site, GroupId group, AllocationId allocation) {
  if (sites_[site].operation.storage_class == StorageClass::Workgroup && shadow_->first_time(allocation))
    workgroup_memory_.emplace_back(group, allocation);
}

[[gnu::always_inline]] inline NewAccess KernelDetector::access_to(Shadow::Allocation& allocation, AgentId agent,
                                                                  ReferenceId reference, SiteId site) const {
  return {order_, sites_, agent, Shadow::reference_number(allocation, reference), site};
}

// The cell of an access that may be answered at once; null if too much has happened for that.
[[gnu::always_inline]] inline Cell* KernelDetector::cell_of(const NewAccess& now, Shadow::Allocation& allocation,
                                                            const Locations& bytes) {
  if (now.stamp > kMostStamps) [[unlikely]]
    return nullptr;
  Cell& cell = shadow_->cell(allocation, bytes.offset_bytes / kWordBytes);
  if (cell.is_empty()) note_workgroup_memory(now.site, now.group, bytes.allocation);
  return &cell;
}

// As long as accesses are remembered one by one: whether all there is to do is to put it into its cell.
bool KernelDetector::stands_alone(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
  if (!is_word(bytes)) return false;
  Shadow::Allocation& allocation = shadow_->allocation(bytes.allocation);
  const NewAccess now = access_to(allocation, agent, reference, site);
  Cell* const cell = cell_of(now, allocation, bytes);
  if (!cell) return false;
  const QuickCheck check(QuickCheck::Checker(*lists_), *shadow_, *cell, now);
  if (!check.agrees(stands_beside(*cell, now))) return false;
  count_exact();
  return true;
}

// A plain access to one word, or to a part of one that its instruction takes whole.
bool KernelDetector::access_quickly(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
  Shadow::Allocation& allocation = shadow_->allocation(bytes.allocation);
  const NewAccess now = access_to(allocation, agent, reference, site);
  Cell* const cell = cell_of(now, allocation, bytes);
  if (!cell) return false;
  const auto first = static_cast<std::uint32_t>(bytes.offset_bytes % kWordBytes);
  const QuickCheck check(QuickCheck::Checker(*lists_), *shadow_, *cell, now, first, first + bytes.size_bytes);
  if (bytes.size_bytes != kWordBytes) return check.agrees(cell->join_part(now, part_of(bytes)));
  const auto is_near = [&](std::uint32_t other) { return now.is_near(other); };
  const bool reads_alike = !now.instruction->writes && cell->reads_alike(now, is_near);
  return check.agrees(reads_alike || fits_at_once(*cell, now) || leaves_crowd(*shadow_, *cell, now));
}

bool KernelDetector::answers_atomic(AgentId agent, ReferenceId reference, const Locations& bytes, SiteId site) {
  if (!is_word(bytes) || !order_.ignores_relaxed(static_cast<std::uint32_t>(agent), bytes.allocation)) return false;
  if (exact_left_ != 0) return stands_alone(agent, reference, bytes, site);
  Shadow::Allocation& allocation = shadow_->allocation(bytes.allocation);
  const WordAccess now(access_to(allocation, agent, reference, site));
  Cell* const cell = cell_of(now, allocation, bytes);
  if (!cell) return false;
  const QuickCheck check(QuickCheck::Checker(*lists_), *shadow_, *cell, now);
  return check.agrees(joins_crowd(*shadow_, *cell, now));
}

// Whether the form that its word has answers for the access.
bool KernelDetector::is_answered(Cell& cell, const WordAccess& now) {
  const QuickCheck check(QuickCheck::Checker(*lists_), *shadow_, cell, now, now.record.first, now.record.last);
  if (exact_left_ != 0) [[unlikely]] {
    count_exact();
    return check.agrees(now.is_whole() && stands_beside(cell, now));
  }
  if (now.instruction->atomic) return check.agrees(joins_crowd(*shadow_, cell, now));
  return check.agrees(now.is_whole() ? fits_at_once(cell, now) : joins_parts(cell, now));
}

// Where memory runs out while an access is looked at, what was found of it until then is told.
void KernelDetector::access(WordAccess& now) try {
  const Locations& bytes = now.operation->locations;
  const std::uint64_t end = bytes.offset_bytes + bytes.size_bytes;
  for (std::uint64_t word = bytes.offset_bytes / kWordBytes; word * kWordBytes < end; ++word) {
    const std::uint64_t begin = word * kWordBytes;
    now.word = word;
    now.record.first = static_cast<std::uint8_t>(std::max(begin, bytes.offset_bytes) - begin);
    now.record.last = static_cast<std::uint8_t>(std::min(begin + kWordBytes, end) - begin);
    Cell& cell = shadow_->cell(shadow_->allocation(bytes.allocation), word);
    if (cell.is_empty()) note_workgroup_memory(now.site, now.group, bytes.allocation);
    if (!is_answered(cell, now)) lists_->take_in(*shadow_, cell, now, exact_left_ == 0, races_);
  }
  races_.report(bytes.allocation);
} catch (const std::bad_alloc&) {
  races_.report(now.operation->locations.allocation);
  throw;
}

}  // namespace heddle::race
