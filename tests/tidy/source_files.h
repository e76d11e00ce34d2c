/// \file
/// The project's own C++ files, and the list of what does not obey a rule yet.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::tidy {

/// A source or header file of the project, read whole.
struct SourceFile {
  std::string path;                ///< From the project's root, with '/'.
  std::vector<std::string> lines;  ///< Without line ends.
};

/// All files that end in .h or .cpp below runtime/, include/, emulator/, tests/, benchmarks/ and samples/, sorted by
/// path.
const std::vector<SourceFile>& source_files();

/// The project's root.
std::filesystem::path project_root();

/// The lines of a text file of the project.
/// \throws std::runtime_error if there is no such file.
std::vector<std::string> lines_of(const std::filesystem::path& file);

/// Exceptions to a rule, from tests/tidy/exceptions.txt: path and, for sizes, the size that must not grow.
/// Each line there is "rule path number reason"; the number is 0 where the rule has none.
std::map<std::string, int> exceptions(const std::string& rule);

/// What of the findings is no exception, and which exceptions are no longer needed; one sentence each, none if all is
/// well. A finding is a path with a size; an exception allows at most its own size.
std::vector<std::string> beyond_exceptions(const std::string& rule, const std::map<std::string, int>& findings);

/// All of the sentences, one a line.
std::string joined(const std::vector<std::string>& sentences);

}  // namespace heddle::tidy
