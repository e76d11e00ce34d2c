/// What tags save: mmra/no_tag and mmra/restricted, a kernel whose barriers order more than it needs, or say that they
/// order Workgroup memory alone. Counters: writes that barriers moved, copies that they gave up, in one dispatch.

#include <benchmark/benchmark.h>
#include <heddle/heddle.h>

#include "samples/restricted_fence.h"

namespace heddle::benchmarks {
namespace {

template <bool restricted>
void hand_round_in(benchmark::State& state) {
  constexpr std::uint32_t kGroups = 2, kGroup = 16, kRounds = 16;
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = lazy_caches();
  Device device(std::move(options));
  auto log = device.buffer<std::uint32_t>(std::size_t{kGroups} * kGroup * kRounds, "log");
  auto out = device.buffer<std::uint32_t>(std::size_t{kGroups} * kGroup, "out");
  MemoryReport report;
  for (auto _ : state) report = device.dispatch(hand_round<restricted>, {kGroups}, {kGroup}, kRounds, log, out).memory;
  state.counters["moved"] = static_cast<double>(report.made_available);
  state.counters["given_up"] = static_cast<double>(report.given_up);
}

BENCHMARK(hand_round_in<false>)->Name("mmra/no_tag");
BENCHMARK(hand_round_in<true>)->Name("mmra/restricted");

}  // namespace
}  // namespace heddle::benchmarks
