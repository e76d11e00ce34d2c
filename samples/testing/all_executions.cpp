// A message from one workgroup to another, proven right and proven wrong: all executions that the
// memory model allows, instead of some seeds. In the wrong form the flag is stored and loaded
// without ordering anything.
#include <heddle/explore_kernel.h>
#include <heddle/heddle.h>

#include <cstdio>

using namespace heddle;

namespace {

template <bool right>
constexpr auto message =
    [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto seen) {
      constexpr MemorySemantics kStored = right ? kReleaseBuffers : MemorySemantics::Relaxed;
      constexpr MemorySemantics kLoaded = right ? kAcquireBuffers : MemorySemantics::Relaxed;
      if (inv.workgroup_id().x == 0) {
        data.non_private()[0] = 7u;
        inv.atomic_store(data[1], Scope::Device, kStored, 1u);
      } else {
        while (inv.atomic_load(data[1], Scope::Device, kLoaded) == 0) continue;
        seen[0] = data.non_private()[0];
      }
    };

template <bool right>
KernelExecutions executions() {
  return explore_kernel([](KernelExploration& exploration) {
    auto data = exploration.device().buffer<std::uint32_t>({0, 0}, "data");
    auto seen = exploration.device().buffer<std::uint32_t>({0}, "seen");
    return exploration.dispatch(message<right>, 2, 1, data, seen);
  });
}

/// Whether the message is seen in all executions, and none has a race.
bool is_right(const char* name, const KernelExecutions& found) {
  std::printf("%s: %s; seen[0] is", name,
              found.races.empty() ? "no race in any execution" : "a race");
  bool arrives = true;
  for (const auto& outcome : found.outcomes) {
    const std::uint64_t seen = outcome[found.index_of("seen[0]")];
    std::printf(" %llu", static_cast<unsigned long long>(seen));
    arrives = arrives && seen == 7;
  }
  std::printf("%s\n", found.complete ? "" : " (not all executions)");
  return arrives && found.is_race_free();
}

}  // namespace

int main() {
  const bool right = is_right("right", executions<true>());
  const bool wrong = is_right("wrong", executions<false>());
  return right && !wrong ? 0 : 1;
}
