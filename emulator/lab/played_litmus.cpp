#include "emulator/lab/played_litmus.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/domains/domain_memory.h"
#include "emulator/lab/played_policy.h"
#include "emulator/lab/world.h"
#include "emulator/litmus/run/kept_back.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/run/settled_outcome.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/host_reason.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/thread.h"
#include "emulator/memory/machine.h"

namespace heddle::lab {
namespace {

using run::Standing;

litmus::Performers performers_of(const litmus::Test& test, std::uint32_t which) {
  std::vector<litmus::Performers> all = litmus::choices_of_performers(test);
  return std::move(all[std::min<std::size_t>(which, all.size() - 1)]);
}

std::unique_ptr<memory::Memory> played_memory(const litmus::Test& test, Choice& choice) {
  if (litmus::needs_domains(test)) return std::make_unique<domains::DomainMemory>(played_policy(), choice, true);
  return std::make_unique<memory::Machine>(played_policy(), choice);
}

class LitmusStage final : public Stage {
 public:
  LitmusStage(const litmus::Test& test, const Rules& rules, Choice& choice)
      : program_(test, rules.bound, litmus::Spinning::Endless, performers_of(test, rules.performers)),
        memory_(played_memory(test, choice)),
        runner_(program_.program(), std::vector<std::uint32_t>(test.locations, litmus::kVariableBytes), *memory_,
                choice) {}

  const explore::Program& program() const override { return program_.program(); }
  memory::Memory& memory() override { return *memory_; }
  run::Runner& runner() override { return runner_; }
  const run::Runner& runner() const override { return runner_; }
  Outcome settled() const override {
    Outcome outcome;
    settled_outcome(program_, runner_, outcome);
    return outcome;
  }
  std::vector<Outcome> possible(const judge::Judgement& judgement) const override {
    return final_states(program_.test(), judgement, program_.results(runner_.ends()));
  }

 private:
  litmus::TestProgram program_;
  std::unique_ptr<memory::Memory> memory_;
  run::Runner runner_;
};

PlayedThread::Kind kind_of(litmus::ThreadKind kind) {
  switch (kind) {
    case litmus::ThreadKind::Host:
      return PlayedThread::Kind::Host;
    case litmus::ThreadKind::Batch:
      return PlayedThread::Kind::Batch;
    case litmus::ThreadKind::Shader:
      break;
  }
  return PlayedThread::Kind::Shader;
}

/// The instructions of a thread, or the commands of a batch.
std::vector<CodeLine> code_of(const litmus::Test& test, std::uint32_t thread) {
  std::vector<CodeLine> code;
  for (const litmus::Instruction& instruction : test.threads[thread].code)
    code.push_back({instruction.place.line, instruction.text});
  if (!test.host) return code;
  for (const litmus::Batch& batch : test.host->batches)
    for (const litmus::BatchCommand& command : batch.commands)
      if (batch.thread == thread) code.push_back({command.place.line, command.text});
  return code;
}

litmus::Question question_of(const Rules& rules, std::uint64_t limit) {
  litmus::Question question;
  question.bound = rules.bound;
  question.chains = rules.chains;
  question.limit = limit;
  return question;
}

class PlayedLitmus final : public Played {
 public:
  explicit PlayedLitmus(litmus::Test test) : test_(std::move(test)), agents_(litmus::agents_behind_threads(test_)) {
    parts_.name = test_.name;
    for (std::uint32_t i = 0; i < test_.threads.size(); ++i) {
      const litmus::Thread& at = test_.threads[i];
      parts_.threads.push_back(
          {kind_of(at.kind), at.name(), at.subgroup, at.workgroup, at.queue_family, at.queue, code_of(test_, i)});
    }
    for (const litmus::Variable& variable : test_.variables)
      parts_.variables.push_back(
          {variable.name, litmus::locations_of(variable), static_cast<trace::Value>(variable.initial)});
    for (const litmus::Observable& observable : test_.observables) parts_.observables.push_back(observable.name);
    parts_.quantifier = spell(test_.quantifier);
    if (test_.assertion) parts_.condition = spell(*test_.assertion, test_.observables);
    if (test_.filter) parts_.filter = spell(*test_.filter, test_.observables);
    parts_.has_host = test_.host != nullptr;
    parts_.performers = static_cast<std::uint32_t>(litmus::choices_of_performers(test_).size());
  }

  std::unique_ptr<Stage> stage(const Rules& rules, Choice& choice) const override {
    return std::make_unique<LitmusStage>(test_, rules, choice);
  }

  std::string agent_name(std::uint32_t agent) const override;
  std::uint32_t column(AgentId agent) const override;
  std::vector<PlayedRegister> registers(const World& world, std::uint32_t thread) const override;
  std::string awaited(const World& world, std::uint32_t thread) const override;
  std::optional<Reason> why_waits(const World& world, std::uint32_t thread) const override;

  std::uint32_t variable_of(ReferenceId reference, const Locations& bytes) const override;
  std::optional<Operation> read_of(const World& world, std::uint32_t thread, std::uint32_t variable) const override;
  std::vector<CodeLine> writers_of(std::uint32_t thread, std::uint32_t variable) const override;
  Json value(std::uint32_t, trace::Value value) const override { return static_cast<litmus::Integer>(value); }

  Json observed(std::size_t, std::int64_t value) const override { return value; }
  std::optional<std::int64_t> observed(std::size_t, const Json& value) const override {
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
  }
  bool passes_filter(const Outcome& outcome) const override {
    return !test_.filter || litmus::satisfies(outcome, *test_.filter);
  }
  bool satisfies(const Outcome& outcome) const override {
    return !test_.assertion || litmus::satisfies(outcome, *test_.assertion);
  }

  std::vector<model::OperationPair> mistakes(const judge::Judgement& judgement) const override {
    return litmus::mistakes(test_, judgement);
  }
  std::string missing_link(const judge::Judgement& judgement, const model::OperationPair& race,
                           const judge::NameOfOperation& names) const override;
  Outcomes explore(const Rules& rules, std::uint64_t limit) const override;
  Reason why_never(const Rules& rules, std::uint64_t limit, const Outcome& outcome) const override;

 private:
  litmus::Test test_;
  std::vector<litmus::AgentInColumn> agents_;
};

// --- Threads ---

std::string PlayedLitmus::agent_name(std::uint32_t index) const {
  if (index < test_.threads.size()) return test_.threads[index].name();
  const litmus::AgentInColumn& agent = agents_[index - test_.threads.size()];
  return fmt::format("{}'s `{}`", test_.threads[agent.column].name(), agent.text);
}

std::uint32_t PlayedLitmus::column(AgentId agent) const {
  const auto index = static_cast<std::uint32_t>(agent);
  return index < test_.threads.size() ? index : agents_[index - test_.threads.size()].column;
}

std::vector<PlayedRegister> PlayedLitmus::registers(const World& world, std::uint32_t thread) const {
  const auto& state = static_cast<const litmus::LitmusThread&>(world.runner().agent(thread));
  std::vector<PlayedRegister> all;
  for (std::size_t i = 0; i < test_.threads[thread].registers.size(); ++i)
    all.push_back({test_.threads[thread].registers[i].name, state.registers()[i], state.late_registers()[i]});
  return all;
}

std::string PlayedLitmus::awaited(const World& world, std::uint32_t thread) const {
  if (!test_.host) return "";
  const run::Runner& runner = world.runner();
  const explore::Program& program = world.program();
  const bool calls = runner.standing(thread) == Standing::Calling;
  const std::size_t agents = program.agents.size();
  std::string text;
  for (const explore::Point point :
       calls ? program.calls[runner.next_step(thread).call - agents].after : program.agents[thread].after) {
    if (runner.has_come(point)) continue;
    text += text.empty() ? "" : ", ";
    if (point < agents) {
      text += agent_name(point);
      continue;
    }
    const litmus::HostCall& call = test_.host->calls[point - agents];
    for (const litmus::Instruction& instruction : test_.threads[call.thread].code)
      if (instruction.call == point - agents)
        text += fmt::format("{}'s `{}`", agent_name(call.thread), instruction.text);
  }
  return text;
}

std::optional<Reason> PlayedLitmus::why_waits(const World& world, std::uint32_t thread) const {
  const run::Runner& runner = world.runner();
  const std::string who = test_.threads[thread].name();
  Reason reason;
  if (test_.host && runner.standing(thread) != Standing::Arrived) {
    reason.clause = "memory-model-system-synchronizes-with";
    reason.text = fmt::format("{} goes on once these have come: {}.", who, awaited(world, thread));
    return reason;
  }
  const auto first_of = [&](const litmus::ThreadPairs& pairs) {
    std::string others;
    for (const auto& [first, second] : pairs)
      if (second == thread && runner.standing(first) != Standing::Ended)
        others += (others.empty() ? "" : ", ") + test_.threads[first].name();
    return others;
  };
  if (runner.standing(thread) == Standing::Calling) {
    reason.clause = "memory-model-synchronizes-with";
    reason.text =
        fmt::format("{} executes its interlocked code once {} has finished.", who, first_of(test_.interlock_order));
    return reason;
  }
  if (runner.standing(thread) != Standing::NotBegun) return std::nullopt;
  if (const std::string others = first_of(test_.shader_inputs); !others.empty()) {
    reason.clause = "memory-model-shader-io";
    reason.text = fmt::format("{} is made of the outputs of {}, and begins when these are there.", who, others);
    return reason;
  }
  reason.clause = "memory-model-system-synchronizes-with";
  reason.text =
      fmt::format("{} begins once {} has finished: every operation of it system-synchronizes with every one of {}.",
                  who, first_of(test_.system_synchronization), who);
  return reason;
}

// --- Memory ---

std::uint32_t PlayedLitmus::variable_of(ReferenceId reference, const Locations& bytes) const {
  if (static_cast<std::size_t>(reference) < test_.variables.size()) return static_cast<std::uint32_t>(reference);
  std::uint32_t variable = 0;
  while (test_.variables[variable].location != static_cast<std::uint32_t>(bytes.allocation)) ++variable;
  return variable;
}

std::optional<Operation> PlayedLitmus::read_of(const World&, std::uint32_t thread, std::uint32_t variable) const {
  for (const litmus::Instruction& instruction : test_.threads[thread].code) {
    if (!instruction.traits().reads || instruction.variable != variable) continue;
    Operation read = instruction.operation;
    read.agent = static_cast<AgentId>(thread);
    read.reference = litmus::reference_of(test_, test_.threads[thread], variable);
    read.locations = litmus::locations_of(test_.variables[variable]);
    return read;
  }
  return std::nullopt;
}

std::vector<CodeLine> PlayedLitmus::writers_of(std::uint32_t thread, std::uint32_t variable) const {
  std::vector<CodeLine> lines;
  for (const litmus::Instruction& instruction : test_.threads[thread].code)
    if (instruction.traits().writes &&
        test_.variables[instruction.variable].location == test_.variables[variable].location)
      lines.push_back({instruction.place.line, instruction.text});
  return lines;
}

// --- Outcomes ---

std::string PlayedLitmus::missing_link(const judge::Judgement& judgement, const model::OperationPair& race,
                                       const judge::NameOfOperation& names) const {
  if (const auto missing = litmus::host_reason(test_, judgement, race))
    return fmt::format("The first missing link: {}: {}.", litmus::name(missing->link), missing->text);
  return Played::missing_link(judgement, race, names);
}

Outcomes PlayedLitmus::explore(const Rules& rules, std::uint64_t limit) const {
  litmus::Question question = question_of(rules, limit);
  question.keep_examples = true;
  litmus::Answer answer = litmus::answer(test_, question);
  std::vector<Outcome> values;
  for (const litmus::OutcomeRow& row : answer.outcomes) values.push_back(row.values);
  std::vector<std::string> kept_back = why_kept_back(test_, question, played_policy(), values);
  Outcomes all;
  for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
    litmus::OutcomeRow& row = answer.outcomes[i];
    all.rows.push_back(
        {std::move(row.values), row.executions, row.racy_executions, std::move(row.example), std::move(kept_back[i])});
  }
  all.complete = answer.complete;
  all.holds = answer.holds;
  all.racy = answer.racy;
  return all;
}

Reason PlayedLitmus::why_never(const Rules& rules, std::uint64_t limit, const Outcome& outcome) const {
  const litmus::Question question = question_of(rules, limit);
  const litmus::Answer found = litmus::answer(test_, question);
  const bool allowed = std::any_of(found.outcomes.begin(), found.outcomes.end(),
                                   [&](const litmus::OutcomeRow& row) { return row.values == outcome; });
  if (allowed) throw BadRequest("the memory model allows this outcome: \"show\" plays an execution that ends so");
  Reason reason;
  if (!passes_filter(outcome)) {
    reason.text = "The filter of the test discards it.";
    return reason;
  }
  const auto search =
      litmus::find_forbidden(test_, question, [&](const litmus::Outcome& state) { return state == outcome; });
  if (!search.example) {
    reason.text = search.all
                      ? "No choice of reads-from and modification order leads to these values at all: the threads "
                        "never compute them."
                      : "No short reason was found among the candidates that were tried.";
    if (!found.complete) reason.text += " The bound cuts some executions off, so that one of those may end so.";
    return reason;
  }
  return reason_of(*this, search.example->execution, search.example->violation,
                   [](OperationIndex) -> std::optional<OperationIndex> { return std::nullopt; });
}

}  // namespace

std::unique_ptr<Played> played(litmus::Test test) {
  return std::make_unique<PlayedLitmus>(std::move(test));
}

}  // namespace heddle::lab
