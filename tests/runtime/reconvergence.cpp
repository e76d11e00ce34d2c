// The rule of runtime/README.md, statement by statement: which lanes of a subgroup of eight take part
// in which operation, and in which order operations execute.

#include "tests/device_under_test.h"
#include "tests/runtime/elsewhere_a.h"
#include "tests/runtime/zz_elsewhere.h"

#include <array>

using namespace heddle;
using heddle::test::options_for;

namespace {

constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kAll = 0xff;
constexpr std::uint32_t kEven = 0x55;
constexpr std::uint32_t kOdd = 0xaa;

/// What each lane saw, in its own order: ballots, and the number of the operation in the order of
/// execution.
struct Log {
  std::uint32_t ballot[12];
  std::uint32_t order[12];
  std::uint32_t count;
};

/// Given to the code under test: `see(inv, ballot)` logs the lanes that took part.
template <typename Inv, typename Logs, typename Clock>
struct Watch {
  Inv& inv;
  Logs logs;
  Clock clock;

  std::uint32_t lane() const { return inv.subgroup_local_invocation_id(); }
  void see(std::uint32_t ballot) const {
    // One number for each operation: its lowest lane counts, and tells the others at a place that is
    // after all others in the text.
    Log log = logs[lane()];
    log.ballot[log.count] = ballot;
    log.order[log.count] = inv.atomic_i_increment(clock[0], Scope::Device, MemorySemantics::Relaxed);
    ++log.count;
    logs[lane()] = log;
  }
};

using Result = std::array<std::vector<std::uint32_t>, kLanes>;

struct Outcome {
  Result ballots;
  Result order;
};

template <typename Body>
Outcome run(Mode mode, std::uint64_t seed, Body body, std::uint32_t local = kLanes) {
  DeviceOptions options = options_for(mode, seed);
  options.subgroup_size = kLanes;
  Device device(options);
  auto logs = device.buffer(std::vector<Log>(kLanes, Log{}), "logs");
  auto clock = device.buffer({0u}, "clock");
  const auto kernel = [body](auto& inv, auto l, auto c) {
    body(inv, Watch<std::remove_reference_t<decltype(inv)>, decltype(l), decltype(c)>{inv, l, c});
  };
  device.dispatch(kernel, {1}, {local}, logs, clock);
  Outcome outcome;
  const std::vector<Log> seen = logs.read();
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    outcome.ballots[lane].assign(seen[lane].ballot, seen[lane].ballot + seen[lane].count);
    outcome.order[lane].assign(seen[lane].order, seen[lane].order + seen[lane].count);
  }
  return outcome;
}

using Ballots = std::vector<std::uint32_t>;

/// Runs the test that follows in both modes, the emulated one in several orders.
#define FOR_BOTH_MODES                                      \
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated); \
  const std::uint64_t seed = GENERATE(range(1u, 6u));       \
  if (mode == Mode::Native && seed > 1) return

std::uint32_t ballot_in_function(auto& inv) {
  return inv.group_non_uniform_ballot(true).x;
}

}  // namespace

TEST_CASE("without divergence all lanes take part") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    watch.see(inv.group_non_uniform_ballot(true).x);
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  for (const Ballots& b : o.ballots) CHECK(b == Ballots{kAll, kAll});
}

TEST_CASE("branches execute their operations apart, the first in the text first, and join after it") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    if (watch.lane() % 2 == 0) {
      watch.see(inv.group_non_uniform_ballot(true).x);
    } else {
      watch.see(inv.group_non_uniform_ballot(true).x);
    }
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    CHECK(o.ballots[lane] == Ballots{lane % 2 == 0 ? kEven : kOdd, kAll});
    // In the first operation every even lane comes before every odd one.
    CHECK((o.order[lane][0] < 4) == (lane % 2 == 0));
  }
}

TEST_CASE("nested branches join from the inside out") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    if (watch.lane() < 4) {
      if (watch.lane() < 2) {
        watch.see(inv.group_non_uniform_ballot(true).x);
      } else {
        watch.see(inv.group_non_uniform_ballot(true).x);
      }
      watch.see(inv.group_non_uniform_ballot(true).x);
    }
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (lane < 2)
      CHECK(o.ballots[lane] == Ballots{0x03, 0x0f, kAll});
    else if (lane < 4)
      CHECK(o.ballots[lane] == Ballots{0x0c, 0x0f, kAll});
    else
      CHECK(o.ballots[lane] == Ballots{kAll});
  }
}

TEST_CASE("lanes that leave a loop early wait behind it for those that stay") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    for (std::uint32_t i = 0; i <= watch.lane() / 2; ++i) {
      watch.see(inv.group_non_uniform_ballot(true).x);
    }
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    Ballots expected{0xff, 0xfc, 0xf0, 0xc0};
    expected.resize(lane / 2 + 1);
    expected.push_back(kAll);
    CHECK(o.ballots[lane] == expected);
  }
}

TEST_CASE("break leaves a loop as its end does") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (watch.lane() == 5 && i == 1) break;
      watch.see(inv.group_non_uniform_ballot(true).x);
    }
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  CHECK(o.ballots[5] == Ballots{kAll, kAll});
  CHECK(o.ballots[0] == Ballots{kAll, 0xdf, 0xdf, kAll});
}

TEST_CASE("lanes that return early are not active, and no operation waits for them") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    if (watch.lane() == 0 || watch.lane() == 6) return;
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  CHECK(o.ballots[0].empty());
  CHECK(o.ballots[1] == Ballots{0xbe});
  CHECK(o.ballots[7] == Ballots{0xbe});
}

TEST_CASE("lanes at a workgroup barrier are not active, and the operation does not wait for them") {
  FOR_BOTH_MODES;
  const Outcome o = run(
      mode, seed,
      [](auto& inv, auto watch) {
        if (watch.lane() % 2 == 0 && inv.subgroup_id() == 0) {
          watch.see(inv.group_non_uniform_ballot(true).x);
        }
        inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
        const std::uint32_t together = inv.group_non_uniform_ballot(true).x;
        if (inv.subgroup_id() == 0) watch.see(together);
      },
      2 * kLanes);
  CHECK(o.ballots[0] == Ballots{kEven, kAll});
  CHECK(o.ballots[1] == Ballots{kAll});
}

TEST_CASE("a lane that polls is waited for") {
  FOR_BOTH_MODES;
  DeviceOptions options = options_for(mode, seed);
  options.subgroup_size = kLanes;
  Device device(options);
  auto flag = device.buffer({0u}, "flag");
  auto out = device.buffer<std::uint32_t>(2 * kLanes, "out");
  const auto kernel = [](auto& inv, auto f, auto results) {
    // Lane 0 of the first subgroup waits in a loop for the second subgroup.
    const auto i = inv.local_invocation_index();
    if (i == 0) {
      while (inv.atomic_load(f[0], Scope::Device, kAcquireBuffers) == 0) {
      }
    }
    results[i] = inv.group_non_uniform_ballot(true).x;
    if (i == kLanes) inv.atomic_store(f[0], Scope::Device, kReleaseBuffers, 1);
  };
  device.dispatch(kernel, {1}, {2 * kLanes}, flag, out);
  CHECK(out.read() == std::vector<std::uint32_t>(2 * kLanes, kAll));
}

TEST_CASE("continue leads past an operation to the next iteration, which is not told apart from this one") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (watch.lane() == 3 && i == 0) continue;
      watch.see(inv.group_non_uniform_ballot(true).x);
    }
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  // Lane 3 takes its iterations 1 and 2 together with the others' iterations 0 and 1.
  CHECK(o.ballots[3] == Ballots{kAll, kAll, kAll});
  CHECK(o.ballots[0] == Ballots{kAll, kAll, 0xf7, kAll});
}

TEST_CASE("in a loop, lanes that skip the later operation of its body run ahead") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      watch.see(inv.group_non_uniform_ballot(true).x);
      if (watch.lane() % 2 == 0) {
        watch.see(inv.group_non_uniform_ballot(true).x);
      }
    }
    watch.see(inv.group_non_uniform_ballot(true).x);
  });
  // Odd lanes: both iterations. Even lanes: the first with them, the second alone.
  CHECK(o.ballots[1] == Ballots{kAll, kOdd, kAll});
  CHECK(o.ballots[0] == Ballots{kAll, kEven, kEven, kEven, kAll});
}

TEST_CASE("a function that both branches call is one place, where their lanes meet") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    if (watch.lane() % 2 == 0) {
      watch.see(ballot_in_function(inv));
    } else {
      watch.see(ballot_in_function(inv));
    }
  });
  for (const Ballots& b : o.ballots) CHECK(b == Ballots{kAll});
}

TEST_CASE("two ballots on one line are one place; a ballot and an add on one line are two") {
  FOR_BOTH_MODES;
  // clang-format off
  const Outcome same = run(mode, seed, [](auto& inv, auto watch) {
    watch.see(watch.lane() % 2 == 0 ? inv.group_non_uniform_ballot(true).x : inv.group_non_uniform_ballot(true).x);
  });
  const Outcome different = run(mode, seed, [](auto& inv, auto watch) {
    watch.see(watch.lane() % 2 == 1 ? inv.group_non_uniform_ballot(true).x : inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u));
  });
  // clang-format on
  CHECK(same.ballots[0] == Ballots{kAll});
  CHECK(same.ballots[1] == Ballots{kAll});
  CHECK(different.ballots[0] == Ballots{4});
  CHECK(different.ballots[1] == Ballots{kOdd});
  // The operation of the lowest lane comes first.
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    CHECK((different.order[lane][0] < 4) == (lane % 2 == 0));
  }
}

TEST_CASE("of operations in different files, that of the first file name comes first") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    if (watch.lane() < 2) {
      watch.see(ballot_in_z(inv));
    } else if (watch.lane() < 5) {
      watch.see(inv.group_non_uniform_ballot(true).x);
    } else {
      watch.see(ballot_in_a(inv));
    }
    watch.see(ballot_in_z(inv));
  });
  // Lanes 0 and 1 wait in the last file until all others have come there, one call further.
  CHECK(o.ballots[7] == Ballots{0xe0, kAll});
  CHECK(o.ballots[3] == Ballots{0x1c, kAll});
  CHECK(o.ballots[0] == Ballots{kAll, 0x03});
}

TEST_CASE("a subgroup barrier follows the same rule") {
  FOR_BOTH_MODES;
  const Outcome o = run(mode, seed, [](auto& inv, auto watch) {
    if (watch.lane() % 2 == 0) {
      inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kBufferBarrier);
      watch.see(1);
    } else {
      inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kBufferBarrier);
      watch.see(2);
    }
    inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kBufferBarrier);
    watch.see(3);
  });
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    CHECK(o.ballots[lane] == Ballots{lane % 2 == 0 ? 1u : 2u, 3});
    CHECK(o.order[lane][0] < kLanes);
    CHECK(o.order[lane][1] >= kLanes);
  }
}
