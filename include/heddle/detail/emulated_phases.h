#pragma once

/// \file
/// Kernels in phases in emulated mode: each invocation runs the code of the group by itself, and waits for the others
/// at the end of each region.

#include <heddle/detail/emulated.h>
#include <heddle/detail/emulated_phase_lanes.h>
#include <heddle/detail/region_end.h>

#include <string_view>

namespace heddle::emulated {

/// A variable of this invocation: its initialization is checked.
template <typename T>
class PerInvocation {
 public:
  using value_type = T;
  PerInvocation(Invocation& inv, std::string_view name, SourceLocation where) : own_(inv, name, where) {}
  PerInvocation(const PerInvocation&) = delete;
  auto operator[](InvocationAt at) { return own_[detail::Index(0, at.where)]; }

 private:
  PrivateVariable<T[1]> own_;
};
template <typename E, std::size_t n>
class PerInvocation<E[n]> {
 public:
  PerInvocation(Invocation& inv, std::string_view name, SourceLocation where) : own_(inv, name, where) {}
  PerInvocation(const PerInvocation&) = delete;
  PrivateVariable<E[n]>& operator[](const Invocation&) { return own_; }

 private:
  PrivateVariable<E[n]> own_;
};

/// What a kernel in phases is written with: see heddle/phases.h.
class Group : public GroupLanes {
 public:
  explicit Group(Invocation& inv) : GroupLanes(inv) {}
  Group(const Group&) = delete;

  uvec3 num_workgroups() const { return inv_.num_workgroups(); }
  uvec3 workgroup_size() const { return inv_.workgroup_size(); }
  uvec3 workgroup_id() const { return inv_.workgroup_id(); }
  std::uint32_t subgroup_size() const { return inv_.subgroup_size(); }
  std::uint32_t num_subgroups() const { return inv_.num_subgroups(); }

  template <typename F>
  [[gnu::always_inline]] void each(const F& f, RegionEnd end = kWorkgroupBarrier,
                                   SourceLocation where = SourceLocation::current()) {
    f(inv_);
    finish(end, where);
  }
  template <typename F>
  [[gnu::always_inline]] void first(std::uint32_t count, const F& f, RegionEnd end = kWorkgroupBarrier,
                                    SourceLocation where = SourceLocation::current()) {
    if (inv_.local_invocation_index() < count) f(inv_);
    finish(end, where);
  }
  template <typename F>
  [[gnu::always_inline]] void once(const F& f, RegionEnd end = kWorkgroupBarrier,
                                   SourceLocation where = SourceLocation::current()) {
    first(1, f, end, where);
  }

  /// The barrier has these tags.
  template <typename F>
  [[gnu::always_inline]] void each(const F& f, const WithTags<RegionEnd>& end,
                                   SourceLocation where = SourceLocation::current()) {
    f(inv_);
    finish(end, where);
  }
  template <typename F>
  [[gnu::always_inline]] void first(std::uint32_t count, const F& f, const WithTags<RegionEnd>& end,
                                    SourceLocation where = SourceLocation::current()) {
    if (inv_.local_invocation_index() < count) f(inv_);
    finish(end, where);
  }
  template <typename F>
  [[gnu::always_inline]] void once(const F& f, const WithTags<RegionEnd>& end,
                                   SourceLocation where = SourceLocation::current()) {
    first(1, f, end, where);
  }

  template <typename R>
  typename R::value_type uniform_load(const R& ref, SourceLocation where = SourceLocation::current()) {
    return inv_.workgroup_uniform_load(ref, where);
  }
  template <typename T>
  auto workgroup(std::string_view name, InitialValue initial, SourceLocation where) {
    return inv_.template workgroup<T>(name, initial, where);
  }
  template <typename E>
  auto workgroup_array(std::uint64_t size, std::string_view name, InitialValue initial, SourceLocation where) {
    return inv_.template workgroup_array<E>(size, name, initial, where);
  }
  template <typename T>
  PerInvocation<T> per_invocation(std::string_view name, SourceLocation where) {
    return PerInvocation<T>(inv_, name, where);
  }

 private:
  using GroupLanes::inv_;

  [[gnu::always_inline]] void finish(RegionEnd end, const SourceLocation& where) {
    if (!end.waits()) return;
    inv_.control_barrier(Scope::Workgroup, Scope::Workgroup, dynamic(end.semantics()), where);
  }
  // A template, so that a program whose regions have no tags is not marked as one with tags.
  template <typename End, typename I = Invocation>
  [[gnu::always_inline]] void finish(const WithTags<End>& end, const SourceLocation& where) {
    const detail::Tagging<I, true> here(inv_, end.tags());
    finish(end.argument(), where);
  }
};

}  // namespace heddle::emulated
