// Built-ins, specialization constants, push constants.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::options_for;

namespace {

struct Parameters {
  float scale;
  std::uint32_t offset;
  std::uint32_t weights[3];
};

}  // namespace

TEST_CASE("the masks of a lane are those of its number, up to the size of the subgroup") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t size = GENERATE(1u, 4u, 32u, 33u, 64u, 128u);
  DeviceOptions options = options_for(mode);
  options.subgroup_size = size;
  Device device(options);
  auto out = device.buffer<uvec4>(5 * 128);
  const auto kernel = [](auto& inv, auto results) {
    const auto lane = inv.subgroup_local_invocation_id();
    results[5 * lane] = inv.subgroup_eq_mask();
    results[5 * lane + 1] = inv.subgroup_ge_mask();
    results[5 * lane + 2] = inv.subgroup_gt_mask();
    results[5 * lane + 3] = inv.subgroup_le_mask();
    results[5 * lane + 4] = inv.subgroup_lt_mask();
  };
  device.dispatch(kernel, {1}, {size}, out);
  const auto view = out.view();
  const auto bit = [](const uvec4& mask, std::uint32_t i) {
    const std::uint32_t words[] = {mask.x, mask.y, mask.z, mask.w};
    return (words[i / 32] >> (i % 32) & 1) != 0;
  };
  for (std::uint32_t lane = 0; lane < size; ++lane) {
    for (std::uint32_t i = 0; i < 128; ++i) {
      const bool exists = i < size;
      REQUIRE(bit(view[5 * lane], i) == (i == lane));
      REQUIRE(bit(view[5 * lane + 1], i) == (exists && i >= lane));
      REQUIRE(bit(view[5 * lane + 2], i) == (exists && i > lane));
      REQUIRE(bit(view[5 * lane + 3], i) == (i <= lane));
      REQUIRE(bit(view[5 * lane + 4], i) == (i < lane));
    }
  }
}

TEST_CASE("sizes are those of the dispatch, and the device is the first") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.subgroup_size = 8;
  Device device(options);
  constexpr std::uint32_t kInvocations = 2 * 3 * 4 * 5 * 2;
  auto out = device.buffer<uvec4>(2 * kInvocations);
  const auto kernel = [](auto& inv, auto results) {
    const uvec3 n = inv.num_workgroups();
    const uvec3 s = inv.workgroup_size();
    const uvec3 group = inv.workgroup_id();
    const std::uint32_t me = 10 * (group.x + 2 * (group.y + 3 * group.z)) + inv.local_invocation_index();
    results[2 * me] = uvec4{n.x, n.y, n.z, inv.subgroup_size()};
    results[2 * me + 1] = uvec4{s.x, s.y, s.z, inv.num_subgroups() + 100 * inv.device_index()};
  };
  device.dispatch(kernel, {2, 3, 4}, {5, 2, 1}, out);
  const auto sizes = out.read();
  for (std::uint32_t i = 0; i < kInvocations; ++i) {
    CHECK(sizes[2 * i] == uvec4{2, 3, 4, 8});
    CHECK(sizes[2 * i + 1] == uvec4{5, 2, 1, 2});
  }
}

TEST_CASE("a constant of the dispatch is one for the compiler, too") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<std::uint32_t>(1);
  const auto kernel = [](auto& inv, auto size, auto results) {
    auto tile = inv.template workgroup<std::uint32_t[size]>();
    static_assert(size == 24);
    tile[size - 1] = 7u;
    results[0] = tile[23] + static_cast<std::uint32_t>(tile.size());
  };
  device.dispatch(kernel, {1}, {1}, constant<24>, out);
  CHECK(out.read()[0] == 31);
}

TEST_CASE("push constants arrive as they were given, with their members and arrays") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<float>(2);
  const auto kernel = [](auto&, PushConstant<Parameters> auto p, auto results) {
    const float scale = p.at(&Parameters::scale);
    const std::uint32_t weight = p.at(&Parameters::weights)[2];
    results[0] = scale * static_cast<float>(weight);
    const Parameters all = p.load();
    results[1] = static_cast<float>(all.offset);
  };
  device.dispatch(kernel, {1}, {1}, push_constant(Parameters{0.5f, 9, {1, 2, 3}}), out);
  CHECK(out.read() == std::vector<float>{1.5f, 9.0f});
}

TEST_CASE("plain values arrive as plain values") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<double>(1);
  const auto kernel = [](auto&, double a, std::int8_t b, vec2 c, auto results) {
    results[0] = a + b + static_cast<double>(c.x * c.y);
  };
  device.dispatch(kernel, {1}, {1}, 0.25, std::int8_t{-3}, vec2{2, 5}, out);
  CHECK(out.read()[0] == 7.25);
}
