#pragma once

/// \file
/// Wrong forms of kernels that people write, for the changes that are proposed to mend them.

#include <functional>
#include <string>
#include <vector>

#include <heddle/heddle.h>

namespace heddle::corpus {

using U32 = std::uint32_t;

constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

/// A program with one thing missing, or wrong.
struct Program {
  std::string name;
  /// Whether the result is right.
  std::function<bool(Device&)> run;
  /// What the reason of its first race says.
  std::string reason = "";
};

/// The tile, scan and tree of one workgroup.
std::vector<Program> tiles();
/// What a workgroup uses again, counts, or is told by one of it.
std::vector<Program> rounds();
/// Messages between workgroups.
std::vector<Program> messages();
/// Locks, tables, queues, and what several dispatches share.
std::vector<Program> shared();
/// Sorts, scans, products and solvers of one workgroup.
std::vector<Program> algorithms();
/// Locks, barriers, rings and queues that workgroups share.
std::vector<Program> structures();

inline std::vector<Program> all() {
  std::vector<Program> out;
  for (const auto& some : {tiles(), rounds(), messages(), shared(), algorithms(), structures()})
    out.insert(out.end(), some.begin(), some.end());
  return out;
}

inline std::vector<U32> counted(U32 size, U32 from = 0) {
  std::vector<U32> out(size);
  for (U32 i = 0; i < size; ++i) out[i] = from + i;
  return out;
}

/// Runs the kernel on a buffer `in` with 0, 1, 2 ..., and asks whether each `out[i]` is `expected(i)`.
template <typename Kernel, typename Expected>
std::function<bool(Device&)> in_groups(const Kernel& kernel, U32 groups, U32 size, U32 results,
                                       const Expected& expected) {
  return [=](Device& device) {
    auto in = device.buffer(counted(groups * size), "in");
    auto out = device.buffer(std::vector<U32>(results, 0u), "out");
    device.dispatch(kernel, {groups}, {size}, in, out);
    const std::vector<U32> found = out.read();
    for (U32 i = 0; i < results; ++i)
      if (found[i] != expected(i)) return false;
    return true;
  };
}

/// As that, with a buffer `data` and a buffer `flags` that are 0.
template <typename Kernel, typename Expected>
std::function<bool(Device&)> by_flags(const Kernel& kernel, U32 groups, U32 size, U32 results,
                                      const Expected& expected) {
  return [=](Device& device) {
    auto data = device.buffer(std::vector<U32>(64, 0u), "data");
    auto flags = device.buffer(std::vector<U32>(64, 0u), "flags");
    auto out = device.buffer(std::vector<U32>(results, 0u), "out");
    device.dispatch(kernel, {groups}, {size}, data, flags, out);
    const std::vector<U32> found = out.read();
    for (U32 i = 0; i < results; ++i)
      if (found[i] != expected(i)) return false;
    return true;
  };
}

}  // namespace heddle::corpus
