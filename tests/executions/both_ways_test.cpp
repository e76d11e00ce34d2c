#include "tests/executions/both_ways.h"

#include <heddle/explore_kernel.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <set>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/executions/as_agents.h"
#include "tests/how_many.h"

using namespace heddle;

namespace {

using Kind = BothInstruction::Kind;

/// So many programs show what random ones have in common.
constexpr std::uint64_t kMany = 40;

MemoryOperands operands_of(const BothInstruction& instruction) {
  if (!instruction.non_private) return MemoryOperands::None;
  if (!instruction.makes) return MemoryOperands::NonPrivatePointer;
  return MemoryOperands::NonPrivatePointer |
         (instruction.kind == Kind::Load ? MemoryOperands::MakePointerVisible : MemoryOperands::MakePointerAvailable);
}

/// What the instruction gives; `last` is what the invocation got before.
template <typename Invocation, typename Reference>
std::uint32_t access(Invocation& inv, const BothInstruction& instruction, std::uint32_t last, const Reference& at) {
  const std::uint32_t value = instruction.writes_last ? last : instruction.value;
  const auto scope = dynamic(instruction.scope);
  const auto semantics = dynamic(instruction.semantics);
  const Scope made = instruction.makes && instruction.non_private ? instruction.scope : Scope::Invocation;
  switch (instruction.kind) {
    case Kind::Load:
      return inv.load(at, dynamic(operands_of(instruction)), dynamic(made));
    case Kind::Store:
      inv.store(at, value, dynamic(operands_of(instruction)), dynamic(made));
      return 0;
    case Kind::AtomicLoad:
      return inv.atomic_load(at, scope, semantics);
    case Kind::AtomicStore:
      inv.atomic_store(at, scope, semantics, value);
      return 0;
    case Kind::Add:
      return inv.atomic_i_add(at, scope, semantics, value);
    case Kind::Exchange:
      return inv.atomic_exchange(at, scope, semantics, value);
    case Kind::CompareExchange:
      return inv.atomic_compare_exchange(at, scope, semantics, MemorySemantics::Relaxed, value, last);
    case Kind::Take:
      while (inv.atomic_compare_exchange(at, scope, semantics, MemorySemantics::Relaxed, value, 0u) != 0) continue;
      return 0;
    case Kind::AddByCompare: {
      std::uint32_t old = inv.atomic_load(at, scope, MemorySemantics::Relaxed);
      for (;;) {
        const std::uint32_t seen =
            inv.atomic_compare_exchange(at, scope, semantics, MemorySemantics::Relaxed, old + value, old);
        if (seen == old) return old;
        old = seen;
      }
    }
    case Kind::Spin: {
      std::uint32_t seen = 0;
      while ((seen = inv.atomic_load(at, scope, semantics)) == 0) continue;
      return seen;
    }
    default:
      return 0;
  }
}

/// What is no access. The subgroup operations stand in the order of their kinds.
template <typename Invocation>
std::uint32_t together(Invocation& inv, const BothInstruction& instruction, std::uint32_t last) {
  const auto scope = dynamic(instruction.scope);
  const auto semantics = dynamic(instruction.semantics);
  switch (instruction.kind) {
    case Kind::SumOfSubgroup:
      return inv.group_non_uniform_i_add(GroupOperation::Reduce, last);
    case Kind::XorOfSubgroup:
      return inv.group_non_uniform_bitwise_xor(GroupOperation::Reduce, last);
    case Kind::FirstOfSubgroup:
      return inv.group_non_uniform_broadcast_first(last);
    case Kind::SubgroupBarrier:
      inv.control_barrier(Scope::Subgroup, scope, semantics);
      return 0;
    case Kind::Barrier:
      inv.control_barrier(Scope::Workgroup, scope, semantics);
      return 0;
    case Kind::Fence:
      inv.memory_barrier(scope, semantics);
      return 0;
    default:
      return 0;
  }
}

template <typename Invocation, typename Buffer>
void execute(Invocation& inv, const std::vector<BothInstruction>& code, Buffer x, Buffer results, std::uint32_t done) {
  auto of_workgroup = inv.template workgroup<std::uint32_t>("w");
  std::uint32_t last = 0;
  for (const BothInstruction& instruction : code) {
    const std::uint32_t at = done;
    if (instruction.gets()) ++done;
    if (instruction.only_if && *instruction.only_if != last) continue;
    std::uint32_t got = 0;
    if (instruction.kind >= Kind::SumOfSubgroup || instruction.kind == Kind::Fence)
      got = together(inv, instruction, last);
    else if (instruction.element == kElements)
      got = access(inv, instruction, last, of_workgroup);
    else
      got = access(inv, instruction, last, x[instruction.element]);
    if (!instruction.gets()) continue;
    last = got;
    results[at] = got;
  }
}

/// The program, to be explored or to be run on the machine.
auto as_kernel(const BothProgram& program) {
  return [&program](KernelExploration& exploration) {
    auto x = exploration.device().buffer(std::vector<std::uint32_t>(kElements), "x");
    auto out = exploration.device().buffer(std::vector<std::uint32_t>(program.code.size() * kMostReads), "out");
    const auto kernel = [&program](auto& inv, auto elements, auto results) {
      if constexpr (std::remove_reference_t<decltype(inv)>::kEmulated) {
        const std::uint32_t me = inv.global_invocation_id().x;
        execute(inv, program.code[me], elements, results, me * kMostReads);
      }
    };
    return exploration.dispatch(kernel, program.groups, program.local, x, out);
  };
}

KernelExecutions explored(const BothProgram& program) {
  KernelBounds bounds;
  bounds.subgroup_size = program.subgroup_size;
  bounds.time = std::chrono::minutes(10);
  return explore_kernel(as_kernel(program), bounds);
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
        if (instruction.gets()) {
          values["P" + std::to_string(i) + ":r" + std::to_string(done)] =
              value_of("out[" + std::to_string(i * kMostReads + done) + "]");
          ++done;
        }
    }
    out.insert(std::move(values));
  }
  return out;
}

Outcomes outcomes_of(const litmus::Answer& answer, const litmus::Test& test) {
  Outcomes out;
  for (const litmus::OutcomeRow& row : answer.outcomes) {
    std::map<std::string, std::uint64_t> values;
    for (std::size_t i = 0; i < row.values.size(); ++i)
      values[test.observables[i].name] = static_cast<std::uint64_t>(row.values[i]);
    out.insert(std::move(values));
  }
  return out;
}

/// A line for each.
std::string text_of(const Outcomes& outcomes) {
  std::string out;
  for (const auto& outcome : outcomes) {
    for (const auto& [name, value] : outcome) out += name + "=" + std::to_string(value) + " ";
    out += "\n";
  }
  return out;
}

/// What lanes tell each other is read from memory in the litmus test alone, where it must not come out of thin air, as
/// all that is read. A value that goes in a circle through that, and that comes about elsewhere too, only the kernel
/// has.
void check_circles(const BothProgram& program, const Outcomes& outcomes, const Outcomes& expected) {
  std::set<std::uint64_t> values;
  for (const auto& outcome : outcomes)
    for (const auto& [name, value] : outcome) values.insert(value);
  const litmus::VulkanParse parse = litmus::parse_vulkan(litmus_of(program, values));
  REQUIRE(parse.errors.empty());
  litmus::Question question;
  question.thin_air = true;
  const Outcomes all = outcomes_of(litmus::answer(*parse.test, question), *parse.test);
  INFO("the kernel:\n" << text_of(outcomes) << "the litmus test:\n" << text_of(expected));
  CHECK(std::includes(outcomes.begin(), outcomes.end(), expected.begin(), expected.end()));
  CHECK(std::includes(all.begin(), all.end(), outcomes.begin(), outcomes.end()));
}

/// One run on weak memory; nothing if it does not end.
Outcomes on_machine(const BothProgram& program, std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("random");
  options.seed = seed;
  options.subgroup_size = program.subgroup_size;
  options.lane_mapping = LaneMapping::Linear;
  options.workgroup_memory_zeroed = true;
  options.operations_between_switches = 1;
  Device machine(options);
  KernelExploration run(machine);
  try {
    return outcomes_of(as_kernel(program)(run), program);
  } catch (const KernelError& error) {
    if (error.finding().kind != FindingKind::NoProgress) throw;
    return {};
  }
}

}  // namespace

TEST_CASE("random programs have the same outcomes and races as kernels and as litmus tests", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_KERNELS_BOTH_WAYS", 150, 20000);
  std::uint64_t together = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const BothProgram program = random_program(random, OtherForm::Litmus);
    const std::string text = litmus_of(program);
    INFO("seed " << seed << "\n" << text);
    const litmus::VulkanParse parse = litmus::parse_vulkan(text);
    INFO((parse.errors.empty() ? "" : litmus::describe("", parse.errors.front())));
    REQUIRE(parse.errors.empty());
    const litmus::Answer answer = litmus::answer(*parse.test, {});
    const KernelExecutions found = explored(program);
    CHECK(found.complete);
    const Outcomes outcomes = outcomes_of(found, program);
    const Outcomes expected = outcomes_of(answer, *parse.test);
    if (program.lanes_tell() && outcomes != expected) {
      check_circles(program, outcomes, expected);
      continue;
    }
    CHECK(text_of(outcomes) == text_of(expected));
    CHECK(found.races.empty() == !answer.racy);
    // How often a loop is seen to go round in vain is told apart in other ways.
    if (!program.has_loop()) CHECK(found.executions == answer.executions - answer.blocked);
    if (program.subgroup_size > 1) ++together;
  }
  if (programs >= kMany) CHECK(together > programs / 4);
}

TEST_CASE("random programs with compare-exchanges have the same outcomes and races as kernels and as agents",
          "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_KERNELS_BOTH_WAYS", 40, 20000);
  std::uint64_t loops = 0;
  std::uint64_t too_large = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const BothProgram program = random_program(random, OtherForm::Agents);
    INFO("seed " << seed << "\n" << text_of(program));
    const AsAgents expected = explored_as_agents(program);
    if (!expected.complete) {
      ++too_large;
      continue;
    }
    const KernelExecutions found = explored(program);
    CHECK(found.complete);
    CHECK(text_of(outcomes_of(found, program)) == text_of(expected.outcomes));
    CHECK(found.races.empty() == !expected.racy);
    if (!program.has_loop()) CHECK(found.executions == expected.executions);
    if (program.has_loop()) ++loops;
  }
  CHECK(too_large <= programs / 100);
  if (programs >= kMany) CHECK(loops > programs / 4);
}

TEST_CASE("what the machine does with a random program is among all its executions", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_KERNELS_BOTH_WAYS", 40, 20000);
  constexpr std::uint64_t kRuns = 10;
  std::uint64_t outcomes = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const BothProgram program = random_program(random, OtherForm::None);
    INFO("seed " << seed << "\n" << text_of(program));
    const Outcomes all = outcomes_of(explored(program), program);
    Outcomes seen;
    for (std::uint64_t run = 1; run <= kRuns; ++run) seen.merge(on_machine(program, run));
    INFO("all:\n" << text_of(all) << "seen:\n" << text_of(seen));
    CHECK(std::includes(all.begin(), all.end(), seen.begin(), seen.end()));
    outcomes += seen.size();
  }
  if (programs >= kMany) CHECK(outcomes > programs);
}
