/// Runs a second of a kernel of two invocations and four operations through the C++ API, on one core:
/// runs/<memory>. Items are runs; each has a seed of its own.

#include <heddle/heddle.h>

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace heddle;

// Store buffering: both may read 0.
constexpr auto store_buffering = [](auto& inv, StorageBuffer<std::uint32_t> auto x,
                                    StorageBuffer<std::uint32_t> auto read) {
  const auto me = inv.workgroup_id().x;
  inv.atomic_store(x[me], Scope::Device, MemorySemantics::Relaxed, 1u);
  read[me] = inv.atomic_load(x[1 - me], Scope::Device, MemorySemantics::Relaxed);
};

void run(benchmark::State& state, const MemoryPolicy& policy, bool races) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = policy;
  options.races = races;
  Device device(options);
  auto x = device.buffer(std::vector<std::uint32_t>(2, 0u), "x");
  auto read = device.buffer(std::vector<std::uint32_t>(2, 0u), "read");
  for (auto _ : state) {
    x.fill(0);
    device.dispatch(store_buffering, {2}, {1}, x, read);
  }
  state.SetItemsProcessed(state.iterations());
}

const bool registered = [] {
  for (const MemoryPolicy& policy : memory_policies()) {
    const std::string title = "runs/" + std::string(policy.name);
    benchmark::RegisterBenchmark(
        title.c_str(), [&policy](benchmark::State& state) { run(state, policy, false); });
  }
  benchmark::RegisterBenchmark("runs/random/checked", [](benchmark::State& state) {
    run(state, *memory_policy("random"), true);
  });
  return true;
}();

}  // namespace
