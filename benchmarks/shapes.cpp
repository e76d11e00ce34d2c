/// How the cost of each shape of synchronization grows: rows shapes/<shape>, the time with races looked for at 2^16
/// acts and accesses or some more, with these counters: `emulated`, as many times as long as without; and by which
/// exponent it grows with the number of workgroups, of their invocations, and of rounds (1: twice as much takes twice
/// as long). Rows memory/<shape>: the most memory, in MB, of a process that looks for races once at 2^20 acts and
/// accesses or some more; of these alone (`--benchmark_filter=^memory/`), or what others had is in it.

#include "benchmarks/shapes.h"
#include "benchmarks/workloads.h"

#include <benchmark/benchmark.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

namespace heddle::benchmarks {
namespace {

using shapes::Shape;
using shapes::Size;

constexpr Size kSize{32, 64, 32};
static_assert(kSize.workgroups * kSize.invocations * kSize.rounds == 1u << 16);
constexpr Size kLarge{32, 64, 512};
static_assert(kLarge.workgroups * kLarge.invocations * kLarge.rounds == 1u << 20);

DeviceOptions options_for(bool races) {
  DeviceOptions options = options_of(Mode::Emulated, "sequential", races);
  options.subgroup_size = shapes::kSubgroup;
  return options;
}

/// The least processor time of some runs.
double seconds(const Shape& shape, const Size& size, bool races) {
  constexpr int kRuns = 3;
  double least = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    Device device(options_for(races));
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

void measure_memory(benchmark::State& state, const Shape& shape) {
  for ([[maybe_unused]] auto one : state) {
    const pid_t child = fork();
    if (child == 0) {
      Device device(options_for(true));
      shapes::run(device, shape, kLarge);
      std::_Exit(0);
    }
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    if (!WIFEXITED(status)) state.SkipWithError("the process did not end by itself");
    state.SetIterationTime(static_cast<double>(used.ru_utime.tv_sec) +
                           1e-6 * static_cast<double>(used.ru_utime.tv_usec));
    state.counters["MB"] = static_cast<double>(used.ru_maxrss) / 1024;
  }
}

using Measure = void(benchmark::State&, const Shape&);

void add_row(const std::string& kind, const Shape& shape, Measure* measure) {
  benchmark::RegisterBenchmark((kind + "/" + shapes::name_of(shape)).c_str(),
                               [=](benchmark::State& state) { measure(state, shape); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->UseManualTime();
}

const bool registered = [] {
  for (const Shape& shape : shapes::all()) {
    add_row("shapes", shape, measure);
    add_row("memory", shape, measure_memory);
  }
  return true;
}();

}  // namespace
}  // namespace heddle::benchmarks
