/// Runs a second of a kernel of two invocations and four operations through the C++ API, on one core:
/// runs/<memory>, and runs/<memory>/checked with races looked for. What the loads give goes to the host
/// by a pointer, outside of the memory that is emulated, as the registers of a litmus test; in
/// runs/<memory>/stored it is written to a buffer, which makes it six operations. Items are runs; each
/// has a seed of its own. runs/<memory>/explored are trials of explore_seeds, which make their buffers.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <tuple>

namespace {

using namespace heddle;

struct Registers {
  std::uint32_t* values;
};

// Store buffering: both may read 0.
constexpr auto store_buffering = [](auto& inv, StorageBuffer<std::uint32_t> auto x, Registers read) {
  const auto me = inv.workgroup_id().x;
  inv.atomic_store(x[me], Scope::Device, MemorySemantics::Relaxed, 1u);
  read.values[me] = inv.atomic_load(x[1 - me], Scope::Device, MemorySemantics::Relaxed);
};

constexpr auto stored_store_buffering = [](auto& inv, StorageBuffer<std::uint32_t> auto x,
                                           StorageBuffer<std::uint32_t> auto read) {
  const auto me = inv.workgroup_id().x;
  inv.atomic_store(x[me], Scope::Device, MemorySemantics::Relaxed, 1u);
  read[me] = inv.atomic_load(x[1 - me], Scope::Device, MemorySemantics::Relaxed);
};

void run(benchmark::State& state, const MemoryPolicy& policy, bool races, bool stored) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = policy;
  options.races = races;
  Device device(options);
  auto x = device.buffer(std::vector<std::uint32_t>(2, 0u), "x");
  auto read = device.buffer(std::vector<std::uint32_t>(2, 0u), "read");
  std::array<std::uint32_t, 2> values{};
  for (auto _ : state) {
    x.fill(0);
    if (stored) {
      device.dispatch(stored_store_buffering, {2}, {1}, x, read);
    } else {
      device.dispatch(store_buffering, {2}, {1}, x, Registers{values.data()});
    }
    benchmark::DoNotOptimize(values);
  }
  state.SetItemsProcessed(state.iterations());
}

void explore(benchmark::State& state, const MemoryPolicy& policy) {
  constexpr std::uint64_t kTrials = 1000;
  SeedOptions options;
  options.device.memory = policy;
  options.jobs = 1;
  options.print_to = nullptr;
  std::array<std::uint32_t, 2> values{};
  const auto trial = [&](Trial& trial_now) {
    auto x = trial_now.device().buffer(std::vector<std::uint32_t>(2, 0u), "x");
    trial_now.device().dispatch(store_buffering, {2}, {1}, x, Registers{values.data()});
    benchmark::DoNotOptimize(values);
  };
  for (auto _ : state) {
    std::ignore = explore_seeds(trial, kTrials, options);
    options.first_seed += kTrials;
  }
  state.SetItemsProcessed(state.iterations() * kTrials);
}

const bool registered = [] {
  for (const MemoryPolicy& policy : memory_policies()) {
    const std::string title = "runs/" + std::string(policy.name);
    const auto add = [&](const char* variant, bool races, bool stored) {
      benchmark::RegisterBenchmark((title + variant).c_str(), [&policy, races, stored](benchmark::State& state) {
        run(state, policy, races, stored);
      });
    };
    add("", false, false);
    add("/checked", true, false);
    add("/stored", false, true);
    benchmark::RegisterBenchmark((title + "/explored").c_str(),
                                 [&policy](benchmark::State& state) { explore(state, policy); });
  }
  return true;
}();

}  // namespace
