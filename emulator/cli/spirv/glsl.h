#pragma once

/// \file
/// GLSL as SPIR-V: glslangValidator or glslc, whichever is installed, as a program of its own.

#include <string>

namespace heddle::cli {

/// The binary module of a compute shader. Throws InputError: with what the compiler says, or with the name of the
/// package if there is no compiler.
std::string compile_glsl(const std::string& file);

}  // namespace heddle::cli
