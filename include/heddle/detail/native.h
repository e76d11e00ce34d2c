#pragma once

/// \file
/// Native mode: memory is memory. Plain loads and stores compile to plain loads and stores.

#include <heddle/detail/atomic.h>
#include <heddle/detail/private_operators.h>
#include <heddle/detail/tagged_reference.h>
#include <heddle/tagged_invocation.h>

#include <cstring>

namespace heddle::native {

using detail::Element;
using detail::Variable;

/// The order of a built-in function (__ATOMIC_ACQUIRE ...) that gives at least the ordering of `semantics`.
/// Availability and visibility come with coherent caches.
constexpr int order_of(MemorySemantics s) {
  if (acquires(s) && releases(s)) return __ATOMIC_ACQ_REL;
  if (acquires(s)) return __ATOMIC_ACQUIRE;
  if (releases(s)) return __ATOMIC_RELEASE;
  return __ATOMIC_RELAXED;
}

#if defined(__SANITIZE_THREAD__)
#define HEDDLE_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_THREAD_SANITIZER
#endif
#endif

/// A fence of the machine that gives at least the ordering of `semantics`.
inline void thread_fence(MemorySemantics semantics) {
#ifdef HEDDLE_THREAD_SANITIZER
  // ThreadSanitizer knows no fences. An update of one variable by all that fence orders every pair
  // that fences order, so it reports no race that is none (and may miss one).
  static std::uint32_t all_fences = 0;
  __atomic_fetch_add(&all_fences, 1u, order_of(semantics));
#else
  __atomic_thread_fence(order_of(semantics));
#endif
}

/// Made at the start of a program in which a kernel names volatile memory of `T`, and only there.
template <typename T>
inline const bool kHasVolatile = runtime::has_volatile_memory();

/// Tells the runtime, at the start of the program, that this function is in it.
template <typename T>
void name_volatile() {
  asm volatile("" : : "r"(&kHasVolatile<T>));
}

/// An access that the compiler neither leaves out nor puts together with another one. A load may be a poll, and lets
/// others run where it finds the same again and again; it is a part of what calls it, whose line a report then knows.
template <typename T>
[[gnu::always_inline]] inline T load_volatile(const T* memory) {
  T value;
  if constexpr (std::is_scalar_v<T>) {
    value = *static_cast<const volatile T*>(memory);
  } else {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    std::memcpy(static_cast<void*>(&value), static_cast<const void*>(memory), sizeof value);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof value < sizeof bits ? sizeof value : sizeof bits);
  runtime::read_volatile(memory, bits);
  return value;
}
template <typename T>
void store_volatile(T* memory, const T& value) {
  if constexpr (std::is_scalar_v<T>) {
    *static_cast<volatile T*>(memory) = value;
  } else {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    std::memcpy(static_cast<void*>(memory), static_cast<const void*>(&value), sizeof value);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
}

template <typename T, StorageClass storage_class, bool is_volatile = false>
class Array;

/// A reference to one `T`.
template <typename T, StorageClass storage_class, bool is_volatile = false>
class Ref {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr StorageClass kStorageClass = storage_class;
  static constexpr bool kWritable = !std::is_const_v<T> && !std::is_array_v<T>;

  constexpr explicit Ref(T* memory) : memory_(memory) {}
  constexpr value_type load() const {
    if constexpr (is_volatile) {
      return load_volatile<value_type>(memory_);
    } else {
      return *memory_;
    }
  }
  constexpr void store(const value_type& v) const {
    if constexpr (is_volatile) {
      store_volatile<value_type>(memory_, v);
    } else {
      *memory_ = v;
    }
  }

  /// A member of a struct.
  template <typename S, typename M>
  requires std::same_as<S, value_type>
  constexpr auto at(M S::*member) const {
    using Member = std::conditional_t<std::is_const_v<T>, const M, M>;
    if constexpr (std::is_array_v<M>) {
      using E = std::remove_extent_t<Member>;
      return Array<E, storage_class, is_volatile>(&(memory_->*member)[0], std::extent_v<M>);
    } else {
      using MemberRef = Ref<Member, storage_class, is_volatile>;
      return detail::ElementFor<MemberRef>(MemberRef(&(memory_->*member)));
    }
  }

  T* memory() const { return memory_; }
  /// The reference, as accessed at that line of the source: no one asks for the line here.
  constexpr const Ref& located(const SourceLocation&) const { return *this; }
  constexpr const Ref& here() const { return *this; }
  constexpr const Ref& declared() const { return *this; }
  constexpr const Ref& used_here() const { return *this; }
  constexpr const Ref& used_at(const SourceLocation&) const { return *this; }
  static constexpr SourceLocation where() { return {}; }
  /// Each access has these tags.
  constexpr auto with(const Tags& tags, const SourceLocation& = {}) const {
    return detail::ElementFor<detail::TaggedRef<Ref>>(detail::TaggedRef<Ref>(*this, tags));
  }

 private:
  T* memory_;
};

/// A reference to `size()` elements.
template <typename T, StorageClass storage_class, bool is_volatile>
class Array {
 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = storage_class;
  static constexpr bool kVolatile = is_volatile;

  constexpr Array(T* memory, std::uint64_t size) : memory_(memory), size_(size) {}
  constexpr std::uint64_t size() const { return size_; }

  template <std::integral I>
  constexpr auto operator[](I i) const {
    if constexpr (std::is_array_v<T>) {
      return Array<std::remove_extent_t<T>, storage_class, is_volatile>(&memory_[i][0], std::extent_v<T>);
    } else {
      using ElementRef = Ref<T, storage_class, is_volatile>;
      return detail::ElementFor<ElementRef>(ElementRef(memory_ + i));
    }
  }

  template <detail::IntegerElement E>
  constexpr auto operator[](E&& e) const {
    return (*this)[e.load()];
  }
  constexpr auto operator[](const detail::Index& i) const { return (*this)[i.value]; }

  T* memory() const { return memory_; }

  // GLSL's qualifiers: all memory is coherent here.
  constexpr Array coherent(MemoryScope) const { return *this; }
  constexpr Array non_private() const { return *this; }
  Array<T, storage_class, true> volatile_() const {
    name_volatile<T>();
    return {memory_, size_};
  }
  constexpr auto with(const Tags& tags) const { return detail::TaggedArray<Array>(*this, tags); }

 private:
  T* memory_;
  std::uint64_t size_;
};

/// A pointer into PhysicalStorageBuffer memory.
template <typename T, bool is_volatile = false>
class Pointer {
 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::PhysicalStorageBuffer;

  explicit Pointer(DeviceAddress<T> address)
      : memory_(reinterpret_cast<T*>(static_cast<std::uintptr_t>(address.value))) {}
  DeviceAddress<T> address() const { return {static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory_))}; }
  template <std::integral I>
  auto operator[](I i) const {
    using ElementRef = Ref<T, kStorageClass, is_volatile>;
    return detail::ElementFor<ElementRef>(ElementRef(memory_ + i));
  }
  friend auto operator*(const Pointer& p) { return p[0]; }
  template <std::integral I>
  Pointer operator+(I n) const {
    return Pointer(memory_ + n);
  }
  template <std::integral I>
  Pointer operator-(I n) const {
    return Pointer(memory_ - n);
  }
  std::ptrdiff_t operator-(const Pointer& o) const { return memory_ - o.memory_; }
  Pointer& operator++() {
    ++memory_;
    return *this;
  }
  explicit operator bool() const { return memory_ != nullptr; }
  friend bool operator==(const Pointer&, const Pointer&) = default;
  Pointer coherent(MemoryScope) const { return *this; }
  Pointer non_private() const { return *this; }
  Pointer<T, true> volatile_() const {
    name_volatile<T>();
    return Pointer<T, true>(memory_);
  }

 private:
  friend class Pointer<T, false>;
  explicit Pointer(T* memory) : memory_(memory) {}
  T* memory_;
};

/// A storage image.
template <typename T, ImageDim dim>
class Image {
 public:
  using texel_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::Image;
  static constexpr ImageDim kDim = dim;
  using Coordinate = detail::ImageCoordinate<dim>;

  Image(T* texels, const uvec3& extent) : texels_(texels), extent_(extent) {}
  Coordinate size() const { return detail::to_coordinate<dim>(extent_); }
  T read(Coordinate c, TexelReadOperands = ImageOperands::None, MemoryScope = Scope::Invocation,
         SourceLocation = SourceLocation::current()) const {
    return texels_[linear(c)];
  }
  void write(Coordinate c, detail::Given<T> value, TexelWriteOperands = ImageOperands::None,
             MemoryScope = Scope::Invocation, SourceLocation = SourceLocation::current()) const {
    texels_[linear(c)] = value;
  }
  auto texel(Coordinate c, SourceLocation = SourceLocation::current()) const {
    return detail::ElementFor<Ref<T, kStorageClass>>(Ref<T, kStorageClass>(texels_ + linear(c)));
  }
  Image coherent(MemoryScope) const { return *this; }
  Image non_private() const { return *this; }
  auto with(const Tags& tags) const { return detail::TaggedImage<Image>(*this, tags); }

 private:
  std::uint64_t linear(const Coordinate& c) const {
    return detail::linear_texel(detail::from_coordinate<dim>(c), extent_);
  }
  T* texels_;
  uvec3 extent_;
};

/// Memory of one invocation, on its stack.
template <typename T>
class PrivateVariable {
 public:
  auto operator[](std::integral auto i) {
    using ElementRef = Ref<std::remove_extent_t<T>, StorageClass::Private>;
    return detail::ElementFor<ElementRef>(ElementRef(value_ + i));
  }
  static constexpr std::uint64_t size() { return std::extent_v<T>; }

 private:
  T value_;
};
template <typename T>
requires(!std::is_array_v<T>) class PrivateVariable<T> {
 public:
  using value_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::Private;
  static constexpr bool kWritable = true;
  T load() const { return value_; }
  T load_used_at(const SourceLocation&) const { return value_; }
  void store(detail::Given<T> v) { value_ = v; }
  operator T() const { return value_; }
  T operator=(detail::Given<T> v) { return value_ = v; }
  HEDDLE_PRIVATE_OPERATORS

 private:
  T value_;
};

class Invocation : public detail::TaggedInvocation<Invocation> {
 public:
  using TaggedInvocation::TaggedInvocation;
  __attribute__((unavailable(HEDDLE_IS_NOT_COPIED))) Invocation(const Invocation&);
  Invocation(Invocation&&) = delete;
  static constexpr bool kEmulated = false;

  /// A variable in Workgroup memory, as `workgroup<T>(inv, name)` of heddle/workgroup.h makes it.
  template <typename T>
  auto workgroup(std::string_view = "", InitialValue initial = InitialValue::Undefined,
                 SourceLocation where = SourceLocation::current()) {
    using E = std::remove_extent_t<T>;
    static_assert(detail::Plain<std::remove_all_extents_t<T>>);
    std::byte* const memory = take_memory(sizeof(T), alignof(T), initial, where);
    if constexpr (std::is_array_v<T>) {
      return Array<E, StorageClass::Workgroup>(reinterpret_cast<E*>(memory), std::extent_v<T>);
    } else {
      using VariableRef = Ref<T, StorageClass::Workgroup>;
      return detail::VariableFor<VariableRef>(VariableRef(reinterpret_cast<T*>(memory)));
    }
  }
  /// An array of `size` elements.
  template <typename E>
  auto workgroup_array(std::uint64_t size, std::string_view, InitialValue initial, SourceLocation where) {
    static_assert(detail::Plain<std::remove_all_extents_t<E>>);
    return Array<E, StorageClass::Workgroup>(
        reinterpret_cast<E*>(take_memory(size * sizeof(E), alignof(E), initial, where)), size);
  }

  /// A variable of this invocation alone. Uninitialized.
  template <typename T>
  PrivateVariable<T> private_variable(std::string_view = "", SourceLocation = SourceLocation::current()) {
    return {};
  }

  /// A pointer into PhysicalStorageBuffer memory.
  template <typename T>
  Pointer<T> pointer_to(DeviceAddress<T> address, SourceLocation) {
    return Pointer<T>(address);
  }

 private:
  friend class detail::InvocationApi<Invocation>;
  friend class detail::InvocationBase<Invocation>;

  [[gnu::always_inline]] std::byte* take_memory(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                                InitialValue initial, const SourceLocation& where) {
    const std::uint64_t begin = (workgroup_bytes_ + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    workgroup_bytes_ = begin + size_bytes;
    if (workgroup_bytes_ > group_->memory_bytes) [[unlikely]] {
      too_little_memory(*group_, index_, workgroup_bytes_, where.file, where.function, where.line);
    }
    if (initial == InitialValue::Zero || group_->memory_zeroed) runtime::zero_once(*group_, begin, size_bytes);
    return group_->memory + begin;
  }

  // Given all in registers: nothing may have the address of a member, or the invocation leaves them.
  [[noreturn, gnu::noinline]] static void too_little_memory(const runtime::Workgroup& group, std::uint32_t index,
                                                            std::uint64_t needed_bytes, const char* file,
                                                            const char* function, std::uint32_t line) {
    raise_for(group, index, FindingKind::WorkgroupVariables, SourceLocation{file, function, line},
              "Workgroup variables need {} bytes; {} is {}", needed_bytes, group.grid->memory_limit,
              group.memory_bytes);
  }

  template <typename R>
  typename R::value_type load_as_qualified(const R& ref, SourceLocation) {
    return ref.load();
  }
  template <typename R>
  void store_as_qualified(const R& ref, const typename R::value_type& value, SourceLocation) {
    ref.store(value);
  }
  template <typename R>
  typename R::value_type load_from(const R& ref, MemoryOperands operands, Scope, std::uint32_t, SourceLocation) {
    if constexpr (std::is_arithmetic_v<typename R::value_type>) {
      if (has(operands, MemoryOperands::Volatile)) {
        return *static_cast<const volatile typename R::value_type*>(ref.memory());
      }
    }
    return ref.load();
  }
  template <typename R>
  void store_to(const R& ref, const typename R::value_type& value, MemoryOperands operands, Scope, std::uint32_t,
                SourceLocation) {
    if constexpr (std::is_arithmetic_v<typename R::value_type>) {
      if (has(operands, MemoryOperands::Volatile)) {
        *static_cast<volatile typename R::value_type*>(ref.memory()) = value;
        return;
      }
    }
    ref.store(value);
  }

  // A workgroup runs on one thread, and only waiting lets another of its invocations run: atomics
  // on its own memory need no bus lock.
  template <typename R>
  static constexpr bool kOneThread = R::kStorageClass == StorageClass::Workgroup;

  template <typename R>
  typename R::value_type atomic_read(const R& ref, Scope, MemorySemantics semantics, SourceLocation where) {
    using T = typename R::value_type;
    T value;
    if constexpr (kOneThread<R>) {
      value = *static_cast<const volatile T*>(ref.memory());
    } else {
      value = detail::atomic_load(ref.memory(), order_of(semantics));
    }
    polled("atomic_load", ref.memory(), value, where);
    return value;
  }

  template <typename R>
  void atomic_write(const R& ref, Scope, MemorySemantics semantics, typename R::value_type value, SourceLocation) {
    using T = typename R::value_type;
    if constexpr (kOneThread<R>) {
      *static_cast<volatile T*>(ref.memory()) = value;
    } else {
      detail::atomic_store(ref.memory(), value, order_of(semantics));
    }
  }

  template <UpdateKind kind, typename R, typename F>
  typename R::value_type atomic_update(const R& ref, Scope, MemorySemantics semantics, const char* name,
                                       SourceLocation where, F f, typename R::value_type value) {
    using T = typename R::value_type;
    T old;
    if constexpr (kOneThread<R>) {
      // Volatile: a loop over invocations must not be vectorized as if two of them never met here.
      auto* const memory = static_cast<volatile T*>(ref.memory());
      old = *memory;
      *memory = f(old);
    } else {
      T* const memory = ref.memory();
      const int order = order_of(semantics);
      if constexpr (kind == UpdateKind::atomic_i_add_kind) {
        old = __atomic_fetch_add(memory, value, order);
      } else if constexpr (kind == UpdateKind::atomic_i_sub_kind) {
        old = __atomic_fetch_sub(memory, value, order);
      } else if constexpr (kind == UpdateKind::atomic_and_kind) {
        old = __atomic_fetch_and(memory, value, order);
      } else if constexpr (kind == UpdateKind::atomic_or_kind) {
        old = __atomic_fetch_or(memory, value, order);
      } else if constexpr (kind == UpdateKind::atomic_xor_kind) {
        old = __atomic_fetch_xor(memory, value, order);
      } else {
        (void)value;
        old = detail::atomic_load(memory, __ATOMIC_RELAXED);
        while (!detail::atomic_compare_exchange(memory, old, f(old), order, __ATOMIC_RELAXED)) {
        }
      }
    }
    polled(name, ref.memory(), old, where, !runtime::has_same_bits(old, static_cast<T>(f(old))));
    return old;
  }

  template <typename R>
  typename R::value_type atomic_compare(const R& ref, Scope, MemorySemantics equal, MemorySemantics unequal,
                                        typename R::value_type value, typename R::value_type comparator,
                                        SourceLocation where) {
    using T = typename R::value_type;
    T old = comparator;
    if constexpr (kOneThread<R>) {
      auto* const memory = static_cast<volatile T*>(ref.memory());
      old = *memory;
      if (old == comparator) *memory = value;
    } else {
      detail::atomic_compare_exchange(ref.memory(), old, value, order_of(equal), order_of(unequal));
    }
    const bool changes = runtime::has_same_bits(old, comparator) && !runtime::has_same_bits(old, value);
    polled("atomic_compare_exchange", ref.memory(), old, where, changes);
    return old;
  }

  void fence(Scope, MemorySemantics semantics, SourceLocation) { thread_fence(semantics); }
  void before_barrier(Scope, Scope memory, MemorySemantics semantics, SourceLocation) {
    fence_wider_than_workgroup(memory, semantics);
  }
  /// Nothing is edited.
  bool before_control_barrier(Scope execution, Scope memory, MemorySemantics semantics, SourceLocation where) {
    before_barrier(execution, memory, semantics, where);
    return false;
  }
  void after_barrier(Scope, Scope memory, MemorySemantics semantics, bool /*met*/) {
    // Others went on: an invocation that waits here is not polling. (And nothing of it lives across a wait.)
    patience_ = 0;
    last_polls_ = {};
    fence_wider_than_workgroup(memory, semantics);
  }
  static void fence_wider_than_workgroup(Scope memory, MemorySemantics semantics) {
    if (!includes(Scope::Workgroup, memory)) thread_fence(semantics);
  }

  // Nobody follows undefined values.
  template <typename T>
  static bool make_undefined(T&, const char*, std::uint32_t, const SourceLocation&) {
    return false;
  }
  static void follow_condition(bool, const SourceLocation&) {}

  // An atomic that finds what the one before it found, in the same place, may be waiting in a loop, in vain unless it
  // `changes` what is there: after so many of them others get to run. A polling loop of several variables, which looks
  // at another one each time, gets there with the larger number.
  static constexpr std::uint32_t kSameBeforeYield = 32;
  static constexpr std::uint32_t kAtomicsBeforeYield = 4096;

  template <typename T>
  void polled(const char* operation, const void* address, T value, SourceLocation where, bool changes = false) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const bool same = last_polls_.note(address, bits);
    if (changes) last_polls_.note_change();
    patience_ += same ? kAtomicsBeforeYield / kSameBeforeYield : 1;
    if (patience_ >= kAtomicsBeforeYield) [[unlikely]] {
      patience_ = 0;
      if (polls_in_region_) return runtime::poll_in_region(*group_, index_, where, last_polls_.take(operation));
      wait_begins();
      runtime::yield(where, last_polls_.take(operation));
    }
  }

  std::uint64_t workgroup_bytes_ = 0;
  std::uint32_t patience_ = 0;

 protected:
  /// In a region of a kernel in phases: no other invocation of the workgroup goes on meanwhile.
  bool polls_in_region_ = false;

 private:
  runtime::LastPolls last_polls_;
};

}  // namespace heddle::native
