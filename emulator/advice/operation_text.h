#pragma once

/// \file
/// Operations as reports call them.

#include <heddle/operation.h>

#include <string>

namespace heddle::advice {

/// "Release | UniformMemory | MakeAvailable", with the name that heddle has for it, if there is
/// one and it is wanted; "Relaxed" for none.
std::string text_of(MemorySemantics semantics, bool with_name = true);

/// "private write", "atomic read (Device, Acquire)", "control barrier (Workgroup, AcquireRelease)".
std::string describe(const Operation& operation);

/// "atomic read", "control barrier".
std::string kind_of(const Operation& operation);

/// "line 12"; "other.cpp:12" where the file is not `file`.
std::string line_of(const Operation& operation, const char* file);

/// Whether two operations are in one line of one file.
bool in_one_line(const Operation& a, const Operation& b);

}  // namespace heddle::advice
