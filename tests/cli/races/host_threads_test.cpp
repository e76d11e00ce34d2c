// What `heddle races` says of host threads.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

/// The lines of a report in JSON, the summary last.
std::vector<Json> report_of(const std::string& what, int exit_code, const std::string& seed = "1") {
  const Run run = run_heddle({"races", "--json", "--seed", seed, HEDDLE_HOST_THREADS, what});
  INFO(run.out << run.err);
  CHECK(run.exit_code == exit_code);
  std::vector<Json> lines;
  for (std::size_t begin = 0, end = 0; (end = run.out.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (run.out[begin] == '{') lines.push_back(Json::parse(run.out.substr(begin, end - begin)));
  return lines;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

TEST_CASE("JSON has a race of two host threads with both threads and both places, and none where they are ordered") {
  const std::vector<Json> lines = report_of("racy", 1);
  REQUIRE(lines.size() == 2);
  const Json& race = lines[0];
  CHECK(race.at("kind") == "data race");
  CHECK(race.at("object") == "total");
  CHECK(race.at("offset_bytes") == 0);
  CHECK(race.at("size_bytes") == 4);
  CHECK(race.at("missing") == "synchronization");
  CHECK(race.at("replay").get<std::string>().find("HEDDLE_SEED=1") != std::string::npos);
  const Json& first = race.at("first");
  const Json& second = race.at("second");
  CHECK(first.at("host_thread").get<int>() + second.at("host_thread").get<int>() == 1);
  for (const Json* access : {&first, &second}) {
    CHECK(access->at("operation") == "store (NOT_ATOMIC)");
    CHECK(ends_with(access->at("file"), "host_threads_under_test.cpp"));
    CHECK(access->at("line") == (access->at("host_thread") == 1 ? 23 : 25));
  }
  CHECK(report_of("clean", 0).size() == 1);
}

TEST_CASE("JSON has a race of a host thread and a kernel, with the thread of the one and the invocation of the other") {
  const std::vector<Json> lines = report_of("kernel", 1);
  REQUIRE(lines.size() == 2);
  const Json& race = lines[0];
  CHECK(race.at("object") == "data");
  CHECK(race.at("index") == 3);
  CHECK(race.at("offset_bytes") == 12);
  CHECK(race.at("size_bytes") == 4);
  const bool host_first = !race.at("first").at("host_thread").is_null();
  const Json& host = race.at(host_first ? "first" : "second");
  const Json& kernel = race.at(host_first ? "second" : "first");
  CHECK(host.at("host_thread") == 0);
  CHECK(host.at("line") == 41);
  CHECK(kernel.at("host_thread").is_null());
  CHECK(kernel.at("workgroup") == Json({1, 0, 0}));
  CHECK(kernel.at("local") == Json({1, 0, 0}));
  CHECK(kernel.at("line") == 14);
}

TEST_CASE("a wait that a program forgets is told under each seed, and its one device is one run") {
  for (const char* const seed : {"1", "2", "3", "4", "5", "6"}) {
    INFO(seed);
    const std::vector<Json> lines = report_of("no wait", 1, seed);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].at("object") == "data");
    CHECK(lines[1].at("runs") == 1);
  }
}
