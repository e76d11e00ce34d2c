#include "emulator/litmus/run_seed.h"

namespace heddle::litmus {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  return mixed(mixed(seed + kGolden) + (run + 1) * kGolden);
}

}  // namespace heddle::litmus
