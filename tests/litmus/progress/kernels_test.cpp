#include <heddle/explore.h>
#include <heddle/forward_progress.h>
#include <heddle/heddle.h>

#include <array>
#include <catch2/catch.hpp>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/termination.h"
#include "tests/how_many.h"
#include "tests/litmus/progress/brute_force.h"

using namespace heddle;
using namespace heddle::litmus;
using heddle::progress::ProgressModel;

namespace {

using Kind = SmallInstruction::Kind;

/// One instruction that is an atomic.
template <typename Invocation, typename Reference>
std::uint32_t atomic(Invocation& inv, const SmallInstruction& instruction, const Reference& at) {
  constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
  if (instruction.kind == Kind::Exchange) return inv.atomic_exchange(at, Scope::Device, kRelaxed, instruction.value);
  return inv.atomic_load(at, Scope::Device, kRelaxed);
}

/// Each thread is a workgroup.
auto as_kernel(const SmallProgram& program) {
  return [program](Trial& trial) {
    auto x = trial.device().buffer(std::vector<std::uint32_t>(kSmallVariables), "x");
    const auto kernel = [&program](auto& inv, auto memory) {
      const std::vector<SmallInstruction>& code = program[inv.workgroup_id().x].code;
      std::uint32_t found = 0;
      for (std::size_t at = 0; at < code.size();) {
        const SmallInstruction& instruction = code[at];
        const bool branches = instruction.kind == Kind::BranchIfEqual || instruction.kind == Kind::BranchIfNot;
        if (!branches) found = atomic(inv, instruction, memory[instruction.variable]);
        const bool goes = branches && (found == instruction.value) == (instruction.kind == Kind::BranchIfEqual);
        at = goes ? instruction.target : at + 1;
      }
    };
    trial.device().dispatch(kernel, {static_cast<std::uint32_t>(program.size())}, {1u}, x);
  };
}

/// In which memory has one copy of everything, as in the states that the answer for a litmus test is found among.
SeedOptions sequential() {
  SeedOptions options;
  options.device.memory = memory_policy("sequential");
  options.jobs = 1;
  options.replay_file = "";
  options.print_to = nullptr;
  return options;
}

bool ends_as_test(const Test& test, ProgressModel model) {
  Question question;
  question.progress.emplace();
  question.progress->fill(model);
  const Termination found = termination(test, question);
  REQUIRE(found.terminates);
  return *found.terminates;
}

}  // namespace

TEST_CASE("small programs never hang as kernels under a model under which they end as litmus tests", "[nightly]") {
  const std::vector<std::vector<unsigned>> sizes{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 1, 1}, {2, 1, 1}};
  constexpr std::array<std::pair<ProgressModel, const char*>, 5> kModels{{{ProgressModel::Fair, "qf=fair"},
                                                                          {ProgressModel::Lobe, "qf=lobe"},
                                                                          {ProgressModel::HsaObe, "qf=hsa+obe"},
                                                                          {ProgressModel::Obe, "qf=obe"},
                                                                          {ProgressModel::Hsa, "qf=hsa"}}};
  const std::uint64_t programs = how_many("HEDDLE_PROGRESS_KERNELS", 40, 500);
  std::uint64_t endless = 0;
  std::uint64_t seen = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const SmallProgram program = random_branching_program(random, sizes[seed % sizes.size()], false);
    const std::string text = text_of(program);
    const VulkanParse parse = parse_vulkan(text);
    REQUIRE(parse.errors.empty());
    for (const auto& [model, name] : kModels) {
      const bool ends = ends_as_test(*parse.test, model);
      const EndsUnder found = ends_under(as_kernel(program), name, 30, sequential());
      INFO("seed " << seed << ", " << name << ": " << found.hang << "\n" << text);
      CHECK((found.ends || !ends));
      endless += ends ? 0 : 1;
      seen += found.ends ? 0 : 1;
    }
  }
  // That no seed shows a hang is no proof; of those that there are most show within so few seeds.
  CHECK(5 * seen >= 4 * endless);
}
