#pragma once

/// \file
/// All that a kernel can ask of its invocation, in the order of SPIR-V's sections: built-ins, loads and stores,
/// atomics, barriers, subgroup operations, and what is for the author. REFERENCE.md beside this has an example of each,
/// README.md the words of other languages.

#include <heddle/detail/invocation_base.h>

namespace heddle {

/// A named barrier of the workgroup (OpNamedBarrierInitialize).
struct NamedBarrier {
  std::uint32_t ordinal;
  std::uint32_t subgroups;
};

namespace detail {

/// What `inv` offers. `Derived` is the invocation of a mode (detail/invocation_base.h says what it gives).
template <typename Derived>
class InvocationApi : public InvocationBase<Derived>, private Refusals<kTellsOperands<Derived>> {
  using Base = InvocationBase<Derived>;
  using Refused = Refusals<kTellsOperands<Derived>>;

 protected:
  using typename Base::AtomicLoadSemantics;
  using typename Base::AtomicSemantics;
  using typename Base::AtomicStoreSemantics;
  using typename Base::AtomicUnequalSemantics;
  using typename Base::ControlBarrierSemantics;
  using typename Base::ExecutionScope;
  using typename Base::LoadOperands;
  using typename Base::MemoryBarrierSemantics;
  using typename Base::MemoryScope;
  using typename Base::StoreOperands;
  using typename Base::UpdateKind;

 public:
  using Base::Base;

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
  std::uint32_t subgroup_local_invocation_id() const { return grid().position(index_) % grid().subgroup_size; }
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

  // What is refused, with a sentence: overloads of the functions below.
#define HEDDLE_USING(function, ...) using Refused::function;
  HEDDLE_ATOMIC_REFUSALS(HEDDLE_USING)
#undef HEDDLE_USING
#undef HEDDLE_ATOMIC_REFUSALS
  using Refused::load;
  using Refused::store;

  // --- Loads and stores ---

  /// OpLoad with the operands that the qualifiers of the reference stand for: what reading the reference does, with the
  /// place of this call.
  /// Ordering: as of `load` with operands. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  requires(!TaggedReference<R>) typename R::value_type
      load(const R& ref, SourceLocation where = SourceLocation::current()) {
    return derived().load_as_qualified(ref, where);
  }
  /// OpLoad with these memory operands, whatever the reference's qualifiers: without NonPrivatePointer a private
  /// access. `visible` is the scope of MakePointerVisible. With Aligned,
  /// `alignment_bytes` is a power of two that the address must have.
  /// Ordering: none beyond program order; MakePointerVisible performs a visibility operation before
  /// the read, and does not synchronize. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  requires(!TaggedReference<R>) typename R::value_type
      load(const R& ref, LoadOperands operands, MemoryScope visible = Scope::Invocation,
           std::uint32_t alignment_bytes = 0, SourceLocation where = SourceLocation::current()) {
    this->template check_operands<R>(operands);
    return derived().load_from(ref, operands, visible, alignment_bytes, where);
  }

  /// OpStore with the operands that the qualifiers of the reference stand for: what assigning to the reference does,
  /// with the place of this call.
  /// Ordering: as of `store` with operands. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  requires(!TaggedReference<R> && R::kWritable) void store(const R& ref, Given<typename R::value_type> value,
                                                           SourceLocation where = SourceLocation::current()) {
    derived().store_as_qualified(ref, value, where);
  }
  /// OpStore with these memory operands, whatever the reference's qualifiers: without NonPrivatePointer a private
  /// access. `available` is the scope of MakePointerAvailable.
  /// Ordering: none beyond program order; MakePointerAvailable performs an availability operation
  /// after the write, and does not synchronize. Source: vk:memory-model-instruction-av-vis.
  template <AnyReference R>
  requires(!TaggedReference<R> &&
           R::kWritable) void store(const R& ref, Given<typename R::value_type> value, StoreOperands operands,
                                    MemoryScope available = Scope::Invocation, std::uint32_t alignment_bytes = 0,
                                    SourceLocation where = SourceLocation::current()) {
    this->template check_operands<R>(operands);
    derived().store_to(ref, value, operands, available, alignment_bytes, where);
  }

  /// A pointer into PhysicalStorageBuffer memory: `p[i]`, `*p`, `p + n`.
  template <typename T>
  auto pointer(DeviceAddress<T> address, SourceLocation where = SourceLocation::current()) {
    return derived().pointer_to(address, where);
  }

  // --- Atomics (SPIR-V 3.42.18). Each has an implicit availability operation of its write and
  // visibility operation of its read at `scope`; it orders other accesses only as `semantics` says,
  // and only against agents inside `scope`. ---

  /// OpAtomicLoad.
  template <AtomicReference R>
  typename R::value_type atomic_load(const R& ref, MemoryScope scope, AtomicLoadSemantics semantics,
                                     SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(scope, semantics);
    return derived().atomic_read(ref, scope, semantics, where);
  }

  /// OpAtomicStore.
  template <AtomicReference R>
  void atomic_store(const R& ref, MemoryScope scope, AtomicStoreSemantics semantics,
                    std::type_identity_t<typename R::value_type> value,
                    SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(scope, semantics);
    derived().atomic_write(ref, scope, semantics, value, where);
  }

  /// OpAtomicExchange. Returns the old value, as do all that follow.
  template <AtomicReference R>
  typename R::value_type atomic_exchange(const R& ref, MemoryScope scope, AtomicSemantics semantics,
                                         std::type_identity_t<typename R::value_type> value,
                                         SourceLocation where = SourceLocation::current()) {
    using T = typename R::value_type;
    return this->update(ref, scope, semantics, "atomic_exchange", where, [value](T) { return value; });
  }

  /// OpAtomicCompareExchange: stores `value` if the old value is bitwise `comparator`.
  template <IntegerReference R>
  typename R::value_type atomic_compare_exchange(const R& ref, MemoryScope scope, AtomicSemantics equal,
                                                 AtomicUnequalSemantics unequal,
                                                 std::type_identity_t<typename R::value_type> value,
                                                 std::type_identity_t<typename R::value_type> comparator,
                                                 SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(scope, equal);
    check_scope_with_semantics(scope, unequal);
    return derived().atomic_compare(ref, scope, equal, unequal, value, comparator, where);
  }

  /// OpAtomicIIncrement.
  template <IntegerReference R>
  typename R::value_type atomic_i_increment(const R& ref, MemoryScope scope, AtomicSemantics semantics,
                                            SourceLocation where = SourceLocation::current()) {
    return atomic_i_add(ref, scope, semantics, 1, where);
  }

  /// OpAtomicIDecrement.
  template <IntegerReference R>
  typename R::value_type atomic_i_decrement(const R& ref, MemoryScope scope, AtomicSemantics semantics,
                                            SourceLocation where = SourceLocation::current()) {
    return atomic_i_sub(ref, scope, semantics, 1, where);
  }

#define HEDDLE_ATOMIC(function, instruction, Reference, ...)                                                     \
  /** instruction. */                                                                                            \
  template <Reference R>                                                                                         \
  typename R::value_type function(const R& ref, MemoryScope scope, AtomicSemantics semantics,                    \
                                  std::type_identity_t<typename R::value_type> value,                            \
                                  SourceLocation where = SourceLocation::current()) {                            \
    using T = typename R::value_type;                                                                            \
    return this->template update<UpdateKind::function##_kind>(                                                   \
        ref, scope, semantics, #function, where, [value](T old) { return static_cast<T>(__VA_ARGS__); }, value); \
  }

  HEDDLE_ATOMIC(atomic_i_add, OpAtomicIAdd, IntegerReference, Add<T>::apply(old, value))
  HEDDLE_ATOMIC(atomic_i_sub, OpAtomicISub, IntegerReference, Wrapping<T>(old) - Wrapping<T>(value))
  HEDDLE_ATOMIC(atomic_s_min, OpAtomicSMin, IntegerReference, As<Signed, T, Minimum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_u_min, OpAtomicUMin, IntegerReference, As<Unsigned, T, Minimum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_s_max, OpAtomicSMax, IntegerReference, As<Signed, T, Maximum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_u_max, OpAtomicUMax, IntegerReference, As<Unsigned, T, Maximum>::apply(old, value))
  HEDDLE_ATOMIC(atomic_and, OpAtomicAnd, IntegerReference, old& value)
  HEDDLE_ATOMIC(atomic_or, OpAtomicOr, IntegerReference, old | value)
  HEDDLE_ATOMIC(atomic_xor, OpAtomicXor, IntegerReference, old ^ value)
  // CUDA's atomicInc and atomicDec, for which SPIR-V has no instruction; LLVM's atomicrmw calls them uinc_wrap
  // and udec_wrap.
  HEDDLE_ATOMIC(atomic_u_inc_wrap, "one more; 0 where the old value is `value` or more", IntegerReference,
                As<Unsigned, T, IncrementWrapping>::apply(old, value))
  HEDDLE_ATOMIC(atomic_u_dec_wrap, "one less; `value` where the old value is 0 or more than `value`", IntegerReference,
                As<Unsigned, T, DecrementWrapping>::apply(old, value))
  HEDDLE_ATOMIC(atomic_f_add_ext, OpAtomicFAddEXT, FloatReference, old + value)
  HEDDLE_ATOMIC(atomic_f_min_ext, OpAtomicFMinEXT, FloatReference, Minimum<T>::apply(old, value))
  HEDDLE_ATOMIC(atomic_f_max_ext, OpAtomicFMaxEXT, FloatReference, Maximum<T>::apply(old, value))
#undef HEDDLE_ATOMIC

  /// OpAtomicFlagTestAndSet: sets the flag, a 32-bit integer; returns whether it was set.
  template <IntegerReference R>
  requires(sizeof(typename R::value_type) ==
           4) bool atomic_flag_test_and_set(const R& ref, MemoryScope scope, AtomicSemantics semantics,
                                            SourceLocation where = SourceLocation::current()) {
    return atomic_exchange(ref, scope, semantics, 1, where) != 0;
  }

  /// OpAtomicFlagClear.
  template <IntegerReference R>
  requires(sizeof(typename R::value_type) ==
           4) void atomic_flag_clear(const R& ref, MemoryScope scope, AtomicStoreSemantics semantics,
                                     SourceLocation where = SourceLocation::current()) {
    atomic_store(ref, scope, semantics, 0, where);
  }

  // --- Barriers ---

  /// OpControlBarrier: waits until every invocation of the workgroup (or every active one of the
  /// subgroup) has come to this call. With semantics it is a memory barrier at scope `memory`, too;
  /// without it orders no memory at all.
  // Inlined, and so is what it calls until it waits: a call that stands between two switches would
  // be returned from on another stack, which the processor does not predict, and an invocation
  // whose address is not taken lives in registers.
  [[gnu::always_inline]] void control_barrier(ExecutionScope execution, MemoryScope memory,
                                              ControlBarrierSemantics semantics,
                                              SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(memory, semantics);
    const bool workgroup = static_cast<Scope>(execution) == Scope::Workgroup;
    if (derived().before_control_barrier(execution, memory, semantics, where)) [[unlikely]]
      return;
    bool met = false;
    if (workgroup) {
      met = workgroup_wait(where);
    } else {
      subgroup_wait(
          where, [](void* const*, const LaneMask&, std::uint32_t) {}, static_cast<std::byte*>(nullptr));
    }
    derived().after_barrier(workgroup ? Scope::Workgroup : Scope::Subgroup, memory, semantics, met);
  }

  /// The everyday barrier: waits until every invocation of the workgroup has come to this call, and makes what each of
  /// them wrote to Workgroup memory before it visible to all of them after it, as GLSL's `barrier()` and WGSL's
  /// `workgroupBarrier()` do. With `kWorkgroupBarrier | kBufferBarrier` buffers are ordered within the workgroup as
  /// well, as CUDA's `__syncthreads()` has it, where their accesses are NonPrivate.
  /// Ordering: none between workgroups, and none of storage classes that `semantics` do not name.
  [[gnu::always_inline]] void workgroup_barrier(ControlBarrierSemantics semantics = kWorkgroupBarrier,
                                                SourceLocation where = SourceLocation::current()) {
    control_barrier(Scope::Workgroup, Scope::Workgroup, semantics, where);
  }

  /// The value of a Workgroup variable, the same for the whole workgroup: a barrier, the load, and a barrier, as WGSL's
  /// `workgroupUniformLoad`. So it may be written before and after without more ado.
  /// Ordering: that of two `workgroup_barrier()`.
  template <AnyReference R>
  requires(R::kStorageClass == StorageClass::Workgroup) typename R::value_type
      workgroup_uniform_load(const R& ref, SourceLocation where = SourceLocation::current()) {
    workgroup_barrier(kWorkgroupBarrier, where);
    const typename R::value_type value = load(ref, where);
    workgroup_barrier(kWorkgroupBarrier, where);
    return value;
  }

  /// OpMemoryBarrier: orders this invocation's accesses as `semantics` say, for agents inside
  /// `scope`. Does not wait.
  void memory_barrier(MemoryScope scope, MemoryBarrierSemantics semantics,
                      SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(scope, semantics);
    derived().fence(scope, semantics, where);
  }

  /// OpNamedBarrierInitialize: a barrier for `subgroups` whole subgroups of the workgroup. Every
  /// invocation of the workgroup must make its named barriers in the same order.
  NamedBarrier named_barrier_initialize(std::uint32_t subgroups, SourceLocation where = SourceLocation::current()) {
    if (subgroups == 0 || subgroups > num_subgroups()) {
      raise_with(FindingKind::InvalidArgument, where, "a named barrier for {} subgroups in a workgroup of {}",
                 subgroups, num_subgroups());
    }
    return {named_barriers_++, subgroups};
  }

  /// OpMemoryNamedBarrier: waits until as many whole subgroups as `barrier` was made for have come;
  /// a memory barrier as `semantics` say.
  void memory_named_barrier(NamedBarrier barrier, MemoryScope memory, ControlBarrierSemantics semantics,
                            SourceLocation where = SourceLocation::current()) {
    check_scope_with_semantics(memory, semantics);
    derived().before_barrier(Scope::Workgroup, memory, semantics, where);
    wait_begins();
    runtime::named_barrier(where, barrier.ordinal, barrier.subgroups);
    derived().after_barrier(Scope::Workgroup, memory, semantics, false);
  }

  // --- Subgroup operations (SPIR-V 3.42.24). They act on the lanes that are active at this dynamic
  // instance (runtime/README.md has the rule), order no memory, and are no barriers. A value that they are given may be
  // a reference (`x[i]`), which is read first. ---

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
  template <PlainValue V>
  bool group_non_uniform_all_equal(const V& value, SourceLocation where = SourceLocation::current()) {
    Match<ValueOf<V>> payload{value_at(value, where), {}, false};
    subgroup_wait(where, &match<ValueOf<V>>, &payload);
    return payload.all;
  }
  /// OpGroupNonUniformPartitionNV: the ballot of the active lanes with the same value.
  template <PlainValue V>
  uvec4 group_non_uniform_partition_nv(const V& value, SourceLocation where = SourceLocation::current()) {
    Match<ValueOf<V>> payload{value_at(value, where), {}, false};
    subgroup_wait(where, &match<ValueOf<V>>, &payload);
    return to_ballot(payload.same);
  }
  /// OpGroupNonUniformBroadcast: the value of lane `id`, the same number in every active lane. Undefined where that is
  /// not active, as for Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_broadcast(const V& value, std::uint32_t id,
                                         SourceLocation where = SourceLocation::current()) {
    return from_lane(value_at(value, where), id, "group_non_uniform_broadcast", where,
                     &broadcast<ValueOf<V>, runtime::kMaxSubgroupSize>);
  }
  /// OpGroupNonUniformBroadcastFirst: the value of the active lane with the lowest number.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_broadcast_first(const V& value, SourceLocation where = SourceLocation::current()) {
    using T = ValueOf<V>;
    const T own = value_at(value, where);
    Exchange<T> payload{own, 0, false, own};
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
  /// OpGroupNonUniformInverseBallot: this lane's bit of a ballot. Does not wait, like the other
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
      case GroupOperation::Reduce:
        break;
      case GroupOperation::InclusiveScan:
        counted = counted & subgroup_le_mask();
        break;
      case GroupOperation::ExclusiveScan:
        counted = counted & subgroup_lt_mask();
        break;
      default:
        raise_with(FindingKind::InvalidArgument, where,
                   "group_non_uniform_ballot_bit_count takes Reduce, InclusiveScan or ExclusiveScan");
    }
    return static_cast<std::uint32_t>(std::popcount(counted.x) + std::popcount(counted.y) + std::popcount(counted.z) +
                                      std::popcount(counted.w));
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
  /// OpGroupNonUniformShuffle: the value of lane `id`.
  ///
  /// One rule for all operations that take the value of another lane: where that lane is not active, or there is none,
  /// the result is undefined. Emulated mode gives it a value that the seed draws, and follows that: what it decides (an
  /// address, which access comes next, an atomic, `require`, what the host reads back) is a finding, and a kernel may
  /// discard it. Where nobody follows it (native mode, races_parallel, UndefinedValues::Zero) an operation that names
  /// its lane is a finding at once, and ShuffleUp and ShuffleDown, whose last lanes never have one, give this lane's
  /// own value, or zero.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_shuffle(const V& value, std::uint32_t id,
                                       SourceLocation where = SourceLocation::current()) {
    return from_lane(value_at(value, where), id, "group_non_uniform_shuffle", where);
  }
  /// OpGroupNonUniformShuffleXor: the value of the lane whose number is this one's xor `mask`; undefined as for
  /// Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_shuffle_xor(const V& value, std::uint32_t mask,
                                           SourceLocation where = SourceLocation::current()) {
    return from_lane(value_at(value, where), subgroup_local_invocation_id() ^ mask, "group_non_uniform_shuffle_xor",
                     where);
  }
  /// OpGroupNonUniformShuffleUp: the value of the lane `delta` below; undefined as for Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_shuffle_up(const V& value, std::uint32_t delta,
                                          SourceLocation where = SourceLocation::current()) {
    return from_neighbour(value_at(value, where), subgroup_local_invocation_id() - delta,
                          "group_non_uniform_shuffle_up", where);
  }
  /// OpGroupNonUniformShuffleDown: the value of the lane `delta` above; undefined as for Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_shuffle_down(const V& value, std::uint32_t delta,
                                            SourceLocation where = SourceLocation::current()) {
    return from_neighbour(value_at(value, where), subgroup_local_invocation_id() + delta,
                          "group_non_uniform_shuffle_down", where);
  }
  /// OpGroupNonUniformRotateKHR: the value of the lane `delta` above, counted around within
  /// clusters of `cluster_size` lanes (0: the subgroup); undefined as for Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_rotate_khr(const V& value, std::uint32_t delta, std::uint32_t cluster_size = 0,
                                          SourceLocation where = SourceLocation::current()) {
    if (cluster_size == 0) {
      cluster_size = subgroup_size();
    } else {
      check_cluster(cluster_size, where);
    }
    const std::uint32_t lane = subgroup_local_invocation_id();
    const std::uint32_t begin = lane / cluster_size * cluster_size;
    const std::uint64_t turned = std::uint64_t{lane} - begin + delta;
    return from_lane(value_at(value, where), begin + static_cast<std::uint32_t>(turned % cluster_size),
                     "group_non_uniform_rotate_khr", where);
  }

#define HEDDLE_GROUP_OPERATION(function, instruction, Concept, Op)                                                     \
  /** instruction. `cluster_size`, a power of two, is for ClusteredReduce. */                                          \
  template <typename V>                                                                                                \
  requires Concept<ComponentOf<ValueOf<V>>> ValueOf<V> function(GroupOperation operation, const V& value,              \
                                                                std::uint32_t cluster_size = 0,                        \
                                                                SourceLocation where = SourceLocation::current()) {    \
    return this->template combined<ByComponent<Op, ValueOf<V>>>(operation, value_at(value, where), cluster_size, {},   \
                                                                where);                                                \
  }                                                                                                                    \
  /** The partitioned forms: combines the lanes of `ballot`, as group_non_uniform_partition_nv                         \
      gives it. */                                                                                                     \
  template <typename V>                                                                                                \
  requires Concept<ComponentOf<ValueOf<V>>> ValueOf<V> function(GroupOperation operation, const V& value,              \
                                                                const uvec4& ballot,                                   \
                                                                SourceLocation where = SourceLocation::current()) {    \
    return this->template combined<ByComponent<Op, ValueOf<V>>>(operation, value_at(value, where), 0, to_mask(ballot), \
                                                                where);                                                \
  }
  HEDDLE_GROUP_OPERATION(group_non_uniform_i_add, OpGroupNonUniformIAdd, Integer, Add)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_add, OpGroupNonUniformFAdd, FloatingPoint, Add)
  HEDDLE_GROUP_OPERATION(group_non_uniform_i_mul, OpGroupNonUniformIMul, Integer, Multiply)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_mul, OpGroupNonUniformFMul, FloatingPoint, Multiply)
  HEDDLE_GROUP_OPERATION(group_non_uniform_s_min, OpGroupNonUniformSMin, SignedInteger, Minimum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_u_min, OpGroupNonUniformUMin, UnsignedInteger, Minimum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_min, OpGroupNonUniformFMin, FloatingPoint, Minimum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_s_max, OpGroupNonUniformSMax, SignedInteger, Maximum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_u_max, OpGroupNonUniformUMax, UnsignedInteger, Maximum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_f_max, OpGroupNonUniformFMax, FloatingPoint, Maximum)
  HEDDLE_GROUP_OPERATION(group_non_uniform_bitwise_and, OpGroupNonUniformBitwiseAnd, Integer, And)
  HEDDLE_GROUP_OPERATION(group_non_uniform_bitwise_or, OpGroupNonUniformBitwiseOr, Integer, Or)
  HEDDLE_GROUP_OPERATION(group_non_uniform_bitwise_xor, OpGroupNonUniformBitwiseXor, Integer, Xor)
  HEDDLE_GROUP_OPERATION(group_non_uniform_logical_and, OpGroupNonUniformLogicalAnd, Boolean, And)
  HEDDLE_GROUP_OPERATION(group_non_uniform_logical_or, OpGroupNonUniformLogicalOr, Boolean, Or)
  HEDDLE_GROUP_OPERATION(group_non_uniform_logical_xor, OpGroupNonUniformLogicalXor, Boolean, Xor)
#undef HEDDLE_GROUP_OPERATION

  /// OpGroupNonUniformQuadBroadcast: the value of lane `index` (0 to 3, the same number in the whole quad) of this
  /// lane's quad; undefined as for Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_quad_broadcast(const V& value, std::uint32_t index,
                                              SourceLocation where = SourceLocation::current()) {
    if (index > 3) {
      raise_with(FindingKind::InvalidArgument, where, "a quad has no lane {}", index);
    }
    return from_lane(value_at(value, where), subgroup_local_invocation_id() / 4 * 4 + index,
                     "group_non_uniform_quad_broadcast", where, &broadcast<ValueOf<V>, 4>);
  }
  /// OpGroupNonUniformQuadSwap; undefined as for Shuffle.
  template <PlainValue V>
  ValueOf<V> group_non_uniform_quad_swap(const V& value, QuadSwap direction,
                                         SourceLocation where = SourceLocation::current()) {
    return from_lane(value_at(value, where),
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

  // --- For the author of the kernel ---

  /// Prints, in the manner of fmt. The lines of a dispatch come out when it ends: in native mode
  /// ordered by workgroup, in emulated mode in the order of execution.
  /// An argument that is a reference (`x[i]`) is read. Vectors print as "(1, 2, 3)".
  template <typename... Args>
  void print(fmt::format_string<ValueOf<Args>...> format, Args&&... args) {
    detail::print(*group_, fmt::format(format, ValueOf<Args>(value_of(args))...));
  }

  /// Ends the dispatch with a finding if `condition` is false.
  void require(bool condition, std::string_view message = "a requirement of the kernel does not hold",
               SourceLocation where = SourceLocation::current()) {
    derived().follow_condition(condition, where);
    if (!condition) [[unlikely]] {
      raise_with(FindingKind::RequirementFailed, where, "{}", std::string(message).c_str());
    }
  }
  template <typename... Args>
  requires(sizeof...(Args) > 0) void require(bool condition, FormatAt<std::type_identity_t<ValueOf<Args>>...> format,
                                             Args&&... args) {
    derived().follow_condition(condition, format.where);
    if (!condition) [[unlikely]] {
      raise_with(FindingKind::RequirementFailed, format.where, "{}",
                 fmt::format(format.text, ValueOf<Args>(value_of(args))...).c_str());
    }
  }

  /// Whether this invocation has ever waited. For the runtime.
  bool waited() const {
    return waited_;
  }

 protected:
  using Base::all_lanes;
  using Base::check_cluster;
  using Base::check_lane;
  using Base::combined;
  using Base::derived;
  using Base::from_lane;
  using Base::from_neighbour;
  using Base::global_;
  using Base::grid;
  using Base::group_;
  using Base::index_;
  using Base::lanes_where;
  using Base::local_;
  using Base::lowest;
  using Base::named_barriers_;
  using Base::nonempty;
  using Base::quad;
  using Base::raise_with;
  using Base::subgroup_wait;
  using Base::voted;
  using Base::wait_begins;
  using Base::waited_;
  using Base::workgroup_wait;
};

}  // namespace detail
}  // namespace heddle
