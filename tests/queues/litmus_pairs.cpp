// Host tests of the litmus format as programs of queues: what the judge says of a test, its program is held to.

#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"
#include "tests/litmus/vulkan/random_host.h"
#include "tests/queues/litmus_program.h"
#include "tests/queues/programs.h"

using namespace queue_tests;
namespace litmus = heddle::litmus;
using Json = nlohmann::json;

namespace {

const std::string kDirectory = HEDDLE_SOURCE_DIR "/tests/litmus/host/";

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Whether a random program and its test may be compared: parameters of an indirect dispatch are numbers of workgroups
/// alone to queues, a command uses each buffer that it is given, and a kernel that accesses an alias races with itself.
bool is_comparable(const litmus::Test& test) {
  const bool has_alias = test.locations != test.variables.size();
  for (const litmus::Batch& batch : test.host->batches)
    for (const litmus::BatchCommand& command : batch.commands)
      if (command.destination || (has_alias && !command.threads.empty())) return false;
  return !litmus::frees_memory(test);
}

/// What became of a random test under some seeds.
struct Tried {
  /// Some run did not come to its end: a deadlock, or a call that must not be made.
  bool cut = false;
  bool racy = false;
  /// The first run whose outcome the judge does not allow; empty if there is none.
  std::string forbidden;
};

std::string text_of(const std::map<std::string, std::uint32_t>& found) {
  std::string out;
  for (const auto& [name, value] : found) out += " " + name + "=" + std::to_string(value);
  return out;
}

/// Whether the judge has an outcome with these registers; final values of variables are not looked at.
bool is_allowed(const litmus::Test& test, const litmus::Answer& answer,
                const std::map<std::string, std::uint32_t>& found) {
  return std::any_of(answer.outcomes.begin(), answer.outcomes.end(), [&](const litmus::OutcomeRow& row) {
    for (std::size_t i = 0; i < test.observables.size(); ++i) {
      const auto reg = found.find(test.observables[i].name);
      if (reg != found.end() && static_cast<litmus::Integer>(reg->second) != row.values[i]) return false;
    }
    return true;
  });
}

Tried tried(const litmus::Test& test, const litmus::Answer& answer, std::uint64_t seeds) {
  Tried out;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    LitmusRun run(test, seed);
    try {
      const std::map<std::string, std::uint32_t> found = run.run();
      if (out.forbidden.empty() && !is_allowed(test, answer, found) && !run.has_undefined_contents())
        out.forbidden = "seed " + std::to_string(seed) + ":" + text_of(found);
    } catch (const std::exception&) {
      out.cut = true;
    }
    out.racy = out.racy || run.is_racy();
  }
  return out;
}

}  // namespace

TEST_CASE("programs of queues race as the judge says of the same litmus test, and have no other outcomes") {
  std::ifstream answers(kDirectory + "expected.jsonl");
  REQUIRE(answers);
  const std::uint64_t seeds = how_many("HEDDLE_QUEUE_SEEDS", 40, 5000);
  int understood = 0;
  for (std::string line; std::getline(answers, line);) {
    const Json expected = Json::parse(line);
    const std::string file = expected.at("file");
    INFO(file);
    const litmus::VulkanParse parse = litmus::parse_vulkan(text_of_file(kDirectory + file));
    REQUIRE(parse.test);
    if (!is_understood(*parse.test)) continue;
    ++understood;
    const Json& verdict = expected.at("chains");
    bool racy = false;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      LitmusRun run(*parse.test, seed);
      std::map<std::string, std::uint32_t> found;
      try {
        found = run.run();
      } catch (const std::logic_error&) {
        // A use of freed memory that comes behind the end of it is refused.
        racy = true;
        continue;
      }
      racy = racy || run.is_racy();
      const auto is_outcome = [&](const Json& outcome) {
        for (const auto& [name, value] : outcome.items()) {
          const auto reg = found.find(name);
          if (reg != found.end() && reg->second != value.get<std::uint32_t>()) return false;
        }
        return true;
      };
      const Json& outcomes = verdict.at("outcomes");
      if (std::none_of(outcomes.begin(), outcomes.end(), is_outcome)) {
        std::string text = "seed " + std::to_string(seed) + ":";
        for (const auto& [name, value] : found) text += " " + name + "=" + std::to_string(value);
        FAIL_CHECK(text);
        break;
      }
    }
    CHECK(racy == verdict.at("racy").get<bool>());
  }
  CHECK(understood >= 100);
}

TEST_CASE("random programs of queues race as the judge says, and have no other outcomes", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_RANDOM_QUEUES", 1500, 100'000);
  std::uint64_t understood = 0;
  std::uint64_t racy = 0;
  for (std::uint64_t n = 0; n < programs; ++n) {
    const std::string text = litmus::random_host_test(first_seed() + n);
    const litmus::VulkanParse parse = litmus::parse_vulkan(text);
    if (!parse.test || !is_understood(*parse.test) || !is_comparable(*parse.test)) continue;
    const litmus::Answer answer = litmus::answer(*parse.test, {});
    const Tried found = tried(*parse.test, answer, 8);
    if (found.cut) continue;
    ++understood;
    racy += answer.racy ? 1 : 0;
    INFO("program " << first_seed() + n << '\n' << text << found.forbidden);
    CHECK(found.forbidden.empty());
    CHECK(found.racy == answer.racy);
  }
  CHECK(understood > programs / 10);
  CHECK(racy > understood / 10);
  CHECK(racy < understood);
}
