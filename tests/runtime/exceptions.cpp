// What a kernel throws reaches the caller; the other invocations are unwound.

#include "tests/device_under_test.h"

#include <atomic>
#include <stdexcept>

using namespace heddle;
using heddle::test::contains;
using heddle::test::options_for;

namespace {

struct OutOfThread : std::runtime_error {
  explicit OutOfThread(std::uint32_t spool_) : std::runtime_error("out of thread"), spool(spool_) {}
  std::uint32_t spool;
};

/// Counts those that exist.
struct Counted {
  explicit Counted(std::atomic<int>& c) : count(&c) { ++*count; }
  ~Counted() { --*count; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  std::atomic<int>* count;
};

enum class When : std::uint32_t { BeforeBarrier, BetweenBarriers, AfterBarriers };

struct Plan {
  When when;
  std::uint32_t thrower;
  std::atomic<int>* alive;
  std::atomic<int>* made;
};

const auto kThrows = [](auto& inv, Plan plan) {
  const Counted here(*plan.alive);
  ++*plan.made;
  const auto i = inv.global_invocation_id().x;
  const auto throw_if = [&](When now) {
    if (plan.when == now && (i == plan.thrower || plan.thrower == ~0u)) throw OutOfThread(i);
  };
  throw_if(When::BeforeBarrier);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  throw_if(When::BetweenBarriers);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  throw_if(When::AfterBarriers);
};

}  // namespace

TEST_CASE("an exception reaches the caller with coordinates and the original inside, the others are unwound") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const When when = GENERATE(When::BeforeBarrier, When::BetweenBarriers, When::AfterBarriers);
  Device device(options_for(mode));
  std::atomic<int> alive{0};
  std::atomic<int> made{0};
  bool caught = false;
  try {
    device.dispatch(kThrows, {3}, {16}, Plan{when, 21, &alive, &made});
  } catch (const KernelError& error) {
    caught = true;
    const Finding& finding = error.finding();
    CHECK(finding.kind == FindingKind::Exception);
    CHECK(finding.invocation.exact);
    CHECK(finding.invocation.global == uvec3{21, 0, 0});
    CHECK(finding.invocation.workgroup == uvec3{1, 0, 0});
    CHECK(finding.invocation.local == uvec3{5, 0, 0});
    CHECK(contains(finding.message, "out of thread"));
    CHECK(contains(error.what(), "global (21,0,0)"));
    std::uint32_t spool = 0;
    try {
      std::rethrow_if_nested(error);
    } catch (const OutOfThread& original) {
      spool = original.spool;
    }
    CHECK(spool == 21);
  }
  CHECK(caught);
  CHECK(made > 0);
  CHECK(alive == 0);

  made = 0;
  CHECK_NOTHROW(device.dispatch(kThrows, {3}, {16}, Plan{when, 48, &alive, &made}));
  CHECK(made == 48);
  CHECK(alive == 0);
}

TEST_CASE("when every invocation throws, one exception arrives") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const When when = GENERATE(When::BeforeBarrier, When::BetweenBarriers, When::AfterBarriers);
  Device device(options_for(mode));
  std::atomic<int> alive{0};
  std::atomic<int> made{0};
  for (int again = 0; again < 5; ++again) {
    CHECK_THROWS_AS(device.dispatch(kThrows, {8}, {32}, Plan{when, ~0u, &alive, &made}), KernelError);
    CHECK(alive == 0);
  }
  CHECK_NOTHROW(device.dispatch(kThrows, {8}, {32}, Plan{when, 256, &alive, &made}));
}

TEST_CASE("a thrown value that is no std::exception arrives as well") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const auto kernel = [](auto& inv) {
    if (inv.local_invocation_index() == 2) throw 42;
  };
  int value = 0;
  try {
    device.dispatch(kernel, {1}, {4});
  } catch (const KernelError& error) {
    CHECK(contains(error.what(), "no std::exception"));
    try {
      std::rethrow_if_nested(error);
    } catch (int v) {
      value = v;
    }
  }
  CHECK(value == 42);
}

TEST_CASE("a finding that is no exception of the kernel has nothing nested") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  const auto kernel = [](auto& inv) { inv.require(inv.local_invocation_index() != 2); };
  bool caught = false;
  try {
    device.dispatch(kernel, {1}, {4});
  } catch (const KernelError& error) {
    caught = true;
    CHECK(error.finding().kind == FindingKind::RequirementFailed);
    CHECK_NOTHROW(std::rethrow_if_nested(error));
  }
  CHECK(caught);
  // Nor where the caller is in the middle of handling something else.
  try {
    throw 1;
  } catch (int) {
    try {
      device.dispatch(kernel, {1}, {4});
    } catch (const KernelError& error) {
      CHECK_NOTHROW(std::rethrow_if_nested(error));
    }
  }
}

TEST_CASE("a handler may wait at a barrier: each invocation keeps its own exception") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  Device device(options_for(mode, seed));
  auto out = device.buffer(std::vector<std::uint32_t>(64, 0));
  const auto kernel = [](auto& inv, auto results) {
    const auto i = inv.local_invocation_index();
    std::uint32_t good = 0;
    try {
      throw OutOfThread(i);
    } catch (const OutOfThread& first) {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      if (first.spool == i) ++good;
      try {
        throw;
      } catch (const OutOfThread& second) {
        inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
        if (second.spool == i) ++good;
        if (inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u) == 32) ++good;
        if (std::uncaught_exceptions() == 0) ++good;
      }
    }
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    results[i] = good;
  };
  REQUIRE_NOTHROW(device.dispatch(kernel, {1}, {64}, out));
  CHECK(out.read() == std::vector<std::uint32_t>(64, 4));
  CHECK(std::uncaught_exceptions() == 0);
  CHECK((std::current_exception() == nullptr));
}

TEST_CASE("some invocations may wait in a handler while the others wait outside one") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer(std::vector<std::uint32_t>(64, 0));
  const auto kernel = [](auto& inv, auto results) {
    const auto i = inv.local_invocation_index();
    const auto wait = [&] {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    };
    bool handled = false;
    if (i % 3 == 0) {
      try {
        throw OutOfThread(i);
      } catch (const OutOfThread& e) {
        wait();
        handled = e.spool == i && std::current_exception() != nullptr;
      }
    } else {
      wait();
      handled = std::current_exception() == nullptr;
    }
    results[i] = std::uint32_t{handled};
  };
  REQUIRE_NOTHROW(device.dispatch(kernel, {1}, {64}, out));
  CHECK(out.read() == std::vector<std::uint32_t>(64, 1));
}

TEST_CASE(
    "a kernel's handlers for std::exception let the unwinding of others pass; even catch-all ones do not stop it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const bool catch_all = GENERATE(false, true);
  Device device(options_for(mode));
  std::atomic<int> passed{0};
  const auto kernel = [](auto& inv, std::atomic<int>* counter, std::uint32_t all) {
    if (inv.local_invocation_index() == 7) throw OutOfThread(7);
    const auto wait = [&] {
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      ++*counter;
    };
    if (all) {
      try {
        wait();
      } catch (...) {
      }
      wait();
    } else {
      try {
        wait();
      } catch (const std::exception&) {
        ++*counter;
      }
    }
  };
  CHECK_THROWS_AS(device.dispatch(kernel, {1}, {16}, &passed, std::uint32_t{catch_all}), KernelError);
  CHECK(passed == 0);
}

TEST_CASE("an exception in one workgroup ends the spin loops of the others") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.no_progress_time = std::chrono::milliseconds(5000);
  options.no_progress_rounds = 1u << 20;
  options.workers = 2;
  Device device(options);
  auto never = device.buffer({0u}, "never");
  const auto kernel = [](auto& inv, auto flag) {
    if (inv.workgroup_id().x == 1) throw OutOfThread(1);
    while (inv.atomic_load(flag[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
  };
  const Finding finding = test::finding_of([&] { device.dispatch(kernel, {2}, {4}, never); });
  CHECK(finding.kind == FindingKind::Exception);
  CHECK(finding.invocation.workgroup == uvec3{1, 0, 0});
}

TEST_CASE("a kernel that starts a dispatch on its own thread is told that it may not") {
  Device device(options_for(GENERATE(Mode::Native, Mode::Emulated)));
  const auto inner = [](auto&) {};
  const auto outer = [&](auto&) { device.dispatch(inner, {1}, {1}); };
  const Finding finding = test::finding_of([&] { device.dispatch(outer, {1}, {1}); });
  CHECK(finding.kind == FindingKind::Exception);
  CHECK(contains(finding.message, "dispatch"));
  CHECK_NOTHROW(device.dispatch(inner, {1}, {1}));
}
