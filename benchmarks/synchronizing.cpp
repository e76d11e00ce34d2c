/// What looking for races costs where workgroups wait for each other: emulated/ and checked/, of polling/<items>,
/// lock/<times> and queue/<items>. Twice the size should take twice as long. And what acquires cost on a policy with
/// shared copies: copies/polling/<items>. Of what a whole workgroup does by itself: shapes/fences_by_all/<invocations>,
/// shapes/subgroup_barriers/<invocations>, with races looked for.

#include "benchmarks/workloads.h"

#include <benchmark/benchmark.h>

namespace heddle::benchmarks {
namespace {

constexpr std::uint32_t kWorkgroups = 4;
constexpr std::uint32_t kInvocations = 32;
constexpr auto kAcquireAll = MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;
constexpr auto kReleaseAll = MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
constexpr auto kOrderAll = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory |
                           MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable |
                           MemorySemantics::MakeVisible;

/// Persistent workgroups take items in order, and wait for the item that theirs needs.
constexpr auto polling = [](auto& inv, std::uint32_t items, StorageBuffer<std::uint32_t> auto next,
                            StorageBuffer<std::uint32_t> auto done, StorageBuffer<std::uint32_t> auto data_) {
  auto data = data_.non_private();
  auto item = inv.template workgroup<std::uint32_t[1]>("item");
  const std::uint32_t me = inv.local_invocation_index();
  while (true) {
    if (me == 0) {
      const std::uint32_t mine = inv.atomic_i_add(next[0], Scope::Device, MemorySemantics::None, 1u);
      item[0] = mine;
      if (mine != 0 && mine < items)
        while (inv.atomic_load(done[mine / 2], Scope::Device, kAcquireAll) == 0) {
        }
    }
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kOrderAll);
    const std::uint32_t mine = item[0];
    if (mine >= items) return;
    data[mine * kInvocations + me] = mine == 0 ? me : data[mine / 2 * kInvocations + (me + 1) % kInvocations] + 1;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kOrderAll);
    if (me == 0) inv.atomic_store(done[mine], Scope::Device, kReleaseAll, 1u);
  }
};

/// One invocation of each workgroup takes a lock, again and again, and adds to what it guards.
constexpr auto lock = [](auto& inv, std::uint32_t times, StorageBuffer<std::uint32_t> auto taken,
                         StorageBuffer<std::uint32_t> auto guarded_) {
  auto guarded = guarded_.non_private();
  for (std::uint32_t i = 0; i < times; ++i) {
    while (inv.atomic_exchange(taken[0], Scope::Device, kAcquireAll, 1u) != 0) {
    }
    guarded[0] = guarded[0] + 1;
    inv.atomic_store(taken[0], Scope::Device, kReleaseAll, 0u);
  }
};

/// Half of the workgroups put items into a ring of tickets, half take them out.
constexpr auto queue = [](auto& inv, std::uint32_t items, StorageBuffer<std::uint32_t> auto tickets,
                          StorageBuffer<std::uint32_t> auto turn, StorageBuffer<std::uint32_t> auto slots_) {
  auto slots = slots_.non_private();
  constexpr std::uint32_t kSlots = 8;
  const std::uint32_t takes = inv.workgroup_id().x % 2;
  while (true) {
    const std::uint32_t ticket = inv.atomic_i_add(tickets[takes], Scope::Device, MemorySemantics::None, 1u);
    if (ticket >= items) return;
    const std::uint32_t slot = ticket % kSlots;
    // A slot is put into at even turns, and taken from at odd ones.
    const std::uint32_t mine = ticket / kSlots * 2 + takes;
    while (inv.atomic_load(turn[slot], Scope::Device, kAcquireAll) != mine) {
    }
    if (takes == 0) {
      slots[slot] = ticket;
    } else {
      slots[slot] = slots[slot] + 1;
    }
    inv.atomic_store(turn[slot], Scope::Device, kReleaseAll, mine + 1);
  }
};

/// Each of a workgroup makes a fence, and the last one the atomic, as a look-back in GLSL does it.
constexpr auto fences_by_all = [](auto& inv, std::uint32_t size, StorageBuffer<std::uint32_t> auto flags) {
  const std::uint32_t group = inv.workgroup_id().x;
  const bool is_last = inv.local_invocation_index() == size - 1;
  for (std::uint32_t round = 0; round < 4; ++round) {
    inv.memory_barrier(Scope::Device, kBufferBarrier);
    if (is_last) inv.atomic_store(flags[group], Scope::Device, MemorySemantics::Relaxed, round);
    if (is_last && group > 0) inv.atomic_load(flags[group - 1], Scope::Device, MemorySemantics::Relaxed);
    inv.workgroup_barrier();
  }
};

/// Each subgroup meets at barriers of its own.
constexpr auto subgroup_barriers = [](auto& inv) {
  auto x = inv.template workgroup<float[256]>("x");
  const std::uint32_t i = inv.local_invocation_index();
  for (int k = 0; k < 12; ++k) {
    x[i] = static_cast<float>(k);
    inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
  }
};

class FencesByAll {
 public:
  FencesByAll(Device& device, std::uint32_t size)
      : device_(device), size_(size), flags_(device.buffer(std::vector<std::uint32_t>(2, 0u), "flags")) {}
  void run() { device_.dispatch(fences_by_all, {2}, {size_}, size_, flags_); }

 private:
  Device& device_;
  std::uint32_t size_;
  Buffer<std::uint32_t> flags_;
};

class SubgroupBarriers {
 public:
  SubgroupBarriers(Device& device, std::uint32_t size) : device_(device), size_(size) {}
  void run() { device_.dispatch(subgroup_barriers, {64}, {size_}); }

 private:
  Device& device_;
  std::uint32_t size_;
};

class Polling {
 public:
  Polling(Device& device, std::uint32_t items)
      : device_(device),
        items_(items),
        next_(device.buffer(std::vector<std::uint32_t>(1, 0u), "next")),
        done_(device.buffer(std::vector<std::uint32_t>(items, 0u), "done")),
        data_(device.buffer<std::uint32_t>(items * kInvocations, "data")) {}
  void run() {
    next_.fill(0);
    done_.fill(0);
    device_.dispatch(polling, {kWorkgroups}, {kInvocations}, items_, next_, done_, data_);
  }

 private:
  Device& device_;
  std::uint32_t items_;
  Buffer<std::uint32_t> next_, done_, data_;
};

class Lock {
 public:
  Lock(Device& device, std::uint32_t times)
      : device_(device),
        times_(times),
        taken_(device.buffer(std::vector<std::uint32_t>(1, 0u), "taken")),
        guarded_(device.buffer(std::vector<std::uint32_t>(1, 0u), "guarded")) {}
  void run() { device_.dispatch(lock, {kWorkgroups}, {1}, times_, taken_, guarded_); }

 private:
  Device& device_;
  std::uint32_t times_;
  Buffer<std::uint32_t> taken_, guarded_;
};

class Queue {
 public:
  Queue(Device& device, std::uint32_t items)
      : device_(device),
        items_(items),
        tickets_(device.buffer(std::vector<std::uint32_t>(2, 0u), "tickets")),
        turn_(device.buffer(std::vector<std::uint32_t>(8, 0u), "turn")),
        slots_(device.buffer(std::vector<std::uint32_t>(8, 0u), "slots")) {}
  void run() {
    tickets_.fill(0);
    turn_.fill(0);
    device_.dispatch(queue, {kWorkgroups}, {1}, items_, tickets_, turn_, slots_);
  }

 private:
  Device& device_;
  std::uint32_t items_;
  Buffer<std::uint32_t> tickets_, turn_, slots_;
};

template <typename Workload>
void run(benchmark::State& state, const DeviceOptions& options, std::uint32_t size) {
  Device device(options);
  Workload workload(device, size);
  for (auto _ : state) workload.run();
  if (!device.races().empty()) state.SkipWithError("a race where there is none");
}

template <typename Workload>
void add(const char* name, std::initializer_list<std::uint32_t> sizes) {
  for (const bool races : {false, true})
    for (const std::uint32_t size : sizes)
      benchmark::RegisterBenchmark(
          (std::string(races ? "checked/" : "emulated/") + name + "/" + std::to_string(size)).c_str(),
          [=](benchmark::State& state) { run<Workload>(state, options_of(Mode::Emulated, "sequential", races), size); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
}

/// Workgroups that acquire again and again, on a policy whose workgroups share copies.
void add_copies(std::uint32_t items) {
  benchmark::RegisterBenchmark(
      ("copies/polling/" + std::to_string(items)).c_str(),
      [=](benchmark::State& state) { run<Polling>(state, options_of(Mode::Emulated, "incoherent-l1", false), items); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

template <typename Workload>
void add_shape(const char* name, std::initializer_list<std::uint32_t> sizes) {
  for (const std::uint32_t size : sizes)
    benchmark::RegisterBenchmark(
        (std::string("shapes/") + name + "/" + std::to_string(size)).c_str(),
        [=](benchmark::State& state) { run<Workload>(state, options_of(Mode::Emulated, "sequential", true), size); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

const bool registered = [] {
  add_shape<FencesByAll>("fences_by_all", {64, 128, 256, 512});
  add_shape<SubgroupBarriers>("subgroup_barriers", {64, 128, 256});
  add<Polling>("polling", {64, 256, 1024, 2560});
  add<Lock>("lock", {64, 256, 1024});
  add<Queue>("queue", {64, 256, 1024});
  add_copies(256);
  return true;
}();

}  // namespace
}  // namespace heddle::benchmarks
