#include "emulator/cli/test/program_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "emulator/cli/races/program_run.h"
#include "emulator/cli/races/temporary_file.h"
#include "emulator/cli/races/variable.h"
#include "emulator/cli/test/framework.h"

namespace heddle::cli {
namespace {

using Json = TestReport::Json;
using Clock = std::chrono::steady_clock;

/// What a program says of itself; it has this long.
std::string help_of(const std::string& program, ProgramTests& out) {
  constexpr auto kPatience = std::chrono::seconds(20);
  const TemporaryFile printed;
  const ProgramEnd end = run_into({program, "--help"}, printed.path(), Clock::now() + kPatience, [] {});
  out.error = end.error;
  out.interrupted = end.interrupted;
  return printed.text();
}

/// How a program ended that did not end by itself; empty for one that did.
std::string abnormal_end(const ProgramEnd& end) {
  constexpr int kSignalled = 128;
  if (end.interrupted) return "it was interrupted";
  if (end.too_late) return "its time was up (--seconds)";
  return end.status > kSignalled && end.status < kSignalled + 65
             ? fmt::format("signal {} ended it", end.status - kSignalled)
             : "";
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kMost = 4000;
  return text.size() <= kMost ? text : "..." + text.substr(text.size() - kMost);
}

/// A last line without an end is of a program that was killed.
std::vector<Json> searches_of(const std::string& log, const std::string& program) {
  std::vector<Json> searches;
  std::istringstream in(log);
  for (std::string text; std::getline(in, text) && !in.eof();) {
    Json record = Json::parse(text, nullptr, false);
    if (record.is_discarded()) continue;
    record.erase("record");
    Json& line = searches.emplace_back(Json{{"kind", "search"}, {"program", program}});
    line.update(record);
  }
  return searches;
}

/// The command that repeats what the last search of a test found that failed: frameworks break lines, and with them
/// commands.
std::string again(const TestResult& test, const std::vector<Json>& searches) {
  if (test.passed) return "";
  for (auto search = searches.rbegin(); search != searches.rend(); ++search) {
    if (search->at("test") != test.name || search->at("failures").empty()) continue;
    const Json& failure = search->at("failures").at(0);
    const std::string smaller = failure.value("smaller", std::string());
    return "\nagain: " + (smaller.empty() ? failure.at("replay").get<std::string>() : smaller);
  }
  return "";
}

}  // namespace

ProgramTests run_tests(const std::string& program, const std::string& filter, std::optional<Clock::time_point> until,
                       const std::function<void(std::size_t searches)>& tell, TestReport& report) {
  ProgramTests out;
  const Framework framework = framework_of(help_of(program, out));
  if (!out.error.empty() || out.interrupted) return out;
  const TemporaryFile printed;
  const TemporaryFile junit;
  const TemporaryFile log;
  const Variable log_file("HEDDLE_TEST_LOG", log.path());
  const auto begin = Clock::now();
  const auto count_searches = [&] {
    const std::string text = log.text();
    tell(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  };
  const ProgramEnd end =
      run_into(command_of(program, framework, filter, junit.path()), printed.path(), until, count_searches);
  out.error = end.error;
  out.interrupted = end.interrupted;
  if (!out.error.empty()) return out;
  std::vector<TestResult> tests;
  std::string problem = abnormal_end(end);
  try {
    if (framework != Framework::None && problem.empty()) tests = read_junit(junit.path(), framework);
  } catch (const std::runtime_error& error) {
    problem = std::string("its report cannot be read: ") + error.what();
  }
  const bool has_failed_tests =
      std::any_of(tests.begin(), tests.end(), [](const TestResult& test) { return !test.passed; });
  if (problem.empty() && end.status != 0 && !has_failed_tests) problem = fmt::format("it ended with {}", end.status);
  report.add({{"kind", "program"},
              {"program", program},
              {"framework", name_of(framework)},
              {"exit", end.status},
              {"seconds", std::chrono::duration<double>(Clock::now() - begin).count()},
              {"passed", problem.empty()},
              {"text", problem.empty() ? "" : problem + '\n' + last_lines(printed.text())}});
  const std::vector<Json> searches = searches_of(log.text(), program);
  for (const TestResult& test : tests)
    report.add({{"kind", "test"},
                {"program", program},
                {"test", test.name},
                {"passed", test.passed},
                {"text", test.text + again(test, searches)}});
  for (const Json& search : searches) report.add(search);
  return out;
}

}  // namespace heddle::cli
