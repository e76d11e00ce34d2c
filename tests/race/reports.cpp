#include <catch2/catch.hpp>

#include <heddle/report.h>

using namespace heddle;

namespace {

DataRace example() {
  DataRace race;
  race.first.operation = "write";
  race.first.where = {"kernel <a>.cpp", "k", 3};
  race.second.operation = "atomic read (Device, Acquire)";
  race.second.where = {"kernel <a>.cpp", "k", 9};
  race.object = "data";
  race.index = 4;
  race.count = 12;
  race.reason = "it is \"never\" made visible";
  race.changes = {"add MakeVisible in line 9"};
  return race;
}

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a race in words names both lines, the element, the reason and the change") {
  const std::string text = to_string(example());
  for (const char* part : {"data[4]", "12 times", ":3", ":9", "never", "add MakeVisible"})
    CHECK(has_text(text, part));
  CHECK_FALSE(has_text(text, "\x1b["));
  CHECK(has_text(to_string(example(), true), "\x1b["));
}

TEST_CASE("races as JSON are one object a line") {
  const std::string text = to_text({example(), example()}, ReportFormat::Json);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(has_text(text, "\"count\":12"));
  CHECK(has_text(text, "\\\"never\\\""));
}

TEST_CASE("races as SARIF, JUnit and annotations carry the line of the later access") {
  CHECK(has_text(to_text({example()}, ReportFormat::Sarif), "\"startLine\": 9"));
  const std::string junit = to_text({example()}, ReportFormat::JUnit);
  CHECK(has_text(junit, "line=\"9\""));
  CHECK(has_text(junit, "kernel &lt;a&gt;.cpp"));
  CHECK(has_text(to_text({example()}, ReportFormat::GitHub), "::error file=kernel <a>.cpp,line=9"));
}
