#pragma once

/// \file
/// Buffers as the host hands them out in part or as another type, with the words that kernels have for that
/// (heddle/views.h):
///
///     auto keys = part(arena, 0, n);                              // the first n elements of a buffer
///     auto quads = view_as<vec4>(part(arena, n, 4 * m));          // the 4 m behind them, as m vectors
///     device.dispatch(kernel, groups, local, keys, quads);        // two StorageBuffers
///
/// A view has the reference of its buffer: to the memory model accesses through both are accesses through one
/// reference. In findings element 3 of a part that begins at element 64 of `x` is `(x+64)[3]`.

#include <heddle/buffer.h>
#include <heddle/detail/wrong_arguments.h>
#include <heddle/views.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// `size()` elements of type `T` in the memory of a buffer, which it keeps alive. Passed to a dispatch it is a
/// StorageBuffer of its own; a const one can only be read.
template <typename T>
class BufferView {
  static_assert(detail::Plain<T>, "a view's elements are trivially copyable");

 public:
  BufferView(detail::Owner owner, ReferenceId reference, std::uint64_t offset_bytes, std::uint64_t size,
             std::string name)
      : owner_(std::move(owner)),
        reference_(reference),
        offset_bytes_(offset_bytes),
        size_(size),
        name_(std::move(name)) {}

  std::uint64_t size() const { return size_; }
  /// The name of the buffer, `x`; or `(x+64)` where the view begins at a later element, here number 64.
  const std::string& name() const { return name_; }

  /// The contents, copied. Throws std::logic_error if the buffer was freed.
  std::vector<T> read() const {
    owner_.check_readable("read");
    std::vector<T> values(size_);
    if (size_ != 0) std::memcpy(static_cast<void*>(values.data()), bytes(), size_ * sizeof(T));
    return values;
  }
  /// Replaces the first `values.size()` elements. Throws std::out_of_range if there are fewer, and std::logic_error if
  /// the buffer was freed.
  void write(std::span<const T> values) {
    if (values.size() > size_) throw std::out_of_range("heddle: writing past the end of a view of a buffer");
    owner_.check_alive("write");
    if (values.empty()) return;
    std::memcpy(bytes(), values.data(), values.size_bytes());
    owner_->initialized.mark(offset_bytes_, values.size_bytes());
  }

  // For dispatches, and for views of this.
  const detail::Owner& owner() const { return owner_; }
  ReferenceId reference() const { return reference_; }
  std::uint64_t offset_bytes() const { return offset_bytes_; }
  std::byte* bytes() const { return owner_->bytes + offset_bytes_; }

 private:
  detail::Owner owner_;
  ReferenceId reference_;
  std::uint64_t offset_bytes_;
  std::uint64_t size_;
  std::string name_;
};

namespace detail {

[[noreturn]] inline void refuse_part(const std::string& name, std::uint64_t size, std::uint64_t first,
                                     std::uint64_t count) {
  throw std::out_of_range("heddle: a part of " + std::to_string(count) + " elements from element " +
                          std::to_string(first) + " on was asked for of '" + name + "', which has " +
                          std::to_string(size));
}

[[noreturn]] inline void refuse_alignment(const std::string& name, std::uint64_t offset_bytes,
                                          std::uint64_t alignment_bytes) {
  throw std::invalid_argument("heddle: a view of '" + name + "' begins at byte " + std::to_string(offset_bytes) +
                              " of its buffer, and its elements are to be at multiples of " +
                              std::to_string(alignment_bytes) + " bytes");
}

/// A buffer as a view of all of it.
template <typename T>
BufferView<T> whole_view(const Buffer<T>& buffer) {
  buffer.owner().check_readable("view");
  return {buffer.owner(), buffer.reference(), 0, buffer.size(), buffer.name()};
}

template <typename T, typename Element>
struct BufferViewArgument {
  using View = BufferView<T>;
  static const Owner* owner(const View& v) { return &v.owner(); }
  static emulation::Binding bind(const View& v) {
    emulation::Binding made(*v.owner(), v.reference(), StorageClass::StorageBuffer);
    made.offset_bytes = v.offset_bytes();
    made.size_bytes = v.size() * sizeof(T);
    made.component = kComponentType<T>;
    made.name = v.name();
    return made;
  }
  // What is in this memory may be of another type for others.
  static auto native(const View& v) { return native::View<Element, StorageClass::StorageBuffer>(v.bytes(), v.size()); }
  static auto emulated(const View& v, const emulated::Place& place) {
    return emulated::Array<Element, StorageClass::StorageBuffer>(place, v.size());
  }
};

template <typename T>
struct Argument<BufferView<T>> : BufferViewArgument<T, T> {};
template <typename T>
struct Argument<const BufferView<T>> : BufferViewArgument<T, const T> {};
template <typename T>
struct BoundArgumentOf<const BufferView<T>> {
  using type = const BufferView<T>;
};
template <typename T>
inline constexpr bool kIsWritableBuffer<BufferView<T>> = true;
template <typename T>
inline constexpr bool kIsArgument<BufferView<T>> = true;
template <typename T>
inline constexpr bool kIsArgument<const BufferView<T>> = true;
template <typename T>
struct ElementOfArgument<const BufferView<T>> {
  using type = T;
};

}  // namespace detail

/// `count` elements, from element `first` on. Throws std::out_of_range where there are fewer, and std::logic_error if
/// the buffer was freed.
template <typename T>
BufferView<T> part(const BufferView<T>& view, std::uint64_t first, std::uint64_t count) {
  if (first > view.size() || count > view.size() - first) detail::refuse_part(view.name(), view.size(), first, count);
  return {view.owner(), view.reference(), view.offset_bytes() + first * sizeof(T), count,
          first == 0 ? view.name() : "(" + view.name() + "+" + std::to_string(first) + ")"};
}
template <typename T>
BufferView<T> part(const Buffer<T>& buffer, std::uint64_t first, std::uint64_t count) {
  return part(detail::whole_view(buffer), first, count);
}

/// A view that can only be read, for a kernel that takes a `StorageBuffer<const T>`.
template <typename T>
const BufferView<T> read_only(const BufferView<T>& view) {
  return view;
}

/// The bytes as elements of type `U`, as many as fit. Throws std::invalid_argument for vectors that are not aligned as
/// kViewAlignment says. Where another `U` may be aligned to more than the view is, emulated mode reports an access that
/// is not.
template <typename U, typename T>
BufferView<U> view_as(const BufferView<T>& view) {
  if (kViewAlignment<U> != alignof(U) && view.offset_bytes() % kViewAlignment<U> != 0)
    detail::refuse_alignment(view.name(), view.offset_bytes(), kViewAlignment<U>);
  return {view.owner(), view.reference(), view.offset_bytes(), view.size() * sizeof(T) / sizeof(U), view.name()};
}
template <typename U, typename T>
BufferView<U> view_as(const Buffer<T>& buffer) {
  return view_as<U>(detail::whole_view(buffer));
}

}  // namespace heddle
