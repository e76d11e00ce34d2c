// Findings in code that exceptions cannot leave.

#include <heddle/heddle.h>

#include <catch2/catch.hpp>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <vector>

#include "tests/check/death.h"

using namespace heddle;

#ifdef __SANITIZE_ADDRESS__
// No destructor runs on a stack that is given up, and nothing releases the exception that was on its way.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:tests/kernel/unwinding.cpp\n";
}  // NOLINT
#endif

namespace {

using u32 = std::uint32_t;

/// The finding of a dispatch of two workgroups with 32 invocations each; nothing if there is none.
template <typename Kernel>
std::optional<Finding> finding_of(Device& device, const Kernel& kernel) {
  try {
    device.dispatch(kernel, 2, 32);
  } catch (const KernelError& error) {
    return error.finding();
  }
  return std::nullopt;
}

template <typename Invocation>
bool is_last(const Invocation& inv) {
  return inv.global_invocation_id().x == 63;
}

/// A finding of the last invocation, if `fails`.
template <typename Invocation>
void require_in_noexcept(Invocation& inv, bool fails) noexcept {
  inv.require(!fails || !is_last(inv), "noexcept");
}

template <typename Invocation>
struct RequiresInTheEnd {
  Invocation& inv;
  bool fails;
  ~RequiresInTheEnd() { inv.require(!fails || !is_last(inv), "destructor"); }
};

void check_says(const std::optional<Finding>& finding, const std::string& what) {
  REQUIRE(finding);
  CHECK(finding->kind == FindingKind::RequirementFailed);
  CHECK_THAT(finding->message, Catch::Contains(what));
  CHECK(finding->invocation.global.x == 63);
}

}  // namespace

TEST_CASE("a finding in a function that is noexcept is one like any other, and the device goes on") {
  for (const Mode mode : {Mode::Native, Mode::Emulated})
    for (const bool waits : {false, true}) {
      CAPTURE(mode == Mode::Native, waits);
      Device device(mode);
      const auto run = [&](bool fails) {
        return finding_of(device, [&](auto& inv) {
          if (waits) inv.workgroup_barrier();
          require_in_noexcept(inv, fails);
          if (waits) inv.workgroup_barrier();
        });
      };
      for (int round = 0; round < 3; ++round) {
        check_says(run(true), "noexcept");
        CHECK_FALSE(run(false));
      }
    }
}

TEST_CASE("a finding in a destructor is one like any other, and does not hide one that runs the destructor") {
  for (const Mode mode : {Mode::Native, Mode::Emulated})
    for (const bool waits : {false, true}) {
      CAPTURE(mode == Mode::Native, waits);
      Device device(mode);
      const auto run = [&](bool fails_before, bool fails_in_the_end) {
        return finding_of(device, [&](auto& inv) {
          const RequiresInTheEnd<std::remove_reference_t<decltype(inv)>> in_the_end{inv, fails_in_the_end};
          if (waits) inv.workgroup_barrier();
          inv.require(!fails_before || !is_last(inv), "before");
        });
      };
      check_says(run(false, true), "destructor");
      check_says(run(true, true), "before");
      check_says(run(true, false), "before");
      CHECK_FALSE(run(false, false));
    }
}

TEST_CASE("an invocation that waits in a function that is noexcept does not keep another one's finding back") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    CAPTURE(mode == Mode::Native);
    Device device(mode);
    check_says(finding_of(device,
                          [](auto& inv) {
                            const auto wait = [&]() noexcept { inv.workgroup_barrier(); };
                            wait();
                            inv.require(!is_last(inv), "others wait");
                            wait();
                          }),
               "others wait");
  }
}

TEST_CASE("std::terminate has the handler that it had, after a finding in a function that is noexcept") {
  const std::terminate_handler own = [] { std::_Exit(9); };
  const std::terminate_handler before = std::set_terminate(own);
  Device device(Mode::Emulated);
  CHECK(finding_of(device, [](auto& inv) { require_in_noexcept(inv, true); }));
  CHECK(std::get_terminate() == own);
  std::set_terminate(before);
}

TEST_CASE("std::terminate that a kernel calls ends the program, and one that a finding leads to does not") {
  const auto terminate_by = [](bool finding) {
    return test::death_of([&] {
      std::set_terminate([] { std::_Exit(9); });
      Device device(Mode::Emulated);
      finding_of(device, [&](auto& inv) {
        require_in_noexcept(inv, finding);
        if (is_last(inv)) std::terminate();
      });
    });
  };
  CHECK(terminate_by(true).exit_code == 0);
  CHECK(terminate_by(false).exit_code == 9);
}

TEST_CASE("what a kernel that ends the process had found is told before, and nothing where it had found nothing") {
  const auto end_with = [](bool fails, bool at_once) {
    return test::death_of([&] {
      // A program with a handler of its own, as the one of these tests, is the one that says what happens.
      ::signal(SIGABRT, SIG_DFL);
      Device device(Mode::Emulated);
      finding_of(device, [&](auto& inv) {
        const auto end = [&] {
          if (at_once) _exit(9);
          std::abort();
        };
        try {
          inv.require(!fails || !is_last(inv), "something");
        } catch (...) {
          end();
        }
        if (is_last(inv)) end();
      });
    });
  };
  for (const bool at_once : {false, true}) {
    const test::Death found = end_with(true, at_once);
    INFO(found.text);
    CHECK(found.exit_code == (at_once ? 9 : -1));
    CHECK(found.says("requirement failed: something"));
    CHECK(found.says("again: HEDDLE_MODE=emulated"));
    const test::Death silent = end_with(false, at_once);
    CHECK(silent.exit_code == (at_once ? 9 : -1));
    CHECK(silent.text.empty());
  }
}
