// Kernels of the shapes in which nobody tells what others wait for: that nothing goes on is told soon.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>

#include "tests/device_under_test.h"
#include "tests/field/weak_shapes.h"
#include "tests/how_many.h"

namespace heddle::weak_shapes {
namespace {

/// All that the shape's waiting does, and nobody tells; who does not wait comes to a barrier, or ends.
constexpr auto stuck = [](auto& inv, Weak w, bool meets, StorageBuffer<U32> auto words) {
  const U32 size = inv.workgroup_size().x;
  const U32 i = inv.local_invocation_index();
  if (w.shape.memory == StorageClass::Workgroup) {
    auto word = workgroup<U32[]>(inv, size, "word", kZeroed);
    if (waits(w.shape, i, size)) wait_for_all(inv, w, word, size);
  } else if (waits(w.shape, i, size)) {
    wait_for_all(inv, w, part(words, inv.workgroup_id().x * size, size), size);
  }
  if (meets) inv.workgroup_barrier(kMeet);
};

/// The processor time until that is told; more than all bounds if something else comes of it.
double seconds_until_told(const Weak& w, const Size& size, bool meets, const char* policy) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.subgroup_size = shapes::kSubgroup;
  options.memory = memory_policy(policy);
  Device device(options);
  const std::vector<U32> zeros(std::size_t{size.workgroups} * size.invocations, 0u);
  auto words = device.buffer(zeros, "words");
  const std::clock_t begin = std::clock();
  try {
    device.dispatch(stuck, {size.workgroups}, {size.invocations}, w, meets, words);
  } catch (const KernelError& error) {
    if (error.finding().kind == FindingKind::NoProgress)
      return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    throw;
  }
  return 1e9;
}

}  // namespace

TEST_CASE("that nothing goes on is told within a second of processor time on every shape that waits in vain",
          "[nightly]") {
  // Unoptimized code of the shapes takes five times as long. Code with a sanitizer was seen to take as much, on a busy
  // machine.
#ifdef __OPTIMIZE__
  constexpr double kMost = HEDDLE_TEST_SANITIZED ? 10 : 1;
#else
  constexpr double kMost = 5;
#endif
  std::set<std::string> seen;
  double longest = 0;
  std::string of;
  for (Weak w : all()) {
    w.removed = Removed::Nothing;
    if (!shapes::is_atomic(w.shape.act) && w.shape.act != Act::OperandsOfAccesses) continue;
    if (!seen.insert(name_of(w)).second) continue;
    if (!nightly() && (seen.size() - 1) % 5 != 0) continue;
    for (const Size& size : {Size{2, 32}, Size{8, 128}}) {
      for (const char* policy : {"sequential", "random", "adversarial"}) {
        for (const bool meets : {true, false}) {
          const double seconds = seconds_until_told(w, size, meets, policy);
          INFO(name_of(w) << ", " << size.workgroups << " x " << size.invocations << ", " << policy
                          << (meets ? ", others at a barrier" : ", others have ended"));
          CHECK(seconds < kMost);
          if (seconds <= longest) continue;
          longest = seconds;
          of = name_of(w) + " " + policy;
        }
      }
    }
  }
  CHECK(!seen.empty());
  if (std::getenv("HEDDLE_SHAPES_PRINT") != nullptr) std::printf("longest: %.2f s, %s\n", longest, of.c_str());
}

}  // namespace heddle::weak_shapes
