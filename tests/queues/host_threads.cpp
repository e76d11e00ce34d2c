// Threads of the host that share a logical device, as heddle/host_thread.h has them.
#include <catch2/catch.hpp>

#include <heddle/host_thread.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/queues/programs.h"

using namespace queue_tests;
namespace threads = heddle::threads;

namespace {

LogicalDeviceOptions of_two_threads() {
  LogicalDeviceOptions out;
  out.queue_families = {{2}};
  out.host_threads = 2;
  return out;
}

CommandBuffer doubling(const LogicalDevice& device, Buffer<std::uint32_t> of_these) {
  CommandBuffer commands = device.command_buffer("doubles");
  commands.begin();
  commands.dispatch(kTwice, {1}, {kCount}, of_these);
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  return commands;
}

/// One thread writes numbers, and another one submits the kernel that doubles them when it hears of that.
constexpr auto kMessage = [](auto host, auto order) {
  using M = decltype(host);
  const LogicalDevice device(of_two_threads());
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  const auto map = memory.map();
  typename M::template Atomic<int> filled{0, "filled"};
  typename M::Thread writer([&] {
    for (std::uint32_t i = 0; i < kCount; ++i) map.write(i, i);
    filled.store(1, order);
  });
  while (filled.load(threads::acquire) == 0) {
  }
  const Fence done = device.fence("done");
  device.queue().submit2(doubling(device, memory.buffer()), done);
  done.wait();
  M::require(map.read(3) == 6, "the kernel has doubled it");
};
constexpr auto kByRelease = [](auto host) { kMessage(host, threads::release); };
constexpr auto kByRelaxed = [](auto host) { kMessage(host, threads::relaxed); };

/// Each of two threads has a queue and memory of its own, and both add to one number; `in_turn`: one behind the other.
template <bool in_turn>
constexpr auto kTwoUsers = [](auto host) {
  using M = decltype(host);
  const LogicalDevice device(of_two_threads());
  const auto sum = numbers(device, MemoryProperty::HostCoherent, "sum");
  const auto sum_map = filled(sum, 0);
  const auto use = [&](std::uint32_t queue) {
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, queue + 1);
    const Fence done = device.fence("done");
    device.queue(0, queue).submit2(doubling(device, memory.buffer()), done);
    done.wait();
    M::require(map.read(2) == 2 * (queue + 1), "the kernel has doubled it");
    sum_map.write(0, sum_map.read(0) + map.read(2));
  };
  typename M::Thread other([&] { use(1); });
  if (in_turn) other.join();
  use(0);
  if (!in_turn) other.join();
  M::require(!in_turn || sum_map.read(0) == 6, "both have added what they have");
};

/// A thread waits for what another one makes the queue signal.
constexpr auto kWaits = [](auto host) {
  using M = decltype(host);
  const LogicalDevice device(of_two_threads());
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  const auto map = filled(memory, 4);
  const Semaphore done = device.timeline_semaphore(0, "done");
  typename M::Thread submits([&] {
    device.queue().submit2(
        {{.command_buffers = {doubling(device, memory.buffer())}, .signal_semaphores = {{done, 1}}}});
  });
  done.wait(1);
  M::require(map.read(1) == 8, "the kernel has doubled it");
};

/// What a thread of a random program does to one of a few variables or flags.
struct Step {
  enum class Kind : std::uint8_t { Read, Write, Release, Acquire };
  Kind kind = Kind::Read;
  std::uint32_t of = 0;
};
constexpr std::uint32_t kVariables = 3;
constexpr std::uint32_t kFlags = 2;
constexpr std::uint32_t kThreads = 3;
constexpr std::uint32_t kSteps = 5;
using Steps = std::array<std::array<Step, kSteps>, kThreads>;

Steps random_steps(std::uint64_t number) {
  SeededChoice choice(number);
  Steps out;
  for (auto& thread : out)
    for (Step& step : thread) {
      step.kind = static_cast<Step::Kind>(choice.below(4, ChoicePoint::Invocation));
      const bool is_access = step.kind == Step::Kind::Read || step.kind == Step::Kind::Write;
      step.of = choice.below(is_access ? kVariables : kFlags, ChoicePoint::Invocation);
    }
  return out;
}

/// The variables that race, each of which is there twice, and accessed both ways: plain, and as mapped memory.
struct Racing {
  std::set<std::string> plain;
  std::set<std::string> mapped;
};

Racing racing(const Steps& steps, std::uint64_t seed) {
  const auto body = [&](auto host) {
    using M = decltype(host);
    const LogicalDevice device(of_two_threads());
    std::vector<std::unique_ptr<typename M::template Plain<int>>> plain;
    std::vector<MappedMemory<std::uint32_t>> mapped;
    std::vector<std::unique_ptr<typename M::template Atomic<int>>> flags;
    for (std::uint32_t flag = 0; flag < kFlags; ++flag)
      flags.push_back(std::make_unique<typename M::template Atomic<int>>(0, "flag"));
    constexpr std::array kNames = {"a", "b", "c"};
    for (const char* const name : kNames) {
      plain.push_back(std::make_unique<typename M::template Plain<int>>(0, name));
      mapped.push_back(filled(numbers(device, MemoryProperty::HostCoherent, name + std::string(" mapped")), 0));
    }
    const auto act = [&](const auto& of_thread) {
      for (const Step& step : of_thread) {
        switch (step.kind) {
          case Step::Kind::Read:
            plain[step.of]->read();
            mapped[step.of].read(0);
            break;
          case Step::Kind::Write:
            plain[step.of]->write(1);
            mapped[step.of].write(0, 1);
            break;
          case Step::Kind::Release:
            flags[step.of]->store(1, threads::release);
            break;
          case Step::Kind::Acquire:
            flags[step.of]->load(threads::acquire);
            break;
        }
      }
    };
    typename M::Thread first([&] { act(steps[1]); });
    typename M::Thread second([&] { act(steps[2]); });
    act(steps[0]);
  };
  threads::Options options;
  options.mode = Mode::Emulated;
  options.seed = seed;
  Racing out;
  for (const Finding& finding : threads::run(body, options).findings) {
    const std::string& object = finding.object;
    const std::size_t mark = object.find(" mapped");
    if (mark == std::string::npos) {
      out.plain.insert(object);
    } else {
      out.mapped.insert(object.substr(0, mark));
    }
  }
  return out;
}

template <typename Body>
std::string findings(Body body, std::uint64_t seeds) {
  const threads::Exploration out = threads::explore_seeds(body, seeds, {.seed = 1});
  return out.ok() ? "" : threads::to_string(out.failures.front());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what one host thread writes is there for the kernel that another one submits, if a release orders the two") {
  CHECK(findings(kByRelease, 100) == "");
  CHECK(threads::run(kByRelease, {.mode = Mode::Native}).ok());
  const std::string found = findings(kByRelaxed, 100);
  INFO(found);
  CHECK(has(found, "host read of numbers[3] and host write at "));
  CHECK(has(found, "in host thread 0"));
}

TEST_CASE("two host threads that access one memory in no order race, and each has a queue of its own") {
  CHECK(findings(kTwoUsers<true>, 100) == "");
  CHECK(threads::run(kTwoUsers<true>, {.mode = Mode::Native}).ok());
  const std::string found = findings(kTwoUsers<false>, 50);
  INFO(found);
  CHECK(has(found, "of sum[0] and host write at"));
  CHECK(has(found, "two host threads without synchronization: order them by a lock"));
}

TEST_CASE("in random programs of host threads mapped memory races where plain variables do") {
  std::uint32_t with_races = 0;
  std::uint32_t without = 0;
  for (std::uint64_t program = 1; program <= 200; ++program) {
    const Steps steps = random_steps(program);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Racing found = racing(steps, seed);
      INFO("program " << program << ", seed " << seed);
      CHECK(found.mapped == found.plain);
      (found.plain.empty() ? without : with_races) += 1;
    }
  }
  CHECK(with_races > 100);
  CHECK(without > 10);
}

TEST_CASE("a host thread that waits lets another one submit what it waits for") {
  CHECK(findings(kWaits, 100) == "");
  CHECK(threads::run(kWaits, {.mode = Mode::Native}).ok());
}

TEST_CASE("two host threads that submit to one queue in no order are refused") {
  const std::string found = findings(
      [](auto host) {
        using M = decltype(host);
        const LogicalDevice device(of_two_threads());
        const auto first = numbers(device, MemoryProperty::HostCoherent, "first");
        const auto second = numbers(device, MemoryProperty::HostCoherent, "second");
        filled(first, 1);
        filled(second, 1);
        typename M::Thread other([&] { device.queue().submit2(doubling(device, first.buffer())); });
        device.queue().submit2(doubling(device, second.buffer()));
        other.join();
        device.wait_idle();
      },
      20);
  INFO(found);
  CHECK(has(found, "submit2 of 'queue 0': another host thread has submitted to it"));
}

TEST_CASE("a host thread that waits for what nobody submits is told, with the others") {
  const std::string found = findings(
      [](auto host) {
        using M = decltype(host);
        const LogicalDevice device(of_two_threads());
        const Semaphore never = device.timeline_semaphore(0, "never");
        typename M::Thread other([&] { device.wait_idle(); });
        other.join();
        never.wait(1);
      },
      5);
  INFO(found);
  CHECK(has(found, "deadlock: wait for timeline semaphore 'never' (value 1), which nobody will signal"));
}
