#pragma once

/// \file
/// How the arguments of a dispatch become the parameters of a kernel, in either mode.

#include <heddle/buffer.h>
#include <heddle/detail/emulated.h>
#include <heddle/detail/native.h>
#include <heddle/dispatch.h>
#include <heddle/image.h>

#include <type_traits>

namespace heddle {

namespace detail {

/// How an argument of a dispatch becomes a parameter of the kernel, in either mode. The general
/// case: a plain value, given by value.
template <typename A>
struct Argument {
  /// The owner of its memory; null if it has none.
  static const Owner* owner(const A&) { return nullptr; }
  static emulation::Binding bind(const A&) { return {}; }
  static A native(const A& a) { return a; }
  static A emulated(const A& a, const emulated::Place&) { return a; }
};

template <typename T, typename Access, StorageClass storage_class>
struct BufferArgument {
  static emulation::Binding bind_buffer(const Buffer<T>& b) { return {*b.owner(), b.reference(), storage_class}; }
  static auto native_array(const Buffer<T>& b) {
    return native::Array<Access, storage_class>(reinterpret_cast<Access*>(b.owner()->bytes), b.size());
  }
  static auto emulated_array(const Buffer<T>& b, const emulated::Place& place) {
    return emulated::Array<Access, storage_class>(place, b.size());
  }
};

/// An argument that is given as an `A` (a type of a forwarding reference): its type without what says how it is passed.
/// Only a buffer stays const, for then the kernel may not write it.
template <typename A>
struct BoundArgumentOf {
  using type = std::remove_cvref_t<A>;
};
template <typename T>
struct BoundArgumentOf<const Buffer<T>> {
  using type = const Buffer<T>;
};
template <typename A>
using BoundArgument = typename BoundArgumentOf<std::remove_reference_t<A>>::type;

template <typename T>
struct Argument<Buffer<T>> : BufferArgument<T, T, StorageClass::StorageBuffer> {
  using Base = BufferArgument<T, T, StorageClass::StorageBuffer>;
  static const Owner* owner(const Buffer<T>& b) { return &b.owner(); }
  static emulation::Binding bind(const Buffer<T>& b) { return Base::bind_buffer(b); }
  static auto native(const Buffer<T>& b) { return Base::native_array(b); }
  static auto emulated(const Buffer<T>& b, const emulated::Place& p) { return Base::emulated_array(b, p); }
};

template <typename T>
struct Argument<const Buffer<T>> : BufferArgument<T, const T, StorageClass::StorageBuffer> {
  using Base = BufferArgument<T, const T, StorageClass::StorageBuffer>;
  static const Owner* owner(const Buffer<T>& b) { return &b.owner(); }
  static emulation::Binding bind(const Buffer<T>& b) { return Base::bind_buffer(b); }
  static auto native(const Buffer<T>& b) { return Base::native_array(b); }
  static auto emulated(const Buffer<T>& b, const emulated::Place& p) { return Base::emulated_array(b, p); }
};

template <typename T>
struct Argument<ReadOnlyArgument<T>> : BufferArgument<T, const T, StorageClass::StorageBuffer> {
  using Base = BufferArgument<T, const T, StorageClass::StorageBuffer>;
  static const Owner* owner(const ReadOnlyArgument<T>& a) { return &a.buffer.owner(); }
  static emulation::Binding bind(const ReadOnlyArgument<T>& a) { return Base::bind_buffer(a.buffer); }
  static auto native(const ReadOnlyArgument<T>& a) { return Base::native_array(a.buffer); }
  static auto emulated(const ReadOnlyArgument<T>& a, const emulated::Place& p) {
    return Base::emulated_array(a.buffer, p);
  }
};

template <typename T>
struct Argument<UniformArgument<T>> : BufferArgument<T, const T, StorageClass::Uniform> {
  using Base = BufferArgument<T, const T, StorageClass::Uniform>;
  static const Owner* owner(const UniformArgument<T>& a) { return &a.buffer.owner(); }
  static emulation::Binding bind(const UniformArgument<T>& a) { return Base::bind_buffer(a.buffer); }
  static auto native(const UniformArgument<T>& a) { return Base::native_array(a.buffer); }
  static auto emulated(const UniformArgument<T>& a, const emulated::Place& p) {
    return Base::emulated_array(a.buffer, p);
  }
};

template <typename T, ImageDim dim>
struct Argument<Image<T, dim>> {
  static const Owner* owner(const Image<T, dim>& i) { return &i.owner(); }
  static emulation::Binding bind(const Image<T, dim>& i) { return {*i.owner(), i.reference(), StorageClass::Image}; }
  static auto native(const Image<T, dim>& i) {
    return native::Image<T, dim>(reinterpret_cast<T*>(i.owner()->bytes), i.extent());
  }
  static auto emulated(const Image<T, dim>& i, const emulated::Place& p) {
    return emulated::Image<T, dim>(p, i.extent());
  }
};

/// A push constant in emulated mode, where nothing is told of mistakes.
template <typename T>
class QuietConstant : public native::Ref<const T, StorageClass::PushConstant> {
 public:
  using native::Ref<const T, StorageClass::PushConstant>::Ref;
  const T* memory() const = delete;
  const QuietConstant& located(const SourceLocation&) const { return *this; }
  const QuietConstant& here() const { return *this; }
  const QuietConstant& declared() const { return *this; }
};

/// A push constant is memory that no invocation writes, in both modes.
template <typename T>
struct Argument<PushConstantArgument<T>> {
  static const Owner* owner(const PushConstantArgument<T>&) { return nullptr; }
  /// A push constant has a size, and lies in no allocation.
  static emulation::Binding bind(const PushConstantArgument<T>&) {
    emulation::Binding constant;
    constant.storage_class = StorageClass::PushConstant;
    constant.size_bytes = sizeof(T);
    return constant;
  }
  static auto native(const PushConstantArgument<T>& a) {
    using Ref = native::Ref<const T, StorageClass::PushConstant>;
    return VariableFor<Ref>(Ref(&a.value));
  }
  static auto emulated(const PushConstantArgument<T>& a, const emulated::Place&) {
    return VariableFor<QuietConstant<T>>(QuietConstant<T>(&a.value));
  }
};

}  // namespace detail

}  // namespace heddle
