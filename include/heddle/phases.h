#pragma once

/// \file
/// The second form of kernel, in phases: code that runs once for a workgroup, with regions that run for each of its
/// invocations, and a barrier of the workgroup at the end of each region.
///
///     constexpr auto block_sum = in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto in,
///                                             StorageBuffer<std::uint32_t> auto out) {
///       auto tile = workgroup<std::uint32_t[256]>(group, "tile");
///       group.each([&](auto& inv) { tile[inv.local_invocation_index()] = in[inv.global_invocation_id().x]; });
///       for (std::uint32_t half = 128; half > 0; half /= 2)
///         group.first(half, [&](auto& inv) {
///           const auto i = inv.local_invocation_index();
///           tile[i] += tile[i + half];
///         });
///       group.once([&](auto& inv) { out[inv.workgroup_id().x] = tile[0]; });
///     });
///
/// It is dispatched as any kernel. Natively a region is a loop over the invocations, which the compiler vectorizes
/// where it can: there is nothing to wait for, and so no fiber. Emulated it is the first form: each invocation on its
/// own, a control barrier at the end of each region, every access seen.
///
/// What a `group` has, in either mode:
/// - `each(f)`: f(inv) for each invocation; `first(n, f)`: for those whose local invocation index is below `n`;
///   `once(f)`: for that of index 0. At the end of the region all wait for each other, with the semantics
///   kWorkgroupBarrier. Behind `f` others may be named, `each(f, kWorkgroupBarrier | kBufferBarrier)`, or none:
///   `each(f, kNoBarrier)`. With tags (heddle/tags.h): `each(f, kWorkgroupBarrier | tag("sync-as:3"))`.
/// - `num_workgroups()`, `workgroup_size()`, `workgroup_id()`, `subgroup_size()`, `num_subgroups()`.
/// - `workgroup<T>(group, name)`: a variable in Workgroup memory. `per_invocation<T>(group, name)`: one of each
///   invocation, which it keeps from one region to the next; `v[inv]` is that of `inv`.
/// - `uniform_load(x[i])`: the value of a Workgroup variable, for what the code between regions decides by it.
/// - The subgroup operations of the first form, between regions, since their lanes wait for each other. Each takes its
///   operand from a `per_invocation` variable and puts the result there: `group.group_non_uniform_i_add(operation, v)`,
///   `group.group_non_uniform_shuffle_down(v, 4)`, and so on for scalars, vectors and structs. A result of another type
///   has a variable of its own: `group_non_uniform_ballot(predicate, result)` (uvec4),
///   `group_non_uniform_all_equal(v, result)` (bool), `group_non_uniform_partition_nv(v, result)` (uvec4),
///   `group_non_uniform_elect(result)` (bool). The lane of `group_non_uniform_shuffle(v, id)` and the ballot of a
///   partitioned operation are variables, too. All lanes of a subgroup take part.
///
/// What `inv` has in a region is all that it has in the first form but what needs another invocation to go on:
/// barriers and subgroup operations do not compile there, nor do variables, which are declared between regions. A
/// region that polls for long by an atomic what does not change ends the dispatch with a finding that names the atomic.
///
/// The code between regions must do the same in all invocations of a workgroup, because natively it is there only
/// once. Where it does not, emulated mode reports barrier divergence, with both places.
///
/// Ordering: that of `workgroup_barrier` at the end of each region. Within a region, none between invocations:
/// natively, too, the accesses of two invocations in one region are taken for independent, as those of a loop that is
/// vectorized.

#include <heddle/detail/emulated_phases.h>
#include <heddle/detail/native_phases.h>
#include <heddle/detail/read_only_arguments.h>
#include <heddle/workgroup.h>

#include <string_view>
#include <type_traits>

namespace heddle {

namespace detail {

template <typename Invocation>
struct GroupOfMode {
  using type = emulated::Group;
};
template <>
struct GroupOfMode<native::Invocation> {
  using type = native::Group;
};

/// A kernel in phases, as dispatches take kernels.
template <typename F>
struct InPhases {
  F f;

  /// For one invocation, in emulated mode; natively the group is run as a whole (detail/native_phases.h).
  template <typename Invocation, typename... Parameters>
  requires kFits < F, typename GroupOfMode<Invocation>::type,
  const Parameters... > [[gnu::always_inline]] void operator()(Invocation& inv, const Parameters&... parameters) const {
    typename GroupOfMode<Invocation>::type group(inv);
    f(group, parameters...);
  }
};

template <typename F, typename Invocation>
struct BodyOf<InPhases<F>, Invocation> {
  using Type = F;
  using First = typename GroupOfMode<Invocation>::type;
};

}  // namespace detail

/// Makes a kernel of a function of a group and its parameters.
template <typename F>
constexpr detail::InPhases<F> in_phases(F f) {
  return {f};
}

/// A variable of each invocation, which keeps its value from one region to the next; it holds nothing until it is
/// written. `T` is a scalar, a vector, a struct, or an array of such, of which `v[inv][k]` is an element.
template <typename T, typename Group>
auto per_invocation(Group& group, std::string_view name = "", SourceLocation where = SourceLocation::current()) {
  return group.template per_invocation<T>(name, where);
}

}  // namespace heddle
