#pragma once

/// \file
/// An execution that grows: threads as far as they got, events, what loads see, what was assumed of values.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/mu/explore/explore.h"
#include "emulator/mu/explore/terms.h"
#include "emulator/mu/explore/thread.h"

namespace heddle::mu::explore {

/// A copy goes its own way.
class Graph final : public Knowledge {
 public:
  Graph(const Program& program, std::uint64_t bound, bool loads_may_give_addresses);

  std::optional<Value> value(Term term) const override;
  bool loads_may_give_addresses() const override { return loads_may_give_addresses_; }

  /// Performs the event of a request; of one that wakes, `woken` threads. Returns its number.
  EventIndex perform(ThreadIndex thread, const Request& request, std::uint32_t woken = 0);
  /// Settles a compare-exchange or a requeue; returns false if a graph cannot be so.
  void settle(ThreadIndex thread, const Request& request, std::uint32_t woken = 0);
  void create(ThreadIndex thread, std::uint64_t bound);
  /// The first event of a thread that was created.
  void begin(ThreadIndex thread);
  void assume(Term term, std::int64_t answer) { assumptions_.emplace_back(term, answer); }
  /// Whether no assumption is known to be wrong.
  bool assumptions_hold() const;

  /// The load sees the store, or kInitial.
  void resolve(EventIndex load, EventIndex store) { execution.reads_from[load] = store; }
  /// The load sees none of the stores that there are, but one that comes.
  void put_off(EventIndex load);
  /// Whether some store's value is computed from the load that sees it.
  bool is_out_of_thin_air(EventIndex load) const;
  /// The load of a cycle of values reads this one.
  void guess(EventIndex load, Value value);
  /// The first unresolved load that the value of a term waits for; kNone if there is none.
  EventIndex waits_for(Term term) const;

  /// Fills in the values of all events.
  void fill_in();

  const Program* program;
  Terms terms;
  Execution execution;
  std::vector<std::optional<Thread>> threads;
  std::vector<ThreadEnd> ends;
  /// For each event, if it is an unresolved load: what it was decided not to see.
  struct Considered {
    bool any = false;
    Events stores;
    bool has(EventIndex store) const { return std::binary_search(stores.begin(), stores.end(), store); }
  };
  std::vector<Considered> considered;

 private:
  struct Written {
    Term term = 0;
    Events computed;
  };
  /// Without a value `waits` becomes the first load, from left to right, that has no source yet.
  std::optional<Value> evaluate(Term term, EventIndex& waits) const;
  bool look_up(Term at, EventIndex event) const;
  Value computed(const TermNode& node) const;
  std::optional<Value> loaded(EventIndex event) const;
  EventIndex add(const Event& event);
  void write(EventIndex event, const Request& request, bool modifies);
  void give_count(ThreadIndex thread, EventIndex event, std::uint32_t woken);

  bool loads_may_give_addresses_;
  std::vector<Written> written_;
  std::vector<Term> limits_;
  std::vector<std::optional<Value>> guessed_;
  std::vector<std::pair<Term, std::int64_t>> assumptions_;
  mutable std::vector<std::optional<Value>> known_;
  /// Terms whose values are needed, each for the one before it; kept for its memory.
  mutable std::vector<Term> asked_;
};

}  // namespace heddle::mu::explore
