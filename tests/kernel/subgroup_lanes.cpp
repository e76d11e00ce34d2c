// Operations that move values between lanes.

#include "tests/kernel/subgroups_under_test.h"

using namespace heddle;
using heddle::test::active_lanes;
using heddle::test::run_active;
using heddle::test::subgroups_of;

namespace {

std::vector<std::uint32_t> tens(std::uint32_t size) {
  std::vector<std::uint32_t> values(size);
  for (std::uint32_t lane = 0; lane < size; ++lane) values[lane] = 10 * lane;
  return values;
}

}  // namespace

TEST_CASE("broadcasts and shuffles give the value of the lane that was asked for") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    for (const std::uint32_t size : test::kSizes) {
      Device device(subgroups_of(mode, size));
      for (std::uint32_t activity = 0; activity < test::kActivities; ++activity) {
        INFO("size " << size << ", activity " << activity);
        const auto lanes = active_lanes(activity, size);
        if (lanes.empty()) continue;
        struct Got {
          std::uint32_t broadcast, first, mirrored;
        };
        const std::uint32_t low = lanes.front();
        const std::uint32_t high = lanes.back();
        const auto got = run_active<Got>(device, tens(size), activity, Got{}, [=](auto& inv, std::uint32_t v) {
          const auto lane = inv.subgroup_local_invocation_id();
          return Got{inv.group_non_uniform_broadcast(v, high), inv.group_non_uniform_broadcast_first(v),
                     inv.group_non_uniform_shuffle(v, lane == low ? high : low)};
        });
        for (const std::uint32_t lane : lanes) {
          REQUIRE(got[lane].broadcast == 10 * high);
          REQUIRE(got[lane].first == 10 * low);
          REQUIRE(got[lane].mirrored == 10 * (lane == low ? high : low));
        }
      }
    }
  }
}

TEST_CASE("xor, rotation and quad operations permute the lanes of a whole subgroup") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    for (const std::uint32_t size : test::kSizes) {
      Device device(subgroups_of(mode, size));
      for (std::uint32_t mask = 0; mask < size; mask += 1 + mask) {
        const auto got = run_active<std::uint32_t>(device, tens(size), 0, 0u, [=](auto& inv, std::uint32_t v) {
          return inv.group_non_uniform_shuffle_xor(v, mask);
        });
        for (std::uint32_t lane = 0; lane < size; ++lane) REQUIRE(got[lane] == 10 * (lane ^ mask));
      }
      for (std::uint32_t cluster = 1; cluster <= size; cluster *= 2) {
        for (const std::uint32_t delta : {0u, 1u, 3u, size, 1000u}) {
          const auto got = run_active<uvec2>(device, tens(size), 0, uvec2{}, [=](auto& inv, std::uint32_t v) {
            return uvec2{inv.group_non_uniform_rotate_khr(v, delta, cluster),
                         inv.group_non_uniform_rotate_khr(v, delta)};
          });
          for (std::uint32_t lane = 0; lane < size; ++lane) {
            const std::uint32_t begin = lane / cluster * cluster;
            REQUIRE(got[lane].x == 10 * (begin + (lane - begin + delta) % cluster));
            REQUIRE(got[lane].y == 10 * ((lane + delta) % size));
          }
        }
      }
      if (size < 4) continue;
      struct Quad {
        std::uint32_t broadcast, horizontal, vertical, diagonal;
      };
      const auto got = run_active<Quad>(device, tens(size), 0, Quad{}, [](auto& inv, std::uint32_t v) {
        return Quad{inv.group_non_uniform_quad_broadcast(v, 2),
                    inv.group_non_uniform_quad_swap(v, QuadSwap::Horizontal),
                    inv.group_non_uniform_quad_swap(v, QuadSwap::Vertical),
                    inv.group_non_uniform_quad_swap(v, QuadSwap::Diagonal)};
      });
      for (std::uint32_t lane = 0; lane < size; ++lane) {
        REQUIRE(got[lane].broadcast == 10 * (lane / 4 * 4 + 2));
        REQUIRE(got[lane].horizontal == 10 * (lane ^ 1));
        REQUIRE(got[lane].vertical == 10 * (lane ^ 2));
        REQUIRE(got[lane].diagonal == 10 * (lane ^ 3));
      }
    }
  }
}

TEST_CASE("a rotation of a subgroup whose size is no power of two goes around the subgroup") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(subgroups_of(mode, 24));
  const auto got = run_active<std::uint32_t>(
      device, tens(24), 0, 0u, [](auto& inv, std::uint32_t v) { return inv.group_non_uniform_rotate_khr(v, 5); });
  for (std::uint32_t lane = 0; lane < 24; ++lane) CHECK(got[lane] == 10 * ((lane + 5) % 24));
}

TEST_CASE(
    "shuffles up and down reach their neighbours; where there is none the native result is the lane's own value") {
  constexpr std::uint32_t kUndefined = 0xcdcdcdcd;
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    for (const std::uint32_t size : test::kSizes) {
      Device device(subgroups_of(mode, size));
      for (const std::uint32_t delta : {0u, 1u, 2u, 5u, size}) {
        for (std::uint32_t activity = 0; activity < test::kActivities; ++activity) {
          const auto lanes = active_lanes(activity, size);
          const auto got = run_active<uvec2>(device, tens(size), activity, uvec2{}, [=](auto& inv, std::uint32_t v) {
            const uvec2 moved{inv.group_non_uniform_shuffle_up(v, delta), inv.group_non_uniform_shuffle_down(v, delta)};
            const std::uint32_t lane = inv.subgroup_local_invocation_id();
            const auto discards = [&](std::uint32_t source) {
              return inv.kEmulated && (source >= size || !test::active(activity, source, size));
            };
            return uvec2{discards(lane - delta) ? kUndefined : moved.x, discards(lane + delta) ? kUndefined : moved.y};
          });
          for (const std::uint32_t lane : lanes) {
            const auto wanted = [&](std::int64_t source) {
              const bool there =
                  source >= 0 && source < size && test::active(activity, static_cast<std::uint32_t>(source), size);
              if (there) return static_cast<std::uint32_t>(10 * source);
              return mode == Mode::Emulated ? kUndefined : 10 * lane;
            };
            REQUIRE(got[lane].x == wanted(std::int64_t{lane} - delta));
            REQUIRE(got[lane].y == wanted(std::int64_t{lane} + delta));
          }
        }
      }
    }
  }
}

TEST_CASE("lanes exchange values of any plain type") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(subgroups_of(mode, 4));
  struct Pair {
    double a;
    std::int8_t b;
  };
  const std::vector<Pair> values{{0.5, 0}, {1.5, 1}, {2.5, 2}, {3.5, 3}};
  const auto got = run_active<Pair>(device, values, 0, Pair{},
                                    [](auto& inv, const Pair& p) { return inv.group_non_uniform_shuffle_xor(p, 3); });
  CHECK(got[0].a == 3.5);
  CHECK(got[3].b == 0);
}
