#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

Scenario two_writes(std::uint64_t offset, std::uint32_t size) {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).bytes(0, 4));
  s.add(s.invocation(0, 1, 0), write(0).bytes(offset, size));
  return s;
}

}  // namespace

//= vk:memory-model-memory-location type=test
TEST_CASE("accesses race where their bytes overlap, if only in one") {
  CHECK_FALSE(two_writes(4, 4).judge().racy());
  const auto races = two_writes(3, 4).judge().races();
  REQUIRE(races.size() == 1);
  CHECK(races[0].bytes == Locations{AllocationId{0}, 3, 1});
}

//= vk:memory-model-memory-location type=test
TEST_CASE("a read takes each byte from a write of its own") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  s.add(a, write(0).bytes(0, 4));
  s.add(a, write(0).bytes(2, 2));
  s.add(a, read(0).bytes(0, 4));
  s.reads(2, 0, 0, 2);
  s.reads(2, 1, 2, 2);
  CHECK(s.judge().consistent());
  // Now the upper half comes from the write that was overwritten there.
  s.execution.reads_from[1].write = 0;
  CHECK_FALSE(s.judge().consistent());
}

//= vk:memory-model-memory-location type=test
TEST_CASE("the same offset in another allocation is another location") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0));
  s.add(s.invocation(0, 1, 0), write(1));
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].locations.allocation = AllocationId{0};
  CHECK(s.judge().racy());
}
