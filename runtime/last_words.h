#pragma once

/// \file
/// What a process has still to tell when it ends, whatever ends it.

#include <cstddef>
#include <string_view>

namespace heddle::runtime {

/// As long as one lives, the end of the process waits until `say(context)` has returned: exit, quick_exit, _exit,
/// abort, and each signal that ends a process and whose action is the default one when the first of them begins to
/// live. `say` is called inside of signal handlers, on whatever thread dies, any number of times, and perhaps while the
/// LastWords end: it takes no lock, allocates nothing, and its context lives for ever. A process that fork has made has
/// none. A sanitizer that ends the process waits as well. SIGKILL, and any other call of the system that goes past the
/// library of C, are not waited for.
///
/// The program's own behaviour stays: it dies of the signal that it got, and signals that it handles or ignores are its
/// own. Signals have their default actions again as soon as none lives any more. A death callback that the program gave
/// its sanitizer is lost, except libFuzzer's, which goes before. Thread-safe.
class LastWords {
 public:
  using Say = void (*)(void* context);

  LastWords(Say say, void* context);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  std::size_t place_;
};

/// A text that goes to standard error if the process ends while this lives: of a long one the beginning.
class LastText {
 public:
  explicit LastText(std::string_view text);
  ~LastText();
  LastText(const LastText&) = delete;
  LastText& operator=(const LastText&) = delete;

 private:
  std::size_t page_;
  LastWords words_;
};

/// For a handler of signals that is about to let the process die.
void say_last_words();

/// Whether the process is about to end without waiting for any thread: by a signal, quick_exit, _exit or abort. What a
/// thread finds from then on nobody is told of.
bool ends_at_once() noexcept;

}  // namespace heddle::runtime
