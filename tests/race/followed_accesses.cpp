// Accesses that others of the workgroup followed after a barrier, in runs too long to remember each access: another
// workgroup, which knows of none of them, races with them all the same.
#include <catch2/catch.hpp>

#include <heddle/heddle.h>

using namespace heddle;

namespace {

constexpr std::uint32_t kSize = 64;
constexpr std::uint32_t kWorkgroups = 4;
constexpr Scope kDevice = Scope::Device;
constexpr Scope kWorkgroup = Scope::Workgroup;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

/// So many accesses that none of the later ones is remembered for itself.
constexpr auto run_long = [](auto& inv, StorageBuffer<std::uint32_t> auto own) {
  for (std::uint32_t k = 0; k < 16; ++k) own[inv.global_invocation_id().x * 16 + k] = k;
};

enum class Twin { Wrong, Right };
enum class Before { PlainZero, NarrowUpdate };

template <Before before, Twin twin>
constexpr auto counts = [](auto& inv, StorageBuffer<std::uint32_t> auto own, StorageBuffer<std::uint32_t> auto all,
                           StorageBuffer<std::uint32_t> auto) {
  run_long(inv, own);
  auto element = all[inv.local_invocation_index()];
  if (inv.workgroup_id().x == 0) {
    if constexpr (twin == Twin::Right) {
      inv.atomic_store(element, kDevice, kRelaxed, 0u);
    } else if constexpr (before == Before::PlainZero) {
      all.non_private()[inv.local_invocation_index()] = 0;
    } else {
      inv.atomic_i_add(element, kWorkgroup, kRelaxed, 1u);
    }
  }
  inv.control_barrier(kWorkgroup, kWorkgroup, kBufferBarrier);
  inv.atomic_i_add(element, kDevice, kRelaxed, 1u);
};

enum class Produced { Plainly, ByAtomics };

/// The first workgroup produces, and several of its invocations read each element; the others come later.
template <Produced produced, Twin twin>
constexpr auto produces = [](auto& inv, StorageBuffer<std::uint32_t> auto own, StorageBuffer<std::uint32_t> auto all,
                             StorageBuffer<std::uint32_t> auto flag) {
  run_long(inv, own);
  const std::uint32_t i = inv.local_invocation_index();
  auto data = all.non_private();
  std::uint32_t sum = 0;
  if (inv.workgroup_id().x == 0) {
    if constexpr (produced == Produced::Plainly) {
      data[i] = 7;
    } else {
      inv.atomic_i_add(all[i], kDevice, kRelaxed, 7u);
      inv.atomic_i_add(all[(i + 5) % kSize], kDevice, kRelaxed, 7u);
    }
    inv.control_barrier(kWorkgroup, kWorkgroup, kBufferBarrier);
    for (std::uint32_t k = 0; k < 4; ++k) sum += data[(i + k) % kSize];
    inv.control_barrier(kWorkgroup, kWorkgroup, kBufferBarrier);
    if (i == 0) inv.atomic_store(flag[0], kDevice, twin == Twin::Right ? kReleaseBuffers : kRelaxed, 1u);
  } else {
    while (inv.atomic_load(flag[0], kDevice, twin == Twin::Right ? kAcquireBuffers : kRelaxed) == 0) {
    }
    sum = data[i];
  }
  own[inv.global_invocation_id().x * 16] = sum;
};

/// The first invocation acquires what another workgroup wrote, and all write after a barrier.
template <Twin twin>
constexpr auto leads = [](auto& inv, StorageBuffer<std::uint32_t> auto own, StorageBuffer<std::uint32_t> auto all,
                          StorageBuffer<std::uint32_t> auto flag) {
  run_long(inv, own);
  const std::uint32_t i = inv.local_invocation_index();
  auto data = all.non_private();
  if (inv.workgroup_id().x == 0) {
    data[i] = 1;
    inv.control_barrier(kWorkgroup, kWorkgroup, kBufferBarrier);
    if (i == 0) inv.atomic_store(flag[0], kDevice, kReleaseBuffers, 1u);
  } else if (inv.workgroup_id().x == 1) {
    if (i == 0)
      while (inv.atomic_load(flag[0], kDevice, kAcquireBuffers) == 0) {
      }
    inv.control_barrier(kWorkgroup, kWorkgroup, twin == Twin::Right ? kBufferBarrier : kWorkgroupBarrier);
    data[i] = 2;
  }
};

/// Several invocations read what one wrote before a barrier, and one of them writes it again.
template <Twin twin>
constexpr auto rereads = [](auto& inv, StorageBuffer<std::uint32_t> auto own, StorageBuffer<std::uint32_t> auto all,
                            StorageBuffer<std::uint32_t> auto) {
  run_long(inv, own);
  if (inv.workgroup_id().x != 0) return;
  const std::uint32_t i = inv.local_invocation_index();
  auto data = all.non_private();
  data[i] = i;
  inv.control_barrier(kWorkgroup, kWorkgroup, kBufferBarrier);
  std::uint32_t sum = 0;
  for (std::uint32_t k = 0; k < 4; ++k) sum += data[(i + k) % kSize];
  if constexpr (twin == Twin::Right) inv.control_barrier(kWorkgroup, kWorkgroup, kBufferBarrier);
  data[i] = sum;
};

/// In how many of a few runs the twin races.
template <auto kernel>
std::uint32_t racing_runs(bool parallel) {
  std::uint32_t racing = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    DeviceOptions options;
    options.races = true;
    options.races_parallel = parallel;
    if (!parallel) options.seed = seed;
    Device device(options);
    auto own = device.buffer(std::vector<std::uint32_t>(kWorkgroups * kSize * 16, 0u), "own");
    auto all = device.buffer(std::vector<std::uint32_t>(kSize, 0u), "all");
    auto flag = device.buffer({0u}, "flag");
    device.dispatch(kernel, kWorkgroups, kSize, own, all, flag);
    racing += device.races().empty() ? 0 : 1;
  }
  return racing;
}

}  // namespace

//= vk:memory-model-access-data-race type=test
TEST_CASE("in a long run, too, atomics of others race with what a workgroup wrote before atomics of its own") {
  const bool parallel = GENERATE(false, true);
  CHECK(racing_runs<counts<Before::PlainZero, Twin::Wrong>>(parallel) == 5);
  CHECK(racing_runs<counts<Before::PlainZero, Twin::Right>>(parallel) == 0);
}

//= vk:memory-model-atomic-operation type=test
TEST_CASE("in a long run, too, atomics of others race with those of a narrower scope before atomics of the workgroup") {
  const bool parallel = GENERATE(false, true);
  CHECK(racing_runs<counts<Before::NarrowUpdate, Twin::Wrong>>(parallel) == 5);
  CHECK(racing_runs<counts<Before::NarrowUpdate, Twin::Right>>(parallel) == 0);
}

TEST_CASE("in a long run, too, reads of others race with what a workgroup wrote and has read since") {
  const bool parallel = GENERATE(false, true);
  CHECK(racing_runs<produces<Produced::Plainly, Twin::Wrong>>(parallel) == 5);
  CHECK(racing_runs<produces<Produced::Plainly, Twin::Right>>(parallel) == 0);
  CHECK(racing_runs<produces<Produced::ByAtomics, Twin::Wrong>>(parallel) == 5);
  CHECK(racing_runs<produces<Produced::ByAtomics, Twin::Right>>(parallel) == 0);
}

//= vk:memory-model-inter-thread-happens-before type=test
TEST_CASE("what a leader acquired its workgroup does not learn by a barrier that lacks the storage class") {
  const bool parallel = GENERATE(false, true);
  CHECK(racing_runs<leads<Twin::Wrong>>(parallel) == 5);
  CHECK(racing_runs<leads<Twin::Right>>(parallel) == 0);
}

TEST_CASE("in a long run, too, a write races with the reads of the workgroup since the last barrier") {
  const bool parallel = GENERATE(false, true);
  CHECK(racing_runs<rereads<Twin::Wrong>>(parallel) == 5);
  CHECK(racing_runs<rereads<Twin::Right>>(parallel) == 0);
}
