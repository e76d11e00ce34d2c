#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

Scenario two_atomics(Scope first, Scope second, std::uint32_t workgroup_of_second) {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(first));
  s.add(s.invocation(1, workgroup_of_second, 0), write(0).atomic_at(second));
  return s;
}

bool mutual(const Scenario& s, const judge::Options& options = {}) {
  return s.related(RelationName::MutuallyOrdered, 0, 1, options) &&
         s.related(RelationName::MutuallyOrdered, 1, 0, options);
}

}  // namespace

//= vk:memory-model-atomic-operation type=test
TEST_CASE("atomics are mutually ordered only if each is in the other's scope instance") {
  CHECK(mutual(two_atomics(Scope::Device, Scope::Device, 1)));
  CHECK_FALSE(mutual(two_atomics(Scope::Device, Scope::Workgroup, 1)));
  // A narrower scope does, as long as both are in it.
  CHECK(mutual(two_atomics(Scope::Device, Scope::Workgroup, 0)));
  CHECK_FALSE(mutual(two_atomics(Scope::Subgroup, Scope::Workgroup, 0)));
}

//= vk:memory-model-atomic-operation type=test
TEST_CASE("atomics of different sets of locations are not mutually ordered, and race where they overlap") {
  Scenario s = two_atomics(Scope::Device, Scope::Device, 1);
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].locations.size_bytes = 2;
  CHECK_FALSE(mutual(s));
  CHECK(s.judge().racy());
}

//= vk:memory-model-atomic-operation type=test
TEST_CASE("a non-atomic access is mutually ordered with nothing") {
  Scenario s = two_atomics(Scope::Device, Scope::Device, 1);
  s.execution.operations[1].atomic = false;
  CHECK_FALSE(mutual(s));
}

//= vk:memory-model-atomic-operation type=test
TEST_CASE("host and device atomics are mutually ordered only where the implementation says so") {
  Scenario s;
  s.add(s.agent(Place::host()), write(0).atomic_at(Scope::CrossDevice));
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::CrossDevice));
  judge::Options concurrent;
  concurrent.concurrent_host_device_atomics = true;
  CHECK_FALSE(mutual(s));
  CHECK(mutual(s, concurrent));
  // Two host atomics always are.
  s.execution.agents[1] = Place::host();
  CHECK(mutual(s));
}
