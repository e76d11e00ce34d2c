// What a program asks of a device about races.
#include <catch2/catch.hpp>

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/temporary_file.h"
#include "tests/variable.h"

using namespace heddle;

namespace {

constexpr auto increment = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  (void)inv;
  sum[0] += 1u;
};

constexpr auto raise_flag = [](auto& inv, StorageBuffer<std::uint32_t> auto flag, bool same) {
  flag[0] = same ? 1u : inv.global_invocation_id().x;
};

constexpr auto count = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  inv.atomic_i_increment(sum[0], Scope::Device, kBufferBarrier);
};

DeviceOptions racing() {
  DeviceOptions options;
  options.races = true;
  return options;
}

template <typename Kernel, typename... Args>
void dispatch(Device& device, const Kernel& kernel, Args... args) {
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
  device.dispatch(kernel, 3, 1, sum, args...);
}

}  // namespace

TEST_CASE("require_no_races throws a finding of kind DataRace, and nothing without a race") {
  Device racy(racing());
  dispatch(racy, increment);
  try {
    racy.require_no_races();
    FAIL("nothing was thrown");
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::DataRace);
    CHECK(name_of(error.finding().kind) == "data race");
    CHECK(error.finding().object == "sum");
    CHECK(error.finding().where.line == racy.races().front().second.where.line);
    CHECK_FALSE(error.finding().replay.empty());
  }
  Device clean(racing());
  dispatch(clean, count);
  CHECK_NOTHROW(clean.require_no_races());
}

TEST_CASE("a trial that requires no races fails by seed") {
  const auto test = [](const auto& kernel) {
    SeedOptions options;
    options.device.races = true;
    options.shrink_budget = std::chrono::milliseconds(0);
    options.print_to = nullptr;
    return explore_seeds(
        [&](Trial& trial) {
          dispatch(trial.device(), kernel);
          trial.device().require_no_races();
        },
        3, options);
  };
  const SeedReport racy = test(increment);
  REQUIRE(racy.failed());
  REQUIRE(racy.failures[0].finding);
  CHECK(racy.failures[0].finding->kind == FindingKind::DataRace);
  CHECK_FALSE(test(count).failed());
}

TEST_CASE("suppressed races do not count, and are in the report with the reason") {
  const TemporaryFile known("object:sum -- an estimate\n");
  DeviceOptions options = racing();
  options.race_suppressions = known.path();
  Device device(options);
  dispatch(device, increment);
  CHECK(device.races().empty());
  const RaceReport report = device.race_report();
  REQUIRE(report.suppressed.size() == 1);
  CHECK(report.suppressed[0].excuse == "an estimate (" + known.path() + ":1)");
  CHECK(report.runs == 1);
  CHECK_NOTHROW(device.require_no_races());
}

TEST_CASE("a suppression file that makes no sense is refused when the device is made") {
  const TemporaryFile broken("object:sum\n");
  DeviceOptions options = racing();
  options.race_suppressions = broken.path();
  CHECK_THROWS_AS(Device(options), std::invalid_argument);
  options.race_suppressions = "/no/such/file";
  CHECK_THROWS_AS(Device(options), std::invalid_argument);
}

TEST_CASE("equal plain writes are a race as the specification says, or a notice; different ones a race") {
  const auto report_of = [](std::optional<SameValueWrites> policy, bool same) {
    DeviceOptions options = racing();
    options.same_value_writes = policy;
    Device device(options);
    dispatch(device, raise_flag, same);
    return device.race_report();
  };
  CHECK(report_of({}, true).races.size() == 1);
  CHECK(report_of(SameValueWrites::Race, true).races.size() == 1);
  const RaceReport notice = report_of(SameValueWrites::Notice, true);
  CHECK(notice.races.empty());
  REQUIRE(notice.notices.size() == 1);
  CHECK(notice.notices[0].same_value);
  CHECK(report_of(SameValueWrites::Notice, false).races.size() == 1);
}

TEST_CASE("one write that differs among many of the same value makes a race of them all") {
  DeviceOptions options = racing();
  options.same_value_writes = SameValueWrites::Notice;
  Device device(options);
  const auto all_but_one = [](auto& inv, StorageBuffer<std::uint32_t> auto flag) {
    flag[0] = inv.global_invocation_id().x == 5 ? 2u : 1u;
  };
  auto flag = device.buffer(std::vector<std::uint32_t>(1, 0), "flag");
  device.dispatch(all_but_one, 8, 1, flag);
  CHECK(device.race_report().notices.empty());
  CHECK(device.races().size() == 1);
}

TEST_CASE("advice names what one kernel did not need, and only if the device was asked for it") {
  DeviceOptions options = racing();
  options.race_advice = true;
  Device device(options);
  dispatch(device, count);
  const RaceReport report = device.race_report();
  CHECK(report.advised);
  CHECK(report.recorded == 1);
  CHECK(report.left_out == 0);
  REQUIRE(report.advice.size() == 1);
  CHECK(report.advice[0].enough == "Relaxed would do");
  Device silent(racing());
  dispatch(silent, count);
  CHECK_FALSE(silent.race_report().advised);
  CHECK(silent.race_report().advice.empty());
}

TEST_CASE("HEDDLE_RACES=0 is as if it were not set, and a word that it may not be is refused with those that it may") {
  DeviceOptions options;
  options.mode = Mode::Native;
  {
    const test::Variable off("HEDDLE_RACES", "0");
    CHECK_FALSE(*Device(options).options().races);
  }
  {
    const test::Variable on("HEDDLE_RACES", "1");
    CHECK(*Device(options).options().races);
  }
  const test::Variable wrong("HEDDLE_RACES", "2");
  CHECK_THROWS_WITH(Device(options), "HEDDLE_RACES is '2'; it may be 0, 1, text, colour, json, sarif, junit or github");
}

TEST_CASE("who asks for all cores and for an order of what they do is told what contradicts what") {
  setenv("HEDDLE_RACES_PARALLEL", "1", 1);
  for (const auto& [variable, value] : {std::pair("HEDDLE_TRACE", "/dev/null"), std::pair("HEDDLE_MEMORY", "random"),
                                        std::pair("HEDDLE_RACES_ADVISE", "1")}) {
    setenv(variable, value, 1);
    CHECK_THROWS_WITH(Device(racing()),
                      Catch::StartsWith(std::string("HEDDLE_RACES_PARALLEL=1 together with ") + variable));
    unsetenv(variable);
  }
  // What a program wants itself counts.
  DeviceOptions advised = racing();
  advised.race_advice = true;
  CHECK_FALSE(*Device(advised).options().races_parallel);
  unsetenv("HEDDLE_RACES_PARALLEL");
  DeviceOptions parallel = racing();
  parallel.races_parallel = true;
  CHECK_NOTHROW(Device(parallel));
  setenv("HEDDLE_TRACE", "/dev/null", 1);
  CHECK_THROWS_WITH(Device(parallel),
                    Catch::StartsWith("DeviceOptions::races_parallel together with a trace (or HEDDLE_TRACE)"));
  unsetenv("HEDDLE_TRACE");
}

TEST_CASE("advice knows what a plain write left to atomics, and is the same whether a trace is written or not") {
  // The second barrier decides who is the first to add.
  constexpr auto begin_plainly = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
    const bool begins = inv.local_invocation_index() == 1;
    if (!begins) sum.non_private()[0] = 5u;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
    if (begins) inv.atomic_i_increment(sum[0], Scope::Workgroup, MemorySemantics::Relaxed);
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kBufferBarrier);
    if (!begins) inv.atomic_i_increment(sum[0], Scope::Workgroup, MemorySemantics::Relaxed);
  };
  for (const char* memory : {"sequential", "random"}) {
    CAPTURE(memory);
    const auto report_of = [&](const std::string& trace) {
      DeviceOptions options = racing();
      options.race_advice = true;
      options.memory = memory_policy(memory);
      options.seed = 1;
      options.trace = trace;
      Device device(options);
      auto sum = device.buffer({0u}, "sum");
      device.dispatch(begin_plainly, 1, 2, sum);
      return device.race_report();
    };
    const TemporaryFile trace("");
    const RaceReport report = report_of("");
    CHECK(report.recorded == 1);
    for (const OrderingAdvice& advice : report.advice) CHECK(advice.enough != "no control barrier would do");
    CHECK(to_text(report, ReportFormat::Json) == to_text(report_of(trace.path()), ReportFormat::Json));
  }
}

TEST_CASE("a barrier that is missing between one line and several others is one finding") {
  constexpr auto shift = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
    auto tile = inv.template workgroup<std::uint32_t[8]>("tile");
    auto other = inv.template workgroup<std::uint32_t[8]>("other");
    const std::uint32_t me = inv.local_invocation_index();
    tile[me] = me;
    other[me] = me;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    const std::uint32_t right = tile[(me + 1) % 8];
    const std::uint32_t left = tile[(me + 7) % 8];
    const std::uint32_t too = other[(me + 1) % 8];
    tile[me] = left + right;
    other[me] = too;
    out[me] = left;
  };
  Device device(racing());
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0), "out");
  device.dispatch(shift, 1, 8, out);
  const std::vector<DataRace> races = device.races();
  REQUIRE(races.size() == 2);
  const DataRace& of_tile = races[races[0].object == "tile" ? 0 : 1];
  const DataRace& of_other = races[races[0].object == "tile" ? 1 : 0];
  CHECK(of_tile.object == "tile");
  CHECK(of_tile.related.size() == 1);
  CHECK(of_other.object == "other");
  CHECK(of_other.related.empty());
}

namespace {

/// So many lines of a kernel, each of which both invocations come to: they write one element by all of them, or one for
/// each line.
RaceReport of_many_lines(std::uint32_t lines, bool one_element) {
  Device device(racing());
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto data, std::uint32_t last, bool one) {
    for (std::uint32_t line = 0; line < last; ++line) {
      SourceLocation where = SourceLocation::current();
      where.line = 10000 + line;
      inv.store(data[one ? 0 : line], inv.local_invocation_index(), where);
    }
  };
  device.dispatch(kernel, 1, 2, device.buffer(std::vector<std::uint32_t>(lines, 0), "data"), lines, one_element);
  return device.race_report();
}

std::vector<DataRace> with_related(const RaceReport& report) {
  std::vector<DataRace> all;
  for (const DataRace& race : report.races) {
    all.push_back(race);
    all.insert(all.end(), race.related.begin(), race.related.end());
  }
  return all;
}

std::size_t without_changes(const std::vector<DataRace>& races) {
  return static_cast<std::size_t>(
      std::count_if(races.begin(), races.end(), [](const DataRace& race) { return race.changes.empty(); }));
}

bool has_remark(const RaceReport& report, const std::string& text) {
  return std::any_of(report.remarks.begin(), report.remarks.end(),
                     [&](const std::string& remark) { return remark.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("of very many lines that race changes are tried for the first ones, and the report says for how many not") {
  const RaceReport report = of_many_lines(1200, false);
  const std::vector<DataRace> all = with_related(report);
  REQUIRE(all.size() == 1200);
  const std::size_t untried = without_changes(all);
  CHECK(untried > 600);
  CHECK(untried < 1200);
  CHECK(has_remark(report, "for " + std::to_string(untried) + " of 1200 pairs of lines that race no change was tried"));
  CHECK_FALSE(report.races.front().changes.empty());
  // Equal runs have equal reports.
  CHECK(to_text(report, ReportFormat::Text) == to_text(of_many_lines(1200, false), ReportFormat::Text));
  const RaceReport few = of_many_lines(30, false);
  CHECK(without_changes(with_related(few)) == 0);
  CHECK(few.remarks.empty());
}

TEST_CASE("of very many pairs of lines that race each line is told, and each pair only if that is asked for") {
  constexpr std::uint32_t kLines = 60;  // and 1,830 pairs
  const RaceReport some = of_many_lines(kLines, true);
  const std::vector<DataRace> told = with_related(some);
  CHECK(told.size() > 500);
  CHECK(told.size() < 1000 + kLines);
  CHECK(has_remark(some, "so many pairs of lines race in one run that this report leaves some out"));
  std::set<std::uint32_t> lines;
  for (const DataRace& race : told) lines.insert({race.first.where.line, race.second.where.line});
  CHECK(lines.size() == kLines);
  setenv("HEDDLE_RACES_ALL", "1", 1);
  // Nothing is remembered, so that no changes are tried: they are not what is asked for here.
  setenv("HEDDLE_RACES_FROM", "4000000000", 1);
  const RaceReport whole = of_many_lines(kLines, true);
  unsetenv("HEDDLE_RACES_FROM");
  unsetenv("HEDDLE_RACES_ALL");
  CHECK(with_related(whole).size() == kLines * (kLines + 1) / 2);
  CHECK(whole.remarks.empty());
  const RaceReport few = of_many_lines(20, true);
  CHECK(with_related(few).size() == 210);
  CHECK_FALSE(has_remark(few, "leaves some out"));
}

TEST_CASE("an execution that is too long for advice is counted, and nothing is advised") {
  DeviceOptions options = racing();
  options.race_advice = true;
  Device device(options);
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
  device.dispatch(count, 1000, 1, sum);
  CHECK(device.race_report().recorded == 0);
  CHECK(device.race_report().left_out == 1);
  CHECK(device.race_report().advice.empty());
}

TEST_CASE("a seed in the environment that is none is refused, whatever is wrong with it") {
  for (const char* seed : {"1.5", "many", "-1", "99999999999999999999", "7 "}) {
    setenv("HEDDLE_SEED", seed, 1);
    CHECK_THROWS_WITH(Device(), Catch::Contains(std::string("HEDDLE_SEED is '") + seed + "'"));
  }
  for (const char* seed : {"0", "0x10", "18446744073709551615"}) {
    setenv("HEDDLE_SEED", seed, 1);
    CHECK_NOTHROW(Device());
  }
  unsetenv("HEDDLE_SEED");
}
