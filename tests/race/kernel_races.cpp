// What the kernel detector found, each pair of instructions once.

#include "emulator/race/kernel_races.h"

#include <catch2/catch.hpp>

#include "emulator/race/kernel_access.h"

using namespace heddle;
using namespace heddle::race;

namespace {

/// An instruction that writes to an allocation, and accesses by it.
class Accesses {
 public:
  Accesses() { order_.agents_begin(AgentId{0}, 4, {}, {}); }

  SiteId site(std::uint32_t line, StorageClass storage_class = StorageClass::StorageBuffer,
              std::uint32_t size_bytes = 4) {
    Operation operation;
    operation.kind = OperationKind::Write;
    operation.storage_class = storage_class;
    operation.locations.size_bytes = size_bytes;
    operation.where.line = line;
    return sites_.of(operation);
  }
  /// Agent 1 writes words of the allocation at `now`, over what agent 0 wrote at `older`: each race is found.
  void race(SiteId older, SiteId now, std::uint32_t allocation, std::uint32_t words = 1) {
    Operation operation = sites_[now].operation;
    operation.agent = AgentId{1};
    operation.locations = {static_cast<AllocationId>(allocation), 0, words * kWordBytes};
    WordAccess access(NewAccess(order_, sites_, AgentId{1}, 0, now));
    access.operation = &operation;
    Record record;
    record.site = older;
    for (access.word = 0; access.word < words; ++access.word)
      if (KernelRace* const first = races.find(record, access)) first->reason = "a reason";
    races.report(operation.locations.allocation);
  }

 private:
  KernelOrder order_{true, false};
  KernelSites sites_;

 public:
  KernelRaces races{sites_};
};

}  // namespace

TEST_CASE("a pair of instructions races once in an allocation, however often it is found") {
  Accesses accesses;
  int first_times = 0;
  int further_times = 0;
  accesses.races.on_race([&](const KernelRace& race) { first_times += race.reason == "a reason" ? 1 : 0; });
  accesses.races.on_race_again([&](std::size_t, AgentId) { ++further_times; });
  const SiteId a = accesses.site(1);
  const SiteId b = accesses.site(2);
  for (int i = 0; i < 3; ++i) accesses.race(a, b, 0);
  CHECK(accesses.races.all().size() == 1);
  CHECK(accesses.races.all().front().count == 3);
  accesses.race(a, b, 1);
  accesses.race(b, a, 0);
  CHECK(accesses.races.all().size() == 3);
  CHECK(first_times == 3);
  CHECK(further_times == 2);
}

TEST_CASE("two accesses that share several words race once, in all bytes that they share") {
  Accesses accesses;
  const SiteId wide = accesses.site(1, StorageClass::StorageBuffer, 8);
  accesses.race(wide, wide, 0, 2);
  REQUIRE(accesses.races.all().size() == 1);
  CHECK(accesses.races.all().front().count == 1);
  CHECK(accesses.races.all().front().bytes.size_bytes == 8);
}

TEST_CASE("a pair that races in the Workgroup memory of many workgroups is one race") {
  Accesses accesses;
  const SiteId shared = accesses.site(1, StorageClass::Workgroup);
  for (std::uint32_t memory = 0; memory < 4; ++memory) accesses.race(shared, shared, memory);
  CHECK(accesses.races.all().size() == 1);
}

TEST_CASE("races in an allocation that was replaced are found anew") {
  Accesses accesses;
  const SiteId site = accesses.site(1);
  accesses.race(site, site, 0);
  accesses.races.forget(AllocationId{0});
  accesses.race(site, site, 0);
  CHECK(accesses.races.all().size() == 2);
}
