// A program of Catch2 with tests of kernels, some of which fail, for the tests of `heddle test`.
#include <heddle/testing/catch2.h>

#include <signal.h>
#include <unistd.h>

using namespace heddle;

namespace {

SeedOptions quiet() {
  SeedOptions options;
  options.print_to = nullptr;
  options.replay_file = "";
  return options;
}

template <bool atomic>
void counts(Trial& trial) {
  auto sum = trial.device().buffer<std::uint32_t>({0}, "sum");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
    if constexpr (atomic) {
      inv.atomic_i_increment(to[0], Scope::Device, MemorySemantics::Relaxed);
    } else {
      to[0] = 1;
    }
  };
  trial.device().dispatch(kernel, {2}, {1}, sum);
}

}  // namespace

TEST_CASE("it counts", "[good]") {
  CHECK(passes(counts<true>, 60, quiet()));
  CHECK(race_free(counts<true>, 60, quiet()));
}

TEST_CASE("it expects its race", "[good]") {
  CHECK(has_race(counts<false>, {"sum"}, 10, quiet()));
}

TEST_CASE("it races unnoticed", "[racy][.]") {
  CHECK(passes(counts<false>, 10, quiet()));
}

TEST_CASE("it fails <always> & says so", "[bad][.]") {
  CHECK(passes([](Trial& trial) { trial.require(trial.seed() != 3, "it is the third"); }, 10, quiet()));
}

TEST_CASE("it takes long", "[long][.]") {
  CHECK(passes(counts<true>, 1'000'000'000'000, quiet()));
}

TEST_CASE("it interrupts who runs it", "[interrupts][.]") {
  CHECK(passes(counts<true>, 5, quiet()));
  kill(getppid(), SIGINT);
  CHECK(passes(counts<true>, 1'000'000'000'000, quiet()));
}

TEST_CASE("it dies", "[dies][.]") {
  CHECK(passes(counts<true>, 5, quiet()));
  raise(SIGKILL);
}
