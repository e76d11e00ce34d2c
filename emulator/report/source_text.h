#pragma once

/// \file
/// Lines of source files, as reports quote them.

#include <heddle/source_location.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::report {

/// The line of a file (counted from 1) without blanks around it, as readable text; empty if it cannot be read.
std::string source_line(const char* file, std::uint32_t line);

/// The file as it is called from the working directory, or from the workspace of a GitHub action:
/// unchanged if it is not in there.
std::string relative_path(std::string_view file);

/// What `relative_path` says, as readable text.
std::string short_path(std::string_view file);

/// "kernels.cpp:12", with the short path.
std::string place(const SourceLocation& where);

/// A file name that lives as long as the program.
const char* kept(const std::string& file);

}  // namespace heddle::report
