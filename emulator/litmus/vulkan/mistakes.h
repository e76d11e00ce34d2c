#pragma once

/// \file
/// What an execution of a test does that is undefined.

#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Pairs of operations, the first pair first: data races; and of a host test, where these are told as races, accesses
/// that do not happen before the end of their memory, and host writes that an invalidation may lose.
std::vector<model::OperationPair> mistakes(const Test& test, const judge::Judgement& judgement);

bool has_mistake(const Test& test, const judge::Judgement& judgement);

}  // namespace heddle::litmus
