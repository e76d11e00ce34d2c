// Questions about programs of kernels, and what their answers say.

#include <catch2/catch.hpp>

#include <numeric>
#include <string>
#include <vector>

#include <heddle/heddle.h>
#include <heddle/testing.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::quiet;

namespace {

constexpr std::uint32_t kWriteLine = __LINE__ + 10;

/// Each invocation tells its neighbour its number; with no barrier between the two if `wrong`.
template <bool wrong>
void neighbours(Trial& trial) {
  auto out = trial.device().buffer(std::vector<std::uint32_t>(8, 0), "out");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
    auto tile = inv.template workgroup<std::uint32_t[8]>("tile", kZeroed);
    const auto i = inv.local_invocation_index();

    tile[i] = i;
    if constexpr (!wrong) inv.workgroup_barrier();
    to[i] = tile[(i + 1) % 8];
  };
  trial.device().dispatch(kernel, {1}, {8}, out);
}

/// Which of two workgroups comes last.
std::uint32_t last_one(Trial& trial) {
  auto out = trial.device().buffer<std::uint32_t>({7}, "out");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
    inv.atomic_store(to[0], Scope::Device, MemorySemantics::Relaxed, inv.workgroup_id().x);
  };
  trial.device().dispatch(kernel, {2}, {1}, out);
  return out.read()[0];
}

std::vector<std::uint32_t> doubled(const std::vector<std::uint32_t>& input) {
  std::vector<std::uint32_t> out = input;
  for (std::uint32_t& value : out) value *= 2;
  return out;
}

/// Doubles each element, in workgroups of 8; but for the last one if `wrong`.
template <bool wrong>
std::vector<std::uint32_t> doubled_by_kernel(Trial& trial, const std::vector<std::uint32_t>& input) {
  if (input.empty()) return {};
  auto data = trial.device().buffer(input, "data");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    const std::uint32_t i = inv.global_invocation_id().x;
    if (i + (wrong ? 1 : 0) < x.size()) x[i] = x[i] * 2;
  };
  trial.device().dispatch(kernel, {static_cast<std::uint32_t>((input.size() + 7) / 8)}, {8}, data);
  return data.read();
}

}  // namespace

TEST_CASE(
    "a right kernel is race-free, and of a wrong one the answer has the race, why, a change, and how to repeat it") {
  CHECK(race_free(neighbours<false>, 40, quiet()));
  const Answer wrong = race_free(neighbours<true>, 40, quiet());
  CHECK_FALSE(wrong.ok());
  REQUIRE(wrong.races().size() == 1);
  CHECK(wrong.races()[0].object == "tile");
  const std::string& said = wrong.explain();
  CHECK_THAT(said, Catch::Contains("race-free (under ") && Catch::Contains("data race on tile["));
  CHECK_THAT(said, Catch::Contains("configuration"));
  CHECK_THAT(said, Catch::Contains("made smaller") && Catch::Contains("HEDDLE_EXPLORE_SEED="));
}

TEST_CASE("a race that suppressions excuse fails no trial, and one that counts fails it with its text") {
  SeedOptions options = quiet();
  options.device.races = true;
  options.races_fail = true;
  options.shrink_budget = std::chrono::minutes(10);
  const SeedReport report = explore_seeds(neighbours<true>, 40, options);
  REQUIRE(report.failed());
  REQUIRE(report.failures[0].finding);
  CHECK(report.failures[0].finding->kind == FindingKind::DataRace);
  REQUIRE(report.failures[0].shrunk);
  CHECK(replay(neighbours<true>, *report.failures[0].shrunk, options));
}

TEST_CASE("a race is asked for by its object and lines, in any order, and others are not it") {
  CHECK(has_race(neighbours<true>, {}, 40, quiet()));
  CHECK(has_race(neighbours<true>, {"tile", kWriteLine, kWriteLine + 2}, 40, quiet()));
  CHECK(has_race(neighbours<true>, {"tile", kWriteLine + 2, 0}, 40, quiet()));
  CHECK(has_race(neighbours<true>, {.object = {}, .line = kWriteLine}, 40, quiet()));
  const Answer other = has_race(neighbours<true>, {"data"}, 40, quiet());
  CHECK_FALSE(other.ok());
  CHECK_THAT(other.explain(), Catch::Contains("it has others, and not this one"));
  CHECK_FALSE(has_race(neighbours<true>, {"tile", kWriteLine + 1}, 40, quiet()));
  CHECK_THAT(has_race(neighbours<false>, {}, 40, quiet()).explain(), Catch::Contains("there is none"));
  CHECK(races_at(neighbours<true>, {{"tile", kWriteLine, kWriteLine + 2}}, 40, quiet()));
  CHECK_THAT(races_at(neighbours<true>, {}, 40, quiet()).explain(),
             Catch::Contains("expected: no race; found: 'tile'"));
}

TEST_CASE("outcomes that come are reached, those that do not are never, and an outcome too many is told") {
  CHECK(only_outcomes(last_one, {0, 1}, 60, quiet()));
  CHECK(reachable(last_one, 0, 60, quiet()));
  CHECK(reachable(last_one, 1, 60, quiet()));
  CHECK(never(last_one, 7, 60, quiet()));
  const Answer one = only_outcomes(last_one, {1}, 60, quiet());
  CHECK_FALSE(one.ok());
  CHECK_THAT(one.explain(), Catch::Contains("another one comes") && Catch::Contains("it ended with 0") &&
                                Catch::Contains("HEDDLE_EXPLORE_SEED="));
  const Answer seven = reachable(last_one, 7, 60, quiet());
  CHECK_FALSE(seven.ok());
  CHECK_THAT(seven.explain(), Catch::Contains("reachable 7 (under ") && Catch::Contains("it is not; there came") &&
                                  Catch::Contains("  0 (seed "));
  CHECK_FALSE(never(last_one, 0, 60, quiet()));
}

TEST_CASE("of outcomes those are told that trials ended with, and none of a smaller form of a failure") {
  const auto racing_sum = [](Trial& trial) {
    auto sum = trial.device().buffer<std::uint32_t>({0}, "sum");
    const auto kernel = [](auto&, StorageBuffer<std::uint32_t> auto to) { to[0] += 1; };
    trial.device().dispatch(kernel, {4}, {8}, sum);
    return sum.read()[0];
  };
  const Answer answer = only_outcomes(racing_sum, {1000}, 1, quiet());
  CHECK_FALSE(answer.ok());
  REQUIRE(answer.report().failures.size() == 1);
  CHECK(answer.report().failures[0].shrunk);
  const std::string& said = answer.explain();
  const std::size_t first = said.find(" (seed ");
  REQUIRE(first != std::string::npos);
  CHECK(said.find(" (seed ", first + 1) == std::string::npos);
}

TEST_CASE("outcomes of several parts are told part by part") {
  const auto pair = [](Trial& trial) { return std::vector<std::uint32_t>{last_one(trial), 5}; };
  CHECK(only_outcomes(pair, {{0, 5}, {1, 5}}, 30, quiet()));
  CHECK_THAT(reachable(pair, {9, 9}, 30, quiet()).explain(),
             Catch::Contains("reachable {9, 9} (under 30 seeds): it is not"));
}

TEST_CASE("a kernel that reads what nobody wrote is not without anything undefined") {
  const auto reads = [](Trial& trial) {
    auto data = trial.device().buffer<std::uint32_t>(4, "data");
    auto out = trial.device().buffer<std::uint32_t>({0}, "out");
    trial.device().dispatch(
        [](auto&, StorageBuffer<std::uint32_t> auto from, StorageBuffer<std::uint32_t> auto to) { to[0] = from[1]; },
        {1}, {1}, data, out);
  };
  const Answer wrong = nothing_undefined(reads, 10, quiet());
  CHECK_FALSE(wrong.ok());
  CHECK_THAT(wrong.explain(), Catch::Contains("an undefined value decides something") && Catch::Contains("data"));
  CHECK(nothing_undefined(neighbours<false>, 10, quiet()));
}

TEST_CASE("a kernel is the same as its reference at all sizes that break kernels, or the answer says where not") {
  const std::vector<std::size_t> sizes = breaking_sizes(8);
  CHECK(sizes == std::vector<std::size_t>{0, 1, 7, 8, 9, 17});
  CHECK(same_as<std::uint32_t>(doubled, doubled_by_kernel<false>, sizes, 40, quiet()));
  const Answer wrong = same_as<std::uint32_t>(doubled, doubled_by_kernel<true>, sizes, 40, quiet());
  CHECK_FALSE(wrong.ok());
  CHECK_THAT(wrong.explain(), Catch::Contains("for 1 element of input: element 0 is"));
}

TEST_CASE("the first seeds have each size of input, and the same seed the same input") {
  const std::vector<std::size_t> sizes = breaking_sizes(64);
  for (std::size_t i = 0; i < sizes.size(); ++i) CHECK(detail::size_for(i + 1, sizes) == sizes[i]);
  CHECK(detail::random_input<float>(5, 30) == detail::random_input<float>(5, 30));
  CHECK(detail::random_input<int>(5, 30) != detail::random_input<int>(6, 30));
  CHECK_THROWS_WITH(detail::size_for(1, {}), Catch::Contains("no sizes of input"));
}
