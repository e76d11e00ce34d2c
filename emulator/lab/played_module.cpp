#include "emulator/lab/played_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "emulator/lab/played_policy.h"
#include "emulator/lab/world.h"
#include "emulator/memory/machine.h"
#include "emulator/spirv/answer.h"
#include "emulator/spirv/numbers.h"
#include "emulator/spirv/run/setting.h"
#include "emulator/spirv/source.h"

namespace heddle::lab {
namespace {

using run::Standing;

// So many outcomes of one end are offered: a variable that unordered writes leave undecided multiplies them.
constexpr std::size_t kMostEnds = 64;
// Iterations of a loop of a game that change something.
constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 16;

/// The dispatch, if it is small enough: what each invocation may do is found out one by one.
const spirv::Dispatch& playable(const spirv::Dispatch& dispatch) {
  if (dispatch.agents() > kMostInvocations)
    throw spirv::Error({}, fmt::format("the dispatch has {} invocations, and a game has at most {}: \"; @Config: "
                                       "1, 1, 2\" would be two workgroups of one",
                                       dispatch.agents(), kMostInvocations));
  return dispatch;
}

/// A module, and what is known of its dispatch: in one place, because they refer to each other.
struct Prepared {
  Prepared(spirv::Module of, spirv::Header header, const spirv::DispatchOptions& options)
      : module(std::move(of)),
        dispatch(module, std::move(header), options),
        question(spirv::question_of(dispatch)),
        analysis(playable(dispatch), question) {}

  spirv::Module module;
  spirv::Dispatch dispatch;
  spirv::Question question;
  spirv::Analysis analysis;
};

bool is_same(const uvec3& a, const uvec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool is_at(const std::optional<Coordinates>& one, const Coordinates& other) {
  return one && is_same(one->workgroup, other.workgroup) && is_same(one->local, other.local);
}

class ModuleStage final : public Stage {
 public:
  ModuleStage(const Prepared& of, Choice& choice)
      : of_(of),
        setting_(spirv::setting_of(of.dispatch)),
        instructions_(of.dispatch.options().file),
        share_(choice),
        program_(of.analysis, kMostIterations, spirv::Idling::Endless, &share_),
        memory_(played_policy(), choice),
        runner_(program_.program(), setting_, instructions_, memory_, choice) {}

  void restart() override { share_.restart(); }
  const explore::Program& program() const override { return program_.program(); }
  memory::Memory& memory() override { return memory_; }
  run::Runner& runner() override { return runner_; }
  const run::Runner& runner() const override { return runner_; }
  Outcome settled() const override;
  std::vector<Outcome> possible(const judge::Judgement& judgement) const override;
  std::vector<PlayedFinding> findings() const override;

 private:
  std::uint32_t line_of(std::uint32_t command) const { return of_.dispatch.code().commands[command].line; }

  const Prepared& of_;
  run::Setting setting_;
  spirv::ModuleInstructions instructions_;
  spirv::RunShare share_;
  spirv::KernelProgram program_;
  memory::Machine memory_;
  run::Runner runner_;
};

Outcome ModuleStage::settled() const {
  Outcome outcome;
  for (const spirv::Observable& each : of_.question.observables) {
    const std::uint32_t bytes = each.location.type.bytes();
    const Locations there{static_cast<AllocationId>(each.location.object), each.location.offset, bytes};
    const std::uint64_t bits = of_.dispatch.tokens().from_memory(runner_.final_value(there), bytes);
    outcome.push_back(static_cast<std::int64_t>(bits));
  }
  return outcome;
}

std::vector<Outcome> ModuleStage::possible(const judge::Judgement& judgement) const {
  std::vector<Outcome> all(1);
  for (const std::vector<std::uint64_t>& values : final_choices(of_.dispatch, of_.question, judgement)) {
    std::vector<Outcome> more;
    for (const Outcome& one : all) {
      for (const std::uint64_t value : values) {
        if (more.size() == kMostEnds) break;
        more.push_back(one);
        more.back().push_back(static_cast<std::int64_t>(value));
      }
    }
    all = std::move(more);
  }
  return all;
}

std::vector<PlayedFinding> ModuleStage::findings() const {
  std::vector<PlayedFinding> all;
  for (std::uint32_t agent = 0; agent < of_.dispatch.agents(); ++agent) {
    if (runner_.standing(agent) != Standing::Ended) continue;
    const std::optional<spirv::Fault> fault = spirv::fault_in(runner_.ends()[agent].results);
    if (fault) all.push_back({agent, line_of(fault->command), describe_fault(of_.dispatch, *fault) + '.'});
  }
  for (const auto& [agent, at] : share_.undefined_branches)
    all.push_back({agent, line_of(at), "A value that nothing defines decides which way is taken."});
  for (const Finding& finding : runner_.findings()) {
    PlayedFinding told{0, finding.where.line, finding.message};
    for (std::uint32_t agent = 0; agent < of_.dispatch.agents(); ++agent)
      if (is_at(run::coordinates_of(setting_, static_cast<AgentId>(agent)), finding.invocation)) told.thread = agent;
    all.push_back(std::move(told));
  }
  return all;
}

std::string stem_of(const std::string& file) {
  const std::size_t begin = file.find_last_of('/') + 1;
  return file.substr(begin, file.find_last_of('.') - begin);
}

/// The lines of a text, without the blanks in front and behind.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t\r");
    const std::size_t last = line.find_last_not_of(" \t\r");
    lines.push_back(first == std::string::npos ? "" : line.substr(first, last - first + 1));
    at = end + 1;
  }
  return lines;
}

/// The instructions of all functions, each with the place that the line records name.
std::vector<CodeLine> code_of(const Prepared& of, const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<CodeLine> code;
  std::string source;
  bool inside = false;
  for (const spirv::Instruction& instruction : of.module.instructions) {
    inside = inside || instruction.op == spirv::Op::OpFunction;
    if (!inside) continue;
    if (instruction.op == spirv::Op::OpLabel || instruction.op == spirv::Op::OpNoLine) source.clear();
    if (instruction.op == spirv::Op::OpLine) {
      const spirv::Instruction* file = of.dispatch.definitions().find(of.module.operand(instruction, 0));
      const bool is_named = file != nullptr && file->op == spirv::Op::OpString;
      source =
          fmt::format("{}:{}", is_named ? of.module.string_at(*file, 0) : "line", of.module.operand(instruction, 1));
    }
    if (instruction.op == spirv::Op::OpLine || instruction.op == spirv::Op::OpNoLine) continue;
    const std::uint32_t line = instruction.position.line;
    code.push_back({line, lines[line - 1], source});
  }
  return code;
}

/// Names for what the commands that read leave: the id, and behind a vector's the number of the scalar.
std::vector<std::string> result_names(const spirv::Dispatch& dispatch) {
  const std::vector<spirv::Command>& commands = dispatch.code().commands;
  const auto leaves = [&](const spirv::Command& command) {
    const bool accesses = command.act == spirv::Act::Load || command.act == spirv::Act::Atomic;
    return accesses && command.from != nullptr && command.from->result != 0;
  };
  std::map<const spirv::Instruction*, std::size_t> scalars;
  for (const spirv::Command& command : commands)
    if (leaves(command)) ++scalars[command.from];
  std::map<const spirv::Instruction*, std::size_t> seen;
  std::vector<std::string> names;
  for (const spirv::Command& command : commands) {
    std::string& name = names.emplace_back();
    if (!leaves(command)) continue;
    name = dispatch.definitions().spelled(command.from->result);
    if (scalars[command.from] > 1) name += fmt::format("[{}]", seen[command.from]++);
  }
  return names;
}

const char* spell(spirv::Quantifying quantifier) {
  switch (quantifier) {
    case spirv::Quantifying::ForAll:
      return "forall";
    case spirv::Quantifying::Exists:
      return "exists";
    case spirv::Quantifying::NotExists:
      return "~exists";
  }
  return "";
}

class PlayedModule final : public Played {
 public:
  PlayedModule(const std::string& text, const std::string& file)
      : of_(spirv::assemble(text), spirv::read_header(text, ";"), options_for(file)),
        names_(result_names(of_.dispatch)) {
    for (std::uint32_t command = 0; command < of_.analysis.texts().size(); ++command)
      commands_.emplace(of_.analysis.texts()[command].c_str(), command);
    parts_.name = stem_of(file);
    add_threads(text);
    add_variables();
    const spirv::Header& header = of_.dispatch.header();
    for (const spirv::Observable& each : of_.question.observables) parts_.observables.push_back(each.name);
    parts_.quantifier = spell(of_.question.quantifier);
    if (header.condition) parts_.condition = spirv::spell(*header.condition);
    if (header.filter) parts_.filter = spirv::spell(*header.filter);
  }

  std::unique_ptr<Stage> stage(const Rules&, Choice& choice) const override {
    return std::make_unique<ModuleStage>(of_, choice);
  }

  std::vector<PlayedRegister> registers(const World& world, std::uint32_t thread) const override;
  std::uint32_t variable_of(ReferenceId reference, const Locations& bytes) const override;
  std::optional<Operation> read_of(const World& world, std::uint32_t thread, std::uint32_t variable) const override;
  std::vector<CodeLine> writers_of(std::uint32_t thread, std::uint32_t variable) const override;
  Json value(std::uint32_t variable, trace::Value value) const override {
    const spirv::ScalarType& type = types_[variable];
    return module_value(type, of_.dispatch.tokens().from_memory(value, type.bytes()));
  }

  Json observed(std::size_t observable, std::int64_t value) const override {
    return module_value(of_.question.observables[observable].location.type, static_cast<std::uint64_t>(value));
  }
  std::string kind_of_value(std::size_t) const override { return "number (or \"undefined\")"; }
  std::optional<std::int64_t> observed(std::size_t observable, const Json& value) const override;
  bool passes_filter(const Outcome& outcome) const override {
    return !of_.question.filter || holds(*of_.question.filter, outcome);
  }
  bool satisfies(const Outcome& outcome) const override {
    return !of_.question.condition || holds(*of_.question.condition, outcome);
  }

  Outcomes explore(const Rules& rules, std::uint64_t limit) const override;
  Reason why_never(const Rules& rules, std::uint64_t limit, const Outcome& outcome) const override;

 private:
  static spirv::DispatchOptions options_for(const std::string& file) {
    spirv::DispatchOptions options;
    options.file = file;
    return options;
  }
  void add_threads(const std::string& text);
  void add_variables();
  static bool holds(const spirv::Resolved& condition, const Outcome& outcome);

  Prepared of_;
  /// By command.
  std::vector<std::string> names_;
  std::vector<spirv::ScalarType> types_;
  /// By the text of its operations, which is one object for each command.
  std::unordered_map<const char*, std::uint32_t> commands_;
  std::map<std::pair<AllocationId, std::uint64_t>, std::uint32_t> by_place_;
};

void PlayedModule::add_threads(const std::string& text) {
  const spirv::Dispatch& dispatch = of_.dispatch;
  const std::vector<CodeLine> code = code_of(of_, text);
  for (std::uint32_t agent = 0; agent < dispatch.agents(); ++agent) {
    const model::Place& place = dispatch.place(agent);
    PlayedThread thread;
    thread.name = fmt::format("invocation {}", agent);
    thread.subgroup = place.subgroup;
    thread.workgroup = place.workgroup;
    thread.queue_family = place.queue_family;
    thread.code = code;
    parts_.threads.push_back(std::move(thread));
  }
}

void PlayedModule::add_variables() {
  for (spirv::NamedScalar& scalar : of_.dispatch.scalars(kMostScalars + 1)) {
    const spirv::Location& at = scalar.location;
    const Locations bytes{static_cast<AllocationId>(at.object), at.offset, at.type.bytes()};
    by_place_.emplace(std::pair(bytes.allocation, bytes.offset_bytes),
                      static_cast<std::uint32_t>(parts_.variables.size()));
    parts_.variables.push_back(
        {std::move(scalar.name), bytes, of_.dispatch.initial_value(at.object, at.offset, bytes.size_bytes)});
    types_.push_back(at.type);
  }
  if (parts_.variables.size() > kMostScalars)
    throw spirv::Error({}, fmt::format("the buffers have more than {} numbers, and a game shows at most so many: make "
                                       "the inputs shorter",
                                       kMostScalars));
}

// What the loads and the atomics of the invocation gave, the last time that each was executed.
std::vector<PlayedRegister> PlayedModule::registers(const World& world, std::uint32_t thread) const {
  std::vector<PlayedRegister> all;
  for (const Told& told : world.chronicle().told()) {
    if (static_cast<std::uint32_t>(told.operation.agent) != thread || !told.operation.reads()) continue;
    const auto command = commands_.find(told.operation.where.function);
    if (command == commands_.end() || names_[command->second].empty()) continue;
    const std::string& name = names_[command->second];
    Json read = value(variable_of(told.operation.reference, told.operation.locations), told.read);
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    if (known != all.end()) {
      known->value = std::move(read);
    } else {
      all.push_back({name, std::move(read)});
    }
  }
  return all;
}

// The scalar in which the bytes begin.
std::uint32_t PlayedModule::variable_of(ReferenceId, const Locations& bytes) const {
  const auto behind = by_place_.upper_bound({bytes.allocation, bytes.offset_bytes});
  return behind == by_place_.begin() ? 0 : std::prev(behind)->second;
}

std::optional<Operation> PlayedModule::read_of(const World& world, std::uint32_t thread, std::uint32_t variable) const {
  const auto is_read = [&](const Operation& operation) {
    return operation.reads() && operation.locations == variables()[variable].bytes;
  };
  const run::Runner& runner = world.runner();
  if (runner.standing(thread) == Standing::Ready && runner.next_step(thread).kind == explore::StepKind::Operation &&
      is_read(runner.next_step(thread).operation)) {
    Operation read = runner.next_step(thread).operation;
    read.agent = static_cast<AgentId>(thread);
    return read;
  }
  const std::vector<Told>& told = world.chronicle().told();
  const auto last = std::find_if(told.rbegin(), told.rend(), [&](const Told& one) {
    return static_cast<std::uint32_t>(one.operation.agent) == thread && is_read(one.operation);
  });
  return last == told.rend() ? std::nullopt : std::optional(last->operation);
}

std::vector<CodeLine> PlayedModule::writers_of(std::uint32_t thread, std::uint32_t variable) const {
  std::vector<CodeLine> lines;
  const spirv::Code& code = of_.dispatch.code();
  const std::vector<spirv::Reach>& reaches = of_.analysis.flows()[thread];
  const Locations& bytes = variables()[variable].bytes;
  for (std::uint32_t at = 0; at < code.commands.size(); ++at) {
    const spirv::Command& command = code.commands[at];
    if (!spirv::accesses_memory(of_.dispatch, command, reaches[at])) continue;
    const spirv::AccessInfo& info = code.accesses[command.detail];
    const std::vector<std::uint64_t>& pointers = reaches[at].pointers.values;
    const bool touches = reaches[at].pointers.any || std::any_of(pointers.begin(), pointers.end(), [&](auto pointer) {
                           return spirv::locations_at(pointer, info.type.bytes()).overlaps(bytes);
                         });
    if (spirv::writes(command, info) && touches) lines.push_back({command.line, of_.analysis.texts()[at]});
  }
  return lines;
}

std::optional<std::int64_t> PlayedModule::observed(std::size_t observable, const Json& value) const {
  const spirv::Location& at = of_.question.observables[observable].location;
  const bool is_float = at.type.kind == spirv::ScalarType::Kind::Float;
  if (value == "undefined")
    return static_cast<std::int64_t>(spirv::Tokens::of_memory(static_cast<std::uint32_t>(at.object), at.offset));
  if (value.is_string() || (value.is_number() && !is_float && value.is_number_integer())) {
    const auto bits = spirv::literal_bits(lab::spelled(value), is_float ? at.type.bits : 64U, is_float);
    return bits ? std::optional(static_cast<std::int64_t>(spirv::cut(*bits, at.type.bits))) : std::nullopt;
  }
  if (!value.is_number() || !is_float) return std::nullopt;
  return static_cast<std::int64_t>(spirv::float_bits(value.get<double>(), at.type.bits));
}

bool PlayedModule::holds(const spirv::Resolved& condition, const Outcome& outcome) {
  spirv::Choices choices;
  for (const std::int64_t value : outcome) choices.push_back({static_cast<std::uint64_t>(value)});
  return spirv::is_possible({{&condition, true}}, choices).value_or(true);
}

Outcomes PlayedModule::explore(const Rules& rules, std::uint64_t limit) const {
  spirv::Inquiry inquiry;
  inquiry.bound = rules.bound;
  inquiry.chains = rules.chains;
  inquiry.limit = limit;
  inquiry.keep_examples = true;
  Outcomes all;
  try {
    spirv::Answer answer = spirv::answer(of_.analysis, of_.question, inquiry);
    for (spirv::Row& row : answer.rows)
      all.rows.push_back({Outcome(row.values.begin(), row.values.end()), row.executions, row.racy_executions,
                          std::move(row.example), ""});
    all.complete = answer.complete;
    all.holds = answer.holds;
    all.racy = answer.racy;
  } catch (const spirv::Error& error) {
    throw BadRequest(spirv::placed(of_.dispatch.options().file, error));
  }
  return all;
}

Reason PlayedModule::why_never(const Rules& rules, std::uint64_t limit, const Outcome& outcome) const {
  Reason reason;
  if (!passes_filter(outcome)) {
    reason.text = "The filter discards it.";
    return reason;
  }
  const Outcomes found = explore(rules, limit);
  std::uint64_t executions = 0;
  for (const OutcomeRow& row : found.rows) {
    executions += row.executions;
    if (row.values == outcome)
      throw BadRequest("the memory model allows this outcome: \"show\" plays an execution that ends so");
  }
  reason.text = fmt::format("None of the {} executions that the memory model allows ends so.", executions);
  if (!found.complete) reason.text += " There may be more: a bound or a limit kept some back.";
  return reason;
}

}  // namespace

Json module_value(const spirv::ScalarType& type, std::uint64_t bits) {
  constexpr std::int64_t kFirstInexact = std::int64_t{1} << 53;
  if (spirv::is_token(bits)) return "undefined";
  if (type.kind == spirv::ScalarType::Kind::Float) {
    const double value = spirv::float_value(bits, type.bits);
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
  }
  if (type.is_signed) {
    const std::int64_t value = spirv::signed_value(bits, type.bits);
    return -kFirstInexact < value && value < kFirstInexact ? Json(value) : Json(fmt::format("{}", value));
  }
  return bits < std::uint64_t{kFirstInexact} ? Json(bits) : Json(fmt::format("{}", bits));
}

bool is_glsl_text(std::string_view text) {
  return text.find("#version ") != std::string_view::npos && text.find("main()") != std::string_view::npos;
}

std::unique_ptr<Played> played_module(const std::string& text, const std::string& file) {
  return std::make_unique<PlayedModule>(text, file);
}

}  // namespace heddle::lab
