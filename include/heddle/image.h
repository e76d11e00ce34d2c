#pragma once

/// \file
/// Storage images in the memory of a device.

#include <heddle/detail/allocation.h>
#include <heddle/detail/plain.h>
#include <heddle/reference.h>
#include <heddle/source_location.h>
#include <heddle/vector.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

namespace detail {
/// How many texels an image of that extent has. Throws std::bad_alloc, which names the image, where no memory could
/// have as many.
std::uint64_t texels_of(const uvec3& extent, std::uint64_t texel_bytes, const std::string& name);
}  // namespace detail

/// A storage image of texels `T` in the memory of a device.
template <typename T, ImageDim dim>
class Image {
  static_assert(detail::Plain<T>, "images hold trivially copyable texels");

 public:
  Image() = default;
  Image(detail::Owner owner, const uvec3& extent)
      : owner_(std::move(owner)), reference_(owner_.new_reference()), extent_(extent) {}

  /// Width, height (or layers of a 1D array), depth (or layers of a 2D array).
  uvec3 extent() const { return extent_; }
  std::uint64_t size() const { return std::uint64_t{extent_.x} * extent_.y * extent_.z; }
  const std::string& name() const { return owner_.name(); }
  /// The texels, x fastest, then y, then z. (What of those that nobody has written, as Buffer::read says.)
  std::vector<T> read() const {
    owner_.check_readable("read");
    const auto* texels = reinterpret_cast<const T*>(owner_->bytes);
    return {texels, texels + size()};
  }
  /// Emulated mode: throws KernelError with the first texel that nobody has written.
  void require_written(SourceLocation where = SourceLocation::current()) const {
    owner_.require_written(sizeof(T), detail::value_bytes<T>(), where);
  }
  /// Throws std::out_of_range for another number of texels than it has.
  void write(std::span<const T> texels, SourceLocation where = SourceLocation::current()) {
    owner_.check_alive("write");
    if (texels.size() != size()) [[unlikely]]
      owner_.refuse_write(texels.size(), size(), where);
    if (!texels.empty()) std::memcpy(owner_->bytes, texels.data(), texels.size_bytes());
    owner_->host_wrote(texels.size_bytes());
  }
  Image alias() const {
    Image other = *this;
    other.reference_ = owner_.new_reference();
    return other;
  }
  void free() { owner_.free(); }

  const detail::Owner& owner() const { return owner_; }
  ReferenceId reference() const { return reference_; }

 private:
  detail::Owner owner_;
  ReferenceId reference_{};
  uvec3 extent_;
};

}  // namespace heddle
