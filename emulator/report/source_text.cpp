#include "emulator/report/source_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include "runtime/text/readable.h"

namespace heddle::report {

std::string source_line(const char* file, std::uint32_t line) {
  std::ifstream in(file);
  std::string text;
  for (std::uint32_t n = 1; std::getline(in, text); ++n) {
    if (n != line) continue;
    const std::string_view line_text = n == 1 ? text::without_byte_order_mark(text) : std::string_view(text);
    const std::size_t begin = line_text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return "";
    const std::size_t end = line_text.find_last_not_of(" \t\r") + 1;
    return end <= begin ? "" : text::readable(line_text.substr(begin, end - begin));
  }
  return "";
}

std::string relative_path(std::string_view file) {
  std::error_code error;
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  std::string base = workspace && *workspace ? std::string(workspace) : std::filesystem::current_path(error).string();
  if (error || base.empty()) return std::string(file);
  if (base.back() != '/') base += '/';
  return std::string(file.substr(0, base.size()) == base ? file.substr(base.size()) : file);
}

std::string short_path(std::string_view file) {
  return text::readable(relative_path(file));
}

std::string place(const SourceLocation& where) {
  return fmt::format("{}:{}", short_path(where.file), where.line);
}

const char* kept(const std::string& file) {
  static std::mutex mutex;
  // Never destroyed: kernels may run while static objects are.
  static auto& files = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return files.insert(file).first->c_str();
}

}  // namespace heddle::report
