#pragma once

/// \file
/// The loops that run a kernel for the invocations of a workgroup, in either mode.

#include <heddle/detail/arguments.h>
#include <heddle/detail/switch.h>

#include <span>
#include <tuple>
#include <utility>

namespace heddle {

namespace detail {

/// What `run` is given: the kernel, its arguments, and what they are in native mode.
template <typename Kernel, typename... Args>
struct Call {
  const Kernel& kernel;
  std::tuple<const Args&...> arguments;
  std::tuple<decltype(Argument<Args>::native(std::declval<const Args&>()))...> native;
};

template <typename Kernel, typename... Args>
[[gnu::noinline]] std::uint32_t run_native_range(const void* opaque, runtime::Workgroup& group, std::uint32_t first,
                                                 std::uint32_t last, bool registered, std::uint64_t& more) {
  const auto& call = *static_cast<const Call<Kernel, Args...>*>(opaque);
  // Parameters by value, so that the loop has them in registers. The loop runs over global x, row by
  // row, because a compiler vectorizes `x[i]` only if it sees that `i` does not wrap.
  return std::apply(
      [&](auto... parameters) {
        const uvec3 size = group.grid->local;
        for (;; --more, runtime::next_id(group.id, *group.grid)) {
          const uvec3 base = group.id * size;
          uvec3 local = group.grid->local_id(first);
          std::uint32_t i = first;
          std::uint32_t x = 0;
          std::uint32_t row = 0;
          try {
            while (i < last) {
              row = base.x + local.x;
              const std::uint32_t row_end = row + (last - i < size.x - local.x ? last - i : size.x - local.x);
              for (x = row; x < row_end; ++x) {
                native::Invocation invocation(group, i + (x - row), {local.x + (x - row), local.y, local.z},
                                              {x, base.y + local.y, base.z + local.z}, registered);
                call.kernel(invocation, parameters...);
                if (invocation.waited()) return i + (x - row) + 1;
              }
              i += row_end - row;
              local.x = 0;
              if (++local.y == size.y) {
                local.y = 0;
                ++local.z;
              }
            }
          } catch (...) {
            runtime::kernel_threw(group, i + (x - row));
            return i + (x - row) + 1;
          }
          if (more == 0) return last;
        }
      },
      call.native);
}

template <typename Kernel, typename... Args>
std::uint32_t run_native(const void* opaque, runtime::Workgroup& group, std::uint64_t& more) {
  return run_native_range<Kernel, Args...>(opaque, group, 0, group.grid->group_size, false, more);
}

template <typename Kernel, typename... Args>
bool run_native_registered(const void* opaque, runtime::Workgroup& group, std::uint32_t index, bool) {
  std::uint64_t no_more = 0;
  run_native_range<Kernel, Args...>(opaque, group, index, index + 1, true, no_more);
  return true;
}

/// The kernel for a stack of its own: no loop over invocations, so that the frame that waits
/// holds little more than what lives across a barrier. Flattened: whether the compiler inlines a
/// kernel must not depend on its size, for in a function of its own it reaches everything through
/// the address of the invocation, and returns where the processor does not expect it.
template <typename Kernel, typename... Args>
[[gnu::flatten]] bool run_native_turns(const void* opaque, runtime::Ring* ring) {
  const auto& call = *static_cast<const Call<Kernel, Args...>*>(opaque);
  do {
    runtime::Workgroup& group = *ring->next;
    const auto index = static_cast<std::uint32_t>(ring->current - ring->begin);
    try {
      const uvec3 local = group.grid->local_id(index);
      native::Invocation invocation(group, index, local, group.id * group.grid->local + local, true);
      std::apply([&](const auto&... parameters) { call.kernel(invocation, parameters...); }, call.native);
    } catch (...) {
      runtime::kernel_threw(group, index);
    }
#if HEDDLE_INLINE_SWITCH
    if (ring->line == runtime::kTheEnd && ring->current != ring->last) [[likely]] {
      ring = runtime::hand_over(ring);
      continue;
    }
#endif
    if (!runtime::invocation_ended()) return true;
  } while (ring->next);
  return false;
}

/// How the workgroups of a kernel run in native mode.
template <typename Kernel, typename... Args>
struct NativeEntries {
  static runtime::Entries entries() {
    return {&run_native<Kernel, Args...>, &run_native_registered<Kernel, Args...>, &run_native_turns<Kernel, Args...>};
  }
};

/// Runs an invocation, whose arguments are bound; returns whether it has waited or thrown. (Not a part of those who
/// call it, and flattened: so the kernel is a part of this, whatever its size, and finds the invocation in its own
/// frame, which is the last one of a stack of its own. An invocation that goes on after a switch waits for one load
/// less.)
template <typename Kernel, typename... Args>
[[gnu::hot, gnu::noinline, gnu::flatten]] bool run_emulated_invocation(const void* opaque, runtime::Workgroup& group,
                                                                       std::uint32_t index, bool registered) {
  try {
    const auto& call = *static_cast<const Call<Kernel, Args...>*>(opaque);
    emulation::Resident& resident = emulation::Resident::of(group);
    emulated::Invocation invocation(group, index, registered, resident);
    [[maybe_unused]] const auto place = [&](std::size_t k) {
      emulated::Place p;
      p.invocation = &invocation;
      p.binding = resident.arguments + k;
      // No argument is in Workgroup memory, whose qualifiers are others.
      p.qualifiers = default_qualifiers(StorageClass::StorageBuffer);
      return p;
    };
    [&]<std::size_t... n>(std::index_sequence<n...>) {
      call.kernel(invocation, Argument<Args>::emulated(std::get<n>(call.arguments), place(n))...);
    }
    (std::index_sequence_for<Args...>{});
    return invocation.waited();
  } catch (...) {
    runtime::kernel_threw(group, index);
    return true;
  }
}

template <typename Kernel, typename... Args>
[[gnu::hot]] std::uint32_t run_emulated(const void* opaque, runtime::Workgroup& group, std::uint64_t&) {
  const std::uint32_t size = group.grid->group_size;
  for (std::uint32_t i = 0; i < size; ++i) {
    group.running = i;
    if (run_emulated_invocation<Kernel, Args...>(opaque, group, i, false)) return i + 1;
  }
  return size;
}

/// As run_native_turns.
template <typename Kernel, typename... Args>
bool run_emulated_turns(const void* opaque, runtime::Ring* ring) {
  do {
    const auto index = static_cast<std::uint32_t>(ring->current - ring->begin);
    run_emulated_invocation<Kernel, Args...>(opaque, *ring->next, index, true);
#if HEDDLE_INLINE_SWITCH
    if (ring->line == runtime::kTheEnd && ring->current != ring->last) [[likely]] {
      ring = runtime::hand_over(ring);
      continue;
    }
#endif
    if (!runtime::invocation_ended()) return true;
  } while (ring->next);
  return false;
}

/// A dispatch without its types.
struct TypedLaunch {
  runtime::Entries native;
  runtime::Entries emulated;
  const void* call = nullptr;
  /// The size of workgroups that the kernel requires; null if it requires none.
  const uvec3* required_local = nullptr;
  /// One for each argument; without an allocation for those that are no memory.
  std::span<const emulation::Binding> bindings;
  /// The id of the first workgroup.
  uvec3 base{0, 0, 0};
};

}  // namespace detail

}  // namespace heddle
