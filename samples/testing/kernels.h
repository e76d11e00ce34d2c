#pragma once

/// \file
/// What both files of tests test: each invocation of a workgroup reads what its neighbour wrote.
/// The right kernel has a barrier between the two, the wrong one has none.

#include <heddle/heddle.h>

#include <cstdint>

inline constexpr std::uint32_t kSize = 8;
/// Where `neighbour` writes, and where it reads.
inline constexpr std::uint32_t kWriteLine = __LINE__ + 7;
inline constexpr std::uint32_t kReadLine = kWriteLine + 2;

template <bool right>
constexpr auto neighbour = [](auto& inv, heddle::StorageBuffer<std::uint32_t> auto out) {
  auto tile = heddle::workgroup<std::uint32_t[kSize]>(inv, "tile", heddle::kZeroed);
  const std::uint32_t i = inv.local_invocation_index();
  tile[i] = i + 1;
  if constexpr (right) inv.workgroup_barrier();
  out[i] = tile[(i + 1) % kSize];
};
