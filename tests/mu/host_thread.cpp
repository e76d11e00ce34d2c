#include <heddle/host_thread.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emulator/trace/file_reader.h"
#include "emulator/trace/recorder.h"
#include "tests/temporary_file.h"

using namespace heddle;
using namespace heddle::threads;

namespace {

constexpr auto nothing = [](auto) {};

/// All findings of up to `seeds` seeds, or none.
template <typename Body>
std::string findings(Body body, std::uint64_t seeds = 200, Options options = {}) {
  options.seed = 1;
  const Exploration out = explore_seeds(body, seeds, options);
  return out.ok() ? "" : to_string(out.failures.front());
}

template <bool releases>
constexpr auto message = [](auto host) {
  using M = decltype(host);
  typename M::template Plain<int> data{0, "data"};
  typename M::template Atomic<int> ready{0, "ready"};
  typename M::Thread writer([&] {
    data.write(1);
    if constexpr (releases)
      ready.store(1, release);
    else
      ready.store(1, relaxed);
  });
  if (ready.load(acquire) == 1) M::require(data.read() == 1, "the message has arrived");
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a message that is released arrives under every seed, one that is not races, and both places are named") {
  CHECK(findings(message<true>) == "");
  const std::string found = findings(message<false>);
  CHECK(has(found, "data race on 'data'"));
  CHECK(has(found, "host_thread.cpp:32"));
  CHECK(has(found, "host_thread.cpp:38"));
  CHECK(has(found, "in host thread "));
  CHECK(has(found, "HEDDLE_SEED="));
}

TEST_CASE("an emulated run repeats itself under one seed, and differs under others") {
  Options options;
  options.mode = Mode::Emulated;
  options.seed = 3;
  const Report first = run(message<false>, options);
  CHECK(to_string(run(message<false>, options)) == to_string(first));
  std::uint64_t racy = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    options.seed = seed;
    racy += !run(message<false>, options).ok();
  }
  CHECK(racy > 0);
  CHECK(racy < 100);
}

TEST_CASE("both threads of store buffering may see nothing, and with SEQ_CST one sees the other") {
  static int both = 0;
  constexpr auto buffering = [](auto host, auto order) {
    using M = decltype(host);
    typename M::template Atomic<int> x{0, "x"};
    typename M::template Atomic<int> y{0, "y"};
    int seen = 0;
    typename M::Thread other([&] {
      y.store(1, order);
      seen = x.load(order);
    });
    x.store(1, order);
    const int here = y.load(order);
    other.join();
    both += here == 0 && seen == 0;
  };
  both = 0;
  CHECK(explore_seeds([&](auto host) { buffering(host, relaxed); }, 300, {}).ok());
  CHECK(both > 0);
  both = 0;
  CHECK(explore_seeds([&](auto host) { buffering(host, seq_cst); }, 300, {}).ok());
  CHECK(both == 0);
}

TEST_CASE("a compare-exchange of the machine fails with what it found, and a weak one also without reason") {
  static int weak_failures = 0;
  CHECK(findings([](auto host) {
          using M = decltype(host);
          typename M::template Atomic<int> x{5, "x"};
          int expected = 4;
          M::require(!x.compare_exchange(expected, 9, acq_rel, acquire) && expected == 5, "it tells what it found");
          M::require(x.compare_exchange(expected, 9, acq_rel, acquire), "it succeeds");
          expected = 9;
          const bool stored = x.compare_exchange_weak(expected, 1, relaxed, relaxed);
          weak_failures += !stored;
          M::require(expected == 9, "a failure without reason finds the expected value");
          M::require(x.exchange(2, seq_cst) == (stored ? 1 : 9), "an exchange gives the old value");
          M::require(x.fetch_add(3, relaxed) == 2 && x.fetch_sub(1, relaxed) == 5, "sums are of the last value");
          M::require(x.fetch_or(3, relaxed) == 4 && x.fetch_and(5, relaxed) == 7 && x.load(relaxed) == 5, "bits too");
        }) == "");
  CHECK(weak_failures > 0);
  CHECK(weak_failures < 200);
}

TEST_CASE("a thread that waits on a futex is woken, and what its waker did happens before what follows") {
  CHECK(findings([](auto host) {
          using M = decltype(host);
          typename M::template Plain<int> data{0, "data"};
          typename M::template Atomic<std::uint32_t> word{0, "word"};
          typename M::Thread waker([&] {
            data.write(1);
            word.store(1, relaxed);
            M::futex_wake(word, 1);
          });
          if (M::futex_wait(word, 0) == Waited::Woken) M::require(data.read() == 1, "a wake synchronizes");
        }) == "");
}

TEST_CASE("a futex wait may run out, and a requeue moves those that it does not wake") {
  static int up = 0;
  static int moved = 0;
  CHECK(findings([](auto host) {
          using M = decltype(host);
          typename M::template Atomic<std::uint32_t> word{0, "word"};
          if (M::futex_wait_for(word, 0, std::chrono::seconds(1)) == Waited::TimeIsUp) ++up;
          typename M::template Atomic<std::uint32_t> other{0, "other"};
          typename M::Thread first([&] { M::futex_wait(word, 0); });
          typename M::Thread second([&] { M::futex_wait(word, 0); });
          word.store(1, relaxed);
          if (M::futex_cmp_requeue(word, other, 1, 1) == 1) moved += M::futex_wake(other, 5);
          M::futex_wake(word, 5);
        }) == "");
  CHECK(up == 200);
  CHECK(moved > 0);
}

TEST_CASE("threads that wait for ever are a finding that names where each waits") {
  const std::string found = findings([](auto host) {
    using M = decltype(host);
    typename M::template Atomic<std::uint32_t> word{0, "word"};
    typename M::Thread other([&] { M::futex_wait(word, 0); });
  });
  CHECK(has(found, "no progress"));
  CHECK(has(found, "thread 1 waits on a futex at"));
  CHECK(has(found, "thread 0 waits for thread 1"));
}

TEST_CASE("a thread that spins for ever ends the run") {
  Options options;
  options.most_operations = 1000;
  const std::string found = findings(
      [](auto host) {
        using M = decltype(host);
        typename M::template Atomic<int> never{0, "never"};
        while (never.load(relaxed) == 0) {
        }
      },
      1, options);
  CHECK(has(found, "may spin for ever"));
}

TEST_CASE("an atomic and another access of one memory are a finding with both places") {
  const std::string found = findings([](auto host) {
    using M = decltype(host);
    typename M::template Atomic<int> x{0, "x"};
    x.store(1, not_atomic);
    x.load(relaxed);
  });
  CHECK(has(found, "mixed access: 'x' is accessed atomically and otherwise"));
}

TEST_CASE("a futex on memory that is not atomic is a finding of its own kind with both places") {
  const auto report_of = [](auto body) {
    return heddle::threads::detail::run_emulated(
        body, heddle::threads::detail::with_environment({.mode = Mode::Emulated, .seed = 1}));
  };
  const int line = __LINE__;
  const Report on_plain = report_of([] {
    Emulated::Plain<std::uint32_t> word{0, "word"};
    word.write(1);
    Emulated::futex_wait(word, 0);
  });
  REQUIRE(on_plain.findings.size() == 1);
  CHECK(on_plain.findings[0].kind == FindingKind::FutexMisuse);
  CHECK(on_plain.findings[0].object == "word");
  const std::string text = to_string(on_plain);
  CHECK(has(text, "futex misuse: 'word' is not atomic, and has a futex: a write by thread 0 at "));
  CHECK(has(text, "host_thread.cpp:" + std::to_string(line + 3) + ", a futex operation by thread 0 at "));
  CHECK(has(text, "host_thread.cpp:" + std::to_string(line + 4)));
  const Report on_atomic = report_of([] {
    Emulated::Atomic<std::uint32_t> word{0, "word"};
    word.store(1, relaxed);
    Emulated::futex_wait(word, 0);
  });
  CHECK(on_atomic.findings.empty());
}

TEST_CASE("a thread swaps stacks, goes on where each was left, and may go on with another's") {
  const auto stacks = [](auto host) {
    using M = decltype(host);
    using Stack = typename M::Stack;
    std::string told;
    const Stack* home = nullptr;
    const Stack own = M::current_stack();
    home = &own;
    const Stack other([&] {
      told += 'b';
      M::swap_stack(*home);
      told += 'd';
      M::swap_stack_and_kill(*home);
    });
    told += 'a';
    M::swap_stack(other);
    told += 'c';
    M::swap_stack(other);
    told += 'e';
    M::require(told == "abcde", "stacks go on where they were left");
    const Stack moves([&] {
      M::swap_stack(*home);
      told += 'f';
    });
    M::swap_stack(moves);
    typename M::Thread thread([&] { M::swap_stack_and_kill(moves); });
    thread.join();
    M::require(told == "abcdef", "another thread goes on with the stack, and ends with it");
  };
  CHECK(findings(stacks) == "");
  CHECK(run(stacks, {.mode = Mode::Native}).ok());
}

TEST_CASE("a stack bound twice, one's own stack and a stack that was killed are findings with both places") {
  const std::string own = findings([](auto host) {
    using M = decltype(host);
    M::swap_stack(M::current_stack());
  });
  CHECK(has(own, "stack misuse: "));
  CHECK(has(own, "which it is on itself since"));
  const std::string twice = findings([](auto host) {
    using M = decltype(host);
    const typename M::Stack mine = M::current_stack();
    typename M::Thread other([&] { M::swap_stack(mine); });
  });
  CHECK(has(twice, "which thread 0 has been bound to since"));
  const std::string killed = findings([](auto host) {
    using M = decltype(host);
    const typename M::Stack home = M::current_stack();
    const typename M::Stack once([&] { M::swap_stack_and_kill(home); });
    M::swap_stack(once);
    M::swap_stack(once);
  });
  CHECK(has(killed, "which was killed at"));
}

TEST_CASE("a stack that is handed over without synchronization is a finding") {
  const auto handover = [](auto host, auto order) {
    using M = decltype(host);
    const typename M::Stack home = M::current_stack();
    typename M::template Atomic<int> free{0, "free"};
    const typename M::Stack stack([&] { M::swap_stack(home); });
    typename M::Thread other([&] {
      if (free.load(acquire) == 1) M::swap_stack_and_kill(stack);
    });
    M::swap_stack(stack);
    free.store(1, order);
  };
  CHECK(findings([&](auto host) { handover(host, release); }) == "");
  CHECK(has(findings([&](auto host) { handover(host, relaxed); }), "neither happens before the other"));
}

TEST_CASE("what an exception leaves is unwound when a run ends early") {
  static int alive = 0;
  struct Counted {
    Counted() { ++alive; }
    ~Counted() { --alive; }
  };
  const std::string found = findings([](auto host) {
    using M = decltype(host);
    const Counted one;
    typename M::template Atomic<std::uint32_t> word{0, "word"};
    typename M::Thread other([&] {
      const Counted two;
      M::futex_wait(word, 0);
    });
    throw std::runtime_error("enough");
  });
  CHECK(has(found, "a host thread threw: enough"));
  CHECK(alive == 0);
}

TEST_CASE("a body that does nothing has nothing to tell, and an unknown policy is refused") {
  CHECK(run(nothing, {.mode = Mode::Emulated}).ok());
  CHECK(run(nothing, {.mode = Mode::Native}).ok());
  CHECK_THROWS_AS(run(nothing, {.mode = Mode::Emulated, .memory = "wild"}), std::invalid_argument);
}

TEST_CASE("a native failure of a requirement is a finding, and other exceptions come through") {
  const auto fails = [](auto host) { decltype(host)::require(false, "one is two"); };
  CHECK(has(to_string(run(fails, {.mode = Mode::Native})), "one is two"));
  const auto throws = [](auto) { throw std::logic_error("x"); };
  CHECK_THROWS_AS(run(throws, {.mode = Mode::Native}), std::logic_error);
}

TEST_CASE("the first failure of an exploration is made smaller: fewer answers, the same kind of finding, every time") {
  const Exploration out = explore_seeds(message<false>, 200, {.seed = 1});
  REQUIRE(!out.ok());
  const Report& report = out.failures.front();
  CHECK(report.findings.front().kind == FindingKind::DataRace);
  REQUIRE(report.smaller);
  CHECK(report.smaller->answers <= report.smaller->answers_before);
  CHECK(report.smaller->forced <= report.smaller->forced_before);
  CHECK(has(to_string(report), "made smaller: "));
  CHECK(to_string(explore_seeds(message<false>, 200, {.seed = 1}).failures.front()) == to_string(report));
  const Exploration whole = explore_seeds(message<false>, 200, {.seed = 1, .shrink_budget = {}});
  CHECK_FALSE(whole.failures.front().smaller);
}

TEST_CASE("a traced run has threads by name, orders, and of each load the store that it took") {
  const TemporaryFile file;
  run(
      [](auto host) {
        using M = decltype(host);
        typename M::template Atomic<int> x{3, "x"};
        x.store(7, release);
        typename M::Thread other([&] { M::fence(acquire); });
        other.join();
        x.load(acquire);
      },
      {.mode = Mode::Emulated, .seed = 1, .trace = file.path()});
  std::vector<std::string> words;
  trace::Recorder recorder;
  trace::read_trace_file(file.path(), recorder, {}, [&](std::string_view one) { words.emplace_back(one); });
  CHECK(words == std::vector<std::string>{"thread 0", "store RELEASE", "creates thread 1", "thread 1", "fence ACQUIRE",
                                          "ends", "has waited for thread 1", "load ACQUIRE", "ends"});
  const model::Execution execution = recorder.execution();
  REQUIRE(execution.reads_from.size() == 1);
  CHECK(execution.reads_from[0].write == 0);
  CHECK(execution.read_values[execution.reads_from[0].read] == 7);
}
