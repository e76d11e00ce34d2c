#include <heddle/heddle.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/model/tags.h"
#include "emulator/trace/file_reader.h"
#include "emulator/watch/tagged_code.h"
#include "tests/temporary_file.h"

using namespace heddle;

namespace {

constexpr MemorySemantics kRelease = kReleaseBuffers;
constexpr MemorySemantics kAcquire = kAcquireBuffers;

/// Each instruction that takes tags, once.
constexpr auto all_of_them = [](auto& inv, StorageBuffer<std::uint32_t> auto x, StorageBuffer<float> auto y) {
  constexpr Tags kHere = tag("sync-as:1") | tag("vulkan:nonprivate");
  auto tile = inv.template workgroup<std::uint32_t[8]>("tile");
  const std::uint32_t i = inv.local_invocation_index();
  inv.store(tile[i], i, tag("sync-as:3"));
  inv.workgroup_barrier(kWorkgroupBarrier | tag("sync-as:3"));
  const std::uint32_t other = inv.load(tile[i ^ 1], tag("sync-as:3"));
  inv.store(x[i], other + 1, MemoryOperands::NonPrivatePointer | kHere);
  inv.memory_barrier(Scope::Device, kRelease | kHere);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier | kHere);
  const std::uint32_t read = inv.load(x[i ^ 1], MemoryOperands::NonPrivatePointer | tag("sync-as:1"));
  inv.atomic_i_add(x[8], Scope::Device, MemorySemantics::Relaxed | kHere, read);
  inv.atomic_u_max(x[9], Scope::Device, kAcquire | tag("foo:a"), i);
  inv.atomic_compare_exchange(x[10], Scope::Device, kRelease | tag("foo:a"), MemorySemantics::Relaxed, 1u, 0u);
  inv.atomic_f_add_ext(y[0], Scope::Device, MemorySemantics::Relaxed | tag("foo:b"), 1.0f);
  inv.atomic_store(x[11], Scope::Device, dynamic(kRelease) | tag("foo:b"), 5u);
  inv.require(inv.atomic_load(x[11], Scope::Device, kAcquire | tag("foo:b")) == 5);
  const NamedBarrier all = inv.named_barrier_initialize(inv.num_subgroups());
  inv.memory_named_barrier(all, Scope::Workgroup, kWorkgroupBarrier | tag("sync-as:3"));
};

std::vector<std::uint32_t> run_all_of_them(DeviceOptions options) {
  Device device(std::move(options));
  auto x = device.buffer(std::vector<std::uint32_t>(12, 0), "x");
  auto y = device.buffer(std::vector<float>(1, 0), "y");
  device.dispatch(all_of_them, {1}, {8}, x, y);
  CHECK(y.read()[0] == 8.0f);
  return x.read();
}

/// A message: the flag's release has tags of its own.
template <bool fits>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto out) {
  constexpr Tags kOfRelease = fits ? tag("foo:data") : tag("foo:flag");
  if (inv.workgroup_id().x == 0) {
    inv.store(data[0], 1u, MemoryOperands::NonPrivatePointer | tag("foo:data"));
    inv.atomic_store(flag[0], Scope::Device, kRelease | kOfRelease, 1u);
  } else if (inv.atomic_load(flag[0], Scope::Device, kAcquire | tag("foo:data")) == 1) {
    out[0] = 1 + inv.load(data[0], MemoryOperands::NonPrivatePointer | tag("foo:data"));
  }
};

DeviceOptions on(const char* policy, std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy(policy);
  options.seed = seed;
  options.operations_between_switches = 2;
  return options;
}

/// How many of so many seeds read the flag and not the data.
template <bool fits>
int lost_messages(int seeds) {
  int lost = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Device device(on("random", static_cast<std::uint64_t>(seed)));
    auto data = device.buffer(std::vector<std::uint32_t>(1, 0), "data");
    auto flag = device.buffer(std::vector<std::uint32_t>(1, 0), "flag");
    auto out = device.buffer(std::vector<std::uint32_t>(1, 0), "out");
    device.dispatch(message<fits>, {2}, {1}, data, flag, out);
    lost += out.read()[0] == 1 ? 1 : 0;
  }
  return lost;
}

template <bool fits>
std::vector<DataRace> races_of_message(std::uint64_t seed) {
  DeviceOptions options = on("sequential", seed);
  options.races = true;
  Device device(std::move(options));
  auto data = device.buffer(std::vector<std::uint32_t>(1, 0), "data");
  auto flag = device.buffer(std::vector<std::uint32_t>(1, 0), "flag");
  auto out = device.buffer(std::vector<std::uint32_t>(1, 0), "out");
  device.dispatch(message<fits>, {2}, {1}, data, flag, out);
  return device.races();
}

/// A message for which the second workgroup waits.
template <bool fits>
constexpr auto awaited_message = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                                    StorageBuffer<std::uint32_t> auto flag, StorageBuffer<std::uint32_t> auto out) {
  constexpr Tags kOfRelease = fits ? tag("foo:data") : tag("foo:flag");
  if (inv.workgroup_id().x == 0) {
    data.non_private().with(tag("foo:data"))[0] = 1u;
    inv.atomic_store(flag[0], Scope::Device, kRelease | kOfRelease, 1u);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, kAcquire | tag("foo:data")) == 0) {
    }
    out[0] = data.non_private().with(tag("foo:data"))[0];
  }
};

DeviceOptions on_all_cores() {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.races = true;
  options.races_parallel = true;
  options.workers = 2;
  return options;
}

template <bool fits>
std::vector<DataRace> races_on_all_cores() {
  Device device(on_all_cores());
  auto data = device.buffer(std::vector<std::uint32_t>(1, 0), "data");
  auto flag = device.buffer(std::vector<std::uint32_t>(1, 0), "flag");
  auto out = device.buffer(std::vector<std::uint32_t>(1, 0), "out");
  device.dispatch(awaited_message<fits>, {2}, {1}, data, flag, out);
  CHECK(out.read()[0] == 1);
  return device.races();
}

/// The tags of each operation that a trace has.
class TagsTold final : public trace::Listener {
 public:
  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void operation(model::OperationIndex, const Operation& operation, model::Value, model::Value,
                 std::span<const trace::Source>) override {
    told.push_back(model::text(model::tags_of(operation.tags)));
  }
  void passes(model::OperationIndex, std::span<const model::OperationIndex>) override {}
  void placed(model::OperationIndex) override {}
  std::vector<std::string> told;
};

}  // namespace

TEST_CASE("instructions with tags compute the same natively, emulated and on weak memory") {
  DeviceOptions native;
  native.mode = Mode::Native;
  const std::vector<std::uint32_t> expected = run_all_of_them(std::move(native));
  CHECK(expected == std::vector<std::uint32_t>{2, 1, 4, 3, 6, 5, 8, 7, 36, 7, 1, 5});
  for (const char* policy : {"sequential", "random", "adversarial", "incoherent-l1"})
    CHECK(run_all_of_them(on(policy, 1)) == expected);
}

//= mmra:happens-before type=test
TEST_CASE("a message arrives without its data on weak memory where the tags of its release do not fit") {
  CHECK(lost_messages<false>(400) > 0);
  CHECK(lost_messages<true>(400) == 0);
}

//= mmra:happens-before type=test
TEST_CASE("a race that only tags make is reported, and says so") {
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CHECK(races_of_message<true>(seed).empty());
    for (const DataRace& race : races_of_message<false>(seed)) {
      found = true;
      CHECK(race.first.where.line != race.second.where.line);
      CHECK_THAT(race.reason, Catch::Contains("tags"));
    }
  }
  CHECK(found);
}

//= mmra:happens-before type=test
TEST_CASE("a race that only tags make is reported on all cores, and says so") {
  for (int i = 0; i < 20; ++i) {
    CHECK(races_on_all_cores<true>().empty());
    const std::vector<DataRace> races = races_on_all_cores<false>();
    REQUIRE(races.size() == 1);
    CHECK(races[0].first.where.line != races[0].second.where.line);
    CHECK(races[0].object == "data");
    CHECK_THAT(races[0].reason, Catch::Contains("tags"));
  }
}

TEST_CASE("a race that is there without its tags does not name them on all cores either") {
  DeviceOptions options = on_all_cores();
  Device device(std::move(options));
  auto x = device.buffer(std::vector<std::uint32_t>(1, 0), "x");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
        inv.store(to[0], inv.global_invocation_id().x, tag("foo:data"));
      },
      {4}, {1}, x);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 1);
  CHECK_THAT(races[0].reason, !Catch::Contains("tags"));
}

TEST_CASE("a trace tells of the tags that instructions have") {
  const TemporaryFile file;
  {
    DeviceOptions options = on("sequential", 1);
    options.trace = file.path();
    run_all_of_them(std::move(options));
  }
  TagsTold tags;
  trace::read_trace_file(file.path(), tags);
  const auto has = [&](const std::string& text) {
    return std::find(tags.told.begin(), tags.told.end(), text) != tags.told.end();
  };
  CHECK(has("sync-as:3"));
  CHECK(has("sync-as:1, vulkan:nonprivate"));
  CHECK(has("foo:b"));
}

TEST_CASE("kernels with tags mark their program as one with tags") {
  CHECK(watch::has_tagged_code());
}

TEST_CASE("of a race that tags alone make a change adds the tags that fit, and with these there is no race") {
  const auto races_with = [](bool fits) {
    std::vector<DataRace> races;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      DeviceOptions options;
      options.mode = Mode::Emulated;
      options.seed = seed;
      options.races = true;
      Device device(options);
      auto data = device.buffer({0u}, "data");
      auto flag = device.buffer({0u}, "flag");
      auto out = device.buffer({0u}, "out");
      device.dispatch(
          [&](auto& inv, StorageBuffer<std::uint32_t> auto d, StorageBuffer<std::uint32_t> auto f,
              StorageBuffer<std::uint32_t> auto o) {
            const auto tagged = d.non_private().with(tag("as:1"));
            if (inv.workgroup_id().x == 0) {
              tagged[0] = 1u;
              if (fits)
                inv.memory_barrier(Scope::Device, kReleaseBuffers | tag("as:1"));
              else
                inv.memory_barrier(Scope::Device, kReleaseBuffers | tag("as:2"));
              inv.atomic_store(f[0], Scope::Device, MemorySemantics::Relaxed, 1u);
            } else if (inv.atomic_load(f[0], Scope::Device, MemorySemantics::Relaxed) == 1u) {
              inv.memory_barrier(Scope::Device, kAcquireBuffers);
              o[0] = tagged[0];
            }
          },
          {2}, {1}, data, flag, out);
      for (const DataRace& race : device.races()) races.push_back(race);
    }
    return races;
  };
  CHECK(races_with(true).empty());
  const std::vector<DataRace> races = races_with(false);
  REQUIRE_FALSE(races.empty());
  REQUIRE_FALSE(races[0].changes.empty());
  CHECK(races[0].changes[0].find("add the tag as:1 to the memory barrier in line ") == 0);
}
