#pragma once

/// \file
/// Searches whose output a test reads, or does not want.

#include <heddle/explore.h>
// With this header in all sources of the test program Catch2 prints a value alike in all of them.
#include <heddle/testing.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace heddle::test {

/// Options of a search that prints and writes nothing.
inline SeedOptions quiet() {
  SeedOptions options;
  options.print_to = nullptr;
  options.replay_file = "";
  // Trials that try changes would be counted, and leave something, as others do.
  options.change_budget = std::chrono::milliseconds(0);
  return options;
}

/// What was printed to a file, which it closes.
inline std::string printed_to(std::FILE* out) {
  std::rewind(out);
  std::string printed(4096, '\0');
  printed.resize(std::fread(printed.data(), 1, printed.size(), out));
  std::fclose(out);
  return printed;
}

}  // namespace heddle::test
