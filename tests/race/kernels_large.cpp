#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <sys/resource.h>

#include <iostream>

#include "benchmarks/kernels.h"
#include "tests/device_under_test.h"
#include "tests/how_many.h"

using namespace heddle;

namespace {

constexpr std::uint32_t kUsually = 1u << 15;

std::uint32_t invocations() {
  return static_cast<std::uint32_t>(how_many("HEDDLE_RACE_INVOCATIONS", kUsually, 1u << 22));
}

/// The most memory that the process ever had.
double resident_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

// What is needed is that of the elements and of the invocations that are there at a time: for each
// invocation 8 bytes of elements, 5 times that of shadow, and 8 bytes that say where it was; and at most as
// much again for what does not grow.
namespace {

void check_memory(bool parallel) {
  const std::uint32_t n = invocations();
  for (const bool scans : {false, true}) {
    const double before = resident_mebibytes();
    DeviceOptions options;
    options.races = true;
    options.races_parallel = parallel;
    Device device(options);
    auto in = device.buffer(std::vector<std::uint32_t>(n, 1u), "in");
    auto out = device.buffer<std::uint32_t>(scans ? n : n / benchmarks::kGroup, "out");
    if (scans) {
      device.dispatch(benchmarks::scan, n / benchmarks::kGroup, benchmarks::kGroup, read_only(in), out);
    } else {
      device.dispatch(benchmarks::reduce, n / benchmarks::kGroup, benchmarks::kGroup, read_only(in), out);
    }
    CHECK(device.races().empty());
    CHECK(out.view()[out.size() - 1] == benchmarks::kGroup);
    const double more = resident_mebibytes() - before;
    const double bound = 64.0 + 2 * static_cast<double>(n) * (8 + 5 * 8 + 8) / (1 << 20);
    INFO((scans ? "scan" : "reduce") << " of " << n << ": " << more << " MiB more");
    if (!HEDDLE_TEST_SANITIZED) CHECK(more < bound);
    if (n > kUsually)
      std::cout << (scans ? "scan" : "reduce") << " of " << n << " invocations: " << more << " MiB more, peak "
                << resident_mebibytes() << " MiB\n";
  }
}

}  // namespace

TEST_CASE("reduce and scan of any size are checked for races in memory that their elements bound", "[nightly]") {
  check_memory(false);
}

TEST_CASE("reduce and scan are checked on all cores in memory that their elements bound", "[nightly]") {
  check_memory(true);
}
