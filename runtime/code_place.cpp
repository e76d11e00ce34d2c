#include "runtime/code_place.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "runtime/debug_information.h"

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

using Frames = std::vector<CodeFrame>;

/// The frames of instructions, and the files that they are in. Not thread-safe.
class KnownCode {
 public:
  bool has(const void* instruction) const { return frames_.contains(instruction); }
  /// None where they have not been looked up.
  Frames frames(const void* instruction) const {
    const auto known = frames_.find(instruction);
    return known == frames_.end() ? Frames() : known->second;
  }

  /// Needs as much stack as DebugInformation.
  void look_up(const std::vector<const void*>& instructions) {
    for (const void* instruction : instructions)
      if (!has(instruction)) frames_.emplace(instruction, looked_up(instruction));
  }

 private:
  Frames looked_up(const void* instruction) {
    FileAddress asked;
    asked.instruction = reinterpret_cast<std::uintptr_t>(instruction);
    dl_iterate_phdr(look_into, &asked);
    if (!asked.found) return {};
    // The program itself has no name there.
    const char* path = asked.file.empty() ? "/proc/self/exe" : asked.file.c_str();
    Frames frames;
    for (const auto& line : files_.try_emplace(asked.file, path).first->second.lines(asked.address))
      frames.push_back({{line.file, "", line.line, 0}, whose(line.file), line.function});
    return frames;
  }

  std::map<const void*, Frames> frames_;
  /// Places have their texts from there.
  std::map<std::string, DebugInformation> files_;
};

/// Calls `function` on a thread of its own, and returns when that has ended, or has thrown std::bad_alloc: the stack of
/// an invocation may be too small. Does nothing where there can be no such thread.
void with_large_stack(std::function<void()> function) {
  constexpr std::size_t kStackBytes = std::size_t{2} << 20;
  const auto run = [](void* called) -> void* {
    try {
      (*static_cast<std::function<void()>*>(called))();
    } catch (const std::bad_alloc&) {
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // Signals of the program are for threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_t thread;
  const bool runs = pthread_create(&thread, &attributes, run, &function) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (runs) pthread_join(thread, nullptr);
}

/// Whether heddle calls kernels from there: no line of a kernel is among the callers.
bool calls_kernels(const CodeFrame& frame) {
  return is_file(frame.where.file, "heddle/detail/launch.h");
}

/// The first line of the kernel that was inlined into the function of `instruction`, which stands at its entry. What
/// makes room for all frames belongs to none of the lines that needed it.
std::optional<SourceLocation> first_line_behind(const void* instruction, const void* function) {
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
  static auto& code = *new KnownCode;
  const std::lock_guard lock(mutex);
  if (!std::all_of(instructions.begin(), instructions.end(), [](const void* one) { return code.has(one); }))
    with_large_stack([&] { code.look_up(instructions); });
  std::vector<Frames> all;
  for (const void* instruction : instructions) all.push_back(code.frames(instruction));
  return all;
}

std::vector<const void*> calls_that_return_to(std::span<const void* const> return_addresses) {
  std::vector<const void*> calls;
  for (const void* address : return_addresses) calls.push_back(static_cast<const char*>(address) - 1);
  return calls;
}

std::optional<SourceLocation> place_of_code(const void* instruction) {
  const std::vector<Frames> frames = frames_of_code({instruction});
  for (const CodeFrame& frame : frames.front())
    if (frame.whose == CodeFrame::Whose::User) return frame.where;
  return std::nullopt;
}

std::optional<SourceLocation> place_in_kernel(const void* instruction, std::span<const void* const> return_addresses) {
  std::vector<const void*> code = calls_that_return_to(return_addresses);
  code.insert(code.begin(), instruction);
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
