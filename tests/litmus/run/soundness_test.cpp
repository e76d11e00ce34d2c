#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/run_seed.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/trace/recorder.h"
#include "tests/explore/script.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/run/memories_under_test.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

std::string spelled(const Outcome& values) {
  std::string out;
  for (const Integer value : values) out += ' ' + std::to_string(value);
  return out;
}

/// Runs one test on every memory; true if nothing is wrong.
bool is_sound(const std::string& file, const std::string& source, std::uint64_t bound, std::uint64_t runs) {
  const VulkanParse parse = parse_vulkan(source);
  REQUIRE(parse.test);
  Question question;
  question.bound = bound;
  std::set<Outcome> allowed;
  for (const OutcomeRow& row : answer(*parse.test, question).outcomes) allowed.insert(row.values);
  bool sound = true;
  const char* only = std::getenv("HEDDLE_POLICY");
  for (const MemoryUnderTest& memory : memories_under_test()) {
    if (only && memory.name != only) continue;
    RunRequest request;
    request.memory = memory_of(*parse.test, memory_policy(memory.name));
    request.watch = [] { return detector_watch(true); };
    request.runs = runs;
    request.judged = runs;
    request.bound = bound;
    request.seed = 1 + first_seed();
    const RunTotals totals = litmus::run(*parse.test, request);
    if (totals.inconsistent > 0) {
      sound = false;
      WARN(file << ", " << memory.name << ": " << totals.inconsistent << " inconsistent, first run "
                << *totals.first_inconsistent_run);
    }
    if (totals.detector_disagreements != 0) {
      sound = false;
      WARN(file << ", " << memory.name << ": the race detector disagrees in " << *totals.detector_disagreements
                << " runs, first in run " << *totals.first_disagreement_run);
    }
    for (const HistogramRow& row : totals.histogram) {
      if (allowed.count(row.values) > 0) continue;
      sound = false;
      WARN(file << ", " << memory.name << ": forbidden outcome" << spelled(row.values) << ", first run "
                << row.first_run);
    }
  }
  return sound;
}

/// How every agent ended, as a word.
std::string spelled(const std::vector<explore::AgentEnd>& ends) {
  std::string out;
  for (const explore::AgentEnd& end : ends) {
    out += '|' + std::to_string(static_cast<int>(end.state));
    for (const explore::Value value : end.results) out += ' ' + std::to_string(value);
  }
  return out;
}

/// How all executions of a program may end that terminate.
struct KnownEnds {
  std::set<std::string> all;
  /// Whether that is all of them.
  bool complete = true;

  bool allow(const std::vector<explore::AgentEnd>& ends) const { return !complete || all.count(spelled(ends)) != 0; }
};

KnownEnds known_ends(explore::ScriptedProgram scripts) {
  // Some in a million programs have so many executions that others would wait for them.
  explore::Options options;
  options.graph_limit = 300000;
  KnownEnds known;
  // What agents may still do takes long to learn of a few programs.
  const explore::Statistics found =
      explore::explore(scripts.telling_program(), options, [&](const explore::Found& one) {
        if (one.terminated()) known.all.insert(spelled(one.ends));
        return true;
      });
  known.complete = found.graphs < options.graph_limit;
  return known;
}

/// How many bytes each variable of a program has.
std::vector<std::uint32_t> sizes_of(const explore::ScriptedProgram& scripts) {
  std::vector<std::uint32_t> sizes(2, 2);
  for (const explore::Script& script : scripts.scripts) {
    for (const explore::Line& line : script) {
      const Locations& bytes = line.operation.locations;
      const auto variable = static_cast<std::size_t>(bytes.allocation);
      if (sizes.size() <= variable) sizes.resize(variable + 1, 2);
      sizes[variable] = std::max(sizes[variable], static_cast<std::uint32_t>(bytes.offset_bytes) + bytes.size_bytes);
    }
  }
  return sizes;
}

/// A random program on one memory.
class ScriptRun {
 public:
  ScriptRun(const explore::ScriptedProgram& scripts, const MemoryUnderTest& memory)
      : program_(scripts.program()),
        choice_(0),
        memory_(memory.make(choice_)),
        sizes_(sizes_of(scripts)),
        runner_(program_, sizes_, *memory_, choice_) {}

  /// What is wrong with a run; empty if nothing is.
  std::string fault(std::uint64_t seed, const KnownEnds& known);

 private:
  std::string final_memory_fault(const judge::Judgement& judgement);

  explore::Program program_;
  SeededChoice choice_;
  std::unique_ptr<memory::Memory> memory_;
  std::vector<std::uint32_t> sizes_;
  run::Runner runner_;
};

std::string ScriptRun::fault(std::uint64_t seed, const KnownEnds& known) {
  choice_ = SeededChoice(seed);
  trace::Recorder recorder;
  runner_.listen(&recorder);
  const run::RunEnd end = runner_.run();
  const model::Execution execution = recorder.execution();
  const judge::Judgement judgement(execution);
  if (const auto violation = judgement.violation()) {
    return "inconsistent: " + judge::explain(*violation, [&](model::OperationIndex index) {
             return "operation " + std::to_string(index);
           });
  }
  if (end == run::RunEnd::Terminated && !known.allow(runner_.ends()))
    return "ends as the explorer does not know: " + spelled(runner_.ends());
  return final_memory_fault(judgement);
}

/// Whether memory settled on values that may be the final ones.
std::string ScriptRun::final_memory_fault(const judge::Judgement& judgement) {
  for (std::uint32_t variable = 0; variable < sizes_.size(); ++variable) {
    for (std::uint32_t at = 0; at < sizes_[variable]; ++at) {
      const Locations byte{static_cast<AllocationId>(variable), at, 1};
      const explore::Value held = runner_.final_value(byte);
      bool allowed = false;
      for (const model::OperationIndex write : judgement.final_writes(byte)) {
        if (write == model::kInitialValue) {
          allowed = allowed || held == 0;
          continue;
        }
        const std::uint64_t first = judgement.execution().operations[write].locations.offset_bytes;
        const explore::Value value = judgement.execution().written_values[write];
        allowed = allowed || held == ((value >> (8 * (at - first))) & 0xff);
      }
      if (!allowed)
        return "byte " + std::to_string(at) + " of variable " + std::to_string(variable) + " ends as " +
               std::to_string(held);
    }
  }
  return {};
}

/// What is wrong with some run of the program on the memory, and its seed.
std::string fault_of(const explore::ScriptedProgram& scripts, const KnownEnds& known, const MemoryUnderTest& memory,
                     std::uint64_t runs, std::uint64_t seed) {
  ScriptRun run(scripts, memory);
  for (std::uint64_t number = 0; number < runs; ++number) {
    const std::string fault = run.fault(seed_of_run(seed, number), known);
    if (!fault.empty()) return fault + " (run " + std::to_string(number) + ")";
  }
  return {};
}

/// The program with as few lines as still go wrong.
explore::ScriptedProgram shrunk(explore::ScriptedProgram scripts, const MemoryUnderTest& memory, std::uint64_t runs,
                                std::uint64_t seed) {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t agent = 0; agent < scripts.scripts.size(); ++agent) {
      for (std::size_t line = 0; line < scripts.scripts[agent].size(); ++line) {
        if (scripts.scripts[agent][line].operation.kind == OperationKind::ControlBarrier) continue;
        explore::ScriptedProgram less = scripts;
        less.scripts[agent].erase(less.scripts[agent].begin() + static_cast<std::ptrdiff_t>(line));
        if (fault_of(less, known_ends(less), memory, runs * 20, seed).empty()) continue;
        scripts = std::move(less);
        smaller = true;
        --line;
      }
    }
  }
  return scripts;
}

}  // namespace

TEST_CASE("whatever the memory, every run of the library is consistent and ends as the model allows", "[nightly]") {
  const std::uint64_t runs = how_many("HEDDLE_MACHINE_RUNS", 30, 1000);
  bool sound = true;
  for (const LibraryFile& file : read_library()) sound = is_sound(file.name, file.source, 2, runs) && sound;
  CHECK(sound);
}

namespace {

/// How many tests a directory has, each of which is sound.
std::size_t sound_files(const std::string& directory, std::uint64_t runs) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + directory)) {
    if (entry.path().extension() != ".litmus") continue;
    files += is_sound(entry.path().filename().string(), read_text(entry.path().string()), 2, runs) ? 1 : 0;
  }
  return files;
}

}  // namespace

TEST_CASE("whatever the memory, every run of the random cases is consistent and ends as the model allows",
          "[nightly]") {
  CHECK(sound_files("/tests/litmus/random/", how_many("HEDDLE_MACHINE_RUNS", 10, 500)) == 420);
}

TEST_CASE("whatever the memory, every run of the cases of chains is consistent and ends as the model allows",
          "[nightly]") {
  CHECK(sound_files("/tests/litmus/chains/", how_many("HEDDLE_MACHINE_RUNS", 100, 5000)) == 40);
}

namespace {

using Generate = explore::ScriptedProgram (*)(std::uint64_t seed, std::size_t most_lines);

explore::ScriptedProgram program_of(std::uint64_t seed, Generate generate) {
  return generate(seed, 4 + seed % 5);
}

/// Whether the explorer knew all of its ends.
bool check_random_program(std::uint64_t seed, Generate generate,
                          const std::vector<MemoryUnderTest>& memories = memories_under_test()) {
  constexpr std::uint64_t kRuns = 10;
  const explore::ScriptedProgram scripts = program_of(seed, generate);
  const KnownEnds known = known_ends(scripts);
  for (const MemoryUnderTest& memory : memories) {
    std::string fault = fault_of(scripts, known, memory, kRuns, seed);
    CHECK(fault.empty());
    if (fault.empty()) continue;
    const explore::ScriptedProgram less = shrunk(scripts, memory, kRuns, seed);
    fault = fault_of(less, known_ends(less), memory, kRuns * 20, seed);
    FAIL_CHECK("program " << seed << " on " << memory.name << ": " << fault << '\n' << describe(less));
  }
  return known.complete;
}

void check_random_programs(Generate generate, std::uint64_t usual = 400) {
  const std::uint64_t programs = how_many("HEDDLE_MACHINE_PROGRAMS", usual, 1000000);
  const std::uint64_t first = first_seed();
  std::uint64_t known = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed)
    known += check_random_program(seed, generate) ? 1 : 0;
  CHECK(programs - known <= 1 + programs / 1000);
}

/// A program that showed a fault. A generator that makes another one of its seed takes the test away: then a seed whose
/// program shows what the title says is to be found.
void check_known_program(std::uint64_t seed, std::uint64_t fingerprint, Generate generate = explore::random_program,
                         const std::vector<MemoryUnderTest>& memories = memories_under_test()) {
  INFO("of seed " << seed << " the generator makes\n" << describe(program_of(seed, generate)));
  CHECK(explore::fingerprint(program_of(seed, generate)) == fingerprint);
  check_random_program(seed, generate, memories);
}

explore::ScriptedProgram random_tagged_program(std::uint64_t seed, std::size_t most_lines) {
  switch (seed % 3) {
    case 0:
      return explore::with_random_tags(explore::random_program(seed, most_lines), seed);
    case 1:
      return explore::with_random_tags(explore::random_chains(seed), seed);
    default:
      return explore::with_random_tags(explore::random_messages(seed, most_lines), seed);
  }
}

}  // namespace

TEST_CASE("whatever the memory, every run of a random program is consistent and ends as the model allows",
          "[nightly]") {
  check_random_programs(explore::random_program);
}

// Programs of a few agents have a clock for each of them, and kernels have not: what agents that share one know of each
// other is asked for here.
TEST_CASE("however few clocks agents have, every run of a random program is consistent and ends as the model allows",
          "[nightly]") {
  constexpr std::array<memory::ClockLimits, 5> kLimits{{{1}, {2}, {3}, {memory::kClockSlots, 1}, {3, 2}}};
  std::vector<std::vector<MemoryUnderTest>> memories;
  for (const memory::ClockLimits& limits : kLimits) memories.push_back(memories_with(limits));
  const std::uint64_t first = first_seed();
  const std::uint64_t programs = how_many("HEDDLE_MACHINE_PROGRAMS", 5000, 1000000);
  for (std::uint64_t seed = first; seed < first + programs; ++seed)
    check_random_program(seed, seed % 2 == 0 ? explore::random_program : random_tagged_program,
                         memories[seed / 2 % memories.size()]);
}

TEST_CASE("whatever the memory, every run of random messages is consistent and ends as the model allows", "[nightly]") {
  check_random_programs(explore::random_messages);
}

TEST_CASE("whatever the memory, every run of random chains is consistent and ends as the model allows", "[nightly]") {
  check_random_programs([](std::uint64_t seed, std::size_t) { return explore::random_chains(seed); });
}

TEST_CASE("whatever the memory, every run of random values is consistent and ends as the model allows", "[nightly]") {
  check_random_programs(explore::random_values);
}

TEST_CASE("whatever the memory, every run of random mixtures is consistent and ends as the model allows", "[nightly]") {
  check_random_programs([](std::uint64_t seed, std::size_t) { return explore::random_mixtures(seed); },
                        3 * explore::kMixtures);
}

//= mmra:happens-before type=test
TEST_CASE("whatever the memory, every run of a random program with tags is consistent and ends as the model allows",
          "[nightly]") {
  check_random_programs(random_tagged_program);
}

// A write is of a buffer, and a barrier makes it available by that class; by another class alone the barrier is before
// one whose agent system-synchronizes with the reader.
//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("what system-synchronizes is behind what is available before it by any class") {
  check_known_program(2067524, 0x80c8228c8e0679b0, random_tagged_program);
}

//= mmra:synchronizes-with type=test
TEST_CASE("a write comes behind what its reader learns of, though its own tags do not fit that") {
  // A barrier of a workgroup tells of a write; an update whose tags do not fit the barrier's carries it on, and who
  // acquires from the update comes behind the write.
  check_known_program(2000753, 0xd0df288aa859e25c, random_tagged_program);
}

//= mmra:synchronizes-with type=test
TEST_CASE("a barrier acquires what its agent released and read, though the tags of the two do not fit") {
  // An update waits, its agent reads it, and comes to a barrier; who acquires there comes behind the update.
  check_known_program(2016459, 0x28b6ec475a3a3159, random_tagged_program);
}

//= mmra:synchronizes-with type=test
TEST_CASE("a read that a barrier behind it acquires by comes before the barrier, though their tags do not fit") {
  check_known_program(2055100, 0xce5bae9b24a3834c, random_tagged_program);
}

//= mmra:happens-before type=test
TEST_CASE("an acquire hands on what came before it to what fits it, though it acquires nothing itself") {
  // A barrier, an atomic that acquires, and a read: the tags of the first and the last do not fit, and those of the
  // atomic fit both.
  check_known_program(2020146, 0xfc0ed572ff54ec54, random_tagged_program);
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a write comes to its reader by a chain of visibility, though their tags leave nothing else between them") {
  // A write that makes itself available, a visibility operation of its agent, and a barrier to which the reader comes:
  // the tags of the first and the last do not fit, and the operation between, which acquires alone, fits both.
  check_known_program(3028239, 0x6602a573a795fb44, random_tagged_program);
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a read comes behind what a barrier before it made available, though it knows of nothing that happened") {
  // A control barrier, a barrier that makes available, and a read: the tags of the first and the last do not fit.
  check_known_program(3307356, 0x2ecc1227642de5fb, random_tagged_program);
}

//= vk:memory-model-acyclicity type=test
TEST_CASE("what one read took from two writes that wait comes in one moment") {
  // An agent writes two bytes, reads both, and writes the second one again: a reader of the last write has
  // the first byte, too.
  check_known_program(4075457, 0x33d88f1d51d4abfe, random_tagged_program);
}

//= mmra:happens-before type=test
TEST_CASE("an acquire comes itself before what fits an acquire behind it") {
  // A read that acquires, another acquire, and a read of the same word through another reference: the tags of the two
  // reads do not fit.
  check_known_program(7166097, 0x9ea42c8fcf34706e, random_tagged_program);
}

//= mmra:happens-before type=test
TEST_CASE("an operation that neither acquires nor releases hands an acquire on to a release that fits it") {
  // An update that acquires, an availability operation of the device, and a barrier, whose tags do not fit the
  // update's.
  check_known_program(7092224, 0xc9497bd2f739a1f0, random_tagged_program);
}

TEST_CASE("whatever the memory, every run of the cases of tags is consistent and ends as the model allows",
          "[nightly]") {
  CHECK(sound_files("/tests/litmus/mmra/", how_many("HEDDLE_MACHINE_RUNS", 30, 1000)) == 126);
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a write comes to a read of another class where all agents share one clock") {
  // An atomic write makes itself available on the device, and a barrier of the reader, which names the class of the
  // write alone, comes behind it.
  check_known_program(1379106, 0xcc2a56cca2f38b0d, explore::random_program, memories_with({memory::kClockSlots, 1}));
}

TEST_CASE("an update goes on with the release sequence before it where it reads a plain write") {
  // Which is between them in no order; a read of the update acquires what was released before both.
  check_known_program(163837829, 0xd1574c464abbdb2e);
}

TEST_CASE("a read that acquires by another class than its own holds up what its agent has waiting") {
  // A private write waits, an atomic read of its agent sees it and names another class, and by that class
  // alone the read happens before somebody else's update.
  check_known_program(9027293, 0x586f3308979ac430);
}

TEST_CASE("what an update met with some bytes is not unseen after a read of the others through another reference") {
  // An update of two bytes meets another one's write of the first; a non-private read of the second byte, through
  // another reference, comes after it; a private read of both, through that reference, comes after that.
  check_known_program(120005959, 0xdd6aee54b2ae1a4b);
}

// An atomic of buffer memory that acquires and makes images visible comes after a released atomic of an image by the
// class of its own memory.
//= vk:memory-model-inter-thread-happens-before
TEST_CASE("an atomic makes visible what happened before it by its own storage class, too") {
  check_known_program(150189399, 0x90cba9bb5883baa5);
}

TEST_CASE("what a read met with some bytes is not unseen after one of the others, whatever reference comes then") {
  // A private read of two bytes meets its agent's write of the first; a non-private read of the second byte comes after
  // it, through that reference; and after that a read of both through another one.
  check_known_program(160135187, 0xbe4234b9ee4739ab);
  check_known_program(160037208, 0xdcb3e1ae1b83d44e);
}

// Some arrive, synchronize and end before the last one arrives, in whose scope only one of them is: what another one
// of them released comes to it by that one's arrival.
//= vk:memory-model-synchronizes-with
TEST_CASE("who arrives late at a barrier with a quorum learns what those who have ended learnt there") {
  check_known_program(134727, 0x53115a688fd7edff, explore::random_messages);
}

// The other byte is one that its agent wrote itself.
//= vk:memory-model-synchronizes-with
TEST_CASE("an update that reads a byte of what another one released acquires from it") {
  check_known_program(160265994, 0xd32882e248868e40);
}

// Somebody else made the write available to the device before, in an operation that the reader does not come after.
//= vk:memory-model-vulkan-availability-visibility
TEST_CASE("what several made available to the device is visible from it to an agent that comes after one of them") {
  check_known_program(476369, 0x961fa58609dd3064, explore::random_messages);
}

// An update acquires by one class a write of another, of any agent that it comes after; it names that class, too, and
// makes it available; a later visibility operation of its agent names nothing but that class.
//= vk:memory-model-availability-visibility
TEST_CASE("what an update acquires it makes available, by whatever class it acquired it") {
  check_known_program(462009, 0xe3349db24089f51c, explore::random_messages);
}

// It comes after the write by another class alone, and after whom that system-synchronizes with.
//= vk:memory-model-inter-thread-happens-before
TEST_CASE("what system-synchronizes before a release is visible by whatever class that is acquired") {
  check_known_program(575974, 0x0d2ed55c73d09526, explore::random_messages);
}
