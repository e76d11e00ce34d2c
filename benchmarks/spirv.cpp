/// A SPIR-V module beside the same kernel in C++, both emulated on sequential memory: spirv/scan and spirv/scan_in_cpp,
/// with races looked for spirv/scan/races and spirv/scan_in_cpp/races. Items are invocations.

#include <benchmark/benchmark.h>
#include <heddle/heddle.h>
#include <heddle/module.h>

#include <vector>

namespace heddle::benchmarks {
namespace {

constexpr std::uint32_t kGroup = 64;
constexpr std::uint32_t kGroups = 64;

/// As samples/shaders/scan.comp has it.
constexpr auto kScan = [](auto& inv, StorageBuffer<const std::uint32_t> auto items,
                          StorageBuffer<std::uint32_t> auto sums, std::uint32_t factor) {
  auto partial = workgroup<std::uint32_t[kGroup]>(inv, "partial");
  const std::uint32_t i = inv.local_invocation_index();
  const std::uint32_t at = inv.global_invocation_id().x;
  partial[i] = items[at] * factor;
  inv.workgroup_barrier();
  for (std::uint32_t step = 1; step < kGroup; step *= 2) {
    const std::uint32_t before = i >= step ? std::uint32_t{partial[i - step]} : 0;
    inv.workgroup_barrier();
    partial[i] += before;
    inv.workgroup_barrier();
  }
  sums[at] = partial[i];
};

DeviceOptions emulated(bool races) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("sequential");
  options.races = races;
  return options;
}

template <bool races>
void module(benchmark::State& state) {
  Device device(emulated(races));
  auto items = device.buffer(std::vector<std::uint32_t>(kGroup * kGroups, 1), "items");
  auto sums = device.buffer<std::uint32_t>(kGroup * kGroups, "sums");
  ModuleOptions options;
  options.specialization[1] = std::to_string(kGroup);
  Module scan(device, HEDDLE_SHADERS "scan.spvasm", options);
  scan.push_constants(std::uint32_t{3});
  for (auto _ : state) scan.dispatch(kGroups, {bound(0, 0, items), bound(0, 1, sums)});
  state.SetItemsProcessed(state.iterations() * kGroup * kGroups);
}

template <bool races>
void in_cpp(benchmark::State& state) {
  Device device(emulated(races));
  auto items = device.buffer(std::vector<std::uint32_t>(kGroup * kGroups, 1), "items");
  auto sums = device.buffer<std::uint32_t>(kGroup * kGroups, "sums");
  for (auto _ : state) device.dispatch(kScan, {kGroups}, {kGroup}, read_only(items), sums, std::uint32_t{3});
  state.SetItemsProcessed(state.iterations() * kGroup * kGroups);
}

BENCHMARK(module<false>)->Name("spirv/scan");
BENCHMARK(in_cpp<false>)->Name("spirv/scan_in_cpp");
BENCHMARK(module<true>)->Name("spirv/scan/races");
BENCHMARK(in_cpp<true>)->Name("spirv/scan_in_cpp/races");

}  // namespace
}  // namespace heddle::benchmarks
