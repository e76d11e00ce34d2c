#include "runtime/code_place.h"

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::runtime {

namespace {

/// A file that this process has loaded, and an address as that file counts.
struct FileAddress {
  std::uintptr_t instruction = 0;
  bool found = false;
  std::string file;
  std::uintptr_t address = 0;
};

int look_into(dl_phdr_info* loaded, std::size_t, void* wanted) {
  auto& asked = *static_cast<FileAddress*>(wanted);
  for (int i = 0; i < loaded->dlpi_phnum; ++i) {
    const auto& segment = loaded->dlpi_phdr[i];
    const std::uintptr_t begin = loaded->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || asked.instruction < begin || asked.instruction >= begin + segment.p_memsz)
      continue;
    asked.found = true;
    asked.file = loaded->dlpi_name;
    asked.address = asked.instruction - loaded->dlpi_addr;
    return 1;
  }
  return 0;
}

/// The program itself has no name there.
std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

/// What a program writes to its standard output; empty if it cannot be run.
std::string output_of(char* const arguments[]) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool runs = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t got = 0; runs && (got = read(pipe_ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(pipe_ends[0]);
  if (runs) waitpid(child, nullptr, 0);
  return text;
}

/// Where heddle's own sources lie, as compilers were told: this one is `runtime/code_place.cpp` there.
std::string_view own_sources() {
  constexpr std::string_view kThis = __FILE__;
  return kThis.substr(0, kThis.rfind("runtime/"));
}

CodeFrame::Whose whose(std::string_view file) {
  if (const std::string_view own = own_sources(); !own.empty() && file.starts_with(own)) {
    const std::string_view room = file.substr(own.size());
    if (room.starts_with("runtime/") || room.starts_with("emulator/")) return CodeFrame::Whose::Heddle;
  }
  if (file.find("/include/heddle/") != std::string_view::npos) return CodeFrame::Whose::Heddle;
  if (file.find("/include/c++/") != std::string_view::npos) return CodeFrame::Whose::StandardLibrary;
  return CodeFrame::Whose::User;
}

/// Whether a function, or a lambda in it, is one of heddle's headers.
bool is_in_detail(std::string_view function) {
  return function.starts_with("_ZN6heddle6detail") || function.starts_with("_ZZN6heddle6detail");
}

/// "/a/kernel.cpp:12 (discriminator 3)"; nothing where the file or the line is not known.
std::optional<CodeFrame> frame_in(std::string_view text) {
  const std::size_t colon = text.rfind(':', text.find(" ("));
  if (colon == std::string_view::npos || text.front() == '?') return std::nullopt;
  const std::string_view file = text.substr(0, colon);
  std::uint32_t line = 0;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  if (line == 0) return std::nullopt;
  // Places keep their texts by address, and kernels may run while static objects are destroyed.
  static auto& files = *new std::set<std::string, std::less<>>;
  auto known = files.find(file);
  if (known == files.end()) known = files.emplace(file).first;
  return CodeFrame{{known->c_str(), "", line, 0}, whose(file)};
}

using Frames = std::vector<CodeFrame>;

/// Asks addr2line about all these addresses of one file at once, and adds what it knows to their frames.
void look_up(std::string file, const std::vector<FileAddress>& asked, std::map<const void*, Frames>& known) {
  if (file.empty()) file = own_program();
  std::vector<std::string> words = {"addr2line", "-a", "-f", "-i", "-e", file};
  for (const FileAddress& one : asked) {
    std::array<char, 32> address{};
    std::snprintf(address.data(), address.size(), "0x%zx", static_cast<std::size_t>(one.address));
    words.emplace_back(address.data());
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string answer = output_of(arguments.data());
  // Each address in a line of its own, and its frames below, the innermost first: a function, and a line further down
  // the place.
  auto next = asked.begin();
  Frames* frames = nullptr;
  std::string_view function;
  for (std::string_view rest = answer; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (line.substr(0, 2) == "0x") {
      if (next == asked.end()) return;
      frames = &known[reinterpret_cast<const void*>(next++->instruction)];
      function = {};
    } else if (frames && function.empty()) {
      function = line;
    } else if (frames && !line.empty()) {
      if (auto frame = frame_in(line)) {
        frame->function = function;
        frames->push_back(*std::move(frame));
      }
      function = {};
    }
  }
  // addr2line 2.40 takes the file of a function's first lines for that of the whole unit, now and then. The outermost
  // frame is of the function that was not inlined; for one inside of it that has no name addr2line tells that name,
  // too.
  for (const FileAddress& one : asked) {
    Frames& of_one = known[reinterpret_cast<const void*>(one.instruction)];
    if (!of_one.empty() && is_in_detail(of_one.back().function)) of_one.back().whose = CodeFrame::Whose::Heddle;
  }
}

/// Whether heddle calls kernels from there (heddle/detail/launch.h): no line of a kernel is among the callers.
bool calls_kernels(const CodeFrame& frame) {
  return is_in_detail(frame.function) && frame.function.find("run_") != std::string::npos;
}

/// The first line of the kernel that was inlined into the function of `instruction`, which stands at its entry. What
/// makes room for all frames belongs to none of the lines that needed it.
std::optional<SourceLocation> first_line_behind(const void* instruction, const std::string& function) {
  // Compilers move lines about: the least of many is the one.
  constexpr std::size_t kBytes = 4096;
  constexpr std::size_t kStep = 4;
  std::vector<const void*> code;
  for (std::size_t byte = 0; byte < kBytes; byte += kStep) code.push_back(static_cast<const char*>(instruction) + byte);
  std::optional<SourceLocation> first;
  for (const Frames& frames : frames_of_code(code)) {
    if (frames.empty() || frames.back().function != function) continue;
    const auto kernel = std::find_if(frames.rbegin(), frames.rend(),
                                     [](const CodeFrame& frame) { return frame.whose == CodeFrame::Whose::User; });
    if (kernel != frames.rend() && (!first || kernel->where.line < first->line)) first = kernel->where;
  }
  return first;
}

}  // namespace

bool is_file(std::string_view path, std::string_view file) {
  return path == file || (path.size() > file.size() && path.substr(path.size() - file.size()) == file &&
                          path[path.size() - file.size() - 1] == '/');
}

std::vector<std::vector<CodeFrame>> frames_of_code(const std::vector<const void*>& instructions) {
  static std::mutex mutex;
  // Guarded by mutex. Never destroyed: kernels may run while static objects are.
  static auto& known = *new std::map<const void*, Frames>;
  const std::lock_guard lock(mutex);
  std::map<std::string, std::vector<FileAddress>> to_ask;
  for (const void* instruction : instructions) {
    if (!known.try_emplace(instruction).second) continue;
    FileAddress asked;
    asked.instruction = reinterpret_cast<std::uintptr_t>(instruction);
    dl_iterate_phdr(look_into, &asked);
    if (asked.found) to_ask[asked.file].push_back(asked);
  }
  for (const auto& [file, asked] : to_ask) look_up(file, asked, known);
  std::vector<Frames> all;
  for (const void* instruction : instructions) all.push_back(known[instruction]);
  return all;
}

std::optional<SourceLocation> place_of_code(const void* instruction) {
  const std::vector<Frames> frames = frames_of_code({instruction});
  for (const CodeFrame& frame : frames.front())
    if (frame.whose == CodeFrame::Whose::User) return frame.where;
  return std::nullopt;
}

std::optional<SourceLocation> place_in_kernel(const void* instruction, std::span<const void* const> return_addresses) {
  std::vector<const void*> code = {instruction};
  // What comes behind a call may belong to another line.
  for (const void* address : return_addresses) code.push_back(static_cast<const char*>(address) - 1);
  const std::vector<Frames> all = frames_of_code(code);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const CodeFrame& frame : all[i]) {
      if (frame.whose == CodeFrame::Whose::User) return frame.where;
      if (calls_kernels(frame)) return first_line_behind(code[i], all[i].back().function);
    }
  }
  return std::nullopt;
}

}  // namespace heddle::runtime
