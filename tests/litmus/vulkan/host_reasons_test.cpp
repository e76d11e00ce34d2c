#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "emulator/litmus/vulkan/host_changes.h"
#include "emulator/litmus/vulkan/host_reason.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/expectation.h"

using namespace heddle::litmus;
using heddle::judge::Judgement;

namespace {

Test test_of(const std::string& text) {
  const VulkanParse parse = parse_vulkan(text);
  if (!parse.test) FAIL(parse.errors.front().message);
  return *parse.test;
}

std::string text_of(const std::string& name) {
  return read_text(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host/" + name + ".litmus");
}

Question with_examples() {
  Question question;
  question.keep_examples = true;
  return question;
}

HostReason reason_of(const Test& test) {
  const Answer found = answer(test, with_examples());
  REQUIRE(found.race);
  const Judgement judgement(found.race->execution, explorer_options(with_examples()).model);
  const auto reason = host_reason(test, judgement, {found.race->first, found.race->second});
  REQUIRE(reason);
  return *reason;
}

// The wrong one of a pair has this link missing, and the right one no race.
void check_pair(const std::string& name, HostLink link) {
  INFO(name);
  const Test wrong = test_of(text_of(name + "-wrong"));
  const HostReason reason = reason_of(wrong);
  INFO(reason.text);
  CHECK(heddle::litmus::name(reason.link) == heddle::litmus::name(link));
  const Test right = test_of(text_of(name + "-right"));
  CHECK_FALSE(answer(right, {}).racy);
}

std::vector<HostChange> changes_of(const std::string& name) {
  const std::string source = text_of(name);
  const Test test = test_of(source);
  const Answer found = answer(test, with_examples());
  REQUIRE(found.race);
  return host_changes(source, test, with_examples(), *found.race);
}

// Among the changes is this one, and with it the test has no race.
void check_change(const std::string& name, const std::string& text) {
  INFO(name);
  const std::vector<HostChange> changes = changes_of(name);
  for (const HostChange& change : changes) {
    INFO(change.text);
    if (change.text.rfind(text, 0) != 0) continue;
    CHECK_FALSE(answer(test_of(change.source), {}).racy);
    return;
  }
  FAIL_CHECK("no change is '" << text << "', the first of " << changes.size() << " is '"
                              << (changes.empty() ? "" : changes.front().text) << "'");
}

}  // namespace

TEST_CASE("commands of one queue without a barrier, or outside of its scopes, are told so") {
  check_pair("two-dispatches", HostLink::NoBarrier);
  check_pair("two-submissions", HostLink::NoBarrier);
  check_pair("fill-then-copy", HostLink::NoBarrier);
  check_pair("wrong-source-stage", HostLink::FirstScope);
  check_pair("fill", HostLink::FirstScope);
  check_pair("indirect-earlier-stage", HostLink::FirstScope);
  check_pair("wrong-destination-stage", HostLink::SecondScope);
  check_pair("copy-after-dispatch", HostLink::SecondScope);
  check_pair("indirect", HostLink::SecondScope);
  check_pair("event-between", HostLink::SetAndWait);
  check_pair("event", HostLink::NoBarrier);
  check_pair("chain", HostLink::DoNotMeet);
}

TEST_CASE("commands of two queues without a semaphore, or at other stages, are told so") {
  check_pair("semaphore", HostLink::NoSemaphore);
  check_pair("same-batch-later", HostLink::NoSemaphore);
  check_pair("semaphore-signal-stage", HostLink::SemaphoreStages);
  check_pair("semaphore-wait-stage", HostLink::SemaphoreStages);
  check_pair("semaphore-chain", HostLink::SemaphoreStages);
  check_pair("timeline-value", HostLink::ValueTooSmall);
}

TEST_CASE("a host that does not wait, or submits too early, is told so") {
  check_pair("readback-idle", HostLink::HostDoesNotWait);
  check_pair("readback", HostLink::HostDoesNotWait);
  check_pair("host-write-after-read", HostLink::HostDoesNotWait);
  check_pair("fence-earlier", HostLink::WaitForAnother);
  check_pair("readback-device-idle", HostLink::WaitForAnother);
  check_pair("timeline-host-wait", HostLink::WaitForAnother);
  check_pair("write-after-submit", HostLink::AfterSubmission);
  check_pair("event-host", HostLink::AfterSubmission);
  check_pair("timeline-host-signal", HostLink::BehindHostSignal);
  check_pair("host-threads", HostLink::HostThreads);
}

TEST_CASE("missing availability, domain operations and visibility are told so, in this order") {
  check_pair("flush", HostLink::NoFlush);
  check_pair("flush-other", HostLink::NoFlush);
  check_pair("flush-before-write", HostLink::NoFlush);
  check_pair("execution-only", HostLink::NoAvailability);
  check_pair("wrong-source-access", HostLink::NoAvailability);
  check_pair("other-queue-availability", HostLink::NoAvailability);
  check_pair("buffer-range", HostLink::AnotherBuffer);
  check_pair("alias", HostLink::AnotherBuffer);
  check_pair("readback-domain", HostLink::NoDomainToHost);
  check_pair("readback-all-commands", HostLink::NoDomainToHost);
  check_pair("wrong-destination-access", HostLink::NoVisibility);
  check_pair("uniform", HostLink::NoVisibility);
  check_pair("invalidate", HostLink::NoInvalidation);
  check_pair("invalidate-before-wait", HostLink::NoInvalidation);
}

TEST_CASE("a flush behind the submission leaves the write out of the device domain") {
  const auto upload = [](const std::string& calls) {
    return "Vulkan flush-late\n{ x=0; noncoherent x; }\n H0@host | B0@q 0, qf 0 | P0@sg 0, wg 0, qf 0 ;\n" + calls +
           "exists (P0:r0 == 0)\n";
  };
  const Test wrong = test_of(upload(" st x, 1 | dispatch P0 | ld.sc0 r0, x ;\n submit B0 | | ;\n flush x | | ;\n"));
  CHECK(reason_of(wrong).link == HostLink::NoDomainToDevice);
  const Test right = test_of(upload(" st x, 1 | dispatch P0 | ld.sc0 r0, x ;\n flush x | | ;\n submit B0 | | ;\n"));
  CHECK_FALSE(answer(right, {}).racy);
}

TEST_CASE("ownership, freeing, atoms, invalidations and atomics of both sides are told so") {
  check_pair("ownership", HostLink::Ownership);
  check_pair("ownership-no-release", HostLink::Ownership);
  check_pair("ownership-no-acquire", HostLink::Ownership);
  check_pair("ownership-stage", HostLink::Ownership);
  check_pair("free", HostLink::Freed);
  check_pair("free-then-use", HostLink::Freed);
  check_pair("atom", HostLink::Atom);
  check_pair("invalidate-unflushed", HostLink::Invalidated);
  check_pair("host-device-atomics", HostLink::Atomics);
}

TEST_CASE("what a missing link names mends the test when it is added") {
  check_change("two-dispatches-wrong", "put `dep compute.storage_write compute.storage_read` in front of B0's");
  check_change("execution-only-wrong",
               "make B0's `dep compute compute` (line 8) `dep compute.storage_write compute.storage_read`");
  check_change("wrong-source-access-wrong",
               "make B0's `dep compute+transfer.transfer_write compute.shader_read` (line 8) `dep "
               "compute+transfer.transfer_write+storage_write compute.shader_read`");
  check_change("wrong-destination-access-wrong",
               "make B0's `dep compute.shader_write compute.uniform_read` (line 8) `dep compute.shader_write "
               "compute.uniform_read+storage_read`");
  check_change("wrong-source-stage-wrong",
               "make B0's `dep copy.transfer_write compute.shader_read` (line 8) `dep "
               "copy+compute.transfer_write+storage_write compute.shader_read`");
  check_change("semaphore-wait-stage-wrong", "make B1's `wait s copy` (line 7) `wait s copy+compute`");
  check_change("buffer-range-wrong",
               "make B0's `dep compute.shader_write compute.shader_read y` (line 8) `dep compute.shader_write "
               "compute.shader_read`");
  check_change("flush-wrong", "put `flush x` behind H0's `st x, 1`");
  check_change("invalidate-wrong", "put `invalidate x` in front of H0's `ld r0, x`");
  check_change("free-wrong", "put `wait f` in front of H0's");
  check_change("readback-idle-wrong", "put `idle` in front of H0's");
  check_change("readback-domain-wrong", "put `dep compute.storage_write host.host_read` behind B0's");
  check_change("timeline-host-signal-wrong", "put `dep host.host_write compute.storage_read` in front of B0's");
  check_change("semaphore-wrong", "put `wait s` in front of B1's");
  check_change("timeline-value-wrong", "make B1's");
  check_change("write-after-submit-wrong", "take out H0's");
  check_change("ownership-wrong", "put `release");
  check_change("host-threads-wrong", "make H0's `st.atom l, 1` (line 8) `st.atom.rel l, 1`");
  check_change("timeline-wait-before-signal-wrong", "make B1's `wait s, 0` (line 7) `wait s, 1`");
  check_change("timeline-host-signal-wait-wrong", "make B0's `wait s, 1 compute` (line 7) `wait s, 1`");
  check_change("free-then-use-wrong", "take out H0's `free x` (line 7), and put `free x` behind H0's `wait f`");
}
