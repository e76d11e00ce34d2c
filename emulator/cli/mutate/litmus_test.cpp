#include "emulator/cli/mutate/litmus_test.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "emulator/cli/input_file.h"
#include "emulator/cli/interrupt.h"
#include "emulator/cli/terminal.h"
#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/test_weakenings.h"

namespace heddle::cli {
namespace {

using litmus::WeakenedTest;

constexpr std::array<std::string_view, 4> kNames = {"noticed", "missed", "equivalent", "undecided"};

std::size_t number_of(WeakenedTest::Outcome outcome) {
  return static_cast<std::size_t>(outcome);
}

std::string_view line_of(std::string_view source, std::uint32_t line) {
  for (; line > 1 && !source.empty(); --line) source.remove_prefix(std::min(source.size(), source.find('\n') + 1));
  return source.substr(0, source.find_first_of("\r\n"));
}

/// Prints a table by lines of the test, and counts.
class Table {
 public:
  Table(std::string file, std::string_view source, const litmus::Test& test)
      : file_(std::move(file)), source_(source), test_(test) {}

  void add(const WeakenedTest& weakened) {
    if (weakened.edit.line != last_)
      print_readable(stdout, fmt::format("{}:{}\n  {:>5} | {}\n", file_, weakened.edit.line, weakened.edit.line,
                                         line_of(source_, weakened.edit.line)));
    last_ = weakened.edit.line;
    const std::string by = weakened.shown_by.empty() ? "" : fmt::format(" ({})", weakened.shown_by);
    print_readable(stdout, fmt::format("  {:<10}  {}{}\n", kNames[number_of(weakened.outcome)],
                                       litmus::sentence_of(test_, weakened.edit), by));
    ++counts_[number_of(weakened.outcome)];
  }
  std::size_t count(WeakenedTest::Outcome outcome) const { return counts_[number_of(outcome)]; }
  std::string score() const {
    using Outcome = WeakenedTest::Outcome;
    const std::size_t noticed = count(Outcome::Noticed);
    std::string text = fmt::format("{} of {} weakened orderings that matter are noticed; {} more {} equivalent",
                                   noticed, noticed + count(Outcome::Missed), count(Outcome::Equivalent),
                                   count(Outcome::Equivalent) == 1 ? "is" : "are");
    if (count(Outcome::Undecided) != 0)
      text += fmt::format("; of {} more there are too many executions to say", count(Outcome::Undecided));
    return text + '\n';
  }

 private:
  std::string file_;
  std::string_view source_;
  const litmus::Test& test_;
  std::uint32_t last_ = 0;
  std::array<std::size_t, kNames.size()> counts_{};
};

ExitCode mutate(const std::string& file, const std::string& source, const litmus::Test& test) {
  litmus::Question question;
  question.cancelled = &interrupted();
  const litmus::Answer as_it_is = litmus::answer(test, question);
  if (litmus::weakenings_of(test).empty())
    throw InputError(fmt::format("the threads of '{}' order nothing: there is nothing to weaken", file));
  if (as_it_is.racy) std::fputs("The test has a data race as it is: only its assertion can notice anything.\n", stdout);
  Table table(file, source, test);
  litmus::weaken_each(test, question, as_it_is, [&](const WeakenedTest& weakened) {
    if (interrupted().load()) return false;
    table.add(weakened);
    return true;
  });
  std::fputs(table.score().c_str(), stdout);
  if (interrupted().load()) return ExitCode::Interrupted;
  return table.count(WeakenedTest::Outcome::Missed) == 0 ? ExitCode::Fine : ExitCode::Finding;
}

}  // namespace

ExitCode mutate_litmus_test(const std::string& file) try {
  watch_for_interrupt();
  const std::string source = read_input(file, litmus::kLongestSource + 1);
  const litmus::VulkanParse parse = litmus::parse_vulkan(source);
  if (!parse.test) throw InputError(litmus::describe(file, parse.errors.front()));
  return mutate(file, source, *parse.test);
} catch (const InputError& error) {
  print_readable(stderr, fmt::format("heddle: {}\n", error.what()));
  return ExitCode::BadInput;
} catch (const litmus::ParseError& error) {
  print_readable(stderr, fmt::format("heddle: {}\n", litmus::describe(file, error.diagnostic())));
  return ExitCode::BadInput;
}

}  // namespace heddle::cli
