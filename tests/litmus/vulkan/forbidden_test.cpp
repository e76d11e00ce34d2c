// Outcomes that no execution has: each with the closest candidate, and the axioms that this breaks.
#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

Test parsed(const std::string& source) {
  const VulkanParse parse = parse_vulkan(source);
  INFO((parse.errors.empty() ? "" : describe("", parse.errors.front())));
  REQUIRE(parse.test);
  return *parse.test;
}

/// Two threads of two workgroups, each with two instructions.
std::string of_two(const std::string& first, const std::string& second, const std::string& third,
                   const std::string& fourth, const std::string& end) {
  return "Vulkan t\n{ x = 0; y = 0; }\nP0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n" + first + " | " + third + " ;\n" +
         second + " | " + fourth + " ;\n" + end + '\n';
}

const std::string kReleased =
    of_two("st.nonpriv.sc0 x, 1", "st.atom.rel.dv.sc0.semsc0.semav y, 1", "ld.atom.acq.dv.sc0.semsc0.semvis r0, y",
           "ld.nonpriv.sc0 r1, x", "exists (P1:r0 == 1 /\\ P1:r1 == 0)");

}  // namespace

TEST_CASE("the outcome that a release and an acquire forbid has a candidate that breaks acyclicity alone") {
  const Test test = parsed(kReleased);
  const ForbiddenOutcomes found = find_forbidden_outcomes(test, {}, answer(test, {}));
  CHECK(found.complete);
  REQUIRE(found.outcomes.size() == 1);
  const ForbiddenOutcome& stale = found.outcomes.front();
  CHECK(stale.values == Outcome{1, 0});
  CHECK(stale.obstacle == Obstacle::Axioms);
  REQUIRE(stale.violations.size() == 1);
  CHECK(stale.violations[0].axiom == judge::Axiom::Acyclicity);
  CHECK(stale.violations[0].cycle.size() == 2);
  CHECK_FALSE(judge::Judgement(*stale.closest).consistent());
}

TEST_CASE("what the filter discards is no outcome of interest") {
  std::string source = kReleased;
  source.insert(source.find("exists"), "filter (P1:r0 == 0)\n");
  const Test test = parsed(source);
  CHECK(find_forbidden_outcomes(test, {}, answer(test, {})).outcomes.empty());
}

TEST_CASE("each axiom forbids an outcome of its own") {
  const auto axiom_of = [](const std::string& source) {
    const Test test = parsed(source);
    const ForbiddenOutcomes found = find_forbidden_outcomes(test, {}, answer(test, {}));
    REQUIRE_FALSE(found.outcomes.empty());
    CHECK(is_asked(test, found.outcomes.front().values));
    REQUIRE(found.outcomes.front().violations.size() == 1);
    return found.outcomes.front().violations[0].axiom;
  };
  CHECK(axiom_of(kReleased) == judge::Axiom::Acyclicity);
  // Both updates read the same value.
  CHECK(
      axiom_of("Vulkan t\n{ x = 0; }\nP0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
               "rmw.atom.dv.sc0.add r0, x, 1 | rmw.atom.dv.sc0.add r0, x, 1 ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n") ==
      judge::Axiom::Atomicity);
}

TEST_CASE("no candidate of the library that is called forbidden is consistent, and none is an outcome") {
  std::size_t forbidden = 0;
  for (const LibraryFile& file : read_library()) {
    CAPTURE(file.path);
    const Test test = parsed(file.source);
    Question question;
    question.limit = 2000;
    const Answer found = answer(test, question);
    if (!found.complete) continue;
    std::set<Outcome> allowed;
    for (const OutcomeRow& row : found.outcomes) allowed.insert(row.values);
    std::set<Outcome> seen;
    bool still_asked = true;
    for (const ForbiddenOutcome& outcome : find_forbidden_outcomes(test, question, found).outcomes) {
      CHECK(allowed.count(outcome.values) == 0);
      CHECK(seen.insert(outcome.values).second);
      CHECK((!test.filter || satisfies(outcome.values, *test.filter)));
      // The asked ones come first.
      const bool asked = is_asked(test, outcome.values);
      CHECK((still_asked || !asked));
      still_asked = asked;
      if (outcome.obstacle != Obstacle::Axioms) continue;
      ++forbidden;
      REQUIRE(outcome.closest);
      CHECK_FALSE(judge::Judgement(*outcome.closest).consistent());
      CHECK(outcome.violations.size() == judge::Judgement(*outcome.closest).violations().size());
    }
  }
  CHECK(forbidden > 200);
}

TEST_CASE("an outcome that the threads never compute is said to be so, if the test asks for it") {
  const Test test = parsed(of_two("ld.atom.dv.sc0 r0, x", "st.atom.dv.sc0 y, r0", "ld.atom.dv.sc0 r0, y",
                                  "st.atom.dv.sc0 x, r0", "exists (P0:r0 == 42 /\\ P1:r0 == 42)"));
  const ForbiddenOutcomes found = find_forbidden_outcomes(test, {}, answer(test, {}));
  REQUIRE(found.outcomes.size() == 1);
  CHECK(found.outcomes[0].values == Outcome{42, 42});
  CHECK(found.outcomes[0].obstacle == Obstacle::NoValue);
  CHECK_FALSE(found.outcomes[0].closest);
}
