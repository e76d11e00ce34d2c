#pragma once

/// \file
/// Runs a program on a memory, again and again: decides which agent goes on, and does what it asks for.

#include <heddle/choice.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/explore/explore.h"
#include "emulator/memory/memory.h"
#include "emulator/model/synchronizing.h"

namespace heddle {
struct Finding;
}
namespace heddle::trace {
class Instructions;
}

namespace heddle::run {

class Checks;
class Workgroups;
struct Setting;

/// What happens to an agent that spins.
enum class Patience : std::uint8_t {
  /// It goes round for as long as its fellows have something to do, and then some rounds more: what it
  /// waits for may be on its way.
  Rounds,
  /// It sleeps until somebody writes: enough where memory is sequentially consistent, and keeps the
  /// number of interleavings finite.
  Sleep,
};

enum class RunEnd : std::uint8_t {
  /// All agents finished.
  Terminated,
  /// Some agent waits at a control barrier, spins, waits for one that does and that system-synchronizes with it, or
  /// did not go on because a finding ended the run.
  Blocked,
  /// Some agent was cut by a bound of its own.
  Cut,
};

/// Where an agent of a run stands.
enum class Standing : std::uint8_t {
  NotBegun,
  Ready,
  /// At a call of the host that waits, or at the begin of an interlock.
  Calling,
  Arrived,
  Leaving,
  Asleep,
  Ended,
};

/// One program on one memory, which nothing else uses. A run allocates nothing once it has seen what
/// there is to see, unless the agents or the memory do. An agent of which others
/// system-synchronize-with runs after they have finished.
class Runner {
 public:
  /// All must outlive the runner. `allocation_bytes` has the size of each allocation of the program.
  /// Every choice of the schedule comes from `choice`, as does every one of the memory, if it has the
  /// same.
  Runner(const explore::Program& program, std::vector<std::uint32_t> allocation_bytes, memory::Memory& memory,
         Choice& choice, Patience patience = Patience::Rounds);
  /// Runs with workgroups that begin when there is room, and with checks of each access: findings() has what is wrong.
  /// `setting` and `instructions` must outlive the runner, too.
  Runner(const explore::Program& program, const Setting& setting, const trace::Instructions& instructions,
         memory::Memory& memory, Choice& choice);
  ~Runner();

  /// Who is told of what the next runs do; null for none.
  void listen(trace::Listener* listener);
  /// Runs the program from start to end, and lets the memory settle. An exception (of `choice`, of
  /// an agent) ends the run; there may be another.
  RunEnd run();

  // A run in pieces, for a caller that decides which agent goes on: start(), step() until none is ready, finish().
  /// Begins a run, and gives up one that has not been finished.
  void start() { begin(); }
  /// The agents that can go on, in no order that means anything.
  const std::vector<std::uint32_t>& ready() const { return ready_; }
  /// A ready agent goes on by one operation; it may leave a barrier, or have a late read answered, instead. Asks
  /// `choice` for what is left open.
  void step(std::uint32_t agent) { perform(agent); }
  /// Ends the run, even if agents are still ready, and lets the memory settle.
  RunEnd finish();
  // Between two steps:
  Standing standing(std::uint32_t agent) const { return agents_[agent].standing; }
  /// Whether an agent has ended, or a call of the host was made.
  bool has_come(explore::Point point) const;
  const explore::Step& next_step(std::uint32_t agent) const { return agents_[agent].step; }
  const explore::Agent& agent(std::uint32_t agent) const { return *agents_[agent].agent; }
  /// How many reads the agent went past.
  std::size_t late_reads(std::uint32_t agent) const { return agents_[agent].late.size(); }
  /// The late read with this number, in program order.
  const Operation& late_read(std::uint32_t agent, std::size_t which) const {
    return agents_[agent].late[which].operation;
  }

  /// How the agents of the last run ended. Indexed by AgentId.
  const std::vector<explore::AgentEnd>& ends() const { return ends_; }
  /// What was wrong in the last run, the first one first: what ended it, reads of what was never written, and waiting
  /// without end. Only with a setting.
  const std::vector<Finding>& findings() const;
  /// What lies in storage after the last run.
  explore::Value final_value(const Locations& locations) const;
  /// All of storage, eight bytes at a time.
  const std::vector<std::uint64_t>& storage() const { return storage_; }

 private:
  /// A read that is answered late.
  struct Late {
    Operation operation;
    std::uint32_t name = 0;   ///< what the agent calls it
    std::uint32_t order = 0;  ///< of the agent's steps
    /// The first step behind it that was performed, and what it was told as.
    std::uint32_t first_behind = kNone;
    model::OperationIndex before = 0;
  };
  struct Running {
    std::unique_ptr<explore::Agent> agent;
    explore::Step step;
    /// How many operations the agent has stepped before.
    std::uint32_t order = 0;
    /// The place of the last one.
    SourceLocation last;
    std::vector<Late> late;
    Standing standing = Standing::NotBegun;
    /// How many agents have to finish before this one begins, and which ones wait for this one.
    std::uint32_t before = 0;
    std::vector<std::uint32_t> after;
  };
  /// A dynamic instance of a control barrier.
  struct Meeting {
    std::uint64_t instance = 0;
    std::vector<AgentId> arrived;
    /// Who synchronizes at a barrier with a quorum, once an agent has passed it.
    std::vector<AgentId> synchronizing;
    /// Whether some agent came with a quorum.
    bool has_quorum = false;
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void make_room(const std::vector<std::uint32_t>& allocation_bytes);
  void begin();
  void begin(std::uint32_t agent);
  void begin_agents();
  /// Gives the allocation to the memory.
  void add(AllocationId allocation);
  /// Tells the listener of the dispatch that begins, and of the objects that all share.
  void tell_dispatch();
  void go_to_next_dispatch();
  /// Begins workgroups as long as there is room.
  void admit_workgroups();
  void begin_workgroup(std::uint32_t workgroup);
  /// The agent has finished; its workgroup may end by that, and others begin.
  void leave_workgroup(std::uint32_t agent);
  /// Whether the operation can be done. If not, the run is over.
  bool is_allowed(const Operation& operation);
  /// Notes who waits for whom, if an agent does.
  void check_waits();
  void perform(std::uint32_t agent);
  /// What memory does for the operation of the agent's step; returns the value read.
  explore::Value access_memory(Running& running);
  /// Perhaps goes on without the value of the read that comes next.
  bool postpone(std::uint32_t agent);
  /// Whether the next step has to wait until all late reads, or some, have been answered.
  static bool needs_answers(const Running& running);
  void answer(std::uint32_t agent, std::uint32_t which);
  void note_performed(Running& running);
  // What the host's side has agents wait for (runner_calls.cpp).
  bool have_come(const std::vector<explore::Point>& points) const;
  bool waits_at_call(std::uint32_t agent) const;
  /// At the begin of an interlock until those that come first there have ended.
  bool waits_at_interlock(std::uint32_t agent) const;
  bool may_begin(std::uint32_t agent) const;
  void tell_program();
  /// Tells the memory and the listener what a call that is made now comes behind.
  void tell_call(std::uint32_t agent);
  void note_call(std::uint32_t agent);
  /// An agent has ended, or a call was made: agents may begin, and calls go on.
  void begin_those_behind();
  void tell_calls_before(std::uint32_t agent);

  /// Takes the agent's next step, of which `read` is the last operation's value.
  void go_on(std::uint32_t agent, explore::Value read);
  /// Whether the agent may go round once more.
  bool may_spin(std::uint32_t agent);
  void end(std::uint32_t agent, explore::EndState state);
  void progress();
  void ready(std::uint32_t agent);
  void not_ready(std::uint32_t agent);
  void arrive(std::uint32_t agent);
  /// Agents that have arrived may pass, if enough of them have.
  void open(const Meeting& meeting);
  void leave(std::uint32_t agent);
  void choose_quorum(Meeting& meeting, std::size_t at_least);
  Meeting& meeting_of(std::uint64_t instance);
  void end_all();

  const explore::Program& program_;
  memory::Memory& memory_;
  Choice& choice_;
  Patience patience_;
  std::vector<Running> agents_;
  std::vector<explore::AgentEnd> ends_;
  std::vector<std::uint32_t> ready_;
  /// By call of the host: the operation that it was.
  std::vector<model::OperationIndex> calls_;
  std::vector<Meeting> meetings_;
  std::size_t meetings_used_ = 0;
  /// Rounds in a row in which everybody only spun.
  std::uint32_t idle_rounds_ = 0;
  std::uint32_t asleep_ = 0;
  trace::Listener* listener_ = nullptr;
  const std::uint32_t late_reads_;
  /// How many operations memory has performed.
  model::OperationIndex told_ = 0;
  /// Null without one.
  const Setting* setting_ = nullptr;
  /// Null without a setting; the workgroups without dispatches, too.
  std::unique_ptr<Workgroups> workgroups_;
  std::unique_ptr<Checks> checks_;
  /// A finding ended the run.
  bool is_over_ = false;

  struct Allocation {
    std::size_t first = 0;  ///< in storage_
    std::uint32_t size_bytes = 0;
  };
  std::vector<Allocation> allocations_;
  std::vector<std::uint64_t> initial_;
  std::vector<std::uint64_t> storage_;
};

}  // namespace heddle::run
