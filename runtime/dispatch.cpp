#include "runtime/code_place.h"
#include "runtime/scheduler.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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

// Every program has this file, and with it what gdb reads when it loads the program: scripts in Python (4), each with
// its name and its text. The second one needs the first.
#ifdef HEDDLE_GDB_SCRIPTS
#define HEDDLE_GDB_SCRIPT(name) \
  ".byte 4\n.ascii \"" name "\\n\"\n.incbin \"" HEDDLE_GDB_SCRIPTS "/" name "\"\n.byte 0\n"
asm(".pushsection \".debug_gdb_scripts\", \"MS\",@progbits,1\n" HEDDLE_GDB_SCRIPT("heddle-gdb.py")
        HEDDLE_GDB_SCRIPT("heddle-invocations.py") ".popsection");
#endif

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

/// A trap has no place of its own: debug information may know it.
void look_up_trap(Failure& failure) {
  if (!failure.trapped_at || failure.finding.where.line != 0) return;
  if (const auto place = place_in_kernel(failure.trapped_at, failure.calls.return_addresses())) {
    failure.finding.where = *place;
  } else {
    failure.finding.message += " (the line is known if the program is compiled with -g, and binutils is installed)";
  }
}

void look_up_calls(Failure& failure) {
  Finding& finding = failure.finding;
  if (finding.calls.empty() && finding.where.line != 0) finding.calls = calls_to(finding.where, failure.calls);
}

}  // namespace

[[gnu::hot]] std::unique_ptr<Failure> launch(const Launch& launch, Statistics& statistics) {
  keep_reserve();
  const uvec3 size = launch.grid.groups;
  const std::uint64_t groups = std::uint64_t{size.x} * size.y * size.z;
  const auto workers = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(groups, 1, launch.choice ? 1 : std::min(launch.workers, launch.resident_workgroups)));
  Dispatch dispatch(launch, groups, workers);
  if (dispatch.groups != 0 && launch.grid.group_size != 0) {
    if (workers == 1) {
      Worker::of_thread().run(dispatch);
    } else {
      // Isolated: a thread that waits for the others must not pick up the caller's other tasks.
      if (__tsan_release) __tsan_release(&dispatch);
      oneapi::tbb::this_task_arena::isolate([&] {
        oneapi::tbb::parallel_for(std::uint32_t{0}, workers, RunWorker{&dispatch}, oneapi::tbb::simple_partitioner{});
      });
      if (__tsan_acquire) __tsan_acquire(&dispatch);
    }
  }
  statistics.workgroups = dispatch.groups_done.load();
  statistics.fibers = dispatch.fibers.load();
  statistics.resident_peak = dispatch.resident_peak.load();
  if (dispatch.failure) {
    look_up_trap(*dispatch.failure);
    look_up_calls(*dispatch.failure);
  }
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

// All invocations ask for the same variables in the same order: the first one that comes to a variable comes past the
// mark. Workgroups of one dispatch that follow each other here differ in their numbers.
void zero_once(Workgroup& group, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  if (group.zeroed_id != group.id) {
    group.zeroed_id = group.id;
    group.zeroed_bytes = 0;
  }
  if (offset_bytes < group.zeroed_bytes) return;
  std::memset(group.memory + offset_bytes, 0, size_bytes);
  group.zeroed_bytes = offset_bytes + size_bytes;
}

std::byte* region_memory(std::uint32_t ordinal, std::uint64_t size_bytes) {
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  struct Room {
    std::unique_ptr<std::byte, Free> bytes;
    std::uint64_t size_bytes = 0;
  };
  constinit thread_local std::vector<Room>* rooms = nullptr;
  struct Owner {
    ~Owner() { delete std::exchange(rooms, nullptr); }
  };
  if (!rooms) {
    thread_local Owner owner;
    // A dispatch in a destructor may come behind the owner's: the thread ends, and nobody ends these.
    rooms = new std::vector<Room>;
  }
  if (rooms->size() <= ordinal) rooms->resize(ordinal + 1);
  Room& room = (*rooms)[ordinal];
  if (room.size_bytes < size_bytes) {
    constexpr std::uint64_t kLine = 64;
    const std::uint64_t rounded = (size_bytes + kLine - 1) / kLine * kLine;
    room.bytes.reset(static_cast<std::byte*>(std::aligned_alloc(kLine, rounded)));
    if (!room.bytes) throw std::bad_alloc();
    room.size_bytes = rounded;
  }
  return room.bytes.get();
}

void raise(Finding finding) {
  Worker::of_thread().fail({std::move(finding), nullptr, nullptr, CallStack::here()});
  throw Unwind{};
}

void cut_off(const char* why) {
  Failure failure;
  failure.finding.message = why;
  failure.cut_off = true;
  Worker::of_thread().fail(std::move(failure));
  throw Unwind{};
}

std::size_t stack_high_water_bytes() {
  return StackPool::instance().high_water_bytes();
}

}  // namespace heddle::runtime
