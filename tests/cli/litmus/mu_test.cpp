#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::ordered_json;

namespace {

/// A message that is passed; with RELAXED for RELEASE it races.
std::string message(const std::string& language, const std::string& order) {
  return language + " Message\n{ d = 0; x = 0; }\nP0 (int* d, atomic_int* x) {\n  *d = 1;\n" +
         "  atomic_store_explicit(x, 1, " + order + ");\n}\nP1 (int* d, atomic_int* x) {\n" +
         "  int r0 = atomic_load_explicit(x, ACQUIRE);\n  int r1 = 1;\n  if (r0 == 1) { r1 = *d; }\n}\n" +
         "forall (1:r1=1)\n";
}
const std::string kMixed =
    "Mu Mixed\n{}\nP0 (int* x) { *x = 1; int r0 = atomic_load_explicit(x, ACQUIRE); }\nexists (0:r0=1)\n";
const std::string kWaits =
    "Mu Waits\n{}\nP0 (int* x) { int r0 = futex_wait(x, 0); }\nP1 (int* x) { int r0 = futex_wake(x, 1); }\n"
    "forall (0:r0=0)\n";
const std::string kAddress = "C Address\n{ p = &x; x[2] = {1, 2}; }\nP0 (int* p) { int r0 = *p; }\nexists (0:r0=&x)\n";
const std::string kBadOrder = "C BadOrder\n{}\nP0 (int* x) {\n  int r0 = atomic_load_explicit(x, RELEASE);\n}\n";

Json line_of(const std::string& file, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"litmus", "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(file);
  const Run run = run_heddle(arguments);
  CHECK(run.err.empty());
  return Json::parse(run.out);
}

}  // namespace

TEST_CASE("a line of JSON of a C or Mu test has what the documentation says, and names its format") {
  const TemporaryDirectory directory;
  for (const std::string language : {"C", "Mu"}) {
    const std::string file = directory.write("m.litmus", message(language, "RELEASE"));
    const Json line = line_of(file);
    std::vector<std::string> keys;
    for (const auto& [key, value] : line.items()) keys.push_back(key);
    CHECK(keys == std::vector<std::string>{"file", "name", "format", "quantifier", "holds", "racy", "undefined",
                                           "blocks", "outcomes", "executions", "complete", "bound", "seconds"});
    CHECK(line["file"] == file);
    CHECK(line["name"] == "Message");
    CHECK(line["format"] == (language == "C" ? "c-litmus" : "mu-litmus"));
    CHECK(line["quantifier"] == "forall");
    CHECK(line["holds"] == true);
    CHECK(line["racy"] == false);
    CHECK(line["undefined"] == Json::array());
    CHECK(line["blocks"] == false);
    CHECK(line["outcomes"] == Json::parse(R"([{"P1:r1": 1}])"));
    CHECK(line["executions"] == 2);
    CHECK(line["complete"] == true);
    CHECK(line["bound"] == 2);
    CHECK(line["seconds"].is_number());
  }
}

TEST_CASE("undefined behaviour of a Mu test is named by its kind, only a race is `racy`, and each is exit code 1") {
  const TemporaryDirectory directory;
  const std::string racy = directory.write("r.litmus", message("Mu", "RELAXED"));
  CHECK(line_of(racy)["undefined"] == Json::parse(R"(["race"])"));
  CHECK(line_of(racy)["racy"] == true);
  CHECK(run_heddle({"litmus", racy}).exit_code == 1);
  const std::string mixed = directory.write("m.litmus", kMixed);
  CHECK(line_of(mixed)["undefined"] == Json::parse(R"(["mixed"])"));
  CHECK(line_of(mixed)["racy"] == false);
  CHECK(line_of(mixed)["holds"] == true);
  CHECK(run_heddle({"litmus", mixed}).exit_code == 1);
  CHECK(run_heddle({"litmus", directory.write("d.litmus", message("Mu", "RELEASE"))}).exit_code == 0);
}

TEST_CASE("the option --why of a C test that races names both accesses by their words and lines") {
  const TemporaryDirectory directory;
  const std::string text =
      "C Racy\n{}\nP0 (int* x, int* y) { *x = 1; atomic_store_explicit(y, 1, RELAXED); }\n"
      "P1 (int* x, int* y) { int r0 = atomic_load_explicit(y, RELAXED);\n  int r1 = *x; }\nexists (1:r0=1 /\\ "
      "1:r1=0)\n";
  const Run run = run_heddle({"litmus", "--why", directory.write("r.litmus", text)});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.out, Catch::Contains("Why undefined (race)"));
  CHECK_THAT(run.out, Catch::Contains("P0's `*x = 1` (line 3)"));
  CHECK_THAT(run.out, Catch::Contains("P1's `*x` (line 5)"));
}

TEST_CASE("a wait that nothing may end is `blocks`, and its execution is no outcome") {
  const TemporaryDirectory directory;
  const Json waits = line_of(directory.write("w.litmus", kWaits));
  CHECK(waits["blocks"] == true);
  CHECK(waits["executions"] == 1);
  CHECK(waits["outcomes"] == Json::parse(R"([{"P0:r0": 0}])"));
  const std::string expires = "futex_wait_timeout(x, 0); }";
  std::string text = kWaits;
  text.replace(text.find("futex_wait(x, 0); }"), std::string("futex_wait(x, 0); }").size(), expires);
  const Json timed = line_of(directory.write("t.litmus", text));
  CHECK(timed["blocks"] == false);
  CHECK(timed["outcomes"] == Json::parse(R"([{"P0:r0": -3}, {"P0:r0": 0}])"));
}

TEST_CASE("an address is a string in JSON") {
  const TemporaryDirectory directory;
  const Json line = line_of(directory.write("a.litmus", kAddress));
  CHECK(line["holds"] == true);
  CHECK(line["outcomes"] == Json::parse(R"([{"P0:r0": "&x"}])"));
}

TEST_CASE("the option --verdict of a C or Mu test answers as the whole list does, and lists nothing") {
  const TemporaryDirectory directory;
  const std::string texts[] = {message("C", "RELEASE"), message("C", "RELAXED"), message("Mu", "RELAXED"), kMixed,
                               kWaits};
  for (const std::string& text : texts) {
    INFO(text);
    const std::string file = directory.write("v.litmus", text);
    Json expected = line_of(file);
    Json found = line_of(file, {"--verdict"});
    for (const char* listed : {"undefined", "blocks", "outcomes", "executions"}) {
      CHECK_FALSE(found.contains(listed));
      expected.erase(listed);
    }
    for (Json* json : {&expected, &found}) json->erase("seconds");
    CHECK(found == expected);
    CHECK(run_heddle({"litmus", "--verdict", file}).exit_code == run_heddle({"litmus", file}).exit_code);
  }
}

TEST_CASE("an error in a C or Mu file has file, line and column, and the other files still run") {
  const TemporaryDirectory directory;
  const std::string broken = directory.write("broken.litmus", kBadOrder);
  const std::string good = directory.write("good.litmus", message("C", "RELEASE"));
  const std::string reason =
      broken + ":4:36: a load must not have the order RELEASE; allowed: RELAXED, CONSUME, ACQUIRE, SEQ_CST";
  const Run json = run_heddle({"litmus", "--json", broken, good});
  CHECK(json.exit_code == 2);
  CHECK(Json::parse(json.out.substr(0, json.out.find('\n'))) == Json{{"file", broken}, {"error", reason}});
  CHECK(Json::parse(json.out.substr(json.out.find('\n')))["holds"] == true);
  const Run text = run_heddle({"litmus", broken, good});
  CHECK(text.exit_code == 2);
  CHECK(text.err == reason + '\n');
  CHECK(text.out.find("It holds: every execution ends with") != std::string::npos);
}

TEST_CASE("a C or Mu test runs on the machine, every outcome is one that the model allows, and a seed repeats it") {
  const TemporaryDirectory directory;
  for (const std::string language : {"C", "Mu"}) {
    const std::string file = directory.write("m.litmus", message(language, "RELAXED"));
    const Json one = line_of(file, {"--machine", "random", "--runs", "2000", "--judge", "100", "--seed", "5"});
    CHECK(one["runs"] == 2000);
    CHECK(one["judged"] == 100);
    CHECK(one["inconsistent"] == 0);
    CHECK(one["detector_disagreements"] == 0);
    CHECK(one["racy_runs"].get<int>() > 0);
    CHECK(one["undefined_runs"]["race"]["runs"] == one["racy_runs"]);
    std::uint64_t count = 0;
    for (const Json& row : one["histogram"]) {
      CHECK(row["allowed"] == true);
      count += row["count"].get<std::uint64_t>();
    }
    CHECK(count == 2000);
    CHECK(line_of(file, {"--machine", "random", "--runs", "2000", "--seed", "5"})["histogram"] == one["histogram"]);
    CHECK(line_of(file, {"--machine", "random", "--runs", "2000", "--seed", "6"})["histogram"] != one["histogram"]);
  }
}

TEST_CASE("a replay of a Mu test tells each operation, and ends as the run that it repeats") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("m.litmus", message("Mu", "RELAXED"));
  const Json all = line_of(file, {"--machine", "random", "--runs", "500"});
  CHECK(all["histogram"].size() > 1);
  for (const Json& row : all["histogram"]) {
    const std::string number = std::to_string(row["first_run"].get<std::uint64_t>());
    const Json one = line_of(file, {"--machine", "random", "--replay", number})["replay"];
    CHECK(one["outcome"] == row["outcome"]);
    CHECK(one["consistent"] == true);
    CHECK(one["events"].size() >= 3);
  }
  const Run text = run_heddle({"litmus", "--machine", "random", "--replay", "0", file});
  CHECK(text.out.find("  P0  ") != std::string::npos);
  CHECK(text.out.find("modification order of ") != std::string::npos);
}

TEST_CASE("a run of a Mu test is not recorded for heddle trace, and the message says so") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("m.litmus", message("Mu", "RELEASE"));
  const Run run =
      run_heddle({"litmus", "--machine", "random", "--replay", "1", "--trace", directory.path() + "/t", file});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("leave out --trace") != std::string::npos);
}

TEST_CASE("a limit cuts a Mu test below its number of executions, and not at it") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("m.litmus", message("Mu", "RELEASE"));
  const Json one = line_of(file, {"--limit", "1"});
  CHECK(one["executions"] == 1);
  CHECK(one["complete"] == false);
  const Json two = line_of(file, {"--limit", "2"});
  CHECK(two["executions"] == 2);
  CHECK(two["complete"] == true);
}
