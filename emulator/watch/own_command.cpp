#include "emulator/watch/own_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "runtime/text/readable.h"

namespace heddle::watch {
namespace {

thread_local std::uint32_t t_trials = 0;

// Within $'...' a shell takes any byte by its number: what is printed is plain text, and can be copied.
std::string quoted(const std::string& word) {
  const bool plain = text::readable(word) == word;
  std::string out = plain ? "'" : "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    } else if (c == '\'' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += byte < 0x20 || byte >= 0x7f ? fmt::format("\\{:03o}", byte) : std::string(1, c);
    }
  }
  return out + '\'';
}

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
    out += simple ? word : quoted(word);
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
