#include "emulator/race/sync_log.h"

namespace heddle::race {

void SyncLog::share(GroupId groups) {
  if (!mutex_) mutex_ = std::make_unique<std::shared_mutex>();
  if (groups_.size() < groups) groups_.resize(groups);
}

void SyncLog::add(GroupId group, SyncEvent event) {
  const auto alone = hold_alone();
  if (count_ >= most_) {
    incomplete_ = true;
    return;
  }
  ++count_;
  if (groups_.size() <= group) groups_.resize(group + 1);
  OfGroup& of = groups_[group];
  if (event.is_wide() && !of.wide) {
    of.wide = true;
    wide_.push_back(group);
  }
  if (event.bytes.size_bytes != 0) has_atomics_ = true;
  of.events.push_back(std::move(event));
}

bool SyncLog::repeats(GroupId group, std::size_t last, const SyncEvent& event) {
  if (group >= groups_.size() || last >= groups_[group].events.size()) return false;
  const auto alone = hold_alone();
  SyncEvent& old = groups_[group].events[last];
  if (old.agent != event.agent || old.storage != event.storage || old.mask != event.mask ||
      old.own_visibility != event.own_visibility || old.bulk_visibility != event.bulk_visibility ||
      old.bulk_availability != event.bulk_availability || old.reference != event.reference ||
      !(old.bytes == event.bytes) || old.view != event.view)
    return false;
  old.stamp = event.stamp;
  old.number = event.number;
  return true;
}

//= vk:memory-model-availability-visibility
void SyncLog::forget_events(GroupId group) {
  const auto alone = hold_alone();
  if (group >= groups_.size() || groups_[group].wide) return;
  count_ -= groups_[group].events.size();
  groups_[group].events = {};
}

// Nobody else uses it meanwhile.
void SyncLog::forget_all() {
  count_ = 0;
  incomplete_.store(false, std::memory_order_relaxed);
  has_atomics_.store(false, std::memory_order_relaxed);
  masks_.store(0, std::memory_order_relaxed);
  on_.store(0, std::memory_order_relaxed);
  groups_.clear();
  wide_.clear();
  domain_.clear();
}

bool SyncLog::leads_past(Classes storage) const {
  const unsigned masks = masks_.load(std::memory_order_relaxed);
  const unsigned on = on_.load(std::memory_order_relaxed);
  for (Classes mask = 1; mask < 16; ++mask) {
    if (((masks >> mask) & 1) == 0 || (mask & storage) != 0) continue;
    for (Classes other = 1; other < 16; ++other)
      if (((on >> other) & 1) != 0 && (other & storage) != 0 && (other & mask) != 0) return true;
  }
  return false;
}

}  // namespace heddle::race
