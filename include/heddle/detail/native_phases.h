#pragma once

/// \file
/// Kernels in phases in native mode: the code of the group runs once for a workgroup, on the worker's own stack, and a
/// region is a loop over the invocations.

#include <heddle/detail/launch.h>
#include <heddle/detail/native.h>
#include <heddle/detail/native_phase_lanes.h>
#include <heddle/detail/region_end.h>

#include <cstddef>
#include <string_view>

// The invocations of a region are independent, but for atomics, which are made so that loops with them stay as they
// are.
#ifdef __clang__
#define HEDDLE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace heddle::native {

/// Stops the compiler where something is said in a region that belongs elsewhere.
template <typename...>
inline constexpr bool kInRegion = true;
#define HEDDLE_NOT_IN_REGION(function, why)                                                                \
  template <typename... Args>                                                                              \
  __attribute__((unavailable("a region of a kernel in phases has no " #function ": " why))) void function( \
      const Args&...) {}
#define HEDDLE_NO_BARRIER_IN_REGION(function) HEDDLE_NOT_IN_REGION(function, "end the region, and begin another one")
#define HEDDLE_NO_SUBGROUP_IN_REGION(function)                                                       \
  HEDDLE_NOT_IN_REGION(function,                                                                     \
                       "lanes cannot wait for each other there; between regions the group has this " \
                       "operation")

/// The invocation of a region.
class RegionInvocation : public Invocation {
 public:
  [[gnu::always_inline]] RegionInvocation(runtime::Workgroup& group, std::uint64_t position, const uvec3& local,
                                          const uvec3& global)
      : Invocation(group, static_cast<std::uint32_t>(position), local, global, false), position_(position) {
    polls_in_region_ = true;
  }

  /// The local invocation index, as a number that does not wrap.
  std::uint64_t position() const { return position_; }

  HEDDLE_NO_BARRIER_IN_REGION(control_barrier)
  HEDDLE_NO_BARRIER_IN_REGION(workgroup_barrier)
  HEDDLE_NO_BARRIER_IN_REGION(workgroup_uniform_load)
  HEDDLE_NO_BARRIER_IN_REGION(named_barrier_initialize)
  HEDDLE_NO_BARRIER_IN_REGION(memory_named_barrier)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_elect)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_all)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_any)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_all_equal)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_partition_nv)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_broadcast)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_broadcast_first)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_ballot)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_shuffle)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_shuffle_xor)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_shuffle_up)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_shuffle_down)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_rotate_khr)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_quad_broadcast)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_quad_swap)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_quad_all_khr)
  HEDDLE_NO_SUBGROUP_IN_REGION(group_non_uniform_quad_any_khr)
#define HEDDLE_PHASE_OPERATION(function, Concept, Op) HEDDLE_NO_SUBGROUP_IN_REGION(function)
  HEDDLE_PHASE_OPERATIONS
#undef HEDDLE_PHASE_OPERATION
  template <typename T, typename... Args>
  void workgroup(const Args&...) {
    static_assert(!kInRegion<T>, "a Workgroup variable is declared between the regions of a kernel in phases");
  }
  template <typename T, typename... Args>
  void workgroup_array(const Args&...) {
    static_assert(!kInRegion<T>, "a Workgroup variable is declared between the regions of a kernel in phases");
  }

 private:
  std::uint64_t position_;
};
#undef HEDDLE_NO_SUBGROUP_IN_REGION
#undef HEDDLE_NO_BARRIER_IN_REGION
#undef HEDDLE_NOT_IN_REGION

/// A variable of each invocation: those of neighbours lie side by side.
template <typename T>
class PerInvocation {
 public:
  using value_type = T;
  explicit PerInvocation(std::byte* memory, std::uint32_t) : values_(reinterpret_cast<T*>(memory)) {}
  T& operator[](const RegionInvocation& inv) { return values_[inv.position()]; }
  T& at(std::uint64_t position) { return values_[position]; }

 private:
  T* values_;
};
template <typename E, std::size_t n>
class PerInvocation<E[n]> {
 public:
  explicit PerInvocation(std::byte* memory, std::uint32_t invocations)
      : values_(reinterpret_cast<E*>(memory)), invocations_(invocations) {}
  /// The elements of one invocation.
  class Elements {
   public:
    Elements(E* first, std::uint64_t stride) : first_(first), stride_(stride) {}
    template <std::integral I>
    E& operator[](I i) const {
      return first_[static_cast<std::uint64_t>(i) * stride_];
    }
    static constexpr std::uint64_t size() { return n; }

   private:
    E* first_;
    std::uint64_t stride_;
  };
  Elements operator[](const RegionInvocation& inv) { return Elements(values_ + inv.position(), invocations_); }

 private:
  E* values_;
  std::uint64_t invocations_;
};

/// What a kernel in phases is written with: see heddle/phases.h.
class Group : public GroupLanes {
 public:
  explicit Group(runtime::Workgroup& group) : GroupLanes(group), own_(group, 0, {}, {}, false) {}
  Group(const Group&) = delete;

  uvec3 num_workgroups() const { return grid().groups; }
  uvec3 workgroup_size() const { return grid().local; }
  uvec3 workgroup_id() const { return group_.id; }
  std::uint32_t subgroup_size() const { return grid().subgroup_size; }
  std::uint32_t num_subgroups() const { return grid().subgroups; }

  template <typename F>
  [[gnu::always_inline]] void each(const F& f, RegionEnd = kWorkgroupBarrier,
                                   SourceLocation = SourceLocation::current()) {
    if (grid().linear) {
      row(f, 0, grid().local.x, 0, 0);
      return;
    }
    const uvec3 size = grid().local;
    std::uint64_t begin = 0;
    for (std::uint32_t z = 0; z < size.z; ++z) {
      for (std::uint32_t y = 0; y < size.y; ++y, begin += size.x) row(f, begin, size.x, y, z);
    }
  }
  template <typename F>
  [[gnu::always_inline]] void first(std::uint32_t count, const F& f, RegionEnd = kWorkgroupBarrier,
                                    SourceLocation = SourceLocation::current()) {
    if (count > grid().group_size) count = grid().group_size;
    // Without the divisions below, which take longer than a short region.
    if (grid().linear) {
      row(f, 0, count, 0, 0);
      return;
    }
    const std::uint32_t width = grid().local.x;
    std::uint32_t line = 0;
    for (std::uint64_t begin = 0; begin < count; begin += width, ++line) {
      const std::uint64_t left = count - begin;
      row(f, begin, left < width ? static_cast<std::uint32_t>(left) : width, line % grid().local.y,
          line / grid().local.y);
    }
  }
  template <typename F>
  [[gnu::always_inline]] void once(const F& f, RegionEnd = kWorkgroupBarrier,
                                   SourceLocation = SourceLocation::current()) {
    row(f, 0, 1, 0, 0);
  }

  template <typename F>
  [[gnu::always_inline]] void each(const F& f, const WithTags<RegionEnd>& end,
                                   SourceLocation where = SourceLocation::current()) {
    each(f, end.argument(), where);
  }
  template <typename F>
  [[gnu::always_inline]] void first(std::uint32_t count, const F& f, const WithTags<RegionEnd>& end,
                                    SourceLocation where = SourceLocation::current()) {
    first(count, f, end.argument(), where);
  }
  template <typename F>
  [[gnu::always_inline]] void once(const F& f, const WithTags<RegionEnd>& end,
                                   SourceLocation where = SourceLocation::current()) {
    once(f, end.argument(), where);
  }

  template <typename R>
  typename R::value_type uniform_load(const R& ref, SourceLocation = SourceLocation::current()) {
    return ref.load();
  }
  template <typename T>
  auto workgroup(std::string_view name, InitialValue initial, SourceLocation where) {
    return own_.template workgroup<T>(name, initial, where);
  }
  template <typename E>
  auto workgroup_array(std::uint64_t size, std::string_view name, InitialValue initial, SourceLocation where) {
    return own_.template workgroup_array<E>(size, name, initial, where);
  }
  template <typename T>
  PerInvocation<T> per_invocation(std::string_view, SourceLocation) {
    static_assert(detail::Plain<std::remove_all_extents_t<T>>);
    const std::uint64_t bytes = sizeof(T) * std::uint64_t{grid().group_size};
    return PerInvocation<T>(runtime::region_memory(variables_++, bytes), grid().group_size);
  }

 private:
  /// `count` invocations side by side, the first of which has the local invocation index `begin`.
  // Counted by global x and by local x at once: neither wraps, and either is what kernels find their elements by.
  template <typename F>
  [[gnu::always_inline]] void row(const F& f, std::uint64_t begin, std::uint32_t count, std::uint32_t y,
                                  std::uint32_t z) {
    const uvec3 base = group_.id * grid().local;
    const std::uint32_t end = base.x + count;
    std::uint32_t x = 0;
    try {
      std::uint32_t global = base.x;
      HEDDLE_INDEPENDENT_ITERATIONS
      for (; global < end; ++global) {
        RegionInvocation inv(group_, begin + x, {x, y, z}, {global, base.y + y, base.z + z});
        f(inv);
        ++x;
      }
    } catch (...) {
      runtime::kernel_threw(group_, static_cast<std::uint32_t>(begin + x));
      throw;
    }
  }

  /// Who asks for the variables.
  Invocation own_;
  std::uint32_t variables_ = 0;
};

}  // namespace heddle::native

namespace heddle::detail {

template <typename F>
struct InPhases;

/// Runs workgroups of a kernel in phases, one after the other. None of their invocations ever waits.
template <typename F, typename... Args>
std::uint32_t run_native_phases(const void* opaque, runtime::Workgroup& group, std::uint64_t& more) {
  const auto& call = *static_cast<const Call<InPhases<F>, Args...>*>(opaque);
  return std::apply(
      [&](auto... parameters) {
        const std::uint32_t size = group.grid->group_size;
        for (;; --more, runtime::next_id(group.id, *group.grid)) {
          try {
            native::Group phases(group);
            call.kernel.f(phases, parameters...);
          } catch (...) {
            runtime::kernel_threw(group, 0);
            return size;
          }
          if (more == 0) return size;
        }
      },
      call.native);
}

template <typename F, typename... Args>
struct NativeEntries<InPhases<F>, Args...> {
  static runtime::Entries entries() { return {&run_native_phases<F, Args...>, nullptr, nullptr}; }
};

}  // namespace heddle::detail
