#include "emulator/cli/litmus_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>

#include "emulator/cli/in_order.h"
#include "emulator/cli/interrupt.h"
#include "emulator/cli/litmus_pictures.h"
#include "emulator/cli/litmus_report.h"
#include "emulator/cli/progress.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/whole_number.h"

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
    for (fs::recursive_directory_iterator at(name, options, error), end; !error && at != end;
         at.increment(error)) {
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

/// Names for the pictures of each file: its stem, with a number where two files share it.
std::vector<std::string> picture_stems(const std::vector<std::string>& files) {
  std::map<std::string, int> uses;
  std::vector<std::string> out;
  for (const std::string& file : files) {
    const std::string stem = stem_of(file);
    const int use = ++uses[stem];
    out.push_back(use == 1 ? stem : stem + '.' + std::to_string(use));
  }
  return out;
}

}  // namespace

LitmusCommand::LitmusCommand(CLI::App& program)
    : command_(program.add_subcommand(
          "litmus",
          "List all executions that the memory model allows a litmus test, or run it on weak memory")) {
  command_
      ->add_option("FILE", files_,
                   "Vulkan litmus tests, Khronos .test files, or directories of them")
      ->required()
      ->option_text("...");
  command_->add_option("--bound", bound_, "Iterations of each loop")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->option_text("N (default 2)");
  command_->add_flag("--no-chains", no_chains_,
                     "Availability and visibility chains have one element");
  command_->add_option("--limit", limit_, "Stop each test after so many executions")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
      ->option_text("N");
  command_->add_option("--jobs", jobs_,
                       "Threads: for several files, or for the runs of one (default: one for each "
                       "processor)")
      ->check(CLI::Range(1U, 1024U))
      ->option_text("N");
  command_->add_flag("--thin-air", thin_air_,
                     "Also values out of thin air: the constants of the test");
  command_->add_flag("--why", why_, "Say why a test is racy, and why an outcome is forbidden");
  command_->add_option("--dot", dot_,
                       "Draw an execution for each outcome and for a race, as .dot and .svg files "
                       "in this directory")
      ->option_text("DIRECTORY");
  add_machine_options();
  command_->add_flag("--json", json_, "One JSON object a line for each file");
  command_->add_flag("--quiet", quiet_, "Verdicts only, no progress");
  command_->footer("Policies:\n" + policy_descriptions() +
                   "Exit code: 0 fine, 1 an assertion or claim fails or a test is racy, 2 bad input,\n"
                   "3 an internal error (a run that the memory model does not allow is one). With --replay it is about\n"
                   "that run alone.");
}

void LitmusCommand::add_machine_options() {
  CLI::Option* machine =
      command_
          ->add_option("--machine", machine_.policy,
                       "Run it, again and again, on an emulated memory of this policy (see below)")
          ->check(CLI::IsMember(policy_names()))
          ->option_text("POLICY");
  command_->add_option("--runs", machine_.runs, "With --machine: how many runs")
      ->needs(machine)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
      ->option_text("N (default 100000)");
  command_
      ->add_option("--seed", machine_.seed,
                   "With --machine: the same seed makes the same runs, another makes others")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("N (default 1)");
  command_
      ->add_option("--judge", machine_.judged,
                   "With --machine: hold the first N runs against every axiom of the memory model")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("N (default 0)");
  command_
      ->add_flag("--no-explore", no_explore_,
                 "With --machine: do not ask which outcomes the memory model allows")
      ->needs(machine);
  command_
      ->add_option("--replay", replay_,
                   "With --machine: make run K by itself, and tell it step by step")
      ->needs(machine)
      ->check(whole_number())
      ->option_text("K");
  command_
      ->add_option("--trace", machine_.trace,
                   "With --replay: record the run in this file, for heddle trace")
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

ExitCode LitmusCommand::run() const {
  watch_for_interrupt();
  const std::vector<std::string> files = expand(files_, machine_.policy.empty());
  if (files.empty()) {
    std::fputs(machine_.policy.empty()
                   ? "heddle litmus: the directories contain no .litmus or .test file\n"
                   : "heddle litmus: the directories contain no .litmus file\n",
               stderr);
    return ExitCode::BadInput;
  }
  if (!machine_.trace.empty() && files.size() > 1) {
    std::fprintf(stderr, "heddle litmus: --trace records one run of one test; these are %zu tests\n",
                 files.size());
    return ExitCode::BadInput;
  }
  if (!dot_.empty()) {
    std::error_code error;
    std::filesystem::create_directories(dot_, error);
    if (error) {
      std::fprintf(stderr, "heddle litmus: --dot %s: %s\n", dot_.c_str(), error.message().c_str());
      return ExitCode::BadInput;
    }
  }
  TextOptions text;
  text.coloured = wants_colour();
  text.quiet = quiet_;
  text.why = why_;
  text.question.bound = bound_;
  text.question.limit = limit_;
  text.question.chains = !no_chains_;
  text.question.thin_air = thin_air_;
  text.question.keep_examples = why_ || !dot_.empty();
  text.question.cancelled = &interrupted();

  struct Printed {
    std::string out;
    std::string err;
    bool bad_input = false;
    bool finding = false;
    bool unsound = false;
  };
  std::vector<Printed> results(files.size());
  const std::vector<std::string> stems = picture_stems(files);
  std::optional<MachineOptions> machine = this->machine(files.size());
  Progress run_progress(machine_.runs, machine && files.size() == 1 && !quiet_);
  if (machine && files.size() == 1)
    machine->progress = [&](std::uint64_t made) { run_progress.update(made, "runs"); };
  const auto work = [&](std::size_t i) {
    const LitmusReport report = report_on(files[i], text.question, machine);
    run_progress.clear();
    Printed& printed = results[i];
    printed.bad_input = report.error.has_value();
    printed.unsound = report.is_unsound();
    printed.finding = report.has_finding();
    if (json_) {
      printed.out = to_json(report) + '\n';
    } else {
      (report.error ? printed.err : printed.out) = to_text(report, text);
    }
    if (dot_.empty()) return;
    const Pictures pictures = write_pictures(report, text.question, dot_, stems[i]);
    if (!json_ && !quiet_) {
      for (const std::string& file : pictures.files) printed.out += "  Picture: " + file + '\n';
    }
    for (const std::string& problem : pictures.problems) {
      printed.err += "heddle litmus: " + problem + '\n';
    }
  };
  ExitCode exit_code = ExitCode::Fine;
  Progress progress(files.size(), !quiet_);
  const auto done = [&](std::size_t i) {
    progress.clear();
    std::fwrite(results[i].out.data(), 1, results[i].out.size(), stdout);
    std::fflush(stdout);
    std::fwrite(results[i].err.data(), 1, results[i].err.size(), stderr);
    if (results[i].bad_input && exit_code != ExitCode::InternalError) exit_code = ExitCode::BadInput;
    if (results[i].finding && exit_code == ExitCode::Fine) exit_code = ExitCode::Finding;
    if (results[i].unsound) exit_code = ExitCode::InternalError;
    results[i] = {};
    progress.update(i + 1, files[i]);
  };
  in_order(files.size(), jobs(), work, done, [] { return interrupted().load(); });
  progress.clear();
  return interrupted().load() ? ExitCode::Interrupted : exit_code;
}

}  // namespace heddle::cli
