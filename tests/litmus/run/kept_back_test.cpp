#include "emulator/litmus/run/kept_back.h"

#include <catch2/catch.hpp>

#include <string>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

/// Two threads of two workgroups, and what is asked for.
Test two_threads(const std::string& first, const std::string& second, const std::string& asked) {
  VulkanParse parse = parse_vulkan("Vulkan T\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n" +
                                   first + " | " + second + " ;\n" + asked + '\n');
  REQUIRE(parse.test);
  return *std::move(parse.test);
}

std::string why(const Test& test, std::string_view policy, const Outcome& outcome) {
  return why_kept_back(test, {}, memory_policy(policy), {outcome}).front();
}

/// How often runs end so.
std::uint64_t count(const Test& test, std::string_view policy, const Outcome& outcome) {
  RunRequest request;
  request.memory = run::memory_of(memory_policy(policy));
  request.runs = 20000;
  for (const HistogramRow& row : litmus::run(test, request).histogram)
    if (row.values == outcome) return row.count;
  return 0;
}

const std::string kReadBoth = "exists (P1:r0 = 1 /\\ P1:r1 = 0)";

Test passed_by_exchanges() {
  return two_threads("rmw.atom.dv.sc0 r0, x, 1", "rmw.atom.dv.sc0.add r0, y, 0",
                     " rmw.atom.dv.sc0 r1, y, 1 | rmw.atom.dv.sc0.add r1, x, 0 ;\n" + kReadBoth);
}

}  // namespace

TEST_CASE("a message by exchanges and additions of 0 comes up stale where updates wait, and cannot where they do not") {
  const Test test = passed_by_exchanges();
  const Outcome stale = {1, 0};
  for (const std::string_view policy : {"random", "reordering"}) {
    CHECK(why(test, policy, stale).empty());
    CHECK(count(test, policy, stale) > 0);
  }
  for (const std::string_view policy : {"sequential", "store-buffer", "incoherent-l1"}) {
    CHECK_FALSE(why(test, policy, stale).empty());
    CHECK(count(test, policy, stale) == 0);
  }
}

TEST_CASE("load buffering by loads may come up where they are answered late, and by updates nowhere") {
  const std::string asked = "exists (P0:r0 = 1 /\\ P1:r0 = 1)";
  const Test loads = two_threads("ld.atom.dv.sc0 r0, x", "ld.atom.dv.sc0 r0, y",
                                 " st.atom.dv.sc0 y, 1 | st.atom.dv.sc0 x, 1 ;\n" + asked);
  CHECK(why(loads, "random", {1, 1}).empty());
  CHECK_FALSE(why(loads, "store-buffer", {1, 1}).empty());
  const Test updates = two_threads("rmw.atom.dv.sc0.add r0, x, 0", "rmw.atom.dv.sc0.add r0, y, 0",
                                   " st.atom.dv.sc0 y, 1 | st.atom.dv.sc0 x, 1 ;\n" + asked);
  CHECK_FALSE(why(updates, "random", {1, 1}).empty());
  CHECK(count(updates, "random", {1, 1}) == 0);
}

TEST_CASE("a thread waits where it needs a value itself, and not where another thread needs it") {
  const std::string asked = "exists (P0:r0 = 2 /\\ P1:r0 = 2)";
  const Test constant = two_threads("ld.atom.dv.sc0 r0, x", "ld.atom.dv.sc0 r0, y",
                                    " st.atom.dv.sc0 y, 2 | st.atom.dv.sc0 x, r0 ;\n" + asked);
  CHECK(why(constant, "random", {2, 2}).empty());
  CHECK(count(constant, "random", {2, 2}) > 0);
  const Test needed = two_threads("ld.atom.dv.sc0 r0, x", "ld.atom.dv.sc0 r0, y",
                                  " or r1, r0, 2 | st.atom.dv.sc0 x, r0 ;\n st.atom.dv.sc0 y, r1 | ;\n" + asked);
  CHECK_THAT(why(needed, "random", {2, 2}), Catch::Contains("load buffering"));
  CHECK(count(needed, "random", {2, 2}) == 0);
}

TEST_CASE("a private read by another name has the later store of its thread nowhere, and that of another thread") {
  const auto aliased = [](const std::string& threads) {
    VulkanParse parse = parse_vulkan("Vulkan T\n{ x = 0; y aliases x; }\n" + threads + "exists (P0:r0 = 1)\n");
    REQUIRE(parse.test);
    return *std::move(parse.test);
  };
  const Test own = aliased(" P0@sg 0, wg 0, qf 0 ;\n ld.sc0 r0, y ;\n st.sc0 x, 1 ;\n");
  CHECK_THAT(why(own, "random", {1}), Catch::Contains("load buffering"));
  CHECK(count(own, "random", {1}) == 0);
  const Test others =
      aliased(" P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n ld.nonpriv.sc0 r0, y | st.nonpriv.sc0 x, 1 ;\n");
  CHECK(why(others, "random", {1}).empty());
}

TEST_CASE("what comes up in runs of the library is never said to be impossible") {
  std::size_t files = 0;
  for (const LibraryFile& file : read_library()) {
    const VulkanParse parse = parse_vulkan(file.source);
    REQUIRE(parse.test);
    if (needs_domains(*parse.test)) continue;
    for (const std::string_view policy : {"random", "store-buffer"}) {
      RunRequest request;
      request.memory = run::memory_of(memory_policy(policy));
      request.runs = 200;
      std::vector<Outcome> seen;
      for (const HistogramRow& row : litmus::run(*parse.test, request).histogram) seen.push_back(row.values);
      const std::vector<std::string> reasons = why_kept_back(*parse.test, {}, memory_policy(policy), seen);
      // Where a filter is rarely passed, or threads wait for each other, no run has an outcome.
      files += seen.empty() ? 0 : 1;
      CHECK(reasons.size() == seen.size());
      for (const std::string& reason : reasons) {
        INFO(file.name << " on " << policy << ": " << reason);
        CHECK(reason.empty());
      }
    }
  }
  CHECK(files > 400);
}
