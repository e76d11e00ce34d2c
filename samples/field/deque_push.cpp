// The owner's and the thief's end of a work-stealing deque: push writes the task and moves the
// tail, steal sees the tail and reads the task. Without a fence on either side a thief takes a task
// that is not there yet.
#include "mistake.h"

using namespace heddle;

template <bool fences>
constexpr auto push_and_steal = [](auto& inv, StorageBuffer<std::uint32_t> auto tasks,
                                   StorageBuffer<std::uint32_t> auto ends,
                                   StorageBuffer<std::uint32_t> auto done) {
  const std::uint32_t count = inv.num_workgroups().x - 1;
  if (inv.workgroup_id().x == 0) {
    for (std::uint32_t task = 0; task < count; ++task) {
      tasks.non_private()[task] = task + 1;
      if constexpr (fences) inv.memory_barrier(Scope::Device, kReleaseBuffers);
      inv.atomic_store(ends[1], Scope::Device, MemorySemantics::None, task + 1);
    }
    return;
  }
  while (true) {
    const std::uint32_t head = inv.atomic_load(ends[0], Scope::Device, MemorySemantics::None);
    if (inv.atomic_load(ends[1], Scope::Device, MemorySemantics::None) <= head) continue;
    if constexpr (fences) inv.memory_barrier(Scope::Device, kAcquireBuffers);
    const std::uint32_t task = tasks.non_private()[head];
    if (inv.atomic_compare_exchange(ends[0], Scope::Device, MemorySemantics::None,
                                    MemorySemantics::None, head + 1, head) != head)
      continue;
    done[head] = task;
    return;
  }
};

template <bool fences>
void test(Trial& trial) {
  const std::uint32_t count = trial.workgroups(3);
  auto tasks = trial.device().buffer(std::vector<std::uint32_t>(count, 0), "tasks");
  auto ends = trial.device().buffer(std::vector<std::uint32_t>(2, 0), "ends");
  auto done = trial.device().buffer(std::vector<std::uint32_t>(count, 0), "done");
  trial.device().dispatch(push_and_steal<fences>, {count + 1}, {1}, tasks, ends, done);
  const std::vector<std::uint32_t> found = done.read();
  for (std::uint32_t i = 0; i < count; ++i)
    trial.require(found[i] == i + 1,
                  "task " + std::to_string(i) + " was stolen as " + std::to_string(found[i]));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A deque without fences", test<false>, test<true>);
}
