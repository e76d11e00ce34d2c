#include "tests/executions/both_ways.h"

#include <heddle/explore_kernel.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"

using namespace heddle;

namespace {

using Kind = BothInstruction::Kind;
using Outcomes = std::set<std::map<std::string, std::uint64_t>>;

template <typename Invocation, typename Buffer>
std::uint32_t execute(Invocation& inv, const BothInstruction& instruction, Buffer& x) {
  const auto at = x[instruction.element];
  const std::uint32_t value = instruction.value;
  const bool orders = instruction.orders;
  constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
  switch (instruction.kind) {
    case Kind::Load:
      return x.non_private()[instruction.element];
    case Kind::Store:
      x.non_private()[instruction.element] = value;
      return 0;
    case Kind::AtomicLoad:
      return orders ? inv.atomic_load(at, Scope::Device, kAcquireBuffers)
                    : inv.atomic_load(at, Scope::Device, kRelaxed);
    case Kind::AtomicStore:
      if (orders)
        inv.atomic_store(at, Scope::Device, kReleaseBuffers, value);
      else
        inv.atomic_store(at, Scope::Device, kRelaxed, value);
      return 0;
    case Kind::Add:
      return orders ? inv.atomic_i_add(at, Scope::Device, kBufferBarrier, value)
                    : inv.atomic_i_add(at, Scope::Device, kRelaxed, value);
    case Kind::Exchange:
      return orders ? inv.atomic_exchange(at, Scope::Device, kBufferBarrier, value)
                    : inv.atomic_exchange(at, Scope::Device, kRelaxed, value);
    case Kind::Fence:
      inv.memory_barrier(Scope::Device, kBufferBarrier);
      return 0;
    case Kind::Barrier:
      break;
  }
  return 0;
}

bool reads(Kind kind) {
  return kind == Kind::Load || kind == Kind::AtomicLoad || kind == Kind::Add || kind == Kind::Exchange;
}

/// The program, to be explored or to be run on the machine.
auto as_kernel(const BothProgram& program) {
  return [&program](KernelExploration& exploration) {
    auto x = exploration.device().buffer(std::vector<std::uint32_t>(kElements), "x");
    auto out = exploration.device().buffer(std::vector<std::uint32_t>(program.code.size() * kMostReads, 77u), "out");
    const auto kernel = [&program](auto& inv, auto elements, auto results) {
      const std::uint32_t me = inv.global_invocation_id().x;
      std::uint32_t done = me * kMostReads;
      for (const BothInstruction& instruction : program.code[me]) {
        if (instruction.kind == Kind::Barrier && instruction.orders)
          inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
        else if (instruction.kind == Kind::Barrier)
          inv.control_barrier(Scope::Workgroup, Scope::Workgroup, MemorySemantics::None);
        const std::uint32_t read = execute(inv, instruction, elements);
        if (reads(instruction.kind)) results[done++] = read;
      }
    };
    return exploration.dispatch(kernel, program.groups, program.local, x, out);
  };
}

/// With the names of the litmus test.
Outcomes outcomes_of(const KernelExecutions& found, const BothProgram& program) {
  Outcomes out;
  for (const std::vector<std::uint64_t>& row : found.outcomes) {
    const auto value_of = [&](const std::string& name) {
      const std::size_t index = found.index_of(name);
      return index == found.names.size() ? 0 : row[index];
    };
    auto values = std::map<std::string, std::uint64_t>{{"x0", value_of("x[0]")}, {"x1", value_of("x[1]")}};
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
      std::uint32_t done = 0;
      for (const BothInstruction& instruction : program.code[i])
        if (reads(instruction.kind)) {
          values["P" + std::to_string(i) + ":r" + std::to_string(done)] =
              value_of("out[" + std::to_string(i * kMostReads + done) + "]");
          ++done;
        }
    }
    out.insert(std::move(values));
  }
  return out;
}

/// One run on weak memory.
KernelExecutions on_machine(const BothProgram& program, std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("random");
  options.seed = seed;
  options.subgroup_size = 1;
  options.operations_between_switches = 1;
  Device machine(options);
  KernelExploration run(machine);
  return as_kernel(program)(run);
}

}  // namespace

TEST_CASE("random programs have the same outcomes and races as kernels and as litmus tests", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_KERNELS_BOTH_WAYS", 100, 20000);
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const BothProgram program = random_program(random);
    const std::string text = litmus_of(program);
    INFO("seed " << seed << "\n" << text);
    const litmus::VulkanParse parse = litmus::parse_vulkan(text);
    REQUIRE(parse.errors.empty());
    const litmus::Answer answer = litmus::answer(*parse.test, {});
    const KernelExecutions found = explore_kernel(as_kernel(program));
    Outcomes expected;
    for (const litmus::OutcomeRow& row : answer.outcomes) {
      std::map<std::string, std::uint64_t> values;
      for (std::size_t i = 0; i < row.values.size(); ++i)
        values[parse.test->observables[i].name] = static_cast<std::uint64_t>(row.values[i]);
      expected.insert(std::move(values));
    }
    CHECK(found.complete);
    CHECK(outcomes_of(found, program) == expected);
    CHECK(found.races.empty() == !answer.racy);
    CHECK(found.executions == answer.executions);
  }
}

TEST_CASE("what the machine does with a random program is among all its executions", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_KERNELS_BOTH_WAYS", 100, 20000);
  constexpr std::uint64_t kRuns = 10;
  std::uint64_t outcomes = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    BothProgram program = random_program(random);
    // On the machine all come to the barrier of one place.
    for (std::vector<BothInstruction>& code : program.code)
      for (BothInstruction& instruction : code)
        if (instruction.kind == Kind::Barrier) instruction.orders = seed % 2 == 0;
    INFO("seed " << seed << "\n" << litmus_of(program));
    const Outcomes all = outcomes_of(explore_kernel(as_kernel(program)), program);
    Outcomes seen;
    for (std::uint64_t run = 1; run <= kRuns; ++run) seen.merge(outcomes_of(on_machine(program, run), program));
    CHECK(std::includes(all.begin(), all.end(), seen.begin(), seen.end()));
    outcomes += seen.size();
  }
  CHECK(outcomes > programs);
}
