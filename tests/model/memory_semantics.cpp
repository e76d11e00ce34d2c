#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-memory-semantics type=test
TEST_CASE("a relaxed fence synchronizes nothing, a release fence does") {
  MessagePassing mp;
  CHECK(mp.synchronized());
  mp.release.semantics = kUniform;
  CHECK_FALSE(mp.synchronized());
}

//= vk:memory-model-memory-semantics type=test
TEST_CASE("a fence releases only if it has Release or AcquireRelease, and acquires likewise") {
  MessagePassing mp;
  mp.release = fence(Scope::Device).acquire_release(kUniform).make_available();
  mp.acquire = fence(Scope::Device).acquire_release(kUniform).make_visible();
  CHECK(mp.ordered());
  MessagePassing swapped;
  swapped.release = fence(Scope::Device).acquire(kUniform);
  CHECK_FALSE(swapped.synchronized());
  swapped = {};
  swapped.acquire = fence(Scope::Device).release(kUniform);
  CHECK_FALSE(swapped.synchronized());
}

//= vk:memory-model-memory-semantics type=test
TEST_CASE("a read-modify-write acquires with its read and releases with its write") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(0, 1, 0);
  s.add(a, read_modify_write(0).atomic_at(Scope::Device).release(kUniform));
  s.add(b, read_modify_write(0).atomic_at(Scope::Device).acquire(kUniform));
  s.reads_initial(0);
  s.reads(1, 0);
  s.modified(0, 1);
  const auto judgement = s.judge();
  // Events: 0 and 1 are the halves of the first, 2 and 3 those of the second.
  CHECK(judgement.relation(RelationName::SynchronizesWith).has(1, 2));
  CHECK_FALSE(judgement.relation(RelationName::SynchronizesWith).has(0, 2));
  CHECK_FALSE(judgement.relation(RelationName::SynchronizesWith).has(1, 3));
}

//= vk:memory-model-memory-semantics type=test
TEST_CASE("each storage class belongs to its own semantics bit") {
  for (StorageClass c : {StorageClass::StorageBuffer, StorageClass::Uniform, StorageClass::PhysicalStorageBuffer,
                         StorageClass::ShaderRecordBufferKHR})
    CHECK(semantic_of(c) == MemorySemantics::UniformMemory);
  CHECK(semantic_of(StorageClass::Workgroup) == MemorySemantics::WorkgroupMemory);
  CHECK(semantic_of(StorageClass::Image) == MemorySemantics::ImageMemory);
  CHECK(semantic_of(StorageClass::Output) == MemorySemantics::OutputMemory);
  CHECK(semantic_of(StorageClass::Function) == MemorySemantics::None);
}
