#include "emulator/cli/spirv/command.h"

#include <heddle/memory_policy.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <thread>
#include <utility>

#include "emulator/cli/in_order.h"
#include "emulator/cli/input_file.h"
#include "emulator/cli/interrupt.h"
#include "emulator/cli/policies.h"
#include "emulator/cli/progress.h"
#include "emulator/cli/progress_option.h"
#include "emulator/cli/spirv/list.h"
#include "emulator/cli/spirv/options.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/whole_number.h"

namespace heddle::cli {
namespace {

// The judge takes some 10 ms for each.
constexpr std::uint64_t kAdvisedRuns = 20;
// A race of many invocations comes up in most runs, one of few in a per cent or two.
constexpr std::uint64_t kRunsForRaces = 300;

/// Notes what an option says of something that is named, of which it says something once.
template <typename Key, typename Value>
void add_once(const std::string& option, const std::string& name, std::map<Key, Value>& to, Key key, Value value) {
  if (!to.emplace(key, std::move(value)).second)
    throw InputError(option + ": " + name + " is given twice; leave one of them out");
}

/// The reports on many files, printed in their order.
class SpirvBatch {
 public:
  SpirvBatch(const std::vector<std::string>& files, SpirvRequest request, bool json, bool times, bool quiet)
      : files_(files),
        request_(std::move(request)),
        json_(json),
        times_(times),
        quiet_(quiet),
        printed_(files.size()),
        progress_(files.size(), !quiet),
        progress_of_runs_(request_.runs ? request_.runs->runs : 0, !quiet),
        progress_of_executions_(0, !quiet) {
    if (files.size() == 1) show_progress_of_one_file();
  }

  ExitCode run(unsigned jobs) {
    in_order(
        files_.size(), jobs, [this](std::size_t file) { report(file); }, [this](std::size_t file) { print(file); },
        [] { return interrupted().load(); });
    progress_.clear();
    return interrupted().load() ? ExitCode::Interrupted : exit_code_;
  }

 private:
  struct Printed {
    std::string text;
    bool to_errors = false;
    bool finding = false;
    bool unsound = false;
    bool undecided = false;
  };

  void show_progress_of_one_file() {
    if (request_.runs) request_.runs->progress = [this](std::uint64_t made) { progress_of_runs_.update(made, "runs"); };
    request_.inquiry.on_execution = [this] {
      ++executions_;
      progress_of_executions_.tell([this] {
        return std::to_string(executions_) + (request_.inquiry.verdict_only
                                                  ? " executions looked at"
                                                  : " executions so far; --verdict lists none, and is faster");
      });
    };
  }

  void report(std::size_t file) {
    const SpirvReport report = report_on_module(files_[file], request_);
    progress_of_executions_.clear();
    progress_of_runs_.clear();
    Printed& out = printed_[file];
    out.text = json_ ? spirv_json(report, times_) + '\n' : spirv_text(report, quiet_, Painter(wants_colour()));
    out.to_errors = report.error.has_value();
    out.finding = report.has_finding();
    out.unsound = report.is_unsound();
    out.undecided = report.is_undecided() && !report.runs;
  }

  void print(std::size_t file) {
    Printed& out = printed_[file];
    progress_.clear();
    std::FILE* const to = out.to_errors && !json_ ? stderr : stdout;
    std::fwrite(out.text.data(), 1, out.text.size(), to);
    std::fflush(stdout);
    if (out.to_errors || out.undecided) exit_code_ = ExitCode::BadInput;
    if (out.finding && exit_code_ == ExitCode::Fine) exit_code_ = ExitCode::Finding;
    if (out.unsound) exit_code_ = ExitCode::InternalError;
    out = {};
    progress_.update(file + 1, files_[file]);
  }

  const std::vector<std::string>& files_;
  SpirvRequest request_;
  bool json_;
  bool times_;
  bool quiet_;
  std::vector<Printed> printed_;
  Progress progress_;
  Progress progress_of_runs_;
  Progress progress_of_executions_;
  std::uint64_t executions_ = 0;
  ExitCode exit_code_ = ExitCode::Fine;
};

}  // namespace

SpirvCommand::SpirvCommand(CLI::App& program)
    : command_(program.add_subcommand(
          "spirv", "List all executions that the memory model allows a SPIR-V compute module with a few invocations")) {
  command_->add_option("FILE", files_, "SPIR-V modules (.spv), their text (.spvasm), or GLSL compute shaders (.comp)")
      ->required()
      ->option_text("...");
  command_
      ->add_option("--bound", bound_,
                   "Iterations of each loop, each time it is entered; on the machine 65536 unless it is given")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->option_text("N (default 2)");
  command_->add_flag("--no-chains", no_chains_, "Availability and visibility chains have one element");
  command_->add_option("--limit", limit_, "Stop each file after so many executions")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
      ->option_text("N");
  command_->add_option("--jobs", jobs_, "Files at a time (default: one for each processor)")
      ->check(CLI::Range(1U, 1024U))
      ->option_text("N");
  command_->add_flag(
      "--verdict", verdict_,
      "Find out as early as possible whether the condition holds and whether there is a race; list no outcomes");
  command_->add_flag("--list", list_,
                     "Run nothing: print the entry points, buffers, push constants and specialization constants");
  add_dispatch_options();
  add_machine_options();
  CLI::Option* progress = add_progress_option(*command_, progress_, "invocations")->excludes("--machine");
  command_
      ->add_flag(
          "--races", races_,
          "Find data races, of many invocations too: run it 300 times on the memory \"random\", and tell each race, "
          "why it is one, and what would order the accesses; its executions are not explored")
      ->excludes("--machine")
      ->excludes(progress);
  CLI::Option* json = command_->add_flag("--json", json_, "One JSON object a line for each file");
  command_
      ->add_flag("--no-times", no_times_,
                 "With --json: leave out how long it took, so that equal runs print equal bytes")
      ->needs(json);
  command_->add_flag("--quiet", quiet_, "Verdicts only, no progress");
  command_->footer(
      "Which invocations race in a shader, and what orders them:  heddle spirv scan.comp --races\n"
      "A text or shader says in comments before its first instruction what goes in and what may come out:\n"
      "  ; @Input: %in = {{3, 4}}     ; @Output: forall (%out[0] == 7)     ; @Config: 2, 1, 1\n"
      "Exit code: 0 fine, 1 a condition fails, a race or undefined behaviour, 2 bad input or an exploration that\n"
      "finds nothing out, because no execution comes to its end within --bound, 3 an internal error.");
}

void SpirvCommand::add_dispatch_options() {
  command_->add_option("--entry", entry_, "The entry point")->option_text("NAME");
  command_->add_option("--local", local_, "Invocations in a workgroup")->option_text("X,Y,Z");
  command_->add_option("--groups", groups_, "Workgroups")->option_text("X,Y,Z");
  command_->add_option("--subgroup-size", subgroup_size_, "Invocations in a subgroup")
      ->check(CLI::Range(1U, 1024U))
      ->option_text("N");
  command_->add_option("--spec", specialization_, "The value of the specialization constant with this SpecId")
      ->option_text("ID=V ...");
  command_->add_option("--set", buffers_, "What a buffer holds: a file, or zeros:N, iota:N, random:N or words:1,2,3")
      ->option_text("SET.BINDING=CONTENTS ...");
  command_->add_option("--extent", extents_, "How large an image is: width, height, and depth or layers")
      ->option_text("SET.BINDING=X,Y,Z ...");
  command_->add_option("--push", push_, "What the push constants hold, as --set says it")->option_text("CONTENTS");
  command_
      ->add_option("--reconverge", reconverge_,
                   "maximal: lanes are together again as early as the graph allows, and not only where the module was "
                   "promised it")
      ->check(CLI::IsMember({"maximal"}))
      ->option_text("maximal");
  command_->add_flag("--robust", robust_, "What is out of bounds reads 0 and writes nothing");
  command_->add_flag("--wrap-offsets", wrap_offsets_, "Offsets in bytes wrap at 32 bits");
}

void SpirvCommand::add_machine_options() {
  CLI::Option* machine =
      command_
          ->add_option("--machine", policy_,
                       "Run it, again and again, on an emulated memory of this policy; heddle litmus --help has them")
          ->check(CLI::IsMember(policy_names()))
          ->option_text("POLICY");
  command_->add_option("--runs", runs_, "With --machine: how many runs")
      ->needs(machine)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
      ->option_text("N (default 10000)");
  command_->add_option("--seed", seed_, "With --machine: the same seed makes the same runs, another makes others")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("N (default 1)");
  command_->add_option("--judge", judged_, "With --machine: hold the first N runs against every axiom")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("N (default 0)");
  command_
      ->add_flag("--advise", advise_, "With --machine: list orderings that are stronger than the first 20 runs needed")
      ->needs(machine);
  command_->add_option("--replay", replay_, "With --machine: make run K by itself")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("K");
  command_
      ->add_option("--trace", trace_, "With --machine: record the first run in this file, for heddle trace and step")
      ->needs(machine)
      ->option_text("FILE");
  command_
      ->add_option("--expect", expected_,
                   "With --machine: what a buffer holds when the first run has ended, as --set says it")
      ->needs(machine)
      ->option_text("SET.BINDING=CONTENTS ...");
  command_->add_option("--dump", dumped_, "With --machine: write what a buffer holds when the first run has ended")
      ->needs(machine)
      ->option_text("SET.BINDING=FILE ...");
  command_->add_flag("--no-explore", no_explore_, "With --machine: do not ask what the memory model allows")
      ->needs(machine);
}

BufferRequest SpirvCommand::buffer_request() const {
  BufferRequest out;
  for (const std::string& each : expected_) {
    const auto [name, contents] = split_option("--expect", each);
    out.expected.push_back({{name, binding_from_text("--expect", name)}, contents_from_text("--expect", contents)});
  }
  for (const std::string& each : dumped_) {
    const auto [name, file] = split_option("--dump", each);
    out.dumped.push_back({{name, binding_from_text("--dump", name)}, file});
  }
  if (!trace_.empty() && files_.size() > 1)
    throw InputError("--trace records a run of one module, and there are several files");
  if (!dumped_.empty() && files_.size() > 1)
    throw InputError("--dump writes the buffers of one module, and there are several files");
  return out;
}

SpirvRequest SpirvCommand::request() const {
  SpirvRequest out;
  out.inquiry.bound = bound_;
  out.inquiry.chains = !no_chains_;
  out.inquiry.limit = limit_;
  out.inquiry.verdict_only = verdict_;
  out.inquiry.cancelled = &interrupted();
  out.dispatch.entry = entry_;
  if (command_->count("--local") > 0) out.dispatch.local = size_from_text("--local", local_);
  if (command_->count("--groups") > 0) out.dispatch.groups = size_from_text("--groups", groups_);
  if (subgroup_size_ != 0) out.dispatch.subgroup_size = subgroup_size_;
  for (const std::string& each : specialization_) {
    const auto [id, value] = split_option("--spec", each);
    add_once("--spec", id, out.dispatch.specialization, number_from_text("--spec", id), value);
  }
  for (const std::string& each : buffers_) {
    const auto [name, contents] = split_option("--set", each);
    add_once("--set", name, out.dispatch.buffers, binding_from_text("--set", name),
             contents_from_text("--set", contents));
  }
  for (const std::string& each : extents_) {
    const auto [name, size] = split_option("--extent", each);
    add_once("--extent", name, out.dispatch.extents, binding_from_text("--extent", name),
             size_from_text("--extent", size));
  }
  if (command_->count("--push") > 0) out.dispatch.push_constants = contents_from_text("--push", push_);
  out.dispatch.robust = robust_;
  out.dispatch.wrap_offsets = wrap_offsets_;
  out.dispatch.reconverge_maximal = !reconverge_.empty();
  if (!progress_.empty()) out.progress = progress::parse_progress_models(progress_);
  if (policy_.empty() && !races_) return out;
  out.policy = races_ ? "random" : policy_;
  out.buffers = buffer_request();
  out.explore = !no_explore_ && !races_;
  out.runs.emplace();
  out.runs->policy = memory_policy(out.policy);
  out.runs->runs = races_ ? kRunsForRaces : runs_;
  out.runs->seed = seed_;
  out.runs->judged = judged_;
  if (advise_) out.runs->advised = kAdvisedRuns;
  if (command_->count("--bound") > 0) out.runs->bound = bound_;
  if (command_->count("--replay") > 0) out.runs->replay = replay_;
  out.runs->trace = trace_;
  out.runs->chains = !no_chains_;
  out.runs->cancelled = &interrupted();
  return out;
}

ExitCode SpirvCommand::list() const {
  bool error = false;
  for (const std::string& file : files_) {
    bool wrong = false;
    const std::string text = list_module(file, json_, wrong);
    std::fwrite(text.data(), 1, text.size(), wrong && !json_ ? stderr : stdout);
    error = error || wrong;
  }
  return error ? ExitCode::BadInput : ExitCode::Fine;
}

ExitCode SpirvCommand::run() const {
  watch_for_interrupt();
  SpirvRequest asked;
  try {
    asked = request();
  } catch (const InputError& error) {
    print_readable(stderr, "heddle spirv: " + std::string(error.what()) + '\n');
    return ExitCode::BadInput;
  }
  if (list_) return list();
  const unsigned jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
  return SpirvBatch(files_, std::move(asked), json_, !no_times_, quiet_).run(jobs);
}

}  // namespace heddle::cli
