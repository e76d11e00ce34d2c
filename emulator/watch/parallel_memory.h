#pragma once

/// \file
/// Memory, and race detection, of workgroups that run on several threads.

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <heddle/detail/emulation.h>

#include "emulator/memory/memory.h"
#include "emulator/race/parallel_detector.h"
#include "emulator/watch/recent_accesses.h"
#include "emulator/watch/spin_lock.h"
#include "emulator/watch/variable_accesses.h"

namespace heddle::watch {

/// An access in which a detector finds races, and what is remembered of the accesses to the same bytes.
struct ToldAccess {
  const Operation* operation = nullptr;
  advice::AccessValues values;
  const RecentAccesses* recent = nullptr;
};

/// Told of races by the threads that find them, or that do not look for them.
class RaceSink {
 public:
  virtual ~RaceSink() = default;
  /// One of a kind that this thread's detector had not seen before.
  virtual void race(const race::KernelDetector& detector, const race::KernelRace& race, const ToldAccess& second) = 0;
  /// Another one of kind number `race` of this detector.
  virtual void race_again(const race::KernelDetector& detector, std::size_t race, AgentId first,
                          const ToldAccess& second) = 0;
  /// As KernelDetector::on_overlooked, by each thread.
  virtual void overlooked(const std::string& what) = 0;
  /// After a memory dependency, while no kernel runs: nothing that follows races with what was before.
  virtual void forget() = 0;
};

/// Memory of workgroups that run on several threads, each on one: the bytes are where they always are, and
/// every access acts at once, and is told to a race detector before any other access to the same bytes acts.
/// So races of kernels are no races of this program.
///
/// Thread-safe for agents of different workgroups, but for begin and end of submissions and dispatches.
class ParallelMemory final : public memory::Memory {
 public:
  /// `tags`: whether operations may have some. Both others must outlive it.
  ParallelMemory(RaceSink& sink, run::RecordedAccesses& recorded, bool tags);
  ~ParallelMemory() override;

  /// Invocations with numbers from `first` on are about to begin.
  void dispatch_begins(std::uint32_t first, std::uint32_t size, std::uint32_t groups) {
    detector_.dispatch_begins(first, size, groups);
  }
  /// Before a workgroup begins: each access of kernels is to have a record.
  void record_all() { records_all_ = true; }
  /// The number of a buffer that was freed will be another one's. Not while a submission runs.
  void replace(AllocationId allocation) { detector_.replace(allocation); }
  /// The Workgroup memory of the workgroup that begins next on this thread.
  void add_workgroup(AllocationId allocation, std::span<std::byte> storage);
  /// The pulse of this thread, which has begun a workgroup.
  emulation::Pulse& pulse();
  /// Gives this thread's running invocation another slice of time.
  void wind_up();

  /// While somebody listens threads wait for each other at every operation: for what they tell needs one
  /// order. Of reads it tells no sources.
  void listen(trace::Listener* listener) override { listener_ = listener; }
  void begin(const memory::Cohort& cohort) override;
  void end(const memory::Cohort& cohort) override;
  void system_synchronizes(AgentId, AgentId) override {}
  void depend(memory::Dependency dependency) override;
  void add(AllocationId allocation, std::span<std::byte> storage) override;
  void remove(AllocationId allocation) override;
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                         void* context) override;
  void barrier(const Operation& operation) override;
  void arrive(const Operation& operation) override;
  void leave(const Operation& operation, std::span<const AgentId> synchronizing) override;
  void meet(const memory::Cohort& cohort, const Operation& barrier) override;
  void settle() override {}
  void restart() override { depend(memory::Dependency::Memory); }

 private:
  /// What is known of some bytes of memory.
  struct Known {
    Known(race::History h, std::size_t most_recent, std::size_t most_recent_words = 0)
        : history(std::move(h)), recent(most_recent, most_recent_words) {}
    void forget() {
      history.forget_all();
      recent.forget();
    }
    race::History history;
    RecentAccesses recent;
  };
  /// One of 2^kStripeBits lines has its bytes here.
  struct alignas(64) Stripe {
    explicit Stripe(const race::KernelOrder::Shared& order);
    SpinLock lock;
    // Guarded by lock, as are the bytes themselves:
    Known known;
  };
  /// A workgroup that a thread runs.
  struct Resident {
    AgentId first{};
    AllocationId allocation{};
    std::byte* bytes = nullptr;
    std::unique_ptr<Known> known;
  };
  static constexpr std::size_t kVariables = 8;

  struct Thread;
  /// Open until its interval is over.
  struct alignas(64) Variable : OpenVariable<Thread> {
    /// The cells of all of its granules.
    race::Cell* cells = nullptr;
    Known* known = nullptr;

    void close() {
      if (binding) binding->open = nullptr;
      *this = {};
    }
    /// Its cell. (No division: it begins at a granule.)
    [[gnu::always_inline]] race::Cell& cell(std::uint64_t in_it_bytes) const {
      constexpr std::uint64_t kTimes = sizeof(race::Cell) / race::kWordBytes;
      return *reinterpret_cast<race::Cell*>(reinterpret_cast<std::byte*>(cells) + in_it_bytes * kTimes);
    }
  };
  /// What one thread tells, and its quick way to the bytes.
  struct Thread final : VariableAccesses<Thread, Variable> {
    Thread(ParallelMemory& of, race::DetectorThread& tells)
        : VariableAccesses(tells.detector(), of.recorded_), memory(of), detector(tells) {}

    std::uint32_t calculate(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                            InstructionCode code, const char* file, const char* function,
                            emulation::Calculation what) override;
    void update(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                const char* file, const char* function, MemorySemantics unequal, emulation::Modify modify,
                void* context) override;
    std::uint32_t read_at(const Agent& agent, const Binding& binding, const Locations& bytes,
                          race::SiteId site) override;
    void write_at(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                  std::uint32_t bits) override;

    void find_last();
    void open(const Binding& binding, AgentId agent);
    void close_all() {
      for (Variable& opened : variables) opened.close();
    }
    /// After whatever may have ended their intervals.
    void close_over() {
      for (Variable& opened : variables)
        if (opened.binding && opened.interval.is_over()) opened.close();
    }
    void close_if_gapped(ReferenceId reference) {
      Variable& opened = variable(reference);
      if (opened.binding && !is_whole(*opened.binding)) [[unlikely]]
        opened.close();
    }
    /// The place of a variable in Workgroup memory.
    Variable& variable(ReferenceId reference) { return variables[static_cast<std::size_t>(reference) % kVariables]; }
    Known& known_of(AllocationId allocation);
    template <typename Act>
    bool with_known(AgentId agent, const Binding& binding, const Locations& bytes, Act act);
    Resident& find_resident(AllocationId allocation);
    // As VariableAccesses asks.
    static constexpr bool is_near(AgentId) { return true; }
    static void look_near(AgentId) {}
    [[gnu::always_inline]] static const Variable* at_hand(const Binding& binding, std::uint64_t offset_bytes) {
      const Variable* const own = opened(binding);
      return own->has(offset_bytes) ? own : nullptr;
    }
    [[gnu::always_inline]] static bool ignores_plain_writes(const Variable& own) {
      return race::DetectorThread::ignores_plain_writes(own.known->history);
    }
    [[gnu::always_inline]] static void note_word(const Variable& own, AgentId agent, race::SiteId site,
                                                 std::uint64_t offset_bytes, bool writes, std::uint32_t bits) {
      own.known->recent.note_word(agent, site, own.offset_bytes + offset_bytes, writes, bits);
    }
    [[gnu::noinline]] std::uint32_t read_buffer(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                                race::SiteId site);
    [[gnu::noinline]] void write_buffer(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                        race::SiteId site, std::uint32_t bits);
    // The access itself, of bytes of a buffer, of which `known` knows, and which are here.
    static std::uint32_t read_from(Known& known, AgentId agent, const std::byte* here, const Locations& bytes,
                                   race::SiteId site);
    static void write_to(Known& known, AgentId agent, std::byte* here, const Locations& bytes, race::SiteId site,
                         std::uint32_t bits);

    ParallelMemory& memory;
    race::DetectorThread& detector;
    std::vector<Resident> residents;
    /// The last one's: mostly that of the next access.
    AllocationId last_allocation{};
    Known* last_known = nullptr;
    /// The variables of its workgroups that were accessed lately, each at its place.
    std::array<Variable, kVariables> variables;
    std::vector<std::unique_ptr<Known>> spare;
    /// The storage of buffers, as it was in some version.
    std::vector<std::byte*> storage_of;
    std::uint64_t version = 0;
    std::vector<Operation> arrivals;
    ToldAccess now;
    emulation::Pulse pulse;
  };

  static constexpr std::uint32_t kStripeBits = 8;

  void listen_to_tags();
  Thread& begin_here();
  Thread& make_thread();
  Stripe& stripe(const Locations& bytes);
  template <typename Act>
  void with_bytes(const Operation& operation, Act act);
  void tell(Thread& thread, Known& known, const Operation& operation, const advice::AccessValues& values);
  void tell_listener(const Operation& operation, const advice::AccessValues& values);
  void tell_meeting(std::span<const Operation> arrivals);

  /// Tells of the workgroups that this thread of the system runs; and the number of the memory that it is a part of.
  static thread_local Thread* t_here;
  static thread_local std::uint64_t t_memory;

  RaceSink& sink_;
  run::RecordedAccesses& recorded_;
  bool records_all_ = false;
  /// The number of this memory among all that the program ever made.
  const std::uint64_t number_;
  race::ParallelDetector detector_;
  std::vector<std::unique_ptr<Stripe>> stripes_;

  trace::Listener* listener_ = nullptr;
  std::mutex telling_;
  /// Guarded by telling_.
  model::OperationIndex told_ = 0;

  std::mutex mutex_;
  // Guarded by mutex_:
  std::unordered_map<std::thread::id, std::unique_ptr<Thread>> threads_;
  std::vector<std::byte*> storage_;
  std::uint64_t version_ = 1;
};

}  // namespace heddle::watch
