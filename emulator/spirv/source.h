#pragma once

/// \file
/// Commands and errors as people know them: the instruction in words, and the file that it was written in.

#include <string>

#include "emulator/spirv/dispatch.h"

namespace heddle::spirv {

/// The instruction that a command comes from, and what it accesses: "OpLoad %data".
std::string text_of(const Dispatch& dispatch, const Command& command);

/// A text that is there until the process ends: reports and traces refer to those of modules that are long gone.
const char* lasting(const std::string& text);

/// The file that line records of a binary module name; else `file`, which the module was read from.
std::string source_file(const Dispatch& dispatch, const Command& command, const std::string& file);

/// An error of a binary module, with the line of its source where line records say it ("... (blur.comp:7)"), else with
/// the instruction ("... (OpVariable %data)") in place of the offset of its word.
Error sourced(const Module& module, const Error& error);

/// "file:line: message", or with the offset of a word.
std::string placed(const std::string& file, const Error& error);

}  // namespace heddle::spirv
