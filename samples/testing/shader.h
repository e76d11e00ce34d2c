#pragma once

/// \file
/// A shader for tests: the scan of samples/shaders, and what a loop in C++ makes of the same items.

#include <heddle/explore.h>
#include <heddle/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace testing_samples {

inline constexpr std::uint32_t kScanSize = 16;

/// The prefix sums of each 16 items, as the shader finds them.
inline std::vector<std::uint32_t> scanned_by_shader(heddle::Trial& trial,
                                                    const std::vector<std::uint32_t>& items) {
  const auto groups = static_cast<std::uint32_t>((items.size() + kScanSize - 1) / kScanSize);
  if (groups == 0) return {};
  std::vector<std::uint32_t> whole = items;
  whole.resize(std::size_t{groups} * kScanSize, 0);
  auto in = trial.device().buffer(whole, "items");
  auto out = trial.device().buffer<std::uint32_t>(whole.size(), "sums");
  heddle::ModuleOptions options;
  options.specialization[1] = std::to_string(kScanSize);
  heddle::Module scan(trial.device(), HEDDLE_SAMPLES_DIR "/shaders/scan.spvasm", options);
  scan.push_constants(std::uint32_t{1});
  scan.dispatch(groups, {heddle::bound(0, 0, in), heddle::bound(0, 1, out)});
  std::vector<std::uint32_t> sums = out.read();
  sums.resize(items.size());
  return sums;
}

/// The prefix sums of each 16 items.
inline std::vector<std::uint32_t> scanned_by_loop(const std::vector<std::uint32_t>& items) {
  std::vector<std::uint32_t> sums;
  std::uint32_t sum = 0;
  for (const std::uint32_t item : items) {
    if (sums.size() % kScanSize == 0) sum = 0;
    sums.push_back(sum += item);
  }
  return sums;
}

/// Two workgroups of the scan.
inline void scans(heddle::Trial& trial) {
  (void)scanned_by_shader(trial, std::vector<std::uint32_t>(2 * kScanSize, 1));
}

}  // namespace testing_samples
