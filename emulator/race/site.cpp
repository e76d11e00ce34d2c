#include "emulator/race/site.h"

#include <bit>

namespace heddle::race {
namespace {

Site site_of(const Operation& op) {
  Site site;
  site.operation = op;
  site.reads = op.reads();
  site.writes = op.writes();
  site.atomic = op.atomic;
  site.non_private = op.is_non_private();
  site.storage = class_of(op.storage_class);
  if (site.storage != 0) site.class_number = static_cast<std::uint8_t>(std::countr_zero(site.storage));
  const bool halves = site.reads && site.writes;
  if (site.reads) site.read = event_of(op, 0, halves ? Half::Read : Half::Whole);
  if (site.writes) site.write = event_of(op, 0, halves ? Half::Write : Half::Whole);
  if (op.atomic) site.scope = level_of(op.scope);
  site.own_availability = site.write.own_availability;
  site.own_visibility = site.read.own_visibility;
  site.read_sets = sets_on(site.storage, site.read.mask);
  site.write_sets = sets_on(site.storage, site.write.mask);
  return site;
}

}  // namespace

SiteId Sites::of(const Operation& operation) {
  const SiteId known = recent(site_key(operation));
  return known != kNoSite ? known : look_up(operation);
}

[[gnu::noinline]] SiteId Sites::look_up(const Operation& operation) {
  const SiteKey key = site_key(operation);
  return recent_[place_of(key)] = number_of(operation, key);
}

SiteId Sites::number_of(const Operation& operation, const SiteKey& key) {
  if (shared_) {
    SiteId id = kNoSite;
    {
      const std::lock_guard lock(shared_->mutex_);
      id = shared_->sites_.of(operation);
      shared_->count_.store(shared_->sites_.count(), std::memory_order_release);
    }
    copy_shared();
    return id;
  }
  const std::uint64_t hash = key.hash();
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (keys_[at->second] == key) return at->second;
  if (sites_.size() >= kTooMany) return kNoSite;
  const auto id = static_cast<SiteId>(sites_.size());
  sites_.push_back(site_of(operation));
  keys_.push_back(key);
  ++count_;
  by_hash_.emplace(hash, id);
  return id;
}

void Sites::copy_shared() {
  const std::lock_guard lock(shared_->mutex_);
  const Sites& all = shared_->sites_;
  const auto known = static_cast<std::ptrdiff_t>(sites_.size());
  sites_.insert(sites_.end(), all.sites_.begin() + known, all.sites_.end());
  keys_.insert(keys_.end(), all.keys_.begin() + known, all.keys_.end());
  count_ = all.count_;
}

}  // namespace heddle::race
