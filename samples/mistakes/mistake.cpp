#include "mistake.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace mistake {

using namespace heddle;

namespace {

constexpr std::uint64_t kSeeds = 500;

/// Which of the two is run: what --only says.
enum class Which : std::uint8_t { Both, Wrong, Right };

void print_passed(const SeedReport& report) {
  fmt::print("  {} {}, and none fails\n", report.trials, report.trials == 1 ? "trial" : "trials");
}

int explore(const std::string& what, const Test& wrong, const Test& right, std::uint64_t seeds,
            SeedOptions options, Which which) {
  options.print_to = stdout;
  // They are mistakes of memory. Some right kernels wait for workgroups with lower numbers, which
  // have begun on most GPUs, though no specification promises it.
  options.sweep = "usual order=ascending subgroup=32";
  fmt::print("{}\n", what);
  bool as_expected = true;
  if (which != Which::Right) {
    fmt::print("\nthe wrong kernel:\n");
    const SeedReport bad = explore_seeds(wrong, seeds, options);
    // `heddle races` runs this again with changes, and with one that mends it there is nothing to
    // find.
    as_expected = bad.failed() || std::getenv("HEDDLE_EDITS") != nullptr;
    if (bad.failed()) {
      fmt::print("  trial {} of {}\n", bad.trials, seeds);
    } else {
      print_passed(bad);
    }
  }
  if (which != Which::Wrong) {
    fmt::print("\nthe right kernel:\n");
    const SeedReport good = explore_seeds(right, seeds, options);
    as_expected = as_expected && !good.failed();
    if (!good.failed()) print_passed(good);
  }
  return as_expected ? 0 : 1;
}

Which which_from(std::string_view name) {
  if (name == "wrong") return Which::Wrong;
  if (name == "right") return Which::Right;
  throw std::invalid_argument(fmt::format("--only is '{}'; it may be wrong or right", name));
}

}  // namespace

int compare(int argc, char** argv, const std::string& what, const Test& wrong, const Test& right) {
  std::uint64_t seeds = kSeeds;
  SeedOptions options;
  Which which = Which::Both;
  try {
    for (int i = 1; i < argc; ++i) {
      if (std::string(argv[i]) == "--help") {
        fmt::print(
            "{}\n\nOptions: --seeds=N (default {}), --first-seed=N, --shard=I/N, --jobs=N, "
            "--seconds=N, --all, --only=wrong, --only=right\nHEDDLE_MEMORY names the memory policy "
            "(default random).\n",
            what, kSeeds);
        return 0;
      }
      constexpr std::string_view kOnly = "--only=";
      const std::string_view argument = argv[i];
      if (argument.substr(0, kOnly.size()) == kOnly) {
        which = which_from(argument.substr(kOnly.size()));
        continue;
      }
      if (!options.take(argument, seeds))
        throw std::invalid_argument(fmt::format("unknown option {}", argv[i]));
    }
    return explore(what, wrong, right, seeds, options, which);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}

}  // namespace mistake
