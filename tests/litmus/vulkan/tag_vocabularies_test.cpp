#include "tests/litmus/vulkan/tag_vocabularies.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

#include "emulator/explore/explore.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

std::string said(const Answer& answer) {
  std::string out = (answer.racy ? "racy " : "race-free ") + std::to_string(answer.executions) + " executions";
  for (const OutcomeRow& row : answer.outcomes) {
    out += " |";
    for (const Integer value : row.values) out += ' ' + std::to_string(value);
    out += " x" + std::to_string(row.executions) + " racy " + std::to_string(row.racy_executions);
  }
  return out;
}

std::string answer_to(const Test& test, bool chains) {
  Question question;
  question.chains = chains;
  return said(answer(test, question));
}

Test parsed(const std::string& path) {
  VulkanParse parse = parse_vulkan(read_text(path));
  REQUIRE(parse.test);
  return std::move(*parse.test);
}

/// What the document speaks of: neither system-synchronization nor what stages other than compute do.
bool is_spoken_of(const Test& test) {
  if (!test.system_synchronization.empty() || !test.interlock_order.empty() || !test.shader_inputs.empty())
    return false;
  for (const Thread& thread : test.threads) {
    if (thread.stage != model::Stage::Compute || thread.shader_call_group != 0 || thread.interlock_group != 0)
      return false;
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstructionKind::Free || instruction.kind == InstructionKind::Interlock) return false;
  }
  return true;
}

struct Compared {
  int coincide = 0;
  int others = 0;
};

/// Holds a test against itself said in tags, where the two have to mean the same.
void compare(const Test& test, Vocabulary vocabulary, Compared& count) {
  if (!is_spoken_of(test) || !has_to_coincide(operations_of(test), vocabulary)) {
    ++count.others;
    return;
  }
  ++count.coincide;
  const Test in_tags = said_in_tags(test, vocabulary);
  for (const bool chains : {true, false}) {
    INFO(test.name << (chains ? "" : " without chains"));
    CHECK(answer_to(in_tags, chains) == answer_to(test, chains));
  }
}

Compared compare_library(Vocabulary vocabulary) {
  Compared count;
  for (const LibraryFile& file : read_library()) compare(parsed(file.path), vocabulary, count);
  return count;
}

Compared compare_directory(const char* name, Vocabulary vocabulary) {
  Compared count;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + name))
    if (entry.path().extension() == ".litmus") compare(parsed(entry.path().string()), vocabulary, count);
  return count;
}

/// All executions of a program, as text with how often each came.
std::map<std::string, int> executions_of(const explore::ScriptedProgram& scripts) {
  std::map<std::string, int> all;
  explore::Options options;
  options.graph_limit = 200000;
  explore::explore(scripts.program(), options, [&](const explore::Found& found) {
    std::string text = found.judgement.races().empty() ? "race-free" : "racy";
    for (const explore::AgentEnd& end : found.ends) {
      text += '|' + std::to_string(static_cast<int>(end.state));
      for (const explore::Value value : end.results) text += ' ' + std::to_string(value);
    }
    ++all[text];
    return true;
  });
  return all;
}

Compared compare_random(Vocabulary vocabulary, std::uint64_t programs) {
  Compared count;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    explore::ScriptedProgram native = seed % 2 == 0 ? explore::random_chains(seed) : explore::random_program(seed, 6);
    native.system_synchronization.clear();
    if (!has_to_coincide(operations_of(native), vocabulary)) {
      ++count.others;
      continue;
    }
    ++count.coincide;
    INFO("seed " << seed);
    CHECK(executions_of(said_in_tags(native, vocabulary)) == executions_of(native));
  }
  return count;
}

}  // namespace

//= mmra:nonprivate type=test
TEST_CASE("vulkan:private and vulkan:nonprivate mean what NonPrivate means, on the library and on random tests",
          "[nightly]") {
  const Compared library = compare_library(Vocabulary::Private);
  CHECK(library.coincide > 400);
  const Compared random = compare_directory("/tests/litmus/random", Vocabulary::Private);
  CHECK(random.coincide > 50);
  const Compared programs = compare_random(Vocabulary::Private, how_many("HEDDLE_VOCABULARY_PROGRAMS", 300, 100000));
  CHECK(programs.coincide > 20);
  WARN("in tags as natively: " << library.coincide << " of the library, " << random.coincide << " random tests, "
                               << programs.coincide << " random programs");
}

//= mmra:memory-types type=test
TEST_CASE("sync-as means what masks of storage classes mean, on the library and on random tests", "[nightly]") {
  const Compared library = compare_library(Vocabulary::Classes);
  CHECK(library.coincide > 400);
  const Compared random = compare_directory("/tests/litmus/random", Vocabulary::Classes);
  CHECK(random.coincide > 10);
  const Compared programs = compare_random(Vocabulary::Classes, how_many("HEDDLE_VOCABULARY_PROGRAMS", 300, 100000));
  CHECK(programs.coincide > 10);
  WARN("in tags as natively: " << library.coincide << " of the library, " << random.coincide << " random tests, "
                               << programs.coincide << " random programs");
}

// The second test of each pair says the first in tags; emulator/model/TAGS.md has the tables.
//= mmra:nonprivate type=test
//= mmra:memory-types type=test
TEST_CASE("where tags cannot say what is said natively the two differ, as written down") {
  int pairs = 0;
  const std::string directory = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/mmra/";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string file = entry.path().filename().string();
    const std::size_t suffix = file.find("-native.litmus");
    if (suffix == std::string::npos) continue;
    INFO(file);
    ++pairs;
    const Vocabulary vocabulary = file.rfind("private-", 0) == 0 ? Vocabulary::Private : Vocabulary::Classes;
    const Test native = parsed(directory + file);
    const Test in_tags = parsed(directory + file.substr(0, suffix) + "-tags.litmus");
    CHECK(answer_to(said_in_tags(native, vocabulary), true) == answer_to(in_tags, true));
    CHECK(answer_to(native, true) != answer_to(in_tags, true));
    const bool excluded = !native.system_synchronization.empty() || !has_to_coincide(operations_of(native), vocabulary);
    CHECK(excluded);
  }
  CHECK(pairs == 12);
}

// A release of Device scope makes the write of x available; the acquire fits avdevice, which fits the write behind it.
// The acquire itself does not fit that write.
//= mmra:happens-before type=test
TEST_CASE("a device-domain operation between an acquire and a write orders the write, whatever their tags") {
  const auto racy = [](const std::string& between) {
    VulkanParse parse =
        parse_vulkan("Vulkan device-domain-between\n{\nx=0;\ny=0;\n}\n" +
                     (" P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 1, qf 0 ;\n"
                      " st.nonpriv.sc0 x, 1 #foo:a | rmw.atom.acq.dv.sc0.semsc0.semvis.add r0, y, 1 #foo:b ;\n"
                      " st.atom.rel.dv.sc0.semsc0.semav y, 1 #foo:a | " +
                      between +
                      " ;\n"
                      " | st.nonpriv.sc0 x, 2 #foo:c ;\n"
                      "filter (P1:r0 == 1)\n"
                      "exists (P1:r0 == 1)\n"));
    REQUIRE(parse.test);
    return answer(*parse.test, Question{}).racy;
  };
  CHECK(racy(""));
  CHECK_FALSE(racy("avdevice"));
}
