#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

// Two invocations of a patch: one writes an output before a control barrier, one reads it after.
Scenario patch(Stage stage, StorageClass storage, std::uint32_t workgroup_of_reader) {
  Scenario s;
  Place place;
  place.stage = stage;
  const AgentId a = s.agent(place);
  place.workgroup = workgroup_of_reader;
  place.subgroup = 1;
  const AgentId b = s.agent(place);
  s.add(a, write(0).in(storage));
  s.add(a, control_barrier(Scope::Invocation));
  s.add(b, control_barrier(Scope::Invocation));
  s.add(b, read(0).in(storage));
  s.reads(3, 0);
  return s;
}

}  // namespace

//= vk:memory-model-tessellation-output-ordering type=test
TEST_CASE("a control barrier without semantics orders tessellation control outputs, and only those") {
  const Scenario s = patch(Stage::TessellationControl, StorageClass::Output, 0);
  CHECK(s.related(RelationName::VisibleTo, 0, 3));
  CHECK(s.judge().location_ordered(0, 3)->bullet == judge::Bullet::TessellationOutput);
  CHECK(patch(Stage::Compute, StorageClass::Output, 0).judge().racy());
  CHECK(patch(Stage::TessellationControl, StorageClass::StorageBuffer, 0).judge().racy());
  CHECK(patch(Stage::TessellationControl, StorageClass::Output, 1).judge().racy());
}

//= vk:memory-model-tessellation-output-ordering type=test
TEST_CASE("tessellation outputs are not ordered by a barrier of narrower execution scope") {
  Scenario s = patch(Stage::TessellationControl, StorageClass::Output, 0);
  CHECK_FALSE(s.judge().racy());
  s.execution.operations[1].execution_scope = Scope::Subgroup;
  s.execution.operations[2].execution_scope = Scope::Subgroup;
  CHECK(s.judge().racy());
}
