#include "mistake.h"

#include <fmt/format.h>

#include <stdexcept>

namespace mistake {

using namespace heddle;

namespace {

constexpr std::uint64_t kSeeds = 500;

int explore(const std::string& what, const Test& wrong, const Test& right, std::uint64_t seeds,
            SeedOptions options) {
  options.print_to = stdout;
  fmt::print("{}\n\nthe wrong kernel:\n", what);
  const SeedReport bad = explore_seeds(wrong, seeds, options);
  if (bad.failed()) {
    fmt::print("  the {}. of {} trials\n", bad.trials, seeds);
  } else {
    fmt::print("  {} trials, and none fails\n", bad.trials);
  }
  fmt::print("\nthe right kernel:\n");
  const SeedReport good = explore_seeds(right, seeds, options);
  if (!good.failed()) fmt::print("  {} trials, and none fails\n", good.trials);
  return bad.failed() && !good.failed() ? 0 : 1;
}

}  // namespace

int compare(int argc, char** argv, const std::string& what, const Test& wrong, const Test& right) {
  std::uint64_t seeds = kSeeds;
  SeedOptions options;
  try {
    for (int i = 1; i < argc; ++i) {
      if (std::string(argv[i]) == "--help") {
        fmt::print("{}\n\nOptions: --seeds=N (default {}), --first-seed=N, --shard=I/N, --jobs=N, "
                   "--seconds=N, --all\nHEDDLE_MEMORY names the memory policy (default random).\n",
                   what, kSeeds);
        return 0;
      }
      if (!options.take(argv[i], seeds))
        throw std::invalid_argument(fmt::format("unknown option {}", argv[i]));
    }
    return explore(what, wrong, right, seeds, options);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}

}  // namespace mistake
