// Where races are no longer looked for: what the report says of it.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <array>
#include <cstddef>

#include "emulator/host/device_state.h"
#include "emulator/host/parallel_memory.h"
#include "emulator/report/records.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kToldApart = race::kTooMany - 1;

/// The memory of a device that looks for races, and two workgroups of one invocation.
class Watched {
 public:
  explicit Watched(bool parallel) : state_(std::make_shared<detail::DeviceState>(racing(parallel))), device_(state_) {
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
    options.memory = *memory_policy("sequential");
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
    CHECK_THAT(report.remarks[0], Catch::Contains("65519") && Catch::Contains("not looked for"));
  }
}

TEST_CASE("what several runs did not look at is in one report once, after it went from one program to another") {
  report::Collector collector;
  report::read_records(report::record(1, report::Remark{"not looked for"}) +
                           report::record(2, report::Remark{"not looked for"}),
                       collector);
  report::Suppressions none;
  const RaceReport report = collector.report(none);
  CHECK(report.remarks == std::vector<std::string>{"not looked for"});
  CHECK(report.runs == 2);
}
