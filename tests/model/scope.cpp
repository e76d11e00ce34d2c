#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-scope type=test
TEST_CASE("instances of a scope are told apart by the numbers of all wider instances") {
  Place a, b;
  CHECK(same_instance(a, b, Scope::Subgroup));
  b.subgroup = 1;
  CHECK_FALSE(same_instance(a, b, Scope::Subgroup));
  CHECK(same_instance(a, b, Scope::Workgroup));
  b = a;
  b.workgroup = 1;
  CHECK_FALSE(same_instance(a, b, Scope::Subgroup));
  CHECK_FALSE(same_instance(a, b, Scope::Workgroup));
  CHECK(same_instance(a, b, Scope::QueueFamily));
  b = a;
  b.queue_family = 1;
  CHECK_FALSE(same_instance(a, b, Scope::Workgroup));
  CHECK_FALSE(same_instance(a, b, Scope::QueueFamily));
  CHECK(same_instance(a, b, Scope::Device));
  b.device = 1;
  CHECK_FALSE(same_instance(a, b, Scope::Device));
  CHECK(same_instance(a, b, Scope::CrossDevice));
}

//= vk:memory-model-scope type=test
TEST_CASE("Invocation scope is shared with no other agent") {
  CHECK_FALSE(same_instance(Place{}, Place{}, Scope::Invocation));
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Invocation));
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Invocation));
  CHECK(s.judge().racy());
}
