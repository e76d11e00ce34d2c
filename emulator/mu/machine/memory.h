#pragma once

/// \file
/// The memory of the weak machine for host threads: for each location the stores in modification order, for each thread
/// clocks of what happens before its next operation. A load takes any store that Mu's memory model lets it see, and a
/// store takes any place in modification order that the model leaves free.

#include <heddle/choice.h>
#include <heddle/memory_order.h>
#include <heddle/memory_policy.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/mu/execution.h"
#include "emulator/mu/machine/clock.h"
#include "emulator/mu/machine/recorder.h"

namespace heddle::mu::machine {

/// What an operation is, and who performs it.
struct Access {
  ThreadIndex thread = 0;
  LocationIndex location = 0;
  MemoryOrder order = MemoryOrder::Relaxed;
  /// Clock of what happens before this operation by dependencies alone (Memory::clocks); kNoClock for nothing.
  ClockIndex dependency = kNoClock;
  /// Its number in the recording.
  EventIndex event = kNone;
};

struct Loaded {
  Value value;
  /// What happens before all that depends on it, if it is a consume operation.
  ClockIndex consumed = kNoClock;
  /// The number that the access that stored it had in the recording, or kInitial.
  EventIndex store = kInitial;
};

/// What an update makes of an old value; see Memory::update.
class Update {
 public:
  virtual ~Update() = default;
  /// The value to store. Nothing: the operation loads and does not store.
  virtual std::optional<Value> written(Value old) const = 0;
  /// The order of an operation that loads only.
  virtual MemoryOrder failure(MemoryOrder order) const { return order; }
};

struct Updated {
  Value old;
  bool stored = false;
  ClockIndex consumed = kNoClock;
  /// The number of the access that stored the old value, or kInitial.
  EventIndex store = kInitial;
};

using PendingIndex = std::uint32_t;
inline constexpr PendingIndex kNotPending = 0;

/// One execution at a time. Every choice comes from `choice`.
class Memory {
 public:
  /// `policy` and `choice` outlive the memory. Numbers of threads are below `most_threads`.
  Memory(std::uint32_t most_threads, const MemoryPolicy& policy, Choice& choice);

  /// Begins a new execution, of these locations; `recorder` may be null.
  void restart(std::span<const Value> initial, Recorder* recorder);
  /// One more location.
  LocationIndex add(Value initial);
  /// Older stores than so many of a location are forgotten, and seen by no one; 0 for never. A recording keeps all.
  void forget_beyond(std::uint32_t stores) { most_stores_ = stores; }

  //= mu:operations
  Loaded load(const Access& access);
  void store(const Access& access, Value value);
  /// A store that comes last in modification order.
  void append(const Access& access, Value value);
  /// A read-modify-write, or a load if it does not store. Of stores that it may see it takes one that fits.
  Updated update(const Access& access, const Update& update);
  void fence(ThreadIndex thread, MemoryOrder order);
  /// The operation creates a thread, which begins behind it.
  void create(ThreadIndex thread, ThreadIndex created);
  /// An operation that accesses no memory. Returns its clock, which is valid until the next operation.
  const ClockValue* perform(ThreadIndex thread, ClockIndex dependency = kNoClock);

  /// A load that gets its value later, if the memory wants it and can; kNotPending if not: then load it.
  PendingIndex postpone(const Access& access);
  /// The value of a postponed load, chosen now if it was not before.
  Loaded answer(PendingIndex pending);
  bool answered(PendingIndex pending) const { return pending_[pending].answered; }
  /// A postponed load of the thread that has no value, if there is one.
  PendingIndex unanswered(ThreadIndex thread) const;

  /// The load of a futex operation: no wake in `queue` is lost.
  Loaded load_for_futex(const Access& access, const ClockValue* queue);
  /// What was handed on to the thread, its own operations among it: what a release operation here would release.
  const ClockValue* handed_on(ThreadIndex thread) const { return handed_on_.at(thread); }
  /// All that the clock says happens before what the thread does from now on.
  void synchronize(ThreadIndex thread, const ClockValue* released);
  /// The clock of the last operation that was performed.
  const ClockValue* now() const { return now_; }
  /// How many operations of the thread there have been.
  ClockValue performed(ThreadIndex thread) const { return known_.at(thread)[thread]; }

  Clocks& clocks() { return dependencies_; }
  const MemoryPolicy& policy() const { return policy_; }
  std::uint32_t most_threads() const { return threads_; }
  /// The last value in modification order.
  Value final_value(LocationIndex location) const;
  std::uint32_t locations() const { return static_cast<std::uint32_t>(used_locations_); }
  /// For each location its stores, as events.
  void write_modification_orders(Execution& out) const;

 private:
  /// A place in modification order; places of stores never change.
  using Rank = std::uint64_t;
  using StoreIndex = std::uint32_t;
  struct Store {
    Value value;
    Rank rank = 0;
    ThreadIndex thread = kNone;  ///< kNone of an initial value
    ClockValue number = 0;
    EventIndex event = kInitial;
    bool atomic = false;
    bool seq_cst = false;
    bool modifies = false;
    /// Somebody relies on it following its predecessor at once: a release sequence.
    bool glued = false;
    /// Whether the store is a release operation.
    bool releases = false;
    /// Whether the store heads a release sequence, as a release operation or behind a release fence.
    bool heads = false;
  };
  /// A value of a rank that grows with the order S.
  struct Floor {
    std::uint64_t time = 0;
    Rank rank = 0;
  };
  struct Location {
    std::vector<StoreIndex> order;
    StoreIndex last_seq_cst = kNone;
    /// Ranks of SEQ_CST stores, and of what fences make SEQ_CST loads behind them see.
    std::vector<Floor> seq_cst_stores;
    std::vector<Floor> fenced;
    /// The last store that a futex operation saw.
    Rank futex_saw = 0;
  };
  struct Thread {
    bool has_release_fence = false;
    /// The place of its last SEQ_CST fence in S; 0 for none.
    std::uint64_t fence_time = 0;
    std::uint32_t stale_loads = 0;
    /// Its last atomic store to each location since its last SEQ_CST fence.
    std::vector<std::pair<LocationIndex, Rank>> stored;
    std::vector<PendingIndex> pending;
  };
  struct Pending {
    Access access;
    ClockValue number = 0;
    bool answered = false;
    /// Whether the load must see a store that nothing is synchronized through, since an acquire operation or fence
    /// stands behind the load.
    bool takes_no_release = false;
    Loaded result;
  };

  ClockValue* happened(StoreIndex store) { return blocks_.data() + std::size_t{store} * 4 * threads_; }
  const ClockValue* happened(StoreIndex store) const { return blocks_.data() + std::size_t{store} * 4 * threads_; }
  ClockValue* released(StoreIndex store) { return happened(store) + threads_; }
  ClockValue* readers(StoreIndex store) { return happened(store) + 2 * std::size_t{threads_}; }
  ClockValue* first_read(StoreIndex store) { return happened(store) + 3 * std::size_t{threads_}; }

  StoreIndex make_store();
  void add_initial(Location& location, Value value);
  bool happens_before(const Store& store, const ClockValue* clock) const {
    return store.thread == kNone || clock[store.thread] >= store.number;
  }
  bool is_seen_before(StoreIndex store, const ClockValue* clock);
  /// The first position that coherence leaves to an operation of this clock.
  std::uint32_t coherent(const Location& location, const ClockValue* clock);
  std::uint32_t from_rank(const Location& location, std::uint32_t low, Rank rank) const;
  static Rank before(const std::vector<Floor>& floors, std::uint64_t time);
  static void raise(std::vector<Floor>& floors, std::uint64_t time, Rank rank);
  Rank fence_floor(const Location& location, ThreadIndex thread) const;

  bool chance(std::uint32_t of_256);
  void list_loads(const Location& location, const Access& access, std::uint32_t low);
  bool may_insert_behind(const Location& location, std::uint32_t position, bool modifies) const;
  std::uint32_t choose(ThreadIndex thread);
  Loaded see(Location& location, std::uint32_t position, const Access& access);
  bool release_sequence(Location& location, std::uint32_t position, ThreadIndex reader, bool operations,
                        ClockValue* into, bool glue);
  void note_reader(StoreIndex store, ThreadIndex thread, ClockValue number, const ClockValue* clock);
  Loaded load_plain(Location& location, const Access& access);
  void insert(Location& location, std::uint32_t behind, const Access& access, Value value, bool modifies);
  void forget(Location& location);
  void answer_before(ThreadIndex thread, LocationIndex location);
  void answer_all_before(LocationIndex location, const ClockValue* clock);
  void answer_before_fence(ThreadIndex thread);
  void list_pending(Location& location, const Pending& pending);

  const std::uint32_t threads_;
  const MemoryPolicy& policy_;
  Choice& choice_;
  Recorder* recorder_ = nullptr;
  std::uint32_t most_stores_ = 0;

  std::vector<Location> locations_;
  std::size_t used_locations_ = 0;
  std::vector<Store> stores_;
  std::vector<ClockValue> blocks_;
  std::vector<StoreIndex> free_;
  std::size_t used_stores_ = 0;

  std::vector<Thread> of_thread_;
  /// What happens before the next operation of each thread; and that with what its consume operations saw.
  ClockTable known_;
  ClockTable handed_on_;
  /// What an acquire fence of each thread would synchronize with, and what its last release fence released.
  ClockTable loose_;
  ClockTable fenced_;
  Clocks dependencies_;
  std::vector<ClockValue> scratch_;
  std::vector<ClockValue> scratch_copy_;
  const ClockValue* now_ = nullptr;
  std::uint64_t time_ = 0;
  /// Whether some store of the execution heads a release sequence.
  bool any_release_ = false;
  std::vector<Pending> pending_;
  /// Positions that an operation may take.
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> choices_;
};

}  // namespace heddle::mu::machine
