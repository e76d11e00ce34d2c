#include "emulator/judge/cooperative_matrix.h"

#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;

namespace {

// A cooperative store by a subgroup of two; the first of the two reads the element afterwards.
Scenario store_and_load(bool barrier) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 0, 0);
  s.add(a, write(0).shared_with_others());
  s.add(b, write(0).shared_with_others());
  const auto sync =
      MemorySemantics::AcquireRelease | kUniform | MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
  if (barrier) {
    for (AgentId agent : {a, b}) {
      Op both = control_barrier(Scope::Subgroup);
      both.execution_scope = Scope::Subgroup;
      both.semantics = sync;
      s.add(agent, both);
    }
  }
  s.add(a, read(0).shared_with_others());
  s.execution.cooperative_accesses.push_back({{0, 1}});
  return s;
}

}  // namespace

//= vk:memory-model-cooperative-matrix type=test
TEST_CASE("any invocation may perform a cooperative matrix store: one's own read may race") {
  const auto races = judge::races_of_every_choice(store_and_load(false).execution);
  REQUIRE(races.size() == 1);
  CHECK(races[0].first == 1);
  CHECK(races[0].second == 2);
  CHECK(judge::races_of_every_choice(store_and_load(true).execution).empty());
}

//= vk:memory-model-cooperative-matrix type=test
TEST_CASE("the invocations of one cooperative matrix access do not race with each other") {
  Scenario s = store_and_load(true);
  CHECK(judge::races_of_every_choice(s.execution).empty());
  // Two stores that are no cooperative access do.
  s.execution.cooperative_accesses.clear();
  CHECK_FALSE(judge::races_of_every_choice(s.execution).empty());
}
