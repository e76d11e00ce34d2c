#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

bool before(const MessagePassing& mp, OperationIndex a, OperationIndex b) {
  return mp.scenario().related(RelationName::InterThreadHappensBefore, a, b);
}

}  // namespace

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("an access is before a release only if its storage class is in the release's mask") {
  MessagePassing mp;
  CHECK(before(mp, 0, 1));
  CHECK(before(mp, 0, 5));
  mp.data_write.in(StorageClass::Image);
  mp.data_read.in(StorageClass::Image);
  CHECK_FALSE(before(mp, 0, 5));
  mp.release.release(kImages);
  CHECK_FALSE(before(mp, 0, 5));
  // Both ends need the class.
  mp.acquire.acquire(kImages);
  CHECK(before(mp, 0, 5));
}

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("classes of a set may reach from one class's access to another's, if all fences have both") {
  MessagePassing mp;
  mp.data_write.in(StorageClass::Image);
  mp.release.release(kUniform | kImages);
  mp.acquire.acquire(kUniform | kImages);
  CHECK(before(mp, 0, 5));
  // With one end that has only one of the two, each set leaves out one of the accesses.
  mp.acquire.semantics = MemorySemantics::Acquire | kUniform;
  CHECK_FALSE(before(mp, 0, 5));
}

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("inter-thread-happens-before of one set is transitive, across sets it is not") {
  // a writes, b passes on, c reads; the first hand-over is about images, the second about buffers.
  const auto relay = [](MemorySemantics first, MemorySemantics second) {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(0, 1, 0);
    const AgentId c = s.invocation(0, 2, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, write(1).atomic_at(Scope::Device).release(first));
    s.add(b, read(1).atomic_at(Scope::Device).acquire(first));
    s.add(b, write(2).atomic_at(Scope::Device).release(second));
    s.add(c, read(2).atomic_at(Scope::Device).acquire(second));
    s.add(c, read(0).shared_with_others());
    s.reads(2, 1);
    s.reads(4, 3);
    return s.related(RelationName::InterThreadHappensBefore, 0, 5);
  };
  CHECK(relay(kUniform, kUniform));
  CHECK_FALSE(relay(kUniform, kShared));
  CHECK(relay(kUniform | kShared, kUniform));
}

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("host operations are ordered as the host language says") {
  Scenario s;
  s.add(s.agent(Place::host()), write(0));
  s.add(s.agent(Place::host()), read(0));
  CHECK_FALSE(s.related(RelationName::InterThreadHappensBefore, 0, 1));
  s.execution.host_order.emplace_back(0, 1);
  CHECK(s.related(RelationName::InterThreadHappensBefore, 0, 1));
}

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("the order between agents is known for each set of storage classes") {
  MessagePassing mp;
  const Scenario s = mp.scenario();
  const judge::Judgement judgement(s.execution);
  bool found = false;
  for (const judge::OrderedByClass& order : judgement.ordered_by_class()) {
    CHECK(order.classes == MemorySemantics::UniformMemory);
    for (const OperationPair& pair : order.pairs) found = found || pair == OperationPair{0, 5};
  }
  CHECK(found);
}
