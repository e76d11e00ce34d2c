#include <catch2/catch.hpp>

#include <heddle/edit.h>
#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/temporary_file.h"
#include "tests/variable.h"

using namespace heddle;
using heddle::test::Variable;

namespace {

constexpr const char* kFile = "edits/edited_kernels.cpp:";

std::vector<Edit> edits(const std::string& text, std::uint32_t line) {
  return edits_from_text(text + " in " + kFile + std::to_string(line));
}

DeviceOptions with(std::vector<Edit> edits, std::uint64_t seed) {
  DeviceOptions options;
  options.races = true;
  options.seed = seed;
  options.edits = std::move(edits);
  return options;
}

/// How many seeds have a race, and the first finding that is none.
struct Seen {
  int races = 0;
  std::string finding;
};
template <typename Run>
Seen run_seeds(const std::vector<Edit>& edits, const Run& run) {
  constexpr std::uint64_t kSeeds = 12;
  Seen seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Device device(with(edits, seed));
    try {
      run(device);
    } catch (const KernelError& error) {
      if (seen.finding.empty()) seen.finding = error.what();
    }
    seen.races += device.races().empty() ? 0 : 1;
  }
  return seen;
}

constexpr std::uint32_t kMessageLine = __LINE__ + 3;
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 1u;
    inv.atomic_store(flag[0], Scope::Device, kReleaseBuffers, 1u);
  } else if (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) != 0) {
    const std::uint32_t got = data.non_private()[0];
    inv.require(got == 1u, "the message");
  }
};
void run_message(Device& device) {
  auto data = device.buffer<std::uint32_t>({0u}, "data");
  auto flag = device.buffer<std::uint32_t>({0u}, "flag");
  device.dispatch(message, {16}, {1}, data, flag);
}

constexpr std::uint32_t kReverseLine = __LINE__ + 4;
constexpr auto reverse = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[8]>(inv, "tile");
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = i;
  inv.workgroup_barrier();
  out[i] = inv.load(tile[7 - i]);
};
constexpr std::uint32_t kRacyReverseLine = __LINE__ + 4;
constexpr auto racy_reverse = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[8]>(inv, "tile", kZeroed);
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = i;
  out[i] = inv.load(tile[7 - i]);
};
template <typename Kernel>
auto reversed_by(const Kernel& kernel) {
  return [&kernel](Device& device) {
    auto out = device.buffer<std::uint32_t>(8, "out");
    device.dispatch(kernel, {1}, {8}, out);
  };
}

}  // namespace

TEST_CASE("without edits the message and the tile are clean, and the tile without a barrier is not") {
  CHECK(run_seeds({}, run_message).races == 0);
  CHECK(run_seeds({}, reversed_by(reverse)).races == 0);
  CHECK(run_seeds({}, reversed_by(racy_reverse)).races == 12);
}

TEST_CASE("each edit that weakens one end of a message makes it race") {
  struct Weaker {
    const char* edit;
    std::uint32_t line;
  };
  for (const Weaker& weaker :
       {Weaker{"give Relaxed at atomic-write", 1}, Weaker{"give Relaxed at atomic-read", 2},
        Weaker{"scope Workgroup at atomic-write", 1}, Weaker{"scope Workgroup at atomic-read", 2},
        Weaker{"drop UniformMemory at atomic-write", 1}, Weaker{"drop MakeAvailable at atomic-write", 1},
        Weaker{"drop MakeVisible at atomic-read", 2}, Weaker{"drop-operands NonPrivatePointer at write", 0},
        Weaker{"drop-operands NonPrivatePointer at read", 3}}) {
    INFO(weaker.edit);
    CHECK(run_seeds(edits(weaker.edit, kMessageLine + weaker.line), run_message).races > 0);
  }
}

TEST_CASE("a barrier that is taken out is not there, and one that is put in is") {
  CHECK(run_seeds(edits("take-out at control-barrier", kReverseLine + 1), reversed_by(reverse)).races == 12);
  const std::string barrier = "put-control-barrier Workgroup Workgroup kWorkgroupBarrier ";
  for (const std::string place : {"behind write", "before first", "before write"}) {
    const std::uint32_t line = place == "before first" ? kRacyReverseLine + 1 : kRacyReverseLine;
    const Seen seen = run_seeds(edits(barrier + place, line), reversed_by(racy_reverse));
    INFO(place << " " << seen.finding);
    CHECK(seen.races == (place == "before write" ? 12 : 0));
    CHECK(seen.finding.empty());
  }
}

TEST_CASE("a barrier of subgroups is enough for lanes of one of them, and one of narrower execution is not for more") {
  CHECK(run_seeds(edits("put-control-barrier Subgroup Subgroup kWorkgroupBarrier behind write", kRacyReverseLine),
                  reversed_by(racy_reverse))
            .races == 0);
  const auto narrow = edits("execution-scope Subgroup at control-barrier", kReverseLine + 1);
  const Seen seen = run_seeds(narrow, [](Device& wide) {
    DeviceOptions options = wide.options();
    options.subgroup_size = 2;
    Device device(options);
    reversed_by(reverse)(device);
    if (!device.races().empty()) throw KernelError(to_finding(device.races().front()));
  });
  CHECK_THAT(seen.finding, Catch::Contains("tile"));
}

TEST_CASE("plain accesses that are made atomic race no longer with each other") {
  std::vector<Edit> both = edits("make-atomic Workgroup Relaxed at write", kRacyReverseLine);
  for (const Edit& edit : edits("make-atomic Workgroup Relaxed at read", kRacyReverseLine + 1)) both.push_back(edit);
  CHECK(run_seeds(both, reversed_by(racy_reverse)).races == 0);
  both.pop_back();
  CHECK(run_seeds(both, reversed_by(racy_reverse)).races == 12);
}

TEST_CASE("a control barrier that not all come to is divergence, though the program has none") {
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
    if (inv.local_invocation_index() == 0) out[0] = 1u;
  };
  const Seen seen = run_seeds(
      edits("put-control-barrier Workgroup Workgroup kBufferBarrier behind write", __LINE__ - 3), [&](Device& device) {
        auto out = device.buffer<std::uint32_t>(1, "out");
        device.dispatch(kernel, {1}, {2}, out);
      });
  CHECK_THAT(seen.finding, Catch::Contains("barrier divergence"));
}

TEST_CASE("a dependency that is put in orders two dispatches of one submission") {
  const auto set = [](auto&, StorageBuffer<std::uint32_t> auto x) { x[0] = 1u; };
  const auto run = [&](Device& device) {
    auto x = device.buffer<std::uint32_t>({0u}, "x");
    device.submit([&](Commands& commands) {
      commands.dispatch(set, {1}, {1}, x);
      commands.dispatch(set, {1}, {1}, x);
    });
  };
  CHECK(run_seeds({}, run).races == 12);
  CHECK(run_seeds(edits_from_text("put-dependency memory before dispatch 1"), run).races == 0);
}

TEST_CASE("HEDDLE_EDITS names a file of edits for all devices that have none of their own") {
  const TemporaryFile file("take-out at control-barrier in " + std::string(kFile) + std::to_string(kReverseLine + 1) +
                           "\n");
  const Variable variable("HEDDLE_EDITS", file.path());
  CHECK(run_seeds({}, reversed_by(reverse)).races == 12);
}

TEST_CASE("edits together with races on all cores, or from a file that makes no sense, are refused by name") {
  DeviceOptions options = with(edits("take-out at control-barrier", 1), 1);
  options.races_parallel = true;
  CHECK_THROWS_WITH(Device(options), Catch::Contains("races_parallel together with edits"));
  const TemporaryFile file("\nnonsense\n");
  const Variable variable("HEDDLE_EDITS", file.path());
  CHECK_THROWS_WITH(Device(DeviceOptions{}),
                    Catch::Contains("HEDDLE_EDITS is '") && Catch::Contains("line 2: 'nonsense'"));
}

TEST_CASE("a barrier before a line of several reads is passed once each time, not before each read") {
  const auto test = [](Device& device) {
    auto sum = device.buffer<std::uint32_t>(1, "out");
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
          auto t = workgroup<std::uint32_t[8]>(inv, "t", kZeroed);
          const std::uint32_t i = inv.local_invocation_index();
          for (std::uint32_t h = 4; h > 0; h /= 2) {
            t[i] += t[(i + h) % 8];
          }
          if (i == 0) out[0] = t[0];
        },
        {1}, {8}, sum);
  };
  const auto barrier = edits("put-control-barrier Workgroup Workgroup kWorkgroupBarrier before first", __LINE__ - 6);
  CHECK(run_seeds(barrier, test).races == 12);
}

namespace {

/// Edits that make a read of one line and a write of another one an update.
std::vector<Edit> update(std::uint32_t read, std::uint32_t write) {
  std::vector<Edit> both = edits("join Device Relaxed at read", read);
  for (const Edit& edit : edits("join Device Relaxed at write", write)) both.push_back(edit);
  return both;
}

/// How many seeds of 12 end with another value than this in out[0].
template <typename Kernel>
int wrong_with(const std::vector<Edit>& edits, const Kernel& kernel, std::uint32_t expected, int& races) {
  int wrong = 0;
  races = run_seeds(edits, [&](Device& device) {
            auto out = device.buffer(std::vector<std::uint32_t>(2, 0u), "out");
            device.dispatch(kernel, {16}, {1}, out);
            wrong += out.read()[0] == expected ? 0 : 1;
          }).races;
  return wrong;
}

}  // namespace

TEST_CASE("a read and a write that are joined lose no update, in one line or in two") {
  const std::uint32_t in_one = __LINE__ + 1;
  const auto counted = [](auto&, StorageBuffer<std::uint32_t> auto out) { out[0] += 1u; };
  const std::uint32_t in_two = __LINE__ + 2;
  const auto claimed = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
    if (out[1] == 0) {
      out[1] = 1u;
      inv.atomic_i_increment(out[0], Scope::Device, MemorySemantics::Relaxed);
    }
  };
  int races = 0;
  CHECK(wrong_with({}, counted, 16, races) > 0);
  CHECK(wrong_with(update(in_one, in_one), counted, 16, races) == 0);
  CHECK(races == 0);
  CHECK(wrong_with({}, claimed, 1, races) > 0);
  CHECK(wrong_with(update(in_two, in_two + 1), claimed, 1, races) == 0);
  CHECK(races == 0);
}

TEST_CASE("a round barrier is passed by those who come, and by the others where they wait or have ended") {
  const auto test = [](Device& device) {
    auto sum = device.buffer<std::uint32_t>(1, "out");
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
          auto t = workgroup<std::uint32_t[8]>(inv, "t", kZeroed);
          const std::uint32_t i = inv.local_invocation_index();
          for (std::uint32_t h = 4; h > 0; h /= 2) {
            if (i < h) t[i] += t[i + h];
          }
          if (i == 0) out[0] = t[0];
        },
        {1}, {8}, sum);
  };
  const std::uint32_t line = __LINE__ - 6;
  CHECK(run_seeds({}, test).races == 12);
  const Seen seen = run_seeds(edits("put-round-barrier Workgroup kWorkgroupBarrier 0 behind write", line), test);
  CHECK(seen.races == 0);
  CHECK(seen.finding.empty());
}

TEST_CASE("a round barrier between two lines holds for who comes to the second one alone") {
  const auto test = [](Device& device) {
    auto sums = device.buffer<std::uint32_t>(8, "out");
    device.dispatch(
        [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
          auto t = workgroup<std::uint32_t[2]>(inv, "t");
          const std::uint32_t i = inv.local_invocation_index();
          if (i % 4 == 0) t[i / 4] = i + 1;
          std::uint32_t sum = 0;
          for (std::uint32_t k = 0; k < i / 4; ++k) sum += t[k];
          out[i] = sum;
        },
        {1}, {8}, sums);
  };
  const std::uint32_t line = __LINE__ - 7;
  CHECK_FALSE(run_seeds({}, test).finding.empty());
  const std::string until = std::to_string(line + 2);
  const Seen seen =
      run_seeds(edits("put-round-barrier Workgroup kWorkgroupBarrier " + until + " behind write", line), test);
  INFO(seen.finding);
  CHECK(seen.races == 0);
  CHECK(seen.finding.empty());
}
