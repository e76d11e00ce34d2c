#pragma once

/// \file
/// Random host tests, as texts.

#include <cstdint>
#include <string>

namespace heddle::litmus {

/// A seed makes one test. Some make no sense (a wait that nothing signals): a parser refuses those.
std::string random_host_test(std::uint64_t seed);

}  // namespace heddle::litmus
