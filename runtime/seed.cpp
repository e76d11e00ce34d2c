#include "runtime/seed.h"

#include <cerrno>
#include <cstdlib>

namespace heddle::runtime {

// strtoull takes a negative number for a large one.
std::optional<std::uint64_t> seed_from_text(const std::string& text) {
  if (text.empty() || text.find('-') != std::string::npos) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const std::uint64_t seed = std::strtoull(text.c_str(), &end, 0);
  if (*end != '\0' || errno == ERANGE) return std::nullopt;
  return seed;
}

}  // namespace heddle::runtime
