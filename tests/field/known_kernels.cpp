// Kernels of public programs with the mistake that they had, at the size at which it once stayed hidden.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <heddle/explore.h>
#include <heddle/heddle.h>

namespace heddle {
namespace {

using U32 = std::uint32_t;
constexpr auto kBoth = kWorkgroupBarrier | kBufferBarrier;

/// A kernel that is right fails under none of as many seeds.
constexpr std::uint64_t kSeedsIfRight = 200;

/// Whether one of the seeds of one of the two policies fails.
template <typename Test>
bool shows(const Test& test, std::uint64_t seeds = 1000) {
  for (const char* policy : {"random", "adversarial"}) {
    SeedOptions options;
    options.print_to = nullptr;
    options.replay_file = "";
    options.shrink_budget = std::chrono::milliseconds(0);
    options.device.memory = memory_policy(policy);
    if (explore_seeds(test, seeds, options).failed()) return true;
  }
  return false;
}

/// The last workgroup adds up what each wrote. The ticket is ordered on one side alone, if at all.
constexpr auto last_block = [](auto& inv, bool before, bool behind, StorageBuffer<U32> auto all_parts,
                               StorageBuffer<U32> auto ticket) {
  const auto parts = all_parts.non_private();
  auto is_last = workgroup<U32>(inv, "is_last");
  const U32 i = inv.local_invocation_index();
  if (i == 0) {
    parts[inv.workgroup_id().x] = 1u;
    if (before) inv.memory_barrier(Scope::Device, kBoth);
    const U32 ticket_of_this = inv.atomic_i_increment(ticket[0], Scope::Device, MemorySemantics::Relaxed);
    is_last = ticket_of_this == inv.num_workgroups().x - 1 ? 1u : 0u;
    if (behind) inv.memory_barrier(Scope::Device, kBoth);
  }
  inv.workgroup_barrier(kBoth);
  if (is_last == 0u || i != 0) return;
  U32 sum = 0;
  for (U32 part = 0; part < inv.num_workgroups().x; ++part) sum += parts[part];
  parts[0] = sum;
};

bool last_block_shows(bool before, bool behind, std::uint64_t seeds = 1000) {
  const auto last_block_is_right = [&](Trial& trial) {
    auto parts = trial.device().buffer(std::vector<U32>(8, 0u), "parts");
    auto ticket = trial.device().buffer(std::vector<U32>(1, 0u), "ticket");
    trial.device().dispatch(last_block, {8}, {128}, before, behind, parts, ticket);
    trial.require(parts.read()[0] == 8, "the sum is wrong");
  };
  return shows(last_block_is_right, seeds);
}

/// Each workgroup adds what it has to what the one before it had, digit by digit.
constexpr auto look_back = [](auto& inv, U32 digits, Scope scope, MemorySemantics give, MemorySemantics take,
                              StorageBuffer<U32> auto all_sums, StorageBuffer<U32> auto flags) {
  const auto sums = all_sums.non_private();
  const U32 group = inv.workgroup_id().x;
  const U32 digit = inv.local_invocation_index();
  inv.workgroup_barrier(kBoth);
  if (digit < digits) {
    U32 before = 0;
    if (group != 0) {
      const U32 last = (group - 1) * digits + digit;
      while (inv.atomic_load(flags[last], dynamic(scope), dynamic(take)) == 0) {
      }
      before = sums[last];
    }
    sums[group * digits + digit] = before + 1;
    inv.atomic_store(flags[group * digits + digit], dynamic(scope), dynamic(give), 1u);
  }
  inv.workgroup_barrier(kBoth);
};

bool look_back_shows(U32 size, U32 digits, Scope scope, MemorySemantics give, MemorySemantics take,
                     std::uint64_t seeds = 1000) {
  const auto sums_are_right = [&](Trial& trial) {
    constexpr U32 kGroups = 8;
    auto sums = trial.device().buffer(std::vector<U32>(kGroups * digits, 0u), "sums");
    auto flags = trial.device().buffer(std::vector<U32>(kGroups * digits, 0u), "flags");
    trial.device().dispatch(look_back, {kGroups}, {size}, digits, scope, give, take, sums, flags);
    const std::vector<U32> found = sums.read();
    for (U32 digit = 0; digit < digits; ++digit)
      trial.require(found[(kGroups - 1) * digits + digit] == kGroups, "a sum is wrong");
  };
  return shows(sums_are_right, seeds);
}

/// Keys of two workgroups meet in the slots of a table, which are looked at first and taken then.
constexpr auto check_then_act = [](auto& inv, StorageBuffer<U32> auto keys) {
  const U32 key = 1 + inv.global_invocation_id().x;
  for (U32 probe = 0; probe < keys.size(); ++probe) {
    const U32 slot = static_cast<U32>((key % 32 + probe) % keys.size());
    if (inv.atomic_load(keys[slot], Scope::Device, MemorySemantics::Relaxed) != 0) continue;
    inv.atomic_store(keys[slot], Scope::Device, MemorySemantics::Relaxed, key);
    return;
  }
};

/// One invocation of a subgroup counts it, and the first of all sets the count to zero before, with no barrier behind
/// it.
constexpr auto counts_too_early = [](auto& inv, bool waits, StorageBuffer<U32> auto out) {
  auto count = workgroup<U32>(inv, "count");
  const U32 i = inv.local_invocation_index();
  if (i == 0) count = 0u;
  if (waits) inv.workgroup_barrier();
  if (inv.group_non_uniform_elect()) inv.atomic_i_add(count, Scope::Workgroup, MemorySemantics::Relaxed, 1u);
  inv.workgroup_barrier();
  if (i != 0) return;
  out[0] = count;
  out[1] = inv.num_subgroups();
};

bool count_shows(bool waits) {
  const auto test = [&](Trial& trial) {
    auto out = trial.device().buffer(std::vector<U32>(2, 0u), "out");
    trial.device().dispatch(counts_too_early, {1}, {128}, waits, out);
    trial.require(out.read()[0] == out.read()[1], "the count is wrong");
  };
  return shows(test, waits ? 100 : 1000);
}

/// A message in Workgroup memory by a flag in a buffer, with fences of these semantics.
constexpr auto message = [](auto& inv, bool has_met, MemorySemantics fence, StorageBuffer<U32> auto flag,
                            StorageBuffer<U32> auto stale) {
  auto data = workgroup<U32[1]>(inv, "data", kZeroed);
  if (has_met) inv.workgroup_barrier();
  if (inv.local_invocation_index() == 0) {
    data[0] = 1u;
    inv.memory_barrier(Scope::Device, dynamic(fence));
    inv.atomic_store(flag[0], Scope::Device, MemorySemantics::Relaxed, 1u);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
    inv.memory_barrier(Scope::Device, dynamic(fence));
    if (data[0] == 0u) stale[0] = 1u;
  }
};

bool message_shows(MemorySemantics fence) {
  return shows([&](Trial& trial) {
    auto flag = trial.device().buffer(std::vector<U32>(1, 0u), "flag");
    auto stale = trial.device().buffer(std::vector<U32>(1, 0u), "stale");
    trial.device().dispatch(message, {1}, {2}, false, fence, flag, stale);
    trial.require(stale.read()[0] == 0, "the message is stale");
  });
}

bool message_races(MemorySemantics fence) {
  DeviceOptions options;
  options.races = true;
  Device device(options);
  auto flag = device.buffer(std::vector<U32>(1, 0u), "flag");
  auto stale = device.buffer(std::vector<U32>(1, 0u), "stale");
  device.dispatch(message, {1}, {2}, true, fence, flag, stale);
  return !device.races().empty();
}

}  // namespace

TEST_CASE("a last block whose ticket does not release, or does not acquire, is wrong under a seed at 8 x 128") {
  CHECK(last_block_shows(false, true));
  CHECK(last_block_shows(true, false));
  CHECK(last_block_shows(false, false));
  CHECK_FALSE(last_block_shows(true, true, kSeedsIfRight));
}

TEST_CASE("a prefix sum without its fences is wrong under a seed at 8 x 32") {
  CHECK(look_back_shows(32, 1, Scope::Device, MemorySemantics::Relaxed, MemorySemantics::Relaxed));
  CHECK_FALSE(look_back_shows(32, 1, Scope::Device, kReleaseBuffers, kAcquireBuffers, kSeedsIfRight));
}

TEST_CASE("Workgroup scope in the look-back of a radix sort is wrong under a seed, whatever the workgroup's size") {
  for (const U32 size : {32u, 128u})
    CHECK(look_back_shows(size, 16, Scope::Workgroup, kReleaseBuffers, kAcquireBuffers));
  CHECK_FALSE(look_back_shows(128, 16, Scope::Device, kReleaseBuffers, kAcquireBuffers, kSeedsIfRight));
}

TEST_CASE("a hash table that checks and then acts loses a key under a seed, however many workgroups are resident") {
  CHECK(shows([](Trial& trial) {
    auto keys = trial.device().buffer(std::vector<U32>(256, 0u), "keys");
    trial.device().dispatch(check_then_act, {8}, {16}, keys);
    U32 there = 0;
    for (const U32 key : keys.read()) there += key != 0 ? 1 : 0;
    trial.require(there == 128, "a key is lost");
  }));
}

TEST_CASE("a count that may begin before it is set to zero is wrong under a seed") {
  CHECK(count_shows(false));
  CHECK_FALSE(count_shows(true));
}

// emulator/memory/LIMITS.md says why such a message is never stale where its workgroup has met at a barrier.
TEST_CASE(
    "a message in Workgroup memory behind fences of buffers is stale under a seed, and races behind a barrier, too") {
  CHECK(message_shows(kBufferBarrier));
  CHECK_FALSE(message_shows(kBoth));
  CHECK(message_races(kBufferBarrier));
  CHECK_FALSE(message_races(kBoth));
}

}  // namespace heddle
