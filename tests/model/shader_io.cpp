#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

Scenario vertex_to_fragment(Stage reader_stage, bool contributes) {
  Scenario s;
  Place vertex;
  vertex.stage = Stage::Vertex;
  Place reader;
  reader.stage = reader_stage;
  const AgentId a = s.agent(vertex);
  const AgentId b = s.agent(reader);
  s.add(a, write(0).in(StorageClass::Output));
  s.add(b, read(0).in(StorageClass::Input).through(7));
  s.reads(1, 0);
  if (contributes) s.execution.shader_inputs.emplace_back(a, b);
  return s;
}

}  // namespace

//= vk:memory-model-shader-io type=test
TEST_CASE("a shader input sees the outputs of the invocations that contribute to it") {
  const Scenario s = vertex_to_fragment(Stage::Fragment, true);
  CHECK(s.related(RelationName::SystemSynchronizesWith, 0, 1));
  CHECK(s.related(RelationName::VisibleTo, 0, 1));
  CHECK_FALSE(s.judge().racy());
  CHECK(s.judge().location_ordered(0, 1)->bullet == judge::Bullet::ShaderInput);
  CHECK(vertex_to_fragment(Stage::Fragment, false).judge().racy());
}

//= vk:memory-model-shader-io type=test
TEST_CASE("inputs of the vertex stage come from no shader") {
  CHECK(vertex_to_fragment(Stage::Vertex, true).judge().racy());
}

//= vk:memory-model-shader-io type=test
TEST_CASE("a shader input that is visible may not read what was there before") {
  Scenario s = vertex_to_fragment(Stage::Fragment, true);
  CHECK(s.judge().consistent());
  s.execution.reads_from[0].write = kInitialValue;
  CHECK_FALSE(s.judge().consistent());
}
