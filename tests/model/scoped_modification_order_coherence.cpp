#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

// Two relaxed atomics of one agent, and two mutually ordered writes of another.
struct Coherence {
  Op first = read(0).atomic_at(Scope::Device);
  Op second = read(0).atomic_at(Scope::Device);

  Scenario scenario() const {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(0, 1, 0);
    s.add(a, first);
    s.add(a, second);
    s.add(b, write(0).atomic_at(Scope::Device));
    s.add(b, write(0).atomic_at(Scope::Device));
    s.modified(2, 3);
    return s;
  }
};

}  // namespace

//= vk:memory-model-scoped-modification-order-coherence type=test
TEST_CASE("two ordered atomic reads do not go back in modification order") {
  Scenario s = Coherence{}.scenario();
  s.reads(0, 2);
  s.reads(1, 3);
  CHECK(s.judge().consistent());
  std::swap(s.execution.reads_from[0].write, s.execution.reads_from[1].write);
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-scoped-modification-order-coherence type=test
TEST_CASE("an atomic read takes its value from before the write that follows it") {
  Coherence c;
  c.second = write(0).atomic_at(Scope::Device);
  Scenario s = c.scenario();
  s.reads(0, 2);
  s.modified(2, 1);
  s.modified(3, 1);
  CHECK(s.judge().consistent());
  s.execution.modification_order = {{2, 3}, {1, 2}, {1, 3}};
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-scoped-modification-order-coherence type=test
TEST_CASE("an atomic read after a write takes its value from it or from later ones") {
  Coherence c;
  c.first = write(0).atomic_at(Scope::Device);
  Scenario s = c.scenario();
  s.reads(1, 2);
  s.execution.modification_order = {{2, 3}, {0, 2}, {0, 3}};
  CHECK(s.judge().consistent());
  s.execution.modification_order = {{2, 3}, {2, 0}, {0, 3}};
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-scoped-modification-order-coherence type=test
TEST_CASE("ordered atomic writes stand in modification order as they are ordered") {
  Scenario s = Coherence{}.scenario();
  s.reads_initial(0);
  s.reads_initial(1);
  CHECK(s.judge().consistent());
  s.execution.modification_order = {{3, 2}};
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-scoped-modification-order-coherence type=test
TEST_CASE("no mutually ordered write comes between the two halves of a read-modify-write") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), read_modify_write(0).atomic_at(Scope::Device));
  s.add(s.invocation(0, 1, 0), write(0).atomic_at(Scope::Device));
  s.reads_initial(0);
  s.modified(0, 1);
  CHECK(s.judge().consistent());
  s.execution.modification_order = {{1, 0}};
  REQUIRE_FALSE(s.judge().consistent());
  CHECK(s.judge().violation()->axiom == judge::Axiom::Atomicity);
  CHECK_FALSE(s.judge({judge::Flavour::KhronosSuite}).consistent());
}
