#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-instruction-av-vis type=test
TEST_CASE("a write may make itself available, and a read see for itself") {
  MessagePassing mp;
  mp.release = fence(Scope::Device).release(kUniform);
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  CHECK_FALSE(mp.ordered());
  mp.data_write = write(0).available_at(Scope::Device);
  CHECK_FALSE(mp.ordered());
  mp.data_read = read(0).visible_at(Scope::Device);
  CHECK(mp.ordered());
  mp.data_write = write(0).available_at(Scope::Workgroup);
  CHECK_FALSE(mp.ordered());
}

//= vk:memory-model-instruction-av-vis type=test
TEST_CASE("a per-instruction operation includes the bytes that the instruction accesses and no others") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0).bytes(0, 4).shared_with_others());
  // A later write of the upper half makes that half available, whichever agent wrote it before.
  s.add(a, write(0).bytes(2, 2).available_at(Scope::Device));
  s.add(a, write(1).atomic_at(Scope::Device).release(kUniform));
  s.add(b, read(1).atomic_at(Scope::Device).acquire(kUniform));
  s.add(b, read(0).bytes(2, 2).visible_at(Scope::Device));
  s.reads(3, 2);
  s.reads(4, 1);
  CHECK(s.judge().location_ordered(1, 4));
  CHECK(s.judge().location_ordered(0, 4));
  s.execution.operations[4].locations.offset_bytes = 0;
  s.execution.reads_from[1] = {4, 0, {AllocationId{0}, 0, 2}};
  CHECK_FALSE(s.judge().location_ordered(0, 4));
}

//= vk:memory-model-informative-descriptions type=test
//= vk:memory-model-instruction-av-vis type=test
TEST_CASE("an atomic makes available and visible at its own scope") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Device).release(kUniform));
  const AgentId b = s.invocation(0, 1, 0);
  s.add(b, read(0).atomic_at(Scope::Device).acquire(kUniform));
  s.add(b, read(0).atomic_at(Scope::Device));
  s.reads(1, 0);
  s.reads(2, 0);
  CHECK(s.judge().location_ordered(0, 2));
  s.execution.operations[2].scope = Scope::Workgroup;
  // Still so: the visibility operation of the wide read before it includes the same bytes.
  CHECK(s.judge().location_ordered(0, 2));
  s.execution.operations[2].atomic = false;
  CHECK_FALSE(s.judge().location_ordered(0, 2));
}
