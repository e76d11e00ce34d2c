#include "emulator/cli/policies.h"

#include <fmt/format.h>
#include <heddle/memory_policy.h>

namespace heddle::cli {

std::vector<std::string> policy_names() {
  std::vector<std::string> out;
  for (const MemoryPolicy& policy : memory_policies()) out.emplace_back(policy.name);
  return out;
}

std::string policy_descriptions() {
  std::string out;
  for (const MemoryPolicy& policy : memory_policies())
    out += fmt::format("  {:14} {}\n", policy.name, policy.description);
  return out;
}

}  // namespace heddle::cli
