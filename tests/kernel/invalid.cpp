// Semantics, scopes and operands that an instruction may not have, given as values that are only
// known when the kernel runs: each is refused with its reason, beside one that is taken.
// As constants they do not compile: compile/ has those.

#include "tests/device_under_test.h"

#include <functional>

using namespace heddle;
using heddle::test::contains;
using heddle::test::options_for;

namespace {

using S = MemorySemantics;

/// The text of the InvalidArgumentError that the kernel threw; empty if it threw none.
template <typename Kernel>
std::string refused(Mode mode, const Kernel& kernel) {
  Device device(options_for(mode));
  auto x = device.buffer({1u, 2u});
  try {
    device.dispatch(kernel, {1}, {1}, x);
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::Exception);
    try {
      std::rethrow_if_nested(error);
    } catch (const InvalidArgumentError& invalid) {
      return invalid.what();
    }
    FAIL(error.what());
  }
  return "";
}

std::string load(Mode mode, S semantics, Scope scope = Scope::Device) {
  return refused(mode, [=](auto& inv, auto x) { (void)inv.atomic_load(x[0], dynamic(scope), dynamic(semantics)); });
}
std::string store(Mode mode, S semantics) {
  return refused(mode, [=](auto& inv, auto x) { inv.atomic_store(x[0], Scope::Device, dynamic(semantics), 1); });
}
std::string add(Mode mode, S semantics, Scope scope = Scope::Device) {
  return refused(mode, [=](auto& inv, auto x) { inv.atomic_i_add(x[0], dynamic(scope), dynamic(semantics), 1); });
}
std::string unequal(Mode mode, S semantics) {
  return refused(mode, [=](auto& inv, auto x) {
    inv.atomic_compare_exchange(x[0], Scope::Device, MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory,
                                dynamic(semantics), 1, 0);
  });
}
std::string memory_barrier(Mode mode, S semantics, Scope scope = Scope::Device) {
  return refused(mode, [=](auto& inv, auto) { inv.memory_barrier(dynamic(scope), dynamic(semantics)); });
}
std::string control_barrier(Mode mode, S semantics, Scope execution = Scope::Workgroup) {
  return refused(
      mode, [=](auto& inv, auto) { inv.control_barrier(dynamic(execution), Scope::Workgroup, dynamic(semantics)); });
}
std::string read(Mode mode, MemoryOperands operands) {
  return refused(mode, [=](auto& inv, auto x) { (void)inv.load(x[0], dynamic(operands)); });
}
std::string write(Mode mode, MemoryOperands operands) {
  return refused(mode, [=](auto& inv, auto x) { inv.store(x[0], 1, dynamic(operands)); });
}

}  // namespace

//= vk:memory-model-memory-semantics type=test
TEST_CASE("semantics that contradict themselves are refused for every atomic") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  CHECK(add(mode, S::Relaxed) == "");
  CHECK(add(mode, S::AcquireRelease | S::UniformMemory) == "");
  CHECK(contains(add(mode, S::Acquire | S::Release | S::UniformMemory), "the two together are AcquireRelease"));
  CHECK(contains(add(mode, S::AcquireRelease | S::Release | S::UniformMemory), "more than one of"));
  CHECK(contains(add(mode, S::SequentiallyConsistent | S::UniformMemory), "not allowed in the Vulkan"));
  CHECK(contains(add(mode, S::UniformMemory), "mean nothing without"));
  CHECK(contains(add(mode, S::Acquire), "order nothing without"));
  CHECK(add(mode, kReleaseBuffers) == "");
  CHECK(contains(add(mode, S::Acquire | S::UniformMemory | S::MakeAvailable), "MakeAvailable needs"));
  CHECK(add(mode, kAcquireBuffers) == "");
  CHECK(contains(add(mode, S::Release | S::UniformMemory | S::MakeVisible), "MakeVisible needs"));
  CHECK(contains(add(mode, S::MakeAvailable), "MakeAvailable needs"));
  CHECK(contains(add(mode, S::Acquire | S::AtomicCounterMemory), "AtomicCounterMemory"));
  CHECK(contains(add(mode, S::Acquire | S::SubgroupMemory), "SubgroupMemory"));
  CHECK(contains(add(mode, S::Acquire | S::CrossWorkgroupMemory), "CrossWorkgroupMemory"));
  CHECK(contains(add(mode, static_cast<S>(0x20000)), "does not know"));
  CHECK(add(mode, S::Acquire | S::UniformMemory | S::Volatile) == "");
}

TEST_CASE("loads cannot release, stores cannot acquire, and neither does what fails to exchange") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  CHECK(load(mode, kAcquireBuffers) == "");
  CHECK(contains(load(mode, kReleaseBuffers), "atomic load cannot"));
  CHECK(contains(load(mode, S::AcquireRelease | S::UniformMemory), "atomic load cannot"));
  CHECK(store(mode, kReleaseBuffers) == "");
  CHECK(contains(store(mode, kAcquireBuffers), "atomic store cannot"));
  CHECK(contains(store(mode, S::AcquireRelease | S::UniformMemory), "atomic store cannot"));
  CHECK(unequal(mode, kAcquireBuffers) == "");
  CHECK(contains(unequal(mode, kReleaseBuffers), "unequal"));
  CHECK(contains(unequal(mode, S::AcquireRelease | S::UniformMemory), "unequal"));
}

TEST_CASE("scopes that Vulkan's memory model does not have are refused") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for (const Scope scope : {Scope::Device, Scope::QueueFamily, Scope::Workgroup, Scope::Subgroup, Scope::Invocation}) {
    CHECK(add(mode, S::Relaxed, scope) == "");
  }
  CHECK(contains(add(mode, S::Relaxed, Scope::CrossDevice), "CrossDevice"));
  CHECK(contains(add(mode, S::Relaxed, Scope::ShaderCallKHR), "ShaderCallKHR"));
  CHECK(contains(add(mode, S::Relaxed, Scope::FragmentInterlock), "FragmentInterlock"));
  CHECK(contains(add(mode, kAcquireBuffers, Scope::Invocation), "wider than Invocation"));
  CHECK(contains(load(mode, S::Relaxed, Scope::CrossDevice), "CrossDevice"));
}

TEST_CASE("barriers order something, are not Volatile, and wait at two scopes only") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  CHECK(memory_barrier(mode, kBufferBarrier) == "");
  CHECK(contains(memory_barrier(mode, S::Relaxed), "memory barrier needs"));
  CHECK(contains(memory_barrier(mode, kBufferBarrier | S::Volatile), "Volatile"));
  CHECK(contains(memory_barrier(mode, kBufferBarrier, Scope::Invocation), "wider than Invocation"));
  CHECK(control_barrier(mode, S::None) == "");
  CHECK(control_barrier(mode, kWorkgroupBarrier) == "");
  CHECK(contains(control_barrier(mode, S::WorkgroupMemory), "mean nothing without"));
  CHECK(contains(control_barrier(mode, kWorkgroupBarrier | S::Volatile), "Volatile"));
  CHECK(control_barrier(mode, S::None, Scope::Subgroup) == "");
  for (const Scope scope : {Scope::Device, Scope::QueueFamily, Scope::Invocation}) {
    CHECK(contains(control_barrier(mode, S::None, scope), "Workgroup or Subgroup"));
  }
}

TEST_CASE("memory operands belong to loads or to stores, and need NonPrivatePointer") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  using O = MemoryOperands;
  CHECK(read(mode, O::MakePointerVisible | O::NonPrivatePointer) == "");
  CHECK(contains(read(mode, O::MakePointerVisible), "need NonPrivatePointer"));
  CHECK(contains(read(mode, O::MakePointerAvailable | O::NonPrivatePointer), "this is a load"));
  CHECK(write(mode, O::MakePointerAvailable | O::NonPrivatePointer) == "");
  CHECK(contains(write(mode, O::MakePointerAvailable), "need NonPrivatePointer"));
  CHECK(contains(write(mode, O::MakePointerVisible | O::NonPrivatePointer), "this is a store"));
  CHECK(read(mode, O::Volatile | O::Nontemporal) == "");
}

TEST_CASE("image operands belong to reads or to writes, and need NonPrivateTexel") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  using O = ImageOperands;
  Device device(options_for(mode));
  auto image = device.image<float, ImageDim::Dim1D>({1});
  image.write(std::vector<float>{1});
  const auto attempt = [&](O operands, bool writes) -> std::string {
    const auto kernel = [=](auto&, auto im) {
      if (writes)
        im.write(0, 1.0f, dynamic(operands));
      else
        (void)im.read(0, dynamic(operands));
    };
    try {
      device.dispatch(kernel, {1}, {1}, image);
    } catch (const KernelError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(attempt(O::MakeTexelVisible | O::NonPrivateTexel, false) == "");
  CHECK(contains(attempt(O::MakeTexelVisible, false), "need NonPrivateTexel"));
  CHECK(contains(attempt(O::MakeTexelAvailable | O::NonPrivateTexel, false), "this is a read"));
  CHECK(attempt(O::MakeTexelAvailable | O::NonPrivateTexel, true) == "");
  CHECK(contains(attempt(O::MakeTexelAvailable, true), "need NonPrivateTexel"));
  CHECK(contains(attempt(O::MakeTexelVisible | O::NonPrivateTexel, true), "this is a write"));
}
