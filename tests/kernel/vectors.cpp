// Vectors, matrices and halves as values: each rule beside what GLSL says; constant expressions where they can be.

#include "tests/device_under_test.h"

#include <heddle/matrix.h>

#include <cmath>

using namespace heddle;
using heddle::test::options_for;

static_assert(vec3{1, 2, 3}.zyx() == vec3{3, 2, 1});
static_assert(vec2{1, 2}.xxyy() == vec4{1, 1, 2, 2});
static_assert(uvec4{1, 2, 3, 4}.wz() == uvec2{4, 3});
static_assert(uvec2{7, 9} % 4u == uvec2{3, 1});
static_assert((uvec2{7, 9} << 1u) == uvec2{14, 18} && (ivec2{-8, 9} >> 1) == ivec2{-4, 4});
static_assert((uvec2{12, 10} & uvec2{10, 3}) == uvec2{8, 2} && ~uvec2{0, 1} == uvec2{~0u, ~1u});
static_assert((1 - ivec2{3, 4}) == ivec2{-2, -3} && -ivec2{1, 2} == ivec2{-1, -2});
static_assert((vec2{1, 3} < vec2{2, 2}) == bvec2{true, false});
static_assert(less_than_equal(ivec2{1, 2}, ivec2{1, 1}) == bvec2{true, false});
static_assert(equal(ivec3{1, 2, 3}, ivec3{1, 0, 3}) == bvec3{true, false, true});
static_assert(any(not_equal(ivec2{1, 2}, ivec2{1, 3})) && !all(not_equal(ivec2{1, 2}, ivec2{1, 3})));
static_assert(!any(bvec3{}) && all(not_(bvec3{})));
static_assert(min(vec2{1, 5}, vec2{2, 3}) == vec2{1, 3} && max(vec2{1, 5}, 2.0f) == vec2{2, 5});
static_assert(clamp(ivec3{-1, 5, 9}, 0, 7) == ivec3{0, 5, 7});
static_assert(mix(vec2{0, 10}, vec2{4, 20}, 0.5f) == vec2{2, 15});
static_assert(mix(vec2{1, 2}, vec2{3, 4}, bvec2{true, false}) == vec2{3, 2});
static_assert(dot(vec3{1, 2, 3}, vec3{4, 5, 6}) == 32);
static_assert(cross(vec3{1, 0, 0}, vec3{0, 1, 0}) == vec3{0, 0, 1});
static_assert(vec_cast<float>(uvec2{1, 2}) == vec2{1, 2});
static_assert(step(2.0f, vec2{1, 3}) == vec2{0, 1} && abs(ivec2{-3, 2}) == ivec2{3, 2});

static_assert(mat2{vec2{1, 2}, vec2{3, 4}} * vec2{5, 6} == vec2{23, 34});
static_assert(vec2{5, 6} * mat2{vec2{1, 2}, vec2{3, 4}} == vec2{17, 39});
static_assert(mat2{vec2{1, 2}, vec2{3, 4}} * mat2{vec2{5, 6}, vec2{7, 8}} == mat2{vec2{23, 34}, vec2{31, 46}});
static_assert(transpose(mat2x3{vec3{1, 2, 3}, vec3{4, 5, 6}})[2] == vec2{3, 6});
static_assert(determinant(mat3{vec3{2, 0, 1}, vec3{1, 3, 0}, vec3{0, 1, 4}}) == 25);
static_assert(inverse(mat4::diagonal(2)) == mat4::diagonal(0.5f));
static_assert(outer_product(vec2{1, 2}, vec3{3, 4, 5})[2] == vec2{5, 10});

static_assert(float16(1.5f) * float16(2.0f) == float16(3.0f));
static_assert(std::same_as<decltype(float16(1.0f) + 1), float16> &&
              std::same_as<decltype(float16(1.0f) + 1.0f), float>);
static_assert((-float16(2.0f)).bits() == 0xc000);
static_assert(Vec<float16, 2>{1.0f, 2.0f} * Vec<float16, 2>{3.0f, 4.0f} == Vec<float16, 2>{3.0f, 8.0f});

TEST_CASE("a swizzle that is set replaces its components, and no others") {
  vec4 v{1, 2, 3, 4};
  v.wy(vec2{10, 20});
  CHECK(v == vec4{1, 20, 3, 10});
  v.xyz(v.zyx());
  CHECK(v == vec4{3, 20, 1, 10});
  v[2] = 7;
  CHECK(v.z == 7);
}

TEST_CASE("lengths and directions are the Euclidean ones") {
  CHECK(length(vec2{3, 4}) == 5.0f);
  CHECK(distance(vec2{1, 1}, vec2{4, 5}) == 5.0f);
  CHECK(normalize(vec2{0, 2}) == vec2{0, 1});
  CHECK(reflect(vec2{1, -1}, vec2{0, 1}) == vec2{1, 1});
  CHECK(fract(vec2{1.25f, -0.25f}) == vec2{0.25f, 0.75f});
  CHECK(smoothstep(0.0f, 2.0f, vec2{1, 5}) == vec2{0.5f, 1});
}

TEST_CASE("the inverse of a matrix times the matrix is the identity") {
  const mat4 m{vec4{2, 1, 0, 3}, vec4{0, 1, 4, 1}, vec4{5, 0, 1, 2}, vec4{1, 1, 2, 1}};
  const mat4 product = inverse(m) * m;
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t r = 0; r < 4; ++r) CHECK(std::abs(product[c][r] - (c == r ? 1.0f : 0.0f)) < 1e-5f);
  }
}

TEST_CASE("half arithmetic rounds the exact result once, for every pair of some hundred thousand") {
  std::uint32_t state = 1;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 1664525u + 1013904223u;
    const auto a = float16::from_bits(static_cast<std::uint16_t>(state >> 16 & 0xbfff));
    const auto b = float16::from_bits(static_cast<std::uint16_t>((state * 2654435761u) >> 16 & 0xbfff));
    const double x = static_cast<float>(a);
    const double y = static_cast<float>(b);
    // Sums and products of two halves are exact in double, and so they are rounded once when they become halves by way
    // of a float only if the float is exact or no tie: float16(float) is tested on its own.
    const auto nearest = [](double exact) {
      // The half below, and the one above it.
      float16 low(static_cast<float>(exact));
      double best = std::abs(static_cast<float>(low) - exact);
      float16 found = low;
      for (const int step : {-1, 1}) {
        const auto other = float16::from_bits(static_cast<std::uint16_t>(low.bits() + step));
        if (std::isfinite(static_cast<float>(other)) && std::abs(static_cast<float>(other) - exact) < best) {
          best = std::abs(static_cast<float>(other) - exact);
          found = other;
        }
      }
      return found;
    };
    if (std::isfinite(static_cast<float>(a + b))) REQUIRE(a + b == nearest(x + y));
    if (std::isfinite(static_cast<float>(a * b))) REQUIRE(a * b == nearest(x * y));
    if (std::isfinite(static_cast<float>(a - b))) REQUIRE(a - b == nearest(x - y));
  }
}

TEST_CASE("kernels compute on elements that are halves, vectors and matrices") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto half = device.buffer(std::vector<float16>{1.5f, 2048.0f}, "half");
  auto points = device.buffer(std::vector<vec3>{{1, 2, 3}, {4, 5, 6}}, "points");
  auto turn = device.buffer(std::vector<mat3>{mat3{vec3{0, 1, 0}, vec3{1, 0, 0}, vec3{0, 0, 2}}}, "turn");
  auto out = device.buffer<float>(4, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<float16> auto h, StorageBuffer<vec3> auto p, StorageBuffer<const mat3> auto m,
         StorageBuffer<float> auto to) {
        if (inv.local_invocation_index() != 0) return;
        to[0] = dot(p[0], p[1]);
        to[1] = h[0] * 2.0f;
        // 2049 is no half: the sum is rounded to one.
        to[2] = h[1] + float16(1.0f);
        to[3] = h[1] + 1.0f;
        h[0] = h[0] * h[0] + h[0];
        h[1] += 2;
        p[0] = m[0] * p[0] + max(p[1], 5.0f);
        p[1] = p[1].load().zxy();
      },
      {1}, {1}, half, points, read_only(turn), out);
  CHECK(out.read() == std::vector<float>{32, 3, 2048, 2049});
  CHECK(half.read() == std::vector<float16>{3.75f, 2050.0f});
  CHECK(points.read() == std::vector<vec3>{{7, 6, 12}, {6, 4, 5}});
}

TEST_CASE("subgroups combine vectors component by component, and halves") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<vec2>(32, "out");
  auto rest = device.buffer<ivec2>(32, "rest");
  device.dispatch(
      [](auto& inv, StorageBuffer<vec2> auto to, StorageBuffer<ivec2> auto others) {
        const auto i = inv.local_invocation_index();
        const auto lane = static_cast<std::int32_t>(i);
        to[i] = inv.group_non_uniform_f_add(GroupOperation::InclusiveScan, vec2{1, static_cast<float>(i)});
        const ivec2 least = inv.group_non_uniform_s_min(GroupOperation::Reduce, ivec2{lane, -lane});
        const float16 sum = inv.group_non_uniform_f_add(GroupOperation::Reduce, float16(0.5f));
        others[i] = least + ivec2{static_cast<std::int32_t>(sum), 0};
        inv.require(inv.group_non_uniform_broadcast(uvec3{i, 1, 2}, 3) == uvec3{3, 1, 2});
      },
      {1}, {32}, out, rest);
  CHECK(out.read()[31] == vec2{32, 496});
  CHECK(rest.read() == std::vector<ivec2>(32, ivec2{16, -31}));
}

TEST_CASE("counters that wrap go from their last value to 0, and from 0 to it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto up = device.buffer(std::vector<std::uint32_t>{0, 9}, "up");
  auto down = device.buffer(std::vector<std::uint32_t>{0, 9}, "down");
  auto seen = device.buffer(std::vector<std::uint32_t>(4, 0), "seen");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto u, StorageBuffer<std::uint32_t> auto d,
         StorageBuffer<std::uint32_t> auto s) {
        const auto old = inv.atomic_u_inc_wrap(u[0], Scope::Device, MemorySemantics::Relaxed, 3);
        inv.atomic_i_increment(s[old], Scope::Device, MemorySemantics::Relaxed);
        inv.atomic_u_dec_wrap(d[0], Scope::Device, MemorySemantics::Relaxed, 3);
        if (inv.global_invocation_id().x == 0) {
          // Above the last value.
          inv.atomic_u_inc_wrap(u[1], Scope::Device, MemorySemantics::Relaxed, 3);
          inv.atomic_u_dec_wrap(d[1], Scope::Device, MemorySemantics::Relaxed, 3);
        }
      },
      {2}, {21}, up, down, seen);
  CHECK(up.read() == std::vector<std::uint32_t>{42 % 4, 0});
  CHECK(down.read() == std::vector<std::uint32_t>{2, 3});
  CHECK(seen.read() == std::vector<std::uint32_t>{11, 11, 10, 10});
}
