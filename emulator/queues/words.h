#pragma once

/// \file
/// Stages and accesses as Vulkan spells them.

#include <string>

#include "emulator/model/dependency.h"

namespace heddle::queues {

/// "COMPUTE_SHADER", "COPY | CLEAR", "NONE"
std::string text_of(model::Stages stages);
/// "SHADER_STORAGE_WRITE", "NONE"
std::string text_of(model::Accesses accesses);

/// "upload.cpp:41"
std::string place_of(const SourceLocation& where);

}  // namespace heddle::queues
