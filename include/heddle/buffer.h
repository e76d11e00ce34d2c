#pragma once

/// \file
/// Arrays in the memory of a device.

#include <heddle/detail/allocation.h>
#include <heddle/detail/plain.h>
#include <heddle/reference.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// An array of `T` in the memory of a device. Copies share the memory; the last one frees it.
/// Passed to a dispatch it is a StorageBuffer; a const Buffer is a read-only one.
template <typename T>
class Buffer {
  static_assert(detail::Plain<T>, "buffers hold trivially copyable types");

 public:
  Buffer() = default;
  Buffer(detail::Owner owner, std::uint64_t size)
      : owner_(std::move(owner)), reference_(owner_.new_reference()), size_(size) {}

  std::uint64_t size() const { return size_; }
  const std::string& name() const { return owner_.name(); }

  /// The contents, copied. Throws std::logic_error if freed. (An element that nobody has written has what
  /// DeviceOptions::undefined says, and is no finding, since the program may not look at it: `require_written` asks.)
  std::vector<T> read() const {
    owner_.check_readable("read");
    const std::span<const T> all = view();
    return {all.begin(), all.end()};
  }
  /// Emulated mode: throws KernelError with the first element that nobody has written. Structs with
  /// padding are not looked at where the compiler does not tell which of their bytes are padding (clang 14).
  void require_written(SourceLocation where = SourceLocation::current()) const {
    owner_.require_written(sizeof(T), detail::value_bytes<T>(), where);
  }
  /// Replaces the first `values.size()` elements. Throws std::out_of_range if there are fewer.
  void write(std::span<const T> values, SourceLocation where = SourceLocation::current()) {
    owner_.check_alive("write");
    if (values.size() > size_) [[unlikely]]
      owner_.refuse_write(values.size(), size_, where);
    if (!values.empty()) std::memcpy(owner_->bytes, values.data(), values.size_bytes());
    owner_->host_wrote(values.size_bytes());
  }
  void fill(const T& value) {
    for (T& element : map()) element = value;
  }
  /// The memory itself, for reading.
  std::span<const T> view() const {
    owner_.check_readable("view");
    return {reinterpret_cast<const T*>(owner_->bytes), size_};
  }
  /// The memory itself; all of it counts as written from now on.
  std::span<T> map() {
    owner_.check_alive("map");
    owner_->host_wrote(size_ * sizeof(T));
    return {reinterpret_cast<T*>(owner_->bytes), size_};
  }
  /// Another reference (descriptor) to the same memory. The memory model orders accesses through
  /// different references less than those through one.
  Buffer alias() const {
    Buffer other = *this;
    other.reference_ = owner_.new_reference();
    return other;
  }
  /// Frees the memory now, also where there are still copies.
  void free() { owner_.free(); }
  /// The address for PhysicalStorageBuffer access; valid until the buffer is freed.
  DeviceAddress<T> address() const {
    owner_.check_alive("address");
    return {static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(owner_->bytes))};
  }

  // For dispatches.
  const detail::Owner& owner() const { return owner_; }
  ReferenceId reference() const { return reference_; }

 private:
  detail::Owner owner_;
  ReferenceId reference_{};
  std::uint64_t size_ = 0;
};

}  // namespace heddle
