#pragma once

/// \file
/// Memory with red zones around it, where AddressSanitizer is in the process: it reports an access to them by code that
/// is compiled with -fsanitize=address.

#include <cstddef>

namespace heddle::runtime {

/// Memory as heap_take gives it. Where AddressSanitizer is in the process, with a red zone of at least `zone_bytes`
/// before it and behind it; then `alignment` is at most 64.
void* take_in_red_zones(std::size_t bytes, std::size_t alignment, bool zeroed, std::size_t zone_bytes) noexcept;
/// Gives back what take_in_red_zones gave, on any thread.
void give_in_red_zones(void* memory) noexcept;
/// Whether there are any.
bool has_red_zones() noexcept;

}  // namespace heddle::runtime
