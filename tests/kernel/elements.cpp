// What a kernel may write where an element stands.

#include <heddle/heddle.h>

#include <catch2/catch.hpp>

#include <vector>

using namespace heddle;

TEST_CASE("an element of one buffer is the index of another") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(mode);
  const auto keys = device.buffer({3, 2, 1, 0}, "keys");
  auto bins = device.buffer(std::vector<std::uint32_t>(4, 0), "bins");
  device.dispatch(
      [](auto& inv, StorageBuffer<const int> auto key, StorageBuffer<std::uint32_t> auto bin) {
        const auto i = inv.global_invocation_id().x;
        bin[key[i]] = i;
        bin[key[i]] += 10u;
      },
      {1}, {4}, keys, bins);
  CHECK(bins.read() == std::vector<std::uint32_t>{13, 12, 11, 10});
}

TEST_CASE("an element of 16 bits computes as a float of 32") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(mode);
  auto half = device.buffer(std::vector<float16>{1.5f, 2.0f}, "half");
  auto out = device.buffer<float>(2, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<float16> auto h, StorageBuffer<float> auto f) {
        const auto i = inv.global_invocation_id().x;
        const float v = h[i];
        f[i] = h[i] * 0.25f + v;
        h[i] = 7.0f;
      },
      {1}, {2}, half, out);
  CHECK(out.read() == std::vector<float>{1.875f, 2.5f});
  CHECK(static_cast<float>(half.read()[1]) == 7.0f);
}
