/// All executions of small dispatches: explore_kernel/<kernel>. The counters say how many executions there are, and
/// whether these are all.

#include <benchmark/benchmark.h>

#include "tests/executions/larger_kernels.h"

namespace {

using namespace heddle;

template <typename Kernel>
void explore(benchmark::State& state, const Kernel& kernel, std::uint32_t groups, std::uint32_t local) {
  KernelExecutions found;
  for (auto _ : state) found = known::explored(kernel, groups, local);
  state.counters["executions"] = static_cast<double>(found.executions);
  state.counters["complete"] = found.complete;
}

BENCHMARK_CAPTURE(explore, message, known::message, 2, 1)->Name("explore_kernel/message");
BENCHMARK_CAPTURE(explore, ticket_lock, known::ticket_lock, 2, 1)->Name("explore_kernel/ticket_lock/2");
BENCHMARK_CAPTURE(explore, ticket_lock, known::ticket_lock, 3, 1)->Name("explore_kernel/ticket_lock/3");
BENCHMARK_CAPTURE(explore, exchange_lock, known::exchange_lock, 2, 1)->Name("explore_kernel/exchange_lock/2");
BENCHMARK_CAPTURE(explore, compare_lock, known::compare_lock, 2, 1)->Name("explore_kernel/compare_lock/2");
BENCHMARK_CAPTURE(explore, look_back, known::look_back, 4, 1)->Name("explore_kernel/look_back/4x1");
BENCHMARK_CAPTURE(explore, look_back, known::look_back, 3, 2)->Name("explore_kernel/look_back/3x2");
BENCHMARK_CAPTURE(explore, tree, known::tree, 1, 8)->Name("explore_kernel/tree/8");
BENCHMARK_CAPTURE(explore, last_block, known::last_block, 2, 2)->Name("explore_kernel/last_block/2x2");
BENCHMARK_CAPTURE(explore, last_block, known::last_block, 2, 4)->Name("explore_kernel/last_block/2x4");
BENCHMARK_CAPTURE(explore, sequence_lock, larger::sequence_lock, 3, 1)->Name("explore_kernel/sequence_lock/1+2");
BENCHMARK_CAPTURE(explore, read_copy_update, larger::read_copy_update, 2, 1)->Name("explore_kernel/rcu/1+1");
BENCHMARK_CAPTURE(explore, queue, larger::queue, 4, 1)->Name("explore_kernel/queue/2+2");
BENCHMARK_CAPTURE(explore, tree_barrier, larger::tree_barrier, 4, 1)->Name("explore_kernel/tree_barrier/4");
BENCHMARK_CAPTURE(explore, dissemination, larger::dissemination_barrier, 4, 1)->Name("explore_kernel/dissemination/4");
BENCHMARK_CAPTURE(explore, deque, known::deque, 3, 1)->Name("explore_kernel/deque/3");

}  // namespace
