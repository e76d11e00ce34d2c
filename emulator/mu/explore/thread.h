#pragma once

/// \file
/// One thread of a program, executed over values that need not be known: it asks where it cannot go on by itself.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/mu/code.h"
#include "emulator/mu/explore/terms.h"

namespace heddle::mu::explore {

enum class RequestKind : std::uint8_t {
  Finished,
  Cut,      ///< a loop went beyond the bound
  Fault,    ///< an access outside of every location, or a number for an address or the other way round
  Decide,   ///< what `term` is: Thread::decide
  Perform,  ///< `event`: Thread::performed with its number and its result
  Settle,   ///< a compare-exchange saw the expected value or, `succeeds`, not: the event gets its kind, order and value
  EndWait,  ///< how the wait `waiting` ends: Thread::decide with a WaitEnd
  Blocked,
};

enum class WaitEnd : std::int64_t { Woken, Expired, Blocked };

struct Request {
  RequestKind kind = RequestKind::Finished;
  Term term = 0;
  Event event;
  /// Perform: what a store, a fetch-and-modify or an exchange writes. Settle: what a success writes.
  Operand written;
  bool modifies = false;  ///< `written` is combined with the old value by `binary`
  mu::Binary binary = mu::Binary::Add;
  /// How many a wake or requeue may wake.
  Term limit = 0;
  /// The event that Settle and EndWait are about; for Fault a read-modify-write that cannot store.
  EventIndex about = kNone;
  bool succeeds = false;
  bool may_expire = false;
  /// Decide: whether both answers are possible whatever the value is (a weak compare-exchange).
  bool free = false;
};

/// Knows values as far as they are known.
class Knowledge {
 public:
  virtual ~Knowledge() = default;
  virtual std::optional<Value> value(Term term) const = 0;
  /// Whether a load may read an address.
  virtual bool loads_may_give_addresses() const = 0;
};

/// The state of a thread. A copy goes its own way.
class Thread {
 public:
  Thread(const Program& program, ThreadIndex index, std::uint64_t bound, Terms& terms);

  /// Goes on to the next request. Again and again the same until it is answered.
  Request advance(Terms& terms, const Knowledge& knowledge);
  void decide(std::int64_t answer) { decisions_.push_back(answer); }
  /// The event of the last request has this number, and this value if it has one.
  void performed(EventIndex event, Operand result);
  void performed(EventIndex event);

  const Operand& reg(std::uint32_t index) const { return registers_[index]; }
  std::uint32_t at() const { return at_; }

 private:
  struct Step;
  const Program* program_;
  ThreadIndex index_;
  std::uint64_t bound_;
  std::uint32_t at_ = 0;
  std::vector<Operand> registers_;
  std::vector<Operand> stack_;
  std::vector<std::uint64_t> jumps_;
  /// The stack that it is on, and those of the traps it is in; kNone for its own.
  std::uint32_t on_stack_ = kNone;
  std::vector<std::uint32_t> trapped_;
  std::uint32_t bundles_ = 0;
  /// The answers, events and results so far of the instruction at hand.
  std::vector<std::int64_t> decisions_;
  std::vector<EventIndex> events_;
  std::vector<Operand> results_;
};

}  // namespace heddle::mu::explore
