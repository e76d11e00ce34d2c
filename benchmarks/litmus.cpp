/// Runs of litmus tests on one core: litmus/<test>/<policy>. Items are runs.

#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/parser.h"

namespace {

using namespace heddle;

constexpr const char* kMessagePassing = R"(Vulkan MP
{ data=0; flag=0; }
 P0@sg 0, wg 0, qf 0                         | P1@sg 0, wg 1, qf 0                         ;
 st.av.dv.sc0 data, 1                        | ld.atom.acq.dv.sc0.semsc0.semvis r0, flag   ;
 st.atom.rel.dv.sc0.semsc0.semav flag, 1     | ld.vis.dv.sc0 r1, data                      ;
exists (P1:r0 == 1 /\ P1:r1 == 0))";

constexpr const char* kStoreBuffering = R"(Vulkan SB
{ x=0; y=0; }
 P0@sg 0, wg 0, qf 0   | P1@sg 0, wg 1, qf 0   ;
 st.atom.dv.sc0 x, 1   | st.atom.dv.sc0 y, 1   ;
 ld.atom.dv.sc0 r0, y  | ld.atom.dv.sc0 r0, x  ;
exists (P0:r0 == 0 /\ P1:r0 == 0))";

constexpr const char* kIndependentReads = R"(Vulkan IRIW
{ x=0; y=0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 0, wg 2, qf 0  | P3@sg 0, wg 3, qf 0  ;
 st.atom.dv.sc0 x, 1 | st.atom.dv.sc0 y, 1 | ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 r0, y ;
                     |                     | ld.atom.dv.sc0 r1, y | ld.atom.dv.sc0 r1, x ;
exists (P2:r0 == 1 /\ P2:r1 == 0 /\ P3:r0 == 1 /\ P3:r1 == 0))";

constexpr const char* kBarrier = R"(Vulkan MP+cbar
{ x=0; }
 P0@sg 0, wg 0, qf 0                     | P1@sg 1, wg 0, qf 0                     ;
 st.nonpriv.sc0 x, 1                     | cbar.acq_rel.wg.semsc0.semav.semvis 1   ;
 cbar.acq_rel.wg.semsc0.semav.semvis 1   | ld.nonpriv.sc0 r0, x                    ;
exists (P1:r0 == 0))";

litmus::Test parsed(const char* source) {
  litmus::VulkanParse parse = litmus::parse_vulkan(source);
  if (!parse.test) throw std::logic_error(litmus::describe("benchmark", parse.errors.front()));
  return *std::move(parse.test);
}

void run_test(benchmark::State& state, const char* source, const MemoryPolicy& policy) {
  const litmus::Test test = parsed(source);
  litmus::RunRequest request;
  request.memory = run::memory_of(policy);
  litmus::TestRunner runner(test, request);
  std::uint64_t number = 0;
  for (auto _ : state) benchmark::DoNotOptimize(runner.run(number++));
  state.SetItemsProcessed(state.iterations());
}

const bool registered = [] {
  const auto add = [](const char* name, const char* source) {
    for (const MemoryPolicy& policy : memory_policies()) {
      const std::string title = "litmus/" + std::string(name) + '/' + std::string(policy.name);
      benchmark::RegisterBenchmark(title.c_str(),
                                   [source, &policy](benchmark::State& state) { run_test(state, source, policy); });
    }
  };
  add("MP", kMessagePassing);
  add("SB", kStoreBuffering);
  add("IRIW", kIndependentReads);
  add("MP+cbar", kBarrier);
  return true;
}();

}  // namespace
