// Random kernels on every memory: the judge finds each run consistent, and the detector, which hears of most accesses
// only what it needs, the races that the judge finds in the run's trace.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/trace/file_reader.h"
#include "emulator/trace/recorder.h"
#include "tests/how_many.h"
#include "tests/temporary_file.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kGroups = 2;
constexpr std::uint32_t kMostInvocations = 6;
constexpr std::uint32_t kRounds = 3;
constexpr std::uint32_t kSteps = 3;

/// What an invocation does next; what its way does not ask for counts nothing.
struct Step {
  std::uint32_t way = 0;
  Scope scope = Scope::Device;
  MemorySemantics acquire = MemorySemantics::Relaxed;
  MemorySemantics release = MemorySemantics::Relaxed;
  MemorySemantics both = MemorySemantics::Relaxed;
};
struct Program {
  std::uint32_t size = 2;
  Step steps[kMostInvocations][kRounds][kSteps];
  /// The barriers of each workgroup, behind each round but the last.
  Step barriers[kGroups][kRounds - 1];
};

constexpr std::uint32_t kFirstWay = __LINE__ + 17;
/// Each way to access an object is a line of its own.
const auto random_kernel = [](auto& inv, const Program* program, StorageBuffer<std::uint32_t> auto data,
                              StorageBuffer<std::uint32_t> auto other, StorageBuffer<std::uint32_t> auto flag) {
  auto own = inv.template workgroup<std::uint32_t[2]>("own");
  auto d = data.non_private();
  auto o = other.non_private();
  auto f = flag.non_private();
  const std::uint32_t me = inv.global_invocation_id().x;
  std::uint32_t sum = me + 1;
  if (inv.local_invocation_index() == 0) inv.store(own[0], 0u, MemoryOperands::None);
  if (inv.local_invocation_index() == 0) inv.store(own[1], 0u, MemoryOperands::None);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t r = 0; r < kRounds; ++r) {
    for (std::uint32_t s = 0; s < kSteps; ++s) {
      const Step& step = program->steps[me][r][s];
      const std::uint32_t way = step.way;
      if (way == 0) d[0] = sum;
      if (way == 1) sum += d[0];
      if (way == 2) data[0] = sum;
      if (way == 3) sum += data[0];
      if (way == 4) o[0] = sum;
      if (way == 5) sum += o[0];
      if (way == 6) inv.store(own[0], sum, MemoryOperands::None);
      if (way == 7) sum += inv.load(own[0], MemoryOperands::None);
      if (way == 8) f[0] = sum;
      if (way == 9) sum += f[0];
      if (way == 10) inv.atomic_store(flag[0], dynamic(step.scope), dynamic(step.release), sum);
      if (way == 11) sum += inv.atomic_load(flag[0], dynamic(step.scope), dynamic(step.acquire));
      if (way == 12) sum += inv.atomic_i_add(flag[0], dynamic(step.scope), dynamic(step.both), 1u);
      if (way == 13) inv.atomic_store(other[0], dynamic(step.scope), dynamic(step.release), sum);
      if (way == 14) sum += inv.atomic_load(other[0], dynamic(step.scope), dynamic(step.acquire));
      if (way == 15) sum += inv.atomic_i_add(own[1], dynamic(step.scope), dynamic(step.both), 1u);
      if (way == 16) sum += inv.atomic_load(own[1], dynamic(step.scope), dynamic(step.acquire));
      if (way == 17 && step.both != MemorySemantics::Relaxed)
        inv.memory_barrier(dynamic(step.scope), dynamic(step.both));
    }
    if (r + 1 == kRounds) break;
    const Step& barrier = program->barriers[inv.workgroup_id().x][r];
    if (barrier.way != 0) inv.control_barrier(Scope::Workgroup, dynamic(barrier.scope), dynamic(barrier.both));
  }
};
constexpr std::uint32_t kFirstAtomicWay = 10;
constexpr std::uint32_t kWays = 18;

class Maker {
 public:
  /// For some seeds most is atomic; for some all is, at a scope that has everybody, and nothing races.
  explicit Maker(std::uint64_t seed) : random_(seed), mild_(seed % 7 < 2), calm_(seed % 7 == 0) {}

  Program make() {
    Program program;
    program.size = 1 + below(3);
    for (auto& invocation : program.steps)
      for (auto& round : invocation)
        for (Step& step : round) {
          step = make_step(below(kWays + 6));
          if (mild_ && step.way < kFirstAtomicWay && (below(6) != 0 || calm_)) step.way = kWays;
          if (calm_) step.scope = Scope::Device;
        }
    for (auto& workgroup : program.barriers)
      for (Step& barrier : workgroup) barrier = make_step(below(5));
    return program;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Step make_step(std::uint32_t way) {
    using enum MemorySemantics;
    static constexpr Scope kScopes[] = {Scope::Device,    Scope::Device,      Scope::Device,  Scope::Workgroup,
                                        Scope::Workgroup, Scope::QueueFamily, Scope::Subgroup};
    Step step;
    step.way = way;
    step.scope = kScopes[below(7)];
    if (below(5) == 0) return step;
    const std::uint32_t which = below(4);
    const MemorySemantics classes = which == 0   ? UniformMemory | WorkgroupMemory
                                    : which == 1 ? WorkgroupMemory
                                                 : UniformMemory;
    step.acquire = Acquire | classes | (below(4) != 0 ? MakeVisible : Relaxed);
    step.release = Release | classes | (below(4) != 0 ? MakeAvailable : Relaxed);
    const bool one_way = below(4) == 0;
    step.both = one_way ? (below(2) == 0 ? step.acquire : step.release)
                        : AcquireRelease | classes | (below(4) != 0 ? MakeVisible : Relaxed) |
                              (below(4) != 0 ? MakeAvailable : Relaxed);
    return step;
  }

  std::mt19937_64 random_;
  bool mild_;
  bool calm_;
};

/// The lines of two operations that race, the smaller first.
using Lines = std::set<std::pair<std::uint32_t, std::uint32_t>>;

void add(Lines& lines, std::uint32_t a, std::uint32_t b) {
  lines.emplace(std::min(a, b), std::max(a, b));
}

/// One program, or two dispatches of one submission, with what comes between them.
struct Submission {
  enum class Between { NoDependency, Execution, Memory };
  explicit Submission(std::uint64_t number) : first(Maker(number).make()) {
    if (number % 4 != 3) return;
    second = Maker(~number).make();
    between = static_cast<Between>(number / 4 % 3);
  }
  Program first;
  std::optional<Program> second;
  Between between = Between::NoDependency;
};

Lines run(const Submission& submission, const MemoryPolicy& policy, std::uint64_t seed, const std::string& trace) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = policy;
  options.seed = seed;
  options.races = trace.empty();
  options.races_parallel = false;
  // A stale read of what nobody wrote would end the run.
  options.workgroup_memory_zeroed = true;
  options.trace = trace;
  Device device(options);
  auto data = device.buffer({0u}, "data");
  auto other = device.buffer({0u}, "other");
  auto flag = device.buffer({0u}, "flag");
  device.submit([&](Commands& commands) {
    const auto dispatch = [&](const Program& program) {
      commands.dispatch(random_kernel, kGroups, program.size, &program, data, other, flag);
    };
    dispatch(submission.first);
    if (!submission.second) return;
    if (submission.between == Submission::Between::Execution) commands.execution_barrier();
    if (submission.between == Submission::Between::Memory) commands.memory_barrier();
    dispatch(*submission.second);
  });
  Lines lines;
  if (!trace.empty()) return lines;
  for (const DataRace& race : device.races()) {
    add(lines, race.first.where.line, race.second.where.line);
    for (const DataRace& related : race.related) add(lines, related.first.where.line, related.second.where.line);
  }
  return lines;
}

/// Why the run is not consistent; empty where it is.
std::string fault_of(const judge::Judgement& judgement) {
  const auto violation = judgement.violation();
  if (!violation) return "";
  return judge::explain(*violation, [&](model::OperationIndex i) {
    const Operation& op = judgement.execution().operations[i];
    return "operation " + std::to_string(i) + " of invocation " + std::to_string(static_cast<std::uint32_t>(op.agent)) +
           " in line " + std::to_string(op.where.line);
  });
}

/// The object that is accessed in a line.
std::uint32_t object_of(std::uint32_t line) {
  static constexpr std::uint32_t kObjects[kWays] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 1, 1, 4, 4, 5};
  return line < kFirstWay || line >= kFirstWay + kWays ? 5 : kObjects[line - kFirstWay];
}

/// Checks one run; whether it has a race.
bool is_judged_racy(std::uint64_t number, const MemoryPolicy& policy) {
  CAPTURE(number, policy.name);
  const Submission submission(number);
  const Lines found = run(submission, policy, number, "");
  const TemporaryFile file;
  run(submission, policy, number, file.path());
  trace::Recorder recorder;
  trace::read_trace_file(file.path(), recorder);
  const model::Execution execution = recorder.execution();
  const judge::Judgement judgement(execution);
  CHECK(fault_of(judgement) == "");
  Lines judged;
  for (const judge::Race& race : judgement.races())
    add(judged, execution.operations[race.first].where.line, execution.operations[race.second].where.line);
  CHECK(std::includes(judged.begin(), judged.end(), found.begin(), found.end()));
  std::set<std::uint32_t> of_judge, of_detector;
  for (const auto& [first, second] : judged) of_judge.insert(object_of(second));
  for (const auto& [first, second] : found) of_detector.insert(object_of(second));
  CHECK(of_judge == of_detector);
  return !judged.empty();
}

}  // namespace

//= vk:memory-model-access-data-race type=test
TEST_CASE(
    "whatever a random kernel does, the judge finds its run consistent, and the detector the races that the judge "
    "finds",
    "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_JUDGED_KERNELS", 30, 8000);
  std::uint64_t racy = 0;
  std::uint64_t runs = 0;
  for (std::uint64_t number = first_seed(); number < first_seed() + programs; ++number) {
    for (const MemoryPolicy& policy : memory_policies()) {
      racy += is_judged_racy(number, policy) ? 1 : 0;
      ++runs;
    }
  }
  CHECK(racy > runs / 4);
  CHECK(racy < runs);
}

TEST_CASE("kernels that no memory ran as the memory model has it, once") {
  // About an update that follows several writes which have no order among each other; of a relaxed flag behind a
  // barrier at which all do the same; of a write that came between what an update read and what it wrote.
  for (const std::uint64_t number : {1000925, 1001710, 1003365, 1006826, 1010033, 1011954, 2001613})
    for (const MemoryPolicy& policy : memory_policies()) is_judged_racy(number, policy);
}
