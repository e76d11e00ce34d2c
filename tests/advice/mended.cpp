// Programs in the shapes of real kernels, with one thing taken out or weakened each: the change that puts it back is
// the first one that is told, in nearly all.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <functional>
#include <string>
#include <vector>

using namespace heddle;
using u32 = std::uint32_t;

namespace {

constexpr Scope kDevice = Scope::Device;
constexpr Scope kGroup = Scope::Workgroup;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
constexpr MemorySemantics kReleaseAlone = MemorySemantics::Release | MemorySemantics::UniformMemory;

/// Messages through fences, one after the other. 1: without the releasing fence; 2: without the acquiring one.
template <int bug>
constexpr auto messages =
    [](auto& inv, StorageBuffer<u32> auto all, StorageBuffer<u32> auto flag, StorageBuffer<u32> auto out) {
      auto data = all.non_private();
      for (u32 round = 1; round <= 6; ++round) {
        if (inv.workgroup_id().x == 0) {
          data[round] = round;
          if constexpr (bug != 1) inv.memory_barrier(kDevice, kReleaseBuffers);
          inv.atomic_store(flag[round], kDevice, kRelaxed, 1u);
        } else {
          while (inv.atomic_load(flag[round], kDevice, kRelaxed) == 0) {
          }
          if constexpr (bug != 2) inv.memory_barrier(kDevice, kAcquireBuffers);
          out[round] = data[round];
        }
      }
    };

/// A scan of workgroups that look back at the one before. 1, 2: status written, read without an order; 3: without the
/// barrier behind it.
template <int bug>
constexpr auto looks_back =
    [](auto& inv, StorageBuffer<u32> auto all, StorageBuffer<u32> auto status, StorageBuffer<u32> auto out) {
      auto sums = all.non_private();
      auto base = inv.template workgroup<u32[1]>("base");
      const u32 me = inv.local_invocation_index();
      const u32 group = inv.workgroup_id().x;
      if (me == 0) {
        u32 sum = group + 1;
        if (group != 0) {
          while (inv.atomic_load(status[group - 1], kDevice, bug == 2 ? kRelaxed : kAcquireBuffers) == 0) {
          }
          sum += sums[group - 1];
        }
        sums[group] = sum;
        inv.atomic_store(status[group], kDevice, bug == 1 ? kRelaxed : kReleaseBuffers, 1u);
        base[0] = sum;
      }
      if constexpr (bug != 3) inv.control_barrier(kGroup, kGroup, kWorkgroupBarrier);
      out[group * 8 + me] = base[0];
    };

/// Producers fill slots of a queue that consumers empty. 1, 2: published, taken without an order; 3: a fence, 4: an
/// atomic that makes nothing available; 5: taken in too narrow a scope.
template <int bug>
constexpr auto queue =
    [](auto& inv, StorageBuffer<u32> auto all, StorageBuffer<u32> auto state, StorageBuffer<u32> auto out) {
      constexpr MemorySemantics kPublish = bug == 1 || bug == 3 ? kRelaxed : bug == 4 ? kReleaseAlone : kReleaseBuffers;
      constexpr MemorySemantics kTake = bug == 2 ? kRelaxed : kAcquireBuffers;
      auto slots = all.non_private();
      for (u32 k = 0; k < 3; ++k) {
        if (inv.workgroup_id().x % 2 == 0) {
          const u32 ticket = inv.atomic_i_add(state[0], kDevice, kRelaxed, 1u);
          slots[ticket] = 100 + ticket;
          if constexpr (bug == 3) inv.memory_barrier(kDevice, kReleaseAlone);
          inv.atomic_store(state[2 + ticket], kDevice, kPublish, 1u);
        } else {
          const u32 ticket = inv.atomic_i_add(state[1], kDevice, kRelaxed, 1u);
          while (inv.atomic_load(state[2 + ticket], bug == 5 ? kGroup : kDevice, kTake) == 0) {
          }
          out[ticket] = slots[ticket];
        }
      }
    };

/// A reduction by a tree. 1: without the barrier of the loop, 3: before it; 2: that one orders buffers alone.
template <int bug>
constexpr auto reduction =
    [](auto& inv, StorageBuffer<u32> auto in, StorageBuffer<u32> auto, StorageBuffer<u32> auto out) {
      auto tile = inv.template workgroup<u32[64]>("tile");
      const u32 me = inv.local_invocation_index();
      tile[me] = in[me];
      if constexpr (bug != 3) inv.control_barrier(kGroup, kGroup, bug == 2 ? kBufferBarrier : kWorkgroupBarrier);
      for (u32 half = 32; half > 0; half /= 2) {
        if (me < half) {
          tile[me] += tile[me + half];
        }
        if constexpr (bug != 1) inv.control_barrier(kGroup, kGroup, kWorkgroupBarrier);
      }
      if (me == 0) out[inv.workgroup_id().x] = tile[0];
    };

/// A persistent kernel that takes items. 1: the next one is written while others still read the last one.
template <int bug>
constexpr auto takes_items =
    [](auto& inv, StorageBuffer<u32> auto next, StorageBuffer<u32> auto, StorageBuffer<u32> auto out) {
      auto item = inv.template workgroup<u32[1]>("item");
      const u32 me = inv.local_invocation_index();
      while (true) {
        if (me == 0) item[0] = inv.atomic_i_add(next[0], kDevice, kRelaxed, 1u);
        inv.control_barrier(kGroup, kGroup, kWorkgroupBarrier);
        const u32 mine = item[0];
        if constexpr (bug != 1) inv.control_barrier(kGroup, kGroup, kWorkgroupBarrier);
        if (mine >= 20) break;
        out[me + inv.workgroup_id().x * 8] = mine;
      }
    };

/// The last workgroup sums up. 1, 2: without the fence before, behind the count; 3: the barrier does not pass it on.
template <int bug>
constexpr auto last_one =
    [](auto& inv, StorageBuffer<u32> auto all, StorageBuffer<u32> auto done, StorageBuffer<u32> auto out) {
      auto parts = all.non_private();
      auto is_last = inv.template workgroup<u32[1]>("is_last");
      const u32 me = inv.local_invocation_index();
      const u32 group = inv.workgroup_id().x;
      if (me == 0) {
        parts[group] = group;
        if constexpr (bug != 1) inv.memory_barrier(kDevice, kBufferBarrier);
        is_last[0] = inv.atomic_i_add(done[0], kDevice, kRelaxed, 1u) == 3;
        if constexpr (bug != 2) inv.memory_barrier(kDevice, kBufferBarrier);
      }
      inv.control_barrier(kGroup, kGroup, bug == 3 ? kWorkgroupBarrier : kWorkgroupBarrier | kBufferBarrier);
      if (is_last[0] != 0 && me < 4) out[me] = parts[me];
    };

/// Counts under a lock. 1: taken, 2: given up without an order.
template <int bug>
constexpr auto counts =
    [](auto& inv, StorageBuffer<u32> auto all, StorageBuffer<u32> auto lock, StorageBuffer<u32> auto) {
      for (int k = 0; k < 3; ++k) {
        while (inv.atomic_compare_exchange(lock[0], kDevice, bug == 1 ? kRelaxed : kAcquireBuffers, kRelaxed, 1u, 0u) !=
               0) {
        }
        all.non_private()[0] += 1;
        inv.atomic_store(lock[0], kDevice, bug == 2 ? kRelaxed : kReleaseBuffers, 0u);
      }
    };

/// Entries of a table become visible by their keys. 1: put in, 2: looked up without an order.
template <int bug>
constexpr auto table =
    [](auto& inv, StorageBuffer<u32> auto all, StorageBuffer<u32> auto keys, StorageBuffer<u32> auto out) {
      auto values = all.non_private();
      const u32 group = inv.workgroup_id().x;
      if (group % 2 == 0) {
        values[group] = 7 + group;
        inv.atomic_exchange(keys[group], kDevice, bug == 1 ? kRelaxed : kReleaseBuffers, 1u);
      } else {
        while (inv.atomic_i_add(keys[group - 1], kDevice, bug == 2 ? kRelaxed : kAcquireBuffers, 0u) == 0) {
        }
        out[group] = values[group - 1];
      }
    };

template <typename Kernel>
std::vector<DataRace> races_of(const Kernel& kernel, Extent groups, Extent size, std::uint64_t seed = 1) {
  DeviceOptions options;
  options.races = true;
  options.seed = seed;
  Device device(options);
  auto data = device.buffer(std::vector<u32>(256, 0), "data");
  auto flag = device.buffer(std::vector<u32>(256, 0), "flag");
  auto out = device.buffer(std::vector<u32>(256, 0), "out");
  try {
    device.dispatch(kernel, groups, size, data, flag, out);
  } catch (const KernelError&) {
    // A race may make a kernel fail: what it reads is not what it should be.
  }
  return device.races();
}

/// The first change of the first race; how far it is what would put back what is missing is said beside it.
struct Mistake {
  std::string name;
  std::function<std::vector<DataRace>()> races;
  std::string change;
};

const std::string kReleases = "the semantics Release | UniformMemory | MakeAvailable";
const std::string kAcquires = "the semantics Acquire | UniformMemory | MakeVisible";

const std::vector<Mistake>& mistakes() {
#define MISTAKE(kernel, bug, groups, size, change)                               \
  {                                                                              \
#kernel " " #bug, [] { return races_of(kernel<bug>, groups, size); }, change \
  }
  static const std::vector<Mistake> all = {
      MISTAKE(messages, 1, 2, 1, kReleases),
      MISTAKE(messages, 2, 2, 1, kAcquires),
      MISTAKE(looks_back, 1, 4, 8, kReleases),
      MISTAKE(looks_back, 2, 4, 8, kAcquires),
      MISTAKE(looks_back, 3, 4, 8, "put a control barrier"),
      MISTAKE(queue, 1, 4, 1, kReleases),
      MISTAKE(queue, 2, 4, 1, kAcquires),
      MISTAKE(queue, 3, 4, 1, "add MakeAvailable to the memory barrier"),
      MISTAKE(queue, 4, 4, 1, "add MakeAvailable to the atomic write"),
      MISTAKE(queue, 5, 4, 1, "widen the memory scope of the atomic read"),
      MISTAKE(reduction, 1, 2, 64, "put a control barrier"),
      MISTAKE(reduction, 2, 2, 64, "add WorkgroupMemory to the control barrier"),
      MISTAKE(reduction, 3, 2, 64, "put a control barrier"),
      MISTAKE(takes_items, 1, 2, 8, "put a control barrier"),
      MISTAKE(last_one, 1, 4, 8, kReleases),
      MISTAKE(last_one, 2, 4, 8, kAcquires),
      MISTAKE(last_one, 3, 4, 8, "add UniformMemory to the control barrier"),
      MISTAKE(counts, 1, 3, 1, kAcquires),
      MISTAKE(counts, 2, 3, 1, kReleases),
      MISTAKE(table, 1, 4, 1, kReleases),
      MISTAKE(table, 2, 4, 1, kAcquires),
  };
#undef MISTAKE
  return all;
}

}  // namespace

TEST_CASE("the first change of a race puts back what was taken out, in at least nine of ten shapes of kernels") {
  std::size_t right = 0;
  for (const Mistake& mistake : mistakes()) {
    const std::vector<DataRace> races = mistake.races();
    INFO(mistake.name);
    REQUIRE_FALSE(races.empty());
    const std::string first = races[0].changes.empty() ? "none: " + races[0].no_change : races[0].changes[0];
    const bool is_first = first.find(mistake.change) != std::string::npos;
    right += is_first ? 1 : 0;
    if (!is_first) WARN(mistake.name << ": " << first);
  }
  CHECK(10 * right >= 9 * mistakes().size());
}

TEST_CASE("kernels of these shapes with nothing taken out have no race") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CHECK(races_of(messages<0>, 2, 1, seed).empty());
    CHECK(races_of(looks_back<0>, 4, 8, seed).empty());
    CHECK(races_of(queue<0>, 4, 1, seed).empty());
    CHECK(races_of(reduction<0>, 2, 64, seed).empty());
    CHECK(races_of(takes_items<0>, 2, 8, seed).empty());
    CHECK(races_of(last_one<0>, 4, 8, seed).empty());
    CHECK(races_of(counts<0>, 3, 1, seed).empty());
    CHECK(races_of(table<0>, 4, 1, seed).empty());
  }
}
