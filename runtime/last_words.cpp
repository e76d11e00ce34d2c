// A table without a lock has the functions that are still to be called when the process ends. Handlers of exit and of
// signals go through the table; so does _exit, which is heddle's own here, and then calls that of the C library.

#include "runtime/last_words.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "runtime/launch.h"

extern "C" {
// Programs that are compiled with a sanitizer have this function. The sanitizer calls `callback` before it ends the
// program, by a call of the system that goes past _exit.
[[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());
// Programs that libFuzzer drives have this function. libFuzzer's own callback writes the input that ended the program
// to a file.
[[gnu::weak]] int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);
}

namespace heddle::runtime {
namespace {

/// More than dispatches fail at once: whoever finds no room stays silent.
constexpr std::size_t kMost = 64;

struct Entry {
  std::atomic<bool> taken{false};
  std::atomic<LastWords::Say> say{nullptr};
  std::atomic<void*> context{nullptr};
};

constinit std::array<Entry, kMost> g_entries;
/// Whose table it is: another process that has a copy of it has nothing to tell.
constinit std::atomic<pid_t> g_process{0};
/// The process that ends at once; 0 if none does.
constinit std::atomic<pid_t> g_ending{0};

// Those that end a process where nobody has said otherwise, and that come of its own accord or from a person.
constexpr std::array kSignals = {SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,
                                 SIGFPE, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};

// Guards what follows.
constinit std::mutex g_mutex;
constinit std::size_t g_living = 0;

// The signal is blocked, and ends the process, when the handlers have returned; or ends it here.
void on_signal(int signal, siginfo_t*, void*) {
  ::signal(signal, SIG_DFL);
  say_last_words();
  ::raise(signal);
}

bool is_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}
bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

void replace_handlers(bool (*which)(const struct sigaction&), const struct sigaction& by) {
  for (const int signal : kSignals) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) == 0 && which(now)) sigaction(signal, &by, nullptr);
  }
}

/// Makes a sanitizer call this before it ends the process; null for nothing.
void set_death_callback(void (*callback)()) {
  if (__sanitizer_set_death_callback && !LLVMFuzzerTestOneInput) __sanitizer_set_death_callback(callback);
}

void hear_of_end() {
  set_death_callback(say_last_words);
  struct sigaction ours {};
  ours.sa_sigaction = on_signal;
  // A second signal of this kind ends the process at once: a person who waits no longer is obeyed.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  replace_handlers(is_default, ours);
}

void hear_of_no_end() {
  set_death_callback(nullptr);
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  replace_handlers(is_ours, none);
}

std::size_t take_entry() {
  for (std::size_t i = 0; i < kMost; ++i)
    if (!g_entries[i].taken.exchange(true)) return i;
  return kMost;
}

/// A child of fork tells nothing of what its parent has to tell.
void begin_anew_in_child() {
  if (g_process.exchange(0) == 0) return;
  for (Entry& entry : g_entries) entry.say.store(nullptr);
}

using Exit = void (*)(int);
/// The one of the C library, or of a sanitizer's.
Exit g_exit = nullptr;

/// Where a kernel calls exit, destructors of libraries would take away what its worker, and others, are in the middle
/// of: oneTBB's crashes on a thread of its own.
void leave_libraries_alone(int status, void*) {
  if (!process_ends_in_kernel()) return;
  std::fflush(nullptr);
  _exit(status);
}

// Before all static objects of the program are made, and so called when they are destroyed.
[[gnu::constructor(101)]] void begin_process() {
  g_exit = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "_exit"));
  on_exit(leave_libraries_alone, nullptr);
}

constexpr std::size_t kPages = 16;
constexpr std::size_t kPageBytes = 4096;

void say_all() {
  if (g_process.load() != getpid()) return;
  for (const Entry& entry : g_entries)
    if (const LastWords::Say say = entry.say.load()) say(entry.context.load());
}

/// A text is written as it lies here.
struct Page {
  std::atomic<bool> taken{false};
  std::atomic<std::size_t> size{0};
  std::array<char, kPageBytes> text{};
};
constinit std::array<Page, kPages + 1> g_pages;

std::size_t written_page(std::string_view text) {
  constexpr std::string_view kHead = "heddle: the program ended before it could hear of this:\n";
  std::size_t page = 0;
  while (page < kPages && g_pages[page].taken.exchange(true)) ++page;
  // The last page is never shown: there is nobody to tell of it.
  if (page == kPages) return page;
  const std::size_t size = std::min(text.size(), kPageBytes - kHead.size() - 1);
  char* const to = g_pages[page].text.data();
  std::memcpy(to, kHead.data(), kHead.size());
  std::memcpy(to + kHead.size(), text.data(), size);
  to[kHead.size() + size] = '\n';
  g_pages[page].size.store(kHead.size() + size + 1);
  return page;
}

void say_page(void* page) {
  auto& told = *static_cast<Page*>(page);
  const std::size_t size = told.size.exchange(0);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t written = write(STDERR_FILENO, told.text.data() + done, size - done);
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace

void say_last_words() {
  g_ending.store(getpid());
  say_all();
}

bool ends_at_once() noexcept {
  return g_ending.load() == getpid();
}

LastWords::LastWords(Say say, void* context) : place_(take_entry()) {
  const std::lock_guard lock(g_mutex);
  // Neither can be taken back, and both say nothing where there is nothing to say.
  static const bool hears_of_exit = std::atexit(say_all) == 0 && std::at_quick_exit(say_last_words) == 0 &&
                                    pthread_atfork(nullptr, nullptr, begin_anew_in_child) == 0;
  static_cast<void>(hears_of_exit);
  g_process.store(getpid());
  if (g_living++ == 0) hear_of_end();
  if (place_ == kMost) return;
  g_entries[place_].context.store(context);
  g_entries[place_].say.store(say);
}

LastWords::~LastWords() {
  const std::lock_guard lock(g_mutex);
  if (place_ != kMost) {
    g_entries[place_].say.store(nullptr);
    g_entries[place_].taken.store(false);
  }
  if (--g_living == 0) hear_of_no_end();
}

LastText::LastText(std::string_view text) : page_(written_page(text)), words_(say_page, &g_pages[page_]) {}

LastText::~LastText() {
  g_pages[page_].size.store(0);
  g_pages[page_].taken.store(false);
}

namespace {

[[noreturn]] void exit_at_once(int status) {
  say_last_words();
  if (g_exit) g_exit(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace
}  // namespace heddle::runtime

// These end a process at once, and no handler hears of it. (A program that has its own keeps them.)
extern "C" {
[[gnu::weak]] void _exit(int status) {
  heddle::runtime::exit_at_once(status);
}
[[gnu::weak]] void _Exit(int status) noexcept {
  heddle::runtime::exit_at_once(status);
}
}
