#pragma once

/// \file
/// The weak machine: memory that holds back what the memory model lets it hold back.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <vector>

#include "emulator/memory/at_once.h"
#include "emulator/memory/by_hand.h"
#include "emulator/memory/chains.h"
#include "emulator/memory/draws.h"
#include "emulator/memory/evictions.h"
#include "emulator/memory/granule_table.h"
#include "emulator/memory/hands_over.h"
#include "emulator/memory/memory.h"
#include "emulator/memory/outbox.h"
#include "emulator/memory/records.h"
#include "emulator/memory/release_sequences.h"
#include "emulator/memory/synchronization.h"
#include "emulator/memory/telling.h"
#include "emulator/memory/visibility.h"
#include "emulator/memory/write_order.h"

namespace heddle::memory {

using emulation::Relaxed;

/// Memory with caches: one for each agent and reference, and one for each subgroup, workgroup and queue
/// family instance, before the device's own. README.md says what it does and why that is sound.
///
/// Every execution on it is consistent. Choices come from the seam alone: the same answers give the
/// same execution. Progress: a write leaves its cache after MemoryPolicy::longest_wait operations at the
/// latest, and an agent is served MemoryPolicy::most_stale stale copies at most before it gets the newest value.
///
/// The class itself has the interface, and takes each access through the parts below, which have their state to
/// themselves.
class Machine final : public AtOnce, public Memory, public ByHand, public HandsOver {
 public:
  /// `choice` must outlive the machine.
  Machine(const MemoryPolicy& policy, Choice& choice, ClockLimits limits = {});
  // Its parts know each other.
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void restart() override;
  void listen(trace::Listener* listener) override {
    telling_.listen(listener);
    is_still_ = false;
  }
  emulation::InPlace& accesses_in_place() override { return *this; }
  void draw_from(SeededChoice* seeded) override { draws_.draw_from(seeded); }
  void begin(const Cohort& cohort) override;
  void end(const Cohort& cohort) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void depend(Dependency dependency) override;
  void add(AllocationId allocation, std::span<std::byte> storage) override;
  void note_initialized(AllocationId allocation, const detail::InitializedBytes& initialized) override;
  void remove(AllocationId allocation) override;
  const std::byte* read_in_place(AllocationId allocation, std::uint64_t offset_bytes) override;
  std::byte* write_in_place(emulation::Site site, AllocationId allocation, std::uint64_t offset_bytes) override;
  std::byte* in_place(Relaxed atomic, emulation::Site site, AllocationId allocation,
                      std::uint64_t offset_bytes) override;
  bool may_write_in_place() const override { return !telling_.is_on() && !records_.always_makes(); }
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, Modify modify, void* context) override;
  void barrier(const Operation& operation) override;
  void arrive(const Operation& operation) override;
  void leave(const Operation& operation, std::span<const AgentId> synchronizing) override;
  void meet(const Cohort& cohort, const Operation& barrier) override;
  void settle() override;
  void hand_over() override;
  MemoryReport report() const override;
  void count_from_now() override {
    report_ = {};
    reads_ = writes_ = updates_ = 0;
  }
  std::uint32_t late_reads() const override { return policy_.late_reads; }

  // As a player sees it (machine_held.cpp).
  std::vector<HeldWrite> held_writes() override;
  HeldCopy held_copy(const Operation& read) override;
  bool deliver(trace::OperationIndex write) override;
  bool invalidate(const Operation& read) override;
  bool can_serve(const Operation& read, trace::OperationIndex write) override;
  void serve(trace::OperationIndex write) override { visibility_.serve(write); }

  /// How many workgroups, and how many of their copies, are remembered.
  std::size_t remembered_copies() const { return visibility_.copies().remembered(); }
  /// How many allocations have writers that are remembered, for a listener that asks for the sources of atomics alone.
  std::size_t remembered_writers() const { return telling_.remembered_writers(); }

 private:
  static constexpr std::uint32_t kNone = GranuleTable::kNone;
  // Accesses have all of this inlined into them, but for what they seldom do: where it was, too, their code
  // was ten times as large.

  // Accesses, barriers and time (machine.cpp, machine_barriers.cpp).
  // Agents that access nothing that anybody remembers never come here.
  Agent& agent(AgentId id) {
    Agent& found = synchronization_.agent(id);
    if (synchronization_.uses_one_slot() && !chains_.has_one_slot()) [[unlikely]]
      chains_.use_one_slot();
    return found;
  }
  /// The agent that executes `operation`, with the tags of the operation in force.
  Agent& agent(const Operation& operation) {
    Agent& found = agent(operation.agent);
    if (operation.tags != TagSetId::Empty || synchronization_.has_tags()) [[unlikely]]
      synchronization_.use_tags(found, operation.tags);
    return found;
  }
  void before(const Operation& operation);
  /// A barrier, from what the agent met before it.
  void acquire(Agent& agent, const Operation& barrier);
  void after(Agent& agent, const Operation& operation, MemorySemantics semantics);
  void place_update(Granule& granule, std::uint32_t record, const GranuleAccess& updating, trace::Value old,
                    trace::Value fresh);
  /// Whether an update that makes `fresh` of `old` waits.
  bool may_be_late(const Granule& granule, trace::Value old, trace::Value fresh);
  [[gnu::noinline]] void wait_as_update(Granule& granule, std::uint32_t record, const GranuleAccess& updating,
                                        trace::Value old, trace::Value fresh);
  [[gnu::noinline]] bool leaves_as_it_is(const Granule& granule, std::uint32_t record, const GranuleAccess& updating,
                                         trace::Value old, bool writes, trace::Value fresh);
  bool takes_agent(const Operation& atomic, MemorySemantics semantics) const;
  [[gnu::noinline]] void modify_storage(const Operation& operation, MemorySemantics unequal, Modify modify,
                                        void* context);
  void fill(Written& made, const GranuleAccess& writing, trace::Value value, trace::OperationIndex index);
  [[gnu::noinline]] void before_write(Granule& granule, std::uint32_t record, const GranuleAccess& writing);
  /// Whether a write may have to let others of its invocation go first.
  bool keeps_order() const { return policy_.in_order && !outbox_.empty(); }
  /// Something may have begun to wait.
  void note_moves() { is_still_ = is_still_ && !evictions_.something_moves(); }
  void open(const Operation& barrier);
  [[gnu::noinline]] void make_visible(Agent& agent, const Operation& operation, MemorySemantics semantics);
  /// Time passes: an access begins, or a barrier, which has no `access`. With tags the agent of each access is asked
  /// for, also where its bytes have no record: releases that fit the access tell of what came before it.
  void tick(const Operation* access = nullptr) {
    ++now_;
    if (evictions_.something_moves()) evictions_.pass_time();
    if (access && synchronization_.has_tags()) [[unlikely]]
      (void)agent(*access);
  }
  /// The bytes of an access in place, which is `counted`.
  std::byte* give(AllocationId allocation, std::uint64_t offset_bytes, std::uint64_t& counted) {
    std::byte* const bytes = granules_.bytes(allocation, offset_bytes);
    ++counted;
    ++now_;
    if (evictions_.something_moves()) return give_in_time(bytes);
    is_still_ = !telling_.is_on();
    return bytes;
  }
  // The last thing that the giver does, so that nothing has to be kept for afterwards.
  [[gnu::noinline]] std::byte* give_in_time(std::byte* bytes);
  [[gnu::noinline]] std::byte* give_to_releaser(Relaxed atomic, AllocationId allocation, std::uint64_t offset_bytes);
  void settle(Waiting& waiting);

  const MemoryPolicy policy_;
  Draws draws_;
  Telling telling_;
  MemoryReport report_;
  /// So many have begun and not ended.
  std::uint32_t agents_ = 0;
  /// What agents know.
  Synchronization synchronization_;

  // What is remembered, and the parts that change it; each knows those above it that it is given.
  GranuleTable granules_;
  WriteOrder order_;
  Outbox outbox_;
  Evictions evictions_;
  Chains chains_;
  Visibility visibility_;
  ReleaseSequences releases_;
  Records records_;

  bool submission_begins_ = true;
};

}  // namespace heddle::memory
