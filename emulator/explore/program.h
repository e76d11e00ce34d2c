#pragma once

/// \file
/// What the explorer explores: agents that yield one operation after another.

#include <heddle/operation.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/model/place.h"

namespace heddle::explore {

using model::Value;

/// Where an agent stands among the agents of a program.
constexpr std::size_t position(AgentId agent) {
  return static_cast<std::size_t>(agent);
}

enum class StepKind : std::uint8_t {
  /// `Step::operation` is executed.
  Operation,
  /// The agent waits for the others of its company, to do something together with some of them: what is said of
  /// Company.
  Meets,
  /// The agent has come to its end.
  Finished,
  /// The agent is in a loop of which this iteration wrote nothing and changed no live register: it
  /// may do the same for ever, and one such iteration shows whatever any number of them does. The
  /// execution in which it stays there is blocked. With `Step::goes_on` the agent may be asked for a
  /// next step, in which it goes round once more; else it is not asked again.
  Spinning,
  /// The agent has spun again as often as it was to: what it would do next was found before, so
  /// nothing that leads here is an execution of its own.
  SpunEnough,
  /// A bound of the agent's own (loop iterations) does not let it go on. The execution is cut.
  Cut,
  /// What comes next needs reads that were postponed: the agent is to be asked again when it has been given
  /// their values. Only of agents that were told to postpone something.
  Unanswered,
};

/// An access that an agent may still do.
struct LaterAccess {
  Locations locations;
  ReferenceId reference{};
  bool writes = false;
  bool non_private = false;
  TagSetId tags = TagSetId::Empty;

  friend bool operator==(const LaterAccess&, const LaterAccess&) = default;
};

/// All that an agent may still do, whatever it reads; more does no harm but to speed.
struct Later {
  std::vector<LaterAccess> accesses;
  /// Whether it may come to a control barrier.
  bool arrives = false;

  bool writes() const {
    for (const LaterAccess& access : accesses)
      if (access.writes) return true;
    return false;
  }
};

/// What becomes of the value of a read.
enum class ValueUse : std::uint8_t {
  /// The value may decide what its agent does or writes, or whether the front end counts the execution.
  Decides,
  /// The value may be among the results of its agent, and does nothing else. Only reads that are not atomic have this
  /// use.
  Shown,
  /// Nothing. Only of a read that is not atomic and makes nothing visible.
  Unused,
};

/// What an agent may have to wait for: the end of an agent (its number), or a call (the number of agents, and the
/// number of the call).
using Point = std::uint32_t;
inline constexpr Point kNoPoint = ~Point{0};

/// What an agent does next.
struct Step {
  StepKind kind = StepKind::Finished;

  /// Its `agent` is filled in by the explorer.
  Operation operation;

  /// What a write writes; what an agent that Meets brings to its company.
  Value written = 0;

  /// What a read-modify-write writes when it reads this; nothing if it then does not write (a
  /// compare-exchange that fails, which is a mere read with `failure_semantics`).
  std::function<std::optional<Value>(Value)> modify;
  MemorySemantics failure_semantics = MemorySemantics::Relaxed;

  /// The agents that take part in the instance of a control barrier, ascending, this one included.
  /// Without a quorum the barrier opens when all of them have arrived; with one, when as many have,
  /// and then any set of at least `quorum` arrivals may be the one that synchronizes.
  std::vector<AgentId> participants;
  std::uint32_t quorum = 0;

  /// The call that the operation is.
  Point call = kNoPoint;

  /// Whether an agent that is Spinning may be asked for a next step.
  bool goes_on = false;

  /// Whether a read may be postponed: then the agent may come to a write before it needs the value.
  bool postponable = false;

  /// What becomes of the value of a read. What is told beside AllExecutions (explore.h) rests on it.
  ValueUse use = ValueUse::Decides;

  /// Whether all values of a read with which its agent then spins for ever are alike. All accesses to its locations,
  /// of any agent, are atomics that are mutually ordered with each other, and the front end counts every execution,
  /// whatever it ends with. What is told beside AllExecutions (explore.h) rests on it.
  bool spins_alike = false;

  /// Whether nobody reads what a write writes: all accesses to its locations, of any agent, are writes that are atomic
  /// and mutually ordered with each other. What is told beside AllExecutions (explore.h) rests on it.
  bool unread = false;

  /// What the agent may still do, this step included. Null if it does not know: then it is watched, or its
  /// program explored more than once, to find out. Either all of its steps say so or none; what it points
  /// to lives as long as the program.
  const Later* later = nullptr;

  /// The agent's state as the front end wants to see it at the end of an execution that ends here
  /// (final registers of a litmus thread). Read for every kind but an `Operation` other than a
  /// control barrier.
  std::vector<Value> results;
};

/// One run of one agent. The explorer runs agents again from the start rather than copying them, so
/// an agent must do the same again when it reads the same again.
class Agent {
 public:
  virtual ~Agent() = default;

  /// The next step. `last_read` is what the previous operation read; it is 0, and to be ignored,
  /// at the start and after a step that reads nothing. Not called again after a step that is not an
  /// `Operation` and does not go on.
  virtual Step next(Value last_read) = 0;

  /// What `next` does, for runs again and again: `step` is used again, and keeps what its new kind does not need.
  virtual void advance(Value last_read, Step& step) { step = next(last_read); }
  /// Goes on past the read that was stepped last, although it has no value yet: whatever is asked for next
  /// does not depend on it. Returns what answer() calls it. Only after a step that is postponable.
  virtual std::uint32_t postpone() { return 0; }
  /// The value of a postponed read.
  virtual void answer(std::uint32_t read, Value value) { (void)read, (void)value; }
  /// Becomes as it was when it was started; false if it cannot, and a new one has to be started.
  virtual bool restart() { return false; }
};

struct AgentDescription {
  model::Place place;
  std::function<std::unique_ptr<Agent>()> start;
  /// What has to have come before the agent starts. Calls among these system-synchronize with all that it does.
  std::vector<Point> after = {};
  /// Agents with one number other than 0 do the same when they read the same: their steps are equal but for the agents
  /// and the instances of control barriers. Looked at where executions are wanted up to symmetry (explore.h) and agents
  /// tell what they may do; those that do not are compared by what they do.
  std::uint32_t alike = 0;
};

/// A call that an agent makes once, or never. It happens when what it waits for has come, and that
/// system-synchronizes with it.
struct Call {
  AgentId agent{};
  std::vector<Point> after;
};

/// Agents that do things together when all of them wait: the lanes of a subgroup. They meet once each of them Meets,
/// has come to a control barrier, or has Finished.
using Company = std::vector<AgentId>;
/// By agent of a company, in its order: what it brings, or what it gets.
using CompanyValues = std::vector<std::optional<Value>>;
inline bool has_value(const CompanyValues& values) {
  return std::any_of(values.begin(), values.end(), [](const std::optional<Value>& one) { return one.has_value(); });
}

struct Program {
  /// Indexed by AgentId.
  std::vector<AgentDescription> agents;

  /// No agent is in two.
  std::vector<Company> companies;
  /// What comes of it when a company meets, by what those bring that Meet: who gets a value goes on with it, as with
  /// what a read reads, and the others wait on. Where nobody does, all wait for ever. It must be the same whenever it
  /// is asked the same. If `Step::operation` of those that go on is a control barrier they execute it, as one instance.
  std::function<CompanyValues(const CompanyValues&)> meet;

  /// The initial value of these locations (at most 8 bytes); all zeros if empty.
  std::function<Value(const Locations&)> initial_value;

  /// Every operation of the first system-synchronizes with every operation of the second.
  std::vector<model::AgentPair> system_synchronization;

  /// As in model::Execution.
  std::vector<model::AgentPair> interlock_order;
  std::vector<model::AgentPair> shader_inputs;

  /// Calls of the host; the calls of one agent stand in program order.
  std::vector<Call> calls;
  /// As in model::Execution.
  std::shared_ptr<const model::HostSide> host;

  /// The values that a read may take out of thin air; asked for by Options::thin_air.
  std::vector<Value> thin_air_values;
};

}  // namespace heddle::explore
