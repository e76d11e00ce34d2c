// What a dispatch tells, and who may dispatch at the same time.

#include <heddle/heddle.h>

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

using namespace heddle;

namespace {

constexpr auto kCount = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  const std::uint32_t i = inv.global_invocation_id().x;
  x[i] = x[i] + 1;
};

double seconds_of(DeviceOptions options) {
  Device device(options);
  auto x = device.buffer(std::vector<std::uint32_t>(64, 0u));
  return device.dispatch(kCount, {4}, {16}, x).seconds;
}

}  // namespace

TEST_CASE("a dispatch is timed if it is asked for, and unless asked for in native mode only") {
  DeviceOptions options;
  options.mode = Mode::Native;
  CHECK(seconds_of(options) > 0);
  options.timed = false;
  CHECK(seconds_of(options) == 0);
  options.mode = Mode::Emulated;
  options.timed.reset();
  CHECK(seconds_of(options) == 0);
  options.timed = true;
  CHECK(seconds_of(options) > 0);
}

TEST_CASE("dispatches of one emulated device from several threads follow each other") {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kDispatches = 500;
  Device device{Mode::Emulated};
  auto x = device.buffer(std::vector<std::uint32_t>(64, 0u));
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i < kDispatches; ++i) device.dispatch(kCount, {4}, {16}, x);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(x.read() == std::vector<std::uint32_t>(64, kThreads * kDispatches));
}

TEST_CASE("a dispatch inside of a submission to the same emulated device is refused, and the submission goes on") {
  Device device{Mode::Emulated};
  auto x = device.buffer(std::vector<std::uint32_t>(64, 0u));
  device.submit([&](Commands& commands) {
    CHECK_THROWS_WITH(device.dispatch(kCount, {4}, {16}, x), Catch::Contains("Commands::dispatch"));
    commands.dispatch(kCount, {4}, {16}, x);
    Device other{Mode::Emulated};
    auto y = other.buffer(std::vector<std::uint32_t>(64, 0u));
    CHECK_NOTHROW(other.dispatch(kCount, {4}, {16}, y));
  });
  CHECK_NOTHROW(device.dispatch(kCount, {4}, {16}, x));
  CHECK(x.read() == std::vector<std::uint32_t>(64, 2));
}
