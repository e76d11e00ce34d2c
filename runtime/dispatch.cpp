#include "runtime/scheduler.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

namespace heddle::runtime {

std::optional<Failure> launch(const Launch& launch, Statistics& statistics) {
  Dispatch dispatch;
  dispatch.launch = &launch;
  const uvec3 groups = launch.grid.groups;
  dispatch.groups = std::uint64_t{groups.x} * groups.y * groups.z;
  const auto workers = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(
      dispatch.groups, 1,
      launch.choice ? 1 : std::min(launch.workers, launch.resident_workgroups)));
  if (dispatch.groups != 0 && launch.grid.group_size != 0) {
    if (workers == 1) {
      Worker::of_thread().run(dispatch);
    } else {
      // Isolated: a thread that waits for the others must not pick up the caller's other tasks.
      oneapi::tbb::this_task_arena::isolate([&] {
        oneapi::tbb::parallel_for(
            std::uint32_t{0}, workers, [&](std::uint32_t) { Worker::of_thread().run(dispatch); },
            oneapi::tbb::simple_partitioner{});
      });
    }
  }
  statistics.workgroups = dispatch.groups_done.load();
  statistics.fibers = dispatch.fibers.load();
  statistics.resident_peak = dispatch.resident_peak.load();
  return std::move(dispatch.failure);
}

Coordinates coordinates(const Workgroup& group, std::uint32_t index) {
  const Grid& grid = *group.grid;
  Coordinates c;
  c.workgroup = group.id;
  c.local = grid.local_id(index);
  c.global = group.id * grid.local + c.local;
  const std::uint32_t position = grid.position(index);
  c.subgroup = position / grid.subgroup_size;
  c.lane = position % grid.subgroup_size;
  return c;
}

void kernel_threw(Workgroup& group, std::uint32_t index) {
  Worker::of_thread().kernel_threw(static_cast<Group&>(group), index);
}

void raise(Finding finding) {
  Worker::of_thread().fail({std::move(finding), nullptr});
  throw Unwind{};
}

std::size_t stack_high_water_bytes() { return StackPool::instance().high_water_bytes(); }

}  // namespace heddle::runtime
