#pragma once

/// \file
/// GLSL as SPIR-V: glslangValidator or glslc, whichever is installed, as a program of its own.

#include <string>

namespace heddle::spirv {

/// The binary module of a compute shader. Throws Error: with what the compiler says, or with the name of the
/// package if there is no compiler.
std::string compile_glsl(const std::string& file);
/// Whether a file is a compute shader in GLSL, by its name.
bool is_glsl(const std::string& file);

}  // namespace heddle::spirv
