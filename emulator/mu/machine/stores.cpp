#include <algorithm>

#include "emulator/mu/machine/memory.h"

namespace heddle::mu::machine {
namespace {

constexpr std::uint64_t kGap = std::uint64_t{1} << 32;

}  // namespace

//= mu:modification-order
void Memory::store(const Access& access, Value value) {
  answer_before(access.thread, access.location);
  const ClockValue* clock = perform(access.thread, access.dependency);
  Location& location = locations_[access.location];
  const auto last = static_cast<std::uint32_t>(location.order.size() - 1);
  // Mostly it comes last.
  if (policy_.sequential || !chance(policy_.delay / 2)) return insert(location, last, access, value, false);
  std::uint32_t low = from_rank(location, coherent(location, clock), location.futex_saw);
  if (is_seq_cst(access.order) && location.last_seq_cst != kNone)
    low = from_rank(location, low, stores_[location.last_seq_cst].rank);
  candidates_.clear();
  for (std::uint32_t at = low; at <= last; ++at)
    if (may_insert_behind(location, at, false)) candidates_.push_back(at);
  const auto count = static_cast<std::uint32_t>(candidates_.size());
  insert(location, candidates_[count == 1 ? 0 : choice_.below(count, ChoicePoint::Memory)], access, value, false);
}

void Memory::append(const Access& access, Value value) {
  answer_before(access.thread, access.location);
  perform(access.thread, access.dependency);
  Location& location = locations_[access.location];
  insert(location, static_cast<std::uint32_t>(location.order.size() - 1), access, value, false);
}

// A read-modify-write stands right behind what it sees, and nothing comes between members of a release sequence that
// somebody relied on but read-modify-writes, which are members themselves.
bool Memory::may_insert_behind(const Location& location, std::uint32_t position, bool modifies) const {
  if (position + 1 == location.order.size()) return true;
  const Store& next = stores_[location.order[position + 1]];
  if (next.modifies || (next.glued && !modifies)) return false;
  return next.rank - stores_[location.order[position]].rank >= 2;
}

void Memory::insert(Location& location, std::uint32_t behind, const Access& access, Value value, bool modifies) {
  const StoreIndex at = make_store();
  Store& store = stores_[at];
  const ThreadIndex thread = access.thread;
  Thread& own = of_thread_[thread];
  const Rank previous = stores_[location.order[behind]].rank;
  store.value = value;
  store.rank = behind + 1 == location.order.size()
                   ? previous + kGap
                   : previous + (stores_[location.order[behind + 1]].rank - previous) / 2;
  store.thread = thread;
  store.number = known_.at(thread)[thread];
  store.event = access.event;
  store.atomic = is_atomic(access.order);
  store.seq_cst = is_seq_cst(access.order);
  store.modifies = modifies;
  store.releases = releases(access.order);
  store.heads = store.releases || (store.atomic && own.has_release_fence);
  std::copy_n(now_, threads_, happened(at));
  any_release_ = any_release_ || store.heads;
  if (store.heads) std::copy_n(store.releases ? handed_on_.at(thread) : fenced_.at(thread), threads_, released(at));
  location.order.insert(location.order.begin() + behind + 1, at);
  if (recorder_) recorder_->event(access.event).written = value;
  if (store.seq_cst) {
    location.last_seq_cst = at;
    raise(location.seq_cst_stores, ++time_, store.rank);
  }
  if (store.atomic) {
    const auto known = std::find_if(own.stored.begin(), own.stored.end(),
                                    [&](const auto& one) { return one.first == access.location; });
    if (known == own.stored.end())
      own.stored.emplace_back(access.location, store.rank);
    else
      known->second = std::max(known->second, store.rank);
  }
  if (most_stores_ != 0 && !recorder_ && location.order.size() > most_stores_) forget(location);
}

void Memory::forget(Location& location) {
  const StoreIndex oldest = location.order.front();
  if (location.last_seq_cst == oldest) location.last_seq_cst = kNone;
  location.order.erase(location.order.begin());
  free_.push_back(oldest);
}

//= mu:read-modify-write
Updated Memory::update(const Access& access, const Update& update) {
  answer_before(access.thread, access.location);
  const ClockValue* clock = perform(access.thread, access.dependency);
  Location& location = locations_[access.location];
  const std::uint32_t coherent_from = coherent(location, clock);
  Access as_load = access;
  as_load.order = update.failure(access.order);
  list_loads(location, as_load, coherent_from);
  // What it may see as a load alone.
  std::vector<std::uint32_t>& choices = choices_;
  choices.clear();
  for (const std::uint32_t at : candidates_)
    if (!update.written(stores_[location.order[at]].value)) choices.push_back(at);
  std::uint32_t low =
      from_rank(location, coherent_from, std::max(fence_floor(location, access.thread), location.futex_saw));
  if (is_seq_cst(access.order)) {
    if (!location.fenced.empty()) low = from_rank(location, low, location.fenced.back().rank);
    if (location.last_seq_cst != kNone) low = from_rank(location, low, stores_[location.last_seq_cst].rank);
  }
  for (std::uint32_t at = low; at < location.order.size(); ++at)
    if (may_insert_behind(location, at, true) && update.written(stores_[location.order[at]].value))
      choices.push_back(at);
  std::sort(choices.begin(), choices.end());
  candidates_.swap(choices);
  const std::uint32_t at = choose(access.thread);
  const Value old = stores_[location.order[at]].value;
  const std::optional<Value> written = update.written(old);
  if (!written) as_load.order = update.failure(access.order);
  const Loaded seen = see(location, at, written ? access : as_load);
  if (written) insert(location, at, access, *written, true);
  return {old, written.has_value(), seen.consumed, seen.store};
}

}  // namespace heddle::mu::machine
