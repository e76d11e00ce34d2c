// Which changes are offered for a race, which are not, and what is said where there is none.
#include <catch2/catch.hpp>

#include <heddle/edit.h>
#include <heddle/heddle.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/variable.h"

using namespace heddle;
using u32 = std::uint32_t;

namespace {

constexpr Scope kDevice = Scope::Device;
constexpr Scope kGroup = Scope::Workgroup;
constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

template <typename Kernel>
std::vector<DataRace> races_of(const Kernel& kernel, Extent groups, Extent size, u32 n = 0) {
  DeviceOptions options;
  options.races = true;
  Device device(options);
  auto a = device.buffer(std::vector<u32>(1024, 0), "a");
  auto b = device.buffer(std::vector<u32>(1024, 0), "b");
  auto out = device.buffer(std::vector<u32>(1024, 0), "out");
  device.dispatch(kernel, groups, size, n, a, b, out);
  return device.races();
}

const std::string kFrom = "HEDDLE_RACES_FROM=";

/// The races of the run that the only race's report tells to make, where no change was tried.
template <typename Kernel>
std::vector<DataRace> repeated_as_told(const Kernel& kernel, u32 n) {
  const std::vector<DataRace> races = races_of(kernel, 2, 1, n);
  REQUIRE(races.size() == 1);
  CHECK(races[0].changes.empty());
  const std::string& told = races[0].no_change;
  const std::size_t from = told.find(kFrom);
  REQUIRE(from != std::string::npos);
  const std::size_t number = from + kFrom.size();
  const test::Variable variable("HEDDLE_RACES_FROM", told.substr(number, told.find(' ', number) - number));
  return races_of(kernel, 2, 1, n);
}

bool offers_barrier(const DataRace& race) {
  return std::any_of(race.changes.begin(), race.changes.end(), [](const std::string& change) {
    return change.find("put a control barrier") != std::string::npos;
  });
}

std::string line(u32 number) {
  return "line " + std::to_string(number);
}

/// Neighbours exchange; if not all of the workgroup take part, within a condition.
template <bool all>
constexpr auto exchanges =
    [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto, StorageBuffer<u32> auto out) {
      const u32 me = inv.local_invocation_index();
      if (all || me < 16) {
        a[me] = me;
        out[me] = a[(me + 1) % 16];
      }
    };

/// A writer and a reader in the two branches of a condition.
constexpr auto branches = [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto,
                             StorageBuffer<u32> auto out) {
  if (inv.local_invocation_index() == 0) {
    a[0] = 1;
  } else {
    out[1] = a[0];
  }
};

/// One writes in each round, in the one branch of a condition, and another one reads in the other branch what was
/// written in that round or in the last one.
template <bool of_last_round>
constexpr auto branches_in_rounds =
    [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto, StorageBuffer<u32> auto out) {
      for (u32 round = 1; round < 4; ++round) {
        if (inv.local_invocation_index() == 0) {
          a.non_private()[round] = round;
        } else {
          const u32 got = a.non_private()[of_last_round ? round - 1 : round];
          out[round] = got;
        }
      }
    };

/// Some return before the lines that need a barrier.
template <bool some_return>
constexpr auto returns =
    [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto, StorageBuffer<u32> auto out) {
      const u32 me = inv.local_invocation_index();
      if (some_return && me >= 16) return;
      a[me] = me;
      out[me] = a[(me + 1) % 16];
    };

/// Reads, and then writes what others read: in rounds, or once.
template <u32 rounds>
constexpr auto rotates =
    [](auto& inv, u32, StorageBuffer<u32> auto all, StorageBuffer<u32> auto, StorageBuffer<u32> auto) {
      auto a = all.non_private();
      const u32 me = inv.local_invocation_index();
      for (u32 round = 0; round < rounds; ++round) {
        const u32 got = a[(me + 1) % 8];
        a[me] = got + 1;
        if constexpr (rounds > 1) inv.control_barrier(kGroup, kGroup, kBufferBarrier);
      }
    };

/// Says whose turn it is, plainly; the barrier between that and the next round is missing.
constexpr auto rewrites = [](auto& inv, u32, StorageBuffer<u32> auto all, StorageBuffer<u32> auto,
                             StorageBuffer<u32> auto out) {
  auto a = all.non_private();
  const u32 me = inv.local_invocation_index();
  for (u32 round = 0; round < 4; ++round) {
    if (me == 0) a[0] = round;
    inv.control_barrier(kGroup, kGroup, kBufferBarrier);
    out[me] = a[0];
  }
};

enum class Fence { Removed, MakesNothingAvailable };

/// A message behind `n` other writes and reads of each side, and before some more.
template <Fence fence>
constexpr auto long_message =
    [](auto& inv, u32 n, StorageBuffer<u32> auto a, StorageBuffer<u32> auto b, StorageBuffer<u32> auto out) {
      auto data = a.non_private();
      const u32 group = inv.workgroup_id().x;
      for (u32 i = 0; i < n; ++i) out[group * 16 + i % 16] += i;
      if (group == 0) {
        data[0] = 42;
        for (u32 i = 0; i < n / 8; ++i) out[i % 16] += i;
        if constexpr (fence != Fence::Removed)
          inv.memory_barrier(kDevice, MemorySemantics::Release | MemorySemantics::UniformMemory);
        inv.atomic_store(b[0], kDevice, kRelaxed, 1u);
      } else {
        while (inv.atomic_load(b[0], kDevice, kAcquireBuffers) == 0) {
        }
        for (u32 i = 0; i < n / 8; ++i) out[16 + i % 16] += i;
        out[32] = data[0];
      }
    };

/// Two writes of one element, the second one behind the first by a relaxed flag, with `n` operations between the two,
/// or before them.
template <bool between>
constexpr auto late_write =
    [](auto& inv, u32 n, StorageBuffer<u32> auto a, StorageBuffer<u32> auto b, StorageBuffer<u32> auto out) {
      if (inv.workgroup_id().x == 0) {
        for (u32 i = 0; i < n && !between; ++i) out[i % 16] = i;
        a[0] = 1;
        inv.atomic_store(b[0], kDevice, kRelaxed, 1u);
      } else {
        while (inv.atomic_load(b[0], kDevice, kRelaxed) == 0) {
        }
        for (u32 i = 0; i < n && between; ++i) out[i % 16] = i;
        a[0] = 2;
      }
    };

/// A helper accesses two buffers by one pair of lines; another one has a bug of its own.
constexpr auto two_buffers = [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto b,
                                StorageBuffer<u32> auto out) {
  const u32 group = inv.workgroup_id().x;
  const auto fill = [&](auto& buffer) { buffer[0] = group; };
  fill(a);
  fill(b);
  out[0] = group;
};

struct Node {
  u32 left = 0;
  float weight = 0;
  u32 keys[3] = {};
};

constexpr auto builds = [](auto& inv, StorageBuffer<Node> auto nodes) {
  const u32 group = inv.workgroup_id().x;
  nodes[3].at(&Node::weight) = group == 0 ? 1.5f : 2.5f;
  nodes[3].at(&Node::keys)[1] = 7u + group;
};

}  // namespace

TEST_CASE(
    "a control barrier is offered where all of the workgroup come, and not within a condition that holds for some") {
  const std::vector<DataRace> all = races_of(exchanges<true>, 1, 16);
  REQUIRE(all.size() == 1);
  CHECK(offers_barrier(all[0]));
  CHECK(all[0].no_change.empty());
  const std::vector<DataRace> some = races_of(exchanges<false>, 1, 32);
  REQUIRE(some.size() == 1);
  CHECK_FALSE(offers_barrier(some[0]));
  CHECK_THAT(some[0].no_change, Catch::Contains("of the 32 invocations of the workgroup 16 come to lines"));
}

TEST_CASE("a control barrier is not offered between two branches of a condition") {
  const std::vector<DataRace> races = races_of(branches, 1, 2);
  REQUIRE(races.size() == 1);
  CHECK_FALSE(offers_barrier(races[0]));
  CHECK_THAT(races[0].no_change, Catch::Contains("are in two branches of one condition"));
}

TEST_CASE("between branches in a loop a control barrier is offered to the next round, and not within one round") {
  const std::vector<DataRace> same_round = races_of(branches_in_rounds<false>, 1, 2);
  REQUIRE(same_round.size() == 1);
  CHECK_FALSE(offers_barrier(same_round[0]));
  CHECK_THAT(same_round[0].no_change, Catch::Contains("are in two branches of one condition"));
  const std::vector<DataRace> next_round = races_of(branches_in_rounds<true>, 1, 2);
  REQUIRE(next_round.size() == 1);
  const DataRace& race = next_round[0];
  const bool write_first = race.first.operation == "write";
  const RacingAccess& write = write_first ? race.first : race.second;
  const RacingAccess& read = write_first ? race.second : race.first;
  REQUIRE(offers_barrier(race));
  const auto is_so = [&](const std::string& change) {
    return change.find("between " + line(write.where.line) + " and the next execution of " + line(read.where.line)) !=
           std::string::npos;
  };
  CHECK(std::any_of(race.changes.begin(), race.changes.end(), is_so));
}

TEST_CASE("two accesses stand in the order of the program, whichever came first, and in that of the rounds of a loop") {
  std::set<bool> second_came_first;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    DeviceOptions options;
    options.races = true;
    options.seed = seed;
    Device device(options);
    auto a = device.buffer(std::vector<u32>(16, 0), "a");
    auto out = device.buffer(std::vector<u32>(16, 0), "out");
    device.dispatch(exchanges<true>, 1, 16, 0u, a, a, out);
    const std::vector<DataRace> races = device.races();
    REQUIRE(races.size() == 1);
    CHECK(races[0].first.operation == "private write");
    CHECK(races[0].first.where.line < races[0].second.where.line);
    second_came_first.insert(races[0].second_came_first);
    const bool says_so = to_string(races[0]).find("in this run it came before the other one") != std::string::npos;
    CHECK(says_so == races[0].second_came_first);
  }
  CHECK(second_came_first == std::set<bool>{false, true});
  const std::vector<DataRace> rounds = races_of(rewrites, 1, 8);
  REQUIRE(rounds.size() == 1);
  CHECK(rounds[0].first.operation == "read");
  CHECK(rounds[0].first.where.line > rounds[0].second.where.line);
  CHECK_FALSE(rounds[0].second_came_first);
}

TEST_CASE("a control barrier is not offered behind a return that some take") {
  const std::vector<DataRace> none = races_of(returns<false>, 1, 16);
  REQUIRE(none.size() == 1);
  CHECK(offers_barrier(none[0]));
  const std::vector<DataRace> some = races_of(returns<true>, 1, 32);
  REQUIRE(some.size() == 1);
  CHECK_FALSE(offers_barrier(some[0]));
}

TEST_CASE("the next execution of a line is one in another round; without rounds the lines stand in their order") {
  const auto barrier_of = [](const std::vector<DataRace>& races) {
    REQUIRE(races.size() == 1);
    const auto change = std::find_if(races[0].changes.begin(), races[0].changes.end(), [](const std::string& text) {
      return text.find("put a control barrier") != std::string::npos;
    });
    REQUIRE(change != races[0].changes.end());
    return *change;
  };
  const auto lines = [](const DataRace& race) { return std::minmax(race.first.where.line, race.second.where.line); };
  for (const auto& races : {races_of(rotates<1>, 1, 8), races_of(rotates<4>, 1, 8)}) {
    const auto [upper, lower] = lines(races.at(0));
    CHECK_THAT(barrier_of(races), Catch::EndsWith("between " + line(upper) + " and " + line(lower)));
  }
  const std::vector<DataRace> again = races_of(rewrites, 1, 8);
  const auto [upper, lower] = lines(again.at(0));
  CHECK_THAT(barrier_of(again),
             Catch::EndsWith("between " + line(lower) + " and the next execution of " + line(upper)));
}

TEST_CASE("in a long run a fence that makes nothing available and one that is not there are told apart, and mended") {
  for (const u32 n : {4u, 4000u}) {
    const std::vector<DataRace> weak = races_of(long_message<Fence::MakesNothingAvailable>, 2, 1, n);
    REQUIRE(weak.size() == 1);
    CHECK_THAT(weak[0].reason, Catch::Contains("was never made available"));
    CHECK_THAT(weak[0].changes.at(0), Catch::StartsWith("add MakeAvailable to the memory barrier"));
    const std::vector<DataRace> removed = races_of(long_message<Fence::Removed>, 2, 1, n);
    REQUIRE(removed.size() == 1);
    CHECK_THAT(removed[0].reason, Catch::StartsWith("no synchronization"));
    CHECK_THAT(removed[0].changes.at(0), Catch::StartsWith("give the atomic write"));
  }
}

TEST_CASE("of a run that is too long to try a change the missing link is told all the same") {
  const std::vector<DataRace> weak = races_of(long_message<Fence::MakesNothingAvailable>, 2, 1, 60000);
  REQUIRE(weak.size() == 1);
  CHECK(weak[0].missing == "availability");
  const std::vector<DataRace> removed = races_of(long_message<Fence::Removed>, 2, 1, 60000);
  REQUIRE(removed.size() == 1);
  CHECK(removed[0].missing == "synchronization");
}

TEST_CASE("where the run was too long to try a change it is said, and the command that is told tries one") {
  const std::vector<DataRace> again = repeated_as_told(long_message<Fence::Removed>, 60000);
  REQUIRE(again.size() == 1);
  CHECK_THAT(again[0].changes.at(0), Catch::StartsWith("give the atomic write"));
}

TEST_CASE("where two accesses are too far from each other for a change, the repeated run tells no command") {
  const std::vector<DataRace> far = repeated_as_told(late_write<true>, 210000);
  REQUIRE(far.size() == 1);
  CHECK(far[0].changes.empty());
  CHECK_THAT(far[0].no_change, Catch::StartsWith("the first access is so far back"));
  CHECK_THAT(far[0].no_change, !Catch::Contains(kFrom));
  CHECK_FALSE(repeated_as_told(late_write<false>, 210000).at(0).changes.empty());
}

TEST_CASE("one pair of lines is one finding over all buffers, and the race that came first is told first") {
  const std::vector<DataRace> races = races_of(two_buffers, 2, 1);
  REQUIRE(races.size() == 2);
  CHECK(races[0].object == "a");
  CHECK(races[0].other_objects == std::vector<RacedObject>{{"b", 1}});
  CHECK(races[0].count == 2);
  CHECK(races[1].object == "out");
  CHECK_THAT(to_string(races[0]), Catch::StartsWith("data race on a[0], bytes 0 to 3 and b, 2 times\n"
                                                    "  objects a 1 time, b 1 time\n"));
}

TEST_CASE("members of structs are told by name, their values in their type") {
  DeviceOptions options;
  options.races = true;
  Device device(options);
  auto nodes = device.buffer(std::vector<Node>(8), "nodes");
  device.dispatch(builds, 2, 1, nodes);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 2);
  CHECK(races[0].member == ".weight");
  const auto written = [&](std::size_t race) {
    return std::set{races[race].first.written, races[race].second.written};
  };
  CHECK(written(0) == std::set<std::string>{"1.5", "2.5"});
  CHECK_THAT(to_string(races[0]), Catch::StartsWith("data race on nodes[3].weight\n"));
  CHECK(races[1].member == ".keys[1]");
  CHECK(written(1) == std::set<std::string>{"7", "8"});
}

TEST_CASE("what reads Workgroup memory before it is written fails in the end, and the race is told with its change") {
  DeviceOptions options;
  options.races = true;
  Device device(options);
  auto out = device.buffer({0u}, "out");
  const auto sums = [](auto& inv, StorageBuffer<u32> auto o) {
    auto tile = inv.template workgroup<u32[8]>("tile");
    const u32 me = inv.local_invocation_index();
    tile[me] = me;
    if (me != 0) return;
    u32 sum = 0;
    for (u32 i = 0; i < 8; ++i) sum += tile[i];
    o[0] = sum;
  };
  bool failed = false;
  try {
    device.dispatch(sums, 1, 8, out);
  } catch (const KernelError& error) {
    failed = true;
    CHECK(error.finding().kind == FindingKind::UninitializedRead);
    CHECK(error.finding().object == "tile");
  }
  CHECK(failed);
  const RaceReport report = device.race_report();
  CHECK(report.ended_early == 0);
  REQUIRE(report.races.size() == 1);
  CHECK(report.races[0].object == "tile");
  CHECK(offers_barrier(report.races[0]));
}

TEST_CASE(
    "what may be a flag is tried as an atomic without order first, then as a release and an acquire; two writes not") {
  const auto flag = [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto,
                       StorageBuffer<u32> auto out) {
    if (inv.workgroup_id().x == 0) {
      a[0] = 1;
    } else {
      out[0] = a[0];
    }
  };
  const std::vector<DataRace> races = races_of(flag, 2, 1);
  REQUIRE(races.size() == 1);
  const std::vector<CandidateChange>& all = races[0].candidates;
  const auto index_of = [&](MemorySemantics of_write, MemorySemantics of_read) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const CandidateChange& one) {
      return one.edits.size() == 2 && std::all_of(one.edits.begin(), one.edits.end(), [&](const Edit& edit) {
               return edit.kind == EditKind::MakeAtomic && edit.scope == kDevice &&
                      edit.semantics == (edit.of == EditedKind::Write ? of_write : of_read);
             });
    });
    REQUIRE(found != all.end());
    return found - all.begin();
  };
  CHECK(index_of(kRelaxed, kRelaxed) < index_of(kReleaseBuffers, kAcquireBuffers));

  const auto writes = [](auto& inv, u32, StorageBuffer<u32> auto a, StorageBuffer<u32> auto, StorageBuffer<u32> auto) {
    a[0] = inv.workgroup_id().x;
  };
  const std::vector<DataRace> of_writes = races_of(writes, 2, 1);
  REQUIRE(of_writes.size() == 1);
  for (const CandidateChange& one : of_writes[0].candidates)
    for (const Edit& edit : one.edits) CHECK((edit.kind != EditKind::MakeAtomic || edit.semantics == kRelaxed));
}

TEST_CASE("no race in a run that ended early is not told as if there were none") {
  DeviceOptions options;
  options.races = true;
  Device device(options);
  auto out = device.buffer({0u}, "out");
  CHECK_THROWS_AS(device.dispatch([](auto&, StorageBuffer<u32> auto o) { o[1] = 1; }, 1, 1, out), KernelError);
  const RaceReport report = device.race_report();
  CHECK(report.runs == 1);
  CHECK(report.ended_early == 1);
  CHECK_THAT(
      to_text(report, ReportFormat::Text),
      Catch::Contains("0 data races in 1 run; it ended early, and what would have raced after that is not known"));
}
