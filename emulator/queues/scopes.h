#pragma once

/// \file
/// Masks of the API in the words of the model.

#include <heddle/dependency.h>

#include "emulator/model/dependency.h"

namespace heddle::queues {

inline model::Stages stages_of(PipelineStage2 stages) {
  static_assert(static_cast<unsigned>(PipelineStage2::AllCommands) ==
                static_cast<unsigned>(model::Stages::AllCommands));
  static_assert(static_cast<unsigned>(PipelineStage2::Host) == static_cast<unsigned>(model::Stages::Host));
  return static_cast<model::Stages>(stages);
}

/// The accesses of a mask that one of the stages makes.
inline model::Accesses accesses_of(PipelineStage2 stages, Access2 accesses) {
  static_assert(static_cast<unsigned>(Access2::MemoryRead) == static_cast<unsigned>(model::Accesses::MemoryRead));
  static_assert(static_cast<unsigned>(Access2::MemoryWrite) == static_cast<unsigned>(model::Accesses::MemoryWrite));
  return static_cast<model::Accesses>(accesses) & model::accesses_of(stages_of(stages));
}

/// Calls with_barrier(barrier) for each barrier of the dependency, the memory barriers first.
template <typename Do>
void for_each_barrier(const DependencyInfo& dependency, Do with_barrier) {
  for (const MemoryBarrier2& barrier : dependency.memory_barriers) with_barrier(barrier);
  for (const BufferMemoryBarrier2& barrier : dependency.buffer_memory_barriers) with_barrier(barrier);
  for (const ImageMemoryBarrier2& barrier : dependency.image_memory_barriers) with_barrier(barrier);
}

inline std::size_t count_of(const DependencyInfo& dependency) {
  return dependency.memory_barriers.size() + dependency.buffer_memory_barriers.size() +
         dependency.image_memory_barriers.size();
}

/// The stages of all source masks.
inline model::Stages source_stages(const DependencyInfo& dependency) {
  model::Stages out = model::Stages::None;
  for_each_barrier(dependency, [&](const auto& barrier) { out = out | stages_of(barrier.src_stage_mask); });
  return out;
}

/// The stages of all destination masks.
inline model::Stages destination_stages(const DependencyInfo& dependency) {
  model::Stages out = model::Stages::None;
  for_each_barrier(dependency, [&](const auto& barrier) { out = out | stages_of(barrier.dst_stage_mask); });
  return out;
}

}  // namespace heddle::queues
