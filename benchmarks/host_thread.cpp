/// Host threads: mu/litmus/<test>/<policy> are runs of litmus tests, beside litmus/<test>/<policy>; mu/atomic/... and
/// mu/swap/... are native operations beside those of the standard library and the raw switch.

#include <benchmark/benchmark.h>
#include <heddle/host_thread.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "emulator/litmus/c/run.h"
#include "runtime/fiber.h"

namespace {

using namespace heddle;

constexpr const char* kMessagePassing = R"(C MP
{ data=0; flag=0; }
P0 (int* data, atomic_int* flag) {
  *data = 1;
  atomic_store_explicit(flag, 1, memory_order_release);
}
P1 (int* data, atomic_int* flag) {
  int r0 = atomic_load_explicit(flag, memory_order_acquire);
  int r1 = *data;
}
exists (1:r0=1 /\ 1:r1=0))";

constexpr const char* kStoreBuffering = R"(C SB
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\ 1:r0=0))";

constexpr const char* kIndependentReads = R"(C IRIW
{ x=0; y=0; }
P0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* y) { atomic_store_explicit(y, 1, memory_order_relaxed); }
P2 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  int r1 = atomic_load_explicit(y, memory_order_relaxed);
}
P3 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (2:r0=1 /\ 2:r1=0 /\ 3:r0=1 /\ 3:r1=0))";

void run(benchmark::State& state, const char* source, const MemoryPolicy& policy) {
  const litmus::c::Parse parse = litmus::c::parse(source);
  if (!parse.test) throw std::logic_error(litmus::describe("benchmark", parse.errors.front()));
  litmus::c::RunRequest request;
  request.policy = policy;
  litmus::c::TestRunner runner(*parse.test, request);
  std::uint64_t number = 0;
  for (auto _ : state) benchmark::DoNotOptimize(runner.run(number++));
  state.SetItemsProcessed(state.iterations());
}

const bool registered = [] {
  const auto add = [](const char* name, const char* source) {
    for (const char* policy : {"sequential", "random", "adversarial"}) {
      const std::string title = "mu/litmus/" + std::string(name) + '/' + policy;
      benchmark::RegisterBenchmark(title.c_str(),
                                   [=](benchmark::State& state) { run(state, source, memory_policy(policy)); });
    }
  };
  add("MP", kMessagePassing);
  add("SB", kStoreBuffering);
  add("IRIW", kIndependentReads);
  return true;
}();

void fetch_add_std(benchmark::State& state) {
  std::atomic<int> x{0};
  for (auto _ : state) benchmark::DoNotOptimize(x.fetch_add(1, std::memory_order_acq_rel));
}
BENCHMARK(fetch_add_std)->Name("mu/atomic/fetch_add/std");
void fetch_add(benchmark::State& state) {
  threads::Native::Atomic<int> x{0};
  for (auto _ : state) benchmark::DoNotOptimize(x.fetch_add(1, threads::acq_rel));
}
BENCHMARK(fetch_add)->Name("mu/atomic/fetch_add/native");

void store_and_load_std(benchmark::State& state) {
  std::atomic<int> x{0};
  for (auto _ : state) {
    x.store(1, std::memory_order_release);
    benchmark::DoNotOptimize(x.load(std::memory_order_acquire));
  }
}
BENCHMARK(store_and_load_std)->Name("mu/atomic/store_and_load/std");
void store_and_load(benchmark::State& state) {
  threads::Native::Atomic<int> x{0};
  for (auto _ : state) {
    x.store(1, threads::release);
    benchmark::DoNotOptimize(x.load(threads::acquire));
  }
}
BENCHMARK(store_and_load)->Name("mu/atomic/store_and_load/native");

/// Two switches each.
void swap_stack(benchmark::State& state) {
  threads::run(
      [&](auto host) {
        using M = decltype(host);
        if constexpr (!M::emulated) {
          const typename M::Stack home = M::current_stack();
          const typename M::Stack other([&] {
            for (;;) M::swap_stack(home);
          });
          for (auto _ : state) M::swap_stack(other);
        }
      },
      {.mode = Mode::Native});
}
BENCHMARK(swap_stack)->Name("mu/swap/native");

struct Raw {
  runtime::Context home = nullptr;
  runtime::Fiber* fiber = nullptr;
};
void bounce(void* argument) {
  auto& raw = *static_cast<Raw*>(argument);
  for (;;) runtime::swap_context(&raw.fiber->parked, raw.home, nullptr);
}
void raw_switch(benchmark::State& state) {
  Raw raw;
  runtime::Fiber fiber(std::size_t{64} << 10, 0, &bounce, &raw);
  raw.fiber = &fiber;
  for (auto _ : state) runtime::swap_context(&raw.home, fiber.parked, nullptr);
}
BENCHMARK(raw_switch)->Name("mu/swap/raw");

}  // namespace
