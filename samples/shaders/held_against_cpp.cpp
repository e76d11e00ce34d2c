// A shader held against a reference in C++: scan.spvasm, under many seeds on weak memory. Its
// specialization constant is the size of its workgroups, and a push constant a factor.
#include <heddle/module.h>

#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

using namespace heddle;

namespace {

constexpr std::uint32_t kSize = 16;
constexpr std::uint32_t kFactor = 3;

/// The prefix sums within each workgroup.
std::vector<std::uint32_t> reference(const std::vector<std::uint32_t>& items) {
  std::vector<std::uint32_t> sums;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i % kSize == 0) sum = 0;
    sums.push_back(sum += kFactor * items[i]);
  }
  return sums;
}

bool is_right(std::uint64_t seed) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("random");
  options.races = true;
  options.seed = seed;
  Device device(options);
  std::vector<std::uint32_t> items(2 * kSize);
  std::iota(items.begin(), items.end(), 1U);
  auto in = device.buffer(items, "items");
  auto out = device.buffer<std::uint32_t>(items.size(), "sums");

  ModuleOptions scan_options;
  scan_options.specialization[1] = std::to_string(kSize);
  Module scan(device, HEDDLE_SAMPLES_DIR "/shaders/scan.spvasm", scan_options);
  scan.push_constants(kFactor);
  scan.dispatch(2, {bound(0, 0, in), bound(0, 1, out)});
  scan.require_no_races();
  return out.read() == reference(items);
}

}  // namespace

int main() {
  try {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      if (is_right(seed)) continue;
      std::printf("scan.spvasm: wrong with seed %llu\n", static_cast<unsigned long long>(seed));
      return 1;
    }
    std::printf("scan.spvasm: as the reference has it, with 20 seeds\n");
    return 0;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
