#pragma once

/// \file
/// `heddle litmus --edits`: tests with edits made to their texts.

#include <map>
#include <string>
#include <vector>

#include "emulator/cli/exit_code.h"

namespace heddle::cli {

/// Texts of files that are not to be read, by name.
using Texts = std::map<std::string, std::string>;

/// The texts of these files with the edits of a file of edits (heddle/edit.h) made to each that is a test of the Vulkan
/// dialect. Throws InputError for an edit that is none, that no file has an instruction for, or that the dialect has no
/// words for.
Texts edited_texts(const std::vector<std::string>& files, const std::string& edits);

/// Prints the texts.
ExitCode print_texts(const Texts& texts);

}  // namespace heddle::cli
