#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;

namespace {

/// Who performs a store by a subgroup of two: one of them if it is cooperative, and both if each stores for itself.
enum class Performer { First, Second, Both };

/// Such a store; the first of the two reads the element afterwards.
Scenario store_and_load(Performer performer, bool barrier) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 0, 0);
  if (performer != Performer::Second) s.add(a, write(0).shared_with_others());
  if (performer != Performer::First) s.add(b, write(0).shared_with_others());
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
  return s;
}

std::size_t races(Performer performer, bool barrier) {
  return judge::Judgement(store_and_load(performer, barrier).execution).races().size();
}

}  // namespace

//= vk:memory-model-cooperative-matrix type=test
TEST_CASE("one's own read behind a cooperative matrix store races if another invocation performs the store") {
  CHECK(races(Performer::First, false) == 0);
  CHECK(races(Performer::Second, false) == 1);
  CHECK(races(Performer::Second, true) == 0);
}

//= vk:memory-model-cooperative-matrix type=test
TEST_CASE("a cooperative matrix store is one write, so that it does not race with itself") {
  CHECK(races(Performer::First, true) == 0);
  CHECK(races(Performer::Both, true) == 1);
}
