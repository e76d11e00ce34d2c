#include "emulator/cli/mutate/command.h"

#include <fmt/format.h>
#include <heddle/edit.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "emulator/cli/interrupt.h"
#include "emulator/cli/mutate/litmus_test.h"
#include "emulator/cli/mutate/weakened_program.h"
#include "emulator/cli/progress.h"
#include "emulator/cli/races/separate_program.h"
#include "emulator/cli/terminal.h"
#include "emulator/report/source_text.h"
#include "runtime/counted.h"

namespace heddle::cli {
namespace {

constexpr const char* kMutateFooter = R"(
The program need not be compiled again. It runs once as it is; then one ordering of its kernels after the
other is weakened by a step: its order, its scope, a storage class, MakeAvailable, MakeVisible, NonPrivate,
a barrier taken out. With each the program runs under some seeds, on the memory 'random', and is to end
with an error; what it does not notice is looked for as a data race.

  heddle mutate build/samples/mistakes/message --seeds 20
  heddle mutate --seconds 600 ./my_test
  heddle mutate --advise --seeds 200 ./my_test

  noticed    the program ended with an error, or a kernel with a finding
  missed     the program ended well, and a data race or another finding shows what is wrong
  equivalent no seed shows it, and all executions of what the program explores (explore_kernel) are the same
  unshown    no seed shows that anything is wrong: it may be equivalent, or take more seeds

Of a litmus test (.litmus, the Vulkan dialect) all executions are explored with each, so that no seed is
left out: noticed, a race comes or the assertion says otherwise; missed, other outcomes are allowed, and
the assertion says the same; equivalent, nothing is otherwise.

With --advise it is the other direction: what is told are the orderings that could be weaker, each tried by
itself, and then all together. No seed is a proof.

Exit code: 0 nothing is missed, or --advise; 1 something is; 2 the program cannot be started, fails as it is, or orders
nothing; 130 interrupted (what was found until then is told).)";

std::string line_of(const Edit& edit) {
  const std::string text = report::source_line(edit.file.c_str(), edit.line);
  return text.empty() ? "" : fmt::format("  {:>5} | {}\n", edit.line, text);
}

/// Whether nothing shows that the weakened ordering is wrong.
bool is_unshown(const Weakened& weakened) {
  return weakened.outcome == Weakened::Outcome::Unshown || weakened.outcome == Weakened::Outcome::Equivalent;
}

void count(Score& score, Weakened::Outcome outcome) {
  switch (outcome) {
    case Weakened::Outcome::Noticed:
      ++score.noticed;
      return;
    case Weakened::Outcome::Missed:
      ++score.missed;
      return;
    case Weakened::Outcome::Equivalent:
      ++score.equivalent;
      return;
    case Weakened::Outcome::Unshown:
      ++score.unshown;
      return;
  }
}

std::string untried(const Score& score, std::size_t all, bool interrupted) {
  const std::size_t tried = score.noticed + score.missed + score.equivalent + score.unshown;
  if (tried == all) return "";
  return interrupted ? fmt::format("; interrupted before {} more", all - tried)
                     : fmt::format("; the time was up before {} more (--seconds)", all - tried);
}

std::string text_of(const Score& score, std::size_t all, bool interrupted) {
  const std::string equivalent =
      score.equivalent == 0
          ? ""
          : fmt::format("; {} {} equivalent within the bound", score.equivalent, score.equivalent == 1 ? "is" : "are");
  return fmt::format("{} of {} weakened orderings that a seed shows are noticed; {} more {} shown by none{}{}\n",
                     score.noticed, score.noticed + score.missed, score.unshown, score.unshown == 1 ? "is" : "are",
                     equivalent, untried(score, all, interrupted));
}

std::string advice_of(const Score& score, std::size_t all, bool interrupted, std::uint32_t seeds) {
  const std::size_t enough = score.unshown + score.equivalent;
  return fmt::format("{} of {} ways to order less {} shown to be wrong by none of {} seeds{}\n", enough, all,
                     enough == 1 ? "is" : "are", seeds, untried(score, all, interrupted));
}

std::string_view name_of(Weakened::Outcome outcome) {
  switch (outcome) {
    case Weakened::Outcome::Noticed:
      return "noticed";
    case Weakened::Outcome::Missed:
      return "missed ";
    case Weakened::Outcome::Equivalent:
      return "equivalent";
    case Weakened::Outcome::Unshown:
      break;
  }
  return "unshown";
}

void print(const Edit& edit, const Weakened& weakened) {
  std::string by = weakened.shown_by;
  if (!by.empty())
    by = weakened.seed == 0 ? fmt::format(" ({})", by) : fmt::format(" (seed {}: {})", weakened.seed, by);
  print_readable(stdout, fmt::format("  {}  {}{}\n", name_of(weakened.outcome), sentence_of(edit), by));
}

}  // namespace

MutateCommand::MutateCommand(CLI::App& program) {
  command_ = program.add_subcommand("mutate", "Weaken the orderings of a program, and see whether it notices");
  command_->add_option("--seeds", seeds_, "under so many seeds, with each (8; 40 with --advise)")
      ->check(CLI::Range(1u, 1000000u));
  command_->add_flag("--advise", advise_,
                     "tell only which orderings may be weaker: no seed shows that they are needed");
  command_->add_option("--seconds", seconds_, "for so long at most (60)")->check(CLI::Range(0.1, 1e6));
  command_->add_option("program", program_, "the program and its arguments, or a litmus test")->required();
  command_->footer(kMutateFooter);
}

void MutateCommand::separate_program(std::vector<std::string>& arguments) const {
  cli::separate_program(*command_, arguments);
}

ExitCode MutateCommand::run() const {
  if (program_.size() == 1 && program_.front().ends_with(".litmus")) {
    if (!advise_) return mutate_litmus_test(program_.front());
    print_readable(
        stderr,
        "heddle: --advise is for programs; of a litmus test, `equivalent` says which orderings may be weaker\n");
    return ExitCode::BadInput;
  }
  using Clock = WeakenedProgram::Clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_));
  watch_for_interrupt();
  WeakenedProgram program(program_, seeds(), end);
  const std::vector<Edit> edits = program.weakenings();
  if (!program.error().empty()) {
    print_readable(stderr, "heddle: " + program.error() + '\n');
    return program.was_interrupted() ? ExitCode::Interrupted : ExitCode::BadInput;
  }
  std::vector<Edit> unshown;
  const Score score = try_each(program, edits, unshown);
  const bool interrupted = program.was_interrupted();
  std::fputs(
      (advise_ ? advice_of(score, edits.size(), interrupted, seeds()) : text_of(score, edits.size(), interrupted))
          .c_str(),
      stdout);
  if (advise_ && unshown.size() > 1 && !interrupted) tell_together(program, unshown);
  if (program.was_interrupted()) return ExitCode::Interrupted;
  return score.missed == 0 || advise_ ? ExitCode::Fine : ExitCode::Finding;
}

Score MutateCommand::try_each(WeakenedProgram& program, const std::vector<Edit>& edits,
                              std::vector<Edit>& unshown) const {
  Progress progress(edits.size(), true);
  Score score;
  std::size_t done = 0;
  const Edit* last = nullptr;
  for (const Edit& edit : edits) {
    progress.update(done++, sentence_of(edit));
    const std::optional<Weakened> weakened = program.run({edit});
    if (!weakened) break;
    progress.clear();
    count(score, weakened->outcome);
    if (is_unshown(*weakened)) unshown.push_back(edit);
    if (advise_ && !is_unshown(*weakened)) continue;
    if (!last || last->line != edit.line || last->file != edit.file)
      print_readable(stdout, fmt::format("{}:{}\n{}", edit.file, edit.line, line_of(edit)));
    last = &edit;
    print(edit, *weakened);
    // Who reads it from a pipe waits for it as well.
    std::fflush(stdout);
  }
  progress.clear();
  return score;
}

void MutateCommand::tell_together(WeakenedProgram& program, const std::vector<Edit>& unshown) const {
  const std::optional<Weakened> all = program.run(unshown);
  if (!all) {
    std::fputs(program.was_interrupted()
                   ? "whether all of them can be so together was not tried: interrupted\n"
                   : "whether all of them can be so together was not tried: the time was up (--seconds)\n",
               stdout);
  } else if (is_unshown(*all)) {
    std::fputs("all of them together are shown to be wrong by none, either\n", stdout);
  } else {
    print_readable(stdout, fmt::format("not all of them together: seed {} shows that it is wrong ({})\n", all->seed,
                                       all->shown_by));
  }
}

std::uint32_t MutateCommand::seeds() const {
  constexpr std::uint32_t kSeeds = 8;
  constexpr std::uint32_t kSeedsOfAdvice = 40;
  if (seeds_ != 0) return seeds_;
  return advise_ ? kSeedsOfAdvice : kSeeds;
}

}  // namespace heddle::cli
