// Traps of the processor inside a kernel become findings; the device survives them.

#include "tests/device_under_test.h"
#include "tests/divides_itself.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <thread>

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

// Not optimized into a loop: each call has a frame.
[[gnu::noinline]] std::uint32_t recurse(std::uint32_t depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  if (depth == 0) return static_cast<std::uint32_t>(frame[0]);
  return recurse(depth - 1) + static_cast<std::uint32_t>(frame[0] != 0);
}

const auto kRecurse = [](auto& inv, auto out, std::uint32_t deep_one, std::uint32_t depth) {
  const auto i = inv.local_invocation_index();
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  out[inv.global_invocation_id().x] = recurse(i == deep_one ? depth : 1);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
};

constexpr std::uint32_t kEndless = 1u << 24;

}  // namespace

TEST_CASE("a stack overflow is a finding that names the invocation, and the device stays usable") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer<std::uint32_t>(32);
  for (int again = 0; again < 3; ++again) {
    const Finding finding = finding_of([&] { device.dispatch(kRecurse, {2}, {16}, out, 5u, kEndless); });
    CHECK(finding.kind == FindingKind::StackOverflow);
    CHECK(finding.invocation.exact);
    CHECK(finding.invocation.local == uvec3{5, 0, 0});
    CHECK(contains(finding.message, "KiB of stack"));
    CHECK(contains(finding.message, "stack_bytes"));
    CHECK_NOTHROW(device.dispatch(kRecurse, {2}, {16}, out, 5u, 10u));
  }
}

namespace {

/// Has an array of `bytes`, and touches its lowest end first.
template <std::size_t bytes>
[[gnu::noinline]] std::uint32_t large_frame(std::uint32_t value) {
  volatile std::uint32_t frame[bytes / sizeof(std::uint32_t)];
  // All of it is there, as far as compilers know.
  asm volatile("" : : "r"(frame) : "memory");
  frame[0] = value;
  return frame[0];
}

template <std::size_t bytes>
void check_large_frame(Mode mode) {
  Device device(options_for(mode));
  auto out = device.buffer<std::uint32_t>(32);
  const auto kernel = [](auto& inv, auto results) {
    const auto i = inv.local_invocation_index();
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    results[inv.global_invocation_id().x] = i == 5 ? large_frame<bytes>(i) : large_frame<64>(i);
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  };
  for (int again = 0; again < 2; ++again) {
    const Finding finding = finding_of([&] { device.dispatch(kernel, {2}, {16}, out); });
    CHECK(finding.kind == FindingKind::StackOverflow);
    CHECK(finding.invocation.local == uvec3{5, 0, 0});
    CHECK(contains(finding.message, std::to_string(device.options().stack_bytes / 1024) +
                                        " KiB of stack; raise DeviceOptions::stack_bytes"));
  }
}

constexpr std::size_t kMiB = std::size_t{1} << 20;

}  // namespace

TEST_CASE("an array that is larger than stack and guard together is a stack overflow as well, however large") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  check_large_frame<kMiB / 2>(mode);
  check_large_frame<16 * kMiB>(mode);
  check_large_frame<1024 * kMiB>(mode);
}

TEST_CASE("an array that is larger than the thread's own stack is a finding as well") {
  Device device(options_for(Mode::Native));
  auto out = device.buffer<std::uint32_t>(4);
  const auto kernel = [](auto& inv, auto results) {
    results[inv.global_invocation_id().x] = large_frame<1024 * kMiB>(1);
  };
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {4}, out); });
  CHECK(finding.kind == FindingKind::StackOverflow);
  CHECK(contains(finding.message, "KiB of its thread's stack"));
}

TEST_CASE("an overflow of a plain call, on the thread's own stack, is a finding as well") {
  Device device(options_for(Mode::Native));
  auto out = device.buffer<std::uint32_t>(4);
  const auto kernel = [](auto& inv, auto results, std::uint32_t depth) {
    results[inv.global_invocation_id().x] = recurse(depth);
  };
  const Finding finding = finding_of([&] { device.dispatch(kernel, {1}, {4}, out, kEndless); });
  CHECK(finding.kind == FindingKind::StackOverflow);
  CHECK_FALSE(finding.invocation.exact);
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {4}, out, 10u));
}

namespace {

/// On a device of its own: heddle's handler comes first from then on, and knows of the one that was there.
void dispatch_natively() {
  Device device(options_for(Mode::Native));
  auto out = device.buffer<std::uint32_t>(4);
  device.dispatch([](auto& inv, auto o) { o[inv.global_invocation_id().x] = 1u; }, {1}, {4}, out);
}

/// A page that faults, and what deals with that: a program's own handler.
struct OwnFaults {
  static constexpr std::size_t kPageBytes = 4096;
  static inline char* page = nullptr;
  static inline int count = 0;
  static inline sigjmp_buf away;
  static inline struct sigaction before;

  explicit OwnFaults(void (*handler)(int, siginfo_t*, void*)) {
    count = 0;
    page = static_cast<char*>(mmap(nullptr, kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
    dispatch_natively();
  }
  ~OwnFaults() {
    munmap(page, kPageBytes);
    sigaction(SIGSEGV, &before, nullptr);
  }
  static void fault() {
    mprotect(page, kPageBytes, PROT_NONE);
    *static_cast<volatile char*>(page) = 1;
  }
  static bool is_here(const siginfo_t* info) {
    if (info->si_addr == page) return ++count != 0;
    ::signal(SIGSEGV, SIG_DFL);
    return false;
  }
  static void mend(int, siginfo_t* info, void*) {
    if (is_here(info)) mprotect(page, kPageBytes, PROT_READ | PROT_WRITE);
  }
  static void jump(int, siginfo_t* info, void*) {
    if (is_here(info)) siglongjmp(away, 1);
  }
  static void hand_back(int signal, siginfo_t* info, void* context) { before.sa_sigaction(signal, info, context); }
};

}  // namespace

TEST_CASE("a program's own handler is given its faults, however many there are") {
  constexpr int kFaults = 100;
  SECTION("if it mends them") {
    OwnFaults own(&OwnFaults::mend);
    for (int i = 0; i < kFaults; ++i) OwnFaults::fault();
    CHECK(OwnFaults::count == kFaults);
  }
  SECTION("if it jumps away") {
    OwnFaults own(&OwnFaults::jump);
    while (OwnFaults::count < kFaults)
      if (sigsetjmp(OwnFaults::away, 1) == 0) OwnFaults::fault();
    CHECK(OwnFaults::count == kFaults);
  }
}

TEST_CASE("a program whose handler hands its fault back to heddle's dies of it") {
  // Sanitizers have something to say to a program that dies.
  if (HEDDLE_TEST_SANITIZED) return;
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    // Heddle's handler is there, and then this one, which knows it.
    dispatch_natively();
    const OwnFaults own(&OwnFaults::hand_back);
    OwnFaults::fault();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}

// UndefinedBehaviorSanitizer reports these itself, before the processor traps; AArch64 has no such traps.
#ifndef HEDDLE_TEST_NO_DIVISION_TRAPS

namespace {
const auto kDivide = [](auto& inv, StorageBuffer<const std::int32_t> auto a, StorageBuffer<const std::int32_t> auto b,
                        StorageBuffer<std::int32_t> auto out, std::uint32_t wait) {
  const auto i = inv.global_invocation_id().x;
  if (wait) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  const std::int32_t x = a[i];
  const std::int32_t y = b[i];
  out[i] = x / y;
};
// In the line before the last.
constexpr std::uint32_t kDivisionLine = __LINE__ - 3;
}  // namespace

TEST_CASE("a division by zero is a finding; by one it is not") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto a = device.buffer(std::vector<std::int32_t>(8, 6));
  auto b = device.buffer(std::vector<std::int32_t>(8, 1));
  auto out = device.buffer(std::vector<std::int32_t>(8, 0));
  CHECK_NOTHROW(device.dispatch(kDivide, {1}, {8}, a, b, out, 1u));
  b.map()[3] = 0;
  const Finding finding = finding_of([&] { device.dispatch(kDivide, {1}, {8}, a, b, out, 1u); });
  CHECK(finding.kind == FindingKind::DivisionByZero);
  CHECK(contains(finding.where.file, "traps.cpp"));
  CHECK(finding.where.line == kDivisionLine);
  CHECK(finding.invocation.exact);
  CHECK(finding.invocation.local == uvec3{3, 0, 0});
  b.map()[3] = 2;
  CHECK_NOTHROW(device.dispatch(kDivide, {1}, {8}, a, b, out, 1u));
  CHECK(out.read()[3] == 3);
}

TEST_CASE("a division of the least integer by -1 is a finding; of the next one it is not") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  auto a = device.buffer({1, 1, 1, kLeast + 1});
  auto b = device.buffer({1, 1, 1, -1});
  auto out = device.buffer(std::vector<std::int32_t>(4, 0));
  CHECK_NOTHROW(device.dispatch(kDivide, {1}, {4}, a, b, out, 1u));
  CHECK(out.read()[3] == std::numeric_limits<std::int32_t>::max());
  a.map()[3] = kLeast;
  const Finding finding = finding_of([&] { device.dispatch(kDivide, {1}, {4}, a, b, out, 1u); });
  CHECK(finding.kind == FindingKind::DivisionByZero);
}

TEST_CASE("a division by zero in a native plain call names the workgroup, and says that it knows no more") {
  Device device(options_for(Mode::Native));
  std::vector<std::int32_t> divisors(16, 1);
  divisors[13] = 0;
  auto a = device.buffer(std::vector<std::int32_t>(16, 6));
  auto b = device.buffer(divisors);
  auto out = device.buffer(std::vector<std::int32_t>(16, 0));
  for (int again = 0; again < 3; ++again) {
    const Finding finding = finding_of([&] { device.dispatch(kDivide, {4}, {4}, a, b, out, 0u); });
    CHECK(finding.kind == FindingKind::DivisionByZero);
    CHECK_FALSE(finding.invocation.exact);
    CHECK(finding.invocation.workgroup == uvec3{3, 0, 0});
    CHECK(contains(to_string(finding), "an invocation of workgroup (3,0,0)"));
  }
}

TEST_CASE("many divisions by zero at once end in one finding") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto a = device.buffer(std::vector<std::int32_t>(256, 6));
  auto b = device.buffer(std::vector<std::int32_t>(256, 0));
  auto out = device.buffer(std::vector<std::int32_t>(256, 0));
  for (const std::uint32_t wait : {0u, 1u}) {
    const Finding finding = finding_of([&] { device.dispatch(kDivide, {16}, {16}, a, b, out, wait); });
    CHECK(finding.kind == FindingKind::DivisionByZero);
  }
}

namespace {

volatile sig_atomic_t handled = 0;

/// A handler of the program's own for SIGFPE while it lives, in front of all others.
class OwnHandler {
 public:
  OwnHandler() {
    handled = 0;
    struct sigaction own {};
    own.sa_handler = [](int) { handled = handled + 1; };
    sigemptyset(&own.sa_mask);
    sigaction(SIGFPE, &own, &before_);
  }
  ~OwnHandler() { sigaction(SIGFPE, &before_, nullptr); }
  OwnHandler(const OwnHandler&) = delete;
  OwnHandler& operator=(const OwnHandler&) = delete;

 private:
  struct sigaction before_ {};
};

Finding divide_by_zero(Device& device) {
  auto a = device.buffer({6});
  auto b = device.buffer({0});
  auto out = device.buffer({0});
  return finding_of([&] { device.dispatch(kDivide, {1}, {1}, a, b, out, 0u); });
}

}  // namespace

TEST_CASE("the traps of kernels are not the program's own handler's, other signals are") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device earlier(options_for(mode));
  divide_by_zero(earlier);
  const OwnHandler own;
  SECTION("at once in dispatches of a device that is made after it") {
    Device later(options_for(mode));
    CHECK(divide_by_zero(later).kind == FindingKind::DivisionByZero);
  }
  SECTION("a while later in those of older devices") {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(divide_by_zero(earlier).kind == FindingKind::DivisionByZero);
  }
  CHECK(handled == 0);
  raise(SIGFPE);
  CHECK(handled == 1);
}

#endif
