#include "emulator/race/clock.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <vector>

#include "emulator/race/facts.h"

namespace heddle::race {
namespace {

/// A clock as a table: what `Clock` is to be, without sharing.
class Table {
 public:
  void add(GroupId group, std::uint32_t agent, Stamp stamp) { raise(agents_[{group, agent}], stamp); }
  void add_everybody(GroupId group, Stamp stamp) { raise(everybody_[group], stamp); }
  void join(const Table& other) {
    for (const auto& [group, stamp] : other.everybody_) add_everybody(group, stamp);
    for (const auto& [who, stamp] : other.agents_) add(who.first, who.second, stamp);
  }
  Stamp of(GroupId group, std::uint32_t agent) const {
    const auto one = agents_.find({group, agent});
    return std::max(everybody(group), one == agents_.end() ? 0 : one->second);
  }
  Stamp everybody(GroupId group) const {
    const auto all = everybody_.find(group);
    return all == everybody_.end() ? 0 : all->second;
  }
  bool includes(const Table& other) const {
    for (const auto& [group, stamp] : other.everybody_)
      if (stamp > everybody(group)) return false;
    for (const auto& [who, stamp] : other.agents_)
      if (stamp > of(who.first, who.second)) return false;
    return true;
  }

 private:
  static void raise(Stamp& to, Stamp stamp) { to = std::max(to, stamp); }
  std::map<std::pair<GroupId, std::uint32_t>, Stamp> agents_;
  std::map<GroupId, Stamp> everybody_;
};

struct Both {
  Clock clock;
  Table table;
};

/// Numbers that are close to each other, and far apart.
std::uint32_t number(std::mt19937& random) {
  const auto near = static_cast<std::uint32_t>(random() % 40);
  return random() % 4 == 0 ? near << (random() % 26) : near;
}

bool agree(const Both& of, GroupId group, std::uint32_t agent) {
  const Stamp stamp = of.table.of(group, agent);
  return of.clock.everybody(group) == of.table.everybody(group) && (stamp == 0 || of.clock.has(group, agent, stamp)) &&
         !of.clock.has(group, agent, stamp + 1);
}

TEST_CASE("a clock that shares its entries has what a table has that shares none") {
  std::mt19937 random(41);
  for (int round = 0; round < 200; ++round) {
    std::vector<Both> all(4);
    std::vector<std::pair<GroupId, std::uint32_t>> asked{{0, 0}};
    for (int step = 0; step < 120; ++step) {
      Both& one = all[random() % all.size()];
      const Both& other = all[random() % all.size()];
      const GroupId group = number(random);
      const std::uint32_t agent = number(random);
      const auto stamp = static_cast<Stamp>(1 + random() % 20);
      asked.emplace_back(group, agent);
      switch (random() % 5) {
        case 0:
        case 1:
          one.clock.add(group, agent, stamp);
          one.table.add(group, agent, stamp);
          break;
        case 2:
          one.clock.add_everybody(group, stamp);
          one.table.add_everybody(group, stamp);
          break;
        case 3:
          one.clock.join(other.clock);
          one.table.join(other.table);
          break;
        default:
          one = other;
      }
      CHECK(one.clock.includes(other.clock) == one.table.includes(other.table));
      CHECK(other.clock.includes(one.clock) == other.table.includes(one.table));
    }
    for (const Both& one : all)
      for (const auto& [group, agent] : asked)
        if (!agree(one, group, agent)) FAIL("round " << round << ", group " << group << ", agent " << agent);
  }
}

/// With so many more entries.
Both with_more(Both one, int count, std::mt19937& random) {
  for (int i = 0; i < count; ++i) {
    const GroupId group = number(random);
    const std::uint32_t agent = number(random);
    const auto stamp = static_cast<Stamp>(1 + random() % 20);
    if (random() % 8 == 0) {
      one.clock.add_everybody(group, stamp);
      one.table.add_everybody(group, stamp);
    } else {
      one.clock.add(group, agent, stamp);
      one.table.add(group, agent, stamp);
    }
  }
  return one;
}

TEST_CASE("of two clocks of one lineage the later one has all of the earlier one") {
  std::mt19937 random(42);
  std::uint64_t akin = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<Both> all(1);
    for (int step = 0; step < 60; ++step) {
      Both made = with_more(all[random() % all.size()], 2, random);
      const Both& other = all[random() % all.size()];
      if (random() % 2 == 0) {
        made.clock.join(other.clock);
        made.table.join(other.table);
      }
      all.push_back(std::move(made));
    }
    for (const Both& one : all) {
      for (const Both& other : all) {
        if (one.clock.empty() || one.clock.lineage() != other.clock.lineage()) continue;
        if (one.clock.is_same(other.clock)) continue;
        ++akin;
        const bool is_later = one.clock.place_in_lineage() > other.clock.place_in_lineage();
        CHECK((is_later ? one : other).table.includes((is_later ? other : one).table));
      }
    }
  }
  CHECK(akin > 100);
}

TEST_CASE("a join that does not look at what is known is the join of all") {
  std::mt19937 random(43);
  for (int round = 0; round < 2000; ++round) {
    const Both known = with_more({}, 20, random);
    Both one = with_more(known, static_cast<int>(random() % 8), random);
    const Both other = with_more(random() % 4 == 0 ? Both() : known, static_cast<int>(random() % 8), random);
    Clock whole = one.clock;
    whole.join(other.clock);
    one.clock.join_since(other.clock, known.clock);
    CHECK(one.clock.includes(whole));
    CHECK(whole.includes(one.clock));
  }
}

TEST_CASE("clocks that grow side by side are compared by what is new in them") {
  ComparedClocks compared;
  Clock first;
  Clock second;
  std::uint64_t least = ~std::uint64_t{0};
  for (Stamp stamp = 1; stamp <= 4; ++stamp) {
    for (std::uint32_t agent = 0; agent < 4096; ++agent) {
      first.add(agent / 64, agent, 2 * stamp);
      second.add(agent / 64, agent, 2 * stamp - 1);
    }
    const std::uint64_t before = radix_tree_work.steps;
    CHECK(FactSums(compared).sum(first, second).is_same(first));
    second.add(0, 0, 2 * stamp);
    const std::uint64_t between = radix_tree_work.steps;
    CHECK(FactSums(compared).sum(first, second).is_same(first));
    CHECK(between - before > 32);
    least = std::min(least, radix_tree_work.steps - between);
  }
  CHECK(least < 16);
}

TEST_CASE("a clock that learns nothing new stays the one it is") {
  Clock some;
  for (std::uint32_t agent = 0; agent < 100; ++agent) some.add(agent / 10, agent, 1 + agent % 7);
  Clock more = some;
  more.add(3, 30, 9);
  more.add_everybody(12, 2);
  Clock joined = more;
  joined.join(some);
  CHECK(joined.is_same(more));
  joined = some;
  joined.join(more);
  CHECK(joined.is_same(more));
  joined.add(3, 31, 1);
  CHECK(joined.is_same(more));
  joined.add(3, 31, 9);
  CHECK_FALSE(joined.is_same(more));
}

TEST_CASE("the part of a clock that is of one group, or of some of its agents, is what was added for these") {
  Clock clock;
  for (std::uint32_t agent = 0; agent < 64; ++agent) clock.add(agent / 16, agent, 5);
  clock.add_everybody(1, 2);
  const Clock group = clock.of_groups([](GroupId g) { return g == 1; });
  CHECK(group.has(1, 17, 5));
  CHECK(group.everybody(1) == 2);
  CHECK_FALSE(group.has(2, 33, 1));
  CHECK(clock.of_group(1).includes(group));
  CHECK(group.includes(clock.of_group(1)));
  CHECK(clock.of_group(7).empty());
  const Clock even =
      clock.of_agents(1, 0, 63, [](std::uint32_t agent) { return agent == kEveryAgent || agent % 2 == 0; });
  CHECK(even.has(1, 18, 5));
  CHECK_FALSE(even.has(1, 17, 3));
  CHECK(even.everybody(1) == 2);
  CHECK(clock.of_groups([](GroupId) { return true; }).is_same(clock));
  CHECK(clock.of_agents(7, 0, 63, [](std::uint32_t) { return true; }).empty());
}

TEST_CASE("what everybody of a group did takes the place of what its agents did") {
  Clock clock;
  for (std::uint32_t agent = 0; agent < 64; ++agent) clock.add(0, agent, 5);
  Clock everybody;
  everybody.add_everybody(0, 5);
  Clock joined = clock;
  joined.join(everybody);
  CHECK(joined.is_same(everybody));
  CHECK(everybody.includes(clock));
  CHECK_FALSE(clock.includes(everybody));
  Clock equal;
  equal.add_everybody(0, 5);
  CHECK_FALSE(equal.is_same(everybody));
  equal.share(everybody);
  CHECK(equal.is_same(everybody));
}

}  // namespace
}  // namespace heddle::race
