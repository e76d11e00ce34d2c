#pragma once

/// \file
/// What both files of tests test: a look-back, a lock and a reduction, each right, and wrong in the
/// way in which people write it. Copy the tests, not these.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <cstdint>
#include <vector>

namespace testing_samples {

using heddle::MemorySemantics;
using heddle::Scope;
using heddle::StorageBuffer;
using heddle::Trial;

enum class LookBack : std::uint8_t {
  Right,
  /// The flag is stored without ordering the sum before it.
  RelaxedFlag,
  /// It takes the workgroup's number for its place: the workgroup before it need not have begun.
  NoTicket,
};

/// The lines of the look-back that race where the flag is relaxed.
inline constexpr std::uint32_t kSumReadLine = __LINE__ + 16;
inline constexpr std::uint32_t kSumWriteLine = kSumReadLine + 2;

/// Each workgroup adds its number to what the one before it passes on.
template <LookBack form>
constexpr auto look_back = [](auto& inv, StorageBuffer<std::uint32_t> auto ticket,
                              StorageBuffer<std::uint32_t> auto flags,
                              StorageBuffer<std::uint32_t> auto sums) {
  constexpr auto kRelaxed = MemorySemantics::Relaxed;
  constexpr auto kPublish = form == LookBack::RelaxedFlag ? kRelaxed : heddle::kReleaseBuffers;
  const std::uint32_t place = form == LookBack::NoTicket
                                  ? inv.workgroup_id().x
                                  : inv.atomic_i_increment(ticket[0], Scope::Device, kRelaxed);
  std::uint32_t before = 0;
  if (place > 0) {
    while (inv.atomic_load(flags[place - 1], Scope::Device, heddle::kAcquireBuffers) == 0) continue;
    before = sums.non_private()[place - 1];
  }
  sums.non_private()[place] = before + place;
  inv.atomic_store(flags[place], Scope::Device, kPublish, 1u);
};

/// The sum of 0 to 5, from six workgroups.
template <LookBack form>
std::uint32_t looked_back(Trial& trial) {
  constexpr std::uint32_t kGroups = 6;
  auto ticket = trial.device().buffer<std::uint32_t>({0}, "ticket");
  auto flags = trial.device().buffer(std::vector<std::uint32_t>(kGroups, 0), "flags");
  auto sums = trial.device().buffer(std::vector<std::uint32_t>(kGroups, 0), "sums");
  trial.device().dispatch(look_back<form>, {kGroups}, {1}, ticket, flags, sums);
  return sums.read()[kGroups - 1];
}

/// The line in which two workgroups race where the lock is given back without ordering anything.
inline constexpr std::uint32_t kCountLine = __LINE__ + 10;

/// Each workgroup adds one under a lock.
template <bool right>
constexpr auto add_under_lock =
    [](auto& inv, StorageBuffer<std::uint32_t> auto lock, StorageBuffer<std::uint32_t> auto count) {
      constexpr auto kUnlock = right ? heddle::kReleaseBuffers : MemorySemantics::Relaxed;
      while (inv.atomic_compare_exchange(lock[0], Scope::Device, heddle::kAcquireBuffers,
                                         MemorySemantics::Relaxed, 1u, 0u) != 0)
        continue;
      count.non_private()[0] = count.non_private()[0] + 1;
      inv.atomic_store(lock[0], Scope::Device, kUnlock, 0u);
    };

/// What four workgroups count to.
template <bool right>
std::uint32_t counted(Trial& trial) {
  auto lock = trial.device().buffer<std::uint32_t>({0}, "lock");
  auto count = trial.device().buffer<std::uint32_t>({0}, "count");
  trial.device().dispatch(add_under_lock<right>, {4}, {1}, lock, count);
  return count.read()[0];
}

inline constexpr std::uint32_t kSize = 64;
/// The line in which the reduction adds.
inline constexpr std::uint32_t kAddLine = __LINE__ + 13;

/// The sum of 64 elements in each workgroup. The wrong one leaves the last barriers out, since 32
/// invocations would be one subgroup, and in step: neither is so everywhere.
template <bool right>
constexpr auto reduce =
    [](auto& inv, StorageBuffer<std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out) {
      auto tile = heddle::workgroup<std::uint32_t[kSize]>(inv, "tile");
      const std::uint32_t i = inv.local_invocation_index();
      const std::uint32_t global = inv.global_invocation_id().x;
      tile[i] = global < in.size() ? static_cast<std::uint32_t>(in[global]) : 0u;
      inv.workgroup_barrier();
      for (std::uint32_t step = kSize / 2; step > 0; step /= 2) {
        if (i < step) tile[i] = tile[i] + tile[i + step];
        if (right || step > 16) inv.workgroup_barrier();
      }
      if (i == 0) out[inv.workgroup_id().x] = tile[0];
    };

/// The sum of all elements.
template <bool right>
std::uint32_t reduced(Trial& trial, const std::vector<std::uint32_t>& input) {
  if (input.empty()) return 0;
  const auto groups = static_cast<std::uint32_t>((input.size() + kSize - 1) / kSize);
  auto in = trial.device().buffer(input, "in");
  auto out = trial.device().buffer(std::vector<std::uint32_t>(groups, 0), "out");
  trial.device().dispatch(reduce<right>, {groups}, {kSize}, in, out);
  std::uint32_t sum = 0;
  for (const std::uint32_t part : out.read()) sum += part;
  return sum;
}

/// What `reduced` is to give.
inline std::uint32_t sum_of(const std::vector<std::uint32_t>& input) {
  std::uint32_t sum = 0;
  for (const std::uint32_t value : input) sum += value;
  return sum;
}

/// A reduction of 65 elements, whatever their sum.
template <bool right>
void reduces(Trial& trial) {
  (void)reduced<right>(trial, std::vector<std::uint32_t>(kSize + 1, 3));
}

}  // namespace testing_samples
