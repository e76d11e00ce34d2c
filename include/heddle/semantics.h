#pragma once

/// \file
/// Arguments of atomics, barriers and accesses that may not have every value. A constant that is
/// not allowed does not compile; the compiler's message names a function below that says why. A
/// value that is only known when the kernel runs goes through `dynamic(...)` and, if it is not
/// allowed, throws InvalidArgumentError.
///
/// Rules: SPIR-V 1.6, sections 3.2.25 (Scope), 3.2.26 (Memory Semantics), 3.2.28 (Memory Operands)
/// and the validation rules for Vulkan; vk:memory-model-memory-semantics.

#include <heddle/spirv.h>

#include <concepts>
#include <stdexcept>
#include <string>

namespace heddle {

/// An argument that the instruction may not have, found when the kernel ran.
class InvalidArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A value that is checked when the kernel runs.
template <typename T>
struct Dynamic {
  T value;
};

/// Marks a scope, semantics or memory operands that are not constants.
template <typename T>
constexpr Dynamic<T> dynamic(T value) {
  return {value};
}

/// A variable is no constant: instead of what the compiler says of that, it says what to write. (What is const, or
/// comes from a call, it reports in its own words.)
#define HEDDLE_NOT_CONSTANT(Type, Value, what)                                                    \
  __attribute__((unavailable(what ": write dynamic(...), which checks it when the kernel runs"))) \
  Type(Value& variable)                                                                           \
      : value_(variable) {}

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

// Reached in a constant expression these stop the compiler, which prints their names; reached when
// the kernel runs they are never called.
#define HEDDLE_PROBLEM(name, text)    \
  [[noreturn]] inline void name() {   \
    throw InvalidArgumentError(text); \
  }
HEDDLE_PROBLEM(semantics_have_more_than_one_of_Acquire_Release_AcquireRelease,
               "memory semantics have more than one of Acquire, Release, AcquireRelease and "
               "SequentiallyConsistent")
HEDDLE_PROBLEM(SequentiallyConsistent_does_not_exist_in_Vulkan,
               "SequentiallyConsistent is not allowed in the Vulkan memory model: use "
               "AcquireRelease")
HEDDLE_PROBLEM(a_load_cannot_Release, "an atomic load cannot have Release or AcquireRelease")
HEDDLE_PROBLEM(a_store_cannot_Acquire, "an atomic store cannot have Acquire or AcquireRelease")
HEDDLE_PROBLEM(the_semantics_for_unequal_cannot_Release,
               "the semantics for the unequal case cannot have Release or AcquireRelease: nothing "
               "is written then")
HEDDLE_PROBLEM(MakeAvailable_needs_Release, "MakeAvailable needs Release or AcquireRelease")
HEDDLE_PROBLEM(MakeVisible_needs_Acquire, "MakeVisible needs Acquire or AcquireRelease")
HEDDLE_PROBLEM(storage_class_semantics_need_Acquire_or_Release,
               "storage-class semantics (UniformMemory ...) mean nothing without Acquire, Release "
               "or AcquireRelease")
HEDDLE_PROBLEM(Acquire_and_Release_need_a_storage_class,
               "Acquire, Release and AcquireRelease order nothing without a storage-class semantic "
               "(UniformMemory, WorkgroupMemory, ImageMemory, OutputMemory)")
HEDDLE_PROBLEM(a_memory_barrier_needs_Acquire_or_Release, "a memory barrier needs Acquire, Release or AcquireRelease")
HEDDLE_PROBLEM(Volatile_semantics_belong_to_atomics, "Volatile semantics belong to atomics only")
HEDDLE_PROBLEM(semantics_have_unknown_bits, "memory semantics have bits that SPIR-V does not know")
HEDDLE_PROBLEM(SubgroupMemory_CrossWorkgroupMemory_AtomicCounterMemory_do_not_exist_in_Vulkan,
               "SubgroupMemory, CrossWorkgroupMemory and AtomicCounterMemory order nothing in "
               "the Vulkan memory model")
HEDDLE_PROBLEM(CrossDevice_scope_does_not_exist_in_Vulkan,
               "CrossDevice scope is not allowed in the Vulkan memory model")
HEDDLE_PROBLEM(ShaderCallKHR_scope_needs_a_ray_tracing_stage,
               "ShaderCallKHR scope needs a ray tracing stage; this is a compute kernel")
HEDDLE_PROBLEM(FragmentInterlock_is_no_scope_operand,
               "FragmentInterlock is the scope of interlock instructions, no operand")
HEDDLE_PROBLEM(an_execution_scope_is_Workgroup_or_Subgroup,
               "the execution scope of a control barrier is Workgroup or Subgroup")
HEDDLE_PROBLEM(this_storage_class_has_no_atomics,
               "memory of this storage class belongs to one invocation or is read-only: it has no "
               "atomics")
HEDDLE_PROBLEM(a_load_cannot_MakePointerAvailable, "MakePointerAvailable belongs to stores, this is a load")
HEDDLE_PROBLEM(a_store_cannot_MakePointerVisible, "MakePointerVisible belongs to loads, this is a store")
HEDDLE_PROBLEM(MakePointer_needs_NonPrivatePointer,
               "MakePointerAvailable and MakePointerVisible need NonPrivatePointer")
HEDDLE_PROBLEM(this_storage_class_has_no_NonPrivatePointer,
               "only Uniform, Workgroup, StorageBuffer, PhysicalStorageBuffer and Image memory can "
               "be NonPrivate")
HEDDLE_PROBLEM(Invocation_scope_orders_nothing,
               "memory semantics other than Relaxed need a scope wider than Invocation")
HEDDLE_PROBLEM(MakeTexel_needs_NonPrivateTexel, "MakeTexelAvailable and MakeTexelVisible need NonPrivateTexel")
HEDDLE_PROBLEM(a_texel_read_cannot_MakeTexelAvailable, "MakeTexelAvailable belongs to image writes, this is a read")
HEDDLE_PROBLEM(a_texel_write_cannot_MakeTexelVisible, "MakeTexelVisible belongs to image reads, this is a write")
#undef HEDDLE_PROBLEM

constexpr bool one_bit_at_most(std::uint32_t value) {
  return (value & (value - 1)) == 0;
}

//= vk:memory-model-memory-semantics
constexpr void check_semantics(Use use, MemorySemantics s) {
  constexpr MemorySemantics kFlags =
      MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible | MemorySemantics::Volatile;
  constexpr MemorySemantics kForeign =
      MemorySemantics::SubgroupMemory | MemorySemantics::CrossWorkgroupMemory | MemorySemantics::AtomicCounterMemory;
  if ((s & ~(kOrderBits | kStorageClassBits | kFlags)) != MemorySemantics::None) {
    semantics_have_unknown_bits();
  }
  const MemorySemantics order = s & kOrderBits;
  if (!one_bit_at_most(bits(order))) {
    semantics_have_more_than_one_of_Acquire_Release_AcquireRelease();
  }
  if (order == MemorySemantics::SequentiallyConsistent) {
    SequentiallyConsistent_does_not_exist_in_Vulkan();
  }
  if ((s & kForeign) != MemorySemantics::None) {
    SubgroupMemory_CrossWorkgroupMemory_AtomicCounterMemory_do_not_exist_in_Vulkan();
  }
  const bool barrier = use == Use::MemoryBarrier || use == Use::ControlBarrier;
  if (use == Use::AtomicLoad && releases(s)) a_load_cannot_Release();
  if (use == Use::AtomicStore && acquires(s)) a_store_cannot_Acquire();
  if (use == Use::AtomicUnequal && releases(s)) the_semantics_for_unequal_cannot_Release();
  if (use == Use::MemoryBarrier && order == MemorySemantics::None) {
    a_memory_barrier_needs_Acquire_or_Release();
  }
  if (has(s, MemorySemantics::MakeAvailable) && !releases(s)) MakeAvailable_needs_Release();
  if (has(s, MemorySemantics::MakeVisible) && !acquires(s)) MakeVisible_needs_Acquire();
  if (order == MemorySemantics::None && storage_classes(s) != MemorySemantics::None) {
    storage_class_semantics_need_Acquire_or_Release();
  }
  if (order != MemorySemantics::None && storage_classes(s) == MemorySemantics::None) {
    Acquire_and_Release_need_a_storage_class();
  }
  if (barrier && has(s, MemorySemantics::Volatile)) Volatile_semantics_belong_to_atomics();
}

constexpr void check_memory_scope(Scope scope) {
  if (scope == Scope::CrossDevice) CrossDevice_scope_does_not_exist_in_Vulkan();
  if (scope == Scope::ShaderCallKHR) ShaderCallKHR_scope_needs_a_ray_tracing_stage();
  if (scope == Scope::FragmentInterlock) FragmentInterlock_is_no_scope_operand();
}

/// Memory that agents share, so that atomics and NonPrivate mean something there.
constexpr bool is_shared(StorageClass c) {
  return c == StorageClass::Uniform || c == StorageClass::Workgroup || c == StorageClass::StorageBuffer ||
         c == StorageClass::PhysicalStorageBuffer || c == StorageClass::Image;
}

/// What cannot be seen from one argument alone; a constant that folds away.
inline void check_scope_with_semantics(Scope scope, MemorySemantics s) {
  if (scope == Scope::Invocation && (s & kOrderBits) != MemorySemantics::None) {
    Invocation_scope_orders_nothing();
  }
}

}  // namespace detail

/// Memory semantics of one kind of instruction.
template <detail::Use use>
class SemanticsOf {
 public:
  HEDDLE_NOT_CONSTANT(SemanticsOf, MemorySemantics, "memory semantics that are no constant")
  template <std::same_as<MemorySemantics> V>
  consteval SemanticsOf(V s) : value_(s) {
    detail::check_semantics(use, s);
  }
  SemanticsOf(Dynamic<MemorySemantics> s) : value_(s.value) { detail::check_semantics(use, s.value); }
  constexpr operator MemorySemantics() const { return value_; }

 private:
  MemorySemantics value_;
};

/// The memory scope of a barrier, or of MakePointerAvailable and MakePointerVisible.
class MemoryScope {
 public:
  HEDDLE_NOT_CONSTANT(MemoryScope, Scope, "a scope that is no constant")
  template <std::same_as<Scope> V>
  consteval MemoryScope(V scope) : value_(scope) {
    detail::check_memory_scope(scope);
  }
  MemoryScope(Dynamic<Scope> scope) : value_(scope.value) { detail::check_memory_scope(scope.value); }
  constexpr operator Scope() const { return value_; }

 private:
  Scope value_;
};

/// The execution scope of a control barrier: Workgroup or Subgroup.
class ExecutionScope {
 public:
  HEDDLE_NOT_CONSTANT(ExecutionScope, Scope, "a scope that is no constant")
  template <std::same_as<Scope> V>
  consteval ExecutionScope(V scope) : value_(scope) {
    check(scope);
  }
  ExecutionScope(Dynamic<Scope> scope) : value_(scope.value) { check(scope.value); }
  constexpr operator Scope() const { return value_; }

 private:
  static constexpr void check(Scope scope) {
    if (scope != Scope::Workgroup && scope != Scope::Subgroup) {
      detail::an_execution_scope_is_Workgroup_or_Subgroup();
    }
  }
  Scope value_;
};

/// Memory operands of a load.
class LoadOperands {
 public:
  HEDDLE_NOT_CONSTANT(LoadOperands, MemoryOperands, "operands that are no constant")
  template <std::same_as<MemoryOperands> V>
  consteval LoadOperands(V o) : value_(o) {
    check(o);
  }
  LoadOperands(Dynamic<MemoryOperands> o) : value_(o.value) { check(o.value); }
  constexpr operator MemoryOperands() const { return value_; }

 private:
  static constexpr void check(MemoryOperands o) {
    if (has(o, MemoryOperands::MakePointerAvailable)) detail::a_load_cannot_MakePointerAvailable();
    if (has(o, MemoryOperands::MakePointerVisible) && !has(o, MemoryOperands::NonPrivatePointer)) {
      detail::MakePointer_needs_NonPrivatePointer();
    }
  }
  MemoryOperands value_;
};

/// Memory operands of a store.
class StoreOperands {
 public:
  HEDDLE_NOT_CONSTANT(StoreOperands, MemoryOperands, "operands that are no constant")
  template <std::same_as<MemoryOperands> V>
  consteval StoreOperands(V o) : value_(o) {
    check(o);
  }
  StoreOperands(Dynamic<MemoryOperands> o) : value_(o.value) { check(o.value); }
  constexpr operator MemoryOperands() const { return value_; }

 private:
  static constexpr void check(MemoryOperands o) {
    if (has(o, MemoryOperands::MakePointerVisible)) detail::a_store_cannot_MakePointerVisible();
    if (has(o, MemoryOperands::MakePointerAvailable) && !has(o, MemoryOperands::NonPrivatePointer)) {
      detail::MakePointer_needs_NonPrivatePointer();
    }
  }
  MemoryOperands value_;
};

/// Image operands of a texel read.
class TexelReadOperands {
 public:
  HEDDLE_NOT_CONSTANT(TexelReadOperands, ImageOperands, "operands that are no constant")
  template <std::same_as<ImageOperands> V>
  consteval TexelReadOperands(V o) : value_(o) {
    check(o);
  }
  TexelReadOperands(Dynamic<ImageOperands> o) : value_(o.value) { check(o.value); }
  constexpr operator ImageOperands() const { return value_; }

 private:
  static constexpr void check(ImageOperands o) {
    if (has(o, ImageOperands::MakeTexelAvailable)) detail::a_texel_read_cannot_MakeTexelAvailable();
    if (has(o, ImageOperands::MakeTexelVisible) && !has(o, ImageOperands::NonPrivateTexel)) {
      detail::MakeTexel_needs_NonPrivateTexel();
    }
  }
  ImageOperands value_;
};

/// Image operands of a texel write.
class TexelWriteOperands {
 public:
  HEDDLE_NOT_CONSTANT(TexelWriteOperands, ImageOperands, "operands that are no constant")
  template <std::same_as<ImageOperands> V>
  consteval TexelWriteOperands(V o) : value_(o) {
    check(o);
  }
  TexelWriteOperands(Dynamic<ImageOperands> o) : value_(o.value) { check(o.value); }
  constexpr operator ImageOperands() const { return value_; }

 private:
  static constexpr void check(ImageOperands o) {
    if (has(o, ImageOperands::MakeTexelVisible)) detail::a_texel_write_cannot_MakeTexelVisible();
    if (has(o, ImageOperands::MakeTexelAvailable) && !has(o, ImageOperands::NonPrivateTexel)) {
      detail::MakeTexel_needs_NonPrivateTexel();
    }
  }
  ImageOperands value_;
};

#undef HEDDLE_NOT_CONSTANT

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
