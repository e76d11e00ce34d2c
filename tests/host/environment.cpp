// Every variable of the environment with values that make no sense: each works, or is refused by name.

#include <heddle/explore.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/host/ends.h"

using namespace heddle;
using heddle::test::Death;
using heddle::test::end_of;
using heddle::test::kRefused;
using heddle::test::kWorks;

namespace {

const std::set<std::string> kVariables = {"HEDDLE_EDITS",
                                          "HEDDLE_EXECUTIONS",
                                          "HEDDLE_EXPLORE_CHANGES",
                                          "HEDDLE_EXPLORE_SECONDS",
                                          "HEDDLE_EXPLORE_SEED",
                                          "HEDDLE_EXPLORE_SEEDS",
                                          "HEDDLE_EXPLORE_SHARD",
                                          "HEDDLE_EXPLORE_SHRINK",
                                          "HEDDLE_LANE_MAPPING",
                                          "HEDDLE_LIMITS",
                                          "HEDDLE_MEMORY",
                                          "HEDDLE_MODE",
                                          "HEDDLE_PROGRESS",
                                          "HEDDLE_RACES",
                                          "HEDDLE_RACES_ADVISE",
                                          "HEDDLE_RACES_ALL",
                                          "HEDDLE_RACES_CHANGES",
                                          "HEDDLE_RACES_FILE",
                                          "HEDDLE_RACES_FROM",
                                          "HEDDLE_RACES_PARALLEL",
                                          "HEDDLE_RACES_SAME_VALUE",
                                          "HEDDLE_RACES_SUPPRESS",
                                          "HEDDLE_RECONVERGENCE",
                                          "HEDDLE_REPLAY",
                                          "HEDDLE_RESIDENT_WORKGROUPS",
                                          "HEDDLE_SEED",
                                          "HEDDLE_SUBGROUP_SIZE",
                                          "HEDDLE_SWEEP",
                                          "HEDDLE_TEST_LOG",
                                          "HEDDLE_TRACE",
                                          "HEDDLE_UNDEFINED",
                                          "HEDDLE_WEAKENINGS",
                                          "HEDDLE_WORKGROUP_ORDER"};

/// The names of variables that the sources have as text.
std::set<std::string> variables_of_sources() {
  std::set<std::string> names;
  static const std::regex name("\"(HEDDLE_[A-Z_]+)\"");
  for (const char* room : {"include", "runtime", "emulator"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(HEDDLE_SOURCE_DIR) / room)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        for (std::sregex_iterator found(line.begin(), line.end(), name), none; found != none; ++found)
          names.insert((*found)[1]);
    }
  }
  return names;
}

bool runs_as_environment_says() {
  Device device;
  if (!test::turns_around(device)) return false;
  SeedOptions quiet;
  quiet.print_to = nullptr;
  quiet.replay_file = "";
  return explore_seeds([](Trial& trial) { trial.require(test::turns_around(trial.device()), "it turns around"); }, 3,
                       quiet)
      .failures.empty();
}

}  // namespace

TEST_CASE("no variable of the environment is read that the tests do not know") {
  CHECK(variables_of_sources() == kVariables);
}

TEST_CASE("every variable of the environment works with any value, or is refused by its name and value") {
  for (const std::string& variable : kVariables) {
    for (const std::string value :
         {"0", "1", "-1", "2147483648", "35184372088832", "18446744073709551615", "18446744073709551616", "x"}) {
      // So many seeds would be tried.
      if (variable == "HEDDLE_EXPLORE_SEEDS" && value.size() > 2 && value != "18446744073709551616") continue;
      const Death end = end_of([&] {
        setenv(variable.c_str(), value.c_str(), 1);
        // Most of what is said of races is asked for where races are looked for.
        if (variable.rfind("HEDDLE_RACES_", 0) == 0) setenv("HEDDLE_RACES", "records", 1);
        return runs_as_environment_says();
      });
      INFO(variable << "=" << value << ", exit code " << end.exit_code << ": " << end.text);
      CHECK((end.exit_code == kWorks || end.exit_code == kRefused));
      if (end.exit_code == kRefused) {
        // What is wrong with a file is said of the file.
        if (variable == "HEDDLE_RACES_SUPPRESS") {
          CHECK(end.says(value + ": the suppression file"));
        } else {
          CHECK(end.says(variable));
          CHECK(end.says("'" + value));
        }
      }
    }
  }
}
