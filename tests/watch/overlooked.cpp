// Where races are no longer looked for: what the report says of it.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <array>
#include <cstddef>

#include "emulator/host/device_state.h"
#include "emulator/report/records.h"
#include "emulator/watch/parallel_memory.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kToldApart = race::kTooMany - 1;

/// The memory of a device that looks for races, and two workgroups of one invocation.
class Watched {
 public:
  explicit Watched(bool parallel)
      : state_(std::make_shared<detail::DeviceState>(racing(parallel))), device_(new detail::DeviceHandle{state_}) {
    bytes_.locations = {state_->new_allocation_id(), 0, sizeof storage_};
    state_->memory->add(bytes_.locations.allocation, storage_);
    for (std::uint32_t group = 0; group < 2; ++group) {
      if (state_->parallel) state_->parallel->add_workgroup(state_->new_allocation_id(), {});
      memory::Cohort cohort;
      cohort.first = static_cast<AgentId>(group);
      cohort.count = 1;
      cohort.place.workgroup = group;
      state_->memory->begin(cohort);
    }
  }
  /// A write in that line, from all others of which it differs.
  void write(std::uint32_t group, std::uint32_t line) {
    bytes_.kind = OperationKind::Write;
    bytes_.agent = static_cast<AgentId>(group);
    bytes_.where = {"a.cpp", "kernel", line};
    state_->memory->write(bytes_, &kValue);
  }
  RaceReport report() const { return device_.race_report(); }

 private:
  static DeviceOptions racing(bool parallel) {
    DeviceOptions options;
    options.races = true;
    options.races_parallel = parallel;
    options.memory = memory_policy("sequential");
    return options;
  }

  static constexpr std::uint32_t kValue = 1;
  std::array<std::byte, sizeof kValue> storage_{};
  Operation bytes_;
  std::shared_ptr<detail::DeviceState> state_;
  Device device_;
};

}  // namespace

TEST_CASE("a program with more different accesses than are told apart is told that they were not all looked at") {
  for (const bool parallel : {false, true}) {
    CAPTURE(parallel);
    Watched memory(parallel);
    for (std::uint32_t line = 1; line <= kToldApart; ++line) memory.write(0, line);
    CHECK(memory.report().remarks.empty());
    for (std::uint32_t line = kToldApart + 1; line < kToldApart + 4; ++line)
      for (const std::uint32_t group : {0u, 1u}) memory.write(group, line);
    const RaceReport report = memory.report();
    CHECK(report.races.empty());
    REQUIRE(report.remarks.size() == 1);
    CHECK_THAT(report.remarks[0], Catch::Contains("65279") && Catch::Contains("not looked for"));
  }
}

TEST_CASE(
    "a workgroup that came to more barriers than are counted is told that not all of its accesses were looked at") {
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    race::KernelOptions options;
    options.first_stamp = race::kMostStamps;
    if (!exact) options.exact_accesses = 0;
    race::KernelDetector detector(options);
    std::vector<std::string> remarks;
    detector.on_overlooked([&](const std::string& what) { remarks.push_back(what); });
    for (std::uint32_t group = 0; group < 2; ++group) {
      model::Place place;
      place.workgroup = group;
      detector.agents_begin(static_cast<AgentId>(2 * group), 2, place, {});
    }
    model::OperationIndex told = 0;
    const auto write = [&](std::uint32_t agent, std::uint32_t line) {
      Operation op;
      op.kind = OperationKind::Write;
      op.agent = static_cast<AgentId>(agent);
      op.locations = {AllocationId{0}, 4 * line, 4};
      op.where.line = line;
      detector.operation(told++, op, 0, 0, {});
    };
    const auto meet = [&] {
      Operation barrier;
      barrier.kind = OperationKind::ControlBarrier;
      barrier.scope = barrier.execution_scope = Scope::Workgroup;
      barrier.semantics = kWorkgroupBarrier;
      barrier.barrier_instance = 1;
      detector.meets(told, barrier, 2);
      told += 4;
    };
    write(0, 1);
    write(2, 1);
    CHECK(detector.races().size() == 1);
    CHECK(remarks.empty());
    meet();
    for (const std::uint32_t agent : {0u, 1u, 0u, 1u}) write(agent, 2);
    CHECK(detector.races().size() == 1);
    REQUIRE(remarks.size() == 1);
    CHECK_THAT(remarks[0], Catch::Contains("16777215") && Catch::Contains("not looked for"));
    // The other one has come to none.
    for (const std::uint32_t agent : {2u, 3u}) write(agent, 3);
    CHECK(detector.races().size() == 2);
  }
}

TEST_CASE("what several runs did not look at is in one report once, after it went from one program to another") {
  report::Collector collector;
  report::read_records(
      report::record(1, report::Remark{"not looked for"}) + report::record(2, report::Remark{"not looked for"}),
      collector);
  report::Suppressions none;
  const RaceReport report = collector.report(none);
  CHECK(report.remarks == std::vector<std::string>{"not looked for"});
  CHECK(report.runs == 2);
}

TEST_CASE("what a run says of its race later replaces what it said first, and not what another run says") {
  DataRace race;
  race.first.where = {"a.cpp", "k", 3};
  race.second.where = {"a.cpp", "k", 5};
  race.object = "a";
  race.count = 2;
  race.changes = {"put a control barrier between line 3 and line 5"};
  DataRace revised = race;
  revised.count = 1;
  revised.changes.clear();
  revised.no_change = "not all come there";
  const auto told = [&](report::RunId again) {
    report::Collector collector;
    report::read_records(report::record(1, race) + report::record(again, report::Revised{revised}), collector);
    report::Suppressions none;
    return collector.report(none).races.at(0);
  };
  CHECK(told(1).changes.empty());
  CHECK(told(1).no_change == "not all come there");
  CHECK(told(1).count == 3);
  CHECK(told(2).changes.size() == 1);
}
