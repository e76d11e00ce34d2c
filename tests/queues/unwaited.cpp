// Programs that forget to wait: which races they have is no matter of the seed.

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "tests/check/death.h"
#include "tests/how_many.h"
#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

constexpr auto kIncrement = [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto) {
  x[inv.global_invocation_id().x] += 1;
};
constexpr auto kSets = [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto y) {
  const std::uint32_t i = inv.global_invocation_id().x;
  x[i] = i;
  y[i] = i;
};
constexpr auto kReadsTwice = [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto y) {
  const std::uint32_t i = inv.global_invocation_id().x;
  const std::uint32_t first = x[i];
  const std::uint32_t second = x[i];
  y[i] = first + second;
};

/// A race without the order of its sides: the object, and the lines of both.
using Race = std::tuple<std::string, std::uint32_t, std::uint32_t>;

std::set<Race> races_of(const LogicalDevice& device) {
  std::set<Race> out;
  for (const DataRace& race : device.races()) {
    const std::uint32_t one = race.first.where.line;
    const std::uint32_t other = race.second.where.line;
    out.insert({race.object, std::min(one, other), std::max(one, other)});
  }
  return out;
}

std::string text_of(const std::set<Race>& races) {
  std::string out;
  for (const auto& [object, one, other] : races)
    out += "  " + object + ": lines " + std::to_string(one) + " and " + std::to_string(other) + "\n";
  return out;
}

/// A program without a single wait: batches on two queues, which semaphores may order, and accesses of the host
/// between.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t number, std::uint64_t seed) : random_(number), device_(options_of(seed)) {
    for (const MemoryProperty property : {MemoryProperty::HostCoherent, MemoryProperty::HostVisible}) {
      memory_.push_back(numbers(device_, property, "memory " + std::to_string(memory_.size())));
      maps_.push_back(filled(memory_.back(), 7));
      memory_.back().flush();
    }
  }

  std::set<Race> races() {
    const std::uint64_t steps = 3 + below(5);
    for (std::uint64_t i = 0; i < steps; ++i) chance(50) ? submit() : access();
    const std::set<Race> out = races_of(device_);
    device_.wait_idle();
    CHECK(races_of(device_) == out);
    return out;
  }

 private:
  static LogicalDeviceOptions options_of(std::uint64_t seed) {
    LogicalDeviceOptions out = options(Mode::Emulated, seed);
    constexpr const char* kMemories[] = {"sequential", "random", "adversarial"};
    out.device.memory = memory_policy(kMemories[seed % 3]);
    out.device.races = false;
    return out;
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// Calls that stand in one line of this file are in lines of their own for the device.
  SourceLocation where() {
    SourceLocation out = SourceLocation::current();
    out.line = 1000 + next_line_++;
    return out;
  }
  void submit();
  void record(CommandBuffer& commands);
  void access();

  std::mt19937_64 random_;
  LogicalDevice device_;
  std::vector<DeviceMemory<std::uint32_t>> memory_;
  std::vector<MappedMemory<std::uint32_t>> maps_;
  std::vector<Semaphore> signaled_;
  std::uint32_t next_line_ = 0;
};

void RandomProgram::record(CommandBuffer& commands) {
  auto x = memory_[below(2)].buffer();
  auto y = memory_[below(2)].buffer();
  const RecordedExtent groups({1}, where());
  switch (below(7)) {
    case 0:
      return commands.dispatch(kIncrement, groups, {kCount}, x, y);
    case 1:
      return commands.dispatch(kSets, groups, {kCount}, x, y);
    case 2:
      return commands.dispatch(kReadsTwice, groups, {kCount}, x, y);
    case 3:
      return commands.fill_buffer(x, 0, 2 * sizeof(std::uint32_t), 3, where());
    case 4:
      return commands.copy_buffer(memory_[0].buffer(), memory_[1].buffer(), BufferCopy{0, 0, 12}, where());
    default:
      constexpr Access2 kAll = Access2::MemoryRead | Access2::MemoryWrite;
      const PipelineStage2 from = chance(70) ? PipelineStage2::AllCommands : PipelineStage2::ComputeShader;
      return commands.pipeline_barrier2(MemoryBarrier2{from, chance(80) ? kAll : Access2::None,
                                                       PipelineStage2::AllCommands | PipelineStage2::Host, kAll},
                                        where());
  }
}

void RandomProgram::submit() {
  CommandBuffer commands = device_.command_buffer("batch");
  commands.begin();
  const std::uint64_t count = 1 + below(5);
  for (std::uint64_t i = 0; i < count; ++i) record(commands);
  commands.end();
  SubmitInfo2 batch{.command_buffers = {commands}};
  if (!signaled_.empty() && chance(50)) {
    batch.wait_semaphores.push_back({signaled_.back()});
    signaled_.pop_back();
  }
  if (chance(50)) {
    const Semaphore next = device_.semaphore("next");
    batch.signal_semaphores.push_back({next});
    signaled_.push_back(next);
  }
  device_.queue(0, static_cast<std::uint32_t>(below(2))).submit2({batch}, std::nullopt, where());
}

void RandomProgram::access() {
  const std::uint64_t which = below(2);
  const std::uint64_t element = below(kCount);
  switch (below(5)) {
    case 0:
    case 1:
      maps_[which].read(element, where());
      return;
    case 2:
      return maps_[which].write(element, 9, where());
    case 3:
      return memory_[which].flush(0, kWholeSize, where());
    default:
      return memory_[which].invalidate(0, kWholeSize, where());
  }
}

LogicalDeviceOptions with_seed(std::uint64_t seed) {
  return options(Mode::Emulated, seed);
}

/// Two dispatches, which the host does not wait for.
void submit_two(const LogicalDevice& device, const DeviceMemory<std::uint32_t>& memory,
                const Semaphore* waits = nullptr) {
  auto x = memory.buffer();
  auto unused = memory.buffer();
  CommandBuffer commands = device.command_buffer("two");
  commands.begin();
  commands.dispatch(kIncrement, {1}, {kCount}, x, unused);
  commands.pipeline_barrier2(kComputeToCompute);
  commands.dispatch(kTwice, {1}, {kCount}, x);
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  SubmitInfo2 batch{.command_buffers = {commands}};
  if (waits) batch.wait_semaphores.push_back({*waits, 1});
  device.queue().submit2({batch});
}

}  // namespace

TEST_CASE("a random program that waits for nothing has the same races under each seed") {
  const std::uint64_t programs = how_many("HEDDLE_UNWAITED_PROGRAMS", 60, 5000);
  std::uint64_t racy = 0;
  for (std::uint64_t program = first_seed(); program < first_seed() + programs; ++program) {
    const std::set<Race> expected = RandomProgram(program, 1).races();
    racy += expected.empty() ? 0 : 1;
    for (std::uint64_t seed = 2; seed <= 8; ++seed) {
      const std::set<Race> found = RandomProgram(program, seed).races();
      if (found == expected) continue;
      FAIL_CHECK("program " << program << ", seed 1:\n"
                            << text_of(expected) << "seed " << seed << ":\n"
                            << text_of(found));
      break;
    }
  }
  CHECK(racy > programs / 2);
}

TEST_CASE("a host that reads and does not wait races with all that it did not wait for, under each seed") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LogicalDevice device(with_seed(seed));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 1);
    submit_two(device, memory);
    map.read(7);
    CHECK_THROWS_WITH(device.require_no_races(), Catch::Contains("the host does not wait for the command"));
    CHECK(device.races().size() == 2);
  }
}

TEST_CASE("what the host does after it has asked for races is not ordered by that") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LogicalDevice device(with_seed(seed));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 1);
    submit_two(device, memory);
    CHECK(device.races().empty());
    map.read(7);
    CHECK(device.races().size() == 2);
  }
}

TEST_CASE("a command that waits for what has not come yet does not run where races are asked for") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LogicalDevice device(with_seed(seed));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 1);
    const Semaphore go = device.timeline_semaphore(0, "go");
    submit_two(device, memory, &go);
    CHECK(map.read(7) == 1);
    CHECK(device.races().empty());
    CHECK(map.read(7) == 1);
    go.signal(1);
    CHECK(device.races().empty());
    map.read(7);
    CHECK(device.races().size() == 2);
    device.wait_idle();
    CHECK(map.read(7) == 4);
  }
}

TEST_CASE("a kernel for which nobody waits, and which is wrong, is told where races are asked for") {
  const auto wrong = [](auto& inv, StorageBuffer<std::uint32_t> auto) { inv.require(false, "this is wrong"); };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto run = [&] {
      const LogicalDevice device(with_seed(seed));
      const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
      auto x = memory.buffer();
      CommandBuffer commands = device.command_buffer("wrong");
      commands.begin();
      commands.dispatch(wrong, {1}, {kCount}, x);
      commands.end();
      device.queue().submit2(commands);
      device.require_no_races();
    };
    CHECK_THROWS_WITH(run(), Catch::Contains("this is wrong"));
  }
}

TEST_CASE("a device that ends says what nobody waited for, whether or not that has run for the sake of its races") {
  for (const bool asks : {false, true}) {
    const heddle::test::Death end = heddle::test::death_of([&] {
      const LogicalDevice device(with_seed(2));
      const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
      filled(memory, 1);
      const Semaphore go = device.timeline_semaphore(0, "go");
      submit_two(device, memory, &go);
      go.signal(1);
      if (asks) device.require_no_races();
    });
    INFO(end.text);
    CHECK(end.exit_code == 0);
    CHECK(end.says("the logical device ends while it has "));
  }
}

TEST_CASE("a command buffer that was begun and not ended is told to be that") {
  const LogicalDevice device(with_seed(1));
  CommandBuffer commands = device.command_buffer("open");
  CHECK_THROWS_WITH(device.queue().submit2(commands), Catch::Contains("has no recorded commands: begin it"));
  commands.begin();
  CHECK_THROWS_WITH(device.queue().submit2(commands), Catch::Contains("is still recording: end it first"));
}

TEST_CASE("what would order a race is told once") {
  const LogicalDevice device(with_seed(1));
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  const auto map = filled(memory, 1);
  submit_two(device, memory);
  map.read(7);
  REQUIRE_FALSE(device.races().empty());
  const std::string text = to_string(to_finding(device.races().front()));
  const std::string advice = "wait for a fence of its submission";
  INFO(text);
  REQUIRE(text.find(advice) != std::string::npos);
  CHECK(text.find(advice) == text.rfind(advice));
  device.wait_idle();
}

TEST_CASE("a kernel that refers to what may be gone does not run when its device ends") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    bool is_gone = false;
    bool ran = false;
    {
      const LogicalDevice device(with_seed(seed));
      const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
      filled(memory, 1);
      auto x = memory.buffer();
      const auto refers = [&](auto& inv, StorageBuffer<std::uint32_t> auto to) {
        ran = ran || is_gone;
        to[inv.global_invocation_id().x] = 1;
      };
      CommandBuffer commands = device.command_buffer("refers");
      commands.begin();
      commands.dispatch(refers, {1}, {kCount}, x);
      commands.end();
      device.queue().submit2(commands);
      is_gone = true;
    }
    CHECK_FALSE(ran);
  }
}

TEST_CASE("memory that is freed while commands may use it has the same races under each seed") {
  std::set<Race> expected;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LogicalDevice device(with_seed(seed));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    filled(memory, 1);
    submit_two(device, memory);
    memory.free();
    const std::set<Race> found = races_of(device);
    if (seed == 1) expected = found;
    INFO("seed " << seed << ":\n" << text_of(found) << "and seed 1:\n" << text_of(expected));
    CHECK(found == expected);
    CHECK(found.size() == 2);
    device.wait_idle();
  }
}
