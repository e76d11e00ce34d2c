#include "emulator/litmus/vulkan/host_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "emulator/litmus/vulkan/host_plan.h"
#include "emulator/litmus/vulkan/host_reason.h"
#include "emulator/litmus/vulkan/host_words.h"
#include "emulator/litmus/vulkan/mistakes.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/litmus/vulkan/thread.h"
#include "emulator/model/access_scope.h"

namespace heddle::litmus {
namespace {

/// So many graphs of the explorer for each change: an explanation must not take longer than the answer.
constexpr std::uint64_t kMostGraphs = 20000;

/// Where a command stands.
struct CommandPlace {
  std::size_t batch = 0;
  std::size_t command = 0;
};

/// Proposes changes of a copy of the test, and keeps those that help.
class Workshop {
 public:
  Workshop(const Test& test, const Question& question, const RaceExample& race)
      : test_(test), question_(question), race_(race), judgement_(race.execution, explorer_options(question).model) {
    question_.on_execution = {};
    question_.keep_examples = true;
    question_.limit = 0;
  }

  std::vector<HostChange> changes();

 private:
  const Operation& at(model::OperationIndex i) const { return race_.execution.operations[i]; }
  bool on_host(model::OperationIndex i) const { return race_.execution.place(i).is_host(); }
  std::optional<CommandPlace> place_of_command(const Operation& operation) const;
  std::optional<CommandPlace> dispatch_of(std::uint32_t thread) const;
  std::optional<Mask> mask_of(model::OperationIndex access, bool writes) const;
  void widen(const Operation& dependency, bool first, const Mask& mask);
  void make_global(const Operation& dependency);
  void widen_semaphore(const Operation& dependency, const Mask& mask);
  void add_barrier(const CommandPlace& before, const Mask& first, const Mask& second);
  void add_barriers();
  void add_memory_call(model::OperationIndex access, OperationKind kind, bool behind);
  void add_wait(model::OperationIndex before);
  void add_call(Test& changed, std::uint32_t thread, std::size_t at, Instruction call) const;
  std::optional<std::size_t> instruction_of(model::OperationIndex access) const;
  void propose(std::string text, Test changed);
  void mend(const HostReason& reason);
  bool still_races(const Test& changed, bool& other) const;

  const Test& test_;
  Question question_;
  const RaceExample& race_;
  judge::Judgement judgement_;
  std::vector<HostChange> clean_;
  std::vector<HostChange> others_;
};

/// Copies of a test share its host's side: this one gets its own.
HostTest& own_host(Test& test) {
  const auto own = std::make_shared<HostTest>(*test.host);
  test.host = own;
  return *own;
}

template <typename Meaning, std::size_t size>
std::string spell(Meaning value, const std::pair<std::string_view, Meaning> (&table)[size]) {
  for (const auto& [word, meaning] : table)
    if (meaning == value) return std::string(word);
  return "none";
}

std::string spell(const Mask& mask) {
  const std::string stages = spell(mask.stages, kPipelineStageWords);
  if (mask.accesses == model::Accesses::None) return stages;
  return fmt::format("{}.{}", stages, spell(mask.accesses, kAccessWords));
}

std::optional<CommandPlace> Workshop::place_of_command(const Operation& operation) const {
  for (std::size_t b = 0; b < test_.host->batches.size(); ++b)
    for (std::size_t c = 0; c < test_.host->batches[b].commands.size(); ++c)
      if (test_.host->batches[b].commands[c].text.c_str() == operation.where.function) return CommandPlace{b, c};
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  return agent < test_.threads.size() ? dispatch_of(agent) : std::nullopt;
}

std::optional<CommandPlace> Workshop::dispatch_of(std::uint32_t thread) const {
  for (std::size_t b = 0; b < test_.host->batches.size(); ++b) {
    const std::vector<BatchCommand>& commands = test_.host->batches[b].commands;
    for (std::size_t c = 0; c < commands.size(); ++c)
      if (std::find(commands[c].threads.begin(), commands[c].threads.end(), thread) != commands[c].threads.end())
        return CommandPlace{b, c};
  }
  return std::nullopt;
}

/// The stage and the kind of an access.
std::optional<Mask> Workshop::mask_of(model::OperationIndex access, bool writes) const {
  const model::HostSide& host = host_side(race_.execution.host);
  if (on_host(access))
    return Mask{model::Stages::Host, writes ? model::Accesses::HostWrite : model::Accesses::HostRead};
  const model::Command* const command = command_of(host, at(access).agent);
  if (command == nullptr) return std::nullopt;
  return Mask{command->stage, kind_of(host, *command, at(access), writes)};
}

/// Whether the two race in some execution, as far as that is found out; `other`: whether something else does.
bool Workshop::still_races(const Test& changed, bool& other) const {
  explore::Options options = explorer_options(question_);
  options.graph_limit = kMostGraphs;
  const TestProgram program(changed, question_.bound);
  bool found = false;
  const auto is_of = [&](const Operation& one, model::OperationIndex old) {
    return one.agent == at(old).agent && one.where.line == at(old).where.line &&
           std::string_view(one.where.function) == at(old).where.function && one.kind == at(old).kind;
  };
  const explore::Statistics all = explored(program.program(), options, [&](const explore::Found& execution) {
    for (const auto& [x, y] : mistakes(changed, execution.judgement)) {
      const Operation& a = execution.execution.operations[x];
      const Operation& b = execution.execution.operations[y];
      const bool same =
          (is_of(a, race_.first) && is_of(b, race_.second)) || (is_of(a, race_.second) && is_of(b, race_.first));
      found = found || same;
      other = other || !same;
    }
    return !found;
  });
  return found || !all.complete;
}

void Workshop::propose(std::string text, Test changed) {
  bool other = false;
  try {
    if (still_races(changed, other)) return;
  } catch (const ParseError&) {
    // The change makes a host's side that cannot be: a cycle of waits.
    return;
  }
  if (other) text += " (something else still races)";
  (other ? others_ : clean_).push_back({std::move(text), std::move(changed)});
}

void Workshop::widen(const Operation& dependency, bool first, const Mask& mask) {
  const auto place = place_of_command(dependency);
  if (!place) return;
  Test changed = test_;
  HostTest& host = own_host(changed);
  BatchCommand* command = &host.batches[place->batch].commands[place->command];
  // The masks of an event's wait stand at its set.
  std::optional<Mask>& wide = first ? command->first : command->second;
  if (!wide) return;
  wide->stages = wide->stages | mask.stages;
  wide->accesses = wide->accesses | mask.accesses;
  propose(fmt::format("add {} to the {} mask of `{}` (line {})", spell(mask), first ? "source" : "destination",
                      command->text, command->place.line),
          std::move(changed));
}

/// A barrier of a buffer becomes one of all memory.
void Workshop::make_global(const Operation& dependency) {
  const auto place = place_of_command(dependency);
  if (!place) return;
  Test changed = test_;
  HostTest& host = own_host(changed);
  BatchCommand& command = host.batches[place->batch].commands[place->command];
  command.variables.clear();
  propose(
      fmt::format("make `{}` (line {}) a barrier of all memory, or of both buffers", command.text, command.place.line),
      std::move(changed));
}

void Workshop::widen_semaphore(const Operation& dependency, const Mask& mask) {
  const auto place = place_of_command(dependency);
  if (!place) return;
  Test changed = test_;
  HostTest& host = own_host(changed);
  BatchCommand& command = host.batches[place->batch].commands[place->command];
  command.stages = command.stages | mask.stages;
  propose(fmt::format("add the stage {} to `{}` (line {})", spell({mask.stages, model::Accesses::None}), command.text,
                      command.place.line),
          std::move(changed));
}

void Workshop::add_barrier(const CommandPlace& before, const Mask& first, const Mask& second) {
  Test changed = test_;
  HostTest& host = own_host(changed);
  std::vector<BatchCommand>& commands = host.batches[before.batch].commands;
  BatchCommand barrier;
  barrier.kind = CommandKind::Barrier;
  barrier.first = first;
  barrier.second = second;
  barrier.text = fmt::format("dep {} {}", spell(first), spell(second));
  const bool at_end = before.command == commands.size();
  const std::string neighbour = commands[std::min(before.command, commands.size() - 1)].text;
  std::string text = fmt::format("put `{}` {} `{}` in {}", barrier.text, at_end ? "behind" : "in front of", neighbour,
                                 changed.threads[host.batches[before.batch].thread].name());
  barrier.place = commands[std::min(before.command, commands.size() - 1)].place;
  commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(before.command), std::move(barrier));
  propose(std::move(text), std::move(changed));
}

/// A barrier from the one access to the other: in front of the later command, or behind the earlier one if the
/// later access is the host's.
void Workshop::add_barriers() {
  const auto reason = host_reason(test_, judgement_, {race_.first, race_.second});
  const model::OperationIndex x = reason ? reason->from : race_.first;
  const model::OperationIndex y = reason ? reason->to : race_.second;
  const auto first = mask_of(x, at(x).writes());
  const auto second = mask_of(y, !at(y).reads());
  if (!first || !second) return;
  Mask destination = *second;
  if (!at(x).writes()) destination.accesses = model::Accesses::None;
  const Mask source = at(x).writes() ? *first : Mask{first->stages, model::Accesses::None};
  if (!on_host(y)) {
    if (const auto place = place_of_command(at(y))) add_barrier(*place, source, destination);
  } else if (const auto place = place_of_command(at(x))) {
    add_barrier({place->batch, place->command + 1}, source, destination);
  }
}

std::optional<std::size_t> Workshop::instruction_of(model::OperationIndex access) const {
  const Thread& thread = test_.threads[column_of(test_, at(access))];
  for (std::size_t i = 0; i < thread.code.size(); ++i)
    if (thread.code[i].text.c_str() == at(access).where.function) return i;
  return std::nullopt;
}

void Workshop::add_call(Test& changed, std::uint32_t thread, std::size_t at, Instruction call) const {
  std::vector<Instruction>& code = changed.threads[thread].code;
  for (Instruction& instruction : code)
    if (instruction.traits().jumps && instruction.target >= at) ++instruction.target;
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), std::move(call));
}

void Workshop::add_memory_call(model::OperationIndex access, OperationKind kind, bool behind) {
  const auto place = instruction_of(access);
  if (!place) return;
  Test changed = test_;
  const std::uint32_t thread = column_of(test_, at(access));
  const Variable& variable = variable_of(test_, at(access));
  Instruction call;
  call.kind = InstructionKind::HostCall;
  call.operation.kind = kind;
  call.operation.locations = locations_of(variable);
  call.place = test_.threads[thread].code[*place].place;
  call.text = fmt::format("{} {}", kind == OperationKind::HostAvailability ? "flush" : "invalidate", variable.name);
  std::string text = fmt::format("put `{}` {} `{}` (line {})", call.text, behind ? "behind" : "in front of",
                                 at(access).where.function, call.place.line);
  add_call(changed, thread, *place + (behind ? 1 : 0), std::move(call));
  propose(std::move(text), std::move(changed));
}

/// `idle` of all queues in front of a host's operation.
void Workshop::add_wait(model::OperationIndex before) {
  const auto place = instruction_of(before);
  if (!place) return;
  Test changed = test_;
  HostTest& host = own_host(changed);
  const std::uint32_t thread = column_of(test_, at(before));
  HostCall idle;
  idle.kind = CallKind::Idle;
  idle.thread = thread;
  idle.place = test_.threads[thread].code[*place].place;
  // Calls of one thread are in program order: those that come later move on.
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < *place; ++i)
    if (test_.threads[thread].code[i].call) number = *test_.threads[thread].code[i].call + 1;
  for (Thread& other : changed.threads)
    for (Instruction& instruction : other.code)
      if (instruction.call && *instruction.call >= number) ++*instruction.call;
  host.calls.insert(host.calls.begin() + number, idle);
  Instruction call;
  call.kind = InstructionKind::HostCall;
  call.operation.kind = OperationKind::HostAvailability;
  call.operation.locations = {static_cast<AllocationId>(~std::uint32_t{0}), 0, kVariableBytes};
  call.place = idle.place;
  call.text = "idle";
  call.call = number;
  add_call(changed, thread, *place, std::move(call));
  propose(fmt::format("wait for the fence of the submission, or put `idle`, in front of `{}` (line {})",
                      at(before).where.function, idle.place.line),
          std::move(changed));
}

void Workshop::mend(const HostReason& reason) {
  const auto operation_of = [&](AgentId agent) -> const Operation* {
    for (const Operation& operation : race_.execution.operations)
      if (operation.agent == agent) return &operation;
    return nullptr;
  };
  const Operation* const dependency = reason.dependency ? operation_of(*reason.dependency) : nullptr;
  const auto first = mask_of(reason.from, at(reason.from).writes());
  const auto second = mask_of(reason.to, !at(reason.to).reads());
  const auto is = [&](std::initializer_list<HostLink> links) {
    return std::find(links.begin(), links.end(), reason.link) != links.end();
  };
  if (dependency != nullptr && first && is({HostLink::FirstScope, HostLink::NoAvailability}))
    widen(*dependency, true, *first);
  if (dependency != nullptr && second && is({HostLink::SecondScope, HostLink::NoVisibility}))
    widen(*dependency, false, *second);
  if (dependency != nullptr && first && second && is({HostLink::SemaphoreStages})) {
    widen_semaphore(*dependency, *first);
    if (first->stages != second->stages) widen_semaphore(*dependency, *second);
  }
  if (dependency != nullptr && is({HostLink::AnotherBuffer})) make_global(*dependency);
  if (is({HostLink::NoFlush, HostLink::Invalidated}))
    add_memory_call(reason.from, OperationKind::HostAvailability, true);
  if (is({HostLink::NoInvalidation})) add_memory_call(reason.to, OperationKind::HostVisibility, false);
  if (is({HostLink::Freed, HostLink::HostDoesNotWait, HostLink::WaitForAnother})) add_wait(reason.to);
}

std::vector<HostChange> Workshop::changes() {
  const auto reason = host_reason(test_, judgement_, {race_.first, race_.second});
  if (reason) mend(*reason);
  if (clean_.empty() && at(race_.first).is_access() && at(race_.second).is_access()) add_barriers();
  clean_.insert(clean_.end(), std::make_move_iterator(others_.begin()), std::make_move_iterator(others_.end()));
  return std::move(clean_);
}

}  // namespace

std::vector<HostChange> host_changes(const Test& test, const Question& question, const RaceExample& race) {
  return Workshop(test, question, race).changes();
}

}  // namespace heddle::litmus
