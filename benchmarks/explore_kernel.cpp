/// All executions of small dispatches: explore_kernel/<kernel>. The counters say how many executions there are, and
/// whether these are all.

#include <benchmark/benchmark.h>
#include <heddle/explore_kernel.h>

#include <vector>

namespace {

using namespace heddle;

constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

template <typename Kernel>
void explore(benchmark::State& state, const Kernel& kernel, std::uint32_t groups, std::uint32_t local) {
  KernelExecutions found;
  for (auto _ : state)
    found = explore_kernel([&](KernelExploration& exploration) {
      auto x = exploration.device().buffer(std::vector<std::uint32_t>(8), "x");
      auto out = exploration.device().buffer(std::vector<std::uint32_t>(8), "out");
      return exploration.dispatch(kernel, groups, local, x, out);
    });
  state.counters["executions"] = static_cast<double>(found.executions);
  state.counters["complete"] = found.complete;
}

const auto message = [](auto& inv, auto x, auto out) {
  if (inv.workgroup_id().x == 0) {
    x.non_private()[0] = 7u;
    inv.atomic_store(x[1], Scope::Device, kReleaseBuffers, 1u);
  } else {
    while (inv.atomic_load(x[1], Scope::Device, kAcquireBuffers) == 0) continue;
    out[0] = x.non_private()[0];
  }
};

const auto ticket_lock = [](auto& inv, auto x, auto out) {
  const std::uint32_t ticket = inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
  while (inv.atomic_load(x[1], Scope::Device, kAcquireBuffers) != ticket) continue;
  out.non_private()[0] = out.non_private()[0] + 1;
  inv.atomic_store(x[1], Scope::Device, kReleaseBuffers, ticket + 1);
};

const auto last_block = [](auto& inv, auto x, auto out) {
  auto sum = inv.template workgroup<std::uint32_t>("sum");
  inv.atomic_i_add(sum, Scope::Workgroup, kRelaxed, 1u);
  inv.workgroup_barrier();
  if (inv.local_invocation_index() != 0) return;
  out.non_private()[inv.workgroup_id().x] = inv.atomic_load(sum, Scope::Workgroup, kRelaxed);
  const std::uint32_t done = inv.atomic_i_add(x[0], Scope::Device, kBufferBarrier, 1u);
  if (done == 1) out[2] = out.non_private()[0] + out.non_private()[1];
};

BENCHMARK_CAPTURE(explore, message, message, 2, 1)->Name("explore_kernel/message");
BENCHMARK_CAPTURE(explore, ticket_lock, ticket_lock, 2, 1)->Name("explore_kernel/ticket_lock/2");
BENCHMARK_CAPTURE(explore, last_block, last_block, 2, 2)->Name("explore_kernel/last_block/2x2");

}  // namespace
