#pragma once

/// \file
/// A dispatch of a SPIR-V module as something that is played.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "emulator/lab/played.h"
#include "emulator/spirv/types.h"

namespace heddle::lab {

/// So many invocations, and scalars of memory that they can write, are played at most.
inline constexpr std::uint32_t kMostInvocations = 64;
inline constexpr std::size_t kMostScalars = 1024;

/// Whether a text is GLSL, which has to be compiled first; and what to do with it.
bool is_glsl_text(std::string_view text);
inline constexpr const char* kCompileFirst =
    "this is GLSL, and what is played here is SPIR-V's text: compile it with `glslangValidator -V -g -o x.spv x.comp`, "
    "and open what `spirv-dis x.spv` prints, with the comments that begin with @ in front (`;` instead of `//`)";

/// A scalar of a module's memory: a number, or a text for what numbers of JavaScript do not hold exactly: "undefined",
/// infinities, what is no number, and whole numbers from 2^53 on.
Json module_value(const spirv::ScalarType& type, std::uint64_t bits);

/// Reads the text of a module (.spvasm), with the header that says what goes in and what is asked. `file` is what
/// messages call it. Throws spirv::Error.
std::unique_ptr<Played> played_module(const std::string& text, const std::string& file);

}  // namespace heddle::lab
