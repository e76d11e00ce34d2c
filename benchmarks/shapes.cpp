/// How the cost of each shape of synchronization grows: rows shapes/<shape>, the time with races looked for at 2^16
/// acts and accesses or some more, with these counters: `emulated`, as many times as long as without; and by which
/// exponent it grows with the number of workgroups, of their invocations, and of rounds (1: twice as much takes twice
/// as long).

#include "benchmarks/shapes.h"
#include "benchmarks/workloads.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace heddle::benchmarks {
namespace {

using shapes::Shape;
using shapes::Size;

constexpr Size kSize{32, 64, 32};
static_assert(kSize.workgroups * kSize.invocations * kSize.rounds == 1u << 16);

/// The least processor time of some runs.
double seconds(const Shape& shape, const Size& size, bool races) {
  constexpr int kRuns = 3;
  double least = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    DeviceOptions options = options_of(Mode::Emulated, "sequential", races);
    options.subgroup_size = shapes::kSubgroup;
    Device device(options);
    const std::clock_t begin = std::clock();
    shapes::run(device, shape, size);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

void measure(benchmark::State& state, const Shape& shape) {
  double checked = 0;
  for ([[maybe_unused]] auto one : state) {
    checked = seconds(shape, kSize, true);
    state.SetIterationTime(checked);
  }
  const auto exponent = [&](const Size& twice) { return std::log2(seconds(shape, twice, true) / checked); };
  state.counters["emulated"] = checked / seconds(shape, kSize, false);
  state.counters["workgroups"] = exponent({2 * kSize.workgroups, kSize.invocations, kSize.rounds});
  state.counters["invocations"] = exponent({kSize.workgroups, 2 * kSize.invocations, kSize.rounds});
  state.counters["rounds"] = exponent({kSize.workgroups, kSize.invocations, 2 * kSize.rounds});
}

const bool registered = [] {
  for (const Shape& shape : shapes::all())
    benchmark::RegisterBenchmark(("shapes/" + shapes::name_of(shape)).c_str(),
                                 [shape](benchmark::State& state) { measure(state, shape); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->UseManualTime();
  return true;
}();

}  // namespace
}  // namespace heddle::benchmarks
