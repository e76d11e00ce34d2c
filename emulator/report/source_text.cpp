#include "emulator/report/source_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

namespace heddle::report {

std::string source_line(const char* file, std::uint32_t line) {
  std::ifstream in(file);
  std::string text;
  for (std::uint32_t n = 1; std::getline(in, text); ++n) {
    if (n != line) continue;
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin);
  }
  return "";
}

std::string short_path(std::string_view file) {
  std::error_code error;
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  std::string base = workspace && *workspace ? std::string(workspace) : std::filesystem::current_path(error).string();
  if (error || base.empty()) return std::string(file);
  if (base.back() != '/') base += '/';
  return std::string(file.substr(0, base.size()) == base ? file.substr(base.size()) : file);
}

std::string place(const SourceLocation& where) {
  return fmt::format("{}:{}", short_path(where.file), where.line);
}

const char* kept(const std::string& file) {
  static std::mutex mutex;
  static std::set<std::string> files;
  const std::lock_guard lock(mutex);
  return files.insert(file).first->c_str();
}

}  // namespace heddle::report
