#pragma once

/// \file
/// Happens-before, availability and visibility of a kernel's invocations, with as much memory as their
/// synchronization is irregular: after a barrier all invocations of a workgroup share one view.
///
/// Storage classes are kept apart: an order between two accesses of one class is found if every
/// operation on the way from one to the other has that class in its mask.

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/race/view.h"
#include "emulator/trace/listener.h"

namespace heddle::race {

class KernelOrder {
 public:
  explicit KernelOrder(bool chains) : chains_(chains) {}

  void agent_begins(AgentId agent, const model::Place& place);
  void agent_ends(AgentId agent);
  void system_synchronizes(AgentId first, AgentId second);

  /// All agents so far have ended, and are before all that begin from now on; after a memory dependency
  /// nobody asks for them any more.
  void dependency(bool memory);

  /// A memory barrier, or an operation of the domains.
  void barrier(const Operation& operation);
  void arrive(model::OperationIndex index, const Operation& operation);
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing);
  /// The read of an atomic, whose bytes come from these writes; before it is checked.
  void atomic_reads(const Operation& operation, std::span<const trace::Source> sources);
  /// The write of an atomic; after it is checked.
  void atomic_writes(model::OperationIndex index, const Operation& operation,
                     std::span<const trace::Source> sources);

  /// What would be before the agent if the scopes of releases and acquires included it.
  const Clock& out_of_scope(std::uint32_t agent) const { return agents_[agent]->out_of_scope; }
  const View& view(std::uint32_t agent) const { return *agents_[agent]->view; }
  Stamp now(std::uint32_t agent) const { return groups_[places_[agent].group].now; }
  GroupId group(std::uint32_t agent) const { return places_[agent].group; }
  model::Stage stage(std::uint32_t agent) const { return groups_[places_[agent].group].place.stage; }
  /// Whether both are in one instance of the reach; an agent always is with itself.
  bool same_instance(std::uint32_t a, std::uint32_t b, Reach reach) const;
  bool both_on_host_or_not(std::uint32_t a, std::uint32_t b) const {
    return groups_[places_[a].group].place.is_host() == groups_[places_[b].group].place.is_host();
  }

 private:
  /// The parts of a barrier's record that count.
  struct Ordering {
    Classes mask = 0;
    Reach reach = kOwn;
    Reach execution = kOwn;
    bool acquires = false;
    bool releases = false;
    bool makes_available = false;
    bool makes_visible = false;
    friend bool operator==(const Ordering&, const Ordering&) = default;
  };
  struct AgentPlace {
    GroupId group = 0;
    std::uint32_t subgroup = 0;
  };
  struct Group {
    model::Place place;
    Stamp now = 1;
    std::uint32_t agents = 0;
    std::uint32_t ended = 0;
  };
  /// What somebody released: acquiring it makes the view part of one's own.
  struct Release {
    std::uint32_t agent = 0;
    /// Stands for all agents of the group.
    bool everybody = false;
    Classes mask = 0;
    Reach reach = kOwn;
    std::shared_ptr<const View> view;
  };
  using ReleasePointer = std::shared_ptr<const Release>;
  struct Seen {
    ReleasePointer release;
    Classes storage = 0;
    bool at_barrier = false;
  };
  struct Agent {
    std::shared_ptr<const View> view;
    std::vector<ReleasePointer> fences;
    std::vector<Seen> seen;
    Clock out_of_scope;
    /// While it waits at a control barrier: what that releases.
    bool waits = false;
    Ordering waits_with;
  };
  /// What an atomic write offers to those who read it, besides itself: of a head of a release sequence.
  struct Head {
    std::uint32_t agent = 0;
    Reach reach = kOwn;
    Classes storage = 0;
    ReleasePointer own;
    std::vector<ReleasePointer> fences;
  };
  struct Written {
    std::uint32_t agent = 0;
    Reach reach = kOwn;
    ReferenceId reference{};
    Locations bytes;
    std::vector<Head> heads;
  };
  struct Arrival {
    model::OperationIndex index = 0;
    std::uint32_t agent = 0;
    Ordering ordering;
    /// The release barriers up to this one.
    std::vector<ReleasePointer> fences;
    bool settled = false;
  };
  struct Meeting {
    std::vector<Arrival> arrivals;
    std::size_t passed = 0;
    bool opened = false;
    std::vector<model::OperationIndex> synchronizing;
    /// Where all who pass have that in common: what they knew before and after, and what they leave to
    /// each other's later barriers.
    bool together = false;
    std::shared_ptr<const View> before;
    std::shared_ptr<const View> common;
    ReleasePointer own;
    std::vector<ReleasePointer> fences;
  };

  static Ordering ordering_of(const Operation& operation);
  Agent& agent_of(std::uint32_t agent) { return *agents_[agent]; }
  bool in_scope(const Release& release, std::uint32_t agent, Reach reach) const;
  /// Whether somebody may still synchronize with what this head releases, and `heads` has it not yet.
  bool in_scope_of(const Head& head, const Operation& other) const;
  bool is_of_use(const Head& head, const std::vector<Head>& heads) const;
  bool mutually_ordered(const Written& write, const Operation& read) const;

  /// Views of the classes in a mask, on their way to be shared; null for the others.
  using Edited = std::array<std::shared_ptr<ClassView>, kClasses>;
  static Edited edit(const View& view, Classes mask);
  View finish(View view, Edited edited, GroupId group) const;
  void lift(Edited& edited, std::uint32_t agent, Reach reach) const;
  void make_available(Edited& edited, std::uint32_t agent, bool everybody, Stamp stamp,
                      Reach reach) const;
  void make_visible(Edited& edited, const View& view, Reach reach) const;
  ReleasePointer release(std::uint32_t agent, const Ordering& ordering);
  void remember_fence(Agent& agent, const ReleasePointer& fence) const;
  void acquire(std::uint32_t agent, const Ordering& ordering,
               const std::vector<const Release*>& releases);
  void acquire_seen(std::uint32_t agent, const Ordering& ordering);
  void see(std::uint32_t agent, const ReleasePointer& release, Classes storage, bool at_barrier,
           const Ordering& reader);
  void domain_operation(const Operation& operation);

  void open(Meeting& meeting);
  bool can_open_together(const Meeting& meeting) const;
  void open_together(Meeting& meeting);
  void join_arrivals(const Meeting& meeting, std::size_t c, ClassView& view) const;
  void merge_fences(Meeting& meeting);
  void settle_one_by_one(Meeting& meeting);
  void pass_together(const Meeting& meeting, const Arrival& arrival);
  void acquire_at(const Meeting& meeting, Arrival& to);
  void leave_to_later(const Meeting& meeting, const Arrival& arrival);
  bool releases_at(const Meeting& meeting, const Arrival& arrival) const;
  bool arrivals_synchronize(const Arrival& from, const Arrival& to) const;

  bool chains_;
  std::vector<AgentPlace> places_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, GroupId> group_numbers_;
  std::unordered_map<std::uint64_t, Meeting> meetings_;
  /// The meeting of each control barrier that was told and not passed.
  std::unordered_map<model::OperationIndex, std::uint64_t> meeting_of_;
  std::unordered_map<model::OperationIndex, Written> written_;
  void miss(std::uint32_t agent, const Release& release);

  std::uint32_t first_agent_ = 0;
  /// What an agent begins with.
  std::shared_ptr<const View> nothing_ = std::make_shared<const View>();
};

}  // namespace heddle::race
