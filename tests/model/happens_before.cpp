#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-happens-before type=test
TEST_CASE("happens-before does not chain program order with inter-thread-happens-before") {
  MessagePassing mp;
  CHECK(mp.scenario().related(RelationName::HappensBefore, 0, 5));
  // The write is program-ordered before a release that knows nothing of its class.
  mp.data_write.in(StorageClass::Workgroup);
  const Scenario s = mp.scenario();
  CHECK(s.related(RelationName::HappensBefore, 0, 1));
  CHECK(s.related(RelationName::HappensBefore, 1, 5));
  CHECK_FALSE(s.related(RelationName::HappensBefore, 0, 5));
}

//= vk:memory-model-happens-before type=test
TEST_CASE("happens-before has program order and the relations of every set of storage classes") {
  MessagePassing mp;
  const Scenario s = mp.scenario();
  for (const auto& pair : s.judge().pairs(RelationName::ProgramOrder))
    CHECK(s.related(RelationName::HappensBefore, pair.first, pair.second));
  for (const auto& pair : s.judge().pairs(RelationName::InterThreadHappensBefore))
    CHECK(s.related(RelationName::HappensBefore, pair.first, pair.second));
  CHECK_FALSE(s.related(RelationName::HappensBefore, 5, 0));
}
