#include "emulator/race/places.h"

#include <algorithm>

namespace heddle::race {
namespace {

std::uint64_t key_of(const model::Place& place) {
  return (std::uint64_t{place.device} << 56) ^ (std::uint64_t{place.queue_family} << 40) ^
         place.workgroup;
}

// Among so many groups one is found as soon by looking at all of them.
constexpr GroupId kFewGroups = 8;

}  // namespace

void Places::reserve(std::uint32_t first, std::uint32_t size, std::uint32_t count) {
  reserved_ = {first, size * count, size, groups()};
  workgroups_end_ = ~std::uint64_t{0};
  make_room(first + size * count);
  groups_.resize(groups_.size() + count);
}

// For an agent that begins.
inline GroupId Places::group_for(std::uint32_t agent, const model::Place& place) {
  if (agent - reserved_.first < reserved_.agents) {
    const GroupId group = reserved_.first_group + (agent - reserved_.first) / reserved_.size;
    groups_[group].place = place;
    return group;
  }
  if (!groups_.empty() && groups_.front().place.device != place.device) one_device_ = false;
  GroupId found = groups();
  if (place.kind != model::AgentKind::Shader) {
    beyond_device_ = true;
  } else {
    if (place.workgroup < workgroups_end_) {
      found = number_of(place);
    } else {
      workgroups_end_ = std::uint64_t{place.workgroup} + 1;
    }
    if (found == groups() && found >= kFewGroups) numbers_.emplace(key_of(place), found);
  }
  if (found == groups()) groups_.emplace_back(place);
  return found;
}

GroupId Places::agents_begin(std::uint32_t first, std::uint32_t count, const model::Place& place,
                             std::span<const std::uint32_t> subgroups) {
  const GroupId group = group_for(first, place);
  make_room(first + count);
  Agent* const agents = agents_.data() + (first - first_);
  agents[0] = {group, subgroups.empty() ? place.subgroup : subgroups[0]};
  for (std::uint32_t i = 1; i < count; ++i)
    agents[i] = {group, subgroups.empty() ? place.subgroup : subgroups[i]};
  groups_[group].begin(count);
  return group;
}

// That of a group which there is, or the next one.
GroupId Places::number_of(const model::Place& place) const {
  const GroupId all = groups();
  if (all != 0 && groups_.back().has(place)) return all - 1;
  for (GroupId group = 0; group < all && group < kFewGroups; ++group)
    if (groups_[group].has(place)) return group;
  if (all <= kFewGroups) return all;
  const auto [from, to] = numbers_.equal_range(key_of(place));
  for (auto at = from; at != to; ++at)
    if (groups_[at->second].has(place)) return at->second;
  return all;
}

void Places::clear() {
  first_ = end_;
  reserved_ = {};
  groups_.clear();
  if (!numbers_.empty()) numbers_.clear();
  workgroups_end_ = 0;
  beyond_device_ = false;
  one_device_ = true;
}

// Of two agents.
//= vk:memory-model-scope
bool Places::are_in_one_instance(std::uint32_t a, std::uint32_t b, Level level) const {
  if (level == kWorkgroup && group(a) == group(b)) return true;
  return model::same_instance(place(a), place(b), kScopes[level]);
}

}  // namespace heddle::race
