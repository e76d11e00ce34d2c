// How a mistake is told: as one finding, with the link that is missing and the change that mends it.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace heddle;

namespace {

constexpr Scope kDevice = Scope::Device;
constexpr Scope kWorkgroup = Scope::Workgroup;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

/// A leader acquires, and a barrier passes it on.
template <MemorySemantics barrier>
constexpr auto leads = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                          StorageBuffer<std::uint32_t> auto out) {
  auto d = data.non_private();
  const bool is_leader = inv.local_invocation_index() == 0;
  if (inv.workgroup_id().x == 0) {
    if (!is_leader) return;
    d[0] = 42;
    inv.atomic_store(flag[0], kDevice, kReleaseBuffers, 1u);
    return;
  }
  if (is_leader)
    while (inv.atomic_load(flag[0], kDevice, kAcquireBuffers) == 0) {
    }
  inv.control_barrier(kWorkgroup, kWorkgroup, barrier);
  if (!is_leader) out[0] = d[0];
};

enum class Flag { Plain, Private, Ordered };

template <Flag kind>
constexpr auto passes_a_message = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                                     StorageBuffer<std::uint32_t> auto flag, StorageBuffer<std::uint32_t> auto out) {
  auto d = data.non_private();
  auto shown = flag.volatile_();
  if (inv.workgroup_id().x == 0) {
    d[0] = 42;
    if constexpr (kind == Flag::Ordered) {
      inv.atomic_store(flag[0], kDevice, kReleaseBuffers, 1u);
    } else if constexpr (kind == Flag::Plain) {
      shown[0] = 1;
    } else {
      flag[0] = 1;
    }
  } else if constexpr (kind == Flag::Ordered) {
    while (inv.atomic_load(flag[0], kDevice, kAcquireBuffers) == 0) {
    }
    out[0] = d[0];
  } else {
    if constexpr (kind == Flag::Plain) {
      while (shown[0] == 0) {
      }
    } else {
      while (flag[0] == 0) {
      }
    }
    out[0] = d[0];
  }
};

/// Counts under a lock.
template <Scope scope>
constexpr auto locks = [](auto& inv, StorageBuffer<std::uint32_t> auto count, StorageBuffer<std::uint32_t> auto lock,
                          StorageBuffer<std::uint32_t> auto) {
  while (inv.atomic_compare_exchange(lock[0], scope, kAcquireBuffers, kRelaxed, 1u, 0u) != 0) {
  }
  count.non_private()[0] += 1;
  inv.atomic_store(lock[0], scope, kReleaseBuffers, 0u);
};

constexpr auto counts_unprepared = [](auto& inv, StorageBuffer<std::uint32_t> auto all,
                                      StorageBuffer<std::uint32_t> auto, StorageBuffer<std::uint32_t> auto) {
  auto data = all.non_private();
  if (inv.local_invocation_index() == 0) data[0] = 0;
  inv.atomic_i_add(all[0], kWorkgroup, kRelaxed, 1u);
};

/// Reads the flag twice before the data, the first time for nothing.
template <MemorySemantics last>
constexpr auto looks_twice = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                                StorageBuffer<std::uint32_t> auto flag, StorageBuffer<std::uint32_t> auto out) {
  auto d = data.non_private();
  if (inv.workgroup_id().x == 0) {
    d[0] = 42;
    inv.atomic_store(flag[0], kDevice, kReleaseBuffers, 1u);
    return;
  }
  while (inv.atomic_load(flag[0], kDevice, kRelaxed) == 0) {
  }
  const std::uint32_t is_there = inv.atomic_load(flag[0], kDevice, dynamic(last));
  if (is_there != 0) out[0] = d[0];
};

/// Counts under a lock that is given up by a plain write, or by an atomic one.
template <bool atomic>
constexpr auto unlocks = [](auto& inv, StorageBuffer<std::uint32_t> auto count, StorageBuffer<std::uint32_t> auto lock,
                            StorageBuffer<std::uint32_t> auto) {
  while (inv.atomic_compare_exchange(lock[0], kDevice, kAcquireBuffers, kRelaxed, 1u, 0u) != 0) {
  }
  count.non_private()[0] += 1;
  if constexpr (atomic) {
    inv.atomic_store(lock[0], kDevice, kReleaseBuffers, 0u);
  } else {
    inv.memory_barrier(kDevice, kReleaseBuffers);
    lock.coherent(kDevice)[0] = 0;
  }
};

/// A message to another workgroup, by way of somebody else in each.
template <MemorySemantics release, MemorySemantics acquire>
constexpr auto passes_on = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                              StorageBuffer<std::uint32_t> auto flags, StorageBuffer<std::uint32_t> auto out) {
  const auto await = [&](std::uint32_t flag, Scope scope, MemorySemantics semantics) {
    while (inv.atomic_load(flags[flag], dynamic(scope), dynamic(semantics)) == 0) {
    }
  };
  auto d = data.non_private();
  const bool first = inv.local_invocation_index() == 0;
  if (inv.workgroup_id().x == 0) {
    if (first) {
      d[0] = 42;
      inv.atomic_store(flags[0], kWorkgroup, kReleaseBuffers, 1u);
    } else {
      await(0, kWorkgroup, kAcquireBuffers);
      inv.atomic_store(flags[1], kDevice, dynamic(release), 1u);
    }
  } else if (first) {
    await(1, kDevice, acquire);
    inv.atomic_store(flags[2], kWorkgroup, kReleaseBuffers, 1u);
  } else {
    await(2, kWorkgroup, kAcquireBuffers);
    out[0] = d[0];
  }
};

/// The last one of two workgroups sums up.
template <MemorySemantics arrival>
constexpr auto last_one_sums = [](auto& inv, StorageBuffer<std::uint32_t> auto parts,
                                  StorageBuffer<std::uint32_t> auto done, StorageBuffer<std::uint32_t> auto out) {
  auto p = parts.non_private();
  p[inv.workgroup_id().x] = 1;
  if (inv.atomic_i_add(done[0], kDevice, arrival, 1u) == 1) out[0] = p[0] + p[1];
};

/// The first one claims the place.
constexpr auto claims = [](auto&, StorageBuffer<std::uint32_t> auto owner, StorageBuffer<std::uint32_t> auto,
                           StorageBuffer<std::uint32_t> auto) {
  for (std::uint32_t i = 0; i < 2; ++i)
    if (owner.non_private()[i] == 0) owner.non_private()[i] = 1;
};

/// What many runs told, on memory that keeps its order.
template <auto kernel>
std::vector<DataRace> races_of(Extent workgroups, Extent size) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DeviceOptions options;
    options.races = true;
    options.seed = seed;
    Device device(options);
    auto data = device.buffer({0u, 0u}, "data");
    auto flag = device.buffer({0u, 0u, 0u}, "flag");
    auto out = device.buffer({0u}, "out");
    device.dispatch(kernel, workgroups, size, data, flag, out);
    std::vector<DataRace> races = device.race_report().races;
    if (!races.empty()) return races;
  }
  return {};
}

}  // namespace

TEST_CASE("where a barrier passes on what a leader acquired, the class that it lacks is the reason and the change") {
  const std::vector<DataRace> races = races_of<leads<kWorkgroupBarrier>>({2}, {2});
  REQUIRE(races.size() == 1);
  CHECK_THAT(races[0].reason, Catch::Contains("UniformMemory") && Catch::Contains("of the control barrier"));
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK_THAT(races[0].changes[0], Catch::StartsWith("add UniformMemory to the control barrier"));
  CHECK(races_of<leads<kWorkgroupBarrier | kBufferBarrier>>({2}, {2}).empty());
}

TEST_CASE("a message by a plain flag is one finding, and to release and acquire by the flag is the change") {
  const std::vector<DataRace> races = races_of<passes_a_message<Flag::Plain>>({2}, {1});
  REQUIRE(races.size() == 1);
  CHECK(races[0].object == "data");
  REQUIRE(races[0].related.size() == 1);
  CHECK(races[0].related[0].object == "flag");
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK_THAT(races[0].changes[0], Catch::Contains("make the read in") && Catch::Contains("(Device, Acquire") &&
                                      Catch::Contains("make the write in") && Catch::Contains("(Device, Release"));
  CHECK(races_of<passes_a_message<Flag::Ordered>>({2}, {1}).empty());
}

TEST_CASE("a volatile flag synchronizes nothing, but is not private: one without a qualifier is") {
  const std::vector<DataRace> unsteady = races_of<passes_a_message<Flag::Plain>>({2}, {1});
  REQUIRE(unsteady.size() == 1);
  REQUIRE(unsteady[0].related.size() == 1);
  CHECK_THAT(unsteady[0].related[0].reason, Catch::StartsWith("no synchronization") && !Catch::Contains("private"));
  const std::vector<DataRace> plain = races_of<passes_a_message<Flag::Private>>({2}, {1});
  REQUIRE(plain.size() == 1);
  REQUIRE(plain[0].related.size() == 1);
  CHECK_THAT(plain[0].related[0].reason, Catch::StartsWith("no synchronization") && Catch::Contains("private"));
}

TEST_CASE("that nothing synchronizes comes before that an access is private") {
  const std::vector<DataRace> races = races_of<passes_a_message<Flag::Private>>({2}, {1});
  REQUIRE(races.size() == 1);
  REQUIRE(races[0].related.size() == 1);
  CHECK_THAT(races[0].related[0].reason, Catch::StartsWith("no synchronization") && Catch::Contains("private"));
}

TEST_CASE("a lock of too narrow a scope is one finding, and to widen both its ends is the first change") {
  const std::vector<DataRace> races = races_of<locks<kWorkgroup>>({3}, {1});
  REQUIRE(races.size() == 1);
  // What the lock guards races because the lock does not hold.
  CHECK(races[0].object == "flag");
  CHECK_FALSE(races[0].related.empty());
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK_THAT(races[0].changes[0], Catch::StartsWith("widen the memory scope of the atomic read-modify-write") &&
                                      Catch::Contains(", and widen the memory scope of the atomic write") &&
                                      Catch::Contains("to QueueFamily"));
  CHECK(races_of<locks<kDevice>>({3}, {1}).empty());
}

TEST_CASE("an atomic that comes before what it should follow in other runs lacks a barrier, and is not to acquire") {
  const std::vector<DataRace> races = races_of<counts_unprepared>({1}, {4});
  REQUIRE_FALSE(races.empty());
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK_THAT(races[0].changes[0], Catch::StartsWith("put a control barrier"));
  for (const std::string& change : races[0].changes) CHECK_THAT(change, !Catch::Contains("Acquire"));
}

TEST_CASE("of reads that could acquire, the one beside the access is to do it") {
  const std::vector<DataRace> races = races_of<looks_twice<kRelaxed>>({2}, {1});
  REQUIRE(races.size() == 1);
  REQUIRE_FALSE(races[0].changes.empty());
  // The load of its own statement, not that of the loop.
  CHECK_THAT(races[0].changes[0],
             Catch::StartsWith("give the atomic read in line " + std::to_string(races[0].second.where.line - 1)));
  CHECK(races_of<looks_twice<kAcquireBuffers>>({2}, {1}).empty());
}

TEST_CASE("a lock that a plain write gives up is one finding, and to release it by an atomic is the first change") {
  for (const Extent size : {Extent{1}, Extent{2}}) {
    const std::vector<DataRace> races = races_of<unlocks<false>>({2}, size);
    REQUIRE(races.size() == 1);
    CHECK_FALSE(races[0].related.empty());
    REQUIRE_FALSE(races[0].changes.empty());
    CHECK_THAT(races[0].changes[0],
               Catch::StartsWith("make the write in line") && Catch::Contains("atomic (Device, Release"));
  }
  CHECK(races_of<unlocks<true>>({2}, {2}).empty());
}

TEST_CASE("where somebody passes a message on, what he lacks is a change, and the reason says so") {
  constexpr auto kUnavailable = MemorySemantics::Release | MemorySemantics::UniformMemory;
  constexpr auto kInvisible = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
  const auto check = [](const std::vector<DataRace>& races, const char* reason, const char* change) {
    REQUIRE(races.size() == 1);
    CHECK_THAT(races[0].reason, Catch::Contains(reason));
    CHECK(std::any_of(races[0].changes.begin(), races[0].changes.end(),
                      [&](const std::string& text) { return text.rfind(change, 0) == 0; }));
  };
  check(races_of<passes_on<kUnavailable, kAcquireBuffers>>({2}, {2}),
        "MakeAvailable is missing in the semantics of the atomic write", "add MakeAvailable to the atomic write");
  check(races_of<passes_on<kReleaseBuffers, kInvisible>>({2}, {2}),
        "MakeVisible is missing in the semantics of the atomic read", "add MakeVisible to the atomic read");
  CHECK(races_of<passes_on<kReleaseBuffers, kAcquireBuffers>>({2}, {2}).empty());
}

TEST_CASE("an update that only releases is to acquire as well") {
  const std::vector<DataRace> races = races_of<last_one_sums<kReleaseBuffers>>({2}, {1});
  REQUIRE(races.size() == 1);
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK_THAT(races[0].changes[0],
             Catch::StartsWith("give the atomic read-modify-write in line") && Catch::Contains("AcquireRelease"));
  CHECK(races_of<last_one_sums<kBufferBarrier>>({2}, {1}).empty());
}

TEST_CASE("what is read, and written only if it has not been yet, is one update") {
  const std::vector<DataRace> races = races_of<claims>({2}, {1});
  REQUIRE(races.size() == 1);
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK_THAT(races[0].changes[0],
             Catch::Contains("one atomic read-modify-write") && Catch::Contains("or atomic_compare_exchange"));
}
