#pragma once

/// \file
/// Subgroup operations between the regions of a kernel in phases, emulated: each invocation does the operation of the
/// first form with its own variable.

#include <heddle/detail/emulated.h>
#include <heddle/detail/phase_operations.h>

#include <concepts>
#include <cstdint>

namespace heddle::emulated {

/// An invocation, and where it was said, so that a finding can name the line.
struct InvocationAt {
  InvocationAt(const Invocation&, SourceLocation here = SourceLocation::current()) : where(here) {}
  SourceLocation where;
};

/// A variable with a scalar, a vector or a struct of each invocation.
template <typename V>
concept OfEachInvocation = requires(V& v, InvocationAt at) {
  typename V::value_type;
  v[at];
};
template <typename V, typename T>
concept OfEachInvocationThe = OfEachInvocation<V> && std::same_as<typename V::value_type, T>;

/// What a group does with the lanes of its subgroups: heddle/phases.h has the contracts.
class GroupLanes {
 public:
  explicit GroupLanes(Invocation& inv) : inv_(inv) {}

  void group_non_uniform_elect(OfEachInvocationThe<bool> auto& result,
                               SourceLocation where = SourceLocation::current()) const {
    store(result, inv_.group_non_uniform_elect(where), where);
  }
  void group_non_uniform_all(OfEachInvocationThe<bool> auto& v,
                             SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_all(load(v, where), where), where);
  }
  void group_non_uniform_any(OfEachInvocationThe<bool> auto& v,
                             SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_any(load(v, where), where), where);
  }
  void group_non_uniform_quad_all_khr(OfEachInvocationThe<bool> auto& v,
                                      SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_quad_all_khr(load(v, where), where), where);
  }
  void group_non_uniform_quad_any_khr(OfEachInvocationThe<bool> auto& v,
                                      SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_quad_any_khr(load(v, where), where), where);
  }
  void group_non_uniform_ballot(OfEachInvocationThe<bool> auto& predicate, OfEachInvocationThe<uvec4> auto& result,
                                SourceLocation where = SourceLocation::current()) const {
    store(result, inv_.group_non_uniform_ballot(load(predicate, where), where), where);
  }
  void group_non_uniform_all_equal(OfEachInvocation auto& v, OfEachInvocationThe<bool> auto& result,
                                   SourceLocation where = SourceLocation::current()) const {
    store(result, inv_.group_non_uniform_all_equal(load(v, where), where), where);
  }
  void group_non_uniform_partition_nv(OfEachInvocation auto& v, OfEachInvocationThe<uvec4> auto& result,
                                      SourceLocation where = SourceLocation::current()) const {
    store(result, inv_.group_non_uniform_partition_nv(load(v, where), where), where);
  }
  void group_non_uniform_broadcast(OfEachInvocation auto& v, std::uint32_t id,
                                   SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_broadcast(load(v, where), id, where), where);
  }
  void group_non_uniform_broadcast_first(OfEachInvocation auto& v,
                                         SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_broadcast_first(load(v, where), where), where);
  }
  void group_non_uniform_shuffle(OfEachInvocation auto& v, OfEachInvocationThe<std::uint32_t> auto& id,
                                 SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_shuffle(load(v, where), load(id, where), where), where);
  }
  void group_non_uniform_shuffle_xor(OfEachInvocation auto& v, std::uint32_t mask,
                                     SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_shuffle_xor(load(v, where), mask, where), where);
  }
  void group_non_uniform_shuffle_up(OfEachInvocation auto& v, std::uint32_t delta,
                                    SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_shuffle_up(load(v, where), delta, where), where);
  }
  void group_non_uniform_shuffle_down(OfEachInvocation auto& v, std::uint32_t delta,
                                      SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_shuffle_down(load(v, where), delta, where), where);
  }
  void group_non_uniform_rotate_khr(OfEachInvocation auto& v, std::uint32_t delta, std::uint32_t cluster_size = 0,
                                    SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_rotate_khr(load(v, where), delta, cluster_size, where), where);
  }
  void group_non_uniform_quad_broadcast(OfEachInvocation auto& v, std::uint32_t index,
                                        SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_quad_broadcast(load(v, where), index, where), where);
  }
  void group_non_uniform_quad_swap(OfEachInvocation auto& v, QuadSwap direction,
                                   SourceLocation where = SourceLocation::current()) const {
    store(v, inv_.group_non_uniform_quad_swap(load(v, where), direction, where), where);
  }

#define HEDDLE_PHASE_OPERATION(function, Concept, Op)                                      \
  template <OfEachInvocation V>                                                            \
  requires detail::Concept<detail::ComponentOf<typename V::value_type>>                    \
  void function(GroupOperation operation, V& v, std::uint32_t cluster_size = 0,            \
                SourceLocation where = SourceLocation::current()) const {                  \
    store(v, inv_.function(operation, load(v, where), cluster_size, where), where);        \
  }                                                                                        \
  template <OfEachInvocation V>                                                            \
  requires detail::Concept<detail::ComponentOf<typename V::value_type>>                    \
  void function(GroupOperation operation, V& v, OfEachInvocationThe<uvec4> auto& ballot,   \
                SourceLocation where = SourceLocation::current()) const {                  \
    store(v, inv_.function(operation, load(v, where), load(ballot, where), where), where); \
  }
  HEDDLE_PHASE_OPERATIONS
#undef HEDDLE_PHASE_OPERATION

 protected:
  Invocation& inv_;

 private:
  template <typename V>
  typename V::value_type load(V& v, const SourceLocation& where) const {
    return v[InvocationAt(inv_, where)];
  }
  template <typename V>
  void store(V& v, const typename V::value_type& value, const SourceLocation& where) const {
    v[InvocationAt(inv_, where)] = value;
  }
};

}  // namespace heddle::emulated
