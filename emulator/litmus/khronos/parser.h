#pragma once

/// \file
/// Front end of the `.test` format (README.md describes it).

#include <optional>
#include <string_view>
#include <vector>

#include "emulator/litmus/diagnostic.h"
#include "emulator/litmus/khronos/test.h"

namespace heddle::litmus::khronos {

struct ParseResult {
  std::optional<Test> test;  ///< empty if and only if there are errors
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
};

/// Understands a test, whatever the bytes. Stops at the first error.
ParseResult parse(std::string_view source);

}  // namespace heddle::litmus::khronos
