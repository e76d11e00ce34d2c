// Algorithms in which workgroups hand each other data by atomics that release and acquire.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "tests/race/planted/planted.h"

using namespace heddle;
using namespace heddle::planted;

namespace {

constexpr std::uint32_t kGroups = 4;
constexpr MemorySemantics kRelaxed = MemorySemantics::None;
// Where a bug makes a wait hopeless: there is no promise that an atomic of a narrow scope ever arrives.
constexpr std::uint32_t kPatience = 200;
bool hopeless(Bug bug) {
  return bug == Bug::ScopeNarrowed || bug == Bug::Plain;
}

const std::initializer_list<Bug> kMessageBugs = {Bug::Relaxed,      Bug::RelaxedAcquire, Bug::NotAvailable,
                                                 Bug::NotVisible,   Bug::ScopeNarrowed,  Bug::WrongStorageClass,
                                                 Bug::PrivateAccess};

// Each workgroup adds its number to the sum of those before it.
constexpr auto look_back = [](auto& inv, StorageBuffer<std::uint32_t> auto flags,
                              StorageBuffer<std::uint32_t> auto sums, Bug bug) {
  const std::uint32_t group = inv.workgroup_id().x;
  std::uint32_t before = 0;
  if (group > 0) {
    std::uint32_t tries = 0;
    while (inv.atomic_load(flags[group - 1], message_scope(bug), acquire_semantics(bug)) == 0)
      if (hopeless(bug) && ++tries == kPatience) break;
    before = shared(sums, bug)[group - 1];
  }
  shared(sums, bug)[group] = before + group + 1;
  inv.atomic_store(flags[group], message_scope(bug), release_semantics(bug), 1);
};

bool run_look_back(Device& device, Bug bug) {
  auto flags = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "flags");
  auto sums = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "sums");
  device.dispatch(look_back, kGroups, 1, flags, sums, bug);
  return sums.read()[kGroups - 1] == kGroups * (kGroups + 1) / 2;
}

// One workgroup produces, the others take what they find, each item once.
constexpr auto work_queue = [](auto& inv, StorageBuffer<std::uint32_t> auto items,
                               StorageBuffer<std::uint32_t> auto tail, StorageBuffer<std::uint32_t> auto head,
                               StorageBuffer<std::uint32_t> auto done, Bug bug) {
  const auto count = static_cast<std::uint32_t>(items.size());
  if (inv.workgroup_id().x == 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      shared(items, bug)[i] = 10 + i;
      inv.atomic_store(tail[0], message_scope(bug), release_semantics(bug), i + 1);
    }
    return;
  }
  while (true) {
    const std::uint32_t mine = inv.atomic_i_increment(head[0], Scope::Device, kRelaxed);
    if (mine >= count) return;
    std::uint32_t tries = 0;
    while (inv.atomic_load(tail[0], message_scope(bug), acquire_semantics(bug)) <= mine)
      if (hopeless(bug) && ++tries == kPatience) break;
    done[mine] = shared(items, bug)[mine].load();
  }
};

bool run_work_queue(Device& device, Bug bug) {
  auto items = device.buffer(std::vector<std::uint32_t>(5, 0), "items");
  auto tail = device.buffer(std::vector<std::uint32_t>(1, 0), "tail");
  auto head = device.buffer(std::vector<std::uint32_t>(1, 0), "head");
  auto done = device.buffer(std::vector<std::uint32_t>(5, 0), "done");
  device.dispatch(work_queue, 3, 1, items, tail, head, done, bug);
  return done.read() == std::vector<std::uint32_t>{10, 11, 12, 13, 14};
}

// A list of nodes, at whose head every workgroup puts its own under a lock.
constexpr auto locked_list = [](auto& inv, StorageBuffer<std::uint32_t> auto lock,
                                StorageBuffer<std::uint32_t> auto head, StorageBuffer<std::uint32_t> auto next,
                                Bug bug) {
  const std::uint32_t group = inv.workgroup_id().x;
  if (bug != Bug::GuardRemoved) {
    std::uint32_t tries = 0;
    while (inv.atomic_compare_exchange(lock[0], message_scope(bug), acquire_semantics(bug), kRelaxed, 1, 0) != 0)
      if (hopeless(bug) && ++tries == kPatience) break;
  }
  next[group] = shared(head, bug)[0].load();
  shared(head, bug)[0] = group + 1;
  if (bug == Bug::Plain) {
    lock[0] = 0u;
  } else {
    inv.atomic_store(lock[0], message_scope(bug), release_semantics(bug), 0);
  }
};

bool run_locked_list(Device& device, Bug bug) {
  auto lock = device.buffer(std::vector<std::uint32_t>(1, 0), "lock");
  auto head = device.buffer(std::vector<std::uint32_t>(1, 0), "head");
  auto next = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "next");
  device.dispatch(locked_list, kGroups, 1, lock, head, next, bug);
  const std::vector<std::uint32_t> links = next.read();
  std::uint32_t length = 0;
  for (std::uint32_t node = head.read()[0]; node != 0 && length <= kGroups; ++length) node = links[node - 1];
  return length == kGroups;
}

// Every workgroup leaves its sum; the one that counts as the last adds them up.
constexpr auto last_one_adds = [](auto& inv, StorageBuffer<std::uint32_t> auto sums,
                                  StorageBuffer<std::uint32_t> auto arrived, StorageBuffer<std::uint32_t> auto total,
                                  Bug bug) {
  const std::uint32_t group = inv.workgroup_id().x;
  shared(sums, bug)[group] = group + 1;
  MemorySemantics order = kBufferBarrier;
  if (bug == Bug::Relaxed) order = kAcquireBuffers;
  if (bug == Bug::RelaxedAcquire) order = kReleaseBuffers;
  if (bug == Bug::WrongStorageClass)
    order = MemorySemantics::AcquireRelease | MemorySemantics::ImageMemory | MemorySemantics::MakeAvailable |
            MemorySemantics::MakeVisible;
  if (bug == Bug::NotAvailable)
    order = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;
  if (bug == Bug::NotVisible)
    order = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
  std::uint32_t before = 0;
  if (bug == Bug::Plain) {
    before = arrived[0];
    arrived[0] = before + 1;
  } else {
    before = inv.atomic_i_increment(arrived[0], message_scope(bug), Dynamic<MemorySemantics>{order});
  }
  if (before + 1 != inv.num_workgroups().x) return;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < inv.num_workgroups().x; ++i) sum += shared(sums, bug)[i];
  total[0] = sum;
};

bool run_last_one_adds(Device& device, Bug bug) {
  auto sums = device.buffer(std::vector<std::uint32_t>(kGroups, 0), "sums");
  auto arrived = device.buffer(std::vector<std::uint32_t>(1, 0), "arrived");
  auto total = device.buffer(std::vector<std::uint32_t>(1, 0), "total");
  device.dispatch(last_one_adds, kGroups, 1, sums, arrived, total, bug);
  return total.read()[0] == kGroups * (kGroups + 1) / 2;
}

}  // namespace

TEST_CASE("a look-back has no race but for the planted ones") {
  check_clean(run_look_back);
  check_race(run_look_back, kMessageBugs);
}

TEST_CASE("a work queue has no race but for the planted ones") {
  check_clean(run_work_queue);
  check_race(run_work_queue, kMessageBugs);
}

TEST_CASE("a list under a lock has no race but for the planted ones") {
  check_clean(run_locked_list);
  check_race(run_locked_list, kMessageBugs);
  check_race(run_locked_list, {Bug::Plain, Bug::GuardRemoved});
}

TEST_CASE("a sum by the last one has no race but for the planted ones") {
  check_clean(run_last_one_adds);
  check_race(run_last_one_adds, kMessageBugs);
  check_race(run_last_one_adds, {Bug::Plain});
}
