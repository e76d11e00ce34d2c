#pragma once

/// \file
/// The five reference kernels in phases: what each invocation does is what it does in kernels.h.

#include "benchmarks/kernels.h"

#include <heddle/phases.h>

namespace heddle::benchmarks {

inline constexpr auto saxpy_in_phases =
    in_phases([](auto& group, float a, StorageBuffer<const float> auto x, StorageBuffer<float> auto y) {
      group.each([&](auto& inv) {
        const auto i = inv.global_invocation_id().x;
        y[i] = a * x[i] + y[i];
      });
    });

inline constexpr auto reduce_in_phases =
    in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out) {
      auto tile = workgroup<std::uint32_t[kGroup]>(group, "tile");
      group.each([&](auto& inv) { tile[inv.local_invocation_index()] = in[inv.global_invocation_id().x]; });
      for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
        group.first(half, [&](auto& inv) {
          // 64 bits wide: a compiler vectorizes `tile[i + half]` only if it sees that the sum does not wrap.
          const std::uint64_t i = inv.local_invocation_index();
          tile[i] += tile[i + half];
        });
      }
      group.once([&](auto& inv) { out[inv.workgroup_id().x] = tile[0]; });
    });

inline constexpr auto matmul_in_phases = in_phases([](auto& group, std::uint32_t n, StorageBuffer<const float> auto a,
                                                      StorageBuffer<const float> auto b, StorageBuffer<float> auto c) {
  auto tile_a = workgroup<float[kTile][kTile]>(group, "tile_a");
  auto tile_b = workgroup<float[kTile][kTile]>(group, "tile_b");
  auto sum = per_invocation<float>(group, "sum");
  group.each([&](auto& inv) { sum[inv] = 0.0f; }, kNoBarrier);
  for (std::uint32_t t = 0; t < n; t += kTile) {
    group.each([&](auto& inv) {
      const auto local = inv.local_invocation_id();
      const auto global = inv.global_invocation_id();
      tile_a[local.y][local.x] = a[std::uint64_t{global.y} * n + t + local.x];
      tile_b[local.y][local.x] = b[std::uint64_t{t + local.y} * n + global.x];
    });
    group.each([&](auto& inv) {
      const auto local = inv.local_invocation_id();
      float more = sum[inv];
      for (std::uint32_t k = 0; k < kTile; ++k) more += tile_a[local.y][k] * tile_b[k][local.x];
      sum[inv] = more;
    });
  }
  group.each([&](auto& inv) {
    const auto global = inv.global_invocation_id();
    c[std::uint64_t{global.y} * n + global.x] = sum[inv];
  });
});

inline constexpr auto histogram_in_phases =
    in_phases([](auto& group, StorageBuffer<const std::uint8_t> auto in, StorageBuffer<std::uint32_t> auto bins) {
      auto local = workgroup<std::uint32_t[kBins]>(group, "local");
      group.each([&](auto& inv) { local[inv.local_invocation_index()] = 0u; });
      group.each([&](auto& inv) {
        const std::uint32_t value = in[inv.global_invocation_id().x];
        inv.atomic_i_add(local[value], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
      });
      group.each([&](auto& inv) {
        const auto i = inv.local_invocation_index();
        const std::uint32_t count = local[i];
        inv.atomic_i_add(bins[i], Scope::Device, MemorySemantics::Relaxed, count);
      });
    });

inline constexpr auto scan_in_phases =
    in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto in, StorageBuffer<std::uint32_t> auto out) {
      auto tile = workgroup<std::uint32_t[2][kGroup]>(group, "tile");
      group.each([&](auto& inv) { tile[0][inv.local_invocation_index()] = in[inv.global_invocation_id().x]; });
      std::uint32_t from = 0;
      for (std::uint32_t distance = 1; distance < kGroup; distance *= 2) {
        group.each([&](auto& inv) {
          const std::uint64_t i = inv.local_invocation_index();
          std::uint32_t sum = tile[from][i];
          if (i >= distance) sum += tile[from][i - distance];
          tile[1 - from][i] = sum;
        });
        from = 1 - from;
      }
      group.each([&](auto& inv) { out[inv.global_invocation_id().x] = tile[from][inv.local_invocation_index()]; });
    });

}  // namespace heddle::benchmarks
