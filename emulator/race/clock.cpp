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
  return std::all_of(other.entries_->begin(), other.entries_->end(), [&](const Entry& entry) {
    return entry.agent == 0 ? entry.stamp <= everybody(entry.group)
                            : has(entry.group, entry.agent - 1, entry.stamp);
  });
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
  // Of each agent the latest comes first.
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return before(a, b) || (!before(b, a) && a.stamp > b.stamp);
  });
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
  const std::vector<Entry>& a = *entries_;
  const std::vector<Entry>& b = *other.entries_;
  std::vector<Entry> made;
  made.reserve(a.size() + b.size());
  Entry everybody;
  const auto take = [&](const Entry& entry) {
    if (entry.agent == 0) everybody = entry;
    const bool known = entry.agent != 0 && everybody.group == entry.group &&
                       entry.stamp <= everybody.stamp;
    if (!known) made.push_back(entry);
  };
  bool only_a = true;
  bool only_b = true;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && before(*i, *j))) {
      only_b = false;
      take(*i++);
    } else if (i == a.end() || before(*j, *i)) {
      only_a = false;
      take(*j++);
    } else {
      only_a = only_a && i->stamp >= j->stamp;
      only_b = only_b && j->stamp >= i->stamp;
      take(i->stamp >= j->stamp ? *i : *j);
      ++i;
      ++j;
    }
  }
  if (only_a) return;
  if (only_b) {
    entries_ = other.entries_;
    return;
  }
  entries_ = std::make_shared<const std::vector<Entry>>(std::move(made));
}

}  // namespace heddle::race
