#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

namespace {

const Op kReleaseStore = write(1).atomic_at(Scope::Device).release(kUniform);
const Op kAcquireLoad = read(1).atomic_at(Scope::Device).acquire(kUniform);

bool synchronizes(const MessagePassing& mp, OperationIndex a, OperationIndex b) {
  return mp.scenario().related(RelationName::SynchronizesWith, a, b);
}

// Two invocations of a workgroup, each with a fence on its side of a control barrier.
struct AtBarrier {
  Op release = fence(Scope::Workgroup).release(kUniform);
  Op arrival = control_barrier(Scope::Workgroup);
  Op other_arrival = control_barrier(Scope::Workgroup);
  Op acquire = fence(Scope::Workgroup).acquire(kUniform);
  std::uint32_t workgroup_of_other = 0;

  Scenario scenario() const {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(1, workgroup_of_other, 0);
    s.add(a, release);
    s.add(a, arrival);
    s.add(b, other_arrival);
    s.add(b, acquire);
    return s;
  }
  bool synchronized() const { return scenario().related(RelationName::SynchronizesWith, 0, 3); }
};

}  // namespace

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a release atomic synchronizes with an acquire atomic that reads from it") {
  MessagePassing mp;
  mp.flag_write = kReleaseStore;
  mp.flag_read = kAcquireLoad;
  CHECK(synchronizes(mp, 2, 3));
  Scenario unread = mp.scenario();
  unread.execution.reads_from[0].write = kInitialValue;
  CHECK_FALSE(unread.related(RelationName::SynchronizesWith, 2, 3));
  mp.flag_write.semantics = MemorySemantics::Relaxed;
  CHECK_FALSE(synchronizes(mp, 2, 3));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a release barrier synchronizes with an acquire atomic only if the atomic's class is in its mask") {
  MessagePassing mp;
  mp.flag_read = kAcquireLoad;
  CHECK(synchronizes(mp, 1, 3));
  mp.release.semantics = MemorySemantics::Release | kShared;
  CHECK_FALSE(synchronizes(mp, 1, 3));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a release atomic synchronizes with an acquire barrier only if the atomic's class is in its mask") {
  MessagePassing mp;
  mp.flag_write = kReleaseStore;
  CHECK(synchronizes(mp, 2, 4));
  mp.acquire.semantics = MemorySemantics::Acquire | kShared;
  CHECK_FALSE(synchronizes(mp, 2, 4));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a release barrier synchronizes with an acquire barrier through relaxed atomics between them") {
  MessagePassing mp;
  CHECK(mp.synchronized());
  // The barrier has to be program-ordered before the write.
  Scenario late = mp.scenario();
  std::swap(late.execution.operations[1], late.execution.operations[2]);
  late.execution.reads_from[0].write = 1;
  CHECK_FALSE(late.related(RelationName::SynchronizesWith, 2, 4));
  // The atomics have to be atomics.
  mp.flag_write.atomic = false;
  CHECK_FALSE(mp.synchronized());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("two barriers have the classes of both atomics, where these differ") {
  MessagePassing mp;
  mp.flag_read = read(1).atomic_at(Scope::Device).in(StorageClass::Workgroup);
  const MemorySemantics both = kUniform | kShared;
  mp.release.semantics = MemorySemantics::Release | both;
  mp.acquire.semantics = MemorySemantics::Acquire | both;
  CHECK(mp.synchronized());
  mp.release.semantics = MemorySemantics::Release | kUniform;
  CHECK_FALSE(mp.synchronized());
  mp.release.semantics = MemorySemantics::Release | both;
  mp.acquire.semantics = MemorySemantics::Acquire | kShared;
  CHECK_FALSE(mp.synchronized());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a barrier and an atomic need only the class of the atomic on the barrier's side") {
  MessagePassing mp;
  mp.release.semantics = MemorySemantics::Release | kUniform;
  mp.flag_read = read(1).atomic_at(Scope::Device).acquire(kUniform).in(StorageClass::Workgroup);
  CHECK(synchronizes(mp, 1, 3));
  mp.release.semantics = MemorySemantics::Release | kShared;
  CHECK_FALSE(synchronizes(mp, 1, 3));
  mp = {};
  mp.flag_write = kReleaseStore;
  mp.flag_read = read(1).atomic_at(Scope::Device).in(StorageClass::Workgroup);
  mp.acquire.semantics = MemorySemantics::Acquire | kShared;
  CHECK(synchronizes(mp, 2, 4));
  mp.acquire.semantics = MemorySemantics::Acquire | kUniform;
  CHECK_FALSE(synchronizes(mp, 2, 4));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("barriers synchronize only if each is in the other's scope") {
  MessagePassing mp;
  mp.release.scope = Scope::Workgroup;
  CHECK_FALSE(mp.synchronized());
  mp.reader_place = Place{};
  CHECK(mp.synchronized());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a read of a narrow member of a wide release sequence synchronizes with nothing") {
  Scenario s;
  const AgentId a = s.invocation(0, 0, 0);
  const AgentId b = s.invocation(1, 0, 0);
  const AgentId c = s.invocation(0, 1, 0);
  s.add(a, fence(Scope::Device).release(kUniform));
  s.add(a, write(0).atomic_at(Scope::Device));
  s.add(b, read_modify_write(0).atomic_at(Scope::Device));
  s.add(c, read(0).atomic_at(Scope::Device));
  s.add(c, fence(Scope::Device).acquire(kUniform));
  s.modified(1, 2);
  s.reads(2, 1);
  s.reads(3, 2);
  CHECK(s.related(RelationName::SynchronizesWith, 0, 4));
  // The member and its reader are to each other as if they were not atomic.
  s.execution.operations[2].scope = Scope::Workgroup;
  CHECK_FALSE(s.related(RelationName::SynchronizesWith, 0, 4));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("fences synchronize through a control barrier at which their agents meet") {
  AtBarrier barrier;
  CHECK(barrier.synchronized());
  barrier.other_arrival.barrier_instance = 2;
  CHECK_FALSE(barrier.synchronized());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a control barrier with memory semantics is the fence itself") {
  AtBarrier barrier;
  barrier.release = fence(Scope::Workgroup);
  barrier.acquire = fence(Scope::Workgroup);
  CHECK_FALSE(barrier.scenario().related(RelationName::SynchronizesWith, 1, 2));
  barrier.arrival.release(kUniform);
  barrier.other_arrival.acquire(kUniform);
  CHECK(barrier.scenario().related(RelationName::SynchronizesWith, 1, 2));
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("fences that meet at a control barrier need no storage class in common, but each other's scopes") {
  AtBarrier barrier;
  barrier.acquire = fence(Scope::Workgroup).acquire(kShared);
  CHECK(barrier.synchronized());
  barrier.arrival.scope = Scope::Subgroup;
  CHECK_FALSE(barrier.synchronized());
  barrier = {};
  barrier.acquire.scope = Scope::Subgroup;
  CHECK_FALSE(barrier.synchronized());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("fences synchronize only within the control barrier's execution scope") {
  AtBarrier barrier;
  barrier.release = fence(Scope::Device).release(kUniform);
  barrier.acquire = fence(Scope::Device).acquire(kUniform);
  barrier.arrival.scope = barrier.other_arrival.scope = Scope::Device;
  CHECK(barrier.synchronized());
  barrier.workgroup_of_other = 1;
  CHECK_FALSE(barrier.synchronized());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("of a barrier with a quorum only the synchronizing arrivals release, and all acquire") {
  AtBarrier barrier;
  Scenario s = barrier.scenario();
  s.execution.quorum_choices.push_back({1, {1}});
  CHECK(s.related(RelationName::SynchronizesWith, 0, 3));
  s.execution.quorum_choices[0].synchronizing = {2};
  CHECK_FALSE(s.related(RelationName::SynchronizesWith, 0, 3));
}

namespace {

Scenario interlock(bool ordered) {
  Scenario s;
  Place fragment;
  fragment.stage = Stage::Fragment;
  fragment.interlock_group = 1;
  const AgentId first = s.agent(fragment);
  fragment.workgroup = 1;
  const AgentId second = s.agent(fragment);
  s.add(first, write(0).available_at(Scope::FragmentInterlock));
  s.add(first, step(OperationKind::EndInvocationInterlock));
  s.add(second, step(OperationKind::BeginInvocationInterlock));
  s.add(second, read(0).visible_at(Scope::FragmentInterlock));
  s.reads(3, 0);
  if (ordered) s.execution.interlock_order.emplace_back(first, second);
  return s;
}

}  // namespace

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("the end of an interlock synchronizes with the beginning of the next overlapping one") {
  CHECK(interlock(true).related(RelationName::SynchronizesWith, 1, 2));
  CHECK(interlock(true).judge().location_ordered(0, 3));
  CHECK_FALSE(interlock(false).related(RelationName::SynchronizesWith, 1, 2));
  CHECK(interlock(false).judge().racy());
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("interlock makes nothing available or visible by itself") {
  Scenario s = interlock(true);
  s.execution.operations[0].operands = MemoryOperands::NonPrivatePointer;
  CHECK(s.judge().racy());
  CHECK(s.judge().why_unordered(0, 3)->link == judge::MissingLink::NeverMadeAvailable);
}
