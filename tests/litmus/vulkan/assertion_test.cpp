#include "emulator/litmus/assertion.h"

#include <catch2/catch.hpp>
#include <string>

#include "emulator/litmus/vulkan/parser.h"

using namespace heddle::litmus;

namespace {

Test with_condition(const std::string& condition) {
  const VulkanParse parse = parse_vulkan(
      "Vulkan T\n{ x=0; y=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n ld.sc0 r0, x | ;\n" + condition);
  INFO(condition);
  for (const Diagnostic& error : parse.errors) UNSCOPED_INFO(describe("T", error));
  REQUIRE(parse.test);
  return *parse.test;
}

bool holds_for(const std::string& condition, const Outcome& outcome) {
  const Test test = with_condition("exists " + condition);
  REQUIRE(test.observables.size() == outcome.size());
  return satisfies(outcome, *test.assertion);
}

}  // namespace

TEST_CASE("negation binds tighter than conjunction, which binds tighter than disjunction") {
  // ~x=0 /\ y=0 is (~(x=0)) /\ y=0, not ~(x=0 /\ y=0).
  CHECK_FALSE(holds_for("~x==0 /\\ y==0", {0, 1}));
  CHECK(holds_for("~(x==0 /\\ y==0)", {0, 1}));
  // x=1 \/ x=0 /\ y=0 is x=1 \/ (x=0 /\ y=0).
  CHECK(holds_for("x==1 \\/ x==0 /\\ y==0", {1, 1}));
  CHECK_FALSE(holds_for("(x==1 \\/ x==0) /\\ y==0", {1, 1}));
  CHECK(holds_for("not x==0 /\\ y==0", {1, 0}));
}

TEST_CASE("two negations cancel each other") {
  CHECK(holds_for("~~x==0", {0}));
  CHECK_FALSE(holds_for("~ not ~ x==0", {0}));
}

TEST_CASE("a variable may be written x, [x] or x[0], a register P1:r0 or 1:r0") {
  const Test test = with_condition("exists x==1 /\\ [x]==1 /\\ x[0]==1 /\\ P1:r0==2 /\\ 1:r0==2");
  REQUIRE(test.observables.size() == 2);
  CHECK(test.observables[0].name == "P1:r0");
  CHECK(test.observables[1].name == "x");
  CHECK(satisfies(Outcome{2, 1}, *test.assertion));
  CHECK_FALSE(satisfies(Outcome{1, 2}, *test.assertion));
}

TEST_CASE("observables are sorted by name, whatever the order of the text") {
  const Test test = with_condition("filter y==0\nexists x==0 /\\ P1:r1==0 /\\ P0:r0==0");
  std::string names;
  for (const Observable& observable : test.observables) names += observable.name + ' ';
  CHECK(names == "P0:r0 P1:r1 x y ");
  CHECK(satisfies(Outcome{0, 0, 0, 0}, *test.filter));
  CHECK_FALSE(satisfies(Outcome{0, 0, 0, 1}, *test.filter));
  CHECK_FALSE(satisfies(Outcome{0, 0, 1, 0}, *test.assertion));
}

TEST_CASE("every comparison sign compares") {
  const auto at = [](const std::string& sign, Integer x) { return holds_for("x " + sign + " 3", {x}); };
  CHECK((at("=", 3) && !at("=", 4)));
  CHECK((at("==", 3) && !at("==", 4)));
  CHECK((at("!=", 4) && !at("!=", 3)));
  CHECK((at("<", 2) && !at("<", 3)));
  CHECK((at("<=", 3) && !at("<=", 4)));
  CHECK((at(">", 4) && !at(">", 3)));
  CHECK((at(">=", 3) && !at(">=", 2)));
}

TEST_CASE("a comparison of constants, and of two values, is a condition") {
  CHECK(with_condition("exists 0==0").observables.empty());
  CHECK(holds_for("0==0", {}));
  CHECK_FALSE(holds_for("0==-1", {}));
  CHECK(holds_for("x==y", {5, 5}));
  CHECK_FALSE(holds_for("x==y", {5, 6}));
  CHECK(holds_for("5==x", {5}));
}

TEST_CASE("quantifiers differ exactly where the format says") {
  CHECK(holds(Quantifier::Exists, 1, 3));
  CHECK_FALSE(holds(Quantifier::Exists, 0, 3));
  CHECK_FALSE(holds(Quantifier::NotExists, 1, 3));
  CHECK(holds(Quantifier::NotExists, 0, 3));
  CHECK_FALSE(holds(Quantifier::ForAll, 1, 3));
  CHECK(holds(Quantifier::ForAll, 3, 3));
}

TEST_CASE("without a terminated execution forall and ~exists hold, and exists does not") {
  CHECK_FALSE(holds(Quantifier::Exists, 0, 0));
  CHECK(holds(Quantifier::NotExists, 0, 0));
  CHECK(holds(Quantifier::ForAll, 0, 0));
}

TEST_CASE("a spelled assertion means the same when it is read again") {
  for (const std::string condition : {"(x==1 \\/ y==2) /\\ ~(P0:r0==3 /\\ x!=-4)", "x<1 \\/ y>=2 /\\ x<=7", "~(x==1)",
                                      "(x==1 /\\ y==1) /\\ (x==2 \\/ (y==3 \\/ x>9))"}) {
    const Test first = with_condition("exists " + condition);
    const std::string spelled = spell(*first.assertion, first.observables);
    const Test second = with_condition("exists " + spelled);
    CHECK(spell(*second.assertion, second.observables) == spelled);
    REQUIRE(first.observables == second.observables);
    for (Integer a = -4; a < 10; ++a) {
      for (Integer b = -4; b < 10; ++b) {
        const Outcome outcome(first.observables.size() == 2 ? Outcome{a, b} : Outcome{3, a, b});
        Outcome sized(outcome);
        sized.resize(first.observables.size());
        CHECK(satisfies(sized, *first.assertion) == satisfies(sized, *second.assertion));
      }
    }
  }
}
