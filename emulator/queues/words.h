#pragma once

/// \file
/// Stages and accesses as Vulkan spells them.

#include <heddle/detail/allocation.h>

#include <cstdint>
#include <string>

#include "emulator/model/dependency.h"

namespace heddle::queues {

/// "COMPUTE_SHADER", "COPY | CLEAR", "NONE"
std::string text_of(model::Stages stages);
/// "SHADER_STORAGE_WRITE", "NONE"
std::string text_of(model::Accesses accesses);

/// "14", "-1.5"; in hexadecimal where the type is not known.
std::string text_of(const detail::ComponentType& component, std::uint32_t value);
/// "upload.cpp:41"
std::string place_of(const SourceLocation& where);

}  // namespace heddle::queues
