#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

const std::string kThreads = " P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n";
const std::string kStoreBuffering =
    "Vulkan SB\n{ x=0; y=0; }\n" + kThreads + " st.atom.wg.sc0 x, 1 | st.atom.wg.sc0 y, 1 ;\n" +
    " ld.atom.wg.sc0 r0, y | ld.atom.wg.sc0 r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n";
const std::string kRacy = "Vulkan Racy\n{ x=0; }\n" + kThreads + " st.sc0 x, 1 | ld.sc0 r0, x ;\nexists (P1:r0 == 1)\n";

std::uint64_t count_of(const Json& line, int p0, int p1) {
  for (const Json& row : line.at("histogram"))
    if (row.at("outcome") == Json{{"P0:r0", p0}, {"P1:r0", p1}}) return row.at("count");
  return 0;
}

}  // namespace

TEST_CASE("on the sequential policy store buffering does not come up, on the adversarial one it does") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  for (const std::string policy : {"sequential", "adversarial"}) {
    const Run run = run_heddle({"litmus", "--machine", policy, "--runs", "2000", "--judge", "50", "--json", file});
    CHECK(run.exit_code == 0);
    const Json line = Json::parse(run.out);
    CHECK(line.at("policy") == policy);
    CHECK(line.at("runs") == 2000);
    CHECK(line.at("judged") == 50);
    CHECK(line.at("inconsistent") == 0);
    CHECK(line.at("racy_runs") == 0);
    CHECK(line.at("first_racy_run") == nullptr);
    std::uint64_t all = 0;
    for (const Json& row : line.at("histogram")) {
      CHECK(row.at("allowed") == true);
      all += row.at("count").get<std::uint64_t>();
    }
    CHECK(all == 2000);
    CHECK((count_of(line, 0, 0) > 0) == (policy == "adversarial"));
  }
}

TEST_CASE("the histogram is the same for the same seed, whatever the number of jobs, and another for another") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const auto histogram = [&](const char* seed, const char* jobs) {
    const Run run =
        run_heddle({"litmus", "--machine", "random", "--runs", "3000", "--seed", seed, "--jobs", jobs, "--json", file});
    return Json::parse(run.out).at("histogram");
  };
  const Json one = histogram("5", "1");
  CHECK(one.size() == 4);
  CHECK(one == histogram("5", "3"));
  CHECK(one != histogram("6", "1"));
}

TEST_CASE("a replayed run ends as it ended among the others") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const std::vector<std::string> options{"litmus", "--machine", "random", "--json", file};
  const auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> all = options;
    all.insert(all.end(), {option, value});
    return Json::parse(run_heddle(all).out);
  };
  const Json runs = with("--runs", "500");
  // All four outcomes of store buffering come up.
  CHECK(runs.at("histogram").size() == 4);
  for (const Json& row : runs.at("histogram")) {
    const Json line = with("--replay", std::to_string(row.at("first_run").get<int>()));
    CHECK(line.at("replay").at("outcome") == row.at("outcome"));
    CHECK(line.at("replay").at("consistent") == true);
  }
}

TEST_CASE("a replay names every step, where values come from, and races") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("racy.litmus", kRacy);
  const Run run = run_heddle({"litmus", "--machine", "sequential", "--replay", "0", file});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.out, Catch::Contains("st.sc0 x, 1"));
  CHECK_THAT(run.out, Catch::Contains("reads x = "));
  CHECK_THAT(run.out, Catch::Contains("Data race: "));
}

TEST_CASE("without the explorer it is not said what is allowed") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const Run run = run_heddle({"litmus", "--machine", "random", "--runs", "50", "--no-explore", "--json", file});
  CHECK(run.exit_code == 0);
  const Json line = Json::parse(run.out);
  CHECK(line.at("holds") == nullptr);
  CHECK_FALSE(line.at("histogram").empty());
  for (const Json& row : line.at("histogram")) CHECK(row.at("allowed") == nullptr);
}

TEST_CASE("people see which outcomes are weak, and which never came up") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const Run weak = run_heddle({"litmus", "--machine", "adversarial", "--runs", "500", file});
  CHECK_THAT(weak.out, Catch::Contains("weak"));
  CHECK_THAT(weak.out, Catch::Contains("█"));
  const Run strong = run_heddle({"litmus", "--machine", "sequential", "--runs", "500", file});
  CHECK_THAT(strong.out, Catch::Contains("weak, never seen"));
}

TEST_CASE("options of runs without --machine, and policies that do not exist, are bad input") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  CHECK(run_heddle({"litmus", "--runs", "5", file}).exit_code == 2);
  const Run run = run_heddle({"litmus", "--machine", "psychic", file});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Catch::Contains("adversarial"));
  const std::string claims = directory.write("claims.test", "NEWWG\nNEWSG\nNEWTHREAD\n");
  CHECK(run_heddle({"litmus", "--machine", "random", claims}).exit_code == 2);
}

TEST_CASE("a replayed run is recorded, summed up, and exported with a track for each thread and cache") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const std::string trace = directory.path("sb.trace");
  CHECK(run_heddle({"litmus", "--machine", "adversarial", "--replay", "3", "--trace", trace, file}).exit_code == 0);
  const std::string exported = directory.path("sb.json");
  const Run run = run_heddle({"trace", trace, "--perfetto", exported, "--json"});
  CHECK(run.exit_code == 0);
  const Json line = Json::parse(run.out);
  CHECK(line.at("agents") == 2);
  CHECK(line.at("operations") == 4);
  CHECK(line.at("moves") > 0);
  const Json events = Json::parse(read_all(exported)).at("traceEvents");
  std::size_t threads = 0;
  std::size_t caches = 0;
  std::size_t slices = 0;
  for (const Json& event : events) {
    if (event.at("name") == "thread_name") ++(event.at("pid") == 1 ? threads : caches);
    if (event.at("ph") == "X" && event.at("pid") == 1) ++slices;
  }
  CHECK(threads == 2);
  CHECK(caches > 0);
  CHECK(slices == 4);
}

TEST_CASE("the exit code of a replay is about that run, not about what others may do") {
  const TemporaryDirectory directory;
  const std::string impossible =
      "Vulkan Own\n{ x=0; }\n P0@sg 0, wg 0, qf 0 ;\n st.sc0 x, 1 ;\n ld.sc0 r0, x ;\nexists (P0:r0 == 0)\n";
  const std::string file = directory.write("own.litmus", impossible);
  CHECK(run_heddle({"litmus", "--machine", "random", "--runs", "10", file}).exit_code == 1);
  CHECK(run_heddle({"litmus", "--machine", "random", "--replay", "3", file}).exit_code == 0);
}

TEST_CASE("the outcomes that no run had are named, and only those that are allowed") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const auto never_seen = [&](const char* policy) {
    return Json::parse(run_heddle({"litmus", "--machine", policy, "--runs", "1000", "--json", file}).out)
        .at("never_seen");
  };
  CHECK(never_seen("random") == Json::array());
  CHECK(never_seen("sequential") == Json::array({Json{{"P0:r0", 0}, {"P1:r0", 0}}}));
}

TEST_CASE("with --machine a directory stands for the tests in it that can end with values, and a trace for one") {
  const TemporaryDirectory directory;
  directory.write("sb.litmus", kStoreBuffering);
  directory.write("claims.test", "NEWWG\nNEWSG\nNEWTHREAD\n");
  const std::vector<std::string> run{"litmus", "--machine", "random", "--replay", "0"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = run;
    all.insert(all.end(), more.begin(), more.end());
    return run_heddle(all);
  };
  CHECK(with({directory.path()}).exit_code == 0);
  const std::string trace = directory.path("a.trace");
  CHECK(with({"--trace", trace, directory.path()}).exit_code == 0);
  directory.write("other.litmus", kStoreBuffering);
  const Run two = with({"--trace", trace, directory.path()});
  CHECK(two.exit_code == 2);
  CHECK_THAT(two.err, Catch::Contains("these are 2 tests"));
}

TEST_CASE("a replay tells which read was answered late, and whose memory is freed too early") {
  const TemporaryDirectory directory;
  const std::string buffering = "Vulkan LB\n{ x=0; y=0; }\n" + kThreads +
                                " ld.atom.wg.sc0 r0, x | ld.atom.wg.sc0 r0, y ;\n"
                                " st.atom.wg.sc0 y, 1 | st.atom.wg.sc0 x, 1 ;\n"
                                "exists (P0:r0 == 1 /\\ P1:r0 == 1)\n";
  const std::string file = directory.write("lb.litmus", buffering);
  const Json line = Json::parse(run_heddle({"litmus", "--machine", "random", "--runs", "5000", "--json", file}).out);
  REQUIRE(count_of(line, 1, 1) > 0);
  for (const Json& row : line.at("histogram")) {
    if (row.at("outcome") != Json{{"P0:r0", 1}, {"P1:r0", 1}}) continue;
    CHECK(row.at("weak") == true);
    const std::string first = std::to_string(row.at("first_run").get<int>());
    const Run replay = run_heddle({"litmus", "--machine", "random", "--replay", first, file});
    CHECK_THAT(replay.out, Catch::Contains("answered late, it is before step "));
    CHECK_THAT(replay.out, Catch::Contains("The judge finds it consistent."));
  }
  const std::string freed =
      directory.write("free.litmus", "Vulkan F\n{ x=0; }\n" + kThreads + " st.sc0 x, 1 | free x ;\nexists (x == 1)\n");
  const Run replay = run_heddle({"litmus", "--machine", "random", "--replay", "0", freed});
  CHECK(replay.exit_code == 1);
  CHECK_THAT(replay.out, Catch::Contains("Freed too early: P0's `st.sc0 x, 1`"));
}

TEST_CASE("a trace that is cut off, or none at all, is bad input") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  const std::string trace = directory.path("sb.trace");
  run_heddle({"litmus", "--machine", "random", "--replay", "3", "--trace", trace, file});
  const std::string bytes = read_all(trace);
  const std::string half = directory.write("half.trace", bytes.substr(0, bytes.size() / 2));
  const Run cut = run_heddle({"trace", half});
  CHECK(cut.exit_code == 2);
  CHECK_THAT(cut.err, Catch::Contains("half.trace: cut off after"));
  CHECK(run_heddle({"trace", file}).exit_code == 2);
  CHECK(run_heddle({"trace", directory.path("nothing")}).exit_code == 2);
  CHECK(run_heddle({"litmus", "--machine", "random", "--replay", "3", "--trace", "/no/such/place", file}).exit_code ==
        2);
}

TEST_CASE("a first-in first-out store buffer shows store buffering, and never a flag without the data before it") {
  const TemporaryDirectory directory;
  const std::string buffering = directory.write("sb.litmus", kStoreBuffering);
  const Run weak = run_heddle({"litmus", "--machine", "store-buffer", "--runs", "2000", "--json", buffering});
  CHECK(count_of(Json::parse(weak.out), 0, 0) > 0);
  const std::string message = directory.write(
      "mp.litmus", "Vulkan MP\n{ a=0; x=0; y=0; }\n" + kThreads +
                       " st.atom.wg.sc0 a, 1 | ld.atom.wg.sc0 r0, y ;\n st.atom.wg.sc0 x, 1 | ld.atom.wg.sc0 r1, x ;\n"
                       " st.atom.wg.sc0 y, 1 | ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n");
  const Run in_order = run_heddle({"litmus", "--machine", "store-buffer", "--runs", "20000", "--json", message});
  CHECK(in_order.exit_code == 0);
  std::uint64_t arrived = 0;
  const Json told = Json::parse(in_order.out);
  for (const Json& row : told.at("histogram")) {
    const Json& outcome = row.at("outcome");
    if (outcome.at("P1:r0") != 1) continue;
    CHECK(outcome.at("P1:r1") == 1);
    arrived += row.at("count").get<std::uint64_t>();
  }
  CHECK(arrived > 0);
  // Others let the flag overtake the data.
  const Run random = run_heddle({"litmus", "--machine", "random", "--runs", "20000", "--json", message});
  bool overtaken = false;
  const Json told_of_random = Json::parse(random.out);
  for (const Json& row : told_of_random.at("histogram"))
    overtaken = overtaken || row.at("outcome") == Json{{"P1:r0", 1}, {"P1:r1", 0}};
  CHECK(overtaken);
}

TEST_CASE("numbers below zero are refused, and told") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sb.litmus", kStoreBuffering);
  for (const std::string option : {"--seed", "--judge", "--replay"}) {
    const Run run = run_heddle({"litmus", "--machine", "random", option, "-1", file});
    CHECK(run.exit_code == 2);
    CHECK(run.err.find("-1 is no number from 0 to 2^64 - 1") != std::string::npos);
  }
}
