#include "emulator/race/clock.h"

#include <algorithm>

namespace heddle::race {

const Clock::Entry* Clock::find(GroupId group, std::uint32_t agent) const {
  if (!entries_) return nullptr;
  const Entry wanted{group, agent, 0};
  const auto at = std::lower_bound(entries_->begin(), entries_->end(), wanted, before);
  if (at == entries_->end() || at->group != group || at->agent != agent) return nullptr;
  return &*at;
}

bool Clock::has(GroupId group, std::uint32_t agent, Stamp stamp) const {
  const Entry* all = find(group, 0);
  if (all && stamp <= all->stamp) return true;
  const Entry* one = find(group, agent + 1);
  return one && stamp <= one->stamp;
}

Stamp Clock::everybody(GroupId group) const {
  const Entry* all = find(group, 0);
  return all ? all->stamp : 0;
}

bool Clock::includes(const Clock& other) const {
  if (!other.entries_ || entries_ == other.entries_) return true;
  if (!entries_) return false;
  const std::vector<Entry>& all = *entries_;
  const std::vector<Entry>& others = *other.entries_;
  // Nearly always both are of the same agents, where workgroups wait for each other.
  if (all.size() == others.size()) {
    std::size_t i = 0;
    while (i < all.size() && all[i].group == others[i].group && all[i].agent == others[i].agent &&
           all[i].stamp >= others[i].stamp)
      ++i;
    if (i == all.size()) return true;
  }
  // Both are sorted, and everybody's comes first in each group.
  auto at = entries_->begin();
  Entry everybody;
  for (const Entry& entry : *other.entries_) {
    for (; at != entries_->end() && !before(entry, *at); ++at) {
      if (at->agent == 0) everybody = *at;
      if (!before(*at, entry)) break;
    }
    const bool by_all = everybody.group == entry.group && entry.stamp <= everybody.stamp;
    const bool by_one = at != entries_->end() && !before(entry, *at) && entry.stamp <= at->stamp;
    if (!by_all && !by_one) return false;
  }
  return true;
}

bool Clock::includes(const Clock& other, GroupId group) const {
  if (!other.entries_ || entries_ == other.entries_) return true;
  const Entry first{group, 0, 0};
  for (auto at = std::lower_bound(other.entries_->begin(), other.entries_->end(), first, before);
       at != other.entries_->end() && at->group == group; ++at)
    if (at->agent == 0 ? at->stamp > everybody(group) : !has(group, at->agent - 1, at->stamp)) return false;
  return true;
}

void Clock::share(const Clock& other) {
  if (entries_ && other.entries_ && entries_ != other.entries_ && *entries_ == *other.entries_)
    entries_ = other.entries_;
}

void Clock::put(Entry entry) {
  std::vector<Entry> made;
  if (entries_) {
    made.reserve(entries_->size() + 1);
    bool placed = false;
    for (const Entry& old : *entries_) {
      if (!placed && !before(old, entry)) {
        made.push_back(entry);
        placed = true;
        if (!before(entry, old)) continue;
      }
      // What everybody has no agent needs an entry for.
      if (entry.agent == 0 && old.group == entry.group && old.stamp <= entry.stamp) continue;
      made.push_back(old);
    }
    if (!placed) made.push_back(entry);
  } else {
    made.push_back(entry);
  }
  entries_ = std::make_shared<const std::vector<Entry>>(std::move(made));
}

void Clock::add(GroupId group, std::uint32_t agent, Stamp stamp) {
  if (!has(group, agent, stamp)) put({group, agent + 1, stamp});
}

void Clock::add_everybody(GroupId group, Stamp stamp) {
  if (everybody(group) < stamp) put({group, 0, stamp});
}

void Clock::join(std::span<const Clock* const> others) {
  if (others.size() == 1) return join(*others.front());
  std::vector<Entry> all;
  for (const Clock* other : others)
    if (other->entries_) all.insert(all.end(), other->entries_->begin(), other->entries_->end());
  if (all.empty()) return;
  // The latest of each agent comes first.
  std::sort(all.begin(), all.end(),
            [](const Entry& a, const Entry& b) { return before(a, b) || (!before(b, a) && a.stamp > b.stamp); });
  const auto same = [](const Entry& a, const Entry& b) { return a.group == b.group && a.agent == b.agent; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  Clock together;
  together.entries_ = std::make_shared<const std::vector<Entry>>(std::move(all));
  join(together);
}

void Clock::join(const Clock& other) {
  if (!other.entries_ || entries_ == other.entries_) return;
  if (!entries_) {
    entries_ = other.entries_;
    return;
  }
  // Mostly one of them has all of the other.
  if (includes(other)) return;
  if (other.includes(*this)) {
    entries_ = other.entries_;
    return;
  }
  const std::vector<Entry>& a = *entries_;
  const std::vector<Entry>& b = *other.entries_;
  std::vector<Entry> made;
  made.reserve(a.size() + b.size());
  Entry everybody;
  const auto take = [&](const Entry& entry) {
    if (entry.agent == 0) everybody = entry;
    const bool known = entry.agent != 0 && everybody.group == entry.group && entry.stamp <= everybody.stamp;
    if (!known) made.push_back(entry);
  };
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && before(*i, *j))) {
      take(*i++);
    } else if (i == a.end() || before(*j, *i)) {
      take(*j++);
    } else {
      take(i->stamp >= j->stamp ? *i : *j);
      ++i;
      ++j;
    }
  }
  entries_ = std::make_shared<const std::vector<Entry>>(std::move(made));
}

}  // namespace heddle::race
