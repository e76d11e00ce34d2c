#pragma once

/// \file
/// Runs what is to end its process in a child process.

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace heddle::test {

/// How a child process ended.
struct Death {
  /// -1 if a signal ended it.
  int exit_code = -1;
  /// What it wrote to standard error.
  std::string text;

  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// Calls `act` in a child process, which exits with 0 if `act` returns.
template <typename Act>
Death death_of(const Act& act) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(stdout);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    act();
    _exit(0);
  }
  close(ends[1]);
  Death death;
  char part[4096];
  for (ssize_t size = 0; (size = read(ends[0], part, sizeof part)) > 0;)
    death.text.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) death.exit_code = WEXITSTATUS(status);
  // qemu, where it runs the tests of another processor, has a last line of its own.
  if (const std::size_t line = death.text.find("qemu: uncaught target signal"); line != std::string::npos)
    death.text.erase(line);
  return death;
}

}  // namespace heddle::test
