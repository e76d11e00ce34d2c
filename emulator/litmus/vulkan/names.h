#pragma once

/// \file
/// Which words of the Vulkan dialect are names, and of what.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The stages that a thread may be of, as they are spelled.
inline constexpr std::pair<std::string_view, model::Stage> kStages[] = {
    {"compute", model::Stage::Compute},
    {"vertex", model::Stage::Vertex},
    {"tesscontrol", model::Stage::TessellationControl},
    {"fragment", model::Stage::Fragment},
    {"raytracing", model::Stage::RayTracing}};

/// "r" followed by digits.
bool is_register(const Token& token);

/// "LC" followed by digits.
bool is_label(const Token& token);

/// An instruction, a tag or another word with a meaning of its own.
bool is_reserved(const Token& token);

std::span<const std::string_view> reserved_words();

/// A word that may name a variable.
bool is_variable(const Token& token);

/// The number of a thread: "P3" or "3".
std::optional<std::uint64_t> thread_id(const Token& token);

/// The kind and number of a column: "P3", "H0", "B1", or "3" of a shader's thread.
using ThreadName = std::pair<ThreadKind, std::uint64_t>;
std::optional<ThreadName> thread_name(const Token& token);

/// A thread's place as a header spells it, without its name: "sg 0, wg 1, qf 0, stage fragment".
std::string spell_place(const Thread& thread);

}  // namespace heddle::litmus
