#pragma once

/// \file
/// The words of masks, as synchronization2 names them.

#include <string_view>
#include <utility>

#include "emulator/model/dependency.h"

namespace heddle::litmus {

inline constexpr std::pair<std::string_view, model::Stages> kPipelineStageWords[] = {
    {"none", model::Stages::None}, {"indirect", model::Stages::DrawIndirect}, {"compute", model::Stages::Compute},
    {"copy", model::Stages::Copy}, {"clear", model::Stages::Clear},           {"transfer", model::Stages::Transfer},
    {"host", model::Stages::Host}, {"all", model::Stages::AllCommands}};

inline constexpr std::pair<std::string_view, model::Accesses> kAccessWords[] = {
    {"storage_read", model::Accesses::StorageRead},     {"storage_write", model::Accesses::StorageWrite},
    {"uniform_read", model::Accesses::UniformRead},     {"shader_read", model::Accesses::ShaderRead},
    {"shader_write", model::Accesses::ShaderWrite},     {"transfer_read", model::Accesses::TransferRead},
    {"transfer_write", model::Accesses::TransferWrite}, {"indirect_read", model::Accesses::IndirectRead},
    {"host_read", model::Accesses::HostRead},           {"host_write", model::Accesses::HostWrite},
    {"memory_read", model::Accesses::MemoryRead},       {"memory_write", model::Accesses::MemoryWrite}};

/// The declarations that host tests alone have.
inline constexpr std::string_view kMemoryWords[] = {"noncoherent", "uniform", "exclusive", "atom"};

}  // namespace heddle::litmus
