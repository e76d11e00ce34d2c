// Random kernels of the shapes: the judge finds each run consistent, and the detector the races that the judge finds.
#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/trace/file_reader.h"
#include "emulator/trace/recorder.h"
#include "tests/field/weak_shapes.h"
#include "tests/how_many.h"
#include "tests/race/agreement.h"
#include "tests/race/linearization.h"
#include "tests/temporary_file.h"

namespace heddle::weak_shapes {
namespace {

/// Shapes of one dispatch, each as it stands or with something removed.
std::array<Weak, 3> random_shapes(std::uint64_t number) {
  static const std::vector<Weak> shapes = [] {
    std::vector<Weak> some = all();
    std::erase_if(some, [](const Weak& w) { return w.shape.act == Act::BetweenDispatches; });
    return some;
  }();
  std::mt19937_64 random(number);
  std::array<Weak, 3> out;
  for (Weak& w : out) {
    w = shapes[random() % shapes.size()];
    if (random() % 3 != 0) w.removed = Removed::Nothing;
  }
  return out;
}

/// A policy under which runs are short: whoever waits does not wait long.
MemoryPolicy policy_of(std::uint64_t number) {
  constexpr std::array kNames = {"sequential", "random", "adversarial", "write-back"};
  MemoryPolicy policy = memory_policy(kNames.at(number % kNames.size()));
  policy.longest_wait = 64;
  policy.most_stale = 2;
  return policy;
}

/// One run, which looks for races or writes a trace. Whether there are races.
bool run(std::uint64_t number, const std::string& trace) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.subgroup_size = 4;
  options.memory = policy_of(number);
  options.seed = number;
  options.races = trace.empty();
  options.races_parallel = false;
  options.trace = trace;
  Device device(options);
  constexpr U32 kGroups = 2;
  constexpr U32 kInvocations = 8;
  const std::vector<U32> zeros(std::size_t{kGroups} * kInvocations, 0u);
  auto words0 = device.buffer(zeros, "words0");
  auto data0 = device.buffer(zeros, "data0");
  auto words1 = device.buffer(zeros, "words1");
  auto data1 = device.buffer(zeros, "data1");
  auto words2 = device.buffer(zeros, "words2");
  auto data2 = device.buffer(zeros, "data2");
  auto wrong = device.buffer(std::vector<U32>{0}, "wrong");
  device.dispatch(several, {kGroups}, {kInvocations}, random_shapes(number), words0, data0, words1, data1, words2,
                  data2, wrong);
  return trace.empty() && !device.races().empty();
}

/// Whether the judge finds a race; that the detector finds the same ones, and only these, is checked.
bool is_judged_racy(std::uint64_t number) {
  CAPTURE(number);
  for (const Weak& w : random_shapes(number)) UNSCOPED_INFO(name_of(w));
  const TemporaryFile file;
  (void)run(number, file.path());
  trace::Recorder recorder;
  race::KernelDetector detector;
  race::LinePerOperation numbered(detector);
  race::Both both(recorder, numbered);
  trace::read_trace_file(file.path(), both);
  const model::Execution execution = recorder.execution();
  CHECK(judge::Judgement(execution).consistent());
  const race::Verdict verdict = race::verdict(execution, true, race::pairs_of(detector));
  CHECK(verdict.text.empty());
  CHECK(run(number, "") == verdict.racy);
  return verdict.racy;
}

}  // namespace

//= vk:memory-model-access-data-race type=test
TEST_CASE("of random kernels of several shapes the detector finds the races that the judge finds", "[nightly]") {
  const std::uint64_t kernels = how_many("HEDDLE_JUDGED_SHAPES", 40, 100000);
  std::uint64_t racy = 0;
  for (std::uint64_t number = first_seed(); number < first_seed() + kernels; ++number)
    racy += is_judged_racy(number) ? 1 : 0;
  CHECK(racy > kernels / 4);
  CHECK(racy < kernels);
}

}  // namespace heddle::weak_shapes
