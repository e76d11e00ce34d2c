// Every option with numbers that make no sense: each works, or is refused by name. Nothing crashes, hangs, or takes
// memory that is not asked for.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <array>
#include <string>
#include <tuple>

#include "tests/device_under_test.h"
#include "tests/host/ends.h"

using namespace heddle;
using heddle::test::Death;
using heddle::test::end_of;
using heddle::test::kFound;
using heddle::test::kRefused;
using heddle::test::kWorks;
using heddle::test::refused;
using heddle::test::turns_around;

namespace {

constexpr std::array<std::uint64_t, 6> kNumbers = {
    0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 45, ~std::uint64_t{0} >> 1};

// An aggregate that gets another member does not compile here any more: it is to be listed, with its name.
auto members_of(DeviceOptions& options) {
  auto& [mode, seed, subgroup_size, lane_mapping, workgroup_order, reconvergence, limits, queue_families, workers,
         resident_workgroups, stack_bytes, workgroup_memory_bytes, workgroup_memory_zeroed, undefined, forward_progress,
         memory, races, race_suppressions, same_value_writes, race_advice, races_parallel, trace, edits, choices,
         operations_between_switches, no_progress_time, no_progress_rounds, print_to, timed, progress] = options;
  return std::tie(mode, seed, subgroup_size, lane_mapping, workgroup_order, reconvergence, limits, queue_families,
                  workers, resident_workgroups, stack_bytes, workgroup_memory_bytes, workgroup_memory_zeroed, undefined,
                  forward_progress, memory, races, race_suppressions, same_value_writes, race_advice, races_parallel,
                  trace, edits, choices, operations_between_switches, no_progress_time, no_progress_rounds, print_to,
                  timed, progress);
}
constexpr std::array kDeviceOptions = {"mode",
                                       "seed",
                                       "subgroup_size",
                                       "lane_mapping",
                                       "workgroup_order",
                                       "reconvergence",
                                       "limits",
                                       "queue_families",
                                       "workers",
                                       "resident_workgroups",
                                       "stack_bytes",
                                       "workgroup_memory_bytes",
                                       "workgroup_memory_zeroed",
                                       "undefined",
                                       "forward_progress",
                                       "memory",
                                       "races",
                                       "race_suppressions",
                                       "same_value_writes",
                                       "race_advice",
                                       "races_parallel",
                                       "trace",
                                       "edits",
                                       "choices",
                                       "operations_between_switches",
                                       "no_progress_time",
                                       "no_progress_rounds",
                                       "print_to",
                                       "timed",
                                       "progress"};

auto members_of(MemoryPolicy& policy) {
  auto& [name, description, sequential, delay, first_scope, rest, eviction_interval, in_order, stale, oldest,
         shared_copies, late_reads, record_all, longest_wait, most_stale] = policy;
  return std::tie(name, description, sequential, delay, first_scope, rest, eviction_interval, in_order, stale, oldest,
                  shared_copies, late_reads, record_all, longest_wait, most_stale);
}
constexpr std::array kPolicyMembers = {"name",        "description",  "sequential",        "delay",
                                       "first_scope", "rest",         "eviction_interval", "in_order",
                                       "stale",       "oldest",       "shared_copies",     "late_reads",
                                       "record_all",  "longest_wait", "most_stale"};

auto members_of(DeviceLimits& limits) {
  auto& [name, description, count, invocations, size, memory, min_subgroup, max_subgroup, constants, storage, uniforms,
         storage_buffers, uniform_buffers, images] = limits;
  return std::tie(name, description, count, invocations, size, memory, min_subgroup, max_subgroup, constants, storage,
                  uniforms, storage_buffers, uniform_buffers, images);
}
constexpr std::array kLimits = {"name",
                                "description",
                                "max_compute_work_group_count",
                                "max_compute_work_group_invocations",
                                "max_compute_work_group_size",
                                "max_compute_shared_memory_size",
                                "min_subgroup_size",
                                "max_subgroup_size",
                                "max_push_constants_size",
                                "max_storage_buffer_range",
                                "max_uniform_buffer_range",
                                "max_per_stage_descriptor_storage_buffers",
                                "max_per_stage_descriptor_uniform_buffers",
                                "max_per_stage_descriptor_storage_images"};

auto members_of(SeedOptions& options) {
  auto& [first_seed, shard, jobs, stop_at_first, budget, shrink_budget, change_budget, replay_file, device, sweep,
         races_fail, print_to] = options;
  return std::tie(first_seed, shard, jobs, stop_at_first, budget, shrink_budget, change_budget, replay_file, device,
                  sweep, races_fail, print_to);
}
constexpr std::array kSeedOptions = {"first_seed", "shard",         "jobs",          "stop_at_first",
                                     "budget",     "shrink_budget", "change_budget", "replay_file",
                                     "device",     "sweep",         "races_fail",    "print_to"};

auto members_of(SeedShard& shard) {
  auto& [index, count] = shard;
  return std::tie(index, count);
}
constexpr std::array kShardMembers = {"shard.index", "shard.count"};

// What a number becomes as a member of that type; false if none is made of a number.
template <typename T>
bool set(T& member, std::uint64_t number) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    member = static_cast<T>(number);
    return true;
  }
  return false;
}
bool set(std::string& member, std::uint64_t number) {
  member = std::to_string(number);
  return true;
}
bool set(Milliseconds& member, std::uint64_t number) {
  member = Milliseconds(static_cast<std::int64_t>(number));
  return true;
}
bool set(std::chrono::milliseconds& member, std::uint64_t number) {
  member = std::chrono::milliseconds(static_cast<std::int64_t>(number));
  return true;
}
bool set(std::array<std::uint32_t, 3>& member, std::uint64_t number) {
  member.fill(static_cast<std::uint32_t>(number));
  return true;
}
bool set(std::vector<QueueFamily>& member, std::uint64_t number) {
  member.push_back({static_cast<std::uint32_t>(number)});
  return true;
}
template <typename T>
bool set(std::optional<T>& member, std::uint64_t number) {
  member.emplace();
  return set(*member, number);
}

/// Calls visit(name, set) for each member: set(object, number) returns false if it takes no number.
template <typename T, std::size_t count, typename Visit>
void for_each_member(const std::array<const char*, count>& names, Visit visit) {
  static_assert(std::tuple_size_v<decltype(members_of(std::declval<T&>()))> == count);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(names[i], [](T& of, std::uint64_t number) { return set(std::get<i>(members_of(of)), number); }), ...);
  }
  (std::make_index_sequence<count>{});
}

bool runs_with(const DeviceOptions& options) {
  Device device(options);
  return turns_around(device);
}

void check_end(const Death& end, const std::string& option, std::uint64_t number) {
  INFO(option << " = " << number << ", exit code " << end.exit_code << ": " << end.text);
  if (end.exit_code == kWorks) return;
  // A finding says what the kernel would need.
  CHECK((end.exit_code == kRefused || end.exit_code == kFound));
  CHECK(end.says(option));
}

}  // namespace

TEST_CASE("every option of a device works with any number, or is refused by its name") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for_each_member<DeviceOptions>(kDeviceOptions, [&](const char* name, auto set_member) {
    for (const std::uint64_t number : kNumbers) {
      DeviceOptions options = test::options_for(mode);
      if (set_member(options, number)) check_end(end_of([&] { return runs_with(options); }), name, number);
    }
  });
}

TEST_CASE("every member of a memory policy works with any number, or is refused by its name") {
  for_each_member<MemoryPolicy>(kPolicyMembers, [&](const char* name, auto set_member) {
    for (const std::uint64_t number : kNumbers) {
      DeviceOptions options = test::options_for(Mode::Emulated);
      options.memory = memory_policy("random");
      if (set_member(*options.memory, number)) check_end(end_of([&] { return runs_with(options); }), name, number);
    }
  });
}

TEST_CASE("every limit of a device works with any number, or is refused by its name") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for_each_member<DeviceLimits>(kLimits, [&](const char* name, auto set_member) {
    for (const std::uint64_t number : kNumbers) {
      DeviceOptions options = test::options_for(mode);
      options.limits.emplace();
      if (set_member(*options.limits, number)) check_end(end_of([&] { return runs_with(options); }), name, number);
    }
  });
}

TEST_CASE("every option of an exploration works with any number, or is refused by its name") {
  const auto explores = [](const SeedOptions& options) {
    const auto test = [](Trial& trial) {
      trial.require(turns_around(trial.device()) && trial.seed() % 3 != 0, "every third seed");
    };
    return explore_seeds(test, 3, options).trials <= 3;
  };
  const auto check = [&](const char* name, std::uint64_t number, const SeedOptions& options) {
    check_end(end_of([&] { return explores(options); }), name, number);
  };
  SeedOptions quiet;
  quiet.print_to = nullptr;
  quiet.replay_file = "";
  quiet.shrink_budget = std::chrono::milliseconds(1);
  for (const std::uint64_t number : kNumbers) {
    for_each_member<SeedOptions>(kSeedOptions, [&](const char* name, auto set_member) {
      SeedOptions options = quiet;
      if (set_member(options, number)) check(name, number, options);
    });
    for_each_member<SeedShard>(kShardMembers, [&](const char* name, auto set_member) {
      SeedOptions options = quiet;
      if (set_member(options.shard, number)) check(name, number, options);
    });
  }
}

TEST_CASE("an option is refused with its value and its limits") {
  CHECK(refused([](DeviceOptions& o) { o.stack_bytes = 1u << 30; }) == "accepted");
  CHECK(refused([](DeviceOptions& o) { o.stack_bytes = (1u << 30) + 1; }) ==
        "DeviceOptions::stack_bytes is 1073741825; it may be 0 to 1073741824");
  CHECK(refused([](DeviceOptions& o) { o.no_progress_time = Milliseconds(0); }) == "accepted");
  CHECK(refused([](DeviceOptions& o) { o.no_progress_time = std::chrono::seconds(-5); }) ==
        "DeviceOptions::no_progress_time is -5000 ms; it may be 0 to 4294967295000 ms");
}

TEST_CASE("a memory policy that nobody knows is refused by name, and is not taken for the default") {
  CHECK(memory_policy("random").name == "random");
  CHECK(memory_policy("random:all").record_all);
  CHECK_THROWS_WITH(memory_policy("nope"),
                    Catch::StartsWith("the name of the memory policy is 'nope'; it may be 'seq"));
}

TEST_CASE("a time is rounded towards zero, and to the longest that there is") {
  CHECK(Milliseconds(std::chrono::microseconds(1999)).count() == 1);
  CHECK(Milliseconds(std::chrono::microseconds(-1999)).count() == -1);
  CHECK(Milliseconds(std::chrono::hours(1)).count() == 3'600'000);
  const auto longest = std::numeric_limits<std::int64_t>::max();
  CHECK(Milliseconds(std::chrono::seconds(longest)).count() == longest);
  CHECK(Milliseconds(std::chrono::seconds(-longest)).count() == -longest);
  CHECK(Milliseconds(std::chrono::duration<double>(1e300)).count() == longest);
}

TEST_CASE("an image whose texels no memory could have is refused by name, and one that fits is not") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(test::options_for(mode));
  const auto refused = [&](const Extent& extent) {
    try {
      const auto image = device.image<float, ImageDim::Dim3D>(extent, "img");
      return image.size() == std::uint64_t{extent.x} * extent.y * extent.z ? std::string("made") : "of another size";
    } catch (const std::bad_alloc& e) {
      return std::string(e.what());
    }
  };
  CHECK(refused({4, 3, 2}) == "made");
  for (const Extent& extent : {Extent(1u << 31, 1u << 31, 4), Extent(~0u, ~0u, ~0u), Extent(1u << 31, 1u << 30, 1)}) {
    const std::string what = refused(extent);
    INFO(what);
    CHECK(test::contains(what, "no memory for 'img'"));
    CHECK(test::contains(what, fmt::format("{} x {} x {} texels of 4 bytes", extent.x, extent.y, extent.z)));
  }
}
