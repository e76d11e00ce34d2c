#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/families/library_test.h"

using namespace heddle::litmus;

namespace {

std::set<std::string> spelled_outcomes(const Test& test, const Answer& answer) {
  std::set<std::string> out;
  for (const OutcomeRow& row : answer.outcomes) {
    std::string text;
    for (std::size_t i = 0; i < test.observables.size(); ++i) {
      text += (i == 0 ? "" : " ") + test.observables[i].name + '=' + std::to_string(row.values[i]);
    }
    out.insert(text);
  }
  return out;
}

void check(const Test& test, const Expectation& expected, bool chains) {
  Question question;
  question.chains = chains;
  const Answer found = answer(test, question);
  INFO((chains ? "with chains" : "without chains"));
  CHECK(found.complete);
  CHECK(found.holds == expected.holds);
  CHECK(found.racy == expected.racy);
  CHECK(found.freed_early == expected.freed_early);
  if (expected.executions) CHECK(found.executions == *expected.executions);
  if (!expected.outcomes.empty()) CHECK(spelled_outcomes(test, found) == expected.outcomes);
}

const std::map<std::string, LibraryFile>& all_files() {
  static const std::map<std::string, LibraryFile> all = [] {
    std::map<std::string, LibraryFile> out;
    for (LibraryFile& file : read_library()) out.emplace(file.name, std::move(file));
    return out;
  }();
  return all;
}

}  // namespace

TEST_CASE("every test of the library has the outcomes, the races and the executions it expects") {
  for (const auto& [name, file] : all_files()) {
    INFO(name << ": " << file.notes.at("reason"));
    const VulkanParse parse = parse_vulkan(file.source);
    for (const Diagnostic& error : parse.errors) UNSCOPED_INFO(describe(file.path, error));
    REQUIRE(parse.test);
    CHECK(parse.warnings.empty());
    CHECK(parse.test->name == name);
    check(*parse.test, file.with_chains, true);
    check(*parse.test, file.without_chains, false);
  }
}

TEST_CASE("the library has at least 300 tests") {
  CHECK(all_files().size() >= 300);
}

TEST_CASE("every test of the library has a reason, a clause, and a twin with another verdict") {
  for (const auto& [name, file] : all_files()) {
    INFO(name);
    CHECK(file.notes.count("reason") == 1);
    const auto clause = file.notes.find("clause");
    REQUIRE(clause != file.notes.end());
    CHECK(clause->second.rfind("vk:memory-model-", 0) == 0);
    const auto note = file.notes.find("twin");
    REQUIRE(note != file.notes.end());
    const auto twin = all_files().find(note->second);
    INFO("twin " << note->second);
    REQUIRE(twin != all_files().end());
    const auto verdicts = [](const LibraryFile& f) {
      return std::array<bool, 5>{f.with_chains.holds, f.with_chains.racy, f.with_chains.freed_early,
                                 f.without_chains.holds, f.without_chains.racy};
    };
    CHECK(verdicts(file) != verdicts(twin->second));
  }
}

TEST_CASE("the generated part of the library is what its families generate") {
  std::set<std::string> generated;
  for (const library::LibraryTest& test : library::all_families()) {
    INFO(test.name);
    CHECK(generated.insert(test.name).second);
    const auto file = all_files().find(test.name);
    REQUIRE(file != all_files().end());
    CHECK(file->second.source == library::print(test));
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/library/generated")) {
    INFO(entry.path());
    CHECK(generated.count(entry.path().stem().string()) == 1);
  }
}
