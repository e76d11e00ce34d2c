// Programs that wait, written both ways: as litmus tests, whose answer under a model of forward progress is exact, and
// as kernels, of which a scheduler that is adversarial within the model tries some runs.
#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

#include <heddle/explore.h>
#include <heddle/forward_progress.h>
#include <heddle/heddle.h>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/termination.h"
#include "emulator/progress/models.h"
#include "tests/how_many.h"

using namespace heddle;

namespace {

using U32 = std::uint32_t;

enum class What : std::uint8_t { End, Store, Add, Wait, Lock, SkipUnless };

/// An instruction on variable `of`: stores `value`, adds it, waits until it is there, takes a lock (1, once it is 0),
/// or ends the thread unless it is there.
struct Line {
  What what = What::End;
  U32 of = 0;
  U32 value = 0;
};

constexpr U32 kMostThreads = 4;
constexpr U32 kMostLines = 8;
using Code = std::array<Line, kMostLines>;
struct Program {
  U32 threads = 0;
  std::array<Code, kMostThreads> codes{};
};

/// Each thread is a workgroup, or each is an invocation of one subgroup.
enum class Shape : std::uint8_t { Workgroups, Lanes };

Program program_of(const std::vector<std::vector<Line>>& threads) {
  Program out;
  for (const std::vector<Line>& lines : threads) {
    Code& code = out.codes.at(out.threads++);
    for (std::size_t i = 0; i < lines.size(); ++i) code.at(i) = lines[i];
  }
  return out;
}

std::string litmus_of(const Program& program, Shape shape) {
  std::string text = "Vulkan both-ways\n{ }\n";
  for (U32 t = 0; t < program.threads; ++t) {
    const std::string number = std::to_string(t);
    text +=
        "P" + number + "@subgroup 0, workgroup " + (shape == Shape::Workgroups ? number : "0") + ", queueFamily 0 {\n";
    U32 label = 0;
    for (const Line& line : program.codes[t]) {
      const std::string x = "v" + std::to_string(line.of);
      const std::string value = std::to_string(line.value);
      const std::string here = "LC0" + std::to_string(++label);
      const std::string load = "r9 = atomicLoad(" + x + ", Relaxed, Device); ";
      switch (line.what) {
        case What::End:
          break;
        case What::Store:
          text += "atomicStore(" + x + ", " + value + ", Relaxed, Device); ";
          break;
        case What::Add:
          text += "r7 = atomicAdd(" + x + ", " + value + ", Relaxed, Device); ";
          break;
        case What::Wait:
          text += here + ": " + load + "if (r9 != " + value + ") goto " + here + "; ";
          break;
        case What::Lock:
          text += here + ": r8 = atomicExchange(" + x + ", 1, Relaxed, Device); if (r8 != 0) goto " + here + "; ";
          break;
        case What::SkipUnless:
          text += load + "if (r9 != " + value + ") goto LC99; ";
          break;
      }
    }
    text += "LC99: r0 = r0 + 0;\n}\n";
  }
  return text;
}

bool ends_as_litmus(const Program& program, Shape shape, const std::string& model) {
  litmus::VulkanParse parse = litmus::parse_vulkan(litmus_of(program, shape));
  INFO(litmus_of(program, shape));
  REQUIRE(parse.errors.empty());
  litmus::Question question;
  question.progress = progress::parse_progress_models(model);
  const litmus::Termination found = litmus::termination(*parse.test, question, 100000);
  REQUIRE(found.terminates);
  return *found.terminates;
}

template <typename Invocation, typename Variables>
void run(Invocation& inv, const Code& code, Variables v) {
  constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
  for (const Line& line : code) {
    switch (line.what) {
      case What::End:
        return;
      case What::Store:
        inv.atomic_store(v[line.of], Scope::Device, kRelaxed, line.value);
        break;
      case What::Add:
        inv.atomic_i_add(v[line.of], Scope::Device, kRelaxed, line.value);
        break;
      case What::Wait:
        while (inv.atomic_load(v[line.of], Scope::Device, kRelaxed) != line.value) {
        }
        break;
      case What::Lock:
        while (inv.atomic_exchange(v[line.of], Scope::Device, kRelaxed, 1u) != 0) {
        }
        break;
      case What::SkipUnless:
        if (inv.atomic_load(v[line.of], Scope::Device, kRelaxed) != line.value) return;
        break;
    }
  }
}

bool ends_as_kernel(const Program& program, Shape shape, const std::string& model, std::uint64_t seeds) {
  SeedOptions options;
  options.device.subgroup_size = kMostThreads;
  options.device.lane_mapping = LaneMapping::Linear;
  options.jobs = 1;
  options.replay_file = "";
  const auto test = [&](Trial& trial) {
    auto v = trial.device().buffer(std::vector<U32>(8, 0), "v");
    const auto kernel = [program](auto& inv, auto variables) {
      run(inv, program.codes[inv.global_invocation_id().x], variables);
    };
    const bool of_workgroups = shape == Shape::Workgroups;
    trial.device().dispatch(kernel, {of_workgroups ? program.threads : 1}, {of_workgroups ? 1 : program.threads}, v);
  };
  return ends_under(test, model, seeds, options).ends;
}

constexpr Line store(U32 of, U32 value) {
  return {What::Store, of, value};
}
constexpr Line add(U32 of, U32 value) {
  return {What::Add, of, value};
}
constexpr Line wait(U32 of, U32 value) {
  return {What::Wait, of, value};
}
constexpr Line lock(U32 of) {
  return {What::Lock, of, 0};
}
constexpr Line skip_unless(U32 of, U32 value) {
  return {What::SkipUnless, of, value};
}

/// Idioms of programs that wait.
std::vector<Program> known_programs() {
  return {
      program_of({{store(0, 1)}, {store(1, 1)}}),
      program_of({{wait(0, 1)}, {store(0, 1)}}),
      program_of({{store(0, 1)}, {wait(0, 1)}}),
      program_of({{store(0, 1)}, {wait(0, 1), store(1, 1)}, {wait(1, 1)}}),
      program_of({{wait(1, 1)}, {wait(0, 1), store(1, 1)}, {store(0, 1)}}),
      program_of({{lock(0), store(0, 0)}, {lock(0), store(0, 0)}}),
      program_of({{lock(0), store(0, 0)}, {lock(0), store(0, 0)}, {lock(0), store(0, 0)}}),
      program_of({{add(0, 1), wait(0, 2)}, {add(0, 1), wait(0, 2)}}),
      program_of({{add(0, 1), wait(0, 3)}, {add(0, 1), wait(0, 3)}, {add(0, 1), wait(0, 3)}}),
      program_of({{store(0, 1), wait(1, 1)}, {wait(0, 1), store(1, 1)}}),
      program_of({{wait(0, 1), store(1, 1)}, {store(0, 1), wait(1, 1)}}),
      program_of({{skip_unless(0, 1), wait(1, 1)}, {store(0, 1), store(1, 1)}}),
      program_of({{store(0, 1), store(1, 1)}, {skip_unless(0, 1), wait(1, 1)}}),
      program_of({{lock(0), store(0, 0), store(1, 1)}, {wait(1, 1), lock(0), store(0, 0)}}),
      program_of({{lock(0), store(0, 0), store(1, 1)}, {lock(0), store(0, 0), wait(1, 1)}}),
      program_of({{lock(0), wait(1, 1), store(0, 0)}, {store(1, 1), lock(0), store(0, 0)}}),
      program_of({{lock(0), wait(1, 1), store(0, 0)}, {lock(0), store(0, 0), store(1, 1)}}),
      program_of({{lock(0), lock(1), store(1, 0), store(0, 0)}, {lock(1), lock(0), store(0, 0), store(1, 0)}}),
      program_of({{skip_unless(0, 1), wait(2, 1)}, {store(1, 1)}, {store(0, 1), wait(1, 1), store(2, 1)}}),
      program_of({{wait(0, 1)}, {skip_unless(0, 1), wait(1, 1)}, {store(0, 1), store(1, 1)}}),
      program_of({{store(0, 1), wait(0, 2)}, {wait(0, 1), store(0, 2), wait(0, 3)}, {wait(0, 2), store(0, 3)}}),
      program_of({{wait(0, 1)}, {store(1, 1)}}),
  };
}

Program random_program(std::uint64_t seed) {
  SeededChoice choice(seed);
  const auto draw = [&](U32 below) { return choice.below(below, ChoicePoint::Invocation); };
  Program out;
  out.threads = 2 + draw(2);
  for (U32 t = 0; t < out.threads; ++t) {
    Code& code = out.codes[t];
    const U32 lines = 1 + draw(4);
    for (U32 i = 0; i < lines; ++i) code[i] = {static_cast<What>(1 + draw(5)), draw(3), 1 + (draw(4) == 0 ? 1u : 0u)};
    for (U32 i = 0; i < lines; ++i)
      if (code[i].what == What::Lock && draw(3) != 0) code[lines] = {What::Store, code[i].of, 0};
  }
  return out;
}

const std::vector<std::pair<Shape, std::vector<std::string>>> kModels = {
    {Shape::Workgroups, {"fair", "qf=lobe", "qf=hsa+obe", "qf=obe", "qf=hsa", "qf=unfair"}},
    {Shape::Lanes, {"fair", "sg=unfair"}},
};

}  // namespace

TEST_CASE("known programs that wait end as kernels under a model if and only if they do as litmus tests") {
  for (const Program& program : known_programs())
    for (const auto& [shape, models] : kModels)
      for (const std::string& model : models) {
        INFO(litmus_of(program, shape) << "under " << model);
        // On the machine workgroups begin in order under this one, which is lobe then.
        const std::string asked = model == "qf=hsa+obe" ? "qf=lobe" : model;
        const bool ends = ends_as_litmus(program, shape, asked);
        // A run that does not end may be rare.
        CHECK(ends_as_kernel(program, shape, model, ends ? 60 : 3000) == ends);
      }
}

TEST_CASE("no random program hangs as a kernel under a model under which it ends as a litmus test", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_PROGRESS_PROGRAMS", 60, 20000);
  for (std::uint64_t i = first_seed(); i < first_seed() + programs; ++i) {
    const Program program = random_program(i);
    for (const auto& [shape, models] : kModels)
      for (const std::string& model : models) {
        if (!ends_as_litmus(program, shape, model)) continue;
        INFO("program " << i << "\n" << litmus_of(program, shape) << "under " << model);
        CHECK(ends_as_kernel(program, shape, model, 10));
      }
  }
}
