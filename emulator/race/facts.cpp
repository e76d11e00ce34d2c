#include "emulator/race/facts.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace heddle::race {

const Clock* ComparedClocks::known(const Clock& all, const Clock& part) const {
  if (pairs_.empty()) return nullptr;
  const Pair& pair = pairs_[place_of(all, part)];
  const bool is_it =
      pair.lineage == all.lineage() && pair.part.lineage() == part.lineage() && pair.place <= all.place_in_lineage();
  return is_it ? &pair.part : nullptr;
}

void ComparedClocks::note(const Clock& all, const Clock& part) {
  if (all.lineage() == part.lineage()) return;
  const Clock* const before = known(all, part);
  if (before && before->place_in_lineage() >= part.place_in_lineage()) return;
  pairs_.resize(kPairs);
  pairs_[place_of(all, part)] = {all.lineage(), all.place_in_lineage(), part};
}

// What has few steps is not worth a place among the clocks that were compared.
Clock FactSums::joined(const Clock& a, const Clock& b) const {
  constexpr std::uint64_t kFewSteps = 4;
  Clock made = a;
  if (!compared_) {
    made.join(b);
    return made;
  }
  const std::uint64_t before = radix_tree_work.steps;
  if (const Clock* const part = compared_->known(a, b)) {
    if (part->place_in_lineage() >= b.place_in_lineage()) return a;
    made.join_since(b, *part);
  } else if (const Clock* const of_a = compared_->known(b, a)) {
    if (of_a->place_in_lineage() >= a.place_in_lineage()) return b;
    made = b;
    made.join_since(a, *of_a);
  } else {
    made.join(b);
    if (radix_tree_work.steps - before <= kFewSteps) return made;
  }
  compared_->note(made, a);
  compared_->note(made, b);
  return made;
}

const Clock& FactSums::sum(const Clock& a, const Clock& b) {
  if (b.empty() || a.is_same(b)) return a;
  if (a.empty()) return b;
  for (const OfClocks& known : of_clocks_)
    if (known.a.is_same(a) && known.b.is_same(b)) return known.sum;
  Clock sum = joined(a, b);
  // Mostly one has all of the other.
  if (sum.is_same(a)) return a;
  if (sum.is_same(b)) return b;
  return of_clocks_.emplace_front(OfClocks{a, b, std::move(sum)}).sum;
}

Fact FactSums::sum(const Fact& a, const Fact& b) {
  return {a.key, sum(a.clock, b.clock), std::max(a.own, b.own)};
}

FactsPointer FactSums::sum(const FactsPointer& a, const FactsPointer& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  for (const OfFacts& known : of_facts_)
    if (known.a == a && known.b == b) return known.sum;
  Facts made;
  made.reserve(std::max(a->size(), b->size()));
  bool only_a = true;
  bool only_b = true;
  const auto is_same = [](const Fact& x, const Fact& y) { return x.own == y.own && x.clock.is_same(y.clock); };
  auto i = a->begin();
  auto j = b->begin();
  while (i != a->end() || j != b->end()) {
    if (j == b->end() || (i != a->end() && i->key < j->key)) {
      only_b = false;
      made.push_back(*i++);
    } else if (i == a->end() || j->key < i->key) {
      only_a = false;
      made.push_back(*j++);
    } else {
      const Fact& both = made.emplace_back(sum(*i, *j));
      only_a = only_a && is_same(both, *i);
      only_b = only_b && is_same(both, *j);
      ++i;
      ++j;
    }
  }
  FactsPointer sum = only_a ? a : only_b ? b : std::make_shared<const Facts>(std::move(made));
  of_facts_.push_back({a, b, sum});
  return sum;
}

FactsPointer FactsJoin::finish(const FactsPointer& known, FactSums& sums) const {
  if (waiting_.empty()) return known;
  if (waiting_.size() == 1) return sums.sum(known, waiting_.front());
  std::vector<const Fact*> all;
  if (known)
    for (const Fact& fact : *known) all.push_back(&fact);
  for (const FactsPointer& facts : waiting_)
    for (const Fact& fact : *facts) all.push_back(&fact);
  // What is known comes first of its key, so that a clock that has everything stays the one it is.
  std::stable_sort(all.begin(), all.end(), [](const Fact* a, const Fact* b) { return a->key < b->key; });
  std::map<std::vector<const void*>, Clock> made_before;
  Facts made;
  bool is_known = known != nullptr;
  for (auto at = all.begin(); at != all.end();) {
    Fact sum = **at;
    std::vector<const Clock*> others;
    std::vector<const void*> clocks{sum.clock.identity()};
    auto end = at + 1;
    for (; end != all.end() && (*end)->key == sum.key; ++end) {
      sum.own = std::max(sum.own, (*end)->own);
      if ((*end)->clock.empty() || (*end)->clock.identity() == clocks.back()) continue;
      others.push_back(&(*end)->clock);
      clocks.push_back((*end)->clock.identity());
    }
    if (!others.empty()) {
      const auto found = made_before.find(clocks);
      if (found == made_before.end()) {
        sum.clock.join(others);
        made_before.emplace(std::move(clocks), sum.clock);
      } else {
        sum.clock = found->second;
      }
    }
    const std::size_t place = made.size();
    is_known = is_known && place < known->size() && (*known)[place].key == sum.key && (*known)[place].own == sum.own &&
               (*known)[place].clock.is_same(sum.clock);
    made.push_back(std::move(sum));
    at = end;
  }
  return is_known && made.size() == known->size() ? known : std::make_shared<const Facts>(std::move(made));
}

bool includes(const FactsPointer& a, const FactsPointer& b) {
  if (!b || a == b) return true;
  if (!a) return false;
  auto at = a->begin();
  for (const Fact& fact : *b) {
    while (at != a->end() && at->key < fact.key) ++at;
    if (at == a->end() || at->key != fact.key || at->own < fact.own || !at->clock.includes(fact.clock)) return false;
  }
  return true;
}

FactsPointer beyond_workgroups(const FactsPointer& facts) {
  const auto remains = [](const Fact& fact) { return !fact.key.is_of_place() || fact.key.level() >= kQueueFamily; };
  if (!facts || std::all_of(facts->begin(), facts->end(), remains)) return facts;
  Facts kept;
  std::copy_if(facts->begin(), facts->end(), std::back_inserter(kept), remains);
  return kept.empty() ? nullptr : std::make_shared<const Facts>(std::move(kept));
}

}  // namespace heddle::race
