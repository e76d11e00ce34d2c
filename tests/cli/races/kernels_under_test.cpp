// A program with kernels, for the tests of `heddle races`: what it runs is its argument.
#include <heddle/explore.h>
#include <heddle/explore_kernel.h>
#include <heddle/heddle.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace heddle;

namespace {

constexpr auto increment = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  (void)inv;
  sum[0] += 1u;
};

constexpr auto increment_atomically = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  inv.atomic_i_increment(sum[0], Scope::Device, MemorySemantics::None);
};

constexpr auto annotated = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  (void)inv;
  sum[0] += 1u;  // heddle: benign race: a counter for display
};

constexpr auto annotated_without_reason = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  (void)inv;
  // heddle: benign race
  sum[0] += 1u;
};

constexpr auto same_value = [](auto& inv, StorageBuffer<std::uint32_t> auto found, bool really) {
  found[0] = really ? 1u : inv.global_invocation_id().x;
};

constexpr auto out_of_bounds = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  if (inv.global_invocation_id().x != 3) {
    sum[0] = inv.global_invocation_id().x;
  } else {
    sum[9] = 1u;
  }
};

constexpr auto counts_for_ever = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  if (inv.global_invocation_id().x != 3) return;
  std::puts("running");
  std::fflush(stdout);
  while (sum[1] != 0u) sum[2] += 1u;  // for ever
};

constexpr auto crashes = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  sum[0] = 1u;
  if (inv.global_invocation_id().x == 3) std::raise(SIGSEGV);
};

constexpr auto floating = [](auto& inv, StorageBuffer<float> auto mean, StorageBuffer<vec2> auto at) {
  mean[0] = -1.5f - static_cast<float>(inv.global_invocation_id().x);
  at[0] = vec2{0.5f, static_cast<float>(inv.global_invocation_id().x)};
};

constexpr auto tile_without_barrier = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[8]>(inv, "tile", kZeroed);
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = i;
  out[i] = inv.load(tile[7 - i]);
};

constexpr auto unordered = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  out[inv.global_invocation_id().x] = 1u;
};

/// Where `checked`, what a message says is looked at.
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto got, bool checked) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 1u;
    inv.atomic_store(flag[0], Scope::Device, kReleaseBuffers, 1u);
    return;
  }
  while (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) == 0) {
  }
  const std::uint32_t found = data.non_private()[0];
  inv.require(!checked || found == 1u, "the message did not come with its flag");
  got[0] = found;
};

void run_message(bool checked) {
  Device device;
  // Enough times for one of them to show what is wrong.
  const int times = checked ? 200 : 1;
  for (int time = 0; time < times; ++time) {
    auto data = device.buffer<std::uint32_t>({0u}, "data");
    auto flag = device.buffer<std::uint32_t>({0u}, "flag");
    auto got = device.buffer<std::uint32_t>({0u}, "got");
    device.dispatch(message, 2, 1, data, flag, got, checked);
  }
}

template <typename Kernel, typename... Args>
void run(const Kernel& kernel, Args... args) {
  Device device(Mode::Emulated);
  auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
  device.dispatch(kernel, 4, 1, sum, args...);
}

// In Latin-1, and with what clears a screen.
constexpr const char* kNameFromOutside =
    "gr\xf6\xdf"
    "e\x1b[2J\n";

/// A message, and a release that nobody acquires: all executions are asked for.
constexpr auto message_and_more = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                                     StorageBuffer<std::uint32_t> auto seen) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 7u;
    inv.atomic_store(data[1], Scope::Device, kReleaseBuffers, 1u);
  } else {
    while (inv.atomic_load(data[1], Scope::Device, kAcquireBuffers) == 0) continue;
    seen[0] = data.non_private()[0];
    inv.atomic_store(data[2], Scope::Device, kReleaseBuffers, 1u);
  }
};

int explored() {
  const KernelExecutions found = explore_kernel([](KernelExploration& exploration) {
    auto data = exploration.device().buffer<std::uint32_t>({0, 0, 0}, "data");
    auto seen = exploration.device().buffer<std::uint32_t>({0}, "seen");
    return exploration.dispatch(message_and_more, 2, 1, data, seen);
  });
  return found.is_race_free() ? 0 : 1;
}

void run_tile() {
  Device device(Mode::Emulated);
  auto out = device.buffer<std::uint32_t>(8, "out");
  device.dispatch(tile_without_barrier, 1, 8, out);
}

/// Programs for what changes are tried on, and for ends in the middle: the exit code; nothing if `what` is none of
/// them.
std::optional<int> choose_among_odd_ends(const std::string& what) {
  if (what == "slow_tile") {
    run_tile();
    sleep(1);
  } else if (what == "unordered") {
    Device device(Mode::Emulated);
    auto out = device.buffer<std::uint32_t>(4, "out");
    device.dispatch(unordered, 1, 4, out);
  } else if (what == "counts_for_ever") {
    Device device(Mode::Emulated);
    auto sum = device.buffer<std::uint32_t>({0u, 1u, 0u}, "sum");
    device.dispatch(counts_for_ever, 1, 4, sum);
  } else if (what == "crashes") {
    run(crashes);
  } else if (what == "racy_and_wrong") {
    run(increment);
    return 7;
  } else if (what == "twice") {
    run(increment_atomically);
    run(increment_atomically);
  } else {
    return std::nullopt;
  }
  return 0;
}

int choose(const std::string& what) {
  if (const std::optional<int> code = choose_among_odd_ends(what)) return *code;
  if (what == "racy") {
    run(increment);
  } else if (what == "outside") {
    Device device(Mode::Emulated);
    auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), kNameFromOutside);
    device.dispatch(increment, 4, 1, sum);
  } else if (what == "tile") {
    run_tile();
  } else if (what == "checked_message" || what == "unchecked_message") {
    run_message(what == "checked_message");
  } else if (what == "explored") {
    return explored();
  } else if (what == "clean") {
    run(increment_atomically);
  } else if (what == "annotated") {
    run(annotated);
  } else if (what == "annotated_without_reason") {
    run(annotated_without_reason);
  } else if (what == "same_value") {
    run(same_value, true);
  } else if (what == "other_value") {
    run(same_value, false);
  } else if (what == "throws") {
    run(out_of_bounds);
  } else if (what == "floats") {
    Device device(Mode::Emulated);
    auto mean = device.buffer(std::vector<float>(1, 0.0f), "mean");
    auto at = device.buffer(std::vector<vec2>(1, vec2{}), "at");
    device.dispatch(floating, 2, 1, mean, at);
  } else if (what == "many") {
    for (int i = 0; i < 5; ++i) run(increment);
  } else if (what == "endless") {
    run(increment);
    std::puts("running");
    std::fflush(stdout);
    while (true) pause();
  } else if (what == "explores") {
    std::ignore = explore_seeds(
        [](Trial& trial) {
          Device& device = trial.device();
          auto sum = device.buffer(std::vector<std::uint32_t>(1, 0), "sum");
          device.dispatch(increment, 4, 1, sum);
          throw std::runtime_error("as ever");
        },
        1);
  } else if (what == "fails") {
    run(increment_atomically);
    return 7;
  } else if (what == "none") {
    std::puts("no kernel here");
  } else {
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return argc == 2 ? choose(argv[1]) : 2;
}
