#include "emulator/lab/server/page_files.h"

#include <system_error>
#include <utility>

namespace heddle::lab {

namespace fs = std::filesystem;

fs::path find_page() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder : {program.parent_path() / "lab", program.parent_path() / "../share/heddle/lab"})
    if (fs::is_regular_file(folder / "index.html", error)) return fs::canonical(folder, error);
  return {};
}

std::map<std::string, fs::path> page_files(const fs::path& folder) {
  std::map<std::string, fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    out.emplace('/' + entry.path().lexically_relative(folder).generic_string(), entry.path());
  }
  if (const auto index = out.find("/index.html"); index != out.end()) out.emplace("/", index->second);
  return out;
}

std::string_view media_type(const fs::path& file) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                                             {".js", "text/javascript; charset=utf-8"},
                                                                             {".mjs", "text/javascript; charset=utf-8"},
                                                                             {".css", "text/css; charset=utf-8"},
                                                                             {".wasm", "application/wasm"},
                                                                             {".json", "application/json"},
                                                                             {".svg", "image/svg+xml"}};
  const std::string ending = file.extension().string();
  for (const auto& [known, type] : kTypes)
    if (ending == known) return type;
  return "application/octet-stream";
}

void copy_page(const fs::path& page, const fs::path& folder) {
  for (const auto& [address, file] : page_files(page)) {
    if (address == "/") continue;
    const fs::path copy = folder / address.substr(1);
    fs::create_directories(copy.parent_path());
    fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
  }
}

}  // namespace heddle::lab
