#pragma once

/// \file
/// Arguments of atomics, barriers and accesses that may not have every value. A constant that is
/// not allowed does not compile, and the compiler's message at that line says why. A
/// value that is only known when the kernel runs goes through `dynamic(...)` and, if it is not
/// allowed, throws InvalidArgumentError.
///
/// Rules: SPIR-V 1.6, sections 3.2.25 (Scope), 3.2.26 (Memory Semantics), 3.2.28 (Memory Operands)
/// and the validation rules for Vulkan; vk:memory-model-memory-semantics.

#include <heddle/detail/operand.h>
#include <heddle/spirv.h>

namespace heddle {

namespace detail {

/// What an instruction does with its semantics.
enum class Use : std::uint8_t {
  AtomicLoad,
  AtomicStore,
  AtomicReadModifyWrite,
  /// The second semantics of OpAtomicCompareExchange: for when nothing is written.
  AtomicUnequal,
  MemoryBarrier,
  ControlBarrier,
};

constexpr bool one_bit_at_most(std::uint32_t value) {
  return (value & (value - 1)) == 0;
}

//= vk:memory-model-memory-semantics
constexpr Problem problem_of(Use use, MemorySemantics s) {
  constexpr MemorySemantics kFlags =
      MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible | MemorySemantics::Volatile;
  constexpr MemorySemantics kForeign =
      MemorySemantics::SubgroupMemory | MemorySemantics::CrossWorkgroupMemory | MemorySemantics::AtomicCounterMemory;
  if ((s & ~(kOrderBits | kStorageClassBits | kFlags)) != MemorySemantics::None) {
    return Problem::semantics_have_unknown_bits;
  }
  const MemorySemantics order = s & kOrderBits;
  if (order == (MemorySemantics::Acquire | MemorySemantics::Release)) {
    return Problem::Acquire_and_Release_together_are_AcquireRelease__kBufferBarrier_for_buffers;
  }
  if (!one_bit_at_most(bits(order))) {
    return Problem::semantics_have_more_than_one_of_Acquire_Release_AcquireRelease;
  }
  if (order == MemorySemantics::SequentiallyConsistent) {
    return Problem::SequentiallyConsistent_does_not_exist_in_Vulkan;
  }
  if ((s & kForeign) != MemorySemantics::None) {
    return Problem::SubgroupMemory_CrossWorkgroupMemory_AtomicCounterMemory_do_not_exist_in_Vulkan;
  }
  const bool barrier = use == Use::MemoryBarrier || use == Use::ControlBarrier;
  if (use == Use::AtomicLoad && releases(s)) return Problem::a_load_cannot_Release;
  if (use == Use::AtomicStore && acquires(s)) return Problem::a_store_cannot_Acquire;
  if (use == Use::AtomicUnequal && releases(s)) return Problem::the_semantics_for_unequal_cannot_Release;
  if (use == Use::MemoryBarrier && order == MemorySemantics::None) {
    return Problem::a_memory_barrier_needs_Acquire_or_Release;
  }
  if (has(s, MemorySemantics::MakeAvailable) && !releases(s)) return Problem::MakeAvailable_needs_Release;
  if (has(s, MemorySemantics::MakeVisible) && !acquires(s)) return Problem::MakeVisible_needs_Acquire;
  if (order == MemorySemantics::None && storage_classes(s) != MemorySemantics::None) {
    return Problem::storage_class_semantics_need_Acquire_or_Release;
  }
  if (order != MemorySemantics::None && storage_classes(s) == MemorySemantics::None) {
    return Problem::Acquire_and_Release_need_a_storage_class;
  }
  if (barrier && has(s, MemorySemantics::Volatile)) return Problem::Volatile_semantics_belong_to_atomics;
  return Problem::None;
}

/// Memory that agents share, so that atomics and NonPrivate mean something there.
constexpr bool is_shared(StorageClass c) {
  return c == StorageClass::Uniform || c == StorageClass::Workgroup || c == StorageClass::StorageBuffer ||
         c == StorageClass::PhysicalStorageBuffer || c == StorageClass::Image;
}

/// What cannot be seen from one argument alone; a constant that folds away.
inline void check_scope_with_semantics(Scope scope, MemorySemantics s) {
  if (scope == Scope::Invocation && (s & kOrderBits) != MemorySemantics::None) {
    refuse(Problem::Invocation_scope_orders_nothing);
  }
}

template <Use use>
struct SemanticsRules {
  using Value = MemorySemantics;
  static constexpr Problem kNotConstant = Problem::memory_semantics_that_are_no_constant__write_dynamic;
  static constexpr Problem problem(MemorySemantics s) { return problem_of(use, s); }
};

struct MemoryScopeRules {
  using Value = Scope;
  static constexpr Problem kNotConstant = Problem::a_scope_that_is_no_constant__write_dynamic;
  static constexpr Problem problem(Scope scope) {
    if (scope == Scope::CrossDevice) return Problem::CrossDevice_scope_does_not_exist_in_Vulkan;
    if (scope == Scope::ShaderCallKHR) return Problem::ShaderCallKHR_scope_needs_a_ray_tracing_stage;
    if (scope == Scope::FragmentInterlock) return Problem::FragmentInterlock_is_no_scope_operand;
    return Problem::None;
  }
};

struct ExecutionScopeRules {
  using Value = Scope;
  static constexpr Problem kNotConstant = Problem::a_scope_that_is_no_constant__write_dynamic;
  static constexpr Problem problem(Scope scope) {
    return scope == Scope::Workgroup || scope == Scope::Subgroup ? Problem::None
                                                                 : Problem::an_execution_scope_is_Workgroup_or_Subgroup;
  }
};

/// Operands of an access that has `make`, and not `make_other`, which needs `non_private`.
template <typename Operands, Operands make, Operands make_other, Problem for_other, Operands non_private_one,
          Problem without_non_private>
struct AccessRules {
  using Value = Operands;
  static constexpr Problem kNotConstant = Problem::operands_that_are_no_constant__write_dynamic;
  static constexpr Problem problem(Operands o) {
    if (has(o, make_other)) return for_other;
    if (has(o, make) && !has(o, non_private_one)) return without_non_private;
    return Problem::None;
  }
};

}  // namespace detail

/// Memory semantics of one kind of instruction.
template <detail::Use use>
using SemanticsOf = detail::Operand<detail::SemanticsRules<use>>;

/// The memory scope of a barrier, or of MakePointerAvailable and MakePointerVisible.
using MemoryScope = detail::Operand<detail::MemoryScopeRules>;

/// The execution scope of a control barrier: Workgroup or Subgroup.
using ExecutionScope = detail::Operand<detail::ExecutionScopeRules>;

/// Memory operands of a load.
using LoadOperands = detail::Operand<
    detail::AccessRules<MemoryOperands, MemoryOperands::MakePointerVisible, MemoryOperands::MakePointerAvailable,
                        detail::Problem::a_load_cannot_MakePointerAvailable, MemoryOperands::NonPrivatePointer,
                        detail::Problem::MakePointer_needs_NonPrivatePointer>>;

/// Memory operands of a store.
using StoreOperands = detail::Operand<
    detail::AccessRules<MemoryOperands, MemoryOperands::MakePointerAvailable, MemoryOperands::MakePointerVisible,
                        detail::Problem::a_store_cannot_MakePointerVisible, MemoryOperands::NonPrivatePointer,
                        detail::Problem::MakePointer_needs_NonPrivatePointer>>;

/// Image operands of a texel read.
using TexelReadOperands = detail::Operand<
    detail::AccessRules<ImageOperands, ImageOperands::MakeTexelVisible, ImageOperands::MakeTexelAvailable,
                        detail::Problem::a_texel_read_cannot_MakeTexelAvailable, ImageOperands::NonPrivateTexel,
                        detail::Problem::MakeTexel_needs_NonPrivateTexel>>;

/// Image operands of a texel write.
using TexelWriteOperands = detail::Operand<
    detail::AccessRules<ImageOperands, ImageOperands::MakeTexelAvailable, ImageOperands::MakeTexelVisible,
                        detail::Problem::a_texel_write_cannot_MakeTexelVisible, ImageOperands::NonPrivateTexel,
                        detail::Problem::MakeTexel_needs_NonPrivateTexel>>;

using AtomicLoadSemantics = SemanticsOf<detail::Use::AtomicLoad>;
using AtomicStoreSemantics = SemanticsOf<detail::Use::AtomicStore>;
using AtomicSemantics = SemanticsOf<detail::Use::AtomicReadModifyWrite>;
using AtomicUnequalSemantics = SemanticsOf<detail::Use::AtomicUnequal>;
using MemoryBarrierSemantics = SemanticsOf<detail::Use::MemoryBarrier>;
using ControlBarrierSemantics = SemanticsOf<detail::Use::ControlBarrier>;

/// What a GLSL author's `barrier()` means: everything written to Workgroup memory before it is
/// visible to the workgroup after it.
inline constexpr MemorySemantics kWorkgroupBarrier = MemorySemantics::AcquireRelease |
                                                     MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable |
                                                     MemorySemantics::MakeVisible;

/// The semantics of an everyday barrier over buffers.
inline constexpr MemorySemantics kBufferBarrier = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory |
                                                  MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

/// The two halves of message passing through a buffer: everything that the releasing invocation
/// wrote to buffers before becomes available, and visible to the one that acquires.
inline constexpr MemorySemantics kReleaseBuffers =
    MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
inline constexpr MemorySemantics kAcquireBuffers =
    MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;

}  // namespace heddle
