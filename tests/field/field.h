#pragma once

/// \file
/// Kernels of the kinds that public GPU programs are made of, each right and with one thing removed or weakened.

#include <functional>
#include <string>
#include <vector>

#include <heddle/explore_kernel.h>
#include <heddle/heddle.h>

namespace heddle::field {

using U32 = std::uint32_t;

constexpr MemorySemantics kNone = MemorySemantics::None;

/// What a kernel synchronizes by. As it stands all of it is right for kernels that synchronize workgroups.
struct How {
  MemorySemantics give = kReleaseBuffers;
  MemorySemantics take = kAcquireBuffers;
  Scope scope = Scope::Device;
  /// Bit n: the n-th control barrier of the kernel is there.
  U32 barriers = ~0u;
};

/// A dispatch, to be run and to be explored.
struct Dispatched {
  /// Whether the result is right.
  std::function<bool(Device&)> run;
  /// All executions of the fewest workgroups that the kernel works with, which fill in out[0].
  std::function<KernelExecutions(KernelExploration&)> explored;
};

/// A dispatch of a kernel in one form.
struct Case {
  std::string name;
  Dispatched dispatched;
  bool right = true;
  /// What the first change that is offered has to say: the form that is right has that.
  std::string mends;
};

/// How many places of its result a kernel fills in: place p with p + 1.
constexpr U32 kPairs = 3;

template <typename Kernel>
Dispatched dispatched(const Kernel& kernel, U32 groups, U32 size, How how) {
  const auto run = [=](Device& device) {
    auto data = device.buffer(std::vector<U32>(4 * kPairs, 0u), "data");
    auto flags = device.buffer(std::vector<U32>(4 * kPairs, 0u), "flags");
    auto out = device.buffer(std::vector<U32>(kPairs, 0u), "out");
    device.dispatch(kernel, {groups}, {size}, data, flags, out, how);
    const std::vector<U32> found = out.read();
    for (U32 pair = 0; pair < kPairs; ++pair)
      if (found[pair] != pair + 1) return false;
    return true;
  };
  const auto explored = [=](KernelExploration& exploration) {
    auto data = exploration.device().buffer(std::vector<U32>(4 * kPairs, 0u), "data");
    auto flags = exploration.device().buffer(std::vector<U32>(4 * kPairs, 0u), "flags");
    auto out = exploration.device().buffer(std::vector<U32>(kPairs, 0u), "out");
    const U32 fewest = groups % kPairs == 0 ? groups / kPairs : groups;
    return exploration.dispatch(kernel, {fewest}, {size}, data, flags, out, how);
  };
  return {run, explored};
}

/// The n-th control barrier of a kernel, if it is there.
template <typename Invocation>
void barrier(Invocation& inv, const How& how, U32 n, SourceLocation where = SourceLocation::current()) {
  if ((how.barriers >> n & 1) != 0) inv.control_barrier(Scope::Workgroup, dynamic(how.scope), dynamic(how.give), where);
}

/// A memory barrier, if it does anything.
template <typename Invocation>
void fence(Invocation& inv, Scope scope, MemorySemantics semantics, SourceLocation where = SourceLocation::current()) {
  if (semantics != kNone) inv.memory_barrier(dynamic(scope), dynamic(semantics), where);
}

std::vector<Case> messages();
std::vector<Case> shared_data();
std::vector<Case> in_workgroup();
/// All cases that are right, or all that are not.
std::vector<Case> cases(bool right);

/// The right form of a kernel of pairs of workgroups, and seven that are not.
template <typename Kernel>
void add_pairs(const std::string& name, const Kernel& kernel, std::vector<Case>& out) {
  constexpr MemorySemantics kUnavailable = MemorySemantics::Release | MemorySemantics::UniformMemory;
  constexpr MemorySemantics kInvisible = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
  constexpr MemorySemantics kReleaseWorkgroup =
      MemorySemantics::Release | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable;
  constexpr MemorySemantics kAcquireWorkgroup =
      MemorySemantics::Acquire | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeVisible;
  const auto add = [&](const char* what, How how, const char* mends) {
    out.push_back({name + ": " + what, dispatched(kernel, 2 * kPairs, 1, how), *mends == 0, mends});
  };
  add("right", {}, "");
  add("no release", {.give = kNone}, "Release");
  add("no acquire", {.take = kNone}, "Acquire");
  add("made available nowhere", {.give = kUnavailable}, "MakeAvailable");
  add("made visible nowhere", {.take = kInvisible}, "MakeVisible");
  add("release of another class", {.give = kReleaseWorkgroup}, "UniformMemory");
  add("acquire of another class", {.take = kAcquireWorkgroup}, "UniformMemory");
  add("scope too narrow", {.scope = Scope::Workgroup}, "QueueFamily");
}

}  // namespace heddle::field
