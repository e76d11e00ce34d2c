#pragma once

/// \file
/// A count with its noun, for messages.

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// "1 run", "2 runs".
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view more) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : more);
}

}  // namespace heddle::runtime
