// Runs one program of the corpus by its number, as `heddle races` is given it; without one, lists them.
#include "tests/edits/corpus/corpus.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const std::vector<heddle::corpus::Program> all = heddle::corpus::all();
  if (argc != 2) {
    for (std::size_t i = 0; i < all.size(); ++i) std::printf("%zu %s\n", i, all[i].name.c_str());
    return 2;
  }
  heddle::Device device;
  return all.at(std::strtoul(argv[1], nullptr, 10)).run(device) ? 0 : 1;
}
