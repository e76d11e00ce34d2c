// What is proposed for racy tests is made to their texts, and read and explored again.
#include <heddle/edit.h>

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/source_edits.h"
#include "emulator/litmus/vulkan/trial.h"
#include "tests/how_many.h"
#include "tests/litmus/vulkan/random_tests.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

Test parsed(const std::string& source) {
  const VulkanParse parse = parse_vulkan(source);
  if (!parse.test) FAIL(source << "\n" << parse.errors.front().place.line << ": " << parse.errors.front().message);
  return *parse.test;
}

Answer answered(const Test& test) {
  Question question;
  question.keep_examples = true;
  return answer(test, question);
}

/// The test with a change made to its text, and read again.
Test mended(const std::string& source, const Test& test, const TestChange& change) {
  const auto text = changed_text(source, test, change.changed);
  REQUIRE(text);
  INFO(*text);
  const EditedSource by_edits = edited_source(source, "", change.edits);
  REQUIRE(by_edits.text);
  CHECK(*by_edits.text == *text);
  return parsed(*text);
}

struct Racy {
  std::string source;
  Test test;
  TestChanges changes;
  judge::MissingReason reason;
};

Racy racy(const std::string& source) {
  Racy out{source, parsed(source), {}, {}};
  const Answer found = answered(out.test);
  REQUIRE(found.race);
  out.changes = changes_without_race(out.test, {}, *found.race);
  const judge::Judgement judgement(found.race->execution);
  const auto reason = judgement.why_unordered(found.race->first, found.race->second);
  REQUIRE(reason);
  out.reason = *reason;
  return out;
}

/// The first change leaves no race, and says this.
void check_first(const Racy& racy, const std::string& text) {
  REQUIRE_FALSE(racy.changes.changes.empty());
  const TestChange& first = racy.changes.changes.front();
  INFO(first.text);
  CHECK(first.text.find(text) != std::string::npos);
  CHECK_FALSE(first.unordered);
  CHECK(first.other_race.empty());
  CHECK_FALSE(answered(mended(racy.source, racy.test, first)).racy);
}

std::string two(const std::string& first, const std::string& second, const std::string& end = "") {
  return "Vulkan two\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n" + first + second +
         "filter (P1:r0 = 1)\nexists (P1:r1 = 0)\n" + end;
}

}  // namespace

TEST_CASE("each proposal for a random racy test, made to its text, leaves no race, or the one that it names",
          "[nightly]") {
  const std::uint64_t wanted = how_many("HEDDLE_MENDED_TESTS", 300, 10000);
  std::uint64_t racy = 0;
  std::uint64_t clean = 0;
  std::uint64_t none = 0;
  for (std::uint64_t seed = 1 + first_seed(); seed <= wanted + first_seed(); ++seed) {
    const std::string source = random_litmus_test(seed);
    INFO("seed " << seed << "\n" << source);
    const Test test = parsed(source);
    const Answer found = answered(test);
    if (!found.race) continue;
    ++racy;
    const TestChanges changes = changes_without_race(test, {}, *found.race);
    none += changes.changes.empty() ? 1 : 0;
    clean += !changes.changes.empty() && changes.changes.front().other_race.empty() ? 1 : 0;
    for (const TestChange& change : changes.changes) {
      INFO(change.text << "\n" << change.other_race);
      const Test again = mended(source, test, change);
      std::uint64_t graphs = 1000000;
      const Trial trial = try_out(again, {}, graphs);
      REQUIRE(trial.complete);
      REQUIRE(trial.races.empty() == change.other_race.empty());
      REQUIRE(trial.races.size() == changes.races.size() - change.mends.size());
      REQUIRE(std::count(change.mends.begin(), change.mends.end(), 0U) == 1);
    }
  }
  std::cout << racy << " racy tests, " << clean << " with a change that leaves no race, " << none << " without any\n";
  REQUIRE(racy > wanted / 3);
  CHECK(clean * 100 >= racy * 98);
}

TEST_CASE("two fences without the class of their flag are given the class") {
  const Racy found = racy(two(
      " st.nonpriv.sc1 x, 1 | ld.atom.dv.sc0 r0, y ;\n membar.rel.dv.semsc1.semav | membar.acq.dv.semsc1.semvis ;\n",
      " st.atom.dv.sc0 y, 1 | ld.nonpriv.sc1 r1, x ;\n"));
  CHECK(found.reason.link == judge::MissingLink::StorageClassMissing);
  check_first(found, "add UniformMemory to the memory barrier in P0's");
  CHECK(found.changes.changes.front().text.find("add UniformMemory to the memory barrier in P1's") !=
        std::string::npos);
}

TEST_CASE("a message that somebody does not hand on lacks MakeAvailable there, whatever the scopes of others") {
  const Racy found = racy(
      "Vulkan relay\n{ x = 0; y = 0; z = 0; }\n"
      " P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 | P2@sg 0, wg 1, qf 0 ;\n"
      " st.nonpriv.sc0 x, 1 | ld.atom.acq.wg.sc0.semsc0.semvis r0, y | ld.atom.acq.dv.sc0.semsc0.semvis r0, z ;\n"
      " st.atom.rel.wg.sc0.semsc0.semav y, 1 | st.atom.rel.dv.sc0.semsc0 z, 1 | ld.nonpriv.sc0 r1, x ;\n"
      "filter (P1:r0 = 1 /\\ P2:r0 = 1)\nexists (P2:r1 = 0)\n");
  CHECK(found.reason.link == judge::MissingLink::NeverMadeAvailable);
  check_first(found, "add MakeAvailable to the atomic write in P1's");
}

TEST_CASE("an acquire that makes nothing visible is told so where two acquires are on the way") {
  const Racy found = racy(
      "Vulkan J1\n{ x = 0; y = 0; z = 0; w = 0; }\n"
      " P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 0, wg 2, qf 0 ;\n"
      " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, w | ld.atom.acq.dv.sc0.semsc0 r0, y ;\n"
      " st.atom.rel.dv.sc0.semsc0.semav y, 1 | st.atom.rel.dv.sc0.semsc0 z, 1 | ld.atom.acq.dv.sc0.semsc0 r1, z ;\n"
      "  | | ld.nonpriv.sc0 r2, x ;\nfilter (P2:r0 == 1 /\\ P2:r1 == 1)\nexists (P2:r2 == 0)\n");
  CHECK(found.reason.link == judge::MissingLink::NeverMadeVisible);
  check_first(found, "add MakeVisible to the atomic read in P2's");
}

TEST_CASE("a control barrier whose memory scope is too narrow is widened first, as the reason says") {
  const Racy found = racy(two(
      " st.nonpriv.sc0 x, 1 | ld.atom.dv.sc0 r0, y ;\n",
      " st.atom.rel.dv.sc0.semsc0.semav y, 1 | cbar.acq_rel.wg.semsc0.semav.semvis 1 ;\n | ld.nonpriv.sc0 r1, x ;\n"));
  CHECK(found.reason.link == judge::MissingLink::ScopesDoNotIncludeEachOther);
  check_first(found, "widen the memory scope of the control barrier in P1's");
}

TEST_CASE(
    "what leaves the whole test without a race comes first, as one change, and others name the race that is left") {
  const Racy found = racy(
      "Vulkan two-messages\n{ x = 0; y = 0; a = 0; b = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
      " st.atom.rel.dv.sc0.semsc0 y, 1 | ld.nonpriv.sc0 r1, x ;\n"
      " st.nonpriv.sc0 a, 1 | ld.atom.acq.dv.sc0.semsc0 r2, b ;\n"
      " st.atom.rel.dv.sc0.semsc0.semav b, 1 | ld.nonpriv.sc0 r3, a ;\n"
      "filter (P1:r0 = 1 /\\ P1:r2 = 1)\n");
  CHECK(found.changes.races.size() == 2);
  REQUIRE(found.changes.changes.size() > 1);
  const TestChange& first = found.changes.changes.front();
  INFO(first.text);
  CHECK(first.mends.size() == 2);
  CHECK(first.other_race.empty());
  CHECK_FALSE(answered(mended(found.source, found.test, first)).racy);
  const auto some = std::find_if(found.changes.changes.begin(), found.changes.changes.end(),
                                 [](const TestChange& change) { return change.mends.size() == 1; });
  REQUIRE(some != found.changes.changes.end());
  CHECK(some->other_race.find("still races with") != std::string::npos);
}

TEST_CASE("two threads of a workgroup that nothing orders are offered a control barrier, which has a name of its own") {
  const Racy found = racy(
      "Vulkan barrier\n{ x = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n"
      " st.nonpriv.sc1 x, 1 | ld.atom.wg.sc1 r0, x ;\n cbar.wg 0 | cbar.wg 0 ;\n");
  const auto barrier =
      std::find_if(found.changes.changes.begin(), found.changes.changes.end(),
                   [](const TestChange& change) { return change.edits.front().kind == EditKind::PutControlBarrier; });
  REQUIRE(barrier != found.changes.changes.end());
  const Test changed = mended(found.source, found.test, *barrier);
  CHECK_FALSE(answered(changed).racy);
  CHECK(changed.threads[0].code[1].barrier.id == "1");
}
