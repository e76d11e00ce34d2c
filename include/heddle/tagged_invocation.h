#pragma once

/// \file
/// What an invocation offers with tags (heddle/tags.h): the loads, stores, atomics, fences and barriers of
/// heddle/invocation.h, each with the tags of the instruction behind its operands or its semantics:
///
///     inv.store(tile[i], v, tag("sync-as:3"));
///     inv.memory_barrier(Scope::Workgroup, kReleaseBuffers | tag("sync-as:1"));
///     inv.atomic_store(flag, Scope::Device, MemorySemantics::Relaxed | tag("sync-as:1"), 1u);
///
/// Accesses that are written as those of a variable have the tags of their reference, and the barrier at the end of a
/// region of a kernel in phases (heddle/phases.h) those behind its semantics. An access to a buffer is private unless
/// its reference says otherwise, whatever tags it has:
///
///     x.non_private().with(tag("sync-as:1"))[i] = v;     // an array: each access through it
///     tile[i].with(tag("sync-as:3")) += v;               // an element, a member, a Workgroup variable, a texel
///     image.with(tag("sync-as:1")).write(c, v);
///     group.each(f, kWorkgroupBarrier | tag("sync-as:3"));
///
/// Natively tags do nothing. Emulated, the weak memory leaves out the order that they relax, and races show where an
/// instruction needed it.

#include <heddle/detail/tagging.h>
#include <heddle/invocation.h>
#include <heddle/operation.h>
#include <heddle/tags.h>

namespace heddle::detail {

/// InvocationApi, and the same instructions with tags. Each has the contract of the function of that name without
/// them, but for the order to this invocation's own instructions, where tags do not fit.
/// Source: LLVM, "Memory Model Relaxation Annotations", happens-before.
template <typename Derived>
class TaggedInvocation : public InvocationApi<Derived> {
  using Api = InvocationApi<Derived>;

 protected:
  using typename Api::AtomicLoadSemantics;
  using typename Api::AtomicSemantics;
  using typename Api::AtomicStoreSemantics;
  using typename Api::AtomicUnequalSemantics;
  using typename Api::ControlBarrierSemantics;
  using typename Api::ExecutionScope;
  using typename Api::LoadOperands;
  using typename Api::MemoryBarrierSemantics;
  using typename Api::MemoryScope;
  using typename Api::StoreOperands;

 public:
  using Api::Api;

  using Api::atomic_compare_exchange;
  using Api::atomic_flag_clear;
  using Api::atomic_flag_test_and_set;
  using Api::atomic_i_decrement;
  using Api::atomic_i_increment;
  using Api::atomic_load;
  using Api::atomic_store;
  using Api::control_barrier;
  using Api::load;
  using Api::memory_barrier;
  using Api::memory_named_barrier;
  using Api::store;
  using Api::workgroup_barrier;

  /// With the operands that the qualifiers of the reference stand for.
  template <AnyReference R>
  typename R::value_type load(const R& ref, const Tags& tags, SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), tags);
    return Api::load(ref, where);
  }
  template <AnyReference R>
  typename R::value_type load(const R& ref, WithTags<LoadOperands> operands, MemoryScope visible = Scope::Invocation,
                              std::uint32_t alignment_bytes = 0, SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), operands.tags());
    return Api::load(ref, operands.argument(), visible, alignment_bytes, where);
  }
  /// With the operands that the qualifiers of the reference stand for.
  template <AnyReference R>
  void store(const R& ref, Given<typename R::value_type> value, const Tags& tags,
             SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), tags);
    Api::store(ref, value, where);
  }
  template <AnyReference R>
  void store(const R& ref, Given<typename R::value_type> value, WithTags<StoreOperands> operands,
             MemoryScope available = Scope::Invocation, std::uint32_t alignment_bytes = 0,
             SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), operands.tags());
    Api::store(ref, value, operands.argument(), available, alignment_bytes, where);
  }

  template <AtomicReference R>
  typename R::value_type atomic_load(const R& ref, MemoryScope scope, WithTags<AtomicLoadSemantics> semantics,
                                     SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    return Api::atomic_load(ref, scope, semantics.argument(), where);
  }
  template <AtomicReference R>
  void atomic_store(const R& ref, MemoryScope scope, WithTags<AtomicStoreSemantics> semantics,
                    std::type_identity_t<typename R::value_type> value,
                    SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    Api::atomic_store(ref, scope, semantics.argument(), value, where);
  }
  /// The tags are those of the instruction, whether it writes or not.
  template <IntegerReference R>
  typename R::value_type atomic_compare_exchange(const R& ref, MemoryScope scope, WithTags<AtomicSemantics> equal,
                                                 AtomicUnequalSemantics unequal,
                                                 std::type_identity_t<typename R::value_type> value,
                                                 std::type_identity_t<typename R::value_type> comparator,
                                                 SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), equal.tags());
    return Api::atomic_compare_exchange(ref, scope, equal.argument(), unequal, value, comparator, where);
  }

#define HEDDLE_TAGGED_ATOMIC(function)                                                                  \
  using Api::function;                                                                                  \
  template <AtomicReference R>                                                                          \
  typename R::value_type function(const R& ref, MemoryScope scope, WithTags<AtomicSemantics> semantics, \
                                  std::type_identity_t<typename R::value_type> value,                   \
                                  SourceLocation where = SourceLocation::current()) {                   \
    [[maybe_unused]] const Here here(derived(), semantics.tags());                                      \
    return Api::function(ref, scope, semantics.argument(), value, where);                               \
  }
  HEDDLE_TAGGED_ATOMIC(atomic_exchange)
  HEDDLE_TAGGED_ATOMIC(atomic_i_add)
  HEDDLE_TAGGED_ATOMIC(atomic_i_sub)
  HEDDLE_TAGGED_ATOMIC(atomic_s_min)
  HEDDLE_TAGGED_ATOMIC(atomic_u_min)
  HEDDLE_TAGGED_ATOMIC(atomic_s_max)
  HEDDLE_TAGGED_ATOMIC(atomic_u_max)
  HEDDLE_TAGGED_ATOMIC(atomic_and)
  HEDDLE_TAGGED_ATOMIC(atomic_or)
  HEDDLE_TAGGED_ATOMIC(atomic_xor)
  HEDDLE_TAGGED_ATOMIC(atomic_u_inc_wrap)
  HEDDLE_TAGGED_ATOMIC(atomic_u_dec_wrap)
  HEDDLE_TAGGED_ATOMIC(atomic_f_add_ext)
  HEDDLE_TAGGED_ATOMIC(atomic_f_min_ext)
  HEDDLE_TAGGED_ATOMIC(atomic_f_max_ext)
#undef HEDDLE_TAGGED_ATOMIC

  template <IntegerReference R>
  typename R::value_type atomic_i_increment(const R& ref, MemoryScope scope, WithTags<AtomicSemantics> semantics,
                                            SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    return Api::atomic_i_increment(ref, scope, semantics.argument(), where);
  }
  template <IntegerReference R>
  typename R::value_type atomic_i_decrement(const R& ref, MemoryScope scope, WithTags<AtomicSemantics> semantics,
                                            SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    return Api::atomic_i_decrement(ref, scope, semantics.argument(), where);
  }
  template <IntegerReference R>
  bool atomic_flag_test_and_set(const R& ref, MemoryScope scope, WithTags<AtomicSemantics> semantics,
                                SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    return Api::atomic_flag_test_and_set(ref, scope, semantics.argument(), where);
  }
  template <IntegerReference R>
  void atomic_flag_clear(const R& ref, MemoryScope scope, WithTags<AtomicStoreSemantics> semantics,
                         SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    Api::atomic_flag_clear(ref, scope, semantics.argument(), where);
  }

  void memory_barrier(MemoryScope scope, WithTags<MemoryBarrierSemantics> semantics,
                      SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    Api::memory_barrier(scope, semantics.argument(), where);
  }
  [[gnu::always_inline]] void control_barrier(ExecutionScope execution, MemoryScope memory,
                                              WithTags<ControlBarrierSemantics> semantics,
                                              SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    Api::control_barrier(execution, memory, semantics.argument(), where);
  }
  [[gnu::always_inline]] void workgroup_barrier(WithTags<ControlBarrierSemantics> semantics,
                                                SourceLocation where = SourceLocation::current()) {
    control_barrier(Scope::Workgroup, Scope::Workgroup, semantics, where);
  }
  void memory_named_barrier(NamedBarrier barrier, MemoryScope memory, WithTags<ControlBarrierSemantics> semantics,
                            SourceLocation where = SourceLocation::current()) {
    [[maybe_unused]] const Here here(derived(), semantics.tags());
    Api::memory_named_barrier(barrier, memory, semantics.argument(), where);
  }

 protected:
  using Api::derived;

 private:
  /// (Not a base's: the mode is known only once `Derived` is whole.)
  class Here {
   public:
    Here(Derived& invocation, const Tags& tags) : tagging_(invocation, tags) {}

   private:
    [[no_unique_address]] Tagging<Derived, Derived::kEmulated> tagging_;
  };
};

}  // namespace heddle::detail
