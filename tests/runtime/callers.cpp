// Findings in helpers of a kernel: reports name the lines that call the helper, too.

#include "tests/device_under_test.h"
#include "tests/divides_itself.h"

#include <vector>

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;
using heddle::test::place;

namespace {

using u32 = std::uint32_t;

u32 g_call, g_outer_call;

/// How an invocation comes to what is wrong: what `wrong` does stands in the kernel itself, or in helpers of it.
enum class Through { Nothing, Helper, TwoHelpers };

std::vector<u32> lines(const Finding& finding) {
  std::vector<u32> all;
  for (const SourceLocation& call : finding.calls) {
    CHECK(contains(call.file, "callers.cpp"));
    all.push_back(call.line);
  }
  return all;
}

/// Three invocations of four wait at a barrier.
template <Through through>
constexpr auto diverges = [](auto& inv) {
  const auto meet = [&] { inv.workgroup_barrier(); };
  const auto meet_again = [&] {
    g_call = __LINE__ + 1;
    meet();
  };
  if (inv.local_invocation_index() == 2) return;
  if constexpr (through == Through::Nothing) {
    inv.workgroup_barrier();
  } else if constexpr (through == Through::Helper) {
    g_call = __LINE__ + 1;
    meet();
  } else {
    g_outer_call = __LINE__ + 1;
    meet_again();
  }
};

template <Through through>
constexpr auto requires_less_than_3 = [](auto& inv) {
  const u32 me = inv.local_invocation_index();
  const auto check = [&] { inv.require(me < 3); };
  if constexpr (through == Through::Nothing) {
    inv.require(me < 3);
  } else {
    g_call = __LINE__ + 1;
    check();
  }
};

template <Through through>
constexpr auto divides = [](auto& inv, StorageBuffer<const u32> auto by, StorageBuffer<u32> auto out) {
  const u32 i = inv.global_invocation_id().x;
  const auto divide = [&] { out[i] = 6 / u32(by[i]); };
  if constexpr (through == Through::Nothing) {
    out[i] = 6 / u32(by[i]);
  } else {
    divide();
  }
};
// Compilers write a variable behind a division before it.
constexpr u32 kDivideCall = __LINE__ - 4;

template <Through through>
Finding division(Mode mode) {
  Device device(options_for(mode));
  auto by = device.buffer(std::vector<u32>{1, 0, 1, 1});
  auto out = device.buffer(std::vector<u32>(4, 0));
  return finding_of([&] { device.dispatch(divides<through>, {1}, {4}, by, out); });
}

/// Polls what nothing writes.
template <Through through>
constexpr auto polls = [](auto& inv, StorageBuffer<u32> auto flag) {
  const auto wait = [&] {
    while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
  };
  if constexpr (through == Through::Nothing) {
    while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
  } else {
    g_call = __LINE__ + 1;
    wait();
  }
};

template <Through through>
Finding standstill(Mode mode) {
  DeviceOptions options = options_for(mode);
  options.no_progress_rounds = 100;
  Device device(options);
  auto flag = device.buffer(std::vector<u32>(1, 0));
  return finding_of([&] { device.dispatch(polls<through>, {1}, {4}, flag); });
}

}  // namespace

TEST_CASE("a barrier in a helper that not all come to is reported with the calls, one in the kernel with none") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const Finding direct = finding_of([&] { device.dispatch(diverges<Through::Nothing>, {1}, {4}); });
  CHECK(direct.kind == FindingKind::BarrierDivergence);
  CHECK(lines(direct) == std::vector<u32>{});
  const Finding called = finding_of([&] { device.dispatch(diverges<Through::Helper>, {1}, {4}); });
  CHECK(called.kind == FindingKind::BarrierDivergence);
  CHECK(lines(called) == std::vector{g_call});
  CHECK(contains(to_string(called), "called at "));
  CHECK(contains(to_string(called), place(g_call) + "\n"));
  const Finding twice = finding_of([&] { device.dispatch(diverges<Through::TwoHelpers>, {1}, {4}); });
  CHECK(lines(twice) == std::vector{g_call, g_outer_call});
}

TEST_CASE("a requirement in a helper that fails is reported with the call, one in the kernel with none") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const Finding direct = finding_of([&] { device.dispatch(requires_less_than_3<Through::Nothing>, {1}, {4}); });
  CHECK(direct.kind == FindingKind::RequirementFailed);
  CHECK(lines(direct) == std::vector<u32>{});
  const Finding called = finding_of([&] { device.dispatch(requires_less_than_3<Through::Helper>, {1}, {4}); });
  CHECK(called.kind == FindingKind::RequirementFailed);
  CHECK(lines(called) == std::vector{g_call});
}

TEST_CASE("a poll in a helper that waits in vain is reported with the call, one in the kernel with none") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const Finding direct = standstill<Through::Nothing>(mode);
  CHECK(direct.kind == FindingKind::NoProgress);
  CHECK(lines(direct) == std::vector<u32>{});
  const Finding called = standstill<Through::Helper>(mode);
  CHECK(called.kind == FindingKind::NoProgress);
  CHECK(lines(called) == std::vector{g_call});
}

// UndefinedBehaviorSanitizer reports these itself, before the processor traps; AArch64 has no such traps.
#ifndef HEDDLE_TEST_NO_DIVISION_TRAPS
TEST_CASE("a division by zero in a helper is reported with the call, one in the kernel with none") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const Finding direct = division<Through::Nothing>(mode);
  CHECK(direct.kind == FindingKind::DivisionByZero);
  CHECK(lines(direct) == std::vector<u32>{});
  const Finding called = division<Through::Helper>(mode);
  CHECK(called.kind == FindingKind::DivisionByZero);
  CHECK(lines(called) == std::vector{kDivideCall});
}
#endif
