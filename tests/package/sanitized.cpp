// A program that somebody compiles with a sanitizer, while the heddle that it links is compiled without: kernels that
// wait, on several threads, whose invocations throw, trap, and act together, in both modes; and an exploration.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <cstdio>
#include <stdexcept>
#include <thread>

using namespace heddle;

namespace {

constexpr auto sum = [](auto& inv, StorageBuffer<const std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out,
                        std::uint32_t last) {
  auto tile = workgroup<std::uint32_t[64]>(inv, "tile");
  const auto i = inv.local_invocation_index();
  tile[i] = in[inv.global_invocation_id().x];
  inv.workgroup_barrier();
  for (std::uint32_t half = 32; half > 0; half /= 2) {
    if (i < half) tile[i] += tile[i + half];
    inv.workgroup_barrier();
  }
  const auto lanes = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
  if (i == 0) inv.atomic_i_add(out[0], Scope::Device, MemorySemantics::Relaxed, lanes != 0 ? tile[0] : 0);
  if (inv.global_invocation_id().x == last) throw std::runtime_error("the last one throws");
  inv.workgroup_barrier();
};
constexpr auto sum_of_64 = required_workgroup_size<64>(sum);

/// Whether the sum is right; a kernel of which an invocation throws fails.
bool sums(Device& device, bool throws) {
  auto in = device.buffer(std::vector<std::uint32_t>(1024, 1), "in");
  auto out = device.buffer({0u}, "out");
  try {
    device.dispatch(sum_of_64, {16}, read_only(in), out, throws ? 1023u : 1024u);
    return !throws && out.read()[0] == 1024;
  } catch (const KernelError&) {
    return throws;
  }
}

bool runs(Mode mode) {
  DeviceOptions options;
  options.mode = mode;
  options.workers = 4;
  bool right = true;
  for (int round = 0; round < 3; ++round) {
    Device device(options);
    right &= sums(device, false) && sums(device, true) && sums(device, false);
  }
  return right;
}

}  // namespace

int main() {
  bool right = runs(Mode::Native) && runs(Mode::Emulated);
  std::thread other([&] { right &= runs(Mode::Native); });
  other.join();
  SeedOptions options;
  options.jobs = 4;
  const SeedReport report =
      explore_seeds([](Trial& trial) { trial.require(sums(trial.device(), false), "the sum"); }, 20, options);
  std::puts(right && !report.failed() ? "fine" : "wrong");
  return right && !report.failed() ? 0 : 1;
}
