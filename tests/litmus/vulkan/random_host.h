#pragma once

/// \file
/// Random host tests, as texts.

#include <cstdint>
#include <string>

namespace heddle::litmus {

/// The same seed makes the same test. Some make no sense (a wait that nothing signals): a parser refuses those.
std::string random_host_test(std::uint64_t seed);

}  // namespace heddle::litmus
