#pragma once

/// \file
/// Which words of the Vulkan dialect are names, and of what.

#include <optional>
#include <string_view>

#include "emulator/litmus/token.h"

namespace heddle::litmus {

/// "r" followed by digits.
bool is_register(const Token& token);

/// "LC" followed by digits.
bool is_label(const Token& token);

/// An instruction, a tag or another word with a meaning of its own.
bool is_reserved(const Token& token);

/// A word that may name a variable.
bool is_variable(const Token& token);

/// The number of a thread: "P3" or "3".
std::optional<std::uint64_t> thread_id(const Token& token);

}  // namespace heddle::litmus
