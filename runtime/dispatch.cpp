#include "runtime/scheduler.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
// TBB's library is built without ThreadSanitizer, which therefore does not see it hand tasks from
// thread to thread: what TBB's own headers do with them is no race. Only the innermost frame
// counts, and a function in which no kernel runs: races of kernels are reported.
[[gnu::weak]] const char* __tsan_default_suppressions() {
  return "race_top:oneapi/tbb/\nrace:tbb::detail::d1::fold_tree\n";
}
}

namespace heddle::runtime {

namespace {

/// What TBB runs on each of its threads.
struct RunWorker {
  Dispatch* dispatch;
  // Not instrumented: reads itself before ThreadSanitizer knows that it may.
  __attribute__((no_sanitize("thread"))) void operator()(std::uint32_t) const {
    if (__tsan_acquire) __tsan_acquire(dispatch);
    Worker::of_thread().run(*dispatch);
    if (__tsan_release) __tsan_release(dispatch);
  }
};

}  // namespace

[[gnu::hot]] std::unique_ptr<Failure> launch(const Launch& launch, Statistics& statistics) {
  const uvec3 size = launch.grid.groups;
  const std::uint64_t groups = std::uint64_t{size.x} * size.y * size.z;
  const auto workers = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      groups, 1, launch.choice ? 1 : std::min(launch.workers, launch.resident_workgroups)));
  Dispatch dispatch(launch, groups, workers);
  if (dispatch.groups != 0 && launch.grid.group_size != 0) {
    if (workers == 1) {
      Worker::of_thread().run(dispatch);
    } else {
      // Isolated: a thread that waits for the others must not pick up the caller's other tasks.
      if (__tsan_release) __tsan_release(&dispatch);
      oneapi::tbb::this_task_arena::isolate([&] {
        oneapi::tbb::parallel_for(std::uint32_t{0}, workers, RunWorker{&dispatch},
                                  oneapi::tbb::simple_partitioner{});
      });
      if (__tsan_acquire) __tsan_acquire(&dispatch);
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
