#pragma once

/// \file
/// Litmus tests of languages that are not the Vulkan dialect: what they are, and what heddle can do with them.

#include <optional>
#include <string_view>

#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus {

/// What a text is that begins with the name of another language of litmus tests; nothing if it does not.
std::optional<Diagnostic> other_language(std::string_view text);

}  // namespace heddle::litmus
