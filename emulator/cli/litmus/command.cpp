#include "emulator/cli/litmus/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "emulator/cli/input_file.h"
#include "emulator/cli/interrupt.h"
#include "emulator/cli/litmus/batch.h"
#include "emulator/cli/litmus/edited.h"
#include "emulator/cli/litmus/spelled.h"
#include "emulator/cli/policies.h"
#include "emulator/cli/progress_option.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/whole_number.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

/// Directories are replaced by the litmus files in and below them, in alphabetical order; those that make
/// claims (.test) only if wanted.
std::vector<std::string> expand(const std::vector<std::string>& names, bool claims) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& name : names) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      out.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(name, options, error), end; !error && at != end; at.increment(error)) {
      const std::string extension = at->path().extension().string();
      std::error_code ignored;
      if ((extension == ".litmus" || (claims && extension == ".test")) && at->is_regular_file(ignored)) {
        found.push_back(at->path().string());
      }
    }
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace

LitmusCommand::LitmusCommand(CLI::App& program)
    : command_(program.add_subcommand(
          "litmus", "List all executions that the memory model allows a litmus test, or run it on weak memory")) {
  command_->add_option("FILE", files_, "Vulkan, C or Mu litmus tests, Khronos .test files, or directories of them")
      ->required()
      ->option_text("...");
  command_->add_option("--bound", bound_, "Iterations of each loop")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->option_text("N (default 2)");
  command_->add_flag("--no-chains", no_chains_, "Availability and visibility chains have one element");
  command_->add_option("--limit", limit_, "Stop each test after so many executions")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
      ->option_text("N");
  command_
      ->add_option("--jobs", jobs_,
                   "Threads: for several files, or for the runs of one (default: one for each "
                   "processor)")
      ->check(CLI::Range(1U, 1024U))
      ->option_text("N");
  command_->add_flag("--thin-air", thin_air_, "Also values out of thin air: the constants of the test");
  CLI::Option* verdict = command_->add_flag(
      "--verdict", verdict_,
      "Find out as early as possible whether the assertion holds and whether there is a race; list no outcomes");
  command_->add_flag("--why", why_, "Say why a test is racy, which changes mend that, and why an outcome is forbidden");
  command_
      ->add_option("--dot", dot_,
                   "Draw an execution for each outcome and for a race, as .dot and .svg files "
                   "in this directory")
      ->option_text("DIRECTORY");
  for (const char* other : {"--why", "--dot"}) verdict->excludes(other);
  command_
      ->add_option(
          "--spelling", spelling_,
          "Only print each test of the Vulkan dialect in this spelling: tags (st.atom.rel.dv.sc0.semsc0 y, 1) or "
          "calls (atomicStore(y, 1, Release, Device, UniformMemory))")
      ->check(CLI::IsMember({"tags", "calls"}))
      ->option_text("SPELLING");
  CLI::Option* edits =
      command_
          ->add_option("--edits", edits_,
                       "Make the edits of this file to the tests of the Vulkan dialect: a line each, such as "
                       "'add MakeAvailable at atomic-write in mp.litmus:5'")
          ->option_text("FILE");
  command_->add_flag("--print-changed", print_changed_, "With --edits: only print the tests with the edits made")
      ->needs(edits);
  add_machine_options();
  verdict->excludes("--machine");
  CLI::Option* progress = add_progress_option(*command_, progress_, "threads");
  for (const char* other : {"--why", "--dot", "--machine", "--spelling"}) progress->excludes(other);
  CLI::Option* json = command_->add_flag("--json", json_, "One JSON object a line for each file");
  command_
      ->add_flag("--no-times", no_times_,
                 "With --json: leave out how long it took, so that equal runs print equal bytes")
      ->needs(json);
  command_->add_flag("--quiet", quiet_, "Verdicts only, no progress");
  command_->footer(
      "Policies:\n" + policy_descriptions() +
      "Exit code: 0 fine, 1 an assertion or claim fails or a test is racy or does not end, 2 bad input,\n"
      "3 an internal error (a run that the memory model does not allow is one). With --replay it is about\n"
      "that run alone.");
}

void LitmusCommand::add_machine_options() {
  CLI::Option* machine = command_
                             ->add_option("--machine", machine_.policy,
                                          "Run it, again and again, on an emulated memory of this policy (see below)")
                             ->check(CLI::IsMember(policy_names()))
                             ->option_text("POLICY");
  command_->add_option("--runs", machine_.runs, "With --machine: how many runs")
      ->needs(machine)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
      ->option_text("N (default 100000)");
  command_
      ->add_option("--seed", machine_.seed, "With --machine: the same seed makes the same runs, another makes others")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("N (default 1)");
  command_
      ->add_option("--judge", machine_.judged,
                   "With --machine: hold the first N runs against every axiom of the memory model")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("N (default 0)");
  command_->add_flag("--no-explore", no_explore_, "With --machine: do not ask which outcomes the memory model allows")
      ->needs(machine);
  command_->add_option("--replay", replay_, "With --machine: make run K by itself, and tell it step by step")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("K");
  command_->add_option("--trace", machine_.trace, "With --replay: record the run in this file, for heddle trace")
      ->needs("--replay")
      ->option_text("FILE");
}

unsigned LitmusCommand::jobs() const {
  return jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
}

std::optional<MachineOptions> LitmusCommand::machine(std::size_t files) const {
  if (machine_.policy.empty()) return std::nullopt;
  MachineOptions out = machine_;
  out.explore = !no_explore_;
  if (command_->count("--replay") > 0) out.replay = replay_;
  // What files leave over.
  out.jobs = std::max(1U, jobs() / static_cast<unsigned>(std::min<std::size_t>(files, jobs())));
  return out;
}

std::string LitmusCommand::what_is_wrong(const std::vector<std::string>& files) const {
  if (files.empty())
    return machine_.policy.empty() ? "the directories contain no .litmus or .test file"
                                   : "the directories contain no .litmus file";
  if (!machine_.trace.empty() && files.size() > 1)
    return "--trace records one run of one test; these are " + std::to_string(files.size()) + " tests";
  if (dot_.empty()) return "";
  std::error_code error;
  std::filesystem::create_directories(dot_, error);
  return error ? "--dot " + dot_ + ": " + error.message() : "";
}

litmus::Question LitmusCommand::question() const {
  litmus::Question out;
  out.bound = bound_;
  out.limit = limit_;
  out.chains = !no_chains_;
  out.thin_air = thin_air_;
  out.verdict_only = verdict_;
  if (!progress_.empty()) out.progress = progress::parse_progress_models(progress_);
  out.keep_examples = why_ || !dot_.empty();
  out.cancelled = &interrupted();
  return out;
}

ExitCode LitmusCommand::run() const {
  watch_for_interrupt();
  const std::vector<std::string> files = expand(files_, machine_.policy.empty());
  const std::string wrong = what_is_wrong(files);
  if (!wrong.empty()) {
    print_readable(stderr, "heddle litmus: " + wrong + '\n');
    return ExitCode::BadInput;
  }
  BatchOptions options;
  try {
    if (!edits_.empty()) options.texts = edited_texts(files, edits_);
  } catch (const InputError& error) {
    print_readable(stderr, fmt::format("heddle litmus: {}\n", error.what()));
    return ExitCode::BadInput;
  }
  if (!spelling_.empty()) return print_spelled(files, spelling_, options.texts);
  if (print_changed_) return print_texts(options.texts);
  options.text.coloured = wants_colour();
  options.text.quiet = quiet_;
  options.text.why = why_;
  options.text.question = question();
  options.machine = machine(files.size());
  options.dot = dot_;
  options.json = json_;
  options.times = !no_times_;
  options.jobs = jobs();
  return Batch(files, std::move(options)).run();
}

}  // namespace heddle::cli
