#pragma once

/// \file
/// Configurations of trials, word by word.

#include <heddle/sweep.h>

#include <string>
#include <vector>

namespace heddle::seeds {

/// "subgroup=64", "lanes=shuffled": what is said.
std::vector<std::string> words_of(const Configuration& configuration);

/// The configuration with this word in place of what it says of the same parameter.
Configuration configuration_with(const Configuration& configuration, const std::string& word);

/// The words that are not those of the sweep's plain configuration, with blanks between them; empty if all are.
std::string unusual_words(const Configuration& configuration, const Sweep& sweep);

}  // namespace heddle::seeds
