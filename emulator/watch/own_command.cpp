#include "emulator/watch/own_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include "runtime/text/readable.h"

namespace heddle::watch {
namespace {

/// What runs the trial of this thread again; null outside of trials.
thread_local const std::string* t_command = nullptr;

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

/// A word as a shell takes it.
std::string in_shell(const std::string& word) {
  const bool simple = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
  });
  return simple ? word : quoted(word);
}

}  // namespace

std::vector<std::string> own_words() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::string command_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += in_shell(word);
  }
  return out.empty() ? "PROGRAM" : out;
}

std::string layout_assignments() {
  std::string out;
  for (const char* variable :
       {"HEDDLE_LANE_MAPPING", "HEDDLE_LIMITS", "HEDDLE_PROGRESS", "HEDDLE_RECONVERGENCE", "HEDDLE_RESIDENT_WORKGROUPS",
        "HEDDLE_SUBGROUP_SIZE", "HEDDLE_SWEEP", "HEDDLE_UNDEFINED", "HEDDLE_WORKGROUP_ORDER"}) {
    const char* value = std::getenv(variable);
    if (value && *value) out += fmt::format("{}={} ", variable, in_shell(value));
  }
  return out;
}

std::string own_command() {
  // Never destroyed: kernels may run while static objects are.
  static const auto& of_process = *new std::string(command_of(own_words()));
  return layout_assignments() + (t_command ? *t_command : of_process);
}

InTrial::InTrial(const std::string& command) : outer_(std::exchange(t_command, &command)) {}
InTrial::~InTrial() {
  t_command = outer_;
}
const std::string* InTrial::command() {
  return t_command;
}

bool InTrial::any() {
  return t_command != nullptr;
}

std::string memory_assignment(const MemoryPolicy& policy) {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value && *value;
  };
  const bool is_decided_by_seed = InTrial::any() || is_set("HEDDLE_SWEEP");
  if (policy.sequential || (is_decided_by_seed && !is_set("HEDDLE_MEMORY"))) return "";
  return fmt::format("HEDDLE_MEMORY={} ", policy.name);
}

std::string seed_assignment(std::uint64_t seed) {
  return fmt::format("{}={}", InTrial::any() ? "HEDDLE_EXPLORE_SEED" : "HEDDLE_SEED", seed);
}

}  // namespace heddle::watch
