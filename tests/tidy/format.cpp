#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

// What a command prints on either stream.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) text.append(part, size);
  pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("every file is as clang-format 14 writes it with .clang-format") {
  constexpr std::size_t kFilesACommand = 64;
  const auto& files = source_files();
  std::string complaints;
  for (std::size_t first = 0; first < files.size(); first += kFilesACommand) {
    std::string command = "cd '" + project_root().string() + "' && clang-format-14 --dry-run -Werror";
    for (std::size_t i = first; i < std::min(files.size(), first + kFilesACommand); ++i)
      command += " '" + files[i].path + "'";
    complaints += output_of(command);
  }
  CHECK(complaints.find("clang-format-14:") == std::string::npos);
  std::map<std::string, int> unformatted;
  for (const SourceFile& file : files)
    if (complaints.find(file.path + ":") != std::string::npos) unformatted[file.path] = 0;
  const auto sentences = beyond_exceptions("format", unformatted);
  INFO(joined(sentences) << complaints.substr(0, 2000)
                         << "\nmend it with: git ls-files '*.h' '*.cpp' | xargs clang-format-14 -i");
  CHECK(sentences.empty());
}

}  // namespace heddle::tidy
