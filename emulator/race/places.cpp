#include "emulator/race/places.h"

namespace heddle::race {
namespace {

std::uint64_t key_of(const model::Place& place) {
  return (std::uint64_t{place.device} << 56) ^ (std::uint64_t{place.queue_family} << 40) ^
         place.workgroup;
}

bool same_group(const model::Place& a, const model::Place& b) {
  model::Place beside = b;
  beside.subgroup = a.subgroup;
  return a == beside;
}

}  // namespace

GroupId Places::agent_begins(std::uint32_t agent, const model::Place& place) {
  if (agent >= end()) agents_.resize(agent - first_ + 1);
  GroupId found = groups();
  if (place.kind != model::AgentKind::Shader) {
    beyond_device_ = true;
  } else if (!groups_.empty() && same_group(groups_.back(), place)) {
    found = groups() - 1;
  } else {
    const auto [from, to] = numbers_.equal_range(key_of(place));
    for (auto at = from; at != to; ++at)
      if (same_group(groups_[at->second], place)) found = at->second;
    if (found == groups()) numbers_.emplace(key_of(place), found);
  }
  if (found == groups()) {
    groups_.push_back(place);
    sizes_.emplace_back();
  }
  ++sizes_[found].agents;
  ++sizes_[found].running;
  agents_[agent - first_] = {found, place.subgroup};
  return found;
}

bool Places::agent_ends(std::uint32_t agent) { return --sizes_[group(agent)].running == 0; }

void Places::clear() {
  first_ = end();
  agents_.clear();
  groups_.clear();
  sizes_.clear();
  numbers_.clear();
  beyond_device_ = false;
}

//= vk:memory-model-scope
bool Places::same_instance(std::uint32_t a, std::uint32_t b, Level level) const {
  if (a == b) return true;
  if (level == kOwn) return false;
  if (level == kWorkgroup && group(a) == group(b)) return true;
  return model::same_instance(place(a), place(b), kScopes[level]);
}

}  // namespace heddle::race
