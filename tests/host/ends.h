#pragma once

/// \file
/// Runs in a child process what is to end well, or with an exception that says what is wrong: nothing else may happen.

#include <heddle/heddle.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

#include "tests/check/death.h"
#include "tests/device_under_test.h"
#include "tests/temporary_file.h"

namespace heddle::test {

/// A dispatch with a barrier and a Workgroup variable. Whether its result is right.
inline bool turns_around(Device& device) {
  constexpr auto turn_around = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    auto tile = workgroup<std::uint32_t[8]>(inv, "tile");
    const auto i = inv.local_invocation_index();
    tile[i] = i;
    inv.workgroup_barrier();
    x[inv.global_invocation_id().x] = tile[7 - i];
  };
  auto x = device.buffer(std::vector<std::uint32_t>(16, 0), "x");
  device.dispatch(turn_around, {2}, {8}, x);
  return x.read() == std::vector<std::uint32_t>{7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0};
}

/// Exit codes of a child.
enum End : int { kWorks = 0, kWrong = 10, kRefused = 11, kFound = 12, kNoMemory = 13, kTooMuchMemory = 14 };

/// Calls `run` in a child process, in an empty directory. kWorks: it returned true; kRefused, kFound, kNoMemory: it
/// threw std::invalid_argument, KernelError, std::bad_alloc, and the text is what the exception says.
template <typename Run>
Death end_of(const Run& run) {
  const TemporaryPlace place;
  return death_of([&] {
    // Longer than any of it takes, on a machine that is busy.
    alarm(60);
    if (chdir(place.path().c_str()) != 0) _exit(kWrong);
    const auto end_with = [](End end, const std::exception& error) {
      std::fputs(error.what(), stderr);
      _exit(end);
    };
    try {
      if (!run()) _exit(kWrong);
    } catch (const KernelError& error) {
      end_with(kFound, error);
    } catch (const std::invalid_argument& error) {
      end_with(kRefused, error);
    } catch (const std::bad_alloc& error) {
      end_with(kNoMemory, error);
    }
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    constexpr long kMostKiB = 512 * 1024;
    if (!HEDDLE_TEST_SANITIZED && usage.ru_maxrss > kMostKiB) _exit(kTooMuchMemory);
  });
}

}  // namespace heddle::test
