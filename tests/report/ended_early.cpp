// What a report says of runs: how many there were, and which did not come to their end.

#include <catch2/catch.hpp>

#include <string>

#include "emulator/report/collector.h"
#include "emulator/report/records.h"

using namespace heddle;
using namespace heddle::report;

namespace {

RaceReport of_one_that(FailedDispatch::How how) {
  Collector collector;
  if (how == FailedDispatch::How::CutShort)
    collector.add(1, FailedDispatch{how, 0, "whose time was up", ""});
  else
    collector.add(1, FailedDispatch{how, 0, "exception at sum.cpp:16", "the kernel threw"});
  Suppressions none;
  return collector.report(none);
}

}  // namespace

TEST_CASE("of searches each of which tells of several runs, those that have a race are added up") {
  DataRace race;
  race.object = "sum";
  race.count = 432;
  Collector collector;
  collector.add(1, 1);
  collector.add(1, race);
  race.count = 86400;
  race.runs = 200;
  collector.add(2, 300);
  collector.add(2, race);
  Suppressions none;
  const RaceReport report = collector.report(none);
  REQUIRE(report.races.size() == 1);
  CHECK(report.races[0].count == 86832);
  CHECK(report.races[0].runs == 201);
  CHECK(report.runs == 301);
}

TEST_CASE("of a kernel that threw a report says that it ended early, and counts its run") {
  const RaceReport report = of_one_that(FailedDispatch::How::EndedEarly);
  CHECK(report.ended_early == 1);
  REQUIRE(report.remarks.size() == 1);
  CHECK_THAT(report.remarks[0], Catch::StartsWith("a kernel ended early (exception at sum.cpp:16"));
}

TEST_CASE("of a run that heddle itself cut short a report says so, and blames no kernel") {
  const RaceReport report = of_one_that(FailedDispatch::How::CutShort);
  CHECK(report.ended_early == 0);
  REQUIRE(report.remarks.size() == 1);
  CHECK_THAT(report.remarks[0], Catch::StartsWith("heddle cut a run short, whose time was up: "));
  CHECK_THAT(report.remarks[0], !Catch::Contains("kernel") && !Catch::Contains("exception"));
}

TEST_CASE("the record of a kernel that a signal cut off names its last operation, whatever bytes the file has") {
  Unfinished unfinished;
  unfinished.run = 5;
  unfinished.dispatch = 3;
  unfinished.where = {"gr\xf6\xdf\"e\n.cpp", "", 16};
  unfinished.invocation.global = {70, 0, 0};
  unfinished.invocation.workgroup = {1, 0, 0};
  unfinished.invocation.local = {6, 0, 0};
  unfinished.invocation.lane = 6;
  Collector collector;
  read_records(std::string(record_in_place(unfinished).text()), collector);
  Suppressions none;
  const RaceReport report = collector.report(none);
  CHECK(report.runs == 1);
  CHECK(report.ended_early == 1);
  REQUIRE(report.remarks.size() == 1);
  CHECK_THAT(report.remarks[0],
             Catch::StartsWith("a kernel had not ended when the program did: the last operation was "
                               "at gr\\xf6\\xdf\"e\\x0a.cpp:16, by global (70,0,0), workgroup (1,0,0), local "
                               "(6,0,0), subgroup 0 lane 6, dispatch 3;"));
}

TEST_CASE("where the last operation of a kernel that was cut off is not known, its dispatch is told") {
  Unfinished unfinished;
  unfinished.dispatch = 18446744073709551615u;
  Collector collector;
  read_records(std::string(record_in_place(unfinished).text()), collector);
  Suppressions none;
  const RaceReport report = collector.report(none);
  REQUIRE(report.remarks.size() == 1);
  CHECK_THAT(report.remarks[0], Catch::Contains("dispatch 18446744073709551615"));
}
