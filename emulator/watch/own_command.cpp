#include "emulator/watch/own_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace heddle::watch {
namespace {

thread_local std::uint32_t t_trials = 0;

}  // namespace

std::string own_command() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string out;
  for (std::string word; std::getline(in, word, '\0');) {
    if (!out.empty()) out += ' ';
    const bool simple = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
             std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
    });
    if (simple) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out.empty() ? "PROGRAM" : out;
}

InTrial::InTrial() {
  ++t_trials;
}
InTrial::~InTrial() {
  --t_trials;
}
bool InTrial::any() {
  return t_trials > 0;
}

std::string seed_assignment(std::uint64_t seed) {
  return fmt::format("{}={}", InTrial::any() ? "HEDDLE_EXPLORE_SEED" : "HEDDLE_SEED", seed);
}

}  // namespace heddle::watch
