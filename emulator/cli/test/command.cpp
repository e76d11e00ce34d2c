#include "emulator/cli/test/command.h"

#include <heddle/sweep.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "emulator/cli/progress.h"
#include "emulator/cli/races/report_formats.h"
#include "emulator/cli/races/variable.h"
#include "emulator/cli/terminal.h"
#include "emulator/cli/test/program_tests.h"
#include "emulator/cli/test/report.h"
#include "runtime/counted.h"
#include "runtime/seed.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTestFooter = R"(
The programs are tests of Catch2, of GoogleTest, or of no framework (then their exit code counts). Searches
of theirs (explore_seeds, and questions like race_free) run under the sweep and in the shard that is asked
for here; where the test itself does not look for races they look for them too, and a race is a finding.
Devices outside of searches are the business of `heddle races`.

  heddle test build/samples/testing/catch2
  heddle test --seconds 600 --seeds 100000 build/tests/my_*_test
  heddle test --sweep "subgroup=8,32,64 limits=vulkan-minimum,mali" ./my_test
  heddle test --shard 2/8 --format json --output part2.json ./my_test
  heddle test --merge part*.json

A sweep has words: subgroup=SIZE,..., lanes=linear,shuffled, order=ascending,shuffled, residents=COUNT,...,
memory=POLICY,..., limits=PROFILE,..., progress=MODEL,... (qf=obe/sg=unfair of two scopes),
reconvergence=maximal,subgroup,minimum,seed; a name alone has all of its values; `usual` is what seeds vary without this option, `none` nothing
(--list-sweeps has the values). What a test fixes stays as it is.

Exit code: 0 all is well; 1 a test failed, or kernels race; 2 wrong options, a program that cannot be
started, a file that is no report, nothing was tested (no test fits the filter, or the programs have neither tests of
a framework nor searches); 130 interrupted (what was found until then is told).)";

/// What is wrong with a shard; empty if nothing is.
std::string problem_of_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto index = runtime::seed_from_text(text.substr(0, slash));
  const auto count = runtime::seed_from_text(text.substr(std::min(slash + 1, text.size())));
  const bool is_one = index && count && *index >= 1 && *index <= *count && *count <= ~std::uint32_t{0};
  return is_one ? "" : "'" + text + "' is not I/N with I from 1 to N";
}

}  // namespace

TestCommand::TestCommand(CLI::App& program) {
  command_ = program.add_subcommand("test", "Run test programs under sweeps and many seeds, and report what fails");
  command_->add_option("--sweep", sweep_, "what seeds vary of devices (HEDDLE_SWEEP)")->option_text("WORDS");
  command_->add_option("--seeds", seeds_, "so many seeds in each search, whatever the test says")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  command_->add_option("--shard", shard_, "the I-th of N parts of the seeds of each search")
      ->option_text("I/N")
      ->check(CLI::Validator(problem_of_shard, "", "shard"));
  command_->add_option("--seconds", seconds_, "for so long at most, shared out among the programs")
      ->check(CLI::Range(1u, 100000000u));
  command_->add_option("--filter", filter_, "run the tests that fit this, as the framework has it");
  command_->add_option("--undefined", undefined_, "what undefined values are: of the seed, or zero")
      ->check(CLI::IsMember({"seed", "zero"}));
  command_->add_flag("--no-races", without_races_, "look for no races but where a test does");
  command_->add_option("--format", format_, "text, json, sarif, junit or github")->check(CLI::IsMember(kReportFormats));
  command_->add_flag("--json", json_, "as --format json: a line for each program, test and search, and a summary");
  command_->add_option("--output", output_, "where the report goes (standard output)");
  command_->add_flag("--merge", merge_, "the names are files that --format json wrote: make one report of them");
  command_->add_flag("--list-sweeps", list_, "list what a sweep varies, and the values");
  command_->add_option("names", names_, "the programs, or with --merge the files");
  command_->footer(kTestFooter);
}

void TestCommand::set_environment() const {
  // What was found is reported here.
  for (const char* variable : {"HEDDLE_RACES_FILE", "HEDDLE_REPLAY", "HEDDLE_EXPLORE_SEED"}) unsetenv(variable);
  setenv("HEDDLE_RACES", without_races_ ? "0" : "1", 1);
  if (!sweep_.empty()) setenv("HEDDLE_SWEEP", sweep_.c_str(), 1);
  if (!undefined_.empty()) setenv("HEDDLE_UNDEFINED", undefined_.c_str(), 1);
  if (!shard_.empty()) setenv("HEDDLE_EXPLORE_SHARD", shard_.c_str(), 1);
  if (seeds_ != 0) setenv("HEDDLE_EXPLORE_SEEDS", std::to_string(seeds_).c_str(), 1);
}

ExitCode TestCommand::list_sweeps() const {
  for (const SweepParameter& parameter : sweep_parameters()) {
    std::string line = parameter.name + '=';
    for (const std::string& value : parameter.values) line += (line.back() == '=' ? "" : ",") + value;
    std::printf("%s\n", line.c_str());
  }
  const Sweep usual("usual");
  std::printf("usual: %s\n  all pairs of values come up in %llu seeds, all triples in %llu\n", usual.text().c_str(),
              static_cast<unsigned long long>(usual.pairs()), static_cast<unsigned long long>(usual.triples()));
  return ExitCode::Fine;
}

bool TestCommand::write(const TestReport& report) const {
  const std::string text = report.text(report_format(json_ ? "json" : format_, output_.empty()));
  if (output_.empty()) return std::fputs(text.c_str(), stdout) >= 0;
  std::ofstream out(output_, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  print_readable(stderr, "heddle: cannot write '" + output_ + "': " + std::strerror(errno) + '\n');
  std::fputs(text.c_str(), stderr);
  return false;
}

ExitCode TestCommand::merge() const {
  try {
    const TestReport report = merged(names_);
    if (!write(report)) return ExitCode::BadInput;
    return report.findings() == 0 && !report.lacks_seeds() ? ExitCode::Fine : ExitCode::Finding;
  } catch (const std::runtime_error& error) {
    print_readable(stderr, std::string("heddle: ") + error.what() + '\n');
    return ExitCode::BadInput;
  }
}

ExitCode TestCommand::run_all() const {
  // Programs end their searches by themselves, and some time later are ended.
  constexpr auto kGrace = std::chrono::seconds(5);
  const auto begin = Clock::now();
  const auto all_end = begin + std::chrono::seconds(seconds_);
  Progress progress(names_.size(), true);
  TestReport report;
  bool interrupted = false;
  for (std::size_t i = 0; i < names_.size() && !interrupted; ++i) {
    std::optional<Variable> seconds;
    std::optional<Clock::time_point> end;
    if (seconds_ != 0) {
      const auto left = std::chrono::duration_cast<std::chrono::seconds>(all_end - Clock::now()) / (names_.size() - i);
      const auto own = std::max<std::chrono::seconds>(left, std::chrono::seconds(1));
      seconds.emplace("HEDDLE_EXPLORE_SECONDS", std::to_string(own.count()));
      end = Clock::now() + own + kGrace;
    }
    const auto tell = [&](std::size_t searches) {
      progress.update(i, fmt::format("{}: {}", names_[i], runtime::counted(searches, "search", "searches")));
    };
    const ProgramTests tests = run_tests(names_[i], filter_, end, tell, report);
    interrupted = tests.interrupted;
    if (tests.error.empty()) continue;
    progress.clear();
    print_readable(stderr, fmt::format("heddle: cannot run '{}': {}\n", names_[i], tests.error));
    return ExitCode::BadInput;
  }
  progress.clear();
  if (!write(report)) return ExitCode::BadInput;
  if (interrupted) return ExitCode::Interrupted;
  if (report.findings() != 0) return ExitCode::Finding;
  if (report.has_tested()) return ExitCode::Fine;
  print_readable(stderr, filter_.empty() ? "heddle: nothing was tested: there is no test of a framework here and no "
                                           "search (explore_seeds); kernels outside of these are for heddle races\n"
                                         : "heddle: nothing was tested: no test fits --filter '" + filter_ + "'\n");
  return ExitCode::BadInput;
}

ExitCode TestCommand::run() const {
  if (list_) return list_sweeps();
  if (names_.empty()) {
    print_readable(stderr, "heddle: heddle test needs a program, or with --merge a file; see heddle test --help\n");
    return ExitCode::BadInput;
  }
  if (merge_) return merge();
  try {
    if (!sweep_.empty()) (void)Sweep(sweep_);
  } catch (const std::invalid_argument& error) {
    print_readable(stderr, std::string("heddle: --sweep: ") + error.what() + '\n');
    return ExitCode::BadInput;
  }
  set_environment();
  return run_all();
}

}  // namespace heddle::cli
