#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emulator/spirv/rules.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

/// What is said of semantics at a wide scope: nothing, "warning" or "error".
std::string said(SemanticsUse use, std::uint32_t word) {
  const auto broken = broken_rule(use, word, false);
  return !broken ? "" : broken->is_error ? "error" : "warning";
}

/// The lock of a program in which one mask stands for another.
std::string lock_with(const std::string& from, const std::string& to) {
  const std::string text = text_of("programs/cas.spvasm");
  std::string out = replaced(text, from, to);
  REQUIRE(out != text);
  return out;
}

}  // namespace

TEST_CASE("semantics of one order that their instruction may have are said nothing of") {
  CHECK(said(SemanticsUse::Load, 0x42).empty());
  CHECK(said(SemanticsUse::Load, 0x4042).empty());
  CHECK(said(SemanticsUse::Store, 0x2044).empty());
  CHECK(said(SemanticsUse::ReadModifyWrite, 0x6048).empty());
  CHECK(said(SemanticsUse::Unequal, 0x42).empty());
  CHECK(said(SemanticsUse::Barrier, 0x148).empty());
  CHECK(said(SemanticsUse::Barrier, 0).empty());
}

TEST_CASE("semantics that break a rule are errors where no one meaning is left") {
  CHECK(said(SemanticsUse::ReadModifyWrite, 0x46) == "error");
  CHECK(said(SemanticsUse::Load, 0x44) == "error");
  CHECK(said(SemanticsUse::Load, 0x48) == "error");
  CHECK(said(SemanticsUse::Unequal, 0x48) == "error");
  CHECK(said(SemanticsUse::Store, 0x42) == "error");
  CHECK(said(SemanticsUse::Store, 0x48) == "error");
  CHECK(said(SemanticsUse::ReadModifyWrite, 0x2042) == "error");
  CHECK(said(SemanticsUse::ReadModifyWrite, 0x4044) == "error");
  CHECK(said(SemanticsUse::Load, 0x2042) == "error");
  CHECK(said(SemanticsUse::Barrier, 0x8) == "error");
}

TEST_CASE("semantics that break a rule and have one meaning are warned of") {
  for (const SemanticsUse use : {SemanticsUse::Load, SemanticsUse::Store, SemanticsUse::ReadModifyWrite,
                                 SemanticsUse::Unequal, SemanticsUse::Barrier}) {
    CHECK(said(use, 0x50) == "warning");
    CHECK(said(use, 0x40) == "warning");
  }
  const auto alone = broken_rule(SemanticsUse::Load, 0x42, true);
  REQUIRE(alone);
  CHECK(alone->text == "an order at Invocation scope is none");
}

TEST_CASE("a module says once and with its line which of its semantics break a rule, and means what is left") {
  // The release of the lock becomes sequentially consistent.
  const Ran strong(lock_with("OpConstant %uint 68", "OpConstant %uint 80"));
  const std::vector<std::string>& warnings = strong.dispatch.warnings();
  CHECK(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
          return warning.find("SequentiallyConsistent, which Vulkan forbids, is read as Release") !=
                     std::string::npos &&
                 warning.compare(0, 5, "line ") == 0;
        }) == 1);
  CHECK_FALSE(strong.ask(true).racy);
  CHECK(strong.ask(true).holds);
  // It becomes an acquire, which a store cannot be.
  CHECK_THROWS_WITH(Ran(lock_with("OpConstant %uint 68", "OpConstant %uint 66")),
                    Catch::Contains("what only stores cannot have the semantics Acquire or AcquireRelease"));
}
