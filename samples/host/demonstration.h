#pragma once

/// \file
/// What the samples of host threads have in common: the right form holds natively and under many
/// seeds, the wrong form goes wrong under one of them.

#include <heddle/host_thread.h>

#include <cstdio>
#include <cstring>

/// Shows a body in its right form, `right(host)`, and in a wrong one. `--wrong` shows the wrong
/// form alone, under the seed of HEDDLE_SEED or the first that fails. Returns the exit code: 0 if
/// each did as it should.
template <typename Right, typename Wrong>
int demonstrate(int argc, char** argv, const char* what, Right right, Wrong wrong,
                std::uint64_t seeds = 500) {
  using namespace heddle;
  const bool wrong_alone = argc > 1 && std::strcmp(argv[1], "--wrong") == 0;
  if (argc > 1 && !wrong_alone) {
    std::fprintf(stderr, "usage: %s [--wrong]\n", argv[0]);
    return 2;
  }
  threads::Options of_wrong;
  if (!wrong_alone) of_wrong.again = "--wrong";
  const threads::Exploration broken = threads::explore_seeds(wrong, seeds, of_wrong);
  if (wrong_alone) {
    for (const threads::Report& report : broken.failures)
      std::printf("%s", threads::to_string(report).c_str());
    return broken.ok() ? 0 : 1;
  }
  bool good = true;
  if (broken.ok()) {
    std::printf("%s: the wrong form went right in %llu runs\n", what,
                static_cast<unsigned long long>(broken.runs));
    good = false;
  } else {
    std::printf("%s: the wrong form goes wrong, with seed %llu:\n%s", what,
                static_cast<unsigned long long>(broken.failures.front().seed),
                threads::to_string(broken.failures.front()).c_str());
  }
  const threads::Exploration held = threads::explore_seeds(right, seeds);
  if (!held.ok()) {
    std::printf("%s: the right form went wrong:\n%s", what,
                threads::to_string(held.failures.front()).c_str());
    good = false;
  }
  const threads::Report native = threads::run(right, {.mode = Mode::Native});
  if (!native.ok()) {
    std::printf("%s: the right form went wrong natively:\n%s", what,
                threads::to_string(native).c_str());
    good = false;
  }
  if (good)
    std::printf("%s: the right form held in %llu runs on weak memory, and natively\n", what,
                static_cast<unsigned long long>(held.runs));
  return good ? 0 : 1;
}
