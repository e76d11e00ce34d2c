// Writes the generated part of the litmus library: write_library DIRECTORY.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/litmus/families/library_test.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_library DIRECTORY\n", stderr);
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (const auto& test : heddle::litmus::library::all_families()) {
    std::ofstream out(std::filesystem::path(argv[1]) / (test.name + ".litmus"));
    out << print(test);
    if (!out) return 3;
  }
  return 0;
}
