// Everything that is left to chance is decided in one place, by a seed or by a record.

#include <heddle/schedule.h>

#include "tests/device_under_test.h"

#include <algorithm>
#include <set>

using namespace heddle;
using heddle::test::options_for;

namespace {

/// Global ids in the order in which invocations pass an atomic counter, several times each.
std::vector<std::uint32_t> order_of(const DeviceOptions& options, int dispatch = 0) {
  Device device(options);
  std::vector<std::uint32_t> order;
  for (int d = 0; d <= dispatch; ++d) {
    auto next = device.buffer({0u});
    auto trace = device.buffer<std::uint32_t>(3 * 64);
    const auto kernel = [](auto& inv, auto counter, auto log) {
      for (int step = 0; step < 3; ++step) {
        const std::uint32_t at = inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
        log[at] = inv.global_invocation_id().x;
        inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      }
    };
    device.dispatch(kernel, {4}, {16}, next, trace);
    order = trace.read();
  }
  return order;
}

}  // namespace

TEST_CASE("in emulated mode the same seed gives the same order of execution") {
  for (const std::uint64_t seed : {1u, 2u, 77u}) {
    const auto first = order_of(options_for(Mode::Emulated, seed));
    CHECK(first == order_of(options_for(Mode::Emulated, seed)));
    CHECK(std::set(first.begin(), first.end()).size() == 64);
  }
}

TEST_CASE("in emulated mode different seeds give different orders of execution") {
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    orders.insert(order_of(options_for(Mode::Emulated, seed)));
  }
  CHECK(orders.size() == 20);
}

TEST_CASE("each dispatch of a device has an order of its own, and the same one every time") {
  const auto options = options_for(Mode::Emulated, 5);
  CHECK(order_of(options, 0) != order_of(options, 1));
  CHECK(order_of(options, 1) == order_of(options, 1));
}

TEST_CASE("the order of execution does not depend on how many threads the machine has") {
  DeviceOptions one = options_for(Mode::Emulated, 9);
  one.workers = 1;
  DeviceOptions many = one;
  many.workers = 7;
  CHECK(order_of(one) == order_of(many));
}

TEST_CASE("a finding of an emulated dispatch says how to run it again, and running it again finds the same") {
  const auto kernel = [](auto& inv, auto counter) {
    const std::uint32_t order = inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
    inv.require(order != 17);
  };
  const auto found = [&](std::uint64_t seed) {
    Device device(options_for(Mode::Emulated, seed));
    auto counter = device.buffer({0u});
    return test::finding_of([&] { device.dispatch(kernel, {4}, {16}, counter); });
  };
  const Finding finding = found(12);
  CHECK(finding.replay == "HEDDLE_MODE=emulated HEDDLE_SEED=12 (dispatch 0 of the device)");
  CHECK(to_string(finding) == to_string(found(12)));
  std::set<std::uint32_t> who;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) who.insert(found(seed).invocation.global.x);
  CHECK(who.size() > 1);
}

namespace {

/// Notes between how many operations each interruption is asked for.
class Interruptions final : public Choice {
 public:
  explicit Interruptions(std::vector<std::uint32_t>& bounds) : bounds_(bounds) {}
  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override {
    if (point == ChoicePoint::Preemption) bounds_.push_back(bound);
    return inner_.below(bound, point);
  }

 private:
  std::vector<std::uint32_t>& bounds_;
  SeededChoice inner_{7};
};

}  // namespace

TEST_CASE(
    "invocations are interrupted half as often after each 256 times in one dispatch, four times, and the next "
    "begins anew") {
  std::vector<std::uint32_t> bounds;
  DeviceOptions options = options_for(Mode::Emulated, 1);
  options.operations_between_switches = 3;
  options.choices = [&](std::uint64_t) { return std::make_unique<Interruptions>(bounds); };
  Device device(options);
  auto sums = device.buffer<std::uint32_t>(64);
  sums.fill(0);
  const auto kernel = [](auto& inv, auto sum) {
    const auto i = inv.global_invocation_id().x;
    for (int step = 0; step < 200; ++step) sum[i] = sum[i] + 1;
  };
  device.dispatch(kernel, {4}, {16}, sums);
  REQUIRE(bounds.size() > 1024 + 20);
  for (std::size_t n = 0; n < bounds.size(); ++n) {
    CAPTURE(n);
    REQUIRE(bounds[n] == 2 * (3u << std::min<std::size_t>(n / 256, 4)) - 1);
  }
  bounds.clear();
  device.dispatch(kernel, {4}, {16}, sums);
  CHECK(bounds.at(0) == 2 * 3 - 1);
}

TEST_CASE("a seeded choice answers what PCG32 answers") {
  // O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
  // Number Generation" (2014): XSH-RR 64/32 with increment 1442695040888963407, seeded as
  // pcg32_srandom does; the answers are the products with the bound, shifted right by 32. Computed
  // with an implementation in another language.
  SeededChoice choice(42);
  const std::vector<std::uint32_t> bounds{1000000, 6, 2, 1u << 31, 1, 100, 0xffffffff, 17};
  std::vector<std::uint32_t> answers;
  for (const std::uint32_t bound : bounds) {
    answers.push_back(choice.below(bound, ChoicePoint::Invocation));
  }
  CHECK(answers == std::vector<std::uint32_t>{761558u, 2u, 0u, 571517377u, 0u, 40u, 3418829099u, 14u});
}

TEST_CASE("a seeded choice stays below its bound, and reaches every value") {
  SeededChoice choice(3);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(choice.below(10, ChoicePoint::Memory));
  CHECK(seen.size() == 10);
  CHECK(*seen.rbegin() == 9);
}

TEST_CASE("what was recorded is replayed") {
  RecordingChoice recording(std::make_unique<SeededChoice>(8));
  std::vector<std::uint32_t> first;
  const auto ask = [](Choice& choice) {
    std::vector<std::uint32_t> answers;
    for (std::uint32_t bound = 1; bound < 50; ++bound) {
      answers.push_back(choice.below(bound, bound % 2 ? ChoicePoint::Invocation : ChoicePoint::Preemption));
    }
    return answers;
  };
  first = ask(recording);
  CHECK(recording.schedule().answers.size() == 49);
  CHECK(recording.schedule().answers[4] == Schedule::Answer{ChoicePoint::Invocation, 5, first[4]});
  ReplayedChoice replay(recording.schedule());
  CHECK(ask(replay) == first);
}

TEST_CASE("a replay that asks something else than was recorded is refused") {
  const Schedule schedule{1, {{ChoicePoint::Invocation, 4, 3}, {ChoicePoint::Memory, 2, 1}}};
  SECTION("the same questions are answered, one more is not") {
    ReplayedChoice replay(schedule);
    CHECK(replay.below(4, ChoicePoint::Invocation) == 3);
    CHECK(replay.below(2, ChoicePoint::Memory) == 1);
    CHECK_THROWS_AS(replay.below(2, ChoicePoint::Memory), std::runtime_error);
  }
  SECTION("another bound") {
    ReplayedChoice replay(schedule);
    CHECK_THROWS_AS(replay.below(5, ChoicePoint::Invocation), std::runtime_error);
  }
  SECTION("another point") {
    ReplayedChoice replay(schedule);
    CHECK_THROWS_AS(replay.below(4, ChoicePoint::Workgroup), std::runtime_error);
  }
  SECTION("another version") {
    Schedule newer = schedule;
    newer.version = 2;
    CHECK_THROWS_AS(ReplayedChoice(newer), std::runtime_error);
  }
}
