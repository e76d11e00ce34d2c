#pragma once

/// \file
/// Availability and visibility as clocks: what chains of operations did, known without looking at the chains.
///
/// **The rules.** A write W is location-ordered before an access Y of another agent by `W; avchain; hb; Y`, or, where
/// Y reads, by `W; avchain; hb; vischain; Y`, in a domain that both agents are in. Domains are counted in levels, from
/// the agent itself (0) to everything (7); an operation of a scope counts at each level up to its own. Happens-before
/// is not transitive: it is program order, or one of the orders of a set of storage classes (kClassSets). An element of
/// a chain includes the access that the chain is about: an operation in bulk (MakeAvailable, MakeVisible) if its mask
/// has the class of the access, the operation of an access's own if that goes through the same reference to the same
/// bytes. MakeAvailable stands before its instruction, MakeVisible behind it. Either counts, in happens-before, as an
/// access of each class of its mask.
///
/// **What is kept.** An operation in bulk treats all earlier writes of an agent alike, so what it does to them is a
/// clock: of each agent a stamp. An agent has, for each set of classes, the following clocks of what was done by
/// operations that the set orders before the agent's next operation on it, and its own operations on it
/// (View::facts); and those of what is before whatever it does (View::own).
///
/// - `available(start, level, class)`: a chain made writes of the class available at `level` (of the writer's
///   instances) that were available at `start` before. From start 0 these are all writes of the agents in the clock:
///   the first element of such a chain is the writer's MakeAvailable. From another start the chain begins with a
///   write that made itself available, at `start` and perhaps farther; then the clock has the writes that are before
///   the first operation in bulk, as far as one set of classes orders them (`via`). What system-synchronizes is among
///   them by every set, with the stamp kForEver.
/// - `visible(start, level, written, read)`: such writes, available at a level, were made visible to reads of a class
///   in the instance of `level` of an agent that knows the fact; level 0 is the agent itself.
/// - `shown(start, level, read)`: reads that made their own bytes visible at `start` are in the clock; what they found
///   is visible at `level`, likewise.
///
/// **What operations do.** MakeAvailable of agent z, mask M, level L: its own earlier writes of the classes of M become
/// available at the levels up to L; what z knows as available at m < L, of writers in z's instance of level m,
/// becomes available at the levels from m + 1 to L. The result is known in each set that has a class of M. MakeVisible:
/// what is available at l <= L, of writers in z's instance of level l, or visible at l in z's instance, becomes visible
/// at the levels below l. A release publishes the facts of the sets in its mask, an acquire joins those of the sets in
/// both. Each of these maps facts to facts one by one, so it does not matter in how many parts they come.
///
/// **What a question asks.** Whether a write is available, or visible, before an access is whether its stamp is in one
/// of these clocks. Operations of accesses' own stand in the shadow cell beside their accesses, since they concern
/// these bytes only; KernelLocationOrder goes from one to another of them, by the clocks with a start.
///
/// **What is exact.** While accesses are remembered one by one (`exact`) nothing is cut. After that
/// - facts about the subgroup or workgroup of another workgroup than the knower's are not carried on. Who publishes
///   them leaves them to its own workgroup (`left`), whose reads count as seeing what is there;
/// - an entry of a whole workgroup counts as one of the subgroup that asks;
/// - facts of several starts are one, where all accesses of the class that made themselves available had all of these
///   levels or none (an access that lifts a write from one of these to the next counts as one that has all);
/// - a read that made visible to itself what it found at some level counts as one that found it at the widest level of
///   such reads;
/// - classes of two are kept where some mask has had both; before that, what one of the two has counts for both;
/// Each of these can only hide a race. Where all accesses to an allocation are promised to be of one class, writes of
/// one class are not made visible to reads of another; two accesses that break the promise count as ordered. Scopes of
/// shader calls and of interlock, whose instances need not include a workgroup, are taken for levels between the
/// workgroup and the queue family.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>

#include "emulator/race/places.h"
#include "emulator/race/site.h"
#include "emulator/race/view.h"

namespace heddle::race {

inline constexpr std::size_t kLevelCount = kScopes.size();
/// Some of the levels, a bit each.
using Levels = std::uint8_t;
inline bool has_level(Levels levels, Level level) {
  return ((levels >> level) & 1) != 0;
}
/// The levels above `narrow`, up to `level`.
inline Levels above_up_to(Level narrow, Level level) {
  return level <= narrow ? Levels{0} : static_cast<Levels>((2u << level) - (2u << narrow));
}
/// kOwn if there is none.
inline Level highest(Levels levels) {
  return static_cast<Level>(std::max<int>(std::bit_width(levels), 1) - 1);
}

/// The class of an access whose storage class the memory model does not count: no operation in bulk includes it.
inline constexpr std::uint8_t kNoClass = kClasses;
inline std::uint8_t class_of(const Site& site) {
  return site.storage == 0 ? kNoClass : site.class_number;
}

/// What there has been that decides which facts have to be kept. Threads use it at once: what an operation needs to be
/// known is noted before the operation can be before another one.
class ChainUse {
 public:
  /// Takes notice of an instruction that may have availability and visibility operations of its own.
  /// Where not all accesses to an allocation are of one class it may be an element of chains about any class.
  void note(const Site& site, bool one_class_each);
  /// Takes notice of an acquire or release that has all classes of these sets.
  void note(ClassSets sets) {
    if ((sets & ~sets_.load(std::memory_order_relaxed)) != 0) sets_.fetch_or(sets, std::memory_order_relaxed);
  }
  void clear();
  ClassSets sets() const { return sets_.load(std::memory_order_relaxed); }
  /// Takes notice of an operation in bulk of this level.
  void note_level(Level level) {
    if (level == kSubgroup && !subgroups()) subgroups_.store(true, std::memory_order_relaxed);
  }
  /// Whether something was made available or visible to a subgroup alone.
  bool subgroups() const { return subgroups_.load(std::memory_order_relaxed); }
  /// Something system-synchronized: that orders accesses whatever the sets.
  void note_system() { system_.store(true, std::memory_order_relaxed); }
  /// Whether the set can order anything.
  bool orders(std::size_t set) const { return ((sets() >> set) & 1) != 0 || orders_all(); }
  /// The levels at which writes of the class made themselves available.
  Levels own(std::uint8_t written) const { return own_[written].load(std::memory_order_relaxed); }
  /// The levels at which reads of the class made visible to themselves what they read.
  Levels own_visible(std::uint8_t read) const { return own_visible_[read].load(std::memory_order_relaxed); }
  /// The highest level of an availability operation of a write of the class, which the set relates to others.
  Level available(std::uint8_t written, std::size_t set) const {
    return orders_all() ? highest(own(written)) : get(available_, written, set);
  }
  /// The highest level of a visibility operation of a read of the class, which the set relates to others.
  Level visible(std::uint8_t read, std::size_t set) const {
    return orders_all() ? highest(own_visible(read)) : get(visible_, read, set);
  }

 private:
  using Table = std::array<std::array<std::atomic<Level>, kClassSets.size()>, kClasses + 1>;
  static Level get(const Table& table, std::uint8_t of_class, std::size_t set) {
    return table[of_class][set].load(std::memory_order_relaxed);
  }
  static void raise(Table& table, std::uint8_t of_class, ClassSets sets, Level level);
  /// Whether something system-synchronized: then every set may order accesses of all classes.
  bool orders_all() const { return system_.load(std::memory_order_relaxed); }

  std::atomic<ClassSets> sets_{0};
  std::atomic<bool> subgroups_{false};
  std::atomic<bool> system_{false};
  std::array<std::atomic<Levels>, kClasses + 1> own_{};
  std::array<std::atomic<Levels>, kClasses + 1> own_visible_{};
  Table available_{};
  Table visible_{};
};

/// Who makes available or visible: an agent, or each agent of a workgroup that comes to a barrier.
struct Performer {
  std::uint32_t agent = 0;
  GroupId group = 0;
  bool everybody = false;
  /// The lanes of the agent whose accesses it is about, a bit each, where clocks tell lanes apart (tag_lanes.h).
  std::uint16_t lanes = 1;
  /// All agents of a subgroup that come to a barrier at once, the agent among them; else none.
  std::span<const std::uint32_t> company = {};
};

/// MakeAvailable or MakeVisible.
struct BulkOperation {
  Classes mask = 0;
  Level level = kOwn;
  friend bool operator==(const BulkOperation&, const BulkOperation&) = default;
};

/// What a barrier or an atomic orders.
struct Ordering {
  Classes mask = 0;
  Level level = kOwn;
  Level execution = kOwn;
  bool acquires = false;
  bool releases = false;
  bool makes_available = false;
  bool makes_visible = false;
  BulkOperation bulk() const { return {mask, level}; }
  friend bool operator==(const Ordering&, const Ordering&) = default;
};

/// What was visible in a workgroup or subgroup, or shown there, and is not carried on by those who know of it
/// elsewhere.
struct Left {
  Clock visible;
  Clock shown;
};

/// Does to views what the operations of chains do.
class ChainClocks {
 public:
  ChainClocks(const Places& places, const ChainUse& use) : places_(places), use_(use) {}

  /// Whether a chain may have more than one element.
  void set_chains(bool chains) { chains_ = chains; }
  bool has_chains() const { return chains_; }
  /// Whether all accesses to an allocation are of one storage class: then no fact is about two.
  void set_one_class_each(bool one) { one_class_each_ = one; }
  bool has_one_class_each() const { return one_class_each_; }
  /// Whether no fact is cut, as at the beginning.
  void set_exact(bool exact) { exact_ = exact; }
  bool is_exact() const { return exact_; }
  /// How many numbers of groups in clocks stand for the lanes of one group, from the group's times so many on.
  void set_lanes(std::uint32_t lanes) { lanes_ = lanes; }

  /// An operation of an agent that knows `known` adds to `view` what it does. `stamp` is that of the performer's
  /// accesses up to now.
  //= vk:memory-model-availability-visibility-semantics
  void make_available(View& view, const View& known, const Performer& by, BulkOperation operation, Stamp stamp) const;
  //= vk:memory-model-availability-visibility-semantics
  void make_visible(View& view, const Performer& by, BulkOperation operation, Stamp stamp) const {
    make_visible(view, view, by, operation, stamp);
  }
  //= vk:memory-model-availability-visibility-semantics
  void make_visible(View& view, const View& known, const Performer& by, BulkOperation operation, Stamp stamp) const;
  /// Makes of what the performer knows what it releases at this level, of `sets`. What others are not to learn comes to
  /// `left`.
  void publish(View& view, const Performer& by, ClassSets sets, Level level, Left& left) const;
  /// What the performer did itself becomes what it did among others, in the facts of these sets.
  void name_own(View& view, const Performer& by, ClassSets sets) const;
  FactsPointer named(const FactsPointer& facts, const Performer& by, FactSums& sums) const;
  /// Parts what the performer did itself from `view`: it comes to `own`, which knows nothing yet, as what it did among
  /// others.
  void part_own(View& view, View& own, const Performer& by) const;
  /// Sums of clocks, of which this thread remembers how they compare.
  FactSums sums() const { return FactSums(compared_); }
  /// What `agent` acquires, for these sets, of what `from` released. Whether that is anything new.
  bool learn(View& to, std::uint32_t agent, const View& published, std::uint32_t from, ClassSets sets,
             FactSums& sums) const;
  /// What `agent` learns of all that `of` knows, which comes before whatever it does: that system-synchronizes with it.
  //= vk:memory-model-system-synchronizes-with
  void learn_all(View& to, std::uint32_t agent, const View& from, std::uint32_t of) const;
  /// Adds the facts that `collect` collected. Whether any of them is new.
  bool learn(View& to, const std::array<FactsJoin, kClassSets.size()>& collected) const;
  /// Collects what `agent` acquires, for each set on its own.
  void collect(std::array<FactsJoin, kClassSets.size()>& joins, std::uint32_t agent, const View& published,
               std::uint32_t from, ClassSets sets) const;
  /// f(set, facts) for each of these sets in which `from` released something, with the facts as `agent` knows them.
  template <typename F>
  void for_each_released(std::uint32_t agent, const View& published, std::uint32_t from, ClassSets sets, F f) const;
  /// The facts of one set of classes in the view.
  FactsPointer of_set(const View& view, std::size_t set, FactSums& sums) const;
  /// Adds the facts of the set that another view has, of agents in the same instances.
  void join(View& to, const View& more, std::size_t set, FactSums& sums) const;

 private:
  class Step;
  /// The accesses of a performer up to a stamp, as a clock that is made once.
  struct OwnAccesses {
    Stamp last = 0;
    Clock clock;
  };

  FactsPointer named(const FactsPointer& facts, const Performer& by, FactSums& sums, OwnAccesses& own) const;
  /// The class sets that relate each access to an allocation of the class to others, whatever its semantics: what is
  /// before by one of them is known alike, so that facts need not tell them apart.
  ClassSets sets_of_all(std::uint8_t of_class) const;
  Clock in_instance(const Clock& clock, Level level, const Performer& by) const;
  Clock in_subgroup(const Clock& clock, Level level, const Performer& by, GroupId group) const;
  void add(View& view, ClassSets sets, const FactsPointer& done, FactSums& sums) const;
  FactsPointer translated(const FactsPointer& facts, std::uint32_t from, std::uint32_t to) const;

  const Places& places_;
  const ChainUse& use_;
  bool chains_ = true;
  bool exact_ = true;
  bool one_class_each_ = false;
  std::uint32_t lanes_ = 1;
  mutable ComparedClocks compared_;
};

}  // namespace heddle::race
