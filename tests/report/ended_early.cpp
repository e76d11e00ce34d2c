// What a report says of runs that did not come to their end.

#include <catch2/catch.hpp>

#include <string>

#include "emulator/report/collector.h"

using namespace heddle;
using namespace heddle::report;

namespace {

RaceReport of_one_that(FailedDispatch::How how) {
  Collector collector;
  collector.add(1, FailedDispatch{how, 0, "exception at sum.cpp:16", "the kernel threw"});
  Suppressions none;
  return collector.report(none);
}

}  // namespace

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
  CHECK_THAT(report.remarks[0], Catch::StartsWith("heddle cut a run short"));
  CHECK_THAT(report.remarks[0], !Catch::Contains("kernel") && !Catch::Contains("exception"));
}
