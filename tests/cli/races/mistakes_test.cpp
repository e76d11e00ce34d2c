// What `heddle races` says about each of the classic mistakes, and that what it advises cures it:
// the right kernel of each has exactly that change.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/run_heddle.h"
#include "tests/how_many.h"
#include "tests/variable.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

struct Mistake {
  const char* program;
  const char* object;
  /// The step that is missing, as JSON names it.
  const char* missing;
  /// Parts of the reason, and of the first change.
  const char* reason;
  const char* change;
};

const Mistake kMistakes[] = {
    {"dispatches_without_dependency", "squares", "dependency", "execution dependency only",
     "put a memory dependency, commands.memory_barrier(), between dispatch 0 and dispatch 1"},
    {"message_not_available", "data", "availability", "never made available",
     "add MakeAvailable to the atomic write in line"},
    {"message_not_visible", "data", "visibility", "never made visible", "add MakeVisible to the atomic read in line"},
    {"missing_barrier", "partial", "synchronization", "no synchronization: no barrier of the workgroup",
     "put a control barrier, (Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier)"},
    {"private_payload", "data", "non-private access", "only non-private accesses are ordered between invocations",
     "non-private (.non_private(), NonPrivatePointer), and make the read in line"},
    {"relaxed_look_back", "sums", "synchronization", "nothing between the two workgroups releases and acquires",
     "Release | UniformMemory | MakeAvailable (kReleaseBuffers)"},
    {"relaxed_unlock", "counter", "synchronization", "wrote, but that does not release",
     "the semantics Release | UniformMemory | MakeAvailable (kReleaseBuffers)"},
    {"scope_too_narrow", "", "mutual order", "scopes do not include both invocations", "from Workgroup to QueueFamily"},
    {"two_references", "buffer", "own references", "two references to the same memory", "bind the memory once"},
    {"wrong_storage_class", "data", "storage class", "UniformMemory, the storage class of this memory, is missing",
     "add UniformMemory to the atomic read in line"},
};

Run run_mistake(const Mistake& mistake, const char* which) {
  return run_heddle({"races", "--json", std::string(HEDDLE_MISTAKES) + mistake.program, std::string("--only=") + which,
                     "--seeds=40", "--jobs=1"});
}

std::vector<Json> races_in(const std::string& text) {
  std::vector<Json> races;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (text[begin] == '{') {
      const Json line = Json::parse(text.substr(begin, end - begin));
      if (line.at("kind") == "data race") races.push_back(line);
    }
  return races;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

namespace {

/// What the last line says, the summary.
Json summary_of(const std::string& text) {
  const std::size_t begin = text.rfind("{\"", text.rfind("\"kind\":\"summary\""));
  return Json::parse(text.substr(begin, text.find('\n', begin) - begin));
}

/// The change that is proposed first, applied as an edit, leaves no race and no finding in other seeds.
void check_first_change(const std::string& program) {
  INFO(program);
  const Run tried =
      run_heddle({"races", "--json", "--change-seconds", "20", program, "--only=wrong", "--seeds=5", "--jobs=1"});
  const Json summary = summary_of(tried.out);
  INFO(tried.out << tried.err);
  REQUIRE_FALSE(summary.at("together_edits").empty());
  std::string edits;
  for (const Json& edit : summary.at("together_edits")) edits += edit.get<std::string>() + '\n';
  const TemporaryDirectory directory;
  const heddle::test::Variable variable("HEDDLE_EDITS", directory.write("edits.txt", edits).c_str());
  const std::string seeds = "--seeds=" + std::to_string(heddle::how_many("HEDDLE_CHANGED_SEEDS", 15, 1000));
  const Run again = run_heddle(
      {"races", "--json", "--change-seconds", "0", program, "--only=wrong", "--first-seed=1000", seeds, "--jobs=1"});
  INFO(edits << again.out << again.err);
  CHECK(again.exit_code == 0);
  CHECK(summary_of(again.out).at("races") == 0);
}

}  // namespace

TEST_CASE(
    "the first change of each mistake, applied as an edit, leaves no finding, but that to bind once, which is none") {
  for (const Mistake& mistake : kMistakes)
    if (std::string(mistake.program) != "two_references")
      check_first_change(HEDDLE_MISTAKES + std::string(mistake.program));
}

TEST_CASE("the first change of each bug of the field, applied as an edit, leaves no finding") {
  for (const char* bug : {"deque_push", "flag_rewritten", "handed_on", "local_fence", "ticket_queue"})
    check_first_change(HEDDLE_MISTAKES + std::string("../field/") + bug);
}

TEST_CASE("each mistake is one finding with its reason and its cure, and the cured kernel has none") {
  for (const Mistake& mistake : kMistakes) {
    const Run wrong = run_mistake(mistake, "wrong");
    INFO(mistake.program << "\n" << wrong.out << wrong.err);
    CHECK(wrong.exit_code == 1);
    const std::vector<Json> races = races_in(wrong.out);
    REQUIRE(races.size() == 1);
    const Json& race = races[0];
    if (*mistake.object) CHECK(race.at("object") == mistake.object);
    CHECK(race.at("missing") == mistake.missing);
    CHECK(has(race.at("reason"), mistake.reason));
    REQUIRE_FALSE(race.at("changes").empty());
    CHECK(has(race.at("changes").at(0), mistake.change));
    CHECK(has(race.at("first").at("file"), mistake.program));
    CHECK_FALSE(has(race.at("replay"), "--only=right"));

    const Run right = run_mistake(mistake, "right");
    CHECK(right.exit_code == 0);
    CHECK(races_in(right.out).empty());
  }
}

TEST_CASE("heddle races --advise says which stages a program of queues needs of its semaphores, with the line") {
  const Run run = run_heddle(
      {"races", "--advise", std::string(HEDDLE_MISTAKES) + "../upload_loop", "--frames", "3", "--size", "4"});
  INFO(run.out);
  CHECK(run.exit_code == 0);
  CHECK(has(run.out, "advice on submit2, a semaphore's signal at"));
  CHECK(has(run.out, "upload_loop.cpp:"));
  CHECK(has(run.out, "  COMPUTE_SHADER instead of ALL_COMMANDS in stageMask: more was not needed in 1 run"));
}
