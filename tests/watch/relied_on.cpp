// Which forward progress runs relied on, as reports of races say it.
#include <catch2/catch.hpp>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <string>
#include <vector>

using namespace heddle;

namespace {

constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

/// What the runs of some seeds relied on, a line each.
template <typename Kernel>
std::string relied_on(const Kernel& kernel, std::uint32_t groups, std::uint32_t local, const char* memory) {
  SeedOptions options;
  options.print_to = nullptr;
  options.replay_file = "";
  options.jobs = 1;
  options.sweep = "none";
  options.device.races = true;
  options.device.subgroup_size = 4;
  options.device.resident_workgroups = groups;
  // Otherwise what is as short as these kernels is mostly over before anybody else comes.
  options.device.operations_between_switches = 1;
  options.device.memory = memory_policy(memory);
  const SeedReport report = explore_seeds(
      [&](Trial& trial) {
        auto x = trial.device().buffer(std::vector<std::uint32_t>(16), "x");
        trial.device().dispatch(kernel, {groups}, {local}, x);
      },
      10, options);
  CHECK(report.what().empty());
  std::string out;
  for (const std::string& one : report.races.relied_on) out += one + '\n';
  return out;
}

/// Each workgroup waits for the one before it, by its number.
constexpr auto by_number = [](auto& inv, auto x) {
  const std::uint32_t me = inv.workgroup_id().x;
  while (me != 0 && inv.atomic_load(x[me - 1], Scope::Device, kRelaxed) == 0) {
  }
  inv.atomic_store(x[me], Scope::Device, kRelaxed, 1u);
};

/// Each workgroup waits for the one that drew a ticket before it.
constexpr auto by_ticket = [](auto& inv, auto x) {
  const std::uint32_t me = inv.atomic_i_add(x[15], Scope::Device, kRelaxed, 1u);
  while (me != 0 && inv.atomic_load(x[me - 1], Scope::Device, kRelaxed) == 0) {
  }
  inv.atomic_store(x[me], Scope::Device, kRelaxed, 1u);
};

constexpr auto grid_barrier = [](auto& inv, auto x) {
  inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
  while (inv.atomic_load(x[0], Scope::Device, kRelaxed) != inv.num_workgroups().x) {
  }
};

constexpr auto lock = [](auto& inv, auto x) {
  while (inv.atomic_compare_exchange(x[0], Scope::Device, kAcquireBuffers, kRelaxed, 1u, 0u) != 0) {
  }
  const std::uint32_t before = inv.atomic_load(x[1], Scope::Device, kRelaxed);
  inv.atomic_store(x[1], Scope::Device, kRelaxed, before + 1);
  inv.atomic_store(x[2], Scope::Device, kRelaxed, before);
  inv.atomic_store(x[3], Scope::Device, kRelaxed, before);
  inv.atomic_store(x[0], Scope::Device, kReleaseBuffers, 0u);
};

constexpr auto nothing = [](auto& inv, auto x) {
  inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
  inv.workgroup_barrier();
  inv.atomic_i_add(x[1], Scope::Device, kRelaxed, 1u);
};

}  // namespace

TEST_CASE("to wait for a workgroup of a lower number relies on LOBE, and a ticket would rely on less") {
  for (const char* memory : {"sequential", "random"}) {
    const std::string by = relied_on(by_number, 4, 1, memory);
    CHECK_THAT(by, Catch::Contains("relied on LOBE progress of workgroups: workgroup (") &&
                       Catch::Contains("relied_on.cpp:") && Catch::Contains("take a ticket"));
    CHECK_THAT(relied_on(by_ticket, 4, 1, memory), Catch::StartsWith("relied on OBE progress of workgroups"));
  }
}

TEST_CASE("to wait for workgroups of which nothing is known relies on all going on") {
  CHECK_THAT(relied_on(grid_barrier, 4, 1, "sequential"),
             Catch::StartsWith("relied on fair progress of workgroups") && Catch::Contains("has a higher number"));
}

TEST_CASE("a lock relies on those who have begun, and within a subgroup on each of its invocations") {
  CHECK_THAT(relied_on(lock, 4, 1, "sequential"), Catch::StartsWith("relied on OBE progress of workgroups"));
  const std::string of_lanes = relied_on(lock, 1, 4, "sequential");
  CHECK_THAT(of_lanes, Catch::StartsWith("relied on fair progress of invocations of a subgroup: global (") &&
                           Catch::Contains("in lockstep"));
}

TEST_CASE("who waits for nobody relies on nothing, and barriers are no waiting") {
  CHECK(relied_on(nothing, 4, 8, "sequential").empty());
}

TEST_CASE("every format says what runs relied on") {
  RaceReport report;
  report.runs = 1;
  report.relied_on = {"relied on LOBE progress of workgroups: ..."};
  for (const ReportFormat format :
       {ReportFormat::Text, ReportFormat::Json, ReportFormat::Sarif, ReportFormat::JUnit, ReportFormat::GitHub})
    CHECK_THAT(to_text(report, format), Catch::Contains("relied on LOBE progress"));
}
