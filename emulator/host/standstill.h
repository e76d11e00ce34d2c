#pragma once

/// \file
/// Notices that all invocations do the same again and again.

#include <heddle/operation.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/stack_state.h"

namespace heddle::detail {

/// Whether invocations do the same again and again. They poll with plain reads, or through barriers, or in another way
/// that says nothing, what no other will write; or what they write comes again as well (two of them take a lock and
/// give it back, each because the other one holds another lock). To be told of every access for a while, from `begin`
/// until it says how that ends.
class Standstill {
 public:
  enum class Verdict : std::uint8_t { Unknown, SomethingGoesOn, NothingGoesOn };

  /// The byte at `offset_bytes`, and those behind it that an access takes with it.
  struct Place {
    AllocationId allocation{};
    std::uint64_t offset_bytes = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  /// What an invocation has at hand, as a number; nothing where that is not known.
  using State = std::optional<std::uint64_t>;

  /// How many accesses to the same places it takes until nothing goes on, if all invocations stand still.
  struct Patience {
    /// What all make together, if each of them comes back again and again to a state in which it was: what it does from
    /// there it has done before. Where what is there changes, so many accesses in a row must bring neither a new state
    /// nor a new value.
    std::uint64_t repeated = 0;
    /// What all make together, and each, if they do not: one whose state is never the same may count how often it has
    /// looked, or compute with what it reads.
    std::uint64_t accesses = 0;
    std::uint64_t of_each = 0;
  };
  explicit Standstill(const Patience& patience) : patience_(patience) {}

  /// A look begins. It gives up where one invocation has made `longer` times kManyRepeats accesses and another one does
  /// not stand still yet. A look in vain is to be followed by a longer one: an invocation that polls a single atomic
  /// may get to run once where another one makes hundreds of accesses.
  void begin(std::uint64_t longer);
  /// `agent` is about to read, or has left what was there as it was. `state` is called where it is asked for.
  template <typename StateOf>
  Verdict read(AgentId agent, const Place& place, bool atomic, const StateOf& state) {
    has_atomics_ = has_atomics_ || atomic;
    return visit(agent, place, state);
  }
  /// `agent` is about to write, or has left there by an update, what has this number: equal values have equal ones.
  template <typename StateOf>
  Verdict write(AgentId agent, const Place& place, std::uint64_t value, const StateOf& state) {
    return knows(place, value) ? visit(agent, place, state) : Verdict::SomethingGoesOn;
  }
  /// Whether there was an atomic among the accesses.
  bool has_atomics() const { return has_atomics_; }
  /// Whether what is somewhere has changed.
  bool has_changes() const { return has_changes_; }

 private:
  /// A loop that waits looks at a few places; one that computes, mostly at more.
  static constexpr std::size_t kMostPlaces = 4;
  /// A loop that waits writes a few values; one that counts in memory, more.
  static constexpr std::size_t kMostValues = 8;
  /// An invocation stands still when it has accessed the same places so often. All of them do the same again if so many
  /// accesses for each bring nothing new.
  static constexpr std::uint64_t kRepeats = 4096;
  /// By when every other does in a first look, unless it waits for something else, or has ended.
  static constexpr std::uint64_t kManyRepeats = 8 * kRepeats;
  /// An invocation comes back again and again when it was so often in a state that is known.
  static constexpr std::uint32_t kReturns = 8;
  /// A prime: loops make another number of accesses on their way round.
  static constexpr std::uint64_t kNowAndThen = 17;
  struct Visitor {
    std::array<Place, kMostPlaces> places;
    std::size_t known = 0;
    std::uint64_t repeats = 0;
    /// In which it was found, and how often it was in one of them again.
    std::vector<std::uint64_t> states;
    std::uint32_t returns = 0;

    /// False: there are too many.
    bool knows(const Place& place);
    /// To know a state takes microseconds: an invocation that has come back is looked at now and then. If it goes on,
    /// each of its states is new.
    bool is_to_be_looked_at() const { return returns < kReturns || repeats % kNowAndThen == 0; }
  };
  /// So many states are remembered: what stood on a stack before, and means nothing, makes several of one.
  static constexpr std::size_t kMostStates = 512;
  /// Where what is there changes fewer are remembered: most such loops go on, and each round of one has new states.
  static constexpr std::size_t kMostStatesOfChanges = 64;

  template <typename StateOf>
  Verdict visit(AgentId agent, const Place& place, const StateOf& state) {
    Visitor* const visitor = known(agent, place);
    if (!visitor) return Verdict::SomethingGoesOn;
    if (looks_at_states_ && accesses_done_ >= patience_.repeated && visitor->is_to_be_looked_at()) {
      look_at(*visitor, state);
      runtime::clear_stack_below();
    }
    return verdict(*visitor);
  }
  /// After an access of `visitor`.
  Verdict verdict(const Visitor& visitor) const;
  /// Who accesses `place` once more; null if that is too many places.
  Visitor* known(AgentId agent, const Place& place);
  /// Whether that value was written there since `begin`, or there are few of them yet.
  bool knows(const Place& place, std::uint64_t value);
  /// What is known of the state is on the stack of this function, and of those that it calls, alone.
  template <typename StateOf>
  [[gnu::noinline]] void look_at(Visitor& visitor, const StateOf& state) {
    look(visitor, state());
  }
  void look(Visitor& visitor, const State& state);

  const Patience patience_;
  /// After how many accesses of one invocation the look gives up, if another one does not stand still yet.
  std::uint64_t most_repeats_ = kManyRepeats;
  std::uint64_t accesses_done_ = 0;
  std::unordered_map<AgentId, Visitor> visitors_;
  /// How many of them do not stand still; how many have made all accesses that it takes; how many come back to a state.
  std::size_t moving_ = 0;
  std::size_t long_ = 0;
  std::size_t returning_ = 0;
  /// Whether all of them may.
  bool looks_at_states_ = true;
  /// What was written there since `begin`, each value once.
  std::map<Place, std::vector<std::uint64_t>> written_;
  bool has_atomics_ = false;
  bool has_changes_ = false;
  /// How many accesses there were when a state, or a value, was new.
  std::uint64_t last_new_ = 0;
};

}  // namespace heddle::detail
