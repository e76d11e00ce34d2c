// Which link is said to be missing: in long runs, of which the judge sees a part, the one that is in short ones.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <string>
#include <vector>

using namespace heddle;
using u32 = std::uint32_t;

namespace {

/// What is weaker than it has to be in a message that is handed on from workgroup to workgroup.
struct Relay {
  MemorySemantics first_release = kReleaseBuffers;
  MemorySemantics middle_acquire = kAcquireBuffers;
  MemorySemantics last_acquire = kAcquireBuffers;
};

constexpr auto relay = [](auto& inv, Relay how, StorageBuffer<u32> auto all, StorageBuffer<u32> auto flags,
                          StorageBuffer<u32> auto out) {
  auto data = all.non_private();
  const u32 me = inv.workgroup_id().x;
  const u32 last = inv.num_workgroups().x - 1;
  if (me == 0) {
    data[0] = 42;
  } else {
    const MemorySemantics acquire = me == last       ? how.last_acquire
                                    : me == last / 2 ? how.middle_acquire
                                                     : kAcquireBuffers;
    while (inv.atomic_load(flags[me - 1], Scope::Device, dynamic(acquire)) == 0) {
    }
  }
  if (me == last) {
    out[0] = data[0];
  } else {
    inv.atomic_store(flags[me], Scope::Device, dynamic(me == 0 ? how.first_release : kReleaseBuffers), 1u);
  }
};

std::vector<DataRace> races_of(const Relay& how, u32 groups) {
  DeviceOptions options;
  options.races = true;
  options.seed = 1;
  Device device(options);
  auto data = device.buffer({0u}, "data");
  auto flags = device.buffer(std::vector<u32>(groups, 0), "flags");
  auto out = device.buffer({0u}, "out");
  device.dispatch(relay, {groups}, {1}, how, data, flags, out);
  return device.races();
}

}  // namespace

TEST_CASE("in a long relay the link that is missing has the words of a short one, whichever it is") {
  constexpr MemorySemantics kNothingAvailable = MemorySemantics::Release | MemorySemantics::UniformMemory;
  constexpr MemorySemantics kNothingVisible = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
  struct Case {
    Relay how;
    const char* missing;
    const char* words;
  };
  const Case cases[] = {
      {{.first_release = MemorySemantics::Relaxed}, "synchronization", "no synchronization"},
      {{.middle_acquire = MemorySemantics::Relaxed}, "synchronization", "no synchronization"},
      {{.first_release = kNothingAvailable}, "availability", "was never made available"},
      {{.last_acquire = kNothingVisible}, "visibility", "was never made visible"},
  };
  CHECK(races_of({}, 200).empty());
  for (const Case& c : cases)
    for (const u32 groups : {4u, 200u}) {
      const std::vector<DataRace> races = races_of(c.how, groups);
      REQUIRE(races.size() == 1);
      INFO(groups << " workgroups\n" << to_string(races[0]));
      CHECK(races[0].object == "data");
      CHECK(races[0].missing == c.missing);
      CHECK_THAT(races[0].reason, Catch::Contains(c.words));
    }
}
