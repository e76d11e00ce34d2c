#pragma once

/// \file
/// Subgroup operations between the regions of a kernel in phases, natively: a loop over the lanes of each subgroup, all
/// of which are active.

#include <heddle/detail/invocation_base.h>
#include <heddle/detail/phase_operations.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace heddle::native {

/// A variable with a scalar, a vector or a struct of each invocation.
template <typename V>
concept OfEachInvocation = requires(V& v) {
  typename V::value_type;
  v.at(std::uint64_t{0});
};
template <typename V, typename T>
concept OfEachInvocationThe = OfEachInvocation<V> && std::is_same_v<typename V::value_type, T>;

/// What a group does with the lanes of its subgroups: heddle/phases.h has the contracts.
class GroupLanes {
 public:
  explicit GroupLanes(runtime::Workgroup& group) : group_(group) {}

  void group_non_uniform_elect(OfEachInvocationThe<bool> auto& result,
                               SourceLocation = SourceLocation::current()) const {
    for_each_lane([&](const Subgroup& s, std::uint32_t lane) { result.at(s.index(lane)) = lane == 0; });
  }
  void group_non_uniform_all(OfEachInvocationThe<bool> auto& v, SourceLocation = SourceLocation::current()) const {
    vote(v, [](const detail::Vote& vote, std::uint32_t) { return vote.yes == vote.active; });
  }
  void group_non_uniform_any(OfEachInvocationThe<bool> auto& v, SourceLocation = SourceLocation::current()) const {
    vote(v, [](const detail::Vote& vote, std::uint32_t) { return vote.yes != detail::LaneMask{}; });
  }
  void group_non_uniform_quad_all_khr(OfEachInvocationThe<bool> auto& v,
                                      SourceLocation = SourceLocation::current()) const {
    vote(v,
         [](const detail::Vote& vote, std::uint32_t lane) { return quad(vote.yes, lane) == quad(vote.active, lane); });
  }
  void group_non_uniform_quad_any_khr(OfEachInvocationThe<bool> auto& v,
                                      SourceLocation = SourceLocation::current()) const {
    vote(v, [](const detail::Vote& vote, std::uint32_t lane) { return quad(vote.yes, lane) != 0; });
  }
  void group_non_uniform_ballot(OfEachInvocationThe<bool> auto& predicate, OfEachInvocationThe<uvec4> auto& result,
                                SourceLocation = SourceLocation::current()) const {
    for_each_subgroup([&](const Subgroup& s) {
      const uvec4 ballot = detail::to_ballot(votes(s, predicate).yes);
      for (std::uint32_t lane = 0; lane < s.lanes; ++lane) result.at(s.index(lane)) = ballot;
    });
  }
  template <OfEachInvocation V>
  void group_non_uniform_all_equal(V& v, OfEachInvocationThe<bool> auto& result,
                                   SourceLocation = SourceLocation::current()) const {
    match(v, [&](std::uint64_t index, const auto& matched) { result.at(index) = matched.all; });
  }
  template <OfEachInvocation V>
  void group_non_uniform_partition_nv(V& v, OfEachInvocationThe<uvec4> auto& result,
                                      SourceLocation = SourceLocation::current()) const {
    match(v, [&](std::uint64_t index, const auto& matched) { result.at(index) = detail::to_ballot(matched.same); });
  }

  void group_non_uniform_broadcast(OfEachInvocation auto& v, std::uint32_t id,
                                   SourceLocation where = SourceLocation::current()) const {
    move(v, "group_non_uniform_broadcast", where, [id](const Subgroup&, std::uint32_t) { return id; });
  }
  void group_non_uniform_broadcast_first(OfEachInvocation auto& v,
                                         SourceLocation where = SourceLocation::current()) const {
    group_non_uniform_broadcast(v, 0, where);
  }
  void group_non_uniform_shuffle(OfEachInvocation auto& v, OfEachInvocationThe<std::uint32_t> auto& id,
                                 SourceLocation where = SourceLocation::current()) const {
    move(v, "group_non_uniform_shuffle", where,
         [&id](const Subgroup& s, std::uint32_t lane) { return id.at(s.index(lane)); });
  }
  void group_non_uniform_shuffle_xor(OfEachInvocation auto& v, std::uint32_t mask,
                                     SourceLocation where = SourceLocation::current()) const {
    move(v, "group_non_uniform_shuffle_xor", where,
         [mask](const Subgroup&, std::uint32_t lane) { return lane ^ mask; });
  }
  void group_non_uniform_shuffle_up(OfEachInvocation auto& v, std::uint32_t delta,
                                    SourceLocation where = SourceLocation::current()) const {
    move(v, nullptr, where, [delta](const Subgroup&, std::uint32_t lane) { return lane - delta; });
  }
  void group_non_uniform_shuffle_down(OfEachInvocation auto& v, std::uint32_t delta,
                                      SourceLocation where = SourceLocation::current()) const {
    move(v, nullptr, where, [delta](const Subgroup&, std::uint32_t lane) { return lane + delta; });
  }
  void group_non_uniform_rotate_khr(OfEachInvocation auto& v, std::uint32_t delta, std::uint32_t cluster_size = 0,
                                    SourceLocation where = SourceLocation::current()) const {
    if (cluster_size == 0) {
      cluster_size = grid().subgroup_size;
    } else {
      check_cluster(cluster_size, where);
    }
    move(v, "group_non_uniform_rotate_khr", where, [delta, cluster_size](const Subgroup&, std::uint32_t lane) {
      const std::uint32_t begin = lane / cluster_size * cluster_size;
      return begin + static_cast<std::uint32_t>((std::uint64_t{lane} - begin + delta) % cluster_size);
    });
  }
  void group_non_uniform_quad_broadcast(OfEachInvocation auto& v, std::uint32_t index,
                                        SourceLocation where = SourceLocation::current()) const {
    if (index > 3) refuse(fmt::format("a quad has no lane {}", index), where, 0);
    move(v, "group_non_uniform_quad_broadcast", where,
         [index](const Subgroup&, std::uint32_t lane) { return lane / 4 * 4 + index; });
  }
  void group_non_uniform_quad_swap(OfEachInvocation auto& v, QuadSwap direction,
                                   SourceLocation where = SourceLocation::current()) const {
    const std::uint32_t mask = static_cast<std::uint32_t>(direction) + 1;
    move(v, "group_non_uniform_quad_swap", where, [mask](const Subgroup&, std::uint32_t lane) { return lane ^ mask; });
  }

#define HEDDLE_PHASE_OPERATION(function, Concept, Op)                                                               \
  template <OfEachInvocation V>                                                                                     \
  requires detail::Concept<detail::ComponentOf<typename V::value_type>>                                             \
  void function(GroupOperation operation, V& v, std::uint32_t cluster_size = 0,                                     \
                SourceLocation where = SourceLocation::current()) const {                                           \
    using T = typename V::value_type;                                                                               \
    if (operation > GroupOperation::ClusteredReduce)                                                                \
      refuse("a partitioned operation needs the ballot of its partition", where, 0);                                \
    if (operation == GroupOperation::ClusteredReduce) check_cluster(cluster_size, where);                           \
    combine<detail::ByComponent<detail::Op, T>>(operation, v, cluster_size, [](std::uint64_t) { return uvec4{}; }); \
  }                                                                                                                 \
  template <OfEachInvocation V>                                                                                     \
  requires detail::Concept<detail::ComponentOf<typename V::value_type>>                                             \
  void function(GroupOperation operation, V& v, OfEachInvocationThe<uvec4> auto& ballot,                            \
                SourceLocation where = SourceLocation::current()) const {                                           \
    using T = typename V::value_type;                                                                               \
    if (operation <= GroupOperation::ClusteredReduce)                                                               \
      refuse("the ballot of a partition is for the partitioned operations", where, 0);                              \
    combine<detail::ByComponent<detail::Op, T>>(operation, v, 0, [&](std::uint64_t i) { return ballot.at(i); });    \
  }
  HEDDLE_PHASE_OPERATIONS
#undef HEDDLE_PHASE_OPERATION

 protected:
  const runtime::Grid& grid() const {
    return *group_.grid;
  }

  runtime::Workgroup& group_;

 private:
  /// One subgroup: how many lanes it has, and whose they are.
  struct Subgroup {
    const runtime::Grid& grid;
    std::uint32_t first;
    std::uint32_t lanes;
    /// The local invocation index of a lane.
    std::uint32_t index(std::uint32_t lane) const { return grid.index(first + lane); }
  };

  template <typename F>
  void for_each_subgroup(const F& f) const {
    const runtime::Grid& g = grid();
    for (std::uint32_t s = 0; s < g.subgroups; ++s) f(Subgroup{g, s * g.subgroup_size, g.lanes(s)});
  }
  template <typename F>
  void for_each_lane(const F& f) const {
    for_each_subgroup([&](const Subgroup& s) {
      for (std::uint32_t lane = 0; lane < s.lanes; ++lane) f(s, lane);
    });
  }
  /// The bits of the quad that `lane` is in.
  static std::uint64_t quad(const detail::LaneMask& mask, std::uint32_t lane) {
    return mask.words[lane / 64] >> (lane % 64 / 4 * 4) & 0xf;
  }

  template <typename V>
  static detail::Vote votes(const Subgroup& s, V& v) {
    detail::Vote vote;
    for (std::uint32_t lane = 0; lane < s.lanes; ++lane) {
      vote.active.set(lane);
      if (v.at(s.index(lane))) vote.yes.set(lane);
    }
    return vote;
  }
  template <typename V, typename F>
  void vote(V& v, const F& result) const {
    for_each_subgroup([&](const Subgroup& s) {
      const detail::Vote all = votes(s, v);
      for (std::uint32_t lane = 0; lane < s.lanes; ++lane) v.at(s.index(lane)) = result(all, lane);
    });
  }

  /// Calls one of detail/subgroup.h's functions with a payload a lane, then take(index, payload).
  template <typename Payload, typename Make, typename Take>
  void together(runtime::SubgroupFunction compute, const Make& make, const Take& take) const {
    for_each_subgroup([&](const Subgroup& s) {
      Payload payloads[runtime::kMaxSubgroupSize];
      void* pointers[runtime::kMaxSubgroupSize];
      detail::LaneMask active;
      for (std::uint32_t lane = 0; lane < s.lanes; ++lane) {
        payloads[lane] = make(s, lane);
        pointers[lane] = &payloads[lane];
        active.set(lane);
      }
      compute(pointers, active, s.lanes);
      for (std::uint32_t lane = 0; lane < s.lanes; ++lane) take(s.index(lane), payloads[lane]);
    });
  }
  template <typename V, typename F>
  void match(V& v, const F& take) const {
    using T = typename V::value_type;
    together<detail::Match<T>>(
        &detail::match<T>,
        [&](const Subgroup& s, std::uint32_t lane) {
          return detail::Match<T>{v.at(s.index(lane)), {}, false};
        },
        take);
  }
  /// Each lane takes the value of lane source(subgroup, lane). Where there is none it keeps its own, or, if the
  /// operation has a name, ends the dispatch with a finding.
  template <typename V, typename F>
  void move(V& v, const char* name, const SourceLocation& where, const F& source) const {
    using T = typename V::value_type;
    together<detail::Exchange<T>>(
        &detail::exchange<T>,
        [&](const Subgroup& s, std::uint32_t lane) {
          const T mine = v.at(s.index(lane));
          return detail::Exchange<T>{mine, source(s, lane), false, mine};
        },
        [&](std::uint32_t index, const detail::Exchange<T>& moved) {
          if (!moved.found && name != nullptr)
            refuse(fmt::format("{} from lane {}, which is not active", name, moved.source), where, index);
          v.at(index) = moved.result;
        });
  }
  template <typename Op, typename V, typename F>
  void combine(GroupOperation operation, V& v, std::uint32_t cluster_size, const F& ballot) const {
    using T = typename V::value_type;
    together<detail::Combination<T>>(
        &detail::combine<T, Op>,
        [&](const Subgroup& s, std::uint32_t lane) {
          const std::uint32_t index = s.index(lane);
          return detail::Combination<T>{v.at(index), operation, cluster_size, detail::to_mask(ballot(index)), {}};
        },
        [&](std::uint32_t index, const detail::Combination<T>& combined) { v.at(index) = combined.result; });
  }

  void check_cluster(std::uint32_t size, const SourceLocation& where) const {
    if (size == 0 || (size & (size - 1)) != 0 || size > grid().subgroup_size)
      refuse("the cluster size is not a power of two that is at most the subgroup size", where, 0);
  }
  [[noreturn]] void refuse(std::string why, const SourceLocation& where, std::uint32_t index) const {
    Finding finding;
    finding.kind = FindingKind::InvalidArgument;
    finding.message = std::move(why);
    finding.where = where;
    finding.invocation = runtime::coordinates(group_, index);
    runtime::raise(std::move(finding));
  }
};

}  // namespace heddle::native
