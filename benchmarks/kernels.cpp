// native/, emulated/ (sequential memory), weak/ (policy random) and checked/ (data races looked for)
// <kernel>/<size>; native/<kernel>/phases/<size> is the second form of the kernel. The kernels are those of `peers`.
// parallel/ looks for data races on all cores, and parallel_1/ is the same on one, to be held against it.

#include "benchmarks/workloads.h"

#include <benchmark/benchmark.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <bit>
#include <type_traits>

namespace heddle::benchmarks {
namespace {

std::string size_name(std::size_t n) {
  return n >= 1024 && std::has_single_bit(n) ? "2^" + std::to_string(std::countr_zero(n)) : std::to_string(n);
}

template <typename Workload>
void run(benchmark::State& state, const DeviceOptions& options, std::size_t size) {
  Device device(options);
  Workload workload(device, size);
  try {
    workload.check();
  } catch (const std::exception& e) {
    state.SkipWithError(e.what());
    return;
  }
  for (auto _ : state) workload.run();
}

/// `Workload` in both forms: native/<kernel>/<size>, native/<kernel>/phases/<size>, and the first one emulated.
template <template <Form> typename Workload>
void add(const char* name, std::initializer_list<std::size_t> native, std::initializer_list<std::size_t> emulated) {
  const auto register_run = [&]<typename Of>(std::type_identity<Of>, const std::string& kind,
                                             const DeviceOptions& options, std::size_t size) {
    benchmark::RegisterBenchmark((kind + "/" + size_name(size)).c_str(),
                                 [=](benchmark::State& state) { run<Of>(state, options, size); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  const auto register_one = [&](const char* kind, const DeviceOptions& options, std::size_t size) {
    register_run(std::type_identity<Workload<Form::Invocations>>{}, std::string(kind) + "/" + name, options, size);
  };
  for (const std::size_t size : native) {
    register_one("native", options_of(Mode::Native), size);
    register_run(std::type_identity<Workload<Form::Phases>>{}, std::string("native/") + name + "/phases",
                 options_of(Mode::Native), size);
  }
  for (const std::size_t size : emulated) {
    register_one("emulated", options_of(Mode::Emulated), size);
    register_one("weak", options_of(Mode::Emulated, "random"), size);
    register_one("checked", options_of(Mode::Emulated, "sequential", true), size);
  }
}

template <typename Workload>
void add_parallel(const char* name, std::size_t size) {
  for (const std::uint32_t workers : {0u, 1u}) {
    DeviceOptions options = options_of(Mode::Emulated, "sequential", true, true);
    options.workers = workers;
    benchmark::RegisterBenchmark(
        (std::string(workers == 1 ? "parallel_1/" : "parallel/") + name + "/" + size_name(size)).c_str(),
        [=](benchmark::State& state) { run<Workload>(state, options, size); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->MeasureProcessCPUTime();
  }
}

/// What native/saxpy is held against.
void plain_saxpy(benchmark::State& state) {
  const std::size_t n = 1 << 24;
  const std::vector<float> x = random_values<float>(n, 100);
  std::vector<float> y(n, 1.0f);
  for (auto _ : state) {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, n, 16384),
                              [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
                                const float* from = x.data();
                                float* to = y.data();
                                for (std::size_t i = range.begin(); i != range.end(); ++i) {
                                  to[i] = 2.0f * from[i] + to[i];
                                }
                              });
  }
}

const bool registered = [] {
  constexpr std::size_t kSmall = 1 << 16;
  constexpr std::size_t kLarge = 1 << 24;
  add<Saxpy>("saxpy", {kSmall, kLarge}, {kSmall});
  benchmark::RegisterBenchmark("plain_tbb_loop/saxpy/2^24", plain_saxpy)->Unit(benchmark::kMillisecond)->UseRealTime();
  add<Reduce>("reduce", {kSmall, kLarge}, {kSmall});
  add<Matmul>("matmul", {64, 512}, {64});
  add<Histogram>("histogram", {kSmall, kLarge}, {kSmall});
  add<Scan>("scan", {kSmall, kLarge}, {kSmall});
  constexpr std::size_t kMiddle = 1 << 20;
  add_parallel<Saxpy<>>("saxpy", kMiddle);
  add_parallel<Reduce<>>("reduce", kMiddle);
  add_parallel<Matmul<>>("matmul", 256);
  add_parallel<Histogram<>>("histogram", kMiddle);
  add_parallel<Scan<>>("scan", kMiddle);
  return true;
}();

}  // namespace
}  // namespace heddle::benchmarks
