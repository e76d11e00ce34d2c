#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-scoped-modification-order type=test
TEST_CASE("scoped modification order relates mutually ordered atomic writes and nothing else") {
  Scenario s;
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Device));
  s.add(s.invocation(0, 1, 0), write(0).atomic_at(Scope::Device));
  s.modified(0, 1);
  CHECK(s.related(RelationName::ScopedModificationOrder, 0, 1));
  s.execution.operations[1].scope = Scope::Workgroup;
  CHECK_FALSE(s.related(RelationName::ScopedModificationOrder, 0, 1));
}

//= vk:memory-model-scoped-modification-order type=test
TEST_CASE("scoped modification order is not transitive over writes that are not mutually ordered") {
  Scenario s;
  // B is in one workgroup with A; C is elsewhere. A and C have Device scope, B has Workgroup scope.
  s.add(s.invocation(0, 0, 0), write(0).atomic_at(Scope::Workgroup));  // B
  s.add(s.invocation(1, 0, 0), write(0).atomic_at(Scope::Device));     // A
  s.add(s.invocation(0, 1, 0), write(0).atomic_at(Scope::Device));     // C
  s.modified(0, 1);
  s.modified(1, 2);
  CHECK_FALSE(s.related(RelationName::ScopedModificationOrder, 0, 2));
  // The suite's is.
  CHECK(s.related(RelationName::ScopedModificationOrder, 0, 2, {judge::Flavour::KhronosSuite}));
}
