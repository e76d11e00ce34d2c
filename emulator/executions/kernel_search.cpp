#include <fmt/format.h>
#include <heddle/explore_kernel.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "emulator/executions/kernel_run.h"
#include "emulator/executions/meetings.h"
#include "emulator/executions/scripted_memory.h"
#include "emulator/executions/search_display.h"
#include "emulator/executions/told_executions.h"
#include "emulator/explore/explore.h"
#include "emulator/explore/layout.h"
#include "emulator/host/device_state.h"
#include "emulator/host/emulator.h"
#include "emulator/host/interruptible.h"

namespace heddle::detail {

/// Runs one invocation after the other, each by itself and from its beginning, on a memory that answers by a script.
class KernelSearch final : public emulation::ByItself {
 public:
  using Value = model::Value;
  using Script = executions::ScriptedMemory::Script;
  using Meetings = executions::Meetings;

  explicit KernelSearch(const KernelBounds& bounds);

  Device& device() { return device_; }
  KernelExecutions explore(std::uint32_t group_size, const std::function<void()>& run);

  bool begins(emulated::Invocation& invocation);
  void ends() { ended_ = true; }
  void stand_in(emulated::Invocation& invocation);
  void meet(const emulation::Agent& agent, const SourceLocation& where, runtime::SubgroupFunction function,
            void* payload, std::size_t size_bytes) override;

  /// What an invocation does when its operations so far have read this.
  explore::Step step(std::uint32_t invocation, const Script& script);
  /// What it would write behind the script, having read `old`.
  std::optional<Value> modified(std::uint32_t invocation, const Script& script, Value old);

 private:
  /// By element that is written: what it may finally hold.
  using FinalValues = std::map<std::pair<AllocationId, std::uint64_t>, std::vector<Value>>;
  /// The number of an invocation that does not exist.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void note_buffers(const emulation::Agent& agent);
  /// What an invocation does behind a script, and the state of its calls there.
  struct Behind {
    explore::Step step;
    std::optional<std::uint64_t> state;
  };
  const Behind& behind(std::uint32_t invocation, const Script& script);
  Behind found_behind(std::uint32_t invocation, const Script& script);
  bool looked_in_vain(std::uint32_t invocation, const Script& script, const Behind& now);
  /// What is wrong behind the script; null if the invocation came to an operation or to its end.
  std::exception_ptr run_one(std::uint32_t invocation, const Script& script);
  explore::Program program();
  void add_subgroups(explore::Program& program, const std::vector<model::Place>& places);
  bool take(const explore::Found& found);
  FinalValues final_values(const explore::Found& found) const;
  void add_outcomes(const FinalValues& values, const explore::Found& found);
  void add_races(const explore::Found& found);
  void throw_what_is_wrong(const explore::Found& found) const;
  void look_at_clock();
  void tell_outcomes();
  executions::PlacesOfInstructions places_of_instructions() const;
  std::string bound_in_the_way() const;
  std::vector<KernelStep> steps_of(const model::Execution& execution) const;
  std::string name_of(const Locations& bytes) const;
  const Allocation& buffer(AllocationId id) const { return *buffers_.at(id); }

  const KernelBounds bounds_;
  const std::shared_ptr<DeviceState> state_;
  executions::ScriptedMemory& memory_;
  Device device_;

  const std::function<void()>* run_ = nullptr;
  std::uint32_t group_size_ = 1;
  std::uint32_t chosen_ = kNone;
  /// What was found: the same again, whatever lay on the stack before, by which a state may be known sooner or later.
  std::map<std::pair<std::uint32_t, Script>, Behind> steps_;
  std::map<std::tuple<std::uint32_t, Script, Value>, std::optional<Value>> modified_;
  Meetings meetings_;
  /// What is wrong with the kernel where an invocation has read values that perhaps no execution gives.
  std::vector<std::exception_ptr> wrong_;
  bool ended_ = false;
  bool waits_otherwise_ = false;
  std::map<AllocationId, const Allocation*> buffers_;
  std::chrono::steady_clock::time_point deadline_;
  /// Belongs to the exploration that goes on; null before the first.
  executions::SearchDisplay* display_ = nullptr;
  std::atomic<bool> out_of_time_{false};
  KernelExecutions found_;
  explore::Counts counts_;
  /// What all executions lead to, and one that does; an element that one does not write is not in its row.
  std::map<std::map<std::pair<AllocationId, std::uint64_t>, Value>, std::vector<KernelStep>> rows_;
};

namespace {

using executions::ScriptedMemory;
using explore::Step;
using explore::StepKind;

constexpr std::size_t kLearnedSteps = 20000;
constexpr std::uint64_t kLearnedGraphs = 2000;
/// Nearly all steps were found before: what an exploration takes is bounded by its time.
constexpr std::size_t kPatientSteps = 20000000;
constexpr std::size_t kDerivationSteps = 20000;

DeviceOptions options_of_device(std::uint32_t subgroup_size) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.seed = 1;
  options.subgroup_size = subgroup_size;
  options.undefined = UndefinedValues::Zero;
  options.lane_mapping = LaneMapping::Linear;
  options.workgroup_order = WorkgroupOrder::Ascending;
  options.forward_progress = "fair";
  options.workgroup_memory_zeroed = true;
  options.memory = memory_policy("random");
  options.races = false;
  options.races_parallel = false;
  options.trace = "";
  options.operations_between_switches = 1;
  return options;
}

std::shared_ptr<DeviceState> device_with(std::uint32_t subgroup_size, std::unique_ptr<memory::Memory> memory) {
  auto state = std::make_shared<DeviceState>(options_of_device(subgroup_size));
  state->memory = std::move(memory);
  return state;
}

/// Whether it is the same instruction, which does the same.
bool is_same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.locations == b.locations && a.reference == b.reference && a.atomic == b.atomic &&
         a.scope == b.scope && a.semantics == b.semantics && a.operands == b.operands && a.where.line == b.where.line;
}

class KernelAgent final : public explore::Agent {
 public:
  KernelAgent(KernelSearch& search, std::uint32_t invocation) : search_(search), invocation_(invocation) {}

  Step next(explore::Value last_read) override {
    if (begun_) script_.push_back(last_read);
    begun_ = true;
    Step step = search_.step(invocation_, script_);
    if (step.kind == StepKind::Operation && step.operation.kind == OperationKind::ReadModifyWrite)
      step.modify = [&search = search_, invocation = invocation_, script = script_](explore::Value old) {
        return search.modified(invocation, script, old);
      };
    return step;
  }
  bool restart() override {
    script_.clear();
    begun_ = false;
    return true;
  }

 private:
  KernelSearch& search_;
  const std::uint32_t invocation_;
  KernelSearch::Script script_;
  bool begun_ = false;
};

}  // namespace

KernelSearch::KernelSearch(const KernelBounds& bounds)
    : bounds_(bounds),
      state_(device_with(bounds.subgroup_size, std::make_unique<ScriptedMemory>())),
      memory_(static_cast<ScriptedMemory&>(*state_->memory)),
      device_(new DeviceHandle{state_}) {}

void KernelSearch::note_buffers(const emulation::Agent& agent) {
  for (const emulation::Binding& binding : agent.resident->emulator->bindings)
    if (binding.allocation) buffers_[binding.allocation->id] = binding.allocation;
}

bool KernelSearch::begins(emulated::Invocation& invocation) {
  const emulation::Agent& agent = invocation.agent();
  if (chosen_ == kNone) note_buffers(agent);
  const std::uint32_t workgroup = agent.resident->emulator->workgroup_of(agent.id);
  if (workgroup * group_size_ + agent.index != chosen_) return false;
  memory_.begin_invocation(agent.id, chosen_, workgroup);
  // An explored invocation runs alone, and its time does not run out. What is left of it may be in a register or on the
  // stack: it is set to the same number before each state, so that it tells no states apart.
  constexpr std::uint32_t kTime = 1024;
  memory_.before_state([&invocation, pulse = agent.resident->pulse] {
    invocation.forget_polls();
    pulse->operations_left = kTime;
  });
  agent.resident->pulse->by_itself = this;
  return true;
}

void KernelSearch::meet(const emulation::Agent& agent, const SourceLocation& where, runtime::SubgroupFunction function,
                        void* payload, std::size_t size_bytes) {
  using Waiting = emulation::Resident::Waiting;
  const Waiting& waiting = agent.resident->waiting;
  std::optional<Operation> barrier;
  if (waiting.at(agent.index) != Waiting::Nowhere) {
    barrier = waiting.at(agent.index) == Waiting::AtCommon ? waiting.common : waiting.other[agent.index];
    barrier->agent = agent.id;
  }
  const std::size_t size = payload == nullptr ? 0 : size_bytes;
  memory_.meet_subgroup({where, function, {static_cast<std::byte*>(payload), size}, barrier ? &*barrier : nullptr},
                        meetings_.taken());
}

void KernelSearch::stand_in(emulated::Invocation& invocation) {
  constexpr std::uint32_t kLongestWait = 100000;
  const emulation::Agent& agent = invocation.agent();
  if (chosen_ == kNone || agent.resident->emulator->workgroup_of(agent.id) != chosen_ / group_size_) return;
  const emulation::Resident::Waiting& waiting = agent.resident->waiting;
  for (std::uint32_t waited = 0; !ended_; ++waited) {
    if (waiting.at(chosen_ % group_size_) != emulation::Resident::Waiting::Nowhere) {
      invocation.control_barrier(Scope::Workgroup, Scope::Workgroup, MemorySemantics::None, waiting.common.where);
      waited = 0;
    } else if (waited == kLongestWait) {
      waits_otherwise_ = true;
      throw executions::Stopped{};
    } else {
      invocation.interrupt(SourceLocation::current());
    }
  }
}

std::exception_ptr KernelSearch::run_one(std::uint32_t invocation, const Script& script) {
  chosen_ = invocation;
  ended_ = false;
  waits_otherwise_ = false;
  memory_.begin_run(script, static_cast<ReferenceId>(static_cast<std::uint32_t>(state_->new_reference()) + 1));
  try {
    (*run_)();
  } catch (const KernelError& error) {
    if (waits_otherwise_ || error.finding().kind == FindingKind::BarrierDivergence)
      throw std::invalid_argument(
          "an invocation waits for others by something else than a control barrier of the workgroup, where all "
          "executions "
          "cannot be explored");
    // Behind its script an invocation is stopped.
    if (!memory_.has_stopped()) return std::current_exception();
  }
  return nullptr;
}

Step KernelSearch::step(std::uint32_t invocation, const Script& script) {
  return behind(invocation, script).step;
}

const KernelSearch::Behind& KernelSearch::behind(std::uint32_t invocation, const Script& script) {
  const auto [known, fresh] = steps_.try_emplace({invocation, script});
  if (fresh) known->second = found_behind(invocation, script);
  return known->second;
}

KernelSearch::Behind KernelSearch::found_behind(std::uint32_t invocation, const Script& script) {
  look_at_clock();
  Behind out;
  if (script.size() >= bounds_.operations) {
    out.step.kind = StepKind::Cut;
    return out;
  }
  if (const std::exception_ptr wrong = run_one(invocation, script)) {
    out.step.kind = StepKind::Cut;
    out.step.results = {wrong_.size()};
    wrong_.push_back(wrong);
    return out;
  }
  out.step = memory_.step();
  out.state = memory_.state();
  if (out.step.kind == StepKind::Meets) out.step.written = meetings_.add(memory_.meeting());
  const std::uint32_t first = invocation - invocation % group_size_;
  if (out.step.kind == StepKind::Operation && out.step.operation.kind == OperationKind::ControlBarrier) {
    const bool alone = out.step.operation.execution_scope != Scope::Workgroup;
    for (std::uint32_t i = 0; i < (alone ? 1 : group_size_); ++i)
      out.step.participants.push_back(static_cast<AgentId>(alone ? invocation : first + i));
  }
  if (looked_in_vain(invocation, script, out)) out.step.kind = StepKind::SpunEnough;
  return out;
}

// Whether the last read but one gave nothing: the same read was made once more, and has led to where it would have led
// at once. Without it the execution is one as well, which has the same outcome, and the same races but for those of a
// read in a loop that goes on for ever, which are found where it does.
bool KernelSearch::looked_in_vain(std::uint32_t invocation, const Script& script, const Behind& now) {
  if (script.size() < 2 || now.step.kind == StepKind::Spinning) return false;
  const Value last = script.back();
  const Value in_vain = script[script.size() - 2];
  if (last == in_vain) return false;
  Script shorter(script.begin(), script.end() - 2);
  const Step first = step(invocation, shorter);
  if (first.kind != StepKind::Operation || !first.operation.reads()) return false;
  if (first.operation.writes() && modified(invocation, shorter, in_vain)) return false;
  shorter.push_back(in_vain);
  const Behind& between = behind(invocation, shorter);
  if (between.step.kind != StepKind::Operation || !is_same(between.step.operation, first.operation)) return false;
  shorter.back() = last;
  const Behind& at_once = behind(invocation, shorter);
  if (at_once.step.kind != now.step.kind) return false;
  if (now.step.kind == StepKind::Finished) return true;
  return now.state && now.state == at_once.state && is_same(at_once.step.operation, now.step.operation);
}

std::optional<KernelSearch::Value> KernelSearch::modified(std::uint32_t invocation, const Script& script, Value old) {
  const auto [known, fresh] = modified_.try_emplace({invocation, script, old});
  if (!fresh) return known->second;
  memory_.ask_for_modified(old);
  run_one(invocation, script);
  memory_.ask_for_modified(std::nullopt);
  return known->second = memory_.modified();
}

explore::Program KernelSearch::program() {
  buffers_.clear();
  if (const std::exception_ptr wrong = run_one(kNone, {})) std::rethrow_exception(wrong);
  explore::Program out;
  const std::vector<model::Place> places = memory_.places();
  for (std::uint32_t i = 0; i < places.size(); ++i)
    out.agents.push_back({places[i], [this, i] { return std::make_unique<KernelAgent>(*this, i); }});
  out.initial_value = [this](const Locations& bytes) { return memory_.initial(bytes); };
  add_subgroups(out, places);
  return out;
}

void KernelSearch::add_subgroups(explore::Program& program, const std::vector<model::Place>& places) {
  if (bounds_.subgroup_size == 1) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, explore::Company> subgroups;
  for (std::uint32_t i = 0; i < places.size(); ++i)
    subgroups[{i / group_size_, i % group_size_ / bounds_.subgroup_size}].push_back(static_cast<AgentId>(i));
  for (auto& [place, lanes] : subgroups)
    if (lanes.size() > 1) program.companies.push_back(std::move(lanes));
  program.meet = [this](const explore::CompanyValues& brought) { return meetings_.meet(brought); };
}

void KernelSearch::look_at_clock() {
  display_->show(found_.executions + found_.blocked + found_.cut, rows_.size(), found_.races.size());
  if (display_->interrupted_by() != 0) out_of_time_ = true;
  if (std::chrono::steady_clock::now() > deadline_) out_of_time_ = true;
}

KernelExecutions KernelSearch::explore(std::uint32_t group_size, const std::function<void()>& run) {
  run_ = &run;
  group_size_ = group_size;
  found_ = {};
  counts_ = {};
  rows_.clear();
  steps_.clear();
  modified_.clear();
  meetings_ = {};
  wrong_.clear();
  out_of_time_ = false;
  deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(bounds_.time.count());
  executions::SearchDisplay display(bounds_.print_to);
  display_ = &display;
  const explore::Program agents = program();
  found_.workgroup_size = group_size;
  found_.workgroups = static_cast<std::uint32_t>(agents.agents.size()) / group_size;
  explore::Options options;
  options.cancelled = &out_of_time_;
  options.limit = bounds_.executions;
  options.learned_steps = kLearnedSteps;
  options.learned_graphs = kLearnedGraphs;
  options.patient_steps = kPatientSteps;
  options.derivation_steps = kDerivationSteps;
  // One must not stand for more executions than were asked for.
  options.up_to_symmetry = bounds_.symmetry && bounds_.executions == 0;
  try {
    const explore::Statistics statistics =
        explore::explore(agents, options, [this](const explore::Found& found) { return take(found); });
    found_.complete = statistics.complete;
  } catch (const explore::TooLong&) {
    found_.complete = false;
  }
  found_.bound = bound_in_the_way();
  tell_outcomes();
  const int signal = display.interrupted_by();
  display.end();
  if (signal != 0) {
    fmt::print(bounds_.print_to, "{}\n", found_.proof());
    std::fflush(bounds_.print_to);
    detail::Interruptible::raise_again(signal);
  }
  if (executions::are_executions_told()) executions::tell_executions(found_, places_of_instructions());
  return std::move(found_);
}

executions::PlacesOfInstructions KernelSearch::places_of_instructions() const {
  executions::PlacesOfInstructions places;
  for (const auto& [script, behind] : steps_)
    if (behind.step.kind == StepKind::Operation) places.insert(executions::place_of(behind.step.operation));
  return places;
}

// An invocation is asked for more than what executions come to, so that what is wrong with the kernel is a finding
// where an execution comes to it.
void KernelSearch::throw_what_is_wrong(const explore::Found& found) const {
  for (const explore::AgentEnd& end : found.ends)
    if (end.state == explore::EndState::Cut && !end.results.empty())
      std::rethrow_exception(wrong_[end.results.front()]);
}

bool KernelSearch::take(const explore::Found& found) {
  look_at_clock();
  throw_what_is_wrong(found);
  counts_.add(found);
  found_.executions = counts_.ended();
  found_.blocked = counts_.blocked();
  found_.cut = counts_.cut();
  if (found.terminated()) add_outcomes(final_values(found), found);
  if (found.judgement.racy()) add_races(found);
  if (bounds_.progress) bounds_.progress(found_.executions + found_.blocked + found_.cut);
  return true;
}

KernelSearch::FinalValues KernelSearch::final_values(const explore::Found& found) const {
  FinalValues out;
  for (const Operation& operation : found.execution.operations) {
    if (!operation.writes() || ScriptedMemory::is_of_workgroup(operation.locations.allocation)) continue;
    const Locations& bytes = operation.locations;
    const std::uint64_t size = buffer(bytes.allocation).component.size_bytes;
    if (size == 0 || bytes.size_bytes % size != 0 || bytes.offset_bytes % size != 0)
      throw std::invalid_argument(
          fmt::format("{}:{}: {} bytes of elements of {} are written; all executions can be "
                      "explored where elements are accessed as a whole",
                      operation.where.file, operation.where.line, bytes.size_bytes, size));
    for (std::uint64_t at = bytes.offset_bytes; at < bytes.offset_bytes + bytes.size_bytes; at += size) {
      std::vector<Value>& values = out[{bytes.allocation, at}];
      if (!values.empty()) continue;
      const Locations element{bytes.allocation, at, static_cast<std::uint32_t>(size)};
      for (const model::OperationIndex write : found.judgement.final_writes(element))
        values.push_back(explore::part_of_value(found.execution.written_values[write],
                                                found.execution.operations[write].locations, element));
    }
  }
  return out;
}

/// Every combination: unordered writes leave several values to an element.
void KernelSearch::add_outcomes(const FinalValues& values, const explore::Found& found) {
  std::vector<std::map<std::pair<AllocationId, std::uint64_t>, Value>> rows(1);
  for (const auto& [element, possible] : values) {
    const std::size_t before = rows.size();
    for (std::size_t v = 1; v < possible.size(); ++v)
      for (std::size_t r = 0; r < before; ++r) {
        rows.push_back(rows[r]);
        rows.back()[element] = possible[v];
      }
    for (std::size_t r = 0; r < before; ++r) rows[r][element] = possible.front();
  }
  for (auto& row : rows) {
    const auto [known, fresh] = rows_.try_emplace(std::move(row));
    if (fresh) known->second = steps_of(found.execution);
  }
}

void KernelSearch::add_races(const explore::Found& found) {
  const auto same = [](const SourceLocation& a, const SourceLocation& b) {
    return a.line == b.line && a.column == b.column && std::string_view(a.file) == b.file;
  };
  for (const judge::Race& race : found.judgement.races()) {
    const Operation& first = found.execution.operations[race.first];
    const Operation& second = found.execution.operations[race.second];
    const bool known = std::any_of(found_.races.begin(), found_.races.end(), [&](const KernelRace& one) {
      return (same(one.first, first.where) && same(one.second, second.where)) ||
             (same(one.first, second.where) && same(one.second, first.where));
    });
    if (!known)
      found_.races.push_back({first.where, second.where, static_cast<std::uint32_t>(first.agent),
                              static_cast<std::uint32_t>(second.agent), steps_of(found.execution)});
  }
}

void KernelSearch::tell_outcomes() {
  std::set<std::pair<AllocationId, std::uint64_t>> elements;
  for (const auto& [row, steps] : rows_)
    for (const auto& [element, value] : row) elements.insert(element);
  for (const auto& [id, offset] : elements)
    found_.names.push_back(fmt::format("{}[{}]", buffer(id).name, offset / buffer(id).component.size_bytes));
  for (const auto& [row, steps] : rows_) {
    std::vector<std::uint64_t> values;
    for (const auto& element : elements) {
      const auto written = row.find(element);
      const Locations bytes{element.first, element.second, buffer(element.first).component.size_bytes};
      values.push_back(written != row.end() ? written->second : memory_.initial(bytes));
    }
    found_.outcomes.insert(values);
    found_.examples.try_emplace(std::move(values), steps);
  }
}

std::string KernelSearch::bound_in_the_way() const {
  if (found_.complete) return "";
  if (display_->interrupted_by() != 0) return "it was interrupted";
  if (out_of_time_) return fmt::format("the time of {} ms was over", bounds_.time.count());
  if (found_.cut != 0) return fmt::format("an invocation made more than {} operations", bounds_.operations);
  if (bounds_.executions != 0 && found_.executions + found_.blocked + found_.cut >= bounds_.executions)
    return fmt::format("there are more than {} executions", bounds_.executions);
  return "the values that reads may have, or the operations of an execution, are too many";
}

std::string KernelSearch::name_of(const Locations& bytes) const {
  if (ScriptedMemory::is_of_workgroup(bytes.allocation))
    return fmt::format("Workgroup memory, byte {}", bytes.offset_bytes);
  const Allocation& of = buffer(bytes.allocation);
  return fmt::format("{}[{}]", of.name,
                     of.component.size_bytes == 0 ? 0 : bytes.offset_bytes / of.component.size_bytes);
}

std::vector<KernelStep> KernelSearch::steps_of(const model::Execution& execution) const {
  std::vector<KernelStep> out;
  for (model::OperationIndex i = 0; i < execution.operations.size(); ++i) {
    const Operation& operation = execution.operations[i];
    KernelStep& step = out.emplace_back();
    step.invocation = static_cast<std::uint32_t>(operation.agent);
    step.where = operation.where;
    if (!operation.is_access()) {
      step.what =
          operation.kind == OperationKind::ControlBarrier ? "passes a control barrier" : "makes a memory barrier";
      continue;
    }
    step.what = operation.atomic ? "atomically " : "";
    if (operation.reads()) {
      step.what += fmt::format("reads {} from {}", execution.read_values[i], name_of(operation.locations));
      for (const model::ReadsFrom& source : execution.reads_from)
        if (source.read == i)
          step.what += source.write == model::kInitialValue ? ", which it held before"
                                                            : fmt::format(", as step {} wrote it", source.write + 1);
    }
    if (operation.writes())
      step.what += operation.reads()
                       ? fmt::format(", and writes {}", execution.written_values[i])
                       : fmt::format("writes {} to {}", execution.written_values[i], name_of(operation.locations));
  }
  return out;
}

}  // namespace heddle::detail

namespace heddle {

KernelExploration::KernelExploration(const KernelBounds& bounds)
    : search_(std::make_unique<detail::KernelSearch>(bounds)) {}

KernelExploration::KernelExploration(Device& machine)
    : machine_(&machine), run_(std::make_unique<detail::KernelRun>(machine)) {}

KernelExploration::~KernelExploration() = default;

Device& KernelExploration::device() {
  return machine_ != nullptr ? *machine_ : search_->device();
}

void KernelExploration::note_buffers(emulated::Invocation& invocation) {
  run_->note_buffers(invocation.agent());
}

KernelExecutions KernelExploration::run(const std::function<void()>& run) {
  return run_->run(run);
}

bool KernelExploration::begins(emulated::Invocation& invocation) {
  return search_->begins(invocation);
}

void KernelExploration::ends() {
  search_->ends();
}

void KernelExploration::stand_in(emulated::Invocation& invocation) {
  search_->stand_in(invocation);
}

KernelExecutions KernelExploration::explore(Extent local, const std::function<void()>& run) {
  return search_->explore(local.x * local.y * local.z, run);
}

}  // namespace heddle
