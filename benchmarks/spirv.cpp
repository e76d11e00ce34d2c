/// The reference kernels as SPIR-V modules beside the same kernels in C++, both emulated on sequential memory:
/// spirv/scan and spirv/scan_in_cpp, with races looked for spirv/scan/races and spirv/scan_in_cpp/races. Items are
/// invocations.

#include <benchmark/benchmark.h>

#include "benchmarks/shaders.h"

namespace heddle::benchmarks {
namespace {

constexpr std::size_t kElements = 1 << 14;
constexpr std::size_t kRows = 64;

template <template <Form> typename Workload, Form form, bool races, std::size_t size>
void row(benchmark::State& state) {
  try {
    Device device(options_of(Mode::Emulated, "sequential", races));
    Workload<form> workload(device, size);
    workload.check();
    for (auto _ : state) workload.run();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
  constexpr bool kSquare = std::is_same_v<Workload<form>, Matmul<form>>;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSquare ? size * size : size));
}

#define HEDDLE_ROWS(name, Workload, size)                                                  \
  BENCHMARK(row<Workload, Form::Module, false, size>)->Name("spirv/" name);                \
  BENCHMARK(row<Workload, Form::Invocations, false, size>)->Name("spirv/" name "_in_cpp"); \
  BENCHMARK(row<Workload, Form::Module, true, size>)->Name("spirv/" name "/races");        \
  BENCHMARK(row<Workload, Form::Invocations, true, size>)->Name("spirv/" name "_in_cpp/races")

HEDDLE_ROWS("saxpy", Saxpy, kElements);
HEDDLE_ROWS("reduce", Reduce, kElements);
HEDDLE_ROWS("matmul", Matmul, kRows);
HEDDLE_ROWS("histogram", Histogram, kElements);
HEDDLE_ROWS("scan", Scan, kElements);

}  // namespace
}  // namespace heddle::benchmarks
