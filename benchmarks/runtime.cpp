// What the runtime costs, beside what it is made of: a barrier for each invocation next to one raw
// switch of Boost.Context, a subgroup operation, an empty workgroup, starting a dispatch.

#include <heddle/heddle.h>

#include <benchmark/benchmark.h>
#include <boost/context/detail/fcontext.hpp>

#include <cstdint>
#include <vector>

namespace heddle::benchmarks {
namespace {

namespace bc = boost::context::detail;

void echo(bc::transfer_t transfer) {
  for (;;) transfer = bc::jump_fcontext(transfer.fctx, nullptr);
}

/// Time for one switch: two stacks that hand over to each other.
void boost_switch(benchmark::State& state) {
  std::vector<std::byte> stack(64 * 1024);
  bc::transfer_t transfer{bc::make_fcontext(stack.data() + stack.size(), stack.size(), echo), nullptr};
  constexpr int kRounds = 10000;
  for (auto _ : state) {
    for (int i = 0; i < kRounds; ++i) transfer = bc::jump_fcontext(transfer.fctx, nullptr);
  }
  state.counters["ns"] =
      benchmark::Counter(2e-9 * kRounds, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(boost_switch)->Name("runtime/boost_context_switch");

/// `each` operations by each of 256 invocations of one workgroup, on one thread.
template <typename Kernel>
void one_workgroup(benchmark::State& state, const Kernel& kernel, double each) {
  DeviceOptions options;
  options.mode = Mode::Native;
  options.workers = 1;
  Device device(options);
  auto buffer = device.buffer({0u});
  for (auto _ : state) device.dispatch(kernel, {1}, {256}, buffer);
  state.counters["ns"] = benchmark::Counter(
      1e-9 * each * 256, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void barrier(benchmark::State& state) {
  constexpr std::uint32_t kBarriers = 1000;
  one_workgroup(
      state,
      [](auto& inv, StorageBuffer<std::uint32_t> auto) {
        for (std::uint32_t i = 0; i < kBarriers; ++i) {
          inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
        }
      },
      kBarriers);
}
BENCHMARK(barrier)->Name("runtime/barrier_per_invocation");

void subgroup_operation(benchmark::State& state) {
  constexpr std::uint32_t kOperations = 1000;
  one_workgroup(
      state,
      [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
        std::uint32_t sum = inv.local_invocation_index();
        for (std::uint32_t i = 0; i < kOperations; ++i) {
          sum = inv.group_non_uniform_i_add(GroupOperation::Reduce, sum);
        }
        if (inv.local_invocation_index() == 0) out[0] = sum;
      },
      kOperations);
}
BENCHMARK(subgroup_operation)->Name("runtime/subgroup_operation_per_invocation");

/// An invocation that waits once: made on a fiber, one barrier, gone.
void start_and_end(benchmark::State& state) {
  one_workgroup(
      state,
      [](auto& inv, StorageBuffer<std::uint32_t> auto) {
        inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      },
      1);
}
BENCHMARK(start_and_end)->Name("runtime/invocation_with_one_barrier");

void empty_workgroup(benchmark::State& state) {
  DeviceOptions options;
  options.mode = Mode::Native;
  options.workers = 1;
  Device device(options);
  constexpr std::uint32_t kGroups = 100000;
  for (auto _ : state) device.dispatch([](auto&) {}, {kGroups}, {1});
  state.counters["ns"] =
      benchmark::Counter(1e-9 * kGroups, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(empty_workgroup)->Name("runtime/empty_workgroup");

void start_dispatch(benchmark::State& state) {
  Device device(Mode::Native);
  for (auto _ : state) device.dispatch([](auto&) {}, {1}, {1});
}
BENCHMARK(start_dispatch)->Name("runtime/start_dispatch");

}  // namespace
}  // namespace heddle::benchmarks
