// Operators of references between numbers of different types, in both modes: the headers convert as the operators of
// the numbers do, and a compiler that warns of conversions has nothing to say of them.

#include <heddle/explore.h>
#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/phases.h>
#include <heddle/queue.h>

#include <cstdint>

using namespace heddle;

namespace {

template <typename Reference>
void compute(Reference&& number, int i, std::uint64_t u, float f) {
  number[0] += i, number[0] -= u, number[0] *= f, number[0] /= 3;
  number[0] += 'c', number[0] += true, number[0] += 1.5;
  ++number[0], number[0]--;
}
template <typename Reference>
void compute_bits(Reference&& number, int i, std::uint64_t u) {
  number[0] %= i, number[0] &= u, number[0] |= i, number[0] ^= 'c', number[0] <<= i, number[0] >>= u;
}

constexpr auto all_types = [](auto& inv, StorageBuffer<std::uint64_t> auto u, StorageBuffer<std::int32_t> auto i,
                              StorageBuffer<std::uint8_t> auto c, StorageBuffer<float> auto f,
                              StorageBuffer<double> auto d, StorageBuffer<float16> auto h) {
  compute(u, 1, 2, 3.0f), compute(i, 1, 2, 3.0f), compute(c, 1, 2, 3.0f), compute(f, 1, 2, 3.0f);
  compute(d, 1, 2, 3.0f);
  compute_bits(u, 1, 2), compute_bits(i, 1, 2), compute_bits(c, 1, 2);
  auto words = workgroup<std::uint64_t[8]>(inv, "words");
  auto sum = workgroup<std::int32_t>(inv, "sum");
  compute(words, 1, 2, 3.0f), compute_bits(words, 1, 2);
  sum += u[0], sum -= f[0], sum *= 'c', sum <<= u[0];
  h[0] += 1, h[0] = h[0] * 2;
  float16 half(1.0f);
  ++half, --half, half *= 3, half /= 2.0f;
  f[0] = half;
};

}  // namespace

void run(Device& device) {
  auto u = device.buffer<std::uint64_t>(1);
  auto i = device.buffer<std::int32_t>(1);
  auto c = device.buffer<std::uint8_t>(1);
  auto f = device.buffer<float>(1);
  auto d = device.buffer<double>(1);
  auto h = device.buffer<float16>(1);
  device.dispatch(all_types, 1, 1, u, i, c, f, d, h);
}
