#pragma once

/// \file
/// Checks of heddle itself, on in every build: a broken state ends the program before it can give a wrong answer.

#include <heddle/detail/language.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

extern "C" {
extern char** environ;
}

namespace heddle::detail {

/// What a thread of heddle does just now, told if a check fails meanwhile: the schedule, and the command that gets
/// there again. Situations of one thread nest; each is gone at the end of its block.
class Situation {
 public:
  /// Lines of text, each ended by '\n'. The first word of the line that has the command is "again:".
  using Describe = std::string (*)(const void* context);

  /// `context` has to live as long as the situation.
  Situation(Describe describe, const void* context) : describe_(describe), context_(context), outer_(t_innermost) {
    t_innermost = this;
  }
  ~Situation() { t_innermost = outer_; }
  Situation(const Situation&) = delete;
  Situation& operator=(const Situation&) = delete;

  /// All situations of the calling thread, the innermost first; empty if there is none.
  static std::string text() {
    std::string all;
    for (const Situation* one = t_innermost; one; one = one->outer_) all += one->describe_(one->context_);
    return all;
  }

 private:
  static inline constinit thread_local const Situation* t_innermost = nullptr;

  Describe describe_;
  const void* context_;
  const Situation* outer_;
};

/// The command line of this process with the HEDDLE_ variables of its environment, for a shell.
inline std::string command_with_environment() {
  std::string command;
  for (char** variable = environ; variable && *variable; ++variable)
    if (const std::string text = *variable; text.rfind("HEDDLE_", 0) == 0) command += text + ' ';
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(in, word, '\0');) command += word + ' ';
  return command;
}

/// Tells on standard error which check failed, the schedule, and the command that replays it; ends the process with
/// exit code 3 (heddle is wrong), without destructors: they would work on the broken state.
[[noreturn, gnu::cold, gnu::noinline]] inline void check_failed(const char* condition, const char* what,
                                                                const char* file, int line) {
  std::string text = std::string("heddle: internal error: ") + what + "\n  check  " + condition + " at " + file + ':' +
                     std::to_string(line) + '\n';
  const std::string situations = Situation::text();
  text += situations;
  if (situations.find("again:") == std::string::npos) text += "  again: " + command_with_environment() + '\n';
  text += "  This is a mistake in heddle, or in an oracle (Choice) of the program's own: please report these lines.\n";
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  std::_Exit(3);
}

}  // namespace heddle::detail

/// Ends the program with exit code 3 unless `condition` holds; `what` is a sentence that says what is broken. For the
/// state of an engine with which it would otherwise give a wrong answer, in release builds as well.
#define HEDDLE_CHECK(condition, what)                   \
  (__builtin_expect(static_cast<bool>(condition), true) \
       ? static_cast<void>(0)                           \
       : ::heddle::detail::check_failed(#condition, what, __FILE__, __LINE__))
