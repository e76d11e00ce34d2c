// Where Mu, C11 and Vulkan differ: the rows of the table in emulator/mu/DIFFERENCES.md, in its order. Mu is checked,
// and Vulkan where its litmus format can say it; what C11 does is said above each test.

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/mu/litmus_text.h"

using namespace heddle::litmus;

namespace {

struct VulkanVerdict {
  bool holds = false;  ///< whether some execution ends as asked
  bool racy = false;
};

/// Rows of instructions of a Vulkan test over d, x and y; each thread is a workgroup of its own.
VulkanVerdict vulkan(const std::string& rows, const std::string& condition, const std::string& variables = "") {
  const auto columns = 1 + std::count(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows.find(';')), '|');
  std::string source = "Vulkan test\n{ d=0; x=0; y=0; " + variables + "}\n";
  for (std::ptrdiff_t i = 0; i < columns; ++i) {
    const std::string number = std::to_string(i);
    source += (i == 0 ? " P" : " | P") + number + "@sg 0, wg " + number + ", qf 0";
  }
  source += " ;\n" + rows + "exists (" + condition + ")\n";
  const VulkanParse parse = parse_vulkan(source);
  if (!parse.test) throw std::invalid_argument(describe("test", parse.errors.front()) + "\n" + source);
  const Answer found = answer(*parse.test, {});
  return {found.holds, found.racy};
}

/// A plain store, then a flag; the reader of `seen` in the flag loads what was stored.
std::string message(const std::string& flag_stores, int seen, const std::string& order = "ACQUIRE") {
  return "P0 (int* d, atomic_int* x) { *d = 1; " + flag_stores + " }\n" +
         "P1 (int* d, atomic_int* x) { int r0 = atomic_load_explicit(x, " + order + "); int r1 = -1;" +
         " if (r0 == " + std::to_string(seen) + ") { r1 = *d; } }\n";
}
std::string store(const std::string& x, int value, const std::string& order) {
  return "atomic_store_explicit(" + x + ", " + std::to_string(value) + ", " + order + "); ";
}
std::string load(int reg, const std::string& x, const std::string& order) {
  return "int r" + std::to_string(reg) + " = atomic_load_explicit(" + x + ", " + order + "); ";
}
std::string thread(int number, const std::string& body) {
  return "P" + std::to_string(number) + " (atomic_int* x, atomic_int* y) { " + body + "}\n";
}

/// Vulkan's message passing, with all that makes the reader see the message.
const std::string kVulkanMessage = R"(
 st.nonpriv.sc0 d, 1                  | ld.atom.acq.dv.sc0.semsc0.semvis r0, x ;
 st.atom.rel.dv.sc0.semsc0.semav x, 1 | bne r0, 1, LC00                        ;
                                      | ld.nonpriv.sc0 r1, d                   ;
                                      | LC00:                                  ;
)";
const std::string kVulkanStale = "P1:r0 == 1 /\\ P1:r1 == 0";

}  // namespace

// C11 leaves the operands of `+` unsequenced: both orders are there.
TEST_CASE("the left operand is loaded before the right one, as two Vulkan instructions are") {
  const std::string operands =
      thread(0, "int r0 = atomic_load_explicit(x, RELAXED) * 10 + atomic_load_explicit(x, RELAXED); ") +
      thread(1, store("x", 1, "RELAXED"));
  CHECK(!allows(operands, "0:r0=10"));
  CHECK(allows(operands, "0:r0=1"));
  const std::string rows = R"(
 ld.atom.dv.sc0 r0, x | st.atom.dv.sc0 x, 1 ;
 ld.atom.dv.sc0 r1, x |                     ;
)";
  CHECK(!vulkan(rows, "P0:r0 == 1 /\\ P0:r1 == 0").holds);
  CHECK(vulkan(rows, "P0:r0 == 0 /\\ P0:r1 == 1").holds);
}

// In C11 `*x` of an atomic object is a SEQ_CST operation, and an atomic operation on a plain object does not compile.
TEST_CASE("the name of an operation makes it atomic, not a type, and a location has one kind of operations") {
  const std::string plain = "P0 (atomic_int* x) { *x = 1; } P1 (atomic_int* x) { int r0 = *x; }";
  CHECK(undefined(plain, "C") == "race");
  CHECK(undefined(with(plain, "*x = 1", "atomic_store(x, 1)"), "C") == "mixed");
  CHECK(undefined(with(with(plain, "*x = 1", "atomic_store(x, 1)"), "*x;", "atomic_load(x);"), "C") == "");
  // In Vulkan it races only where nothing orders it.
  const std::string ordered = "P0 (int* x) { *x = 1; int r0 = atomic_load(x); }";
  CHECK(undefined(ordered, "C") == "mixed");
  CHECK(!vulkan(" st.sc0 x, 1 ;\n ld.atom.dv.sc0 r0, x ;\n", "P0:r0 == 0").racy);
  CHECK(vulkan(" st.sc0 x, 1 | ld.atom.dv.sc0 r0, x ;\n", "P1:r0 == 0").racy);
}

// In C11 a plain and an atomic access race, too.
TEST_CASE("only plain accesses of different threads race, and Vulkan's narrow atomics and references race as well") {
  const std::string atomics = thread(0, store("x", 1, "RELAXED")) + thread(1, load(0, "x", "RELAXED"));
  CHECK(undefined(atomics, "C") == "");
  CHECK(undefined(with(atomics, "atomic_store_explicit(x, 1, RELAXED)", "*x = 1"), "C") == "mixed");
  const std::string rows = " st.atom.dv.sc0 x, 1 | ld.atom.dv.sc0 r0, x ;\n";
  CHECK(!vulkan(rows, "P1:r0 == 1").racy);
  CHECK(vulkan(with(rows, "ld.atom.dv", "ld.atom.wg"), "P1:r0 == 1").racy);
  // One thread, two ways to one location.
  const std::string references = "P0 (int* x) { int q = x; *x = 1; int r0 = *q; }";
  CHECK(undefined(references, "C") == "");
  CHECK(!allows(references, "0:r0=0"));
  CHECK(vulkan(" st.sc0 x, 1 ;\n ld.sc0 r0, z ;\n", "P0:r0 == 0", "z aliases x; ").racy);
  CHECK(!vulkan(" st.sc0 x, 1 ;\n ld.sc0 r0, x ;\n", "P0:r0 == 0", "z aliases x; ").racy);
}

// C11 of 2011 as Mu; since C++20 read-modify-writes alone, as in Vulkan.
TEST_CASE("a later store of the same thread continues a release sequence, and in Vulkan it does not") {
  const std::string own = message(store("x", 1, "RELEASE") + store("x", 2, "RELAXED"), 2);
  CHECK(undefined(own, "C") == "");
  CHECK(!allows(own, "1:r0=2 /\\ 1:r1=0"));
  CHECK(undefined(own + "P2 (atomic_int* x) { " + store("x", 3, "RELAXED") + "}", "C") == "race");
  const std::string rows = R"(
 st.nonpriv.sc0 d, 1                  | ld.atom.acq.dv.sc0.semsc0.semvis r0, x ;
 st.atom.rel.dv.sc0.semsc0.semav x, 1 | bne r0, 2, LC00                        ;
 st.atom.dv.sc0 x, 2                  | ld.nonpriv.sc0 r1, d                   ;
                                      | LC00:                                  ;
)";
  CHECK(vulkan(rows, "P1:r0 == 2 /\\ P1:r1 == 0").holds);
  CHECK(vulkan(rows, "P1:r0 == 2").racy);
  const std::string update = with(rows, "st.atom.dv.sc0 x, 2", "rmw.atom.dv.sc0 r0, x, 2");
  CHECK(!vulkan(update, "P1:r0 == 2 /\\ P1:r1 == 0").holds);
  CHECK(!vulkan(update, "P1:r0 == 2").racy);
}

// C11 as Mu.
TEST_CASE("happens-before ends behind a CONSUME load, and in Vulkan where the next step has not its storage class") {
  const std::string passed = message(store("x", 1, "RELEASE"), 1);
  CHECK(undefined(passed, "C") == "");
  CHECK(undefined(with(passed, "ACQUIRE", "CONSUME"), "C") == "race");
  CHECK(undefined(with(with(passed, "ACQUIRE", "CONSUME"), "r1 = *d", "r1 = *(d + (r0 - r0))"), "C") == "");
  const auto relay = [](const std::string& mask) {
    return R"(
 st.av.dv.sc0 d, 1              | ld.atom.acq.dv.sc0.semsc0 r0, x | ld.atom.acq.dv.sc1.)" +
           mask + R"( r0, y ;
 st.atom.rel.dv.sc0.semsc0 x, 1 | bne r0, 1, LC00                 | bne r0, 1, LC00 ;
                                | st.atom.rel.dv.sc1.)" +
           mask + R"( y, 1 | ld.vis.dv.sc0 r1, d ;
                                | LC00:                           | LC00: ;
)";
  };
  const std::string stale = "P2:r0 == 1 /\\ P2:r1 == 0";
  CHECK(!vulkan(relay("semsc0.semsc1"), stale).racy);
  CHECK(!vulkan(relay("semsc0.semsc1"), stale).holds);
  CHECK(vulkan(relay("semsc1"), stale).racy);
  CHECK(vulkan(relay("semsc1"), stale).holds);
}

// C11 as Mu in 2011; C++20 dropped that S agrees with all of happens-before.
TEST_CASE("SEQ_CST operations are in one order that agrees with happens-before, and nothing of Vulkan's is") {
  const std::string agrees = thread(0, store("x", 1, "SEQ_CST")) +
                             thread(1, load(1, "x", "ACQUIRE") + load(2, "y", "SEQ_CST")) +
                             thread(2, store("y", 1, "SEQ_CST") + load(3, "x", "SEQ_CST"));
  CHECK(!allows(agrees, "1:r1=1 /\\ 1:r2=0 /\\ 2:r3=0"));
  CHECK(allows(with(agrees, "ACQUIRE", "RELAXED"), "1:r1=1 /\\ 1:r2=0 /\\ 2:r3=0"));
  const std::string buffers = thread(0, store("x", 1, "SEQ_CST") + load(0, "y", "SEQ_CST")) +
                              thread(1, store("y", 1, "SEQ_CST") + load(0, "x", "SEQ_CST"));
  CHECK(!allows(buffers, "0:r0=0 /\\ 1:r0=0"));
  // The strongest that Vulkan has.
  const std::string rows = R"(
 st.atom.rel.dv.sc0.semsc0.semav x, 1          | st.atom.rel.dv.sc0.semsc0.semav y, 1          ;
 membar.acq_rel.dv.semsc0.semav.semvis         | membar.acq_rel.dv.semsc0.semav.semvis         ;
 ld.atom.acq.dv.sc0.semsc0.semvis r0, y        | ld.atom.acq.dv.sc0.semsc0.semvis r0, x        ;
)";
  CHECK(vulkan(rows, "P0:r0 == 0 /\\ P1:r0 == 0").holds);
  // It does order a message: with the second thread's flag set by the first one.
  const std::string passed =
      with(with(rows, "ld.atom.acq.dv.sc0.semsc0.semvis r0, y ", "st.atom.rel.dv.sc0.semsc0.semav y, 1   "),
           "| st.atom.rel.dv.sc0.semsc0.semav y, 1 ", "| ld.atom.acq.dv.sc0.semsc0.semvis r1, y ");
  CHECK(!vulkan(passed, "P1:r1 == 1 /\\ P1:r0 == 0").holds);
  CHECK(vulkan(passed, "P1:r1 == 0 /\\ P1:r0 == 0").holds);
}

// C11 as Mu in 2011; C++20 forbids it.
TEST_CASE("a SEQ_CST load may see a relaxed store that precedes the last SEQ_CST store, and no SEQ_CST one") {
  const auto older = [](const std::string& order) {
    return thread(0, store("x", 1, order)) + thread(1, load(1, "x", "RELAXED") + load(2, "x", "RELAXED")) +
           thread(2, store("x", 2, "SEQ_CST") + load(3, "y", "SEQ_CST")) +
           thread(3, store("y", 1, "SEQ_CST") + load(4, "x", "SEQ_CST"));
  };
  CHECK(allows(older("RELAXED"), "1:r1=1 /\\ 1:r2=2 /\\ 2:r3=0 /\\ 3:r4=1"));
  CHECK(!allows(older("SEQ_CST"), "1:r1=1 /\\ 1:r2=2 /\\ 2:r3=0 /\\ 3:r4=1"));
}

// In C11 a dependency goes through memory only if the load sees the store that carries it. Vulkan has no dependencies.
TEST_CASE("a dependency goes through memory even if the load sees the store of another thread") {
  const std::string through = R"(
P0 (atomic_int* d, atomic_int* x) {
  atomic_store_explicit(d, 1, RELAXED);
  atomic_store_explicit(x, 1, RELEASE);
}
P1 (atomic_int* d, atomic_int* x, atomic_int* t) {
  int r0 = atomic_load_explicit(x, CONSUME);
  atomic_store_explicit(t, r0, RELAXED);
  int r2 = atomic_load_explicit(t, RELAXED);
  int r1 = atomic_load_explicit(d + (r2 - r2), RELAXED);
}
P2 (atomic_int* t) { atomic_store_explicit(t, 5, RELAXED); }
)";
  CHECK(!allows(through, "1:r0=1 /\\ 1:r2=5 /\\ 1:r1=0"));
  CHECK(allows(through, "1:r0=1 /\\ 1:r2=5 /\\ 1:r1=1"));
  CHECK(allows(with(through, "t, r0,", "t, 1,"), "1:r0=1 /\\ 1:r2=5 /\\ 1:r1=0"));
}

// C11 of 2011 wants a failure order that is not stronger. Vulkan's format has no compare-and-swap.
TEST_CASE("a failure order that is stronger than the success order is accepted, and a failure synchronizes by it") {
  const std::string exchange = R"(
P0 (int* d, atomic_int* x) { *d = 1; atomic_store_explicit(x, 2, RELEASE); }
P1 (int* d, atomic_int* x) {
  int e = 0;
  int r0 = atomic_compare_exchange_strong_explicit(x, &e, 9, RELAXED, ACQUIRE);
  int r1 = -1;
  if (e == 2) { r1 = *d; }
})";
  CHECK(undefined(exchange, "C") == "");
  CHECK(allows(exchange, "1:e=2 /\\ 1:r1=1"));
  CHECK(undefined(with(exchange, "RELAXED, ACQUIRE", "ACQUIRE, RELAXED"), "C") == "race");
}

// C11 as Mu; C++ orders the stores since 2014.
TEST_CASE("SEQ_CST fences do not order stores in modification order, SEQ_CST stores are in order without them") {
  const auto stores = [](const std::string& order, const std::string& between) {
    return thread(0, store("x", 1, order) + between + store("y", 1, order)) +
           thread(1, store("y", 2, order) + between + store("x", 2, order));
  };
  CHECK(allows(stores("RELAXED", "atomic_thread_fence(SEQ_CST); "), "x=1 /\\ y=2"));
  CHECK(!allows(stores("SEQ_CST", ""), "x=1 /\\ y=2"));
  const std::string rows = R"(
 st.atom.dv.sc0 x, 1                   | st.atom.dv.sc0 y, 2                   ;
 membar.acq_rel.dv.semsc0.semav.semvis | membar.acq_rel.dv.semsc0.semav.semvis ;
 st.atom.dv.sc0 y, 1                   | st.atom.dv.sc0 x, 2                   ;
)";
  CHECK(vulkan(rows, "x == 1 /\\ y == 2").holds);
}

// C11 as Mu.
TEST_CASE("a store that happens before a load is seen, and in Vulkan it must be available, visible and not private") {
  const std::string passed = message(store("x", 1, "RELEASE"), 1);
  CHECK(undefined(passed, "C") == "");
  CHECK(!allows(passed, "1:r0=1 /\\ 1:r1=0"));
  CHECK(!vulkan(kVulkanMessage, kVulkanStale).racy);
  CHECK(!vulkan(kVulkanMessage, kVulkanStale).holds);
  const std::pair<const char*, const char*> changes[] = {
      {".semav", ""},       {".semvis", ""},      {"st.nonpriv", "st"},
      {"ld.nonpriv", "ld"}, {"rel.dv", "rel.wg"}, {"rel.dv.sc0.semsc0", "rel.dv.sc0.semsc1"}};
  for (const auto& [from, to] : changes) {
    INFO(from);
    CHECK(vulkan(with(kVulkanMessage, from, to), kVulkanStale).racy);
    CHECK(vulkan(with(kVulkanMessage, from, to), kVulkanStale).holds);
  }
}

// C11 as Mu.
TEST_CASE("a plain load that races sees a visible store alone, and in Vulkan also the store that it races with") {
  const std::string race = "P0 (int* x) { *x = 1; } P1 (int* x) { int r0 = *x; }";
  CHECK(undefined(race, "C") == "race");
  CHECK(!allows(race, "1:r0=1"));
  CHECK(allows(race, "1:r0=0"));
  const std::string rows = " st.nonpriv.sc0 x, 1 | ld.nonpriv.sc0 r0, x ;\n";
  CHECK(vulkan(rows, "P1:r0 == 1").racy);
  CHECK(vulkan(rows, "P1:r0 == 1").holds);
  CHECK(vulkan(rows, "P1:r0 == 0").holds);
}

// C11 discourages values out of thin air and does not define them.
TEST_CASE("two values that hold each other up through branches are listed, and in Vulkan they are not") {
  const std::string branches =
      thread(0, load(0, "x", "RELAXED") + "if (r0 == 1) { " + store("y", 1, "RELAXED") + "} ") +
      thread(1, load(0, "y", "RELAXED") + "if (r0 == 1) { " + store("x", 1, "RELAXED") + "} ");
  CHECK(allows(branches, "0:r0=1 /\\ 1:r0=1"));
  CHECK(!allows(with(with(branches, "y, 1,", "y, r0,"), "x, 1,", "x, r0,"), "0:r0=1 /\\ 1:r0=1"));
  const std::string rows = R"(
 ld.atom.dv.sc0 r0, x | ld.atom.dv.sc0 r0, y ;
 bne r0, 1, LC00      | bne r0, 1, LC00      ;
 st.atom.dv.sc0 y, 1  | st.atom.dv.sc0 x, 1  ;
 LC00:                | LC00:                ;
)";
  CHECK(!vulkan(rows, "P0:r0 == 1 /\\ P1:r0 == 1").holds);
  CHECK(vulkan(with(rows, "| bne r0, 1, LC00", "|"), "P0:r0 == 1 /\\ P1:r0 == 1").holds);
}

TEST_CASE("futexes, stacks and versions of functions are read in Mu files, and in no other") {
  const auto file = [](const std::string& format, const std::string& statement) {
    return format + " t\n{}\nP0 (int* x) {\n" + statement + "\n}";
  };
  for (const std::string statement : {"int r0 = futex_wait(x, 0);", "int r0 = futex_wake(x, 1);", "bind(s);",
                                      "swap_stack(s);", "trap { }", "define(x, 1);", "int r0 = call(x);"}) {
    INFO(statement);
    CHECK(error_of(file("Mu", statement)) == "");
    CHECK(error_of(file("C", statement)).find("needs a file that begins with `Mu`") != std::string::npos);
  }
}
