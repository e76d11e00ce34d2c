#include <catch2/catch.hpp>

#include "tests/mu/litmus_text.h"

using namespace heddle::litmus;

namespace {

/// `Rn(x)`, `Wn(x,v)` of order RELAXED are too long to write out each time.
std::string store(const std::string& x, int value, const std::string& order = "RELAXED") {
  return "atomic_store_explicit(" + x + ", " + std::to_string(value) + ", " + order + "); ";
}
std::string load(int reg, const std::string& x, const std::string& order = "RELAXED") {
  return "int r" + std::to_string(reg) + " = atomic_load_explicit(" + x + ", " + order + "); ";
}
std::string fence(const std::string& order = "SEQ_CST") {
  return "atomic_thread_fence(" + order + "); ";
}
std::string thread(int number, const std::string& body) {
  return "P" + std::to_string(number) + " (int* x, int* y) { " + body + "}\n";
}

}  // namespace

//= mu:program-order type=test
//= mu:client-operations type=test
TEST_CASE("evaluations of a thread are in one order, operands from left to right, traps included") {
  const std::string writer = thread(1, store("x", 1));
  const std::string operands = "int r0 = atomic_load_explicit(x, RELAXED) * 10 + atomic_load_explicit(x, RELAXED); ";
  CHECK(!mu_allows(thread(0, operands) + writer, "0:r0=10"));
  CHECK(mu_allows(thread(0, operands) + writer, "0:r0=1"));
  const std::string trap = thread(0, "trap { " + store("x", 1) + "} " + store("y", 1, "RELEASE")) +
                           thread(1, load(0, "y", "ACQUIRE") + load(1, "x"));
  CHECK(!mu_allows(trap, "1:r0=1 /\\ 1:r1=0"));
  CHECK(mu_allows(with(trap, "RELEASE", "RELAXED"), "1:r0=1 /\\ 1:r1=0"));
}

//= mu:modification-order type=test
TEST_CASE("modification order agrees with happens-before") {
  CHECK(!mu_allows(thread(0, store("x", 1) + store("x", 2)), "x=1"));
  CHECK(mu_allows(thread(0, store("x", 1)) + thread(1, store("x", 2)), "x=1"));
}

//= mu:visible-store type=test
//= mu:visible-sequence type=test
TEST_CASE("a load sees neither what is hidden nor what it happens before") {
  CHECK(!mu_allows(thread(0, store("x", 1) + load(0, "x")), "0:r0=0"));
  CHECK(!mu_allows(thread(0, load(0, "x") + store("x", 1)), "0:r0=1"));
  CHECK(mu_allows(thread(0, load(0, "x")) + thread(1, store("x", 1)), "0:r0=1"));
}

//= mu:non-atomic-load type=test
//= mu:data-race type=test
TEST_CASE("a plain load sees a visible store, and unordered plain accesses race") {
  const std::string test = "P0 (int* x) { *x = 1; } P1 (int* x) { int r0 = *x; }";
  CHECK(!mu_allows(test, "1:r0=1"));
  CHECK(undefined(test) == "race");
  CHECK(undefined(with(test, "*x = 1;", "int r0 = *x;")) == "");
}

//= mu:mixed-accesses type=test
TEST_CASE("a plain and an atomic access to one location are undefined behaviour, ordered or not") {
  CHECK(undefined("P0 (int* x) { *x = 1; int r0 = atomic_load_explicit(x, ACQUIRE); }") == "mixed");
  CHECK(undefined("P0 (int* x) { *x = 1; int r0 = *x; }") == "");
}

//= mu:read-read-coherence type=test
TEST_CASE("of two loads of one location the later sees no earlier store") {
  const std::string readers = thread(0, store("x", 1)) + thread(1, load(0, "x") + load(1, "x"));
  CHECK(!mu_allows(readers, "1:r0=1 /\\ 1:r1=0"));
  CHECK(mu_allows(with(readers, "int r1 = atomic_load_explicit(x", "int r1 = atomic_load_explicit(y"),
                  "1:r0=1 /\\ 1:r1=0"));
}

//= mu:seq-cst-order type=test
//= mu:seq-cst-load type=test
TEST_CASE("SEQ_CST forbids store buffering, acquire and release do not") {
  const std::string test = thread(0, store("x", 1, "SEQ_CST") + load(0, "y", "SEQ_CST")) +
                           thread(1, store("y", 1, "SEQ_CST") + load(0, "x", "SEQ_CST"));
  CHECK(!mu_allows(test, "0:r0=0 /\\ 1:r0=0"));
  CHECK(mu_allows(with(test, "y, SEQ_CST", "y, ACQUIRE"), "0:r0=0 /\\ 1:r0=0"));
  // A store that is not SEQ_CST may be seen although the last SEQ_CST store precedes it in S.
  const std::string older = thread(0, store("x", 1)) + thread(1, load(1, "x") + load(2, "x")) +
                            thread(2, store("x", 2, "SEQ_CST") + load(3, "y", "SEQ_CST")) +
                            thread(3, store("y", 1, "SEQ_CST") + load(4, "x", "SEQ_CST"));
  CHECK(mu_allows(older, "1:r1=1 /\\ 1:r2=2 /\\ 2:r3=0 /\\ 3:r4=1"));
  CHECK(!mu_allows(with(older, "x, 1, RELAXED", "x, 1, SEQ_CST"), "1:r1=1 /\\ 1:r2=2 /\\ 2:r3=0 /\\ 3:r4=1"));
}

//= mu:seq-cst-fences type=test
TEST_CASE("two SEQ_CST fences forbid store buffering, one does not") {
  const std::string test =
      thread(0, store("x", 1) + fence() + load(0, "y")) + thread(1, store("y", 1) + fence() + load(0, "x"));
  CHECK(!mu_allows(test, "0:r0=0 /\\ 1:r0=0"));
  CHECK(mu_allows(with(test, "fence(SEQ_CST)", "fence(ACQ_REL)"), "0:r0=0 /\\ 1:r0=0"));
}

//= mu:seq-cst-fence-before-load type=test
TEST_CASE("a load behind a SEQ_CST fence sees the last SEQ_CST store that precedes the fence in S") {
  const std::string test = thread(0, store("x", 1, "SEQ_CST") + load(0, "y", "SEQ_CST")) +
                           thread(1, store("y", 1, "SEQ_CST") + fence() + load(0, "x"));
  CHECK(!mu_allows(test, "0:r0=0 /\\ 1:r0=0"));
  CHECK(mu_allows(with(test, "fence(SEQ_CST)", "fence(ACQ_REL)"), "0:r0=0 /\\ 1:r0=0"));
}

//= mu:seq-cst-fence-before-operation type=test
TEST_CASE("a SEQ_CST load that follows a fence in S sees what was stored before the fence") {
  const std::string test = thread(0, store("x", 1) + fence() + load(0, "y", "SEQ_CST")) +
                           thread(1, store("y", 1, "SEQ_CST") + load(0, "x", "SEQ_CST"));
  CHECK(!mu_allows(test, "0:r0=0 /\\ 1:r0=0"));
  CHECK(mu_allows(with(test, "fence(SEQ_CST)", "fence(ACQ_REL)"), "0:r0=0 /\\ 1:r0=0"));
}

//= mu:read-modify-write type=test
TEST_CASE("two read-modify-writes do not see one store, a failed compare-exchange is no read-modify-write") {
  const std::string add = "int r0 = atomic_fetch_add_explicit(x, 1, RELAXED); ";
  CHECK(!mu_allows(thread(0, add) + thread(1, add), "0:r0=0 /\\ 1:r0=0"));
  CHECK(mu_allows(thread(0, add) + thread(1, "int r0 = cmpxchg(x, 7, 9, RELAXED, RELAXED); "), "0:r0=0 /\\ 1:r0=0"));
}

//= mu:stack-operations type=test
//= mu:unordered-stack-operations type=test
TEST_CASE("operations on one stack that nothing orders are undefined behaviour") {
  const std::string handover = R"(
P0 (int* x) { bind(s); swap_stack(t); atomic_store_explicit(x, 1, RELEASE); }
P1 (int* x) { int r0 = atomic_load_explicit(x, ACQUIRE); if (r0 == 1) { swap_stack(s); } })";
  CHECK(undefined(handover) == "");
  CHECK(undefined(with(handover, "RELEASE", "RELAXED")) == "stack");
  CHECK(undefined(with(handover, "swap_stack(s)", "swap_stack(t)")) == "");
  CHECK(undefined(with(with(handover, "swap_stack(s)", "swap_stack(t)"), "RELEASE", "RELAXED")) == "stack");
}

//= mu:function-redefinition type=test
TEST_CASE("functions of one bundle are redefined in one order, and a call may see an old version") {
  const std::string bundles = "P0 (int* f, int* g) { define(f, 1, g, 1); } P1 (int* f, int* g) { define(g, 2, f, 2); }";
  CHECK(!mu_allows(bundles, "f=1 /\\ g=2"));
  CHECK(mu_allows(with(bundles, "f, 1, g, 1", "f, 1); define(g, 1"), "f=2 /\\ g=1"));
  CHECK(
      mu_allows("P0 (int* f, int* g) { atomic_store_explicit(f, 1, RELAXED); atomic_store_explicit(g, 1, RELAXED); }"
                "P1 (int* f, int* g) { atomic_store_explicit(g, 2, RELAXED); atomic_store_explicit(f, 2, RELAXED); }",
                "f=1 /\\ g=2"));
  const std::string stale =
      "P0 (int* f, int* x) { define(f, 1); atomic_store_explicit(x, 1, RELEASE); }"
      "P1 (int* f, int* x) { int r0 = atomic_load_explicit(x, ACQUIRE); int r1 = call(f); }";
  CHECK(!mu_allows(stale, "1:r0=1 /\\ 1:r1=0"));
  CHECK(mu_allows(with(stale, "RELEASE", "RELAXED"), "1:r0=1 /\\ 1:r1=0"));
}
