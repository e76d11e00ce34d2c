#include "emulator/race/sync_log.h"

namespace heddle::race {

void SyncLog::add(GroupId group, SyncEvent event) {
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
  has_atomics_ = has_atomics_ || event.bytes.size_bytes != 0;
  of.events.push_back(std::move(event));
}

bool SyncLog::repeats(GroupId group, std::size_t last, const SyncEvent& event) {
  if (group >= groups_.size() || last >= groups_[group].events.size()) return false;
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
void SyncLog::group_ends(GroupId group) {
  if (group >= groups_.size() || groups_[group].wide) return;
  count_ -= groups_[group].events.size();
  groups_[group].events = {};
}

void SyncLog::clear() {
  count_ = 0;
  incomplete_ = has_atomics_ = false;
  masks_ = on_ = 0;
  groups_.clear();
  wide_.clear();
  domain_.clear();
}

bool SyncLog::leads_past(Classes storage) const {
  for (Classes mask = 1; mask < 16; ++mask) {
    if (((masks_ >> mask) & 1) == 0 || (mask & storage) != 0) continue;
    for (Classes other = 1; other < 16; ++other)
      if (((on_ >> other) & 1) != 0 && (other & storage) != 0 && (other & mask) != 0) return true;
  }
  return false;
}

}  // namespace heddle::race
