// What a kernel reads is read as the value that it holds, wherever an expression may have one.

#include "tests/device_under_test.h"

#include <cmath>

namespace {
struct Settings {
  float scale;
  std::uint32_t count;
  heddle::vec3 origin;
};
}  // namespace
HEDDLE_MEMBERS(Settings, scale, count, origin)

using namespace heddle;
using heddle::test::options_for;

namespace {

// What a float of 3 makes of each expression, added up.
template <typename R>
float of_float(const R& r) {
  float sum = r * 2.0f + 2.0f * r + (r + r) + -r + r / 3.0f;
  sum += r;
  const double wide = r;
  return sum + (r < 4.0f ? 1.0f : 0.0f) + (r == r ? 1.0f : 0.0f) + (r ? 1.0f : 0.0f) + std::sqrt(r * 3.0f) +
         static_cast<float>(wide);
}
// What a std::uint32_t of 3 makes of each expression, added up.
template <typename R>
std::uint32_t of_integer(const R& r) {
  const std::uint32_t table[4] = {0, 10, 20, 30};
  std::uint32_t sum = table[r] + r * 2 + (2u + r) + r % 2u + (r << 1) + (r & 1u);
  for (std::uint32_t i = 0; i < r; ++i) sum += 1;
  return sum;
}
// What a vec3 of 1, 2, 2 makes of each expression, added up.
template <typename R>
float of_vector(const R& r) {
  const vec3 sum = r * 2.0f + 2.0f * r + (r + r) - -r;
  return sum.x + sum.y + sum.z + length(r) + dot(r, r) + r.y + (r == r ? 1.0f : 0.0f);
}

}  // namespace

TEST_CASE("whatever a kernel reads is a value in expressions, in both modes") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    auto floats = device.buffer(std::vector<float>(16, 0.0f), "floats");
    auto integers = device.buffer(std::vector<std::uint32_t>(16, 0), "integers");
    auto vectors = device.buffer(std::vector<vec3>(1), "vectors");
    const Settings settings{3.0f, 3, {1, 2, 2}};
    auto block = device.buffer({settings}, "block");
    const auto kernel = [](auto& inv, PushConstant<float> auto f, PushConstant<std::uint32_t> auto n,
                           PushConstant<vec3> auto v, PushConstant<Settings> auto s, Uniform<Settings> auto u,
                           StorageBuffer<float> auto x, StorageBuffer<std::uint32_t> auto y,
                           StorageBuffer<vec3> auto z) {
      auto shared = workgroup<float>(inv, "shared");
      auto shared_count = workgroup<std::uint32_t>(inv, "shared count");
      auto shared_origin = workgroup<vec3>(inv, "shared origin");
      auto own = private_variable<float>(inv, "own");
      auto own_count = private_variable<std::uint32_t>(inv, "own count");
      shared = f;
      shared_count = n;
      shared_origin = v;
      z[0] = v;
      own = 2.0f;
      own += 1.0f;
      own_count = 1u;
      own_count *= 4;
      --own_count;
      auto kept = reference_to(x[15]);
      kept = s.scale;
      x[0] = of_float(f);
      x[1] = of_float(s.scale);
      x[2] = of_float(shared);
      x[3] = of_float(own);
      x[4] = of_float(kept);
      x[5] = of_float(float(u[0].scale));
      y[0] = of_integer(n);
      y[1] = of_integer(s.count);
      y[2] = of_integer(shared_count);
      y[3] = of_integer(own_count);
      x[6] = of_vector(v);
      x[7] = of_vector(s.origin);
      x[8] = of_vector(shared_origin);
      x[9] = of_vector(reference_to(z[0]));
      x[10] = f * (x[15] * f);
      x[8 + n] = u[0].scale * f;
      const Settings all = s;
      x[12] = all.scale;
    };
    device.dispatch(kernel, {1}, {1}, push_constant(3.0f), push_constant(3u), push_constant(vec3{1, 2, 2}),
                    push_constant(settings), uniform(block), floats, integers, vectors);
    CAPTURE(static_cast<int>(mode));
    const auto x = floats.read();
    const float expected = of_float(3.0f);
    for (std::size_t i = 0; i < 6; ++i) CHECK(x[i] == expected);
    const auto y = integers.read();
    for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == of_integer(3u));
    for (std::size_t i = 6; i < 10; ++i) CHECK(x[i] == of_vector(vec3{1, 2, 2}));
    CHECK(x[10] == 27.0f);
    CHECK(x[11] == 9.0f);
    CHECK(x[12] == 3.0f);
  }
}
