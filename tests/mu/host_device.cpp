#include <heddle/heddle.h>
#include <heddle/host_device.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace heddle;
using namespace heddle::threads;

namespace {

constexpr auto doubles = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
  all[inv.global_invocation_id().x] *= 2;
};

/// A host thread fills a buffer, dispatches, and waits or not; another one reads a part.
template <bool waits>
constexpr auto two_kinds = [](auto host) {
  using M = decltype(host);
  DeviceQueue<M> queue;
  auto data = queue.template buffer<std::uint32_t>(8, "data");
  for (std::uint32_t i = 0; i < 8; ++i) data.write(i, i + 1);
  auto doubled = queue.submit(doubles, 2, 4, data);
  if (waits) doubled.wait();
  typename M::Thread reader([&] { M::require(data.read(3) == 8 || !waits, "the kernel has doubled it"); });
};

template <typename Body>
std::string findings(Body body, std::uint64_t seeds = 50) {
  const Exploration out = explore_seeds(body, seeds, {.seed = 1});
  return out.ok() ? "" : to_string(out.failures.front());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a host thread reads what a kernel wrote that it waited for, under every seed and natively") {
  CHECK(findings(two_kinds<true>) == "");
  CHECK(run(two_kinds<true>, {.mode = Mode::Native}).ok());
}

TEST_CASE("a host thread that reads while the kernel is under way races with it, and both places are named") {
  const Exploration out = explore_seeds(two_kinds<false>, 50, {.seed = 1}, 50);
  // Whichever comes first.
  CHECK(out.failures.size() == 50);
  const std::string found = to_string(out.failures.front());
  CHECK(has(found, "data race on element 3 of 'data'"));
  CHECK(has(found, "by invocation 3 of dispatch 0 at "));
  CHECK(has(found, "host_device.cpp:17"));
  CHECK(has(found, "a read by thread 2 at "));
  CHECK(has(found, "host_device.cpp:29"));
}

TEST_CASE("a race of a host thread and a kernel is about an element, however wide its type") {
  const std::string found = findings(
      [](auto host) {
        DeviceQueue<decltype(host)> queue;
        auto wide = queue.template buffer<std::uint64_t>(std::vector<std::uint64_t>(8, 0), "wide");
        auto written = queue.submit(
            [](auto& inv, StorageBuffer<std::uint64_t> auto all) { all[inv.global_invocation_id().x] = 1u; }, 1, 8,
            wide);
        wide.write(5, 7);
      },
      1);
  INFO(found);
  CHECK(has(found, "data race on element 5 of 'wide'"));
}

TEST_CASE("what a host thread writes before it submits reaches the kernel through other threads, too") {
  const auto body = [](auto host, auto order) {
    using M = decltype(host);
    DeviceQueue<M> queue;
    auto data = queue.template buffer<std::uint32_t>(4, "data");
    typename M::template Atomic<int> filled{0, "filled"};
    typename M::Thread writer([&] {
      for (std::uint32_t i = 0; i < 4; ++i) data.write(i, 5);
      filled.store(1, order);
    });
    while (filled.load(acquire) == 0) {
    }
    queue.submit(doubles, 1, 4, data).wait();
    M::require(data.read(2) == 10, "the kernel has doubled it");
  };
  CHECK(findings([&](auto host) { body(host, release); }) == "");
  const std::string found = findings([&](auto host) { body(host, relaxed); });
  INFO(found);
  CHECK(has(found, "of 'data': a write by thread 1 at "));
}

TEST_CASE("two kernels that are under way at once race on plain accesses and not on atomics of the device") {
  const auto body = [](auto host, auto kernel, bool waits) {
    using M = decltype(host);
    DeviceQueue<M> queue;
    auto count = queue.buffer(std::vector<std::uint32_t>{0}, "count");
    auto first = queue.submit(kernel, 1, 4, count);
    if (waits) first.wait();
    auto second = queue.submit(kernel, 1, 4, count);
    first.wait();
    second.wait();
    M::require(count.read(0) == 8, "all have counted");
  };
  constexpr auto atomic = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
    inv.atomic_i_add(all[0], Scope::Device, MemorySemantics::Relaxed, 1u);
  };
  constexpr auto narrow = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
    inv.atomic_i_add(all[0], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
  };
  CHECK(findings([&](auto host) { body(host, atomic, false); }) == "");
  CHECK(has(findings([&](auto host) { body(host, narrow, false); }), "of dispatch 1 at"));
  CHECK(findings([&](auto host) { body(host, narrow, true); }) == "");
}

/// A message from one kernel to another that is under way at the same time.
template <bool by_release>
constexpr auto sends = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag) {
  data.non_private()[0] = 7u;
  if constexpr (by_release)
    inv.atomic_store(flag[0], Scope::Device, kReleaseBuffers, 1u);
  else
    inv.atomic_store(flag[0], Scope::Device, MemorySemantics::Relaxed, 1u);
};
template <bool by_fence>
constexpr auto receives = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
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

template <typename Sends, typename Receives>
Exploration messages(Sends send, Receives receive) {
  return explore_seeds(
      [&](auto host) {
        using M = decltype(host);
        DeviceOptions options;
        options.memory = memory_policy("sequential");
        DeviceQueue<M> queue(std::move(options));
        auto data = queue.buffer(std::vector<std::uint32_t>{0}, "data");
        auto flag = queue.buffer(std::vector<std::uint32_t>{0}, "flag");
        auto first = queue.submit(send, 1, 1, data, flag);
        auto came = queue.buffer(std::vector<std::uint32_t>{0}, "came");
        auto second = queue.submit(receive, 1, 1, data, flag, came);
        second.wait();
        // By way of the second kernel the first one is before this, if at all.
        if (came.read(0) == 1) M::require(data.read(0) == 7, "it has been sent");
        first.wait();
      },
      50, {.seed = 1}, 50);
}

TEST_CASE("two kernels that are under way at once and synchronize by atomics are not judged, and not called a race") {
  const auto check_not_judged = [](const Exploration& out) {
    INFO((out.ok() ? "" : to_string(out.failures.front())));
    CHECK(out.ok());
    const auto tells_of = [&](const std::string& second) {
      return std::any_of(out.not_judged.begin(), out.not_judged.end(), [&](const std::string& pair) {
        return has(pair, "element 0 of 'data': a write by invocation 0 of dispatch 0 at ") && has(pair, second);
      });
    };
    CHECK(tells_of(" and a read by invocation 0 of dispatch 1 at "));
    CHECK(tells_of(" and a read by thread 0 at "));
  };
  check_not_judged(messages(sends<true>, receives<false>));
  check_not_judged(messages(sends<true>, receives<true>));
}

TEST_CASE("two kernels that are under way at once and only meet at an atomic race") {
  const Exploration out = messages(sends<false>, receives<false>);
  CHECK(std::any_of(out.failures.begin(), out.failures.end(),
                    [](const Report& failure) { return has(to_string(failure), "data race on element 0 of 'data'"); }));
  CHECK(out.not_judged.empty());
}

TEST_CASE("kernels that were waited for leave their thread to others, so a run dispatches as often as it likes") {
  CHECK(findings(
            [](auto host) {
              using M = decltype(host);
              DeviceQueue<M> queue;
              auto data = queue.buffer(std::vector<std::uint32_t>(4, 1), "data");
              for (int i = 0; i < 20; ++i) queue.submit(doubles, 1, 4, data).wait();
              M::require(data.read(0) == 1u << 20, "it has been doubled twenty times");
            },
            5) == "");
}

TEST_CASE("a kernel that goes wrong is a finding of the run, and so is a host thread's access that cannot be") {
  const std::string kernel = findings([](auto host) {
    using M = decltype(host);
    DeviceQueue<M> queue;
    auto data = queue.template buffer<std::uint32_t>(4, "data");
    queue.submit(doubles, 1, 4, data).wait();
  });
  INFO(kernel);
  CHECK(has(kernel, "uninitialized read"));
  CHECK(has(kernel, "again: HEDDLE_MODE=emulated HEDDLE_SEED="));
  const std::string outside = findings([](auto host) {
    using M = decltype(host);
    DeviceQueue<M> queue;
    auto data = queue.buffer(std::vector<std::uint32_t>(4, 1), "data");
    data.write(4, 1);
  });
  CHECK(has(outside, "element 4 of 'data', which has 4 elements"));
  const std::string unwritten = findings([](auto host) {
    using M = decltype(host);
    DeviceQueue<M> queue;
    auto data = queue.template buffer<std::uint32_t>(4, "data");
    data.write(1, 1);
    data.read(2);
  });
  CHECK(has(unwritten, "element 2 of 'data' has never been written"));
}

TEST_CASE("a kernel that uses an atomic of the host is told to use a buffer") {
  const std::string found = findings([](auto host) {
    using M = decltype(host);
    DeviceQueue<M> queue;
    typename M::template Atomic<int> x{0, "x"};
    queue.submit([&x](auto&) { x.load(relaxed); }, 1, 1).wait();
  });
  CHECK(has(found, "a kernel uses memory or a thread of the host"));
}
