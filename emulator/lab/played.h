#pragma once

/// \file
/// What is played: a litmus test, or a dispatch of a SPIR-V module, as far as a game asks about it.

#include <heddle/choice.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/judge/judgement.h"
#include "emulator/lab/reason.h"
#include "emulator/memory/by_hand.h"
#include "emulator/memory/memory.h"
#include "emulator/run/runner.h"
#include "emulator/trace/listener.h"

namespace heddle::lab {

using Json = nlohmann::ordered_json;

class World;

/// A request that cannot be met; what() says why, in a sentence for the player. The session is as it was.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a game goes.
struct Rules {
  /// Iterations of each loop that change something. (A module's loops go on in a game, and are bounded where it is
  /// explored.)
  std::uint64_t bound = 2;
  /// Availability and visibility chains.
  bool chains = true;
  /// Which choice of who performs cooperative accesses.
  std::uint32_t performers = 0;
};

/// Final values, one for each observable.
using Outcome = std::vector<std::int64_t>;

/// A line of a thread's column, and its text.
struct CodeLine {
  std::uint32_t line = 0;
  std::string text;
  /// "scan.comp:12": what it was compiled from, if that is known.
  std::string source = {};
};

/// A thread, or an invocation, and where it is.
struct PlayedThread {
  enum class Kind : std::uint8_t { Shader, Host, Batch };
  Kind kind = Kind::Shader;
  std::string name;
  std::uint64_t subgroup = 0;
  std::uint64_t workgroup = 0;
  std::uint64_t queue_family = 0;
  std::uint64_t queue = 0;  ///< of a batch
  std::vector<CodeLine> code;
};

/// A scalar of memory. Those with the same bytes are names of one.
struct PlayedVariable {
  std::string name;
  Locations bytes;
  trace::Value initial = 0;
};

/// What a thread has computed.
struct PlayedRegister {
  std::string name;
  Json value;
  bool late = false;  ///< its read is still to be answered
};

/// Undefined behaviour, or another mistake that is no race.
struct PlayedFinding {
  std::uint32_t thread = 0;
  std::uint32_t line = 0;
  std::string text;
};

/// What of it never changes.
struct PlayedParts {
  std::string name;
  std::vector<PlayedThread> threads;
  std::vector<PlayedVariable> variables;
  std::vector<std::string> observables;
  std::string quantifier;
  /// What is asked of final values, and what discards them; empty for nothing.
  std::string condition;
  std::string filter;
  /// Whether there is a host's side.
  bool has_host = false;
  /// How many choices there are of who performs cooperative accesses.
  std::uint32_t performers = 1;
};

/// One copy of what is played, on a memory in which nothing happens by itself.
class Stage {
 public:
  virtual ~Stage() = default;

  /// To be called before its runner starts.
  virtual void restart() {}
  virtual const explore::Program& program() const = 0;
  virtual memory::Memory& memory() = 0;
  virtual run::Runner& runner() = 0;
  virtual const run::Runner& runner() const = 0;
  /// The final values that memory settled on.
  virtual Outcome settled() const = 0;
  /// All that are possible after this execution, which is the last run's.
  virtual std::vector<Outcome> possible(const judge::Judgement& judgement) const = 0;
  virtual std::vector<PlayedFinding> findings() const { return {}; }
};

/// One set of final values that the memory model allows.
struct OutcomeRow {
  Outcome values;
  std::uint64_t executions = 0;
  std::uint64_t racy_executions = 0;
  std::optional<model::Execution> example;
  /// Why no game ends so; empty where one may.
  std::string kept_back;
};

/// What the explorer finds.
struct Outcomes {
  std::vector<OutcomeRow> rows;
  bool complete = false;
  bool holds = false;
  bool racy = false;
};

class Played {
 public:
  virtual ~Played() = default;
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;

  const std::string& name() const { return parts_.name; }
  const std::vector<PlayedThread>& threads() const { return parts_.threads; }
  const std::vector<PlayedVariable>& variables() const { return parts_.variables; }
  const std::vector<std::string>& observables() const { return parts_.observables; }
  const std::string& quantifier() const { return parts_.quantifier; }
  const std::string& condition() const { return parts_.condition; }
  const std::string& filter() const { return parts_.filter; }
  bool has_host() const { return parts_.has_host; }
  std::uint32_t performers() const { return parts_.performers; }

  /// `this` must outlive it. Choices come from `choice`.
  virtual std::unique_ptr<Stage> stage(const Rules& rules, Choice& choice) const = 0;

  // Threads. An agent that is none of them is in the column of one.
  virtual std::string agent_name(std::uint32_t agent) const { return threads()[agent].name; }
  virtual std::uint32_t column(AgentId agent) const { return static_cast<std::uint32_t>(agent); }
  /// What a thread has computed so far.
  virtual std::vector<PlayedRegister> registers(const World& world, std::uint32_t thread) const = 0;
  /// What has to come before a thread of a host test begins, or makes its call, and has not.
  virtual std::string awaited(const World&, std::uint32_t) const { return ""; }
  /// Why a thread does not go on, where it waits at no control barrier.
  virtual std::optional<Reason> why_waits(const World&, std::uint32_t) const { return std::nullopt; }

  // Memory.
  /// The variable that an access is of.
  virtual std::uint32_t variable_of(ReferenceId reference, const Locations& bytes) const = 0;
  /// A read of the variable as the thread does it; nothing if it is not known to do any.
  virtual std::optional<Operation> read_of(const World& world, std::uint32_t thread, std::uint32_t variable) const = 0;
  /// The lines of a thread's code that may write the variable.
  virtual std::vector<CodeLine> writers_of(std::uint32_t thread, std::uint32_t variable) const = 0;
  virtual Json value(std::uint32_t variable, trace::Value value) const = 0;
  /// The value in a sentence.
  std::string spelled(std::uint32_t variable, trace::Value value) const;

  // Outcomes.
  virtual Json observed(std::size_t observable, std::int64_t value) const = 0;
  /// "whole number"
  virtual std::string kind_of_value(std::size_t) const { return "whole number"; }
  /// The other way; nothing if the JSON is no value of it.
  virtual std::optional<std::int64_t> observed(std::size_t observable, const Json& value) const = 0;
  virtual bool passes_filter(const Outcome& outcome) const = 0;
  /// Whether the condition holds; true without one.
  virtual bool satisfies(const Outcome& outcome) const = 0;

  /// Pairs of operations that race, or that are told as a race.
  virtual std::vector<model::OperationPair> mistakes(const judge::Judgement& judgement) const;
  /// What is missing between the two of a race, as a sentence; empty if nobody knows.
  virtual std::string missing_link(const judge::Judgement& judgement, const model::OperationPair& race,
                                   const judge::NameOfOperation& names) const;

  /// Explores it, `limit` executions at most, with an example for each outcome. Throws BadRequest where that cannot be.
  virtual Outcomes explore(const Rules& rules, std::uint64_t limit) const = 0;
  /// Why no execution ends so. Throws BadRequest where one does.
  virtual Reason why_never(const Rules& rules, std::uint64_t limit, const Outcome& outcome) const = 0;

 protected:
  Played() = default;
  explicit Played(PlayedParts parts) : parts_(std::move(parts)) {}

  PlayedParts parts_;
};

/// A value as a sentence says it.
std::string spelled(const Json& value);

}  // namespace heddle::lab
