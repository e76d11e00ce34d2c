#include <cstddef>
#include <cstdint>

#include "tests/trace/check_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::trace::check_trace(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
