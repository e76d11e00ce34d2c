#pragma once

/// \file
/// Front end of the Vulkan litmus dialect (README.md describes it).

#include <optional>
#include <string_view>
#include <vector>

#include "emulator/litmus/diagnostic.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

struct VulkanParse {
  std::optional<Test> test;  ///< empty if and only if there are errors
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;  ///< the test means something all the same
};

/// Understands a test, whatever the bytes. Stops at the first error.
VulkanParse parse_vulkan(std::string_view source);

}  // namespace heddle::litmus
