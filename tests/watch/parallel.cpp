// Races of devices whose workgroups run on several threads at once.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <tuple>

#include "benchmarks/kernels.h"
#include "tests/device_under_test.h"

using namespace heddle;

namespace {

DeviceOptions racing(bool parallel = true) {
  DeviceOptions options;
  options.races = true;
  options.races_parallel = parallel;
  options.workers = parallel ? 4 : 0;
  return options;
}

constexpr auto increment = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  (void)inv;
  sum[0] = sum[0] + 1u;
};

constexpr auto increment_atomically = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  inv.atomic_i_increment(sum[0], Scope::Device, kBufferBarrier);
};

constexpr auto write_one = [](auto& inv, StorageBuffer<std::uint32_t> auto to, bool own) {
  const std::uint32_t i = own ? inv.global_invocation_id().x : 7;
  to[i] = 42u;
};

/// Only workgroups at the end write what others of them read.
constexpr auto race_at_last = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  auto tile = inv.template workgroup<std::uint32_t[32]>("tile");
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = 1000 + i;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  if (inv.workgroup_id().x >= 192) tile[i] = 2000 + i;
  out[inv.global_invocation_id().x] = tile[(i + 1) % 32];
};

constexpr auto copy = [](auto& inv, StorageBuffer<std::uint32_t> auto from, StorageBuffer<std::uint32_t> auto to) {
  const std::uint32_t i = inv.global_invocation_id().x;
  if (i < from.size() / 2) {
    from[i] = i;
  } else {
    const std::uint32_t read = to[i - from.size() / 2];
    inv.require(read < 64, "");
  }
};

/// All workgroups add to one number that a ticket lock guards; released as `semantics` says.
constexpr auto ticket_lock = [](auto& inv, StorageBuffer<std::uint32_t> auto lock,
                                StorageBuffer<std::uint32_t> auto number, Dynamic<MemorySemantics> release) {
  if (inv.local_invocation_index() != 0) return;
  const std::uint32_t mine = inv.atomic_i_add(lock[0], Scope::Device, MemorySemantics::Relaxed, 1u);
  while (inv.atomic_load(lock[1], Scope::Device, kAcquireBuffers) != mine) {
  }
  auto shared = number.non_private();
  shared[0] = shared[0] + 1u;
  inv.atomic_store(lock[1], Scope::Device, release, mine + 1);
};

/// Adds up a workgroup's elements from one invocation to the next.
constexpr auto pass_on = [](auto& inv, StorageBuffer<std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out,
                            bool barrier) {
  auto tile = inv.template workgroup<std::uint32_t[32]>("tile");
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = in[inv.global_invocation_id().x];
  if (!barrier && i + 1 < 32) tile[i + 1] = 0u;
  for (std::uint32_t half = 16; half > 0; half /= 2) {
    if (barrier) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (i < half && barrier) tile[i] = tile[i] + tile[i + half];
  }
  if (i == 0) out[inv.workgroup_id().x] = tile[0];
};

/// Reads the element of the invocation `distance` behind, after barriers of subgroups of four.
constexpr auto pass_in_subgroups = [](auto& inv, StorageBuffer<std::uint32_t> auto out, std::uint32_t distance) {
  auto tile = inv.template workgroup<std::uint32_t[16]>("tile");
  const std::uint32_t i = inv.local_invocation_index();
  // A read before others wrote is to find a race, not what was never written.
  tile[i] = 0u;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t round = 0; round < 3; ++round) {
    tile[i] = round;
    inv.control_barrier(Scope::Subgroup, Scope::Workgroup, kWorkgroupBarrier);
    const std::uint32_t read = tile[i % 4 + distance < 4 || distance >= 4 ? (i + distance) % 16 : i];
    inv.control_barrier(Scope::Subgroup, Scope::Workgroup, kWorkgroupBarrier);
    const std::uint32_t all = inv.group_non_uniform_i_add(GroupOperation::Reduce, read);
    if (i == 0) out[inv.workgroup_id().x] = all;
  }
};

constexpr auto wait_for_neighbour = [](auto& inv, StorageBuffer<std::uint32_t> auto flags) {
  const std::uint32_t group = inv.workgroup_id().x;
  if (inv.local_invocation_index() == 0) {
    while (flags[group] == 0u) {
    }
  } else {
    flags[group] = 1u;
  }
};

/// One of two workgroups adds atomically, the other one writes plainly.
template <typename T>
constexpr auto add_beside_write = [](auto& inv, StorageBuffer<T> auto sum) {
  if (inv.workgroup_id().x == 0) {
    inv.atomic_i_add(sum[0], Scope::Device, MemorySemantics::Relaxed, static_cast<T>(T{5} << (8 * sizeof(T) - 8)));
  } else {
    sum[0] = static_cast<T>(7);
  }
};

/// What the atomic of `add_beside_write` read and wrote, and what was written plainly.
template <typename T>
std::tuple<std::string, std::string, std::string> values_of_add_beside_write(bool parallel) {
  DeviceOptions options = racing(parallel);
  options.workers = 1;
  Device device(options);
  auto sum = device.buffer(std::vector<T>(1, T{1}), "sum");
  device.dispatch(add_beside_write<T>, 2, 1, sum);
  const std::vector<DataRace> races = device.races();
  if (races.size() != 1) return {};
  const bool atomic_first = !races[0].first.read.empty();
  const RacingAccess& atomic = atomic_first ? races[0].first : races[0].second;
  const RacingAccess& plain = atomic_first ? races[0].second : races[0].first;
  return {atomic.read, atomic.written, plain.written};
}

/// Where races are: objects and lines. (Which two invocations come first, of one workgroup or of two, differs from run
/// to run, and with it the reason.)
using Places = std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>>;
Places places(const std::vector<DataRace>& races) {
  Places found;
  for (const DataRace& race : races) found.emplace(race.object, race.first.where.line, race.second.where.line);
  return found;
}

}  // namespace

TEST_CASE("a race of workgroups on several threads has both accesses, their values, and no seed") {
  Device device(racing());
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
  device.dispatch(increment, 64, 4, sum);
  const std::vector<DataRace> races = device.races();
  REQUIRE_FALSE(races.empty());
  const DataRace& race = races.front();
  CHECK(race.object == "sum");
  CHECK(race.index == 0);
  CHECK(race.size_bytes == 4);
  CHECK_FALSE(race.reason.empty());
  for (const RacingAccess& access : {race.first, race.second}) {
    CHECK_FALSE((access.read + access.written).empty());
    CHECK(std::string(access.where.file).find("parallel.cpp") != std::string::npos);
    CHECK(access.invocation.global.x < 256);
  }
  CHECK(race.count > 1);
  CHECK_FALSE(race.replays);
  CHECK(race.replay.find("HEDDLE_RACES_PARALLEL=0") != std::string::npos);
  CHECK(to_string(race).find("a run on several cores does not come again") != std::string::npos);
  Device in_order(racing(false));
  auto other = in_order.buffer(std::vector<std::uint32_t>(1, 0), "sum");
  in_order.dispatch(increment, 64, 4, other);
  CHECK(in_order.races().front().replays);
}

TEST_CASE("a race in Workgroup memory has the values of both accesses, however many others were before") {
  Device device(racing());
  auto out = device.buffer<std::uint32_t>(256 * 32, "out");
  device.dispatch(race_at_last, 256, 32, out);
  REQUIRE(device.races().size() == 1);
  const DataRace race = device.races().front();
  CHECK(race.object == "tile");
  const std::string before = std::to_string(1000 + race.index);
  const std::string after = std::to_string(2000 + race.index);
  const bool reads_first = race.first.written.empty();
  CHECK((reads_first ? race.first.read : race.second.read) == (reads_first ? before : after));
  CHECK((reads_first ? race.second.written : race.first.written) == after);
}

TEMPLATE_TEST_CASE("the values of an atomic beside a plain write are told whole, in order and on several threads", "",
                   std::uint32_t, std::uint64_t) {
  for (const bool parallel : {false, true}) {
    CAPTURE(parallel);
    const auto [read, written, plain] = values_of_add_beside_write<TestType>(parallel);
    CHECK(plain == "7");
    const bool after = read == "7";
    CHECK((after || read == "1"));
    CHECK(written == std::to_string((TestType{5} << (8 * sizeof(TestType) - 8)) + (after ? 7u : 1u)));
  }
}

TEST_CASE("atomics of workgroups on several threads lose no update and do not race") {
  for (int again = 0; again < (HEDDLE_TEST_SANITIZED ? 2 : 8); ++again) {
    Device device(racing());
    auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
    device.dispatch(increment_atomically, 64, 16, sum);
    CHECK(sum.read()[0] == 1024);
    CHECK(device.races().empty());
  }
}

TEST_CASE("a ticket lock between workgroups on several threads orders them if its release is one") {
  std::uint64_t found = 0;
  for (int again = 0; again < 20; ++again) {
    for (const MemorySemantics release : {kReleaseBuffers, MemorySemantics::Relaxed}) {
      Device device(racing());
      auto lock = device.buffer(std::vector<std::uint32_t>(2, 0), "lock");
      auto number = device.buffer(std::vector<std::uint32_t>(1, 0), "number");
      device.dispatch(ticket_lock, 32, 2, lock, number, Dynamic<MemorySemantics>{release});
      CHECK(number.read()[0] == 32);
      if (release == MemorySemantics::Relaxed) {
        found += device.races().empty() ? 0 : 1;
      } else {
        for (const DataRace& race : device.races()) UNSCOPED_INFO(to_string(race));
        CHECK(device.races().empty());
      }
    }
  }
  CHECK(found == 20);
}

TEST_CASE("a write that races with two reads at once is two races, and each has come once") {
  constexpr auto write_behind_reads = [](auto& inv, StorageBuffer<std::uint32_t> auto x,
                                         StorageBuffer<std::uint32_t> auto to) {
    const std::uint32_t group = inv.workgroup_id().x;
    if (group == 0) {
      to[0] = x[0];
    } else if (group == 1) {
      to[1] = x[0];
    } else {
      x[0] = 1u;
    }
  };
  for (const bool parallel : {true, false}) {
    DeviceOptions options = racing(parallel);
    options.workers = 1;
    Device device(options);
    device.dispatch(write_behind_reads, 3, 1, device.buffer({0u}, "x"), device.buffer({0u, 0u}, "to"));
    std::uint64_t count = 0;
    std::set<std::uint32_t> lines;
    for (const DataRace& race : device.races()) {
      count += race.count;
      lines.insert({race.first.where.line, race.second.where.line});
      for (const DataRace& other : race.related) {
        CHECK(other.count == 1);
        count += other.count;
        lines.insert({other.first.where.line, other.second.where.line});
      }
    }
    CHECK(count == 2);
    CHECK(lines.size() == 3);
  }
}

TEST_CASE("barriers order a workgroup's invocations on whatever thread it runs; without one they race") {
  for (const bool barrier : {true, false}) {
    Device device(racing());
    auto in = device.buffer(std::vector<std::uint32_t>(64 * 32, 1), "in");
    auto out = device.buffer(std::vector<std::uint32_t>(64, 0), "out");
    device.dispatch(pass_on, 64, 32, in, out, barrier);
    CHECK(device.races().empty() == barrier);
    if (barrier) CHECK(out.read() == std::vector<std::uint32_t>(64, 32));
    if (!barrier) CHECK(device.races().front().object == "tile");
  }
}

TEST_CASE("a barrier of subgroups orders those of one subgroup on several threads, and no others") {
  for (const std::uint32_t distance : {1u, 4u}) {
    DeviceOptions options = racing();
    options.subgroup_size = 4;
    Device device(options);
    auto out = device.buffer(std::vector<std::uint32_t>(64, 0), "out");
    device.dispatch(pass_in_subgroups, 64, 16, out, distance);
    CHECK(device.races().empty() == (distance == 1));
    if (distance == 1) CHECK(out.read() == std::vector<std::uint32_t>(64, 8));
  }
}

TEST_CASE("an invocation that waits for a plain write of its workgroup does not keep the writer from coming") {
  Device device(racing());
  auto flags = device.buffer(std::vector<std::uint32_t>(4, 0), "flags");
  device.dispatch(wait_for_neighbour, 4, 2, flags);
  CHECK_FALSE(device.races().empty());
}

TEST_CASE("two references to one buffer race between workgroups on several threads, one does not") {
  for (const bool two : {false, true}) {
    Device device(racing());
    auto from = device.buffer(std::vector<std::uint32_t>(64, 0), "from");
    auto to = two ? from.alias() : device.buffer(std::vector<std::uint32_t>(64, 0), "to");
    device.dispatch(copy, 8, 8, from, to);
    CHECK(device.races().empty() != two);
  }
}

TEST_CASE("many threads find the races that one finds") {
  const auto races_of = [](bool parallel) {
    Device device(racing(parallel));
    auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
    auto one = device.buffer(std::vector<std::uint32_t>(64, 0), "one");
    for (int again = 0; again < (parallel ? 10 : 1); ++again) {
      device.dispatch(increment, 16, 4, sum);
      device.dispatch(write_one, 16, 4, one, false);
    }
    for (const DataRace& race : device.races()) CHECK_THAT(race.reason, Catch::StartsWith("no synchronization: "));
    return places(device.races());
  };
  const Places one = races_of(false);
  CHECK_FALSE(one.empty());
  CHECK(races_of(true) == one);
}

TEST_CASE("equal writes of workgroups on several threads are notices where the device says so") {
  for (const bool notice : {false, true}) {
    DeviceOptions options = racing();
    options.same_value_writes = notice ? SameValueWrites::Notice : SameValueWrites::Race;
    Device device(options);
    auto one = device.buffer(std::vector<std::uint32_t>(64, 0), "one");
    device.dispatch(write_one, 16, 4, one, false);
    CHECK(device.race_report().races.empty() == notice);
    CHECK(device.race_report().notices.empty() != notice);
  }
}

TEST_CASE("a memory dependency between dispatches on several threads orders them, none does not") {
  for (const bool depend : {false, true}) {
    Device device(racing());
    auto one = device.buffer(std::vector<std::uint32_t>(64, 0), "one");
    device.submit([&](Commands& commands) {
      commands.dispatch(write_one, 16, 4, one, true);
      if (depend) commands.memory_barrier();
      commands.dispatch(write_one, 16, 4, one, true);
    });
    CHECK(device.races().empty() == depend);
  }
}

TEST_CASE("what is wrong with a kernel ends the dispatch on all threads, and the device goes on") {
  Device device(racing());
  auto one = device.buffer(std::vector<std::uint32_t>(64, 0), "one");
  try {
    device.dispatch(write_one, 32, 4, one, true);
    FAIL("nothing was thrown");
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::OutOfBounds);
    CHECK(error.finding().replay.empty());
  }
  device.dispatch(write_one, 16, 4, one, true);
  CHECK(device.races().empty());
}

TEST_CASE("bytes that one workgroup wrote are initialized for the others, the rest are not") {
  Device device(racing());
  auto from = device.buffer<std::uint32_t>(64, "from");
  auto to = device.buffer<std::uint32_t>(64, "to");
  device.dispatch(write_one, 8, 8, from, true);
  CHECK_NOTHROW(device.dispatch(copy, 8, 8, to, from));
  auto never = device.buffer<std::uint32_t>(64, "never");
  CHECK_THROWS_AS(device.dispatch(copy, 8, 8, to, never), KernelError);
}

TEST_CASE("races on several threads are refused together with what needs an order of everything") {
  const auto makes = [](auto change) {
    DeviceOptions options = racing();
    change(options);
    return [options] { Device device(options); };
  };
  CHECK_THROWS_AS(makes([](DeviceOptions& o) { o.memory = memory_policy("random"); })(), std::invalid_argument);
  CHECK_THROWS_AS(makes([](DeviceOptions& o) { o.race_advice = true; })(), std::invalid_argument);
  CHECK_THROWS_AS(makes([](DeviceOptions& o) { o.trace = "/tmp/heddle-never.trace"; })(), std::invalid_argument);
  CHECK_NOTHROW(makes([](DeviceOptions&) {})());
  CHECK_NOTHROW(makes([](DeviceOptions& o) {
    o.races = false;
    o.race_advice = true;
  })());
}
