#pragma once

#include <heddle/detail/emulation.h>

namespace heddle::emulation {

/// Whether bytes of it were never written; those whose byte of `value_bytes` is 0 do not count. If not, it is going to
/// be read.
[[gnu::always_inline]] inline bool misses_initialization(const Binding& binding,
                                                         std::uint64_t offset_bytes,
                                                         std::uint32_t size_bytes,
                                                         const unsigned char* value_bytes) {
  detail::Allocation& allocation = *binding.allocation;
  if (!allocation.tracks_initialization) return false;
  const std::uint64_t offset = binding.offset_bytes + offset_bytes;
  if (allocation.initialized.first_missing(offset, size_bytes, nullptr) == size_bytes) [[likely]] return false;
  if (!value_bytes || allocation.initialized.first_missing(offset, size_bytes, value_bytes) != size_bytes)
    return true;
  allocation.initialized.note_gap();
  return false;
}

/// The same of an access, with a record or without.
template <typename A>
[[gnu::always_inline]] inline bool is_sound(const A& access) {
  return is_sound(*access.binding, access.offset_bytes, access.size_bytes);
}
template <typename A>
[[gnu::always_inline]] inline bool misses_initialization(const A& access,
                                                         const unsigned char* value_bytes) {
  return misses_initialization(*access.binding, access.offset_bytes, access.size_bytes, value_bytes);
}

}  // namespace heddle::emulation
