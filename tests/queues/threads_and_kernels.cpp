// Threads of the host and the kernels that they submit: what is ordered, what races, and what is refused.
#include <catch2/catch.hpp>

#include <heddle/host_thread.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/queues/programs.h"
#include "tests/temporary_file.h"

using namespace queue_tests;
namespace threads = heddle::threads;

namespace {

constexpr auto kDoubles = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
  all[inv.global_invocation_id().x] *= 2;
};
constexpr int kDoublesLine = __LINE__ - 2;

LogicalDeviceOptions of_two_threads() {
  LogicalDeviceOptions out;
  out.queue_families = {{2}};
  out.host_threads = 2;
  return out;
}

/// A command buffer with one dispatch of one workgroup, for the host to read.
template <typename Kernel, typename... Args>
CommandBuffer one_dispatch(const LogicalDevice& device, const Kernel& kernel, std::uint32_t size, Args&&... arguments) {
  CommandBuffer commands = device.command_buffer("one dispatch");
  commands.begin();
  commands.dispatch(kernel, {1}, {size}, arguments...);
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  return commands;
}

/// A host thread fills a buffer, submits, and waits or not; another one reads a part.
template <bool waits>
constexpr auto kTwoKinds = [](auto host) {
  using M = decltype(host);
  const LogicalDevice device(of_two_threads());
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "data");
  const auto data = filled(memory, 4);
  const Fence doubled = device.fence("doubled");
  device.queue().submit2(one_dispatch(device, kDoubles, kCount, memory.buffer()), doubled);
  if (waits) doubled.wait();
  typename M::Thread reader([&] { M::require(data.read(3) == 8 || !waits, "the kernel has doubled it"); });
  reader.join();
  if (!waits) doubled.wait();
};
constexpr int kReaderLine = __LINE__ - 4;

template <typename Body>
std::string findings(Body body, std::uint64_t seeds = 50, threads::Options options = {}) {
  options.seed = 1;
  const threads::Exploration out = threads::explore_seeds(body, seeds, options);
  return out.ok() ? "" : threads::to_string(out.failures.front());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string place(int line) {
  return "threads_and_kernels.cpp:" + std::to_string(line);
}

}  // namespace

TEST_CASE("a host thread reads what a kernel wrote that another thread waited for, under every seed and natively") {
  CHECK(findings(kTwoKinds<true>) == "");
  CHECK(threads::run(kTwoKinds<true>, {.mode = Mode::Native}).ok());
}

TEST_CASE("a logical device of a native run is native, whatever the environment asks of others") {
  setenv("HEDDLE_MODE", "emulated", 1);
  const threads::Report report = threads::run(kTwoKinds<true>, {.mode = Mode::Native});
  unsetenv("HEDDLE_MODE");
  CHECK(report.ok());
}

TEST_CASE("a host thread that reads while the kernel is under way races with it, and both places are named") {
  threads::Options options;
  options.seed = 1;
  options.shrink_budget = std::chrono::milliseconds(0);
  const threads::Exploration out = threads::explore_seeds(kTwoKinds<false>, 50, options, 50);
  // Whichever comes first.
  CHECK(out.failures.size() == 50);
  const std::string found = threads::to_string(out.failures.front());
  INFO(found);
  CHECK(has(found, "of data[3] and "));
  CHECK(has(found, place(kDoublesLine)));
  CHECK(has(found, "host read"));
  CHECK(has(found, place(kReaderLine)));
  CHECK(has(found, "the host does not wait for the command"));
}

TEST_CASE("a race of a host thread and a kernel is about an element, however wide its type") {
  const std::string found = findings(
      [](auto) {
        const LogicalDevice device;
        const auto memory = device.allocate_memory<std::uint64_t>(8, MemoryProperty::HostCoherent, "wide");
        const auto wide = memory.map();
        const Fence written = device.fence("written");
        const auto writes = [](auto& inv, StorageBuffer<std::uint64_t> auto all) {
          all[inv.global_invocation_id().x] = 1u;
        };
        device.queue().submit2(one_dispatch(device, writes, 8, memory.buffer()), written);
        wide.write(5, 7);
        written.wait();
      },
      1);
  INFO(found);
  CHECK(has(found, "wide[5]"));
}

TEST_CASE("two kernels that threads submit to two queues race on narrow atomics, and not on those of the device") {
  const auto body = [](auto host, auto kernel, bool waits) {
    using M = decltype(host);
    const LogicalDevice device(of_two_threads());
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "count");
    const auto count = filled(memory, 0);
    const Fence first = device.fence("first");
    const Fence second = device.fence("second");
    typename M::Thread other([&] {
      device.queue(0, 1).submit2(one_dispatch(device, kernel, 4, memory.buffer()), first);
      first.wait();
    });
    if (waits) other.join();
    device.queue(0, 0).submit2(one_dispatch(device, kernel, 4, memory.buffer()), second);
    second.wait();
    if (!waits) other.join();
    M::require(count.read(0) == 8, "all have counted");
  };
  constexpr auto kAtomic = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
    inv.atomic_i_add(all[0], Scope::Device, MemorySemantics::Relaxed, 1u);
  };
  constexpr auto kNarrow = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
    inv.atomic_i_add(all[0], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
  };
  CHECK(findings([&](auto host) { body(host, kAtomic, false); }) == "");
  CHECK(has(findings([&](auto host) { body(host, kNarrow, false); }), "use scope Device for both"));
}

namespace {

/// A message from one kernel to another that is under way at the same time, on another queue.
template <MemorySemantics semantics>
constexpr auto kSends = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag) {
  data.non_private()[0] = 7u;
  inv.atomic_store(flag[0], Scope::Device, semantics, 1u);
};
template <bool by_fence>
constexpr auto kReceives = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                              StorageBuffer<std::uint32_t> auto came) {
  if constexpr (by_fence) {
    if (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) != 1) return;
    inv.memory_barrier(Scope::Device, kAcquireBuffers);
  } else {
    if (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) != 1) return;
  }
  inv.require(data.non_private()[0] == 7u);
  came[0] = 1u;
};

/// Whether a message arrived under some seed, and the findings.
struct Messages {
  bool arrived = false;
  std::string found;
};

template <typename Sends, typename Receives>
Messages messages(Sends send, Receives receive) {
  Messages out;
  out.found = findings([&](auto host) {
    using M = decltype(host);
    const LogicalDevice device(of_two_threads());
    const auto data = numbers(device, MemoryProperty::HostCoherent, "data");
    const auto flag = numbers(device, MemoryProperty::HostCoherent, "flag");
    const auto came = numbers(device, MemoryProperty::HostCoherent, "came");
    const auto data_map = filled(data, 0);
    filled(flag, 0);
    const auto came_map = filled(came, 0);
    const Fence sent = device.fence("sent");
    device.queue(0, 0).submit2(one_dispatch(device, send, 1, data.buffer(), flag.buffer()), sent);
    typename M::Thread receiver([&] {
      const Fence received = device.fence("received");
      device.queue(0, 1).submit2(one_dispatch(device, receive, 1, data.buffer(), flag.buffer(), came.buffer()),
                                 received);
      received.wait();
    });
    receiver.join();
    sent.wait();
    const bool has_come = came_map.read(0) == 1;
    out.arrived = out.arrived || has_come;
    if (has_come) M::require(data_map.read(0) == 7, "it has been sent");
  });
  return out;
}

}  // namespace

TEST_CASE("two kernels that are under way at once and synchronize by atomics are no race, and the message is right") {
  for (const Messages& each :
       {messages(kSends<kReleaseBuffers>, kReceives<false>), messages(kSends<kReleaseBuffers>, kReceives<true>)}) {
    CHECK(each.found == "");
    CHECK(each.arrived);
  }
}

TEST_CASE("two kernels that are under way at once and only meet at an atomic race") {
  const std::string found = messages(kSends<MemorySemantics::Relaxed>, kReceives<false>).found;
  INFO(found);
  CHECK((has(found, "data[0]") || has(found, "the condition does not hold")));
}

TEST_CASE("a run of one thread submits as often as it likes") {
  threads::Options options;
  options.most_threads = 1;
  CHECK(findings(
            [](auto host) {
              using M = decltype(host);
              const LogicalDevice device;
              const auto memory = numbers(device, MemoryProperty::HostCoherent, "data");
              const auto data = filled(memory, 1);
              const Fence doubled = device.fence("doubled");
              for (int i = 0; i < 20; ++i) {
                device.queue().submit2(one_dispatch(device, kDoubles, kCount, memory.buffer()), doubled);
                doubled.wait();
                doubled.reset();
              }
              M::require(data.read(0) == 1u << 20, "it has been doubled twenty times");
            },
            5, options) == "");
}

TEST_CASE("a kernel that goes wrong is a finding of the run, and so is a host thread's access that cannot be") {
  const std::string kernel = findings([](auto) {
    const LogicalDevice device;
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "data");
    device.queue().submit2(one_dispatch(device, kDoubles, kCount, memory.buffer()));
    device.wait_idle();
  });
  INFO(kernel);
  CHECK(has(kernel, "uninitialized read"));
  CHECK(has(kernel, place(kDoublesLine)));
  CHECK(has(kernel, "again: HEDDLE_MODE=emulated HEDDLE_SEED="));
  const int line = __LINE__ + 4;
  const std::string outside = findings([](auto) {
    const LogicalDevice device;
    const auto data = filled(numbers(device, MemoryProperty::HostCoherent, "data"), 1);
    data.write(kCount, 1);
  });
  INFO(outside);
  CHECK(has(outside, "write of 'data': element 8 is outside of the map, which ends in front of element 8"));
  CHECK(has(outside, "its last operation began at " + std::string(__FILE__) + ":" + std::to_string(line)));
  const std::string unwritten = findings([](auto) {
    const LogicalDevice device;
    const auto data = numbers(device, MemoryProperty::HostCoherent, "data").map();
    data.write(1, 1);
    data.read(2);
  });
  INFO(unwritten);
  CHECK(has(unwritten, "uninitialized read: element 2 of 'data' has never been written"));
  CHECK(has(unwritten, place(line + 9)));
}

TEST_CASE("an element that a command is still to write is read too early, and that is a race") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LogicalDevice device(options(Mode::Emulated, seed));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "squares");
    const auto map = memory.map();
    device.queue().submit2(one_dispatch(device, kSquares, kCount, memory.buffer()));
    map.read(3);
    device.wait_idle();
    CHECK(device.races().size() == 1);
  }
}

TEST_CASE("a kernel that uses an atomic of the host is told to use a buffer") {
  const bool on_queue = GENERATE(true, false);
  const std::string found = findings([on_queue](auto host) {
    using M = decltype(host);
    typename M::template Atomic<int> x{0, "x"};
    const auto uses = [&x](auto&) { x.load(threads::relaxed); };
    if (on_queue) {
      const LogicalDevice device;
      device.queue().submit2(one_dispatch(device, uses, 1));
      device.wait_idle();
    } else {
      Device device(Mode::Emulated);
      device.dispatch(uses, {1}, {1});
    }
  });
  INFO(found);
  CHECK(has(found, "a kernel uses memory or a thread of the host; give it a buffer of a LogicalDevice"));
}

TEST_CASE("a logical device of an earlier run is refused with the line of its use, and its end does no harm") {
  const int kind = GENERATE(0, 1, 2);
  const bool later = GENERATE(true, false);
  std::unique_ptr<LogicalDevice> device;
  std::unique_ptr<MappedMemory<std::uint32_t>> map;
  std::unique_ptr<CommandBuffer> commands;
  const int line = __LINE__ + 2;
  const auto use = [&] {
    if (kind == 0) map->write(0, 2);
    if (kind == 1) device->queue().submit2(*commands);
    if (kind == 2) device->wait_idle();
  };
  const auto found_in = [](const auto& body) {
    return threads::to_string(threads::run(body, {.mode = Mode::Emulated, .seed = 1}));
  };
  const std::string first = found_in([&](auto) {
    device = std::make_unique<LogicalDevice>();
    const auto memory = numbers(*device, MemoryProperty::HostCoherent, "data");
    map = std::make_unique<MappedMemory<std::uint32_t>>(filled(memory, 1));
    commands = std::make_unique<CommandBuffer>(one_dispatch(*device, kDoubles, kCount, memory.buffer()));
    if (!later) use();
    device->wait_idle();
  });
  CHECK(first == "");
  if (!later) return;
  const std::string found = found_in([&](auto) { use(); });
  INFO(found);
  CHECK(has(found, "invalid argument: a LogicalDevice of another run is used"));
  CHECK(has(found, place(line + kind)));
}

TEST_CASE("the trace of a run has one of its device beside it, and seeds that do not fail leave none") {
  const TemporaryFile file("");
  const std::string of_device = file.path() + ".device0";
  std::filesystem::remove(of_device);
  threads::Options options;
  options.trace = file.path();
  CHECK(findings(kTwoKinds<true>, 3, options) == "");
  CHECK_FALSE(std::filesystem::exists(of_device));
  CHECK(has(findings(kTwoKinds<false>, 3, options), "trace: heddle trace "));
  CHECK(std::filesystem::file_size(of_device) > 0);
  std::filesystem::remove(of_device);
}
