#include "emulator/mu/machine/memory.h"

#include <limits>

namespace heddle::mu::machine {
namespace {

/// Between neighbours at the end of a modification order; what comes between two later halves what there is.
constexpr std::uint64_t kGap = std::uint64_t{1} << 32;
constexpr ClockValue kNever = std::numeric_limits<ClockValue>::max();
constexpr std::size_t kMostFloors = 16;

}  // namespace

Memory::Memory(std::uint32_t most_threads, const MemoryPolicy& policy, Choice& choice)
    : threads_(most_threads),
      policy_(policy),
      choice_(choice),
      of_thread_(most_threads),
      known_(most_threads),
      handed_on_(most_threads),
      loose_(most_threads),
      fenced_(most_threads),
      dependencies_(most_threads),
      scratch_(std::size_t{3} * most_threads) {}

void Memory::restart(std::span<const Value> initial, Recorder* recorder) {
  recorder_ = recorder;
  used_locations_ = 0;
  used_stores_ = 0;
  free_.clear();
  time_ = 0;
  any_release_ = false;
  known_.clear();
  handed_on_.clear();
  loose_.clear();
  fenced_.clear();
  dependencies_.clear();
  pending_.resize(1);
  for (Thread& thread : of_thread_) {
    thread.has_release_fence = false;
    thread.fence_time = 0;
    thread.stale_loads = 0;
    thread.stored.clear();
    thread.pending.clear();
  }
  for (const Value value : initial) add(value);
}

LocationIndex Memory::add(Value initial) {
  if (used_locations_ == locations_.size()) locations_.emplace_back();
  Location& location = locations_[used_locations_];
  location.order.clear();
  location.last_seq_cst = kNone;
  location.seq_cst_stores.clear();
  location.fenced.clear();
  location.futex_saw = 0;
  add_initial(location, initial);
  return static_cast<LocationIndex>(used_locations_++);
}

Memory::StoreIndex Memory::make_store() {
  StoreIndex at = 0;
  if (!free_.empty()) {
    at = free_.back();
    free_.pop_back();
  } else {
    at = static_cast<StoreIndex>(used_stores_++);
    if (at == stores_.size()) {
      stores_.emplace_back();
      blocks_.resize(blocks_.size() + std::size_t{4} * threads_);
    }
  }
  stores_[at] = Store{};
  std::fill_n(happened(at), 3 * std::size_t{threads_}, 0);
  std::fill_n(first_read(at), threads_, kNever);
  return at;
}

void Memory::add_initial(Location& location, Value value) {
  const StoreIndex at = make_store();
  stores_[at].value = value;
  stores_[at].rank = kGap;
  location.order.push_back(at);
}

const ClockValue* Memory::perform(ThreadIndex thread, ClockIndex dependency) {
  ClockValue* known = known_.at(thread);
  ++known[thread];
  ++handed_on_.at(thread)[thread];
  if (dependency == kNoClock) return now_ = known;
  std::copy_n(known, threads_, scratch_.begin());
  join(scratch_.data(), dependencies_.at(dependency), threads_);
  join(handed_on_.at(thread), dependencies_.at(dependency), threads_);
  return now_ = scratch_.data();
}

bool Memory::is_seen_before(StoreIndex store, const ClockValue* clock) {
  const ClockValue* first = first_read(store);
  for (std::uint32_t t = 0; t < threads_; ++t)
    if (first[t] <= clock[t]) return true;
  return false;
}

// What stands before a store that happens before an operation, or before one that a load saw which happens before it,
// is out of its reach.
//= mu:visible-store
//= mu:read-read-coherence
std::uint32_t Memory::coherent(const Location& location, const ClockValue* clock) {
  for (auto at = static_cast<std::uint32_t>(location.order.size()); at-- > 1;) {
    const StoreIndex store = location.order[at];
    if (happens_before(stores_[store], clock) || is_seen_before(store, clock)) return at;
  }
  return 0;
}

std::uint32_t Memory::from_rank(const Location& location, std::uint32_t low, Rank rank) const {
  while (low + 1 < location.order.size() && stores_[location.order[low]].rank < rank) ++low;
  return low;
}

Memory::Rank Memory::before(const std::vector<Floor>& floors, std::uint64_t time) {
  for (auto floor = floors.rbegin(); floor != floors.rend(); ++floor)
    if (floor->time < time) return floor->rank;
  return 0;
}

void Memory::raise(std::vector<Floor>& floors, std::uint64_t time, Rank rank) {
  floors.push_back({time, floors.empty() ? rank : std::max(floors.back().rank, rank)});
  if (floors.size() <= kMostFloors) return;
  // The older one is forgotten: what stood behind it alone is told of the newer one.
  floors[1].time = floors[0].time;
  floors.erase(floors.begin());
}

// What the last SEQ_CST fence of a thread makes its later loads see.
//= mu:seq-cst-fence-before-load
//= mu:seq-cst-fences
Memory::Rank Memory::fence_floor(const Location& location, ThreadIndex thread) const {
  const std::uint64_t time = of_thread_[thread].fence_time;
  if (time == 0) return 0;
  return std::max(before(location.seq_cst_stores, time), before(location.fenced, time));
}

bool Memory::chance(std::uint32_t of_256) {
  if (of_256 == 0) return false;
  return of_256 >= 256 || choice_.below(256, ChoicePoint::Memory) < of_256;
}

void Memory::create(ThreadIndex thread, ThreadIndex created) {
  perform(thread);
  //= mu:synchronizes-with-thread-creation
  synchronize(created, handed_on(thread));
}

void Memory::synchronize(ThreadIndex thread, const ClockValue* released) {
  join(known_.at(thread), released, threads_);
  join(handed_on_.at(thread), released, threads_);
}

void Memory::fence(ThreadIndex thread, MemoryOrder order) {
  if (acquires(order)) {
    answer_before_fence(thread);
    perform(thread);
    //= mu:synchronizes-with-fences
    //= mu:synchronizes-with-acquire-fence
    synchronize(thread, loose_.at(thread));
  } else {
    perform(thread);
  }
  if (releases(order)) {
    std::copy_n(handed_on_.at(thread), threads_, fenced_.at(thread));
    of_thread_[thread].has_release_fence = true;
  }
  if (!is_seq_cst(order)) return;
  //= mu:seq-cst-fence-before-operation
  Thread& own = of_thread_[thread];
  own.fence_time = ++time_;
  for (const auto& [location, rank] : own.stored) raise(locations_[location].fenced, time_, rank);
  own.stored.clear();
}

Value Memory::final_value(LocationIndex location) const {
  return stores_[locations_[location].order.back()].value;
}

void Memory::write_modification_orders(Execution& out) const {
  for (LocationIndex location = 0; location < used_locations_; ++location) out.modification_order[location].clear();
  for (const LocationIndex location : out.atomic_locations())
    for (const StoreIndex store : locations_[location].order)
      if (stores_[store].thread != kNone) out.modification_order[location].push_back(stores_[store].event);
}

}  // namespace heddle::mu::machine
