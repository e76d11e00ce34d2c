#include "emulator/report/source_text.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "runtime/text/readable.h"

namespace heddle::report {

namespace {

/// The lines of a file as it was when it was read.
struct SourceFile {
  struct stat read_at {};
  std::vector<std::string> lines;
};

bool is_unchanged(const struct stat& then, const struct stat& now) {
  return then.st_ino == now.st_ino && then.st_dev == now.st_dev && then.st_size == now.st_size &&
         then.st_mtim.tv_sec == now.st_mtim.tv_sec && then.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

/// The lines of a file; none if it cannot be read. A report of a thousand races asks for lines of the same few files,
/// so some are kept.
class SourceFiles {
 public:
  std::string line(const char* file, std::uint32_t number) {
    struct stat now {};
    // What is no file (a pipe, a terminal) is not read in vain.
    if (stat(file, &now) != 0 || !S_ISREG(now.st_mode)) return "";
    const std::lock_guard lock(mutex_);
    if (files_.size() >= kMost && !files_.contains(file)) files_.clear();
    const auto [known, fresh] = files_.try_emplace(file);
    if (fresh || !is_unchanged(known->second.read_at, now)) known->second = {now, lines_of(file)};
    const std::vector<std::string>& lines = known->second.lines;
    return number == 0 || number > lines.size() ? "" : lines[number - 1];
  }

 private:
  static constexpr std::size_t kMost = 16;

  static std::vector<std::string> lines_of(const char* file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines.push_back(text);
    return lines;
  }

  std::mutex mutex_;
  std::map<std::string, SourceFile> files_;
};

}  // namespace

std::string source_line(const char* file, std::uint32_t line) {
  // Never destroyed: reports may be made while static objects are.
  static auto& files = *new SourceFiles;
  const std::string text = files.line(file, line);
  const std::string_view line_text = line == 1 ? text::without_byte_order_mark(text) : std::string_view(text);
  const std::size_t begin = line_text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  const std::size_t end = line_text.find_last_not_of(" \t\r") + 1;
  return end <= begin ? "" : text::readable(line_text.substr(begin, end - begin));
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
