#pragma once

/// \file
/// Operands of instructions that may not have every value. A constant that is refused does not compile, and what is
/// wrong with it stands in the message of the compiler at the line of the caller. What is only known when the kernel
/// runs is checked then.

#include <heddle/spirv.h>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

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

namespace detail {

/// What can be wrong with an operand: a name, which GCC prints, and a sentence, which clang and exceptions have.
#define HEDDLE_PROBLEMS(PROBLEM, ...)                                                                                  \
  PROBLEM(a_scope_that_is_no_constant__write_dynamic,                                                                  \
          "a scope that is no constant: write dynamic(...), which checks it when the kernel runs" __VA_OPT__(, )       \
              __VA_ARGS__)                                                                                             \
  PROBLEM(                                                                                                             \
      memory_semantics_that_are_no_constant__write_dynamic,                                                            \
      "memory semantics that are no constant: write dynamic(...), which checks them when the kernel runs" __VA_OPT__(  \
          , ) __VA_ARGS__)                                                                                             \
  PROBLEM(operands_that_are_no_constant__write_dynamic,                                                                \
          "operands that are no constant: write dynamic(...), which checks them when the kernel runs" __VA_OPT__(, )   \
              __VA_ARGS__)                                                                                             \
  PROBLEM(Acquire_and_Release_together_are_AcquireRelease__kBufferBarrier_for_buffers,                                 \
          "memory semantics have both Acquire and Release: the two together are AcquireRelease (of buffers, "          \
          "kBufferBarrier instead of kReleaseBuffers | kAcquireBuffers)" __VA_OPT__(, ) __VA_ARGS__)                   \
  PROBLEM(                                                                                                             \
      semantics_have_more_than_one_of_Acquire_Release_AcquireRelease,                                                  \
      "memory semantics have more than one of Acquire, Release, AcquireRelease and SequentiallyConsistent" __VA_OPT__( \
          , ) __VA_ARGS__)                                                                                             \
  PROBLEM(SequentiallyConsistent_does_not_exist_in_Vulkan,                                                             \
          "SequentiallyConsistent is not allowed in the Vulkan memory model: use AcquireRelease" __VA_OPT__(, )        \
              __VA_ARGS__)                                                                                             \
  PROBLEM(a_load_cannot_Release, "an atomic load cannot have Release or AcquireRelease" __VA_OPT__(, ) __VA_ARGS__)    \
  PROBLEM(a_store_cannot_Acquire, "an atomic store cannot have Acquire or AcquireRelease" __VA_OPT__(, ) __VA_ARGS__)  \
  PROBLEM(                                                                                                             \
      the_semantics_for_unequal_cannot_Release,                                                                        \
      "the semantics for the unequal case cannot have Release or AcquireRelease: nothing is written then" __VA_OPT__(  \
          , ) __VA_ARGS__)                                                                                             \
  PROBLEM(MakeAvailable_needs_Release, "MakeAvailable needs Release or AcquireRelease" __VA_OPT__(, ) __VA_ARGS__)     \
  PROBLEM(MakeVisible_needs_Acquire, "MakeVisible needs Acquire or AcquireRelease" __VA_OPT__(, ) __VA_ARGS__)         \
  PROBLEM(storage_class_semantics_need_Acquire_or_Release,                                                             \
          "storage-class semantics (UniformMemory ...) mean nothing without Acquire, Release or "                      \
          "AcquireRelease" __VA_OPT__(, ) __VA_ARGS__)                                                                 \
  PROBLEM(Acquire_and_Release_need_a_storage_class,                                                                    \
          "Acquire, Release and AcquireRelease order nothing without a storage-class semantic (UniformMemory, "        \
          "WorkgroupMemory, ImageMemory, OutputMemory)" __VA_OPT__(, ) __VA_ARGS__)                                    \
  PROBLEM(a_memory_barrier_needs_Acquire_or_Release,                                                                   \
          "a memory barrier needs Acquire, Release or AcquireRelease" __VA_OPT__(, ) __VA_ARGS__)                      \
  PROBLEM(Volatile_semantics_belong_to_atomics,                                                                        \
          "Volatile semantics belong to atomics only" __VA_OPT__(, ) __VA_ARGS__)                                      \
  PROBLEM(semantics_have_unknown_bits,                                                                                 \
          "memory semantics have bits that SPIR-V does not know" __VA_OPT__(, ) __VA_ARGS__)                           \
  PROBLEM(SubgroupMemory_CrossWorkgroupMemory_AtomicCounterMemory_do_not_exist_in_Vulkan,                              \
          "SubgroupMemory, CrossWorkgroupMemory and AtomicCounterMemory order nothing in the Vulkan memory "           \
          "model" __VA_OPT__(, ) __VA_ARGS__)                                                                          \
  PROBLEM(CrossDevice_scope_does_not_exist_in_Vulkan,                                                                  \
          "CrossDevice scope is not allowed in the Vulkan memory model" __VA_OPT__(, ) __VA_ARGS__)                    \
  PROBLEM(ShaderCallKHR_scope_needs_a_ray_tracing_stage,                                                               \
          "ShaderCallKHR scope needs a ray tracing stage; this is a compute kernel" __VA_OPT__(, ) __VA_ARGS__)        \
  PROBLEM(FragmentInterlock_is_no_scope_operand,                                                                       \
          "FragmentInterlock is the scope of interlock instructions, no operand" __VA_OPT__(, ) __VA_ARGS__)           \
  PROBLEM(an_execution_scope_is_Workgroup_or_Subgroup,                                                                 \
          "the execution scope of a control barrier is Workgroup or Subgroup" __VA_OPT__(, ) __VA_ARGS__)              \
  PROBLEM(a_load_cannot_MakePointerAvailable,                                                                          \
          "MakePointerAvailable belongs to stores, this is a load" __VA_OPT__(, ) __VA_ARGS__)                         \
  PROBLEM(a_store_cannot_MakePointerVisible,                                                                           \
          "MakePointerVisible belongs to loads, this is a store" __VA_OPT__(, ) __VA_ARGS__)                           \
  PROBLEM(MakePointer_needs_NonPrivatePointer,                                                                         \
          "MakePointerAvailable and MakePointerVisible need NonPrivatePointer" __VA_OPT__(, ) __VA_ARGS__)             \
  PROBLEM(                                                                                                             \
      this_storage_class_has_no_NonPrivatePointer,                                                                     \
      "only Uniform, Workgroup, StorageBuffer, PhysicalStorageBuffer and Image memory can be NonPrivate" __VA_OPT__(   \
          , ) __VA_ARGS__)                                                                                             \
  PROBLEM(Invocation_scope_orders_nothing,                                                                             \
          "memory semantics other than Relaxed need a scope wider than Invocation" __VA_OPT__(, ) __VA_ARGS__)         \
  PROBLEM(MakeTexel_needs_NonPrivateTexel,                                                                             \
          "MakeTexelAvailable and MakeTexelVisible need NonPrivateTexel" __VA_OPT__(, ) __VA_ARGS__)                   \
  PROBLEM(a_texel_read_cannot_MakeTexelAvailable,                                                                      \
          "MakeTexelAvailable belongs to image writes, this is a read" __VA_OPT__(, ) __VA_ARGS__)                     \
  PROBLEM(a_texel_write_cannot_MakeTexelVisible,                                                                       \
          "MakeTexelVisible belongs to image reads, this is a write" __VA_OPT__(, ) __VA_ARGS__)

#define HEDDLE_PROBLEM_NAME(name, text, ...) name,
enum class Problem : std::uint8_t { None, HEDDLE_PROBLEMS(HEDDLE_PROBLEM_NAME) };
#undef HEDDLE_PROBLEM_NAME

#define HEDDLE_PROBLEM_TEXT(name, text, ...) \
  case Problem::name:                        \
    return text;
constexpr const char* text_of(Problem problem) {
  switch (problem) {
    case Problem::None:
      break;
      HEDDLE_PROBLEMS(HEDDLE_PROBLEM_TEXT)
  }
  return "";
}
#undef HEDDLE_PROBLEM_TEXT

/// Throws InvalidArgumentError if there is a problem.
inline void refuse(Problem problem) {
  if (problem != Problem::None) throw InvalidArgumentError(text_of(problem));
}

#ifndef __clang__
// The value of a constant may not refer to an immediate function. GCC says so at the line of the call whose argument
// the constant is, and names the function, whereas what goes wrong within the function that makes a constant it tells
// at the line there.
namespace refused {
#define HEDDLE_PROBLEM_FUNCTION(name, text, ...) \
  consteval void name() {}
HEDDLE_PROBLEMS(HEDDLE_PROBLEM_FUNCTION)
#undef HEDDLE_PROBLEM_FUNCTION
}  // namespace refused

using Refusal = void (*)();
consteval Refusal refusal_of(Problem problem) {
#define HEDDLE_PROBLEM_ADDRESS(name, text, ...) \
  case Problem::name:                           \
    return &refused::name;
  switch (problem) {
    case Problem::None:
      break;
      HEDDLE_PROBLEMS(HEDDLE_PROBLEM_ADDRESS)
  }
#undef HEDDLE_PROBLEM_ADDRESS
  return nullptr;
}
#endif

/// What is wrong with a value, of which is said whether it is a constant. (Of another type than that of the operand
/// clang asks, too, before it finds that it does not fit.)
template <typename Rules, typename V>
constexpr Problem problem_of(const V& value, bool constant) {
  if constexpr (std::same_as<V, typename Rules::Value>) {
    return constant ? Rules::problem(value) : Rules::kNotConstant;
  } else {
    return Problem::None;
  }
}

// clang asks this at each call, of what it knows of the arguments.
#ifdef __clang__
#define HEDDLE_REFUSED_IF(name, text, Rules, value)                                                               \
  __attribute__((diagnose_if(                                                                                     \
      ::heddle::detail::problem_of<Rules>(value, __builtin_constant_p(value)) == ::heddle::detail::Problem::name, \
      text, "error")))
#define HEDDLE_REFUSED(Rules, value)                                                    \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"") \
      HEDDLE_PROBLEMS(HEDDLE_REFUSED_IF, Rules, value) _Pragma("clang diagnostic pop")
#else
#define HEDDLE_REFUSED(Rules, value)
#endif

/// An operand. `Rules` has its type, `Value`, what is wrong with a value, `problem(value)`, and what is wrong with one
/// that is no constant, `kNotConstant`.
template <typename Rules>
class Operand {
  using Value = typename Rules::Value;

 public:
  using RulesOf = Rules;

  // A variable is no constant.
  __attribute__((unavailable("a scope that is no constant: write dynamic(...), which checks it when the kernel runs")))
  Operand(Value& variable) requires std::same_as<Value, Scope> : value_(variable) {}
  __attribute__((
      unavailable("memory semantics that are no constant: write dynamic(...), which checks them when the kernel runs")))
  Operand(Value& variable) requires std::same_as<Value, MemorySemantics> : value_(variable) {}
  __attribute__((
      unavailable("operands that are no constant: write dynamic(...), which checks them when the kernel runs")))
  Operand(Value& variable) requires(!std::same_as<Value, Scope> && !std::same_as<Value, MemorySemantics>)
      : value_(variable) {}

  template <std::same_as<Value> V>
  consteval Operand(const V& value) HEDDLE_REFUSED(Rules, value)
      : Operand(value, problem_of<Rules>(value, __builtin_constant_p(value))) {}
  /// A constant, and what is wrong with it.
  consteval Operand(const Value& value, [[maybe_unused]] Problem problem) : value_() {
    if (problem == Problem::None) {
      value_ = value;
#ifndef __clang__
    } else {
      refusal_ = refusal_of(problem);
#endif
    }
  }
  Operand(Dynamic<Value> value) : value_(value.value) {
    refuse(Rules::problem(value.value));
  }
  constexpr operator Value() const {
    return value_;
  }

 private:
  // The union has one size with either compiler.
  union {
    Value value_;
    void (*refusal_)();
  };
};

/// The operand where nothing is told of constants: in emulated mode, for which every kernel is compiled that is
/// compiled for the native one.
template <typename Rules>
class QuietOperand {
  using Value = typename Rules::Value;

 public:
  struct RulesOf {
    using Value = typename Rules::Value;
    static constexpr Problem kNotConstant = Problem::None;
    static constexpr Problem problem(Value) { return Problem::None; }
  };

  template <std::same_as<Value> V>
  constexpr QuietOperand(const V& value) : value_(value) {}
  constexpr QuietOperand(const Operand<Rules>& value) : value_(value) {}
  constexpr QuietOperand(const Value& value, Problem) : value_(value) {}
  QuietOperand(Dynamic<Value> value) : value_(value.value) { refuse(Rules::problem(value.value)); }
  constexpr operator Value() const { return value_; }

 private:
  Value value_;
};

template <typename Operand, bool told>
using OperandIf = typename std::conditional_t<told, std::type_identity<Operand>,
                                              std::type_identity<QuietOperand<typename Operand::RulesOf>>>::type;

}  // namespace detail

}  // namespace heddle
