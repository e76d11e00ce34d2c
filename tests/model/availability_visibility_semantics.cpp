#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE("a bulk operation includes the storage classes of its mask and no others") {
  MessagePassing mp;
  mp.data_write.in(StorageClass::Image);
  mp.data_read.in(StorageClass::Image);
  mp.release.release(kImages);
  mp.acquire.acquire(kImages);
  CHECK(mp.ordered());
  // Another fence carries the order, the availability operation is about something else.
  mp.data_write.in(StorageClass::Workgroup);
  mp.data_read.in(StorageClass::Workgroup);
  CHECK_FALSE(mp.ordered());
}

//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE("the scope of a bulk operation selects its domain: it has to be common to both agents") {
  const auto ordered_with = [](Scope scope, std::uint32_t workgroup) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(1, workgroup, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, fence(scope).release(kUniform).make_available());
    s.add(a, write(1).atomic_at(Scope::Device).release(kUniform));
    s.add(b, read(1).atomic_at(Scope::Device).acquire(kUniform));
    s.add(b, fence(Scope::Device).acquire(kUniform).make_visible());
    s.add(b, read(0).shared_with_others());
    s.reads(3, 2);
    s.reads(5, 0);
    return s.judge().location_ordered(0, 5).has_value();
  };
  CHECK(ordered_with(Scope::Workgroup, 0));
  CHECK_FALSE(ordered_with(Scope::Workgroup, 1));
  CHECK(ordered_with(Scope::QueueFamily, 1));
  CHECK_FALSE(ordered_with(Scope::Subgroup, 0));
  CHECK_FALSE(ordered_with(Scope::Invocation, 0));
}

//= vk:memory-model-availability-visibility-semantics type=test
TEST_CASE("MakeAvailable without release and MakeVisible without acquire do nothing") {
  MessagePassing mp;
  mp.release = fence(Scope::Device).acquire(kUniform).make_available();
  CHECK_FALSE(mp.ordered());
  mp = {};
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  CHECK_FALSE(mp.ordered());
}
