#pragma once

/// \file
/// What a dispatch is given from outside, and whether its module takes it: an input that nobody reads is a mistake.

#include <string>

#include "emulator/spirv/dispatch.h"

namespace heddle::spirv {

/// "set 0, binding 1".
std::string spelled(const BindingPlace& place);

/// Which input a message is about, in the words of who gave it.
std::string buffer_words(Giver giver, const BindingPlace& place);
std::string push_constants_words(Giver giver);
std::string specialization_words(Giver giver, std::uint32_t id);

/// What chooses how many invocations there are, as messages end.
std::string size_words(Giver giver);

/// What bindings a module has, as messages go on: "; it has set 0, binding 1 (%data)". Empty if there are none.
std::string bindings_of(const Definitions& definitions);

/// Throws Error for a buffer, an extent, push constants or a specialization constant that the module does not have.
void check_inputs(const Types& types, const DispatchOptions& options);

/// What of the input is not as long as what it is for, which has so many bytes; empty if it is.
std::string length_warning(const std::string& input, std::uint64_t given, const std::string& object,
                           std::uint64_t bytes);

}  // namespace heddle::spirv
