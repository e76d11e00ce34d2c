#pragma once

/// \file
/// Memory of a device, and who owns it.

#include <heddle/detail/atomic.h>
#include <heddle/detail/component_type.h>
#include <heddle/operation.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
struct Finding;
}

namespace heddle::detail {

/// Which bytes have ever been written. No account is kept of that in native mode, nor once all have been.
///
/// `..._at_once`: the same while other threads mark or ask. Ordering: what the caller did before `mark_at_once` happens
/// before what follows a `has_at_once` or a `first_missing` that finds these bytes marked.
class InitializedBytes {
 public:
  /// Keeps account of so many bytes from now on, of which none has been written.
  void track(std::uint64_t bytes) {
    words_.assign(words_of(bytes), 0);
    tracks_ = true;
    has_gaps_ = false;
  }
  /// There are so many bytes, at least as many as there were: the others have not been written.
  void extend(std::uint64_t bytes) { words_.resize(words_of(bytes)); }
  /// All have been written.
  void mark_all() {
    tracks_ = has_gaps_ = false;
    words_ = {};
  }
  void mark(std::uint64_t offset, std::uint64_t bytes) {
    if (!tracks_) return;
    if (is_in_one_word(offset, bytes)) [[likely]] {
      words_[offset / 64] |= mask(offset, bytes);
    } else {
      mark_words(offset, bytes);
    }
  }
  /// Four bytes, from a multiple of four on.
  void mark_word(std::uint64_t offset) {
    if (tracks_) words_[offset / 64] |= std::uint64_t{0xf} << offset % 64;
  }
  /// As if these of so many bytes, of which some may not have been written, had never been.
  void unmark(std::uint64_t offset, std::uint64_t bytes, std::uint64_t all_bytes);
  void mark_at_once(std::uint64_t offset, std::uint64_t bytes) {
    if (!has_at_once(offset, bytes)) mark_words_at_once(offset, bytes);
  }
  /// Whether all of a range have been written. (It may not see that of a range which does not lie in 64 bytes that
  /// begin at a multiple of 64.)
  bool has(std::uint64_t offset, std::uint64_t bytes) const {
    return !tracks_ || (is_in_one_word(offset, bytes) && (~words_[offset / 64] & mask(offset, bytes)) == 0);
  }
  /// Whether all have, and that is known: no account is kept.
  bool has_all() const { return !tracks_; }
  bool has_at_once(std::uint64_t offset, std::uint64_t bytes) const {
    return !tracks_ || (is_in_one_word(offset, bytes) && (~word(offset) & mask(offset, bytes)) == 0);
  }
  /// The first byte of the range that has not been written, or `bytes` if all have. A byte whose
  /// `mask` is 0 does not count (padding); without a mask all count.
  std::uint64_t first_missing(std::uint64_t offset, std::uint64_t bytes, const unsigned char* mask) const {
    if (has_at_once(offset, bytes)) [[likely]]
      return bytes;
    return first_missing_of(offset, bytes, mask);
  }
  /// Somebody reads a value whose padding was never written.
  void note_gap() { atomic_store(&has_gaps_, true, __ATOMIC_RELAXED); }
  /// Whether somebody did: only then bytes may have been read that were not written.
  bool has_gaps() const { return atomic_load(&has_gaps_, __ATOMIC_RELAXED); }

 private:
  static std::uint64_t words_of(std::uint64_t bytes) { return (bytes + 63) / 64; }
  /// Nearly always it is. (One of 64 bytes counts as several.)
  static bool is_in_one_word(std::uint64_t offset, std::uint64_t bytes) {
    return offset % 64 + bytes <= 64 && bytes < 64;
  }
  static std::uint64_t mask(std::uint64_t offset, std::uint64_t bytes) {
    return ((std::uint64_t{1} << bytes) - 1) << offset % 64;
  }
  void mark_words(std::uint64_t offset, std::uint64_t bytes);
  void mark_words_at_once(std::uint64_t offset, std::uint64_t bytes);
  std::uint64_t first_missing_of(std::uint64_t offset, std::uint64_t bytes, const unsigned char* mask) const;
  /// The word that has byte `offset`.
  std::uint64_t word(std::uint64_t offset) const { return atomic_load(&words_[offset / 64], __ATOMIC_ACQUIRE); }

  bool tracks_ = false;
  bool has_gaps_ = false;
  std::vector<std::uint64_t> words_;
};

/// Bytes that a kernel left undefined, until they are written again.
struct UndefinedBytes {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::shared_ptr<const Finding> finding;
};

/// One allocation of a device.
struct Allocation {
  AllocationId id{};
  std::string name;
  std::byte* bytes = nullptr;
  std::uint64_t size_bytes = 0;
  ComponentType component;
  bool freed = false;
  InitializedBytes initialized;
  std::vector<UndefinedBytes> undefined;

  void note_undefined(UndefinedBytes left);
  /// What is wrong with a byte that counts as not written; null if nothing but that.
  const Finding* undefined_at(std::uint64_t offset_bytes) const;
  /// What is wrong with the first bytes that are undefined; null if none are.
  std::shared_ptr<const Finding> first_undefined() const;
  /// The host has written so many bytes, from the first one on.
  void host_wrote(std::uint64_t written_bytes) {
    if (written_bytes == size_bytes) {
      initialized.mark_all();
    } else {
      initialized.mark(0, written_bytes);
    }
  }
};

class DeviceState;

/// What the owners of an allocation share: emulator/host/allocation.cpp has the rest of it.
struct Ownership {
  Allocation* allocation;
  DeviceState* device;
};

/// Owns an allocation; the last copy frees it.
class Owner {
 public:
  Owner() = default;
  /// The first one.
  explicit Owner(Ownership* made) : shared_(made) {}
  Owner(const Owner& o) : shared_(o.shared_) {
    if (shared_) share();
  }
  Owner(Owner&& o) noexcept : shared_(std::exchange(o.shared_, nullptr)) {}
  Owner& operator=(Owner o) noexcept {
    std::swap(shared_, o.shared_);
    return *this;
  }
  ~Owner() {
    if (shared_) leave();
  }

  Allocation& operator*() const { return *shared_->allocation; }
  Allocation* operator->() const { return shared_->allocation; }
  explicit operator bool() const { return shared_ != nullptr; }
  /// Frees the memory now. Uses from kernels are findings afterwards (emulated) or refused.
  void free();
  /// Throws std::logic_error if there never was any.
  const std::string& name() const {
    if (!shared_) [[unlikely]]
      refuse("name");
    return shared_->allocation->name;
  }
  /// Throws std::logic_error if the memory was freed.
  void check_alive(const char* what) const {
    if (!shared_ || shared_->allocation->freed) [[unlikely]]
      refuse(what);
  }
  /// Before the host reads. Throws KernelError if kernels left something there undefined.
  void check_readable(const char* what) const {
    check_alive(what);
    if (!shared_->allocation->undefined.empty()) [[unlikely]]
      check_undefined();
  }
  /// Throws KernelError where nobody has written some byte of an element, which is known in emulated mode. A byte of
  /// which `value_bytes` is 0 does not count; null for none.
  void require_written(std::uint64_t element_bytes, const unsigned char* value_bytes,
                       const SourceLocation& where) const;
  /// Throws std::out_of_range: the host writes `count` elements, and there are `size`.
  [[noreturn]] void refuse_write(std::uint64_t count, std::uint64_t size, const SourceLocation& where) const;
  /// Whether it is memory of `device`, and was not freed.
  bool is_alive_on(const DeviceState& device) const {
    return shared_ && !shared_->allocation->freed && shared_->device == &device;
  }
  /// Says what is wrong with it as argument `number`, the first being 1, of a dispatch on `device`.
  [[noreturn]] void refuse_argument(std::size_t number, const DeviceState& device) const;
  ReferenceId new_reference() const;

 private:
  void share() const;
  void leave();
  void check_undefined() const;
  [[noreturn]] void refuse(const char* what) const;

  Ownership* shared_ = nullptr;
};

/// Memory that the processor's vectors like: every allocation starts at a multiple of this.
inline constexpr std::size_t kAllocationAlignment = 64;

}  // namespace heddle::detail
