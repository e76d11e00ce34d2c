#pragma once

/// \file
/// Clocks of availability and visibility, each with what it is about: the notebook of chain_clocks.h.

#include <algorithm>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/race/clock.h"
#include "emulator/race/event.h"

namespace heddle::race {

/// The set of storage classes (its place in kClassSets) by which an access is known, in facts about accesses that have
/// an availability or visibility operation of their own.
using Via = std::uint8_t;
/// The fact does not depend on how the access is known.
inline constexpr Via kAnyVia = 15;

/// What one clock of a chain says of the accesses in it (chain_clocks.h explains the kinds).
class FactKey {
 public:
  enum class Kind : std::uint8_t { Available, Visible, Shown };

  /// Writes of a class, available at `start` by themselves, are available at `level`.
  static FactKey available(Level start, Via via, Level level, std::uint8_t written) {
    return FactKey(Kind::Available, start, via, level, written, 0);
  }
  /// Such writes are visible, for reads of a class, in the instance of `level` of an agent that knows this.
  static FactKey visible(Level start, Via via, Level level, std::uint8_t written, std::uint8_t read) {
    return FactKey(Kind::Visible, start, via, level, written, read);
  }
  /// What reads of a class found visible at `start` is visible at `level`, in the instance of an agent that knows this.
  static FactKey shown(Level start, Via via, Level level, std::uint8_t read) {
    return FactKey(Kind::Shown, start, via, level, read, read);
  }

  Kind kind() const { return static_cast<Kind>(bits_ >> 62); }
  std::uint8_t written() const { return (bits_ >> 59) & 7; }
  std::uint8_t read() const { return (bits_ >> 57) & 3; }
  /// The class of the accesses in the clock.
  std::uint8_t accessed() const { return kind() == Kind::Shown ? read() : written(); }
  Level start() const { return (bits_ >> 54) & 7; }
  Via via() const { return (bits_ >> 50) & 15; }
  Level level() const { return bits_ & 7; }
  /// Whether it is about what is visible in the instance of an agent: what is available is so wherever one asks.
  bool is_of_place() const { return kind() != Kind::Available; }
  /// Whether the instance is that of another agent than the one who knows this, and of which.
  bool is_elsewhere() const { return place() != 0; }
  std::uint32_t elsewhere() const { return place() - 1; }

  FactKey at_level(Level level) const { return FactKey((bits_ & ~std::uint64_t{7}) | level); }
  FactKey at_start(Level start) const {
    return FactKey((bits_ & ~(std::uint64_t{7} << 54)) | std::uint64_t{start} << 54);
  }
  FactKey at_agent(std::uint32_t agent) const { return FactKey(here().bits_ | std::uint64_t{agent + 1} << 3); }
  FactKey here() const { return FactKey(bits_ & ~(std::uint64_t{0xffffffff} << 3)); }
  friend auto operator<=>(const FactKey&, const FactKey&) = default;

 private:
  explicit FactKey(std::uint64_t bits) : bits_(bits) {}
  FactKey(Kind kind, Level start, Via via, Level level, std::uint8_t written, std::uint8_t read)
      : bits_(static_cast<std::uint64_t>(kind) << 62 | std::uint64_t{written} << 59 | std::uint64_t{read} << 57 |
              std::uint64_t{start} << 54 | std::uint64_t{via} << 50 | level) {}
  std::uint32_t place() const { return static_cast<std::uint32_t>(bits_ >> 3); }

  /// From above: kind (2), class written (3) and read (2), start (3), via (4), 15 unused, place (32), level (3). So
  /// the levels of one fact stand side by side.
  std::uint64_t bits_;
};

struct Fact {
  FactKey key;
  Clock clock;
  /// Besides, the accesses of an agent that knows this, up to this stamp.
  Stamp own = 0;
};

/// Sorted by key. Null where there is none.
using Facts = std::vector<Fact>;
using FactsPointer = std::shared_ptr<const Facts>;

/// Remembers of pairs of lineages which clock of the one was found to have all of which clock of the other: so two
/// chains of clocks that grow side by side are compared by what is new in them.
class ComparedClocks {
 public:
  /// The latest clock of the lineage of `part` that `all` is known to have all of; null if none is.
  const Clock* known(const Clock& all, const Clock& part) const;
  void note(const Clock& all, const Clock& part);

 private:
  struct Pair {
    std::uint64_t lineage = 0;
    std::uint32_t place = 0;
    Clock part;
  };
  static constexpr std::size_t kPairs = 256;
  static std::size_t place_of(const Clock& all, const Clock& part) {
    return (all.lineage() * 0x9e3779b97f4a7c15u ^ part.lineage() * 0x165667b19e3779f9u) >> 56;
  }
  static_assert(kPairs == std::size_t{1} << 8);

  std::vector<Pair> pairs_;
};

/// Joins clocks and facts, and makes equal sums once: many levels and classes share their clocks.
class FactSums {
 public:
  FactSums() = default;
  explicit FactSums(ComparedClocks& compared) : compared_(&compared) {}
  const Clock& sum(const Clock& a, const Clock& b);
  /// The sum of two clocks; one of the two itself if it has all of the other.
  FactsPointer sum(const FactsPointer& a, const FactsPointer& b);

 private:
  Fact sum(const Fact& a, const Fact& b);
  Clock joined(const Clock& a, const Clock& b) const;

  struct OfClocks {
    Clock a;
    Clock b;
    Clock sum;
  };
  struct OfFacts {
    FactsPointer a;
    FactsPointer b;
    FactsPointer sum;
  };
  ComparedClocks* compared_ = nullptr;
  /// The sums that were made, the latest first: that one is mostly asked for again at once.
  std::forward_list<OfClocks> of_clocks_;
  std::vector<OfFacts> of_facts_;
};

/// Collects facts in any order.
class FactList {
 public:
  explicit FactList(FactSums& sums) : sums_(sums) {}
  void add(FactKey key, const Clock& clock, Stamp own = 0) {
    if (clock.empty() && own == 0) return;
    const auto at = std::lower_bound(facts_.begin(), facts_.end(), key,
                                     [](const Fact& fact, const FactKey& wanted) { return fact.key < wanted; });
    if (at == facts_.end() || at->key != key) {
      facts_.insert(at, Fact{key, clock, own});
      return;
    }
    at->clock = sums_.sum(at->clock, clock);
    at->own = std::max(at->own, own);
  }
  bool empty() const { return facts_.empty(); }
  FactsPointer take() { return facts_.empty() ? nullptr : std::make_shared<const Facts>(std::move(facts_)); }

 private:
  FactSums& sums_;
  Facts facts_;
};

/// Collects what many releases tell, and adds it to what an agent knows in one step: each clock is made once, in a time
/// that does not multiply how many releases there are by what the agent knows.
class FactsJoin {
 public:
  void add(FactsPointer facts) {
    if (facts && (waiting_.empty() || waiting_.back() != facts)) waiting_.push_back(std::move(facts));
  }
  bool empty() const { return waiting_.empty(); }
  /// The sum of `known` and all that was added; `known` itself if that has all of it.
  FactsPointer finish(const FactsPointer& known, FactSums& sums) const;
  /// Whether both collected the same facts.
  friend bool operator==(const FactsJoin& a, const FactsJoin& b) { return a.waiting_ == b.waiting_; }

 private:
  std::vector<FactsPointer> waiting_;
};

/// Whether `a` has all of `b`.
bool includes(const FactsPointer& a, const FactsPointer& b);

/// Whether one of the facts is of a level above the workgroup's: those of others order nothing once it has ended.
inline bool reach_out_of_workgroup(const FactsPointer& facts) {
  return facts &&
         std::any_of(facts->begin(), facts->end(), [](const Fact& fact) { return fact.key.level() > kWorkgroup; });
}

/// The facts that remain where all agents have ended, and others of their queue family begin: those about what is
/// visible in their workgroups, or to themselves, are about nobody any more.
FactsPointer beyond_workgroups(const FactsPointer& facts);

}  // namespace heddle::race
