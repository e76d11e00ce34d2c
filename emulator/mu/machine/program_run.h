#pragma once

/// \file
/// Runs a program of host threads (`emulator/mu/code.h`) on the weak machine, one execution at a time.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <cstdint>
#include <vector>

#include "emulator/mu/code.h"
#include "emulator/mu/machine/detector.h"
#include "emulator/mu/machine/futexes.h"
#include "emulator/mu/machine/memory.h"
#include "emulator/mu/machine/recorder.h"
#include "emulator/mu/machine/sources.h"

namespace heddle::mu::machine {

/// How a run or a thread of it ended. A run is Blocked if a thread waits for ever; then, in this order, Cut by the
/// bound of loops, or ended at a wrong address.
enum class End : std::uint8_t { Running, NotCreated, Finished, Blocked, Cut, Fault };

/// A program was told to create a thread that exists. `instruction` is that of the second creation.
struct CreatedTwice {
  ThreadIndex thread = 0;
  std::uint32_t instruction = 0;
};

class ProgramRun {
 public:
  /// All outlive the run.
  ProgramRun(const Program& program, const MemoryPolicy& policy, Choice& choice, std::uint64_t bound);

  /// Makes one run; with `record` it keeps the execution. Throws CreatedTwice.
  End run(bool record);

  /// How the last run ended.
  Value reg(ThreadIndex thread, std::uint32_t index) const { return threads_[thread].registers[index].value; }
  Value final_value(LocationIndex location) const { return memory_.final_value(location); }
  End end(ThreadIndex thread) const { return threads_[thread].end; }
  const Detector& detector() const { return detector_; }
  const Execution& execution() { return recorder_.execution(); }

 private:
  /// A value, what carries a dependency through it, and what does to the evaluation whose value it is.
  struct Operand {
    Value value;
    PendingIndex pending = kNotPending;
    SourceIndex carried = kNoSource;
    SourceIndex received = kNoSource;
  };
  struct Thread {
    std::uint32_t at = 0;
    End end = End::NotCreated;
    /// Waits for a futex.
    bool waits = false;
    /// Whether the thread has postponed a load.
    bool postpones = false;
    LocationIndex waits_on = kNone;
    EventIndex waker = kNone;
    EventIndex wait = kNone;
    /// What depends on the result of the wait depends on this.
    Operand wait_result;
    std::vector<Operand> registers;
    std::vector<Operand> stack;
    std::vector<std::uint64_t> jumps;
    std::uint32_t on_stack = kNone;
    std::vector<std::uint32_t> trapped;
    std::uint32_t bundles = 0;
    /// For each location the sources of what the thread stored there.
    std::vector<SourceIndex> stored;
  };

  void begin(bool record);
  void begin_thread(ThreadIndex thread);
  void step(ThreadIndex thread);
  void advance(ThreadIndex thread);
  bool compute(ThreadIndex index, Thread& thread, const Instruction& instruction);
  bool branch(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void logical(Thread& thread, const Instruction& instruction);
  bool arithmetic(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void perform(ThreadIndex thread);
  void load(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void store(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void define(ThreadIndex index, Thread& thread);
  void update(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void compare_exchange(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void futex(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void wait(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void requeue(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void wake(ThreadIndex index, Thread& thread, const Instruction& instruction);
  void let_go_on(EventIndex waker);
  void end_wait(ThreadIndex index, EventKind how, std::int64_t result);
  void others(ThreadIndex index, Thread& thread, const Instruction& instruction);

  Operand& top(Thread& thread, std::size_t depth) { return thread.stack[thread.stack.size() - 1 - depth]; }
  static void replace(Thread& thread, std::size_t pops, const Operand& pushed);
  /// Whether the last `count` operands have values; takes those that came meanwhile.
  bool has_values(Thread& thread, std::size_t count) { return !thread.postpones || take_values(thread, count); }
  bool take_values(Thread& thread, std::size_t count);
  /// The location of an address. Without one the thread ends, and this is kNone.
  LocationIndex location(ThreadIndex index, Value address);
  void fault(ThreadIndex index);
  void finish(ThreadIndex index, End end);
  /// The event as the recording numbers it; kNone without one.
  EventIndex record(ThreadIndex index, EventKind kind, LocationIndex location, MemoryOrder order, SourceIndex operands,
                    SourceIndex stored_from) {
    return recording_ ? keep(index, kind, location, order, operands, stored_from) : kNone;
  }
  EventIndex keep(ThreadIndex index, EventKind kind, LocationIndex location, MemoryOrder order, SourceIndex operands,
                  SourceIndex stored_from);
  Access access(ThreadIndex index, LocationIndex location, MemoryOrder order, SourceIndex operands, EventIndex event,
                bool loads);
  void watch(ThreadIndex index, LocationIndex location, MemoryOrder order, bool writes);
  void stack_operation(ThreadIndex index, EventKind kind, std::uint32_t stack);
  void not_ready(ThreadIndex index);
  Operand loaded(EventIndex event, Value value, SourceIndex operands, ClockIndex consumed);
  Watched watched(ThreadIndex index) const;

  const Program& program_;
  Choice& choice_;
  const std::uint64_t bound_;
  Memory memory_;
  Futexes futexes_;
  Sources sources_;
  Detector detector_;
  Recorder recorder_;
  bool recording_ = false;
  bool depends_ = false;
  std::vector<Thread> threads_;
  std::vector<ThreadIndex> ready_;
};

}  // namespace heddle::mu::machine
