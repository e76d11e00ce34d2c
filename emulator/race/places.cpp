#include "emulator/race/places.h"

#include <algorithm>

namespace heddle::race {
namespace {

std::uint64_t key_of(const model::Place& place) {
  return (std::uint64_t{place.device} << 56) ^ (std::uint64_t{place.queue_family} << 40) ^ place.workgroup;
}

}  // namespace

void Places::reserve(std::uint32_t first, std::uint32_t size, std::uint32_t count) {
  reserved_ = {first, size * count, size, groups()};
  workgroups_end_ = ~std::uint64_t{0};
  make_room(first + size * count);
  groups_.resize(groups_.size() + count);
}

GroupId Places::reserved_group(std::uint32_t agent, const model::Place& place) {
  const GroupId group = reserved_.first_group + (agent - reserved_.first) / reserved_.size;
  groups_[group].place = place;
  return group;
}

void Places::add_number(const model::Place& place, GroupId group) {
  numbers_.emplace(key_of(place), group);
}

// The number of a group which there is, or the next one.
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
  one_device_ = one_family_ = true;
  related_ = mixed_stages_ = false;
}

Places::Range Places::instance(std::uint32_t agent, Level level) const {
  const Group& group = groups_[this->group(agent)];
  if (!group.subgroups_in_row) return {};
  Range range{agent, agent};
  const std::uint32_t end = group.first + group.agents;
  while (range.first > group.first && same_instance(range.first - 1, agent, level)) --range.first;
  while (range.last + 1 < end && same_instance(range.last + 1, agent, level)) ++range.last;
  return range;
}

std::uint32_t Places::one_of_instance(std::uint32_t agent, Level level) const {
  const Group& group = groups_[this->group(agent)];
  if (group.place.kind != model::AgentKind::Shader) return agent;
  if (level == kWorkgroup) return group.first;
  return level == kSubgroup && group.subgroups_in_row ? instance(agent, level).first : agent;
}

// Whether two agents are in one instance.
//= vk:memory-model-scope
bool Places::are_in_one_instance(std::uint32_t a, std::uint32_t b, Level level) const {
  if (level == kWorkgroup && group(a) == group(b)) return true;
  return model::same_instance(place(a), place(b), kScopes[level]);
}

}  // namespace heddle::race
