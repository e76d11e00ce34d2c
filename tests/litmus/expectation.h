#pragma once

/// \file
/// What a file of the litmus library expects of itself.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::litmus {

/// One line of "expect" and one of "outcomes".
struct Expectation {
  bool holds = false;
  bool racy = false;
  /// "freed-early"; memory is freed late enough if that is not said.
  bool freed_early = false;
  std::optional<std::uint64_t> executions;
  /// "P1:r0=1 P1:r1=0"; not stated if empty.
  std::set<std::string> outcomes;
};

struct LibraryFile {
  std::string path;
  std::string name;
  std::string source;
  Expectation with_chains;
  Expectation without_chains;
  /// "reason", "clause", "twin".
  std::map<std::string, std::string> notes;
};

/// Reads a file of the library; throws std::runtime_error for a header that says nothing.
LibraryFile read_library_file(const std::string& path);

/// All files of the library, in the order of their paths.
std::vector<LibraryFile> read_library();

std::string read_text(const std::string& path);

}  // namespace heddle::litmus
