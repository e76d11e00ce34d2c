#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

// A store that releases, then `middle`, then a load that reads what `middle` wrote.
Scenario sequence(const Op& middle, std::uint32_t workgroup_of_middle = 1) {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, workgroup_of_middle, 0);
  const AgentId c = s.invocation(0, 2, 0);
  s.add(a, write(0).atomic_at(Scope::Device).release(kUniform));
  s.add(b, middle);
  s.add(c, read(0).atomic_at(Scope::Device).acquire(kUniform));
  s.modified(0, 1);
  if (middle.reads()) s.reads(1, 0);
  s.reads(2, 1);
  return s;
}

}  // namespace

//= vk:memory-model-release-sequence type=test
TEST_CASE("a read-modify-write by anyone continues a release sequence, a store ends it") {
  const Scenario rmw = sequence(read_modify_write(0).atomic_at(Scope::Device));
  CHECK(rmw.related(RelationName::ReleaseSequence, 0, 1));
  CHECK(rmw.related(RelationName::SynchronizesWith, 0, 2));
  const Scenario store = sequence(write(0).atomic_at(Scope::Device));
  CHECK_FALSE(store.related(RelationName::ReleaseSequence, 0, 1));
  CHECK_FALSE(store.related(RelationName::SynchronizesWith, 0, 2));
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("a relaxed store by the releaser itself ends its release sequence, unlike in C++") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0).atomic_at(Scope::Device).release(kUniform));
  s.add(a, write(0).atomic_at(Scope::Device));
  s.add(b, read(0).atomic_at(Scope::Device).acquire(kUniform));
  s.modified(0, 1);
  s.reads(2, 1);
  CHECK_FALSE(s.related(RelationName::SynchronizesWith, 0, 2));
  // Reading the release itself synchronizes.
  s.execution.reads_from[0].write = 0;
  CHECK(s.related(RelationName::SynchronizesWith, 0, 2));
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("a release sequence is continuous: what follows an intervening store is not in it") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, write(0).atomic_at(Scope::Device).release(kUniform));
  s.add(b, write(0).atomic_at(Scope::Device));
  s.add(b, read_modify_write(0).atomic_at(Scope::Device));
  s.modified(0, 1);
  s.modified(1, 2);
  s.modified(0, 2);
  s.reads(2, 1);
  CHECK_FALSE(s.related(RelationName::ReleaseSequence, 0, 2));
  s.execution.operations[1].kind = OperationKind::ReadModifyWrite;
  s.reads(1, 0);
  CHECK(s.related(RelationName::ReleaseSequence, 0, 2));
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("only a release heads a release sequence, any atomic write heads a hypothetical one") {
  Scenario s = sequence(read_modify_write(0).atomic_at(Scope::Device));
  s.execution.operations[0].semantics = MemorySemantics::Relaxed;
  CHECK(s.judge().cardinality(RelationName::ReleaseSequence) == 0);
  CHECK(s.related(RelationName::HypotheticalReleaseSequence, 0, 1));
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("members of a release sequence are mutually ordered with its head") {
  const Op narrow = read_modify_write(0).atomic_at(Scope::Workgroup);
  CHECK(sequence(narrow, 0).related(RelationName::ReleaseSequence, 0, 1));
  CHECK_FALSE(sequence(narrow, 1).related(RelationName::ReleaseSequence, 0, 1));
}
