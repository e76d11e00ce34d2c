#include "emulator/queues/races.h"

#include <algorithm>
#include <string_view>

namespace heddle::queues {
namespace {

bool conflict(const Heard& a, const Heard& b) {
  return (a.bytes & b.bytes) != 0 && (a.access.writes || b.access.writes) && !(a.access.atomic && b.access.atomic);
}

bool same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.line == b.line && std::string_view(a.file) == b.file;
}

bool is_same(const Heard& a, const Heard& b) {
  return a.access.node == b.access.node && a.access.kind == b.access.kind && a.access.writes == b.access.writes &&
         a.access.atomic == b.access.atomic && a.access.reference == b.access.reference && a.bytes == b.bytes;
}

}  // namespace

void RaceFinder::hear(const Heard& heard) {
  Cell& cell = cells_[key(heard.access)];
  if (heard.access.atomic) atomics_[heard.access.node].insert(key(heard.access));
  // A read stands for the reads before it: what races with one of those and not with it comes before it.
  const auto stands_for = [&](const Heard& read, const Heard& before) {
    return !read.access.writes && !before.access.writes && (before.bytes & ~read.bytes) == 0 &&
           (before.access.atomic || !read.access.atomic) && order_.happens_before(before.access.node, read.access.node);
  };
  const auto is_over = [&](const Heard& earlier) {
    if (earlier.access.node == heard.access.node) return false;
    if (!conflict(earlier, heard)) return stands_for(heard, earlier);
    const Missing missing = order_.missing(earlier.access, heard.access);
    if (missing != Missing::Nothing) candidates_.push_back({earlier, heard, missing});
    return missing == Missing::Nothing && heard.access.writes && (earlier.bytes & ~heard.bytes) == 0;
  };
  std::erase_if(cell, is_over);
  if (std::none_of(cell.begin(), cell.end(), [&](const Heard& one) { return is_same(one, heard); }))
    cell.push_back(heard);
}

bool RaceFinder::may_meet_at_atomics(NodeId a, NodeId b) const {
  const auto of_a = atomics_.find(a);
  const auto of_b = atomics_.find(b);
  if (of_a == atomics_.end() || of_b == atomics_.end()) return false;
  return std::any_of(of_a->second.begin(), of_a->second.end(),
                     [&](std::uint64_t word) { return of_b->second.count(word) != 0; });
}

void RaceFinder::command_ends() {
  for (const FoundRace& race : candidates_)
    if (race.missing != Missing::Execution || !may_meet_at_atomics(race.first.access.node, race.second.access.node))
      tell(race);
  candidates_.clear();
}

void RaceFinder::tell(const FoundRace& race) {
  const auto is_known = [&](const FoundRace& known) {
    return known.missing == race.missing && known.first.access.allocation == race.first.access.allocation &&
           same_place(known.first.where, race.first.where) && same_place(known.second.where, race.second.where);
  };
  if (std::none_of(found_.begin(), found_.end(), is_known)) found_.push_back(race);
}

//= vk:memory-model-deallocation
void RaceFinder::ends(const Heard& free, const std::vector<Heard>& pending) {
  for (const Heard& later : pending) tell({later, free, Missing::Execution});
  for (const auto& [word, cell] : cells_)
    for (const Heard& earlier : cell)
      if (earlier.access.allocation == free.access.allocation &&
          !order_.happens_before(earlier.access.node, free.access.node))
        tell({earlier, free, Missing::Execution});
}

void RaceFinder::invalidates(const Heard& invalidation) {
  for (const Heard& earlier : cells_[key(invalidation.access)])
    if (earlier.access.on_host && earlier.access.writes) tell({earlier, invalidation, Missing::Flush});
}

}  // namespace heddle::queues
