#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/termination.h"
#include "tests/how_many.h"
#include "tests/litmus/progress/brute_force.h"

using namespace heddle;
using namespace heddle::litmus;
using namespace heddle::progress;

namespace {

constexpr std::array kModels{ProgressModel::Unfair, ProgressModel::Hsa,  ProgressModel::Obe,
                             ProgressModel::HsaObe, ProgressModel::Lobe, ProgressModel::Fair};

bool found_to_end(const Test& test, const ProgressModels& models) {
  Question question;
  question.progress = models;
  const Termination found = termination(test, question);
  REQUIRE(found.terminates);
  return *found.terminates;
}

Test parsed(const SmallProgram& program) {
  VulkanParse parse = parse_vulkan(text_of(program));
  REQUIRE(parse.errors.empty());
  return *std::move(parse.test);
}

ProgressModels random_models(std::mt19937_64& random) {
  ProgressModels models;
  for (ProgressModel& model : models) model = kModels[random() % kModels.size()];
  return models;
}

}  // namespace

TEST_CASE("random programs end under random models of each scope as brute force says", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_PROGRESS_PROGRAMS", 600, 200000);
  std::map<bool, std::uint64_t> answers;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const SmallProgram program = random_small_program(random);
    const Test test = parsed(program);
    ProgressModels models = random_models(random);
    if (seed % 2 == 0) models.fill(models.front());
    INFO("seed " << seed << ", " << spell(models) << "\n" << text_of(program));
    const bool expected = ends(program, models);
    CHECK(found_to_end(test, models) == expected);
    ++answers[expected];
  }
  CHECK(answers[true] > programs / 10);
  CHECK(answers[false] > programs / 10);
}

TEST_CASE("programs of atomics that branch end under the models as brute force says, and under each stronger one",
          "[nightly]") {
  // 2 and 3 threads, 2 to 5 instructions.
  const std::vector<std::vector<unsigned>> sizes{{1, 1},    {2, 1},    {1, 2},    {2, 2},    {3, 1},    {1, 3},
                                                 {3, 2},    {2, 3},    {1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2},
                                                 {2, 2, 1}, {1, 2, 2}, {3, 1, 1}, {2, 1, 2}};
  const std::uint64_t programs = how_many("HEDDLE_PROGRESS_PROGRAMS", 600, 200000);
  std::map<std::string, std::uint64_t> kinds;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const SmallProgram program = random_branching_program(random, sizes[seed % sizes.size()], false);
    const Test test = parsed(program);
    std::string kind;
    for (const ProgressModel model : kModels) {
      ProgressModels models;
      models.fill(model);
      INFO("seed " << seed << ", " << spell(models) << "\n" << text_of(program));
      const bool expected = ends(program, models);
      CHECK(found_to_end(test, models) == expected);
      kind += expected ? '1' : '0';
    }
    ++kinds[kind];
  }
  // In the order of kModels: a model that guarantees more follows, but for HSA and OBE, which stand beside each other.
  for (const auto& [kind, count] : kinds) {
    INFO(kind << ": " << count);
    const auto implies = [&ends = kind](std::size_t weaker, std::size_t stronger) {
      return ends[weaker] == '0' || ends[stronger] == '1';
    };
    CHECK((implies(0, 1) && implies(0, 2) && implies(1, 3) && implies(2, 3) && implies(3, 4) && implies(4, 5)));
  }
  CHECK(kinds.size() >= 5);
}

TEST_CASE("what ends under a model ends under each model that guarantees more", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_PROGRESS_PROGRAMS", 600, 200000);
  constexpr std::array<std::pair<ProgressModel, ProgressModel>, 6> kWeakerFirst{
      {{ProgressModel::Unfair, ProgressModel::Hsa},
       {ProgressModel::Unfair, ProgressModel::Obe},
       {ProgressModel::Hsa, ProgressModel::HsaObe},
       {ProgressModel::Obe, ProgressModel::HsaObe},
       {ProgressModel::HsaObe, ProgressModel::Lobe},
       {ProgressModel::Lobe, ProgressModel::Fair}}};
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const SmallProgram program = random_small_program(random);
    const Test test = parsed(program);
    const ProgressModels around = random_models(random);
    const std::size_t scope = random() % kProgressScopes;
    std::map<ProgressModel, bool> ends;
    for (const ProgressModel model : kModels) {
      ProgressModels models = around;
      if (seed % 2 == 0)
        models.fill(model);
      else
        models[scope] = model;
      ends[model] = found_to_end(test, models);
    }
    INFO("seed " << seed << "\n" << text_of(program));
    for (const auto& [weaker, stronger] : kWeakerFirst) CHECK((!ends[weaker] || ends[stronger]));
  }
}
