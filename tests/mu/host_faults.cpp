// What goes wrong with host threads beside their order: traps, objects that are gone.
#include <heddle/heddle.h>
#include <heddle/host_thread.h>

#include <catch2/catch.hpp>

#include "tests/divides_itself.h"

#include <memory>
#include <optional>
#include <string>

using namespace heddle;
using namespace heddle::threads;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Has an array of so many bytes, and touches it from the upper end on, if making it does not.
[[gnu::noinline]] std::uint32_t use_stack(std::size_t bytes) {
  auto* const array = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 1024) array[bytes - 1 - i] = 1;
  return static_cast<std::uint32_t>(array[bytes - 1]);
}
constexpr int kOverflowLine = __LINE__ - 4;

[[gnu::noinline, DIVIDES_ITSELF]] int divide(int by) {
  asm volatile("" : "+r"(by));
  int quotient = 7 / by;
  asm volatile("" : "+r"(quotient));
  return quotient;
}
constexpr int kDivisionLine = __LINE__ - 4;

std::string place(int line) {
  return "host_faults.cpp:" + std::to_string(line);
}

constexpr std::size_t kMuch = std::size_t{3} << 20;

/// The findings of one emulated run, as text.
template <typename Body>
std::string found_in(Body body, Options options = {}) {
  options.mode = Mode::Emulated;
  options.seed = 1;
  return to_string(run(body, options));
}

}  // namespace

TEST_CASE("a stack overflow of a host thread is a finding with its line in both modes, and the next run is none") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const bool in_body = GENERATE(false, true);
  const auto body = [in_body](std::size_t bytes) {
    return [in_body, bytes](auto host) {
      using M = decltype(host);
      if (in_body) use_stack(bytes);
      typename M::Thread other([in_body, bytes] {
        if (!in_body) use_stack(bytes);
      });
    };
  };
  for (int again = 0; again < 3; ++again) {
    const Report report = run(body(kMuch), {.mode = mode});
    REQUIRE(report.findings.size() == 1);
    const Finding& finding = report.findings.front();
    CHECK(finding.kind == FindingKind::StackOverflow);
    CHECK((has(to_string(report), place(kOverflowLine)) || has(to_string(report), place(kOverflowLine - 1))));
    if (mode == Mode::Emulated) {
      CHECK(finding.invocation.host_thread == (in_body ? 0u : 1u));
      CHECK(has(finding.message, "128 KiB of stack; raise threads::Options::stack_bytes"));
      CHECK_FALSE(finding.replay.empty());
    }
    CHECK(run(body(1024), {.mode = mode}).ok());
  }
  if (mode == Mode::Emulated) CHECK(run(body(kMuch), {.mode = mode, .stack_bytes = 4 * kMuch}).ok());
}

TEST_CASE(
    "a division by zero of a host thread is a finding with its line in both modes where there is a trap, one by one "
    "none") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const auto body = [](int by) {
    return [by](auto host) {
      using M = decltype(host);
      typename M::Thread other([by] { divide(by); });
    };
  };
  const Report report = run(body(0), {.mode = mode});
#ifdef HEDDLE_TEST_NO_DIVISION_TRAPS
  CHECK(report.ok());
#else
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().kind == FindingKind::DivisionByZero);
  CHECK(has(to_string(report), place(kDivisionLine)));
#endif
  CHECK(run(body(1), {.mode = mode}).ok());
}

TEST_CASE("a kernel that a host thread dispatches itself keeps its stack overflow, and the host thread goes on") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  bool went_on = false;
  const auto body = [&](auto host) {
    using M = decltype(host);
    typename M::Thread other([&] {
      Device device{Mode::Native};
      auto out = device.buffer<std::uint32_t>(4, "out");
      const auto kernel = [](auto& inv, auto results) { results[inv.local_invocation_index()] = use_stack(kMuch); };
      CHECK_THROWS_AS(device.dispatch(kernel, {1}, {4}, out), KernelError);
      went_on = true;
    });
  };
  CHECK(run(body, {.mode = mode}).ok());
  CHECK(went_on);
}

TEST_CASE("a thread that uses an object behind its destruction is a finding with its line, one before that is none") {
  const bool joins = GENERATE(true, false);
  const int kind = GENERATE(0, 1, 2);
  const int line = __LINE__ + 13;
  const std::string found = found_in([&](auto host) {
    using M = decltype(host);
    std::optional<typename M::template Plain<int>> plain;
    std::optional<typename M::template Atomic<std::uint32_t>> atomic;
    plain.emplace(0, "plain");
    atomic.emplace(0, "atomic");
    auto* const at_plain = &*plain;
    auto* const at_atomic = &*atomic;
    typename M::template Atomic<int> gone{0, "gone"};
    typename M::Thread other([&, at_plain, at_atomic] {
      while (!joins && gone.load(acquire) == 0) {
      }
      if (kind == 0) at_plain->write(1);
      if (kind == 1) at_atomic->store(1, relaxed);
      if (kind == 2) M::futex_wake(*at_atomic, 1);
    });
    if (joins) other.join();
    plain.reset();
    atomic.reset();
    gone.store(1, release);
  });
  if (joins) {
    CHECK(found == "");
    return;
  }
  CHECK(has(found, "use after free: thread 1 "));
  CHECK(has(found, kind == 0   ? "writes 'plain', which thread 0 had destroyed"
                   : kind == 1 ? "writes 'atomic', which thread 0 had destroyed"
                               : "wakes those that wait on 'atomic', which thread 0 had destroyed"));
  CHECK(has(found, place(line + kind)));
}

TEST_CASE("what an earlier run made is refused with the line of its use, whatever it is, and its end does no harm") {
  using M = Emulated;
  const int kind = GENERATE(0, 1, 2, 3);
  const bool later = GENERATE(true, false);
  std::unique_ptr<M::Atomic<int>> atomic;
  std::unique_ptr<M::Plain<int>> plain;
  std::unique_ptr<M::Thread> thread;
  std::unique_ptr<M::Stack> stack;
  const auto make = [&] {
    atomic = std::make_unique<M::Atomic<int>>(0, "atomic");
    plain = std::make_unique<M::Plain<int>>(0, "plain");
    thread = std::make_unique<M::Thread>([] {});
    stack = std::make_unique<M::Stack>([] {});
  };
  const int line = __LINE__ + 2;
  const auto use = [&] {
    if (kind == 0) atomic->store(1, relaxed);
    if (kind == 1) plain->write(1);
    if (kind == 2) thread->join();
    if (kind == 3) M::swap_stack_and_kill(*stack);
  };
  const std::string first = found_in([&](auto) {
    make();
    if (!later) use();
  });
  CHECK(first == "");
  if (!later) return;
  const std::string found = found_in([&](auto) { use(); });
  CHECK(has(found, "invalid argument: "));
  CHECK(has(found, " of another run is used"));
  CHECK(has(found, place(line + kind)));
}
