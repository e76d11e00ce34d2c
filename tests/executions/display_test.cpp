// What an exploration shows on a terminal, and what Ctrl-C does.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include <heddle/explore_kernel.h>
#include <heddle/heddle.h>

#include "tests/temporary_file.h"

using namespace heddle;

namespace {

/// It has far more executions than anybody waits for.
KernelExecutions endless(const KernelBounds& bounds) {
  return explore_kernel(
      [](KernelExploration& exploration) {
        auto x = exploration.device().buffer(std::vector<std::uint32_t>(1), "x");
        const auto kernel = [](auto& inv, auto data) {
          inv.atomic_exchange(data[0], Scope::Device, MemorySemantics::Relaxed, 1 + inv.workgroup_id().x);
        };
        return exploration.dispatch(kernel, 9, 1, x);
      },
      bounds);
}

}  // namespace

TEST_CASE("Ctrl-C ends an exploration, which says what it found, and then the program") {
  const TemporaryFile file;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Not that of the test's framework, which would tell of it.
    std::signal(SIGINT, SIG_DFL);
    KernelBounds bounds;
    bounds.print_to = std::fopen(file.path().c_str(), "w");
    // The second one would end the program at once.
    bounds.progress = [](std::uint64_t executions) {
      if (executions == 1) std::raise(SIGINT);
    };
    (void)endless(bounds);
    std::_Exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  std::ifstream in(file.path());
  const std::string told((std::istreambuf_iterator<char>(in)), {});
  CHECK_THAT(told, Catch::Contains("Not all executions of 9 workgroups of 1: it was interrupted."));
}

TEST_CASE("on a terminal an exploration shows how far it is, and nothing is left of that") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  std::FILE* const shown = std::fopen(ptsname(terminal), "w");
  REQUIRE(shown);
  KernelBounds bounds;
  bounds.print_to = shown;
  // Some times as long as it takes until it shows anything.
  bounds.time = Milliseconds(1500);
  const KernelExecutions found = endless(bounds);
  std::fclose(shown);
  CHECK_FALSE(found.complete);
  std::string told;
  std::array<char, 4096> some{};
  for (ssize_t length = 0; (length = read(terminal, some.data(), some.size())) > 0;)
    told.append(some.data(), static_cast<std::size_t>(length));
  close(terminal);
  CHECK_THAT(told, Catch::StartsWith("\r\x1b[K") && Catch::Contains(" executions, ") && Catch::Contains(" races, "));
  CHECK_THAT(told, Catch::EndsWith("\r\x1b[K"));
}

TEST_CASE("an exploration that prints nowhere leaves signals as they are") {
  KernelBounds bounds;
  bounds.print_to = nullptr;
  bounds.executions = 1;
  struct sigaction before = {};
  sigaction(SIGINT, nullptr, &before);
  bool is_as_before = false;
  bounds.progress = [&](std::uint64_t) {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    is_as_before = now.sa_handler == before.sa_handler;
  };
  (void)endless(bounds);
  CHECK(is_as_before);
}
