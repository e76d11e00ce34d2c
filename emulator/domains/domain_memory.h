#pragma once

/// \file
/// Memory with a host's side: what the host, commands and shaders write stays in their domains until the API moves it.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/domains/knowledge.h"
#include "emulator/domains/order_of_writes.h"
#include "emulator/memory/by_hand.h"
#include "emulator/memory/draws.h"
#include "emulator/memory/memory.h"
#include "emulator/model/dependency.h"

namespace heddle::domains {

/// Memory of a program that has a host's side (model::HostSide): threads of the host, commands, shaders, and the
/// dependencies of the API between them. README.md says how it works and why every execution on it is consistent.
///
/// Its door, for whoever has queues: `host` says which agents are commands and which are dependencies, again whenever
/// there are more of them; `barrier` performs an operation of a dependency (availability, visibility, domains), a flush
/// or an invalidation; `read` and `write` are accesses of whoever their agent is, be it a thread of the host, a
/// transfer or a shader; `comes_before` is for calls of the host that wait. An agent's end lets those behind it in the
/// API's order know of what it did.
///
/// Choices come from the seam alone. Progress is as with the machine (memory/machine.h).
class DomainMemory final : public memory::Memory, public memory::ByHand {
 public:
  /// `choice` must outlive the memory. `by_hand`: each write comes behind all that there are, so that a player sees
  /// what comes before what.
  DomainMemory(const MemoryPolicy& policy, Choice& choice, bool by_hand = false)
      : policy_(policy), draws_(choice), by_hand_(by_hand) {}

  void host(std::shared_ptr<const model::HostSide> side) override;
  void stages_in_order(std::span<const model::AgentPair> interlock, std::span<const model::AgentPair> inputs) override;
  void comes_before(AgentId first, AgentId second) override;
  void comes_before(trace::OperationIndex call, AgentId second) override;

  void restart() override;
  void listen(trace::Listener* listener) override { listener_ = listener; }
  void draw_from(SeededChoice* seeded) override { draws_.draw_from(seeded); }
  void begin(const memory::Cohort& cohort) override;
  void end(const memory::Cohort& cohort) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void depend(memory::Dependency dependency) override;
  void add(AllocationId allocation, std::span<std::byte> storage) override;
  void remove(AllocationId) override {}
  void read(const Operation& operation, void* value) override;
  void write(const Operation& operation, const void* value) override;
  void read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                         void* context) override;
  void barrier(const Operation& operation) override;
  void arrive(const Operation& operation) override;
  void leave(const Operation& operation, std::span<const AgentId> synchronizing) override;
  void settle() override;

  std::vector<memory::HeldWrite> held_writes() override;
  memory::HeldCopy held_copy(const Operation& read) override;
  bool deliver(trace::OperationIndex write) override;
  bool invalidate(const Operation& read) override;
  bool can_serve(const Operation& read, trace::OperationIndex write) override;
  void serve(trace::OperationIndex write) override { served_ = write; }

 private:
  struct Agent {
    model::Place place;
    Knowledge knowledge;
    /// By reference: what the agent read and wrote.
    std::map<ReferenceId, NumberSet> own;
    /// What atomics read that did not acquire: a fence may.
    std::vector<Head> seen;
    std::optional<Head> fence;
    /// What had happened when it ended its interlock.
    std::optional<Knowledge> unlocked;
    /// What a MakeVisible has shown to the agent of what shaders offered.
    NumberSet made_visible;
    std::uint32_t stale_reads = 0;
  };
  /// A visibility operation of the API: what was there when it was performed, for those that it includes.
  struct Shown {
    /// None for an invalidation, which is of a range, and for what shows everything.
    std::optional<model::Dependency> dependency;
    bool on_host = false;
    Locations range;
    NumberSet writes;
    std::map<std::uint32_t, NumberSet> owned;
  };
  /// A release of ownership: what passes with it.
  struct Handed {
    model::OwnershipTransfer transfer;
    NumberSet writes;
  };
  struct Arrival {
    AgentId agent{};
    trace::OperationIndex index = 0;
    /// What it offers to those that acquire there, or by a fence behind it.
    std::vector<Head> heads;
  };

  // Agents and order.
  static bool orders_outputs(const Agent& agent) { return agent.place.stage == model::Stage::TessellationControl; }
  Agent& agent(AgentId id) { return agents_[static_cast<std::size_t>(id)]; }
  bool is_on_host(AgentId id) const { return agents_[static_cast<std::size_t>(id)].place.is_host(); }
  void find_followers();
  void acquire(Agent& reader, const Operation& reading, const Write& from);
  void acquire_seen(Agent& agent, const Operation& fence);
  bool in_scopes(const Head& head, AgentId reader, Scope scope) const;
  std::vector<Head> heads_of(Agent& writer, const Operation& operation);
  void release(Agent& releaser, const Operation& operation);
  void lock(const Operation& operation);

  // Accesses.
  std::uint32_t granule_of(const Locations& bytes) const;
  /// The oldest position that an access may have, whose agent must know of all before it.
  Position floor_of(const Granule& granule, const Operation& access) const;
  bool device_must_know(const Write& write, std::uint32_t number, const Operation& access) const;
  bool host_must_know(const Write& write, std::uint32_t number, const Operation& access) const;
  bool is_shown_to(const Write& write, std::uint32_t number, const Operation& read, const Shown& shown) const;
  bool needs_transfer(const Write& write, const Operation& read) const;
  bool is_input_from(const Write& write, const Operation& read) const;
  bool reaches(const Write& write, const Operation& access) const;
  bool is_coherent(AllocationId allocation) const;
  Position newest_for(const Granule& granule, const Operation& access, Position floor) const;
  Position choose(Granule& granule, const Operation& read, Position floor, Position newest);
  void fill_host_cache(const Granule& granule);
  /// The bytes of the granule at a position, and where they come from.
  trace::Value look(const Granule& granule, const Operation& access, Position position, Position floor);
  void note_met(Agent& reader, const Granule& granule, const Operation& read, Position position);
  Position place_for(const Granule& granule, const Operation& write, Position floor);
  std::uint32_t put(const Operation& operation, trace::Value value, Position position, std::vector<Head> heads,
                    bool follows);

  // Domains.
  void make_available_on_device(const Operation& operation);
  void show_from_device(const Operation& operation);
  void hand_on(const model::Dependency& dependency, Knowledge& knowledge);
  void take_over(const model::Dependency& dependency, Knowledge& knowledge);
  void move(std::uint32_t number, bool to_host, trace::MoveReason reason);

  void tick();
  trace::OperationIndex tell(const Operation& operation, trace::Value read, trace::Value written);

  const MemoryPolicy policy_;
  memory::Draws draws_;
  const bool by_hand_;
  trace::Listener* listener_ = nullptr;
  std::shared_ptr<const model::HostSide> side_;
  std::vector<model::AgentPair> interlock_;
  std::vector<model::AgentPair> inputs_;
  /// By agent: those that the API's order puts behind its end.
  std::vector<std::vector<AgentId>> followers_;

  std::uint64_t now_ = 0;
  trace::OperationIndex told_ = 0;
  std::vector<Agent> agents_;
  std::vector<Write> writes_;
  std::vector<Granule> granules_;
  std::vector<std::span<std::byte>> storage_;
  /// By allocation: its first granule.
  std::vector<std::uint32_t> first_granule_;
  std::vector<Shown> shown_;
  std::vector<Handed> handed_;
  std::map<std::uint64_t, std::vector<Arrival>> meetings_;
  /// What the calls of the host had before them.
  std::map<trace::OperationIndex, Knowledge> calls_;
  std::vector<trace::Source> sources_;
  /// The writes that the last look found.
  std::vector<std::uint32_t> found_;
  std::optional<trace::OperationIndex> served_;
};

}  // namespace heddle::domains
