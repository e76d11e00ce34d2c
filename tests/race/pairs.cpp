// What is asked of pairs of agents, of instructions, and of accesses that lie side by side.

#include <catch2/catch.hpp>

#include "emulator/model/tags.h"
#include "emulator/race/places.h"
#include "emulator/race/site_relation.h"
#include "emulator/race/tagged_detector.h"
#include "tests/model/scenario.h"

using namespace heddle;
using namespace heddle::race;
using model::read;
using model::read_modify_write;
using model::write;

namespace {

model::Place place_of(std::uint32_t workgroup, std::uint32_t queue_family) {
  model::Place place;
  place.workgroup = workgroup;
  place.queue_family = queue_family;
  return place;
}

/// Whether what races with the older of two accesses of a workgroup, a barrier apart, races with the later one.
bool stands_for(Operation older, Operation later) {
  Sites sites;
  later.where.line = 1;
  const SiteId first = sites.of(older);
  const SiteId second = sites.of(later);
  return (relation_of(sites[first], sites[second]) & kStandsFor) != 0;
}

}  // namespace

TEST_CASE("all agents are in one queue family until one of another family begins, and are again once all are gone") {
  const std::uint32_t family = GENERATE(0u, 1u);
  Places places;
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    places.agents_begin(agent, 1, place_of(agent, family), {});
    CHECK(places.is_one_family());
    CHECK(places.are_all_in_one_instance(kQueueFamily));
  }
  CHECK(places.same_instance(0, 2, kQueueFamily));
  places.agents_begin(3, 1, place_of(3, 1 - family), {});
  CHECK_FALSE(places.is_one_family());
  CHECK_FALSE(places.are_all_in_one_instance(kQueueFamily));
  CHECK(places.are_all_in_one_instance(kDevice));
  CHECK(places.same_instance(0, 2, kQueueFamily));
  CHECK_FALSE(places.same_instance(0, 3, kQueueFamily));
  places.restart();
  places.agents_begin(0, 1, place_of(0, 1 - family), {});
  CHECK(places.is_one_family());
}

TEST_CASE("where an agent of the host is, too, invocations of one device are in one instance, and not all agents are") {
  Places places;
  places.agents_begin(0, 1, place_of(0, 0), {});
  places.agents_begin(1, 1, place_of(1, 0), {});
  CHECK(places.is_one_device());
  model::Place host;
  host.kind = model::AgentKind::Host;
  places.agents_begin(2, 1, host, {});
  CHECK_FALSE(places.are_all_in_one_instance(kQueueFamily));
  CHECK_FALSE(places.are_all_in_one_instance(kDevice));
  CHECK(places.same_instance(0, 1, kQueueFamily));
  CHECK(places.same_instance(0, 1, kDevice));
}

TEST_CASE("an access stands for an older one that races with no more than it does") {
  const auto atomic = [](Scope scope) { return read_modify_write(0).atomic_at(scope); };
  CHECK(stands_for(write(0), write(0)));
  CHECK(stands_for(read(0), write(0)));
  CHECK(stands_for(read(0), read(0)));
  CHECK_FALSE(stands_for(write(0), read(0)));
  // Atomics of another workgroup race with one of their scope, too, unless both scopes have both.
  CHECK(stands_for(write(0), atomic(Scope::Workgroup)));
  CHECK(stands_for(atomic(Scope::Device), write(0)));
  CHECK(stands_for(atomic(Scope::Device), atomic(Scope::Workgroup)));
  for (const Scope scope : {Scope::QueueFamily, Scope::Device}) {
    CHECK_FALSE(stands_for(write(0), atomic(scope)));
    CHECK_FALSE(stands_for(atomic(Scope::Workgroup), atomic(scope)));
    CHECK(stands_for(atomic(scope), atomic(scope)));
    CHECK(stands_for(atomic(Scope::Device), atomic(scope)));
    CHECK_FALSE(stands_for(atomic(scope), atomic(scope).bytes(0, 2)));
  }
  CHECK_FALSE(stands_for(atomic(Scope::QueueFamily), atomic(Scope::Device)));
  // No other workgroup has this memory.
  const auto of_workgroup = [](model::Op op) { return op.in(StorageClass::Workgroup); };
  CHECK(stands_for(of_workgroup(write(0)), of_workgroup(read(0))));
  CHECK(stands_for(of_workgroup(write(0)), of_workgroup(atomic(Scope::Device))));
}

TEST_CASE("accesses with tags race over the bytes that both have, and not side by side in a word") {
  const auto racing_bytes = [](const Locations& first, const Locations& second) {
    KernelDetector detector;
    TaggedDetector tagged(detector, detector, {});
    for (std::uint32_t agent = 0; agent < 2; ++agent) {
      Operation access = write(0);
      access.agent = static_cast<AgentId>(agent);
      access.locations = agent == 0 ? first : second;
      access.tags = model::intern(*model::TagSet::parse("foo:a"));
      access.where.line = agent;
      tagged.agent_begins(access.agent, place_of(agent, 0));
      tagged.operation(agent, access, 0, 0, {});
    }
    std::vector<Locations> found;
    for (const KernelRace& race : detector.races()) found.push_back(race.bytes);
    return found;
  };
  const auto bytes = [](std::uint64_t offset, std::uint32_t size) { return Locations{AllocationId{0}, offset, size}; };
  CHECK(racing_bytes(bytes(0, 2), bytes(2, 2)).empty());
  CHECK(racing_bytes(bytes(2, 2), bytes(0, 2)).empty());
  CHECK(racing_bytes(bytes(0, 1), bytes(3, 1)).empty());
  CHECK(racing_bytes(bytes(0, 4), bytes(4, 4)).empty());
  CHECK(racing_bytes(bytes(0, 3), bytes(2, 2)) == std::vector{bytes(2, 1)});
  CHECK(racing_bytes(bytes(2, 2), bytes(0, 3)) == std::vector{bytes(2, 1)});
  CHECK(racing_bytes(bytes(0, 8), bytes(4, 2)) == std::vector{bytes(4, 2)});
}
