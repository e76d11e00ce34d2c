#pragma once

/// \file
/// Makes the memory that a policy asks for.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <memory>
#include <string_view>

namespace heddle::memory {

class Memory;

/// The policy that memory_policy returns; null where no policy has that name.
const MemoryPolicy* find_policy(std::string_view name);

/// Memory that does as the policy says. The choice must outlive it.
std::unique_ptr<Memory> make_memory(const MemoryPolicy& policy, Choice& choice);

}  // namespace heddle::memory
