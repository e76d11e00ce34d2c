#include "emulator/race/site.h"

#include <bit>

namespace heddle::race {
namespace {

std::size_t hash_of(const Operation& op) {
  auto hash = static_cast<std::size_t>(op.where.line) * 0x9e3779b97f4a7c15u;
  hash ^= (static_cast<std::size_t>(op.kind) + 16 * static_cast<std::size_t>(op.semantics) +
           (static_cast<std::size_t>(op.operands) << 20) + op.locations.size_bytes) *
          0x165667b19e3779f9u;
  return hash ^ (hash >> 32);
}

bool same_site(const Operation& a, const Operation& b) {
  return a.where.line == b.where.line && a.kind == b.kind &&
         a.atomic == b.atomic && a.storage_class == b.storage_class &&
         a.locations.size_bytes == b.locations.size_bytes && a.scope == b.scope &&
         a.semantics == b.semantics && a.operands == b.operands &&
         a.available_scope == b.available_scope && a.visible_scope == b.visible_scope &&
         a.where.file == b.where.file && a.where.function == b.where.function;
}

Site site_of(const Operation& op) {
  Site site;
  site.operation = op;
  site.reads = op.reads();
  site.writes = op.writes();
  site.atomic = op.atomic;
  site.non_private = op.is_non_private();
  site.storage = class_of(op.storage_class);
  if (site.storage != 0)
    site.class_number = static_cast<std::uint8_t>(std::countr_zero(site.storage));
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
  const std::size_t hash = hash_of(operation);
  SiteId& recent = recent_[hash % recent_.size()];
  if (recent != kNoSite && same_site(sites_[recent].operation, operation)) return recent;
  return recent = look_up(operation, hash);
}

SiteId Sites::look_up(const Operation& operation, std::size_t hash) {
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (same_site(sites_[at->second].operation, operation)) return at->second;
  if (sites_.size() >= kTooMany) return kNoSite;
  const auto id = static_cast<SiteId>(sites_.size());
  sites_.push_back(site_of(operation));
  by_hash_.emplace(hash, id);
  return id;
}

}  // namespace heddle::race
