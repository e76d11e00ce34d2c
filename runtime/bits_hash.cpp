#include "runtime/bits_hash.h"

namespace heddle::runtime {

// Between variables of a stack there is what AddressSanitizer lets nobody read; other threads write buffers meanwhile.
__attribute__((no_sanitize("address", "thread"))) void add_bytes(std::uint64_t& number,
                                                                 std::span<const std::byte> bytes) {
  using Word [[gnu::may_alias]] = std::uint64_t;
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  for (; end - at >= static_cast<std::ptrdiff_t>(sizeof(Word)); at += sizeof(Word))
    add_word(number, *reinterpret_cast<const Word*>(at));
  for (; at != end; ++at) add_word(number, std::to_integer<std::uint64_t>(*at));
}

}  // namespace heddle::runtime
