#include <catch2/catch.hpp>

#include <string>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

/// Whether explorer and judge say that a host test races; the machine and the detector have to say the same.
bool is_racy(const std::string& name) {
  const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host/" + name + ".litmus";
  const VulkanParse parse = parse_vulkan(read_text(path));
  REQUIRE(parse.test);
  RunRequest request;
  request.memory = memory_of(*parse.test, memory_policy("random"));
  request.watch = [] { return detector_watch(true); };
  request.runs = request.judged = 200;
  const RunTotals totals = litmus::run(*parse.test, request);
  const bool racy = answer(*parse.test, {}).racy;
  CHECK(totals.inconsistent == 0);
  CHECK(totals.detector_disagreements == 0);
  CHECK((totals.racy_runs > 0) == racy);
  return racy;
}

/// Pairs of tests, which differ in one thing: the first of each is right, and the second races.
void check_pairs(std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    INFO(name);
    CHECK_FALSE(is_racy(name + "-right"));
    CHECK(is_racy(name + "-wrong"));
  }
}

}  // namespace

//= sync:synchronization-submission-order type=test
TEST_CASE("submission order orders neither two dispatches nor two submissions nor a fill and a copy") {
  check_pairs({"two-dispatches", "two-submissions", "fill-then-copy", "fence-earlier", "same-batch-later"});
}

//= sync:synchronization-dependencies-chains type=test
TEST_CASE("dependencies make a chain where their stages meet, and only there") {
  check_pairs({"chain", "chain-availability", "semaphore-chain"});
}

//= sync:synchronization-pipeline-stages-masks type=test
TEST_CASE("a mask has earlier or later stages in its execution scope, and only those named in its access scope") {
  check_pairs({"indirect-earlier-stage", "indirect-later-stage", "wrong-source-stage", "wrong-destination-stage"});
}

//= sync:synchronization-dependencies-access-scopes type=test
TEST_CASE("an access is in a scope by its stage, its kind and its buffer") {
  check_pairs({"wrong-source-access", "wrong-destination-access", "buffer-range", "alias", "alias-two-barriers",
               "readback-memory-read", "readback-all-commands", "uniform", "uniform-shader-read",
               "other-queue-availability"});
}

//= sync:synchronization-host-access-types type=test
TEST_CASE("coherent memory needs neither flush nor invalidation, and other memory both") {
  check_pairs({"flush", "invalidate", "invalidate-before-wait"});
}

//= sync:memory-device-hostaccess type=test
TEST_CASE("a flush is of what was written before it, in whole atoms, by whatever thread of the host") {
  check_pairs({"flush-before-write", "flush-other", "host-thread-flushes", "atom", "invalidate-unflushed"});
}

//= sync:synchronization-submission-host-writes type=test
TEST_CASE("a submission has what happened before it on the host in its scope, and nothing behind it") {
  check_pairs({"write-after-submit", "host-thread-submits", "submit-visible-to-all", "round-trip"});
}

//= sync:synchronization-pipeline-barriers type=test
TEST_CASE("a pipeline barrier orders memory by its accesses, and execution without them") {
  check_pairs({"execution-only", "write-after-read", "write-after-write", "copy-after-dispatch", "dispatch-after-copy",
               "fill", "indirect", "readback-domain", "host-write-after-write"});
}

//= sync:synchronization-events-signaling-device type=test
TEST_CASE("what stands between the set of an event and the wait for it is in neither scope") {
  check_pairs({"event", "event-between", "event-host"});
}

//= sync:synchronization-semaphores-signaling type=test
TEST_CASE("a semaphore's signal makes available what comes before it in its stages") {
  check_pairs({"semaphore-signal-stage", "semaphore-earlier-signal"});
}

//= sync:synchronization-semaphores-waiting type=test
TEST_CASE("a semaphore's wait is for its stages and takes the smallest value that is enough") {
  check_pairs({"semaphore", "semaphore-wait-stage", "timeline-value", "timeline-wait-before-signal"});
}

//= sync:synchronization-semaphores-hostops type=test
TEST_CASE("signals and waits of the host order execution, and move no memory") {
  check_pairs(
      {"timeline-host-signal", "timeline-host-signal-stage", "timeline-host-signal-wait", "timeline-host-wait"});
}

//= sync:synchronization-fences-signaling type=test
TEST_CASE("a fence is of all commands before it, and the host that waits for it comes after them") {
  check_pairs({"readback", "host-write-after-read", "free", "free-then-use"});
}

//= sync:synchronization-wait-idle type=test
TEST_CASE("waiting for a queue or a device to be idle is as a fence on all of it") {
  check_pairs({"readback-idle", "readback-device-idle"});
}

//= sync:synchronization-queue-transfers-release type=test
//= sync:synchronization-queue-transfers-acquire type=test
TEST_CASE("another queue family has the contents of an exclusive buffer by a release and its acquire alone") {
  check_pairs({"ownership", "ownership-stage", "ownership-no-release", "ownership-no-acquire"});
}
