#include <catch2/catch.hpp>

#include "tests/mu/litmus_text.h"

using namespace heddle::litmus;

namespace {

// d is stored, then a flag; who sees the flag loads d. Atomic, so that a stale value is no race.
const std::string kMessage = R"(
P0 (atomic_int* d, atomic_int* x) {
  atomic_store_explicit(d, 1, RELAXED);
  atomic_store_explicit(x, 1, RELEASE);
}
P1 (atomic_int* d, atomic_int* x) {
  int r0 = atomic_load_explicit(x, ACQUIRE);
  int r1 = atomic_load_explicit(d, RELAXED);
})";
const std::string kStale = "1:r0=1 /\\ 1:r1=0";

}  // namespace

//= mu:memory-operations type=test
//= mu:order-table type=test
TEST_CASE("an order that the table does not allow is refused where it stands") {
  const auto load = [](const std::string& format, const std::string& order) {
    return error_of(format + " t\n{}\nP0 (int* x) {\nint r0 = atomic_load_explicit(x, " + order + ");\n}");
  };
  CHECK(load("Mu", "NOT_ATOMIC") == "");
  CHECK(load("C", "NOT_ATOMIC").substr(0, 5) == "4:34:");
  CHECK(load("Mu", "RELEASE") ==
        "4:34: a load must not have the order RELEASE; allowed: NOT_ATOMIC, RELAXED, CONSUME, ACQUIRE, SEQ_CST");
  const auto store = [](const std::string& order) {
    return error_of("Mu t\n{}\nP0 (int* x) {\natomic_store_explicit(x, 1, " + order + ");\n}");
  };
  CHECK(store("RELEASE") == "");
  CHECK(store("CONSUME") != "");
  const auto exchange = [](const std::string& orders) {
    return error_of("Mu t\n{}\nP0 (int* x) {\nint r0 = cmpxchg(x, 0, 1, " + orders + ");\n}");
  };
  CHECK(exchange("RELAXED, SEQ_CST") == "");
  CHECK(exchange("RELAXED, RELEASE") != "");
  CHECK(exchange("CONSUME, RELAXED") != "");
  CHECK(error_of("Mu t\n{}\nP0 () { atomic_thread_fence(RELAXED); }") != "");
  CHECK(error_of("C t\n{}\nP0 () { atomic_thread_fence(memory_order_relaxed); }") == "");
}

//= mu:acquire-and-release-operations type=test
//= mu:synchronizes-with-operations type=test
TEST_CASE("a release synchronizes with an acquire that sees it, and either alone does not") {
  CHECK(!mu_allows(kMessage, kStale));
  CHECK(mu_allows(with(kMessage, "RELEASE", "RELAXED"), kStale));
  CHECK(mu_allows(with(kMessage, "ACQUIRE", "RELAXED"), kStale));
}

//= mu:synchronizes-with-release-fence type=test
TEST_CASE("a release fence before a store synchronizes with an acquire that sees the store") {
  const std::string fenced = with(kMessage, "atomic_store_explicit(x, 1, RELEASE)",
                                  "atomic_thread_fence(RELEASE); atomic_store_explicit(x, 1, RELAXED)");
  CHECK(!mu_allows(fenced, kStale));
  CHECK(mu_allows(with(fenced, "fence(RELEASE)", "fence(ACQUIRE)"), kStale));
}

//= mu:synchronizes-with-acquire-fence type=test
TEST_CASE("a release synchronizes with an acquire fence behind a load that sees it") {
  const std::string fenced = with(kMessage, "int r0 = atomic_load_explicit(x, ACQUIRE);",
                                  "int r0 = atomic_load_explicit(x, RELAXED); atomic_thread_fence(ACQUIRE);");
  CHECK(!mu_allows(fenced, kStale));
  CHECK(mu_allows(with(fenced, "fence(ACQUIRE)", "fence(RELEASE)"), kStale));
}

//= mu:synchronizes-with-fences type=test
TEST_CASE("a release fence synchronizes with an acquire fence through relaxed operations") {
  const std::string fenced = with(with(kMessage, "atomic_store_explicit(x, 1, RELEASE)",
                                       "atomic_thread_fence(RELEASE); atomic_store_explicit(x, 1, RELAXED)"),
                                  "int r0 = atomic_load_explicit(x, ACQUIRE);",
                                  "int r0 = atomic_load_explicit(x, RELAXED); atomic_thread_fence(ACQUIRE);");
  CHECK(!mu_allows(fenced, kStale));
  CHECK(mu_allows(with(fenced, "atomic_thread_fence(ACQUIRE);", ""), kStale));
}

//= mu:release-sequence type=test
TEST_CASE("a later store of the same thread continues a release sequence, one of another thread ends it") {
  const std::string own = with(kMessage, "atomic_store_explicit(x, 1, RELEASE);",
                               "atomic_store_explicit(x, 2, RELEASE); atomic_store_explicit(x, 1, RELAXED);");
  CHECK(!mu_allows(own, kStale));
  CHECK(mu_allows(own + "\nP2 (atomic_int* x) { atomic_store_explicit(x, 3, RELAXED); }", kStale));
  const std::string update = kMessage + "\nP2 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, RELAXED); }";
  CHECK(!mu_allows(update, "1:r0=2 /\\ 1:r1=0"));
}

//= mu:synchronizes-with-thread-creation type=test
TEST_CASE("creating a thread synchronizes with its beginning, and not with what comes before the creation") {
  const std::string created = "P0 (int* d) { *d = 1; new_thread(P1); } P1 (int* d) { int r0 = *d; }";
  CHECK(!mu_allows(created, "1:r0=0 /\\ d=1"));
  CHECK(undefined(created) == "");
  CHECK(undefined(with(created, "*d = 1; new_thread(P1);", "new_thread(P1); *d = 1;")) == "race");
}

//= mu:synchronizes-with-futex-wake type=test
//= mu:futex type=test
TEST_CASE("a wake synchronizes with what follows the wait that it ends, and no wake is lost") {
  const std::string test = R"(
P0 (int* d, atomic_int* x) {
  *d = 1;
  atomic_store_explicit(x, 1, RELAXED);
  int r0 = futex_wake(x, 1);
}
P1 (int* d, atomic_int* x) {
  int r0 = futex_wait(x, 0);
  int r1 = -1;
  if (r0 == 0) { r1 = *d; }
})";
  CHECK(undefined(test) == "");
  CHECK(!answer_of("Mu t\n{}" + test).blocks);
  CHECK(answer_of("Mu t\n{}" + with(test, "futex_wake(x, 1)", "futex_wake(x, 0)")).blocks);
  CHECK(undefined(with(test, "r0 == 0", "r0 == -1")) == "race");
}

//= mu:inter-thread-happens-before type=test
TEST_CASE("synchronization goes on through a third thread") {
  const std::string chain = R"(
P0 (int* d, atomic_int* x) { *d = 1; atomic_store_explicit(x, 1, RELEASE); }
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, ACQUIRE);
  if (r0 == 1) { atomic_store_explicit(y, 1, RELEASE); }
}
P2 (int* d, atomic_int* y) { int r0 = atomic_load_explicit(y, ACQUIRE); if (r0 == 1) { int r1 = *d; } })";
  CHECK(undefined(chain) == "");
  CHECK(undefined(with(chain, "y, 1, RELEASE", "y, 1, RELAXED")) == "race");
}

//= mu:operations type=test
//= mu:carries-a-dependency type=test
//= mu:dependency-ordered-before type=test
//= mu:happens-before type=test
TEST_CASE("behind a consume load only what depends on it is ordered, and a comparison ends the dependency") {
  const std::string consume =
      with(with(kMessage, "ACQUIRE", "CONSUME"), "load_explicit(d, ", "load_explicit(d + (r0 - r0), ");
  CHECK(!mu_allows(consume, kStale));
  CHECK(mu_allows(with(consume, "CONSUME", "RELAXED"), kStale));
  CHECK(mu_allows(with(consume, "r0 - r0", "r0 != r0"), kStale));
  CHECK(mu_allows(with(consume, "d + (r0 - r0)", "d"), kStale));
  CHECK(mu_allows(with(consume, "r0 - r0", "kill_dependency(r0 - r0)"), kStale));
  CHECK(mu_allows(with(consume, "r0 - r0", "insertvalue(r0 - r0)"), kStale));
  CHECK(mu_allows(with(consume, "r0 - r0", "extractvalue(r0 - r0)"), kStale));
  CHECK(mu_allows(with(consume, "r0 - r0", "r0 ? 0 : r0"), kStale));
  CHECK(!mu_allows(with(consume, "r0 - r0", "1 ? r0 - r0 : 0"), kStale));
}

//= mu:dependency-through-memory type=test
TEST_CASE("a value that a thread stores carries its dependency to a later load of that location") {
  const std::string through = R"(
P0 (atomic_int* d, atomic_int* x) {
  atomic_store_explicit(d, 1, RELAXED);
  atomic_store_explicit(x, 1, RELEASE);
}
P1 (atomic_int* d, atomic_int* x, int* t) {
  int r0 = atomic_load_explicit(x, CONSUME);
  *t = r0 == r0;
  int r2 = *t;
  int r1 = atomic_load_explicit(d + (r2 - r2), RELAXED);
})";
  CHECK(!mu_allows(through, kStale));
  CHECK(mu_allows(with(through, "*t = r0 == r0", "*t = 1"), kStale));
}

//= mu:thin-air type=test
TEST_CASE("a cycle of values is no execution, a cycle through a branch is") {
  const std::string values = R"(
P0 (int* x, int* y) { int r0 = atomic_load_explicit(x, RELAXED); atomic_store_explicit(y, r0, RELAXED); }
P1 (int* x, int* y) { int r0 = atomic_load_explicit(y, RELAXED); atomic_store_explicit(x, r0, RELAXED); })";
  CHECK(!mu_allows(values, "0:r0=1"));
  const auto branch = [](std::string text) {
    return with(text, "atomic_store_explicit(y, r0,", "if (r0 == 1) atomic_store_explicit(y, 1,");
  };
  CHECK(mu_allows(with(branch(values), "x, r0,", "x, 1,"), "0:r0=1 /\\ 1:r0=1"));
  Question question;
  question.thin_air = true;
  CHECK(answer_of("Mu t\n{}" + values + "exists (0:r0=1)", question).holds);
}
