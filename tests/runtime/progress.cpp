// What is resident makes progress; what cannot is reported.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;
using heddle::test::place;

namespace {

// Invocation i waits until `turn[0]` is its number in a sequence that runs up or down.
const auto kInTurn = [](auto& inv, StorageBuffer<std::uint32_t> auto turn, StorageBuffer<std::uint32_t> auto seen,
                        std::uint32_t downwards) {
  const auto all = inv.num_workgroups().x * inv.workgroup_size().x;
  const auto i = inv.global_invocation_id().x;
  const auto mine = downwards ? all - 1 - i : i;
  while (inv.atomic_load(turn[0], Scope::Device, kAcquireBuffers) != mine) {
  }
  seen[i] = mine;
  inv.atomic_store(turn[0], Scope::Device, kReleaseBuffers, mine + 1);
};

void runs_in_turn(DeviceOptions options, std::uint32_t groups, std::uint32_t local, std::uint32_t downwards) {
  Device device(options);
  auto turn = device.buffer({0u}, "turn");
  auto seen = device.buffer<std::uint32_t>(groups * local, "seen");
  REQUIRE_NOTHROW(device.dispatch(kInTurn, {groups}, {local}, turn, seen, downwards));
  CHECK(turn.read()[0] == groups * local);
  CHECK(seen.read()[0] == (downwards ? groups * local - 1 : 0));
}

// A barrier of all workgroups of a dispatch, made of an atomic counter.
const auto kDeviceBarrier = [](auto& inv, StorageBuffer<std::uint32_t> auto arrived,
                               StorageBuffer<std::uint32_t> auto out) {
  if (inv.local_invocation_index() == 0) {
    inv.atomic_i_increment(arrived[0], Scope::Device, kReleaseBuffers);
    while (inv.atomic_load(arrived[0], Scope::Device, kAcquireBuffers) < inv.num_workgroups().x) {
    }
  }
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
  out[inv.global_invocation_id().x] = 1u;
};

DeviceOptions resident(Mode mode, std::uint32_t workgroups, std::uint32_t workers, std::uint64_t seed = 1) {
  DeviceOptions options = options_for(mode, seed);
  options.resident_workgroups = workgroups;
  // A worker may be off the processor for long on a busy machine.
  options.no_progress_time = std::chrono::milliseconds(2000);
  options.workers = workers;
  return options;
}

}  // namespace

TEST_CASE("invocations of one subgroup wait for each other in a spin loop, in either direction") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for (const std::uint32_t downwards : {0u, 1u}) runs_in_turn(options_for(mode), 1, 32, downwards);
}

TEST_CASE("invocations of one workgroup wait for each other in a spin loop, in either direction") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for (const std::uint32_t downwards : {0u, 1u}) runs_in_turn(options_for(mode), 1, 96, downwards);
}

TEST_CASE("resident workgroups wait for each other in a spin loop, in either direction") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t workers = GENERATE(1u, 2u, 3u);
  for (const std::uint32_t downwards : {0u, 1u}) {
    runs_in_turn(resident(mode, 4, workers), 4, 8, downwards);
    runs_in_turn(resident(mode, 4, workers), 4, 1, downwards);
  }
}

TEST_CASE("an earlier workgroup may wait for a later one in a dispatch larger than what is resident") {
  // Every workgroup but the last waits for its right neighbour to have begun: two residents do.
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(resident(mode, 2, 1));
  auto begun = device.buffer(std::vector<std::uint32_t>(33, 0), "begun");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto flags) {
    const auto g = inv.workgroup_id().x;
    inv.atomic_store(flags[g], Scope::Device, kReleaseBuffers, 1);
    if (g + 1 == inv.num_workgroups().x) return;
    while (inv.atomic_load(flags[g + 1], Scope::Device, kAcquireBuffers) == 0) {
    }
  };
  CHECK_NOTHROW(device.dispatch(kernel, {4}, {1}, begun));
  CHECK(begun.read()[3] == 1);
}

TEST_CASE("a lock made of a compare-exchange loop lets everybody in, one at a time") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(resident(mode, 4, 2));
  auto lock = device.buffer({0u}, "lock");
  auto sum = device.buffer({0u}, "sum");
  const auto kernel = [](auto& inv, auto mutex, auto total) {
    while (inv.atomic_compare_exchange(mutex[0], Scope::Device, kAcquireBuffers, MemorySemantics::Relaxed, 1, 0) != 0) {
    }
    total[0] += 1;
    inv.atomic_store(mutex[0], Scope::Device, kReleaseBuffers, 0);
  };
  CHECK_NOTHROW(device.dispatch(kernel, {8}, {32}, lock, sum));
  CHECK(sum.read()[0] == 256);
}

TEST_CASE("a device-wide spin barrier works over as many workgroups as may be resident") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t workers = GENERATE(1u, 2u);
  Device device(resident(mode, 5, workers));
  auto arrived = device.buffer({0u}, "arrived");
  auto out = device.buffer(std::vector<std::uint32_t>(5 * 16, 0));
  DispatchResult result;
  REQUIRE_NOTHROW(result = device.dispatch(kDeviceBarrier, {5}, {16}, arrived, out));
  CHECK(result.resident_workgroups == 5);
  CHECK(out.read() == std::vector<std::uint32_t>(5 * 16, 1));
}

TEST_CASE("a device-wide spin barrier over one workgroup more is reported: who waits, where, for what") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t workers = GENERATE(1u, 2u);
  DeviceOptions options = resident(mode, 5, workers);
  options.no_progress_time = std::chrono::milliseconds(400);
  Device device(options);
  auto arrived = device.buffer({0u}, "arrived");
  auto out = device.buffer(std::vector<std::uint32_t>(6 * 16, 0));
  const Finding finding = finding_of([&] { device.dispatch(kDeviceBarrier, {6}, {16}, arrived, out); });
  CHECK(finding.kind == FindingKind::NoProgress);
  INFO(to_string(finding));
  // (In native mode there may be one for each worker.)
  const std::string polled = " atomic_load of arrived[0], which stays 5";
  CHECK((contains(finding.message, "invocations poll" + polled) ||
         contains(finding.message, "1 invocation polls" + polled)));
  CHECK(contains(finding.message, "1 of 6 workgroups has not started, because 5 may be resident"));
  CHECK(contains(finding.message, "wait at the workgroup barrier at progress.cpp:"));
  CHECK(contains(finding.where.file, "progress.cpp"));
  CHECK(finding.invocation.local == uvec3{0, 0, 0});
  arrived.fill(0);
  CHECK_NOTHROW(device.dispatch(kDeviceBarrier, {5}, {16}, arrived, out));
}

TEST_CASE("a flag that is set after a barrier instead of before it is reported as no progress") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto flag = device.buffer({0u}, "flag");
  const std::uint32_t load_line = __LINE__ + 6;
  const auto kernel = [](auto& inv, auto f, std::uint32_t set_before) {
    const auto i = inv.local_invocation_index();
    if (i == 0 && set_before) inv.atomic_store(f[0], Scope::Device, kReleaseBuffers, 1);
    if (i == 7) {
      for (;;) {
        if (inv.atomic_load(f[0], Scope::Device, kAcquireBuffers) == 1) break;
      }
    }
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (i == 0 && !set_before) inv.atomic_store(f[0], Scope::Device, kReleaseBuffers, 1);
  };
  const std::uint32_t barrier_line = __LINE__ - 3;
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {8}, flag, 1u));
  flag.fill(0);
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {8}, flag, 0u); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::NoProgress);
  CHECK(finding.where.line == load_line);
  CHECK(finding.invocation.local == uvec3{7, 0, 0});
  CHECK(contains(finding.message, "1 invocation polls atomic_load of flag[0], which stays 0, at " + place(load_line)));
  CHECK(contains(finding.message, "7 invocations wait at the workgroup barrier at " + place(barrier_line)));
}

TEST_CASE("a Workgroup variable that is polled in vain is named in the report") {
  Device device(options_for(Mode::Emulated));
  const auto kernel = [](auto& inv) {
    auto ready = inv.template workgroup<std::uint32_t>("ready");
    if (inv.local_invocation_index() == 0) {
      inv.atomic_store(ready, Scope::Workgroup, MemorySemantics::Relaxed, 0);
    }
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    while (inv.atomic_load(ready, Scope::Workgroup, MemorySemantics::Relaxed) == 0) {
    }
  };
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {4}); });
  CHECK(finding.kind == FindingKind::NoProgress);
  CHECK(contains(finding.message, "4 invocations poll atomic_load of ready[0]"));
}

TEST_CASE("a loop whose polled value changes is progress, however long it takes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.no_progress_rounds = 64;
  options.no_progress_time = std::chrono::milliseconds(1);
  Device device(options);
  auto count = device.buffer({0u}, "count");
  const auto kernel = [](auto& inv, auto counter) {
    if (inv.local_invocation_index() == 1) {
      for (int i = 0; i < 20000; ++i) {
        inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
      }
    } else {
      while (inv.atomic_load(counter[0], Scope::Device, MemorySemantics::Relaxed) != 20000) {
      }
    }
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {2}, count));
  CHECK(count.read()[0] == 20000);
}

TEST_CASE("no more workgroups are resident than resident_workgroups says") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t limit = GENERATE(1u, 2u, 3u);
  Device device(resident(mode, limit, 2));
  auto now = device.buffer({0u}, "now");
  auto most = device.buffer({0u}, "most");
  const auto kernel = [](auto& inv, auto inside, auto maximum) {
    if (inv.local_invocation_index() == 0) {
      const auto others = inv.atomic_i_increment(inside[0], Scope::Device, MemorySemantics::Relaxed);
      inv.atomic_u_max(maximum[0], Scope::Device, MemorySemantics::Relaxed, others + 1);
    }
    for (int i = 0; i < 4; ++i) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    }
    if (inv.local_invocation_index() == 0) {
      inv.atomic_i_decrement(inside[0], Scope::Device, MemorySemantics::Relaxed);
    }
  };
  const DispatchResult result = device.dispatch(kernel, {40}, {8}, now, most);
  CHECK(most.read()[0] <= limit);
  CHECK(result.resident_workgroups <= limit);
  CHECK(result.workgroups == 40);
}

TEST_CASE("an emulated device makes use of every resident it may have") {
  Device device(resident(Mode::Emulated, 3, 1));
  auto out = device.buffer<std::uint32_t>(40 * 8);
  const auto kernel = [](auto& inv, auto results) {
    for (std::uint32_t i = 0; i < 8; ++i) results[inv.global_invocation_id().x] = i;
  };
  CHECK(device.dispatch(kernel, {40}, {8}, out).resident_workgroups == 3);
}

namespace {

// The last invocation writes what the others wait for, if at all.
const auto kPlainFlag = [](auto& inv, StorageBuffer<std::uint32_t> auto flag, std::uint32_t written) {
  const auto i = inv.global_invocation_id().x;
  if (i + 1 == inv.num_workgroups().x * inv.workgroup_size().x) {
    if (written) flag[0] = 1u;
    return;
  }
  while (flag[0] == 0) {
  }
};

DeviceOptions impatient(const char* memory) {
  DeviceOptions options = options_for(Mode::Emulated);
  options.memory = memory_policy(memory);
  options.no_progress_rounds = 8;
  return options;
}

}  // namespace

TEST_CASE("a plain read that polls what is never written is reported on any memory, with who reads where") {
  const char* const memory = GENERATE("sequential", "random", "adversarial", "write-back");
  const bool races = GENERATE(false, true);
  CAPTURE(memory, races);
  DeviceOptions options = impatient(memory);
  options.races = races;
  for (const std::uint32_t groups : {1u, 3u}) {
    Device device(options);
    auto flag = device.buffer({0u}, "flag");
    const Finding finding = finding_of([&] { device.dispatch(kPlainFlag, {groups}, {4}, flag, 0u); });
    CHECK(finding.kind == FindingKind::NoProgress);
    CHECK(finding.object == "flag");
    CHECK(contains(finding.message, "at progress.cpp:"));
    CHECK(contains(finding.message, "poll with atomics"));
    if (groups == 1) CHECK(contains(finding.message, "3 invocations run at progress.cpp:"));
    CHECK_NOTHROW(device.dispatch(kPlainFlag, {1}, {1}, flag, 1u));
  }
}

TEST_CASE("a plain read that polls what somebody writes and makes known is not reported") {
  DeviceOptions options = impatient("sequential");
  options.resident_workgroups = 3;
  Device device(options);
  auto flag = device.buffer({0u}, "flag");
  CHECK_NOTHROW(device.dispatch(kPlainFlag, {3}, {4}, flag, 1u));
  options.resident_workgroups = 2;
  Device small(options);
  auto other = small.buffer({0u}, "flag");
  const Finding finding = finding_of([&] { small.dispatch(kPlainFlag, {3}, {4}, other, 1u); });
  CHECK(contains(finding.message, "1 of 3 workgroups has not started"));
  CHECK(contains(finding.message, " Not started is workgroup "));
  CHECK(contains(finding.message, "raise resident_workgroups"));
  CHECK(contains(finding.message, "take its number from an atomic counter when it begins (a ticket)"));
}

TEST_CASE("a flag that is polled through barriers, and that is never set, is reported") {
  // The one who reads it tells the others: it writes the same again and again.
  const auto leader_tells = [](auto& inv, StorageBuffer<std::uint32_t> auto flag, bool exchanges) {
    auto told = inv.template workgroup<std::uint32_t>("told");
    for (std::uint32_t done = 0; done == 0;) {
      if (inv.local_invocation_index() == 0) {
        told = exchanges ? inv.atomic_compare_exchange(flag[0], Scope::Device, MemorySemantics::Relaxed,
                                                       MemorySemantics::Relaxed, 2u, 1u)
                         : inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed);
      }
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      done = told;
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    }
  };
  const char* const memory = GENERATE("sequential", "random", "adversarial");
  const bool races = GENERATE(false, true);
  const bool exchanges = GENERATE(false, true);
  CAPTURE(memory, races, exchanges);
  DeviceOptions options = impatient(memory);
  options.races = races;
  Device device(options);
  auto flag = device.buffer({0u}, "flag");
  const Finding finding = finding_of([&] { device.dispatch(leader_tells, {2}, {4}, flag, exchanges); });
  CHECK(finding.kind == FindingKind::NoProgress);
  CHECK(contains(finding.message, "no invocation writes anything else"));
  CHECK_FALSE(contains(finding.message, "poll with atomics"));
  auto set = device.buffer({1u}, "flag");
  CHECK_NOTHROW(device.dispatch(leader_tells, {2}, {4}, set, exchanges));
}

TEST_CASE("an invocation that polls reads again, though another one loops without polling until it has") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto flag, StorageBuffer<std::uint32_t> auto queue) {
    if (inv.workgroup_id().x == 1) {
      while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
      }
      inv.atomic_i_increment(queue[1], Scope::Device, MemorySemantics::Relaxed);
    } else {
      inv.atomic_store(flag[0], Scope::Device, MemorySemantics::Relaxed, 1u);
      // Two are read in turn, so that none is read twice running.
      while (inv.atomic_load(queue[0], Scope::Device, MemorySemantics::Relaxed) ==
             inv.atomic_load(queue[1], Scope::Device, MemorySemantics::Relaxed)) {
      }
    }
  };
  const char* const memory = GENERATE("sequential", "random", "adversarial");
  CAPTURE(memory);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DeviceOptions options = impatient(memory);
    options.no_progress_rounds = 256;
    options.seed = seed;
    Device device(options);
    auto flag = device.buffer({0u}, "flag");
    auto queue = device.buffer({0u, 0u}, "queue");
    CHECK_NOTHROW(device.dispatch(kernel, {2}, {1}, flag, queue));
  }
}

TEST_CASE("loops that access the same for long are not reported while that changes") {
  constexpr std::uint32_t kLong = 2'000'000;
  // Each of two invocations writes the same always, or adds it, but what is there changes.
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t often, bool counts) {
    const auto i = inv.local_invocation_index();
    for (std::uint32_t k = 0; k < often; ++k) {
      if (counts) {
        inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, 2 * i - 1);
      } else {
        inv.atomic_store(x[0], Scope::Device, MemorySemantics::Relaxed, i);
      }
    }
  };
  const bool counts = GENERATE(false, true);
  DeviceOptions options = impatient("sequential");
  Device device(options);
  auto x = device.buffer({0u}, "x");
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {2}, x, kLong, counts));
}

TEST_CASE("loops that read the same for long are not reported while anybody writes, or reads something else") {
  Device device(impatient("sequential"));
  auto x = device.buffer(std::vector<std::uint32_t>(8, 1), "x");
  auto out = device.buffer<std::uint32_t>(4, "out");
  constexpr std::uint32_t kLong = 8'000'000;
  const auto one_writes = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                             StorageBuffer<std::uint32_t> auto sums, std::uint32_t often) {
    const auto i = inv.local_invocation_index();
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < often; ++k) {
      sum += in[0];
      if (i == 0 && k % 1024 == 0) sums[0] = sum;
    }
    sums[i] = sum;
  };
  CHECK_NOTHROW(device.dispatch(one_writes, {1}, {2}, read_only(x), out, kLong / 2));
  CHECK(out.read()[1] == kLong / 2);
  const auto many_places = [](auto&, StorageBuffer<const std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto sums,
                              std::uint32_t often) {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < often; ++k) sum += in[k % 8];
    sums[0] = sum;
  };
  CHECK_NOTHROW(device.dispatch(many_places, {1}, {1}, read_only(x), out, kLong));
  CHECK(out.read()[0] == kLong);
}

TEST_CASE("a loop that computes with what does not change is not reported, however many invocations run it") {
  const auto kernel = [](auto& inv, StorageBuffer<const std::uint32_t> auto factors,
                         StorageBuffer<std::uint32_t> auto x, std::uint32_t often) {
    std::uint32_t number = 1;
    for (std::uint32_t k = 0; k < often; ++k) number = number * factors[0] + factors[1];
    x[inv.local_invocation_index()] = number;
  };
  DeviceOptions options = impatient("sequential");
  Device device(options);
  auto factors = device.buffer({1664525u, 1013904223u}, "factors");
  auto x = device.buffer<std::uint32_t>(64, "x");
  // Half a million accesses of all, where 131,072 of all and 8,192 of each are as many as it takes.
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {64}, read_only(factors), x, 4000u));
  CHECK(finding_of([&] { device.dispatch(kernel, {1}, {64}, read_only(factors), x, 20000u); }).kind ==
        FindingKind::NoProgress);
}

TEST_CASE("a loop that reads the same often and ends is not reported with more rounds") {
  const auto kernel = [](auto&, StorageBuffer<std::uint32_t> auto x, std::uint32_t often) {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < often; ++k) sum += x[0];
    x[1] = sum;
  };
  constexpr std::uint32_t kOften = 2'000'000;
  for (const std::uint64_t rounds : {64, 4096}) {
    DeviceOptions options = impatient("sequential");
    options.no_progress_rounds = rounds;
    Device device(options);
    auto x = device.buffer({1u, 0u}, "x");
    if (rounds == 64) {
      CHECK(finding_of([&] { device.dispatch(kernel, {1}, {1}, x, kOften); }).kind == FindingKind::NoProgress);
    } else {
      CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, x, kOften));
      CHECK(x.read()[1] == kOften);
    }
  }
}

namespace {

// How often loops have looked: what an invocation has at hand does not tell.
std::uint64_t g_looks = 0;

/// What polls in vain.
enum class Polls : std::uint8_t { TwoAtomics, Exchange, PlainRead, InHelper, ThroughBarriers };

bool look_again() {
  ++g_looks;
  return true;
}

template <Polls polls>
constexpr auto polls_in_vain = [](auto& inv, StorageBuffer<std::uint32_t> auto f) {
  constexpr auto kRelaxed = MemorySemantics::Relaxed;
  const auto load = [&](std::uint32_t i) { return inv.atomic_load(f[i], Scope::Device, kRelaxed); };
  if constexpr (polls == Polls::TwoAtomics) {
    while (look_again() && load(0) == 0 && load(1) == 0) {
    }
  } else if constexpr (polls == Polls::Exchange) {
    while (look_again() && load(0) == 0 &&
           inv.atomic_compare_exchange(f[1], Scope::Device, kRelaxed, kRelaxed, 2u, 1u) == 0) {
    }
  } else if constexpr (polls == Polls::PlainRead) {
    while (look_again() && f[0] == 0) {
    }
  } else if constexpr (polls == Polls::InHelper) {
    const auto both = [&](auto& x) __attribute__((noinline)) {
      return x[0] + x[1];
    };
    while (look_again() && both(f) == 0) {
    }
  } else {
    while (look_again()) {
      const std::uint32_t seen = load(0);
      inv.workgroup_barrier();
      if (seen != 0) break;
    }
  }
};

template <Polls polls>
void check_that_it_is_told_soon(const DeviceOptions& options, Extent groups, Extent size) {
  Device device(options);
  auto f = device.buffer({0u, 0u}, "f");
  g_looks = 0;
  const Finding finding = finding_of([&] { device.dispatch(polls_in_vain<polls>, groups, size, f); });
  CAPTURE(static_cast<int>(polls), to_string(finding));
  CHECK(finding.kind == FindingKind::NoProgress);
  // The finding comes after 64 accesses for each of the rounds and 4096 of each invocation, or twice as many at most.
  const std::uint64_t invocations = groups.x * size.x;
  CHECK(g_looks < 2 * (64 * options.no_progress_rounds + 4096 * invocations));
}

}  // namespace

TEST_CASE(
    "what polls in vain is told soon after 64 accesses for each of no_progress_rounds and 4096 of each invocation, "
    "whatever it polls with") {
  DeviceOptions options = options_for(Mode::Emulated);
  const char* const memory = GENERATE("sequential", "random", "adversarial");
  options.races = GENERATE(false, true);
  options.memory = memory_policy(memory);
  // A turn of an invocation takes longer with a sanitizer, and with ThreadSanitizer many times as long.
  options.no_progress_rounds = HEDDLE_TEST_SANITIZED ? 64 : 1024;
  CAPTURE(memory, *options.races);
  // With races, of many that meet at barriers, it takes long.
  const std::uint32_t size = *options.races ? 1 : 9;
  check_that_it_is_told_soon<Polls::TwoAtomics>(options, 2, size);
  check_that_it_is_told_soon<Polls::Exchange>(options, 2, size);
  check_that_it_is_told_soon<Polls::PlainRead>(options, 2, size);
  check_that_it_is_told_soon<Polls::InHelper>(options, 2, size);
  check_that_it_is_told_soon<Polls::ThroughBarriers>(options, 2, size);
}

TEST_CASE("what polls so often, and counts how often, is not told: it ends") {
  constexpr std::uint32_t kOften = 1'000'000;
  // The count is in a register, on the stack, or behind a call.
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto f, std::uint32_t where) {
    std::uint32_t in_register = 0;
    volatile std::uint32_t on_stack = 0;
    const auto helper = [&](std::uint32_t n) __attribute__((noinline)) {
      return f[0] + n;
    };
    std::uint32_t n = 0;
    if (where == 0) {
      while (f[0] == 0 && in_register < kOften) ++in_register;
      n = in_register;
    } else if (where == 1) {
      while (f[0] == 0 && on_stack < kOften) on_stack = on_stack + 1;
      n = on_stack;
    } else {
      while (helper(n) < kOften) ++n;
    }
    f[1 + inv.local_invocation_index()] = n;
  };
  const std::uint32_t where = GENERATE(0u, 1u, 2u);
  CAPTURE(where);
  Device device(options_for(Mode::Emulated));
  auto f = device.buffer({0u, 0u}, "f");
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, f, where));
  CHECK(f.read()[1] == kOften);
}

TEST_CASE("a loop that polls one atomic 40,000 times and ends is not told; one that polls it for ever is") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto f, std::uint32_t most) {
    for (std::uint32_t looks = 0; looks != most; ++looks)
      if (inv.atomic_load(f[0], Scope::Device, MemorySemantics::Relaxed) != 0) break;
    inv.workgroup_barrier();
  };
  const auto for_ever = [](auto& inv, StorageBuffer<std::uint32_t> auto f) {
    while (inv.atomic_load(f[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
  };
  for (const char* memory : {"sequential", "random", "adversarial"}) {
    DeviceOptions options = options_for(Mode::Emulated);
    options.memory = memory_policy(memory);
    Device device(options);
    auto f = device.buffer({0u}, "f");
    CHECK_NOTHROW(device.dispatch(kernel, {2}, {2}, f, 40000u));
    CHECK(finding_of([&] { device.dispatch(for_ever, {2}, {8}, f); }).kind == FindingKind::NoProgress);
  }
}
