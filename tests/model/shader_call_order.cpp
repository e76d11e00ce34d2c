#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

Place ray(std::uint32_t group) {
  Place place;
  place.stage = Stage::RayTracing;
  place.shader_call_group = group;
  return place;
}

// A caller writes and releases, calls; the created invocation acquires and reads; the caller goes on.
Scenario call(std::uint32_t group_of_created, bool created_by_call) {
  Scenario s;
  const AgentId caller = s.agent(ray(1));
  const AgentId created = s.agent(ray(group_of_created));
  s.add(caller, write(0).available_at(Scope::ShaderCallKHR));
  s.add(caller, fence(Scope::ShaderCallKHR).release(kUniform));
  s.add(caller, step(OperationKind::ShaderCall));
  s.add(created, fence(Scope::ShaderCallKHR).acquire_release(kUniform));
  s.add(created, read(0).visible_at(Scope::ShaderCallKHR));
  s.add(created, fence(Scope::ShaderCallKHR).acquire_release(kUniform));
  s.add(caller, fence(Scope::ShaderCallKHR).acquire(kUniform));
  s.reads(4, 0);
  if (created_by_call) s.execution.shader_calls.push_back({2, created});
  return s;
}

}  // namespace

//= vk:shader-call-related type=test
TEST_CASE("ShaderCallKHR scope joins shader-call-related invocations and no others") {
  CHECK(same_instance(ray(1), ray(1), Scope::ShaderCallKHR));
  CHECK_FALSE(same_instance(ray(1), ray(2), Scope::ShaderCallKHR));
  CHECK_FALSE(same_instance(ray(0), ray(0), Scope::ShaderCallKHR));
}

//= vk:shader-call-order type=test
//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a release barrier before a shader call synchronizes with an acquire barrier in the created") {
  CHECK(call(1, true).related(RelationName::SynchronizesWith, 1, 3));
  CHECK(call(1, true).judge().location_ordered(0, 4));
  // Without the call nothing orders the two.
  CHECK_FALSE(call(1, false).related(RelationName::SynchronizesWith, 1, 3));
  CHECK(call(1, false).judge().racy());
  // Nor with a scope instance that does not have both.
  CHECK_FALSE(call(2, true).related(RelationName::SynchronizesWith, 1, 3));
}

//= vk:shader-call-order type=test
TEST_CASE("what the created invocation did is ordered before what the caller does after the call") {
  CHECK(call(1, true).related(RelationName::SynchronizesWith, 5, 6));
  Scenario before = call(1, true);
  // Now the barrier stands before the call instead of after it.
  std::swap(before.execution.operations[2], before.execution.operations[6]);
  before.execution.shader_calls[0].call = 6;
  CHECK_FALSE(before.related(RelationName::SynchronizesWith, 5, 2));
}
