#include "emulator/cli/races/command.h"

#include <heddle/sweep.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "emulator/cli/interrupt.h"
#include "emulator/cli/policies.h"
#include "emulator/cli/races/page.h"
#include "emulator/cli/races/patch_file.h"
#include "emulator/cli/races/program_run.h"
#include "emulator/cli/races/repeated_program.h"
#include "emulator/cli/races/report_formats.h"
#include "emulator/cli/races/separate_program.h"
#include "emulator/cli/races/temporary_file.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/whole_number.h"
#include "emulator/report/records.h"

namespace heddle::cli {
namespace {

constexpr double kMostSeconds = 1e6;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr const char* kFooter = R"(
The program need not be compiled again: its devices run emulated and look for races. What it does
itself goes where it always goes; the report follows on standard output.

  heddle races build/samples/reduce
  heddle races --memory random --seed 7 ./my_test --count 100
  heddle races --parallel ./my_simulation large.dat
  heddle races --html races.html build/samples/field/flag_rewritten
  heddle races --suppress known.txt --format sarif --output races.sarif ./my_test

What could mend a race is tried on the program, which runs again with each change (it is not compiled again
either), for 2 seconds at most, with --apply for 20 (--change-seconds): the report comes first, and the changes that
mend it follow.

A program that makes one run is looked at from one seed: what it does in another order, or on weak memory, only other
runs show. The last line of a report without races says what was looked at, and what else there is.

With --parallel memory is sequential, and changes that would order two accesses are not tried out: where
there is a race, look at it again without, which takes --memory random or several seeds if it does not come at once:
the order of a run on all cores does not come back. Devices whose options name another memory policy, a trace,
advice or choices of their own run as they do without.

A suppression file has an entry a line, and every entry has a reason:

  object:hist*                      -- bins may be off by a few, it is a preview
  place:vendor/*.cpp                -- not ours
  place:bfs.cpp:87 object:"dist"    -- both write the same level

What else of a run the program does not say itself, the environment may: HEDDLE_SUBGROUP_SIZE=8,
HEDDLE_RESIDENT_WORKGROUPS=8, HEDDLE_LANE_MAPPING=shuffled, HEDDLE_WORKGROUP_ORDER=shuffled,
HEDDLE_LIMITS=vulkan-minimum (or typical-desktop, amd, intel, adreno, mali). The command behind `again` has those
that are set. With --sweep the seed decides: --sweep "subgroup=8,64 lanes=shuffled" --seed 2.

In the source the comment  // heddle: benign race: REASON  at the end of the line of one access, or
alone in the line before, does the same. Suppressed races are listed, but do not count.

Exit code: 0 no race that counts; 1 races, or the program failed; 2 wrong options, a program that cannot
be started, or one that dispatched no kernel; 130 interrupted (what was found until then is told).)";

}  // namespace

RacesCommand::RacesCommand(CLI::App& program) {
  command_ = program.add_subcommand("races", "Run a program and report the data races of its kernels");
  command_->add_option("--format", format_, "text, json, sarif, junit or github")->check(CLI::IsMember(kReportFormats));
  command_->add_flag("--json", json_,
                     "as --format json: one object a race (or advice, or remark) a line, and a summary");
  CLI::Option* const memory =
      command_->add_option("--memory", memory_, "the policy of the device's memory (sequential)")
          ->check(CLI::IsMember(policy_names()));
  CLI::Option* const seed =
      command_->add_option("--seed", seed_, "of everything that is left to chance (1)")->check(whole_number());
  command_
      ->add_option("--undefined", undefined_,
                   "what nobody wrote and what subgroup operations leave undefined: of the seed, or zero, and nobody "
                   "looks at what it decides")
      ->check(CLI::IsMember({"seed", "zero"}));
  command_
      ->add_option("--sweep", sweep_,
                   "what the seed decides of the device: subgroup=8,32 lanes=shuffled memory=random ... (as heddle "
                   "test, whose --list-sweeps has all words)")
      ->option_text("WORDS");
  command_->add_option("--suppress", suppressions_, "a file of races that do not count (HEDDLE_RACES_SUPPRESS)");
  command_
      ->add_option("--same-value", same_value_,
                   "what two plain writes of the same value are: race, as in the specification, "
                   "or notice, which does not count")
      ->check(CLI::IsMember({"race", "notice"}));
  CLI::Option* const advise =
      command_->add_flag("--advise", advise_, "also list orderings that are stronger than the runs needed");
  CLI::Option* const all = command_->add_flag(
      "--all", all_, "tell each pair of lines that races, and try changes for each, however long that takes");
  CLI::Option* const html = command_->add_option(
      "--html", html_,
      "also write a page for a browser to this file, that needs nothing else: the races, and every event of a run "
      "that has them (the first 2,000,000)");
  CLI::Option* const parallel_option =
      command_
          ->add_flag("--parallel", parallel_,
                     "run workgroups on all cores, for large inputs: in an order that is the machine's, "
                     "so that no seed replays it")
          ->excludes(memory)
          ->excludes(seed)
          ->excludes(advise)
          ->excludes(all)
          ->excludes(html);
  command_
      ->add_option("--change-seconds", change_seconds_,
                   "run the program again for so long, to try the changes on it that could mend its races (2; with "
                   "--apply 20); 0 for not at all")
      ->check(CLI::Range(0.0, kMostSeconds));
  command_
      ->add_option("--apply", patch_,
                   "write the changes that make the program clean to this file, as a patch of its source")
      ->excludes(parallel_option);
  command_->add_option("--output", output_, "where the report goes (standard output)");
  command_->add_option("program", program_, "the program and its arguments")->required();
  command_->footer(kFooter);
}

void RacesCommand::separate_program(std::vector<std::string>& arguments) const {
  cli::separate_program(*command_, arguments);
}

ReportFormat RacesCommand::format() const {
  return report_format(json_ ? "json" : format_, output_.empty());
}

void RacesCommand::set_environment(const std::string& records) const {
  setenv("HEDDLE_RACES", "records", 1);
  setenv("HEDDLE_RACES_FILE", records.c_str(), 1);
  unsetenv("HEDDLE_RACES_SUPPRESS");
  if (!memory_.empty()) setenv("HEDDLE_MEMORY", memory_.c_str(), 1);
  if (!seed_.empty()) setenv("HEDDLE_SEED", seed_.c_str(), 1);
  if (!sweep_.empty()) setenv("HEDDLE_SWEEP", sweep_.c_str(), 1);
  if (!undefined_.empty()) setenv("HEDDLE_UNDEFINED", undefined_.c_str(), 1);
  if (!same_value_.empty()) setenv("HEDDLE_RACES_SAME_VALUE", same_value_.c_str(), 1);
  if (advise_) setenv("HEDDLE_RACES_ADVISE", "1", 1);
  if (all_) setenv("HEDDLE_RACES_ALL", "1", 1);
  if (!parallel_) return;
  setenv("HEDDLE_RACES_PARALLEL", "1", 1);
  setenv("HEDDLE_MEMORY", "sequential", 1);
  unsetenv("HEDDLE_RACES_ADVISE");
}

// The command line cannot contradict itself in this, but the environment can, and one the other.
std::string RacesCommand::contradiction_to_parallel() const {
  const std::string asked = environment("HEDDLE_RACES_PARALLEL");
  if (!parallel_ && !asked.empty() && asked != "0" && asked != "1")
    return "HEDDLE_RACES_PARALLEL is '" + asked + "'; it may be 0 or 1";
  if (!parallel_ && asked != "1") return "";
  const std::string parallel = parallel_ ? "--parallel" : "HEDDLE_RACES_PARALLEL=1";
  const std::string why = ": workgroups that run at once have no order of their operations that could be ";
  if (!html_.empty()) return parallel + " together with --html" + why + "traced";
  if (!environment("HEDDLE_TRACE").empty()) return parallel + " together with HEDDLE_TRACE" + why + "traced";
  // The option goes before these.
  if (parallel_) return "";
  const std::string memory = memory_.empty() ? environment("HEDDLE_MEMORY") : memory_;
  if (!memory.empty() && memory != "sequential")
    return parallel + " together with " + (memory_.empty() ? "HEDDLE_MEMORY=" : "--memory ") + memory + why + "chosen";
  if (!seed_.empty()) return parallel + " together with --seed" + why + "chosen";
  if (advise_ || environment("HEDDLE_RACES_ADVISE") == "1")
    return parallel + " together with " + (advise_ ? "--advise" : "HEDDLE_RACES_ADVISE=1") + why + "recorded";
  return "";
}

std::string RacesCommand::contradiction() const {
  try {
    if (!sweep_.empty()) (void)Sweep(sweep_);
  } catch (const std::invalid_argument& error) {
    return std::string("--sweep: ") + error.what();
  }
  if (!html_.empty() && !environment("HEDDLE_TRACE").empty())
    return "--html together with HEDDLE_TRACE: the page takes the traces that it shows to files of its own";
  return contradiction_to_parallel();
}

bool RacesCommand::write(const std::string& text) const {
  if (output_.empty()) {
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  } else {
    std::ofstream out(output_, std::ios::binary);
    out << text;
    out.close();
    if (out) return true;
  }
  const std::string where = output_.empty() ? "to standard output" : "'" + output_ + "'";
  print_readable(stderr, "heddle: cannot write " + where + ": " + std::strerror(errno) + '\n');
  // What was found is not lost.
  std::fputs(text.c_str(), stderr);
  return false;
}

bool RacesCommand::may_try_changes(const RaceReport& report, const ProgramEnd& end) const {
  return change_seconds() > 0 && !end.interrupted &&
         std::any_of(report.races.begin(), report.races.end(),
                     [](const DataRace& race) { return !race.candidates.empty(); });
}

// Who wants a patch wants to wait for it.
double RacesCommand::change_seconds() const {
  constexpr double kSeconds = 2;
  constexpr double kSecondsOfPatch = 20;
  return change_seconds_.value_or(patch_.empty() ? kSeconds : kSecondsOfPatch);
}

bool RacesCommand::is_for_people() const {
  return format() == ReportFormat::Text || format() == ReportFormat::ColouredText;
}

bool RacesCommand::tell(RaceReport& report, const std::string& behind, ProgramEnd& end,
                        std::chrono::steady_clock::duration took) const {
  if (!may_try_changes(report, end)) {
    if (!patch_.empty()) std::fputs("heddle: no change was tried on the program: no patch is written\n", stderr);
    return write(to_text(report, format()) + (is_for_people() ? behind : ""));
  }
  watch_for_interrupt();
  // For people the report comes first, and what was tried follows.
  const bool follows = is_for_people() && output_.empty();
  if (follows && !write(to_text(without_changes(report), format()))) return false;
  const TriedChanges tried = try_changes_on(report, program_, took, change_seconds());
  end.interrupted = tried.interrupted;
  if (!patch_.empty()) write_patch(report, tried, program_[0], patch_);
  return write(follows ? "\n" + changes_text(report, tried) : to_text(report, format()));
}

ExitCode RacesCommand::run() const {
  const char* path = std::getenv("HEDDLE_RACES_SUPPRESS");
  const std::string suppressed = suppressions_.empty() && path ? path : suppressions_;
  report::Suppressions suppressions;
  try {
    if (!suppressed.empty()) suppressions = report::Suppressions(suppressed);
  } catch (const std::invalid_argument& error) {
    print_readable(stderr, std::string("heddle: ") + error.what() + '\n');
    return ExitCode::BadInput;
  }
  if (const std::string contradiction = this->contradiction(); !contradiction.empty()) {
    print_readable(stderr, "heddle: " + contradiction + '\n');
    return ExitCode::BadInput;
  }
  if (!output_.empty() && !write("")) return ExitCode::BadInput;
  std::optional<RunTraces> traces;
  if (!html_.empty()) {
    if (!std::ofstream(html_, std::ios::app)) {
      print_readable(stderr, "heddle: cannot write '" + html_ + "': " + std::strerror(errno) + '\n');
      return ExitCode::BadInput;
    }
    setenv("HEDDLE_TRACE", traces.emplace().path().c_str(), 1);
  }
  const TemporaryFile records;
  set_environment(records.path());
  const auto begin = std::chrono::steady_clock::now();
  ProgramEnd end = run_program(program_);
  const auto took = std::chrono::steady_clock::now() - begin;
  if (!end.error.empty()) {
    print_readable(stderr, "heddle: cannot run '" + program_[0] + "': " + end.error + '\n');
    return ExitCode::BadInput;
  }
  report::Collector collector;
  report::read_records(records.text(), collector);
  const bool complete = records.has_room();
  RaceReport report = collector.report(suppressions);
  if (collector.has_runs() && !tell(report, collector.how_it_looked(false), end, took)) return ExitCode::BadInput;
  if (traces && collector.has_runs() && traces->write_page(html_, program_[0]) != ExitCode::Fine)
    return ExitCode::BadInput;
  if (!complete) {
    std::fputs("heddle: /tmp is full: the report may lack what the program wrote to standard error instead\n", stderr);
    return ExitCode::BadInput;
  }
  if (end.interrupted) {
    std::fputs("heddle: interrupted: the report has what was found until then\n", stderr);
    return ExitCode::Interrupted;
  }
  if (end.status != 0) std::fprintf(stderr, "heddle: the program ended with %d\n", end.status);
  if (!report.races.empty() || end.status != 0) return ExitCode::Finding;
  if (collector.has_runs()) return ExitCode::Fine;
  print_readable(stderr, "heddle: '" + program_[0] + "' dispatched no kernel: nothing was checked\n");
  return ExitCode::BadInput;
}

}  // namespace heddle::cli
