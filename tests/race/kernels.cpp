#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>

#include "benchmarks/kernels.h"

using namespace heddle;

namespace {

DeviceOptions racing(std::uint64_t seed) {
  DeviceOptions options;
  options.races = true;
  options.seed = seed;
  return options;
}

constexpr std::uint32_t kGroup = 64;
constexpr MemorySemantics kBar = kWorkgroupBarrier;

/// Each invocation takes the lock a few times, and adds to both sums under it.
constexpr std::uint32_t kLockedRounds = 3;
constexpr auto locked_sum = [](auto& inv, StorageBuffer<std::uint32_t> auto lock,
                               StorageBuffer<std::uint64_t> auto sum) {
  constexpr MemorySemantics kTake =
      MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;
  constexpr MemorySemantics kGive =
      MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
  for (std::uint32_t round = 0; round < kLockedRounds; ++round) {
    while (inv.atomic_compare_exchange(lock[0], Scope::Device, kTake, kTake, 1u, 0u) != 0) {
    }
    sum.non_private()[0] += 1u;
    sum.non_private()[1] += inv.global_invocation_id().x;
    inv.atomic_store(lock[0], Scope::Device, kGive, 0u);
  }
};

/// A tree reduction, with its mistakes.
enum class TreeBug { None, BarrierRemoved, BarrierOrdersNothing, NotAvailable, WrongClass, Narrow };

template <TreeBug bug>
constexpr auto tree = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  auto tile = inv.template workgroup<std::uint32_t[kGroup]>("tile");
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = i;
  if constexpr (bug == TreeBug::BarrierRemoved) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBar);
  for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
    if constexpr (bug == TreeBug::None) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBar);
    } else if constexpr (bug == TreeBug::BarrierOrdersNothing) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, MemorySemantics::Relaxed);
    } else if constexpr (bug == TreeBug::NotAvailable) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup,
                          MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory);
    } else if constexpr (bug == TreeBug::WrongClass) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
    } else if constexpr (bug == TreeBug::Narrow) {
      inv.control_barrier(Scope::Workgroup, Scope::Subgroup, kBar);
    }
    if (i < half) tile[i] += tile[i + half];
  }
  if (i == 0) out[inv.workgroup_id().x] = tile[0];
};

template <TreeBug bug>
std::vector<DataRace> races_of_tree(std::uint64_t seed = 1) {
  Device device(racing(seed));
  auto out = device.buffer<std::uint32_t>(4, "out");
  device.dispatch(tree<bug>, 4, kGroup, out);
  return device.races();
}

bool some_change_has(const std::vector<DataRace>& races, const std::string& text) {
  return std::any_of(races.begin(), races.end(), [&](const DataRace& race) {
    return std::any_of(race.changes.begin(), race.changes.end(),
                       [&](const std::string& change) { return change.find(text) != std::string::npos; });
  });
}

/// One invocation hands data to another in another workgroup.
enum class FlagBug { None, Relaxed, NotAvailable, NotVisible, Narrow };

template <FlagBug bug>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto out) {
  constexpr Scope scope = bug == FlagBug::Narrow ? Scope::Workgroup : Scope::Device;
  constexpr MemorySemantics release = bug == FlagBug::Relaxed ? MemorySemantics::Relaxed
                                      : bug == FlagBug::NotAvailable
                                          ? MemorySemantics::Release | MemorySemantics::UniformMemory
                                          : kReleaseBuffers;
  constexpr MemorySemantics acquire = bug == FlagBug::Relaxed ? MemorySemantics::Relaxed
                                      : bug == FlagBug::NotVisible
                                          ? MemorySemantics::Acquire | MemorySemantics::UniformMemory
                                          : kAcquireBuffers;
  if (inv.global_invocation_id().x == 0) {
    data.non_private()[0] = 42u;
    inv.atomic_store(flag[0], scope, release, 1u);
  } else {
    for (int tries = 0; tries < 1000; ++tries) {
      if (inv.atomic_load(flag[0], scope, acquire) == 0u) continue;
      out[0] = data.non_private()[0];
      break;
    }
  }
};

template <FlagBug bug>
std::vector<DataRace> races_of_message(std::uint64_t seed) {
  Device device(racing(seed));
  auto data = device.buffer<std::uint32_t>(1, "data");
  auto flag = device.buffer<std::uint32_t>(1, "flag");
  auto out = device.buffer<std::uint32_t>(1, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto a, StorageBuffer<std::uint32_t> auto b) {
        if (inv.global_invocation_id().x == 0) a[0] = b[0] = 0u;
      },
      1, 1, flag, data);
  device.dispatch(message<bug>, 2, 1, data, flag, out);
  return device.races();
}

/// A message that the first workgroup releases and the third one acquires, from what the second one makes of the
/// flag: by a read-modify-write, or by a store of the same value.
template <bool modifies>
constexpr auto passed_on = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                              StorageBuffer<std::uint32_t> auto out) {
  const std::uint32_t me = inv.workgroup_id().x;
  if (me == 0) {
    data.non_private()[0] = 42u;
    inv.atomic_store(flag[0], Scope::Device, kReleaseBuffers, 1u);
  } else if (me == 1) {
    while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) != 1u) {
    }
    if constexpr (modifies) {
      inv.atomic_or(flag[0], Scope::Device, MemorySemantics::Relaxed, 2u);
    } else {
      inv.atomic_store(flag[0], Scope::Device, MemorySemantics::Relaxed, 3u);
    }
  } else {
    // An acquire that comes too early may have it from the first one.
    while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) != 3u) {
    }
    if (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) == 3u) out[0] = data.non_private()[0];
  }
};

template <bool modifies>
std::vector<DataRace> races_of_passed_on(const MemoryPolicy& policy, std::uint64_t seed) {
  DeviceOptions options = racing(seed);
  options.memory = policy;
  options.resident_workgroups = 3;
  Device device(options);
  auto data = device.buffer(std::vector<std::uint32_t>(1, 0u), "data");
  auto flag = device.buffer(std::vector<std::uint32_t>(1, 0u), "flag");
  auto out = device.buffer(std::vector<std::uint32_t>(1, 0u), "out");
  device.dispatch(passed_on<modifies>, 3, 1, data, flag, out);
  return device.races();
}

}  // namespace

TEST_CASE("a tree reduction with its barriers has no race") {
  for (std::uint64_t seed = 1; seed < 8; ++seed) CHECK(races_of_tree<TreeBug::None>(seed).empty());
}

TEST_CASE("a tree reduction without barriers races, and a control barrier is the change") {
  const auto races = races_of_tree<TreeBug::BarrierRemoved>();
  REQUIRE_FALSE(races.empty());
  CHECK(races[0].object == "tile");
  CHECK(races[0].reason.find("no synchronization") != std::string::npos);
  CHECK(some_change_has(races, "control barrier"));
}

TEST_CASE("a control barrier that orders no memory leaves the race") {
  const auto races = races_of_tree<TreeBug::BarrierOrdersNothing>();
  REQUIRE_FALSE(races.empty());
  CHECK(some_change_has(races, "give the control barrier"));
}

TEST_CASE("Workgroup variables make themselves available: a barrier without MakeAvailable is enough") {
  CHECK(races_of_tree<TreeBug::NotAvailable>().empty());
}

TEST_CASE("a barrier over the wrong storage class leaves the race, and the class is the change") {
  const auto races = races_of_tree<TreeBug::WrongClass>();
  REQUIRE_FALSE(races.empty());
  CHECK(some_change_has(races, "add WorkgroupMemory"));
}

TEST_CASE("a barrier of Subgroup memory scope leaves the race, and the scope is the change") {
  const auto races = races_of_tree<TreeBug::Narrow>();
  REQUIRE_FALSE(races.empty());
  CHECK(some_change_has(races, "from Subgroup to Workgroup"));
}

TEST_CASE("release and acquire pass a message without a race, and each weakening shows") {
  std::vector<DataRace> unavailable, invisible;
  bool relaxed = false, narrow = false;
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    CHECK(races_of_message<FlagBug::None>(seed).empty());
    relaxed = relaxed || !races_of_message<FlagBug::Relaxed>(seed).empty();
    if (unavailable.empty()) unavailable = races_of_message<FlagBug::NotAvailable>(seed);
    if (invisible.empty()) invisible = races_of_message<FlagBug::NotVisible>(seed);
    narrow = narrow || !races_of_message<FlagBug::Narrow>(seed).empty();
  }
  CHECK(relaxed);
  REQUIRE_FALSE(unavailable.empty());
  CHECK(unavailable[0].changes.at(0).find("add MakeAvailable") == 0);
  REQUIRE_FALSE(invisible.empty());
  CHECK(invisible[0].changes.at(0).find("add MakeVisible") == 0);
  CHECK(narrow);
}

//= vk:memory-model-release-sequence type=test
TEST_CASE("a read-modify-write of another workgroup passes a release on, a store of the same value does not") {
  for (const MemoryPolicy& policy : memory_policies()) {
    CAPTURE(policy.name);
    for (std::uint64_t seed = 1; seed < 12; ++seed) {
      CHECK(races_of_passed_on<true>(policy, seed).empty());
      CHECK(races_of_passed_on<false>(policy, seed).size() == 1);
    }
  }
}

TEST_CASE("what many invocations of several workgroups add under a lock that they poll has no race") {
  constexpr std::uint32_t kGroups = 5, kSize = 16;
  for (const bool parallel : {false, true}) {
    DeviceOptions options = racing(8);
    options.races_parallel = parallel;
    options.workers = 1;
    options.resident_workgroups = 2;
    Device device(options);
    auto lock = device.buffer(std::vector<std::uint32_t>(1, 0u), "lock");
    auto sum = device.buffer(std::vector<std::uint64_t>(2, 0u), "sum");
    device.dispatch(locked_sum, kGroups, kSize, lock, sum);
    constexpr std::uint64_t kAll = kGroups * kSize;
    CHECK(device.races().empty());
    CHECK(sum.read() == std::vector<std::uint64_t>{kLockedRounds * kAll, kLockedRounds * kAll * (kAll - 1) / 2});
  }
}

TEST_CASE("the reference kernels have no race") {
  namespace b = heddle::benchmarks;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    Device device(racing(seed));
    auto x = device.buffer(std::vector<float>(1024, 1.0f), "x");
    auto y = device.buffer(std::vector<float>(1024, 2.0f), "y");
    auto c = device.buffer(std::vector<float>(1024, 0.0f), "c");
    auto in = device.buffer(std::vector<std::uint32_t>(1024, 3u), "in");
    auto out = device.buffer(std::vector<std::uint32_t>(4, 0u), "out");
    auto keys = device.buffer(std::vector<std::uint8_t>(1024, 7), "keys");
    auto bins = device.buffer(std::vector<std::uint32_t>(256, 0u), "bins");
    device.dispatch(b::saxpy, 4, 256, 2.0f, x, y);
    device.dispatch(b::reduce, 4, 256, in, out);
    device.dispatch(b::matmul, {2, 2}, {16, 16}, 32u, x, y, c);
    device.dispatch(b::histogram, 4, 256, keys, bins);
    for (const DataRace& race : device.races()) UNSCOPED_INFO(to_string(race));
    CHECK(device.races().empty());
  }
}

TEST_CASE("a race names the element of its buffer, also where memory takes that in pieces") {
  struct Colour {
    std::uint8_t red, green, blue;
  };
  // The bytes of element 5 are on both sides of a multiple of 8.
  const std::uint32_t element = GENERATE(0u, 2u, 5u, 7u);
  Device device(racing(1));
  auto colours = device.buffer(std::vector<Colour>(8, Colour{}), "colours");
  device.dispatch(
      [](auto& inv, StorageBuffer<Colour> auto c, std::uint32_t i) {
        c[i] = Colour{static_cast<std::uint8_t>(inv.global_invocation_id().x), 2, 3};
      },
      2, 1, colours, element);
  REQUIRE_FALSE(device.races().empty());
  for (const DataRace& race : device.races()) {
    CHECK(race.object == "colours");
    CHECK(race.index == element);
    CHECK(race.offset_bytes / sizeof(Colour) == element);
  }
}

TEST_CASE("two accesses to an element that the detector looks at in parts race once, in all of its bytes") {
  struct Pair {
    std::uint32_t a, b;
  };
  const bool parallel = GENERATE(false, true);
  DeviceOptions options = racing(1);
  options.races_parallel = parallel;
  Device device(options);
  auto doubles = device.buffer(std::vector<double>(4, 0.0), "doubles");
  auto pairs = device.buffer(std::vector<Pair>(4, Pair{}), "pairs");
  auto vectors = device.buffer(std::vector<Vec<float, 2>>(4), "vectors");
  device.dispatch(
      [](auto& inv, StorageBuffer<double> auto d, StorageBuffer<Pair> auto p, StorageBuffer<Vec<float, 2>> auto v) {
        const std::uint32_t i = inv.global_invocation_id().x;
        d[i / 2] = i;
        p[i / 2] = Pair{i, i};
        v[i / 2] = Vec<float, 2>{1.0f, static_cast<float>(i)};
      },
      1, 8, doubles, pairs, vectors);
  const auto races = device.races();
  REQUIRE(races.size() == 3);
  for (const DataRace& race : races) {
    INFO(to_string(race));
    CHECK(race.count == 4);
    CHECK(race.size_bytes == 8);
    CHECK(race.offset_bytes == 8 * race.index);
    if (parallel) continue;
    // Only a double of these has atomics.
    const bool offered = std::any_of(race.changes.begin(), race.changes.end(), [](const std::string& change) {
      return change.find("atomic") != std::string::npos;
    });
    CHECK(offered == (race.object == "doubles"));
  }
}

TEST_CASE("plain increments of one element race with themselves: one finding, counted") {
  Device device(racing(1));
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0u), "sum");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto s) {
        (void)inv;
        s[0] += 1u;
      },
      2, 32, sum);
  const auto races = device.races();
  REQUIRE_FALSE(races.empty());
  CHECK(races[0].object == "sum");
  CHECK(races[0].index == 0);
  CHECK(races[0].count > 1);
  CHECK(races.size() <= 3);
}

namespace {

/// The first change that is offered for the one race of a kernel with two buffers, of two workgroups of this size.
template <typename Kernel>
std::string first_change(std::uint32_t size, const Kernel& kernel) {
  Device device(racing(1));
  auto first = device.buffer(std::vector<std::uint32_t>(4, 0u), "first");
  auto second = device.buffer(std::vector<std::uint32_t>(4, 0u), "second");
  device.dispatch(kernel, 2, size, first, second);
  const auto races = device.races();
  REQUIRE(races.size() == 1);
  REQUIRE_FALSE(races[0].changes.empty());
  return races[0].changes[0];
}

}  // namespace

TEST_CASE(
    "where a line reads and writes what races, one atomic update is the change; where others only read it, none is") {
  const std::string of_all =
      first_change(2, [](auto& inv, StorageBuffer<std::uint32_t> auto s, StorageBuffer<std::uint32_t> auto) {
        (void)inv;
        s[0] += 1u;
      });
  CHECK_THAT(of_all, Catch::Contains("one atomic read-modify-write (Device, Relaxed), such as atomic_i_add"));
  const std::string of_one =
      first_change(2, [](auto& inv, StorageBuffer<std::uint32_t> auto s, StorageBuffer<std::uint32_t> auto seen) {
        const std::uint32_t me = inv.global_invocation_id().x;
        if (me == 0) {
          s[0] += 1u;
        } else {
          seen[me] = s[0];
        }
      });
  CHECK_THAT(of_one, !Catch::Contains("read-modify-write"));
}

namespace {

/// Two subgroups of 32: each reads what the other wrote, across a control barrier.
template <Scope execution, Scope memory, MemorySemantics semantics, bool in_own_subgroup = false>
std::vector<DataRace> races_across_barrier() {
  Device device(racing(1));
  auto data = device.buffer(std::vector<std::uint32_t>(64, 0u), "data");
  auto out = device.buffer(std::vector<std::uint32_t>(64, 0u), "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto y) {
        const std::uint32_t i = inv.local_invocation_index();
        x.non_private()[i] = i;
        for (int k = 0; k < 2; ++k) inv.control_barrier(execution, memory, semantics);
        y[i] = x.non_private()[in_own_subgroup ? i ^ 1 : i ^ 32];
      },
      1, 64, data, out);
  return device.races();
}

}  // namespace

TEST_CASE("a Subgroup barrier between invocations of two subgroups is named, and to widen it is the first change") {
  const auto narrow = races_across_barrier<Scope::Subgroup, Scope::Workgroup, kBufferBarrier>();
  REQUIRE_FALSE(narrow.empty());
  CHECK_THAT(narrow[0].reason, Catch::Contains("the control barrier (Workgroup, AcquireRelease) in line ") &&
                                   Catch::Contains("is between them, but its execution scope is Subgroup"));
  REQUIRE_FALSE(narrow[0].changes.empty());
  CHECK_THAT(narrow[0].changes[0], Catch::StartsWith("widen the execution scope of the control barrier in line ") &&
                                       Catch::EndsWith("from Subgroup to Workgroup"));
  const auto both = races_across_barrier<Scope::Subgroup, Scope::Subgroup, kBufferBarrier>();
  REQUIRE_FALSE(both.empty());
  CHECK_THAT(both[0].changes.at(0), Catch::StartsWith("widen the execution scope and the memory scope of the control"));
  const auto unordered = races_across_barrier<Scope::Subgroup, Scope::Subgroup, MemorySemantics::None>();
  REQUIRE_FALSE(unordered.empty());
  CHECK_THAT(unordered[0].changes.at(0), Catch::StartsWith("give the control barrier in line ") &&
                                             Catch::EndsWith("and the execution scope Workgroup"));
  // What is offered is enough.
  CHECK(races_across_barrier<Scope::Workgroup, Scope::Workgroup, kBufferBarrier>().empty());
}

TEST_CASE("a Subgroup barrier within one subgroup is enough, and what it lacks is never its execution scope") {
  CHECK(races_across_barrier<Scope::Subgroup, Scope::Subgroup, kBufferBarrier, true>().empty());
  const auto races = races_across_barrier<Scope::Subgroup, Scope::Subgroup, MemorySemantics::None, true>();
  REQUIRE_FALSE(races.empty());
  CHECK_THAT(races[0].reason, !Catch::Contains("execution scope"));
  for (const std::string& change : races[0].changes) CHECK_THAT(change, !Catch::Contains("execution scope"));
}

TEST_CASE("an update that is to take a lock need only acquire; one that leaves it as well is to release, too") {
  const std::string taken = first_change(1, [](auto& inv, StorageBuffer<std::uint32_t> auto lock,
                                               StorageBuffer<std::uint32_t> auto count) {
    while (inv.atomic_compare_exchange(lock[0], Scope::Device, MemorySemantics::Relaxed, MemorySemantics::Relaxed, 1u,
                                       0u) != 0u) {
    }
    count.non_private()[0] += 1u;
    inv.atomic_store(lock[0], Scope::Device,
                     MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable, 0u);
  });
  CHECK_THAT(taken, Catch::StartsWith("give the atomic read-modify-write in line ") &&
                        Catch::Contains("the semantics Acquire | UniformMemory | MakeVisible"));
  const std::string taken_and_left =
      first_change(1, [](auto& inv, StorageBuffer<std::uint32_t> auto lock, StorageBuffer<std::uint32_t> auto count) {
        const auto set = [&](std::uint32_t held) {
          return inv.atomic_exchange(lock[0], Scope::Device, MemorySemantics::Relaxed, held);
        };
        while (set(1u) != 0u) {
        }
        count.non_private()[0] += 1u;
        set(0u);
      });
  CHECK_THAT(taken_and_left, Catch::Contains("the semantics AcquireRelease | UniformMemory"));
}

TEST_CASE("loads and stores without operands do as their reference is qualified, with operands as these say") {
  enum class Operands { Absent, None, NonPrivate };
  const auto races = [](auto operands) {
    Device device(racing(1));
    auto shared = device.buffer({0u}, "shared");
    auto out = device.buffer(std::vector<std::uint32_t>(4, 0u), "out");
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto results) {
          auto own = inv.template workgroup<std::uint32_t>("own");
          auto qualified = x.non_private();
          constexpr Operands how = decltype(operands)::value;
          constexpr MemoryOperands kGiven =
              how == Operands::None ? MemoryOperands::None : MemoryOperands::NonPrivatePointer;
          const std::uint32_t i = inv.local_invocation_index();
          if (i == 0) {
            if constexpr (how == Operands::Absent) {
              inv.store(own, 1u);
              inv.store(qualified[0], 2u);
            } else {
              inv.store(own, 1u, kGiven);
              inv.store(qualified[0], 2u, kGiven);
            }
          }
          inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier | kBufferBarrier);
          if constexpr (how == Operands::Absent) {
            results[i] = inv.load(own) + inv.load(qualified[0]);
          } else {
            results[i] = inv.load(own, kGiven) + inv.load(qualified[0], kGiven);
          }
        },
        1, 4, shared, out);
    CHECK(out.read() == std::vector<std::uint32_t>(4, 3u));
    return device.races().size();
  };
  CHECK(races(std::integral_constant<Operands, Operands::Absent>()) == 0);
  CHECK(races(std::integral_constant<Operands, Operands::None>()) == 2);
  CHECK(races(std::integral_constant<Operands, Operands::NonPrivate>()) == 0);
}

TEST_CASE("atomics of too narrow a scope need a scope that has both invocations, and nothing else") {
  const auto changes = [](auto scope, std::uint32_t groups, std::uint32_t local) {
    Device device(racing(1));
    auto count = device.buffer(std::vector<std::uint32_t>(1, 0u), "count");
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
          inv.atomic_i_add(x[0], decltype(scope)::value, MemorySemantics::Relaxed, 1u);
        },
        groups, local, count);
    const auto races = device.races();
    REQUIRE(races.size() == 1);
    return races[0].changes;
  };
  constexpr std::integral_constant<Scope, Scope::Workgroup> kInWorkgroup;
  constexpr std::integral_constant<Scope, Scope::Subgroup> kInSubgroup;
  const auto across = changes(kInWorkgroup, 2, 1);
  REQUIRE(across.size() == 1);
  CHECK_THAT(across[0], Catch::StartsWith("widen the memory scope of the atomic read-modify-write in line ") &&
                            Catch::EndsWith("from Workgroup to QueueFamily"));
  const auto within = changes(kInSubgroup, 1, 64);
  REQUIRE_FALSE(within.empty());
  CHECK_THAT(within[0], Catch::EndsWith("from Subgroup to Workgroup"));
  for (const auto& all : {across, within})
    for (const std::string& change : all)
      CHECK_THAT(change, !Catch::Contains("semantics") && !Catch::Contains("Device"));
}

namespace {

/// Rounds of a loop: each writes its own, and reads what another wrote before a barrier.
template <bool second_barrier>
std::vector<DataRace> races_of_rounds() {
  Device device(racing(1));
  auto out = device.buffer(std::vector<std::uint32_t>(64, 0u), "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto y) {
        auto tile = inv.template workgroup<std::uint32_t[64]>("tile");
        const std::uint32_t i = inv.local_invocation_index();
        for (int round = 0; round < 3; ++round) {
          tile[i] = i;
          inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
          y[i] = tile[63 - i];
          if (second_barrier) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
        }
      },
      1, 64, out);
  return device.races();
}

}  // namespace

TEST_CASE("a barrier that is missing at the end of a loop is offered between its last line and the next round") {
  const auto races = races_of_rounds<false>();
  REQUIRE(races.size() == 1);
  REQUIRE_FALSE(races[0].changes.empty());
  const std::string write = "line " + std::to_string(races[0].first.where.line);
  const std::string read = "line " + std::to_string(races[0].second.where.line);
  CHECK(races[0].second.where.line == races[0].first.where.line + 2);
  CHECK_THAT(races[0].changes[0], Catch::EndsWith("between " + read + " and the next execution of " + write));
  CHECK(races_of_rounds<true>().empty());
}

TEST_CASE("without being asked a device looks for no races") {
  Device device(DeviceOptions{});
  CHECK(device.races().empty());
}
