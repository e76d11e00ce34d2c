#pragma once

/// \file
/// Files that a command line names.

#include <cstddef>
#include <stdexcept>
#include <string>

namespace heddle::cli {

/// A file that cannot be read, or was not, because Ctrl-C came first. `what()` begins with its name.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The bytes of a file, at most so many. It may be anything that has bytes: a pipe too, whose writers it waits for.
/// After `watch_for_interrupt` the first signal ends that. Throws InputError.
std::string read_input(const std::string& file, std::size_t most_bytes);

}  // namespace heddle::cli
