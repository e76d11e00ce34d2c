#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

Run races(std::vector<std::string> options, const std::string& what) {
  options.insert(options.begin(), "races");
  options.emplace_back(HEDDLE_KERNELS);
  options.push_back(what);
  return run_heddle(options);
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (text[begin] == '{') lines.push_back(Json::parse(text.substr(begin, end - begin)));
  return lines;
}

std::vector<Json> of_kind(const std::string& text, const std::string& kind) {
  std::vector<Json> found;
  for (const Json& line : lines_of(text))
    if (line.at("kind") == kind) found.push_back(line);
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The number of the line of the program under test that ends so.
int line_in_kernels(const std::string& text) {
  std::istringstream in(read_all(HEDDLE_SOURCE_DIR "/tests/cli/races/kernels_under_test.cpp"));
  int number = 1;
  for (std::string line; std::getline(in, line) && !line.ends_with(text);) ++number;
  return number;
}

/// As one line, of a format that breaks others.
std::string without_breaks(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Lines are broken in paths, too.
std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

}  // namespace

TEST_CASE("a program with a race ends with 1 and one finding, the same without it with 0 and none") {
  const Run racy = races({}, "racy");
  CHECK(racy.exit_code == 1);
  CHECK(has(racy.out, "data race on sum[0]"));
  CHECK(has(racy.out, "sum[0] += 1u;"));
  CHECK(has(racy.out, "1 data race in 1 run\n"));
  CHECK(racy.err.empty());
  const Run clean = races({}, "clean");
  CHECK(clean.exit_code == 0);
  CHECK(clean.out.rfind("0 data races in 1 run\n", 0) == 0);
}

TEST_CASE(
    "a report of one run without races says from what it was, and how others are had; one of several runs does not") {
  CHECK(
      races({}, "clean").out ==
      "0 data races in 1 run\nlooked at: one run, from seed 1, on the memory 'sequential'; others may have races that "
      "this one had not: --memory random, --seed 2 (and others), or --parallel\n");
  CHECK(
      has(races({"--memory", "random", "--seed", "7"}, "clean").out,
          "from seed 7, on the memory 'random'; others may have races that this one had not: --seed 8 (and others)\n"));
  CHECK(has(races({"--parallel"}, "clean").out, "in the order of the machine"));
  CHECK_FALSE(has(races({}, "racy").out, "looked at"));
  CHECK_FALSE(has(races({}, "twice").out, "looked at"));
  CHECK_FALSE(has(races({"--json"}, "clean").out, "looked at"));
}

TEST_CASE(
    "a program that ends in the middle of a kernel has the line and the invocation where it was, in each format") {
  constexpr const char* kCounts = "while (sum[1] != 0u) sum[2] += 1u;  // for ever";
  const int line = line_in_kernels(kCounts);
  const std::string where = "tests/cli/races/kernels_under_test.cpp:" + std::to_string(line) + ", by global (3,0,0)";
  for (const char* format : {"text", "json", "sarif", "junit", "github"}) {
    const Run run = run_and_interrupt({"races", "--format", format, HEDDLE_KERNELS, "counts_for_ever"}, SIGINT);
    INFO(format << '\n' << run.out << run.err);
    CHECK(run.exit_code == 130);
    CHECK(has(without_breaks(run.out), "a kernel had not ended when the program did: the last operation was at "));
    CHECK(has(without_blanks(run.out), without_blanks(where)));
  }
  const Run crashed = races({}, "crashes");
  INFO(crashed.out << crashed.err);
  CHECK(crashed.exit_code == 1);
  CHECK(has(crashed.out, "a kernel had not ended when the program did"));
  CHECK(has(crashed.out, "; it ended early, and what would have raced after that is not known"));
  CHECK(has(crashed.out, "the program failed as it does without (a kernel had not ended when the program did: "));
  CHECK_FALSE(has(crashed.out, "clean"));
  CHECK_FALSE(has(races({}, "throws").out, "had not ended"));
}

TEST_CASE("on all cores the same race is found, with values and without a seed; with one it is refused") {
  const Run racy = races({"--parallel", "--json"}, "racy");
  CHECK(racy.exit_code == 1);
  const std::vector<Json> found = of_kind(racy.out, "data race");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("object") == "sum");
  CHECK(found[0].at("replays") == false);
  CHECK(has(races({"--parallel"}, "clean").out, "0 data races in 1 run\n"));
  CHECK(races({"--parallel", "--seed", "3"}, "racy").exit_code == 2);
  setenv("HEDDLE_TRACE", "/dev/null", 1);
  const Run traced = races({"--parallel"}, "racy");
  unsetenv("HEDDLE_TRACE");
  CHECK(traced.exit_code == 2);
  CHECK(has(traced.err, "HEDDLE_TRACE"));
  CHECK(of_kind(races({"--json"}, "racy").out, "data race").at(0).at("replays") == true);
}

TEST_CASE(
    "an environment that asks for all cores and for an order of what they do is bad input, and no program is run") {
  const auto run_with = [](const char* variable, const char* value, const std::vector<std::string>& options) {
    setenv("HEDDLE_RACES_PARALLEL", "1", 1);
    setenv(variable, value, 1);
    Run run = races(options, "none");
    unsetenv(variable);
    unsetenv("HEDDLE_RACES_PARALLEL");
    return run;
  };
  const auto check_refused = [](const Run& run, const std::string& what) {
    INFO(run.out << run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(has(run.err, "HEDDLE_RACES_PARALLEL=1 together with " + what + ":"));
  };
  check_refused(run_with("HEDDLE_TRACE", "/dev/null", {}), "HEDDLE_TRACE");
  check_refused(run_with("HEDDLE_MEMORY", "random", {}), "HEDDLE_MEMORY=random");
  check_refused(run_with("HEDDLE_RACES_ADVISE", "1", {}), "HEDDLE_RACES_ADVISE=1");
  const char* const nothing = "HEDDLE_RACES_SAME_VALUE";
  check_refused(run_with(nothing, "race", {"--memory", "random"}), "--memory random");
  check_refused(run_with(nothing, "race", {"--seed", "3"}), "--seed");
  check_refused(run_with(nothing, "race", {"--advise"}), "--advise");
  // These agree.
  CHECK(run_with("HEDDLE_MEMORY", "sequential", {}).out == "no kernel here\n");
  CHECK(run_with("HEDDLE_MEMORY", "random", {"--memory", "sequential"}).out == "no kernel here\n");
  CHECK(run_with("HEDDLE_RACES_PARALLEL", "0", {"--advise", "--seed", "3"}).out == "no kernel here\n");
  const Run unclear = run_with("HEDDLE_RACES_PARALLEL", "yes", {});
  CHECK(unclear.exit_code == 2);
  CHECK(has(unclear.err, "HEDDLE_RACES_PARALLEL is 'yes'"));
}

TEST_CASE("a page of a run has its races and its events, and says what is in it") {
  const TemporaryDirectory directory;
  const std::string page = directory.path("races.html");
  const Run racy = races({"--html", page}, "racy");
  CHECK(racy.exit_code == 1);
  CHECK(has(racy.out, "1 data race in 1 run\n"));
  CHECK(has(racy.err, page + ": open it in a browser"));
  const std::string text = read_all(page);
  CHECK(has(text, "<!DOCTYPE html>"));
  CHECK(has(text, "\"title\":\"data race on sum[0]"));
  CHECK(has(text, "sum[0] += 1u;"));
  // The page shows one of several runs, one that has races.
  const Run many = races({"--html", page}, "many");
  CHECK(has(many.err, "which made 5, races in 5 of them"));
  CHECK(races({"--html", page}, "clean").exit_code == 0);
  CHECK(has(read_all(page), "\"races\":[]"));
  // The failing trial of a search is the one that leaves a trace.
  CHECK(races({"--html", page}, "explores").exit_code == 1);
  CHECK(has(read_all(page), "\"title\":\"data race on sum[0]"));
}

TEST_CASE("a page of races that cannot be written, or traced, is refused before the program runs") {
  const TemporaryDirectory directory;
  const Run nowhere = races({"--html", directory.path("no/such.html")}, "none");
  CHECK(nowhere.exit_code == 2);
  CHECK(nowhere.out.empty());
  CHECK(has(nowhere.err, "cannot write '"));
  CHECK(races({"--html", directory.path("a.html"), "--parallel"}, "none").exit_code == 2);
  setenv("HEDDLE_TRACE", "/dev/null", 1);
  const Run traced = races({"--html", directory.path("a.html")}, "none");
  unsetenv("HEDDLE_TRACE");
  CHECK(traced.exit_code == 2);
  CHECK(traced.out.empty());
  CHECK(has(traced.err, "--html together with HEDDLE_TRACE"));
}

TEST_CASE("JSON has one object a line, the race with both accesses and their values, and a summary") {
  const Run run = races({"--json"}, "racy");
  CHECK(run.exit_code == 1);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 2);
  const Json& race = lines[0];
  CHECK(race.at("kind") == "data race");
  CHECK(race.at("status") == "race");
  CHECK(race.at("object") == "sum");
  CHECK(race.at("count").get<int>() > 1);
  CHECK_FALSE(race.at("changes").empty());
  for (const char* which : {"first", "second"}) {
    const Json& access = race.at(which);
    CHECK(access.at("line").get<int>() > 0);
    CHECK(access.at("read").is_null() == (access.at("operation") == "private write"));
    CHECK(access.at("written").is_null() == (access.at("operation") == "private read"));
  }
  CHECK(lines[1].at("kind") == "summary");
  CHECK(lines[1].at("races") == 1);
}

TEST_CASE("values are written in the type of their components") {
  const Run run = races({"--json"}, "floats");
  std::vector<std::string> written;
  for (const Json& race : of_kind(run.out, "data race")) {
    written.push_back(race.at("first").at("written"));
    written.push_back(race.at("second").at("written"));
  }
  std::sort(written.begin(), written.end());
  CHECK(written == std::vector<std::string>{"(0.5, 0)", "(0.5, 1)", "-1.5", "-2.5"});
}

TEST_CASE("five devices that have the same bug are one finding in five runs") {
  const std::vector<Json> lines = lines_of(races({"--json"}, "many").out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at("runs") == 5);
  CHECK(lines[1].at("runs") == 5);
}

TEST_CASE("SARIF and JUnit are whole documents, with and without a race") {
  const Json racy = Json::parse(races({"--format", "sarif"}, "racy").out);
  REQUIRE(racy.at("runs").at(0).at("results").size() >= 1);
  CHECK(racy.at("runs").at(0).at("results").at(0).at("level") == "error");
  const Json clean = Json::parse(races({"--format", "sarif"}, "clean").out);
  CHECK(clean.at("runs").at(0).at("results").empty());
  CHECK(has(races({"--format", "junit"}, "racy").out, "failures=\"1\""));
  CHECK(has(races({"--format", "junit"}, "clean").out, "tests=\"1\" failures=\"0\""));
}

TEST_CASE("annotations for GitHub name file, line and race") {
  const Run run = races({"--format", "github"}, "racy");
  CHECK(run.out.rfind("::error file=", 0) == 0);
  CHECK(has(run.out, "kernels_under_test.cpp,line="));
  CHECK(races({"--format", "github"}, "clean").out.empty());
}

TEST_CASE("the report goes to the file that --output names, and the program's own output does not") {
  const TemporaryDirectory directory;
  const std::string file = directory.path("report.json");
  const Run run = races({"--json", "--output", file}, "racy");
  CHECK(run.exit_code == 1);
  CHECK(run.out.empty());
  CHECK(lines_of(read_all(file)).size() == 2);
  CHECK(races({"--output", directory.path("no/such/directory")}, "racy").exit_code == 2);
}

TEST_CASE("a suppressed race is listed with its reason and does not count") {
  const TemporaryDirectory directory;
  for (const std::string entry : {"object:su?", "place:kernels_under_test.cpp", "function:operator*",
                                  "object:\"sum\" place:*_under_test.cpp:*"}) {
    const std::string file = directory.write("known.txt", "# known\n" + entry + " -- a display\n");
    const Run run = races({"--suppress", file, "--json"}, "racy");
    INFO(entry << "\n" << run.out << run.err);
    CHECK(run.exit_code == 0);
    REQUIRE(of_kind(run.out, "data race").size() == 1);
    CHECK(of_kind(run.out, "data race")[0].at("status") == "suppressed");
    CHECK(has(of_kind(run.out, "data race")[0].at("excuse"), "a display"));
    CHECK(of_kind(run.out, "summary")[0].at("suppressed") == 1);
    CHECK(of_kind(run.out, "remark").empty());
  }
}

TEST_CASE("an entry that met no race is told, and suppresses nothing") {
  const TemporaryDirectory directory;
  for (const std::string entry : {"object:other", "place:kernels.cpp", "object:sum place:other.cpp", "function:main"}) {
    const std::string file = directory.write("known.txt", entry + " -- a display\n");
    const Run run = races({"--suppress", file}, "racy");
    INFO(entry << "\n" << run.out);
    CHECK(run.exit_code == 1);
    CHECK(has(run.out, file + ":1: this suppression met no race"));
  }
}

TEST_CASE("an entry that can match no race is told with the reason, and its mended twin matches") {
  const TemporaryDirectory directory;
  struct Pair {
    std::string wrong, why, right;
  };
  for (const Pair& pair :
       {Pair{"object:sum[0]", "write 'object:sum' instead", "object:sum"},
        Pair{"place:kernels_under_test.cpp:x12", "'x12' is no number of a line", "place:kernels_under_test.cpp:*"},
        Pair{"place:kernels_under_test.cpp:0", "'0' is no number of a line", "place:kernels_under_test.cpp"},
        Pair{"function:heddle::operator()", "has more than a name", "function:operator()"},
        Pair{"function:kernel(int)", "has more than a name", "function:operator*"},
        Pair{"object:sum\\", "ends with a backslash", "object:sum"}}) {
    const std::string wrong = directory.write("wrong.txt", pair.wrong + " -- a display\n");
    const Run warned = races({"--suppress", wrong}, "racy");
    INFO(pair.wrong << "\n" << warned.out);
    CHECK(warned.exit_code == 1);
    CHECK(has(warned.out, wrong + ":1: this suppression can match no race: "));
    CHECK(has(warned.out, pair.why));
    CHECK(races({"--suppress", directory.write("right.txt", pair.right + " -- a display\n")}, "racy").exit_code == 0);
  }
}

TEST_CASE("a line of a suppression file that makes no sense is an error with its number") {
  const TemporaryDirectory directory;
  for (const std::string line : {"object:sum", "object:sum -- ", "thing:sum -- why", "object:sum object:other -- why",
                                 "object:\"sum -- why", "object: -- why", "sum -- why"}) {
    const std::string file = directory.write("known.txt", "\n" + line + "\n");
    const Run run = races({"--suppress", file}, "racy");
    INFO(line << "\n" << run.err);
    CHECK(run.exit_code == 2);
    CHECK(has(run.err, file + ":2: "));
    CHECK(run.out.empty());
  }
  for (const std::string& none : {directory.path("nowhere"), directory.path()}) {
    const Run run = races({"--suppress", none}, "racy");
    CHECK(run.exit_code == 2);
    CHECK(has(run.err, none + ": the suppression file cannot be read"));
  }
}

TEST_CASE("a suppression file may begin with a byte order mark") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("known.txt", "\xef\xbb\xbfobject:* -- why\n");
  CHECK(races({"--suppress", file}, "racy").exit_code == 0);
}

TEST_CASE("an annotation with a reason suppresses, and one without is told and does not") {
  const Run with = races({"--json"}, "annotated");
  CHECK(with.exit_code == 0);
  REQUIRE(of_kind(with.out, "data race").size() == 1);
  CHECK(has(of_kind(with.out, "data race")[0].at("excuse"), "a counter for display"));
  const Run without = races({}, "annotated_without_reason");
  CHECK(without.exit_code == 1);
  CHECK(has(without.out, "an annotation suppresses nothing without a reason"));
}

TEST_CASE("writes of the same value are a race, or a notice if that is asked for; others stay one") {
  CHECK(races({}, "same_value").exit_code == 1);
  CHECK(races({"--same-value", "race"}, "same_value").exit_code == 1);
  const Run notice = races({"--same-value", "notice", "--json"}, "same_value");
  CHECK(notice.exit_code == 0);
  REQUIRE(of_kind(notice.out, "data race").size() == 1);
  CHECK(of_kind(notice.out, "data race")[0].at("status") == "notice");
  CHECK(races({"--same-value", "notice"}, "other_value").exit_code == 1);
  CHECK(races({"--same-value", "notice"}, "racy").exit_code == 1);
}

TEST_CASE("advice names the scope that an increment did not need, and only if asked") {
  const Run with = races({"--advise", "--json"}, "clean");
  CHECK(with.exit_code == 0);
  CHECK(of_kind(with.out, "summary")[0].at("recorded") == 1);
  const Run without = races({"--json"}, "clean");
  CHECK(of_kind(without.out, "advice").empty());
  CHECK_FALSE(of_kind(without.out, "summary")[0].contains("recorded"));
}

TEST_CASE("a program that throws has a report of what was found before") {
  const Run run = races({}, "throws");
  CHECK(run.exit_code == 1);
  CHECK(has(run.out, "data race on sum[0]"));
  CHECK(has(run.err, "out of bounds"));
  CHECK(has(run.err, "the program ended with 134"));
  CHECK(has(run.out, "a kernel ended early (out of bounds at "));
}

TEST_CASE("however many variants of a failing run are tried, they count as one run") {
  const std::vector<Json> lines = lines_of(races({"--json"}, "explores").out);
  REQUIRE(lines.size() >= 2);
  CHECK(lines[0].at("kind") == "data race");
  // The run that fails, and its variants.
  CHECK(lines[0].at("runs") == 2);
  CHECK(lines.back().at("runs") == 2);
}

TEST_CASE("Ctrl-C ends the program, and what was found until then is told") {
  const Run run = run_and_interrupt({"races", HEDDLE_KERNELS, "endless"}, SIGINT);
  CHECK(run.exit_code == 130);
  CHECK(has(run.out, "data race on sum[0]"));
  CHECK(has(run.err, "interrupted"));
}

TEST_CASE("a program that fails without a race ends with 1, and its exit code is told") {
  const Run run = races({}, "fails");
  CHECK(run.exit_code == 1);
  CHECK(has(run.err, "the program ended with 7"));
  CHECK(has(run.out, "0 data races"));
}

TEST_CASE("a program that does not exist, or dispatches nothing, is bad input") {
  const Run missing = run_heddle({"races", "/no/such/program"});
  CHECK(missing.exit_code == 2);
  CHECK(has(missing.err, "cannot run '/no/such/program'"));
  const Run none = races({}, "none");
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "dispatched no kernel"));
  CHECK(none.out == "no kernel here\n");
}

TEST_CASE("options that make no sense are bad input, and no program is run") {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--format", "rtf"},
                                             {"--memory", "leaky"},
                                             {"--seed", "many"},
                                             {"--seed", "1.5"},
                                             {"--seed", "-1"},
                                             {"--seed", "99999999999999999999"},
                                             {"--same-value", "maybe"},
                                             {"--sweep", "subgrop=8"},
                                             {"--sideways"}}) {
    const Run run = races(options, "none");
    CHECK(run.exit_code == 2);
    CHECK_FALSE(has(run.out, "no kernel here"));
  }
  CHECK(has(races({"--sweep", "subgrop=8"}, "none").err, "--sweep: "));
  CHECK(has(races({"--memry", "random"}, "none").err, "heddle races has no option '--memry', but '--memory'"));
  CHECK(has(races({"--sideways=3"}, "none").err, "heddle races has no option '--sideways';"));
  const Run command = run_heddle({"race", "true"});
  CHECK(command.exit_code == 2);
  CHECK(has(command.err, "heddle has no command 'race', but 'races'; its commands are litmus, races, "));
  // What the environment takes for a seed is one.
  CHECK(races({"--seed", "0x10"}, "clean").exit_code == 0);
  CHECK(run_heddle({"races"}).exit_code == 2);
  CHECK(run_heddle({"races", "--help"}).exit_code == 0);
}

TEST_CASE("what follows the program belongs to it, whatever it looks like") {
  const Run run = run_heddle({"races", "--json", HEDDLE_KERNELS, "racy", "--json", "--"});
  CHECK(run.exit_code == 1);
  CHECK(has(run.err, "the program ended with 2"));
  CHECK(run_heddle({"races", "--memory", "random", "--", HEDDLE_KERNELS, "racy"}).exit_code == 1);
  CHECK(run_heddle({"races", "--memory=random", HEDDLE_KERNELS, "clean"}).exit_code == 0);
}

TEST_CASE("the environment alone makes a program report its races when it ends, whatever ends it") {
  const TemporaryDirectory directory;
  const auto report = [&](const std::string& variables, const std::string& what) {
    const std::string file = directory.path(what);
    const std::string command =
        variables + " HEDDLE_RACES_FILE=" + file + " " HEDDLE_KERNELS " " + what + " > /dev/null 2> /dev/null";
    const int status = std::system(command.c_str());
    return std::pair(status, read_all(file));
  };
  CHECK(has(report("HEDDLE_RACES=text", "racy").second, "1 data race in 1 run"));
  CHECK(report("HEDDLE_RACES=text", "racy").first == 0);
  CHECK(has(report("HEDDLE_RACES=json", "clean").second, "\"races\":0"));
  CHECK(has(report("HEDDLE_RACES=text", "throws").second, "data race on sum[0]"));
  const std::string known = directory.write("known.txt", "object:sum -- a display\n");
  CHECK(has(report("HEDDLE_RACES=text HEDDLE_RACES_SUPPRESS=" + known, "many").second,
            "0 data races in 5 runs, 1 suppressed"));
  CHECK(report("HEDDLE_RACES=loud", "annotated").first != 0);
  CHECK(has(report("HEDDLE_RACES=text HEDDLE_RACES_SAME_VALUE=notice", "same_value").second,
            "0 data races in 1 run, 1 of equal writes"));
}

TEST_CASE(
    "a file for the report that cannot be written is told before the program does anything, and a report is never "
    "lost") {
  const TemporaryDirectory directory;
  const std::string err = directory.path("err");
  const auto run = [&](const std::string& command) {
    const int status = std::system((command + " 2> " + err).c_str());
    return std::pair(status, read_all(err));
  };
  const auto run_with_file = [&](const std::string& file, const std::string& what) {
    return run("HEDDLE_RACES=text HEDDLE_RACES_FILE=" + file + " " HEDDLE_KERNELS " " + what + " > /dev/null");
  };
  for (const std::string& wrong : {directory.path("none/report"), directory.path()}) {
    const auto [status, told] = run_with_file(wrong, "racy");
    CHECK(status != 0);
    CHECK(has(told, "HEDDLE_RACES_FILE is '" + wrong + "', which cannot be written: "));
    CHECK_FALSE(has(told, "data race"));
    const Run refused = races({"--output", wrong}, "racy");
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "cannot write '" + wrong + "'"));
    CHECK_FALSE(has(refused.err + refused.out, "data race"));
  }
  const auto [status, told] = run_with_file("/dev/full", "racy");
  CHECK(status == 0);
  CHECK(has(told, "cannot write HEDDLE_RACES_FILE '/dev/full' (No space left on device)"));
  CHECK(has(told, "data race on sum[0]"));
  CHECK(has(told, "1 data race in 1 run\n"));
  for (const char* format : {"text", "json", "sarif", "junit", "github"}) {
    CAPTURE(format);
    const Run full = races({"--format", format, "--output", "/dev/full"}, "racy");
    CHECK(full.exit_code == 2);
    CHECK(has(full.err, "cannot write '/dev/full': No space left on device"));
    CHECK(has(full.err, "sum"));
    const auto [code, lost] =
        run(HEDDLE_PROGRAM " races --format " + std::string(format) + " " HEDDLE_KERNELS " racy > /dev/full");
    CHECK(WEXITSTATUS(code) == 2);
    CHECK(has(lost, "cannot write to standard output: No space left on device"));
    CHECK(has(lost, "sum"));
  }
}
