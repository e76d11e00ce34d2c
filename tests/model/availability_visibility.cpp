#include <catch2/catch.hpp>

#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::model;
using judge::RelationName;

//= vk:memory-model-availability-visibility type=test
TEST_CASE("happens-before is not enough: a write has to be made available, and visible") {
  MessagePassing mp;
  CHECK(mp.ordered());
  mp.release = fence(Scope::Device).release(kUniform);
  CHECK_FALSE(mp.ordered());
  CHECK(mp.scenario().judge().why_unordered(0, 5)->link == judge::MissingLink::NeverMadeAvailable);
  mp = {};
  mp.acquire = fence(Scope::Device).acquire(kUniform);
  CHECK_FALSE(mp.ordered());
  CHECK(mp.scenario().judge().why_unordered(0, 5)->link == judge::MissingLink::NeverMadeVisible);
}

namespace {

// x is written by one invocation of a workgroup, made available to the workgroup, handed to another,
// which makes it available to the device, and read in another workgroup.
struct Relay {
  Op first = fence(Scope::Workgroup).release(kUniform).make_available();
  Op acquire = fence(Scope::Device).acquire(kUniform);
  Op second = fence(Scope::Device).release(kUniform).make_available();
  std::uint32_t workgroup_of_second = 0;
  judge::Options options;

  bool ordered() const {
    Scenario s;
    const AgentId a = s.invocation(0, 0, 0);
    const AgentId b = s.invocation(1, workgroup_of_second, 0);
    const AgentId c = s.invocation(0, 9, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, first);
    s.add(a, write(1).atomic_at(Scope::Device));
    s.add(b, read(1).atomic_at(Scope::Device));
    s.add(b, acquire);
    s.add(b, second);
    s.add(b, write(2).atomic_at(Scope::Device));
    s.add(c, read(2).atomic_at(Scope::Device));
    s.add(c, fence(Scope::Device).acquire(kUniform).make_visible());
    s.add(c, read(0).shared_with_others());
    s.reads(3, 2);
    s.reads(7, 6);
    s.reads(9, 0);
    return s.judge(options).location_ordered(0, 9).has_value();
  }
};

// The mirror image: the reader's neighbour makes visible from the device, the reader from there.
struct MirroredRelay {
  Scope neighbours_scope = Scope::Device;
  bool releases_apart = true;
  judge::Options options;

  bool ordered() const {
    Scenario s;
    const AgentId a = s.invocation(0, 9, 0);
    const AgentId b = s.invocation(0, 0, 0);
    const AgentId c = s.invocation(1, 0, 0);
    s.add(a, write(0).shared_with_others());
    s.add(a, fence(Scope::Device).release(kUniform).make_available());
    s.add(a, write(1).atomic_at(Scope::Device));
    s.add(b, read(1).atomic_at(Scope::Device));
    s.add(b, fence(Scope::Device).acquire(kUniform));
    s.add(b, fence(neighbours_scope).acquire_release(kUniform).make_visible());
    s.add(b, releases_apart ? fence(Scope::Device).release(kUniform) : fence(Scope::Invocation));
    s.add(b, write(2).atomic_at(Scope::Device));
    s.add(c, read(2).atomic_at(Scope::Device));
    s.add(c, fence(Scope::Workgroup).acquire(kUniform).make_visible());
    s.add(c, read(0).shared_with_others());
    s.reads(3, 2);
    s.reads(8, 7);
    s.reads(10, 0);
    return s.judge(options).location_ordered(0, 10).has_value();
  }
};

}  // namespace

//= vk:memory-model-availability-visibility type=test
TEST_CASE("an availability chain goes through wider and wider domains, where the device has chains") {
  Relay relay;
  CHECK(relay.ordered());
  relay.options.chains = false;
  CHECK_FALSE(relay.ordered());
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("an element of a chain is performed in the instance that the one before made available to") {
  Relay relay;
  relay.first = fence(Scope::Device).release(kUniform);
  CHECK_FALSE(relay.ordered());
  relay = {};
  relay.workgroup_of_second = 1;
  CHECK_FALSE(relay.ordered());
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("every element of a chain includes the write, whatever it has in common with the ones beside it") {
  Relay relay;
  relay.first = fence(Scope::Workgroup).release(kUniform | kShared).make_available();
  relay.acquire = fence(Scope::Device).acquire(kUniform | kShared);
  relay.second = fence(Scope::Device).release(kUniform | kShared).make_available();
  CHECK(relay.ordered());
  // The element of another class is ordered behind the first and before the read, by that class.
  relay.second = fence(Scope::Device).release(kShared).make_available();
  CHECK_FALSE(relay.ordered());
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a barrier that acquires and releases does not hand on what it acquires") {
  Relay relay;
  relay.second = fence(Scope::Device).acquire_release(kUniform).make_available();
  CHECK(relay.ordered());
  relay.acquire = fence(Scope::Invocation);
  CHECK_FALSE(relay.ordered());
  MirroredRelay mirrored;
  CHECK(mirrored.ordered());
  mirrored.releases_apart = false;
  CHECK_FALSE(mirrored.ordered());
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a visibility chain goes through narrower and narrower domains") {
  MirroredRelay relay;
  CHECK(relay.ordered());
  relay.options.chains = false;
  CHECK_FALSE(relay.ordered());
  relay = {};
  relay.neighbours_scope = Scope::Subgroup;
  CHECK_FALSE(relay.ordered());
}
