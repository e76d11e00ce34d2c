#include "emulator/judge/relation.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>
#include <utility>

using namespace heddle::judge;

namespace {

using Pairs = std::set<std::pair<EventIndex, EventIndex>>;

// Sizes on both sides of a word of bits.
constexpr std::size_t kSizes[] = {1, 5, 63, 64, 65, 130};

Relation random_relation(std::size_t events, std::size_t pairs, std::mt19937& random) {
  Relation relation(events);
  std::uniform_int_distribution<EventIndex> any(0, static_cast<EventIndex>(events - 1));
  for (std::size_t i = 0; i < pairs; ++i) relation.add(any(random), any(random));
  return relation;
}

Pairs pairs_of(const Relation& relation) {
  Pairs pairs;
  relation.for_each([&](EventIndex a, EventIndex b) { pairs.emplace(a, b); });
  return pairs;
}

Pairs closed(Pairs pairs) {
  for (std::size_t before = 0; before != pairs.size();) {
    before = pairs.size();
    const Pairs now = pairs;
    for (const auto& [a, b] : now)
      for (auto next = now.lower_bound({b, 0}); next != now.end() && next->first == b; ++next)
        pairs.emplace(a, next->second);
  }
  return pairs;
}

}  // namespace

TEST_CASE("a relation's closure has what following its pairs reaches, and nothing else") {
  std::mt19937 random(1);
  for (std::size_t size : kSizes) {
    Relation relation = random_relation(size, size, random);
    const Pairs expected = closed(pairs_of(relation));
    relation.close();
    CHECK(pairs_of(relation) == expected);
    CHECK(relation.count() == expected.size());
  }
}

TEST_CASE("a relation and a set that are resized keep what there still is, and nothing that there was") {
  std::mt19937 random(3);
  for (std::size_t from : kSizes) {
    for (std::size_t to : kSizes) {
      Relation relation = random_relation(from, 3 * from, random);
      Pairs expected;
      for (const auto& [a, b] : pairs_of(relation))
        if (a < to && b < to) expected.emplace(a, b);
      EventSet set = relation.successors(0);
      relation.resize(to);
      CHECK(pairs_of(relation) == expected);
      relation.resize(from);
      CHECK(pairs_of(relation).size() == expected.size());
      set.resize(to);
      CHECK(set.size() == to);
      set.resize(from);
      set.for_each([&](EventIndex e) { CHECK(e < to); });
    }
  }
}

TEST_CASE("a relation is acyclic if and only if its closure relates nothing to itself") {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = kSizes[static_cast<std::size_t>(round) % std::size(kSizes)];
    const Relation relation = random_relation(size, size / 2 + 1, random);
    Relation closure = relation;
    closure.close();
    bool cyclic = false;
    for (EventIndex e = 0; e < size; ++e) cyclic = cyclic || closure.has(e, e);
    CHECK(relation.acyclic() == !cyclic);
    const auto cycle = relation.shortest_cycle();
    CHECK(cycle.empty() == !cyclic);
    for (std::size_t i = 0; i < cycle.size(); ++i) CHECK(relation.has(cycle[i], cycle[(i + 1) % cycle.size()]));
  }
}

TEST_CASE("a composition relates what its definition says") {
  std::mt19937 random(3);
  for (std::size_t size : kSizes) {
    const Relation a = random_relation(size, 2 * size, random);
    const Relation b = random_relation(size, 2 * size, random);
    Pairs expected;
    for (const auto& [x, y] : pairs_of(a))
      for (const auto& [u, v] : pairs_of(b))
        if (y == u) expected.emplace(x, v);
    CHECK(pairs_of(a.then(b)) == expected);
  }
}

TEST_CASE("a set of events of any size keeps its members") {
  for (std::size_t size : kSizes) {
    EventSet set(size);
    CHECK(set.empty());
    set.add(static_cast<EventIndex>(size - 1));
    set.add(0);
    CHECK(set.has(static_cast<EventIndex>(size - 1)));
    CHECK(set.count() == (size == 1 ? 1 : 2));
    EventSet other(size);
    CHECK_FALSE(set.intersects(other));
    other.add(static_cast<EventIndex>(size - 1));
    CHECK(set.intersects(other));
    set -= other;
    CHECK_FALSE(set.has(static_cast<EventIndex>(size - 1)));
  }
}
