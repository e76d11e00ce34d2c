#include <heddle/detail/allocation.h>

#include <algorithm>

namespace heddle::detail {
namespace {

/// Calls with_word(word, mask) for each word that has some of the bytes, whose bits the mask has.
template <typename Do>
void for_each_word(std::vector<std::uint64_t>& words, std::uint64_t offset, std::uint64_t bytes, Do with_word) {
  while (bytes != 0) {
    const std::uint64_t bit = offset % 64;
    const std::uint64_t count = std::min(bytes, 64 - bit);
    const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    with_word(words[offset / 64], mask << bit);
    offset += count;
    bytes -= count;
  }
}

}  // namespace

void InitializedBytes::unmark(std::uint64_t offset, std::uint64_t bytes, std::uint64_t all_bytes) {
  if (!tracks_) words_.assign(words_of(all_bytes), ~std::uint64_t{0});
  tracks_ = true;
  for_each_word(words_, offset, bytes, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
}

void InitializedBytes::mark_words(std::uint64_t offset, std::uint64_t bytes) {
  for_each_word(words_, offset, bytes, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
}

void InitializedBytes::mark_words_at_once(std::uint64_t offset, std::uint64_t bytes) {
  for_each_word(words_, offset, bytes, [](std::uint64_t& shared, std::uint64_t mask) {
    // std::atomic_ref, which not all standard libraries have that the lab's engine is built with.
    if ((__atomic_load_n(&shared, __ATOMIC_RELAXED) & mask) != mask) __atomic_fetch_or(&shared, mask, __ATOMIC_RELEASE);
  });
}

std::uint64_t InitializedBytes::first_missing_of(std::uint64_t offset, std::uint64_t bytes,
                                                 const unsigned char* mask) const {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const bool counts = !mask || mask[i] != 0;
    if (counts && (word(offset + i) >> ((offset + i) % 64) & 1) == 0) return i;
  }
  return bytes;
}

}  // namespace heddle::detail
