#pragma once

/// \file
/// Makes the memory that a policy asks for.

#include <heddle/choice.h>
#include <heddle/memory_policy.h>

#include <memory>

namespace heddle::memory {

class Memory;

/// Memory that does as the policy says. The choice must outlive it.
std::unique_ptr<Memory> make_memory(const MemoryPolicy& policy, Choice& choice);

}  // namespace heddle::memory
