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
