#pragma once

/// \file
/// What an invocation offers to a kernel in every mode. The modes differ in how memory is reached.

#include <heddle/detail/runtime.h>
#include <heddle/detail/subgroup.h>
#include <heddle/detail/switch.h>
#include <heddle/operation.h>
#include <heddle/reference.h>
#include <heddle/semantics.h>

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <string>

namespace heddle {

/// A named barrier of the workgroup (OpNamedBarrierInitialize).
struct NamedBarrier {
  std::uint32_t ordinal;
  std::uint32_t subgroups;
};

namespace detail {

/// Where `inv.print` goes: the lines of a dispatch, in an order that does not depend on threads.
void print(runtime::Workgroup& group, std::string text);

/// A format string and where it stands.
template <typename... Args>
struct FormatAt {
  template <typename S>
    requires std::convertible_to<const S&, fmt::string_view>
  consteval FormatAt(const S& s, SourceLocation here = SourceLocation::current())
      : text(s), where(here) {}
  fmt::format_string<Args...> text;
  SourceLocation where;
};

template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
/// What may be read, written and passed between lanes as a whole.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

/// An atomic of SPIR-V: 8 to 64 bits, integer or float.
template <typename R>
concept AtomicReference = AnyReference<R> && std::is_arithmetic_v<typename R::value_type> &&
                          !std::same_as<typename R::value_type, bool>;
template <typename R>
concept IntegerReference = AtomicReference<R> && std::integral<typename R::value_type>;
template <typename R>
concept FloatReference = AtomicReference<R> && std::floating_point<typename R::value_type>;

template <typename R>
constexpr void check_atomic_storage() {
  static_assert(is_shared(R::kStorageClass) && R::kStorageClass != StorageClass::Uniform,
                "memory of this storage class belongs to one invocation or is read-only: it has "
                "no atomics");
  static_assert(R::kWritable, "an atomic needs a reference through which may be written");
}

/// Compares and computes as signed or unsigned, whatever the type of the memory.
template <template <typename> typename To, typename T, template <typename> typename Op>
struct As {
  static constexpr T apply(T a, T b) {
    using U = To<T>;
    return static_cast<T>(Op<U>::apply(static_cast<U>(a), static_cast<U>(b)));
  }
};
template <typename T>
using Signed = std::make_signed_t<T>;
template <typename T>
using Unsigned = std::make_unsigned_t<T>;

/// The API of an invocation. `Derived` gives:
/// - `read_modify_write(ref, scope, semantics, f, name, where)` and the other atomics,
/// - `fence(kind...)`, `load_from`, `store_to`, `wait()`.
template <typename Derived>
class InvocationApi {
 public:
  InvocationApi(runtime::Workgroup& group, std::uint32_t index, const uvec3& local,
                const uvec3& global, bool registered)
      : group_(&group), ring_(group.ring), index_(index), waited_(registered),
        is_alone_(group.grid->group_size == 1), local_(local), global_(global) {}
  InvocationApi(const InvocationApi&) = delete;
  InvocationApi& operator=(const InvocationApi&) = delete;

  // --- Built-ins (Vulkan: "Built-In Variables") ---

  uvec3 num_workgroups() const { return grid().groups; }
  uvec3 workgroup_size() const { return grid().local; }
  uvec3 workgroup_id() const { return group_->id; }
  uvec3 local_invocation_id() const { return local_; }
  uvec3 global_invocation_id() const { return global_; }
  std::uint32_t local_invocation_index() const { return index_; }
  std::uint32_t subgroup_size() const { return grid().subgroup_size; }
  std::uint32_t num_subgroups() const { return grid().subgroups; }
  std::uint32_t subgroup_id() const { return grid().position(index_) / grid().subgroup_size; }
  std::uint32_t subgroup_local_invocation_id() const {
    return grid().position(index_) % grid().subgroup_size;
  }
  uvec4 subgroup_eq_mask() const {
    return lanes_where([](std::uint32_t l, std::uint32_t me) { return l == me; });
  }
  uvec4 subgroup_ge_mask() const {
    return lanes_where([](std::uint32_t l, std::uint32_t me) { return l >= me; });
  }
  uvec4 subgroup_gt_mask() const {
    return lanes_where([](std::uint32_t l, std::uint32_t me) { return l > me; });
  }
  uvec4 subgroup_le_mask() const {
    return lanes_where([](std::uint32_t l, std::uint32_t me) { return l <= me; });
  }
  uvec4 subgroup_lt_mask() const {
    return lanes_where([](std::uint32_t l, std::uint32_t me) { return l < me; });
  }
  /// Always 0: one device executes a dispatch.
  std::uint32_t device_index() const { return 0; }
  Coordinates coordinates() const { return runtime::coordinates(*group_, index_); }

  // --- Loads and stores ---

  /// OpLoad with the operands that the qualifiers of the reference stand for: what reading the reference does, with the
  /// place of this call.
  /// Ordering: as of `load` with operands. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  typename R::value_type load(const R& ref, SourceLocation where = SourceLocation::current()) {
    return derived().load_as_qualified(ref, where);
  }
  /// OpLoad with these memory operands, whatever the reference's qualifiers: without NonPrivatePointer a private
  /// access. `visible` is the scope of MakePointerVisible. With Aligned,
  /// `alignment_bytes` is a power of two that the address must have.
  /// Ordering: none beyond program order; MakePointerVisible performs a visibility operation before
  /// the read, and does not synchronize. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  typename R::value_type load(const R& ref, LoadOperands operands,
                              MemoryScope visible = Scope::Invocation,
                              std::uint32_t alignment_bytes = 0,
                              SourceLocation where = SourceLocation::current()) {
    check_operands<R>(operands);
    return derived().load_from(ref, operands, visible, alignment_bytes, where);
  }

  /// OpStore with the operands that the qualifiers of the reference stand for: what assigning to the reference does,
  /// with the place of this call.
  /// Ordering: as of `store` with operands. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  void store(const R& ref, const std::type_identity_t<typename R::value_type>& value,
             SourceLocation where = SourceLocation::current()) {
    static_assert(R::kWritable, "this reference may not be written through");
    derived().store_as_qualified(ref, value, where);
  }
  /// OpStore with these memory operands, whatever the reference's qualifiers: without NonPrivatePointer a private
  /// access. `available` is the scope of MakePointerAvailable.
  /// Ordering: none beyond program order; MakePointerAvailable performs an availability operation
  /// after the write, and does not synchronize. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  void store(const R& ref, const std::type_identity_t<typename R::value_type>& value,
             StoreOperands operands,
             MemoryScope available = Scope::Invocation, std::uint32_t alignment_bytes = 0,
             SourceLocation where = SourceLocation::current()) {
    static_assert(R::kWritable, "this reference may not be written through");
    check_operands<R>(operands);
    derived().store_to(ref, value, operands, available, alignment_bytes, where);
  }

  // --- Atomics (SPIR-V 3.42.18). Each has an implicit availability operation of its write and
  // visibility operation of its read at `scope`; it orders other accesses only as `semantics` says,
  // and only against agents inside `scope`. ---

  /// OpAtomicLoad.
  template <AtomicReference R>
  typename R::value_type atomic_load(const R& ref, MemoryScope scope,
                                     AtomicLoadSemantics semantics,
                                     SourceLocation where = SourceLocation::current()) {
    check_atomic_storage_readable<R>();
    check_scope_with_semantics(scope, semantics);
    return derived().atomic_read(ref, scope, semantics, where);
  }

  /// OpAtomicStore.
  template <AtomicReference R>
  void atomic_store(const R& ref, MemoryScope scope, AtomicStoreSemantics semantics,
                    std::type_identity_t<typename R::value_type> value,
                    SourceLocation where = SourceLocation::current()) {
    check_atomic_storage<R>();
    check_scope_with_semantics(scope, semantics);
    derived().atomic_write(ref, scope, semantics, value, where);
  }

  /// OpAtomicExchange. Returns the old value, as do all that follow.
  template <AtomicReference R>
  typename R::value_type atomic_exchange(const R& ref, MemoryScope scope, AtomicSemantics semantics,
                                         std::type_identity_t<typename R::value_type> value,
                                         SourceLocation where = SourceLocation::current()) {
    using T = typename R::value_type;
    return update(ref, scope, semantics, "atomic_exchange", where, [value](T) { return value; });
  }

  /// OpAtomicCompareExchange: stores `value` if the old value is bitwise `comparator`.
  template <IntegerReference R>
  typename R::value_type atomic_compare_exchange(
      const R& ref, MemoryScope scope, AtomicSemantics equal, AtomicUnequalSemantics unequal,
      std::type_identity_t<typename R::value_type> value,
      std::type_identity_t<typename R::value_type> comparator, SourceLocation where = SourceLocation::current()) {
    check_atomic_storage<R>();
    check_scope_with_semantics(scope, equal);
    check_scope_with_semantics(scope, unequal);
    return derived().atomic_compare(ref, scope, equal, unequal, value, comparator, where);
  }

  /// OpAtomicIIncrement.
  template <IntegerReference R>
  typename R::value_type atomic_i_increment(const R& ref, MemoryScope scope,
                                            AtomicSemantics semantics,
                                            SourceLocation where = SourceLocation::current()) {
    return atomic_i_add(ref, scope, semantics, 1, where);
  }

  /// OpAtomicIDecrement.
  template <IntegerReference R>
  typename R::value_type atomic_i_decrement(const R& ref, MemoryScope scope,
                                            AtomicSemantics semantics,
                                            SourceLocation where = SourceLocation::current()) {
    return atomic_i_sub(ref, scope, semantics, 1, where);
  }

#define HEDDLE_ATOMIC(function, instruction, Reference, ...)                                     \
  /** instruction. */                                                                            \
  template <Reference R>                                                                         \
  typename R::value_type function(const R& ref, MemoryScope scope, AtomicSemantics semantics,    \
                                  std::type_identity_t<typename R::value_type> value,            \
                                  SourceLocation where = SourceLocation::current()) {                          \
    using T = typename R::value_type;                                                            \
    return update<UpdateKind::function##_kind>(                                                  \
        ref, scope, semantics, #function, where,                                                 \
        [value](T old) { return static_cast<T>(__VA_ARGS__); }, value);                          \
  }

  HEDDLE_ATOMIC(atomic_i_add, OpAtomicIAdd, IntegerReference, Add<T>::apply(old, value))
  HEDDLE_ATOMIC(atomic_i_sub, OpAtomicISub, IntegerReference,
                Wrapping<T>(old) - Wrapping<T>(value))
  HEDDLE_ATOMIC(atomic_s_min, OpAtomicSMin, IntegerReference, As<Signed, T, Minimum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_u_min, OpAtomicUMin, IntegerReference,
                As<Unsigned, T, Minimum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_s_max, OpAtomicSMax, IntegerReference, As<Signed, T, Maximum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_u_max, OpAtomicUMax, IntegerReference,
                As<Unsigned, T, Maximum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_and, OpAtomicAnd, IntegerReference, old & value)
  HEDDLE_ATOMIC(atomic_or, OpAtomicOr, IntegerReference, old | value)
  HEDDLE_ATOMIC(atomic_xor, OpAtomicXor, IntegerReference, old ^ value)
  HEDDLE_ATOMIC(atomic_f_add_ext, OpAtomicFAddEXT, FloatReference, old + value)
  HEDDLE_ATOMIC(atomic_f_min_ext, OpAtomicFMinEXT, FloatReference, Minimum<T>::apply(old, value))
  HEDDLE_ATOMIC(atomic_f_max_ext, OpAtomicFMaxEXT, FloatReference, Maximum<T>::apply(old, value))
#undef HEDDLE_ATOMIC

  /// OpAtomicFlagTestAndSet: sets the flag, a 32-bit integer; returns whether it was set.
  template <IntegerReference R>
    requires(sizeof(typename R::value_type) == 4)
  bool atomic_flag_test_and_set(const R& ref, MemoryScope scope, AtomicSemantics semantics,
                                SourceLocation where = SourceLocation::current()) {
    return atomic_exchange(ref, scope, semantics, 1, where) != 0;
  }

  /// OpAtomicFlagClear.
  template <IntegerReference R>
    requires(sizeof(typename R::value_type) == 4)
  void atomic_flag_clear(const R& ref, MemoryScope scope, AtomicStoreSemantics semantics,
                         SourceLocation where = SourceLocation::current()) {
    atomic_store(ref, scope, semantics, 0, where);
  }

  // --- Barriers ---

  /// OpControlBarrier: waits until every invocation of the workgroup (or every active one of the
  /// subgroup) has come to this call. With semantics it is a memory barrier at scope `memory`, too;
  /// without it orders no memory at all.
  // Inlined, and so is what it calls until it waits: a call that stands between two switches would
  // be returned from on another stack, which the processor does not predict, and an invocation
  // whose address nobody has lives in registers.
  [[gnu::always_inline]] void control_barrier(ExecutionScope execution, MemoryScope memory,
                                              ControlBarrierSemantics semantics,
                                              SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(memory, semantics);
    const bool workgroup = static_cast<Scope>(execution) == Scope::Workgroup;
    derived().before_barrier(execution, memory, semantics, where);
    bool met = false;
    if (workgroup) {
      met = workgroup_wait(where);
    } else {
      subgroup_wait(where, [](void* const*, const LaneMask&, std::uint32_t) {}, nullptr);
    }
    derived().after_barrier(workgroup ? Scope::Workgroup : Scope::Subgroup, memory, semantics, met);
  }

  /// OpMemoryBarrier: orders this invocation's accesses as `semantics` say, for agents inside
  /// `scope`. Waits for nobody.
  void memory_barrier(MemoryScope scope, MemoryBarrierSemantics semantics,
                      SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(scope, semantics);
    derived().fence(scope, semantics, where);
  }

  /// OpNamedBarrierInitialize: a barrier for `subgroups` whole subgroups of the workgroup. Every
  /// invocation of the workgroup must make its named barriers in the same order.
  NamedBarrier named_barrier_initialize(std::uint32_t subgroups,
                                        SourceLocation where = SourceLocation::current()) {
    if (subgroups == 0 || subgroups > num_subgroups()) {
      raise(FindingKind::InvalidArgument,
            fmt::format("a named barrier for {} subgroups in a workgroup of {}", subgroups,
                        num_subgroups()),
            where);
    }
    return {named_barriers_++, subgroups};
  }

  /// OpMemoryNamedBarrier: waits until as many whole subgroups as `barrier` was made for have come;
  /// a memory barrier as `semantics` say.
  void memory_named_barrier(NamedBarrier barrier, MemoryScope memory,
                            ControlBarrierSemantics semantics, SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(memory, semantics);
    derived().before_barrier(Scope::Workgroup, memory, semantics, where);
    wait_begins();
    runtime::named_barrier(where, barrier.ordinal, barrier.subgroups);
    derived().after_barrier(Scope::Workgroup, memory, semantics, false);
  }

  // --- Subgroup operations (SPIR-V 3.42.24). They act on the lanes that are active at this dynamic
  // instance (runtime/README.md has the rule), order no memory, and are no barriers. ---

  /// OpGroupNonUniformElect: true for the active lane with the lowest number.
  bool group_non_uniform_elect(SourceLocation where = SourceLocation::current()) {
    return lowest(voted(true, where).active) == subgroup_local_invocation_id();
  }
  /// OpGroupNonUniformAll.
  bool group_non_uniform_all(bool predicate, SourceLocation where = SourceLocation::current()) {
    const Vote v = voted(predicate, where);
    return v.yes == v.active;
  }
  /// OpGroupNonUniformAny.
  bool group_non_uniform_any(bool predicate, SourceLocation where = SourceLocation::current()) {
    return voted(predicate, where).yes != LaneMask{};
  }
  /// OpGroupNonUniformAllEqual.
  template <Plain T>
  bool group_non_uniform_all_equal(const T& value, SourceLocation where = SourceLocation::current()) {
    Match<T> payload{value, {}, false};
    subgroup_wait(where, &match<T>, &payload);
    return payload.all;
  }
  /// OpGroupNonUniformPartitionNV: the ballot of the active lanes with the same value.
  template <Plain T>
  uvec4 group_non_uniform_partition_nv(const T& value, SourceLocation where = SourceLocation::current()) {
    Match<T> payload{value, {}, false};
    subgroup_wait(where, &match<T>, &payload);
    return to_ballot(payload.same);
  }
  /// OpGroupNonUniformBroadcast: the value of lane `id`, which must be active and the same number in
  /// every active lane.
  template <Plain T>
  T group_non_uniform_broadcast(const T& value, std::uint32_t id,
                                SourceLocation where = SourceLocation::current()) {
    return from_lane(value, id, "group_non_uniform_broadcast", where);
  }
  /// OpGroupNonUniformBroadcastFirst: the value of the active lane with the lowest number.
  template <Plain T>
  T group_non_uniform_broadcast_first(const T& value, SourceLocation where = SourceLocation::current()) {
    Exchange<T> payload{value, 0, false, value};
    subgroup_wait(
        where,
        [](void* const payloads[], const LaneMask& active, std::uint32_t lanes) {
          for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (active.test(lane)) static_cast<Exchange<T>*>(payloads[lane])->source = lowest(active);
          }
          exchange<T>(payloads, active, lanes);
        },
        &payload);
    return payload.result;
  }
  /// OpGroupNonUniformBallot: bit n is set if lane n is active and says true.
  uvec4 group_non_uniform_ballot(bool predicate, SourceLocation where = SourceLocation::current()) {
    return to_ballot(voted(predicate, where).yes);
  }
  /// OpGroupNonUniformInverseBallot: this lane's bit of a ballot. Waits for nobody, like the other
  /// operations on ballots.
  bool group_non_uniform_inverse_ballot(const uvec4& ballot) const {
    return to_mask(ballot).test(subgroup_local_invocation_id());
  }
  /// OpGroupNonUniformBallotBitExtract. `index` is below the subgroup size.
  bool group_non_uniform_ballot_bit_extract(const uvec4& ballot, std::uint32_t index,
                                            SourceLocation where = SourceLocation::current()) {
    check_lane(index, "group_non_uniform_ballot_bit_extract", where);
    return to_mask(ballot).test(index);
  }
  /// OpGroupNonUniformBallotBitCount: Reduce counts all bits, the scans those of the lanes below
  /// (and, inclusively, at) this one.
  std::uint32_t group_non_uniform_ballot_bit_count(GroupOperation operation, const uvec4& ballot,
                                                   SourceLocation where = SourceLocation::current()) {
    uvec4 counted = ballot & all_lanes();
    switch (operation) {
      case GroupOperation::Reduce: break;
      case GroupOperation::InclusiveScan: counted = counted & subgroup_le_mask(); break;
      case GroupOperation::ExclusiveScan: counted = counted & subgroup_lt_mask(); break;
      default:
        raise(FindingKind::InvalidArgument,
              "group_non_uniform_ballot_bit_count takes Reduce, InclusiveScan or ExclusiveScan",
              where);
    }
    return static_cast<std::uint32_t>(std::popcount(counted.x) + std::popcount(counted.y) +
                                      std::popcount(counted.z) + std::popcount(counted.w));
  }
  /// OpGroupNonUniformBallotFindLSB. The ballot must have a bit set.
  std::uint32_t group_non_uniform_ballot_find_lsb(const uvec4& ballot,
                                                  SourceLocation where = SourceLocation::current()) {
    const LaneMask mask = nonempty(ballot, "group_non_uniform_ballot_find_lsb", where);
    return lowest(mask);
  }
  /// OpGroupNonUniformBallotFindMSB. The ballot must have a bit set.
  std::uint32_t group_non_uniform_ballot_find_msb(const uvec4& ballot,
                                                  SourceLocation where = SourceLocation::current()) {
    const LaneMask mask = nonempty(ballot, "group_non_uniform_ballot_find_msb", where);
    const int word = mask.words[1] ? 1 : 0;
    return static_cast<std::uint32_t>(64 * word + 63 - std::countl_zero(mask.words[word]));
  }
  /// OpGroupNonUniformShuffle: the value of lane `id`, which must be active.
  template <Plain T>
  T group_non_uniform_shuffle(const T& value, std::uint32_t id,
                              SourceLocation where = SourceLocation::current()) {
    return from_lane(value, id, "group_non_uniform_shuffle", where);
  }
  /// OpGroupNonUniformShuffleXor: the value of the lane whose number is this one's xor `mask`; it
  /// must be active.
  template <Plain T>
  T group_non_uniform_shuffle_xor(const T& value, std::uint32_t mask,
                                  SourceLocation where = SourceLocation::current()) {
    return from_lane(value, subgroup_local_invocation_id() ^ mask, "group_non_uniform_shuffle_xor",
                     where);
  }
  /// OpGroupNonUniformShuffleUp: the value of the lane `delta` below. Where there is none, or it is
  /// not active, the result is undefined (heddle: this lane's own value natively, a poison value
  /// when emulated), so that kernels may discard it afterwards.
  template <Plain T>
  T group_non_uniform_shuffle_up(const T& value, std::uint32_t delta,
                                 SourceLocation where = SourceLocation::current()) {
    return from_neighbour(value, subgroup_local_invocation_id() - delta, where);
  }
  /// OpGroupNonUniformShuffleDown: the value of the lane `delta` above; undefined as for ShuffleUp.
  template <Plain T>
  T group_non_uniform_shuffle_down(const T& value, std::uint32_t delta,
                                   SourceLocation where = SourceLocation::current()) {
    return from_neighbour(value, subgroup_local_invocation_id() + delta, where);
  }
  /// OpGroupNonUniformRotateKHR: the value of the lane `delta` above, counted around within
  /// clusters of `cluster_size` lanes (0: the subgroup). That lane must be active.
  template <Plain T>
  T group_non_uniform_rotate_khr(const T& value, std::uint32_t delta, std::uint32_t cluster_size = 0,
                                 SourceLocation where = SourceLocation::current()) {
    if (cluster_size == 0) {
      cluster_size = subgroup_size();
    } else {
      check_cluster(cluster_size, where);
    }
    const std::uint32_t lane = subgroup_local_invocation_id();
    const std::uint32_t begin = lane / cluster_size * cluster_size;
    const std::uint64_t turned = std::uint64_t{lane} - begin + delta;
    return from_lane(value, begin + static_cast<std::uint32_t>(turned % cluster_size),
                     "group_non_uniform_rotate_khr", where);
  }

#define HEDDLE_GROUP_OPERATION(function, instruction, Concept, Op)                                 \
  /** instruction. `cluster_size`, a power of two, is for ClusteredReduce. */                      \
  template <Concept T>                                                                             \
  T function(GroupOperation operation, T value, std::uint32_t cluster_size = 0,                    \
             SourceLocation where = SourceLocation::current()) {                                                 \
    return combined<T, Op<T>>(operation, value, cluster_size, {}, where);                          \
  }                                                                                                \
  /** The partitioned forms: combines the lanes of `ballot`, as group_non_uniform_partition_nv     \
      gives it. */                                                                                 \
  template <Concept T>                                                                             \
  T function(GroupOperation operation, T value, const uvec4& ballot,                               \
             SourceLocation where = SourceLocation::current()) {                                                 \
    return combined<T, Op<T>>(operation, value, 0, to_mask(ballot), where);                        \
  }
  HEDDLE_GROUP_OPERATION(group_non_uniform_i_add, OpGroupNonUniformIAdd, Integer, Add)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_add, OpGroupNonUniformFAdd, std::floating_point, Add)
  HEDDLE_GROUP_OPERATION(group_non_uniform_i_mul, OpGroupNonUniformIMul, Integer, Multiply)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_mul, OpGroupNonUniformFMul, std::floating_point,
                         Multiply)
  HEDDLE_GROUP_OPERATION(group_non_uniform_s_min, OpGroupNonUniformSMin, std::signed_integral,
                         Minimum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_u_min, OpGroupNonUniformUMin, std::unsigned_integral,
                         Minimum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_min, OpGroupNonUniformFMin, std::floating_point,
                         Minimum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_s_max, OpGroupNonUniformSMax, std::signed_integral,
                         Maximum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_u_max, OpGroupNonUniformUMax, std::unsigned_integral,
                         Maximum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_max, OpGroupNonUniformFMax, std::floating_point,
                         Maximum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_bitwise_and, OpGroupNonUniformBitwiseAnd, Integer, And)
  HEDDLE_GROUP_OPERATION(group_non_uniform_bitwise_or, OpGroupNonUniformBitwiseOr, Integer, Or)
  HEDDLE_GROUP_OPERATION(group_non_uniform_bitwise_xor, OpGroupNonUniformBitwiseXor, Integer, Xor)
  HEDDLE_GROUP_OPERATION(group_non_uniform_logical_and, OpGroupNonUniformLogicalAnd,
                         std::same_as<bool>, And)
  HEDDLE_GROUP_OPERATION(group_non_uniform_logical_or, OpGroupNonUniformLogicalOr,
                         std::same_as<bool>, Or)
  HEDDLE_GROUP_OPERATION(group_non_uniform_logical_xor, OpGroupNonUniformLogicalXor,
                         std::same_as<bool>, Xor)
#undef HEDDLE_GROUP_OPERATION

  /// OpGroupNonUniformQuadBroadcast: the value of lane `index` (0 to 3) of this lane's quad.
  template <Plain T>
  T group_non_uniform_quad_broadcast(const T& value, std::uint32_t index,
                                     SourceLocation where = SourceLocation::current()) {
    if (index > 3) {
      raise(FindingKind::InvalidArgument, fmt::format("a quad has no lane {}", index), where);
    }
    return from_lane(value, subgroup_local_invocation_id() / 4 * 4 + index,
                     "group_non_uniform_quad_broadcast", where);
  }
  /// OpGroupNonUniformQuadSwap.
  template <Plain T>
  T group_non_uniform_quad_swap(const T& value, QuadSwap direction,
                                SourceLocation where = SourceLocation::current()) {
    return from_lane(value,
                     subgroup_local_invocation_id() ^ (static_cast<std::uint32_t>(direction) + 1),
                     "group_non_uniform_quad_swap", where);
  }
  /// OpGroupNonUniformQuadAllKHR.
  bool group_non_uniform_quad_all_khr(bool predicate, SourceLocation where = SourceLocation::current()) {
    const Vote v = voted(predicate, where);
    return quad(v.yes) == quad(v.active);
  }
  /// OpGroupNonUniformQuadAnyKHR.
  bool group_non_uniform_quad_any_khr(bool predicate, SourceLocation where = SourceLocation::current()) {
    return quad(voted(predicate, where).yes) != 0;
  }

  // --- For whoever writes the kernel ---

  /// Prints, in the manner of fmt. The lines of a dispatch come out when it ends: in native mode
  /// ordered by workgroup, in emulated mode in the order of execution.
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    detail::print(*group_, fmt::format(format, std::forward<Args>(args)...));
  }

  /// Ends the dispatch with a finding if `condition` is false.
  void require(bool condition, std::string_view message = "a requirement of the kernel does not hold",
               SourceLocation where = SourceLocation::current()) {
    if (!condition) [[unlikely]] {
      raise(FindingKind::RequirementFailed, std::string(message), where);
    }
  }
  template <typename... Args>
    requires(sizeof...(Args) > 0)
  void require(bool condition, FormatAt<std::type_identity_t<Args>...> format, Args&&... args) {
    if (!condition) [[unlikely]] {
      raise(FindingKind::RequirementFailed,
            fmt::format(format.text, std::forward<Args>(args)...), format.where);
    }
  }

  /// Whether this invocation has ever waited. For the runtime.
  bool waited() const { return waited_; }

 protected:
  Derived& derived() { return static_cast<Derived&>(*this); }
  const runtime::Grid& grid() const { return *group_->grid; }

  void wait_begins(bool in_step = false) {
    if (!waited_) {
      waited_ = true;
      runtime::begin_waiting(*group_, index_, in_step);
    }
  }

  /// Whether it is certain that there are others, whom it has met.
  [[gnu::always_inline]] bool workgroup_wait(const SourceLocation& where) {
    if (!waited_) {
      if (is_alone_) return false;
      wait_begins(true);
    }
#if HEDDLE_INLINE_SWITCH
    // A turn in a ring whose invocations keep step hands over to the next one. Whatever is not that
    // goes to the library.
    if (where.line == ring_->line && where.file == ring_->file && ring_->current != ring_->last &&
        ring_->exceptions->none()) [[likely]] {
      ring_ = runtime::hand_over(ring_);
      if (ring_->unwinding) [[unlikely]] runtime::unwind();
      return true;
    }
#endif
    if constexpr (Derived::kEmulated) {
      ring_ = runtime::go_on(runtime::walk_to_barrier(where.file, where.function, where.line), ring_);
    } else {
      runtime::workgroup_barrier(where.file, where.function, where.line);
    }
    return false;
  }

  [[noreturn]] void raise(FindingKind kind, std::string message, SourceLocation where) {
    raise_for(*group_, index_, kind, std::move(message), where);
  }
  [[noreturn, gnu::noinline]] static void raise_for(const runtime::Workgroup& group,
                                                    std::uint32_t index, FindingKind kind,
                                                    std::string message, SourceLocation where) {
    Finding finding;
    finding.kind = kind;
    finding.message = std::move(message);
    finding.where = where;
    finding.invocation = runtime::coordinates(group, index);
    runtime::raise(std::move(finding));
  }

  void subgroup_wait(SourceLocation where, runtime::SubgroupFunction function, void* payload) {
    if (grid().lanes(subgroup_id()) == 1) {
      LaneMask alone;
      alone.set(0);
      void* const payloads[] = {payload};
      function(payloads, alone, 1);
      return;
    }
    // Only the linear mapping has the lanes of a subgroup side by side.
    wait_begins(grid().index_at == nullptr);
#if HEDDLE_INLINE_SWITCH
    // As in workgroup_wait; the last lane of a subgroup goes to the library, which computes.
    if ((where.line | runtime::kSubgroupTurn) == ring_->line && where.file == ring_->file &&
        function == ring_->operation && ring_->current != ring_->last_lane &&
        ring_->exceptions->none()) [[likely]] {
      ring_->payloads[index_] = payload;
      ring_ = runtime::hand_over(ring_);
      if (ring_->unwinding) [[unlikely]] runtime::unwind();
      return;
    }
#endif
    runtime::subgroup_operation(where, function, payload);
  }

  runtime::Workgroup* group_;
  runtime::Ring* ring_;
  std::uint32_t index_;
  bool waited_;
  /// In its workgroup.
  bool is_alone_;
  std::uint32_t named_barriers_ = 0;
  uvec3 local_;
  uvec3 global_;

 private:
  template <AnyReference R>
  static constexpr void check_operands(MemoryOperands operands) {
    if (!is_shared(R::kStorageClass) && non_private(operands)) {
      this_storage_class_has_no_NonPrivatePointer();
    }
  }

  template <typename R>
  static constexpr void check_atomic_storage_readable() {
    static_assert(is_shared(R::kStorageClass) && R::kStorageClass != StorageClass::Uniform,
                  "memory of this storage class belongs to one invocation or is read-only: it has "
                  "no atomics");
  }

 protected:
  /// Which update it is, where a mode has a faster way for some.
  enum class UpdateKind : std::uint8_t {
    other,
    atomic_i_add_kind,
    atomic_i_sub_kind,
    atomic_s_min_kind,
    atomic_u_min_kind,
    atomic_s_max_kind,
    atomic_u_max_kind,
    atomic_and_kind,
    atomic_or_kind,
    atomic_xor_kind,
    atomic_f_add_ext_kind,
    atomic_f_min_ext_kind,
    atomic_f_max_ext_kind,
  };

 private:
  template <UpdateKind kind = UpdateKind::other, typename R, typename F>
  typename R::value_type update(const R& ref, Scope scope, MemorySemantics semantics,
                                const char* name, SourceLocation where, F f,
                                typename R::value_type value = {}) {
    check_atomic_storage<R>();
    check_scope_with_semantics(scope, semantics);
    return derived().template atomic_update<kind>(ref, scope, semantics, name, where, f, value);
  }

  template <typename F>
  uvec4 lanes_where(F f) const {
    LaneMask mask;
    for (std::uint32_t lane = 0; lane < subgroup_size(); ++lane) {
      if (f(lane, subgroup_local_invocation_id())) mask.set(lane);
    }
    return to_ballot(mask);
  }
  uvec4 all_lanes() const {
    return lanes_where([](std::uint32_t, std::uint32_t) { return true; });
  }
  static std::uint32_t lowest(const LaneMask& mask) {
    const int word = mask.words[0] ? 0 : 1;
    return static_cast<std::uint32_t>(64 * word + std::countr_zero(mask.words[word]));
  }
  std::uint32_t quad(const LaneMask& mask) const {
    const std::uint32_t begin = subgroup_local_invocation_id() / 4 * 4;
    return static_cast<std::uint32_t>(mask.words[begin / 64] >> (begin % 64) & 0xf);
  }

  Vote voted(bool predicate, SourceLocation where) {
    Vote payload{predicate, {}, {}};
    subgroup_wait(where, &vote, &payload);
    return payload;
  }

  void check_lane(std::uint32_t lane, const char* what, SourceLocation where) {
    if (lane >= subgroup_size()) {
      raise(FindingKind::InvalidArgument,
            fmt::format("{} of lane {} in a subgroup of {}", what, lane, subgroup_size()), where);
    }
  }

  void check_cluster(std::uint32_t cluster_size, SourceLocation where) {
    if (!std::has_single_bit(cluster_size) || cluster_size > subgroup_size()) {
      raise(FindingKind::InvalidArgument,
            fmt::format("cluster size {} is not a power of two that is at most the subgroup size, "
                        "{}",
                        cluster_size, subgroup_size()),
            where);
    }
  }

  LaneMask nonempty(const uvec4& ballot, const char* what, SourceLocation where) {
    const LaneMask mask = to_mask(ballot & all_lanes());
    if (mask == LaneMask{}) {
      raise(FindingKind::InvalidArgument, fmt::format("{} of an empty ballot", what), where);
    }
    return mask;
  }

  template <typename T>
  T from_lane(const T& value, std::uint32_t source, const char* what, SourceLocation where) {
    Exchange<T> payload{value, source, false, value};
    subgroup_wait(where, &exchange<T>, &payload);
    if (!payload.found) {
      raise(FindingKind::InvalidArgument, fmt::format("{} from lane {}, which is not active", what, source),
            where);
    }
    return payload.result;
  }

  template <typename T>
  T from_neighbour(const T& value, std::uint32_t source, SourceLocation where) {
    Exchange<T> payload{value, source, false, derived().undefined_value(value)};
    subgroup_wait(where, &exchange<T>, &payload);
    return payload.result;
  }

  template <typename T, typename Op>
  T combined(GroupOperation operation, T value, std::uint32_t cluster_size, const LaneMask& partition,
             SourceLocation where) {
    if (operation == GroupOperation::ClusteredReduce) check_cluster(cluster_size, where);
    if (operation > GroupOperation::ClusteredReduce && partition == LaneMask{}) {
      raise(FindingKind::InvalidArgument,
            "a partitioned operation needs the ballot of its partition", where);
    }
    Combination<T> payload{value, operation, cluster_size, partition, value};
    subgroup_wait(where, &combine<T, Op>, &payload);
    return payload.result;
  }
};

}  // namespace detail
}  // namespace heddle
