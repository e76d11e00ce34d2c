#pragma once

/// \file
/// The five reference kernels. Workgroups of 256 invocations; `matmul` in tiles of 16 x 16.

#include <heddle/heddle.h>

namespace heddle::benchmarks {

inline constexpr std::uint32_t kGroup = 256;
inline constexpr std::uint32_t kTile = 16;
inline constexpr std::uint32_t kBins = 256;

inline constexpr auto saxpy = [](auto& inv, float a, StorageBuffer<const float> auto x, StorageBuffer<float> auto y) {
  const auto i = inv.global_invocation_id().x;
  y[i] = a * x[i] + y[i];
};

/// Sums each workgroup's part: a tree in Workgroup memory, a barrier a level.
inline constexpr auto reduce = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                                  StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[kGroup]>(inv, "tile");
  const auto i = inv.local_invocation_index();
  tile[i] = in[inv.global_invocation_id().x];
  inv.workgroup_barrier();
  for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
    if (i < half) tile[i] += tile[i + half];
    inv.workgroup_barrier();
  }
  if (i == 0) out[inv.workgroup_id().x] = tile[0];
};

/// c = a b for square matrices of `n` rows, a multiple of 16; two barriers a tile.
inline constexpr auto matmul = [](auto& inv, std::uint32_t n, StorageBuffer<const float> auto a,
                                  StorageBuffer<const float> auto b, StorageBuffer<float> auto c) {
  auto tile_a = workgroup<float[kTile][kTile]>(inv, "tile_a");
  auto tile_b = workgroup<float[kTile][kTile]>(inv, "tile_b");
  const auto local = inv.local_invocation_id();
  const auto global = inv.global_invocation_id();
  float sum = 0;
  for (std::uint32_t t = 0; t < n; t += kTile) {
    tile_a[local.y][local.x] = a[global.y * n + t + local.x];
    tile_b[local.y][local.x] = b[(t + local.y) * n + global.x];
    inv.workgroup_barrier();
    for (std::uint32_t k = 0; k < kTile; ++k) sum += tile_a[local.y][k] * tile_b[k][local.x];
    inv.workgroup_barrier();
  }
  c[global.y * n + global.x] = sum;
};

/// 256 bins in Workgroup memory, then Device atomics.
inline constexpr auto histogram = [](auto& inv, StorageBuffer<const std::uint8_t> auto in,
                                     StorageBuffer<std::uint32_t> auto bins) {
  auto local = workgroup<std::uint32_t[kBins]>(inv, "local");
  const auto i = inv.local_invocation_index();
  local[i] = 0u;
  inv.workgroup_barrier();
  const std::uint32_t value = in[inv.global_invocation_id().x];
  inv.atomic_i_add(local[value], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
  inv.workgroup_barrier();
  const std::uint32_t count = local[i];
  inv.atomic_i_add(bins[i], Scope::Device, MemorySemantics::Relaxed, count);
};

/// Inclusive sums of each workgroup's part: Hillis-Steele in Workgroup memory, double-buffered.
inline constexpr auto scan = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                                StorageBuffer<std::uint32_t> auto out) {
  auto tile = workgroup<std::uint32_t[2][kGroup]>(inv, "tile");
  const auto i = inv.local_invocation_index();
  std::uint32_t from = 0;
  tile[0][i] = in[inv.global_invocation_id().x];
  inv.workgroup_barrier();
  for (std::uint32_t distance = 1; distance < kGroup; distance *= 2) {
    std::uint32_t sum = tile[from][i];
    if (i >= distance) sum += tile[from][i - distance];
    from = 1 - from;
    tile[from][i] = sum;
    inv.workgroup_barrier();
  }
  out[inv.global_invocation_id().x] = tile[from][i];
};

}  // namespace heddle::benchmarks
