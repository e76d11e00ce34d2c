/// The host's side: host/record/dispatch is the time to record one, host/submit/empty that from a submission of an
/// empty dispatch to the end of the wait for its fence, beside a plain dispatch of it.

#include <benchmark/benchmark.h>
#include <heddle/queue.h>

#include <cstdint>

namespace {

using namespace heddle;

constexpr auto kEmpty = [](auto&) {};
constexpr auto kTouch = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] = 1; };

void record(benchmark::State& state) {
  const LogicalDevice device(Mode::Native);
  auto buffer = device.allocate_memory<std::uint32_t>(64, MemoryProperty::DeviceLocal).buffer();
  CommandBuffer commands = device.command_buffer();
  constexpr int kCommands = 256;
  for (auto _ : state) {
    commands.begin();
    for (int i = 0; i < kCommands; ++i) commands.dispatch(kTouch, {1}, {64}, buffer);
    commands.end();
  }
  state.SetItemsProcessed(state.iterations() * kCommands);
  state.counters["per_dispatch"] = benchmark::Counter(static_cast<double>(state.iterations() * kCommands),
                                                      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(record)->Name("host/record/dispatch");

void submit(benchmark::State& state) {
  const LogicalDevice device(Mode::Native);
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kEmpty, {1}, {1});
  commands.end();
  const Fence fence = device.fence();
  const Queue queue = device.queue();
  for (auto _ : state) {
    queue.submit2(commands, fence);
    fence.wait();
    fence.reset();
  }
}
BENCHMARK(submit)->Name("host/submit/empty");

void plain(benchmark::State& state) {
  Device device(Mode::Native);
  for (auto _ : state) device.dispatch(kEmpty, {1}, {1});
}
BENCHMARK(plain)->Name("host/submit/plain_dispatch");

}  // namespace
