#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "emulator/spirv/termination.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;
using Json = nlohmann::json;

TEST_CASE("each kernel in clspv's manner has the verdicts that the specification gives it") {
  std::ifstream lines(HEDDLE_SOURCE_DIR "/tests/spirv/kernels/expected.jsonl");
  int kernels = 0;
  for (std::string line; std::getline(lines, line); ++kernels) {
    const Json expected = Json::parse(line);
    INFO(expected["file"]);
    const Ran ran(text_of("kernels/" + expected["file"].get<std::string>()));
    const Answer answer = ran.ask(true, expected.value("bound", 2));
    CHECK(answer.holds == expected["holds"]);
    CHECK(answer.racy == expected["racy"]);
    CHECK(answer.faults.empty());
    const Json progress = expected.value("terminates", Json::object());
    for (const auto& [models, ends] : progress.items()) {
      INFO(models);
      const Termination found =
          termination(ran.analysis, ran.question, heddle::progress::parse_progress_models(models), nullptr, 1000000);
      CHECK(found.terminates == ends.get<bool>());
    }
  }
  CHECK(kernels == 42);
}

TEST_CASE("types that stand inside a function are read") {
  const std::string text = text_of("kernels/copymem.spvasm");
  const std::string later =
      replaced(text, "OpReturn\n", "%pointer_inside = OpTypePointer Private %1\n        OpReturn\n");
  REQUIRE(later != text);
  CHECK(Ran(later).ask(true).holds);
}
