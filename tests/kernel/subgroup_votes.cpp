// Elections, votes, ballots, and what is done with ballots.

#include "tests/kernel/subgroups_under_test.h"

#include <array>

using namespace heddle;
using heddle::test::active_lanes;
using heddle::test::run_active;
using heddle::test::subgroups_of;

namespace {

uvec4 ballot_of(const std::vector<std::uint32_t>& lanes) {
  std::uint32_t words[4] = {};
  for (const std::uint32_t lane : lanes) words[lane / 32] |= 1u << lane % 32;
  return {words[0], words[1], words[2], words[3]};
}

struct Votes {
  std::uint32_t elected, all, any, equal, quad_all, quad_any;
  uvec4 ballot;
};

/// Runs in both modes, at every size, with every activity: `body(device, size, activity, lanes)`.
template <typename Body>
void everywhere(Body body) {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    for (const std::uint32_t size : test::kSizes) {
      Device device(subgroups_of(mode, size));
      for (std::uint32_t activity = 0; activity < test::kActivities; ++activity) {
        INFO("size " << size << ", activity " << activity);
        body(device, size, activity, active_lanes(activity, size));
      }
    }
  }
}

}  // namespace

TEST_CASE("votes are those of the active lanes, and the lowest of them is elected") {
  everywhere([](Device& device, std::uint32_t size, std::uint32_t activity, const auto& lanes) {
    // No lane, every lane, the even ones, one lane.
    for (std::uint32_t question = 0; question < 4; ++question) {
      const auto says_yes = [&](std::uint32_t lane) {
        return question == 1 || (question == 2 && lane % 2 == 0) || (question == 3 && lane == size / 2);
      };
      std::vector<std::uint32_t> answers(size);
      for (std::uint32_t lane = 0; lane < size; ++lane) answers[lane] = says_yes(lane);
      const auto got = run_active<Votes>(device, answers, activity, Votes{}, [](auto& inv, std::uint32_t yes) {
        Votes v{};
        v.elected = inv.group_non_uniform_elect();
        v.all = inv.group_non_uniform_all(yes != 0);
        v.any = inv.group_non_uniform_any(yes != 0);
        v.equal = inv.group_non_uniform_all_equal(yes);
        v.quad_all = inv.group_non_uniform_quad_all_khr(yes != 0);
        v.quad_any = inv.group_non_uniform_quad_any_khr(yes != 0);
        v.ballot = inv.group_non_uniform_ballot(yes != 0);
        return v;
      });
      std::vector<std::uint32_t> yes;
      for (const std::uint32_t lane : lanes) {
        if (says_yes(lane)) yes.push_back(lane);
      }
      for (const std::uint32_t lane : lanes) {
        std::uint32_t quad_yes = 0;
        std::uint32_t quad_active = 0;
        for (const std::uint32_t other : lanes) {
          if (other / 4 != lane / 4) continue;
          ++quad_active;
          quad_yes += says_yes(other);
        }
        const Votes& v = got[lane];
        REQUIRE(v.elected == (lane == lanes.front()));
        REQUIRE(v.all == (yes.size() == lanes.size()));
        REQUIRE(v.any == !yes.empty());
        REQUIRE(v.equal == (yes.empty() || yes.size() == lanes.size()));
        REQUIRE(v.quad_all == (quad_yes == quad_active));
        REQUIRE(v.quad_any == (quad_yes != 0));
        REQUIRE(v.ballot == ballot_of(yes));
      }
    }
  });
}

TEST_CASE("ballots are counted, searched and asked, each lane for itself") {
  everywhere([](Device& device, std::uint32_t size, std::uint32_t activity, const auto& lanes) {
    struct Answers {
      std::uint32_t mine, third, all, inclusive, exclusive, lsb, msb;
    };
    const auto got = run_active<Answers>(
        device, std::vector<std::uint32_t>(size, 1), activity, Answers{}, [size](auto& inv, std::uint32_t) {
          const uvec4 b = inv.group_non_uniform_ballot(true);
          // Bits beyond the subgroup do not count.
          const uvec4 noisy = size == 128 ? b : uvec4{b.x, b.y, b.z, b.w | 0x80000000u};
          return Answers{inv.group_non_uniform_inverse_ballot(b),
                         inv.group_non_uniform_ballot_bit_extract(b, size / 3),
                         inv.group_non_uniform_ballot_bit_count(GroupOperation::Reduce, noisy),
                         inv.group_non_uniform_ballot_bit_count(GroupOperation::InclusiveScan, noisy),
                         inv.group_non_uniform_ballot_bit_count(GroupOperation::ExclusiveScan, noisy),
                         inv.group_non_uniform_ballot_find_lsb(noisy),
                         inv.group_non_uniform_ballot_find_msb(noisy)};
        });
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const Answers& a = got[lanes[k]];
      REQUIRE(a.mine == 1);
      REQUIRE(a.third == test::active(activity, size / 3, size));
      REQUIRE(a.all == lanes.size());
      REQUIRE(a.inclusive == k + 1);
      REQUIRE(a.exclusive == k);
      REQUIRE(a.lsb == lanes.front());
      REQUIRE(a.msb == lanes.back());
    }
  });
}

TEST_CASE("all-equal compares values of any type, and partitions are its groups") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(subgroups_of(mode, 8));
  const std::vector<vec2> same(8, vec2{1, 2});
  std::vector<vec2> other = same;
  other[5].y = 3;
  const auto ask = [&](const std::vector<vec2>& values) {
    return run_active<std::uint32_t>(device, values, 0, 9u, [](auto& inv, const vec2& v) {
      return std::uint32_t{inv.group_non_uniform_all_equal(v)};
    });
  };
  CHECK(ask(same) == std::vector<std::uint32_t>(8, 1));
  CHECK(ask(other) == std::vector<std::uint32_t>(8, 0));
  const auto parts = run_active<uvec4>(device, other, 0, uvec4{},
                                       [](auto& inv, const vec2& v) { return inv.group_non_uniform_partition_nv(v); });
  CHECK(parts[0].x == 0xdf);
  CHECK(parts[5].x == 0x20);
}
